//! What one joint does over an implicit step: rows for the solve, asked again where bodies come to.

use super::World;
use super::leap::Leap;
use crate::bodies::{Joint, JointAction, JointCoordinates, Line, Load, Twist};
use crate::math::{DMat3, DVec3, Frame};
use crate::model::{Freedom, Travel};
use crate::motion::implicit::{Coupling, Impulse, LEAST_SPEED, Row, Share};

/// Stiffness of what a joint holds, against what it moves: so many times its mass over a step squared. Larger: rounding
/// shows. Smaller: more rounds.
const FIRM: f64 = 1e4;
/// A motor's: its speed is held to one part in so many.
const BRISK: f64 = 1e3;
/// A joint holds when nothing is amiss by more than this part of its size. Smaller: more rounds. Larger: it drifts.
const HELD: f64 = 1e-6;
/// A spring is right when its force would change no velocity by more than this part of the fastest.
const PULLED: f64 = 1e-4;

/// `(ω dt)⁴` of a body's swinging between two joints at which their lines are half those of the step's end. Larger: taut
/// chains of light links shake. Smaller: they come to rest too soon.
const TOO_HARD: f64 = 16.0;

/// A joint during a step.
#[derive(Clone, Debug)]
pub(super) struct Pull {
    /// Which.
    pub joint: usize,
    /// From the centre of each body to the reference point: where the step starts, and where forces act over it.
    first_arms: [DVec3; 2],
    pub arms: [DVec3; 2],
    /// Along what, where the step starts; empty for a spring.
    pub start: JointCoordinates,
    /// Along what it holds over the step.
    held: Vec<Line>,
    /// How far, from where the step starts to where it ends, that is: 0 keeps energy, 1 loses it where pulls are too hard
    /// for the step.
    turned: f64,
    /// How firmly what is held, what is free and what parts could be held, N s per m/s.
    firm: [Vec<f64>; 3],
    /// What each line that is held has had to give so far, N s.
    pub given: Vec<f64>,
    /// What errors are measured by, m.
    pub size: f64,
    /// What it does, as far as known.
    rows: Vec<Row>,
    /// By how much it is amiss, in parts of what it may be.
    pub amiss: f64,
}

impl Pull {
    /// By how much what is held is amiss, against its size.
    pub fn worst(&self, reading: &JointCoordinates) -> f64 {
        let one = |(line, error): &(Line, f64)| {
            if line.linear == DVec3::ZERO { error.abs() } else { error.abs() / self.size }
        };
        reading.held.iter().map(one).fold(0.0, f64::max)
    }

    /// What lines that are held have given b: impulse, and its moment about the reference point.
    pub fn impulse(&self) -> (DVec3, DVec3) {
        let lines = || self.held.iter().zip(&self.given);
        (lines().map(|(l, given)| *given * l.linear).sum(), lines().map(|(l, given)| *given * l.angular).sum())
    }
}

/// How b moves against a at a joint: velocity and spin.
#[derive(Clone, Copy, Debug, Default)]
struct Motion([DVec3; 2]);

impl Motion {
    fn add(&mut self, sign: f64, [velocity, spin]: [DVec3; 2]) {
        self.0[0] += sign * velocity;
        self.0[1] += sign * spin;
    }
    fn along(&self, line: &Line) -> f64 {
        line.linear.dot(self.0[0]) + line.angular.dot(self.0[1])
    }
    fn six(&self) -> [f64; 6] {
        Row::along(&Line { linear: self.0[0], angular: self.0[1] }, 0.0).along
    }
}

/// A joint's motion over a step.
struct Asked {
    /// At the velocities found so far.
    now: Motion,
    /// Of what forces move, before the step.
    was: Motion,
    /// Of what no force moves.
    others: Motion,
    /// Whether bodies have moved at those velocities.
    moved: bool,
    dt: f64,
    /// What part of the way its bodies go at their velocities after the step.
    late: f64,
    /// m/s.
    fastest: f64,
}

impl Asked {
    /// The speed along `line` for which the joint is as it is asked now.
    fn found_at(&self, line: &Line, late: f64) -> f64 {
        if self.moved {
            return self.now.along(line);
        }
        // Those that no force moves are there already; the others have not gone the way they go at their old velocity.
        self.others.along(line) - (1.0 - late) / late * self.was.along(line)
    }

    /// A row that puts right, by the end of the step, what is amiss by `error` along `line`.
    fn stiff(&self, line: &Line, firm: f64, error: f64) -> Row {
        let push = firm * (self.found_at(line, self.late) - error / (self.late * self.dt));
        Row { push, ..Row::along(line, firm) }
    }

    /// A row of a spring that pulls back by `force` now.
    fn soft(&self, line: &Line, (stiffness, damping, force): (f64, f64, f64), late: f64) -> Row {
        let felt = late * self.dt;
        let push = felt * (felt * stiffness * self.found_at(line, late) - force);
        Row { push, ..Row::along(line, felt * (felt * stiffness + damping)) }
    }
}

/// An angle from −π to π.
fn wrapped(angle: f64) -> f64 {
    angle - std::f64::consts::TAU * (angle / std::f64::consts::TAU).round()
}

/// How far what is free has gone from where its spring pulls it.
fn strain(kind: Freedom, gone: f64, rest: f64) -> f64 {
    if kind == Freedom::Hinge { wrapped(gone - rest) } else { gone - rest }
}

/// A line along which a spring acts, its stiffness and damping, and its force on b.
type Soft = (Line, (f64, f64), f64);

/// A spring now.
struct Stretch {
    line: Line,
    reference: DVec3,
    length: f64,
    /// Newtons, without damping; less than nothing if it is short.
    tension: f64,
}

impl World {
    /// Where a joint's ends are.
    fn ends(&self, joint: &Joint) -> [Frame; 2] {
        joint.placed(|i| self.bodies[i].base.world_from_body())
    }

    /// A joint as it is now; of a spring nothing is held and nothing counted.
    pub(super) fn reading(&self, joint: &Joint) -> JointCoordinates {
        let ends = self.ends(joint);
        match joint.hold {
            JointAction::Frame { freedom: kind, .. } => JointCoordinates::of(kind, &ends),
            JointAction::Spring { .. } => {
                JointCoordinates { reference: ends[1].translation, ..JointCoordinates::default() }
            }
        }
    }

    /// A spring as it is now; none if its ends are in one place.
    fn stretch(&self, joint: &Joint) -> Option<Stretch> {
        let JointAction::Spring { rest_length, stiffness, .. } = joint.hold else { return None };
        let [a, b] = self.ends(joint).map(|f| f.translation);
        let length = a.distance(b);
        let line = Line { linear: (b - a).try_normalize()?, angular: DVec3::ZERO };
        Some(Stretch { line, reference: b, length, tension: stiffness * (length - rest_length) })
    }

    /// Newtons a joint that is a spring pulls with.
    pub(super) fn tension(&self, joint: &Joint) -> f64 {
        self.stretch(joint).map_or(0.0, |s| s.tension)
    }

    /// Joules in a joint.
    pub(super) fn stored_in(&self, joint: &Joint) -> f64 {
        match joint.hold {
            JointAction::Spring { stiffness, rope, .. } => {
                let tension = self.tension(joint);
                let tension = if rope { tension.max(0.0) } else { tension };
                0.5 * tension * tension / stiffness
            }
            JointAction::Frame { freedom: kind, travel } => {
                let gone = |q: &(Line, f64)| strain(kind, q.1, travel.rest);
                self.reading(joint).free.iter().map(|q| 0.5 * travel.stiffness * gone(q) * gone(q)).sum()
            }
        }
    }

    /// How much a unit impulse along `line` changes the speed along it, of both bodies; where it only turns them, they turn
    /// about the joint.
    pub(super) fn ease(&self, joint: &Joint, line: &Line, reference: DVec3) -> f64 {
        let one = |i: usize| {
            let base = &self.bodies[i].base;
            let inertia = base.inertia().unwrap_or_default();
            let mass = base.mass().filter(|_| inertia != DMat3::ZERO);
            match (line.linear == DVec3::ZERO, mass) {
                (true, None) => 0.0,
                (true, Some(mass)) => {
                    let lever = line.angular.cross(reference - base.center());
                    1.0 / (line.angular.dot(inertia * line.angular) + mass * lever.length_squared())
                }
                (false, _) => base.mobility(reference, line.linear),
            }
        };
        joint.bodies.iter().flatten().map(|i| one(*i)).sum()
    }

    /// What part of the force of a spring, stiff and damped like this, acts as it will be.
    fn late(&self, joint: &Joint, (stiffness, damping): (f64, f64), (line, at): (&Line, DVec3), dt: f64) -> f64 {
        let ease = self.ease(joint, line, at);
        Share::of(stiffness * ease, damping * ease, dt).late
    }

    /// The greatest such part of a joint's springs; half if it has none.
    pub(super) fn latest(&self, joint: &Joint, dt: f64) -> f64 {
        let (reference, pulls) = self.soft_pulls(joint);
        pulls.iter().map(|(line, soft, _)| self.late(joint, *soft, (line, reference), dt)).fold(0.5, f64::max)
    }

    /// Impulses of a joint on its bodies as it is before a step of `dt`: the early part of what springs do.
    pub(super) fn early(&self, joint: &Joint, dt: f64, loads: &mut Vec<(usize, Load)>) {
        let (reference, pulls) = self.soft_pulls(joint);
        for (line, soft, force) in pulls {
            let impulse = (1.0 - self.late(joint, soft, (&line, reference), dt)) * dt * force;
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let Some(i) = joint.bodies[side] else { continue };
                let push = sign * impulse * line.linear;
                let torque = (reference - self.bodies[i].base.center()).cross(push) + sign * impulse * line.angular;
                loads.push((i, Load { force: push, torque }));
            }
        }
    }

    /// What a joint's springs do now: along which lines, how stiff and damped they are, and their force on b.
    fn soft_pulls(&self, joint: &Joint) -> (DVec3, Vec<Soft>) {
        let speed = |line: &Line, at: DVec3| {
            let mut motion = Motion::default();
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let Some(i) = joint.bodies[side] else { continue };
                motion.add(sign, [self.bodies[i].base.velocity_at(at), self.bodies[i].base.twist().angular]);
            }
            motion.along(line)
        };
        match joint.hold {
            JointAction::Spring { stiffness, damping, rope, .. } => {
                let Some(s) = self.stretch(joint) else { return (DVec3::ZERO, Vec::new()) };
                let pull = s.tension + damping * speed(&s.line, s.reference);
                let slack = rope && s.tension.min(pull) <= 0.0;
                (s.reference, vec![(s.line, (stiffness, damping), if slack { 0.0 } else { -pull })])
            }
            JointAction::Frame { freedom: kind, travel } => {
                let JointCoordinates { reference, free, .. } = self.reading(joint);
                let force = |(line, q): &(Line, f64)| {
                    travel.stiffness * strain(kind, *q, travel.rest) + travel.damping * speed(line, reference)
                };
                let pulls = free
                    .iter()
                    .filter(|_| is_soft(&travel))
                    .map(|q| (q.0, (travel.stiffness, travel.damping), -force(q)));
                (reference, pulls.collect())
            }
        }
    }

    /// A joint where a step starts.
    pub(super) fn pull(&self, joint: usize) -> Pull {
        let t = &self.joints[joint];
        let start = self.reading(t);
        let arms = self.arms(t, start.reference);
        let sizes = t.bodies.iter().flatten().map(|i| self.near.now[*i].size().max_element());
        let firm = |(line, _): &(Line, f64)| match self.ease(t, line, start.reference) {
            0.0 => 0.0,
            ease => FIRM / ease,
        };
        let firm = [
            start.held.iter().map(firm).collect(),
            start.free.iter().map(firm).collect(),
            start.parted.iter().map(firm).collect(),
        ];
        let given = vec![0.0; start.held.len()];
        let size = sizes.filter(|s| s.is_finite()).fold(f64::INFINITY, f64::min);
        let held = start.held.iter().map(|h| h.0).collect();
        let (first_arms, rows) = (arms, Vec::new());
        Pull { joint, first_arms, arms, start, held, turned: 0.0, firm, given, size, rows, amiss: 0.0 }
    }

    /// From the centre of each of a joint's bodies to `reference`.
    pub(super) fn arms(&self, joint: &Joint, reference: DVec3) -> [DVec3; 2] {
        joint.bodies.map(|i| i.map_or(DVec3::ZERO, |i| reference - self.bodies[i].base.center()))
    }

    /// Turns a joint's lines towards where they are now, as far as it is pulled too hard for the step.
    fn turn(&self, pull: &mut Pull, now: &JointCoordinates, dt: f64) {
        let joint = &self.joints[pull.joint];
        let (push, _) = pull.impulse();
        let swings = |side: usize| {
            let Some(i) = joint.bodies[side].filter(|i| self.moves(*i)) else { return 0.0 };
            let inertia = self.bodies[i].base.inertia().unwrap_or_default();
            let most = inertia.col(0).x.max(inertia.col(1).y).max(inertia.col(2).z);
            let (arm, mass) = (pull.arms[side].length(), self.bodies[i].base.mass().unwrap_or(f64::INFINITY));
            match self.joint_counts[i] {
                _ if most == 0.0 => 0.0,
                // It hangs: ω² = F r / (I + m r²).
                1 => push.length() * arm / (most + mass * arm * arm),
                // Pulled at both ends by as much, it swings about its middle at ω² = 2 F r / I.
                _ => 2.0 * push.length() * arm / most,
            }
        };
        let s_sq = (dt * swings(0).max(swings(1))).powi(2);
        pull.turned = pull.turned.max(s_sq / (s_sq + TOO_HARD));
        let mix = |first: DVec3, now: DVec3| first + pull.turned * (now - first);
        let arms = self.arms(joint, now.reference);
        pull.arms = [0, 1].map(|side| mix(pull.first_arms[side], arms[side]));
        for (k, line) in pull.held.iter_mut().enumerate() {
            let (first, now) = (pull.start.held[k].0, now.held[k].0);
            *line = Line { linear: mix(first.linear, now.linear), angular: mix(first.angular, now.angular) };
        }
    }

    /// How much a joint's pull, which turns with a body, slows that body's turning, N m s per rad/s.
    pub(super) fn swing(&self, pull: &Pull, side: usize, dt: f64) -> DMat3 {
        let (push, _) = pull.impulse();
        let arm = pull.arms[side];
        let pulls = if side == 0 { -push } else { push }.dot(arm);
        if pull.turned == 0.0 || pulls <= 0.0 {
            return DMat3::ZERO;
        }
        let along = arm.normalize_or_zero();
        let across = DMat3::IDENTITY - DMat3::from_cols(along * along.x, along * along.y, along * along.z);
        across * (pull.turned * dt * pulls)
    }

    /// Velocity and spin of one side of a joint at its reference point.
    fn side_motion(&self, pull: &Pull, side: usize, leap: &Leap, twists: &[Twist]) -> [DVec3; 2] {
        match self.joints[pull.joint].bodies[side] {
            None => [DVec3::ZERO; 2],
            Some(i) if self.moves(i) => {
                [twists[i].linear + twists[i].angular.cross(pull.arms[side]), twists[i].angular]
            }
            Some(i) => {
                let (shift, turn) = self.way(i, &leap.stride, pull.start.reference);
                [shift / leap.stride.dt, turn / leap.stride.dt]
            }
        }
    }

    /// A joint as an island sees it.
    pub(super) fn pull_coupling(
        &self,
        pull: &Pull,
        leap: &Leap,
        (velocities, movers): (&[Twist], [Option<usize>; 2]),
    ) -> Coupling<'static> {
        let mut given = Motion::default();
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if movers[side].is_none() {
                given.add(sign, self.side_motion(pull, side, leap, velocities));
            }
        }
        Coupling::of_rows(movers, pull.arms, given.0, pull.rows.clone())
    }

    /// What a joint gives each of its bodies at these velocities, about their centres.
    pub(super) fn impulses(&self, pull: &Pull, leap: &Leap, velocities: &[Twist]) -> [Impulse; 2] {
        let coupling = self.pull_coupling(pull, leap, (velocities, [None; 2]));
        let Impulse { linear, angular } = coupling.impulse_at(coupling.given);
        [0, 1].map(|side| {
            let sign = [-1.0, 1.0][side];
            Impulse { linear: sign * linear, angular: sign * (pull.arms[side].cross(linear) + angular) }
        })
    }

    /// Keeps what lines that are held had to give at these velocities.
    pub(super) fn keep(&self, pull: &mut Pull, leap: &Leap, velocities: &[Twist]) {
        let mut motion = Motion::default();
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            motion.add(sign, self.side_motion(pull, side, leap, velocities));
        }
        for (given, row) in pull.given.iter_mut().zip(&pull.rows) {
            *given = row.impulse(&motion.six());
        }
    }

    /// Asks a joint where bodies have come to at these velocities, or where they are if they have not `moved`: its rows, and
    /// by how much it is amiss.
    pub(super) fn ask(&self, pull: &mut Pull, leap: &Leap, (velocities, moved): (&[Twist], bool)) {
        let joint = &self.joints[pull.joint];
        let dt = leap.stride.dt;
        let moved_by_forces = || joint.bodies.iter().flatten().filter(|i| self.moves(**i));
        let late = moved_by_forces().map(|i| leap.lates[*i]).fold(0.5, f64::max);
        let falls = (self.gravity.length() * dt).max(LEAST_SPEED);
        let fastest = moved_by_forces().map(|i| leap.free[*i].linear.length()).fold(falls, f64::max);
        let reading = self.reading(joint);
        if !pull.held.is_empty() {
            self.turn(pull, &reading, dt);
        }
        let [mut now, mut was, mut others] = [Motion::default(); 3];
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let motion = self.side_motion(pull, side, leap, velocities);
            now.add(sign, motion);
            if joint.bodies[side].is_some_and(|i| self.moves(i)) {
                was.add(sign, self.side_motion(pull, side, leap, &leap.before));
            } else {
                others.add(sign, motion);
            }
        }
        let asked = Asked { now, was, others, moved, dt, late, fastest };
        match joint.hold {
            JointAction::Spring { .. } => self.ask_spring(pull, &asked),
            JointAction::Frame { freedom: kind, travel } => self.ask_joint(pull, &reading, (kind, &travel), &asked),
        }
    }

    fn ask_spring(&self, pull: &mut Pull, asked: &Asked) {
        let joint = &self.joints[pull.joint];
        let before = std::mem::take(&mut pull.rows);
        pull.amiss = 0.0;
        let (JointAction::Spring { stiffness, damping, rope, .. }, Some(s)) = (joint.hold, self.stretch(joint)) else {
            return;
        };
        let late = self.late(joint, (stiffness, damping), (&s.line, s.reference), asked.dt);
        let mut pulls = asked.soft(&s.line, (stiffness, damping, s.tension), late);
        if rope {
            pulls.most = 0.0;
        }
        pull.rows.push(pulls);
        // A taut spring holds its ends in line.
        let sideways = s.tension.max(0.0) / s.length;
        let across = s.line.linear.any_orthonormal_vector();
        for across in [across, s.line.linear.cross(across)] {
            let line = Line { linear: across, angular: DVec3::ZERO };
            pull.rows.push(asked.soft(&line, (sideways, 0.0, 0.0), late));
        }
        if asked.moved {
            let motion = asked.now.six();
            let impulse = |rows: &[Row]| rows.iter().map(|r| r.impulse(&motion) * DVec3::from_slice(&r.along)).sum();
            let (was, is): (DVec3, DVec3) = (impulse(&before), impulse(&pull.rows));
            pull.amiss = self.ease(joint, &s.line, s.reference) * was.distance(is) / (PULLED * asked.fastest);
        }
    }

    fn ask_joint(
        &self,
        pull: &mut Pull,
        reading: &JointCoordinates,
        (kind, travel): (Freedom, &Travel),
        asked: &Asked,
    ) {
        let joint = &self.joints[pull.joint];
        pull.rows.clear();
        pull.amiss = pull.worst(reading) / HELD;
        for (k, (_, error)) in reading.held.iter().enumerate() {
            let mut row = asked.stiff(&pull.held[k], pull.firm[0][k], *error);
            row.push += pull.given[k];
            pull.rows.push(row);
        }
        for (k, (_, q)) in reading.free.iter().enumerate() {
            let line = &pull.start.free[k].0;
            if is_soft(travel) {
                let late = self.late(joint, (travel.stiffness, travel.damping), (line, reading.reference), asked.dt);
                let force = travel.stiffness * strain(kind, *q, travel.rest);
                pull.rows.push(asked.soft(line, (travel.stiffness, travel.damping, force), late));
            }
            if let Some(motor) = travel.motor {
                let most = asked.dt * motor.strength;
                let hardness = BRISK / FIRM * pull.firm[1][k];
                let push = hardness * motor.speed;
                pull.rows.push(Row { push, least: -most, most, ..Row::along(line, hardness) });
            }
        }
        let limits = limit_rows(pull, reading, travel, asked);
        pull.rows.extend(limits);
    }
}

fn is_soft(travel: &Travel) -> bool {
    travel.stiffness > 0.0 || travel.damping > 0.0
}

/// What keeps a joint within its limits.
fn limit_rows(pull: &Pull, reading: &JointCoordinates, travel: &Travel, asked: &Asked) -> Vec<Row> {
    let Some([least, most]) = travel.limits else { return Vec::new() };
    if let Some((line, angle)) = reading.parted {
        return vec![Row { most: 0.0, ..asked.stiff(&line, pull.firm[2][0], angle - most) }];
    }
    let (Some((_, q)), Some((line, _))) = (reading.free.first(), pull.start.free.first()) else { return Vec::new() };
    let middle = 0.5 * (least + most);
    let q = if line.angular == DVec3::ZERO { *q } else { middle + wrapped(q - middle) };
    let firm = pull.firm[1][0];
    vec![
        Row { least: 0.0, ..asked.stiff(line, firm, q - least) },
        Row { most: 0.0, ..asked.stiff(line, firm, q - most) },
    ]
}
