//! A point mass: moves, never turns.

use super::{Base, Load, Twist};
use crate::math::{DMat3, DQuat, DVec3, Frame};

/// A mass without inertia; its layer keeps the orientation it was given.
#[derive(Clone, Debug, PartialEq)]
pub struct PointMass {
    mass: f64,
    rotation: DQuat,
    position: DVec3,
    velocity: DVec3,
}

impl PointMass {
    /// A mass of `mass` kilograms at `placement`, moving at `velocity`.
    pub fn new(mass: f64, placement: Frame, velocity: DVec3) -> Self {
        Self { mass, rotation: placement.rotation, position: placement.translation, velocity }
    }
}

impl Base for PointMass {
    fn world_from_body(&self) -> Frame {
        Frame { rotation: self.rotation, translation: self.position }
    }
    fn center(&self) -> DVec3 {
        self.position
    }
    fn twist(&self) -> Twist {
        Twist { linear: self.velocity, angular: DVec3::ZERO }
    }
    fn mass(&self) -> Option<f64> {
        Some(self.mass)
    }
    fn mobility(&self, _: DVec3, _: DVec3) -> f64 {
        1.0 / self.mass
    }
    fn inertia(&self) -> Option<DMat3> {
        Some(DMat3::ZERO)
    }
    fn push(&mut self, load: &Load, dt: f64) {
        self.velocity += load.force * (dt / self.mass);
    }
    fn advance(&mut self, dt: f64, _: f64) {
        self.position += self.velocity * dt;
    }
    fn kinetic_energy(&self) -> f64 {
        0.5 * self.mass * self.velocity.length_squared()
    }
    fn save(&self, state: &mut Vec<f64>) {
        state.extend(self.position.to_array());
        state.extend(self.velocity.to_array());
    }
    fn restore(&mut self, state: &[f64]) -> usize {
        self.position = DVec3::from_slice(&state[0..3]);
        self.velocity = DVec3::from_slice(&state[3..6]);
        6
    }
}
