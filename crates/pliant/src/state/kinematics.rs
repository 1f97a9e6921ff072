//! Displacements and relative velocities of the two sides of a contact.

use super::contact::Contact;
use super::sim::Sim;
use crate::bodies::{AppliedWrench, LinkId, PerLink, Twist};
use crate::contact::{RelativeMotion, Wrench};
use crate::math::{DVec3, Frame};

/// Frames of all links at the start of a step.
#[derive(Clone, Debug)]
pub(crate) struct StepMotion {
    /// Length of the step, s.
    pub dt: f64,
    /// World from link, at the start.
    pub frames: PerLink<Frame>,
}

/// Displacement of a piece of material over a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Displacement {
    /// Metres.
    pub shift: DVec3,
    /// Axis times angle.
    pub turn: DVec3,
}

impl Displacement {
    /// Mean velocity over `dt` seconds.
    pub fn mean_twist(&self, dt: f64) -> Twist {
        Twist { linear: self.shift / dt, angular: self.turn / dt }
    }
}

impl StepMotion {
    /// Frames for a step of `dt` that begins now.
    pub fn begin(sim: Sim, dt: f64) -> Self {
        let frames = sim.model.links().map(|i| sim.link(i).world_from_link()).collect();
        Self { dt, frames }
    }

    /// Displacement of the material of link `i` that is now at `p`.
    pub fn displacement(&self, sim: Sim, i: LinkId, p: DVec3) -> Displacement {
        self.of_link(sim, i).displacement_at(p)
    }

    /// Motion of link `i`, for many points of it.
    pub fn of_link(&self, sim: Sim, i: LinkId) -> LinkMotion {
        let (before, now) = (self.frames[i], sim.link(i).world_from_link());
        if before == now {
            return LinkMotion(None);
        }
        let turn = now.rotation * before.rotation.conjugate();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        LinkMotion(Some((before, now.inverse(), turn.to_scaled_axis())))
    }
}

/// Motion of one link over a step: its frame before, the inverse of its frame now, its turn. None if it has not moved.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LinkMotion(Option<(Frame, Frame, DVec3)>);

impl LinkMotion {
    /// Displacement of the material that is now at `p`.
    pub fn displacement_at(&self, p: DVec3) -> Displacement {
        let Some((before, link_from_now, turn)) = &self.0 else { return Displacement::default() };
        Displacement { shift: p - before.point(link_from_now.point(p)), turn: *turn }
    }
}

impl Sim<'_> {
    /// Velocity of the material of link `i` at `p`, and spin. A dynamic link has its present velocity, which is that of
    /// the middle of a step. A kinematic link has its mean over `step`, if there is one, so that both are of the same
    /// time.
    pub fn side_motion(&self, i: LinkId, p: DVec3, step: Option<&StepMotion>) -> Twist {
        match step {
            Some(step) if !self.model.is_dynamic(i) => step.displacement(*self, i, p).mean_twist(step.dt),
            _ => Twist { linear: self.link(i).velocity_at(p), angular: self.link(i).twist().angular },
        }
    }

    /// Motion of b against a at the reference point of a contact's patch; see [`Sim::side_motion`].
    pub fn relative_motion(&self, c: &Contact, step: Option<&StepMotion>) -> RelativeMotion {
        let [a, b] = self.links_of(&c.pair);
        let p = c.patch.reference;
        let across = c.patch.mean_normal().any_orthonormal_vector();
        let (of_a, of_b) = (self.side_motion(a, p, step), self.side_motion(b, p, step));
        RelativeMotion {
            velocity: of_b.linear - of_a.linear,
            spin: of_b.angular - of_a.angular,
            inverse_effective_mass: self.inverse_effective_mass(c, p, across),
            law: self.law(&c.pair),
            implicit_fraction: 1.0,
        }
    }

    /// Wrench on link `i` by the `wrench` of a contact on its side a (`sign` 1) or b (`sign` −1).
    pub fn wrench_on(&self, c: &Contact, i: LinkId, sign: f64, wrench: &Wrench) -> AppliedWrench {
        let arm = c.patch.reference - self.state.links[i].position;
        let force = sign * wrench.force;
        AppliedWrench { force, torque: sign * wrench.moment + arm.cross(force) }
    }
}
