//! Links: frames that move and carry the skeletons of a body.
//!
//! A body has one link for now, and all of its skeletons move with it. Skeletons of one body that move against each other
//! are skeletons on several links: [`Body::links`](super::Body::links) is a range for that reason, and fields are posed by a
//! frame for each link ([`Posed`](crate::fields::Posed)).

use super::link_state::{LinkState, Twist};
use super::motion_law::MotionLaw;
use crate::math::{DMat3, DVec3, Frame};

/// A link at one moment: its law and its state.
#[derive(Clone, Copy, Debug)]
pub struct Link<'a> {
    /// Law of its motion.
    pub motion_law: &'a dyn MotionLaw,
    /// Placement and motion.
    pub state: &'a LinkState,
}

impl Link<'_> {
    /// Frame of the link, in which its parts are placed.
    pub fn world_from_link(&self) -> Frame {
        self.motion_law.world_from_link(self.state)
    }
    /// Centre of mass, world, m.
    pub fn center(&self) -> DVec3 {
        self.state.position
    }
    /// Velocity of the centre and spin.
    pub fn twist(&self) -> Twist {
        self.motion_law.twist(self.state)
    }
    /// Velocity of the material point at `p`, m/s.
    pub fn velocity_at(&self, p: DVec3) -> DVec3 {
        let twist = self.twist();
        twist.linear + twist.angular.cross(p - self.center())
    }
    /// [`MotionLaw::mass`].
    pub fn mass(&self) -> Option<f64> {
        self.motion_law.mass()
    }
    /// [`MotionLaw::inverse_effective_mass`].
    pub fn inverse_effective_mass(&self, point: DVec3, direction: DVec3) -> f64 {
        self.motion_law.inverse_effective_mass(self.state, point, direction)
    }
    /// [`MotionLaw::inertia`].
    pub fn inertia(&self) -> Option<DMat3> {
        self.motion_law.inertia(self.state)
    }
    /// Joules.
    pub fn kinetic_energy(&self) -> f64 {
        self.motion_law.kinetic_energy(self.state)
    }
    /// State after `dt` seconds without forces; `time` is the time then.
    pub fn predict(&self, dt: f64, time: f64) -> LinkState {
        let mut state = *self.state;
        self.motion_law.advance(&mut state, dt, time);
        state
    }
}
