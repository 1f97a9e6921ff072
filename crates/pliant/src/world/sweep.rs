//! Nothing passes unseen through an implicit step: bodies are looked at on their way.
//!
//! *The idea*: before a step, where bodies fall freely, fast pairs are followed to their first touch, and the step ends a
//! part of a thickness behind it. After it, when it is known how bodies have moved, pairs that touch neither at its start
//! nor at its end are followed again; one that touched in between means that the step is taken again, to there.
//! *Not promised*: what a graze is that may go unseen is said in [`crate::contact`]'s sweep: 0.2 % of a thickness deep.

use super::implicit::WORTH_SHARING;
use super::leap::Leap;
use super::{Contact, LayerPair, World};
use crate::bodies::Twist;
use crate::contact::{self, STRIDE, Trajectory};
use crate::math::{Aabb, DQuat, DVec3, Frame};
use rayon::prelude::*;

/// How far two bodies may come into each other in a step that nothing slows, as a part of the thinner thickness. Larger: a
/// step may come to where nothing pushes back. Smaller: many steps.
const FIRST_PRESS: f64 = 0.5;

impl World {
    /// How long an implicit step may be: how long contacts may press, and until when something may touch first, s.
    pub(super) fn longest_implicit_step(&mut self) -> (f64, f64) {
        self.look_ahead();
        let longest = self.settings.implicit_step;
        let (mut pressing, mut touching) = (longest, longest);
        let fast = self.of_pairs(|i, j| {
            if !self.near.ahead[i].0.overlaps(&self.near.ahead[j].0) {
                return None;
            }
            let closing = self.closing_speed(i, j);
            let press = FIRST_PRESS * self.thinner(i, j) / closing;
            if press >= longest { None } else { Some(((i, j), closing, press)) }
        });
        for ((i, j), closing, press) in fast {
            if self.touch(i, j) {
                pressing = pressing.min(press);
            } else if let Some(first) = self.first_touch_ahead((i, j), closing, touching.min(longest)) {
                touching = touching.min(self.end_behind(first, press, (i, j)));
            }
        }
        let least = self.settings.smallest_step;
        (pressing.min(self.longest_turn()).max(least), touching.max(least))
    }

    /// Thickness of the thinner of two bodies, metres.
    fn thinner(&self, i: usize, j: usize) -> f64 {
        let layers = |i: usize| self.bodies[i].layers.iter();
        layers(i).chain(layers(j)).map(|l| l.shape.least_thickness()).fold(f64::INFINITY, f64::min)
    }

    /// Whether any patch is between two bodies, in the order of their names.
    fn touch(&self, i: usize, j: usize) -> bool {
        self.touched(&self.contacts, i, j)
    }

    /// Whether one of `contacts`, which are in order, is between two bodies that are.
    fn touched(&self, contacts: &[Contact], i: usize, j: usize) -> bool {
        let place = (self.rank[i], self.rank[j]);
        let of = |t: &LayerPair| (self.rank[t.a.0], self.rank[t.b.0]);
        let first = contacts.partition_point(|c| of(&c.touch) < place);
        contacts.get(first).is_some_and(|c| of(&c.touch) == place)
    }

    /// Where body `i` will be after some seconds if nothing touches it.
    fn frame_ahead(&self, i: usize, after: f64) -> Frame {
        let base = &self.bodies[i].base;
        let (mut frame, _) = base.after(after, self.time + after);
        if base.mass().is_some() {
            frame.translation += 0.5 * after * after * self.gravity;
        }
        frame
    }

    fn first_touch_ahead(&self, (i, j): (usize, usize), closing: f64, until: f64) -> Option<f64> {
        let (at_i, at_j) = (|t: f64| self.frame_ahead(i, t), |t: f64| self.frame_ahead(j, t));
        self.first_touch((i, j), [&at_i, &at_j], (closing, until))
    }

    fn first_touch(
        &self,
        (i, j): (usize, usize),
        [at_i, at_j]: [&dyn Fn(f64) -> Frame; 2],
        (closing, until): (f64, f64),
    ) -> Option<f64> {
        let way = |i: usize, at| Trajectory { layers: &self.bodies[i].layers, at };
        contact::first_touch([&way(i, at_i), &way(j, at_j)], closing, until)
    }

    /// When to end a step in which two bodies touch first after `first` seconds: where they may have pressed in, if they
    /// still touch there, which after a graze they do not.
    fn end_behind(&self, first: f64, press: f64, (i, j): (usize, usize)) -> f64 {
        let frames = [i, j].map(|k| self.frame_ahead(k, first + press));
        let overlap = contact::touch_at([&self.bodies[i].layers, &self.bodies[j].layers], frames);
        if overlap { first + press } else { first }
    }

    /// When, within a step that has been taken, two bodies touched that do not at its end and did not `before`, s.
    pub(super) fn missed(&self, leap: &Leap, before: &[Contact]) -> Option<f64> {
        let dt = leap.stride.dt;
        let paths: Vec<Path> =
            (0..self.bodies.len()).into_par_iter().with_min_len(WORTH_SHARING).map(|i| self.path(i, leap)).collect();
        let fast = self.of_pairs(|i, j| {
            let (p, q) = (&paths[i], &paths[j]);
            let closing = p.closing(q);
            let slow = closing * dt <= STRIDE * self.thinner(i, j) || !p.swept.overlaps(&q.swept);
            (!slow && !self.touch(i, j) && !self.touched(before, i, j)).then_some(((i, j), closing))
        });
        let mut first: Option<f64> = None;
        for ((i, j), closing) in fast {
            let (p, q) = (&paths[i], &paths[j]);
            let (at_i, at_j) = (|t: f64| p.at(t), |t: f64| q.at(t));
            let until = first.unwrap_or(dt);
            if let Some(time) = self.first_touch((i, j), [&at_i, &at_j], (closing, until)) {
                first = Some(time);
            }
        }
        // At the end itself the search for contacts has looked, and what it did not find is none.
        first.filter(|t| *t < dt)
    }

    /// The way body `i` has gone in a step.
    fn path(&self, i: usize, leap: &Leap) -> Path {
        let base = &self.bodies[i].base;
        let (start, end, dt) = (leap.stride.frames[i], base.world_from_body(), leap.stride.dt);
        let (before, after) = (leap.before[i], base.twist());
        let body_center = end.inverse().point(base.center());
        let centers = [start.point(body_center), base.center()];
        // Pushes are rounded.
        let pushed = (after.linear - leap.free[i].linear).length();
        let falls = self.moves(i) && pushed <= 1e-9 * after.linear.length();
        let spin = before.angular.length().max(after.angular.length());
        let turning = if spin == 0.0 { 0.0 } else { spin * self.bodies[i].reach(&self.near.now[i], 0.0) };
        let mean = (centers[1] - centers[0]) / dt;
        let back = self.near.now[i].grown(turning * dt);
        let swept = back.union(&Aabb { min: back.min - mean * dt, max: back.max - mean * dt });
        let gravity = if falls { self.gravity } else { DVec3::ZERO };
        let late = if self.moves(i) { leap.lates[i] } else { 0.5 };
        let turns = [before, after].map(|t: Twist| t.angular);
        let speeds = if falls || !self.moves(i) { [mean; 2] } else { [before.linear, after.linear] };
        let swept = swept.grown(0.125 * dt * dt * gravity.length() + 0.25 * dt * (speeds[0] - speeds[1]).length());
        Path { start, end, centers, body_center, turns, speeds, gravity, turning, swept, early: (1.0 - late) * dt, dt }
    }
}

/// The way a body has gone in a step: at one velocity, then at another, or along a parabola.
struct Path {
    start: Frame,
    end: Frame,
    /// Where its centre was, and is.
    centers: [DVec3; 2],
    body_center: DVec3,
    /// Spins, rad/s.
    turns: [DVec3; 2],
    /// Velocities before and after `early` seconds.
    speeds: [DVec3; 2],
    gravity: DVec3,
    /// A speed that turning alone never exceeds, m/s.
    turning: f64,
    /// All places it has been to are in here.
    swept: Aabb,
    early: f64,
    dt: f64,
}

impl Path {
    fn at(&self, time: f64) -> Frame {
        let left = self.dt - time;
        // What it fell behind the straight way, which is `t (dt − t) g/2` from both its ends.
        let bow = -0.5 * time * left * self.gravity;
        let (rotation, center) = if time < self.early {
            let turn = DQuat::from_scaled_axis(self.turns[0] * time);
            (turn * self.start.rotation, self.centers[0] + self.speeds[0] * time)
        } else {
            let turn = DQuat::from_scaled_axis(self.turns[1] * -left);
            (turn * self.end.rotation, self.centers[1] - self.speeds[1] * left)
        };
        Frame { rotation, translation: center + bow - rotation * self.body_center }
    }

    /// A speed that points of both never exceed against each other, m/s.
    fn closing(&self, other: &Self) -> f64 {
        let between = |k: usize, l: usize| (self.speeds[k] - other.speeds[l]).length();
        let straight = between(0, 0).max(between(0, 1)).max(between(1, 0)).max(between(1, 1));
        let falling = 0.5 * self.dt * (self.gravity - other.gravity).length();
        straight + falling + self.turning + other.turning
    }
}
