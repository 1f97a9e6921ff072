//! Surfaces: what bodies look like, as polygons.
//!
//! *The idea*: one plain value, [`Mesh`], stands between those who make polygons from fields and those who write, show
//! or measure them; [`Mesh::check`] says whether it is the border of a solid. [`mesh_of`] makes one of a body as it is
//! seen, on a grid that all bodies share.

mod block;
mod bodies;
mod cubes;
mod faults;
mod grid;
mod join;
mod mesh;
mod roots;
#[cfg(test)]
mod tests;
mod visible;

pub use bodies::mesh_of;
pub use faults::MeshFaults;
pub use grid::{Marched, Surface, march};
pub use mesh::Mesh;
