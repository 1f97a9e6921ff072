//! One loop body, compiled for the lanes the machine has. The only place for `unsafe`.
//!
//! *The idea*: a [`Pass`] is code over arrays that the compiler turns into SIMD, or over four numbers at a time ([`FourLanes`]):
//! the compiler finds no lanes in long formulas of four. [`widest`] runs a copy of it compiled for AVX2 where the machine has
//! it, and the baseline copy elsewhere (other x86-64, ARM, the web).
//! *Promised*: both copies give the same bits. Rust never contracts or reorders floating-point operations by
//! itself, and passes do not call `mul_add`, so only the number of lanes differs. That is why `fma` is not enabled.

#![allow(unsafe_code)]

use super::real::{FourLanes, Lanes};

/// Code to be compiled more than once. Mark `run`, and whatever hot code it calls, `#[inline(always)]`:
/// what is not inlined is compiled for the baseline only.
pub trait Pass {
    /// Result of the pass.
    type Output;
    /// Does the work, with `V` for four numbers at a time.
    fn run<V: FourLanes>(self) -> Self::Output;
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

/// Runs `pass` with the widest lanes this machine has.
pub fn widest<P: Pass>(pass: P) -> P::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: `avx2::run` only requires that the processor has AVX2, which was just checked.
            return unsafe { avx2::run(pass) };
        }
    }
    pass.run::<Lanes>()
}

/// Four numbers in one register.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::Pass;
    use crate::math::real::{FourLanes, Real};
    use std::arch::x86_64::*;
    use std::ops::{Add, Div, Mul, Sub};

    #[target_feature(enable = "avx2")]
    pub fn run<P: Pass>(pass: P) -> P::Output {
        pass.run::<Register>()
    }

    /// SAFETY of all its operations, which only a processor with AVX2 has: no value of this type is made but by code that
    /// `run` calls.
    #[derive(Clone, Copy)]
    struct Register(__m256d);

    macro_rules! operator {
        ($trait:ident, $method:ident, $intrinsic:ident) => {
            impl $trait for Register {
                type Output = Self;
                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    // SAFETY: see `Register`.
                    Self(unsafe { $intrinsic(self.0, other.0) })
                }
            }
        };
    }

    operator!(Add, add, _mm256_add_pd);
    operator!(Sub, sub, _mm256_sub_pd);
    operator!(Mul, mul, _mm256_mul_pd);
    operator!(Div, div, _mm256_div_pd);

    // SAFETY of all below: see `Register`.
    impl Real for Register {
        #[inline(always)]
        fn all(x: f64) -> Self {
            Self(unsafe { _mm256_set1_pd(x) })
        }
        #[inline(always)]
        fn larger(self, other: Self) -> Self {
            // The second where they do not compare, as in the definition.
            Self(unsafe { _mm256_max_pd(self.0, other.0) })
        }
        #[inline(always)]
        fn smaller(self, other: Self) -> Self {
            Self(unsafe { _mm256_min_pd(self.0, other.0) })
        }
        #[inline(always)]
        fn square_root(self) -> Self {
            Self(unsafe { _mm256_sqrt_pd(self.0) })
        }
        #[inline(always)]
        fn magnitude(self) -> Self {
            Self(unsafe { _mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0) })
        }
        #[inline(always)]
        fn if_greater(self, limit: Self, then: Self, otherwise: Self) -> Self {
            Self(unsafe {
                let mask = _mm256_cmp_pd::<_CMP_GT_OQ>(self.0, limit.0);
                _mm256_blendv_pd(otherwise.0, then.0, mask)
            })
        }
    }

    impl FourLanes for Register {
        #[inline(always)]
        fn of(lanes: &[f64; 4]) -> Self {
            Self(unsafe { _mm256_loadu_pd(lanes.as_ptr()) })
        }
        #[inline(always)]
        fn to_array(self) -> [f64; 4] {
            let mut lanes = [0.0; 4];
            unsafe { _mm256_storeu_pd(lanes.as_mut_ptr(), self.0) };
            lanes
        }
        #[inline(always)]
        fn any_greater(self, limit: Self) -> bool {
            unsafe { _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(self.0, limit.0)) != 0 }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    /// Every operation once.
    struct EveryOperation([[f64; 4]; 2]);

    impl Pass for EveryOperation {
        type Output = Vec<[u64; 4]>;
        fn run<L: FourLanes>(self) -> Vec<[u64; 4]> {
            let [a, b] = self.0.map(|lanes| L::of(&lanes));
            let any = L::all(if a.any_greater(b) { 1.0 } else { 0.0 });
            [
                a + b,
                a - b,
                a * b,
                a / b,
                a.larger(b),
                a.smaller(b),
                a.square_root(),
                a.magnitude(),
                a.if_greater(b, a, b),
                L::all(a.sum()),
                any,
            ]
            .map(|lanes| lanes.to_array().map(f64::to_bits))
            .to_vec()
        }
    }

    #[test]
    fn all_widths_give_the_same_bits() {
        let special = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1.0];
        let mut random = Random(5);
        for _ in 0..500 {
            let mut number = || {
                let x = 4.0 * random.unit() - 2.0;
                if x > 1.5 { special[(random.unit() * special.len() as f64) as usize] } else { x }
            };
            let pair = [0; 2].map(|_| [0; 4].map(|_| number()));
            // Signs of results that are no numbers are not promised.
            let comparable = |bits: Vec<[u64; 4]>| -> Vec<[u64; 4]> {
                let nan = |b: u64| if f64::from_bits(b).is_nan() { f64::NAN.to_bits() } else { b };
                bits.into_iter().map(|lanes| lanes.map(nan)).collect()
            };
            let baseline = EveryOperation(pair).run::<Lanes>();
            assert_eq!(comparable(widest(EveryOperation(pair))), comparable(baseline), "{pair:?}");
        }
    }
}
