//! The file of a figure, which appears complete or not at all.

use super::drawing::Drawing;
use super::{pixels, svg};
use crate::failure::Failure;
use crate::places::{are_same_file, cannot_write};
use pliant_files::{AtomicFile, AtomicFileError};
use std::io::Write;
use std::path::Path;

/// File format, by extension.
#[derive(Clone, Copy)]
enum FigureFormat {
    Svg,
    Png,
}

/// A path to which a figure can be written.
pub struct FigureFile<'a> {
    path: &'a Path,
    format: FigureFormat,
}

impl<'a> FigureFile<'a> {
    /// Refuses paths that cannot be written before any work is done: an extension that names no format, a path that is no
    /// regular file or is in no folder, the cache itself.
    pub fn new(path: &'a Path, cache: &Path) -> Result<Self, Failure> {
        let has = |ending: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending));
        let format = match () {
            () if has("svg") => FigureFormat::Svg,
            () if has("png") => FigureFormat::Png,
            () => return Err(Failure::Request(format!("{}: end the name in .svg or .png", path.display()))),
        };
        if are_same_file(path, cache) {
            let message = format!("{} is the cache itself; choose another name for the figure", path.display());
            return Err(Failure::Request(message));
        }
        begin(path).map(|_| Self { path, format })
    }

    /// The path as it was given.
    pub fn path(&self) -> &Path {
        self.path
    }

    /// Writes the figure, replacing any file at the path.
    pub fn write(&self, drawing: &Drawing) -> Result<(), Failure> {
        match self.format {
            FigureFormat::Png => Ok(pliant_media::write_png(self.path, &pixels::paint(drawing)?)?),
            FigureFormat::Svg => {
                let mut part = begin(self.path)?;
                let kept = part.write_all(svg::text(drawing).as_bytes()).and_then(|()| part.commit());
                kept.map(|_| ()).map_err(|error| cannot_write(self.path, &error))
            }
        }
    }
}

fn begin(path: &Path) -> Result<AtomicFile, Failure> {
    AtomicFile::create(path).map_err(|why| match why {
        AtomicFileError::Io(error) => cannot_write(path, &error),
        AtomicFileError::NotAFile | AtomicFileError::Busy | AtomicFileError::InTheWay(_) => {
            let message = format!("cannot write {}: it is not a regular file; choose another name", path.display());
            Failure::Request(message)
        }
    })
}
