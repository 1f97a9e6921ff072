//! Errors of export.

use super::format::MeshFormat;
use pliant_files::place_remedy;
use std::io;
use std::path::{Path, PathBuf};

/// A failed export: the cause, the place and a remedy.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The system refused.
    #[error("cannot write {}: {}", path.display(), remedy(path, source))]
    Io {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The path is a folder, a device or a pipe.
    #[error("{} is not a regular file; give the name of a file", .0.display())]
    NotAFile(PathBuf),
    /// The extension is not that of a format.
    #[error("cannot tell from the name {} what to write; end it in {}", .0.display(), known())]
    UnknownFormat(PathBuf),
    /// Nothing to write.
    #[error("{}: there are no frames to write; give at least one", .0.display())]
    NoFrames(PathBuf),
    /// A frame without bodies.
    #[error("{}: frame {frame} has no bodies to write; choose frames and bodies that are there", path.display())]
    NoModels {
        /// The file.
        path: PathBuf,
        /// Number of the frame.
        frame: usize,
    },
    /// More frames than the file was begun for.
    #[error("{}: more frames than the {count} it was begun for; say at the beginning how many there will be", path.display())]
    TooManyFrames {
        /// The file.
        path: PathBuf,
        /// Number of frames announced.
        count: usize,
    },
    /// Frames or times do not grow.
    #[error("{}: frame {frame} at {time} s does not come after the one before it; give frames in order of time, each once", path.display())]
    OutOfOrder {
        /// The file.
        path: PathBuf,
        /// Number of the later frame.
        frame: usize,
        /// Its time, s.
        time: f64,
    },
    /// Two bodies of one name: their frames could not be told apart.
    #[error("{}: two bodies are called \"{name}\" in frame {frame}; give each its own name", path.display())]
    SameName {
        /// The file.
        path: PathBuf,
        /// Number of the frame.
        frame: usize,
        /// Name of both.
        name: String,
    },
    /// A body that cannot be written.
    #[error("{}: body \"{body}\" in frame {frame}: {fault}", path.display())]
    MeshModel {
        /// The file.
        path: PathBuf,
        /// Number of the frame.
        frame: usize,
        /// Name of the body.
        body: String,
        /// The defect of its mesh.
        fault: ModelFault,
    },
    /// More than indices of 32 bits can count.
    #[error("{}: frame {frame} has {count} {what}, more than the {} a file can count; mesh it coarser, or fewer bodies at a time", path.display(), u32::MAX - 1)]
    TooMany {
        /// The file.
        path: PathBuf,
        /// Number of the frame.
        frame: usize,
        /// "vertices" or "triangles".
        what: &'static str,
        /// Number of them.
        count: u64,
    },
    /// GLB counts its bytes in 32 bits.
    #[error("{} would be larger than the 4 GiB a .glb can be; write fewer frames or a coarser mesh, or .ply or .obj, which take a file for each frame", .0.display())]
    TooLarge(PathBuf),
}

/// A defect of a body's mesh.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelFault {
    /// No faces.
    #[error("it has no faces; leave it out, or mesh it finer")]
    NoFaces,
    /// A number of a vertex that is not finite, or too large.
    #[error(
        "{what} of vertex {vertex} is {value}; files hold finite numbers, up to 1e30; look where the motion or the mesh went wrong"
    )]
    NotFinite {
        /// "position", "normal", "pressure" or "velocity".
        what: &'static str,
        /// Index of the vertex.
        vertex: usize,
        /// The number.
        value: f64,
    },
    /// Numbers are missing for some vertices.
    #[error("it has {positions} positions but {count} of {what}; give one for each vertex")]
    Uneven {
        /// "normals", "pressure", "velocity" or "element".
        what: &'static str,
        /// Number of values given.
        count: usize,
        /// Number of values needed.
        positions: usize,
    },
    /// A face with the index of a vertex that does not exist.
    #[error("face {face} names vertex {index}, but there are {positions} (the first is 0); mend the mesh")]
    NoSuchVertex {
        /// Triangles first, then quads, from 0.
        face: usize,
        /// Index of the vertex.
        index: u32,
        /// Number of vertices.
        positions: usize,
    },
    /// A colour out of range.
    #[error("its colour {0:?} is not from 0 to 1; scale it")]
    Color([f32; 3]),
}

impl ExportError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }
}

fn known() -> String {
    let [most @ .., last] = MeshFormat::ALL.map(|f| format!(".{}", f.extension()));
    format!("{} or {last}", most.join(", "))
}

fn remedy(path: &Path, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "no space is left; make room, or mesh it coarser".to_owned()
        }
        io::ErrorKind::InvalidFilename => "the name is too long or not allowed here; choose another".to_owned(),
        _ => place_remedy(path, error).unwrap_or_else(|| error.to_string()),
    }
}
