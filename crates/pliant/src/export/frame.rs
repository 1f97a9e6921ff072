//! The data to export: meshes of all bodies at one time.

use crate::surface::Mesh;

/// The mesh of a body, with its name and colour.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshModel {
    /// Name of the body: unique, and the same in every frame.
    pub name: String,
    /// Linear red, green and blue, 0 to 1. The colour in a body's first frame is used for all.
    pub color: [f32; 3],
    /// Its visible surface.
    pub mesh: Mesh,
}

/// All bodies at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshFrame {
    /// Number of the frame; files of a sequence are named by it.
    pub frame: usize,
    /// Time, s. Animations begin at 0, whatever the time of their first frame.
    pub time: f64,
    /// A model for each body; at least one.
    pub models: Vec<MeshModel>,
}

impl MeshFrame {
    /// One line for the head of a file: program, frame, time and units.
    pub(super) fn signature(&self) -> String {
        format!("Pliant {}: frame {}, {} s; metres, z up", env!("CARGO_PKG_VERSION"), self.frame, self.time)
    }
}
