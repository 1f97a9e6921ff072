//! Springs and dampers of joints: their laws, inverse effective masses and explicit impulses.

use super::solver::{Row, ThetaStep};
use super::step_data::ExplicitJointImpulse;
use crate::bodies::{Joint, JointAction, JointAxis, JointCoordinates, LinkId, strain};
use crate::math::{DMat3, DVec3};
use crate::model::AxisSettings;
use crate::state::Sim;

/// Motion of b against a at a joint.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct JointMotion(pub [DVec3; 2]);

impl JointMotion {
    pub fn add(&mut self, sign: f64, [velocity, spin]: [DVec3; 2]) {
        self.0[0] += sign * velocity;
        self.0[1] += sign * spin;
    }
    pub fn velocity_along(&self, axis: &JointAxis) -> f64 {
        axis.linear.dot(self.0[0]) + axis.angular.dot(self.0[1])
    }
    pub fn vec6(&self) -> [f64; 6] {
        Row::along_axis(&JointAxis { linear: self.0[0], angular: self.0[1] }, 0.0).jacobian
    }
}

/// Stiffness and damping of a spring along an axis, and its force now.
#[derive(Clone, Copy)]
pub(super) struct SpringLaw {
    /// N/m, or N m/rad about an axis.
    pub stiffness: f64,
    /// N s/m, or N m s/rad.
    pub damping: f64,
    /// Towards rest, without damping.
    pub force: f64,
}

impl SpringLaw {
    /// θ of a spring between links of this `inverse_effective_mass` along it.
    pub fn theta(&self, inverse_effective_mass: f64, dt: f64) -> f64 {
        ThetaStep::of(self.stiffness * inverse_effective_mass, self.damping * inverse_effective_mass, dt).theta
    }
}

/// Explicit impulses of all springs over a step of `dt`.
pub(super) fn explicit_impulses(sim: Sim, dt: f64) -> Vec<ExplicitJointImpulse> {
    let one = |(n, joint): (usize, &Joint)| {
        let (reference, springs) = springs(sim, n);
        let impulse = |(axis, law, damper): (JointAxis, SpringLaw, f64)| {
            let explicit_dt = (1.0 - law.theta(inverse_effective_mass(sim, joint, &axis, reference), dt)) * dt;
            (axis, [explicit_dt * -law.force, explicit_dt * -damper])
        };
        ExplicitJointImpulse { joint: n, reference, impulses: springs.into_iter().map(impulse).collect() }
    };
    sim.unbroken_joints().map(one).filter(|j| !j.impulses.is_empty()).collect()
}

/// Springs of joint `n` now: axes, laws and forces of their dampers; and its reference point.
fn springs(sim: Sim, n: usize) -> (DVec3, Vec<(JointAxis, SpringLaw, f64)>) {
    let joint = &sim.model.joints()[n];
    let ends = sim.joint_ends(n);
    let speed = |axis: &JointAxis, at: DVec3| {
        let mut motion = JointMotion::default();
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let Some(i) = joint.links[side] else { continue };
            motion.add(sign, [sim.link(i).velocity_at(at), sim.link(i).twist().angular]);
        }
        motion.velocity_along(axis)
    };
    match joint.action {
        JointAction::Spring { stiffness, damping, rope, .. } => {
            let Some(s) = joint.stretch(&ends) else { return (DVec3::ZERO, Vec::new()) };
            let damper = damping * speed(&s.axis, s.reference);
            let slack = rope && s.tension.min(s.tension + damper) <= 0.0;
            let (force, damper) = if slack { (0.0, 0.0) } else { (s.tension, damper) };
            (s.reference, vec![(s.axis, SpringLaw { stiffness, damping, force }, damper)])
        }
        JointAction::Frame { joint_type, axis_settings } => {
            let JointCoordinates { reference, free, .. } = joint.coordinates(&ends);
            let spring = |(axis, q): &(JointAxis, f64)| {
                let force = axis_settings.stiffness * strain(joint_type, *q, axis_settings.rest);
                let law = SpringLaw { stiffness: axis_settings.stiffness, damping: axis_settings.damping, force };
                (*axis, law, axis_settings.damping * speed(axis, reference))
            };
            (reference, free.iter().filter(|_| has_spring(&axis_settings)).map(spring).collect())
        }
    }
}

/// Speed along `axis` that a unit impulse along it gives, of both links of a joint; where it only turns them, they turn
/// about the joint.
pub(super) fn inverse_effective_mass(sim: Sim, joint: &Joint, axis: &JointAxis, reference: DVec3) -> f64 {
    let one = |i: LinkId| {
        let link = sim.link(i);
        let inertia = link.inertia().unwrap_or_default();
        let mass = link.mass().filter(|_| inertia != DMat3::ZERO);
        match (axis.linear == DVec3::ZERO, mass) {
            (true, None) => 0.0,
            (true, Some(mass)) => {
                let lever = axis.angular.cross(reference - link.center());
                1.0 / (axis.angular.dot(inertia * axis.angular) + mass * lever.length_squared())
            }
            (false, _) => link.inverse_effective_mass(reference, axis.linear),
        }
    };
    joint.links.iter().flatten().map(|i| one(*i)).sum()
}

/// The greatest θ of a joint's springs; half if it has none.
pub(super) fn greatest_theta(sim: Sim, n: usize, dt: f64) -> f64 {
    let joint = &sim.model.joints()[n];
    let (reference, springs) = springs(sim, n);
    springs
        .iter()
        .map(|(axis, law, _)| law.theta(inverse_effective_mass(sim, joint, axis, reference), dt))
        .fold(0.5, f64::max)
}

/// From the centre of each of a joint's links to `reference`.
pub(super) fn arms(sim: Sim, joint: &Joint, reference: DVec3) -> [DVec3; 2] {
    joint.links.map(|i| i.map_or(DVec3::ZERO, |i| reference - sim.state.links[i].position))
}

pub(super) fn has_spring(axis_settings: &AxisSettings) -> bool {
    axis_settings.stiffness > 0.0 || axis_settings.damping > 0.0
}
