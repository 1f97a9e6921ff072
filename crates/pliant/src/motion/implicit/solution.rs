//! What the iterations of an implicit step found.

use super::joint_rows::JointStep;
use super::solver::Impulse;
use crate::bodies::Twist;
use crate::motion::checkpoint::Checkpoint;
use crate::state::Sim;

/// Velocities and constraints found for a step.
pub(super) struct Solution {
    pub velocities: Vec<Twist>,
    pub joints: Vec<JointStep>,
    pub joint_counts: Vec<usize>,
    /// Links whose contacts were found again.
    pub updated: Vec<bool>,
    /// Residual impulse of each link in an island, and the part of it that velocities are to end with.
    pub residuals: Vec<Residual>,
    pub newton_iterations: u64,
    pub converged: bool,
}

/// Impulse by which the velocity of a link differs from what forces give.
pub(super) struct Residual {
    pub link: usize,
    pub impulse: Impulse,
    pub part: f64,
}

/// The state of before a step, with the contacts of now: for links alone.
pub(super) fn start_sim<'a>(sim: Sim<'a>, start: &'a Checkpoint) -> Sim<'a> {
    Sim { state: &start.state, ..sim }
}
