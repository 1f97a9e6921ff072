//! The implicit step: implicit time stepping by a θ-method, with a velocity-level, convex Newton solver as in SAP
//! (semi-analytic primal): velocities after a step, under the forces that act after it.
//!
//! *The idea* (`PAPERS.md`, Ours: implicit step): with `v̂` the velocities free motion would give, the velocities `v` after a
//! step minimise `½ |v − v̂|²_M + Σ ℓ(J v)`. The sum goes over the points of all contacts and the rows of all
//! joints, and `−∇ℓ` is the impulse each of them gives: pressure that grows as bodies approach and never pulls, damping,
//! and Coulomb friction up to `μ` times the pressure found last. Every term is convex, so there is one answer, and
//! Newton's method with a line search finds it ([`solver`]). Patches are linear only near where they were found: they are
//! found again at the new positions of links, until forces and velocities agree: Newton's method on the exact potential.
//!
//! ```text
//! predict         free velocities, θ of each link
//! assemble        contact points and joint rows
//! solve           one convex problem an island
//! advance         links to the end of the step
//! find contacts   at the new positions of links
//! accept or retry residual, pairs that were missed on the way
//! finish          residual impulses, joints, passivity, sleep, energy ledger
//! ```
//!
//! *Not promised*: that energy is kept where contacts are too stiff for the step, or begin and end: see the ledger.

mod step_work;
mod advance;
mod ccd;
mod connectivity;
mod islands;
mod joint_rows;
mod joints;
mod passivity;
mod predict;
mod residual;
mod linearized_contacts;
mod sleep;
mod solution;
mod solver;
mod springs;
mod step;
mod step_data;
#[cfg(test)]
mod tests;

pub(super) use ccd::longest_implicit_step;
pub(crate) use linearized_contacts::LinearizedContacts;
