//! One loop body, compiled for the lanes the machine has. The only place for `unsafe`.
//!
//! *The idea*: a [`Pass`] is ordinary code over arrays that the compiler turns into SIMD. [`widest`] runs a copy of
//! it compiled for AVX2 where the machine has it, and the baseline copy elsewhere (other x86-64, ARM, the web).
//! *Promised*: both copies give the same bits. Rust never contracts or reorders floating-point operations by
//! itself, and passes do not call `mul_add`, so only the number of lanes differs. That is why `fma` is not enabled.

#![allow(unsafe_code)]

/// Code to be compiled more than once. Mark `run`, and whatever hot code it calls, `#[inline(always)]`:
/// what is not inlined is compiled for the baseline only.
pub trait Pass {
    /// What the pass returns.
    type Output;
    /// Does the work.
    fn run(self) -> Self::Output;
}

/// `W` numbers from `first` on; zero where there are no more. A copy in registers, which nothing else can change: without
/// that, the compiler finds no lanes in loops over several slices.
#[inline(always)]
pub(crate) fn load<const W: usize>(all: &[f64], first: usize) -> [f64; W] {
    let rest = &all[first..];
    match rest.first_chunk() {
        Some(whole) => *whole,
        None => {
            let mut lanes = [0.0; W];
            lanes.iter_mut().zip(rest).for_each(|(lane, value)| *lane = *value);
            lanes
        }
    }
}

/// Puts lanes down from `first` on, as many as there is room for.
#[inline(always)]
pub(crate) fn store<const W: usize>(lanes: [f64; W], all: &mut [f64], first: usize) {
    let rest = &mut all[first..];
    match rest.first_chunk_mut() {
        Some(whole) => *whole = lanes,
        None => rest.iter_mut().zip(lanes).for_each(|(value, lane)| *value = lane),
    }
}

/// Four numbers that go the same way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Lanes(pub [f64; 4]);

impl Lanes {
    pub(crate) const ZERO: Self = Self([0.0; 4]);

    #[inline(always)]
    pub(crate) fn all(x: f64) -> Self {
        Self([x; 4])
    }

    #[inline(always)]
    fn with(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let (a, b) = (self.0, other.0);
        Self([f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])])
    }

    /// The greater of both; the other where this is not a number.
    #[inline(always)]
    pub(crate) fn or_more(self, other: Self) -> Self {
        self.with(other, |a, b| if a > b { a } else { b })
    }

    /// This where `test` is above `limit`, else zero.
    #[inline(always)]
    pub(crate) fn where_above(self, test: Self, limit: f64) -> Self {
        self.with(test, |a, b| if b > limit { a } else { 0.0 })
    }

    #[inline(always)]
    pub(crate) fn sqrt(self) -> Self {
        Self(self.0.map(f64::sqrt))
    }

    #[inline(always)]
    pub(crate) fn sum(self) -> f64 {
        (self.0[0] + self.0[1]) + (self.0[2] + self.0[3])
    }
}

/// A number, or four that go the same way: a formula of these is written once for both.
pub(crate) trait Real:
    Copy
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + std::ops::Div<Output = Self>
{
    const ONE: Self;
    /// The greater of both.
    fn larger(self, other: Self) -> Self;
    /// The lesser of both.
    fn smaller(self, other: Self) -> Self;
    fn square_root(self) -> Self;
}

impl Real for f64 {
    const ONE: Self = 1.0;
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        self.max(other)
    }
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        self.min(other)
    }
    #[inline(always)]
    fn square_root(self) -> Self {
        self.sqrt()
    }
}

impl Real for Lanes {
    const ONE: Self = Self([1.0; 4]);
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        self.or_more(other)
    }
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        self.with(other, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn square_root(self) -> Self {
        self.sqrt()
    }
}

impl std::ops::Add for Lanes {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, |a, b| a + b)
    }
}

impl std::ops::Sub for Lanes {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(other, |a, b| a - b)
    }
}

impl std::ops::Mul for Lanes {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.with(other, |a, b| a * b)
    }
}

impl std::ops::Div for Lanes {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.with(other, |a, b| a / b)
    }
}

/// Runs `pass` with the widest lanes this machine has.
pub fn widest<P: Pass>(pass: P) -> P::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: `avx2` only requires that the processor has AVX2, which was just checked.
            return unsafe { avx2(pass) };
        }
    }
    pass.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2<P: Pass>(pass: P) -> P::Output {
    pass.run()
}
