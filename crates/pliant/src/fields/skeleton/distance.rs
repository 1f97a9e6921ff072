//! Capabilities of a skeleton kind: everything the engine asks of one is a method of [`Distance`].
//!
//! *The idea*: a kind implements `nearest`, `bounds` and `normal_lines`; the other methods have defaults that hold for any set
//! of points, and a kind overrides those it can answer better. No code outside this folder decides by kind.
//! *Not promised*: defaults are loose (boxes, first-order bounds), never wrong.

use super::normal_lines::NormalLines;
use crate::fields::{Kernel, Sample};
use crate::math::real::{FourLanes, dot};
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
    const MIN_DISTANCE: f64 = 1e-140;

    /// The answer where `p` is `offset` away from the nearest point.
    pub(super) fn away(offset: DVec3) -> Self {
        let distance = offset.length();
        let known = distance > Self::MIN_DISTANCE && distance < f64::INFINITY;
        Self { distance, direction: if known { offset / distance } else { DVec3::ZERO } }
    }
}

/// [`Nearest`] of four points, in lanes.
#[derive(Clone, Copy, Debug)]
pub struct FourNearest<T> {
    /// Metres; negative inside a volume.
    pub distance: T,
    /// Gradients of the distance.
    pub direction: [T; 3],
    /// Greatest coordinate of the skeleton in the formula, metres: rounding errors grow with it.
    pub extent: f64,
}

/// Four boxes, in lanes.
#[derive(Clone, Copy, Debug)]
pub struct CellAround<T> {
    /// Middles, in the skeleton's frame.
    pub center: [T; 3],
    /// Half their edges, as vectors in the skeleton's frame.
    pub half_axes: [[T; 3]; 3],
    /// Half their diagonals.
    pub reach: T,
    /// Sums of their greatest coordinates: rounding errors grow with them.
    pub size: T,
}

impl<T: FourLanes> CellAround<T> {
    /// Half the extents along `n`.
    #[inline(always)]
    pub(crate) fn half_extent(&self, n: [T; 3]) -> T {
        let [x, y, z] = self.half_axes;
        dot(x, n).magnitude() + dot(y, n).magnitude() + dot(z, n).magnitude()
    }

    /// Error of a distance along its gradient over the boxes, where `slack` is that of the distance: close to the skeleton the
    /// direction is made of rounding errors.
    #[inline(always)]
    pub(crate) fn doubt(&self, slack: T, distance: T) -> T {
        let doubt = slack * (T::all(1.0) + self.reach / distance.magnitude());
        doubt.smaller(self.reach + self.reach + slack)
    }
}

/// Distances over four boxes, in lanes.
#[derive(Clone, Copy, Debug)]
pub struct FourRanges<T> {
    /// In the middle of each box.
    pub near: FourNearest<T>,
    /// No distance in the box is less.
    pub least: T,
    /// Error of the distance along its gradient by rounding, over the box.
    pub doubt: T,
    /// Greatest downward curvature of the distance in the box, 1/m; infinite where it has no bound.
    pub hollow: T,
}

/// All points within `radius` of the centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Middle.
    pub center: DVec3,
    /// Metres; zero for a point.
    pub radius: f64,
}

/// The border of a half-space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// A point of the plane.
    pub point: DVec3,
    /// Unit vector out of the solid.
    pub normal: DVec3,
}

/// Points within `radius` of `center` whose distance from a skeleton is at least `min_distance`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbourhood {
    /// Middle.
    pub center: DVec3,
    /// Metres.
    pub radius: f64,
    /// Metres; may be negative inside a volume.
    pub min_distance: f64,
}

/// `by * v`, and zero where `by` is, though `v` be infinite or no number: out of reach there is no gradient.
pub(super) fn scaled(by: f64, v: DVec3) -> DVec3 {
    if by == 0.0 { DVec3::ZERO } else { by * v }
}

/// The greatest second derivative of the distance from a single point at `distance` metres; unbounded at the point.
pub(super) fn point_curvature(distance: f64) -> f64 {
    if distance > 0.0 { 1.0 / distance } else { f64::INFINITY }
}

/// A set of points with a well-defined distance.
///
/// Sign: distances are positive outside; only volumes have an inside, where they are negative.
pub trait Distance {
    /// Distance and its gradient at `p`.
    fn nearest(&self, p: DVec3) -> Nearest;

    /// A box that contains the skeleton.
    fn bounds(&self) -> Aabb;

    /// `strength` times `kernel` of the distance at `p`. Kinds that need no square root override it.
    fn contribution(&self, kernel: &Kernel, strength: f64, p: DVec3) -> Sample {
        let Nearest { distance, direction } = self.nearest(p);
        let (value, slope) = kernel.value_and_slope(distance);
        Sample { value: strength * value, gradient: scaled(strength * slope, direction) }
    }

    /// A point at least as far along `direction` as every point of the skeleton, and in a convex set around it that is the
    /// same for all directions: the skeleton itself where that is convex. Not finite where it has no end that way.
    fn support_point(&self, direction: DVec3) -> DVec3 {
        self.bounds().farthest(direction)
    }

    /// Greatest rate of change of the distance, per metre: 1 for exact distances.
    fn lipschitz(&self) -> f64 {
        1.0
    }

    /// A range that contains every distance from points of `cell`; the default uses [`Distance::lipschitz`] alone.
    fn distance_range(&self, cell: &Cell) -> Interval {
        let (d, reach) = (self.nearest(cell.center).distance, self.lipschitz() * cell.radius());
        Interval::new(d - reach, d + reach)
    }

    /// The lower end of [`Distance::distance_range`].
    fn min_distance(&self, cell: &Cell) -> f64 {
        self.distance_range(cell).lo
    }

    /// Whether the skeleton is a convex set, so that its distance is a convex function.
    fn is_convex(&self) -> bool {
        false
    }

    /// Whether the skeleton has an inside, where its distance is negative.
    fn is_volume(&self) -> bool {
        false
    }

    /// Least and greatest second derivative of the distance in any direction, in a neighbourhood. Outside any set the
    /// distance is at most as curved as that from a point; from a convex set it is not curved downward.
    fn curvature_range(&self, near: &Neighbourhood) -> Interval {
        let least = if self.is_convex() { 0.0 } else { f64::NEG_INFINITY };
        Interval::new(least, point_curvature(near.min_distance))
    }

    /// The point of the skeleton that a contact surface coming from `p` would reach last before passing through:
    /// the nearest point of curves and surfaces, a centre of volumes, none where there is no far side.
    fn medial_point(&self, p: DVec3) -> Option<DVec3> {
        let near = self.nearest(p);
        Some(p - near.distance * near.direction)
    }

    /// The skeleton as a sphere, where it is a point or a ball.
    fn as_sphere(&self) -> Option<Sphere> {
        None
    }

    /// The skeleton as a plane, where it is a half-space.
    fn as_plane(&self) -> Option<Plane> {
        None
    }

    /// Middle and axis, where the skeleton is a circle.
    fn as_ring(&self) -> Option<Plane> {
        None
    }

    /// Adds planes at which the second derivative of the distance jumps: between faces, edges and ends of the skeleton. Some
    /// of them suffice: quadrature is cut there.
    fn creases(&self, _found: &mut Vec<Plane>) {}

    /// Both ends, where the skeleton is a segment; twice the same point, where it is a point. Such skeletons run in SIMD
    /// lanes.
    fn ends(&self) -> Option<[DVec3; 2]> {
        None
    }

    /// [`Distance::nearest`] of four points, by a formula without branches, for SIMD lanes; none where there is no such formula.
    /// Of points that have no direction any is given.
    #[inline(always)]
    fn nearest_four<T: FourLanes>(&self, _points: [T; 3]) -> Option<FourNearest<T>>
    where
        Self: Sized,
    {
        None
    }

    /// Distances over four boxes, for SIMD lanes; none where there is no formula without branches. A convex distance lies above
    /// its tangent.
    #[inline(always)]
    fn range_four<T: FourLanes>(&self, cell: &CellAround<T>) -> Option<FourRanges<T>>
    where
        Self: Sized,
    {
        if !self.is_convex() {
            return None;
        }
        let near = self.nearest_four(cell.center)?;
        let slack = T::all(16.0 * f64::EPSILON) * (cell.size + T::all(near.extent));
        let doubt = cell.doubt(slack, near.distance);
        let tangent = near.distance - cell.half_extent(near.direction) - doubt;
        let least = if self.is_volume() { tangent } else { tangent.larger(T::all(0.0)) };
        Some(FourRanges { near, least, doubt, hollow: T::all(0.0) })
    }

    /// The skeleton in an outer frame, where moving it costs no more than a few numbers; pass `outer_from_inner`.
    fn moved(&self, _frame: &Frame) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }

    /// Adds the lines that leave the skeleton at right angles (from the centre of a volume: in any direction) and fill the
    /// space around it. None where the skeleton is unbounded.
    fn normal_lines(&self, lines: &mut NormalLines);
}

/// Points of which the farthest is found by comparing all. More: their box is used, which is looser and takes no longer.
pub(super) const MAX_COMPARED: usize = 64;

/// The farthest of some points along `direction`, the first of several.
pub(super) fn farthest_of(points: &[DVec3], direction: DVec3) -> DVec3 {
    let ahead = |p: DVec3, q: &DVec3| if q.dot(direction) > p.dot(direction) { *q } else { p };
    points[1..].iter().fold(points[0], ahead)
}
