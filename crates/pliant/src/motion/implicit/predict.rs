//! Prediction: free velocities of an implicit step, and θ of each link.
//!
//! *The idea* (θ-method): a contact or spring that a step of dt can follow acts with its force at the start for
//! `(1 − θ) dt` and with its force at the end for `θ dt`. θ = ½, the trapezoidal rule, keeps its energy. One too stiff
//! for the step has θ = 1, implicit Euler. The explicit part is known beforehand, and is included in the free
//! velocities.

use super::connectivity::spread_over_joints;
use super::solver::{Impulse, ThetaStep};
use super::springs;
use super::step_data::{ExplicitImpulse, Step, free_motion, has_gyroscopic_torque};
use crate::bodies::{LinkId, LinkState, PerLink, Twist};
use crate::contact::Wrench;
use crate::math::DMat3;
use crate::motion::checkpoint::Checkpoint;
use crate::state::{Contact, MIN_PARALLEL, Sim, StepMotion};
use rayon::prelude::*;

/// The step of `dt` seconds from this state.
pub(super) fn predict(sim: Sim, dt: f64) -> Step {
    let count = sim.model.link_count();
    let before: PerLink<Twist> = sim.model.links().map(|i| sim.link(i).twist()).collect();
    let inertia: PerLink<DMat3> = sim.model.links().map(|i| sim.link(i).inertia().unwrap_or_default()).collect();
    let inverse = |m: &DMat3| if *m == DMat3::ZERO { DMat3::ZERO } else { m.inverse() };
    let inverses: PerLink<DMat3> = inertia.iter().map(inverse).collect();
    let parts: Vec<ContactParts> = sim.map_contacts(|c| ContactParts::of(sim, c, dt));
    let theta = thetas(sim, dt, &sim.model.per_link(true), |i, _| parts[i].theta);
    let moved_freely = |i: LinkId| match sim.is_awake(i) {
        true => free_motion(sim.model, sim.state, i, (1.0 - theta[i]) * dt),
        false => sim.state.links[i],
    };
    let after_explicit_part: Vec<LinkState> =
        (0..count).into_par_iter().with_min_len(MIN_PARALLEL).map(|i| moved_freely(LinkId(i))).collect();
    let after_explicit_part = PerLink::from(after_explicit_part);
    let mut free = before.clone();
    for i in sim.model.links().filter(|i| sim.model.is_dynamic(*i)) {
        free[i].linear += dt * sim.model.gravity;
        // Free rotation keeps angular momentum; under gyroscopic torque not the spin.
        if has_gyroscopic_torque(&before[i], &inertia[i]) {
            free[i].angular = sim.model.motion_law(i).twist(&after_explicit_part[i]).angular;
        }
    }
    let mut add = |i: LinkId, impulse: &Impulse| {
        if let Some(mass) = sim.link(i).mass() {
            free[i].linear += impulse.linear / mass;
            free[i].angular += inverses[i] * impulse.angular;
        }
    };
    let mut explicit = Vec::with_capacity(sim.contacts().len());
    for (c, parts) in sim.contacts().iter().zip(parts) {
        let on = |seconds: f64, wrench: &Wrench| {
            let mut sides = sim.links_of(&c.pair).into_iter().zip([1.0, -1.0]).map(|(i, sign)| {
                let load = sim.wrench_on(c, i, sign, wrench);
                Impulse { linear: seconds * load.force, angular: seconds * load.torque }
            });
            std::array::from_fn(|_| sides.next().unwrap_or_default())
        };
        let (elastic, damping) = (on(parts.elastic, &c.forces.elastic), on(parts.damping, &c.forces.damping));
        let impulse = ExplicitImpulse { pair: c.pair, elastic, damping };
        sim.links_of(&c.pair).into_iter().enumerate().for_each(|(side, i)| add(i, &impulse.impulse_on(side)));
        explicit.push(impulse);
    }
    let explicit_joints = springs::explicit_impulses(sim, dt);
    for joint in &explicit_joints {
        joint.on_links(sim).into_iter().for_each(|(i, impulse)| add(i, &impulse));
    }
    for i in sim.model.links().filter(|i| sim.model.is_dynamic(*i)) {
        let applied = sim.state.applied[i];
        if applied != Default::default() {
            add(i, &Impulse { linear: dt * applied.force, angular: dt * applied.torque });
        }
    }
    let start = Checkpoint::of(sim.state, sim.derived);
    Step {
        start,
        motion: StepMotion::begin(sim, dt),
        inertia,
        before,
        free,
        theta,
        after_explicit_part,
        explicit,
        explicit_joints,
    }
}

/// Parts of a step over which the force of a contact acts explicitly, and its θ.
struct ContactParts {
    theta: f64,
    /// Seconds for which its elastic force acts as at the start.
    elastic: f64,
    /// The same for its damping.
    damping: f64,
}

impl ContactParts {
    fn of(sim: Sim, c: &Contact, dt: f64) -> Self {
        let theta = theta_step(sim, c, dt).theta;
        let explicit_dt = (1.0 - theta) * dt;
        Self { theta, elastic: elastic_time(sim, c, explicit_dt), damping: damping_time(sim, c, explicit_dt) }
    }
}

/// Seconds, at most `part`, for which a contact's elastic force at the start may act. Its impulse must not give the
/// bodies more energy than the contact stores, as it would if they parted long before the step ends. An impulse `J`
/// along the normal gives them `J (v + ½ J w)`, with the speed of parting `v` and the inverse effective mass `w`.
fn elastic_time(sim: Sim, c: &Contact, part: f64) -> f64 {
    let (p, normal) = (c.patch.center_of_pressure, c.patch.mean_normal());
    let [a, b] = sim.links_of(&c.pair).map(|i| sim.link(i));
    let (v, w) = (
        (b.velocity_at(p) - a.velocity_at(p)).dot(normal),
        a.inverse_effective_mass(p, normal) + b.inverse_effective_mass(p, normal),
    );
    let impulse = part * c.forces.elastic.force.length();
    if impulse * (v + 0.5 * impulse * w) <= 0.0 {
        return part;
    }
    let most = ((v * v + 2.0 * c.forces.elastic_energy * w).sqrt() - v) / w;
    part * (most / impulse).min(1.0)
}

/// Seconds, at most `part`, for which a contact's damping at the start may act: it may stop the bodies, but not reverse
/// their motion.
fn damping_time(sim: Sim, c: &Contact, part: f64) -> f64 {
    let Some(along) = c.forces.damping.force.try_normalize() else { return part };
    let p = c.patch.center_of_pressure;
    let [a, b] = sim.links_of(&c.pair).map(|i| sim.link(i));
    let speed = (b.velocity_at(p) - a.velocity_at(p)).length();
    let change = part
        * c.forces.damping.force.length()
        * (a.inverse_effective_mass(p, along) + b.inverse_effective_mass(p, along));
    if change <= speed { part } else { part * speed / change }
}

/// θ of a contact over a step of `dt`.
pub(super) fn theta_step(sim: Sim, c: &Contact, dt: f64) -> ThetaStep {
    let inverse_effective_mass = sim.inverse_effective_mass(c, c.patch.center_of_pressure, c.patch.mean_normal());
    ThetaStep::of(
        c.patch.stiffness * inverse_effective_mass,
        sim.law(&c.pair).damping * c.patch.area * inverse_effective_mass,
        dt,
    )
}

/// θ of each of `some` links: that of its stiffest contact, which `of_contact` tells, or spring.
pub(super) fn thetas(
    sim: Sim,
    dt: f64,
    some: &PerLink<bool>,
    of_contact: impl Fn(usize, &Contact) -> f64,
) -> PerLink<f64> {
    let mut thetas = sim.model.per_link(0.5f64);
    for (n, c) in sim.contacts().iter().enumerate() {
        let links = sim.links_of(&c.pair);
        if links.iter().any(|i| some[*i]) {
            let theta = of_contact(n, c);
            links.iter().for_each(|i| thetas[*i] = thetas[*i].max(theta));
        }
    }
    for (n, joint) in sim.unbroken_joints() {
        if joint.links.iter().flatten().any(|i| some[*i]) {
            let theta = springs::greatest_theta(sim, n, dt);
            joint.links.iter().flatten().for_each(|i| thetas[*i] = thetas[*i].max(theta));
        }
    }
    spread_over_joints(sim, &mut thetas);
    thetas
}
