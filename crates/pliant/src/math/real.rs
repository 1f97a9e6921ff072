//! Numbers and lanes of four numbers under one trait, so that a formula is written once for both.
//!
//! *The idea*: choices are made between values ([`Real::if_greater`]), not by branches. *Promised*: the same bits from a
//! number and from each lane. Closures and `map` are avoided in passes: what is not inlined is compiled without registers.

use super::DVec3;
use std::ops::{Add, Div, Mul, Sub};

/// A number, or four that go the same way.
pub trait Real: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> {
    /// The same number in all lanes.
    fn all(x: f64) -> Self;
    /// The greater of both; `other` where they do not compare.
    fn larger(self, other: Self) -> Self;
    /// The lesser of both; `other` where they do not compare.
    fn smaller(self, other: Self) -> Self;
    fn square_root(self) -> Self;
    fn magnitude(self) -> Self;
    /// `then` where this is greater than `limit`, else `otherwise`.
    fn if_greater(self, limit: Self, then: Self, otherwise: Self) -> Self;
}

/// Four numbers that go the same way.
pub trait FourLanes: Real {
    fn of(lanes: &[f64; 4]) -> Self;
    fn to_array(self) -> [f64; 4];
    /// Whether some lane is greater than that of `limit`.
    fn any_greater(self, limit: Self) -> bool;

    #[inline(always)]
    fn sum(self) -> f64 {
        let [a, b, c, d] = self.to_array();
        (a + b) + (c + d)
    }
}

/// A vector in all lanes.
#[inline(always)]
pub fn vector<T: Real>(v: DVec3) -> [T; 3] {
    [T::all(v.x), T::all(v.y), T::all(v.z)]
}

/// Eight numbers, each in all lanes.
#[inline(always)]
pub fn eight<T: Real>(k: &[f64; 8]) -> [T; 8] {
    let [a, b, c, d, e, f, g, h] = *k;
    [T::all(a), T::all(b), T::all(c), T::all(d), T::all(e), T::all(f), T::all(g), T::all(h)]
}

#[inline(always)]
pub fn dot<T: Real>(a: [T; 3], b: [T; 3]) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub fn difference<T: Real>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

impl Real for f64 {
    #[inline(always)]
    fn all(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        if self < other { self } else { other }
    }
    #[inline(always)]
    fn square_root(self) -> Self {
        self.sqrt()
    }
    #[inline(always)]
    fn magnitude(self) -> Self {
        self.abs()
    }
    #[inline(always)]
    fn if_greater(self, limit: Self, then: Self, otherwise: Self) -> Self {
        if self > limit { then } else { otherwise }
    }
}

/// Four numbers in an array: on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Lanes(pub [f64; 4]);

impl Lanes {
    pub(crate) const ZERO: Self = Self([0.0; 4]);

    #[inline(always)]
    fn with(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let (a, b) = (self.0, other.0);
        Self([f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])])
    }
}

impl Real for Lanes {
    #[inline(always)]
    fn all(x: f64) -> Self {
        Self([x; 4])
    }
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        self.with(other, f64::larger)
    }
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        self.with(other, f64::smaller)
    }
    #[inline(always)]
    fn square_root(self) -> Self {
        Self(self.0.map(f64::sqrt))
    }
    #[inline(always)]
    fn magnitude(self) -> Self {
        Self(self.0.map(f64::abs))
    }
    #[inline(always)]
    fn if_greater(self, limit: Self, then: Self, otherwise: Self) -> Self {
        let at = |i: usize| self.0[i].if_greater(limit.0[i], then.0[i], otherwise.0[i]);
        Self([at(0), at(1), at(2), at(3)])
    }
}

impl FourLanes for Lanes {
    #[inline(always)]
    fn of(lanes: &[f64; 4]) -> Self {
        Self(*lanes)
    }
    #[inline(always)]
    fn to_array(self) -> [f64; 4] {
        self.0
    }
    #[inline(always)]
    fn any_greater(self, limit: Self) -> bool {
        (0..4).any(|i| self.0[i] > limit.0[i])
    }
}

impl Add for Lanes {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, |a, b| a + b)
    }
}

impl Sub for Lanes {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(other, |a, b| a - b)
    }
}

impl Mul for Lanes {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.with(other, |a, b| a * b)
    }
}

impl Div for Lanes {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.with(other, |a, b| a / b)
    }
}
