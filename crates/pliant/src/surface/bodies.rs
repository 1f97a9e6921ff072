//! Meshes of a world's bodies, with what they carry.

use super::grid::{Marched, march};
use super::mesh::Mesh;
use crate::fields::Field;
use crate::math::DVec3;
use crate::world::World;

/// The visible surface of body `i` on a grid of `cell` metres. Empty for a body without bounds, which has no end to mesh.
/// Bodies that touch have the same vertices on the surface they share, to a root's accuracy.
pub fn mesh_of(world: &World, i: usize, cell: f64) -> Mesh {
    let (deformed, body) = (world.deformed(i), &world.bodies()[i]);
    let Marched { positions, gradients, triangles, .. } = march(&deformed, cell);
    let rest = deformed.field;
    // Compressed, the rest field exceeds its isovalue where the surface now is: by as much as the pressure says.
    let rigid = body.layers[0].rigid;
    let above = |p: &DVec3| (rest.value(*p) - rest.shape.iso()).max(0.0);
    let pressure =
        |p: &DVec3| if rigid || deformed.colliders.is_empty() { 0.0 } else { body.material.stiffness * above(p) };
    let most = |p: &DVec3| {
        let there = rest.to_body(*p);
        let values = rest.shape.elements().iter().map(|e| e.sample(there).value);
        values.enumerate().fold((0, f64::NEG_INFINITY), |best, (n, v)| if v > best.1 { (n, v) } else { best }).0 as u32
    };
    Mesh {
        normals: gradients.iter().map(|g| -g.normalize_or_zero()).collect(),
        pressure: positions.iter().map(pressure).collect(),
        velocity: positions.iter().map(|p| body.base.velocity_at(*p)).collect(),
        element: positions.iter().map(most).collect(),
        positions,
        triangles,
        quads: Vec::new(),
    }
}
