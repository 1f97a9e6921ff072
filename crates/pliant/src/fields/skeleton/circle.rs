//! A round curve; thickened, a torus.

use super::error::SkeletonError;
use super::{Disc, Distance, Nearest, range};
use crate::math::{Aabb, Cell, DVec3, Interval};

/// The points at `radius` from `center` in the plane across `normal`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circle {
    disc: Disc,
}

impl Circle {
    /// `normal` need not be a unit vector; `radius` is positive, metres.
    pub fn new(center: DVec3, normal: DVec3, radius: f64) -> Result<Self, SkeletonError> {
        Ok(Self { disc: Disc::new(center, normal, radius)? })
    }

    /// Middle.
    pub fn center(&self) -> DVec3 {
        self.disc.center()
    }
    /// Unit vector across the circle's plane.
    pub fn normal(&self) -> DVec3 {
        self.disc.normal()
    }
    /// Metres.
    pub fn radius(&self) -> f64 {
        self.disc.radius()
    }
}

impl Distance for Circle {
    fn nearest(&self, p: DVec3) -> Nearest {
        let v = p - self.center();
        let height = v.dot(self.normal()) * self.normal();
        let flat = v - height;
        let out = flat.length();
        // On the axis every point of the circle is nearest; one is taken, always the same.
        let outward = if out > 0.0 { flat / out } else { self.normal().any_orthonormal_vector() };
        Nearest::away(height + (out - self.radius()) * outward)
    }
    fn farthest(&self, direction: DVec3) -> DVec3 {
        self.disc.farthest(direction)
    }

    fn bounds(&self) -> Aabb {
        self.disc.bounds()
    }

    /// The distance from the axis is convex, which bounds it above its tangent; the height is linear.
    fn distance_range(&self, cell: &Cell) -> Interval {
        let any = range::thin(self, cell);
        let v = cell.center - self.center();
        let height = v.dot(self.normal());
        let flat = v - height * self.normal();
        let out = Nearest::away(flat);
        let slack = range::rounding(&self.bounds(), cell);
        let flat_reach: f64 = cell.half_axes().iter().map(|a| a.reject_from_normalized(self.normal()).length()).sum();
        let least_out = range::above_tangent(out, slack, cell);
        let most_out = out.distance + flat_reach + slack;
        let gap_out = (least_out - self.radius()).max(self.radius() - most_out).max(0.0);
        let gap_height = (height.abs() - cell.reach(self.normal())).max(0.0);
        Interval::new(any.lo.max(gap_out.hypot(gap_height) - slack), any.hi)
    }
}
