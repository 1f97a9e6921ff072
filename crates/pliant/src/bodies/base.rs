//! What a base structure must answer, and how it is pushed.

use crate::math::{DMat3, DQuat, DVec3, Frame};

/// A force and a torque on a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// Newtons.
    pub force: DVec3,
    /// Newton metres, about the body's centre of mass.
    pub torque: DVec3,
}

impl std::ops::AddAssign for Load {
    fn add_assign(&mut self, other: Self) {
        self.force += other.force;
        self.torque += other.torque;
    }
}

/// Velocity of a rigid frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// Velocity of the centre of mass, metres per second.
    pub linear: DVec3,
    /// Radians per second, world axes.
    pub angular: DVec3,
}

/// A structure that moves and carries a layer.
///
/// A step is `push(½dt) · advance(dt) · push(½dt)`: leapfrog, so that a conservative load keeps energy.
pub trait Base: Send + Sync + std::fmt::Debug {
    /// Where the layer's frame is.
    fn world_from_body(&self) -> Frame;

    /// Where loads act about: the centre of mass, or the frame's origin when there is no mass.
    fn center(&self) -> DVec3;

    /// Velocity of the centre and spin.
    fn twist(&self) -> Twist;

    /// The greatest speed of the centre, m/s, and the greatest spin, rad/s, within the next `ahead` seconds if no force
    /// acts. Neither may be less than what comes: steps are chosen by them.
    fn max_speeds(&self, _ahead: f64) -> (f64, f64) {
        let twist = self.twist();
        (twist.linear.length(), twist.angular.length())
    }

    /// Kilograms; `None` for what no force can move.
    fn mass(&self) -> Option<f64>;

    /// Whether it stays where it is for ever, so that two such need not be looked at.
    fn is_fixed(&self) -> bool {
        false
    }

    /// How much speed a unit impulse along the unit vector `direction` at `point` gives to that point:
    /// `1/m` and what turning adds. Zero for what no force can move.
    fn mobility(&self, point: DVec3, direction: DVec3) -> f64;

    /// Inertia about the centre, world axes, kg m²; all zero for what does not turn. None: not known, and a world with such
    /// a base is stepped explicitly.
    fn inertia(&self) -> Option<DMat3> {
        None
    }

    /// Adds the impulse of `load` over `dt`.
    fn push(&mut self, load: &Load, dt: f64);

    /// Moves for `dt` with the present velocity; `time` is the time reached. Keyframes follow `time`.
    fn advance(&mut self, dt: f64, time: f64);

    /// Where the layer's frame will be, and how it will move, `dt` seconds on if no force acts; `time` is the time then.
    /// What is left as it is here keeps its velocity and its spin.
    fn after(&self, dt: f64, _time: f64) -> (Frame, Twist) {
        let (now, center, twist) = (self.world_from_body(), self.center(), self.twist());
        let turn = DQuat::from_scaled_axis(twist.angular * dt);
        let translation = center + twist.linear * dt + turn * (now.translation - center);
        (Frame { rotation: turn * now.rotation, translation }, twist)
    }

    /// Joules.
    fn kinetic_energy(&self) -> f64;

    /// Appends everything that changes, so that [`Base::restore`] brings back the same motion bit for bit.
    fn save(&self, state: &mut Vec<f64>);

    /// Takes back what [`Base::save`] wrote; returns how many numbers it used.
    fn restore(&mut self, state: &[f64]) -> usize;

    /// How many numbers [`Base::save`] writes.
    fn state_len(&self) -> usize {
        let mut state = Vec::new();
        self.save(&mut state);
        state.len()
    }

    /// Velocity of the material point at `p`.
    fn velocity_at(&self, p: DVec3) -> DVec3 {
        let twist = self.twist();
        twist.linear + twist.angular.cross(p - self.center())
    }
}
