//! The nearest candidate found so far, among the pieces of one skeleton.

use super::distance::Nearest;
use crate::math::{Bvh, DVec3};

/// Kind of feature a candidate lies on. Next to a joint two candidates can be a hundred-millionth of their distance apart and
/// yet equally far in floating point; the one on the smoother feature has the right direction.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) enum Feature {
    /// The end of a piece.
    Corner,
    /// Foot of a perpendicular on a curve.
    Edge,
    /// Foot of a perpendicular on a surface.
    Face,
}

/// Relative difference of squared distances that rounding alone can make. Smaller: joints spoil directions by
/// 1e-8. Larger: a closest point on a smooth place wins over a truly nearer corner.
const TIE_TOLERANCE: f64 = 8.0 * f64::EPSILON;

/// Relative distance beyond the best within which a box is still opened, so that candidates on smoother features are seen at a tie.
const OPENING_MARGIN: f64 = 32.0 * f64::EPSILON;

/// The nearest candidate so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearestSoFar {
    offset: DVec3,
    distance_sq: f64,
    feature: Feature,
}

impl NearestSoFar {
    /// The nearest point to `p` of the pieces in `tree`; `consider` takes candidates on one of them. `fallback` is any point of the
    /// skeleton.
    pub(super) fn of_pieces(
        tree: &Bvh,
        p: DVec3,
        fallback: DVec3,
        mut consider: impl FnMut(usize, &mut Self),
    ) -> Nearest {
        let mut best = Self::none(p - fallback);
        tree.visit_nearest(p, |i| {
            consider(i, &mut best);
            best.limit_sq()
        });
        best.nearest()
    }

    /// No candidate yet. `fallback` is the offset from any point of the skeleton, the result where every distance overflows
    /// or is NaN.
    pub(super) fn none(fallback: DVec3) -> Self {
        Self { offset: fallback, distance_sq: f64::INFINITY, feature: Feature::Corner }
    }

    /// Considers the candidate from which `p` is `offset` away.
    pub(super) fn consider(&mut self, offset: DVec3, feature: Feature) {
        let d = offset.length_squared();
        let nearer = if feature > self.feature {
            d <= self.distance_sq * (1.0 + TIE_TOLERANCE)
        } else if feature < self.feature {
            d < self.distance_sq * (1.0 - TIE_TOLERANCE)
        } else {
            d < self.distance_sq
        };
        if nearer && d < f64::INFINITY {
            *self = Self { offset, distance_sq: d, feature };
        }
    }

    /// Squared distance beyond which a candidate cannot win. Once a closest point on a surface is found, candidates
    /// nearer by less than rounding are left out.
    pub(super) fn limit_sq(&self) -> f64 {
        self.distance_sq * if self.feature == Feature::Face { 1.0 - OPENING_MARGIN } else { 1.0 + OPENING_MARGIN }
    }

    /// Whether the best is the closest point of a perpendicular on a surface.
    pub(super) fn is_perpendicular(&self) -> bool {
        self.feature == Feature::Face
    }

    /// Vector from the best candidate to `p`.
    pub(super) fn offset(&self) -> DVec3 {
        self.offset
    }

    /// Distance and direction from the best candidate.
    pub(super) fn nearest(&self) -> Nearest {
        Nearest::away(self.offset)
    }
}
