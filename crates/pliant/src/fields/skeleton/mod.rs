//! Skeletons: what a field is a distance to. One shape a file; all pass the shared suite below.
//!
//! *What we changed*: volumes (ball, box, half-space) answer with their **signed** distance, negative inside,
//! because two saturated fields would be equal on a whole volume instead of a surface.

mod point;

pub use point::Point;

use crate::math::{Aabb, Cell, DVec3, Interval};

/// Distance to a skeleton and the direction in which it grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Metres; negative inside a volume.
    pub distance: f64,
    /// Gradient of the distance: a unit vector away from the skeleton, or zero where there is none
    /// (on a curve or point itself).
    pub direction: DVec3,
}

/// A set of points with a well-defined distance.
///
/// Sign: distances are positive outside; only volumes have an inside, where they are negative.
pub trait Distance {
    /// Distance and its gradient at `p`.
    fn nearest(&self, p: DVec3) -> Nearest;

    /// A box that contains the skeleton.
    fn bounds(&self) -> Aabb;

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

/// Any skeleton, by value.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Skeleton {
    Point(Point),
}

macro_rules! each {
    ($self:ident, $s:ident => $body:expr) => {
        match $self {
            Skeleton::Point($s) => $body,
        }
    };
}

impl Distance for Skeleton {
    fn nearest(&self, p: DVec3) -> Nearest {
        each!(self, s => s.nearest(p))
    }
    fn bounds(&self) -> Aabb {
        each!(self, s => s.bounds())
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
