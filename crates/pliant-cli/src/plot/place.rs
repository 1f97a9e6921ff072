//! Where a figure goes: a file that appears whole or not at all.

use super::{Sheet, pixels, svg};
use crate::failure::Failure;
use crate::places::{are_same_file, cannot_write};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

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
        // Renaming would replace a device by a file.
        if path.metadata().is_ok_and(|there| !there.is_file()) {
            let words = format!("cannot write {}: it is not a regular file; choose another name", path.display());
            return Err(Failure::Request(words));
        }
        let tried = Part::create(path);
        tried.map(|_| Self { path, format }).map_err(|error| cannot_write(path, &error))
    }

    /// As it was asked for.
    pub fn path(&self) -> &Path {
        self.path
    }

    /// Writes the figure, in place of any file there.
    pub fn write(&self, sheet: &Sheet) -> Result<(), Failure> {
        match self.format {
            Format::Png => Ok(pliant_media::write_png(self.path, &pixels::paint(sheet)?)?),
            Format::Svg => self.keep(&svg::text(sheet)).map_err(|error| cannot_write(self.path, &error)),
        }
    }

    fn keep(&self, text: &str) -> io::Result<()> {
        let mut part = Part::create(self.path)?;
        part.file.write_all(text.as_bytes())?;
        part.file.sync_all()?;
        std::fs::rename(&part.path, self.path)
    }
}

/// A file beside its place; removed unless it was renamed.
struct Part {
    path: PathBuf,
    file: File,
}

impl Part {
    fn create(target: &Path) -> io::Result<Self> {
        let mut path = target.as_os_str().to_owned();
        path.push(format!(".{}.part", std::process::id()));
        let path = PathBuf::from(path);
        let file = File::options().write(true).create_new(true).open(&path)?;
        Ok(Self { path, file })
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // Not there any more if it was renamed.
        let _ = std::fs::remove_file(&self.path);
    }
}
