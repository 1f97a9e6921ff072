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
    pub impulse_slope: f64,
    /// The least it can be.
    pub min_impulse: f64,
    /// The most.
    pub max_impulse: f64,
}

impl Row {
    /// A row that slows motion along `axis`, without bias or limits.
    pub fn along_axis(axis: &JointAxis, impulse_slope: f64) -> Self {
        let (v, w) = (axis.linear, axis.angular);
        let jacobian = [v.x, v.y, v.z, w.x, w.y, w.z];
        Self { jacobian, bias: 0.0, impulse_slope, min_impulse: f64::NEG_INFINITY, max_impulse: f64::INFINITY }
    }

    /// The impulse at a motion, and its slope there.
    #[inline(always)]
    pub(super) fn response(&self, motion: &Vec6) -> (f64, f64) {
        let free = self.bias - self.impulse_slope * dot(&self.jacobian, motion);
        let held = free.clamp(self.min_impulse, self.max_impulse);
        (held, if held == free { self.impulse_slope } else { 0.0 })
    }

    /// The impulse at a motion.
    pub fn impulse(&self, motion: &[f64; 6]) -> f64 {
        self.response(motion).0
    }
}
