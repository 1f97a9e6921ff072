//! Vectors, frames, boxes, quadrature and roots: what every later stage computes with.
//!
//! *The idea*: small values, no state. *Not promised*: `f64` throughout, so nothing here is meant for a GPU.

mod bounds;
mod bvh;
mod frame;
mod gjk;
pub(crate) mod lanes;
mod principal_axes;
mod quadrature;
mod random;
pub(crate) mod real;
mod roots;
mod union_find;

pub use bounds::{Aabb, Cell, Interval};
pub use bvh::Bvh;
pub(crate) use bvh::box_distance_sq;
pub use frame::Frame;
pub(crate) use gjk::separation;
pub use glam::{DMat3, DQuat, DVec3};
pub(crate) use principal_axes::diagonalise;
pub use quadrature::{GaussRule, adaptive, gauss, gauss_radial, radial_check};
pub use random::Random;
pub use roots::{bracketed_root, refine_root};
pub(crate) use union_find::UnionFind;
