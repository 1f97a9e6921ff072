//! A rigid body by full Euler equations.
//!
//! *The idea*: between impulses the angular momentum is constant in the world; the free rotation is split into turns
//! about the three principal axes, each exact, composed symmetrically. Angular momentum is kept to rounding and
//! energy without drift. *Not promised*: the exact free rotation; the error is of second order in the step.

use super::{AppliedWrench, LinkState, MassProperties, MotionLaw, Twist};
use crate::math::{DMat3, DQuat, DVec3, Frame};

/// The largest turn at once, rad: the splitting is off by its square. Larger: bodies that tumble a turn a step gain and lose
/// some of their energy. Smaller: slow.
const LARGEST_TURN: f64 = 0.03;

/// Turns of one motion at most, however fast it spins.
const MAX_TURNS: f64 = 1000.0;

/// Mass, centre and inertia moving as one. The own axes of its [`LinkState`] are the principal axes.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidBody {
    mass: f64,
    /// Principal moments of inertia.
    moments: DVec3,
    /// Placement of the principal frame (centre of mass, principal axes) in the link's.
    link_from_principal: Frame,
}

impl RigidBody {
    /// A rigid body with these mass properties.
    pub fn new(properties: &MassProperties) -> Self {
        let (moments, axes) = properties.principal();
        let link_from_principal = Frame { rotation: axes, translation: properties.center };
        Self { mass: properties.mass, moments, link_from_principal }
    }

    /// One free turn, split.
    fn turn(&self, state: &mut LinkState, dt: f64) {
        let spin = |state: &mut LinkState, axis: usize, dt: f64| {
            let unit = DMat3::IDENTITY.col(axis);
            let momentum = (state.rotation.conjugate() * state.angular)[axis];
            state.rotation *= DQuat::from_axis_angle(unit, momentum / self.moments[axis] * dt);
        };
        spin(state, 0, 0.5 * dt);
        spin(state, 1, 0.5 * dt);
        spin(state, 2, dt);
        spin(state, 1, 0.5 * dt);
        spin(state, 0, 0.5 * dt);
        state.rotation = state.rotation.normalize();
    }
}

/// Applies `f` to `v` in the own axes of `state`.
fn in_own_axes(state: &LinkState, v: DVec3, f: impl Fn(DVec3) -> DVec3) -> DVec3 {
    state.rotation * f(state.rotation.conjugate() * v)
}

impl MotionLaw for RigidBody {
    fn state_at(&self, world_from_link: Frame, twist: Twist) -> LinkState {
        let Frame { rotation, translation: position } = world_from_link * self.link_from_principal;
        let rotation = rotation.normalize();
        let mut state = LinkState { position, rotation, velocity: twist.linear, angular: DVec3::ZERO };
        state.angular = in_own_axes(&state, twist.angular, |w| w * self.moments);
        state
    }
    fn world_from_link(&self, state: &LinkState) -> Frame {
        state.frame() * self.link_from_principal.inverse()
    }
    fn twist(&self, state: &LinkState) -> Twist {
        Twist { linear: state.velocity, angular: in_own_axes(state, state.angular, |l| l / self.moments) }
    }
    /// However it tumbles, no spin exceeds that of all its angular momentum about the axis of least inertia, nor one
    /// with all its energy there.
    fn max_speeds(&self, state: &LinkState, _: f64, _: f64) -> (f64, f64) {
        let l = state.rotation.conjugate() * state.angular;
        let least = self.moments.min_element();
        let spin = (l.length() / least).min((l.dot(l / self.moments) / least).sqrt());
        (state.velocity.length(), spin * (1.0 + 1e-12))
    }
    fn mass(&self) -> Option<f64> {
        Some(self.mass)
    }
    fn inverse_effective_mass(&self, state: &LinkState, point: DVec3, direction: DVec3) -> f64 {
        let lever = (point - state.position).cross(direction);
        1.0 / self.mass + lever.dot(in_own_axes(state, lever, |l| l / self.moments))
    }
    fn inertia(&self, state: &LinkState) -> Option<DMat3> {
        let axes = DMat3::from_quat(state.rotation);
        Some(axes * DMat3::from_diagonal(self.moments) * axes.transpose())
    }
    fn apply(&self, state: &mut LinkState, load: &AppliedWrench, dt: f64) {
        state.velocity += load.force * (dt / self.mass);
        state.angular += load.torque * dt;
    }
    fn advance(&self, state: &mut LinkState, dt: f64, _: f64) {
        state.position += state.velocity * dt;
        // Alike about all axes it keeps its spin, and one turn is exact.
        let uneven = self.moments.max_element() > (1.0 + 1e-9) * self.moments.min_element();
        let angle = if uneven { self.max_speeds(state, 0.0, dt).1 * dt } else { 0.0 };
        let turns = (angle / LARGEST_TURN).ceil().clamp(1.0, MAX_TURNS);
        (0..turns as usize).for_each(|_| self.turn(state, dt / turns));
    }
    fn kinetic_energy(&self, state: &LinkState) -> f64 {
        let l = state.rotation.conjugate() * state.angular;
        0.5 * self.mass * state.velocity.length_squared() + 0.5 * l.dot(l / self.moments)
    }
}
