//! Where a figure goes: a file that appears whole or not at all.

use super::{Sheet, pixels, svg};
use crate::failure::Failure;
use crate::places::{are_same_file, cannot_write};
use pliant_files::{AtomicFile, AtomicFileError};
use std::io::Write;
use std::path::Path;

/// What a file holds, by its ending.
#[derive(Clone, Copy)]
enum Format {
    Svg,
    Png,
}

/// A place for a figure that was found good.
pub struct Place<'a> {
    path: &'a Path,
    format: Format,
}

impl<'a> Place<'a> {
    /// Refuses what cannot be written, before the work: an ending that names no format, a place that is none or is not
    /// ours, the cache that is read.
    pub fn new(path: &'a Path, cache: &Path) -> Result<Self, Failure> {
        let has = |ending: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending));
        let format = match () {
            () if has("svg") => Format::Svg,
            () if has("png") => Format::Png,
            () => return Err(Failure::Request(format!("{}: end the name in .svg or .png", path.display()))),
        };
        if are_same_file(path, cache) {
            let words = format!("{} is the cache itself; choose another name for the figure", path.display());
            return Err(Failure::Request(words));
        }
        begin(path).map(|_| Self { path, format })
    }

    /// As it was asked for.
    pub fn path(&self) -> &Path {
        self.path
    }

    /// Writes the figure, in place of any file there.
    pub fn write(&self, sheet: &Sheet) -> Result<(), Failure> {
        match self.format {
            Format::Png => Ok(pliant_media::write_png(self.path, &pixels::paint(sheet)?)?),
            Format::Svg => {
                let mut part = begin(self.path)?;
                let kept = part.write_all(svg::text(sheet).as_bytes()).and_then(|()| part.commit());
                kept.map(|_| ()).map_err(|error| cannot_write(self.path, &error))
            }
        }
    }
}

fn begin(path: &Path) -> Result<AtomicFile, Failure> {
    AtomicFile::create(path).map_err(|why| match why {
        AtomicFileError::Io(error) => cannot_write(path, &error),
        AtomicFileError::NotAFile | AtomicFileError::Busy | AtomicFileError::InTheWay(_) => {
            let words = format!("cannot write {}: it is not a regular file; choose another name", path.display());
            Failure::Request(words)
        }
    })
}
