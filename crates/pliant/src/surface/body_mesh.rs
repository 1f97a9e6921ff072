//! Meshes of a world's bodies, with pressure, velocity and element at each vertex.

use super::border::{VisibleField, cut_along_borders};
use super::march::march;
use super::marched::{MarchedMesh, MeshError};
use super::mesh::Mesh;
use super::pose::pose_of;
use super::relax::relax;
use super::tracked::TrackedMesh;
use crate::fields::{Field, Posed};
use crate::math::{DVec3, Frame};
use crate::visible::Deformed;
use crate::world::World;
use rayon::prelude::*;

/// Excess over the isovalue, as a fraction of it, above which a point is in contact. Less: errors of roots are taken
/// for contact.
const PRESSED: f64 = 1e-6;

/// The visible surface of body `i` on a grid of `cell` metres; empty for an unbounded body.
/// Two bodies in contact have the same vertices on the contact surface, bit for bit; edges follow its border, and the faces within
/// it are the same where bulges make it smooth: a crease, a third body or an aligned grid may leave some that differ.
pub fn mesh_of(world: &World, i: usize, cell: f64) -> Result<Mesh, MeshError> {
    let deformed = world.deformed(i);
    let (marched, _) = marched_with_borders(world, i, &deformed, cell)?;
    Ok(with_attributes(world, i, &deformed, polygons(marched)))
}

/// As [`mesh_of`], of quads for the most part, and of faces more even in shape: outside contact, vertices lie anywhere on
/// the surface instead of on the grid's edges.
pub fn quads_of(world: &World, i: usize, cell: f64) -> Result<Mesh, MeshError> {
    let deformed = world.deformed(i);
    let (mut marched, shared) = marched_with_borders(world, i, &deformed, cell)?;
    relax(&mut marched, &deformed, &shared);
    Ok(with_attributes(world, i, &deformed, polygons(marched)).quads_within(&shared))
}

/// The visible surface cut along the borders of contacts, and for each vertex whether it lies on a contact surface.
fn marched_with_borders(
    world: &World,
    i: usize,
    deformed: &Deformed,
    cell: f64,
) -> Result<(MarchedMesh, Vec<bool>), MeshError> {
    let mut marched = march(deformed, cell)?;
    let visible = VisibleField { sample: &|p| deformed.sample(p), iso: deformed.field.shape.iso() };
    let shared = cut_along_borders(&mut marched, &world.contact_interfaces(i), cell, &visible);
    Ok((marched, shared))
}

/// A tracked mesh of body `i`, made of its rest surface on a grid of `cell` metres: see [`mesh_tracked`]. Faces are of even shape,
/// so that programs that compute normals from them show no specks.
pub fn track(world: &World, i: usize, cell: f64) -> Result<TrackedMesh, MeshError> {
    Ok(TrackedMesh::new(at_rest(world, i, cell)?))
}

/// As [`track`], with faces like those of [`quads_of`].
pub fn track_quads(world: &World, i: usize, cell: f64) -> Result<TrackedMesh, MeshError> {
    Ok(TrackedMesh::new(at_rest(world, i, cell)?.quad_dominant()))
}

fn at_rest(world: &World, i: usize, cell: f64) -> Result<Mesh, MeshError> {
    let rest = Posed::rigid(&world.bodies()[i].coat[0].shape, Frame::IDENTITY);
    let mut marched = march(&rest, cell)?;
    relax(&mut marched, &rest, &[]);
    Ok(polygons(marched))
}

/// The visible surface of body `i` with the faces of its [tracked mesh](track), the same in every frame; and the number of vertices
/// that lost the surface. The border of a contact runs through faces.
pub fn mesh_tracked(world: &World, i: usize, tracked: &mut TrackedMesh) -> (Mesh, usize) {
    let deformed = world.deformed(i);
    let (mesh, lost) = tracked.follow(&deformed);
    (with_attributes(world, i, &deformed, mesh), lost)
}

fn polygons(MarchedMesh { positions, gradients, triangles, .. }: MarchedMesh) -> Mesh {
    let normals = gradients.iter().map(|g| -g.normalize_or_zero()).collect();
    Mesh { positions, normals, triangles, ..Mesh::default() }
}

/// Excess of the rest field over its isovalue at a point of the visible surface: pressure over K.
fn pressed(deformed: &Deformed, p: DVec3) -> f64 {
    let (rest, iso) = (deformed.field, deformed.field.shape.iso());
    if deformed.colliders.is_empty() {
        return 0.0;
    }
    Some(rest.value(p) - iso).filter(|above| *above > PRESSED * iso).unwrap_or(0.0)
}

/// Adds pressure, velocity and element of each vertex to a mesh of body `i`.
fn with_attributes(world: &World, i: usize, deformed: &Deformed, mesh: Mesh) -> Mesh {
    let (body, rest) = (&world.bodies()[i], deformed.field);
    let (layer, pose) = (&body.coat[0], pose_of(world, i));
    let pressure = |p: &DVec3| if layer.rigid { 0.0 } else { layer.material.stiffness * pressed(deformed, *p) };
    let most = |p: &DVec3| rest.dominant_element(*p) as u32;
    let element = match rest.shape.elements() {
        [_] => vec![0; mesh.positions.len()],
        _ => mesh.positions.par_iter().map(most).collect(),
    };
    Mesh {
        pressure: mesh.positions.par_iter().map(pressure).collect(),
        velocity: mesh.positions.iter().map(|p| pose.velocity_at(*p)).collect(),
        element,
        ..mesh
    }
}
