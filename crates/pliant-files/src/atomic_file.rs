//! A file written beside its place: it comes there whole when it is kept, and leaves nothing when it is not.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Names tried before giving up. Fewer: leftovers of killed runs soon get in the way. More: a folder full of them is
/// noticed late.
const MOST_NAMES: usize = 100;

/// A file open beside its place; gone unless it is kept.
#[derive(Debug)]
pub struct Beside {
    target: PathBuf,
    part: PathBuf,
    file: File,
    is_kept: bool,
}

/// Why a file cannot be begun.
#[derive(Debug)]
pub enum Refused {
    /// At its place is a folder, a device or a pipe, which renaming would replace.
    NotAFile,
    /// Another run writes it.
    Busy,
    /// Where we would write first, something lies that is not ours.
    InTheWay(PathBuf),
    /// The system refused.
    Io(io::Error),
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Beside {
    /// For a file at `target`, under the first free name of `target.part`, `target.2.part` and so on: nobody else's file
    /// is touched, and what a killed run left stays.
    pub fn under_a_free_name(target: &Path) -> Result<Self, Refused> {
        let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
        for nth in 1..=MOST_NAMES {
            let end = if nth == 1 { ".part".to_owned() } else { format!(".{nth}.part") };
            let part = part_of(target, &end)?;
            match options().create_new(true).open(&part) {
                Ok(file) => return Ok(Self { target: target.to_owned(), part, file, is_kept: false }),
                Err(error) => last = error,
            }
            if last.kind() != io::ErrorKind::AlreadyExists {
                break;
            }
        }
        Err(last.into())
    }

    /// For a file at `target` that will begin with `head`, at `target.part`, locked against other runs. What a killed
    /// run left there is replaced if it begins so too; anything else is not ours to remove.
    pub fn locked(target: &Path, head: &[u8]) -> Result<Self, Refused> {
        let part = part_of(target, ".part")?;
        if part.metadata().is_ok_and(|there| !there.is_file()) {
            return Err(Refused::InTheWay(part));
        }
        let mut file = options().create(true).truncate(false).open(&part)?;
        if !is_ours_alone(&file, &part) {
            return Err(Refused::Busy);
        }
        let mut found = Vec::new();
        (&mut file).take(head.len() as u64).read_to_end(&mut found)?;
        if !head.starts_with(&found) {
            return Err(Refused::InTheWay(part));
        }
        let beside = Self { target: target.to_owned(), part, file, is_kept: false };
        beside.file.set_len(0)?;
        (&beside.file).rewind()?;
        Ok(beside)
    }

    /// Puts the file in its place; how many bytes it has.
    pub fn keep(mut self) -> io::Result<u64> {
        self.file.sync_all()?;
        let bytes = self.file.metadata()?.len();
        std::fs::rename(&self.part, &self.target)?;
        self.is_kept = true;
        Ok(bytes)
    }
}

fn options() -> OpenOptions {
    File::options().read(true).write(true).clone()
}

/// The place beside `target`, if that can be a file.
fn part_of(target: &Path, end: &str) -> Result<PathBuf, Refused> {
    let names_a_folder = target.to_string_lossy().ends_with(std::path::is_separator);
    let can_be = !names_a_folder && target.metadata().map_or(true, |there| there.is_file());
    sibling(target, end).filter(|_| can_be).ok_or(Refused::NotAFile)
}

impl Read for Beside {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.file.read(bytes)
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
            // Nobody is left to tell.
            let _ = std::fs::remove_file(&self.part);
        }
    }
}

/// The place of the same name with `end` after it; none for a path that ends in no name.
pub fn sibling(path: &Path, end: &str) -> Option<PathBuf> {
    let mut name = path.file_name()?.to_owned();
    name.push(end);
    Some(path.with_file_name(name))
}

/// Keeps other runs away from `file`, opened at `at`, until it is closed; whether none was there before us. Where files
/// cannot be locked, there is no protection.
pub fn is_ours_alone(file: &File, at: &Path) -> bool {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => false,
        // Between opening and locking, another run may have put the file in its place or removed it.
        Ok(()) => is_at(file, at),
        Err(TryLockError::Error(_)) => true,
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// What a second run sees that opened a file just before the first one renamed another over it.
    #[test]
    fn a_file_replaced_between_opening_and_locking_is_busy() {
        let folder = std::env::temp_dir().join(format!("pliant-files-replaced-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (path, other) = (folder.join("a"), folder.join("b"));
        std::fs::write(&path, "").unwrap();
        let file = File::open(&path).unwrap();
        assert!(is_ours_alone(&file, &path));
        std::fs::write(&other, "").unwrap();
        std::fs::rename(&other, &path).unwrap();
        assert!(!is_ours_alone(&file, &path));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
