//! The state of a simulation, and the contacts found from it.
//!
//! ```text
//! Model    bodies, joints, materials, settings: constant during steps
//! State    everything a step changes: a plain value that is saved, compared and restored
//! Derived  contacts and candidate pairs: functions of model and state, kept because they are costly
//! Sim      read access to all three at one moment
//! ```
//!
//! *The idea*: a snapshot is a [`State`], undoing a step restores a [`State`], and a cache stores a [`State`]. Any number
//! that must survive a step is a field of it, and nowhere else. Bodies, links and joints are in the order of their names,
//! so that no result depends on the order of a scene. *Public* are the state and its parts; model, derived data and the
//! search for contacts are reached through [`World`](crate::World).

mod contact;
mod derived;
mod find_contacts;
mod friction_state;
mod kinematics;
mod ledger;
mod model;
mod configuration;
mod pair_cache;
mod sim;
#[expect(clippy::module_inception, reason = "the file of the struct `State`")]
mod state;
mod warning;

pub use contact::{Contact, LayerIndex, LayerPair, PairWarmStart};
pub(crate) use derived::Derived;
pub(crate) use find_contacts::MovedLinks;
pub use friction_state::FrictionState;
pub(crate) use kinematics::{LinkMotion, StepMotion};
pub use ledger::{Dissipation, ExternalWork, IntegratorError, Ledger, PairLedger};
pub(crate) use model::{Model, sorted_by_name};
pub(crate) use pair_cache::{MAX_PAIRS, is_crowded};
pub(crate) use sim::{MIN_PARALLEL, Sim};
pub use state::{SleepState, State, StateError};
pub use warning::{Warning, WarningKind, Warnings};
