//! One simulation, taken apart by how long things live.
//!
//! ```text
//! Model    bodies, joints, materials, settings: what no step changes
//! State    everything a step changes: a plain value that is saved, compared and gone back to
//! Derived  contacts and candidate pairs: functions of model and state, kept because they are costly
//! Sim      read access to all three at one moment
//! ```
//!
//! *The idea*: going back is restoring a [`State`]; a snapshot is a [`State`]; a cache stores a [`State`]. A new number that
//! must survive a step is a field here, and nowhere else. Bodies, links and joints are in the order of their names, so that
//! no result depends on the order of a scene.

mod contact;
mod derived;
mod find;
mod friction;
mod kinematics;
mod ledger;
mod model;
mod pairs;
mod sim;
mod value;
mod warning;

pub use contact::{Contact, LayerPair, PairSeed};
pub use derived::Derived;
pub use friction::FrictionState;
pub use kinematics::Displacement;
pub(crate) use kinematics::{LinkMotion, StepMotion};
pub use ledger::{Dissipation, ExternalWork, IntegratorError, Ledger, PairLedger};
pub use model::Model;
pub(crate) use model::sorted_by_name;
pub(crate) use pairs::{MOST_PAIRS, is_crowded};
pub use sim::Sim;
pub(crate) use sim::WORTH_SHARING;
pub use value::{Rest, State, StateError};
pub use warning::{Warning, WarningKind, Warnings};
