//! Result of the iterations of an implicit step.

use super::joint_rows::JointStep;
use super::solver::Impulse;
use crate::bodies::Twist;

/// Velocities and constraints found for a step.
pub(super) struct Solution {
    pub velocities: Vec<Twist>,
    pub joints: Vec<JointStep>,
    pub joint_counts: Vec<usize>,
    /// Links whose contacts were found again.
    pub updated: Vec<bool>,
    /// Residual impulse of each link in an island.
    pub residuals: Vec<Residual>,
    pub newton_iterations: u64,
    pub converged: bool,
}

/// Impulse by which the velocity of a link differs from what forces give.
pub(super) struct Residual {
    pub link: usize,
    pub impulse: Impulse,
    /// Of the impulse, to be applied.
    pub fraction: f64,
}
