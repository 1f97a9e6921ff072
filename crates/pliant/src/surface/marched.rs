//! The result of marching cubes, and its errors.

use crate::math::DVec3;

/// Triangles whose vertices lie on edges of the grid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MarchedMesh {
    /// Vertices, metres.
    pub positions: Vec<DVec3>,
    /// Gradients of the field at the vertices.
    pub gradients: Vec<DVec3>,
    /// Vertices of the triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Number of the grid edge of each vertex: 20 bits an axis for the coordinates of its lesser end, modulo 2²⁰, then its axis.
    /// Unique in a mesh, and the same for all surfaces on a grid of this cell.
    pub edges: Vec<u64>,
}

/// A grid on which a surface cannot be meshed.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// The size of cells is not a positive number.
    #[error("cells of {0} m make no grid; give a length above 0")]
    NoCell(f64),
    /// More vertices than memory holds.
    #[error("cells of {cell} m are too small: about {vertices:.0e} vertices; {least:.3e} m or more will do")]
    TooFine {
        /// Size of cells, metres.
        cell: f64,
        /// Estimated number of vertices.
        vertices: f64,
        /// Least size of cells that can be meshed, metres.
        least: f64,
    },
    /// Cells smaller than rounding at this distance from the origin.
    #[error(
        "cells of {cell} m are too small {distance:.3e} m from the origin, where they are below rounding; \
         {least:.3e} m or more will do, or move the body nearer"
    )]
    TooFar {
        /// Size of cells, metres.
        cell: f64,
        /// Distance from the origin, metres.
        distance: f64,
        /// Least size of cells that can be meshed, metres.
        least: f64,
    },
}
