//! The implicit step: velocities after a step, under the forces that act after it.
//!
//! *The idea* (`PAPERS.md`, Ours: implicit step): with `v̂` the velocities free motion would give, the velocities `v` after a
//! step of `h` seconds are those that minimise `½ |v − v̂|²_M + Σ ℓ(J v)`. The sum goes over the points of all contacts, and
//! `−∇ℓ` is the impulse each of them gives: pressure that grows as the bodies approach and never pulls, damping, and Coulomb
//! friction up to `μ` times the pressure found last. Every term is convex, so there is one answer, and Newton's method with
//! a line search finds it.
//!
//! ```text
//! Spots     points of a contact: impulse and its slope, as functions of the velocity there
//! Row       a line along which a joint acts: the same
//!   → Coupling  the spots of one patch, or the rows of one joint, together: a wrench and a 6 × 6 slope in the two bodies'
//!               relative motion
//!   → Island    bodies that hang together by couplings, and the minimum for them
//!   → Equations what Newton's method solves: what all couplings say, added up for each body
//!   → Sparse    Newton's equations, 6 × 6 blocks: incomplete Cholesky, then conjugate gradients
//! ```
//!
//! A contact that a step can follow acts half as it was and half as it will be, which keeps its energy ([`Share`]).
//!
//! *Not promised here*: that a contact's pressure is still linear in how far its bodies move; whoever calls asks the
//! contacts again where they came to, and solves again if that makes a difference.

#[allow(clippy::needless_range_loop)] // matrices
mod block;
#[allow(clippy::needless_range_loop)] // lanes
mod coupling;
mod equations;
mod island;
mod row;
mod sparse;
#[allow(clippy::needless_range_loop)] // lanes
mod spot;

pub use coupling::{Coupling, Impulse};
pub use island::{Island, LEAST_PART, LEAST_SPEED, Mover};
pub use row::Row;
pub use spot::{Four, Law, Passage, Share, Spots};
