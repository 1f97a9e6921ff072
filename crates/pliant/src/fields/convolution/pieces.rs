//! The pieces of one skeleton, in a tree: a sample visits only those that reach it.
//!
//! *Not promised*: speed where very many pieces lie within one radius; each of them does contribute.

use super::piece::{MARGIN, Piece, ROUNDING};
use super::weights::Weights;
use crate::fields::Sample;
use crate::math::{Aabb, Bvh, Cell, DVec3, Interval, box_distance_sq};

/// Pieces in a leaf. Fewer: more boxes are tested than pieces are saved. More: far pieces are evaluated.
const LEAF: usize = 4;

/// Segments or triangles in the order of their tree.
#[derive(Debug, PartialEq)]
pub(super) struct Pieces<P> {
    all: Vec<P>,
    tree: Bvh,
    /// For every node of the tree, the sum of the greatest values of its pieces.
    most: Vec<f64>,
}

impl<P: Piece + Clone> Pieces<P> {
    pub(super) fn new(given: &[P], weights: &Weights) -> Self {
        let boxes: Vec<Aabb> = given.iter().map(|piece| Aabb::of_points(piece.corners().iter().copied())).collect();
        let mut tree = Bvh::new(&boxes, LEAF);
        let all: Vec<P> = tree.renumber().into_iter().map(|i| given[i as usize].clone()).collect();
        let most = tree.sums(|i| all[i].max_value(weights) * (1.0 + ROUNDING));
        Self { all, tree, most }
    }

    pub(super) fn all(&self) -> &[P] {
        &self.all
    }

    pub(super) fn bounds_of_corners(&self) -> Aabb {
        self.tree.bounds()
    }

    /// Sum over all pieces; those out of reach contribute zero and are skipped.
    pub(super) fn sample(&self, weights: &Weights, p: DVec3) -> Sample {
        let reach_sq = (weights.radius * (1.0 + MARGIN)).powi(2);
        let mut sum = Sample::ZERO;
        self.tree.walk(
            |_, around| box_distance_sq(around, p) <= reach_sq,
            |i| {
                let s = self.all[i].sample(weights, p);
                sum = Sample { value: sum.value + s.value, gradient: sum.gradient + s.gradient };
            },
        );
        sum
    }

    /// A range that contains every value in `cell`.
    ///
    /// The tighter of two bounds for each piece: from its distance to the cell, and from the value in the middle and the
    /// greatest slope, `∫ |h'| ≤ measure · max |h'|`. In a cell that reaches farther than `R` from its middle, pieces
    /// within it are bounded by zero and their greatest value alone; there whole nodes of the tree are added at once.
    pub(super) fn bounds(&self, weights: &Weights, cell: &Cell) -> Interval {
        let (reach, p) = (cell.radius(), cell.center);
        let farthest = weights.radius * (1.0 + MARGIN) + reach;
        let wholly = |around: &Aabb| {
            let far = (around.min - p).abs().max((around.max - p).abs());
            reach >= weights.radius && far.length_squared() <= reach * reach
        };
        let (mut whole, mut sum) = (0.0, Interval::new(0.0, 0.0));
        self.tree.walk(
            |node, around| {
                if wholly(around) {
                    whole += self.most[node];
                    return false;
                }
                box_distance_sq(around, p) <= farthest * farthest
            },
            |i| {
                let piece = &self.all[i];
                let distance = (p - piece.nearest(p)).length();
                let range = Interval::new((distance - reach).max(0.0), distance + reach);
                if range.lo >= weights.radius * (1.0 + MARGIN) {
                    return;
                }
                let by_distance = piece.range(weights, range);
                let (middle, change) =
                    (piece.sample(weights, p).value, piece.measure(weights.radius) * weights.greatest_slope() * reach);
                let slack = ROUNDING * piece.max_value(weights);
                sum.lo += (by_distance.lo.max(middle - change) - slack).max(0.0);
                sum.hi += by_distance.hi.min(middle + change) + slack;
            },
        );
        Interval::new(sum.lo, sum.hi + whole)
    }

    /// Upper bound of the length or area within the radius of any point no farther than `reach` from `p`.
    pub(super) fn measure_within(&self, weights: &Weights, p: DVec3, reach: f64) -> f64 {
        let farthest = weights.radius * (1.0 + MARGIN) + reach;
        let mut sum = 0.0;
        self.tree.walk(
            |_, around| box_distance_sq(around, p) <= farthest * farthest,
            |i| {
                if p.distance_squared(self.all[i].nearest(p)) <= farthest * farthest {
                    sum += self.all[i].measure(weights.radius);
                }
            },
        );
        sum
    }

    /// The point of the skeleton nearest to `p`.
    pub(super) fn nearest(&self, p: DVec3) -> Option<DVec3> {
        let mut best: Option<DVec3> = None;
        self.tree.visit_nearest(p, |i| {
            let q = self.all[i].nearest(p);
            let nearer = best.is_none_or(|b| p.distance_squared(q) < p.distance_squared(b));
            let nearest = if nearer { q } else { best.unwrap_or(q) };
            best = Some(nearest);
            p.distance_squared(nearest)
        });
        best
    }
}
