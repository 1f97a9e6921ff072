//! The convex problem of one island: velocities at which all impulses agree.
//!
//! ```text
//! ContactPoints  points of one patch, four at a time: impulse and its slope, as functions of the velocity there
//! Row            one axis of a joint: the same
//!   → Constraint    the points of a patch, or the rows of a joint: a wrench and a 6 × 6 slope in the relative motion
//!   → End           a body the constraint acts on, and its share in the relative motion; any number of them
//!   → Island        bodies connected by constraints, and the minimum for them
//!   → NewtonSystem  residual and Hessian of all constraints, body by body
//!   → Sparse        6 × 6 blocks: incomplete Cholesky, then conjugate gradients
//! ```

#[allow(clippy::needless_range_loop)] // lanes
mod constraint;
mod end;
mod impulse;
mod island;
#[allow(clippy::needless_range_loop)] // matrices
mod mat6;
mod minimise;
mod newton;
#[allow(clippy::needless_range_loop)] // lanes
mod points;
mod row;
mod sparse;

pub(crate) use constraint::Constraint;
pub(crate) use end::End;
#[cfg(test)]
pub(crate) use end::Ends;
pub(crate) use impulse::Impulse;
pub(crate) use island::{Island, LEAST_PART, LEAST_SPEED, SolverBody};
pub(crate) use points::{ContactPoints, PatchPassage, PatchStep, PointPack, ThetaStep};
pub(crate) use row::Row;
