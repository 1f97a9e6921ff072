//! What is written: the meshes of all bodies, frame by frame.

use crate::surface::Mesh;

/// A body as other programs will see it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshModel {
    /// Of the body; the same in every frame, and no other body's.
    pub name: String,
    /// Linear red, green and blue, 0 to 1. That of a body's first frame counts for all.
    pub color: [f32; 3],
    /// Its visible surface.
    pub mesh: Mesh,
}

/// All bodies at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshFrame {
    /// Number of the frame, which numbers files.
    pub frame: usize,
    /// Seconds. Animations begin at 0, whenever their first frame is.
    pub time: f64,
    /// At least one.
    pub models: Vec<MeshModel>,
}
