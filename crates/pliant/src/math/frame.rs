//! Rigid placements. Named `to_from_from`: `world_from_body * body_from_link` reads right.

use super::{DQuat, DVec3};
use std::ops::Mul;

/// A rotation followed by a translation. The rotation is a unit quaternion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Unit quaternion.
    pub rotation: DQuat,
    /// Metres, in the outer frame.
    pub translation: DVec3,
}

impl Frame {
    /// Nothing turned, nothing moved.
    pub const IDENTITY: Self = Self { rotation: DQuat::IDENTITY, translation: DVec3::ZERO };

    /// A frame at `translation`, not turned.
    pub const fn at(translation: DVec3) -> Self {
        Self { rotation: DQuat::IDENTITY, translation }
    }

    /// A point of the inner frame, in the outer one.
    pub fn point(&self, p: DVec3) -> DVec3 {
        self.rotation * p + self.translation
    }

    /// A direction of the inner frame, in the outer one.
    pub fn vector(&self, v: DVec3) -> DVec3 {
        self.rotation * v
    }

    /// The frame that undoes this one.
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.conjugate();
        Self { rotation, translation: -(rotation * self.translation) }
    }
}

impl Mul for Frame {
    type Output = Self;
    fn mul(self, inner: Self) -> Self {
        Self { rotation: self.rotation * inner.rotation, translation: self.point(inner.translation) }
    }
}
