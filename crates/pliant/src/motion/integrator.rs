//! Choice of the integrator and of the length of a step.

use super::implicit::{LinearizedContacts, longest_implicit_step};
use super::stats::{StepStats, Stopwatch};
use super::step_size::{even_step, longest_explicit_step};
use super::stepper::Stepper;

/// Buffers reused from step to step, and counts of work.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Contacts assembled for the solver.
    pub linearized: LinearizedContacts,
    /// Counts and times.
    pub stats: StepStats,
}

/// One of the steps that take the state of `stepper` to `time`, which is ahead.
pub(crate) fn step_towards(stepper: &mut Stepper, linearized: &mut LinearizedContacts, time: f64) {
    let watch = Stopwatch::start();
    let left = time - stepper.state.time;
    if stepper.model.is_implicit() {
        let limits = longest_implicit_step(stepper.model, stepper.state, stepper.derived);
        stepper.implicit_step(linearized, even_step(left, limits.pressing).min(limits.first_touch));
    } else {
        let longest = longest_explicit_step(stepper.model, stepper.state, stepper.derived);
        stepper.explicit_step(even_step(left, longest));
    }
    // Rounding must not leave a sliver of a frame.
    if (stepper.state.time - time).abs() < 1e-9 * left {
        stepper.state.time = time;
    }
    watch.stop(&mut stepper.stats.total_time);
}
