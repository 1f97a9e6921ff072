//! Finished frames of a movie that is not done yet: a folder beside it, from which a stopped job goes on.

use crate::error::MediaError;
use crate::movie::{Format, Movie};
use crate::picture::Picture;
use crate::still::{read_png, write};
use pliant_files::{is_ours_alone, sibling};
use png::Compression;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The file that says which request the frames are of.
const KEY: &str = "request";

/// The folder `OUT.frames` beside the movie `OUT`, one PNG a frame. It is locked: no other run uses it.
#[derive(Debug)]
pub struct Frames {
    out: PathBuf,
    folder: PathBuf,
    format: Format,
    /// Open as long as we hold the lock.
    key: File,
}

impl Frames {
    /// Goes on with the frames of the movie `out`, or begins them. `key` stands for everything the pictures depend on
    /// (a hash of the request); frames made with another one are refused.
    pub fn open(out: impl AsRef<Path>, key: u64) -> Result<Self, MediaError> {
        Self::begin(out.as_ref(), key, false)
    }

    /// As [`open`](Frames::open), but frames made with another key are removed, not refused.
    pub fn open_or_empty(out: impl AsRef<Path>, key: u64) -> Result<Self, MediaError> {
        Self::begin(out.as_ref(), key, true)
    }

    fn begin(out: &Path, key: u64, may_empty: bool) -> Result<Self, MediaError> {
        let format = Format::of(out)?;
        let folder = sibling(out, ".frames").ok_or_else(|| MediaError::NotAFile(out.to_owned()))?;
        let refuse = || MediaError::io(&folder, "write");
        match fs::create_dir(&folder) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => check_ours(&folder)?,
            made => made.map_err(refuse())?,
        }
        let place = folder.join(KEY);
        let options = File::options().read(true).write(true).create(true).truncate(false).clone();
        let mut file = options.open(&place).map_err(refuse())?;
        if !is_ours_alone(&file, &place) {
            return Err(MediaError::Busy(folder));
        }
        let (mut found, expected) = (String::new(), format!("pliant frames 1 {key:016x}\n"));
        // Anything else than text was not written by us either.
        let _ = (&mut file).take(64).read_to_string(&mut found);
        if found != expected {
            // Without frames there is nothing to lose: the folder is new, or a run was stopped before the first.
            if !may_empty && numbers(&folder)?.next().is_some() {
                return Err(MediaError::OtherRequest(folder));
            }
            remove(&folder, |name| name != KEY)?;
            write_key(&file, &expected).map_err(refuse())?;
        }
        remove(&folder, |name| name.ends_with(".part"))?;
        Ok(Self { out: out.to_owned(), folder, format, key: file })
    }

    /// Where they are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How many there are, torn ones included.
    pub fn count(&self) -> Result<usize, MediaError> {
        Ok(numbers(&self.folder)?.count())
    }

    /// Whether frame `n` is there and whole. It is read to its end: milliseconds, where rendering takes seconds.
    pub fn has(&self, n: usize) -> bool {
        self.get(n).is_ok_and(|picture| picture.is_some())
    }

    /// Frame `n`; none if it is not there or torn, so that it is to be made again.
    pub fn get(&self, n: usize) -> Result<Option<Picture>, MediaError> {
        match read_png(self.place(n)) {
            Ok(picture) => Ok(Some(picture)),
            Err(MediaError::Damaged { .. }) => Ok(None),
            Err(MediaError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Keeps frame `n`. Several threads may do so at once for different frames.
    pub fn put(&self, n: usize, picture: &Picture) -> Result<(), MediaError> {
        // Told at the first frame, not when all are rendered.
        self.format.check_size(picture.size())?;
        write(&self.place(n), picture, Compression::Fast)
    }

    /// Makes the movie of the given frames, in order, and removes the folder; how many bytes the movie has. `each` is
    /// told how many frames are done. On an error all frames are kept.
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
        // The key goes last: until then it is clear whose folder this is. Some systems keep what is open.
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

/// A folder that holds anything but a key and frames is somebody else's.
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

/// What lies in the folder; a name that is no text is somebody else's, and stays so when it is put into words.
fn names(folder: &Path) -> Result<Vec<String>, MediaError> {
    let entries = fs::read_dir(folder).and_then(|entries| entries.collect::<Result<Vec<_>, _>>());
    let entries = entries.map_err(MediaError::io(folder, "read"))?;
    Ok(entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
}

/// Frames that are there.
fn numbers(folder: &Path) -> Result<impl Iterator<Item = usize>, MediaError> {
    let number = |name: String| name.strip_suffix(".png").filter(|n| is_number(n))?.parse().ok();
    Ok(names(folder)?.into_iter().filter_map(number))
}

/// Removes those of our files whose names are meant.
fn remove(folder: &Path, is_meant: impl Fn(&str) -> bool) -> Result<(), MediaError> {
    for name in names(folder)?.iter().filter(|name| is_ours(name) && is_meant(name)) {
        let place = folder.join(name);
        fs::remove_file(&place).map_err(MediaError::io(&place, "write"))?;
    }
    Ok(())
}
