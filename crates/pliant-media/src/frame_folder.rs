//! A folder with the finished frames of an unfinished movie, from which an interrupted job resumes.

use crate::error::MediaError;
use crate::movie::{Movie, MovieFormat};
use crate::picture::Picture;
use crate::still::{read_png, write};
use pliant_files::{try_lock, with_suffix};
use png::Compression;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Name of the file that identifies the request the frames belong to.
const KEY: &str = "request";

/// The folder `OUT.frames` next to the movie `OUT`, one PNG a frame, locked against other runs.
#[derive(Debug)]
pub struct FrameFolder {
    out: PathBuf,
    folder: PathBuf,
    format: MovieFormat,
    /// Holds the lock while it is open.
    key: File,
}

impl FrameFolder {
    /// Opens or creates the folder of the movie `out`. `key` is a hash of everything the pictures depend on; frames made
    /// with another key are refused.
    pub fn open(out: impl AsRef<Path>, key: u64) -> Result<Self, MediaError> {
        Self::begin(out.as_ref(), key, false)
    }

    /// As [`open`](FrameFolder::open), but frames made with another key are removed, not refused.
    pub fn open_or_empty(out: impl AsRef<Path>, key: u64) -> Result<Self, MediaError> {
        Self::begin(out.as_ref(), key, true)
    }

    fn begin(out: &Path, key: u64, may_empty: bool) -> Result<Self, MediaError> {
        let format = MovieFormat::of(out)?;
        let folder = with_suffix(out, ".frames").ok_or_else(|| MediaError::NotAFile(out.to_owned()))?;
        let refuse = || MediaError::io(&folder, "write");
        match fs::create_dir(&folder) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => check_ours(&folder)?,
            made => made.map_err(refuse())?,
        }
        let place = folder.join(KEY);
        let options = File::options().read(true).write(true).create(true).truncate(false).clone();
        let mut file = options.open(&place).map_err(refuse())?;
        if !try_lock(&file, &place) {
            return Err(MediaError::Busy(folder));
        }
        let (mut found, expected) = (String::new(), format!("pliant frames 1 {key:016x}\n"));
        // A file that is not text was not written by us: the comparison below fails.
        let _ = (&mut file).take(64).read_to_string(&mut found);
        if found != expected {
            // Without frames nothing is lost: the folder is new, or a run was stopped before its first frame.
            if !may_empty && numbers(&folder)?.next().is_some() {
                return Err(MediaError::OtherRequest(folder));
            }
            remove(&folder, |name| name != KEY)?;
            write_key(&file, &expected).map_err(refuse())?;
        }
        remove(&folder, |name| name.ends_with(".part"))?;
        Ok(Self { out: out.to_owned(), folder, format, key: file })
    }

    /// Path of the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Number of frames, damaged ones included.
    pub fn count(&self) -> Result<usize, MediaError> {
        Ok(numbers(&self.folder)?.count())
    }

    /// Whether frame `n` exists and is undamaged. Reads all of it, which takes milliseconds.
    pub fn has(&self, n: usize) -> bool {
        self.get(n).is_ok_and(|picture| picture.is_some())
    }

    /// Frame `n`; none if it is missing or damaged and must be rendered again.
    pub fn get(&self, n: usize) -> Result<Option<Picture>, MediaError> {
        match read_png(self.place(n)) {
            Ok(picture) => Ok(Some(picture)),
            Err(MediaError::Damaged { .. }) => Ok(None),
            Err(MediaError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Saves frame `n`. Several threads may save different frames at once.
    pub fn put(&self, n: usize, picture: &Picture) -> Result<(), MediaError> {
        // Reported at the first frame, not after all are rendered.
        self.format.check_size(picture.size())?;
        write(&self.place(n), picture, Compression::Fast)
    }

    /// Writes the movie from the given frames, in order, and removes the folder; returns the length of the movie in
    /// bytes. `each` is called with the number of frames written. On an error all frames are kept.
    pub fn into_movie(
        self,
        frames: impl IntoIterator<Item = usize>,
        frames_per_second: f64,
        mut each: impl FnMut(usize),
    ) -> Result<u64, MediaError> {
        let mut movie = None;
        for frame in frames {
            let missing = || MediaError::MissingFrame { folder: self.folder.clone(), frame };
            let picture = self.get(frame)?.ok_or_else(missing)?;
            let movie = match &mut movie {
                Some(movie) => movie,
                None => movie.insert(Movie::create(&self.out, picture.size(), frames_per_second)?),
            };
            movie.push(&picture)?;
            each(movie.frames());
        }
        let bytes = movie.ok_or_else(|| MediaError::NoFrames(self.out.clone()))?.finish()?;
        self.remove()?;
        Ok(bytes)
    }

    /// Removes the folder with all frames.
    pub fn remove(self) -> Result<(), MediaError> {
        let Self { folder, key, .. } = self;
        remove(&folder, |name| name != KEY)?;
        // The key is removed last, because it marks the folder as ours, and closed first, as some systems require.
        drop(key);
        remove(&folder, |_| true)?;
        fs::remove_dir(&folder).map_err(MediaError::io(&folder, "write"))
    }

    fn place(&self, n: usize) -> PathBuf {
        self.folder.join(format!("{n:06}.png"))
    }
}

fn write_key(mut file: &File, key: &str) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(key.as_bytes())
}

/// Refuses a folder that holds anything but a key and frames.
fn check_ours(folder: &Path) -> Result<(), MediaError> {
    if !folder.is_dir() || !names(folder)?.iter().all(|name| is_ours(name)) {
        return Err(MediaError::InTheWay(folder.to_owned()));
    }
    Ok(())
}

fn is_ours(name: &str) -> bool {
    let whole = name.strip_suffix(".part").unwrap_or(name);
    whole == KEY || whole.strip_suffix(".png").is_some_and(is_number)
}

fn is_number(name: &str) -> bool {
    name.len() >= 6 && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// File names in the folder. A name that is not Unicode is not ours, and its lossy form is not ours either.
fn names(folder: &Path) -> Result<Vec<String>, MediaError> {
    let entries = fs::read_dir(folder).and_then(|entries| entries.collect::<Result<Vec<_>, _>>());
    let entries = entries.map_err(MediaError::io(folder, "read"))?;
    Ok(entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
}

/// Numbers of the frames in the folder.
fn numbers(folder: &Path) -> Result<impl Iterator<Item = usize>, MediaError> {
    let number = |name: String| name.strip_suffix(".png").filter(|n| is_number(n))?.parse().ok();
    Ok(names(folder)?.into_iter().filter_map(number))
}

/// Removes those of our files whose names `is_meant` selects.
fn remove(folder: &Path, is_meant: impl Fn(&str) -> bool) -> Result<(), MediaError> {
    for name in names(folder)?.iter().filter(|name| is_ours(name) && is_meant(name)) {
        let place = folder.join(name);
        fs::remove_file(&place).map_err(MediaError::io(&place, "write"))?;
    }
    Ok(())
}
