//! Errors of writing and reading caches.

use super::frame_time;
use crate::bodies::BodyError;
use crate::scene::SceneError;
use crate::state::StateError;
use pliant_files::place_remedy;
use std::io;
use std::path::{Path, PathBuf};

/// An error with a cache: its place, and a remedy.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The system refused.
    #[error("cannot {doing} {}: {}", path.display(), remedy(doing, path, source))]
    Io {
        /// The file.
        path: PathBuf,
        /// "read" or "write".
        doing: &'static str,
        /// Error of the system.
        source: io::Error,
    },
    /// A folder, a device or a pipe.
    #[error("{} is not a regular file; give the name of a file", .0.display())]
    NotAFile(PathBuf),
    /// Another process holds it.
    #[error("{} is being written by another run; wait for it, or choose another name", .0.display())]
    Busy(PathBuf),
    /// Another file has the name under which the new cache is written first.
    #[error("{} is in the way and is not a cache; move it, or choose another name for the cache", .0.display())]
    InTheWay(PathBuf),
    /// The magic bytes are missing.
    #[error("{} is not a cache: it does not begin like one; caches are made with: pliant run SCENE -o CACHE", .0.display())]
    NotACache(PathBuf),
    /// A format this engine does not know.
    #[error("{} has cache format {found}; this is Pliant {}, which reads format {known}; {}", path.display(), env!("CARGO_PKG_VERSION"), if found > known { "use a newer Pliant" } else { "run the scene again with --force" })]
    OtherFormat {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// Its frames came from another engine, whose next frames would not be ours.
    #[error("{} was made by Pliant {found}; only that version can resume it; start over with --force", path.display())]
    OtherEngine {
        /// The file.
        path: PathBuf,
        /// The version that made it.
        found: String,
    },
    /// The scene to go on with is not the one it began with.
    #[error("{} records another scene: line {line} differs; resume with the scene it began with, or start over with --force", path.display())]
    OtherScene {
        /// The file.
        path: PathBuf,
        /// The first line that differs, from 1.
        line: usize,
    },
    /// The header is cut off or changed.
    #[error("{} is damaged in its header: {what}; run the scene again with --force", path.display())]
    DamagedHeader {
        /// The file.
        path: PathBuf,
        /// Kind of damage.
        what: String,
    },
    /// A frame was changed after it was written.
    #[error("{} is damaged: frame {frame}, at byte {byte}: {what}; --resume keeps the {frame} frames before it and computes the rest again", path.display())]
    DamagedFrame {
        /// The file.
        path: PathBuf,
        /// Number of the frame; all before it are whole.
        frame: usize,
        /// First byte of the frame.
        byte: u64,
        /// Kind of damage.
        what: String,
    },
    /// Asked for a frame that is not there.
    #[error("{} has {count} whole frames; there is no frame {frame} (the first is 0)", path.display())]
    NoFrame {
        /// The file.
        path: PathBuf,
        /// Asked for.
        frame: usize,
        /// Number of whole frames.
        count: usize,
    },
    /// The world is not at the time of the next frame.
    #[error("the world is at {time} s, but frame {frame} is at {} s; advance it there first", frame_time(*.frame, *.frame_rate))]
    WrongTime {
        /// The world's time, s.
        time: f64,
        /// The frame to be written.
        frame: usize,
        /// Frames a second.
        frame_rate: f64,
    },
    /// Forces or speeds have grown beyond numbers.
    #[error(
        "the motion ran away before frame {0}: a velocity or position is no longer finite or in range; finished frames are kept; lower motion.step_safety, or soften the stiffest material"
    )]
    RanAway(usize),
    /// The world has other bodies or joints than those recorded so far.
    #[error("{}: the world has other bodies or joints than the scene this cache was begun with; record it in a cache of its own", .0.display())]
    OtherWorld(PathBuf),
    /// A cache needs at least one frame, and a rate.
    #[error("a cache needs at least one frame, and a frame rate above 0")]
    NoFrames,
    /// A cache of a world made in code, from which no world can be made.
    #[error("{} records a world that was made in code and holds no scene; show it with a world made by the same code", .0.display())]
    NoScene(PathBuf),
    /// Every frame the scene asks for is written.
    #[error("all {0} frames are written already")]
    Complete(usize),
    /// The recorded scene is refused.
    #[error("{}: the recorded scene is refused: {error}", path.display())]
    Scene {
        /// The cache.
        path: PathBuf,
        /// Why.
        error: Box<SceneError>,
    },
    /// The recorded scene makes no world.
    #[error("{}: the recorded scene is refused: {error}", path.display())]
    Body {
        /// The cache.
        path: PathBuf,
        /// Why.
        error: BodyError,
    },
    /// The frame is no state of the scene.
    #[error("{}: frame {frame} does not fit the recorded scene: {error}; run the scene again with --force", path.display())]
    State {
        /// The cache.
        path: PathBuf,
        /// Number of the frame.
        frame: usize,
        /// Why.
        error: StateError,
    },
}

impl RecordError {
    pub(super) fn io(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, doing, source }
    }
}

/// Message of the system, or a remedy where users have one.
fn remedy(doing: &str, path: &Path, error: &io::Error) -> String {
    match (error.kind(), doing) {
        (io::ErrorKind::NotFound, "read") => "there is no such file; check the path".to_owned(),
        (io::ErrorKind::PermissionDenied, "read") => "no permission to read it; ask its owner".to_owned(),
        (io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded, _) => {
            "no space is left; make room and resume, finished frames are kept".to_owned()
        }
        (io::ErrorKind::FileTooLarge, _) => "the file may not grow further; finished frames are kept".to_owned(),
        _ => place_remedy(path, error).unwrap_or_else(|| error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_of_the_system_are_told_once_and_for_what_was_tried() {
        let said = |doing, kind: io::ErrorKind| RecordError::io(Path::new("a/b"), doing)(kind.into()).to_string();
        let denied = io::ErrorKind::PermissionDenied;
        assert_eq!(said("read", denied), "cannot read a/b: no permission to read it; ask its owner");
        assert_eq!(said("write", denied), "cannot write a/b: no permission to write in a; choose another place");
        assert_eq!(said("write", io::ErrorKind::NotFound), "cannot write a/b: there is no folder a; make it first");
    }
}
