//! The implicit step: contacts are asked where bodies come to, until forces and motion agree.
//!
//! *The idea*: patches of this moment tell, to first order, the forces after a step; the velocities that fit them
//! ([`motion::implicit`](crate::motion::implicit)) tell where bodies come to. There the patches are found again, exactly.
//! If their forces are those the motion was solved with, the step is done and these patches are the next step's first; a
//! pile at rest takes one look. If not, they are what is solved with next: Newton's method on the exact potential.
//! Contacts that a step can follow act half as they were and half as they will be, and bodies move at the mean of both
//! velocities: second order, and energy is kept. Those too stiff for the step act as they will be: they come to rest.
//! *Not promised*: that energy is kept where contacts are too stiff for the step, or begin and end.

use super::pull::Pull;
use super::ready::Ready;
use super::step::Stride;
use super::{Contact, WarningKind, World};
use crate::bodies::{Body, Load, Twist};
use crate::contact::PatchPoint;
use crate::math::{DMat3, DVec3, Sets};
use crate::motion::implicit::{Impulse, Island, LEAST_SPEED, Mover, Share};
use crate::scene::{MANY_BODIES, Scheme};
use rayon::prelude::*;

/// Forces and motion agree when what is left over would change velocities by this part of the fastest. Smaller: more
/// looks at contacts. Larger: impacts are less exact than their step.
const SETTLED: f64 = 0.03;

/// Looks at contacts before half a step is tried instead.
const MOST_LOOKS: usize = 8;

/// Times a step is cut before it is kept as it is.
const MOST_CUTS: usize = 6;

/// Fewer couplings than this are not worth more than one thread.
pub(super) const WORTH_SHARING: usize = 64;

/// An island, and which bodies its movers are.
pub(super) struct Members {
    pub island: Island,
    pub bodies: Vec<usize>,
    /// Which of its couplings are ties, and which ties.
    pub pulls: Vec<(usize, usize)>,
}

/// Contacts of before a step, as far as they have been replaced.
struct Before {
    contacts: Vec<Contact>,
    /// Bodies whose contacts were looked at.
    asked: Vec<bool>,
}

impl Before {
    /// Adds the contacts that a look at `moved` bodies has replaced, unless an earlier look had found them.
    fn add(&mut self, old: Vec<Contact>, moved: &[bool]) {
        let asked = &self.asked;
        self.contacts.extend(old.into_iter().filter(|c| !asked[c.touch.a.0] && !asked[c.touch.b.0]));
        self.asked.iter_mut().zip(moved).for_each(|(a, m)| *a |= m);
    }
}

/// What a step starts from.
pub(super) struct Leap {
    pub stride: Stride,
    pub inertias: Vec<DMat3>,
    pub before: Vec<Twist>,
    /// Velocities if nothing touched.
    pub free: Vec<Twist>,
    /// Where each body's state begins among those of all.
    offsets: Vec<usize>,
    /// Joules.
    mechanical: f64,
    /// Of each body: what part of its way it goes at its velocity after the step.
    pub lates: Vec<f64>,
    /// Of all bodies if nothing touched, m/s.
    pub fastest: f64,
}

impl World {
    /// Whether the next steps are implicit: as the settings say, unless the inertia of some base is not known;
    /// wherever there are ties.
    pub(super) fn is_implicit(&self) -> bool {
        let wanted = match self.settings.scheme {
            Scheme::Explicit => false,
            Scheme::Implicit => true,
            Scheme::Auto => self.movers > MANY_BODIES,
        };
        !self.ties.is_empty() || wanted && self.inertia_known
    }

    /// An implicit step of `dt` seconds, or a shorter one where forces and motion do not agree or something touched on the
    /// way; as short as it must be in the end.
    pub(super) fn implicit_step(&mut self, mut dt: f64) {
        self.heed_settings();
        if self.all_rest() {
            self.time += dt;
            return;
        }
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
        let (hints, still) = (self.hints.clone(), self.still.clone());
        let mut leap = self.leap(dt);
        let mut pulls = self.pulls();
        let (agreed, mut before) = self.agree(&start.bases, &mut leap, &mut pulls);
        // Stable: patches of one touch stay in order.
        before.contacts.sort_by_key(|c| self.place(&c.touch));
        let shorter = match (keep, agreed) {
            (true, _) => None,
            (false, true) => self.missed(&leap, &before.contacts),
            (false, false) => Some(0.5 * dt),
        };
        if shorter.is_none() {
            self.look_for_the_bottom();
            self.look_for_the_lost(&before.contacts);
            self.most_contacts = self.most_contacts.max(self.contacts.len());
            self.shear(&leap.stride);
            self.settle_ties(&pulls, &leap);
            self.fall_asleep(&leap);
            self.answer_of(|t| before.asked[t.a.0] || before.asked[t.b.0]);
            self.book_losses(&leap);
        } else {
            self.go_back(&start);
            self.still = still;
            self.hints = hints;
            self.put_back(before);
        }
        self.start = start;
        shorter
    }

    /// Moves all bodies to where their velocities and the forces there agree. Whether that was found, and the contacts of
    /// before.
    fn agree(&mut self, bases: &[f64], leap: &mut Leap, pulls: &mut [Pull]) -> (bool, Before) {
        let mut before = Before { contacts: Vec::new(), asked: vec![false; self.bodies.len()] };
        let mut grips = self.grips();
        grips.sort_by_key(|g| g.touch);
        self.time += leap.stride.dt;
        let mut velocities = leap.before.clone();
        for i in (0..self.bodies.len()).filter(|i| !self.moves(*i)).collect::<Vec<_>>() {
            self.bodies[i].base.move_on(leap.stride.dt, self.time);
        }
        let mut active: Vec<bool> = (0..self.bodies.len()).map(|i| self.is_awake(i)).collect();
        let moving = self.moving(leap);
        let mut watched = active.clone();
        self.watch(&moving, &[], &mut watched);
        pulls.iter_mut().for_each(|p| self.ask(p, leap, (&velocities, false)));
        let mut ready = self.ready(Vec::new(), (&moving, &watched), (leap, &velocities, false));
        for look in 0..MOST_LOOKS {
            let mut islands = self.islands((leap, &velocities), (&ready, pulls), &active);
            self.solve(&islands, (&leap.free, &active), &mut velocities);
            self.go(bases, leap, (&velocities, &active));
            let taut = pulls.is_empty() || self.pull_taut(&mut islands, pulls, (leap, bases), &mut velocities);
            // Keyed bodies have moved once.
            let moved = if look == 0 { moving.clone() } else { active };
            let old = self.find_contacts_of(&moved, &grips);
            before.add(old, &moved);
            self.watch(&moved, &before.contacts, &mut watched);
            ready = self.ready(ready, (&moved, &watched), (leap, &velocities, true));
            let mut wrong = self.unsettled((leap, &velocities), (&ready, pulls));
            (0..wrong.len()).for_each(|i| wrong[i] &= watched[i]);
            if wrong.iter().all(|w| !w) {
                return (taut, before);
            }
            active = self.with_neighbours(&wrong);
            self.wake(&active);
            (0..active.len()).for_each(|i| watched[i] |= active[i]);
            // What has begun to touch may be stiffer than what touched before.
            let lates = self.lates(leap.stride.dt, &active);
            for (i, late) in lates.into_iter().enumerate().filter(|(i, _)| active[*i]) {
                if late > leap.lates[i] {
                    self.turn_later(bases, leap, (i, late));
                }
            }
        }
        (false, before)
    }

    /// Takes back the contacts of before a step.
    fn put_back(&mut self, Before { contacts, asked }: Before) {
        let mut all = std::mem::take(&mut self.contacts);
        all.retain(|c| !asked[c.touch.a.0] && !asked[c.touch.b.0]);
        all.extend(contacts);
        // Stable: patches of one touch stay in order.
        all.sort_by_key(|c| self.place(&c.touch));
        self.contacts = all;
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
        // Both in the order of names.
        let mut now = self.contacts.iter().map(|c| c.touch).peekable();
        let mut gone = Vec::new();
        for touch in before.iter().map(|c| c.touch) {
            while now.next_if(|t| self.place(t) < self.place(&touch)).is_some() {}
            if now.peek() != Some(&touch) && self.went_in(&touch) {
                gone.push(touch);
            }
        }
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
        self.by_name.iter().map(|i| of(&self.bodies[*i])).sum::<f64>() + stored + self.stored_in_ties()
    }

    fn leap(&self, dt: f64) -> Leap {
        let before: Vec<Twist> = self.bodies.iter().map(|b| b.base.twist()).collect();
        let inertias: Vec<DMat3> = self.bodies.iter().map(|b| b.base.inertia().unwrap_or_default()).collect();
        let inverse = |m: &DMat3| if *m == DMat3::ZERO { DMat3::ZERO } else { m.inverse() };
        let inverses: Vec<DMat3> = inertias.iter().map(inverse).collect();
        let mut free = before.clone();
        let lates = self.lates(dt, &vec![true; self.bodies.len()]);
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
        for (i, impulse) in self.early_pulls(dt) {
            if let Some(mass) = self.bodies[i].base.mass() {
                free[i].linear += impulse.force / mass;
                free[i].angular += inverses[i] * impulse.torque;
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
            fastest: free.iter().map(|t| t.linear.length()).fold(LEAST_SPEED, f64::max),
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
    pub(super) fn share(&self, c: &Contact, dt: f64) -> Share {
        let (p, normal) = (c.patch.center_of_pressure, c.patch.mean_normal());
        let mobility = |i: usize| self.bodies[i].base.mobility(p, normal);
        Share::of(c.patch.stiffness * (mobility(c.touch.a.0) + mobility(c.touch.b.0)), dt)
    }

    /// Of each of `some` bodies: what part of its way it goes at its velocity after the step. That of its stiffest contact.
    fn lates(&self, dt: f64, some: &[bool]) -> Vec<f64> {
        let mut lates = vec![0.5f64; self.bodies.len()];
        for c in self.contacts.iter().filter(|c| some[c.touch.a.0] || some[c.touch.b.0]) {
            let late = self.share(c, dt).late;
            for i in [c.touch.a.0, c.touch.b.0] {
                lates[i] = lates[i].max(late);
            }
        }
        self.spread_over_joints(&mut lates);
        lates
    }

    /// Bodies whose velocities do not fit the forces where they have come to.
    fn unsettled(
        &self,
        (leap, velocities): (&Leap, &[Twist]),
        (ready, pulls): (&[Option<Ready>], &[Pull]),
    ) -> Vec<bool> {
        let mut felt = vec![Impulse::default(); self.bodies.len()];
        for (c, ready) in self.contacts.iter().zip(ready).filter_map(|(c, r)| Some((c, r.as_ref()?))) {
            felt[c.touch.a.0] += ready.on(0);
            felt[c.touch.b.0] += ready.on(1);
        }
        for pull in pulls {
            let bodies = self.ties[pull.tie].bodies;
            for (body, impulse) in bodies.iter().zip(self.impulses(pull, leap, velocities)) {
                body.iter().for_each(|i| felt[*i] += impulse);
            }
        }
        let groups = self.groups(&vec![true; self.bodies.len()]);
        let mut fastest = vec![0.0f64; self.bodies.len()];
        for (i, group) in groups.iter().enumerate() {
            group.iter().for_each(|g| fastest[*g] = fastest[*g].max(leap.free[i].linear.length()));
        }
        let wrong = |i: usize| match groups[i] {
            Some(group) => {
                self.mover(i, leap).left(&velocities[i], &felt[i]) > SETTLED * fastest[group].max(LEAST_SPEED)
            }
            // Those that touch nothing are free.
            None => self.moves(i) && velocities[i] != leap.free[i],
        };
        (0..self.bodies.len()).map(wrong).collect()
    }

    fn mover(&self, i: usize, leap: &Leap) -> Mover {
        let mass = self.bodies[i].base.mass().unwrap_or(f64::INFINITY);
        Mover { mass, inertia: leap.inertias[i], free: leap.free[i] }
    }

    /// These bodies, and all they touch that forces move.
    fn with_neighbours(&self, some: &[bool]) -> Vec<bool> {
        let mut all = some.to_vec();
        for c in &self.contacts {
            let (a, b) = (c.touch.a.0, c.touch.b.0);
            all[a] |= some[b] && self.moves(a);
            all[b] |= some[a] && self.moves(b);
        }
        for [a, b] in self.tied(true) {
            all[a] |= some[b];
            all[b] |= some[a];
        }
        self.spread_over_joints(&mut all);
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
    pub(super) fn go(&mut self, bases: &[f64], leap: &Leap, (velocities, active): (&[Twist], &[bool])) {
        let (dt, time) = (leap.stride.dt, self.time);
        let one = |(i, body): (usize, &mut Body)| {
            if !active[i] {
                return;
            }
            body.base.restore(&bases[leap.offsets[i]..]);
            let late = leap.lates[i];
            if late < 1.0 {
                body.base.move_on((1.0 - late) * dt, time);
            }
            if let Some(mass) = body.base.mass() {
                // By the inertia they were solved with: what one body gets another gives.
                let now = body.base.twist();
                let force = mass / dt * (velocities[i].linear - now.linear);
                let torque = leap.inertias[i] * (velocities[i].angular - now.angular) / dt;
                body.base.push(&Load { force, torque }, dt);
            }
            body.base.move_on(late * dt, time);
        };
        if self.bodies.len() > WORTH_SHARING {
            self.bodies.par_iter_mut().enumerate().with_min_len(WORTH_SHARING).for_each(one);
        } else {
            self.bodies.iter_mut().enumerate().for_each(one);
        }
    }

    /// Bodies that hang together by contacts and ties, with their couplings.
    fn islands(
        &self,
        (leap, velocities): (&Leap, &[Twist]),
        (ready, pulls): (&[Option<Ready>], &[Pull]),
        active: &[bool],
    ) -> Vec<Members> {
        let (mut islands, places) = self.gather(&self.groups(active), |i| self.mover(i, leap));
        for (c, ready) in self.contacts.iter().zip(ready).filter_map(|(c, r)| Some((c, r.as_ref()?))) {
            let sides = [c.touch.a.0, c.touch.b.0];
            let Some((island, _)) = sides.iter().find_map(|i| places[*i]) else { continue };
            let movers = sides.map(|i| places[i].map(|p| p.1));
            islands[island].island.couplings.push(ready.among(movers));
        }
        for (at, pull) in pulls.iter().enumerate() {
            let sides = self.ties[pull.tie].bodies;
            let Some((island, _)) = sides.iter().flatten().find_map(|i| places[*i]) else { continue };
            let movers = sides.map(|i| i.and_then(|i| places[i]).map(|p| p.1));
            let members = &mut islands[island];
            members.pulls.push((members.island.couplings.len(), at));
            members.island.couplings.push(self.pull_coupling(pull, leap, (velocities, movers)));
        }
        islands
    }

    /// Islands without couplings, of bodies of which each names one of its group; and for each body its island and its
    /// number there.
    pub(super) fn gather(
        &self,
        groups: &[Option<usize>],
        mover: impl Fn(usize) -> Mover,
    ) -> (Vec<Members>, Vec<Option<(usize, usize)>>) {
        let mut islands: Vec<Members> = Vec::new();
        let mut places = vec![None; self.bodies.len()];
        let mut numbers = vec![None; self.bodies.len()];
        for &i in &self.by_name {
            let Some(group) = groups[i] else { continue };
            let island = *numbers[group].get_or_insert_with(|| {
                islands.push(Members { island: Island::default(), bodies: Vec::new(), pulls: Vec::new() });
                islands.len() - 1
            });
            let members = &mut islands[island];
            places[i] = Some((island, members.bodies.len()));
            members.bodies.push(i);
            members.island.movers.push(mover(i));
        }
        (islands, places)
    }

    /// For every active body that forces move and that touches something: one body of its island.
    pub(super) fn groups(&self, active: &[bool]) -> Vec<Option<usize>> {
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
        for tie in self.ties.iter().filter(|t| !t.broken) {
            tie.bodies.iter().flatten().for_each(|i| touched[*i] = true);
            if let [Some(a), Some(b)] = tie.bodies
                && joins(a)
                && joins(b)
            {
                sets.join(a, b);
            }
        }
        (0..self.bodies.len()).map(|i| (touched[i] && joins(i)).then(|| sets.first(i))).collect()
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
    pub fn of(&self, all: &[Twist]) -> Vec<Twist> {
        self.bodies.iter().map(|i| all[*i]).collect()
    }
}
