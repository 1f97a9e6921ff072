//! A straight line between two points.

use super::distance::{Distance, Nearest, Plane, farthest_of};
use super::error::{SkeletonError, apart, finite};
use super::nearest_so_far::Feature;
use super::normal_lines::NormalLines;
use super::range;
use crate::math::{Aabb, Cell, DVec3, Frame, Interval};

/// The points between `a` and `b`, which are not in the same place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    a: DVec3,
    b: DVec3,
}

impl Segment {
    /// From `a` to `b`, metres.
    pub fn new(a: DVec3, b: DVec3) -> Result<Self, SkeletonError> {
        let ends = [finite(|| "end a".into(), a)?, finite(|| "end b".into(), b)?];
        apart(&ends, 0, 1)?;
        Ok(Self { a, b })
    }

    /// One end.
    pub fn a(&self) -> DVec3 {
        self.a
    }
    /// The other end.
    pub fn b(&self) -> DVec3 {
        self.b
    }
}

/// Vector to `p` from the nearest point between `a` and `b`. The ends may coincide.
pub(super) fn offset(p: DVec3, a: DVec3, b: DVec3) -> (DVec3, Feature) {
    let (along, from_a) = (b - a, p - a);
    let t = from_a.dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
    // From the end itself where that is nearest, so that neighbours that share it agree to the last bit.
    if t <= 0.0 {
        (from_a, Feature::Corner)
    } else if t < 1.0 {
        (from_a - t * along, Feature::Edge)
    } else {
        (p - b, Feature::Corner)
    }
}

impl Distance for Segment {
    fn nearest(&self, p: DVec3) -> Nearest {
        Nearest::away(offset(p, self.a, self.b).0)
    }
    fn support_point(&self, direction: DVec3) -> DVec3 {
        farthest_of(&[self.a, self.b], direction)
    }

    fn bounds(&self) -> Aabb {
        Aabb::of_points([self.a, self.b])
    }

    fn distance_range(&self, cell: &Cell) -> Interval {
        range::convex(self, cell)
    }

    fn creases(&self, found: &mut Vec<Plane>) {
        let normal = (self.b - self.a).normalize();
        found.extend([self.a, self.b].map(|point| Plane { point, normal }));
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn ends(&self) -> Option<[DVec3; 2]> {
        Some([self.a, self.b])
    }

    fn moved(&self, frame: &Frame) -> Option<Self> {
        Some(Self { a: frame.point(self.a), b: frame.point(self.b) })
    }

    fn normal_lines(&self, lines: &mut NormalLines) {
        lines.segments(&[vec![self.a, self.b]]);
    }
}
