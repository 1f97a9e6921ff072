//! A proof that two rigid bodies are apart, kept for as long as it holds.
//!
//! *The idea*: solids that are apart by a gap cannot touch before some point of one has moved so far against the other;
//! until then no search is needed. *Not promised*: the whole gap; a proof ends where it becomes laborious.

use super::pair::Pair;
use crate::fields::{Posed, Shape};
use crate::math::{DVec3, Frame};

/// A gap between two bodies, and where they were when it was proved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Separation {
    a_from_b: Frame,
    /// A lower bound on the distance of the two solids then, metres.
    gap: f64,
}

impl Separation {
    /// Of a pair that is apart by `gap`; none where a body moves in parts, or nothing is proved.
    pub fn new(pair: &Pair, gap: f64) -> Option<Self> {
        let is_rigid = pair.a.field.is_rigid() && pair.b.field.is_rigid();
        (is_rigid && gap > 0.0).then(|| Self { a_from_b: a_from_b(pair), gap })
    }

    /// A lower bound on the distance of the two solids where they are now, metres; negative where nothing is known.
    pub fn gap_at(&self, pair: &Pair) -> f64 {
        let (then, now) = (self.a_from_b, a_from_b(pair));
        let motion = now * then.inverse();
        let turn = 2.0 * motion.rotation.xyz().length();
        // Points of a ball move by no more than its centre and the turn at its radius; that b has moved is that a has moved back.
        let of_a = enclosing_ball(pair.a.field.shape)
            .map(|(center, radius)| motion.inverse().point(center).distance(center) + turn * radius);
        let of_b = enclosing_ball(pair.b.field.shape)
            .map(|(center, radius)| now.point(center).distance(then.point(center)) + turn * radius);
        let moved = of_a.unwrap_or(f64::INFINITY).min(of_b.unwrap_or(f64::INFINITY));
        // Rounding, far from the origin, must not make a gap where there is none.
        self.gap - moved - rounding(&pair.a.field, &pair.b.field)
    }
}

fn a_from_b(pair: &Pair) -> Frame {
    pair.a.field.world_from_body.inverse() * pair.b.field.world_from_body
}

/// Bound on rounding errors of a distance of two bodies, metres.
pub(super) fn rounding(a: &Posed, b: &Posed) -> f64 {
    1e-12 * (a.world_from_body.translation.abs() + b.world_from_body.translation.abs()).max_element()
}

/// A ball around a bounded solid: its centre, in the body's frame, and its radius.
pub(super) fn enclosing_ball(shape: &Shape) -> Option<(DVec3, f64)> {
    let solid = shape.solid_bounds();
    let size = solid.size();
    let is_round = shape.as_sphere().is_some();
    solid.is_finite().then(|| (solid.center(), 0.5 * if is_round { size.max_element() } else { size.length() }))
}
