//! Reasons why a picture or a movie cannot be written or read, with remedies.

use crate::picture::MAX_SIDE;
use pliant_files::{AtomicFileError, place_remedy};
use std::io;
use std::path::{Path, PathBuf};

/// Failure to write or read a picture or a movie.
#[derive(Debug, thiserror::Error)]
pub enum MediaError {
    /// The system refused.
    #[error("cannot {doing} {}: {}", path.display(), remedy(doing, path, source))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// "read" or "write".
        doing: &'static str,
        /// Error of the system.
        source: io::Error,
    },
    /// The path names a folder, a device or a pipe.
    #[error("{} is not a regular file; give the name of a file", .0.display())]
    NotAFile(PathBuf),
    /// Another process is writing the file.
    #[error("{} is being written by another run; wait for it, or choose another name", .0.display())]
    Busy(PathBuf),
    /// The temporary name is taken by something that is not ours.
    #[error("{} is in the way and is not ours; move it, or choose another name", .0.display())]
    InTheWay(PathBuf),
    /// The extension names no movie format.
    #[error("{} does not say which kind of movie it is to be; end the name in .gif or .mp4", .0.display())]
    UnknownFormat(PathBuf),
    /// Width or height is zero.
    #[error("a picture of {0}x{1} has no pixels; give a width and a height of at least 1")]
    NoPixels(u32, u32),
    /// A side exceeds [`MAX_SIDE`](crate::MAX_SIDE).
    #[error("a picture of {0}x{1} is too large; give at most {MAX_SIDE} to a side")]
    TooLarge(u32, u32),
    /// Larger than the H.264 encoder accepts.
    #[error(
        "a movie of {0}x{1} is too large for MP4, which holds 3840x2160 or 2160x3840; lower its size, or write a .gif"
    )]
    TooLargeForMp4(u32, u32),
    /// Smaller than the H.264 encoder accepts.
    #[error("a movie of {0}x{1} is too small for MP4, which begins at 16x16; raise its size, or write a .gif")]
    TooSmallForMp4(u32, u32),
    /// The number of bytes is not three a pixel.
    #[error("a picture of {width}x{height} has {expected} bytes, three a pixel, but {found} were given")]
    WrongLength {
        /// Pixels across.
        width: u32,
        /// Pixels down.
        height: u32,
        /// Bytes that a picture of this size has.
        expected: usize,
        /// Bytes that were given.
        found: usize,
    },
    /// A frame rate outside of 0.1 to 1000.
    #[error("{0} frames a second cannot be shown; give a rate from 0.1 to 1000")]
    WrongRate(f64),
    /// The frame's size differs from the movie's.
    #[error(
        "frame {frame} is {}x{}, but the movie is {}x{}; render all frames at one size",
        found.0, found.1, expected.0, expected.1
    )]
    OtherSize {
        /// From 0.
        frame: usize,
        /// Width and height of the movie.
        expected: (u32, u32),
        /// Width and height of the frame.
        found: (u32, u32),
    },
    /// The movie has no frames.
    #[error("{} would have no frames, which no player opens; give it at least one", .0.display())]
    NoFrames(PathBuf),
    /// The file is no PNG, or a truncated or changed one.
    #[error("{} is not a whole PNG: {what}; make it again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Error of the decoder.
        what: String,
    },
    /// The encoder refused a frame.
    #[error("{} cannot be encoded: frame {frame}: {what}; try another size, or the other kind of movie (.gif or .mp4)", path.display())]
    Encoder {
        /// The movie.
        path: PathBuf,
        /// From 0.
        frame: usize,
        /// Error of the encoder.
        what: String,
    },
    /// The frame folder belongs to another request.
    #[error(
        "{} holds frames of a movie asked for differently; repeat that request to go on with it, or start over with --force",
        .0.display()
    )]
    OtherRequest(PathBuf),
    /// A frame of the movie is missing or damaged.
    #[error("{} has no whole frame {frame}; render it first, the others are kept", folder.display())]
    MissingFrame {
        /// The frame folder.
        folder: PathBuf,
        /// Its number.
        frame: usize,
    },
}

impl MediaError {
    pub(crate) fn io(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, doing, source }
    }

    /// A file that cannot be created at `path`.
    pub(crate) fn refused(path: &Path) -> impl FnOnce(AtomicFileError) -> Self {
        let path = path.to_owned();
        |why| match why {
            AtomicFileError::NotAFile => Self::NotAFile(path),
            AtomicFileError::Busy => Self::Busy(path),
            AtomicFileError::InTheWay(part) => Self::InTheWay(part),
            AtomicFileError::Io(source) => Self::Io { path, doing: "write", source },
        }
    }
}

/// The system's error, with a remedy for those that users can act on.
fn remedy(doing: &str, path: &Path, error: &io::Error) -> String {
    match (error.kind(), doing) {
        (io::ErrorKind::NotFound, "read") => "there is no such file; check the path".to_owned(),
        (io::ErrorKind::PermissionDenied, "read") => "no permission to read it; ask its owner".to_owned(),
        (io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded, _) => "no space is left; make room".to_owned(),
        _ => place_remedy(path, error).unwrap_or_else(|| error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that run as root cannot provoke this error.
    #[test]
    fn a_forbidden_place_is_told_with_what_to_do() {
        let said = |doing, kind: io::ErrorKind| MediaError::io(Path::new("a/b.mp4"), doing)(kind.into()).to_string();
        let denied = io::ErrorKind::PermissionDenied;
        assert_eq!(said("write", denied), "cannot write a/b.mp4: no permission to write in a; choose another place");
        assert_eq!(said("read", denied), "cannot read a/b.mp4: no permission to read it; ask its owner");
    }
}
