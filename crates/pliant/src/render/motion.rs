//! How a body moves while the shutter is open.
//!
//! *The idea*: a body that moves as a whole is met by a ray where the ray, moved back, meets the body at the frame's
//! moment. *Not promised*: that deformed bodies which slide on each other touch at every instant between; what presses on
//! a body goes with it.

use super::hit::Ray;
use crate::math::{DQuat, DVec3, Frame};

/// Velocity of a rigid body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// What it turns about, metres.
    pub center: DVec3,
    /// Of the centre, m/s.
    pub velocity: DVec3,
    /// Radians per second, world axes.
    pub spin: DVec3,
}

impl Motion {
    /// Whether it leaves everything where it is.
    pub fn is_rest(&self) -> bool {
        self.velocity == DVec3::ZERO && self.spin == DVec3::ZERO
    }

    /// From where things are at the frame's moment to where they are `time` seconds later.
    pub(super) fn after(&self, time: f64) -> Frame {
        let rotation = DQuat::from_scaled_axis(time * self.spin);
        let center = self.center + time * self.velocity;
        Frame { rotation, translation: center - rotation * self.center }
    }

    /// The ray as the body at the frame's moment sees it.
    pub(super) fn back(&self, ray: &Ray) -> Ray {
        let back = self.after(ray.time).inverse();
        Ray { from: back.point(ray.from), along: back.vector(ray.along), time: 0.0 }
    }
}
