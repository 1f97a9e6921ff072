//! Passivity: contacts in implicit steps give back no more than they took.
//!
//! *The idea* (passivity observers of haptic devices, [HR02]): a pair stores nothing when it meets, so the work it has done
//! on its two bodies since, together, is a loss or nothing. Steps as long as a frame follow a force coarsely, and may end
//! with a gain; it is known, impulse by impulse, and taken away again by an impulse between the two, which keeps all
//! momentum.
//! *Not promised*: anything for pairs that overlapped from the start, which hold an unknown energy, or are held by joints,
//! which would be torn.
//!
//! [HR02]: https://doi.org/10.1109/70.988969

use super::joints::JointMembership;
use super::step_data::{Step, StepContext};
use super::step_work::StepWork;
use crate::bodies::{AppliedWrench, LinkId};
use crate::motion::changes::most_loaded;
use crate::motion::stepper::Stepper;
use crate::state::{Derived, LayerPair};

/// Records the work of contacts in a step in the ledgers of their pairs, and takes away the energy they made.
pub(super) fn enforce(stepper: &mut Stepper, step: &Step, step_work: &StepWork, joined: &JointMembership) {
    let pairs = step_work.pair_work(StepContext { sim: stepper.sim(), step }, joined);
    for (pair, work) in pairs {
        let entry = stepper.state.ledger.of_pair(pair);
        entry.work += work;
        entry.exchanged += work.abs();
        let (gained, complete) = (entry.work, entry.complete);
        let [a, b] = stepper.sim().links_of(&pair);
        if complete && gained > 0.0 && joined.counts[a] + joined.counts[b] == 0 {
            let taken = remove_energy(stepper, step, pair, gained);
            stepper.state.ledger.of_pair(pair).work -= taken;
            stepper.state.ledger.integrator.passivity -= taken;
        }
    }
}

/// Slows two bodies that part by as much as takes `energy` from them; returns the energy taken, J. Sleepers stay where
/// they are.
pub(super) fn remove_energy(stepper: &mut Stepper, step: &Step, pair: LayerPair, energy: f64) -> f64 {
    let (sim, model) = (stepper.sim(), stepper.model);
    let now = Derived::contacts_between(sim.contacts(), &pair);
    let patches = if now.is_empty() { Derived::contacts_between(&step.start.contacts, &pair) } else { now };
    let Some(patch) = most_loaded(patches) else { return 0.0 };
    let links = sim.links_of(&pair);
    let (mut p, normal) = (patch.center_of_pressure, patch.mean_normal());
    if now.is_empty() {
        // The place where they touched has gone on with both.
        let moved = |i: LinkId| sim.link(i).world_from_link().point(step.motion.frames[i].inverse().point(p));
        p = 0.5 * (moved(links[0]) + moved(links[1]));
    }
    let inverse_effective_mass =
        |i: LinkId| if sim.is_awake(i) { sim.link(i).inverse_effective_mass(p, normal) } else { 0.0 };
    let inverse_effective_mass = inverse_effective_mass(links[0]) + inverse_effective_mass(links[1]);
    let parting = (sim.link(links[1]).velocity_at(p) - sim.link(links[0]).velocity_at(p)).dot(normal);
    if parting <= 0.0 || inverse_effective_mass == 0.0 {
        return 0.0;
    }
    // An impulse j against parting takes j v − ½ j² w.
    let left = (parting * parting - 2.0 * inverse_effective_mass * energy).max(0.0).sqrt();
    let impulse = (parting - left) / inverse_effective_mass;
    let awake = links.map(|i| sim.is_awake(i));
    for (side, sign) in [(0, 1.0), (1, -1.0)] {
        if awake[side] {
            let link = &mut stepper.state.links[links[side]];
            let force = sign * impulse * normal;
            let torque = (p - link.position).cross(force);
            model.motion_law(links[side]).apply(link, &AppliedWrench { force, torque }, 1.0);
        }
    }
    0.5 * (parting + left) * impulse
}
