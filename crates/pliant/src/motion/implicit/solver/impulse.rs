//! A linear and an angular impulse.

use crate::math::DVec3;

/// An impulse and its moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Impulse {
    /// N s.
    pub linear: DVec3,
    /// N m s.
    pub angular: DVec3,
}

impl std::ops::AddAssign for Impulse {
    fn add_assign(&mut self, other: Self) {
        self.linear += other.linear;
        self.angular += other.angular;
    }
}
