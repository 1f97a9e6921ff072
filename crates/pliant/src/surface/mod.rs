//! Surfaces: bodies as polygons.
//!
//! *The idea*: one plain value, [`Mesh`], stands between those who make polygons from fields and those who write, show or measure
//! them; [`Mesh::check`] says whether it is the border of a solid. [`mesh_of`] meshes a body as it is seen, on a grid that all bodies
//! share, [`quads_of`] with quads for artists; [`TrackedMesh`] keeps the faces of a body at rest in every frame; [`Sampling`] has
//! skeletons send samples to the surface, for areas, volumes and quick polygons.
//! *Not promised*: parts thinner than a cell of the grid; unbounded bodies, of which only a [`Square`] can be had.

mod block;
mod body_mesh;
mod body_surface;
mod border;
mod cubes;
mod faults;
mod implicit;
mod join;
mod march;
mod marched;
mod mesh;
mod pose;
mod quads;
mod relax;
mod roots;
mod square;
mod territory;
#[cfg(test)]
mod tests;
mod tracked;

pub use body_mesh::{mesh_of, mesh_tracked, quads_of, track, track_quads};
pub use faults::MeshFaults;
pub use implicit::ImplicitSurface;
pub use march::march;
pub use marched::{MarchedMesh, MeshError};
pub use mesh::Mesh;
pub(crate) use pose::pose_of;
pub use square::{Square, track_square};
pub use territory::{Sampled, Sampling, SurfaceSample, Territory, USUAL_FINENESS};
pub use tracked::TrackedMesh;
