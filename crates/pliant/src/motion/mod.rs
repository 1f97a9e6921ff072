//! Motion: one step of time, explicit or implicit.
//!
//! *The idea* ([G93] §2.3, [CD97] App.): move links, find contacts, apply their forces; a step that comes in too deep, or
//! whose forces and velocities do not agree, is rejected and retried, shorter: the [`State`] at its start is restored. *What
//! we changed*: explicit steps are leapfrog, which keeps energy, with a length chosen from the stiffness of the patches;
//! [implicit](implicit) steps are as long as a frame and stable however stiff bodies are.
//!
//! ```text
//! explicit   apply ½dt · advance dt · find contacts · accept or retry · shear · apply ½dt
//! implicit   predict · (assemble · solve · advance · find contacts, until forces and velocities agree) · accept or retry
//! both       warn of bodies passed through · record energy · sleep
//! ```
//!
//! [G93]: https://doi.org/10.1145/166117.166157
//! [CD97]: https://doi.org/10.1109/2945.582343

mod changes;
mod checkpoint;
mod explicit;
mod forces;
mod implicit;
mod tunnelling;
mod integrator;
mod stats;
mod step_size;
mod stepper;

pub(crate) use forces::update_forces;
pub(crate) use implicit::LinearizedContacts;
pub(crate) use integrator::{Scratch, step_towards};
pub use stats::StepStats;
#[cfg(test)]
pub(crate) use step_size::first_touch_limit;
pub(crate) use stepper::Stepper;
pub(crate) use tunnelling::{warn_bottomed_out, warn_starting_overlaps};
