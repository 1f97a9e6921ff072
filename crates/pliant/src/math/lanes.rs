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
