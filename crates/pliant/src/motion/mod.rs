//! Motion: one step of time, explicit or implicit.
//!
//! *The idea* ([G93] §2.3, [CD97] App.): move links, find contacts, apply their forces; a step that comes in too deep, or whose
//! forces and velocities do not agree, is taken back and shortened. Going back is restoring the [`State`] of before.
//! *What we changed*: explicit steps are leapfrog, which keeps energy, with a length chosen from the stiffness of the
//! patches; [implicit](implicit) steps are as long as a frame and stable however stiff bodies are.
//!
//! ```text
//! explicit   apply ½dt · advance dt · find contacts · accept or shorten · shear · apply ½dt
//! implicit   predict · (assemble · solve · advance · find contacts, until forces and velocities agree) · accept or cut
//! both       warn of bodies passed through · book energy · sleep
//! ```
//!
//! [G93]: https://doi.org/10.1145/166117.166157
//! [CD97]: https://doi.org/10.1109/2945.582343

pub(crate) mod ccd;
mod checkpoint;
mod explicit;
mod forces;
mod implicit;
mod passing;
pub(crate) mod sleep;
mod stats;
mod step_size;

pub(crate) use forces::update_forces;
pub(crate) use passing::{warn_bottomed_out, warn_starting_overlaps};
pub use stats::StepStats;
#[cfg(test)]
pub(crate) use step_size::first_touch_limit;

use crate::state::{Derived, Model, Sim, State};
use implicit::ContactRows;

/// Room that steps use again and again, and what they counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    rows: ContactRows,
    pub stats: StepStats,
}

/// A simulation to be stepped.
pub(crate) struct Stepper<'a> {
    pub model: &'a Model,
    pub state: &'a mut State,
    pub derived: &'a mut Derived,
    pub scratch: &'a mut Scratch,
}

impl Stepper<'_> {
    fn sim(&self) -> Sim<'_> {
        Sim { model: self.model, state: self.state, derived: self.derived }
    }

    /// [`Stepper::step_towards`], and its time.
    pub fn timed_step_towards(&mut self, time: f64) {
        let watch = stats::Stopwatch::start();
        self.step_towards(time);
        watch.stop(&mut self.scratch.stats.total_time);
    }

    /// One of the steps that take the state to `time`, which is ahead.
    fn step_towards(&mut self, time: f64) {
        let left = time - self.state.time;
        if self.model.is_implicit() {
            let limits = ccd::longest_implicit_step(self.model, self.state, self.derived);
            self.implicit_step(step_size::even_step(left, limits.pressing).min(limits.first_touch));
        } else {
            let longest = step_size::longest_explicit_step(self.model, self.state, self.derived);
            self.explicit_step(step_size::even_step(left, longest));
        }
        // Rounding must not leave a sliver of a frame.
        if (self.state.time - time).abs() < 1e-9 * left {
            self.state.time = time;
        }
    }
}
