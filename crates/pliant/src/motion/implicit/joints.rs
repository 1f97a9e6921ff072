//! Joints in an implicit step.
//!
//! *The idea* (RATTLE): a constraint joint, any but a spring, must hold at the end of the step. Impulses along the
//! axes it had at the start bring the links there; then velocities are projected onto those that the joint allows at
//! the end. This keeps energy and does not drift. Springs act as contacts do, explicitly for `1 − θ` of the step and
//! implicitly for θ. Constraint impulses are found by multipliers (augmented Lagrangian): a stiff spring, plus the
//! impulse of the last iteration, until the violation is small. *Not promised*: that joints which contradict each
//! other hold; each then gives way a little, and a warning is raised.

use super::advance::{advance_links, set_twist};
use super::connectivity::{is_joined, joint_counts, joint_sets};
use super::islands::{IslandJoint, IslandLinks, gather};
use super::joint_rows::JointStep;
use super::solution::Solution;
use super::solver::{Constraint, ConstraintBody, Impulse, Row, SolverBody};
use super::springs::{arms, inverse_effective_mass};
use super::step_data::{Step, StepContext};
use crate::bodies::{Joint, JointAction, JointAxis, JointCoordinates, PerLink, Twist};
use crate::math::{DMat3, DVec3};
use crate::motion::stepper::Stepper;
use crate::state::{Sim, SleepState, Warning, WarningKind};

/// Slope of the impulse of a projection times the inverse effective mass along it: velocities that violate a joint fall
/// to one part in so many. Larger: rounding shows. Smaller: joints drift.
const PROJECTION_GAIN: f64 = 1e7;
/// Iterations at most; fast turning takes the most.
const MAX_ITERATIONS: usize = 12;
/// Violation, over its size, of a joint that has given way.
const GIVE_WAY_VIOLATION: f64 = 1e-3;
/// Violation, over the one allowed, from which on the iterations of a joint diverge.
const DIVERGENCE_VIOLATION: f64 = 1e6;

/// Solves islands with joints again, and moves their links, until joints hold at the new positions. Whether they do; if the
/// iterations diverge, links keep the positions of the first solution.
pub(super) fn solve_joints(
    stepper: &mut Stepper,
    islands: &mut [IslandLinks],
    step: &Step,
    solution: &mut Solution,
) -> bool {
    let model = stepper.model;
    let Solution { velocities, joints, joint_counts, newton_iterations, .. } = solution;
    let mut joined = model.per_link(false);
    for members in islands.iter().filter(|m| !m.joints.is_empty()) {
        members.links.iter().for_each(|i| joined[*i] = true);
    }
    let mut active = joined.clone();
    let first = velocities.clone();
    for iteration in 0..MAX_ITERATIONS {
        let context = StepContext { sim: stepper.sim(), step };
        let mut violated = model.per_link(false);
        for joint in joints.iter_mut() {
            let links = model.joints()[joint.joint].links;
            if links.iter().flatten().any(|i| active[*i]) {
                joint.keep_multipliers(context, velocities);
                joint.evaluate(context, velocities, true, joint_counts);
                if joint.violation > 1.0 {
                    links.iter().flatten().for_each(|i| violated[*i] = true);
                }
            }
        }
        if !joints.iter().all(|j| j.violation < DIVERGENCE_VIOLATION) {
            *velocities = first;
            advance_links(stepper, step, velocities, &joined);
            return false;
        }
        let mut again = islands.iter_mut().filter(|m| m.links.iter().any(|i| violated[*i])).peekable();
        if again.peek().is_none() {
            return true;
        }
        if iteration + 1 == MAX_ITERATIONS {
            break;
        }
        active = model.per_link(false);
        for members in again {
            members.links.iter().for_each(|i| active[*i] = true);
            for &IslandJoint { constraint, joint, bodies } in &members.joints {
                members.island.constraints[constraint] = joints[joint].constraint(context, velocities, bodies);
            }
            add_geometric_stiffness(members, joints, step, velocities);
            let (found, iterations) = members.island.solve(&members.select(velocities));
            members.links.iter().zip(found).for_each(|(i, v)| velocities[*i] = v);
            *newton_iterations += iterations as u64;
        }
        advance_links(stepper, step, velocities, &active);
    }
    // Shorter steps do not help joints that were violated from the start.
    let sim = stepper.sim();
    let gave_way = |j: &JointStep| {
        j.violation > 1.0
            && violation(sim, j) > GIVE_WAY_VIOLATION
            && j.relative_violation(&j.start) <= GIVE_WAY_VIOLATION
    };
    !joints.iter().any(gave_way)
}

/// Adds the geometric stiffness of taut joints to the inertia of their links: better convergence, the same solution.
fn add_geometric_stiffness(members: &mut IslandLinks, joints: &[JointStep], step: &Step, velocities: &PerLink<Twist>) {
    let mut added = vec![DMat3::ZERO; members.links.len()];
    for IslandJoint { joint, bodies, .. } in &members.joints {
        for (side, body) in bodies.iter().enumerate() {
            if let Some(at) = body {
                added[*at] += joints[*joint].geometric_stiffness(side, step.motion.dt);
            }
        }
    }
    for (at, added) in added.iter().enumerate() {
        let i = members.links[at];
        let body = &mut members.island.bodies[at];
        (body.inertia, body.free.angular) = (step.inertia[i], step.free[i].angular);
        if *added != DMat3::ZERO {
            body.inertia += *added;
            let momentum = step.inertia[i] * step.free[i].angular + *added * velocities[i].angular;
            body.free.angular = body.inertia.inverse() * momentum;
        }
    }
}

/// Violation of a joint now, against its size.
fn violation(sim: Sim, joint: &JointStep) -> f64 {
    let coordinates = sim.model.joints()[joint.joint].coordinates(&sim.joint_ends(joint.joint));
    joint.relative_violation(&coordinates)
}

/// Breaks joints that were pulled too hard, and warns of joints that have given way.
pub(super) fn break_joints(stepper: &mut Stepper, joints: &[JointStep], dt: f64) {
    let model = stepper.model;
    for step in joints {
        let joint = &model.joints()[step.joint];
        let bodies = match joint.links.map(|l| l.map(|i| model.owner(i))) {
            [Some(a), Some(b)] => (a, b),
            [a, b] => a.or(b).map_or((0, 0), |i| (i, i)),
        };
        let sim = stepper.sim();
        let ends = sim.joint_ends(step.joint);
        let force = match joint.action {
            JointAction::Spring { .. } => joint.stretch(&ends).map_or(0.0, |s| s.tension),
            JointAction::Frame { .. } => step.constraint_impulse().0.length() / dt,
        };
        let gave_way = violation(sim, step) > GIVE_WAY_VIOLATION;
        let state = &mut *stepper.state;
        let time = state.time;
        let mut warn = |kind| state.warnings.raise(Warning { time, bodies, kind, size: None });
        if joint.break_force.is_some_and(|most| force > most) {
            warn(WarningKind::JointBroke);
            state.ledger.record_joint_loss(-joint.stored_energy(&ends));
            state.broken[step.joint] = true;
            joint.links.iter().flatten().for_each(|i| state.sleep[*i] = SleepState::Awake(0.0));
        } else if gave_way {
            warn(WarningKind::JointGaveWay);
        }
    }
}

/// RATTLE's second half: subtracts the explicit part of constraint impulses, and projects velocities onto what joints allow.
/// Its work is recorded.
pub(super) fn project_velocities(stepper: &mut Stepper, joints: &[JointStep], step: &Step) {
    let (sim, model) = (stepper.sim(), stepper.model);
    let awake = |j: &&JointStep| model.joints()[j.joint].links.iter().flatten().any(|i| sim.is_awake(*i));
    let joints: Vec<&JointStep> = joints.iter().filter(|j| !j.start.constrained.is_empty()).filter(awake).collect();
    if joints.is_empty() {
        return;
    }
    let mut sets = joint_sets(sim);
    let mut groups = model.per_link(None);
    for i in joints.iter().flat_map(|j| model.joints()[j.joint].links).flatten().filter(|i| model.is_dynamic(*i)) {
        groups[i] = Some(sets.find(i));
    }
    let (mut islands, index) = gather(sim, &groups, |i| {
        let link = sim.link(i);
        let (mass, inertia) = (link.mass().unwrap_or(f64::INFINITY), link.inertia().unwrap_or_default());
        SolverBody { mass, inertia, free: link.twist() }
    });
    // Work that joints do on kinematic links.
    let mut on_kinematic = 0.0;
    let mut kinematic: Vec<(usize, usize)> = Vec::new();
    for j in joints {
        let joint = &model.joints()[j.joint];
        let Some((island, _)) = joint.links.iter().flatten().find_map(|i| index[*i]) else { continue };
        let own = &mut islands[island].island;
        let (linear, angular) = j.constraint_impulse();
        let coordinates = joint.coordinates(&sim.joint_ends(j.joint));
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let Some(i) = joint.links[side] else { continue };
            let explicit_part = sign * (1.0 - step.theta[i]);
            match index[i] {
                Some((_, at)) => own.bodies[at]
                    .subtract_impulse(explicit_part * linear, explicit_part * (j.arms[side].cross(linear) + angular)),
                None => {
                    let theta = joint.links[1 - side].map_or(1.0, |k| step.theta[k]);
                    let link = sim.link(i);
                    let (v, spin) = (link.velocity_at(coordinates.reference), link.twist().angular);
                    on_kinematic -= sign * (1.0 - theta) * (linear.dot(v) + angular.dot(spin));
                    kinematic.push((island, own.constraints.len()));
                }
            }
        }
        let bodies = joint.links.map(|i| i.and_then(|i| index[i]).map(|p| p.1));
        own.constraints.push(projection(sim, joint, &coordinates, bodies));
    }
    let mut solved = Vec::new();
    for members in &islands {
        let start: Vec<Twist> = members.island.bodies.iter().map(|b| b.free).collect();
        solved.push(members.island.solve(&start).0);
    }
    for (island, constraint) in kinematic {
        let c = &islands[island].island.constraints[constraint];
        let motion = c.motion(|i| [solved[island][i].linear, solved[island][i].angular]);
        let Impulse { linear, angular } = c.impulse_at(motion);
        // Only the kinematic side is prescribed.
        on_kinematic += linear.dot(c.prescribed[0]) + angular.dot(c.prescribed[1]);
    }
    let state = &mut *stepper.state;
    let mut work = 0.0;
    for (members, found) in islands.iter().zip(solved) {
        for (i, v) in members.links.iter().zip(found) {
            let before = model.link(*i, &state.links[*i]).kinetic_energy();
            set_twist(model, state, *i, &v);
            work += model.link(*i, &state.links[*i]).kinetic_energy() - before;
        }
    }
    state.ledger.integrator.joints += work + on_kinematic;
    state.ledger.external.keyed -= on_kinematic;
}

/// A constraint that stops all motion that a joint does not allow.
fn projection(
    sim: Sim,
    joint: &Joint,
    coordinates: &JointCoordinates,
    bodies: [Option<usize>; 2],
) -> Constraint<'static> {
    let reference = coordinates.reference;
    let row = |(axis, _): &(JointAxis, f64)| match inverse_effective_mass(sim, joint, axis, reference) {
        0.0 => Row::along_axis(axis, 0.0),
        inverse_effective_mass => Row::along_axis(axis, PROJECTION_GAIN / inverse_effective_mass),
    };
    let mut prescribed = [DVec3::ZERO; 2];
    for (side, sign) in [(0, -1.0), (1, 1.0)] {
        if let (Some(i), None) = (joint.links[side], bodies[side]) {
            prescribed[0] += sign * sim.link(i).velocity_at(reference);
            prescribed[1] += sign * sim.link(i).twist().angular;
        }
    }
    let ends = ConstraintBody::of_sides(bodies, arms(sim, joint, reference));
    Constraint::of_rows(ends, prescribed, coordinates.constrained.iter().map(row).collect())
}

/// Links that joints held in a step, those that broke at its end included.
pub(super) struct JointMembership {
    pub joined: PerLink<bool>,
    /// Number of constraint joints of each.
    pub counts: PerLink<usize>,
}

impl JointMembership {
    pub fn of(sim: Sim) -> Self {
        Self { joined: is_joined(sim), counts: joint_counts(sim) }
    }
}
