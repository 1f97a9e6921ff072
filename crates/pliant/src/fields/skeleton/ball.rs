//! A solid ball.

use super::distance::{Distance, Nearest, Neighbourhood, Sphere, point_curvature};
use super::error::{SkeletonError, finite, positive};
use super::normal_lines::NormalLines;
use super::range;
use crate::math::{Aabb, Cell, DVec3, Frame, Interval};

/// The points within `radius` of `center`. Signed: the distance is `−radius` at the centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    center: DVec3,
    radius: f64,
}

impl Ball {
    /// `radius` is positive, metres; for none use a point.
    pub fn new(center: DVec3, radius: f64) -> Result<Self, SkeletonError> {
        Ok(Self { center: finite(|| "center".into(), center)?, radius: positive("radius", radius)? })
    }

    /// Middle.
    pub fn center(&self) -> DVec3 {
        self.center
    }
    /// Metres.
    pub fn radius(&self) -> f64 {
        self.radius
    }
}

impl Distance for Ball {
    fn nearest(&self, p: DVec3) -> Nearest {
        let Nearest { distance, direction } = Nearest::away(p - self.center);
        Nearest { distance: distance - self.radius, direction }
    }
    fn support_point(&self, direction: DVec3) -> DVec3 {
        self.center + self.radius * direction.normalize_or_zero()
    }

    fn bounds(&self) -> Aabb {
        Aabb::around(self.center, self.radius)
    }

    fn distance_range(&self, cell: &Cell) -> Interval {
        let from_center = cell.distance_range(self.center);
        let slack = range::rounding(&self.bounds(), cell);
        Interval::new(from_center.lo - self.radius - slack, from_center.hi - self.radius + slack)
    }

    /// The centre: a contact surface that has come so far has pushed half the ball through.
    fn medial_point(&self, _p: DVec3) -> Option<DVec3> {
        Some(self.center)
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn is_volume(&self) -> bool {
        true
    }

    /// As curved as the distance from its centre.
    fn curvature_range(&self, near: &Neighbourhood) -> Interval {
        Interval::new(0.0, point_curvature(near.min_distance + self.radius))
    }

    fn as_sphere(&self) -> Option<Sphere> {
        Some(Sphere { center: self.center, radius: self.radius })
    }

    fn moved(&self, frame: &Frame) -> Option<Self> {
        Some(Self { center: frame.point(self.center), ..*self })
    }

    fn normal_lines(&self, lines: &mut NormalLines) {
        lines.start_at_center(self.radius, self.radius);
        lines.sphere(self.center);
    }
}
