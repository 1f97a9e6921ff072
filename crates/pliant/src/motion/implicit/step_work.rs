//! Energy balance of one implicit step: the work of every impulse, by cause.
//!
//! *The idea*: a link takes all its impulses at once, after `(1 − θ) dt` of free motion; each does work at the mean of the
//! velocities just before and after. Added up they are the change of kinetic energy; sorted by cause they are the entries of
//! the ledger. Kinematic links take impulses, too: whatever drives them does the opposite work.

use super::joint_rows::RowRole;
use super::joints::JointMembership;
use super::linearized_contacts::LinearizedContacts;
use super::solution::Solution;
use super::solver::Impulse;
use super::step_data::{StepContext, has_gyroscopic_torque};
use crate::bodies::{LinkId, PerLink, Twist};
use crate::state::{Derived, LayerPair, Model, Sim, State};

/// Impulse of a contact, its explicit or its implicit part.
struct ContactWork {
    pair: LayerPair,
    /// Work on both links together of elastic pressure, of damping and of friction, J.
    elastic: f64,
    damping: f64,
    friction: f64,
    /// Impulse on each link, about its centre.
    on: [Impulse; 2],
}

/// Work done in a step, by cause.
#[derive(Default)]
pub(super) struct StepWork {
    /// In the order of pairs.
    contacts: Vec<ContactWork>,
    gravity: f64,
    applied: f64,
    rotation: f64,
    /// Of residual impulses.
    pub residual: f64,
    keyed: f64,
    motors: f64,
    springs: f64,
    constraints: f64,
    dampers: f64,
    limits: f64,
    /// Energy in the springs of each unbroken joint at the start.
    stored_before: Vec<(usize, f64)>,
}

/// Work of an impulse about a link's centre at a velocity.
fn work(impulse: &Impulse, v: &Twist) -> f64 {
    impulse.linear.dot(v.linear) + impulse.angular.dot(v.angular)
}

/// Work of a step that has come to its end, before anything else is done to velocities.
pub(super) fn step_work(context: StepContext, solution: &Solution, linearized: &LinearizedContacts) -> StepWork {
    let mut step_work = StepWork::default();
    let mean = mean_twists(context, solution);
    step_work.add_free_motion(context, &mean);
    step_work.add_contacts(context, &mean, linearized);
    step_work.add_joints(context, &mean, solution);
    // Links were given velocities that differ from what forces give by the residual.
    step_work.residual -= solution.residuals.iter().map(|r| work(&r.impulse, &mean[r.link])).sum::<f64>();
    step_work
}

/// Mean of the velocities just before and after the impulse of each link. A link of uneven inertia takes its impulse where
/// it has turned to by then: its spin after it is that of its angular momentum there.
fn mean_twists(context: StepContext, solution: &Solution) -> PerLink<Twist> {
    let StepContext { sim, step } = context;
    let one = |i: LinkId| {
        if !sim.model.is_dynamic(i) {
            return Twist::default();
        }
        let after = &solution.velocities[i];
        if !has_gyroscopic_torque(&step.before[i], &step.inertia[i]) && !has_gyroscopic_torque(after, &step.inertia[i])
        {
            return Twist::mean(&step.before[i], after);
        }
        let (motion_law, mut there) = (sim.model.motion_law(i), step.after_explicit_part[i]);
        let before = motion_law.twist(&there);
        (there.velocity, there.angular) = (sim.state.links[i].velocity, sim.state.links[i].angular);
        Twist::mean(&before, &motion_law.twist(&there))
    };
    sim.model.links().map(one).collect()
}

/// Kinetic energy that free rotation changed before and after the impulse of link `i`.
fn rotation_error(context: StepContext, i: LinkId) -> f64 {
    let StepContext { sim, step } = context;
    let motion_law = sim.model.motion_law(i);
    let after = motion_law.twist(&sim.state.links[i]);
    if !has_gyroscopic_torque(&step.before[i], &step.inertia[i]) && !has_gyroscopic_torque(&after, &step.inertia[i]) {
        return 0.0;
    }
    let mut link = step.after_explicit_part[i];
    let first = motion_law.kinetic_energy(&step.start.state.links[i]);
    let before = motion_law.kinetic_energy(&link);
    // Momentum is what it is at the end: free rotation keeps it.
    (link.velocity, link.angular) = (sim.state.links[i].velocity, sim.state.links[i].angular);
    let pushed = motion_law.kinetic_energy(&link);
    before - first + motion_law.kinetic_energy(&sim.state.links[i]) - pushed
}

/// Work of an impulse about its centre on link `i`: a kinematic one moves as it did during the step.
fn side_work(context: StepContext, mean: &PerLink<Twist>, i: LinkId, impulse: &Impulse) -> f64 {
    if context.sim.model.is_dynamic(i) {
        return work(impulse, &mean[i]);
    }
    work(impulse, &context.mean_motion(i, context.sim.state.links[i].position))
}

impl StepWork {
    fn add_free_motion(&mut self, context: StepContext, mean: &PerLink<Twist>) {
        let StepContext { sim, step } = context;
        let (model, dt) = (sim.model, step.motion.dt);
        for i in model.links().filter(|i| sim.is_awake(*i)) {
            let Some(mass) = model.motion_law(i).mass() else { continue };
            let fallen = sim.state.links[i].position - step.start.state.links[i].position;
            self.gravity += mass * model.gravity.dot(dt * mean[i].linear - fallen);
            let load = &sim.state.applied[i];
            self.applied += dt * (load.force.dot(mean[i].linear) + load.torque.dot(mean[i].angular));
            self.rotation += rotation_error(context, i);
        }
    }

    fn add_contacts(&mut self, context: StepContext, mean: &PerLink<Twist>, linearized: &LinearizedContacts) {
        let StepContext { sim, step } = context;
        let (mut explicit, mut implicit) =
            (Vec::with_capacity(step.explicit.len()), Vec::with_capacity(sim.contacts().len()));
        for given in &step.explicit {
            let links = sim.links_of(&given.pair);
            if !sim.is_dynamic(&given.pair) {
                continue;
            }
            let of = |on: &[Impulse; 2]| [0, 1].map(|side| side_work(context, mean, links[side], &on[side]));
            let (elastic, damping) = (of(&given.elastic), of(&given.damping));
            for side in (0..2).filter(|side| !sim.model.is_dynamic(links[*side])) {
                self.keyed -= elastic[side] + damping[side];
            }
            let sum = |w: [f64; 2]| w[0] + w[1];
            let (pair, on) = (given.pair, [given.impulse_on(0), given.impulse_on(1)]);
            explicit.push(ContactWork { pair, elastic: sum(elastic), damping: sum(damping), friction: 0.0, on });
        }
        for (c, linear) in sim.contacts().iter().zip(&linearized.each).filter_map(|(c, r)| Some((c, r.known()?))) {
            if !sim.is_dynamic(&c.pair) {
                continue;
            }
            let links = sim.links_of(&c.pair);
            let parts = linearized.split(linear).map(|impulse| {
                [0, 1].map(|side| {
                    let on = linear.of_impulse(&impulse, side);
                    side_work(context, mean, links[side], &on)
                })
            });
            for side in (0..2).filter(|side| !sim.model.is_dynamic(links[*side])) {
                self.keyed -= parts.iter().map(|p| p[side]).sum::<f64>();
            }
            let [elastic, damping, friction] = parts.map(|p| p[0] + p[1]);
            implicit.push(ContactWork {
                pair: c.pair,
                elastic,
                damping,
                friction,
                on: [linear.impulse_on(0), linear.impulse_on(1)],
            });
        }
        self.contacts = merged(explicit, implicit);
    }

    fn add_joints(&mut self, context: StepContext, mean: &PerLink<Twist>, solution: &Solution) {
        let StepContext { sim, step } = context;
        for given in &step.explicit_joints {
            let joint = &sim.model.joints()[given.joint];
            for (axis, [spring, damper]) in &given.impulses {
                for (side, sign) in [(0, -1.0), (1, 1.0)] {
                    let Some(i) = joint.links[side] else { continue };
                    let arm = given.reference - step.start.state.links[i].position;
                    let unit = Impulse {
                        linear: sign * axis.linear,
                        angular: arm.cross(sign * axis.linear) + sign * axis.angular,
                    };
                    let done = side_work(context, mean, i, &unit);
                    self.springs += spring * done;
                    self.dampers += damper * done;
                    if !sim.model.is_dynamic(i) {
                        self.keyed -= (spring + damper) * done;
                    }
                }
            }
        }
        for joint in &solution.joints {
            self.stored_before.push((joint.joint, stored(context.at_start(), joint.joint)));
            let motions = [0, 1].map(|side| joint.side_motion(context, side, mean));
            let relative = joint.motion(context, &solution.velocities);
            for (axis, impulse, role) in joint.row_impulses(context, &solution.velocities) {
                let along = |m: &[crate::math::DVec3; 2]| axis.linear.dot(m[0]) + axis.angular.dot(m[1]);
                let done = impulse * (along(&motions[1]) - along(&motions[0]));
                for (side, sign) in [(0, -1.0), (1, 1.0)] {
                    let kinematic =
                        sim.model.joints()[joint.joint].links[side].is_some_and(|i| !sim.model.is_dynamic(i));
                    if kinematic {
                        self.keyed -= sign * impulse * along(&motions[side]);
                    }
                }
                match role {
                    RowRole::Constraint => self.constraints += done,
                    RowRole::Motor => self.motors += done,
                    RowRole::Limit => self.limits += done,
                    RowRole::Spring { damping } => {
                        // The damper's share of the impulse, no more than all of it.
                        let damper = -damping * along(&relative.0);
                        let damper = if impulse == 0.0 { 0.0 } else { damper };
                        let share = if impulse == 0.0 { 0.0 } else { damper / impulse };
                        self.dampers += share * done;
                        self.springs += (1.0 - share) * done;
                    }
                }
            }
        }
    }

    /// Work of each pair's contact on its links, in order. The energy that a link gained beyond the work of its
    /// impulses, the residual of the solve, is divided among its contacts in proportion to their impulses. A passive
    /// contact may not gain the sum.
    pub fn pair_work(&self, context: StepContext, joined: &JointMembership) -> Vec<(LayerPair, f64)> {
        let sim = context.sim;
        let mut rest: PerLink<f64> = sim.model.links().map(|i| gained(context, i)).collect();
        let mut strengths = sim.model.per_link(0.0);
        let mean: PerLink<Twist> = sim.model.links().map(|i| mean_twist(context, i)).collect();
        let mut all: Vec<(LayerPair, f64, [Impulse; 2])> = Vec::with_capacity(self.contacts.len());
        for ContactWork { pair, on, .. } in &self.contacts {
            match all.last_mut().filter(|last| last.0 == *pair) {
                Some(last) => last.2.iter_mut().zip(on).for_each(|(sum, more)| *sum += *more),
                None => all.push((*pair, 0.0, *on)),
            }
        }
        for (pair, sum, on) in &mut all {
            for (i, impulse) in sim.links_of(pair).into_iter().zip(on) {
                let done = work(impulse, &mean[i]);
                *sum += done;
                rest[i] -= done;
                strengths[i] += impulse.linear.length();
            }
        }
        for (pair, sum, on) in &mut all {
            for (i, impulse) in sim.links_of(pair).into_iter().zip(on) {
                if strengths[i] > 0.0 && sim.model.is_dynamic(i) && !joined.joined[i] {
                    *sum += rest[i] * impulse.linear.length() / strengths[i];
                }
            }
        }
        all.into_iter().map(|(pair, sum, _)| (pair, sum)).collect()
    }

    /// Books joints, before any of them breaks: springs give back what they take, constraints do no work.
    pub fn record_joints(&self, model: &Model, state: &mut State, derived: &Derived) {
        let sim = Sim { model, state, derived };
        let change: f64 = self.stored_before.iter().map(|(n, before)| stored(sim, *n) - before).sum();
        let ledger = &mut state.ledger;
        ledger.integrator.joints += self.springs + change + self.constraints;
        ledger.record_joint_loss(self.dampers);
        ledger.record_joint_loss(self.limits);
        ledger.external.motors += self.motors;
    }

    /// Records everything else, and opens and closes the ledgers of pairs.
    pub fn record_work(&self, model: &Model, state: &mut State, derived: &Derived) {
        let sim = Sim { model, state, derived };
        let capacity: f64 = sim.contacts().iter().map(|c| c.forces.shear_energy).sum();
        let pairs: Vec<LayerPair> = sim.dynamic_pairs().collect();
        let ledger = &mut state.ledger;
        let (mut damping, mut friction) = (0.0, 0.0);
        for of_pair in self.contacts.chunk_by(|p, q| p.pair == q.pair) {
            let entry = ledger.of_pair(of_pair[0].pair);
            for work in of_pair {
                entry.elastic += work.elastic;
                damping += work.damping;
                friction += work.friction;
            }
        }
        ledger.record_damping(damping);
        ledger.record_friction(friction, capacity);
        ledger.external.keyed += self.keyed;
        ledger.external.applied += self.applied;
        ledger.integrator.gravity += self.gravity;
        ledger.integrator.rotation += self.rotation;
        ledger.integrator.residual += self.residual;
        ledger.update_pairs(pairs.into_iter(), true);
    }
}

/// One list of two that are in the order of pairs; of one pair, those of `a` come first.
fn merged(a: Vec<ContactWork>, b: Vec<ContactWork>) -> Vec<ContactWork> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let mut b = b.into_iter().peekable();
    for work in a {
        all.extend(std::iter::from_fn(|| b.next_if(|other| other.pair < work.pair)));
        all.push(work);
    }
    all.extend(b);
    all
}

/// Energy in the springs of joint `n`, J.
fn stored(sim: Sim, n: usize) -> f64 {
    sim.model.joints()[n].stored_energy(&sim.joint_ends(n))
}

/// Velocity of link `i` over a step, on the whole.
fn mean_twist(context: StepContext, i: LinkId) -> Twist {
    let StepContext { sim, step } = context;
    if sim.model.is_dynamic(i) {
        return Twist::mean(&step.before[i], &sim.link(i).twist());
    }
    context.mean_motion(i, sim.state.links[i].position)
}

/// Kinetic energy that link `i` has gained beyond what gravity gave it, J. At θ = 1 a link moves the whole step at its final
/// velocity, so g·displacement differs from g·mean velocity·dt. The smaller of the two is subtracted.
fn gained(context: StepContext, i: LinkId) -> f64 {
    let StepContext { sim, step } = context;
    let (link, was) = (sim.link(i), &step.before[i]);
    let Some(mass) = link.mass() else { return 0.0 };
    let spinning = was.angular.dot(step.inertia[i] * was.angular);
    let shift = step.motion.displacement(sim, i, link.center()).shift;
    let pushed = 0.5 * step.motion.dt * (was.linear + link.twist().linear);
    let fallen = mass * sim.model.gravity.dot(shift).min(sim.model.gravity.dot(pushed));
    let applied = step.start.state.applied[i].force.dot(shift);
    link.kinetic_energy() - 0.5 * (mass * was.linear.length_squared() + spinning) - fallen - applied
}
