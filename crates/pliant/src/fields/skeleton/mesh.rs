//! Many triangles.

use super::distance::{Distance, MAX_COMPARED, Nearest, farthest_of};
use super::error::{MAX_PIECES, SkeletonError, finite};
use super::nearest_so_far::NearestSoFar;
use super::normal_lines::NormalLines;
use super::{range, triangle};
use crate::math::{Aabb, Bvh, Cell, DVec3, Interval};
use std::sync::Arc;

/// Triangles over shared vertices, with an **unsigned** distance: the mesh may be open, tangled or non-manifold,
/// and a triangle without area counts as its sides. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct TriangleMesh {
    vertices: Arc<[DVec3]>,
    triangles: Arc<[[u32; 3]]>,
    normals: Arc<[DVec3]>,
    tree: Arc<Bvh>,
}

/// Triangles in a leaf of the tree. More: needless tests. Fewer: a larger tree.
const LEAF: usize = 4;

impl TriangleMesh {
    /// At least one triangle, each three indices into `vertices`.
    pub fn new(vertices: impl Into<Vec<DVec3>>, triangles: impl Into<Vec<[u32; 3]>>) -> Result<Self, SkeletonError> {
        let (vertices, triangles) = (vertices.into(), triangles.into());
        if triangles.is_empty() {
            let (what, of, remedy) = ("a mesh", "triangles", "a cloud of vertices is not a surface");
            return Err(SkeletonError::TooFew { what, of, least: 1, got: 0, remedy });
        }
        for (of, got) in [("triangles", triangles.len()), ("vertices", vertices.len())] {
            if got > MAX_PIECES {
                return Err(SkeletonError::TooMany { of, got });
            }
        }
        for (i, &v) in vertices.iter().enumerate() {
            finite(|| format!("vertex {i} (from 0)"), v)?;
        }
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&index) = corners.iter().find(|&&i| i as usize >= vertices.len()) {
                return Err(SkeletonError::NoSuchVertex { triangle, index, vertices: vertices.len() });
            }
        }
        let corners = |t: &[u32; 3]| t.map(|i| vertices[i as usize]);
        let boxes: Vec<Aabb> = triangles.iter().map(|t| Aabb::of_points(corners(t))).collect();
        let normals = triangles.iter().map(|t| triangle::normal(corners(t))).collect();
        let tree = Arc::new(Bvh::new(&boxes, LEAF));
        Ok(Self { vertices: vertices.into(), triangles: triangles.into(), normals, tree })
    }

    /// The vertices, as given.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// The triangles, as given.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }
}

impl Distance for TriangleMesh {
    fn nearest(&self, p: DVec3) -> Nearest {
        NearestSoFar::of_pieces(&self.tree, p, self.tree.bounds().min, |i, best| {
            let corners = self.triangles[i].map(|v| self.vertices[v as usize]);
            triangle::consider(p, corners, self.normals[i], best);
        })
    }
    fn support_point(&self, direction: DVec3) -> DVec3 {
        let few = self.vertices.len() <= MAX_COMPARED;
        if few { farthest_of(&self.vertices, direction) } else { self.bounds().farthest(direction) }
    }

    fn bounds(&self) -> Aabb {
        self.tree.bounds()
    }

    fn distance_range(&self, cell: &Cell) -> Interval {
        range::thin(self, cell)
    }

    fn normal_lines(&self, lines: &mut NormalLines) {
        let corners = |t: &[u32; 3]| t.map(|i| self.vertices[i as usize]).to_vec();
        lines.triangles(&self.triangles.iter().map(corners).collect::<Vec<_>>());
    }
}
