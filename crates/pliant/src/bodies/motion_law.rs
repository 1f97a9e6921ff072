//! Motion laws (the base structures of the papers): the law by which a link moves in time and under impulses.
//!
//! *The idea* ([CD97] §II): a [`MotionLaw`] holds no state; [`LinkState`] does, the same plain numbers for every motion
//! law. To add a motion law, implement the trait: [`NewBody`](super::NewBody) takes any.
//!
//! [CD97]: https://doi.org/10.1109/2945.582343

use super::link_state::{AppliedWrench, LinkState, Twist};
use crate::math::{DMat3, DVec3, Frame};

/// The law by which a link moves. It holds no state of its own.
///
/// An explicit step is `apply(½dt) · advance(dt) · apply(½dt)`: leapfrog, so that a conservative load keeps energy.
pub trait MotionLaw: Send + Sync + std::fmt::Debug {
    /// State of a link whose frame is at `world_from_link` and moves with `twist` about its centre, at time zero.
    fn state_at(&self, world_from_link: Frame, twist: Twist) -> LinkState;

    /// Frame of the link, in which its parts are placed.
    fn world_from_link(&self, state: &LinkState) -> Frame;

    /// Velocity of the centre and spin.
    fn twist(&self, state: &LinkState) -> Twist;

    /// Greatest speed of the centre, m/s, and greatest spin, rad/s, from `time` (now) to `time + ahead` if no force acts.
    /// Both must be upper bounds: step sizes are chosen by them.
    fn max_speeds(&self, state: &LinkState, _time: f64, _ahead: f64) -> (f64, f64) {
        let twist = self.twist(state);
        (twist.linear.length(), twist.angular.length())
    }

    /// Kilograms; `None` for a kinematic link, which no force can move.
    fn mass(&self) -> Option<f64>;

    /// Whether the link stays where it is for ever, so that pairs of such links are searched for contacts only once.
    fn is_fixed(&self) -> bool {
        false
    }

    /// Change of speed of `point` along the unit vector `direction` by a unit impulse there: `1/m` plus the part of rotation.
    /// Zero for a kinematic link.
    fn inverse_effective_mass(&self, state: &LinkState, point: DVec3, direction: DVec3) -> f64;

    /// Inertia about the centre, world axes, kg m²; zero for a link that does not turn. None: unknown; a world with such a
    /// motion law is stepped explicitly and has no joints.
    fn inertia(&self, _state: &LinkState) -> Option<DMat3> {
        None
    }

    /// Adds the impulse of `load` over `dt`.
    fn apply(&self, state: &mut LinkState, load: &AppliedWrench, dt: f64);

    /// Moves for `dt` with the present velocity; `time` is that at the end. Keyframes follow `time`.
    fn advance(&self, state: &mut LinkState, dt: f64, time: f64);

    /// Joules.
    fn kinetic_energy(&self, state: &LinkState) -> f64;
}
