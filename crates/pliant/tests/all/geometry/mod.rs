//! Surfaces: measurements and faults.

mod mesh;
mod touching;
