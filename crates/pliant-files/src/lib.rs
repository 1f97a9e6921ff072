//! Files that appear whole or not at all, and what to say of a place where none can be.
//!
//! *The idea*: what the engine exports and what the media crate draws is written beside its place and renamed when it is
//! whole ([`Beside`]). Neither crate may lean on the other, so that both lean on this one, which leans on nothing.

#![deny(unsafe_code)]

mod beside;
mod place;

pub use beside::{Beside, Refused, is_ours_alone, sibling};
pub use place::place_remedy;
