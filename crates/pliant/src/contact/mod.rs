//! Contact: pressure-field (hydroelastic) contact, by the surface two bodies share, the pressure on it, and its forces.
//!
//! *The idea* ([G93] §3, [CD97] §III): where two fields overlap, the bodies meet on the surface where their
//! pressures are equal. That surface is found to a tolerance, held as a value ([`Patch`]) and integrated by quadrature.
//!
//! ```text
//! broad_phase       boxes that overlap
//! pair, depth       two placed fields; depth of their overlap
//! law/              pressure, contact surface, damping, friction: each written once
//! frame             both fields in one frame across the contact, with only the elements that reach it
//! ascent, boxes     points of the surface by Newton and ascent; cells of the frame
//! persistent_chart  chords of a patch, fixed to both bodies and reused by the next query
//! quadrature/       axisymmetric · chords · polar · adaptive cells · tetrahedra
//! search/           where there is an overlap, with proof that nothing else overlaps
//! patch             the value; forces: its forces on both bodies; energy/: the energy it stores
//! ccd, gjk_distance first touch along trajectories; bounds of the distance of convex solids (GJK)
//! ```
//!
//! A file uses only files that do not use it. *What we changed*: stiffnesses weigh the surface, so that action equals
//! reaction for unlike bodies; an average voxel area is replaced by quadrature that converges; bounds, not samples, decide
//! that there is no contact. *Not promised*: a patch narrower than [`Patch::resolved_to`] beside a found one may be
//! missed; the value says how narrow.
//!
//! [G93]: https://doi.org/10.1145/166117.166157
//! [CD97]: https://doi.org/10.1109/2945.582343

mod boxes;
mod broad_phase;
mod persistent_chart;
mod possible_overlap;
mod ccd;
mod ascent;
mod depth;
mod energy;
mod forces;
mod frame;
pub(crate) mod law;
mod pair;
mod patch;
mod quadrature;
mod quality;
mod search;
mod separation;
mod gjk_distance;

pub(crate) use broad_phase::BoxGrid;
pub(crate) use ccd::{Approach, STRIDE, Trajectory, ascent_finds_overlap, first_touch, touch_at};
pub(crate) use depth::{is_coarse, is_enclosed};
pub use energy::elastic_energy;
pub use forces::{ContactForces, RelativeMotion};
pub use law::{ContactLaw, Probe, ShearState, ShearStep, SurfaceKind};
pub(crate) use law::{friction_limit, normal_damping, saturation_divisor};
pub use pair::{Pair, Side};
pub use patch::{FoundPatches, Method, Patch, PatchPoint, WarmStart, Wrench};
pub use persistent_chart::{CHART_LEN, ChordCounts, ChordFamily, PatchSizes, PersistentChart};
pub use quality::{Quality, Resolution};
pub(crate) use separation::Separation;
