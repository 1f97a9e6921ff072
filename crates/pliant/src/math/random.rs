//! Pseudo-random numbers that are the same on every run, for laws, tests and benches.

use super::{DQuat, DVec3};

/// Marsaglia's xorshift64. The seed is not zero; small seeds begin with small numbers.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// In `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A whole number below `n`, which is not zero.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f64) as usize).min(n - 1)
    }

    /// In `[−1, 1)`.
    pub fn signed(&mut self) -> f64 {
        self.unit() * 2.0 - 1.0
    }

    /// In the cube from −1 to 1.
    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }

    /// Any turn, not all equally often.
    pub fn rotation(&mut self) -> DQuat {
        DQuat::from_xyzw(self.signed(), self.signed(), self.signed(), self.signed() + 1e-3).normalize()
    }
}
