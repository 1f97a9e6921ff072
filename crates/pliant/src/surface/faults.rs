//! Defects of a mesh as the boundary of a solid.

use super::mesh::Mesh;
use crate::math::{DVec3, UnionFind};

/// Counts of the places where a mesh is not closed, manifold or consistently oriented; all zero for the boundary of a solid.
///
/// *Not promised*: self-intersections, and a surface that is inside out as a whole, are not detected; for the latter, test
/// that [`Mesh::volume`] is positive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeshFaults {
    /// Edges with only one face: the boundary of a hole.
    pub open_edges: usize,
    /// Edges with three faces or more.
    pub nonmanifold_edges: usize,
    /// Edges with two faces of opposite orientation.
    pub misoriented_edges: usize,
    /// Faces without area, with a repeated vertex, or with an index out of range. The last two kinds are left out of all other
    /// counts.
    pub degenerate: usize,
    /// Vertices without faces.
    pub isolated_vertices: usize,
    /// Vertices whose faces form more than one fan: surfaces that touch only in this point.
    pub nonmanifold_vertices: usize,
}

impl MeshFaults {
    /// Whether all counts are zero.
    pub fn is_sound(&self) -> bool {
        *self == Self::default()
    }
}

/// A side of a face. Sorting brings the half-edges of an edge together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct HalfEdge {
    low: u32,
    high: u32,
    /// Whether it runs from `low` to `high`.
    upward: bool,
    /// Indices of the face's corners at either end.
    at_low: usize,
    at_high: usize,
}

impl Mesh {
    /// Counts the defects of this mesh as the boundary of a solid. Takes any mesh, valid or not.
    pub fn check(&self) -> MeshFaults {
        let mut faults = MeshFaults::default();
        let mut sides = Vec::with_capacity(3 * self.triangles.len() + 4 * self.quads.len());
        let mut corners = Vec::with_capacity(sides.capacity());
        for face in self.faces() {
            let real = self.is_polygon(face);
            if !real || self.is_flat(face) {
                faults.degenerate += 1;
            }
            if real {
                sides.extend(half_edges_of(face, corners.len()));
                corners.extend_from_slice(face);
            }
        }
        sides.sort_unstable();
        // Corners of faces connected by edges around a vertex.
        let mut fans = UnionFind::new(corners.len());
        for edge in sides.chunk_by(|a, b| (a.low, a.high) == (b.low, b.high)) {
            match edge {
                [_] => faults.open_edges += 1,
                [a, b] => faults.misoriented_edges += usize::from(a.upward == b.upward),
                _ => faults.nonmanifold_edges += 1,
            }
            for pair in edge.windows(2) {
                fans.union(pair[0].at_low, pair[1].at_low);
                fans.union(pair[0].at_high, pair[1].at_high);
            }
        }
        let mut fans_at = vec![0_usize; self.positions.len()];
        for (corner, &vertex) in corners.iter().enumerate() {
            fans_at[vertex as usize] += usize::from(fans.find(corner) == corner);
        }
        faults.isolated_vertices = fans_at.iter().filter(|n| **n == 0).count();
        faults.nonmanifold_vertices = fans_at.iter().filter(|n| **n > 1).count();
        faults
    }

    /// Whether the indices of a face are in range and distinct.
    fn is_polygon(&self, face: &[u32]) -> bool {
        let there = face.iter().all(|i| (*i as usize) < self.positions.len());
        there && face.iter().enumerate().all(|(k, i)| !face[..k].contains(i))
    }

    /// Whether the area of a face is zero or NaN.
    fn is_flat(&self, face: &[u32]) -> bool {
        let at = |k: usize| self.positions[face[k] as usize];
        let halves = (2..face.len()).map(|k| (at(k - 1) - at(0)).cross(at(k) - at(0)));
        let area_sq = halves.sum::<DVec3>().length_squared();
        area_sq.is_nan() || area_sq <= 0.0
    }
}

/// The sides of a face whose corners are counted from `first`.
fn half_edges_of(face: &[u32], first: usize) -> impl Iterator<Item = HalfEdge> + '_ {
    (0..face.len()).map(move |k| {
        let next = (k + 1) % face.len();
        let (from, to) = (face[k], face[next]);
        if from < to {
            HalfEdge { low: from, high: to, upward: true, at_low: first + k, at_high: first + next }
        } else {
            HalfEdge { low: to, high: from, upward: false, at_low: first + next, at_high: first + k }
        }
    })
}
