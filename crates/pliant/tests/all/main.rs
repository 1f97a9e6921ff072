//! The engine through its public calls, grouped by what is promised.

mod files;
mod laws;
mod structure;
