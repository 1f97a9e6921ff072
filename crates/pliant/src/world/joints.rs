//! Springs and joints in an implicit step.
//!
//! *The idea*: springs act as contacts do, a part as they were and the rest as they will be. Joints hold bodies where the
//! step ends, by impulses along the lines they had where it starts; then velocities are put right for where it ended, and
//! only what a joint did of late is kept: RATTLE, which keeps energy and does not drift. What a joint must hold is found
//! by multipliers: a stiff spring, plus what it had to give the last time round, until nothing is amiss.
//! *Not promised*: that joints which contradict each other hold; each then gives way a little, and a warning tells.

use super::implicit::Members;
use super::leap::Leap;
use super::pull::Pull;
use super::{WarningKind, World};
use crate::bodies::{Joint, JointAction, Line, Load, Twist};
use crate::math::{DMat3, DVec3, UnionFind};
use crate::motion::implicit::{Coupling, Mover, Row};

/// Stiffness by which velocities are put right, against what is moved. Larger: rounding shows. Smaller: they are not.
const FIRMER: f64 = 1e7;
/// Rounds at most; fast turning takes the most.
const MOST_ROUNDS: usize = 12;
/// A joint that is amiss by more than this part of its size has given way.
const GIVEN_WAY: f64 = 1e-3;
/// A joint amiss by so many times what it may be has gone astray.
const ASTRAY: f64 = 1e6;
/// Radians that bodies held by joints turn in a step at most. More: rounds do not end.
const MOST_TURN: f64 = 0.4;

impl World {
    /// Ties that are not broken.
    pub(super) fn standing(&self) -> impl Iterator<Item = &Joint> {
        self.joints.iter().filter(|t| !t.broken)
    }

    /// Joules in springs.
    pub(super) fn stored_in_ties(&self) -> f64 {
        self.standing().map(|t| self.stored_in(t)).sum()
    }

    /// Impulses of the early part of springs over a step of `dt`.
    pub(super) fn early_pulls(&self, dt: f64) -> Vec<(usize, Load)> {
        let mut loads = Vec::new();
        self.standing().for_each(|t| self.early(t, dt, &mut loads));
        loads
    }

    /// Ties where a step starts.
    pub(super) fn pulls(&self) -> Vec<Pull> {
        (0..self.joints.len()).filter(|i| !self.joints[*i].broken).map(|i| self.pull(i)).collect()
    }

    /// Bodies that joints hold to one another, forces moving both; with `springs` or by joints alone.
    pub(super) fn joined(&self, springs: bool) -> impl Iterator<Item = [usize; 2]> {
        let holds = move |hold: &JointAction| springs || matches!(hold, JointAction::Frame { .. });
        self.standing().filter(move |t| holds(&t.hold)).filter_map(|t| match t.bodies {
            [Some(a), Some(b)] if self.moves(a) && self.moves(b) => Some([a, b]),
            _ => None,
        })
    }

    /// Of each body, whether any joint holds it.
    pub(super) fn which_are_tied(&self) -> Vec<bool> {
        let mut joined = vec![false; self.bodies.len()];
        self.standing().for_each(|t| t.bodies.iter().flatten().for_each(|i| joined[*i] = true));
        joined
    }

    /// Bodies that joints hold together.
    fn joint_sets(&self) -> UnionFind {
        let mut sets = UnionFind::new(self.bodies.len());
        self.joined(false).for_each(|[a, b]| sets.union(a, b));
        sets
    }

    /// What holds for one of the bodies that joints hold together holds for all of them: the greatest.
    pub(super) fn spread_over_joints<T: Copy + PartialOrd>(&self, values: &mut [T]) {
        if self.joints.is_empty() {
            return;
        }
        let mut sets = self.joint_sets();
        let mut most = values.to_vec();
        for (i, value) in values.iter().enumerate() {
            let first = sets.find(i);
            if *value > most[first] {
                most[first] = *value;
            }
        }
        values.iter_mut().enumerate().for_each(|(i, value)| *value = most[sets.find(i)]);
    }

    /// How long a step may be in which bodies held by joints do not turn too far, s.
    pub(super) fn longest_turn(&self) -> f64 {
        let spin = |i: usize| self.bodies[i].base.twist().angular.length();
        let joints = self.standing().filter(|t| matches!(t.hold, JointAction::Frame { .. }));
        joints.flat_map(|t| t.bodies).flatten().map(|i| MOST_TURN / spin(i)).fold(f64::INFINITY, f64::min)
    }

    /// Solves islands with joints again, and moves their bodies, until what joints do fits where bodies come to. Whether it
    /// does; if they fly apart, they are left where the first solution brings them.
    pub(super) fn pull_taut(
        &mut self,
        islands: &mut [Members],
        pulls: &mut [Pull],
        (leap, bases): (&Leap, &[f64]),
        velocities: &mut [Twist],
    ) -> bool {
        let mut joined = vec![false; self.bodies.len()];
        for members in islands.iter().filter(|m| !m.pulls.is_empty()) {
            members.bodies.iter().for_each(|i| joined[*i] = true);
        }
        let mut loose = joined.clone();
        let first = velocities.to_vec();
        for round in 0..MOST_ROUNDS {
            let mut slack = vec![false; self.bodies.len()];
            for pull in pulls.iter_mut() {
                let bodies = self.joints[pull.joint].bodies;
                if bodies.iter().flatten().any(|i| loose[*i]) {
                    self.keep(pull, leap, velocities);
                    self.ask(pull, leap, (velocities, true));
                    if pull.amiss > 1.0 {
                        bodies.iter().flatten().for_each(|i| slack[*i] = true);
                    }
                }
            }
            if !pulls.iter().all(|p| p.amiss < ASTRAY) {
                velocities.copy_from_slice(&first);
                self.go(bases, leap, (velocities, &joined));
                return false;
            }
            let mut again = islands.iter_mut().filter(|m| m.bodies.iter().any(|i| slack[*i])).peekable();
            if again.peek().is_none() {
                return true;
            }
            if round + 1 == MOST_ROUNDS {
                break;
            }
            loose = vec![false; self.bodies.len()];
            for members in again {
                members.bodies.iter().for_each(|i| loose[*i] = true);
                for &(coupling, pull) in &members.pulls {
                    let movers = members.island.couplings[coupling].movers;
                    members.island.couplings[coupling] = self.pull_coupling(&pulls[pull], leap, (velocities, movers));
                }
                self.slow_swings(members, pulls, (leap, velocities));
                let found = members.island.solve(&members.of(velocities));
                members.bodies.iter().zip(found).for_each(|(i, v)| velocities[*i] = v);
            }
            self.go(bases, leap, (velocities, &loose));
        }
        // Joints that were amiss from the start cannot be helped by shorter steps.
        !pulls.iter().any(|p| p.amiss > 1.0 && self.amiss(p) > GIVEN_WAY && p.worst(&p.start) <= GIVEN_WAY)
    }

    /// Slows the turning of bodies between taut joints by what those do as they turn with them: of no effect once a
    /// round changes nothing.
    fn slow_swings(&self, members: &mut Members, pulls: &[Pull], (leap, velocities): (&Leap, &[Twist])) {
        let mut swings = vec![DMat3::ZERO; members.bodies.len()];
        for &(coupling, pull) in &members.pulls {
            for (side, mover) in members.island.couplings[coupling].movers.iter().enumerate() {
                if let Some(at) = mover {
                    swings[*at] += self.swing(&pulls[pull], side, leap.stride.dt);
                }
            }
        }
        for (at, swing) in swings.iter().enumerate() {
            let i = members.bodies[at];
            let mover = &mut members.island.movers[at];
            (mover.inertia, mover.free.angular) = (leap.inertias[i], leap.free[i].angular);
            if *swing != DMat3::ZERO {
                mover.inertia += *swing;
                let momentum = leap.inertias[i] * leap.free[i].angular + *swing * velocities[i].angular;
                mover.free.angular = mover.inertia.inverse() * momentum;
            }
        }
    }

    /// By how much a joint is amiss, against its size.
    fn amiss(&self, pull: &Pull) -> f64 {
        pull.worst(&self.reading(&self.joints[pull.joint]))
    }

    /// Puts right the velocities of what joints hold, where the step has ended; breaks what was pulled too hard, and tells
    /// of joints that have given way.
    pub(super) fn settle_ties(&mut self, pulls: &[Pull], leap: &Leap) {
        self.straighten(pulls, leap);
        for pull in pulls {
            let joint = &self.joints[pull.joint];
            let tie_ends = joint.bodies;
            let pair = match joint.bodies {
                [Some(a), Some(b)] => (a, b),
                [a, b] => a.or(b).map_or((0, 0), |i| (i, i)),
            };
            let force = match joint.hold {
                JointAction::Spring { .. } => self.tension(joint),
                JointAction::Frame { .. } => pull.impulse().0.length() / leap.stride.dt,
            };
            if joint.break_force.is_some_and(|most| force > most) {
                self.joints[pull.joint].broken = true;
                tie_ends.iter().flatten().for_each(|i| self.still[*i] = 0.0);
                self.joint_counts = Joint::joint_counts(&self.joints, self.bodies.len());
                self.warn(pair, WarningKind::JointBroke, None);
            } else if self.amiss(pull) > GIVEN_WAY {
                self.warn(pair, WarningKind::JointGaveWay, None);
            }
        }
    }

    /// RATTLE's second half: takes back the early part of what joints gave, and then whatever of the velocities would part
    /// what they hold.
    fn straighten(&mut self, pulls: &[Pull], leap: &Leap) {
        let awake = |p: &&Pull| self.joints[p.joint].bodies.iter().flatten().any(|i| self.is_awake(*i));
        let joints: Vec<&Pull> = pulls.iter().filter(|p| !p.start.held.is_empty()).filter(awake).collect();
        let mut sets = self.joint_sets();
        let mut groups = vec![None; self.bodies.len()];
        for i in joints.iter().flat_map(|p| self.joints[p.joint].bodies).flatten().filter(|i| self.moves(*i)) {
            groups[i] = Some(sets.find(i));
        }
        let (mut islands, places) = self.gather(&groups, |i| {
            let base = &self.bodies[i].base;
            let (mass, inertia) = (base.mass().unwrap_or(f64::INFINITY), base.inertia().unwrap_or_default());
            Mover { mass, inertia, free: base.twist() }
        });
        for pull in joints {
            let joint = &self.joints[pull.joint];
            let Some((island, _)) = joint.bodies.iter().flatten().find_map(|i| places[*i]) else { continue };
            let island = &mut islands[island].island;
            let (push, turn) = pull.impulse();
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let Some(i) = joint.bodies[side] else { continue };
                let Some((_, at)) = places[i] else { continue };
                let early = sign * (1.0 - leap.lates[i]);
                island.movers[at].take(early * push, early * (pull.arms[side].cross(push) + turn));
            }
            let movers = joint.bodies.map(|i| i.and_then(|i| places[i]).map(|p| p.1));
            island.couplings.push(self.straight(joint, movers));
        }
        for members in &islands {
            let start: Vec<Twist> = members.island.movers.iter().map(|m| m.free).collect();
            for (i, v) in members.bodies.iter().zip(members.island.solve(&start)) {
                self.set_twist(*i, &v);
            }
        }
    }

    /// What stops all motion that a joint does not allow.
    fn straight(&self, joint: &Joint, movers: [Option<usize>; 2]) -> Coupling<'static> {
        let now = self.reading(joint);
        let row = |(line, _): &(Line, f64)| match self.ease(joint, line, now.reference) {
            0.0 => Row::along(line, 0.0),
            ease => Row::along(line, FIRMER / ease),
        };
        let mut given = [DVec3::ZERO; 2];
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if let (Some(i), None) = (joint.bodies[side], movers[side]) {
                let base = &self.bodies[i].base;
                given[0] += sign * base.velocity_at(now.reference);
                given[1] += sign * base.twist().angular;
            }
        }
        Coupling::of_rows(movers, self.arms(joint, now.reference), given, now.held.iter().map(row).collect())
    }

    /// Gives a body this velocity.
    pub(super) fn set_twist(&mut self, i: usize, v: &Twist) {
        let base = &mut self.bodies[i].base;
        let (Some(mass), Some(inertia)) = (base.mass(), base.inertia()) else { return };
        let now = base.twist();
        let load = Load { force: mass * (v.linear - now.linear), torque: inertia * (v.angular - now.angular) };
        base.push(&load, 1.0);
    }
}
