//! Impulses of gravity, applied loads and contacts over half a step, and their work.

use crate::bodies::{AppliedWrench, LinkId, PerLink, Twist};
use crate::contact::{RelativeMotion, Wrench};
use crate::motion::forces::damping_fractions;
use crate::motion::stepper::Stepper;
use crate::state::{Contact, Model, Sim, State};

/// Applies the impulses of `dt` seconds. Damping comes last and is implicit: under a steady force it lets bodies move
/// exactly as fast as it should.
pub(super) fn apply(stepper: &mut Stepper, dt: f64) {
    let before = twists(stepper.sim());
    kick(stepper, dt, External::All, |c| c.forces.elastic + c.forces.friction());
    if stepper.derived.contacts.iter().any(|c| c.forces.contact_damping > 0.0) {
        let sim = stepper.sim();
        let fractions = damping_fractions(sim, dt);
        let damp = |(c, implicit_fraction): (&Contact, f64)| {
            c.patch.damping(&RelativeMotion { implicit_fraction, ..sim.relative_motion(c, None) })
        };
        let damping: Vec<Wrench> = sim.contacts().iter().zip(fractions).map(damp).collect();
        for (c, damping) in stepper.derived.contacts.iter_mut().zip(damping) {
            c.forces.on_a = c.forces.on_a - c.forces.damping + damping;
            c.forces.damping = damping;
        }
        kick(stepper, dt, External::None, |c| c.forces.damping);
    }
    record_work(stepper, dt, &before);
}

/// Moves all links for `dt` seconds, and records the energy error of free rotation and the work of gravity.
pub(super) fn advance(model: &Model, state: &mut State, dt: f64) {
    for i in model.links() {
        let (motion_law, link) = (model.motion_law(i), &mut state.links[i]);
        let before = (motion_law.kinetic_energy(link), link.position);
        motion_law.advance(link, dt, state.time);
        if let Some(mass) = motion_law.mass() {
            state.ledger.integrator.rotation += motion_law.kinetic_energy(link) - before.0;
            state.ledger.integrator.gravity -= mass * model.gravity.dot(link.position - before.1);
        }
    }
}

fn twists(sim: Sim) -> PerLink<Twist> {
    sim.model.links().map(|i| sim.link(i).twist()).collect()
}

/// Loads that are not of contacts: gravity and applied loads.
#[derive(Clone, Copy, PartialEq)]
enum External {
    All,
    None,
}

/// Applies a part of each contact's force, and external loads, over `dt`.
fn kick(stepper: &mut Stepper, dt: f64, external: External, part: impl Fn(&Contact) -> Wrench) {
    let (sim, model) = (stepper.sim(), stepper.model);
    let mut loads = model.per_link(AppliedWrench::default());
    for c in sim.contacts() {
        let wrench = part(c);
        for (i, sign) in sim.links_of(&c.pair).into_iter().zip([1.0, -1.0]) {
            loads[i] += sim.wrench_on(c, i, sign, &wrench);
        }
    }
    for (i, load) in loads.iter_mut_enumerated() {
        let motion_law = model.motion_law(i);
        let Some(mass) = motion_law.mass() else { continue };
        if external == External::All {
            load.force += mass * model.gravity;
            *load += stepper.state.applied[i];
        }
        motion_law.apply(&mut stepper.state.links[i], load, dt);
    }
}

/// Books the work of the last impulses: each works at the mean of the velocities before and after it.
fn record_work(stepper: &mut Stepper, dt: f64, before: &PerLink<Twist>) {
    let (sim, model) = (stepper.sim(), stepper.model);
    let mean: PerLink<Twist> = twists(sim).iter().zip(before).map(|(now, was)| Twist::mean(was, now)).collect();
    let power = |load: &AppliedWrench, v: &Twist| load.force.dot(v.linear) + load.torque.dot(v.angular);
    let mut gravity = 0.0;
    let (mut applied, mut keyed, mut damping, mut friction) = (0.0, 0.0, 0.0, 0.0);
    for (i, v) in mean.iter_enumerated() {
        if let Some(mass) = model.motion_law(i).mass() {
            gravity += dt * mass * model.gravity.dot(v.linear);
            applied += dt * power(&sim.state.applied[i], v);
        }
    }
    let mut elastic = Vec::with_capacity(sim.contacts().len());
    for c in sim.contacts().iter().filter(|c| sim.is_dynamic(&c.pair)) {
        let links = sim.links_of(&c.pair);
        let work = |wrench: &Wrench| {
            let one = |(i, sign): (LinkId, f64)| dt * power(&sim.wrench_on(c, i, sign, wrench), &mean[i]);
            [one((links[0], 1.0)), one((links[1], -1.0))]
        };
        let parts = [&c.forces.elastic, &c.forces.damping, &c.forces.friction()].map(work);
        for side in (0..2).filter(|side| !model.is_dynamic(links[*side])) {
            keyed -= parts.iter().map(|p| p[side]).sum::<f64>();
        }
        let [e, d, f] = parts.map(|p| p[0] + p[1]);
        elastic.push((c.pair, e));
        damping += d;
        friction += f;
    }
    let capacity: f64 = sim.contacts().iter().map(|c| c.forces.shear_energy).sum();
    let ledger = &mut stepper.state.ledger;
    ledger.integrator.gravity += gravity;
    ledger.external.applied += applied;
    ledger.external.keyed += keyed;
    ledger.record_damping(damping);
    ledger.record_friction(friction, capacity);
    for (pair, work) in elastic {
        let entry = ledger.of_pair(pair);
        entry.elastic += work;
        entry.work += work;
        entry.exchanged += work.abs();
    }
}
