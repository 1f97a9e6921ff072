//! Movies: pictures of one size at a steady rate.

mod boxes;
mod gif;
mod mp4;
mod palette;
mod yuv;

use crate::error::MediaError;
use crate::picture::{Picture, check_size};
use gif::GifWriter;
use mp4::Mp4Writer;
use std::path::{Path, PathBuf};

/// The kinds of movie that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Plays everywhere, also inside documents; large, 255 colours at a time, at most 50 frames a second.
    Gif,
    /// H.264 in MP4: small and true in colour.
    Mp4,
}

impl Format {
    /// What the end of a name asks for.
    pub fn of(path: impl AsRef<Path>) -> Result<Self, MediaError> {
        let path = path.as_ref();
        let end = path.extension().map(|end| end.to_ascii_lowercase());
        match end.as_ref().and_then(|end| end.to_str()) {
            Some("gif") => Ok(Self::Gif),
            Some("mp4") => Ok(Self::Mp4),
            _ => Err(MediaError::UnknownFormat(path.to_owned())),
        }
    }

    /// Whether it holds pictures of this width and height.
    pub fn check_size(self, (width, height): (u32, u32)) -> Result<(), MediaError> {
        check_size((width, height))?;
        let (longer, shorter) = (width.max(height), width.min(height));
        match self {
            Self::Mp4 if longer > 3840 || shorter > 2160 => Err(MediaError::TooLargeForMp4(width, height)),
            // Fifteen become sixteen.
            Self::Mp4 if shorter < 15 => Err(MediaError::TooSmallForMp4(width, height)),
            _ => Ok(()),
        }
    }
}

/// A movie being written. It is at its path after [`finish`](Movie::finish); dropped before, it leaves nothing.
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

/// Where a movie goes, and how fast it plays.
#[derive(Clone, Debug)]
struct Plan {
    path: PathBuf,
    size: (u32, u32),
    frames_per_second: f64,
}

impl Plan {
    /// When `frame` is shown, in units of which there are `per_second`: the nearest one to its own time, so that
    /// rounding never adds up.
    fn time(&self, frame: usize, per_second: f64) -> u64 {
        (frame as f64 * per_second / self.frames_per_second).round() as u64
    }
}

impl Movie {
    /// Begins a movie of width and height `size`, in place of any file at `path`, whose end names the [`Format`].
    ///
    /// H.264 knows only even sizes: the last column and row of an odd one are shown twice.
    pub fn create(path: impl AsRef<Path>, size: (u32, u32), frames_per_second: f64) -> Result<Self, MediaError> {
        let path = path.as_ref();
        let format = Format::of(path)?;
        format.check_size(size)?;
        if !(0.1..=1000.0).contains(&frames_per_second) {
            return Err(MediaError::WrongRate(frames_per_second));
        }
        let plan = Plan { path: path.to_owned(), size, frames_per_second };
        let writer = match format {
            Format::Gif => Writer::Gif(Box::new(GifWriter::create(plan)?)),
            Format::Mp4 => Writer::Mp4(Box::new(Mp4Writer::create(plan)?)),
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

    /// How many frames were added.
    pub fn frames(&self) -> usize {
        match &self.writer {
            Writer::Gif(writer) => writer.frames(),
            Writer::Mp4(writer) => writer.frames(),
        }
    }

    /// Puts the movie in its place; how many bytes it has.
    pub fn finish(self) -> Result<u64, MediaError> {
        match self.writer {
            Writer::Gif(writer) => writer.finish(),
            Writer::Mp4(writer) => writer.finish(),
        }
    }
}
