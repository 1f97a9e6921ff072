//! Moving links to the end of a step.

use super::step_data::Step;
use crate::bodies::{AppliedWrench, LinkId, LinkState, PerLink, Twist};
use crate::motion::stepper::Stepper;
use crate::state::{MIN_PARALLEL, Model, State};
use rayon::prelude::*;

/// Moves `active` links from where the explicit part left them to the end of the step, at these velocities.
pub(super) fn advance_links(stepper: &mut Stepper, step: &Step, velocities: &PerLink<Twist>, active: &PerLink<bool>) {
    let (model, state) = (stepper.model, &mut *stepper.state);
    let (dt, time) = (step.motion.dt, state.time);
    let one = |(i, link): (LinkId, &mut LinkState)| {
        if !active[i] {
            return;
        }
        let motion_law = model.motion_law(i);
        *link = step.after_explicit_part[i];
        if let Some(mass) = motion_law.mass() {
            // By the inertia they were solved with: what one link gets another gives.
            let now = motion_law.twist(link);
            let force = mass / dt * (velocities[i].linear - now.linear);
            let torque = step.inertia[i] * (velocities[i].angular - now.angular) / dt;
            motion_law.apply(link, &AppliedWrench { force, torque }, dt);
        }
        motion_law.advance(link, step.theta[i] * dt, time);
    };
    if state.links.len() > MIN_PARALLEL {
        let links = state.links.as_mut_slice().par_iter_mut().enumerate().with_min_len(MIN_PARALLEL);
        links.for_each(|(i, link)| one((LinkId(i), link)));
    } else {
        state.links.iter_mut_enumerated().for_each(one);
    }
}

/// Gives link `i` this velocity.
pub(super) fn set_twist(model: &Model, state: &mut State, i: LinkId, v: &Twist) {
    let link = model.link(i, &state.links[i]);
    let (Some(mass), Some(inertia)) = (link.mass(), link.inertia()) else { return };
    let now = link.twist();
    let load = AppliedWrench { force: mass * (v.linear - now.linear), torque: inertia * (v.angular - now.angular) };
    model.motion_law(i).apply(&mut state.links[i], &load, 1.0);
}
