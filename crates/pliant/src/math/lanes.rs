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
