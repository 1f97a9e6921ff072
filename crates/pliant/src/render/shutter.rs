//! Motion of a body while the shutter is open.
//!
//! *The idea*: a ray hits a body that moves as a whole where the ray, moved back to the frame's time, hits the body at that time.
//! *Not promised*: contact at every instant between. Deformed bodies that slide on each other keep the shape of the frame's
//! time, so they may part or overlap slightly before and after it.

use super::ray::Ray;
use crate::math::{DQuat, DVec3, Frame};

/// Rigid velocity of a body during an exposure.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ShutterMotion {
    /// Centre of rotation, metres.
    pub center: DVec3,
    /// Velocity of the centre, m/s.
    pub velocity: DVec3,
    /// Angular velocity, rad/s, world axes.
    pub spin: DVec3,
}

impl ShutterMotion {
    /// Whether both velocities are zero.
    pub fn is_rest(&self) -> bool {
        self.velocity == DVec3::ZERO && self.spin == DVec3::ZERO
    }

    /// Displacement from the frame's time to `time` seconds later.
    pub(super) fn frame_after(&self, time: f64) -> Frame {
        let rotation = DQuat::from_scaled_axis(time * self.spin);
        let center = self.center + time * self.velocity;
        Frame { rotation, translation: center - rotation * self.center }
    }

    /// The ray, moved back to the frame's time together with the body.
    pub(super) fn back(&self, ray: &Ray) -> Ray {
        let back = self.frame_after(ray.time).inverse();
        Ray { from: back.point(ray.from), along: back.vector(ray.along), time: 0.0 }
    }
}
