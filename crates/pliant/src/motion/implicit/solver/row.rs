//! Impulse along one axis of a joint over a step, as a function of the speed along it.

use super::mat6::{Vec6, dot};
use crate::bodies::JointAxis;

/// Impulse along an axis that falls with the speed along it, between two limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Jacobian: the axis, in velocity at the reference point and spin of b against a.
    pub jacobian: [f64; 6],
    /// Impulse on b if nothing moves, N s or N m s.
    pub bias: f64,
    /// Along the axis.
    pub gain: f64,
    /// The least it can be.
    pub least: f64,
    /// The most.
    pub most: f64,
}

impl Row {
    /// A row that slows motion along `axis`, without bias or limits.
    pub fn along_axis(axis: &JointAxis, gain: f64) -> Self {
        let (v, w) = (axis.linear, axis.angular);
        let jacobian = [v.x, v.y, v.z, w.x, w.y, w.z];
        Self { jacobian, bias: 0.0, gain, least: f64::NEG_INFINITY, most: f64::INFINITY }
    }

    /// The impulse at a motion, and its gain there.
    #[inline(always)]
    pub(super) fn response(&self, motion: &Vec6) -> (f64, f64) {
        let free = self.bias - self.gain * dot(&self.jacobian, motion);
        let held = free.clamp(self.least, self.most);
        (held, if held == free { self.gain } else { 0.0 })
    }

    /// The impulse at a motion.
    pub fn impulse(&self, motion: &[f64; 6]) -> f64 {
        self.response(motion).0
    }
}
