//! The cache: a run on disk, frame by frame, from which every number of any frame comes back bit for bit.
//!
//! *The idea*: a frame is what [`World::snapshot`](crate::World::snapshot) holds and nothing else; contacts, forces and shapes are functions of
//! it and are worked out again by whoever asks; so is the energy, as the elastic part took a third of a run. The scene is inside, so that a cache needs no other file.
//!
//! ```text
//! magic  version u32  length u32  crc u32  header (engine, name and text of the scene, frame count, frame rate)
//! length u64  crc u32  crc of index, length and crc u32  frame 0
//! length u64  …                                          frame 1 …
//! ```
//!
//! Numbers are little-endian; counts and indices are LEB128; [`chunks`] has the table of what a frame holds. Frame i is at i / frame rate.
//!
//! *What is promised*: a killed run keeps every finished frame, and goes on to the same bytes. A reader checks every
//! length before it allocates and every checksum before it believes. *Not promised*: that frames survive a power cut
//! before [`Recorder::finish`]; that another version of the engine computes the same contacts from the same frame.

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

/// A scene as its author wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneText {
    /// The file, without its folder: the same run gives the same bytes wherever the scene lies.
    pub name: String,
    /// The TOML.
    pub text: String,
}

/// One recorded moment.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedFrame {
    /// From 0.
    pub index: usize,
    /// For [`World::restore`](crate::World::restore).
    pub state: State,
    /// Raised since the frame before.
    pub warnings: Vec<Warning>,
}

/// When frame `index` is, seconds.
pub fn frame_time(index: usize, frame_rate: f64) -> f64 {
    index as f64 / frame_rate
}
