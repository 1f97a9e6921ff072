//! Base structures: how a link moves in time and under impulses.
//!
//! *The idea*: a [`Base`] is a law without state; a [`LinkState`] is what a step changes, the same plain numbers for every
//! base. [`Link`] puts both together for reading.

use crate::math::{DMat3, DQuat, DVec3, Frame};

/// A force and a torque on a link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// Newtons.
    pub force: DVec3,
    /// Newton metres, about the link's centre of mass.
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

impl Twist {
    /// Mean of two velocities.
    pub fn mean(a: &Self, b: &Self) -> Self {
        Self { linear: 0.5 * (a.linear + b.linear), angular: 0.5 * (a.angular + b.angular) }
    }
}

/// Placement and motion of a link: everything of it that a step changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkState {
    /// Centre of mass, world, m; the origin of the link's frame where no force moves it.
    pub position: DVec3,
    /// World from the base's own axes, a unit quaternion.
    pub rotation: DQuat,
    /// Of `position`, m/s.
    pub velocity: DVec3,
    /// Angular momentum about the centre of mass, world axes, kg m²/s. Of a kinematic link its angular velocity, rad/s.
    pub angular: DVec3,
}

impl LinkState {
    /// Numbers of one state, for files.
    pub const LEN: usize = 13;

    /// At rest at `frame`.
    pub fn at_rest(frame: Frame) -> Self {
        let Frame { rotation, translation: position } = frame;
        Self { position, rotation, velocity: DVec3::ZERO, angular: DVec3::ZERO }
    }

    /// `position` and `rotation` as a frame.
    pub fn frame(&self) -> Frame {
        Frame { rotation: self.rotation, translation: self.position }
    }

    /// Plain numbers, for files.
    pub fn to_array(&self) -> [f64; Self::LEN] {
        let (p, q, v, l) = (self.position, self.rotation, self.velocity, self.angular);
        [p.x, p.y, p.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, l.x, l.y, l.z]
    }

    /// Inverse of [`LinkState::to_array`].
    pub fn from_array(n: &[f64; Self::LEN]) -> Self {
        let vector = |i: usize| DVec3::new(n[i], n[i + 1], n[i + 2]);
        let rotation = DQuat::from_xyzw(n[3], n[4], n[5], n[6]);
        Self { position: vector(0), rotation, velocity: vector(7), angular: vector(10) }
    }
}

/// The law by which a link moves. It holds no state of its own.
///
/// An explicit step is `apply(½dt) · advance(dt) · apply(½dt)`: leapfrog, so that a conservative load keeps energy.
pub trait Base: Send + Sync + std::fmt::Debug {
    /// State of a link whose frame is at `world_from_link` and moves with `twist` about its centre, at time zero.
    fn state_at(&self, world_from_link: Frame, twist: Twist) -> LinkState;

    /// Frame of the link, in which its parts are placed.
    fn world_from_link(&self, state: &LinkState) -> Frame;

    /// Velocity of the centre and spin.
    fn twist(&self, state: &LinkState) -> Twist;

    /// Greatest speed of the centre, m/s, and greatest spin, rad/s, from `time` (now) to `time + ahead` if no force acts.
    /// Neither may be less than what comes: steps are chosen by them.
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

    /// Speed that a unit impulse along the unit vector `direction` at `point` gives to that point: `1/m` and what turning
    /// adds. Zero for a kinematic link.
    fn mobility(&self, state: &LinkState, point: DVec3, direction: DVec3) -> f64;

    /// Inertia about the centre, world axes, kg m²; all zero for a link that does not turn. None: not known, and a world
    /// with such a base is stepped explicitly.
    fn inertia(&self, _state: &LinkState) -> Option<DMat3> {
        None
    }

    /// Adds the impulse of `load` over `dt`.
    fn apply(&self, state: &mut LinkState, load: &Load, dt: f64);

    /// Moves for `dt` with the present velocity; `time` is the time reached. Keyframes follow `time`.
    fn advance(&self, state: &mut LinkState, dt: f64, time: f64);

    /// Joules.
    fn kinetic_energy(&self, state: &LinkState) -> f64;
}

/// A link as it is now: its law and its state.
#[derive(Clone, Copy, Debug)]
pub struct Link<'a> {
    /// How it moves.
    pub base: &'a dyn Base,
    /// Where it is, and how fast.
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
