//! Joints: springs between two points, and constraints between two frames.
//!
//! *The idea* ([CD97] §II: base structures of several solids, and networks of masses and springs): a joint has a frame on
//! each of its two links. From the placement of both follow its coordinates: violations of its constraints, its free motion,
//! and their axes. Links of a chain and nodes of a network are bodies like others, each with its own coat.
//! *Not promised*: that coats of joined bodies blend into one skin.
//!
//! [CD97]: https://doi.org/10.1109/2945.582343

use super::{BodyError, Link, LinkId, PerLink};
use crate::math::{DMat3, DQuat, DVec3, Frame};
use crate::model::{AxisSettings, JointKind, JointSpec, JointType, SpringSpec};

/// A spring or joint between two links, or a link and the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Name in messages; unique in a world.
    pub name: String,
    /// Its links; none: the world.
    pub links: [Option<LinkId>; 2],
    /// Attachment frames: in each link's frame, or the world's.
    pub ends: [Frame; 2],
    /// Law of the joint.
    pub action: JointAction,
    /// Force beyond which it breaks, N; none: never.
    pub break_force: Option<f64>,
    /// Whether its bodies collide with each other.
    pub collide: bool,
}

/// Law of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointAction {
    /// Pulls and pushes along the line between its ends.
    Spring {
        /// Length without force, m.
        rest_length: f64,
        /// N/m.
        stiffness: f64,
        /// N s/m.
        damping: f64,
        /// Whether it is slack when shorter than its rest length.
        rope: bool,
    },
    /// Constrains some relative motions of two frames.
    Frame {
        /// Relative motions it leaves free.
        joint_type: JointType,
        /// Spring, damping, limits and motor of the free motions.
        axis_settings: AxisSettings,
    },
}

/// An axis of relative motion of b against a: a velocity at the reference point, and a spin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointAxis {
    /// Direction of the velocity.
    pub linear: DVec3,
    /// Direction of the spin.
    pub angular: DVec3,
}

/// Coordinates of a joint: displacement along each of its axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointCoordinates {
    /// Point at which velocities are measured: the end on b, world.
    pub reference: DVec3,
    /// Constrained coordinates, zero where the joint holds: m or rad.
    pub constrained: Vec<(JointAxis, f64)>,
    /// Free coordinates: m or rad.
    pub free: Vec<(JointAxis, f64)>,
    /// Angle between the two axes of a ball joint, rad.
    pub cone: Option<(JointAxis, f64)>,
}

impl Joint {
    /// The joint of a description, for links at `frames`; `link_of` gives the link of a body in the description.
    pub(crate) fn new(spec: &JointSpec, link_of: impl Fn(usize) -> LinkId, frames: impl Fn(LinkId) -> Frame) -> Self {
        let links = [spec.a.map(&link_of), Some(link_of(spec.b))];
        let placed = links.map(|i| i.map_or(Frame::IDENTITY, &frames));
        let (ends, action) = match spec.kind {
            JointKind::Spring(SpringSpec { ends, rest_length, stiffness, damping, rope }) => {
                let length = placed[0].point(ends[0]).distance(placed[1].point(ends[1]));
                let rest_length = rest_length.unwrap_or(length);
                let at = |p: DVec3| Frame { rotation: DQuat::IDENTITY, translation: p };
                (ends.map(at), JointAction::Spring { rest_length, stiffness, damping, rope })
            }
            JointKind::Constraint(joint) => {
                let ends = placed.map(|f| f.inverse() * joint.placement);
                (ends, JointAction::Frame { joint_type: joint.joint_type, axis_settings: joint.axis_settings })
            }
        };
        let (name, break_force, collide) = (spec.name.clone(), spec.break_force, spec.collide);
        Self { name, links, ends, action, break_force, collide }
    }

    /// Refuses a joint that cannot be solved in a world of these links.
    pub(crate) fn check(&self, links: &PerLink<Link>) -> Result<(), BodyError> {
        let dynamic = |i: LinkId| links[i].mass().is_some();
        let known = |i: LinkId| !dynamic(i) || links[i].inertia().is_some();
        let turns = |i: LinkId| links[i].inertia() != Some(DMat3::ZERO);
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let not_negative = |x: f64| x >= 0.0 && x.is_finite();
        let placed = |f: &Frame| f.translation.is_finite() && f.rotation.is_normalized();
        let there = self.links.iter().flatten().all(|i| i.0 < links.len());
        let of = || self.links.iter().flatten().copied();
        let legal = match self.action {
            JointAction::Spring { rest_length, stiffness, damping, .. } => {
                not_negative(rest_length) && positive(stiffness) && not_negative(damping)
            }
            JointAction::Frame { axis_settings: AxisSettings { limits, stiffness, damping, rest, motor }, .. } => {
                let motor = motor.is_none_or(|m| m.speed.is_finite() && not_negative(m.max_force));
                let limits = limits.is_none_or(|[least, most]| least <= most && (most - least).is_finite());
                not_negative(stiffness) && not_negative(damping) && rest.is_finite() && motor && limits
            }
        };
        let checks = [
            (there, "it joins a body that is not there"),
            (self.links[0] != self.links[1], "it joins a body to itself; name two bodies"),
            (there && of().any(dynamic), "neither of its bodies can move; let one be rigid or a point mass"),
            (there && of().all(known), "the inertia of its bodies must be known; see MotionLaw::inertia"),
            (
                there && (!self.holds_frames() || of().all(turns)),
                "a point mass does not turn; let it be rigid, or use a spring",
            ),
            (self.ends.iter().all(placed), "its ends must be finite, and their rotations unit quaternions"),
            (legal, "its numbers must be finite, its stiffness and damping 0 or more, its limits in order"),
            (self.break_force.is_none_or(positive), "the force at which it breaks must be above 0"),
        ];
        match checks.into_iter().find(|(holds, _)| !holds) {
            Some((_, what)) => Err(BodyError::Joint { name: self.name.clone(), what }),
            None => Ok(()),
        }
    }

    /// Whether it constrains frames; a spring does not.
    pub fn holds_frames(&self) -> bool {
        matches!(self.action, JointAction::Frame { .. })
    }

    /// Its two ends in the world, for links at `frames`.
    pub(crate) fn placed(&self, frames: impl Fn(LinkId) -> Frame) -> [Frame; 2] {
        std::array::from_fn(|i| self.links[i].map_or(Frame::IDENTITY, &frames) * self.ends[i])
    }
}

impl JointCoordinates {
    /// Coordinates of a joint of this type for `ends`, world.
    pub(crate) fn of(joint_type: JointType, [a, b]: &[Frame; 2]) -> Self {
        let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| a.rotation * axis);
        let moves = |axis: DVec3| JointAxis { linear: axis, angular: DVec3::ZERO };
        let turns = |axis: DVec3| JointAxis { linear: DVec3::ZERO, angular: axis };
        let gap = b.translation - a.translation;
        let slid = |k: usize| (moves(axes[k]), gap.dot(axes[k]));
        let turned = a.rotation * rotation_vector(a.rotation.conjugate() * b.rotation);
        let twisted = |k: usize| (turns(axes[k]), turned.dot(axes[k]));
        let out = b.rotation * DVec3::Z;
        // Out of line: what turns the axis of a into that of b.
        let tilt = axes[2].cross(out);
        let tilted = |k: usize| (turns(axes[k]), tilt.dot(axes[k]));
        let (mut constrained, mut free, mut cone) = (Vec::new(), Vec::new(), None);
        match joint_type {
            JointType::Fixed => constrained.extend((0..3).map(slid).chain((0..3).map(twisted))),
            JointType::Ball => {
                constrained.extend((0..3).map(slid));
                free.extend((0..3).map(twisted));
                let across = tilt.try_normalize().unwrap_or(axes[0]);
                cone = Some((turns(across), tilt.length().atan2(axes[2].dot(out))));
            }
            JointType::Hinge => {
                constrained.extend((0..3).map(slid).chain((0..2).map(tilted)));
                let x = b.rotation * DVec3::X;
                free.push((turns(axes[2]), x.dot(axes[1]).atan2(x.dot(axes[0]))));
            }
            JointType::Slider => {
                constrained.extend((0..2).map(slid).chain((0..3).map(twisted)));
                free.push(slid(2));
            }
        }
        Self { reference: b.translation, constrained, free, cone }
    }
}

/// Length and tension of a spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// Unit vector from a to b.
    pub axis: JointAxis,
    /// The end on b, world.
    pub reference: DVec3,
    /// Length, m.
    pub length: f64,
    /// Tension without damping, N; negative under compression.
    pub tension: f64,
}

impl Joint {
    /// Coordinates for `ends`, world; a spring has a reference point and no coordinates.
    pub fn coordinates(&self, ends: &[Frame; 2]) -> JointCoordinates {
        match self.action {
            JointAction::Frame { joint_type, .. } => JointCoordinates::of(joint_type, ends),
            JointAction::Spring { .. } => {
                JointCoordinates { reference: ends[1].translation, ..JointCoordinates::default() }
            }
        }
    }

    /// Length and tension of a spring for `ends`, world; none if they coincide, or it is no spring.
    pub fn stretch(&self, ends: &[Frame; 2]) -> Option<Stretch> {
        let JointAction::Spring { rest_length, stiffness, .. } = self.action else { return None };
        let [a, b] = [ends[0].translation, ends[1].translation];
        let length = a.distance(b);
        let axis = JointAxis { linear: (b - a).try_normalize()?, angular: DVec3::ZERO };
        Some(Stretch { axis, reference: b, length, tension: stiffness * (length - rest_length) })
    }

    /// Energy stored in its springs for `ends`, world, J.
    pub fn stored_energy(&self, ends: &[Frame; 2]) -> f64 {
        match self.action {
            JointAction::Spring { stiffness, rope, .. } => {
                let tension = self.stretch(ends).map_or(0.0, |s| s.tension);
                let tension = if rope { tension.max(0.0) } else { tension };
                0.5 * tension * tension / stiffness
            }
            JointAction::Frame { joint_type, axis_settings } => {
                let strain = |q: &(JointAxis, f64)| strain(joint_type, q.1, axis_settings.rest);
                self.coordinates(ends).free.iter().map(|q| 0.5 * axis_settings.stiffness * strain(q) * strain(q)).sum()
            }
        }
    }
}

/// An angle from −π to π.
pub(crate) fn wrapped(angle: f64) -> f64 {
    angle - std::f64::consts::TAU * (angle / std::f64::consts::TAU).round()
}

/// Strain of the spring of a free coordinate `q`: its distance from `rest`, the short way round for an angle.
pub(crate) fn strain(joint_type: JointType, q: f64, rest: f64) -> f64 {
    if joint_type == JointType::Hinge { wrapped(q - rest) } else { q - rest }
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
    /// constrained is zero.
    #[test]
    fn readings_change_with_motion_along_their_lines() {
        let mut random = Random(5);
        for kind in [JointType::Fixed, JointType::Ball, JointType::Hinge, JointType::Slider] {
            let turn = DQuat::from_scaled_axis(random.vector());
            let a = Frame { rotation: turn, translation: random.vector() };
            let along = if kind == JointType::Slider { 0.3 } else { 0.0 };
            let angle = if kind == JointType::Hinge { 0.7 } else { 0.0 };
            let b = a * Frame { rotation: DQuat::from_rotation_z(angle), translation: along * DVec3::Z };
            let reading = JointCoordinates::of(kind, &[a, b]);
            assert!(reading.constrained.iter().all(|(_, e)| e.abs() < 1e-12), "{reading:?}");
            let (velocity, spin) = (random.vector(), random.vector());
            let at = |t: f64| {
                let moved = Frame {
                    rotation: DQuat::from_scaled_axis(t * spin) * b.rotation,
                    translation: b.translation + t * velocity,
                };
                let r = JointCoordinates::of(kind, &[a, moved]);
                r.constrained.iter().chain(&r.free).map(|r| r.1).collect::<Vec<f64>>()
            };
            let (low, high) = (at(-1e-5), at(1e-5));
            for (i, (line, _)) in reading.constrained.iter().chain(&reading.free).enumerate() {
                let rate = (high[i] - low[i]) / 2e-5;
                let want = line.linear.dot(velocity) + line.angular.dot(spin);
                assert!((rate - want).abs() < 1e-6, "{kind:?} {i}: {rate} {want}");
            }
        }
    }
}
