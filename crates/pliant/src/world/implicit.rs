//! The implicit step: contacts are asked where bodies come to, until forces and motion agree.
//!
//! *The idea*: patches of this moment tell, to first order, the forces after a step; the velocities that fit them
//! ([`motion::implicit`](crate::motion::implicit)) tell where bodies come to. There the patches are found again, exactly.
//! If their forces are those the motion was solved with, the step is done and these patches are the next step's first; a
//! pile at rest takes one look. If not, they are what is solved with next: Newton's method on the exact potential.
//! Contacts that a step can follow act half as they were and half as they will be, and bodies move at the mean of both
//! velocities: second order, and energy is kept; for that, too, velocities end as the forces found make them. Those too stiff
//! for the step act as they will be: they come to rest.
//! *Not promised*: that energy is kept where contacts are too stiff for the step, or begin and end.

use super::fair::Held;
use super::leap::Leap;
use super::pull::Pull;
use super::ready::{AllReady, Asked, Ready};
use super::{Contact, WarningKind, World};
use crate::bodies::{Body, Load, Twist};
use crate::math::UnionFind;
use crate::model::{MANY_BODIES, Scheme};
use crate::motion::implicit::{Impulse, Island, LEAST_PART, LEAST_SPEED, Mover};
use rayon::prelude::*;

/// Forces and motion agree when what is left over would change velocities by this part of how fast bodies meet. Smaller: more
/// looks at contacts. Larger: impacts are less exact than their step.
const SETTLED: f64 = 0.03;

/// Looks at contacts before half a step is tried instead.
const MOST_LOOKS: usize = 8;

/// Times a step is cut before it is kept as it is.
const MOST_CUTS: usize = 6;

/// Fewer couplings than this are not worth more than one thread.
pub(super) const WORTH_SHARING: usize = 64;

/// An island, and which bodies its movers are.
pub(super) struct Members<'a> {
    pub island: Island<'a>,
    pub bodies: Vec<usize>,
    /// Which of its couplings are joints, and which joints.
    pub pulls: Vec<(usize, usize)>,
}

/// Contacts of before a step, as far as they have been replaced.
struct Before {
    contacts: Vec<Contact>,
    /// Bodies whose contacts were looked at.
    asked: Vec<bool>,
}

/// What came of looking for where forces and motion agree.
struct Agreed {
    /// Whether it was found.
    whole: bool,
    before: Before,
    /// What velocities are to end with besides.
    rest: Vec<(usize, Load)>,
}

impl Before {
    /// What was looked at were `moved` bodies: their contacts, from `first` on, were those of before the step unless an
    /// earlier look had found them.
    fn add(&mut self, first: usize, moved: &[bool]) {
        let asked = &self.asked;
        let mut at = 0;
        self.contacts.retain(|c| {
            at += 1;
            at <= first || !asked[c.touch.a.0] && !asked[c.touch.b.0]
        });
        self.asked.iter_mut().zip(moved).for_each(|(a, m)| *a |= m);
    }
}

impl World {
    /// Whether the next steps are implicit: as the settings say, unless the inertia of some base is not known;
    /// wherever there are joints.
    pub(super) fn is_implicit(&self) -> bool {
        let wanted = match self.settings.scheme {
            Scheme::Explicit => false,
            Scheme::Implicit => true,
            Scheme::Auto => self.movers > MANY_BODIES,
        };
        !self.joints.is_empty() || wanted && self.inertia_known
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
        let mut ready = std::mem::take(&mut self.ready);
        let Agreed { whole, mut before, rest } = self.agree(&start.bases, &mut leap, (&mut pulls, &mut ready));
        // Stable: patches of one touch stay in order.
        before.contacts.sort_by_key(|c| self.place(&c.touch));
        let shorter = match (keep, whole) {
            (true, _) => None,
            (false, true) => self.missed(&leap, &before.contacts),
            (false, false) => Some(0.5 * dt),
        };
        if shorter.is_none() {
            // What was asked before this went by the way bodies have gone.
            rest.iter().for_each(|(i, load)| self.bodies[*i].base.push(load, 1.0));
            self.look_for_the_bottom();
            self.look_for_the_lost(&before.contacts);
            self.most_contacts = self.most_contacts.max(self.contacts.len());
            self.shear(&leap.stride);
            let held = Held { joined: self.which_are_tied(), joints: self.joint_counts.clone() };
            self.settle_ties(&pulls, &leap);
            self.keep_fair(&leap, &ready.each, (&before.contacts, &held));
            self.fall_asleep(&leap);
            self.answer_of(|t| before.asked[t.a.0] || before.asked[t.b.0]);
            self.book_losses(&leap);
            before.contacts.clear();
            self.spare = before.contacts;
        } else {
            self.go_back(&start);
            self.still = still;
            self.hints = hints;
            self.put_back(before);
        }
        (self.start, self.ready) = (start, ready);
        shorter
    }

    /// Moves all bodies to where their velocities and the forces there agree.
    fn agree(&mut self, bases: &[f64], leap: &mut Leap, (pulls, ready): (&mut [Pull], &mut AllReady)) -> Agreed {
        let mut before = Before { contacts: Vec::new(), asked: vec![false; self.bodies.len()] };
        let mut grips = self.grips();
        grips.sort_by_key(|g| g.touch);
        self.time += leap.stride.dt;
        let mut velocities = leap.before.clone();
        for i in (0..self.bodies.len()).filter(|i| !self.moves(*i)).collect::<Vec<_>>() {
            self.bodies[i].base.advance(leap.stride.dt, self.time);
        }
        let mut active: Vec<bool> = (0..self.bodies.len()).map(|i| self.is_awake(i)).collect();
        let moving = self.moving(leap);
        let mut watched = active.clone();
        self.watch(&moving, &[], &mut watched);
        pulls.iter_mut().for_each(|p| self.ask(p, leap, (&velocities, false)));
        ready.forget();
        let asked = Asked { leap, velocities: &velocities, later: false, moved: &moving, watched: &watched };
        self.make_ready(ready, &asked);
        for look in 0..MOST_LOOKS {
            let mut islands = self.islands((leap, &velocities), (ready, pulls), &active);
            self.solve(&islands, (&leap.free, &active), &mut velocities);
            self.go(bases, leap, (&velocities, &active));
            let taut = pulls.is_empty() || self.pull_taut(&mut islands, pulls, (leap, bases), &mut velocities);
            // Keyed bodies have moved once.
            let moved = if look == 0 { moving.clone() } else { active };
            let first = before.contacts.len();
            self.find_contacts_of(&moved, &grips, &mut before.contacts);
            before.add(first, &moved);
            self.watch(&moved, &before.contacts, &mut watched);
            let asked = Asked { leap, velocities: &velocities, later: true, moved: &moved, watched: &watched };
            self.make_ready(ready, &asked);
            let felt = self.felt((leap, &velocities), (&ready.each, pulls));
            let groups = self.groups(&vec![true; self.bodies.len()]);
            let mut wrong = self.unsettled((leap, &velocities), (&felt, &groups));
            (0..wrong.len()).for_each(|i| wrong[i] &= watched[i]);
            if wrong.iter().all(|w| !w) {
                let rest = self.rest_of((leap, &velocities), (&felt, &groups), &ready.each);
                return Agreed { whole: taut, before, rest };
            }
            active = self.with_neighbours(&wrong);
            self.wake(&active);
            (0..active.len()).for_each(|i| watched[i] |= active[i]);
            // What has begun to touch may be stiffer than what touched before.
            let late = |i: usize, c: &Contact| {
                ready.each[i].known().map_or_else(|| self.share(c, leap.stride.dt).late, Ready::late)
            };
            let lates = self.lates(leap.stride.dt, &active, late);
            for (i, late) in lates.into_iter().enumerate().filter(|(i, _)| active[*i]) {
                if late > leap.lates[i] {
                    self.turn_later(bases, leap, (i, late));
                }
            }
        }
        Agreed { whole: false, before, rest: Vec::new() }
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

    /// What each body feels over a step, of contacts where it has come to.
    fn felt(&self, (leap, velocities): (&Leap, &[Twist]), (ready, pulls): (&[Ready], &[Pull])) -> Vec<Impulse> {
        let mut felt = vec![Impulse::default(); self.bodies.len()];
        for (c, ready) in self.contacts.iter().zip(ready).filter_map(|(c, r)| Some((c, r.known()?))) {
            felt[c.touch.a.0] += ready.on(0);
            felt[c.touch.b.0] += ready.on(1);
        }
        for pull in pulls {
            let bodies = self.joints[pull.joint].bodies;
            for (body, impulse) in bodies.iter().zip(self.impulses(pull, leap, velocities)) {
                body.iter().for_each(|i| felt[*i] += impulse);
            }
        }
        felt
    }

    /// Bodies whose velocities do not fit the forces where they have come to.
    fn unsettled(
        &self,
        (leap, velocities): (&Leap, &[Twist]),
        (felt, groups): (&[Impulse], &[Option<usize>]),
    ) -> Vec<bool> {
        let mut fastest = vec![0.0f64; self.bodies.len()];
        let joined = self.which_are_tied();
        for (i, group) in groups.iter().enumerate() {
            let speed = if joined[i] { 1.0 } else { LEAST_PART } * leap.free[i].linear.length();
            group.iter().for_each(|g| fastest[*g] = fastest[*g].max(speed));
        }
        for c in &self.contacts {
            let group = groups[c.touch.a.0].or(groups[c.touch.b.0]);
            group.iter().for_each(|g| fastest[*g] = fastest[*g].max(self.meeting_speed(c, leap)));
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

    /// What forces and motion still differ by, for velocities to end with: it is little, but its work is not little at all.
    /// Contacts and springs too stiff or too damped for the step would ring with it: each island goes by its firmest. What joints
    /// hold, and all that touches it, gets nothing, for joints would be torn.
    fn rest_of(
        &self,
        (leap, velocities): (&Leap, &[Twist]),
        (felt, groups): (&[Impulse], &[Option<usize>]),
        ready: &[Ready],
    ) -> Vec<(usize, Load)> {
        let mut parts = vec![1.0f64; self.bodies.len()];
        let mut limit =
            |i: usize, late: f64| groups[i].iter().for_each(|g| parts[*g] = parts[*g].min(2.0 * (1.0 - late)));
        (0..groups.len()).for_each(|i| limit(i, if self.joint_counts[i] > 0 { 1.0 } else { leap.lates[i] }));
        // Those that have begun to touch are not in that.
        for (c, ready) in self.contacts.iter().zip(ready).filter_map(|(c, r)| Some((c, r.known()?))) {
            limit(c.touch.a.0, ready.late());
            limit(c.touch.b.0, ready.late());
        }
        let push = |i: usize| {
            let part = parts[groups[i]?];
            let Impulse { linear, angular } = self.mover(i, leap).missing(&velocities[i], &felt[i]);
            Some((i, Load { force: part * linear, torque: part * angular }))
        };
        (0..groups.len()).filter(|i| self.is_awake(*i)).filter_map(push).collect()
    }

    /// How fast two bodies would go against each other at their patch if nothing touched them, m/s.
    fn meeting_speed(&self, c: &Contact, leap: &Leap) -> f64 {
        let p = c.patch.reference;
        let velocity = |i: usize| match self.moves(i) {
            true => leap.free[i].linear + leap.free[i].angular.cross(p - self.bodies[i].base.center()),
            false => self.way(i, &leap.stride, p).0 / leap.stride.dt,
        };
        velocity(c.touch.a.0).distance(velocity(c.touch.b.0))
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
        for [a, b] in self.joined(true) {
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
                body.base.advance((1.0 - late) * dt, time);
            }
            if let Some(mass) = body.base.mass() {
                // By the inertia they were solved with: what one body gets another gives.
                let now = body.base.twist();
                let force = mass / dt * (velocities[i].linear - now.linear);
                let torque = leap.inertias[i] * (velocities[i].angular - now.angular) / dt;
                body.base.push(&Load { force, torque }, dt);
            }
            body.base.advance(late * dt, time);
        };
        if self.bodies.len() > WORTH_SHARING {
            self.bodies.par_iter_mut().enumerate().with_min_len(WORTH_SHARING).for_each(one);
        } else {
            self.bodies.iter_mut().enumerate().for_each(one);
        }
    }

    /// Bodies that hang together by contacts and joints, with their couplings.
    fn islands<'a>(
        &self,
        (leap, velocities): (&Leap, &[Twist]),
        (ready, pulls): (&'a AllReady, &[Pull]),
        active: &[bool],
    ) -> Vec<Members<'a>> {
        let (mut islands, places) = self.gather(&self.groups(active), |i| self.mover(i, leap));
        let known = || self.contacts.iter().zip(&ready.each).filter_map(|(c, r)| Some((c, r.known()?)));
        let island_of = |c: &Contact| [c.touch.a.0, c.touch.b.0].iter().find_map(|i| places[*i]).map(|p| p.0);
        let mut counts = vec![0; islands.len()];
        known().filter_map(|(c, _)| island_of(c)).for_each(|island| counts[island] += 1);
        islands.iter_mut().zip(counts).for_each(|(members, count)| members.island.couplings.reserve_exact(count));
        for (c, one) in known() {
            let Some(island) = island_of(c) else { continue };
            let movers = [c.touch.a.0, c.touch.b.0].map(|i| places[i].map(|p| p.1));
            islands[island].island.couplings.push(ready.among(one, movers));
        }
        for (at, pull) in pulls.iter().enumerate() {
            let sides = self.joints[pull.joint].bodies;
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
    pub(super) fn gather<'a>(
        &self,
        groups: &[Option<usize>],
        mover: impl Fn(usize) -> Mover,
    ) -> (Vec<Members<'a>>, Vec<Option<(usize, usize)>>) {
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
        let mut sets = UnionFind::new(self.bodies.len());
        let mut touched = vec![false; self.bodies.len()];
        for c in &self.contacts {
            let [a, b] = [c.touch.a.0, c.touch.b.0];
            (touched[a], touched[b]) = (true, true);
            if joins(a) && joins(b) {
                sets.union(a, b);
            }
        }
        for joint in self.standing() {
            joint.bodies.iter().flatten().for_each(|i| touched[*i] = true);
            if let [Some(a), Some(b)] = joint.bodies
                && joins(a)
                && joins(b)
            {
                sets.union(a, b);
            }
        }
        (0..self.bodies.len()).map(|i| (touched[i] && joins(i)).then(|| sets.find(i))).collect()
    }
}

impl Members<'_> {
    /// What of `all` is its bodies'.
    pub fn of(&self, all: &[Twist]) -> Vec<Twist> {
        self.bodies.iter().map(|i| all[*i]).collect()
    }
}
