//! Continuous collision detection for implicit steps: no body passes through another undetected.
//!
//! *The idea*: before a step, where bodies fall freely, fast pairs are followed to their first touch, and the step ends a
//! part of a thickness behind it. After it, when it is known how bodies have moved, pairs that touch neither at its start
//! nor at its end are followed again; one that touched in between means that the step is taken again, to there.
//! *Not promised*: a graze of less than 0.2 % of a thickness; see [`crate::contact`]'s conservative advancement.

use super::step_data::{Step, StepContext};
use crate::bodies::{LinkId, LinkState, Twist};
use crate::contact::{self, Approach, STRIDE, Separation, Trajectory};
use crate::math::{Aabb, DQuat, DVec3, Frame};
use crate::state::{Contact, Derived, LayerIndex, LayerPair, MIN_PARALLEL, Model, Sim, State};
use rayon::prelude::*;
use std::cell::Cell;

/// Distance two bodies may come into each other in a step that nothing slows, as a fraction of the overlap at which
/// their contact surface would reach a skeleton. Larger: a step may end where no force pushes back. Smaller: many
/// steps.
const FIRST_TOUCH_DEPTH: f64 = 0.5;

/// Radians that links held by joints turn in a step at most. More: joint iterations do not end.
const MAX_TURN: f64 = 0.4;

/// Limits of an implicit step, s.
pub(crate) struct StepLimits {
    /// Set by contacts that press, and joints that turn.
    pub pressing: f64,
    /// Set by pairs that touch first.
    pub first_touch: f64,
}

/// Limits of the next implicit step.
pub(crate) fn longest_implicit_step(model: &Model, state: &State, derived: &mut Derived) -> StepLimits {
    derived.pairs.update_swept_bounds(model, state);
    let sim = Sim { model, state, derived };
    let longest = model.settings.implicit_step;
    let pairs = &sim.derived.pairs;
    let fast = pairs.filter_map(model, |i, j| {
        if !pairs.swept_bounds[i].0.overlaps(&pairs.swept_bounds[j].0) {
            return None;
        }
        let closing = pairs.closing_speed(sim.configuration(), (i, j));
        let press = FIRST_TOUCH_DEPTH * sim.bottoming_overlap(i, j) / closing;
        if press >= longest { None } else { Some(((i, j), closing, press)) }
    });
    let (held, apart): (Vec<_>, Vec<_>) =
        fast.into_iter().partition(|(pair, ..)| Derived::touch(sim.contacts(), *pair));
    let pressing = held.iter().map(|(_, _, press)| *press).fold(longest.min(longest_step_by_turn(sim)), f64::min);
    // A touch beyond the end of the step is the next step's.
    let (mut touching, mut separations) = (pressing, Vec::new());
    for (pair, closing, press) in apart {
        let first = first_touch_ahead(sim, pair, PairSearch { closing, until: touching, found: &mut separations });
        if let Some(first) = first {
            touching = touching.min(end_after_touch(sim, pair, first, press));
        }
    }
    derived.keep_separations(model.bodies().len(), separations);
    let least = model.settings.smallest_step;
    StepLimits { pressing: pressing.max(least), first_touch: touching.max(least) }
}

/// The longest step in which links held by joints do not turn too far, s.
fn longest_step_by_turn(sim: Sim) -> f64 {
    let spin = |i: LinkId| sim.link(i).twist().angular.length();
    let joints = sim.unbroken_joints().filter(|(_, j)| j.holds_frames());
    joints.flat_map(|(_, j)| j.links).flatten().map(|i| MAX_TURN / spin(i)).fold(f64::INFINITY, f64::min)
}

/// Frame of body `i` after some seconds without contact.
fn frame_ahead(sim: Sim, body: usize, after: f64) -> Frame {
    let i = sim.model.link_of(body);
    let link = sim.link(i);
    fallen(sim, i, after, sim.model.motion_law(i).world_from_link(&link.predict(after, sim.state.time + after)))
}

/// `frame` of link `i`, moved by the forces that act on it for some seconds without contact.
fn fallen(sim: Sim, i: LinkId, after: f64, mut frame: Frame) -> Frame {
    if let Some(mass) = sim.link(i).mass() {
        frame.translation += 0.5 * after * after * (sim.model.gravity + sim.state.applied[i].force / mass);
    }
    frame
}

/// Motion of a body without contact, asked for at increasing times: each goes on from the one before. A fast spin takes a
/// thousand turns a step, and a search for the first touch thousands of times.
struct FreeMotion<'a> {
    sim: Sim<'a>,
    body: usize,
    /// Time of the last answer, s from now, and the state of the link then.
    last: Cell<(f64, LinkState)>,
}

impl<'a> FreeMotion<'a> {
    fn of(sim: Sim<'a>, body: usize) -> Self {
        let start = sim.state.links[sim.model.link_of(body)];
        Self { sim, body, last: Cell::new((0.0, start)) }
    }

    /// Its frame after some seconds.
    fn at(&self, after: f64) -> Frame {
        let (sim, i) = (self.sim, self.sim.model.link_of(self.body));
        let (from, mut state) = match self.last.get() {
            (time, state) if time <= after => (time, state),
            _ => (0.0, sim.state.links[i]),
        };
        sim.model.motion_law(i).advance(&mut state, after - from, sim.state.time + after);
        self.last.set((after, state));
        fallen(sim, i, after, sim.model.motion_law(i).world_from_link(&state))
    }
}

/// A search for the first touch of two bodies.
struct PairSearch<'a> {
    /// A speed they never approach faster with, m/s.
    closing: f64,
    /// End of the search, s.
    until: f64,
    /// Gaps proved on the way are added.
    found: &'a mut Vec<(LayerPair, Separation)>,
}

fn first_touch_ahead(sim: Sim, (i, j): (usize, usize), search: PairSearch) -> Option<f64> {
    let (i_moves, j_moves) = (FreeMotion::of(sim, i), FreeMotion::of(sim, j));
    first_touch(sim, (i, j), [&|t| i_moves.at(t), &|t| j_moves.at(t)], search)
}

/// First touch of two bodies whose frames are functions of time.
fn first_touch(
    sim: Sim,
    (i, j): (usize, usize),
    [at_i, at_j]: [&dyn Fn(f64) -> Frame; 2],
    search: PairSearch,
) -> Option<f64> {
    let PairSearch { closing, until, found } = search;
    let trajectory = |i: usize, at| Trajectory { layers: &sim.body(i).coat, at };
    let index = |body: usize, layer: usize| LayerIndex { body, layer };
    let pair = |m: usize, n: usize| LayerPair { a: index(i, m), b: index(j, n) };
    let approach = Approach { closing, until, known: &|m, n| sim.derived.separation(&pair(m, n)) };
    let touch = contact::first_touch([&trajectory(i, at_i), &trajectory(j, at_j)], &approach);
    found.extend(touch.separations.into_iter().map(|(m, n, separation)| (pair(m, n), separation)));
    touch.time
}

/// Seconds after which to end a step in which two bodies first touch after `first`: `press` later, so that the contact
/// can push, or at `first` if they no longer overlap then, as after a graze.
fn end_after_touch(sim: Sim, (i, j): (usize, usize), first: f64, press: f64) -> f64 {
    let frames = [i, j].map(|k| frame_ahead(sim, k, first + press));
    let overlap = contact::touch_at([&sim.body(i).coat, &sim.body(j).coat], frames);
    if overlap { first + press } else { first }
}

/// First time within a step that has been taken at which two bodies touched that touch neither at its end nor at its start,
/// s after its start.
pub(super) fn first_missed(context: StepContext) -> Option<f64> {
    let StepContext { sim, step } = context;
    let (dt, before) = (step.motion.dt, &step.start.contacts);
    let bodies = 0..sim.model.bodies().len();
    let paths: Vec<Path> = bodies.into_par_iter().with_min_len(MIN_PARALLEL).map(|i| Path::of(sim, i, step)).collect();
    let fast = sim.derived.pairs.filter_map(sim.model, |i, j| {
        let (p, q) = (&paths[i], &paths[j]);
        if !p.swept.overlaps(&q.swept) {
            return None;
        }
        let closing = p.closing_speed(q);
        let slow = closing * dt <= STRIDE * sim.thinner_thickness(i, j);
        let touch = |contacts: &[Contact]| Derived::touch(contacts, (i, j));
        (!slow && !touch(sim.contacts()) && !touch(before)).then_some(((i, j), closing))
    });
    let mut found: Option<f64> = None;
    for ((i, j), closing) in fast {
        let (p, q) = (&paths[i], &paths[j]);
        let search = PairSearch { closing, until: found.unwrap_or(dt), found: &mut Vec::new() };
        // At the end itself the search for contacts has looked, and what it did not find is none.
        if let Some(time) = first_touch(sim, (i, j), [&|t| p.at(t), &|t| q.at(t)], search).filter(|t| *t < dt) {
            found = Some(time);
        }
    }
    found
}

/// Path of a body over a step: at one velocity, then at another, or along a parabola.
struct Path {
    start: Frame,
    end: Frame,
    /// Of the centre, at both ends.
    centers: [DVec3; 2],
    /// Centre in the link's frame.
    link_center: DVec3,
    /// Spins before and after `explicit_dt` seconds, rad/s.
    spins: [DVec3; 2],
    /// Velocities before and after `explicit_dt` seconds, m/s.
    velocities: [DVec3; 2],
    gravity: DVec3,
    /// A speed that turning alone never exceeds, m/s.
    turning: f64,
    /// Contains the body all the way.
    swept: Aabb,
    explicit_dt: f64,
    dt: f64,
}

impl Path {
    fn of(sim: Sim, body: usize, step: &Step) -> Self {
        let i = sim.model.link_of(body);
        let (link, now) = (sim.link(i), &sim.derived.pairs.now[body]);
        let (start, end, dt) = (step.motion.frames[i], link.world_from_link(), step.motion.dt);
        let (before, after) = (step.before[i], link.twist());
        let link_center = end.inverse().point(link.center());
        let centers = [start.point(link_center), link.center()];
        let dynamic = sim.model.is_dynamic(i);
        // Impulses are rounded.
        let pushed = (after.linear - step.free[i].linear).length();
        let falls = dynamic && pushed <= 1e-9 * after.linear.length();
        let spin = before.angular.length().max(after.angular.length());
        let turning = if spin == 0.0 { 0.0 } else { spin * sim.body(body).lever(&link, now, 0.0) };
        let mean = (centers[1] - centers[0]) / dt;
        let back = now.grown(turning * dt);
        let swept = back.union(&Aabb { min: back.min - mean * dt, max: back.max - mean * dt });
        let gravity = if falls { sim.model.gravity } else { DVec3::ZERO };
        let theta = if dynamic { step.theta[i] } else { 0.5 };
        let spins = [before, after].map(|t: Twist| t.angular);
        let velocities = if falls || !dynamic { [mean; 2] } else { [before.linear, after.linear] };
        let bow = 0.125 * dt * dt * gravity.length() + 0.25 * dt * (velocities[0] - velocities[1]).length();
        let swept = swept.grown(bow);
        let explicit_dt = (1.0 - theta) * dt;
        Self { start, end, centers, link_center, spins, velocities, gravity, turning, swept, explicit_dt, dt }
    }

    fn at(&self, time: f64) -> Frame {
        let left = self.dt - time;
        // Distance it fell behind the straight path: `t (dt − t) g/2` from both its ends.
        let bow = -0.5 * time * left * self.gravity;
        let (rotation, center) = if time < self.explicit_dt {
            let turn = DQuat::from_scaled_axis(self.spins[0] * time);
            (turn * self.start.rotation, self.centers[0] + self.velocities[0] * time)
        } else {
            let turn = DQuat::from_scaled_axis(self.spins[1] * -left);
            (turn * self.end.rotation, self.centers[1] - self.velocities[1] * left)
        };
        Frame { rotation, translation: center + bow - rotation * self.link_center }
    }

    /// A speed that points of both never exceed against each other, m/s.
    fn closing_speed(&self, other: &Self) -> f64 {
        let squared = |k: usize, l: usize| (self.velocities[k] - other.velocities[l]).length_squared();
        let straight = squared(0, 0).max(squared(0, 1)).max(squared(1, 0)).max(squared(1, 1)).sqrt();
        let falling = 0.5 * self.dt * (self.gravity - other.gravity).length();
        straight + falling + self.turning + other.turning
    }
}
