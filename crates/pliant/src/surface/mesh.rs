//! Polygon meshes with attributes of vertices.

use crate::math::{Aabb, DVec3};

/// Polygons of one body's visible surface at one time. Faces are counter-clockwise seen from outside.
///
/// Attributes of vertices are as long as `positions`, and indices of faces are less than that length: [`write`](crate::export::write)
/// refuses other meshes, [`Mesh::check`] counts invalid faces, other functions may panic.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertices, in the world, metres.
    pub positions: Vec<DVec3>,
    /// Unit outward normal of the field at each vertex; not the mean of the faces around it.
    pub normals: Vec<DVec3>,
    /// Vertices of the triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Vertices of the quads, which are not quite planar; empty unless the mesh was made with quads.
    pub quads: Vec<[u32; 4]>,
    /// Pressure at each vertex, Pa; 0 outside contact.
    pub pressure: Vec<f64>,
    /// Velocity of the material at each vertex, m/s.
    pub velocity: Vec<DVec3>,
    /// Dominant element at each vertex: the one with the greatest field value.
    pub element: Vec<u32>,
}

impl Mesh {
    /// Corners of every face: triangles first, then quads.
    pub fn faces(&self) -> impl Iterator<Item = &[u32]> {
        self.triangles.iter().map(|t| &t[..]).chain(self.quads.iter().map(|q| &q[..]))
    }

    /// All faces as triangles. Quads are cut along the shorter diagonal, which bends least.
    pub fn all_triangles(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        self.triangles.iter().copied().chain(self.quads.iter().flat_map(|q| self.halves(*q)))
    }

    fn halves(&self, [a, b, c, d]: [u32; 4]) -> [[u32; 3]; 2] {
        let length_sq = |i: u32, j: u32| self.at(i).distance_squared(self.at(j));
        if length_sq(a, c) <= length_sq(b, d) { [[a, b, c], [a, c, d]] } else { [[b, c, d], [b, d, a]] }
    }

    fn at(&self, i: u32) -> DVec3 {
        self.positions[i as usize]
    }

    /// The same surface without quads.
    pub fn triangulated(&self) -> Self {
        Self { triangles: self.all_triangles().collect(), quads: Vec::new(), ..self.clone() }
    }

    /// Area of all faces, m².
    pub fn area(&self) -> f64 {
        self.all_triangles().map(|t| self.area_vector(t).length()).sum()
    }

    /// Area times normal.
    pub(super) fn area_vector(&self, [a, b, c]: [u32; 3]) -> DVec3 {
        0.5 * (self.at(b) - self.at(a)).cross(self.at(c) - self.at(a))
    }

    /// Enclosed volume, m³: `∮ x · n dA / 3`. Negative if the mesh is inside out; without meaning if it is open.
    pub fn volume(&self) -> f64 {
        // Any origin is right; one nearby loses fewer digits.
        let origin = self.positions.first().copied().unwrap_or_default();
        let third = |t: [u32; 3]| (self.at(t[0]) - origin).dot(self.area_vector(t)) / 3.0;
        self.all_triangles().map(third).sum()
    }

    /// The smallest box around all vertices; empty when there are none.
    pub fn bounds(&self) -> Aabb {
        Aabb::of_points(self.positions.iter().copied())
    }

    /// Adds another surface to this one; they share no vertices.
    ///
    /// # Panics
    /// When both together have more than `u32::MAX` vertices, which would take 360 GB.
    pub fn append(&mut self, other: &Self) {
        let total = self.positions.len() + other.positions.len();
        assert!(u32::try_from(total).is_ok(), "{total} vertices in one mesh");
        let first = self.positions.len() as u32;
        self.positions.extend(&other.positions);
        self.normals.extend(&other.normals);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|i| i + first)));
        self.quads.extend(other.quads.iter().map(|q| q.map(|i| i + first)));
        self.pressure.extend(&other.pressure);
        self.velocity.extend(&other.velocity);
        self.element.extend(&other.element);
    }
}
