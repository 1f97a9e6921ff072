//! The explicit step: leapfrog, checked before it is kept.
//!
//! *The idea* ([G93] §2.3): a step that comes in too deep is rejected and retried, shorter. *What we changed*: so is one
//! whose impulses could not follow the force. Over a step a contact's impulses do the work of a trapezoid under its force;
//! where the stiffness changes from `k₀` to `k₁` over a distance `x`, that differs from the force's own by `x² (k₁ −
//! k₀)/12`.
//!
//! [G93]: https://doi.org/10.1145/166117.166157

mod accept;
mod impulses;
mod step;

pub(super) use accept::{IMPACT_ENERGY_TOLERANCE, SUSTAINED_ENERGY_TOLERANCE};
