//! Movies: pictures of one size at a steady rate.

mod gif;
mod mp4;
mod palette;
mod yuv;

use crate::error::MediaError;
use crate::picture::{Picture, check_size};
use gif::GifWriter;
use mp4::Mp4Writer;
use std::path::{Path, PathBuf};

/// File formats of movies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MovieFormat {
    /// Animated GIF: plays everywhere, also inside documents; large, 255 colours a frame, at most 50 frames a second.
    Gif,
    /// H.264 in MP4: small, with accurate colours.
    Mp4,
}

impl MovieFormat {
    /// The format that the extension of `path` names.
    pub fn of(path: impl AsRef<Path>) -> Result<Self, MediaError> {
        let path = path.as_ref();
        let end = path.extension().map(|end| end.to_ascii_lowercase());
        match end.as_ref().and_then(|end| end.to_str()) {
            Some("gif") => Ok(Self::Gif),
            Some("mp4") => Ok(Self::Mp4),
            _ => Err(MediaError::UnknownFormat(path.to_owned())),
        }
    }

    /// Refuses widths and heights that the format cannot hold.
    pub fn check_size(self, (width, height): (u32, u32)) -> Result<(), MediaError> {
        check_size((width, height))?;
        let (longer, shorter) = (width.max(height), width.min(height));
        match self {
            Self::Mp4 if longer > 3840 || shorter > 2160 => Err(MediaError::TooLargeForMp4(width, height)),
            // Odd sizes are padded: 15 becomes 16.
            Self::Mp4 if shorter < 15 => Err(MediaError::TooSmallForMp4(width, height)),
            _ => Ok(()),
        }
    }
}

/// A movie being written. The file appears at its path on [`finish`](Movie::finish); dropped before, it leaves nothing.
#[derive(Debug)]
pub struct Movie {
    size: (u32, u32),
    writer: Writer,
}

#[derive(Debug)]
enum Writer {
    Gif(Box<GifWriter>),
    Mp4(Box<Mp4Writer>),
}

/// Path, size and rate of a movie.
#[derive(Clone, Debug)]
struct MoviePlan {
    path: PathBuf,
    size: (u32, u32),
    frames_per_second: f64,
}

impl MoviePlan {
    /// Time of `frame` in units of `1/per_second` s, rounded from the exact time, so that errors do not accumulate.
    fn time(&self, frame: usize, per_second: f64) -> u64 {
        (frame as f64 * per_second / self.frames_per_second).round() as u64
    }
}

impl Movie {
    /// Begins a movie of width and height `size` that will replace any file at `path`; the extension names the
    /// [`MovieFormat`].
    ///
    /// H.264 needs even sizes: the last column and row of odd ones are repeated.
    pub fn create(path: impl AsRef<Path>, size: (u32, u32), frames_per_second: f64) -> Result<Self, MediaError> {
        let path = path.as_ref();
        let format = MovieFormat::of(path)?;
        format.check_size(size)?;
        if !(0.1..=1000.0).contains(&frames_per_second) {
            return Err(MediaError::WrongRate(frames_per_second));
        }
        let plan = MoviePlan { path: path.to_owned(), size, frames_per_second };
        let writer = match format {
            MovieFormat::Gif => Writer::Gif(Box::new(GifWriter::create(plan)?)),
            MovieFormat::Mp4 => Writer::Mp4(Box::new(Mp4Writer::create(plan)?)),
        };
        Ok(Self { size, writer })
    }

    /// Adds the next frame.
    pub fn push(&mut self, picture: &Picture) -> Result<(), MediaError> {
        if picture.size() != self.size {
            return Err(MediaError::OtherSize { frame: self.frames(), expected: self.size, found: picture.size() });
        }
        match &mut self.writer {
            Writer::Gif(writer) => writer.push(picture),
            Writer::Mp4(writer) => writer.push(picture),
        }
    }

    /// Number of frames added.
    pub fn frames(&self) -> usize {
        match &self.writer {
            Writer::Gif(writer) => writer.frames(),
            Writer::Mp4(writer) => writer.frames(),
        }
    }

    /// Completes the file; returns its length in bytes.
    pub fn finish(self) -> Result<u64, MediaError> {
        match self.writer {
            Writer::Gif(writer) => writer.finish(),
            Writer::Mp4(writer) => writer.finish(),
        }
    }
}
