//! The integral over a triangle.
//!
//! In polar coordinates around the foot O of the perpendicular, `∫ yⁿ dA = Σ over edges ∫ G(ρ) dθ` with
//! `y = (L² − ρ²)/R²`, `l = L²/R²` and `G = R² (lⁿ⁺¹ − yⁿ⁺¹)/2(n + 1)`. On an edge at distance q from O,
//! `dθ = q ds/ρ²`, and `G/ρ² = Σⱼ lʲ yⁿ⁻ʲ / 2(n + 1)` is a polynomial: no pole where O lies on the edge. Outside the
//! disc `ρ = L`, so those parts give `G(L)` times their angle.

use super::chord::Chord;
use super::piece::{MARGIN, Piece};
use super::weights::Weights;
use crate::fields::Sample;
use crate::math::{DVec3, Interval};
use std::f64::consts::{PI, TAU};
use std::ops::Range;

/// Least height of a triangle over its longest edge. Flatter: rounding decides its plane.
const MIN_HEIGHT: f64 = 1e-10;

/// A triangle, its plane, and its edges counter-clockwise about the normal.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Triangle {
    corners: [DVec3; 3],
    normal: DVec3,
    edges: [Edge; 3],
    area: f64,
    middle: DVec3,
    /// From the middle to the farthest corner.
    bounding_radius: f64,
}

/// From corner i to corner i + 1.
#[derive(Clone, Debug, PartialEq)]
struct Edge {
    along: DVec3,
    inward: DVec3,
    length: f64,
}

/// `∫ yⁿ dA` for n = 1 to 4.
type Moments = [f64; 4];

impl Triangle {
    pub(super) fn new(corners: [DVec3; 3]) -> Result<Self, &'static str> {
        let [u, v, w] = [0, 1, 2].map(|i| corners[(i + 1) % 3] - corners[i]);
        let longest = u.length().max(v.length()).max(w.length());
        if !(longest.is_finite() && corners[0].is_finite()) {
            return Err("the corners of a triangle must be finite");
        }
        if longest <= f64::MIN_POSITIVE {
            return Err("a triangle needs three different corners");
        }
        // Of the three equal cross products the one without the longest edge keeps most digits.
        let cross = if u.length() == longest {
            v.cross(w)
        } else if v.length() == longest {
            w.cross(u)
        } else {
            u.cross(v)
        };
        let twice = cross.length();
        if twice.is_nan() || twice <= MIN_HEIGHT * longest * longest {
            return Err("a triangle needs an area; these corners lie on a line");
        }
        let normal = cross / twice;
        let edges = [u, v, w].map(|edge| {
            let along = edge.normalize();
            Edge { along, inward: normal.cross(along), length: edge.length() }
        });
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
        let bounding_radius = corners.iter().map(|c| c.distance(middle)).fold(0.0, f64::max);
        Ok(Self { corners, normal, edges, area: 0.5 * twice, middle, bounding_radius })
    }

    fn longest(&self) -> f64 {
        self.edges.iter().map(|e| e.length).fold(0.0, f64::max)
    }
}

/// The angle at O of the part `piece` of a line at signed distance `q`.
fn angle(q: f64, piece: Range<f64>) -> f64 {
    (q * (piece.end - piece.start)).atan2(q * q + piece.start * piece.end)
}

impl Piece for Triangle {
    fn sample(&self, weights: &Weights, p: DVec3) -> Sample {
        let radius = weights.radius;
        // Most triangles of a mesh are far away, and angles are expensive.
        if p.distance_squared(self.middle) > (self.bounding_radius + radius).powi(2) * (1.0 + MARGIN) {
            return Sample::ZERO;
        }
        let height = self.normal.dot(p - self.corners[0]);
        let disc_sq = (radius - height.abs()) * (radius + height.abs());
        if disc_sq.is_nan() || disc_sq <= 0.0 {
            return Sample::ZERO;
        }
        let (disc, by_r_sq) = (disc_sq.sqrt(), (radius * radius).recip());
        let l = disc_sq * by_r_sq;
        let l_powers = [l, l * l, l * l * l, l * l * l * l];
        let (mut moments, mut arc, mut crossed): (Moments, f64, bool) = ([0.0; 4], 0.0, false);
        let mut within = DVec3::ZERO;
        for (edge, corner) in self.edges.iter().zip(&self.corners) {
            let v = p - *corner;
            let (place, q) = (v.dot(edge.along), v.dot(edge.inward));
            let (from, to) = (-place, edge.length - place);
            let Some(chord) = Chord::clip(disc, q, from..to) else {
                arc += angle(q, from..to);
                continue;
            };
            crossed = true;
            if from < chord.low {
                arc += angle(q, from..chord.low);
            }
            if chord.high < to {
                arc += angle(q, chord.high..to);
            }
            let mut along = 0.0;
            chord.integrate(|depth_sq, weight| {
                let (y, mut sum) = (depth_sq * by_r_sq, 1.0);
                for (moment, power) in moments.iter_mut().zip(l_powers) {
                    sum = y * sum + power;
                    *moment += q * weight * sum;
                }
                along += weight * weights.value(y);
            });
            // Moving P within the plane moves the edges past it: the gradient is ∫ h along them, inward.
            within += along * edge.inward;
        }
        if !crossed {
            // The disc is all inside or all outside; sums of angles are a turn or nothing, but for rounding.
            if arc < PI {
                return Sample::ZERO;
            }
            arc = TAU;
        }
        for (i, moment) in moments.iter_mut().enumerate() {
            *moment = (*moment + arc * disc_sq * l_powers[i]) / (2.0 * (i + 2) as f64);
        }
        let value = weights.a * moments[1] + weights.b * moments[3];
        let slope = 2.0 * weights.a * moments[0] + 4.0 * weights.b * moments[2];
        Sample { value: value.max(0.0), gradient: within - (2.0 * by_r_sq * slope * height) * self.normal }
    }

    fn nearest(&self, p: DVec3) -> DVec3 {
        let sides = [0, 1, 2].map(|i| (p - self.corners[i]).dot(self.edges[i].inward));
        if sides.iter().all(|&q| q >= 0.0) {
            return p - self.normal.dot(p - self.corners[0]) * self.normal;
        }
        let mut best = self.corners[0];
        for (edge, corner) in self.edges.iter().zip(&self.corners) {
            let q = *corner + (p - *corner).dot(edge.along).clamp(0.0, edge.length) * edge.along;
            if p.distance_squared(q) < p.distance_squared(best) {
                best = q;
            }
        }
        best
    }

    fn corners(&self) -> &[DVec3] {
        &self.corners
    }

    /// See the segment's: most for a disc of equal area around N, least with everything as far as it can be.
    fn range(&self, weights: &Weights, distance: Interval) -> Interval {
        let (l, r_sq) = (weights.at(distance.lo), weights.radius * weights.radius);
        let y = (l - self.area / (PI * r_sq)).max(0.0);
        let most = PI * r_sq * (weights.a * (l.powi(3) - y.powi(3)) / 3.0 + weights.b * (l.powi(5) - y.powi(5)) / 5.0);
        Interval::new(self.area * weights.value(weights.at(distance.hi + self.longest())), most)
    }

    fn measure(&self, radius: f64) -> f64 {
        self.area.min(PI * radius * radius)
    }
}
