//! The cache: a run on disk, frame by frame, from which every number of any frame comes back bit for bit.
//!
//! *The idea*: a frame is the [`State`] of a world and nothing else. Contacts, forces, shapes and energy are functions of it,
//! computed again when they are asked for (elastic energy alone took a third of a run). The scene is inside, so that a cache
//! needs no other file.
//!
//! ```text
//! magic  version u32  length u32  crc u32  header (engine, name and text of the scene, frame count, frame rate)
//! length u64  crc u32  crc of index, length and crc u32  frame 0
//! length u64  …                                          frame 1 …
//! ```
//!
//! Numbers are little-endian; counts and indices are LEB128; [`chunks`] has the table of a frame's contents. The time of frame
//! i is i / frame rate.
//!
//! *Promised*: a killed run keeps every finished frame, and resumes to the same bytes. A reader checks every length before it
//! allocates, and every checksum before it uses the bytes. *Not promised*: that frames survive a power cut before
//! [`Recorder::finish`]; that another version of the engine computes the same contacts from the same frame.

pub mod chunks;
mod error;
mod format;
mod outline;
mod read;
mod scan;
mod state_codec;
mod write;

pub use error::RecordError;
pub use read::Cache;
pub use scan::{Tail, may_be_replaced};
pub use write::{Recorder, Resumed};

use crate::state::{State, Warning};

/// Text of a scene file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneText {
    /// Name of the file without its folder, so that the same run gives the same bytes in any folder.
    pub name: String,
    /// The TOML.
    pub text: String,
}

/// One frame of a cache.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedFrame {
    /// Number of the frame, from 0.
    pub index: usize,
    /// State, for [`World::restore`](crate::World::restore).
    pub state: State,
    /// Warnings raised since the frame before.
    pub warnings: Vec<Warning>,
}

/// Number and rate of the frames of a cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameTimes {
    /// Number of frames, the start included.
    pub count: usize,
    /// Frames a second.
    pub rate: f64,
}

/// Time of frame `index`, s.
pub fn frame_time(index: usize, frame_rate: f64) -> f64 {
    index as f64 / frame_rate
}
