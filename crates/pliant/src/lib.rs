//! Pliant: soft bodies as implicit surfaces that share exact contact surfaces.
//!
//! Modules are declared in the order data flows; a module uses only those above it (a test keeps this).

#![deny(unsafe_code)]

pub mod math;
pub mod fields;
pub mod scene;
pub mod bodies;
pub mod contact;
pub mod motion;
mod world;
pub mod verify;

pub use world::{Contact, Energy, Snapshot, Touch, Warning, WarningKind, World};
