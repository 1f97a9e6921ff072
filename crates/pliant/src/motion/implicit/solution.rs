//! Result of the iterations of an implicit step.

use super::joint_rows::JointStep;
use super::solver::Impulse;
use crate::bodies::{LinkId, PerLink, Twist};

/// Velocities and constraints found for a step.
pub(super) struct Solution {
    pub velocities: PerLink<Twist>,
    pub joints: Vec<JointStep>,
    pub joint_counts: PerLink<usize>,
    /// Links whose contacts were found again.
    pub updated: PerLink<bool>,
    /// Residual impulse of each link in an island.
    pub residuals: Vec<Residual>,
    pub newton_iterations: u64,
    pub converged: bool,
}

/// Impulse by which the velocity of a link differs from what forces give.
pub(super) struct Residual {
    pub link: LinkId,
    pub impulse: Impulse,
    /// Of the impulse, to be applied.
    pub fraction: f64,
}
