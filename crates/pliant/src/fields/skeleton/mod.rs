//! Skeletons: what a field is a distance to. One shape a file; all pass the shared suite in `suite.rs`.
//!
//! *What we changed*: volumes (ball, box, half-space) answer with their **signed** distance, negative inside,
//! because two saturated fields would be equal on a whole volume instead of a surface.

mod ball;
mod best;
mod bezier;
mod circle;
mod cuboid;
mod curve;
mod disc;
mod error;
mod half_space;
mod mesh;
mod patch;
mod patch_search;
mod point;
mod polyline;
mod range;
mod segment;
#[cfg(test)]
mod suite;
mod triangle;

pub use ball::Ball;
pub use circle::Circle;
pub use cuboid::Cuboid;
pub use curve::SmoothCurve;
pub use disc::Disc;
pub use error::{LARGEST_COORDINATE, MOST_PIECES, SMALLEST_LENGTH, SkeletonError};
pub use half_space::HalfSpace;
pub use mesh::TriangleMesh;
pub use patch::SurfacePatch;
pub use point::Point;
pub use polyline::Polyline;
pub use segment::Segment;
pub use triangle::Triangle;

use crate::math::{Aabb, Cell, DVec3, Frame, Interval};

/// Distance to a skeleton and the direction in which it grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Metres; negative inside a volume.
    pub distance: f64,
    /// Gradient of the distance: a unit vector away from the skeleton, or zero where there is none
    /// (on a curve or point itself).
    pub direction: DVec3,
}

impl Nearest {
    /// Below this, metres, a direction has no digits left: the square of the distance underflows.
    const LEAST: f64 = 1e-140;

    /// The answer where `p` is `offset` away from the nearest point.
    fn away(offset: DVec3) -> Self {
        let distance = offset.length();
        let known = distance > Self::LEAST && distance < f64::INFINITY;
        Self { distance, direction: if known { offset / distance } else { DVec3::ZERO } }
    }
}

/// A set of points with a well-defined distance.
///
/// Sign: distances are positive outside; only volumes have an inside, where they are negative.
pub trait Distance {
    /// Distance and its gradient at `p`.
    fn nearest(&self, p: DVec3) -> Nearest;

    /// A box that contains the skeleton.
    fn bounds(&self) -> Aabb;

    /// A point at least as far along `direction` as every point of the skeleton, and in a convex set around it that is the
    /// same for all directions: the skeleton itself where that is convex. Not finite where it has no end that way.
    fn farthest(&self, direction: DVec3) -> DVec3 {
        self.bounds().farthest(direction)
    }

    /// A range that contains every distance from points of `cell`. A distance changes by at most one per metre,
    /// which is all the default uses.
    fn distance_range(&self, cell: &Cell) -> Interval {
        let (d, reach) = (self.nearest(cell.center).distance, cell.radius());
        Interval::new(d - reach, d + reach)
    }

    /// The lower end of [`Distance::distance_range`].
    fn least_distance(&self, cell: &Cell) -> f64 {
        self.distance_range(cell).lo
    }

    /// The point of the skeleton that a contact surface coming from `p` would reach last before passing through:
    /// the nearest point of curves and surfaces, a centre of volumes, none where there is no far side.
    fn core_point(&self, p: DVec3) -> Option<DVec3> {
        let near = self.nearest(p);
        Some(p - near.distance * near.direction)
    }
}

/// Points that are asked one by one which is farthest. More: their box tells less and takes no longer.
const MOST_ASKED: usize = 64;

/// The farthest of some points along `direction`, the first of several.
fn farthest_of(points: &[DVec3], direction: DVec3) -> DVec3 {
    let ahead = |p: DVec3, q: &DVec3| if q.dot(direction) > p.dot(direction) { *q } else { p };
    points[1..].iter().fold(points[0], ahead)
}

/// Any skeleton, by value.
#[derive(Clone, Debug, PartialEq)]
pub enum Skeleton {
    /// One place: a ball of radius t.
    Point(Point),
    /// Between two points: a capsule.
    Segment(Segment),
    /// Straight between consecutive points.
    Polyline(Polyline),
    /// Smooth through all its points, open or closed.
    Curve(SmoothCurve),
    /// A flat face between three points.
    Triangle(Triangle),
    /// Triangles with shared vertices; a surface, whether or not it is closed.
    TriangleMesh(TriangleMesh),
    /// A bicubic Bézier patch.
    Patch(SurfacePatch),
    /// A flat round plate.
    Disc(Disc),
    /// Its rim alone: a torus.
    Circle(Circle),
    /// A volume: signed distance.
    Ball(Ball),
    /// A volume along the body's axes: signed distance.
    Cuboid(Cuboid),
    /// All that lies below a plane: signed distance, infinite.
    HalfSpace(HalfSpace),
}

macro_rules! each {
    ($self:ident, $s:ident => $body:expr) => {
        match $self {
            Skeleton::Point($s) => $body,
            Skeleton::Segment($s) => $body,
            Skeleton::Polyline($s) => $body,
            Skeleton::Curve($s) => $body,
            Skeleton::Triangle($s) => $body,
            Skeleton::TriangleMesh($s) => $body,
            Skeleton::Patch($s) => $body,
            Skeleton::Disc($s) => $body,
            Skeleton::Circle($s) => $body,
            Skeleton::Ball($s) => $body,
            Skeleton::Cuboid($s) => $body,
            Skeleton::HalfSpace($s) => $body,
        }
    };
}

impl Skeleton {
    /// Whether the skeleton is a convex set, so that its distance is a convex function.
    pub fn is_convex(&self) -> bool {
        matches!(
            self,
            Self::Point(_)
                | Self::Segment(_)
                | Self::Triangle(_)
                | Self::Disc(_)
                | Self::Ball(_)
                | Self::Cuboid(_)
                | Self::HalfSpace(_)
        )
    }
}

impl Skeleton {
    /// The skeleton in an outer frame, where that costs no more than a few numbers; pass `outer_from_inner`.
    pub(super) fn moved(&self, frame: &Frame) -> Option<Self> {
        Some(match self {
            Self::Point(p) => Self::Point(Point { at: frame.point(p.at) }),
            Self::Segment(s) => Self::Segment(s.moved(frame)),
            Self::Ball(b) => Self::Ball(b.moved(frame)),
            Self::HalfSpace(h) => Self::HalfSpace(h.moved(frame)),
            _ => return None,
        })
    }
}

impl Distance for Skeleton {
    fn nearest(&self, p: DVec3) -> Nearest {
        each!(self, s => s.nearest(p))
    }
    fn bounds(&self) -> Aabb {
        each!(self, s => s.bounds())
    }
    fn farthest(&self, direction: DVec3) -> DVec3 {
        each!(self, s => s.farthest(direction))
    }
    fn distance_range(&self, cell: &Cell) -> Interval {
        each!(self, s => s.distance_range(cell))
    }
    fn least_distance(&self, cell: &Cell) -> f64 {
        each!(self, s => s.least_distance(cell))
    }
    fn core_point(&self, p: DVec3) -> Option<DVec3> {
        each!(self, s => s.core_point(p))
    }
}

macro_rules! from_each {
    ($($kind:ident($inner:ident)),*) => {
        $(impl From<$inner> for Skeleton {
            fn from(s: $inner) -> Self {
                Skeleton::$kind(s)
            }
        })*
    };
}
from_each!(Point(Point), Segment(Segment), Polyline(Polyline), Curve(SmoothCurve), Triangle(Triangle));
from_each!(TriangleMesh(TriangleMesh), Patch(SurfacePatch), Disc(Disc), Circle(Circle), Ball(Ball));
from_each!(Cuboid(Cuboid), HalfSpace(HalfSpace));
