//! Files that appear whole or not at all.

use super::ExportError;
use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Names tried before giving up. Fewer: leftovers of killed exports soon get in the way. More: a folder full of them is
/// noticed late.
const MOST_NAMES: usize = 100;

/// A file being written beside its place; gone unless it is finished.
#[derive(Debug)]
pub struct Part {
    path: PathBuf,
    beside: PathBuf,
    out: BufWriter<File>,
    renamed: bool,
}

impl Part {
    /// Begins a file that will stand at `path`, in place of a file there. Nobody else's file is touched before: it is
    /// written under the first free name of `path.part`, `path.2.part` and so on.
    pub fn create(path: &Path) -> Result<Self, ExportError> {
        // Renaming would replace a device by a file.
        if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
            return Err(ExportError::NotAFile(path.to_owned()));
        }
        let options = File::options().read(true).write(true).create_new(true).clone();
        let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
        for nth in 1..=MOST_NAMES {
            let mut beside = path.as_os_str().to_owned();
            beside.push(if nth == 1 { ".part".to_owned() } else { format!(".{nth}.part") });
            let beside = PathBuf::from(beside);
            match options.open(&beside) {
                Ok(file) => {
                    return Ok(Self { path: path.to_owned(), beside, out: BufWriter::new(file), renamed: false });
                }
                Err(error) => last = error,
            }
            if last.kind() != io::ErrorKind::AlreadyExists {
                break;
            }
        }
        Err(ExportError::io(path)(last))
    }

    /// Puts the file in its place.
    pub fn finish(mut self) -> Result<(), ExportError> {
        let finished = (|| {
            self.out.flush()?;
            self.out.get_ref().sync_all()?;
            fs::rename(&self.beside, &self.path)
        })();
        finished.map_err(ExportError::io(&self.path))?;
        self.renamed = true;
        Ok(())
    }

    /// Copies all that was written so far to the end of `other`; how many bytes.
    pub fn copy_to(&mut self, other: &mut Self) -> io::Result<u64> {
        // Seeking flushes what is still in memory.
        self.out.seek(SeekFrom::Start(0))?;
        io::copy(self.out.get_mut(), &mut other.out)
    }
}

impl Write for Part {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.renamed {
            let _ = fs::remove_file(&self.beside);
        }
    }
}
