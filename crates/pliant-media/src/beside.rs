//! A file written beside its place: it comes there whole when it is kept, and leaves nothing when it is not.

use crate::error::MediaError;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// An open `NAME.part`, locked against other runs.
#[derive(Debug)]
pub(crate) struct Beside {
    target: PathBuf,
    part: PathBuf,
    file: File,
    is_kept: bool,
}

impl Beside {
    /// For a file at `target` that will begin with `head`. What a killed run left there is replaced if it begins so
    /// too; anything else is not ours to remove.
    pub fn create(target: &Path, head: &[u8]) -> Result<Self, MediaError> {
        let Some(part) = sibling(target, ".part").filter(|_| target.metadata().map_or(true, |there| there.is_file()))
        else {
            return Err(MediaError::NotAFile(target.to_owned()));
        };
        let refuse = || MediaError::io(target, "write");
        if part.metadata().is_ok_and(|there| !there.is_file()) {
            return Err(MediaError::InTheWay(part));
        }
        let options = File::options().read(true).write(true).create(true).truncate(false).clone();
        let mut file = options.open(&part).map_err(refuse())?;
        lock(&file, &part, target)?;
        let mut found = Vec::new();
        (&mut file).take(head.len() as u64).read_to_end(&mut found).map_err(refuse())?;
        if !head.starts_with(&found) {
            return Err(MediaError::InTheWay(part));
        }
        let beside = Self { target: target.to_owned(), part, file, is_kept: false };
        beside.file.set_len(0).and_then(|()| (&beside.file).rewind()).map_err(refuse())?;
        Ok(beside)
    }

    /// Puts the file in its place; how many bytes it has.
    pub fn keep(mut self) -> Result<u64, MediaError> {
        let kept = self.file.sync_all().and_then(|()| self.file.metadata()).and_then(|metadata| {
            std::fs::rename(&self.part, &self.target)?;
            Ok(metadata.len())
        });
        self.is_kept = kept.is_ok();
        kept.map_err(MediaError::io(&self.target, "write"))
    }
}

impl Write for Beside {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Beside {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if !self.is_kept {
            // Nobody is left to tell; the next run replaces it.
            let _ = std::fs::remove_file(&self.part);
        }
    }
}

/// The place of the same name with `end` after it; none for a path that ends in no name.
pub(crate) fn sibling(path: &Path, end: &str) -> Option<PathBuf> {
    let mut name = path.file_name()?.to_owned();
    name.push(end);
    Some(path.with_file_name(name))
}

/// Keeps other runs away from `file`, opened at `at`, until it is closed; they write `target`. Where files cannot be
/// locked, there is no protection.
pub(crate) fn lock(file: &File, at: &Path, target: &Path) -> Result<(), MediaError> {
    let busy = || Err(MediaError::Busy(target.to_owned()));
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => busy(),
        // Between opening and locking, another run may have put the file in its place or removed it.
        Ok(()) if !is_at(file, at) => busy(),
        Err(TryLockError::Error(_)) | Ok(()) => Ok(()),
    }
}

/// Whether `file` is still the one at `path`.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |m: std::fs::Metadata| (m.dev(), m.ino());
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(open), Ok(there)) => identity(open) == identity(there),
        _ => false,
    }
}

/// Elsewhere an open file cannot be replaced.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}
