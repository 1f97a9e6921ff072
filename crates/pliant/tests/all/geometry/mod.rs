//! Surfaces: what is measured and what is found wrong with them.

mod mesh;
mod touching;
