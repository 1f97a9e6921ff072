//! Constants of a pair of surfaces.

use crate::bodies::Body;

/// Material constants of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactLaw {
    /// `λ_a λ_b`, Pa s/m.
    pub damping: f64,
    /// Coulomb's coefficient μ of the pair.
    pub friction: f64,
    /// Shear `ξ₀` at which sticking gives way to sliding, metres. Smaller: stiffer sticking and shorter steps.
    /// Larger: a visible give before a body holds.
    pub slip_length: f64,
}

/// Slip length, as a fraction of the thinner body's thickness. Larger: a visible give before a body holds. Smaller: stiffer
/// sticking and shorter steps.
const SLIP_FRACTION: f64 = 3e-3;

impl ContactLaw {
    /// Of two bodies: viscosities multiply, as in the papers; friction is the geometric mean, so that either
    /// side alone can make a contact frictionless.
    pub fn between(a: &Body, b: &Body) -> Self {
        let thickness = a.coat[0].shape.min_thickness().min(b.coat[0].shape.min_thickness());
        Self {
            damping: a.material().damping * b.material().damping,
            friction: (a.material().friction * b.material().friction).sqrt(),
            slip_length: SLIP_FRACTION * thickness,
        }
    }
}
