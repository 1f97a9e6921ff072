//! The implicit step, phase by phase.

use super::advance::advance_links;
use super::connectivity::{joint_counts, with_neighbours};
use super::joint_rows::JointStep;
use super::linearized_contacts::{AssemblyInput, LinearizedContacts};
use super::residual::{LinkImpulses, apply_residuals, residuals, unconverged};
use super::solution::{Residual, Solution};
use super::step_data::{Step, StepContext};
use super::step_work::step_work;
use super::{ccd, islands, joints, passivity, predict, sleep};
use crate::bodies::PerLink;
use crate::motion::forces::{update_forces_of, update_shear};
use crate::motion::stats::Stopwatch;
use crate::motion::stepper::Stepper;
use crate::motion::tunnelling;
use crate::state::{Contact, MovedLinks, WarningKind};

/// Outer iterations before a step is rejected, and half of it tried.
const MAX_ITERATIONS: usize = 8;

/// Times a step is rejected before it is kept as it is.
const MAX_RETRIES: usize = 6;

/// Newton iterations of one step, its retries included, before it is kept as it is. More: a jerk at a long chain takes
/// minutes. Fewer: piles that take many iterations to settle are left with a residual.
const MAX_NEWTON_ITERATIONS: u64 = 3000;

impl Stepper<'_> {
    /// A step of `dt` seconds, or a shorter one where forces and velocities do not agree or something touched on the way;
    /// as short as it must be in the end.
    pub(crate) fn implicit_step(&mut self, linearized: &mut LinearizedContacts, mut dt: f64) {
        sleep::wake_on_settings_change(self.model, self.state);
        if sleep::all_rest(self.sim()) {
            self.state.time += dt;
            return;
        }
        let budget = self.stats.newton_iterations + MAX_NEWTON_ITERATIONS;
        for retries in 0..=MAX_RETRIES {
            let spent = self.stats.newton_iterations >= budget;
            let last = retries == MAX_RETRIES || dt <= self.model.settings.smallest_step || spent;
            match self.attempt(linearized, dt, last) {
                Some(shorter) => dt = shorter,
                None => return,
            }
            self.stats.rejected += 1;
        }
    }

    /// One attempt at a step. A shorter length, and nothing has changed, if it is not to be kept.
    fn attempt(&mut self, linearized: &mut LinearizedContacts, dt: f64, last: bool) -> Option<f64> {
        let mut step = predict::predict(self.sim(), dt);
        let solution = self.iterate(linearized, &mut step);
        self.stats.newton_iterations += solution.newton_iterations;
        if self.derived.is_cancelled() {
            return None;
        }
        let shorter = match (last, solution.converged) {
            (true, _) => None,
            (false, true) => ccd::first_missed(self.context(&step)),
            (false, false) => Some(0.5 * dt),
        };
        if shorter.is_some() {
            step.start.restore(self.state, self.derived);
            return shorter;
        }
        if last {
            tunnelling::warn_missed(self, &step.start.contacts, &step.motion);
        }
        self.finish(linearized, &step, solution);
        None
    }

    fn context<'s>(&'s self, step: &'s Step) -> StepContext<'s> {
        StepContext { sim: self.sim(), step }
    }

    /// Moves links to where their velocities and the forces there agree.
    fn iterate(&mut self, linearized: &mut LinearizedContacts, step: &mut Step) -> Solution {
        let (model, dt) = (self.model, step.motion.dt);
        self.state.time += dt;
        for i in model.links().filter(|i| !model.is_dynamic(*i)) {
            model.motion_law(i).advance(&mut self.state.links[i], dt, self.state.time);
        }
        let (sim, context) = (self.sim(), self.context(step));
        let mut joint_steps = Vec::with_capacity(sim.model.joints().len());
        joint_steps.extend(sim.unbroken_joints().map(|(n, _)| JointStep::new(context.at_start(), n)));
        let mut solution = Solution {
            velocities: step.before.clone(),
            joints: joint_steps,
            joint_counts: joint_counts(sim),
            updated: model.per_link(false),
            residuals: Vec::new(),
            newton_iterations: 0,
            converged: false,
        };
        let mut active: PerLink<bool> = model.links().map(|i| sim.is_awake(i)).collect();
        let moving = sleep::moving(sim, step);
        let mut watched = active.clone();
        sleep::watch(sim, &moving, [].iter(), &mut watched);
        let Solution { velocities, joints, joint_counts, .. } = &mut solution;
        joints.iter_mut().for_each(|j| j.evaluate(context, velocities, false, joint_counts));
        linearized.clear();
        let at = AssemblyInput { step, velocities, at_end: false, moved: &moving, watched: &watched };
        linearized.assemble(sim, &at);
        for iteration in 0..MAX_ITERATIONS {
            self.stats.iterations += 1;
            let joints_hold = self.solve_and_advance(linearized, &mut solution, step, &active);
            if self.derived.is_cancelled() {
                return solution;
            }
            // Keyed links have moved once.
            let moved = if iteration == 0 { moving.clone() } else { active };
            let watch = Stopwatch::start();
            let friction_before = &step.start.state.friction;
            self.derived.update(model, self.state, MovedLinks { moved: &moved, friction_before });
            watch.stop(&mut self.stats.contact_time);
            solution.updated.iter_mut().zip(&moved).for_each(|(u, m)| *u |= m);
            let watch = Stopwatch::start();
            let updated = |c: &&Contact| self.sim().links_of(&c.pair).into_iter().any(|i| solution.updated[i]);
            let gone = step.start.contacts.iter().filter(updated);
            sleep::watch(self.sim(), &moved, gone, &mut watched);
            let (sim, context) = (self.sim(), self.context(step));
            let at = AssemblyInput {
                step,
                velocities: &solution.velocities,
                at_end: true,
                moved: &moved,
                watched: &watched,
            };
            linearized.assemble(sim, &at);
            let balance = LinkImpulses::of(context, &solution, linearized);
            let mut wrong = unconverged(context, &solution.velocities, &balance);
            model.links().for_each(|i| wrong[i] &= watched[i]);
            let settled = wrong.iter().all(|w| !w);
            if settled || iteration + 1 == MAX_ITERATIONS {
                solution.residuals = residuals(context, &solution, &balance, linearized);
                solution.converged = settled && joints_hold;
            }
            let next = (!settled).then(|| with_neighbours(sim, &wrong));
            watch.stop(&mut self.stats.solve_time);
            let Some(next) = next else { return solution };
            if iteration + 1 == MAX_ITERATIONS {
                // Too large to apply: it is only recorded.
                solution.residuals.iter_mut().for_each(|r| r.fraction = 0.0);
                break;
            }
            active = next;
            sleep::wake(self.state, &active).into_iter().for_each(|i| step.wake(model, i));
            model.links().for_each(|i| watched[i] |= active[i]);
            self.raise_thetas(linearized, step, &active);
        }
        solution
    }

    /// Solves all islands of `active` links and moves those; whether joints hold there.
    fn solve_and_advance(
        &mut self,
        linearized: &LinearizedContacts,
        solution: &mut Solution,
        step: &Step,
        active: &PerLink<bool>,
    ) -> bool {
        let watch = Stopwatch::start();
        let mut islands = islands::build(self.context(step), linearized, solution, active);
        solution.newton_iterations += islands::solve(&islands, &step.free, active, &mut solution.velocities);
        advance_links(self, step, &solution.velocities, active);
        let hold = solution.joints.is_empty() || joints::solve_joints(self, &mut islands, step, solution);
        watch.stop(&mut self.stats.solve_time);
        hold
    }

    /// Raises θ of `active` links whose new contacts are stiffer than those they had.
    fn raise_thetas(&mut self, linearized: &LinearizedContacts, step: &mut Step, active: &PerLink<bool>) {
        let sim = self.sim();
        let dt = step.motion.dt;
        let of_contact = |n: usize, c: &Contact| {
            linearized.each[n].known().map_or_else(|| predict::theta_step(sim, c, dt).theta, |r| r.theta())
        };
        let thetas = predict::thetas(sim, dt, active, of_contact);
        for (i, &theta) in thetas.iter_enumerated().filter(|(i, _)| active[*i]) {
            if theta > step.theta[i] {
                step.raise_theta(sim.model, i, theta);
            }
        }
    }

    /// The phases after links have come to the end of the step.
    fn finish(&mut self, linearized: &LinearizedContacts, step: &Step, solution: Solution) {
        let model = self.model;
        let watch = Stopwatch::start();
        self.stats.steps += 1;
        self.stats.max_contacts = self.stats.max_contacts.max(self.derived.contacts.len());
        if !solution.converged {
            self.warn_not_converged(&solution);
        }
        let mut work = step_work(self.context(step), &solution, linearized);
        work.residual += apply_residuals(model, self.state, &solution.residuals);
        tunnelling::warn_bottomed_out(model, self.state, self.derived);
        tunnelling::warn_passed_through(self, &step.start.contacts, &step.motion);
        update_shear(model, self.state, self.derived, &step.motion);
        let joined = joints::JointMembership::of(self.sim());
        joints::project_velocities(self, &solution.joints, step);
        work.record_joints(model, self.state, self.derived);
        joints::break_joints(self, &solution.joints, step.motion.dt);
        passivity::enforce(self, step, &work, &joined);
        sleep::update(model, self.state, self.derived, step);
        let updated = &solution.updated;
        update_forces_of(model, self.state, self.derived, |pair| {
            updated[model.link_of(pair.a.body)] || updated[model.link_of(pair.b.body)]
        });
        work.record_work(model, self.state, self.derived);
        watch.stop(&mut self.stats.solve_time);
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
