//! Files that appear complete or not at all, and remedies for paths that cannot be written.
//!
//! *The idea*: engine and media crate both write through [`AtomicFile`]. Neither may depend on the other, so that both
//! depend on this crate, which has no dependencies.

#![deny(unsafe_code)]

mod atomic_file;
mod place;

pub use atomic_file::{AtomicFile, AtomicFileError, Signature, try_lock, with_suffix};
pub use place::place_remedy;
