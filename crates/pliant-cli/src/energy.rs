//! Energy in words and as JSON: its kinds, losses, and the balance of the ledger.

use crate::numbers::with_unit;
use pliant::{Energy, World};
use serde_json::{Value, json};

/// Change, as a fraction of the sum of energies, below which it is rounding.
const ROUNDING: f64 = 1e-13;

/// Total energy at the start of a run, to compare later moments with.
pub struct Balance {
    /// Joules.
    start: f64,
}

impl Balance {
    /// Of a run that begins with `world`.
    pub fn new(world: &World) -> Self {
        Self { start: world.energy().total() }
    }

    /// Kinetic, potential and elastic energy.
    pub fn kinds(e: &Energy) -> String {
        listed(&[("kinetic", e.kinetic), ("potential", e.potential), ("elastic", e.elastic)])
    }

    /// Losses to friction, damping and joints.
    pub fn dissipated(e: &Energy) -> String {
        let d = &e.dissipated;
        listed(&[("friction", d.friction), ("damping", d.damping), ("joints", d.joints)])
    }

    /// Work from outside; none if there was none.
    pub fn external(e: &Energy) -> Option<String> {
        let x = &e.external;
        let entries = [("keyed bodies", x.keyed), ("motors", x.motors), ("applied loads", x.applied)];
        entries.iter().any(|(_, work)| *work != 0.0).then(|| listed(&entries))
    }

    /// Energy that the time stepping made or lost.
    pub fn integrator(e: &Energy) -> String {
        let made = e.integrator.total();
        let direction = if made < 0.0 { "lost" } else { "made" };
        format!("{} {direction} by the time stepping", with_unit(made.abs(), "J"))
    }

    /// The sum of all entries of the ledger, and its change since the start.
    pub fn words(&self, e: &Energy) -> String {
        let off = e.total() - self.start;
        let parts = e.kinetic.abs() + e.potential.abs() + e.elastic.abs() + e.dissipated.total().abs();
        let change = if off.abs() <= ROUNDING * parts {
            "as at the start".to_owned()
        } else {
            let direction = if off < 0.0 { "less" } else { "more" };
            format!("{} {direction} than at the start", with_unit(off.abs(), "J"))
        };
        format!("{}, {change}", with_unit(e.total(), "J"))
    }

    /// Joules: every entry of the ledger, their sum, and its change since the start.
    pub fn json(&self, e: &Energy) -> Value {
        let (d, x, i) = (&e.dissipated, &e.external, &e.integrator);
        json!({
            "kinetic": e.kinetic,
            "potential": e.potential,
            "elastic": e.elastic,
            "dissipated": d.total(),
            "dissipation": { "friction": d.friction, "damping": d.damping, "joints": d.joints },
            "external": { "keyed": x.keyed, "motors": x.motors, "applied": x.applied },
            "integrator": {
                "contacts": i.contacts,
                "joints": i.joints,
                "gravity": i.gravity,
                "residual": i.residual,
                "passivity": i.passivity,
                "sleep": i.sleep,
                "rotation": i.rotation,
            },
            "total": e.total(),
            "balance": e.total() - self.start,
        })
    }
}

fn listed(entries: &[(&str, f64)]) -> String {
    entries.iter().map(|(name, x)| format!("{name} {}", with_unit(*x, "J"))).collect::<Vec<_>>().join(", ")
}
