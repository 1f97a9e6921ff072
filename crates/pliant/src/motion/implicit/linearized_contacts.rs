//! Contacts assembled for the solver, kept from iteration to iteration: those of links that do not move stay.

use super::predict::theta_step;
use super::solver::{Constraint, ConstraintBody, ContactPoints, Impulse, PatchStep, PointPack, StepRelativeMotion};
use super::step_data::Step;
use crate::bodies::{PerLink, Twist};
use crate::contact::RelativeMotion;
use crate::math::DVec3;
use crate::state::{Contact, LayerPair, MIN_PARALLEL, Sim};
use rayon::prelude::*;

/// Contacts at certain velocities, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinearizedContacts {
    pub each: Vec<LinearizedContact>,
    /// Points of all, one patch after the other as they are read: a thousand balls have megabytes of them. Those of later
    /// iterations follow; the rest after `used` is room.
    packs: Vec<PointPack>,
    used: usize,
}

/// A contact at certain velocities.
#[derive(Clone, Debug)]
pub(crate) struct LinearizedContact {
    pair: LayerPair,
    /// Whether the other fields are up to date.
    known: bool,
    theta: f64,
    /// From each link's centre to the reference point.
    arms: [DVec3; 2],
    /// Contribution of each side to the velocity of b against a at the reference point, and to its spin.
    sides: [[DVec3; 2]; 2],
    /// On b.
    impulse: Impulse,
    step: PatchStep,
    /// Its points among all.
    points: std::ops::Range<usize>,
}

/// Velocities and links that contacts are assembled for.
#[derive(Clone, Copy)]
pub(super) struct AssemblyInput<'a> {
    pub step: &'a Step,
    pub velocities: &'a PerLink<Twist>,
    /// Whether links have come to where the step ends.
    pub at_end: bool,
    /// Links that have moved since contacts were assembled last.
    pub moved: &'a PerLink<bool>,
    /// Links whose contacts are assembled.
    pub watched: &'a PerLink<bool>,
}

impl AssemblyInput<'_> {
    fn concerns(&self, sim: Sim, pair: &LayerPair) -> bool {
        sim.links_of(pair).into_iter().any(|i| self.moved[i])
    }
}

impl LinearizedContacts {
    /// Removes all contacts, and keeps the allocations.
    pub fn clear(&mut self) {
        self.each.iter_mut().for_each(|r| r.known = false);
        self.used = 0;
    }

    /// Constraint of an up-to-date contact between these bodies of an island.
    pub fn constraint(&self, contact: &LinearizedContact, bodies: [Option<usize>; 2]) -> Constraint<'_> {
        contact.constraint(bodies, &self.packs[contact.points.clone()])
    }

    /// Impulses on b of elastic pressure, of damping and of friction, at the velocities the contact was linearized at.
    pub fn split(&self, contact: &LinearizedContact) -> [Impulse; 3] {
        let constraint = self.constraint(contact, [None; 2]);
        constraint.split_at(constraint.prescribed)
    }

    /// Assembles the present contacts. Rows that do not concern links that have moved stay as they are.
    pub(super) fn assemble(&mut self, sim: Sim, at: &AssemblyInput) {
        let Self { each, packs, used } = self;
        if !sim.contacts().iter().map(|c| c.pair).eq(each.iter().map(|r| r.pair)) {
            reuse_contacts(sim, each, at);
        }
        if !each.iter().any(|r| r.known && !at.concerns(sim, &r.pair)) {
            *used = 0;
        }
        let start = *used;
        let mut open = Vec::with_capacity(each.len());
        for (n, (contact, c)) in each.iter_mut().zip(sim.contacts()).enumerate() {
            if contact.known && !at.concerns(sim, &c.pair) {
                continue;
            }
            contact.known = sim.links_of(&c.pair).into_iter().any(|i| at.watched[i]);
            if contact.known {
                contact.points = *used..*used + PointPack::needed(&c.patch);
                *used = contact.points.end;
                open.push((contact, n));
            }
        }
        packs.resize(packs.len().max(*used), PointPack::default());
        let mut rest = &mut packs[start..];
        let own = |(contact, n): (_, usize)| {
            let contact: &mut LinearizedContact = contact;
            let (own, others) = std::mem::take(&mut rest).split_at_mut(contact.points.len());
            rest = others;
            (contact, n, own)
        };
        let open: Vec<(&mut LinearizedContact, usize, &mut [PointPack])> = open.into_iter().map(own).collect();
        let one = |(contact, n, packs): (&mut LinearizedContact, usize, &mut [PointPack])| {
            contact.assemble(sim, n, packs, at)
        };
        if open.len() > MIN_PARALLEL {
            open.into_par_iter().with_min_len(MIN_PARALLEL / 4).for_each(one);
        } else {
            open.into_iter().for_each(one);
        }
    }
}

/// Makes one entry a contact: reuses those that are up to date, which are in the order of contacts, and adds
/// others.
fn reuse_contacts(sim: Sim, each: &mut Vec<LinearizedContact>, at: &AssemblyInput) {
    let stays = |r: &LinearizedContact| r.known && !at.concerns(sim, &r.pair);
    let mut kept = std::mem::take(each).into_iter().filter(stays).peekable();
    each.extend(sim.contacts().iter().map(|c| c.pair).map(|pair| {
        let own = if at.concerns(sim, &pair) { None } else { kept.next_if(|r| r.pair == pair) };
        own.unwrap_or_else(|| LinearizedContact::unknown(pair))
    }));
}

impl LinearizedContact {
    fn unknown(pair: LayerPair) -> Self {
        Self {
            pair,
            known: false,
            theta: 0.0,
            arms: [DVec3::ZERO; 2],
            sides: [[DVec3::ZERO; 2]; 2],
            impulse: Impulse::default(),
            step: PatchStep::default(),
            points: 0..0,
        }
    }

    /// The contact, if it is up to date.
    pub fn known(&self) -> Option<&Self> {
        self.known.then_some(self)
    }

    pub fn theta(&self) -> f64 {
        self.theta
    }

    /// Constraint between these bodies of an island; sides that are none of them move as prescribed.
    fn constraint<'a>(&self, bodies: [Option<usize>; 2], packs: &'a [PointPack]) -> Constraint<'a> {
        let mut prescribed = [DVec3::ZERO; 2];
        for (body, side) in bodies.iter().zip(&self.sides) {
            if body.is_none() {
                (0..2).for_each(|k| prescribed[k] += side[k]);
            }
        }
        Constraint::of_points(
            ConstraintBody::of_sides(bodies, self.arms),
            prescribed,
            ContactPoints { step: self.step, packs },
        )
    }

    /// Impulse on side 0 or 1, about its centre.
    pub fn impulse_on(&self, side: usize) -> Impulse {
        self.of_impulse(&self.impulse, side)
    }

    /// An impulse on b about the reference point, as side 0 or 1 takes it about its centre.
    pub fn of_impulse(&self, impulse: &Impulse, side: usize) -> Impulse {
        let (sign, Impulse { linear, angular }) = ([-1.0, 1.0][side], *impulse);
        Impulse { linear: sign * linear, angular: sign * (self.arms[side].cross(linear) + angular) }
    }

    fn assemble(&mut self, sim: Sim, n: usize, packs: &mut [PointPack], at: &AssemblyInput) {
        let c: &Contact = &sim.contacts()[n];
        let AssemblyInput { step, velocities, at_end, .. } = *at;
        let p = c.patch.reference;
        let links = sim.links_of(&c.pair);
        self.arms = links.map(|i| p - sim.state.links[i].position);
        let [mut after, mut before] = [[DVec3::ZERO; 2]; 2];
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let (i, arm) = (links[side], self.arms[side]);
            let motion = |twist: &Twist| [twist.linear + twist.angular.cross(arm), twist.angular];
            let (was, is) = if sim.model.is_dynamic(i) {
                (motion(&step.before[i]), motion(&velocities[i]))
            } else {
                let own = step.motion.displacement(sim, i, p).mean_twist(step.motion.dt);
                ([own.linear, own.angular], [own.linear, own.angular])
            };
            for k in 0..2 {
                before[k] += sign * was[k];
                after[k] += sign * is[k];
                self.sides[side][k] = sign * is[k];
            }
        }
        let across = c.patch.mean_normal().any_orthonormal_vector();
        let (inverse_effective_mass, law) = (sim.inverse_effective_mass(c, p, across), sim.law(&c.pair));
        let motion =
            RelativeMotion { velocity: after[0], spin: after[1], inverse_effective_mass, law, implicit_fraction: 1.0 };
        let theta_step = theta_step(sim, c, step.motion.dt);
        let relative = StepRelativeMotion { after: motion, before, moved: at_end, theta_step };
        self.theta = theta_step.theta;
        self.step = PatchStep::of(&c.patch, &sim.state.friction[n].shear, &relative, packs);
        // At the start of a step the impulse is computed only for contacts whose links have not moved; the others get theirs
        // at the end of the step.
        let computed = at_end || !at.concerns(sim, &c.pair);
        self.impulse = if computed { self.constraint([None; 2], packs).impulse_at(after) } else { Impulse::default() };
    }
}
