//! Visible shapes: the field of a body as its colliders deform it, and the volume it keeps.
//!
//! *The idea* ([G93] §3, [CD97] §III, [OC97] §3): inside a collider a body is compressed onto the contact surface, beside
//! it the body bulges.
//!
//! ```text
//! Collider   a layer that presses on a body, with a bulge source at each of its patches
//!   → bulge     height of the bulge beside a collider; profiles are in `profile`
//!   → Deformed  the visible field: rest, less compression, plus bulges, which never cross a median surface
//!   → volume    bulge heights that keep the volume, measured by columns over facets of the rest surface
//! ```
//!
//! *What we changed*: stiffnesses weigh the shared surface, bulge heights are solved for instead of given, and a volume
//! comes with an estimate of its error. *Not promised*: forces. They come from rest fields alone (`contact`); a deformed
//! field is a view of the state and costs nothing until it is asked for.
//!
//! [G93]: https://doi.org/10.1145/166117.166157
//! [CD97]: https://doi.org/10.1109/2945.582343
//! [OC97]: crate#papers

mod bulge;
mod collider;
mod columns;
mod deformed;
mod facets;
mod profile;
#[cfg(test)]
mod tests;
mod volume;

pub use collider::{BulgeSource, Collider};
pub(crate) use collider::{DilationSpan, DilationZone, SKEW_SPEED};
pub use columns::VolumeChange;
pub use deformed::Deformed;
pub(crate) use profile::Dilation;
