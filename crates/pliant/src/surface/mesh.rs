//! Polygons and what they carry.

use crate::math::{Aabb, DVec3};

/// Polygons of one body's visible surface at one moment. Faces are counted counter-clockwise seen from outside.
///
/// Everything given for each vertex is as long as `positions`, and faces name vertices that are there:
/// [`write`](crate::export::write) refuses others, [`Mesh::check`] counts them, the rest may panic.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertices, in the world, metres.
    pub positions: Vec<DVec3>,
    /// Of the field at each vertex: unit, outward. Not of the faces around it.
    pub normals: Vec<DVec3>,
    /// Three vertices each.
    pub triangles: Vec<[u32; 3]>,
    /// Four vertices each, not quite in a plane; empty unless quads were asked for.
    pub quads: Vec<[u32; 4]>,
    /// At each vertex, pascals; 0 outside contact.
    pub pressure: Vec<f64>,
    /// Of the material at each vertex, m/s.
    pub velocity: Vec<DVec3>,
    /// At each vertex: the skeleton that contributes most.
    pub element: Vec<u32>,
}

impl Mesh {
    /// Corners of every face: triangles first, then quads.
    pub fn faces(&self) -> impl Iterator<Item = &[u32]> {
        self.triangles.iter().map(|t| &t[..]).chain(self.quads.iter().map(|q| &q[..]))
    }

    /// All faces as triangles: quads are cut along the shorter diagonal, which folds a bent one least.
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

    /// Of all faces, square metres.
    pub fn area(&self) -> f64 {
        self.all_triangles().map(|t| self.area_vector(t).length()).sum()
    }

    /// Area times normal.
    pub(super) fn area_vector(&self, [a, b, c]: [u32; 3]) -> DVec3 {
        0.5 * (self.at(b) - self.at(a)).cross(self.at(c) - self.at(a))
    }

    /// What a closed surface encloses, cubic metres: `∮ x · n dA / 3`. Negative when it is inside out; of an open surface
    /// it depends on where that lies.
    pub fn volume(&self) -> f64 {
        // Any origin will do; one nearby loses fewer digits.
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
