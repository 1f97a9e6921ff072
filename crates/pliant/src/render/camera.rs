//! Where a picture is taken from.

use super::hit::Ray;
use crate::math::{Aabb, DVec3};

/// A camera with a lens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it stands, metres.
    pub from: DVec3,
    /// What it looks at: the middle of the picture.
    pub at: DVec3,
    /// Roughly upwards.
    pub up: DVec3,
    /// Angle from the picture's bottom to its top, radians. Small: far away, everything parallel. Near π: distorted.
    pub angle: f64,
    /// Radius of the lens, metres. 0: everything is sharp. Larger: only what is as far as `at`.
    pub lens: f64,
}

impl Camera {
    /// A view of all of `bounds`, from the front, a little from the side and above.
    pub fn framing(bounds: &Aabb, aspect: f64) -> Self {
        let angle = 0.5f64;
        let radius = 0.5 * bounds.size().length();
        // The narrower side of the picture must hold it.
        let narrow = if aspect < 1.0 { (aspect * (0.5 * angle).tan()).atan() } else { 0.5 * angle };
        let direction = DVec3::new(0.55, -1.0, 0.42).normalize();
        let at = bounds.center();
        Self { from: at + direction * (radius / narrow.sin()), at, up: DVec3::Z, angle, lens: 0.0 }
    }

    /// The ray through a place of the picture: `x` from −aspect to aspect, `y` from −1 (bottom) to 1; `lens` is a point of
    /// the unit disc.
    pub(super) fn ray(&self, (x, y): (f64, f64), lens: (f64, f64)) -> Ray {
        let forward = self.at - self.from;
        let distance = forward.length();
        let ahead = forward.try_normalize().unwrap_or(DVec3::Y);
        let right = ahead.cross(self.up).try_normalize().unwrap_or_else(|| ahead.any_orthonormal_vector());
        let above = right.cross(ahead);
        let half = (0.5 * self.angle).tan();
        let target = self.from + distance * (ahead + half * (x * right + y * above));
        let from = self.from + self.lens * (lens.0 * right + lens.1 * above);
        Ray { from, along: (target - from).normalize() }
    }
}
