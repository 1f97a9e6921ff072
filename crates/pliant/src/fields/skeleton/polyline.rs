//! Straight lines from point to point.

use super::distance::{Distance, MAX_COMPARED, Nearest, farthest_of};
use super::error::{SkeletonError, distinct};
use super::nearest_so_far::NearestSoFar;
use super::normal_lines::NormalLines;
use super::{range, segment};
use crate::math::{Aabb, Bvh, Cell, DVec3, Interval};
use std::sync::Arc;

/// Segments joining consecutive points. Repeat the first point at the end to close it. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct Polyline {
    points: Arc<[DVec3]>,
    tree: Arc<Bvh>,
}

/// Segments in a leaf of the tree. More: needless tests. Fewer: more boxes to open for each segment.
const LEAF: usize = 4;

impl Polyline {
    /// Through two or more points, no two neighbours in the same place.
    pub fn new(points: impl Into<Vec<DVec3>>) -> Result<Self, SkeletonError> {
        let points = points.into();
        distinct("a polyline", 2, &points)?;
        let boxes: Vec<Aabb> = points.windows(2).map(|w| Aabb::of_points([w[0], w[1]])).collect();
        Ok(Self { points: points.into(), tree: Arc::new(Bvh::new(&boxes, LEAF)) })
    }

    /// The points, in order.
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }
}

impl Distance for Polyline {
    fn nearest(&self, p: DVec3) -> Nearest {
        NearestSoFar::of_pieces(&self.tree, p, self.points[0], |i, best| {
            let (offset, feature) = segment::offset(p, self.points[i], self.points[i + 1]);
            best.consider(offset, feature);
        })
    }
    fn support_point(&self, direction: DVec3) -> DVec3 {
        if self.points.len() > MAX_COMPARED {
            self.bounds().farthest(direction)
        } else {
            farthest_of(&self.points, direction)
        }
    }

    fn bounds(&self) -> Aabb {
        self.tree.bounds()
    }

    fn distance_range(&self, cell: &Cell) -> Interval {
        range::thin(self, cell)
    }

    fn normal_lines(&self, lines: &mut NormalLines) {
        lines.segments(&self.points.windows(2).map(|p| p.to_vec()).collect::<Vec<_>>());
    }
}
