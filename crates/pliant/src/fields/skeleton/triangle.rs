//! A flat triangle.

use super::distance::{Distance, Nearest, farthest_of};
use super::error::{SMALLEST_LENGTH, SkeletonError, finite};
use super::nearest_so_far::{Feature, NearestSoFar};
use super::normal_lines::NormalLines;
use super::{range, segment};
use crate::math::{Aabb, Cell, DVec3, Interval};
use std::f64::consts::PI;

/// The points of a triangle, inside and border; its corners do not lie on one line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    corners: [DVec3; 3],
    normal: DVec3,
}

/// Height over longest side below which corners count as lying on one line: fewer than four digits of the plane
/// would be left.
const MIN_HEIGHT: f64 = 1e-12;

impl Triangle {
    /// Between three corners, in either order, metres.
    pub fn new(a: DVec3, b: DVec3, c: DVec3) -> Result<Self, SkeletonError> {
        let corners =
            [finite(|| "corner a".into(), a)?, finite(|| "corner b".into(), b)?, finite(|| "corner c".into(), c)?];
        let longest = [b - a, c - b, a - c].iter().map(|e| e.abs().max_element()).fold(0.0, f64::max);
        if longest < SMALLEST_LENGTH {
            return Err(SkeletonError::NoArea);
        }
        let normal = normal(corners);
        let thin = ((b - a) / longest).cross((c - a) / longest).length() <= MIN_HEIGHT;
        if thin || normal == DVec3::ZERO {
            return Err(SkeletonError::NoArea);
        }
        Ok(Self { corners, normal })
    }

    /// The three corners, as given.
    pub fn corners(&self) -> [DVec3; 3] {
        self.corners
    }

    /// Unit vector across the triangle, by the right-hand rule.
    pub fn normal(&self) -> DVec3 {
        self.normal
    }
}

/// Unit normal, or zero where the corners lie on one line.
///
/// The cross product of two sides of a sliver is mostly rounding error. Its component along the longest side would tilt
/// the plane over that whole length, and is removed. The error that remains turns the normal about the longest side,
/// across which a sliver has no width to show it.
pub(super) fn normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    let sides = [b - a, c - b, a - c];
    let length_sq = sides.map(|s| s.length_squared());
    let longest = if length_sq[0] >= length_sq[1] && length_sq[0] >= length_sq[2] {
        0
    } else if length_sq[1] >= length_sq[2] {
        1
    } else {
        2
    };
    let across = sides[(longest + 1) % 3].cross(sides[(longest + 2) % 3]);
    let across = across - sides[longest] * (across.dot(sides[longest]) / length_sq[longest].max(f64::MIN_POSITIVE));
    let length = across.length();
    if length > 1e-150 && length > f64::EPSILON * length_sq[longest] { across / length } else { DVec3::ZERO }
}

/// Considers the nearest point of the triangle with this unit normal; a zero normal leaves only the sides.
pub(super) fn consider(p: DVec3, [a, b, c]: [DVec3; 3], normal: DVec3, best: &mut NearestSoFar) {
    let sides = [(a, b), (b, c), (c, a)];
    let inside = sides.map(|(from, to)| normal.cross(to - from).dot(p - from) > 0.0);
    if inside == [true; 3] {
        best.consider((p - a).dot(normal) * normal, Feature::Face);
        return;
    }
    // The nearest point lies on a side that `p` is beyond: its normal cone holds no other direction.
    for ((from, to), inside) in sides.into_iter().zip(inside) {
        if !inside {
            let (offset, feature) = segment::offset(p, from, to);
            best.consider(offset, feature);
        }
    }
}

impl Distance for Triangle {
    fn nearest(&self, p: DVec3) -> Nearest {
        let mut best = NearestSoFar::none(p - self.corners[0]);
        consider(p, self.corners, self.normal, &mut best);
        best.nearest()
    }
    fn support_point(&self, direction: DVec3) -> DVec3 {
        farthest_of(&self.corners, direction)
    }

    fn bounds(&self) -> Aabb {
        Aabb::of_points(self.corners)
    }

    fn distance_range(&self, cell: &Cell) -> Interval {
        range::convex(self, cell)
    }

    fn is_convex(&self) -> bool {
        true
    }

    /// Both faces, half a turn around each edge, a wedge at each corner.
    fn normal_lines(&self, lines: &mut NormalLines) {
        let (corners, normal) = (self.corners, self.normal);
        lines.face(corners);
        for i in 0..3 {
            let (a, b, c) = (corners[i], corners[(i + 1) % 3], corners[(i + 2) % 3]);
            lines.tube(a, b, if (b - a).cross(normal).dot(c - a) > 0.0 { -normal } else { normal }, PI);
            // Behind both edges that meet in a.
            let (to_b, to_c) = ((b - a).normalize(), (c - a).normalize());
            let inner = to_b.dot(to_c).clamp(-1.0, 1.0).acos();
            let axis = to_b.cross(to_c).normalize();
            lines.lune(a, axis, axis.cross(to_c), PI - inner);
        }
    }
}
