//! Meshes whose every number is known.

use pliant::math::DVec3;
use pliant::surface::Mesh;
use std::f64::consts::TAU;

/// A mesh of quads; normals are those of `normal` at each vertex, everything else differs from vertex to vertex.
fn mesh(positions: Vec<DVec3>, quads: Vec<[u32; 4]>, normal: impl Fn(usize) -> DVec3) -> Mesh {
    let n = positions.len();
    Mesh {
        normals: (0..n).map(normal).collect(),
        triangles: Vec::new(),
        quads,
        pressure: (0..n).map(|i| 1000.0 + 0.1 * i as f64).collect(),
        velocity: positions.iter().map(|p| DVec3::new(0.3, -0.1, 0.2) + 0.7 * *p).collect(),
        element: (0..n as u32).map(|i| i % 5).collect(),
        positions,
    }
}

/// A cube of six quads.
pub fn cube(center: DVec3, edge: f64) -> Mesh {
    let corner = |i: usize| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64) - DVec3::splat(0.5);
    let quads = vec![[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    mesh((0..8).map(|i| center + edge * corner(i)).collect(), quads, |i| corner(i).normalize())
}

/// Around the z axis: radii of the ring and of the tube, and in how many steps each goes round.
#[derive(Clone, Copy)]
pub struct Torus {
    pub ring: f64,
    pub tube: f64,
    pub around: usize,
    pub across: usize,
}

impl Torus {
    pub fn mesh(&self, center: DVec3) -> Mesh {
        let Self { ring, tube, around, across } = *self;
        let angles = |i: usize| ((i / across) as f64 / around as f64 * TAU, (i % across) as f64 / across as f64 * TAU);
        let out = |(u, v): (f64, f64)| DVec3::new(v.cos() * u.cos(), v.cos() * u.sin(), v.sin());
        let middle = |(u, _): (f64, f64)| ring * DVec3::new(u.cos(), u.sin(), 0.0);
        let at = |i: usize, j: usize| ((i % around) * across + j % across) as u32;
        let quads = (0..around)
            .flat_map(|i| (0..across).map(move |j| [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]));
        let positions = (0..around * across).map(|i| center + middle(angles(i)) + tube * out(angles(i)));
        mesh(positions.collect(), quads.collect(), |i| out(angles(i)))
    }
}
