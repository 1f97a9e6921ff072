//! Whether polygons are the border of a solid.

use super::Mesh;
use crate::math::{DVec3, UnionFind};

/// How often a mesh fails to be closed, manifold and consistently oriented; all zero for the border of a solid.
///
/// *Not promised*: faces that cut through each other, and a surface that is inside out as a whole, are not seen; for the
/// latter ask whether [`Mesh::volume`] is positive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeshFaults {
    /// Edges of one face only: the rim of a hole.
    pub open_edges: usize,
    /// Edges of three faces or more.
    pub nonmanifold_edges: usize,
    /// Edges of two faces that both run along it the same way, so that one has its inside out.
    pub misoriented_edges: usize,
    /// Faces without area; that name a vertex twice; or that name one that is not there. The last two are passed over
    /// by all other counts.
    pub degenerate: usize,
    /// Vertices of no face.
    pub isolated_vertices: usize,
    /// Vertices at which surfaces touch in nothing but this point: faces around them hang together by edges in more
    /// than one fan.
    pub nonmanifold_vertices: usize,
}

impl MeshFaults {
    /// Whether there are none.
    pub fn is_sound(&self) -> bool {
        *self == Self::default()
    }
}

/// One side of a face. Sorted, sides along the same edge come together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct HalfEdge {
    low: u32,
    high: u32,
    /// From low to high.
    upward: bool,
    /// The face's corners at either end.
    at_low: usize,
    at_high: usize,
}

impl Mesh {
    /// Counts what keeps this mesh from being the border of a solid. Takes any mesh.
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
        // Corners of faces that hang together by edges.
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

    /// Whether a face's corners are there, and no two are the same.
    fn is_polygon(&self, face: &[u32]) -> bool {
        let there = face.iter().all(|i| (*i as usize) < self.positions.len());
        there && face.iter().enumerate().all(|(k, i)| !face[..k].contains(i))
    }

    /// Whether a face has no area, or one that is not a number.
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
