//! Links: frames that move and carry the skeletons of a body.
//!
//! A body has one link for now, and all of its skeletons move with it. Skeletons of one body that move against each other
//! are skeletons on several links: [`Body::links`](super::Body::links) is a range for that reason, and fields are posed by a
//! frame for each link ([`Posed`](crate::fields::Posed)).

use super::base::Base;
use super::link_state::{LinkState, Twist};
use crate::math::{DMat3, DVec3, Frame};

/// A link at one moment: its law and its state.
#[derive(Clone, Copy, Debug)]
pub struct Link<'a> {
    /// Law of its motion.
    pub base: &'a dyn Base,
    /// Placement and motion.
    pub state: &'a LinkState,
}

impl Link<'_> {
    /// Frame of the link, in which its parts are placed.
    pub fn world_from_link(&self) -> Frame {
        self.base.world_from_link(self.state)
    }
    /// Centre of mass, world, m.
    pub fn center(&self) -> DVec3 {
        self.state.position
    }
    /// Velocity of the centre and spin.
    pub fn twist(&self) -> Twist {
        self.base.twist(self.state)
    }
    /// Velocity of the material point at `p`, m/s.
    pub fn velocity_at(&self, p: DVec3) -> DVec3 {
        let twist = self.twist();
        twist.linear + twist.angular.cross(p - self.center())
    }
    /// [`Base::mass`].
    pub fn mass(&self) -> Option<f64> {
        self.base.mass()
    }
    /// [`Base::mobility`].
    pub fn mobility(&self, point: DVec3, direction: DVec3) -> f64 {
        self.base.mobility(self.state, point, direction)
    }
    /// [`Base::inertia`].
    pub fn inertia(&self) -> Option<DMat3> {
        self.base.inertia(self.state)
    }
    /// Joules.
    pub fn kinetic_energy(&self) -> f64 {
        self.base.kinetic_energy(self.state)
    }
    /// State after `dt` seconds without forces; `time` is the time then.
    pub fn predict(&self, dt: f64, time: f64) -> LinkState {
        let mut state = *self.state;
        self.base.advance(&mut state, dt, time);
        state
    }
}
