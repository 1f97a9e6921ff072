//! The kernel `h` of a convolution, and its coefficients from thickness, slope and radius.

use super::error::ConvolutionError;
use crate::fields::KernelParameters;

/// `h` in terms of `y = 1 − r²/R²`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Weights {
    pub a: f64,
    pub b: f64,
    /// `R`.
    pub radius: f64,
}

impl Weights {
    /// `h`.
    pub(super) fn value(&self, y: f64) -> f64 {
        let y_sq = y * y;
        y_sq * (self.a + self.b * y_sq)
    }

    /// `dh/dy`; the gradient of `h` is this times `−2 (P − Q)/R²`.
    pub(super) fn slope(&self, y: f64) -> f64 {
        y * (2.0 * self.a + 4.0 * self.b * y * y)
    }

    /// `y` at distance `r`, zero from `R` on.
    pub(super) fn at(&self, r: f64) -> f64 {
        ((self.radius - r) * (self.radius + r) / (self.radius * self.radius)).max(0.0)
    }

    /// Greatest second derivatives of `h` downward and upward, in any direction. Across the radius it is `h'/r`, which is not
    /// positive and at least `−(4a + 8b)/R²`; along the radius it is that plus `4(1 − y)(2a + 12 b y²)/R²`, where
    /// `(1 − y) y² ≤ 4/27`.
    pub(super) fn second_derivative_bounds(&self) -> (f64, f64) {
        let by_r_sq = 1.0 / (self.radius * self.radius);
        ((4.0 * self.a + 8.0 * self.b) * by_r_sq, (8.0 * self.a + 64.0 / 9.0 * self.b) * by_r_sq)
    }

    /// The greatest `|dh/dr|`: `r y` is greatest at `r² = R²/3`, `r y³` at `r² = R²/7`.
    pub(super) fn greatest_slope(&self) -> f64 {
        let (first, third) = ((1.0f64 / 3.0).sqrt() * (2.0 / 3.0), (1.0f64 / 7.0).sqrt() * (6.0f64 / 7.0).powi(3));
        (4.0 * self.a * first + 8.0 * self.b * third) / self.radius
    }
}

/// Parts of the isovalue that the two terms of `h` give at distance `t` from an endless skeleton.
pub(super) struct TermWeights {
    pub iso: f64,
    pub thickness: f64,
    pub slope: f64,
    pub first: f64,
    pub second: f64,
    /// `L = √(R² − t²)`: half the length that the ball of radius R around such a point cuts out of the skeleton.
    pub l: f64,
}

impl TermWeights {
    /// From `first + second = c` and `k = (m₁ first + m₂ second) t/L²`; both must not be negative.
    pub(super) fn solve(iso: f64, size: KernelParameters, [m1, m2]: [f64; 2]) -> Result<Self, ConvolutionError> {
        let KernelParameters { thickness: t, slope: k, radius: r } = size;
        let given = [("isovalue", iso), ("thickness", t), ("radius of influence", r), ("stiffness", k.unwrap_or(1.0))];
        for (name, got) in given {
            if !(got.is_finite() && got > 0.0) {
                return Err(ConvolutionError::NotPositive { name, got });
            }
        }
        if r <= t {
            return Err(ConvolutionError::RadiusWithinThickness { radius: r, thickness: t });
        }
        let l_sq = (r - t) * (r + t);
        let unit = iso * t / l_sq;
        let (least, largest) = (m1 * unit, m2 * unit);
        let slope = k.unwrap_or(least);
        // Tolerance for the ends of the range, given with fewer digits.
        if slope < least * (1.0 - 1e-9) || slope > largest * (1.0 + 1e-9) {
            return Err(ConvolutionError::Stiffness { slope, least, largest });
        }
        let second = (iso * ((slope / unit - m1) / (m2 - m1))).clamp(0.0, iso);
        Ok(Self { iso, thickness: t, slope, first: iso - second, second, l: l_sq.sqrt() })
    }
}
