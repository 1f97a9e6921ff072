//! One step of either scheme, as long as it may be.

use super::implicit::longest_implicit_step;
use super::stats::Stopwatch;
use super::step_size::{even_step, longest_explicit_step};
use super::stepper::Stepper;

impl Stepper<'_> {
    /// [`Stepper::step_towards`], and its time.
    pub fn timed_step_towards(&mut self, time: f64) {
        let watch = Stopwatch::start();
        self.step_towards(time);
        watch.stop(&mut self.scratch.stats.total_time);
    }

    /// One of the steps that take the state to `time`, which is ahead.
    fn step_towards(&mut self, time: f64) {
        let left = time - self.state.time;
        if self.model.is_implicit() {
            let limits = longest_implicit_step(self.model, self.state, self.derived);
            self.implicit_step(even_step(left, limits.pressing).min(limits.first_touch));
        } else {
            let longest = longest_explicit_step(self.model, self.state, self.derived);
            self.explicit_step(even_step(left, longest));
        }
        // Rounding must not leave a sliver of a frame.
        if (self.state.time - time).abs() < 1e-9 * left {
            self.state.time = time;
        }
    }
}
