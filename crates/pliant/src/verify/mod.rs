//! Laws, measured: every number users can read is held against a closed form or a conservation law.
//!
//! *The idea*: each group of laws measures the engine through its public calls, and states the expected number, the number
//! got and the bound of their difference. `pliant verify` prints them; a test runs them.

mod check;
mod closed_forms;
mod deformation;
mod edges;
mod impact;
mod implicit;
mod motion;
mod potential;
mod queries;
mod setup;
mod symmetry;
pub mod throws;
mod joints;
mod volume;

pub use check::{Check, Claim};
use check::{Measured, excess, greatest, least, worse};

/// Of a group whose scene could not be built, or did not run to its end: nothing was measured.
fn failed() -> Vec<Check> {
    vec![Check::yes("the scene could be built and run", false)]
}

/// A group of laws with its name.
pub type Group = (&'static str, fn() -> Vec<Check>);

/// Every group: fields and patches first, then motion, then visible shapes.
pub const GROUPS: [Group; 33] = [
    ("closed forms", closed_forms::kernels),
    ("curved patch and convergence", closed_forms::curved),
    ("straight edges and kinks", edges::boxes),
    ("thin through thick", edges::thin_through_thick),
    ("flesh and bone", queries::core),
    ("turning changes nothing", symmetry::orientation),
    ("action and reaction", symmetry::reaction),
    ("warm queries", queries::warm),
    ("keyed bodies", queries::keyed),
    ("same bits", symmetry::bits),
    ("force is the gradient of a potential", potential::gradient),
    ("energy and momentum", || motion::conservation().unwrap_or_else(failed)),
    ("hard impacts", || impact::hard().unwrap_or_else(failed)),
    ("strong damping", || impact::damped().unwrap_or_else(failed)),
    ("rest and friction", || motion::rest().unwrap_or_else(failed)),
    ("turntable", || impact::turntable().unwrap_or_else(failed)),
    ("limits of the model", || motion::limits().unwrap_or_else(failed)),
    ("implicit steps: rest", || implicit::rest().unwrap_or_else(failed)),
    ("implicit steps: convergence", || implicit::converges().unwrap_or_else(failed)),
    ("implicit steps: throws", || implicit::throws().unwrap_or_else(failed)),
    ("implicit steps: random throws", throws::law),
    ("implicit steps: stacks and sleep", || implicit::stacks().unwrap_or_else(failed)),
    ("implicit steps: same bits", implicit::bits),
    ("joints", || joints::joints().unwrap_or_else(failed)),
    ("springs", || joints::springs().unwrap_or_else(failed)),
    ("joints and springs: same bits", || joints::bits().unwrap_or_else(failed)),
    ("bodies share one surface", deformation::shared_surface),
    ("bulges are smooth", deformation::smoothness),
    ("bulges lean into the motion", deformation::leaning),
    ("flesh and bone, seen", deformation::layers),
    ("volume pressed away", volume::pressed_away),
    ("volume is kept", volume::kept),
    ("where volume can be kept", volume::window),
];
