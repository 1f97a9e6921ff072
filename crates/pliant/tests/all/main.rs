//! What the engine promises.

mod structure;
