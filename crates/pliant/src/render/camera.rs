//! Cameras, and the projection of world points to the picture.

use super::ray::Ray;
use crate::math::{Aabb, DVec3};

/// A camera with a thin lens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Position, metres.
    pub from: DVec3,
    /// Point in the middle of the picture, and in focus.
    pub at: DVec3,
    /// Roughly upwards.
    pub up: DVec3,
    /// Vertical field of view, radians. Small: nearly parallel projection from far away. Near π: distorted.
    pub angle: f64,
    /// Radius of the lens, metres. 0: everything is sharp. Larger: blur grows with the distance from the plane of focus.
    pub lens: f64,
}

/// Size of a picture over the size of the bodies it frames.
const MARGIN: f64 = 1.12;

impl Camera {
    /// A view of all of `bounds` in a picture `aspect` times as wide as high: from the front, a little from the side and above.
    pub fn framing(bounds: &Aabb, aspect: f64) -> Self {
        Self::framing_from(bounds, aspect, Self::USUAL)
    }

    /// Direction from the bodies to the camera of [`Camera::framing`].
    pub const USUAL: DVec3 = DVec3::new(0.55, -1.0, 0.42);

    /// [`Camera::framing`] with the camera in `direction`, of any length, from the bodies.
    pub fn framing_from(bounds: &Aabb, aspect: f64, direction: DVec3) -> Self {
        let angle = 0.5f64;
        let direction = direction.try_normalize().unwrap_or(Self::USUAL.normalize());
        let right = DVec3::Z.cross(direction).try_normalize().unwrap_or(DVec3::X);
        let (at, half) = (bounds.center(), 0.5 * bounds.size());
        let tall = (0.5 * angle).tan() / MARGIN;
        let corners =
            (0..8).map(|i| DVec3::from_array([0, 1, 2].map(|a| if i >> a & 1 == 0 { -1.0 } else { 1.0 })) * half);
        // The least distance at which every corner is inside the picture.
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

/// A point of the picture: `x` from −aspect (left) to aspect, `y` from −1 (bottom) to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ImagePoint {
    pub x: f64,
    pub y: f64,
}

impl ImagePoint {
    /// The point at pixel coordinates `x`, `y` from the top left corner of a picture of `size` pixels.
    pub fn from_pixels(x: f64, y: f64, size: [f64; 2]) -> Self {
        let [width, height] = size;
        Self { x: (2.0 * x - width) / height, y: 1.0 - 2.0 * y / height }
    }

    /// Its pixel coordinates from the top left corner.
    pub fn to_pixels(self, [width, height]: [f64; 2]) -> [f64; 2] {
        [0.5 * (self.x * height + width), 0.5 * height * (1.0 - self.y)]
    }
}

/// A camera's axes, scaled for making rays and for projecting points.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Projection {
    /// Centre of the lens.
    pub from: DVec3,
    /// From the lens to the middle of the picture, and from there to the right side (of a square picture) and to the top, all in
    /// the plane of focus.
    ahead: DVec3,
    right: DVec3,
    above: DVec3,
    /// Two radii of the lens, orthogonal.
    across: [DVec3; 2],
}

impl Projection {
    /// None for a camera without direction, or with numbers that are not finite.
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

    /// Vector from the centre of the lens to a point of the picture.
    pub fn direction_through(&self, at: ImagePoint) -> DVec3 {
        self.ahead + at.x * self.right + at.y * self.above
    }

    /// The ray through a point of the picture from a point of the lens, given in the unit disc.
    pub fn ray(&self, at: ImagePoint, on_lens: [f64; 2]) -> Ray {
        let off = on_lens[0] * self.across[0] + on_lens[1] * self.across[1];
        Ray { from: self.from + off, along: (self.direction_through(at) - off).normalize(), time: 0.0 }
    }

    /// Projection of a world point, and the length of a metre there, in half heights; none behind the camera.
    pub fn project(&self, p: DVec3) -> Option<(ImagePoint, f64)> {
        let off = p - self.from;
        let far = off.dot(self.ahead) / self.ahead.length_squared();
        let on = |axis: DVec3| off.dot(axis) / (far * axis.length_squared());
        (far > 0.0).then(|| (ImagePoint { x: on(self.right), y: on(self.above) }, 1.0 / (far * self.above.length())))
    }

    /// Depth along the axis, over the distance of focus.
    pub fn depth(&self, p: DVec3) -> f64 {
        (p - self.from).dot(self.ahead) / self.ahead.length_squared()
    }

    /// Distance of focus, metres.
    pub fn focus(&self) -> f64 {
        self.ahead.length()
    }

    /// Height of a pixel in the plane of focus, metres.
    pub fn pixel(&self, height: usize) -> f64 {
        2.0 * self.above.length() / height as f64
    }
}
