//! A single point.

use super::{Distance, Nearest};
use crate::math::{Aabb, Cell, DVec3, Interval};

/// The point `at`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Position, metres.
    pub at: DVec3,
}

impl Distance for Point {
    fn nearest(&self, p: DVec3) -> Nearest {
        Nearest::away(p - self.at)
    }

    fn bounds(&self) -> Aabb {
        Aabb { min: self.at, max: self.at }
    }

    fn distance_range(&self, cell: &Cell) -> Interval {
        cell.distance_range(self.at)
    }

    fn least_distance(&self, cell: &Cell) -> f64 {
        cell.distance_to(self.at)
    }
}
