//! What joints two bodies together: springs and joints.
//!
//! *The idea* ([CD97] §II: base structures of several solids, and networks of masses and springs): a joint knows a frame of
//! each of its two bodies and tells, for where these are, how far it is from how it should be and along which lines of
//! motion. Links of a chain and nodes of a network are bodies like others, each with its own coat.
//! *Not promised*: that coats of joined bodies blend into one skin.
//!
//! [CD97]: https://doi.org/10.1109/2945.582343

use super::{Body, BodyError};
use crate::math::{DMat3, DQuat, DVec3, Frame};
use crate::model::{Freedom, JointKind, JointSpec, SpringSpec, Travel};

/// A spring or joint between two bodies, or a body and the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Names it in messages.
    pub name: String,
    /// Indices of its bodies; none: the world.
    pub bodies: [Option<usize>; 2],
    /// Where it holds each: in the body's frame, or the world's.
    pub ends: [Frame; 2],
    /// What it does.
    pub hold: JointAction,
    /// Newtons beyond which it breaks.
    pub break_force: Option<f64>,
    /// Whether its bodies still touch each other.
    pub collide: bool,
    /// Whether it has broken.
    pub broken: bool,
}

/// What a joint does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointAction {
    /// Pulls and pushes along the line between its ends.
    Spring {
        /// Metres.
        rest_length: f64,
        /// N/m.
        stiffness: f64,
        /// N s/m.
        damping: f64,
        /// Slack when short.
        rope: bool,
    },
    /// Holds in some directions.
    Frame {
        /// Relative motions it leaves free.
        freedom: Freedom,
        /// The others.
        travel: Travel,
    },
}

/// A direction of motion of b against a: a velocity at the reference point, and a spin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Line {
    /// Of the velocity.
    pub linear: DVec3,
    /// Of the spin.
    pub angular: DVec3,
}

/// How a joint is: along each line how far it has gone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointCoordinates {
    /// Where velocities are those of its lines: the end on b, world.
    pub reference: DVec3,
    /// What should be zero: m or rad.
    pub held: Vec<(Line, f64)>,
    /// What is free: m or rad.
    pub free: Vec<(Line, f64)>,
    /// Of a ball joint: how far its axes have parted, rad.
    pub parted: Option<(Line, f64)>,
}

impl Joint {
    /// Of bodies at these placements, which are there.
    pub fn new(spec: &JointSpec, placement: impl Fn(usize) -> Frame) -> Self {
        let bodies = [spec.a, Some(spec.b)];
        let frames = bodies.map(|b| b.map_or(Frame::IDENTITY, &placement));
        let (ends, hold) = match spec.kind {
            JointKind::Spring(SpringSpec { ends, rest_length, stiffness, damping, rope }) => {
                let length = frames[0].point(ends[0]).distance(frames[1].point(ends[1]));
                let rest_length = rest_length.unwrap_or(length);
                let at = |p: DVec3| Frame { rotation: DQuat::IDENTITY, translation: p };
                (ends.map(at), JointAction::Spring { rest_length, stiffness, damping, rope })
            }
            JointKind::Frame(joint) => {
                let ends = frames.map(|f| f.inverse() * joint.placement);
                (ends, JointAction::Frame { freedom: joint.freedom, travel: joint.travel })
            }
        };
        Self {
            name: spec.name.clone(),
            bodies,
            ends,
            hold,
            break_force: spec.break_force,
            collide: spec.collide,
            broken: false,
        }
    }

    /// Whether it can be in a world of these bodies.
    pub(crate) fn check(&self, bodies: &[Body]) -> Result<(), BodyError> {
        let known = |i: usize| bodies[i].base.mass().is_none() || bodies[i].base.inertia().is_some();
        let moves = |i: usize| bodies[i].base.mass().is_some();
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let not_negative = |x: f64| x >= 0.0 && x.is_finite();
        let turns = |i: usize| !moves(i) || bodies[i].base.inertia() != Some(DMat3::ZERO);
        let whole = |f: &Frame| f.translation.is_finite() && f.rotation.is_normalized();
        let there = self.bodies.iter().flatten().all(|i| *i < bodies.len());
        let of = || self.bodies.iter().flatten().copied();
        let sound = match self.hold {
            JointAction::Spring { rest_length, stiffness, damping, .. } => {
                not_negative(rest_length) && positive(stiffness) && not_negative(damping)
            }
            JointAction::Frame { travel: Travel { limits, stiffness, damping, rest, motor }, .. } => {
                let motor = motor.is_none_or(|m| m.speed.is_finite() && not_negative(m.strength));
                let limits = limits.is_none_or(|[least, most]| least <= most && (most - least).is_finite());
                not_negative(stiffness) && not_negative(damping) && rest.is_finite() && motor && limits
            }
        };
        let checks = [
            (there, "it joints a body that is not there"),
            (self.bodies[0] != self.bodies[1], "it joints a body to itself; name two bodies"),
            (there && of().any(moves), "neither of its bodies can move; let one be rigid or a point mass"),
            (there && of().all(known), "the inertia of its bodies must be known; see Base::inertia"),
            (
                there && (!self.is_joint() || of().all(turns)),
                "a point mass does not turn; let it be rigid, or use a spring",
            ),
            (self.ends.iter().all(whole), "its ends must be finite, and their rotations unit quaternions"),
            (sound, "its numbers must be finite, its stiffness and damping 0 or more, its limits in order"),
            (self.break_force.is_none_or(positive), "the force at which it breaks must be above 0"),
        ];
        match checks.into_iter().find(|(holds, _)| !holds) {
            Some((_, what)) => Err(BodyError::Joint { name: self.name.clone(), what }),
            None => Ok(()),
        }
    }

    fn is_joint(&self) -> bool {
        matches!(self.hold, JointAction::Frame { .. })
    }

    /// How many of `joints` are joints of each of so many bodies.
    pub(crate) fn joint_counts(joints: &[Self], count: usize) -> Vec<usize> {
        let mut counts = vec![0; count];
        let all = joints.iter().filter(|t| t.is_joint() && !t.broken).flat_map(|t| t.bodies).flatten();
        all.for_each(|i| counts[i] += 1);
        counts
    }

    /// Pairs of bodies that `joints` keep from touching: smaller index first, in order.
    pub(crate) fn apart(joints: &[Self]) -> Vec<[usize; 2]> {
        let pair = |t: &Self| match t.bodies {
            [Some(a), Some(b)] if !t.collide => Some([a.min(b), a.max(b)]),
            _ => None,
        };
        let mut apart: Vec<[usize; 2]> = joints.iter().filter_map(pair).collect();
        apart.sort_unstable();
        apart.dedup();
        apart
    }

    /// Where its ends are, for where its bodies are.
    pub fn placed(&self, world_from_body: impl Fn(usize) -> Frame) -> [Frame; 2] {
        std::array::from_fn(|i| self.bodies[i].map_or(Frame::IDENTITY, &world_from_body) * self.ends[i])
    }
}

impl JointCoordinates {
    /// Of a joint whose ends are these.
    pub fn of(kind: Freedom, [a, b]: &[Frame; 2]) -> Self {
        let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| a.rotation * axis);
        let moves = |axis: DVec3| Line { linear: axis, angular: DVec3::ZERO };
        let turns = |axis: DVec3| Line { linear: DVec3::ZERO, angular: axis };
        let gap = b.translation - a.translation;
        let slid = |k: usize| (moves(axes[k]), gap.dot(axes[k]));
        let turned = a.rotation * rotation_vector(a.rotation.conjugate() * b.rotation);
        let twisted = |k: usize| (turns(axes[k]), turned.dot(axes[k]));
        let out = b.rotation * DVec3::Z;
        // Out of line: what turns the axis of a into that of b.
        let tilt = axes[2].cross(out);
        let tilted = |k: usize| (turns(axes[k]), tilt.dot(axes[k]));
        let (mut held, mut free, mut parted) = (Vec::new(), Vec::new(), None);
        match kind {
            Freedom::Fixed => held.extend((0..3).map(slid).chain((0..3).map(twisted))),
            Freedom::Ball => {
                held.extend((0..3).map(slid));
                free.extend((0..3).map(twisted));
                let across = tilt.try_normalize().unwrap_or(axes[0]);
                parted = Some((turns(across), tilt.length().atan2(axes[2].dot(out))));
            }
            Freedom::Hinge => {
                held.extend((0..3).map(slid).chain((0..2).map(tilted)));
                let x = b.rotation * DVec3::X;
                free.push((turns(axes[2]), x.dot(axes[1]).atan2(x.dot(axes[0]))));
            }
            Freedom::Slider => {
                held.extend((0..2).map(slid).chain((0..3).map(twisted)));
                free.push(slid(2));
            }
        }
        Self { reference: b.translation, held, free, parted }
    }
}

/// Axis times angle, the shorter way round.
fn rotation_vector(q: DQuat) -> DVec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let sine = q.xyz().length();
    if sine < 1e-12 { 2.0 * q.xyz() } else { q.xyz() * (2.0 * sine.atan2(q.w) / sine) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    /// Each reading changes along its line as fast as bodies move along it: by central differences, near where all that is
    /// held is zero.
    #[test]
    fn readings_change_with_motion_along_their_lines() {
        let mut random = Random(5);
        for kind in [Freedom::Fixed, Freedom::Ball, Freedom::Hinge, Freedom::Slider] {
            let turn = DQuat::from_scaled_axis(random.vector());
            let a = Frame { rotation: turn, translation: random.vector() };
            let along = if kind == Freedom::Slider { 0.3 } else { 0.0 };
            let angle = if kind == Freedom::Hinge { 0.7 } else { 0.0 };
            let b = a * Frame { rotation: DQuat::from_rotation_z(angle), translation: along * DVec3::Z };
            let reading = JointCoordinates::of(kind, &[a, b]);
            assert!(reading.held.iter().all(|(_, e)| e.abs() < 1e-12), "{reading:?}");
            let (velocity, spin) = (random.vector(), random.vector());
            let at = |t: f64| {
                let moved = Frame {
                    rotation: DQuat::from_scaled_axis(t * spin) * b.rotation,
                    translation: b.translation + t * velocity,
                };
                let r = JointCoordinates::of(kind, &[a, moved]);
                r.held.iter().chain(&r.free).map(|r| r.1).collect::<Vec<f64>>()
            };
            let (low, high) = (at(-1e-5), at(1e-5));
            for (i, (line, _)) in reading.held.iter().chain(&reading.free).enumerate() {
                let rate = (high[i] - low[i]) / 2e-5;
                let want = line.linear.dot(velocity) + line.angular.dot(spin);
                assert!((rate - want).abs() < 1e-6, "{kind:?} {i}: {rate} {want}");
            }
        }
    }
}
