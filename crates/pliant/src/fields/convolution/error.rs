//! Errors of a convolution's parameters.

/// Invalid parameters of a convolution, with the valid range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConvolutionError {
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
    /// No positive `a`, `b` give this slope at the surface.
    #[error("stiffness {slope} is out of reach at this thickness and radius: choose from {least} to {largest}")]
    Stiffness {
        /// k as given.
        slope: f64,
        /// Smallest legal k.
        least: f64,
        /// Largest legal k.
        largest: f64,
    },
    /// A skeleton without pieces.
    #[error("a convolution needs at least one segment or triangle")]
    NoPieces,
    /// A piece without length or area, or with corners that are not finite.
    #[error("piece {number}: {why}")]
    Piece {
        /// Number of the piece, from 1.
        number: usize,
        /// The defect, and the remedy.
        why: &'static str,
    },
}
