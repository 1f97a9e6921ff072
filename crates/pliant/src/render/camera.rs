//! Where a picture is taken from.

use super::hit::Ray;
use crate::math::{Aabb, DVec3};

/// A camera with a lens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it stands, metres.
    pub from: DVec3,
    /// What it looks at: the middle of the picture.
    pub at: DVec3,
    /// Roughly upwards.
    pub up: DVec3,
    /// Angle from the picture's bottom to its top, radians. Small: far away, everything parallel. Near π: distorted.
    pub angle: f64,
    /// Radius of the lens, metres. 0: everything is sharp. Larger: only what is as far as `at`.
    pub lens: f64,
}

/// How much wider than what it holds a picture is.
const MARGIN: f64 = 1.12;

impl Camera {
    /// A view of all of `bounds`, from the front, a little from the side and above.
    pub fn framing(bounds: &Aabb, aspect: f64) -> Self {
        Self::framing_from(bounds, aspect, Self::USUAL)
    }

    /// From where [`Camera::framing`] looks: a little from above.
    pub const USUAL: DVec3 = DVec3::new(0.55, -1.0, 0.42);

    /// [`Camera::framing`] from the side that `direction` points to, of any length.
    pub fn framing_from(bounds: &Aabb, aspect: f64, direction: DVec3) -> Self {
        let angle = 0.5f64;
        let direction = direction.try_normalize().unwrap_or(Self::USUAL.normalize());
        let right = DVec3::Z.cross(direction).try_normalize().unwrap_or(DVec3::X);
        let (at, half) = (bounds.center(), 0.5 * bounds.size());
        let tall = (0.5 * angle).tan() / MARGIN;
        let corners =
            (0..8).map(|i| DVec3::from_array([0, 1, 2].map(|a| if i >> a & 1 == 0 { -1.0 } else { 1.0 })) * half);
        // Far enough for every corner to be within the picture, beside the middle and above or below it.
        let far = corners.map(|c| {
            let (x, y) = (c.dot(right).abs(), c.dot(direction.cross(right)).abs());
            c.dot(direction) + (x / (aspect * tall)).max(y / tall)
        });
        let far = far.fold(0.0, f64::max);
        Self {
            from: at + direction * far,
            at,
            up: if right == DVec3::X { DVec3::Y } else { DVec3::Z },
            angle,
            lens: 0.0,
        }
    }
}

/// A camera ready for rays.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lens {
    /// Its middle.
    pub from: DVec3,
    /// To the middle of the picture, and from there to its right side (of a square one) and top, all at the distance of
    /// what is sharp.
    ahead: DVec3,
    right: DVec3,
    above: DVec3,
    /// Unit vectors across the lens, times its radius.
    across: [DVec3; 2],
}

impl Lens {
    /// None for a camera that is nowhere, or whose numbers are not finite.
    pub fn new(camera: &Camera) -> Option<Self> {
        let forward = camera.at - camera.from;
        let distance = forward.length();
        let ahead = forward.try_normalize().unwrap_or(DVec3::Y);
        let right = ahead.cross(camera.up).try_normalize().unwrap_or_else(|| ahead.any_orthonormal_vector());
        let above = right.cross(ahead);
        let half = distance * (0.5 * camera.angle).tan();
        let lens = Self {
            from: camera.from,
            ahead: distance * ahead,
            right: half * right,
            above: half * above,
            across: [camera.lens * right, camera.lens * above],
        };
        let all = [lens.from, lens.ahead, lens.right, lens.above, lens.across[0], lens.across[1]];
        (all.iter().all(|v| v.is_finite()) && distance > 0.0).then_some(lens)
    }

    /// From the middle of the lens to a place of the picture: `x` from −aspect to aspect, `y` from −1 (bottom) to 1.
    pub fn along(&self, (x, y): (f64, f64)) -> DVec3 {
        self.ahead + x * self.right + y * self.above
    }

    /// The ray through a place of the picture from a point of the lens, which is given in the unit disc.
    pub fn ray(&self, place: (f64, f64), (u, v): (f64, f64)) -> Ray {
        let off = u * self.across[0] + v * self.across[1];
        Ray { from: self.from + off, along: (self.along(place) - off).normalize(), time: 0.0 }
    }

    /// Where in the picture a point is, and how long a metre is there; none if it is not before the camera.
    pub fn seen_at(&self, p: DVec3) -> Option<((f64, f64), f64)> {
        let off = p - self.from;
        let far = off.dot(self.ahead) / self.ahead.length_squared();
        let on = |axis: DVec3| off.dot(axis) / (far * axis.length_squared());
        (far > 0.0).then(|| ((on(self.right), on(self.above)), 1.0 / (far * self.above.length())))
    }

    /// Height of a pixel where everything is sharp, metres.
    pub fn pixel(&self, height: usize) -> f64 {
        2.0 * self.above.length() / height as f64
    }
}
