//! Bodies that have come to rest are left alone until something changes for them.
//!
//! *The idea*: an island of which all bodies have been slow for half a second, and which something that never moves holds
//! up, falls asleep: it stops, keeps its contacts as they are, and costs next to nothing. What touches a sleeper is
//! watched with it: if forces on the sleeper no longer agree with rest, it wakes in that very step, and so do its
//! neighbours if theirs do not. So a feather put on a heavy block does not wake it, and a ball dropped on it does. What
//! joints hold wakes as soon as it is touched.
//! *Not promised*: that what creeps more slowly than [`SLOW`] goes on creeping.

use super::leap::Leap;
use super::{Contact, World};
use crate::bodies::{Joint, JointAction, Twist};

/// Slow is what is slower than this part of `√(g × size)`. Larger: what still moves stops. Smaller: what has noise in its
/// contacts never sleeps.
const SLOW: f64 = 2e-3;
/// Seconds for which all of an island must have been slow.
const LONG: f64 = 0.5;
/// What [`World::still`] says of a sleeper.
const ASLEEP: f64 = -1.0;

impl World {
    /// Whether body `i` has come to rest and is left alone.
    pub fn is_asleep(&self, i: usize) -> bool {
        self.still[i] == ASLEEP
    }

    #[cfg(test)]
    pub(super) fn lay_down(&mut self, i: usize) {
        self.still[i] = ASLEEP;
    }

    /// Whether body `i` is moved by forces now.
    pub(super) fn is_awake(&self, i: usize) -> bool {
        self.moves(i) && !self.is_asleep(i)
    }

    /// Wakes all where gravity, or the wish to sleep, has changed.
    pub(super) fn heed_settings(&mut self) {
        if !self.settings.sleep || self.gravity != self.slept_under {
            self.still.fill(0.0);
            self.slept_under = self.gravity;
        }
    }

    /// Whether nothing moves, by forces or by keys.
    pub(super) fn all_rest(&self) -> bool {
        let rests = |i: usize| if self.moves(i) { self.is_asleep(i) } else { self.bodies[i].base.is_fixed() };
        (0..self.bodies.len()).all(rests)
    }

    /// Wakes those of `some` that sleep.
    pub(super) fn wake(&mut self, some: &[bool]) {
        for i in (0..some.len()).filter(|i| some[*i]) {
            if self.is_asleep(i) {
                self.still[i] = 0.0;
            }
        }
    }

    /// Bodies that are where they were not when a step set out, by forces or by keys.
    pub(super) fn moving(&self, leap: &Leap) -> Vec<bool> {
        let keyed = |i: usize| self.bodies[i].base.world_from_body() != leap.stride.frames[i];
        (0..self.bodies.len()).map(|i| if self.moves(i) { self.is_awake(i) } else { keyed(i) }).collect()
    }

    /// Adds to bodies that are awake those sleepers that share, or shared, a contact or joint with something that moves.
    pub(super) fn watch(&self, moving: &[bool], gone: &[Contact], watched: &mut [bool]) {
        let mut pair = |a: usize, b: usize| {
            watched[a] |= moving[b] && self.moves(a);
            watched[b] |= moving[a] && self.moves(b);
        };
        self.contacts.iter().chain(gone).for_each(|c| pair(c.touch.a.0, c.touch.b.0));
        for joint in self.standing() {
            if let [Some(a), Some(b)] = joint.bodies {
                pair(a, b);
            }
        }
    }

    /// Counts how long bodies have been slow, after a step, and lets islands sleep.
    pub(super) fn fall_asleep(&mut self, leap: &Leap) {
        let limit =
            |world: &Self, i: usize| SLOW * (world.gravity.length() * world.near.now[i].size().max_element()).sqrt();
        let mut some = false;
        for i in (0..self.bodies.len()).filter(|i| self.is_awake(*i)).collect::<Vec<_>>() {
            let (twist, size) = (self.bodies[i].base.twist(), self.near.now[i].size().max_element());
            let speed = twist.linear.length() + 0.5 * size * twist.angular.length();
            let slow = speed < limit(self, i);
            self.still[i] = if slow { self.still[i] + leap.stride.dt } else { 0.0 };
            some |= self.still[i] >= LONG;
        }
        if !some || !self.settings.sleep {
            return;
        }
        let groups = self.groups(&vec![true; self.bodies.len()]);
        // Of each group, by one of its bodies: whether all are still, and whether something holds it up.
        let (mut still, mut held) = (vec![true; self.bodies.len()], vec![false; self.bodies.len()]);
        for (i, group) in groups.iter().enumerate() {
            group.iter().for_each(|g| still[*g] &= self.is_asleep(i) || self.still[i] >= LONG);
        }
        let moving = self.moving(leap);
        let mut with = |body: usize, other: Option<usize>| {
            let Some(group) = groups[body] else { return };
            match other {
                Some(other) if self.moves(other) => {}
                Some(other) if moving[other] => still[group] = false,
                _ => held[group] = true,
            }
        };
        for c in &self.contacts {
            with(c.touch.a.0, Some(c.touch.b.0));
            with(c.touch.b.0, Some(c.touch.a.0));
        }
        for joint in self.standing() {
            let [a, b] = joint.bodies;
            a.iter().for_each(|i| with(*i, b));
            b.iter().for_each(|i| with(*i, a));
        }
        let driven = |t: &&Joint| matches!(t.hold, JointAction::Frame { travel, .. } if travel.motor.is_some());
        for i in self.standing().filter(driven).flat_map(|t| t.bodies).flatten() {
            groups[i].iter().for_each(|g| still[*g] = false);
        }
        for (i, group) in groups.iter().enumerate() {
            if group.is_some_and(|g| still[g] && held[g]) && !self.is_asleep(i) {
                self.still[i] = ASLEEP;
                self.set_twist(i, &Twist::default());
            }
        }
    }
}
