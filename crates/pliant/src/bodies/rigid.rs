//! A rigid body by full Euler equations.
//!
//! *The idea*: between pushes the angular momentum is constant in the world; the free rotation is split into turns
//! about the three principal axes, each exact, composed symmetrically. Angular momentum is kept to rounding and
//! energy without drift. *Not promised*: the exact free rotation; the error is of second order in the step.

use super::{Base, Load, MassProperties, Twist};
use crate::math::{DMat3, DQuat, DVec3, Frame};

/// The largest turn at once, rad: the splitting is off by its square. Larger: bodies that tumble a turn a step gain and lose
/// some of their energy. Smaller: slow.
const LARGEST_TURN: f64 = 0.03;

/// Turns of one motion at most, however fast it spins.
const MOST_TURNS: f64 = 1000.0;

/// Mass, centre and inertia moving as one.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidBody {
    mass: f64,
    /// Principal moments of inertia.
    moments: DVec3,
    /// Placement of the principal frame (centre of mass, principal axes) in the body's.
    body_from_principal: Frame,
    position: DVec3,
    /// World from principal axes.
    rotation: DQuat,
    velocity: DVec3,
    /// World axes, about the centre of mass.
    angular_momentum: DVec3,
}

impl RigidBody {
    /// A body with these mass properties at `placement`; `twist` is the velocity of its centre of mass and its spin.
    pub fn new(properties: &MassProperties, placement: Frame, twist: Twist) -> Self {
        let (moments, axes) = properties.principal();
        let body_from_principal = Frame { rotation: axes, translation: properties.center };
        let world_from_principal = placement * body_from_principal;
        let mut body = Self {
            mass: properties.mass,
            moments,
            body_from_principal,
            position: world_from_principal.translation,
            rotation: world_from_principal.rotation.normalize(),
            velocity: twist.linear,
            angular_momentum: DVec3::ZERO,
        };
        body.angular_momentum = body.turned(twist.angular, |w| w * moments);
        body
    }

    /// Applies `f` to `v` in principal axes.
    fn turned(&self, v: DVec3, f: impl Fn(DVec3) -> DVec3) -> DVec3 {
        self.rotation * f(self.rotation.conjugate() * v)
    }

    /// One free turn, split.
    fn turn(&mut self, dt: f64) {
        let spin = |body: &mut Self, axis: usize, dt: f64| {
            let unit = DMat3::IDENTITY.col(axis);
            let momentum = (body.rotation.conjugate() * body.angular_momentum)[axis];
            body.rotation *= DQuat::from_axis_angle(unit, momentum / body.moments[axis] * dt);
        };
        spin(self, 0, 0.5 * dt);
        spin(self, 1, 0.5 * dt);
        spin(self, 2, dt);
        spin(self, 1, 0.5 * dt);
        spin(self, 0, 0.5 * dt);
        self.rotation = self.rotation.normalize();
    }

    /// Angular momentum about the centre of mass, world axes.
    pub fn angular_momentum(&self) -> DVec3 {
        self.angular_momentum
    }
}

impl Base for RigidBody {
    fn world_from_body(&self) -> Frame {
        Frame { rotation: self.rotation, translation: self.position } * self.body_from_principal.inverse()
    }
    fn center(&self) -> DVec3 {
        self.position
    }
    fn twist(&self) -> Twist {
        Twist { linear: self.velocity, angular: self.turned(self.angular_momentum, |l| l / self.moments) }
    }
    /// However it tumbles, no spin exceeds that of all its angular momentum about the axis of least inertia, nor one
    /// with all its energy there.
    fn max_speeds(&self, _: f64) -> (f64, f64) {
        let l = self.rotation.conjugate() * self.angular_momentum;
        let least = self.moments.min_element();
        let spin = (l.length() / least).min((l.dot(l / self.moments) / least).sqrt());
        (self.velocity.length(), spin * (1.0 + 1e-12))
    }
    fn mass(&self) -> Option<f64> {
        Some(self.mass)
    }
    fn mobility(&self, point: DVec3, direction: DVec3) -> f64 {
        let lever = (point - self.position).cross(direction);
        1.0 / self.mass + lever.dot(self.turned(lever, |l| l / self.moments))
    }
    fn inertia(&self) -> Option<DMat3> {
        let axes = DMat3::from_quat(self.rotation);
        Some(axes * DMat3::from_diagonal(self.moments) * axes.transpose())
    }
    fn push(&mut self, load: &Load, dt: f64) {
        self.velocity += load.force * (dt / self.mass);
        self.angular_momentum += load.torque * dt;
    }
    fn advance(&mut self, dt: f64, _: f64) {
        self.position += self.velocity * dt;
        // One that is alike about all axes keeps its spin, and one turn is exact.
        let uneven = self.moments.max_element() > (1.0 + 1e-9) * self.moments.min_element();
        let angle = if uneven { self.max_speeds(dt).1 * dt } else { 0.0 };
        let turns = (angle / LARGEST_TURN).ceil().clamp(1.0, MOST_TURNS);
        (0..turns as usize).for_each(|_| self.turn(dt / turns));
    }
    fn after(&self, dt: f64, time: f64) -> (Frame, Twist) {
        let mut there = self.clone();
        there.advance(dt, time);
        (there.world_from_body(), there.twist())
    }
    fn kinetic_energy(&self) -> f64 {
        let l = self.rotation.conjugate() * self.angular_momentum;
        0.5 * self.mass * self.velocity.length_squared() + 0.5 * l.dot(l / self.moments)
    }
    fn state_len(&self) -> usize {
        13
    }
    fn save(&self, state: &mut Vec<f64>) {
        state.extend(self.position.to_array());
        state.extend(self.rotation.to_array());
        state.extend(self.velocity.to_array());
        state.extend(self.angular_momentum.to_array());
    }
    fn restore(&mut self, state: &[f64]) -> usize {
        self.position = DVec3::from_slice(&state[0..3]);
        self.rotation = DQuat::from_slice(&state[3..7]);
        self.velocity = DVec3::from_slice(&state[7..10]);
        self.angular_momentum = DVec3::from_slice(&state[10..13]);
        13
    }
}
