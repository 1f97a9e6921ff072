//! Reproducible pseudo-random numbers for laws, tests and benchmarks.

use super::{DQuat, DVec3};

/// Marsaglia's xorshift64. The seed must not be zero; small seeds begin with small numbers.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// Uniform in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A uniform integer below `n`, which must not be zero.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f64) as usize).min(n - 1)
    }

    /// Uniform in `[−1, 1)`.
    pub fn signed(&mut self) -> f64 {
        self.unit() * 2.0 - 1.0
    }

    /// Uniform in the cube from −1 to 1.
    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }

    /// A rotation; not uniformly distributed.
    pub fn rotation(&mut self) -> DQuat {
        DQuat::from_xyzw(self.signed(), self.signed(), self.signed(), self.signed() + 1e-3).normalize()
    }
}
