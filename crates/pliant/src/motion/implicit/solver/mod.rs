//! The convex problem of one island: velocities at which all impulses agree.
//!
//! ```text
//! ContactPoints  points of one patch, four at a time: impulse and its slope, as functions of the velocity there
//! Row            one axis of a joint: the same
//!   → Constraint    the points of a patch, or the rows of a joint: a wrench and a 6 × 6 slope in the relative motion
//!   → ConstraintBody a body the constraint acts on, and its weight in the relative motion; any number of them
//!   → Island        bodies connected by constraints, and the minimum for them
//!   → NewtonSystem  residual and Hessian of all constraints, body by body
//!   → Sparse        6 × 6 blocks: incomplete Cholesky, then conjugate gradients
//! ```
//!
//! The *slope* of an impulse J is `−dJ/dv`: how much it falls for each unit of the velocity v that it opposes. It is
//! never negative, so that the problem is convex, and the slopes of all constraints and the masses make up the Hessian.

#[allow(clippy::needless_range_loop)] // lanes
mod constraint;
mod constraint_body;
mod impulse;
mod island;
#[allow(clippy::needless_range_loop)] // matrices
mod mat6;
mod minimise;
mod newton;
#[allow(clippy::needless_range_loop)] // lanes
mod contact_points;
mod row;
mod sparse;

pub(crate) use constraint::Constraint;
#[cfg(test)]
pub(crate) use constraint_body::ConstraintBodies;
pub(crate) use constraint_body::ConstraintBody;
pub(crate) use contact_points::{ContactPoints, PatchStep, PointPack, StepRelativeMotion, ThetaStep};
pub(crate) use impulse::Impulse;
pub(crate) use island::{COMMON_SPEED_FRACTION, Island, MIN_SPEED, SolverBody};
pub(crate) use row::Row;
