//! The part of a line within a ball, and integrals along it.

use crate::math::{GaussRule, gauss};
use std::ops::Range;

/// The part of a line within the ball: it enters at `−half`, leaves at `half`; the piece covers `low..high` of that.
/// Lengths are measured from the foot of the perpendicular.
#[derive(Clone, Copy)]
pub(super) struct Chord {
    pub half: f64,
    pub low: f64,
    pub high: f64,
}

/// Gauss points on a chord. Five are exact to degree nine; the highest here is eight.
const NODES: usize = 5;

impl Chord {
    /// The part `piece` of a line at distance `across` from the centre, clipped to the ball of radius `radius`.
    pub(super) fn clip(radius: f64, across: f64, piece: Range<f64>) -> Option<Self> {
        // As a product: near the border a difference of squares would keep no digits.
        let half_sq = (radius - across.abs()) * (radius + across.abs());
        if half_sq.is_nan() || half_sq <= 0.0 {
            return None;
        }
        let half = half_sq.sqrt();
        let (low, high) = (piece.start.max(-half), piece.end.min(half));
        (low < high).then_some(Self { half, low, high })
    }

    /// `half² − s²`, as a product, which keeps its digits near the border.
    pub(super) fn depth_sq(&self, s: f64) -> f64 {
        (self.half - s) * (self.half + s)
    }

    /// Calls `visit(half² − s², weight)` at the Gauss points; both are positive and relatively exact.
    pub(super) fn integrate(&self, mut visit: impl FnMut(f64, f64)) {
        let rule: &GaussRule = gauss(NODES);
        let long = self.high - self.low;
        let (after, before) = (self.half - self.high, self.half + self.low);
        for i in 0..NODES {
            let (x, mirrored) = (rule.nodes[i], rule.nodes[NODES - 1 - i]);
            visit((after + long * mirrored) * (before + long * x), long * rule.weights[i]);
        }
    }
}
