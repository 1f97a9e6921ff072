//! Convolution surfaces: `f(P) = ∫ h(|P − Q|) dQ` over segments or triangles. [G93] "future work".
//!
//! *The idea*: an integral adds up, so cutting a skeleton into pieces that lie in one line or plane changes neither
//! shape nor stiffness: no bulge where they join. `h(r) = a (1 − r²/R²)² + b (1 − r²/R²)⁴` is a polynomial in `r²`
//! of compact support, so each piece has a closed form.
//! *Ours*: `a` and `b` are solved so that a long straight segment (a wide flat triangle) has value `c` at distance
//! `t` with slope `−k`. Both must be positive, which leaves a range for `k`.
//! *How exact*: clipped exactly to the ball of radius `R`, then integrated by Gauss rules exact for the degree. On
//! segments every term has one sign, so small values are relatively exact too. On triangles the error is about
//! 1e-15 of the value on the skeleton: where the ball only just crosses an edge, angles cancel.
//! *How fast*: a point asks the pieces within `R` of it, found in a tree.
//! *Not promised*: on curved or branching skeletons pieces do add up where they come close; that is the blend.

mod pieces;
mod segment;
#[cfg(test)]
mod tests;
mod triangle;

use super::{Sample, Size};
use crate::math::{Aabb, Cell, DVec3, GaussRule, Interval, gauss};
use pieces::Pieces;
use segment::Segment;
use std::sync::Arc;
use triangle::Triangle;

/// Room for rounding in bounds, of the greatest value a piece can have. Larger: looser bounds.
/// Smaller: a computed value may leave them.
const ROUNDING: f64 = 1e-13;

/// Beyond the radius by this part a piece is zero in floating point as well.
const MARGIN: f64 = 1e-12;

/// A skeleton of segments or triangles, convolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Convolution {
    skeleton: Arc<Skeleton>,
    weights: Weights,
    iso: f64,
    thickness: f64,
    stiffness: f64,
    influence: Aabb,
}

#[derive(Debug, PartialEq)]
enum Skeleton {
    Segments(Pieces<Segment>),
    Triangles(Pieces<Triangle>),
}

/// Why a convolution was refused, with what would be legal.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConvolutionError {
    /// A parameter that must be positive and finite is not.
    #[error("{name} must be positive and finite, got {got}")]
    NotPositive {
        /// Which parameter.
        name: &'static str,
        /// What was given.
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
    /// No positive `a`, `b` give this slope.
    #[error("stiffness {stiffness} is out of reach at this thickness and radius: choose from {least} to {largest}")]
    Stiffness {
        /// k as given.
        stiffness: f64,
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
        /// From 1.
        number: usize,
        /// What is wrong and what would be right.
        why: &'static str,
    },
}

/// `h` in terms of `y = 1 − r²/R²`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Weights {
    a: f64,
    b: f64,
    radius: f64,
}

impl Weights {
    /// `h`.
    fn value(&self, y: f64) -> f64 {
        let y_sq = y * y;
        y_sq * (self.a + self.b * y_sq)
    }

    /// `dh/dy`; the gradient of `h` is this times `−2 (P − Q)/R²`.
    fn slope(&self, y: f64) -> f64 {
        y * (2.0 * self.a + 4.0 * self.b * y * y)
    }

    /// `y` at distance `r`, zero from `R` on.
    fn at(&self, r: f64) -> f64 {
        ((self.radius - r) * (self.radius + r) / (self.radius * self.radius)).max(0.0)
    }

    /// Greatest second derivatives of `h` downward and upward, in any direction. Across the distance it is `h'/r`, which is not positive
    /// and at least `−(4a + 8b)/R²`; along it by that and `4(1 − y)(2a + 12 b y²)/R²`, where `(1 − y) y² ≤ 4/27`.
    fn second_derivative_bounds(&self) -> (f64, f64) {
        let by_r_sq = 1.0 / (self.radius * self.radius);
        ((4.0 * self.a + 8.0 * self.b) * by_r_sq, (8.0 * self.a + 64.0 / 9.0 * self.b) * by_r_sq)
    }

    /// The greatest `|dh/dr|`: `r y` is greatest at `r² = R²/3`, `r y³` at `r² = R²/7`.
    fn greatest_slope(&self) -> f64 {
        let (first, third) = ((1.0f64 / 3.0).sqrt() * (2.0 / 3.0), (1.0f64 / 7.0).sqrt() * (6.0f64 / 7.0).powi(3));
        (4.0 * self.a * first + 8.0 * self.b * third) / self.radius
    }
}

/// The part of a line within the ball: it enters at `−half`, leaves at `half`; the piece covers `low..high` of that.
/// Lengths are measured from the foot of the perpendicular.
#[derive(Clone, Copy)]
struct Chord {
    half: f64,
    low: f64,
    high: f64,
}

/// Gauss points on a chord. Five are exact to degree nine; the highest here is eight.
const NODES: usize = 5;

impl Chord {
    /// Where the line at distance `across` meets the ball of radius `radius`, clipped to `from..to`.
    fn clip((radius, across): (f64, f64), (from, to): (f64, f64)) -> Option<Self> {
        // As a product: near the border a difference of squares would keep no digits.
        let half_sq = (radius - across.abs()) * (radius + across.abs());
        if half_sq.is_nan() || half_sq <= 0.0 {
            return None;
        }
        let half = half_sq.sqrt();
        let (low, high) = (from.max(-half), to.min(half));
        (low < high).then_some(Self { half, low, high })
    }

    /// `half² − s²`, as a product for the same reason.
    fn depth_sq(&self, s: f64) -> f64 {
        (self.half - s) * (self.half + s)
    }

    /// Calls `visit(half² − s², weight)` at the Gauss points; both are positive and relatively exact.
    fn integrate(&self, mut visit: impl FnMut(f64, f64)) {
        let rule: &GaussRule = gauss(NODES);
        let long = self.high - self.low;
        let (after, before) = (self.half - self.high, self.half + self.low);
        for i in 0..NODES {
            let (x, mirrored) = (rule.nodes[i], rule.nodes[NODES - 1 - i]);
            visit((after + long * mirrored) * (before + long * x), long * rule.weights[i]);
        }
    }
}

/// What [`Convolution`] needs of a piece.
trait Piece {
    fn sample(&self, weights: &Weights, p: DVec3) -> Sample;
    fn nearest(&self, p: DVec3) -> DVec3;
    fn corners(&self) -> &[DVec3];
    /// Greatest value anywhere.
    fn most(&self, weights: &Weights) -> f64 {
        self.range(weights, Interval::new(0.0, 0.0)).hi
    }
    /// Least and greatest value at points whose distance from the piece is in the given range.
    fn range(&self, weights: &Weights, distance: Interval) -> Interval;
    /// Length or area, as far as one ball of radius `R` can contain it.
    fn measure(&self, radius: f64) -> f64;
}

impl Convolution {
    /// Along `segments`; a polyline is several. Legal `k` are `5 … 9 · c t/(R² − t²)`.
    pub fn segments(segments: &[(DVec3, DVec3)], iso: f64, size: impl Into<Size>) -> Result<Self, ConvolutionError> {
        let size = size.into();
        // An endless line at distance t, L² = R² − t²: ∫ (L² − s²)ⁿ ds = Bₙ L²ⁿ⁺¹ with B₂ = 16/15, B₄ = 256/315,
        // and each part falls with slope (2n + 1) t/L² times itself.
        let shares = Shares::solve(iso, size, [5.0, 9.0])?;
        let (r, l) = (size.radius, shares.l);
        let (a, b) = (15.0 / 16.0 * shares.first / l, 315.0 / 256.0 * shares.second / l);
        let weights = Weights { a: a * (r / l).powi(4), b: b * (r / l).powi(8), radius: r };
        let pieces = pieces_of(segments, |&(from, to)| Segment::new(from, to))?;
        let skeleton = Skeleton::Segments(Pieces::new(&pieces, &weights));
        Ok(Self::new(skeleton, weights, iso, (size.thickness, shares.stiffness)))
    }

    /// Over `triangles`; a mesh is several. Legal `k` are `6 … 10 · c t/(R² − t²)`. Orientation does
    /// not matter.
    pub fn triangles(triangles: &[[DVec3; 3]], iso: f64, size: impl Into<Size>) -> Result<Self, ConvolutionError> {
        let size = size.into();
        // An endless plane at distance t: ∫ (L² − ρ²)ⁿ 2πρ dρ = π L²ⁿ⁺²/(n + 1), falling with (2n + 2) t/L².
        let shares = Shares::solve(iso, size, [6.0, 10.0])?;
        let (r, l) = (size.radius, shares.l);
        let per_area = 1.0 / (std::f64::consts::PI * l * l);
        let (a, b) = (3.0 * shares.first * per_area, 5.0 * shares.second * per_area);
        let weights = Weights { a: a * (r / l).powi(4), b: b * (r / l).powi(8), radius: r };
        let pieces = pieces_of(triangles, |corners| Triangle::new(*corners))?;
        let skeleton = Skeleton::Triangles(Pieces::new(&pieces, &weights));
        Ok(Self::new(skeleton, weights, iso, (size.thickness, shares.stiffness)))
    }

    fn new(skeleton: Skeleton, weights: Weights, iso: f64, (thickness, stiffness): (f64, f64)) -> Self {
        let around = match &skeleton {
            Skeleton::Segments(pieces) => pieces.bounds_of_corners(),
            Skeleton::Triangles(pieces) => pieces.bounds_of_corners(),
        };
        let influence = around.grown(weights.radius);
        Self { skeleton: Arc::new(skeleton), weights, iso, thickness, stiffness, influence }
    }

    /// Value and gradient at `p`.
    pub fn sample(&self, p: DVec3) -> Sample {
        match &*self.skeleton {
            Skeleton::Segments(pieces) => pieces.sample(&self.weights, p),
            Skeleton::Triangles(pieces) => pieces.sample(&self.weights, p),
        }
    }

    /// A range that contains every value in `cell`.
    pub fn bounds(&self, cell: &Cell) -> Interval {
        match &*self.skeleton {
            Skeleton::Segments(pieces) => pieces.bounds(&self.weights, cell),
            Skeleton::Triangles(pieces) => pieces.bounds(&self.weights, cell),
        }
    }

    /// Greatest second derivatives downward and upward, in any direction within `reach` of `p`; both not negative.
    pub(crate) fn second_derivative_bounds(&self, p: DVec3, reach: f64) -> (f64, f64) {
        let within = match &*self.skeleton {
            Skeleton::Segments(pieces) => pieces.within(&self.weights, p, reach),
            Skeleton::Triangles(pieces) => pieces.within(&self.weights, p, reach),
        };
        let (fall, rise) = self.weights.second_derivative_bounds();
        (fall * within, rise * within)
    }

    /// Segments or triangles.
    pub(crate) fn piece_count(&self) -> usize {
        match &*self.skeleton {
            Skeleton::Segments(pieces) => pieces.all().len(),
            Skeleton::Triangles(pieces) => pieces.all().len(),
        }
    }

    /// The corners of each segment or triangle.
    pub(crate) fn polygons(&self) -> Vec<Vec<DVec3>> {
        match &*self.skeleton {
            Skeleton::Segments(pieces) => pieces.all().iter().map(|p| p.corners().to_vec()).collect(),
            Skeleton::Triangles(pieces) => pieces.all().iter().map(|p| p.corners().to_vec()).collect(),
        }
    }

    /// Distance from skeleton to surface along a long straight skeleton, metres.
    pub fn thickness(&self) -> f64 {
        self.thickness
    }
    /// Slope `k` at that surface, per metre.
    pub fn stiffness(&self) -> f64 {
        self.stiffness
    }
    /// Distance from which the field is zero, metres.
    pub fn radius(&self) -> f64 {
        self.weights.radius
    }
    /// Isovalue `c`.
    pub fn iso(&self) -> f64 {
        self.iso
    }
    /// Outside this box the contribution is zero.
    pub fn influence(&self) -> Aabb {
        self.influence
    }

    /// Nearest point of the skeleton.
    pub fn core_point(&self, p: DVec3) -> Option<DVec3> {
        match &*self.skeleton {
            Skeleton::Segments(pieces) => pieces.nearest(p),
            Skeleton::Triangles(pieces) => pieces.nearest(p),
        }
    }
}

/// How much of the isovalue each of the two parts of `h` gives at distance `t` from an endless skeleton.
struct Shares {
    first: f64,
    second: f64,
    stiffness: f64,
    /// Half of what the ball of radius R around that point cuts out of the skeleton.
    l: f64,
}

impl Shares {
    /// From `first + second = c` and `k = (m₁ first + m₂ second) t/L²`; both must not be negative.
    fn solve(iso: f64, size: Size, [m1, m2]: [f64; 2]) -> Result<Self, ConvolutionError> {
        let Size { thickness: t, stiffness: k, radius: r } = size;
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
        let stiffness = k.unwrap_or(least);
        // Room for the ends themselves, typed with fewer digits than they have.
        if stiffness < least * (1.0 - 1e-9) || stiffness > largest * (1.0 + 1e-9) {
            return Err(ConvolutionError::Stiffness { stiffness, least, largest });
        }
        let second = (iso * ((stiffness / unit - m1) / (m2 - m1))).clamp(0.0, iso);
        Ok(Self { first: iso - second, second, stiffness, l: l_sq.sqrt() })
    }
}

/// Makes the pieces, or says which one is no good.
fn pieces_of<T, P>(given: &[T], make: impl Fn(&T) -> Result<P, &'static str>) -> Result<Vec<P>, ConvolutionError> {
    if given.is_empty() {
        return Err(ConvolutionError::NoPieces);
    }
    let numbered = given.iter().enumerate();
    numbered.map(|(i, one)| make(one).map_err(|why| ConvolutionError::Piece { number: i + 1, why })).collect()
}
