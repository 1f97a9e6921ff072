//! Export: meshes of bodies as files for other programs.
//!
//! *The idea*: a [`MeshFrame`] holds a [`MeshModel`] of each body; the end of the file's name says the format. [`write()`]
//! takes all frames at once, [`MeshWriter`] one after another, so that a long animation never lies in memory.
//!
//! | | bodies | several frames | carries besides positions | numbers |
//! |---|---|---|---|---|
//! | `.glb` | a node and a mesh each | one file, animated | normals, colours, `_PRESSURE`, `_VELOCITY_X` `_Y` `_Z`, `_ELEMENT` | `f32` |
//! | `.ply` | property `body`, names in comments | a file each | normals, pressure, velocity, element, quads | `f64` |
//! | `.obj` | an object each | a file each, one `.mtl` | normals, colours, quads | decimal, all digits |
//! | `.stl` | one soup of triangles, names are lost | a file each | nothing | `f32` |
//!
//! Files of a sequence are numbered by frame: `out.0012.obj`. Lengths are metres and z is up; glTF wants y up, so its
//! root node is turned, and readers that follow the format show the same world. Others ask which way is up: Blender's
//! importers of OBJ, PLY and STL have a setting for it.
//!
//! *What is promised*: the same frames give the same bytes. Files are written beside and renamed: whatever fails, no
//! file is left half-written, and finished frames of a sequence are kept. *Not promised*: that a killed process takes
//! the file with it that it was writing (its name ends in `.part`).

mod check;
mod error;
mod format;
mod frame;
mod glb;
mod obj;
mod output;
mod ply;
mod stl;
mod writer;

pub use error::{ExportError, ModelFault};
pub use format::MeshFormat;
pub use frame::{MeshFrame, MeshModel};
pub use writer::{MeshWriter, write};
