//! A single point.

use super::distance::{Distance, Nearest, Sphere, scaled};
use super::normal_lines::NormalLines;
use crate::fields::{Kernel, Sample};
use crate::math::{Aabb, Cell, DVec3, Frame, Interval};

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

    fn min_distance(&self, cell: &Cell) -> f64 {
        cell.distance_to(self.at)
    }

    /// From r² and without a unit direction: the operations of the SIMD lanes, in the same order.
    #[inline(always)]
    fn contribution(&self, kernel: &Kernel, strength: f64, p: DVec3) -> Sample {
        let v = p - self.at;
        let (value, slope_by_r) = kernel.at_sq(v.length_squared());
        Sample { value: strength * value, gradient: scaled(strength * slope_by_r, v) }
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn as_sphere(&self) -> Option<Sphere> {
        Some(Sphere { center: self.at, radius: 0.0 })
    }

    fn ends(&self) -> Option<[DVec3; 2]> {
        Some([self.at; 2])
    }

    fn moved(&self, frame: &Frame) -> Option<Self> {
        Some(Self { at: frame.point(self.at) })
    }

    fn normal_lines(&self, lines: &mut NormalLines) {
        lines.sphere(self.at);
    }
}
