//! Reading caches.

use super::format::{FRAME_PREFIX, Header, Prefix};
use super::scan::{Place, Scan, Tail, open, scan};
use super::state_codec::decode;
use super::{RecordError, RecordedFrame, SceneText, frame_time};
use crate::model::Scene;
use crate::state::Warning;
use crate::world::World;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A cache open for reading: checked as a whole, read frame by frame.
#[derive(Debug)]
pub struct Cache {
    path: PathBuf,
    file: Mutex<File>,
    header: Header,
    scene: Scene,
    places: Vec<Place>,
    warnings: Vec<Warning>,
    /// Byte after the last whole frame.
    end: u64,
    tail: Tail,
}

impl Cache {
    /// Opens the cache at `path`. One that a killed run left, or that a run is still adding to, is read up to its last
    /// whole frame; see [`Cache::tail`]. One that was changed is refused.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RecordError> {
        let cache = Self::open_damaged(path)?;
        cache.damage().map_or(Ok(cache), Err)
    }

    /// [`Cache::open`], but a cache that was changed can be read up to the change.
    pub fn open_damaged(path: impl AsRef<Path>) -> Result<Self, RecordError> {
        let path = path.as_ref();
        let (file, length) = open(path, false)?;
        let Scan { header, places, warnings, end, tail } = scan(&file, length, path)?;
        let scene = scene_of(&header, path)?;
        Ok(Self { path: path.to_owned(), file: Mutex::new(file), header, scene, places, warnings, end, tail })
    }

    /// The first damaged frame, if the file was changed.
    pub fn damage(&self) -> Option<RecordError> {
        let Tail::Damaged(what) = &self.tail else { return None };
        let (path, frame, what) = (self.path.clone(), self.places.len(), what.clone());
        Some(RecordError::DamagedFrame { path, frame, byte: self.end, what })
    }

    /// The recorded scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Text of the recorded scene.
    pub fn scene_text(&self) -> &SceneText {
        &self.header.scene
    }

    /// Version of Pliant that made the cache.
    pub fn engine(&self) -> &str {
        &self.header.engine
    }

    /// Number of whole frames in the file.
    pub fn frame_count(&self) -> usize {
        self.places.len()
    }

    /// Number of frames of a finished run; more than [`Cache::frame_count`] while the run is not finished.
    pub fn expected_frames(&self) -> usize {
        self.header.frame_count
    }

    /// Bytes after the last whole frame; [`Tail::Damaged`] only after [`Cache::open_damaged`].
    pub fn tail(&self) -> &Tail {
        &self.tail
    }

    /// Warnings of all frames.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Bytes of all frames together.
    pub fn frame_bytes(&self) -> u64 {
        self.places.iter().map(|p| p.prefix.length + FRAME_PREFIX as u64).sum()
    }

    /// Frame `index`, as a state of `world`, which [`Cache::world`] made.
    pub fn frame(&self, world: &World, index: usize) -> Result<RecordedFrame, RecordError> {
        let count = self.places.len();
        let missing = || RecordError::NoFrame { path: self.path.clone(), frame: index, count };
        let place = self.places.get(index).ok_or_else(|| self.damage().unwrap_or_else(missing))?;
        let damaged = |what: &str| RecordError::DamagedFrame {
            path: self.path.clone(),
            frame: index,
            byte: place.byte,
            what: what.to_owned(),
        };
        let bytes = self.read(place).map_err(RecordError::io(&self.path, "read"))?;
        if Prefix::of(&bytes) != place.prefix {
            return Err(damaged("it changed while it was read"));
        }
        let (mut state, warnings) = decode(&bytes, world).ok_or_else(|| damaged("its chunks cannot be read"))?;
        state.time = frame_time(index, self.header.frame_rate);
        state.warnings = self.warnings[..place.warnings].iter().cloned().collect();
        Ok(RecordedFrame { index, state, warnings })
    }

    fn read(&self, place: &Place) -> std::io::Result<Vec<u8>> {
        // After a panic of another thread only the position in the file is unknown, and it is set here.
        let mut file = self.file.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        file.seek(SeekFrom::Start(place.byte + FRAME_PREFIX as u64))?;
        let mut bytes = Vec::with_capacity(place.prefix.length as usize);
        (&mut *file).take(place.prefix.length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The world of the recorded scene, at its start. [`Cache::show`] moves it to a frame.
    pub fn world(&self) -> Result<World, RecordError> {
        if self.header.scene.text.is_empty() {
            return Err(RecordError::NoScene(self.path.clone()));
        }
        World::new(&self.scene).map_err(|error| RecordError::Body { path: self.path.clone(), error })
    }

    /// Restores frame `index` in `world`, made by [`Cache::world`]: cheaper than a new world for every frame.
    pub fn show(&self, world: &mut World, index: usize) -> Result<RecordedFrame, RecordError> {
        let frame = self.frame(world, index)?;
        restore(world, &frame, &self.path)?;
        Ok(frame)
    }

    /// World at frame `index`.
    pub fn world_at(&self, index: usize) -> Result<World, RecordError> {
        let mut world = self.world()?;
        self.show(&mut world, index)?;
        Ok(world)
    }
}

pub(super) fn restore(world: &mut World, frame: &RecordedFrame, path: &Path) -> Result<(), RecordError> {
    let refuse = |error| RecordError::State { path: path.to_owned(), frame: frame.index, error };
    world.restore(&frame.state).map_err(refuse)
}

/// The scene in a header; its frames must be those of the header.
pub(super) fn scene_of(header: &Header, path: &Path) -> Result<Scene, RecordError> {
    if header.scene.text.is_empty() {
        return Ok(Scene::default());
    }
    let refuse = |error| RecordError::Scene { path: path.to_owned(), error: Box::new(error) };
    let scene = Scene::parse(&header.scene.text, &header.scene.name).map_err(refuse)?;
    if scene.frame_count() != header.frame_count || scene.frame_rate != header.frame_rate {
        let what = "its frames are not those of its scene".to_owned();
        return Err(RecordError::DamagedHeader { path: path.to_owned(), what });
    }
    Ok(scene)
}
