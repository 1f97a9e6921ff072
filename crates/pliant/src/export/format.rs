//! File formats.

/// A format of mesh files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// glTF 2.0, binary.
    Glb,
    /// Wavefront OBJ.
    Obj,
    /// Stanford polygons, binary, little-endian.
    Ply,
    /// Stereolithography, binary.
    Stl,
}

impl MeshFormat {
    /// Every format.
    pub const ALL: [Self; 4] = [Self::Glb, Self::Obj, Self::Ply, Self::Stl];

    /// Extension of such files, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Glb => "glb",
            Self::Obj => "obj",
            Self::Ply => "ply",
            Self::Stl => "stl",
        }
    }

    /// Whether the format holds quads; in others they are cut into triangles.
    pub const fn has_quads(self) -> bool {
        matches!(self, Self::Obj | Self::Ply)
    }
}
