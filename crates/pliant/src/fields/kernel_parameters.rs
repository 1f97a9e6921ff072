//! The three numbers that shape a field around its skeleton.

/// How thick, how steep and how wide a field is around its skeleton.
///
/// By name, because all three are numbers of like size, and a curve with two of them swapped may still be legal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelParameters {
    /// Distance `t` from skeleton to surface, metres.
    pub thickness: f64,
    /// Slope `k` at the surface, per metre. Without one: the natural `c/t` of a [`Kernel`](super::Kernel), the softest
    /// legal of a [`Convolution`](super::Convolution).
    pub slope: Option<f64>,
    /// Distance `R` from which the field is zero, metres; more than `t`.
    pub radius: f64,
}

/// `(t, k, R)`.
impl From<(f64, f64, f64)> for KernelParameters {
    fn from((thickness, slope, radius): (f64, f64, f64)) -> Self {
        Self { thickness, slope: Some(slope), radius }
    }
}

/// `(t, k, R)`.
impl From<(f64, Option<f64>, f64)> for KernelParameters {
    fn from((thickness, slope, radius): (f64, Option<f64>, f64)) -> Self {
        Self { thickness, slope, radius }
    }
}
