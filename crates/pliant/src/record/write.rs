//! Writing caches, frame by frame: a killed run loses at most the frame being written.

use super::format::{FRAME_PREFIX, Header, Prefix};
use super::outline::Outline;
use super::read::{restore, scene_of};
use super::scan::{Scan, Tail, may_be_replaced, open, scan};
use super::state_codec::{decode, encode};
use super::{FrameTimes, RecordError, RecordedFrame, SceneText, frame_time};
use crate::model::Scene;
use crate::world::World;
use pliant_files::try_lock;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A cache being written. It is locked: no other run writes to it.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    file: File,
    frame_count: usize,
    frame_rate: f64,
    written: usize,
    warnings: usize,
    /// Fingerprint of the recorded world.
    outline: Outline,
    /// Byte of the first frame.
    begin: u64,
    /// Byte after the last whole frame.
    end: u64,
}

/// A resumed run.
#[derive(Debug)]
pub struct Resumed {
    /// Recorder, after the last whole frame.
    pub recorder: Recorder,
    /// World at the last whole frame; at the start when there is none.
    pub world: World,
    /// Bytes after the last whole frame, which were cut off.
    pub cut: Tail,
}

impl Recorder {
    /// Begins a cache at `path`, in place of any file there: written beside and renamed, so that there is never half a
    /// header. `scene` is what `text` describes.
    ///
    /// If several runs begin at once, one goes on and the others fail with [`RecordError::Busy`]: a run that renames holds
    /// locks on the file beside and the one it replaces, and a cache being written is locked by its own run.
    pub fn create(path: impl AsRef<Path>, text: &SceneText, scene: &Scene) -> Result<Self, RecordError> {
        let frames = FrameTimes { count: scene.frame_count(), rate: scene.frame_rate };
        Self::begin(path.as_ref(), &header(text.clone(), frames), Outline::of_scene(scene))
    }

    /// [`Recorder::create`] for a world made in code. Such a cache holds no scene: it is shown by a world that the same code
    /// makes ([`Cache::show`](super::Cache::show)).
    pub fn create_for(path: impl AsRef<Path>, world: &World, frames: FrameTimes) -> Result<Self, RecordError> {
        if !(frames.rate > 0.0 && frames.rate.is_finite() && frames.count > 0) {
            return Err(RecordError::NoFrames);
        }
        let text = SceneText { name: String::new(), text: String::new() };
        Self::begin(path.as_ref(), &header(text, frames), Outline::of_world(world))
    }

    fn begin(path: &Path, header: &Header, outline: Outline) -> Result<Self, RecordError> {
        // An early refusal, before anything is written; the file is locked again below, before it is replaced.
        drop(hold(path)?);
        let bytes = header.encode();
        let mut beside = path.as_os_str().to_owned();
        beside.push(".part");
        let beside = PathBuf::from(beside);
        let refuse = || RecordError::io(path, "write");
        let options = File::options().read(true).write(true).create(true).truncate(false).clone();
        let mut file = options.open(&beside).map_err(refuse())?;
        lock(&file, &beside, path)?;
        if !may_be_replaced(&beside)? {
            return Err(RecordError::InTheWay(beside));
        }
        let begun = (|| {
            let write = (|| {
                file.set_len(0)?;
                file.write_all(&bytes)?;
                file.sync_all()
            })();
            write.map_err(refuse())?;
            let replaced = hold(path)?;
            std::fs::rename(&beside, path).map_err(refuse())?;
            drop(replaced);
            Ok(())
        })();
        if let Err(error) = begun {
            let _ = std::fs::remove_file(&beside);
            return Err(error);
        }
        let begin = bytes.len() as u64;
        Ok(Self { begin, end: begin, ..Self::new(path, file, header, outline) })
    }

    /// A recorder of a file without frames.
    fn new(path: &Path, file: File, header: &Header, outline: Outline) -> Self {
        Self {
            path: path.to_owned(),
            file,
            frame_count: header.frame_count,
            frame_rate: header.frame_rate,
            written: 0,
            warnings: 0,
            outline,
            begin: 0,
            end: 0,
        }
    }

    /// Resumes the cache at `path` after its last whole frame; a torn or damaged rest is cut off. With `text`, only if that
    /// is the scene it records. On an error the file is not changed.
    pub fn resume(path: impl AsRef<Path>, text: Option<&str>) -> Result<Resumed, RecordError> {
        let path = path.as_ref();
        let (mut file, _) = open(path, true)?;
        lock(&file, path, path)?;
        // The length is read after locking: before, another run may have been adding frames.
        let length = file.metadata().map_err(RecordError::io(path, "read"))?.len();
        let Scan { header, places, warnings, end, tail } = scan(&file, length, path)?;
        if header.engine != env!("CARGO_PKG_VERSION") {
            return Err(RecordError::OtherEngine { path: path.to_owned(), found: header.engine });
        }
        if let Some(text) = text.filter(|text| *text != header.scene.text) {
            let line = text.lines().zip(header.scene.text.lines()).take_while(|(a, b)| a == b).count() + 1;
            return Err(RecordError::OtherScene { path: path.to_owned(), line });
        }
        let scene = scene_of(&header, path)?;
        let mut world = World::new(&scene).map_err(|error| RecordError::Body { path: path.to_owned(), error })?;
        if let Some(place) = places.last() {
            let index = places.len() - 1;
            let mut bytes = Vec::with_capacity(place.prefix.length as usize);
            file.seek(SeekFrom::Start(place.byte + FRAME_PREFIX as u64)).map_err(RecordError::io(path, "read"))?;
            let read = (&mut file).take(place.prefix.length).read_to_end(&mut bytes);
            read.map_err(RecordError::io(path, "read"))?;
            let (mut state, new) = decode(&bytes, &world).ok_or_else(|| RecordError::DamagedFrame {
                path: path.to_owned(),
                frame: index,
                byte: place.byte,
                what: "its chunks cannot be read".to_owned(),
            })?;
            state.time = frame_time(index, header.frame_rate);
            state.warnings = warnings.into_iter().collect();
            restore(&mut world, &RecordedFrame { index, state, warnings: new }, path)?;
        }
        file.set_len(end).map_err(RecordError::io(path, "write"))?;
        let begin = places.first().map_or(end, |p| p.byte);
        let (written, warnings) = (places.len(), places.last().map_or(0, |p| p.warnings));
        let empty = Self::new(path, file, &header, Outline::of_world(&world));
        Ok(Resumed { recorder: Self { written, warnings, begin, end, ..empty }, world, cut: tail })
    }

    /// Number of frames written so far.
    pub fn written(&self) -> usize {
        self.written
    }

    /// Number of frames of the finished run.
    pub fn frame_count(&self) -> usize {
        self.frame_count
    }

    /// Frames a second.
    pub fn frame_rate(&self) -> f64 {
        self.frame_rate
    }

    /// Time of the next frame, s; none when all are written.
    pub fn next_time(&self) -> Option<f64> {
        (self.written < self.frame_count).then(|| frame_time(self.written, self.frame_rate))
    }

    /// Length of the file, bytes.
    pub fn bytes(&self) -> u64 {
        self.end
    }

    /// Bytes of all frames together, as [`Cache::frame_bytes`](super::Cache::frame_bytes) counts them.
    pub fn frame_bytes(&self) -> u64 {
        self.end - self.begin
    }

    /// Appends the next frame; `world` must be at [`Recorder::next_time`]. On an error the file ends with its last
    /// whole frame, and the frame can be written again.
    pub fn write(&mut self, world: &World) -> Result<(), RecordError> {
        let time = self.next_time().ok_or(RecordError::Complete(self.written))?;
        if world.time() != time {
            let (frame, frame_rate) = (self.written, self.frame_rate);
            return Err(RecordError::WrongTime { time: world.time(), frame, frame_rate });
        }
        let new = world.warnings().get(self.warnings..).unwrap_or_default();
        if Outline::of_world(world) != self.outline {
            return Err(RecordError::OtherWorld(self.path.clone()));
        }
        if world.state().check(world.model()).is_err() {
            return Err(RecordError::RanAway(self.written));
        }
        let frame = encode(world, new);
        let mut chunk = Prefix::of(&frame).encode(self.written).to_vec();
        chunk.extend(frame);
        let appended = self.file.seek(SeekFrom::Start(self.end)).and_then(|_| self.file.write_all(&chunk));
        if let Err(error) = appended {
            // A part of the frame that stays is read as that of a killed run.
            let _ = self.file.set_len(self.end);
            return Err(RecordError::io(&self.path, "write")(error));
        }
        self.end += chunk.len() as u64;
        self.written += 1;
        self.warnings = world.warnings().len();
        Ok(())
    }

    /// Waits until all frames are on the disk itself.
    pub fn finish(self) -> Result<(), RecordError> {
        self.file.sync_all().map_err(RecordError::io(&self.path, "write"))
    }
}

/// Header of a new cache.
fn header(scene: SceneText, frames: FrameTimes) -> Header {
    let engine = env!("CARGO_PKG_VERSION").to_owned();
    Header { engine, scene, frame_count: frames.count, frame_rate: frames.rate }
}

/// The file that a new cache will replace, locked; none if there is no file.
fn hold(path: &Path) -> Result<Option<File>, RecordError> {
    if !path.exists() {
        return Ok(None);
    }
    let file = open(path, true)?.0;
    lock(&file, path, path)?;
    Ok(Some(file))
}

/// Locks `file`, opened at `at`, until it is closed; `path` is the cache in messages.
fn lock(file: &File, at: &Path, path: &Path) -> Result<(), RecordError> {
    if try_lock(file, at) { Ok(()) } else { Err(RecordError::Busy(path.to_owned())) }
}
