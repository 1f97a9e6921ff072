//! Pictures of implicit surfaces, traced directly: no mesh between the field and the eye.
//!
//! ```text
//! Camera → Ray → first hit, proved by bounds (hit.rs, swell.rs) → light, sky and what stands in their way (light.rs),
//! asked again where samples disagree (rounds.rs) → Image
//! Camera → tiles of rays, side by side (depth.rs) → Depth
//! Cut → fields in a plane (cut.rs) → Image
//! ```
//!
//! *The idea*: along a ray every field has a tangent and a guaranteed bound of its bend, so a search knows how far it may
//! go without meeting anything: nothing thin is missed and there is no step to tune.
//! *Promised*: the same pixels for any number of threads.

mod camera;
mod cut;
mod depth;
mod hit;
mod image;
mod light;
mod motion;
mod moved;
mod random;
mod rounds;
mod scales;
mod swell;
#[cfg(test)]
mod tests;

pub use camera::Camera;
pub use cut::{Cut, cut, rise, tint};
pub use depth::{Depth, Surface, depth};
pub use hit::{Hit, Ray, Seen, Stage};
pub use image::{Image, Settings, View, heat, paint};
pub use light::Light;
pub use motion::Motion;
pub use moved::{diverging, moved};
pub use scales::{Scale, scales};
