//! Forces of contacts at the present velocities and shears.

use super::stepper::Stepper;
use crate::bodies::{LinkId, PerLink};
use crate::contact::{ContactForces, RelativeMotion};
use crate::math::DVec3;
use crate::state::{Derived, LayerPair, LinkMotion, Model, Sim, State, StepMotion};

/// Sets the forces of every contact as they are at this moment.
pub(crate) fn update_forces(model: &Model, state: &State, derived: &mut Derived) {
    let forces = forces(Sim { model, state, derived }, 0.0, None);
    derived.contacts.iter_mut().zip(forces).for_each(|(c, forces)| c.forces = forces);
}

/// Sets the forces of every contact for an impulse over `dt` to come; links are in the middle of `motion`, if there is one.
pub(super) fn update_forces_over(stepper: &mut Stepper, dt: f64, motion: Option<&StepMotion>) {
    let forces = forces(stepper.sim(), dt, motion);
    stepper.derived.contacts.iter_mut().zip(forces).for_each(|(c, forces)| c.forces = forces);
}

fn forces(sim: Sim, dt: f64, motion: Option<&StepMotion>) -> Vec<ContactForces> {
    let fractions = damping_fractions(sim, dt);
    (sim.contacts().iter().zip(&sim.state.friction).zip(fractions))
        .map(|((c, friction), implicit_fraction)| {
            let motion = RelativeMotion { implicit_fraction, ..sim.relative_motion(c, motion) };
            c.patch.forces(&friction.shear, &motion)
        })
        .collect()
}

/// Sets the forces of `some` contacts as they are at this moment.
pub(super) fn update_forces_of(
    model: &Model,
    state: &State,
    derived: &mut Derived,
    some: impl Fn(&LayerPair) -> bool + Sync + Send,
) {
    let sim = Sim { model, state, derived };
    let index: Vec<usize> = (0..sim.contacts().len()).filter(|i| some(&sim.contacts()[*i].pair)).collect();
    let one = |i: &usize| {
        let c = &sim.contacts()[*i];
        c.patch.forces(&state.friction[*i].shear, &sim.relative_motion(c, None))
    };
    use rayon::prelude::*;
    let forces: Vec<_> = if index.len() > crate::state::MIN_PARALLEL {
        index.par_iter().with_min_len(crate::state::MIN_PARALLEL).map(one).collect()
    } else {
        index.iter().map(one).collect()
    };
    index.into_iter().zip(forces).for_each(|(i, forces)| derived.contacts[i].forces = forces);
}

/// Fraction of each contact's damping that acts over `dt`: all that slows the same links shares one implicit step.
pub(super) fn damping_fractions(sim: Sim, dt: f64) -> Vec<f64> {
    let mut rates = sim.model.per_link(0.0);
    for c in sim.contacts() {
        let damping = sim.law(&c.pair).damping;
        if damping == 0.0 {
            continue;
        }
        let normal = c.patch.mean_normal();
        let across = normal.any_orthonormal_vector();
        for i in sim.links_of(&c.pair) {
            let inverse_effective_mass = |n: DVec3| sim.link(i).inverse_effective_mass(c.patch.center_of_pressure, n);
            rates[i] += damping * c.patch.area * inverse_effective_mass(normal).max(inverse_effective_mass(across));
        }
    }
    let fraction = |pair: &LayerPair| {
        let [a, b] = sim.links_of(pair);
        1.0 / (1.0 + dt * (rates[a] + rates[b]))
    };
    sim.contacts().iter().map(|c| fraction(&c.pair)).collect()
}

/// Updates the shear of friction by the motion during `step`.
pub(super) fn update_shear(model: &Model, state: &mut State, derived: &Derived, step: &StepMotion) {
    let sim = Sim { model, state, derived };
    let mut touched = model.per_link(false);
    sim.contacts().iter().flat_map(|c| sim.links_of(&c.pair)).for_each(|i| touched[i] = true);
    let motion = |i: LinkId| if touched[i] { step.of_link(sim, i) } else { LinkMotion::default() };
    let motions: PerLink<LinkMotion> = model.links().map(motion).collect();
    let one = |(c, friction): (&crate::state::Contact, &crate::state::FrictionState)| {
        let law = sim.law(&c.pair);
        if law.friction == 0.0 {
            return friction.shear;
        }
        let p = c.patch.center_of_pressure;
        let [a, b] = sim.links_of(&c.pair).map(|i| motions[i].displacement_at(p));
        let slip = crate::contact::ShearStep {
            shift: b.shift - a.shift,
            turn: b.turn - a.turn,
            common_turn: 0.5 * (a.turn + b.turn),
        };
        friction.shear.advanced(&c.patch, &slip, &law)
    };
    use rayon::prelude::*;
    let least = crate::state::MIN_PARALLEL;
    let shears: Vec<_> = if sim.contacts().len() > least {
        sim.contacts().par_iter().zip(&state.friction).with_min_len(least).map(one).collect()
    } else {
        sim.contacts().iter().zip(&state.friction).map(one).collect()
    };
    state.friction.iter_mut().zip(shears).for_each(|(f, shear)| f.shear = shear);
}
