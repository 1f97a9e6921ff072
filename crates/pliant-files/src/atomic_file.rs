//! A file written under a temporary name next to its target and renamed when it is complete.
//!
//! *The idea*: the temporary file is in the target's folder, so that renaming is atomic. A writer that is dropped removes
//! it; a killed one leaves it, and [`create_locked`](AtomicFile::create_locked) takes such a leftover over, unless its
//! writer still holds the lock or it does not begin as our files do. *Not promised*: mutual exclusion on file systems
//! without locks.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Temporary names tried before giving up. Smaller: leftovers of killed runs soon exhaust them. Larger: a folder full of
/// leftovers is noticed late.
const MAX_NAMES: usize = 100;

/// An open temporary file next to its target; removed on drop unless [committed](AtomicFile::commit).
#[derive(Debug)]
pub struct AtomicFile {
    target: PathBuf,
    part: PathBuf,
    file: File,
    is_committed: bool,
}

/// Why an [`AtomicFile`] cannot be created.
#[derive(Debug)]
pub enum AtomicFileError {
    /// The target is a folder, a device or a pipe, which renaming would replace.
    NotAFile,
    /// Another run is writing the same target.
    Busy,
    /// The temporary name is taken by something that is not ours.
    InTheWay(PathBuf),
    /// The system refused.
    Io(io::Error),
}

impl From<io::Error> for AtomicFileError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Bytes by which a file format is recognised.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// Position of the first of them in the file.
    pub offset: usize,
    /// The bytes.
    pub bytes: &'static [u8],
}

impl Signature {
    /// Whether `file` has the signature; a file that ends before or within it may still get it.
    fn matches(&self, file: &mut File) -> io::Result<bool> {
        let mut start = Vec::new();
        file.take((self.offset + self.bytes.len()) as u64).read_to_end(&mut start)?;
        Ok(start.get(self.offset..).is_none_or(|found| self.bytes.starts_with(found)))
    }
}

impl AtomicFile {
    /// Opens the first free name of `target.part`, `target.2.part` and so on. No existing file is touched; leftovers of
    /// killed runs stay.
    pub fn create(target: &Path) -> Result<Self, AtomicFileError> {
        let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
        for nth in 1..=MAX_NAMES {
            let suffix = if nth == 1 { ".part".to_owned() } else { format!(".{nth}.part") };
            let part = part_of(target, &suffix)?;
            match options().create_new(true).open(&part) {
                Ok(file) => return Ok(Self { target: target.to_owned(), part, file, is_committed: false }),
                Err(error) => last = error,
            }
            if last.kind() != io::ErrorKind::AlreadyExists {
                break;
            }
        }
        Err(last.into())
    }

    /// Opens `target.part`, locked against other runs. A leftover of a killed run is overwritten if it has the
    /// `signature` of the file to be written; anything else is not ours to remove.
    pub fn create_locked(target: &Path, signature: Signature) -> Result<Self, AtomicFileError> {
        let part = part_of(target, ".part")?;
        if part.metadata().is_ok_and(|there| !there.is_file()) {
            return Err(AtomicFileError::InTheWay(part));
        }
        let mut file = options().create(true).truncate(false).open(&part)?;
        if !try_lock(&file, &part) {
            return Err(AtomicFileError::Busy);
        }
        if !signature.matches(&mut file)? {
            return Err(AtomicFileError::InTheWay(part));
        }
        let this = Self { target: target.to_owned(), part, file, is_committed: false };
        this.file.set_len(0)?;
        (&this.file).rewind()?;
        Ok(this)
    }

    /// Renames the file to its target; returns its length in bytes.
    pub fn commit(mut self) -> io::Result<u64> {
        self.file.sync_all()?;
        let length = self.file.metadata()?.len();
        std::fs::rename(&self.part, &self.target)?;
        self.is_committed = true;
        Ok(length)
    }
}

fn options() -> OpenOptions {
    File::options().read(true).write(true).clone()
}

/// The temporary name next to `target`, if `target` can be a regular file.
fn part_of(target: &Path, suffix: &str) -> Result<PathBuf, AtomicFileError> {
    let names_a_folder = target.to_string_lossy().ends_with(std::path::is_separator);
    let can_be_a_file = !names_a_folder && target.metadata().map_or(true, |there| there.is_file());
    with_suffix(target, suffix).filter(|_| can_be_a_file).ok_or(AtomicFileError::NotAFile)
}

impl Read for AtomicFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.file.read(bytes)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if !self.is_committed {
            // An error cannot be reported here; at worst a leftover remains.
            let _ = std::fs::remove_file(&self.part);
        }
    }
}

/// `path` with `suffix` appended to its file name; none for a path without a file name.
pub fn with_suffix(path: &Path, suffix: &str) -> Option<PathBuf> {
    let mut name = path.file_name()?.to_owned();
    name.push(suffix);
    Some(path.with_file_name(name))
}

/// Locks `file`, opened at `path`, until it is closed; false if another run holds the lock or has replaced the file. On
/// file systems without locks, always true.
pub fn try_lock(file: &File, path: &Path) -> bool {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => false,
        // Between opening and locking, another run may have renamed or removed the file.
        Ok(()) => is_at(file, path),
        Err(TryLockError::Error(_)) => true,
    }
}

/// Whether `path` still names the open `file`.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |m: std::fs::Metadata| (m.dev(), m.ino());
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(open), Ok(there)) => identity(open) == identity(there),
        _ => false,
    }
}

/// On other systems an open file cannot be replaced.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A second run that opened a file just before the first one renamed another over it.
    #[test]
    fn a_file_replaced_between_opening_and_locking_is_busy() {
        let folder = std::env::temp_dir().join(format!("pliant-files-replaced-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (path, other) = (folder.join("a"), folder.join("b"));
        std::fs::write(&path, "").unwrap();
        let file = File::open(&path).unwrap();
        assert!(try_lock(&file, &path));
        std::fs::write(&other, "").unwrap();
        std::fs::rename(&other, &path).unwrap();
        assert!(!try_lock(&file, &path));
        std::fs::remove_dir_all(folder).unwrap();
    }

    /// A signature at an offset, as MP4 has: a torn head is accepted, another format is not.
    #[test]
    fn a_leftover_is_recognised_by_its_signature() {
        let path = std::env::temp_dir().join(format!("pliant-files-signature-{}", std::process::id()));
        let signature = Signature { offset: 4, bytes: b"ftyp" };
        let matches = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            signature.matches(&mut File::open(&path).unwrap()).unwrap()
        };
        assert!(matches(b"") && matches(b"no") && matches(b"\0\0\0\x1cft") && matches(b"\0\0\0\x20ftypisom"));
        assert!(!matches(b"notes of mine") && !matches(b"notesftyp"));
        std::fs::remove_file(path).unwrap();
    }
}
