//! Pictures of implicit surfaces, traced directly: no mesh between the field and the eye.
//!
//! ```text
//! Camera → Ray → first hit, proved by bounds (hit.rs) → light, sky and what stands in their way (light.rs) → Image
//! ```
//!
//! *The idea*: a ray is a thin cell, over which every field has guaranteed bounds. A root found by sampling is the first
//! one if bounds leave no room for another before it; so nothing thin is missed and there is no step to tune.
//! *Promised*: the same pixels for any number of threads.

mod camera;
mod hit;
mod image;
mod light;
mod random;

pub use camera::Camera;
pub use hit::{Hit, Ray, Seen, Stage};
pub use image::{Image, Settings, View, paint};
pub use light::Light;
