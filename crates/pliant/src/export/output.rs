//! Output files: atomic writing, and names of the files of a sequence.

use super::error::ExportError;
use pliant_files::{AtomicFile, AtomicFileError};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// A buffered file that takes its place when it is committed.
pub(super) type Part = BufWriter<AtomicFile>;

/// Begins a file at `path`.
pub(super) fn begin(path: &Path) -> Result<Part, ExportError> {
    let refused = |why: AtomicFileError| match why {
        AtomicFileError::Io(error) => ExportError::io(path)(error),
        AtomicFileError::NotAFile | AtomicFileError::Busy | AtomicFileError::InTheWay(_) => {
            ExportError::NotAFile(path.to_owned())
        }
    };
    AtomicFile::create(path).map(BufWriter::new).map_err(refused)
}

/// Writes a whole file: to a temporary one beside it, which is then renamed.
pub(super) fn save(path: &Path, write: impl FnOnce(&mut Part) -> io::Result<()>) -> Result<(), ExportError> {
    let mut part = begin(path)?;
    let written = write(&mut part).and_then(|()| part.into_inner().map_err(|error| error.into_error()));
    written.and_then(AtomicFile::commit).map_err(ExportError::io(path))?;
    Ok(())
}

/// `out.obj` of frame 12 is `out.0012.obj`.
pub(super) fn numbered(path: &Path, frame: usize) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!(".{frame:04}."));
    name.push(path.extension().unwrap_or_default());
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_before_the_extension_however_many_dots_a_name_has() {
        assert_eq!(numbered(Path::new("a/out.obj"), 12), Path::new("a/out.0012.obj"));
        assert_eq!(numbered(Path::new("a.b/v1.2.PLY"), 12345), Path::new("a.b/v1.2.12345.PLY"));
    }
}
