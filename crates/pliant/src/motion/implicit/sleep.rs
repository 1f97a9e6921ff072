//! Sleep: islands at rest are not stepped until a contact, a load or a setting changes.
//!
//! *The idea*: an island falls asleep when all its links have been slow for half a second and something that never
//! moves holds it up. It stops, keeps its contacts as they are, and costs next to nothing. While something that moves
//! touches a sleeper, the forces on the sleeper are computed in every step. Where they no longer balance, it wakes in
//! that very step, and so do its neighbours if theirs do not. So a feather put on a heavy block does not wake it, and a
//! ball dropped on it does. Links that joints hold wake as soon as they are touched. *Not promised*: that a body that
//! creeps more slowly than [`SLEEP_SPEED`] goes on creeping.

use super::advance::set_twist;
use super::connectivity::{groups, visit_contacts, visit_joints};
use super::step_data::Step;
use crate::bodies::{JointAction, LinkId, PerLink, Twist};
use crate::state::{Contact, Derived, Model, Sim, SleepState, State};

/// Slow is slower than this fraction of `√(g × size)`. Larger: bodies that still move stop. Smaller: bodies with noise
/// in their contacts never sleep.
const SLEEP_SPEED: f64 = 2e-3;
/// Seconds for which all of an island must have been slow.
const SLEEP_DELAY: f64 = 0.5;

/// Wakes all links if gravity has changed, or sleep is switched off.
pub(super) fn wake_on_settings_change(model: &Model, state: &mut State) {
    if !model.settings.sleep || model.gravity != state.sleep_gravity {
        state.sleep.as_mut_slice().fill(SleepState::Awake(0.0));
        state.sleep_gravity = model.gravity;
    }
}

/// Whether every dynamic link sleeps and every other is fixed.
pub(super) fn all_rest(sim: Sim) -> bool {
    let rests = |i: LinkId| match sim.model.is_dynamic(i) {
        true => sim.state.is_asleep(i),
        false => sim.model.motion_law(i).is_fixed(),
    };
    sim.model.links().all(rests)
}

/// Wakes those of `some` that sleep, and returns them.
pub(super) fn wake(state: &mut State, some: &PerLink<bool>) -> Vec<LinkId> {
    let woken: Vec<LinkId> = LinkId::first(some.len()).filter(|i| some[*i] && state.is_asleep(*i)).collect();
    woken.iter().for_each(|i| state.sleep[*i] = SleepState::Awake(0.0));
    woken
}

/// Links that move in a step: awake dynamic ones, and kinematic ones that their keyframes move.
pub(super) fn moving(sim: Sim, step: &Step) -> PerLink<bool> {
    let keyed = |i: LinkId| sim.link(i).world_from_link() != step.motion.frames[i];
    let moves = |i: LinkId| if sim.model.is_dynamic(i) { sim.is_awake(i) } else { keyed(i) };
    sim.model.links().map(moves).collect()
}

/// Adds to `watched` the sleepers that share a contact or joint with something that moves, or shared one that is `gone`.
pub(super) fn watch<'c>(
    sim: Sim<'c>,
    moving: &PerLink<bool>,
    gone: impl Iterator<Item = &'c Contact>,
    watched: &mut PerLink<bool>,
) {
    let mut spread = |links: &[LinkId]| {
        if links.iter().any(|i| moving[*i]) {
            links.iter().filter(|i| sim.model.is_dynamic(**i)).for_each(|i| watched[*i] = true);
        }
    };
    visit_contacts(sim, sim.contacts().iter().chain(gone), &mut spread);
    visit_joints(sim, &mut spread);
}

/// Counts how long links have been slow, after a step, and lets islands sleep. Energy of their last motion is recorded.
pub(super) fn update(model: &Model, state: &mut State, derived: &Derived, step: &Step) {
    let size = |i: LinkId| derived.pairs.now[model.owner(i)].size().max_element();
    let mut some = false;
    for i in model.links() {
        let SleepState::Awake(slow_for) = state.sleep[i] else { continue };
        if !model.is_dynamic(i) {
            continue;
        }
        let twist = model.link(i, &state.links[i]).twist();
        let speed = twist.linear.length() + 0.5 * size(i) * twist.angular.length();
        let slow = speed < SLEEP_SPEED * (model.gravity.length() * size(i)).sqrt();
        let slow_for = if slow { slow_for + step.motion.dt } else { 0.0 };
        state.sleep[i] = SleepState::Awake(slow_for);
        some |= slow_for >= SLEEP_DELAY;
    }
    if !some || !model.settings.sleep {
        return;
    }
    for i in links_falling_asleep(Sim { model, state, derived }, step) {
        state.sleep[i] = SleepState::Asleep;
        let before = model.link(i, &state.links[i]).kinetic_energy();
        set_twist(model, state, i, &Twist::default());
        state.ledger.integrator.sleep += model.link(i, &state.links[i]).kinetic_energy() - before;
    }
}

/// Links that fall asleep now: of islands all still, held up by something that does not move, and not driven.
fn links_falling_asleep(sim: Sim, step: &Step) -> Vec<LinkId> {
    let groups = groups(sim, &sim.model.per_link(true));
    // Of each group, by one of its links.
    let (mut still, mut held) = (sim.model.per_link(true), sim.model.per_link(false));
    let is_still = |i: LinkId| match sim.state.sleep[i] {
        SleepState::Asleep => true,
        SleepState::Awake(slow_for) => slow_for >= SLEEP_DELAY,
    };
    for (i, group) in groups.iter_enumerated() {
        group.iter().for_each(|g| still[*g] &= is_still(i));
    }
    let moving = moving(sim, step);
    let mut with = |link: LinkId, other: Option<LinkId>| {
        let Some(group) = groups[link] else { return };
        match other {
            Some(other) if sim.model.is_dynamic(other) => {}
            Some(other) if moving[other] => still[group] = false,
            _ => held[group] = true,
        }
    };
    for c in sim.contacts() {
        let [a, b] = sim.links_of(&c.pair);
        with(a, Some(b));
        with(b, Some(a));
    }
    for (_, joint) in sim.unbroken_joints() {
        let [a, b] = joint.links;
        a.iter().for_each(|i| with(*i, b));
        b.iter().for_each(|i| with(*i, a));
    }
    for (_, joint) in sim.unbroken_joints() {
        let driven = matches!(joint.action, JointAction::Frame { axis_settings, .. } if axis_settings.motor.is_some());
        for i in joint.links.iter().flatten().filter(|_| driven) {
            groups[*i].iter().for_each(|g| still[*g] = false);
        }
    }
    let sleeps = |i: &LinkId| groups[*i].is_some_and(|g| still[g] && held[g]) && !sim.state.is_asleep(*i);
    sim.model.links().filter(sleeps).collect()
}
