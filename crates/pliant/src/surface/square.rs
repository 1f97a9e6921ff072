//! A square part of an unbounded plane, for programs that need finite meshes.

use super::mesh::Mesh;
use super::pose::pose_of;
use super::tracked::TrackedMesh;
use crate::math::DVec3;
use crate::world::World;

/// Greatest number of quads along an edge: more would take a gigabyte.
const MAX_CELLS: u32 = 4096;

/// Position and size of a square.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Square {
    /// The centre is the point of the plane nearest to this one, metres.
    pub middle: DVec3,
    /// Length of an edge, metres.
    pub width: f64,
    /// Quads along an edge, from 1 to 4096. One is enough for a body that does not deform.
    pub cells: u32,
}

/// A tracked mesh of a square part of body `i`, for [`mesh_tracked`](super::mesh_tracked); none unless the body is a half-space. It is
/// an open surface of quads.
pub fn track_square(world: &World, i: usize, square: Square) -> Option<TrackedMesh> {
    let body = &world.bodies()[i];
    let plane = body.coat[0].shape.single_element()?.as_plane()?;
    let normal = plane.normal;
    let middle = pose_of(world, i).world_from_body.inverse().point(square.middle);
    let middle = middle - (middle - plane.point).dot(normal) * normal;
    let (u, v) = normal.any_orthonormal_pair();
    let cells = square.cells.clamp(1, MAX_CELLS);
    let side = cells + 1;
    let along = |k: u32| square.width * (f64::from(k) / f64::from(cells) - 0.5);
    let places = (0..side * side).map(|n| (n % side, n / side));
    let positions: Vec<DVec3> = places.clone().map(|(x, y)| middle + along(x) * u + along(y) * v).collect();
    let inner = places.filter(|(x, y)| x.max(y) < &cells);
    let quads = inner.map(|(x, y)| x + side * y).map(|n| [n, n + 1, n + 1 + side, n + side]).collect();
    Some(TrackedMesh::new(Mesh { normals: vec![normal; positions.len()], positions, quads, ..Mesh::default() }))
}
