//! Meshes of a world's bodies, with what they carry.

use super::grid::{Marched, march};
use super::mesh::Mesh;
use super::pinned::Pinned;
use super::relax::relax;
use crate::contact::Deformed;
use crate::fields::{Field, Placed};
use crate::math::{DVec3, Frame};
use crate::world::World;
use rayon::prelude::*;

/// The visible surface of body `i` on a grid of `cell` metres. Empty for a body without bounds, which has no end to mesh.
/// Bodies that touch have the same vertices on the surface they share, to a root's accuracy.
pub fn mesh_of(world: &World, i: usize, cell: f64) -> Mesh {
    let deformed = world.deformed(i);
    let Marched { positions, gradients, triangles, .. } = march(&deformed, cell);
    let normals = normals(&gradients);
    dressed(world, (i, &deformed), Mesh { positions, normals, triangles, ..Mesh::default() })
}

/// As [`mesh_of`], of quads for the most part and of more even shape. Outside contact vertices lie anywhere on the surface
/// instead of on the grid's edges.
pub fn quads_of(world: &World, i: usize, cell: f64) -> Mesh {
    let deformed = world.deformed(i);
    let mut marched = march(&deformed, cell);
    let rest = deformed.field;
    relax(&mut marched, &deformed, |p| !deformed.colliders.is_empty() && rest.value(p) > rest.shape.iso());
    let Marched { positions, gradients, triangles, .. } = marched;
    let normals = normals(&gradients);
    dressed(world, (i, &deformed), Mesh { positions, normals, triangles, ..Mesh::default() }).quad_dominant()
}

/// The surface of body `i` at rest on a grid of `cell` metres, pinned to it: see [`mesh_pinned`].
pub fn pin(world: &World, i: usize, cell: f64) -> Pinned {
    let rest = Placed::new(&world.bodies()[i].layers[0].shape, Frame::IDENTITY);
    let Marched { positions, gradients, triangles, .. } = march(&rest, cell);
    Pinned::new(Mesh { normals: normals(&gradients), positions, triangles, ..Mesh::default() })
}

/// As [`pin`], with the faces of [`quads_of`].
pub fn pin_quads(world: &World, i: usize, cell: f64) -> Pinned {
    let rest = Placed::new(&world.bodies()[i].layers[0].shape, Frame::IDENTITY);
    let mut marched = march(&rest, cell);
    relax(&mut marched, &rest, |_| false);
    let Marched { positions, gradients, triangles, .. } = marched;
    let mesh = Mesh { normals: normals(&gradients), positions, triangles, ..Mesh::default() };
    Pinned::new(mesh.quad_dominant())
}

/// The visible surface of body `i` with the faces it had when it was [pinned](pin), which stay the same in every frame; and
/// how many vertices did not find it. The border of a contact runs through faces.
pub fn mesh_pinned(world: &World, i: usize, pinned: &mut Pinned) -> (Mesh, usize) {
    let deformed = world.deformed(i);
    let (mesh, lost) = pinned.follow(&deformed);
    (dressed(world, (i, &deformed), mesh), lost)
}

fn normals(gradients: &[DVec3]) -> Vec<DVec3> {
    gradients.iter().map(|g| -g.normalize_or_zero()).collect()
}

/// A mesh of a body, with pressure, velocity and element at each vertex.
fn dressed(world: &World, (i, deformed): (usize, &Deformed), mesh: Mesh) -> Mesh {
    let (body, rest) = (&world.bodies()[i], deformed.field);
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
    let element = match rest.shape.elements() {
        [_] => vec![0; mesh.positions.len()],
        _ => mesh.positions.par_iter().map(most).collect(),
    };
    Mesh {
        pressure: mesh.positions.par_iter().map(pressure).collect(),
        velocity: mesh.positions.iter().map(|p| body.base.velocity_at(*p)).collect(),
        element,
        ..mesh
    }
}
