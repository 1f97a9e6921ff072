//! Pressure of a compressed body: `p = K (f − c)` ([G93] §3.1).
//!
//! *The idea*: one field is both shape and elasticity; pressure is stiffness times how far the field exceeds its
//! isovalue, and its gradient is `K ∇f`. *What we changed*: `K` is a constant of the layer, so that action equals
//! reaction for unlike bodies. *Not promised*: a load beyond the skeleton, where kernels end.
//!
//! [G93]: crate#papers

use crate::fields::Sample;

/// `p = K (f − c)`, pascals: positive inside the rest shape, negative outside.
#[inline]
pub(crate) fn pressure(stiffness: f64, value: f64, iso: f64) -> f64 {
    stiffness * (value - iso)
}

/// Pressure and its gradient `K ∇f`, pascals and pascals per metre, from a sample of the field.
#[inline]
pub(crate) fn pressure_sample(stiffness: f64, field: &Sample, iso: f64) -> Sample {
    Sample { value: pressure(stiffness, field.value, iso), gradient: stiffness * field.gradient }
}
