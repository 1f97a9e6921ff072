//! Contacts in implicit steps give back no more than they took.
//!
//! *The idea* (what keeps haptic devices calm, [HR02]): a pair holds nothing when it meets, so whatever it has done to its two
//! bodies since, together, is a loss or nothing. Steps as long as a frame follow a force coarsely, and may end with a
//! gain; it is known, push by push, and taken away again by an impulse between the two, which keeps all momentum.
//! *Not promised*: anything for pairs that overlapped from the start, which hold an unknown energy, or are held by joints,
//! which would be torn.
//!
//! [HR02]: https://doi.org/10.1109/70.988969

use super::leap::Leap;
use super::ready::Ready;
use super::{Contact, LayerPair, PairLedger, World};
use crate::bodies::{Load, Twist};
use crate::motion::implicit::Impulse;
use std::ops::Range;

/// What a touch did to both its bodies over a step, about their centres.
#[derive(Clone, Copy)]
pub(super) struct Act {
    pub touch: LayerPair,
    pub impulses: [Impulse; 2],
}

/// Which bodies joints held in a step, those that broke at its end included.
pub(super) struct Held {
    pub joined: Vec<bool>,
    /// Joints of each.
    pub joints: Vec<usize>,
}

impl Act {
    /// Bodies, and what each has got.
    fn on(&self) -> [(usize, Impulse); 2] {
        [(self.touch.a.0, self.impulses[0]), (self.touch.b.0, self.impulses[1])]
    }
}

impl World {
    /// Books what contacts have done in a step, from `before` to now, and takes away what they made.
    pub(super) fn keep_fair(&mut self, leap: &Leap, ready: &[Ready], (before, held): (&[Contact], &Held)) {
        let acts = self.acts(leap, ready);
        let works = self.works_of(&acts, leap, held);
        let mut books = std::mem::take(&mut self.books);
        let (mut at, mut here) = (0, 0);
        for (act, work) in acts.iter().zip(works) {
            let place = self.place(&act.touch);
            at += books[at..].iter().take_while(|b| self.place(&b.touch) < place).count();
            if books.get(at).is_none_or(|b| b.touch != act.touch) {
                books.insert(at, PairLedger { touch: act.touch, work: 0.0, exchanged: 0.0, whole: true });
            }
            let book = &mut books[at];
            book.work += work;
            book.exchanged += work.abs();
            if book.whole && book.work > 0.0 {
                let (a, b) = (act.touch.a.0, act.touch.b.0);
                if held.joints[a] + held.joints[b] == 0 {
                    // All are in the order of names.
                    here += self.contacts[here..].iter().take_while(|c| self.place(&c.touch) < place).count();
                    let count = self.contacts[here..].iter().take_while(|c| c.touch == act.touch).count();
                    book.work -= self.take_away(book.work, (&act.touch, here..here + count), (before, leap));
                }
            }
        }
        // Both in the order of names.
        let mut now = self.contacts.iter().map(|c| c.touch).peekable();
        books.retain(|b| {
            while now.next_if(|t| self.place(t) < self.place(&b.touch)).is_some() {}
            now.peek() == Some(&b.touch)
        });
        self.books = books;
    }

    /// What each pair that touches, or did, has done, in the order of names.
    fn acts(&self, leap: &Leap, ready: &[Ready]) -> Vec<Act> {
        let late = self.contacts.iter().zip(ready).filter_map(|(c, r)| Some((c.touch, r.known()?)));
        let late = late.map(|(touch, ready)| Act { touch, impulses: [0, 1].map(|side| ready.on(side)) });
        let mut all: Vec<Act> = leap.early.iter().copied().chain(late).collect();
        // What no force moves neither takes nor gives.
        all.retain(|a| self.moves(a.touch.a.0) || self.moves(a.touch.b.0));
        // Stable: what is summed is summed in the same order.
        all.sort_by_key(|a| self.place(&a.touch));
        all.dedup_by(|next, act| {
            let same = next.touch == act.touch;
            if same {
                act.impulses.iter_mut().zip(next.impulses).for_each(|(sum, more)| *sum += more);
            }
            same
        });
        all
    }

    /// The work of each, joules: impulses work at the mean of the velocities before and after. What a body has gained
    /// besides, because forces and motion agreed only so far, is put down to its contacts by their strength.
    fn works_of(&self, acts: &[Act], leap: &Leap, held: &Held) -> Vec<f64> {
        let mut works = vec![0.0; acts.len()];
        let mut rest: Vec<f64> = (0..self.bodies.len()).map(|i| self.gained(i, leap)).collect();
        let mut strengths = vec![0.0; self.bodies.len()];
        for (act, work) in acts.iter().zip(&mut works) {
            for (i, push) in act.on() {
                let twist = self.mean_twist(i, leap);
                let done = push.linear.dot(twist.linear) + push.angular.dot(twist.angular);
                *work += done;
                rest[i] -= done;
                strengths[i] += push.linear.length();
            }
        }
        for (act, work) in acts.iter().zip(&mut works) {
            for (i, push) in act.on() {
                if strengths[i] > 0.0 && self.moves(i) && !held.joined[i] {
                    *work += rest[i] * push.linear.length() / strengths[i];
                }
            }
        }
        works
    }

    /// How body `i` moved in a step, on the whole.
    fn mean_twist(&self, i: usize, leap: &Leap) -> Twist {
        if self.moves(i) {
            let (was, is) = (leap.before[i], self.bodies[i].base.twist());
            return Twist { linear: 0.5 * (was.linear + is.linear), angular: 0.5 * (was.angular + is.angular) };
        }
        let (shift, turn) = self.way(i, &leap.stride, self.bodies[i].base.center());
        Twist { linear: shift / leap.stride.dt, angular: turn / leap.stride.dt }
    }

    /// What body `i` has gained of energy of motion beyond what gravity gave it, joules. Stiff contacts make bodies go all the way
    /// at their last velocity, on which gravity's work is not quite that of its impulse; the less of both counts.
    fn gained(&self, i: usize, leap: &Leap) -> f64 {
        let (base, was) = (&self.bodies[i].base, &leap.before[i]);
        let Some(mass) = base.mass() else { return 0.0 };
        let spinning = was.angular.dot(leap.inertias[i] * was.angular);
        let (shift, _) = self.way(i, &leap.stride, base.center());
        let pushed = 0.5 * leap.stride.dt * (was.linear + base.twist().linear);
        let fallen = mass * self.gravity.dot(shift).min(self.gravity.dot(pushed));
        base.kinetic_energy() - 0.5 * (mass * was.linear.length_squared() + spinning) - fallen
    }

    /// Slows two bodies that part, whose contacts are `now`, by as much as takes `energy` from them; returns what was taken,
    /// joules. Sleepers stay where they are.
    fn take_away(
        &mut self,
        energy: f64,
        (touch, now): (&LayerPair, Range<usize>),
        (before, leap): (&[Contact], &Leap),
    ) -> f64 {
        let (a, b) = (touch.a.0, touch.b.0);
        let now = &self.contacts[now];
        let patches = if now.is_empty() { self.between(before, touch) } else { now };
        let Some(c) = patches.iter().max_by(|p, q| p.patch.load.total_cmp(&q.patch.load)) else { return 0.0 };
        let (mut p, normal) = (c.patch.center_of_pressure, c.patch.mean_normal());
        if now.is_empty() {
            // Where they touched has gone on with both.
            let carried = |i: usize| {
                let was = leap.stride.frames[i].inverse().point(p);
                self.bodies[i].base.world_from_body().point(was)
            };
            p = 0.5 * (carried(a) + carried(b));
        }
        let ease = |i: usize| if self.is_awake(i) { self.bodies[i].base.mobility(p, normal) } else { 0.0 };
        let ease = ease(a) + ease(b);
        let parting = (self.bodies[b].base.velocity_at(p) - self.bodies[a].base.velocity_at(p)).dot(normal);
        if parting <= 0.0 || ease == 0.0 {
            return 0.0;
        }
        // An impulse j against parting takes j v − ½ j² w.
        let left = (parting * parting - 2.0 * ease * energy).max(0.0).sqrt();
        let impulse = (parting - left) / ease;
        for (i, sign) in [(a, 1.0), (b, -1.0)] {
            if self.is_awake(i) {
                let base = &mut self.bodies[i].base;
                let force = sign * impulse * normal;
                let torque = (p - base.center()).cross(force);
                base.push(&Load { force, torque }, 1.0);
            }
        }
        0.5 * (parting + left) * impulse
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::ball;
    use super::*;
    use crate::math::DVec3;
    use crate::model::{BodySpec, Scene};

    /// Two balls of 1 kg, a centimetre deep in each other, that part: one spins and leaves at 1 m/s, the other at `speed`.
    fn parting(speed: f64) -> World {
        let (left, right) = (ball("a", DVec3::X * -0.095), ball("b", DVec3::X * 0.095));
        let left = BodySpec { velocity: -DVec3::X, angular_velocity: 3.0 * DVec3::Y, ..left };
        let bodies = vec![left, BodySpec { velocity: speed * DVec3::X, ..right }];
        World::new(&Scene { bodies, gravity: DVec3::ZERO, ..Scene::default() }).unwrap()
    }

    fn motion(world: &World) -> (f64, DVec3) {
        let bases = || world.bodies.iter().map(|b| &b.base);
        (bases().map(|b| b.kinetic_energy()).sum(), bases().map(|b| b.twist().linear).sum())
    }

    #[test]
    fn as_much_is_taken_away_as_was_made_and_momentum_stays() {
        let mut world = parting(1.0);
        let (touch, leap) = (world.contacts[0].touch, world.leap(1e-3));
        let (energy, momentum) = motion(&world);
        let taken = world.take_away(0.3, (&touch, 0..1), (&[], &leap));
        let (left, kept) = motion(&world);
        assert!(
            (taken - 0.3).abs() < 1e-12 && (energy - left - 0.3).abs() < 1e-12,
            "{taken} J of {energy}, {left} left"
        );
        assert!((kept - momentum).length() < 1e-15, "{kept}");
        // All they part with, ½ · ½ kg · (2 m/s)², and no more.
        let taken = world.take_away(5.0, (&touch, 0..1), (&[], &leap));
        assert!((taken - 0.7).abs() < 1e-12, "{taken}");
    }

    #[test]
    fn a_sleeper_is_not_pushed() {
        let mut world = parting(0.0);
        let (touch, leap) = (world.contacts[0].touch, world.leap(1e-3));
        let (energy, _) = motion(&world);
        world.lay_down(1);
        let before = world.bodies[1].base.twist();
        let taken = world.take_away(0.3, (&touch, 0..1), (&[], &leap));
        assert_eq!(world.bodies[1].base.twist(), before);
        assert!((taken - 0.3).abs() < 1e-12 && (energy - motion(&world).0 - taken).abs() < 1e-12, "{taken}");
    }
}
