//! Energy in words and as JSON, and whether any was made or lost on the way.

use crate::numbers::with_unit;
use pliant::model::{MotionSpec, Scene};
use pliant::{Energy, World};
use serde_json::{Value, json};

/// A change below this part of what was added up is rounding.
const ROUNDING: f64 = 1e-13;

/// What a run began with, to hold later moments against.
pub struct Balance {
    /// Total at the start, joules.
    start: f64,
    /// Whether bodies follow keys: their work comes from outside.
    keyed: bool,
}

impl Balance {
    /// Of a run of `scene` that begins with `world`.
    pub fn new(scene: &Scene, world: &World) -> Self {
        let keyed = scene.bodies.iter().any(|b| matches!(b.motion, MotionSpec::Keyed(_)));
        Self { start: total(&world.energy()), keyed }
    }

    /// The four kinds, joules.
    pub fn kinds(e: &Energy) -> String {
        let kinds = [("kinetic", e.kinetic), ("potential", e.potential)];
        let more = [("elastic", e.elastic), ("dissipated", e.dissipated)];
        kinds
            .into_iter()
            .chain(more)
            .map(|(name, x)| format!("{name} {}", with_unit(x, "J")))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// The sum, dissipated energy included, and how far it is from what it was.
    pub fn words(&self, e: &Energy) -> String {
        let off = total(e) - self.start;
        let parts = e.kinetic.abs() + e.potential.abs() + e.elastic.abs() + e.dissipated.abs();
        let change = if off.abs() <= ROUNDING * parts {
            "as at the start".to_owned()
        } else {
            let direction = if off < 0.0 { "less" } else { "more" };
            format!("{} {direction} than at the start", with_unit(off.abs(), "J"))
        };
        let cause = if self.keyed { ", the work of keyed bodies included" } else { "" };
        format!("{}, {change}{cause}", with_unit(total(e), "J"))
    }

    /// Joules: the four kinds, their sum, and its change since the start.
    pub fn json(&self, e: &Energy) -> Value {
        json!({
            "kinetic": e.kinetic,
            "potential": e.potential,
            "elastic": e.elastic,
            "dissipated": e.dissipated,
            "total": total(e),
            "balance": total(e) - self.start,
        })
    }
}

/// Of all kinds, joules: what only keyed bodies may change.
pub fn total(e: &Energy) -> f64 {
    e.kinetic + e.potential + e.elastic + e.dissipated
}
