//! Pliant: soft bodies as implicit surfaces that share exact contact surfaces.
//!
//! | to | use |
//! |---|---|
//! | make a world from a scene file | [`Scene::load`](model::Scene::load), [`World::new`] |
//! | make a world in code | [`BodySpec`](model::BodySpec), [`NewBody`](bodies::NewBody), [`World::from_bodies`] |
//! | move a body by a law of one's own | [`MotionLaw`](bodies::MotionLaw) |
//! | step, and cancel | [`World::advance_to`], [`Cancel`] |
//! | add and remove bodies and joints | [`World::add_body`], [`World::add_joint`], [`BodyId`](bodies::BodyId) |
//! | apply forces | [`World::set_applied_wrench`], [`World::apply_impulse`] |
//! | read contacts, energy, warnings | [`World::contacts`], [`World::energy`], [`World::warnings`] |
//! | read visible shapes | [`World::deformed`], [`World::volume`], [`surface`] |
//! | save and restore a moment | [`World::snapshot`], [`World::restore`] |
//! | record a run, and read it | [`record`] |
//! | draw and export | [`render`], [`export`] |
//!
//! Modules are declared in the order of the data flow; a module uses only those above it (a test keeps this).
//!
//! # Papers
//! Keys in brackets; `PAPERS.md` has the full citations, what is built from each, and where we depart from them.
//! G93: Gascuel 1993, exact contact. CD97: Cani-Gascuel and Desbrun 1997, layered models. HF94: Harrison and Forsey
//! 1994, kinematic skins. OC97: Opalach and Cani-Gascuel 1997, local deformations. FP01: Frisken and Perry 2001,
//! distance-field impact.

#![deny(unsafe_code)]

/// The README's Rust compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

pub mod math;
pub mod fields;
pub mod model;
pub mod bodies;
pub mod contact;
pub mod visible;
pub mod state;
mod motion;
mod world;
pub mod scene;
pub mod surface;
pub mod record;
pub mod render;
pub mod export;
pub mod verify;

pub use motion::StepStats;
pub use state::{Contact, LayerIndex, LayerPair, State, StateError, Warning, WarningKind};
pub use world::{AdvanceError, Cancel, Energy, World};
