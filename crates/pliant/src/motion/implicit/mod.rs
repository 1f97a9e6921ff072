//! The implicit step: velocities after a step, under the forces that act after it.
//!
//! *The idea* (`PAPERS.md`, Ours: implicit step): with `v̂` the velocities free motion would give, the velocities `v` after a
//! step are those that minimise `½ |v − v̂|²_M + Σ ℓ(J v)`. The sum goes over the points of all contacts and the rows of all
//! joints, and `−∇ℓ` is the impulse each of them gives: pressure that grows as bodies approach and never pulls, damping,
//! and Coulomb friction up to `μ` times the pressure found last. Every term is convex, so there is one answer, and
//! Newton's method with a line search finds it ([`solver`]). Patches are linear only near where they were found: they are
//! found again where links come to, until forces and velocities agree, and that is Newton's method on the exact potential.
//!
//! ```text
//! predict         free velocities, θ of each link
//! assemble        contact points and joint rows
//! solve           one convex problem an island
//! advance         links to the end of the step
//! find contacts   where links came to
//! accept or cut   residual, pairs that were missed on the way
//! finish          residual impulses, joints, passivity, sleep, energy ledger
//! ```
//!
//! *Not promised*: that energy is kept where contacts are too stiff for the step, or begin and end: see the ledger.

mod account;
mod islands;
mod joint_rows;
mod joints;
mod passivity;
mod predict;
mod rows;
mod solver;
mod springs;
#[cfg(test)]
mod tests;

pub(crate) use islands::groups;
pub(crate) use predict::Step;
pub(crate) use rows::ContactRows;

use super::checkpoint::Checkpoint;
use super::forces::{update_forces_of, update_shear};
use super::stats::Stopwatch;
use super::{Stepper, ccd, passing, sleep};
use crate::bodies::{LinkState, Load, Twist};
use crate::state::{Contact, Model, Sim, State, WORTH_SHARING, WarningKind};
use joint_rows::JointStep;
use rayon::prelude::*;
use rows::At;
use solver::{Impulse, LEAST_PART, LEAST_SPEED};

/// Forces and velocities agree when the residual would change velocities by this part of how fast bodies meet. Smaller: more
/// iterations. Larger: impacts are less exact than their step.
const SETTLED: f64 = 0.03;

/// Outer iterations before half a step is tried instead.
const MOST_ITERATIONS: usize = 8;

/// Times a step is cut before it is kept as it is.
const MOST_CUTS: usize = 6;

/// Newton iterations of one step, its cuts included, before it is kept as it is. More: a jerk at a long chain takes
/// minutes. Fewer: piles that take many iterations to settle are left with a residual.
const MOST_NEWTON_ITERATIONS: u64 = 3000;

/// What the iterations of a step found.
pub(crate) struct Solution {
    velocities: Vec<Twist>,
    joints: Vec<JointStep>,
    joint_counts: Vec<usize>,
    /// Links whose contacts were found again.
    updated: Vec<bool>,
    /// Residual impulse of each link in an island, and the part of it that velocities are to end with.
    residuals: Vec<Residual>,
    newton_iterations: u64,
    converged: bool,
}

/// Impulse by which the velocity of a link differs from what forces give.
pub(crate) struct Residual {
    link: usize,
    impulse: Impulse,
    part: f64,
}

impl Stepper<'_> {
    /// A step of `dt` seconds, or a shorter one where forces and velocities do not agree or something touched on the way;
    /// as short as it must be in the end.
    pub(super) fn implicit_step(&mut self, mut dt: f64) {
        sleep::heed_settings(self.model, self.state);
        if sleep::all_rest(self.sim()) {
            self.state.time += dt;
            return;
        }
        let budget = self.scratch.stats.newton_iterations + MOST_NEWTON_ITERATIONS;
        for cuts in 0..=MOST_CUTS {
            let spent = self.scratch.stats.newton_iterations >= budget;
            let last = cuts == MOST_CUTS || dt <= self.model.settings.smallest_step || spent;
            match self.attempt(dt, last) {
                Some(shorter) => dt = shorter,
                None => return,
            }
            self.scratch.stats.cuts += 1;
        }
    }

    /// One attempt at a step. A shorter length, and nothing has changed, if it is not to be kept.
    fn attempt(&mut self, dt: f64, last: bool) -> Option<f64> {
        let start = Checkpoint::of(self.state, self.derived);
        let mut step = predict::predict(self.sim(), dt);
        let solution = self.iterate(&start, &mut step);
        self.scratch.stats.newton_iterations += solution.newton_iterations;
        if self.derived.is_cancelled() {
            return None;
        }
        let shorter = match (last, solution.converged) {
            (true, _) => None,
            (false, true) => ccd::first_missed(self.sim(), &step, &start.contacts),
            (false, false) => Some(0.5 * dt),
        };
        if shorter.is_some() {
            start.restore(self.state, self.derived);
            return shorter;
        }
        if last {
            passing::warn_missed(self, &start.contacts, &step.motion);
        }
        self.finish(&start, &step, solution);
        None
    }

    /// Moves links to where their velocities and the forces there agree.
    fn iterate(&mut self, start: &Checkpoint, step: &mut Step) -> Solution {
        let (model, count) = (self.model, self.model.link_count());
        let (links, dt) = (&start.state.links, step.motion.dt);
        self.state.time += dt;
        for i in (0..count).filter(|i| !model.is_dynamic(*i)) {
            model.base(i).advance(&mut self.state.links[i], dt, self.state.time);
        }
        let sim = self.sim();
        let joint_steps = sim.standing_joints().map(|(n, _)| JointStep::new(start_sim(sim, start), n)).collect();
        let mut solution = Solution {
            velocities: step.before.clone(),
            joints: joint_steps,
            joint_counts: islands::joint_counts(sim),
            updated: vec![false; count],
            residuals: Vec::new(),
            newton_iterations: 0,
            converged: false,
        };
        let mut active: Vec<bool> = (0..count).map(|i| sim.is_awake(i)).collect();
        let moving = sleep::moving(sim, step);
        let mut watched = active.clone();
        sleep::watch(sim, &moving, &[], &mut watched);
        let Solution { velocities, joints, joint_counts, .. } = &mut solution;
        joints.iter_mut().for_each(|j| j.evaluate(sim, step, (velocities, false, joint_counts)));
        let rows = &mut self.scratch.rows;
        rows.clear();
        let at = At { step, velocities, at_end: false, moved: &moving, watched: &watched };
        rows.assemble(Sim { model, state: self.state, derived: self.derived }, &at);
        for iteration in 0..MOST_ITERATIONS {
            self.scratch.stats.iterations += 1;
            let joints_hold = self.solve_and_advance(&mut solution, (step, links), &active);
            if self.derived.is_cancelled() {
                return solution;
            }
            // Keyed links have moved once.
            let moved = if iteration == 0 { moving.clone() } else { active };
            let watch = Stopwatch::start();
            self.derived.update(model, self.state, (&moved, &start.state.friction));
            watch.stop(&mut self.scratch.stats.contact_time);
            solution.updated.iter_mut().zip(&moved).for_each(|(u, m)| *u |= m);
            let watch = Stopwatch::start();
            let gone = replaced(self.sim(), start, &solution.updated);
            sleep::watch(self.sim(), &moved, &gone, &mut watched);
            let sim = Sim { model, state: self.state, derived: self.derived };
            let at = At { step, velocities: &solution.velocities, at_end: true, moved: &moved, watched: &watched };
            self.scratch.rows.assemble(sim, &at);
            let impulses = link_impulses(sim, (step, &solution), &self.scratch.rows);
            let groups = groups(sim, &vec![true; count]);
            let mut wrong = unsettled(sim, (step, &solution.velocities), (&impulses, &groups));
            (0..count).for_each(|i| wrong[i] &= watched[i]);
            watch.stop(&mut self.scratch.stats.solve_time);
            if wrong.iter().all(|w| !w) {
                solution.residuals = residuals(sim, (step, &solution), (&impulses, &groups), &self.scratch.rows);
                solution.converged = joints_hold;
                return solution;
            }
            if iteration + 1 == MOST_ITERATIONS {
                // Booked, but not added to velocities: it is not small.
                solution.residuals = residuals(sim, (step, &solution), (&impulses, &groups), &self.scratch.rows);
                solution.residuals.iter_mut().for_each(|r| r.part = 0.0);
                break;
            }
            active = islands::with_neighbours(sim, &wrong);
            sleep::wake(self.state, &active);
            (0..count).for_each(|i| watched[i] |= active[i]);
            self.raise_thetas(start, step, &active);
        }
        solution
    }

    /// Solves all islands of `active` links and moves those; whether joints hold there.
    fn solve_and_advance(
        &mut self,
        solution: &mut Solution,
        (step, start): (&Step, &[LinkState]),
        active: &[bool],
    ) -> bool {
        let watch = Stopwatch::start();
        let model = self.model;
        let sim = Sim { model, state: self.state, derived: self.derived };
        let mut islands =
            islands::build(sim, (step, &solution.velocities), (&self.scratch.rows, &solution.joints), active);
        solution.newton_iterations += islands::solve(&islands, (&step.free, active), &mut solution.velocities);
        advance_links(model, self.state, (step, start), (&solution.velocities, active));
        let hold = solution.joints.is_empty()
            || joints::solve_joints(model, (self.state, self.derived), &mut islands, (step, start, solution));
        watch.stop(&mut self.scratch.stats.solve_time);
        hold
    }

    /// Raises θ of `active` links whose new contacts are stiffer than those they had.
    fn raise_thetas(&mut self, start: &Checkpoint, step: &mut Step, active: &[bool]) {
        let sim = self.sim();
        let dt = step.motion.dt;
        let rows = &self.scratch.rows;
        let of_contact = |n: usize, c: &Contact| {
            rows.each[n].known().map_or_else(|| predict::theta_step(sim, c, dt).theta, |r| r.theta())
        };
        let thetas = predict::thetas(sim, dt, active, of_contact);
        for (i, theta) in thetas.into_iter().enumerate().filter(|(i, _)| active[*i]) {
            if theta > step.theta[i] {
                step.raise_theta(start_sim(sim, start), i, theta);
            }
        }
    }

    /// The phases after links have come to the end of the step.
    fn finish(&mut self, start: &Checkpoint, step: &Step, solution: Solution) {
        let model = self.model;
        let watch = Stopwatch::start();
        self.scratch.stats.steps += 1;
        self.scratch.stats.most_contacts = self.scratch.stats.most_contacts.max(self.derived.contacts.len());
        if !solution.converged {
            self.warn_not_converged(&solution);
        }
        let mut works = account::works(self.sim(), start, (step, &solution), &self.scratch.rows);
        works.residual += apply_residuals(model, self.state, &solution.residuals);
        passing::warn_bottomed_out(model, self.state, self.derived);
        passing::warn_passed_through(self, &start.contacts, &step.motion);
        update_shear(model, self.state, self.derived, &step.motion);
        let joined = joints::Joined::of(self.sim());
        joints::project_velocities(model, self.state, self.derived, (&solution.joints, step));
        works.book_joints(model, self.state, self.derived);
        joints::break_joints(model, self.state, self.derived, (&solution.joints, step.motion.dt));
        passivity::keep(self, start, (step, &joined), &works);
        sleep::update(model, self.state, self.derived, step);
        let updated = &solution.updated;
        update_forces_of(model, self.state, self.derived, |pair| {
            updated[model.link_of(pair.a.0)] || updated[model.link_of(pair.b.0)]
        });
        works.book(model, self.state, self.derived);
        watch.stop(&mut self.scratch.stats.solve_time);
    }

    fn warn_not_converged(&mut self, solution: &Solution) {
        let worst = solution.residuals.iter().max_by(|p, q| {
            let size = |r: &Residual| r.impulse.linear.length();
            size(p).total_cmp(&size(q))
        });
        let body = worst.map_or(0, |r| self.model.owner(r.link));
        self.warn((body, body), WarningKind::NotConverged);
    }
}

/// The state of before a step, with the contacts of now: for links alone.
fn start_sim<'a>(sim: Sim<'a>, start: &'a Checkpoint) -> Sim<'a> {
    Sim { state: &start.state, ..sim }
}

/// Contacts of before a step that have been found again.
fn replaced(sim: Sim, start: &Checkpoint, updated: &[bool]) -> Vec<Contact> {
    let was = |c: &&Contact| sim.links_of(&c.pair).into_iter().any(|i| updated[i]);
    start.contacts.iter().filter(was).cloned().collect()
}

/// Moves `active` links from where they started: first at the velocities they had, then at these.
fn advance_links(
    model: &Model,
    state: &mut State,
    (step, start): (&Step, &[LinkState]),
    (velocities, active): (&[Twist], &[bool]),
) {
    let (dt, time) = (step.motion.dt, state.time);
    let one = |(i, link): (usize, &mut LinkState)| {
        if !active[i] {
            return;
        }
        let base = model.base(i);
        *link = start[i];
        let theta = step.theta[i];
        if theta < 1.0 {
            base.advance(link, (1.0 - theta) * dt, time);
        }
        if let Some(mass) = base.mass() {
            // By the inertia they were solved with: what one link gets another gives.
            let now = base.twist(link);
            let force = mass / dt * (velocities[i].linear - now.linear);
            let torque = step.inertia[i] * (velocities[i].angular - now.angular) / dt;
            base.apply(link, &Load { force, torque }, dt);
        }
        base.advance(link, theta * dt, time);
    };
    if state.links.len() > WORTH_SHARING {
        state.links.par_iter_mut().enumerate().with_min_len(WORTH_SHARING).for_each(one);
    } else {
        state.links.iter_mut().enumerate().for_each(one);
    }
}

/// Gives link `i` this velocity.
pub(crate) fn set_twist(model: &Model, state: &mut State, i: usize, v: &Twist) {
    let link = model.link(i, &state.links[i]);
    let (Some(mass), Some(inertia)) = (link.mass(), link.inertia()) else { return };
    let now = link.twist();
    let load = Load { force: mass * (v.linear - now.linear), torque: inertia * (v.angular - now.angular) };
    model.base(i).apply(&mut state.links[i], &load, 1.0);
}

/// Impulse on each link over a step, of contacts and joints where it has come to.
fn link_impulses(sim: Sim, (step, solution): (&Step, &Solution), rows: &ContactRows) -> Vec<Impulse> {
    let mut impulses = vec![Impulse::default(); sim.model.link_count()];
    for (c, row) in sim.contacts().iter().zip(&rows.each).filter_map(|(c, r)| Some((c, r.known()?))) {
        let [a, b] = sim.links_of(&c.pair);
        impulses[a] += row.on(0);
        impulses[b] += row.on(1);
    }
    for joint in &solution.joints {
        let links = sim.model.joints()[joint.joint].links;
        for (link, impulse) in links.iter().zip(joint.impulses(sim, (step, &solution.velocities))) {
            link.iter().for_each(|i| impulses[*i] += impulse);
        }
    }
    impulses
}

/// Links whose velocities do not fit the forces where they have come to.
fn unsettled(
    sim: Sim,
    (step, velocities): (&Step, &[Twist]),
    (impulses, groups): (&[Impulse], &[Option<usize>]),
) -> Vec<bool> {
    let count = sim.model.link_count();
    let mut fastest = vec![0.0f64; count];
    let joined = islands::is_joined(sim);
    for (i, group) in groups.iter().enumerate() {
        let speed = if joined[i] { 1.0 } else { LEAST_PART } * step.free[i].linear.length();
        group.iter().for_each(|g| fastest[*g] = fastest[*g].max(speed));
    }
    for c in sim.contacts() {
        let [a, b] = sim.links_of(&c.pair);
        let group = groups[a].or(groups[b]);
        group.iter().for_each(|g| fastest[*g] = fastest[*g].max(meeting_speed(sim, c, step)));
    }
    let wrong = |i: usize| match groups[i] {
        Some(group) => {
            let body = islands::solver_body(sim, step, i);
            body.residual_speed(&velocities[i], &impulses[i]) > SETTLED * fastest[group].max(LEAST_SPEED)
        }
        // Links that touch nothing are free.
        None => sim.model.is_dynamic(i) && velocities[i] != step.free[i],
    };
    (0..count).map(wrong).collect()
}

/// Speed of two bodies against each other at their patch if nothing touched them, m/s.
fn meeting_speed(sim: Sim, c: &Contact, step: &Step) -> f64 {
    let p = c.patch.reference;
    let velocity = |i: usize| match sim.model.is_dynamic(i) {
        true => step.free[i].linear + step.free[i].angular.cross(p - sim.state.links[i].position),
        false => step.motion.displacement(sim, i, p).shift / step.motion.dt,
    };
    let [a, b] = sim.links_of(&c.pair);
    velocity(a).distance(velocity(b))
}

/// Residual impulses, and the parts of them that velocities are to end with: they are small, but their work is not. Contacts
/// and springs too stiff or too damped for the step would ring with them, so each island takes `2 (1 − θ)` of its
/// firmest. Links of joints, and all that touches them, take none, for joints would be torn.
fn residuals(
    sim: Sim,
    (step, solution): (&Step, &Solution),
    (impulses, groups): (&[Impulse], &[Option<usize>]),
    rows: &ContactRows,
) -> Vec<Residual> {
    let mut parts = vec![1.0f64; sim.model.link_count()];
    let mut limit =
        |i: usize, theta: f64| groups[i].iter().for_each(|g| parts[*g] = parts[*g].min(2.0 * (1.0 - theta)));
    (0..groups.len()).for_each(|i| limit(i, if solution.joint_counts[i] > 0 { 1.0 } else { step.theta[i] }));
    // Contacts that have begun are not in that.
    for (c, row) in sim.contacts().iter().zip(&rows.each).filter_map(|(c, r)| Some((c, r.known()?))) {
        sim.links_of(&c.pair).into_iter().for_each(|i| limit(i, row.theta()));
    }
    let residual = |i: usize| {
        let part = parts[groups[i]?];
        let impulse = islands::solver_body(sim, step, i).residual_impulse(&solution.velocities[i], &impulses[i]);
        Some(Residual { link: i, impulse, part })
    };
    (0..groups.len()).filter(|i| sim.is_awake(*i)).filter_map(residual).collect()
}

/// Applies the parts of residual impulses that velocities are to end with; their work, J.
fn apply_residuals(model: &Model, state: &mut State, residuals: &[Residual]) -> f64 {
    let mut work = 0.0;
    for Residual { link, impulse, part } in residuals {
        let (base, link) = (model.base(*link), &mut state.links[*link]);
        let before = base.twist(link);
        let load = Load { force: *part * impulse.linear, torque: *part * impulse.angular };
        base.apply(link, &load, 1.0);
        let mean = Twist::mean(&before, &base.twist(link));
        work += load.force.dot(mean.linear) + load.torque.dot(mean.angular);
    }
    work
}
