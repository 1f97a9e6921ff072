//! The engine through its public calls, grouped by what is promised.

mod files;
mod geometry;
mod laws;
mod shapes;
mod structure;
