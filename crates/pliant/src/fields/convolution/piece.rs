//! One piece of a convolved skeleton.

use super::weights::Weights;
use crate::fields::Sample;
use crate::math::{DVec3, Interval};

/// Slack of bounds for rounding, as a fraction of the greatest value of a piece. Larger: looser bounds.
/// Smaller: a computed value may lie outside.
pub(super) const ROUNDING: f64 = 1e-13;

/// A piece farther away than the radius by this part is zero in floating point as well.
pub(super) const MARGIN: f64 = 1e-12;

/// A segment or triangle over which `h` is integrated in closed form.
pub(super) trait Piece {
    /// Value and gradient at `p`.
    fn sample(&self, weights: &Weights, p: DVec3) -> Sample;
    /// The point of the piece nearest to `p`.
    fn nearest(&self, p: DVec3) -> DVec3;
    /// Its corners.
    fn corners(&self) -> &[DVec3];
    /// Greatest value anywhere.
    fn max_value(&self, weights: &Weights) -> f64 {
        self.range(weights, Interval::new(0.0, 0.0)).hi
    }
    /// Least and greatest value at points whose distance from the piece is in the given range.
    fn range(&self, weights: &Weights, distance: Interval) -> Interval;
    /// Length or area, as far as one ball of radius `R` can contain it.
    fn measure(&self, radius: f64) -> f64;
}
