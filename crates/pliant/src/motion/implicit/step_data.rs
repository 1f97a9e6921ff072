//! Data of one attempted step: the state it starts from, and its prediction.

use super::solver::Impulse;
use crate::bodies::{JointAxis, LinkId, LinkState, PerLink, Twist};
use crate::math::{DMat3, DVec3};
use crate::motion::checkpoint::Checkpoint;
use crate::state::{LayerPair, Model, Sim, State, StepMotion};

/// Data of one attempted step.
pub(in crate::motion) struct Step {
    /// State and contacts at the start.
    pub start: Checkpoint,
    pub motion: StepMotion,
    pub inertia: PerLink<DMat3>,
    /// Velocities at the start.
    pub before: PerLink<Twist>,
    /// Velocities at the end if forces acted only as they are at the start.
    pub free: PerLink<Twist>,
    /// θ: the fraction of the step, its last part, over which the link moves at its new velocity.
    pub theta: PerLink<f64>,
    /// Links after `(1 − θ) dt` of free motion, where they take their impulses; sleepers where they are.
    pub after_explicit_part: PerLink<LinkState>,
    /// Explicit impulses of contacts, in their order.
    pub explicit: Vec<ExplicitImpulse>,
    /// Explicit impulses of springs.
    pub explicit_joints: Vec<ExplicitJointImpulse>,
}

/// Impulses of a contact as it is at the start of a step, on its two links about their centres.
#[derive(Clone, Copy)]
pub(crate) struct ExplicitImpulse {
    pub pair: LayerPair,
    pub elastic: [Impulse; 2],
    pub damping: [Impulse; 2],
}

impl ExplicitImpulse {
    /// All of it on one side.
    pub fn impulse_on(&self, side: usize) -> Impulse {
        let mut sum = Impulse::default();
        sum += self.elastic[side];
        sum += self.damping[side];
        sum
    }
}

/// Explicit impulses of a joint's springs at the start of a step.
pub(crate) struct ExplicitJointImpulse {
    pub joint: usize,
    /// Reference point, world.
    pub reference: DVec3,
    /// Along each axis: impulse on b of the spring, and of its damper.
    pub impulses: Vec<(JointAxis, [f64; 2])>,
}

impl ExplicitJointImpulse {
    /// Impulses on its links, about their centres.
    pub fn on_links(&self, sim: Sim) -> Vec<(LinkId, Impulse)> {
        let joint = &sim.model.joints()[self.joint];
        let mut all = Vec::new();
        for (axis, [spring, damper]) in &self.impulses {
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let Some(i) = joint.links[side] else { continue };
                let impulse = spring + damper;
                let linear = sign * impulse * axis.linear;
                let arm = self.reference - sim.state.links[i].position;
                all.push((i, Impulse { linear, angular: arm.cross(linear) + sign * impulse * axis.angular }));
            }
        }
        all
    }
}

impl Step {
    /// Link `i` moves a greater part of the step at its velocity after it: if it has gyroscopic torque, its free
    /// spin changes.
    pub fn raise_theta(&mut self, model: &Model, i: LinkId, theta: f64) {
        let after_explicit_part = free_motion(model, &self.start.state, i, (1.0 - theta) * self.motion.dt);
        if has_gyroscopic_torque(&self.before[i], &self.inertia[i]) {
            let spin = |link: &LinkState| model.motion_law(i).twist(link).angular;
            self.free[i].angular += spin(&after_explicit_part) - spin(&self.after_explicit_part[i]);
        }
        (self.theta[i], self.after_explicit_part[i]) = (theta, after_explicit_part);
    }

    /// Link `i`, which slept when the step began, moves.
    pub fn wake(&mut self, model: &Model, i: LinkId) {
        self.after_explicit_part[i] = free_motion(model, &self.start.state, i, (1.0 - self.theta[i]) * self.motion.dt);
    }
}

/// A simulation during a step, for reading.
#[derive(Clone, Copy)]
pub(in crate::motion) struct StepContext<'a> {
    /// Now: links where the latest velocities bring them.
    pub sim: Sim<'a>,
    pub step: &'a Step,
}

impl<'a> StepContext<'a> {
    /// The state at the start, with the contacts of now: for links and joints alone.
    pub fn at_start(&self) -> Sim<'a> {
        Sim { state: &self.step.start.state, ..self.sim }
    }

    /// Mean velocity over the step of the material of link `i` that is now at `p`, and its mean spin.
    pub fn mean_motion(&self, i: LinkId, p: DVec3) -> Twist {
        self.step.motion.displacement(self.sim, i, p).mean_twist(self.step.motion.dt)
    }
}

/// Link `i` after `dt` seconds of free motion.
pub(super) fn free_motion(model: &Model, state: &State, i: LinkId, dt: f64) -> LinkState {
    let link = &state.links[i];
    if dt > 0.0 { model.link(i, link).predict(dt, state.time + dt) } else { *link }
}

/// Whether `ω × I ω` of a link may be other than zero: it turns, and its inertia is not the same about all axes.
pub(super) fn has_gyroscopic_torque(twist: &Twist, inertia: &DMat3) -> bool {
    let even = DMat3::from_diagonal(DVec3::splat(inertia.x_axis.x));
    twist.angular != DVec3::ZERO && !inertia.abs_diff_eq(even, 1e-9 * inertia.x_axis.x)
}
