//! Rays, and the piece of a ray inside a box.

use crate::math::{Aabb, DVec3};

/// A half-line at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Origin, metres.
    pub from: DVec3,
    /// Direction, unit.
    pub along: DVec3,
    /// Instant, seconds after the frame's time.
    pub time: f64,
}

impl Ray {
    /// Range of every ray, metres: farther surfaces are not hit.
    pub const FAR: f64 = 1e4;

    /// The point at a distance from the origin.
    pub fn at(&self, distance: f64) -> DVec3 {
        self.from + distance * self.along
    }

    /// Distances at which the ray enters and leaves `bounds`; none if it misses them.
    pub(super) fn clipped_to(&self, bounds: &Aabb) -> Option<(f64, f64)> {
        let (mut near, mut far) = (0.0f64, Self::FAR);
        for axis in 0..3 {
            let step = 1.0 / self.along[axis];
            let (a, b) = ((bounds.min[axis] - self.from[axis]) * step, (bounds.max[axis] - self.from[axis]) * step);
            // NaN for a ray that runs in a face of the box; min and max then ignore that axis.
            near = near.max(a.min(b));
            far = far.min(a.max(b));
        }
        (near <= far).then_some((near, far))
    }
}
