//! The engine through its public calls, grouped by promise.

mod files;
mod geometry;
mod laws;
mod shapes;
mod structure;
