//! Surfaces: polygon meshes and surface samples of bodies.
//!
//! *The idea*: one plain value, [`Mesh`], is the interface between code that makes polygons from fields and code that writes, shows
//! or measures them; [`Mesh::check`] counts its defects. [`mesh_of`] meshes the visible surface of a body by marching cubes on a grid
//! that all bodies share, [`quads_of`] as quads for artists; [`TrackedMesh`] keeps the same faces in every frame; [`Sampling`] casts
//! lines from the skeletons to the surface, for areas, volumes and fast previews.
//! *Not promised*: parts thinner than a cell of the grid; unbounded bodies, of which only a [`Square`] can be meshed.

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
pub use territory::{DEFAULT_FINENESS, Sampled, Sampling, SurfaceSample, Territory};
pub use tracked::TrackedMesh;
