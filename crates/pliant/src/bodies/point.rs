//! A point mass: moves, never turns.

use super::{AppliedWrench, LinkState, MotionLaw, Twist};
use crate::math::{DMat3, DVec3, Frame};

/// A mass without inertia; its layer keeps the orientation it was given.
#[derive(Clone, Debug, PartialEq)]
pub struct PointMass {
    /// Kilograms.
    pub mass: f64,
}

impl MotionLaw for PointMass {
    fn state_at(&self, world_from_link: Frame, twist: Twist) -> LinkState {
        LinkState { velocity: twist.linear, ..LinkState::at_rest(world_from_link) }
    }
    fn world_from_link(&self, state: &LinkState) -> Frame {
        state.frame()
    }
    fn twist(&self, state: &LinkState) -> Twist {
        Twist { linear: state.velocity, angular: DVec3::ZERO }
    }
    fn mass(&self) -> Option<f64> {
        Some(self.mass)
    }
    fn inverse_effective_mass(&self, _: &LinkState, _: DVec3, _: DVec3) -> f64 {
        1.0 / self.mass
    }
    fn inertia(&self, _: &LinkState) -> Option<DMat3> {
        Some(DMat3::ZERO)
    }
    fn apply(&self, state: &mut LinkState, load: &AppliedWrench, dt: f64) {
        state.velocity += load.force * (dt / self.mass);
    }
    fn advance(&self, state: &mut LinkState, dt: f64, _: f64) {
        state.position += state.velocity * dt;
    }
    fn kinetic_energy(&self, state: &LinkState) -> f64 {
        0.5 * self.mass * state.velocity.length_squared()
    }
}
