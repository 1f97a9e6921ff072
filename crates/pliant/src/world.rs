//! The world: bodies, their contacts, and a step that reads as a list.
//!
//! *The idea*: `step` = move bases → place fields → find contacts → respond. Nothing else closes the loop.
//! *What we promise*: the same bits for any number of threads, any order of bodies in the scene, and after resuming
//! from a [`Snapshot`]. For that, contacts are worked on in the order of names, and at the end of every advance they are
//! found anew without the memory that makes finding them fast in between.

mod grip;
mod limits;
mod near;
mod snapshot;
#[cfg(test)]
mod tests;
mod visible;
mod warning;

pub use grip::Grip;
pub use snapshot::{Snapshot, SnapshotError};
pub use warning::{Warning, WarningKind};

use crate::bodies::{Body, BodyError, Load, Twist};
use crate::contact::{Answer, Approach, Memory, Pair, Patch, Quality, Resolution, Side, Stick, Surfaces, Wrench};
use crate::math::DVec3;
use crate::motion;
use crate::scene::{MotionSettings, Scene};
use near::Near;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Which layers of which bodies touch: indices into [`World::bodies`] and their layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Touch {
    /// One body and its layer.
    pub a: (usize, usize),
    /// The other.
    pub b: (usize, usize),
}

/// A patch between two bodies and what it does.
#[derive(Clone, Debug)]
pub struct Contact {
    /// Who touches whom.
    pub touch: Touch,
    /// Where, and how hard.
    pub patch: Patch,
    /// Friction's memory.
    pub stick: Stick,
    /// Total force on a, from the last response.
    pub answer: Answer,
}

/// Where the energy is, joules. `kinetic + potential + elastic + dissipated` changes only by the work of keyed bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Of motion.
    pub kinetic: f64,
    /// In gravity, against the world's origin.
    pub potential: f64,
    /// In overlaps.
    pub elastic: f64,
    /// Lost to damping and friction since the start.
    pub dissipated: f64,
}

/// Bodies and time.
#[derive(Debug)]
pub struct World {
    /// In the order of the scene. Only bases change: names, number and layers are what the rest was made from.
    pub(crate) bodies: Vec<Body>,
    /// m/s².
    pub gravity: DVec3,
    /// How time is stepped.
    pub settings: MotionSettings,
    /// How carefully contacts are integrated.
    pub quality: Quality,
    time: f64,
    contacts: Vec<Contact>,
    dissipated: f64,
    warnings: Vec<Warning>,
    /// What `warnings` has already.
    warned: BTreeSet<((usize, usize), WarningKind)>,
    /// Bodies in the order of their names.
    by_name: Vec<usize>,
    /// Place of each body in that order.
    rank: Vec<usize>,
    near: Near,
    /// Room for the state before a step.
    before: Snapshot,
}

/// A step may grow an overlap by this fraction of the thinner thickness before it counts as a leap to take back.
const LEAP: f64 = 0.1;
/// Halvings of one step before its overlap is accepted and reported.
const MOST_HALVINGS: usize = 10;
/// Patches below this number are found on one thread: handing them out costs more than finding them.
const WORTH_SHARING: usize = 16;

impl World {
    /// The world a scene describes, at time zero, with its first contacts found.
    pub fn new(scene: &Scene) -> Result<Self, BodyError> {
        let mut known = Vec::new();
        let bodies: Vec<Body> =
            scene.bodies.iter().map(|b| Body::new(b, scene.isovalue, &mut known)).collect::<Result<_, _>>()?;
        let quality =
            Quality { resolution: Resolution::Tolerance(scene.quality.contact_tolerance), ..Quality::default() };
        let mut by_name: Vec<usize> = (0..bodies.len()).collect();
        by_name.sort_by(|i, j| bodies[*i].name.cmp(&bodies[*j].name));
        let mut rank = vec![0; bodies.len()];
        by_name.iter().enumerate().for_each(|(r, i)| rank[*i] = r);
        let mut world = Self {
            bodies,
            gravity: scene.gravity,
            settings: scene.motion,
            quality,
            time: 0.0,
            contacts: Vec::new(),
            dissipated: 0.0,
            warnings: Vec::new(),
            warned: BTreeSet::new(),
            by_name,
            rank,
            near: Near::default(),
            before: Snapshot::default(),
        };
        world.find_contacts_anew();
        Ok(world)
    }

    /// The bodies, in the order of the scene. They are only looked at: a world is made from a scene and moved by steps.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Seconds since the start.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// The patches of this moment, in the order of names.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Warnings so far, each pair once for each kind.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Advances to `time`, in as many steps as it takes.
    pub fn advance_to(&mut self, time: f64) {
        let ahead = self.time < time;
        while self.time < time {
            let limits = self.limits();
            let longest = motion::longest_step(&self.settings, &limits);
            let dt = motion::even_step(time - self.time, longest);
            let last = dt >= time - self.time;
            self.step_back_if_too_deep(dt);
            // Rounding must not leave a sliver of a frame.
            if last && (self.time - time).abs() < 1e-9 * dt {
                self.time = time;
            }
        }
        if ahead {
            // Rounding may have carried the last step past it.
            self.time = time;
        }
        // A run and its resumption meet here: both go on from what the positions alone say.
        self.find_contacts_anew();
        self.look_at_bulges();
    }

    /// One leapfrog step.
    pub fn step(&mut self, dt: f64) {
        self.push(0.5 * dt);
        self.time += dt;
        for body in &mut self.bodies {
            body.base.move_on(dt, self.time);
        }
        self.find_contacts(true, self.grips());
        self.respond(dt);
        self.push(0.5 * dt);
        self.respond(0.0);
    }

    /// A step, retried in halves while it leaps into an overlap ([G93] §2.3).
    fn step_back_if_too_deep(&mut self, dt: f64) {
        let known = self.depths();
        let mut before = std::mem::take(&mut self.before);
        self.save(&mut before);
        let mut dt = dt;
        for halvings in 0.. {
            self.step(dt);
            let Some(touch) = self.leapt(&known) else { break };
            if halvings == MOST_HALVINGS || dt <= self.settings.smallest_step {
                self.warn((touch.a.0, touch.b.0), WarningKind::OverlapTooDeep, None);
                break;
            }
            self.set(&before);
            dt *= 0.5;
        }
        self.before = before;
    }

    /// The first contact whose overlap is too deep and was not nearly so among the depths `known` before the step.
    fn leapt(&self, known: &[(Touch, f64)]) -> Option<Touch> {
        let was = |touch: &Touch| {
            let place = self.place(touch);
            let start = known.partition_point(|(t, _)| self.place(t) < place);
            known[start..].iter().take_while(|(t, _)| t == touch).fold(0.0, |most: f64, (_, d)| most.max(*d))
        };
        let limit = self.settings.largest_overlap;
        let too_deep = self.depths().into_iter().filter(|(_, depth)| *depth > limit);
        too_deep.into_iter().find(|(touch, depth)| *depth > was(touch) + LEAP).map(|(touch, _)| touch)
    }

    /// Every contact's overlap as a fraction of the thinner thickness.
    fn depths(&self) -> Vec<(Touch, f64)> {
        let thickness = |(i, layer): (usize, usize)| self.bodies[i].layers[layer].shape.least_thickness();
        let relative = |c: &Contact| (c.touch, c.patch.overlap / thickness(c.touch.a).min(thickness(c.touch.b)));
        self.contacts.iter().map(relative).collect()
    }

    /// Gravity and the last response, for `dt`.
    fn push(&mut self, dt: f64) {
        let loads = self.loads();
        let mut rest = loads.as_slice();
        for &i in &self.by_name {
            let of_body = rest.iter().take_while(|l| l.0 == self.rank[i]).count();
            let (own, others) = rest.split_at(of_body);
            rest = others;
            let body = &mut self.bodies[i];
            let before = if own.is_empty() { Twist::default() } else { body.base.twist() };
            let mut load = Load::default();
            own.iter().for_each(|l| load += l.1);
            if let Some(mass) = body.base.mass() {
                load.force += mass * self.gravity;
                body.base.push(&load, dt);
            }
            if own.is_empty() {
                continue;
            }
            let mut lossy = Load::default();
            own.iter().for_each(|l| lossy += l.2);
            // An impulse works at the mean of the velocities before and after it.
            let after = body.base.twist();
            self.dissipated -= 0.5 * dt * lossy.force.dot(before.linear + after.linear);
            self.dissipated -= 0.5 * dt * lossy.torque.dot(before.angular + after.angular);
        }
    }

    /// What each contact does to each of its bodies: the body's rank, the load, and the part of it that dissipates.
    /// Ranks increase.
    fn loads(&self) -> Vec<(usize, Load, Load)> {
        let mut loads = Vec::with_capacity(2 * self.contacts.len());
        for c in &self.contacts {
            for (i, sign) in [(c.touch.a.0, 1.0), (c.touch.b.0, -1.0)] {
                let arm = c.patch.reference - self.bodies[i].base.center();
                let about_center = |w: &Wrench| {
                    let force = sign * w.force;
                    Load { force, torque: sign * w.moment + arm.cross(force) }
                };
                loads.push((self.rank[i], about_center(&c.answer.on_a), about_center(&c.answer.lossy())));
            }
        }
        // Stable: the loads of one body stay in the order of contacts.
        loads.sort_by_key(|l| l.0);
        loads
    }

    /// Two layers as contact sees them.
    fn pair(&self, touch: &Touch) -> Pair<'_> {
        Pair { a: Side::of(&self.bodies[touch.a.0], touch.a.1), b: Side::of(&self.bodies[touch.b.0], touch.b.1) }
    }

    /// Where a touch stands among contacts: by name, then by layer.
    fn place(&self, touch: &Touch) -> (usize, usize, usize, usize) {
        (self.rank[touch.a.0], self.rank[touch.b.0], touch.a.1, touch.b.1)
    }

    /// Those of `contacts`, which are in order, that are of `touch`.
    fn between<'c>(&self, contacts: &'c [Contact], touch: &Touch) -> &'c [Contact] {
        let place = self.place(touch);
        let start = contacts.partition_point(|c| self.place(&c.touch) < place);
        let count = contacts[start..].partition_point(|c| c.touch == *touch);
        &contacts[start..start + count]
    }

    /// Finds every patch from the positions alone.
    fn find_contacts_anew(&mut self) {
        self.find_contacts(false, self.grips());
        self.respond(0.0);
    }

    fn grips(&self) -> Vec<Grip> {
        self.contacts.iter().map(Grip::of).collect()
    }

    /// Finds every patch, helped by the last ones if `warm`, and hands each its own of the `grips` of before.
    fn find_contacts(&mut self, warm: bool, mut grips: Vec<Grip>) {
        self.look_around();
        let mut touches = Vec::new();
        for (i, j) in self.meeting(!warm) {
            for a in 0..self.bodies[i].layers.len() {
                for b in 0..self.bodies[j].layers.len() {
                    touches.push(Touch { a: (i, a), b: (j, b) });
                }
            }
        }
        grips.sort_by_key(|g| g.touch);
        let old = std::mem::take(&mut self.contacts);
        let find = |touch: &Touch| -> (Vec<Contact>, Option<f64>) {
            let before = if warm { self.between(&old, touch) } else { &[] };
            let memory: Vec<Memory> = before.iter().map(|c| c.patch.memory()).collect();
            let held = &grips[grips.partition_point(|g| g.touch < *touch)..];
            let held = &held[..held.partition_point(|g| g.touch == *touch)];
            let pair = self.pair(touch);
            let found = Patch::find_again(&pair, &self.quality, &memory);
            let count = found.patches.len();
            let contact = |patch: Patch| {
                let stick = grip::remembered(&patch, count, held);
                Contact { touch: *touch, patch, stick, answer: Answer::default() }
            };
            let undecided = warning::undecided(&found, &pair, &self.quality);
            (found.patches.into_iter().map(contact).collect(), undecided)
        };
        let found: Vec<_> = if touches.len() < WORTH_SHARING {
            touches.iter().map(find).collect()
        } else {
            touches.par_iter().map(find).collect()
        };
        for (touch, (contacts, undecided)) in touches.iter().zip(found) {
            self.contacts.extend(contacts);
            if undecided.is_some() {
                self.warn((touch.a.0, touch.b.0), WarningKind::Undecided, undecided);
            }
        }
        self.look_for_the_bottom();
    }

    /// Motion of b against a around a contact's patch.
    fn approach(&self, c: &Contact) -> Approach {
        let sides = (&self.bodies[c.touch.a.0], &self.bodies[c.touch.b.0]);
        let (a, b) = (&sides.0.base, &sides.1.base);
        let p = c.patch.reference;
        let across = c.patch.mean_normal().any_orthonormal_vector();
        Approach {
            velocity: b.velocity_at(p) - a.velocity_at(p),
            spin: b.twist().angular - a.twist().angular,
            mobility: a.mobility(p, across) + b.mobility(p, across),
            surfaces: Surfaces::between(sides.0, sides.1),
        }
    }

    /// Forces of every contact at the present velocities; friction is sheared by `dt` first.
    fn respond(&mut self, dt: f64) {
        for i in 0..self.contacts.len() {
            let c = &self.contacts[i];
            self.contacts[i].stick = c.stick.sheared(&c.patch, &self.approach(c), dt);
        }
        self.answer();
    }

    /// Forces of every contact at the present velocities and shears.
    fn answer(&mut self) {
        for i in 0..self.contacts.len() {
            let c = &self.contacts[i];
            self.contacts[i].answer = c.patch.respond(&c.stick, &self.approach(c));
        }
    }
}
