//! Why a file cannot be written.

use super::format::MeshFormat;
use pliant_files::place_remedy;
use std::io;
use std::path::{Path, PathBuf};

/// What went wrong with an export, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The system refused.
    #[error("cannot write {}: {}", path.display(), remedy(path, source))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A folder, a device or a pipe.
    #[error("{} is not a regular file; give the name of a file", .0.display())]
    NotAFile(PathBuf),
    /// The end of the name is no format's.
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
        /// Which frame.
        frame: usize,
    },
    /// More frames than the file was begun for.
    #[error("{}: more frames than the {count} it was begun for; say at the beginning how many there will be", path.display())]
    TooManyFrames {
        /// The file.
        path: PathBuf,
        /// Said at the beginning.
        count: usize,
    },
    /// Frames or times do not grow.
    #[error("{}: frame {frame} at {time} s does not come after the one before it; give frames in order of time, each once", path.display())]
    OutOfOrder {
        /// The file.
        path: PathBuf,
        /// The later one.
        frame: usize,
        /// Its time, s.
        time: f64,
    },
    /// Two bodies of one name: their frames could not be told apart.
    #[error("{}: two bodies are called \"{name}\" in frame {frame}; give each its own name", path.display())]
    SameName {
        /// The file.
        path: PathBuf,
        /// Which frame.
        frame: usize,
        /// Of both.
        name: String,
    },
    /// A body that cannot be written.
    #[error("{}: body \"{body}\" in frame {frame}: {fault}", path.display())]
    MeshModel {
        /// The file.
        path: PathBuf,
        /// Which frame.
        frame: usize,
        /// Which body.
        body: String,
        /// What is wrong with it.
        fault: ModelFault,
    },
    /// More than indices of 32 bits can count.
    #[error("{}: frame {frame} has {count} {what}, more than the {} a file can count; mesh it coarser, or fewer bodies at a time", path.display(), u32::MAX - 1)]
    TooMany {
        /// The file.
        path: PathBuf,
        /// Which frame.
        frame: usize,
        /// "vertices" or "triangles".
        what: &'static str,
        /// How many there are.
        count: u64,
    },
    /// GLB counts its bytes in 32 bits.
    #[error("{} would be larger than the 4 GiB a .glb can be; write fewer frames or a coarser mesh, or .ply or .obj, which take a file for each frame", .0.display())]
    TooLarge(PathBuf),
}

/// What is wrong with a body.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelFault {
    /// Nothing to see.
    #[error("it has no faces; leave it out, or mesh it finer")]
    NoFaces,
    /// A vertex that is nowhere.
    #[error(
        "{what} of vertex {vertex} is {value}; files hold finite numbers, up to 1e30; look where the motion or the mesh went wrong"
    )]
    NotFinite {
        /// "position", "normal", "pressure" or "velocity".
        what: &'static str,
        /// From 0.
        vertex: usize,
        /// The number.
        value: f64,
    },
    /// Numbers are missing for some vertices.
    #[error("it has {positions} positions but {count} of {what}; give one for each vertex")]
    Uneven {
        /// "normals", "pressure", "velocity" or "element".
        what: &'static str,
        /// Given.
        count: usize,
        /// Needed.
        positions: usize,
    },
    /// A face of a vertex that is not there.
    #[error("face {face} names vertex {index}, but there are {positions} (the first is 0); mend the mesh")]
    NoSuchVertex {
        /// Triangles first, then quads, from 0.
        face: usize,
        /// Named.
        index: u32,
        /// How many there are.
        positions: usize,
    },
    /// A colour that no file holds.
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
