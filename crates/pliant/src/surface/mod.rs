//! Surfaces: what bodies look like, as polygons.
//!
//! *The idea*: one plain value, [`Mesh`], stands between those who make polygons from fields and those who write, show
//! or measure them; [`Mesh::check`] says whether it is the border of a solid.

mod faults;
mod mesh;

pub use faults::MeshFaults;
pub use mesh::Mesh;
