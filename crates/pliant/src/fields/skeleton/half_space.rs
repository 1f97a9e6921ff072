//! Everything on one side of a plane.

use super::distance::{Distance, FourNearest, Nearest, Neighbourhood, Plane};
use super::error::{SkeletonError, finite, unit_normal};
use super::normal_lines::NormalLines;
use super::range;
use crate::math::real::{FourLanes, difference, dot, vector};
use crate::math::{Aabb, Cell, DVec3, Frame, Interval};

/// The points behind the plane through `point`, away from `normal`. Signed: negative behind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    point: DVec3,
    normal: DVec3,
}

impl HalfSpace {
    /// `normal` points out of the solid and need not be a unit vector.
    pub fn new(point: DVec3, normal: DVec3) -> Result<Self, SkeletonError> {
        Ok(Self { point: finite(|| "point".into(), point)?, normal: unit_normal(normal)? })
    }

    /// A point of the plane.
    pub fn point(&self) -> DVec3 {
        self.point
    }
    /// Unit vector out of the solid.
    pub fn normal(&self) -> DVec3 {
        self.normal
    }
}

impl Distance for HalfSpace {
    fn nearest(&self, p: DVec3) -> Nearest {
        Nearest { distance: (p - self.point).dot(self.normal), direction: self.normal }
    }

    #[inline(always)]
    fn nearest_four<T: FourLanes>(&self, points: [T; 3]) -> Option<FourNearest<T>> {
        let n = vector(self.normal);
        let distance = dot(difference(points, vector(self.point)), n);
        Some(FourNearest { distance, direction: n, extent: self.point.abs().max_element() })
    }

    /// Everything, unless the plane lies along the axes.
    fn bounds(&self) -> Aabb {
        let mut bounds = Aabb::EVERYTHING;
        for axis in 0..3 {
            if self.normal == DVec3::AXES[axis] {
                bounds.max[axis] = self.point[axis];
            } else if self.normal == -DVec3::AXES[axis] {
                bounds.min[axis] = self.point[axis];
            }
        }
        bounds
    }

    fn distance_range(&self, cell: &Cell) -> Interval {
        let (d, reach) = (self.nearest(cell.center).distance, cell.half_extent(self.normal));
        let slack = range::rounding(&Aabb::of_points([self.point]), cell);
        Interval::new(d - reach - slack, d + reach + slack)
    }

    /// None: there is no far side to come out at.
    fn medial_point(&self, _p: DVec3) -> Option<DVec3> {
        None
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn is_volume(&self) -> bool {
        true
    }

    /// Flat.
    fn curvature_range(&self, _near: &Neighbourhood) -> Interval {
        Interval::new(0.0, 0.0)
    }

    fn as_plane(&self) -> Option<Plane> {
        Some(Plane { point: self.point, normal: self.normal })
    }

    fn moved(&self, frame: &Frame) -> Option<Self> {
        Some(Self { point: frame.point(self.point), normal: frame.vector(self.normal) })
    }

    /// None: it is unbounded.
    fn normal_lines(&self, _lines: &mut NormalLines) {}
}
