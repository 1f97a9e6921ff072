//! Placement and motion of a link: the numbers a step changes, the same for every motion law.

use crate::math::{DQuat, DVec3, Frame};

/// A force and a torque on a link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AppliedWrench {
    /// Newtons.
    pub force: DVec3,
    /// Newton metres, about the link's centre of mass.
    pub torque: DVec3,
}

impl std::ops::AddAssign for AppliedWrench {
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
    /// World from the motion law's own axes, a unit quaternion.
    pub rotation: DQuat,
    /// Velocity of `position`, m/s.
    pub velocity: DVec3,
    /// Angular momentum about the centre of mass, world axes, kg m²/s; of a kinematic link the angular velocity, rad/s.
    pub angular: DVec3,
}

impl LinkState {
    /// Length of [`LinkState::to_array`].
    pub(crate) const LEN: usize = 13;

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
    pub(crate) fn to_array(self) -> [f64; Self::LEN] {
        let (p, q, v, l) = (self.position, self.rotation, self.velocity, self.angular);
        [p.x, p.y, p.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, l.x, l.y, l.z]
    }

    /// Inverse of [`LinkState::to_array`].
    pub(crate) fn from_array(n: &[f64; Self::LEN]) -> Self {
        let vector = |i: usize| DVec3::new(n[i], n[i + 1], n[i + 2]);
        let rotation = DQuat::from_xyzw(n[3], n[4], n[5], n[6]);
        Self { position: vector(0), rotation, velocity: vector(7), angular: vector(10) }
    }
}
