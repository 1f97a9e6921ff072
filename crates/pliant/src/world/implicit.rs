//! The implicit step: contacts are asked where bodies come to, until forces and motion agree.
//!
//! *The idea*: patches of this moment tell, to first order, the forces after a step; the velocities that fit them
//! ([`motion::implicit`](crate::motion::implicit)) tell where bodies come to. There the patches are found again, exactly.
//! If their forces are those the motion was solved with, the step is done and these patches are the next step's first; a
//! pile at rest takes one look. If not, they are what is solved with next: Newton's method on the exact potential.
//! Contacts that a step can follow act half as they were and half as they will be, and bodies move at the mean of both
//! velocities: second order, and energy is kept. Those too stiff for the step act as they will be: they come to rest.
//! *Not promised*: that energy is kept where contacts are too stiff for the step, or begin and end.

use super::step::Stride;
use super::{Contact, Touch, WarningKind, World};
use crate::bodies::{Body, Load, Twist};
use crate::contact::{Approach, PatchPoint};
use crate::math::{DMat3, DVec3, Sets};
use crate::motion::implicit::{Coupling, Island, Mover, Passage, Share, spots};
use crate::scene::Scheme;
use rayon::prelude::*;

/// Forces and motion agree when what is left over would change velocities by this part of the fastest. Smaller: more
/// looks at contacts. Larger: impacts are less exact than their step.
const SETTLED: f64 = 0.03;

/// Looks at contacts before half a step is tried instead.
const MOST_LOOKS: usize = 8;

/// Times a step is cut before it is kept as it is.
const MOST_CUTS: usize = 6;

/// Islands with fewer couplings are not worth a thread each.
const WORTH_SHARING: usize = 64;

/// An island, and which bodies its movers are.
struct Members {
    island: Island,
    bodies: Vec<usize>,
}

/// What a step starts from.
pub(super) struct Leap {
    pub stride: Stride,
    inertias: Vec<DMat3>,
    pub before: Vec<Twist>,
    /// Velocities if nothing touched.
    pub free: Vec<Twist>,
    /// Where each body's state begins among those of all.
    offsets: Vec<usize>,
    /// Joules.
    mechanical: f64,
    /// Of each body: what part of its way it goes at its velocity after the step.
    pub lates: Vec<f64>,
}

impl World {
    /// Whether the next steps are implicit: as the settings say, unless the inertia of some base is not known.
    pub(super) fn is_implicit(&self) -> bool {
        self.settings.scheme == Scheme::Implicit && self.inertia_known
    }

    /// An implicit step of `dt` seconds, or a shorter one where forces and motion do not agree or something touched on the
    /// way; as short as it must be in the end.
    pub(super) fn implicit_step(&mut self, mut dt: f64) {
        for cuts in 0..=MOST_CUTS {
            let keep = cuts == MOST_CUTS || dt <= self.settings.smallest_step;
            let Some(shorter) = self.try_implicit(dt, keep) else { break };
            dt = shorter;
        }
    }

    /// A shorter step, and nothing has changed, if this one is not to be kept.
    fn try_implicit(&mut self, dt: f64, keep: bool) -> Option<f64> {
        let mut start = std::mem::take(&mut self.start);
        self.save_start(&mut start);
        let hints = self.hints.clone();
        let mut leap = self.leap(dt);
        let (agreed, contacts) = self.agree(&start.bases, &mut leap);
        let shorter = match (keep, agreed) {
            (true, _) => None,
            (false, true) => self.missed(&leap, &contacts),
            (false, false) => Some(0.5 * dt),
        };
        if shorter.is_none() {
            self.look_for_the_bottom();
            self.look_for_the_lost(&contacts);
            self.most_contacts = self.most_contacts.max(self.contacts.len());
            self.shear(&leap.stride);
            self.answer(0.0);
            self.book_losses(&leap);
        } else {
            self.go_back(&start);
            (self.contacts, self.hints) = (contacts, hints);
        }
        self.start = start;
        shorter
    }

    /// Moves all bodies to where their velocities and the forces there agree. Whether that was found, and the contacts of
    /// before.
    fn agree(&mut self, bases: &[f64], leap: &mut Leap) -> (bool, Vec<Contact>) {
        let mut before = Vec::new();
        let mut grips = self.grips();
        grips.sort_by_key(|g| g.touch);
        self.time += leap.stride.dt;
        let mut velocities = leap.before.clone();
        let mut active: Vec<bool> = (0..self.bodies.len()).map(|i| self.moves(i)).collect();
        for i in (0..active.len()).filter(|i| !active[*i]) {
            self.bodies[i].base.move_on(leap.stride.dt, self.time);
        }
        for look in 0..MOST_LOOKS {
            let islands = self.islands(leap, &velocities, (&active, look > 0));
            self.solve(&islands, (&leap.free, &active), &mut velocities);
            self.go(bases, leap, (&velocities, &active));
            // Keyed bodies have moved once.
            let moved = if look == 0 { vec![true; active.len()] } else { active };
            let old = self.find_contacts_of(&moved, &grips);
            if look == 0 {
                before = old;
            }
            let wrong = self.unsettled(leap, &velocities);
            if wrong.iter().all(|w| !w) {
                return (true, before);
            }
            active = self.with_neighbours(&wrong);
            // What has begun to touch may be stiffer than what touched before.
            let lates = self.lates(leap.stride.dt);
            for (i, late) in lates.into_iter().enumerate().filter(|(i, _)| active[*i]) {
                if late > leap.lates[i] {
                    self.turn_later(bases, leap, (i, late));
                }
            }
        }
        (false, before)
    }

    /// Body `i` goes a greater part of its way at its velocity after the step: if it tumbles, that is another free spin.
    fn turn_later(&mut self, bases: &[f64], leap: &mut Leap, (i, late): (usize, f64)) {
        if leap.before[i].angular != DVec3::ZERO && is_uneven(&leap.inertias[i]) {
            let base = &mut self.bodies[i].base;
            let mut here = Vec::new();
            base.save(&mut here);
            base.restore(&bases[leap.offsets[i]..]);
            let spin = |late: f64| base.after((1.0 - late) * leap.stride.dt, self.time).1.angular;
            leap.free[i].angular += spin(late) - spin(leap.lates[i]);
            base.restore(&here);
        }
        leap.lates[i] = late;
    }

    /// What pressed `before` and has no surface to press on any more has parted, or gone right in: the latter is told.
    fn look_for_the_lost(&mut self, before: &[Contact]) {
        let gone = |c: &&Contact| self.between(&self.contacts, &c.touch).is_empty() && self.went_in(&c.touch);
        let gone: Vec<Touch> = before.iter().filter(gone).map(|c| c.touch).collect();
        for touch in gone {
            self.warn((touch.a.0, touch.b.0), WarningKind::OverlapTooDeep, None);
        }
    }

    /// What bodies had of motion, gravity and shape before a step, and were given by keys during it, and have no more.
    fn book_losses(&mut self, leap: &Leap) {
        let after = self.mechanical();
        let mut given = 0.0;
        for c in &self.contacts {
            for (i, sign) in [(c.touch.a.0, -1.0), (c.touch.b.0, 1.0)] {
                if !self.moves(i) {
                    let (shift, turn) = self.way(i, &leap.stride, c.patch.reference);
                    given += sign * (c.answer.on_a.force.dot(shift) + c.answer.on_a.moment.dot(turn));
                }
            }
        }
        self.dissipated += (leap.mechanical + given - after).max(0.0);
    }

    /// Energy of motion, in gravity and in contacts, joules; the last from the columns behind each of their points, which
    /// is exact for flat patches between linear curves.
    fn mechanical(&self) -> f64 {
        let of =
            |b: &Body| b.base.mass().map_or(0.0, |m| b.base.kinetic_energy() - m * self.gravity.dot(b.base.center()));
        let stored = self.contacts.iter().map(stored).sum::<f64>();
        self.by_name.iter().map(|i| of(&self.bodies[*i])).sum::<f64>() + stored
    }

    fn leap(&self, dt: f64) -> Leap {
        let before: Vec<Twist> = self.bodies.iter().map(|b| b.base.twist()).collect();
        let inertias: Vec<DMat3> = self.bodies.iter().map(|b| b.base.inertia().unwrap_or_default()).collect();
        let inverse = |m: &DMat3| if *m == DMat3::ZERO { DMat3::ZERO } else { m.inverse() };
        let inverses: Vec<DMat3> = inertias.iter().map(inverse).collect();
        let mut free = before.clone();
        let lates = self.lates(dt);
        for i in (0..free.len()).filter(|i| self.moves(*i)) {
            free[i].linear += dt * self.gravity;
            // What tumbles keeps its angular momentum, not its spin.
            if before[i].angular != DVec3::ZERO && is_uneven(&inertias[i]) {
                let way = (1.0 - lates[i]) * dt;
                free[i].angular = self.bodies[i].base.after(way, self.time + way).1.angular;
            }
        }
        for c in &self.contacts {
            let part = (1.0 - self.share(c, dt).late) * dt;
            let parts = [(self.held(c, part), c.answer.elastic), (self.slowed(c, part), c.answer.damping)];
            for (i, sign) in [(c.touch.a.0, 1.0), (c.touch.b.0, -1.0)] {
                let Some(mass) = self.bodies[i].base.mass() else { continue };
                for (part, wrench) in &parts {
                    let load = self.load(c, i, sign, wrench);
                    free[i].linear += *part / mass * load.force;
                    free[i].angular += *part * inverses[i] * load.torque;
                }
            }
        }
        let mut offsets = vec![0];
        let mut sum = 0;
        for body in &self.bodies {
            sum += body.base.state_len();
            offsets.push(sum);
        }
        Leap {
            stride: Stride { dt, frames: self.bodies.iter().map(|b| b.base.world_from_body()).collect() },
            inertias,
            mechanical: self.mechanical(),
            lates,
            before,
            free,
            offsets,
        }
    }

    /// For how much of `part`, s, a contact's force may act as it is: it gives no more than it holds. One that parts within the
    /// step would, for its force ends long before the step does. An impulse `J` along the normal gives `J (v + ½ J w)`.
    fn held(&self, c: &Contact, part: f64) -> f64 {
        let (p, normal) = (c.patch.center_of_pressure, c.patch.mean_normal());
        let velocity = |i: usize| self.bodies[i].base.velocity_at(p);
        let mobility = |i: usize| self.bodies[i].base.mobility(p, normal);
        let (a, b) = (c.touch.a.0, c.touch.b.0);
        let (v, w) = ((velocity(b) - velocity(a)).dot(normal), mobility(a) + mobility(b));
        let impulse = part * c.answer.elastic.force.length();
        if impulse * (v + 0.5 * impulse * w) <= 0.0 {
            return part;
        }
        let most = ((v * v + 2.0 * stored(c) * w).sqrt() - v) / w;
        part * (most / impulse).min(1.0)
    }

    /// For how much of `part`, s, a contact's damping may act as it is: it stops bodies and does not throw them back.
    fn slowed(&self, c: &Contact, part: f64) -> f64 {
        let Some(along) = c.answer.damping.force.try_normalize() else { return part };
        let p = c.patch.center_of_pressure;
        let (a, b) = (&self.bodies[c.touch.a.0].base, &self.bodies[c.touch.b.0].base);
        let speed = (b.velocity_at(p) - a.velocity_at(p)).length();
        let change = part * c.answer.damping.force.length() * (a.mobility(p, along) + b.mobility(p, along));
        if change <= speed { part } else { part * speed / change }
    }

    /// How a contact's force acts over a step.
    fn share(&self, c: &Contact, dt: f64) -> Share {
        let (p, normal) = (c.patch.center_of_pressure, c.patch.mean_normal());
        let mobility = |i: usize| self.bodies[i].base.mobility(p, normal);
        Share::of(c.patch.stiffness * (mobility(c.touch.a.0) + mobility(c.touch.b.0)), dt)
    }

    /// Of each body: what part of its way it goes at its velocity after the step. That of its stiffest contact.
    fn lates(&self, dt: f64) -> Vec<f64> {
        let mut lates = vec![0.5f64; self.bodies.len()];
        for c in &self.contacts {
            let late = self.share(c, dt).late;
            for i in [c.touch.a.0, c.touch.b.0] {
                lates[i] = lates[i].max(late);
            }
        }
        lates
    }

    /// Bodies whose velocities do not fit the forces where they have come to.
    fn unsettled(&self, leap: &Leap, velocities: &[Twist]) -> Vec<bool> {
        // Those that touch nothing are free.
        let loose = |i: usize| self.moves(i) && velocities[i] != leap.free[i];
        let mut wrong: Vec<bool> = (0..self.bodies.len()).map(loose).collect();
        let all = vec![true; self.bodies.len()];
        for members in self.islands(leap, velocities, (&all, true)) {
            let left = members.island.residuals(&members.of(velocities));
            members.bodies.iter().zip(left).for_each(|(i, r)| wrong[*i] = r > SETTLED);
        }
        wrong
    }

    /// These bodies, and all they touch that forces move.
    fn with_neighbours(&self, some: &[bool]) -> Vec<bool> {
        let mut all = some.to_vec();
        for c in &self.contacts {
            let (a, b) = (c.touch.a.0, c.touch.b.0);
            all[a] |= some[b] && self.moves(a);
            all[b] |= some[a] && self.moves(b);
        }
        all
    }

    /// Velocities that fit each island's couplings; those of `active` bodies in none of them are free.
    fn solve(&self, islands: &[Members], (free, active): (&[Twist], &[bool]), velocities: &mut [Twist]) {
        let one = |m: &Members| m.island.solve(&m.of(velocities));
        let many = islands.len() > 1 && islands.iter().map(|m| m.island.couplings.len()).sum::<usize>() > WORTH_SHARING;
        let found: Vec<Vec<Twist>> =
            if many { islands.par_iter().map(one).collect() } else { islands.iter().map(one).collect() };
        (0..free.len()).filter(|i| active[*i]).for_each(|i| velocities[i] = free[i]);
        for (members, found) in islands.iter().zip(found) {
            members.bodies.iter().zip(found).for_each(|(i, v)| velocities[*i] = v);
        }
    }

    /// Moves `active` bodies from where they started: first at the velocities they had, then at these.
    fn go(&mut self, bases: &[f64], leap: &Leap, (velocities, active): (&[Twist], &[bool])) {
        let dt = leap.stride.dt;
        for (i, body) in self.bodies.iter_mut().enumerate().filter(|(i, _)| active[*i]) {
            body.base.restore(&bases[leap.offsets[i]..]);
            let late = leap.lates[i];
            if late < 1.0 {
                body.base.move_on((1.0 - late) * dt, self.time);
            }
            if let Some(mass) = body.base.mass() {
                let (now, inertia) = (body.base.twist(), body.base.inertia().unwrap_or_default());
                let force = mass / dt * (velocities[i].linear - now.linear);
                let torque = inertia * (velocities[i].angular - now.angular) / dt;
                body.base.push(&Load { force, torque }, dt);
            }
            body.base.move_on(late * dt, self.time);
        }
    }

    /// Bodies that hang together by contacts, with their couplings at these velocities.
    fn islands(&self, leap: &Leap, velocities: &[Twist], (active, moved): (&[bool], bool)) -> Vec<Members> {
        let groups = self.groups(active);
        let mut islands: Vec<Members> = Vec::new();
        // Of each body: its island and its number there.
        let mut places = vec![None; self.bodies.len()];
        let mut numbers = vec![None; self.bodies.len()];
        for &i in &self.by_name {
            let Some(group) = groups[i] else { continue };
            let island = *numbers[group].get_or_insert_with(|| {
                islands.push(Members { island: Island::default(), bodies: Vec::new() });
                islands.len() - 1
            });
            let members = &mut islands[island];
            places[i] = Some((island, members.bodies.len()));
            let mass = self.bodies[i].base.mass().unwrap_or(f64::INFINITY);
            members.bodies.push(i);
            members.island.movers.push(Mover { mass, inertia: leap.inertias[i], free: leap.free[i] });
        }
        for c in &self.contacts {
            let sides = [c.touch.a.0, c.touch.b.0];
            let Some((island, _)) = sides.iter().find_map(|i| places[*i]) else { continue };
            let movers = sides.map(|i| places[i].map(|p| p.1));
            islands[island].island.couplings.push(self.coupling(c, movers, velocities, (leap, moved)));
        }
        islands
    }

    /// For every active body that forces move and that touches something: one body of its island.
    fn groups(&self, active: &[bool]) -> Vec<Option<usize>> {
        let joins = |i: usize| active[i] && self.moves(i);
        let mut sets = Sets::new(self.bodies.len());
        let mut touched = vec![false; self.bodies.len()];
        for c in &self.contacts {
            let [a, b] = [c.touch.a.0, c.touch.b.0];
            (touched[a], touched[b]) = (true, true);
            if joins(a) && joins(b) {
                sets.join(a, b);
            }
        }
        (0..self.bodies.len()).map(|i| (touched[i] && joins(i)).then(|| sets.first(i))).collect()
    }

    fn coupling(
        &self,
        c: &Contact,
        movers: [Option<usize>; 2],
        velocities: &[Twist],
        (leap, moved): (&Leap, bool),
    ) -> Coupling {
        let p = c.patch.reference;
        let sides = [c.touch.a.0, c.touch.b.0];
        let arms = sides.map(|i| p - self.bodies[i].base.center());
        let [mut after, mut before, mut given] = [[DVec3::ZERO; 2]; 3];
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let i = sides[side];
            let motion = |twist: &Twist| [twist.linear + twist.angular.cross(arms[side]), twist.angular];
            let (was, is) = if self.moves(i) {
                (motion(&leap.before[i]), motion(&velocities[i]))
            } else {
                // As fast as it was on the way.
                let (shift, turn) = self.way(i, &leap.stride, p);
                let own = [shift / leap.stride.dt, turn / leap.stride.dt];
                (own, own)
            };
            for k in 0..2 {
                before[k] += sign * was[k];
                after[k] += sign * is[k];
                if movers[side].is_none() {
                    given[k] += sign * is[k];
                }
            }
        }
        let across = c.patch.mean_normal().any_orthonormal_vector();
        let mobility = sides.iter().map(|i| self.bodies[*i].base.mobility(p, across)).sum();
        let after = Approach { velocity: after[0], spin: after[1], mobility, surfaces: self.surfaces(c), ease: 1.0 };
        let spots = spots(&c.patch, &c.stick, &Passage { after, before, moved }, self.share(c, leap.stride.dt));
        Coupling::new(movers, arms, given, &spots)
    }
}

/// What a contact holds, joules, from the columns behind its points; not more than its load over half the way in, for loads
/// grow with it.
fn stored(c: &Contact) -> f64 {
    let column = |p: &PatchPoint| 0.5 * p.area * p.pressure * p.pressure / p.rate.max(f64::MIN_POSITIVE);
    c.patch.points.iter().map(column).sum::<f64>().min(0.5 * c.patch.load * c.patch.overlap)
}

/// Whether a body with this inertia may tumble.
fn is_uneven(inertia: &DMat3) -> bool {
    let even = DMat3::from_diagonal(DVec3::splat(inertia.x_axis.x));
    !inertia.abs_diff_eq(even, 1e-9 * inertia.x_axis.x)
}

impl Members {
    /// What of `all` is its bodies'.
    fn of(&self, all: &[Twist]) -> Vec<Twist> {
        self.bodies.iter().map(|i| all[*i]).collect()
    }
}
