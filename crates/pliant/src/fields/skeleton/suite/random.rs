//! Pseudo-random numbers that are the same on every run.

use crate::math::DVec3;

/// Marsaglia's xorshift; the seed is not zero.
pub(super) struct Random(pub u64);

impl Random {
    /// From −1 to 1.
    pub(super) fn signed(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// In the cube reaching `size` each way.
    pub(super) fn point(&mut self, size: f64) -> DVec3 {
        size * DVec3::new(self.signed(), self.signed(), self.signed())
    }
}
