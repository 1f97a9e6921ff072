//! Errors of a kernel's parameters.

/// Invalid parameters of a kernel, with the nearest valid value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum KernelError {
    /// A parameter that must be positive and finite is not.
    #[error("{name} must be positive and finite, got {got}")]
    NotPositive {
        /// Name of the parameter.
        name: &'static str,
        /// The value given.
        got: f64,
    },
    /// `R ≤ t`.
    #[error("radius of influence {radius} must exceed the thickness {thickness}")]
    RadiusWithinThickness {
        /// R as given.
        radius: f64,
        /// t as given.
        thickness: f64,
    },
    /// `k (R − t) > 3c`: the outer piece would dip below zero.
    #[error(
        "stiffness {slope} is too steep for this radius: k (R − t) must not exceed 3c. \
         The largest stiffness here is {largest_slope}; the largest radius for this stiffness is {largest_radius}"
    )]
    TooSteep {
        /// k as given.
        slope: f64,
        /// `3c/(R − t)`.
        largest_slope: f64,
        /// `t + 3c/k`.
        largest_radius: f64,
    },
    /// A drawn curve that does not increase, or does not start at zero.
    #[error("drawn curve, row {row}: {why}")]
    Curve {
        /// Row of the table, from 1.
        row: usize,
        /// The defect, and the remedy.
        why: &'static str,
    },
}
