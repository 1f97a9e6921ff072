//! Pliant: soft bodies as implicit surfaces that share exact contact surfaces.
//!
//! Modules are declared in the order data flows; a module uses only those above it (a test keeps this).

pub mod fields;
pub mod math;
pub mod scene;
