//! The integral along a segment.

use super::chord::Chord;
use super::piece::Piece;
use super::weights::Weights;
use crate::fields::Sample;
use crate::math::{DVec3, Interval};

/// A segment and its direction.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Segment {
    ends: [DVec3; 2],
    along: DVec3,
    length: f64,
}

impl Segment {
    pub(super) fn new(from: DVec3, to: DVec3) -> Result<Self, &'static str> {
        let length = (to - from).length();
        if !(length.is_finite() && from.is_finite()) {
            return Err("the ends of a segment must be finite");
        }
        if length <= f64::MIN_POSITIVE {
            return Err("a segment needs two different ends");
        }
        Ok(Self { ends: [from, to], along: (to - from) / length, length })
    }

    /// The point's place along the line and its offset across it.
    fn project(&self, p: DVec3) -> (f64, DVec3) {
        let v = p - self.ends[0];
        let place = v.dot(self.along);
        (place, v - place * self.along)
    }
}

/// `∫ h` along a chord.
fn along_chord(chord: &Chord, weights: &Weights) -> f64 {
    let by_r_sq = (weights.radius * weights.radius).recip();
    let mut sum = 0.0;
    chord.integrate(|depth_sq, weight| sum += weight * weights.value(depth_sq * by_r_sq));
    sum
}

impl Piece for Segment {
    /// With `s` measured from the foot of the perpendicular: across, `∇h = −2 h'(y) (P − Q)/R²` is integrated; along,
    /// moving P only moves the ends, which leaves the difference of `h` at the two.
    fn sample(&self, weights: &Weights, p: DVec3) -> Sample {
        let (place, across) = self.project(p);
        let Some(chord) = Chord::clip(weights.radius, across.length(), -place..self.length - place) else {
            return Sample::ZERO;
        };
        let by_r_sq = (weights.radius * weights.radius).recip();
        let (mut value, mut slope) = (0.0, 0.0);
        chord.integrate(|depth_sq, weight| {
            let y = depth_sq * by_r_sq;
            value += weight * weights.value(y);
            slope += weight * weights.slope(y);
        });
        let end = |s: f64| weights.value(chord.depth_sq(s) * by_r_sq);
        let gradient = (end(chord.low) - end(chord.high)) * self.along - (2.0 * by_r_sq * slope) * across;
        Sample { value, gradient }
    }

    fn nearest(&self, p: DVec3) -> DVec3 {
        let (place, _) = self.project(p);
        self.ends[0] + place.clamp(0.0, self.length) * self.along
    }

    fn corners(&self) -> &[DVec3] {
        &self.ends
    }

    /// With N the nearest point and D its distance, `|P − Q|² ≥ D² + |Q − N|²` (the piece is convex) and
    /// `|P − Q| ≤ D + |Q − N|`. The former sums to most with N in the middle, the latter to least with N at an end.
    fn range(&self, weights: &Weights, distance: Interval) -> Interval {
        let most = Chord::clip(weights.radius, distance.lo, -0.5 * self.length..0.5 * self.length);
        let least = Chord::clip(weights.radius, 0.0, distance.hi..distance.hi + self.length);
        Interval::new(
            least.map_or(0.0, |chord| along_chord(&chord, weights)),
            most.map_or(0.0, |chord| along_chord(&chord, weights)),
        )
    }

    fn measure(&self, radius: f64) -> f64 {
        self.length.min(2.0 * radius)
    }
}
