//! Residuals: impulses by which velocities differ from those that the forces found give.

use super::connectivity::{groups, is_joined};
use super::islands::solver_body;
use super::linearized_contacts::LinearizedContacts;
use super::solution::{Residual, Solution};
use super::solver::{COMMON_SPEED_FRACTION, Impulse, MIN_SPEED};
use super::step_data::StepContext;
use crate::bodies::{AppliedWrench, LinkId, PerLink, Twist};
use crate::state::{Contact, Model, State};

/// Forces and velocities agree when the residual would change velocities by this fraction of how fast bodies meet.
/// Smaller: more iterations. Larger: impacts are less exact than their step.
const RESIDUAL_TOLERANCE: f64 = 0.03;

/// Impulses on links at their new positions, and their islands.
pub(super) struct LinkImpulses {
    /// On each link, of contacts and joints.
    impulses: PerLink<Impulse>,
    /// See [`groups`].
    groups: PerLink<Option<LinkId>>,
}

impl LinkImpulses {
    pub fn of(context: StepContext, solution: &Solution, linearized: &LinearizedContacts) -> Self {
        let all = context.sim.model.per_link(true);
        Self { impulses: link_impulses(context, solution, linearized), groups: groups(context.sim, &all) }
    }
}

/// Impulse on each link over a step, of contacts and joints at its new position.
fn link_impulses(context: StepContext, solution: &Solution, linearized: &LinearizedContacts) -> PerLink<Impulse> {
    let sim = context.sim;
    let mut impulses = sim.model.per_link(Impulse::default());
    for (c, linear) in sim.contacts().iter().zip(&linearized.each).filter_map(|(c, r)| Some((c, r.known()?))) {
        let [a, b] = sim.links_of(&c.pair);
        impulses[a] += linear.impulse_on(0);
        impulses[b] += linear.impulse_on(1);
    }
    for joint in &solution.joints {
        let links = sim.model.joints()[joint.joint].links;
        for (link, impulse) in links.iter().zip(joint.impulses(context, &solution.velocities)) {
            link.iter().for_each(|i| impulses[*i] += impulse);
        }
    }
    impulses
}

/// Links whose velocities disagree with the forces at their new positions.
pub(super) fn unconverged(context: StepContext, velocities: &PerLink<Twist>, balance: &LinkImpulses) -> PerLink<bool> {
    let (StepContext { sim, step }, LinkImpulses { impulses, groups }) = (context, balance);
    let mut fastest = sim.model.per_link(0.0f64);
    let joined = is_joined(sim);
    for (i, group) in groups.iter_enumerated() {
        let speed = if joined[i] { 1.0 } else { COMMON_SPEED_FRACTION } * step.free[i].linear.length();
        group.iter().for_each(|g| fastest[*g] = fastest[*g].max(speed));
    }
    for c in sim.contacts() {
        let [a, b] = sim.links_of(&c.pair);
        let group = groups[a].or(groups[b]);
        group.iter().for_each(|g| fastest[*g] = fastest[*g].max(meeting_speed(context, c)));
    }
    let wrong = |i: LinkId| match groups[i] {
        Some(group) => {
            let body = solver_body(sim, step, i);
            body.residual_speed(&velocities[i], &impulses[i]) > RESIDUAL_TOLERANCE * fastest[group].max(MIN_SPEED)
        }
        // Links that touch nothing are free.
        None => sim.model.is_dynamic(i) && velocities[i] != step.free[i],
    };
    sim.model.links().map(wrong).collect()
}

/// Speed of two bodies against each other at their patch if nothing touched them, m/s.
fn meeting_speed(context: StepContext, c: &Contact) -> f64 {
    let StepContext { sim, step } = context;
    let p = c.patch.reference;
    let velocity = |i: LinkId| match sim.model.is_dynamic(i) {
        true => step.free[i].linear + step.free[i].angular.cross(p - sim.state.links[i].position),
        false => step.motion.displacement(sim, i, p).shift / step.motion.dt,
    };
    let [a, b] = sim.links_of(&c.pair);
    velocity(a).distance(velocity(b))
}

/// Residual impulse of each link, and the fraction of it to apply. Ignoring it would cost energy; applying all of it makes
/// stiff contacts oscillate. So an island applies `2 (1 − θ)`, with its largest θ; islands with joints apply none.
pub(super) fn residuals(
    context: StepContext,
    solution: &Solution,
    balance: &LinkImpulses,
    linearized: &LinearizedContacts,
) -> Vec<Residual> {
    let (StepContext { sim, step }, LinkImpulses { impulses, groups }) = (context, balance);
    let mut fractions = sim.model.per_link(1.0f64);
    let mut limit =
        |i: LinkId, theta: f64| groups[i].iter().for_each(|g| fractions[*g] = fractions[*g].min(2.0 * (1.0 - theta)));
    sim.model.links().for_each(|i| limit(i, if solution.joint_counts[i] > 0 { 1.0 } else { step.theta[i] }));
    // Contacts that began in this step are not in θ of their links.
    for (c, linear) in sim.contacts().iter().zip(&linearized.each).filter_map(|(c, r)| Some((c, r.known()?))) {
        sim.links_of(&c.pair).into_iter().for_each(|i| limit(i, linear.theta()));
    }
    let residual = |i: LinkId| {
        let fraction = fractions[groups[i]?];
        let impulse = solver_body(sim, step, i).residual_impulse(&solution.velocities[i], &impulses[i]);
        Some(Residual { link: i, impulse, fraction })
    };
    sim.model.links().filter(|i| sim.is_awake(*i)).filter_map(residual).collect()
}

/// Applies these fractions of residual impulses; their work, J.
pub(super) fn apply_residuals(model: &Model, state: &mut State, residuals: &[Residual]) -> f64 {
    let mut work = 0.0;
    for Residual { link, impulse, fraction } in residuals {
        let (motion_law, link) = (model.motion_law(*link), &mut state.links[*link]);
        let before = motion_law.twist(link);
        let load = AppliedWrench { force: *fraction * impulse.linear, torque: *fraction * impulse.angular };
        motion_law.apply(link, &load, 1.0);
        let mean = Twist::mean(&before, &motion_law.twist(link));
        work += load.force.dot(mean.linear) + load.torque.dot(mean.angular);
    }
    work
}
