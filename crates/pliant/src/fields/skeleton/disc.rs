//! A flat round plate without thickness.

use super::distance::{Distance, Nearest};
use super::error::{SkeletonError, finite, positive, unit_normal};
use super::normal_lines::NormalLines;
use super::range;
use crate::math::{Aabb, Cell, DVec3, Interval};
use std::f64::consts::{PI, TAU};

/// The points within `radius` of `center` in the plane across `normal`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    center: DVec3,
    normal: DVec3,
    radius: f64,
}

impl Disc {
    /// `normal` need not be a unit vector; `radius` is positive, metres.
    pub fn new(center: DVec3, normal: DVec3, radius: f64) -> Result<Self, SkeletonError> {
        Ok(Self {
            center: finite(|| "center".into(), center)?,
            normal: unit_normal(normal)?,
            radius: positive("radius", radius)?,
        })
    }

    /// Middle.
    pub fn center(&self) -> DVec3 {
        self.center
    }
    /// Unit vector across the disc.
    pub fn normal(&self) -> DVec3 {
        self.normal
    }
    /// Metres.
    pub fn radius(&self) -> f64 {
        self.radius
    }
}

impl Distance for Disc {
    fn nearest(&self, p: DVec3) -> Nearest {
        let v = p - self.center;
        let height = v.dot(self.normal) * self.normal;
        let flat = v - height;
        let out = flat.length();
        Nearest::away(if out > self.radius { height + flat * ((out - self.radius) / out) } else { height })
    }

    fn support_point(&self, direction: DVec3) -> DVec3 {
        let outward = direction.reject_from_normalized(self.normal).normalize_or_zero();
        self.center + self.radius * outward
    }

    /// Along an axis it reaches `radius` times the sine of the angle to the normal.
    fn bounds(&self) -> Aabb {
        // 1 − n² as a sum of squares, which cannot come out negative nor lose its digits.
        let n = self.normal * self.normal;
        let reach = self.radius * DVec3::new(n.y + n.z, n.z + n.x, n.x + n.y).map(f64::sqrt);
        Aabb { min: self.center - reach, max: self.center + reach }
    }

    fn distance_range(&self, cell: &Cell) -> Interval {
        range::convex(self, cell)
    }

    fn is_convex(&self) -> bool {
        true
    }

    /// Both faces, and half a turn around the rim.
    fn normal_lines(&self, lines: &mut NormalLines) {
        let (c, n, radius) = (self.center, self.normal, self.radius);
        let x = n.any_orthonormal_vector();
        let y = n.cross(x);
        let out = |v: f64| (TAU * v).cos() * x + (TAU * v).sin() * y;
        let around = lines.count(TAU * (radius + lines.thickness()));
        let counts = (lines.count(radius), around);
        for side in [n, -n] {
            lines.sheet(counts, true, |u, v| (c + radius * u * out(v), side));
        }
        let counts = (lines.count(PI * lines.thickness()), around);
        lines.sheet(counts, true, |u, v| {
            let (sin, cos) = (PI * u).sin_cos();
            (c + radius * out(v), cos * n + sin * out(v))
        });
    }
}
