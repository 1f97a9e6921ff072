//! Meshes of a world's bodies, with what they carry.

use super::border::follow;
use super::grid::{Marched, march};
use super::mesh::Mesh;
use super::pinned::Pinned;
use super::relax::relax;
use crate::contact::Deformed;
use crate::fields::{Field, Posed};
use crate::math::{DVec3, Frame};
use crate::world::World;
use rayon::prelude::*;

/// How far above its isovalue, as a part of it, a rest field counts as pressed. Less: roots' errors look like contact.
const PRESSED: f64 = 1e-6;

/// The visible surface of body `i` on a grid of `cell` metres. Empty for a body without bounds, which has no end to mesh.
/// Where two bodies touch both have the same vertices, bit for bit; edges follow the border of that surface, and both have the
/// same faces within it, where bulges make it smooth: a crease, a third body or an aligned grid may leave some that differ.
pub fn mesh_of(world: &World, i: usize, cell: f64) -> Mesh {
    let deformed = world.deformed(i);
    dressed(world, (i, &deformed), polygons(followed(world, (i, &deformed), cell).0))
}

/// As [`mesh_of`], of quads for the most part, and of faces more even in shape: outside contact, vertices lie anywhere on
/// the surface instead of on the grid's edges.
pub fn quads_of(world: &World, i: usize, cell: f64) -> Mesh {
    let deformed = world.deformed(i);
    let (mut marched, shared) = followed(world, (i, &deformed), cell);
    relax(&mut marched, &deformed, &shared);
    dressed(world, (i, &deformed), polygons(marched)).quads_within(&shared)
}

/// The visible surface, cut along the borders of contacts, and which vertices lie on surfaces shared with others.
fn followed(world: &World, (i, deformed): (usize, &Deformed), cell: f64) -> (Marched, Vec<bool>) {
    let mut marched = march(deformed, cell);
    let shared = follow(&mut marched, &world.shared(i), cell, (&|p| deformed.sample(p), deformed.field.shape.iso()));
    (marched, shared)
}

/// The surface of body `i` at rest on a grid of `cell` metres, pinned to it: see [`mesh_pinned`]. Faces are of even shape,
/// lest programs that make normals of them show slivers as specks.
pub fn pin(world: &World, i: usize, cell: f64) -> Pinned {
    Pinned::new(at_rest(world, i, cell))
}

/// As [`pin`], with faces like those of [`quads_of`].
pub fn pin_quads(world: &World, i: usize, cell: f64) -> Pinned {
    Pinned::new(at_rest(world, i, cell).quad_dominant())
}

fn at_rest(world: &World, i: usize, cell: f64) -> Mesh {
    let rest = Posed::rigid(&world.bodies()[i].layers[0].shape, Frame::IDENTITY);
    let mut marched = march(&rest, cell);
    relax(&mut marched, &rest, &[]);
    polygons(marched)
}

/// The visible surface of body `i` with the faces it had when it was [pinned](pin), which stay the same in every frame; and
/// how many vertices did not find it. The border of a contact runs through faces.
pub fn mesh_pinned(world: &World, i: usize, pinned: &mut Pinned) -> (Mesh, usize) {
    let deformed = world.deformed(i);
    let (mesh, lost) = pinned.follow(&deformed);
    (dressed(world, (i, &deformed), mesh), lost)
}

fn polygons(Marched { positions, gradients, triangles, .. }: Marched) -> Mesh {
    let normals = gradients.iter().map(|g| -g.normalize_or_zero()).collect();
    Mesh { positions, normals, triangles, ..Mesh::default() }
}

/// How far the rest field exceeds its isovalue at a point of the visible surface: compressed, as much as the pressure says.
fn pressed(deformed: &Deformed, p: DVec3) -> f64 {
    let (rest, iso) = (deformed.field, deformed.field.shape.iso());
    if deformed.colliders.is_empty() {
        return 0.0;
    }
    Some(rest.value(p) - iso).filter(|above| *above > PRESSED * iso).unwrap_or(0.0)
}

/// A mesh of a body, with pressure, velocity and element at each vertex.
fn dressed(world: &World, (i, deformed): (usize, &Deformed), mesh: Mesh) -> Mesh {
    let (body, rest) = (&world.bodies()[i], deformed.field);
    let rigid = body.layers[0].rigid;
    let pressure = |p: &DVec3| if rigid { 0.0 } else { body.material.stiffness * pressed(deformed, *p) };
    let most = |p: &DVec3| rest.dominant_element(*p) as u32;
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
