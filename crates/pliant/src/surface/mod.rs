//! Surfaces: what bodies look like, as polygons.
//!
//! *The idea*: one plain value, [`Mesh`], stands between those who make polygons from fields and those who write, show
//! or measure them; [`Mesh::check`] says whether it is the border of a solid. [`mesh_of`] makes one of a body as it is
//! seen, on a grid that all bodies share, [`quads_of`] one of quads for artists; [`Sampling`] has skeletons send samples to
//! the surface, for areas, volumes and quick polygons; [`Pinned`] lets the polygons of a body at rest follow it.

mod block;
mod bodies;
mod border;
mod cubes;
mod faults;
mod grid;
mod join;
mod mesh;
mod pinned;
mod quads;
mod relax;
mod roots;
mod square;
mod territory;
#[cfg(test)]
mod tests;
mod visible;

pub use bodies::{mesh_of, mesh_pinned, pin, pin_quads, quads_of};
pub use faults::MeshFaults;
pub use grid::{Marched, Surface, march};
pub use mesh::Mesh;
pub use pinned::Pinned;
pub use square::{Square, pin_square};
pub use territory::{Sampled, Sampling, SurfaceSample, Territory, USUAL_FINENESS};
