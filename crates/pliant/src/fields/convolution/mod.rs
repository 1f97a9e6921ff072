//! Convolution surfaces: `f(P) = ∫ h(|P − Q|) dQ` over segments or triangles. [G93] "future work".
//!
//! *The idea*: an integral adds up, so cutting a skeleton into pieces that lie in one line or plane changes neither
//! shape nor slope: no bulge where they join. `h(r) = a (1 − r²/R²)² + b (1 − r²/R²)⁴` is a polynomial in `r²`
//! of compact support, so each piece has a closed form.
//! *Ours*: `a` and `b` are solved so that a long straight segment (a wide flat triangle) has value `c` at distance
//! `t` with slope `−k`. Both must be positive, which leaves a range for `k`.
//! *How exact*: clipped exactly to the ball of radius `R`, then integrated by Gauss rules exact for the degree. On
//! segments every term has one sign, so small values are relatively exact too. On triangles the error is about
//! 1e-15 of the value on the skeleton: where the ball only just crosses an edge, angles cancel.
//! *How fast*: a sample visits only the pieces within `R`, found in a tree.
//! *Not promised*: on curved or branching skeletons pieces do add up where they come close; that is the blend.

mod chord;
mod error;
mod piece;
mod pieces;
mod segment;
#[cfg(test)]
mod tests;
mod triangle;
mod weights;

pub use error::ConvolutionError;

use crate::fields::{KernelParameters, Sample};
use crate::math::{Aabb, Cell, DVec3, Interval};
use piece::Piece;
use pieces::Pieces;
use segment::Segment;
use std::sync::Arc;
use triangle::Triangle;
use weights::{TermWeights, Weights};

/// A skeleton of segments or triangles, convolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Convolution {
    skeleton: Arc<Skeleton>,
    weights: Weights,
    iso: f64,
    thickness: f64,
    slope: f64,
    influence: Aabb,
}

#[derive(Debug, PartialEq)]
enum Skeleton {
    Segments(Pieces<Segment>),
    Triangles(Pieces<Triangle>),
}

impl Convolution {
    /// Along `segments`; a polyline is several. Legal `k` are `5 … 9 · c t/(R² − t²)`.
    pub fn segments(
        segments: &[(DVec3, DVec3)],
        iso: f64,
        size: impl Into<KernelParameters>,
    ) -> Result<Self, ConvolutionError> {
        let size = size.into();
        // An endless line at distance t, L² = R² − t²: ∫ (L² − s²)ⁿ ds = Bₙ L²ⁿ⁺¹ with B₂ = 16/15, B₄ = 256/315,
        // and each part falls with slope (2n + 1) t/L² times itself.
        let term_weights = TermWeights::solve(iso, size, [5.0, 9.0])?;
        let (r, l) = (size.radius, term_weights.l);
        let (a, b) = (15.0 / 16.0 * term_weights.first / l, 315.0 / 256.0 * term_weights.second / l);
        let weights = Weights { a: a * (r / l).powi(4), b: b * (r / l).powi(8), radius: r };
        let pieces = pieces_of(segments, |&(from, to)| Segment::new(from, to))?;
        let skeleton = Skeleton::Segments(Pieces::new(&pieces, &weights));
        Ok(Self::new(skeleton, weights, &term_weights))
    }

    /// Over `triangles`; a mesh is several. Legal `k` are `6 … 10 · c t/(R² − t²)`. Orientation does
    /// not matter.
    pub fn triangles(
        triangles: &[[DVec3; 3]],
        iso: f64,
        size: impl Into<KernelParameters>,
    ) -> Result<Self, ConvolutionError> {
        let size = size.into();
        // An endless plane at distance t: ∫ (L² − ρ²)ⁿ 2πρ dρ = π L²ⁿ⁺²/(n + 1), falling with (2n + 2) t/L².
        let term_weights = TermWeights::solve(iso, size, [6.0, 10.0])?;
        let (r, l) = (size.radius, term_weights.l);
        let per_area = 1.0 / (std::f64::consts::PI * l * l);
        let (a, b) = (3.0 * term_weights.first * per_area, 5.0 * term_weights.second * per_area);
        let weights = Weights { a: a * (r / l).powi(4), b: b * (r / l).powi(8), radius: r };
        let pieces = pieces_of(triangles, |corners| Triangle::new(*corners))?;
        let skeleton = Skeleton::Triangles(Pieces::new(&pieces, &weights));
        Ok(Self::new(skeleton, weights, &term_weights))
    }

    fn new(skeleton: Skeleton, weights: Weights, term_weights: &TermWeights) -> Self {
        let around = match &skeleton {
            Skeleton::Segments(pieces) => pieces.bounds_of_corners(),
            Skeleton::Triangles(pieces) => pieces.bounds_of_corners(),
        };
        let influence = around.grown(weights.radius);
        let TermWeights { iso, thickness, slope, .. } = *term_weights;
        Self { skeleton: Arc::new(skeleton), weights, iso, thickness, slope, influence }
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
        let measure = match &*self.skeleton {
            Skeleton::Segments(pieces) => pieces.measure_within(&self.weights, p, reach),
            Skeleton::Triangles(pieces) => pieces.measure_within(&self.weights, p, reach),
        };
        let (fall, rise) = self.weights.second_derivative_bounds();
        (fall * measure, rise * measure)
    }

    /// Number of segments or triangles.
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
    pub fn slope(&self) -> f64 {
        self.slope
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
    pub fn influence_bounds(&self) -> Aabb {
        self.influence
    }

    /// Nearest point of the skeleton.
    pub fn medial_point(&self, p: DVec3) -> Option<DVec3> {
        match &*self.skeleton {
            Skeleton::Segments(pieces) => pieces.nearest(p),
            Skeleton::Triangles(pieces) => pieces.nearest(p),
        }
    }
}

/// Makes the pieces, or names the first invalid one.
fn pieces_of<T, P>(given: &[T], make: impl Fn(&T) -> Result<P, &'static str>) -> Result<Vec<P>, ConvolutionError> {
    if given.is_empty() {
        return Err(ConvolutionError::NoPieces);
    }
    let numbered = given.iter().enumerate();
    numbered.map(|(i, one)| make(one).map_err(|why| ConvolutionError::Piece { number: i + 1, why })).collect()
}
