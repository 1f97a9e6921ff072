//! Constitutive laws of a contact, each written once.
//!
//! | file | law |
//! |---|---|
//! | `pressure` | `p = K (f − c)` |

mod pressure;

pub(crate) use pressure::{pressure, pressure_sample};
