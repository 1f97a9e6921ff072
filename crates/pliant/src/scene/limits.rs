//! Limits of the scene format: larger files and scenes are refused before they fill the memory.

/// Largest scene file, bytes. A larger one is refused before it is read.
pub const LARGEST_FILE: u64 = 16 << 20;
/// Most bodies, copies included.
pub const MAX_BODIES: usize = 100_000;
/// Most joints and springs, those of networks included.
pub const MAX_JOINTS: usize = 1_000_000;
/// Most points in all skeletons, copies included.
pub const MAX_POINTS: usize = 4_000_000;
/// Fewest frames a second: one in almost three hours.
pub(super) const SLOWEST_FRAME_RATE: f64 = 1e-4;
/// Largest scene once parsed, bytes, as [`parsed_size`](super::read::parsed_size) estimates it: a file of 16 MB can swell to gigabytes.
pub(super) const LARGEST_PARSED: usize = 1 << 30;
/// Above this size only the first syntax error is reported: a file may hold one for every byte.
pub(super) const LARGEST_TO_RECOVER: usize = 1 << 20;
