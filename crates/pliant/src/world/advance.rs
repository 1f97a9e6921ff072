//! Advancing in time, and cancellation.

use super::World;
use crate::contact::{Quality, Resolution};
use crate::model::MotionSettings;
use crate::motion;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Failure of [`World::advance_to`]. The world is as it was, or at its last whole step if it was cancelled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AdvanceError {
    /// Not a number, infinite, or so late that steps are lost in rounding.
    #[error("{0} s is no time a world can advance to")]
    NoTime(f64),
    /// A time before the present.
    #[error("the world is at {now} s and cannot advance back to {to} s; restore a snapshot of that time")]
    Back {
        /// Time asked for, s.
        to: f64,
        /// [`World::time`].
        now: f64,
    },
    /// A setting out of range.
    #[error("{name} is {value}, and must be {expected}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Values allowed.
        expected: &'static str,
    },
    /// Stopped by [`Cancel::cancel`], at [`World::time`].
    #[error("cancelled")]
    Cancelled,
}

/// Cancels an advance from another thread. Clones share one flag.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Cancels every advance that was given this flag, within its step.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether [`Cancel::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl World {
    /// Advances to `time`, in as many steps as it takes.
    pub fn advance_to(&mut self, time: f64) -> Result<(), AdvanceError> {
        self.advance_or_cancel(time, None)
    }

    /// [`World::advance_to`] that can be cancelled from another thread. It then ends within a step, and leaves the world at
    /// its last whole step.
    pub fn advance_to_or_cancel(&mut self, time: f64, cancel: &Cancel) -> Result<(), AdvanceError> {
        self.advance_or_cancel(time, Some(cancel))
    }

    fn advance_or_cancel(&mut self, time: f64, cancel: Option<&Cancel>) -> Result<(), AdvanceError> {
        self.check_settings()?;
        // Later, a step is less than the rounding of the time.
        if !time.is_finite() || time + self.model.settings.smallest_step == time {
            return Err(AdvanceError::NoTime(time));
        }
        if time < self.state.time {
            return Err(AdvanceError::Back { to: time, now: self.state.time });
        }
        let ahead = self.state.time < time;
        while self.state.time < time {
            if self.step_towards(time, cancel).is_err() {
                // Contacts as a resumed run finds them.
                let state = self.state.clone();
                let restored = self.restore(&state);
                debug_assert!(restored.is_ok());
                return Err(AdvanceError::Cancelled);
            }
        }
        if ahead {
            // Rounding may have carried the last step past the end.
            self.state.time = time;
        }
        // A run and its resumption must agree here. Explicit steps go on from contacts found from positions alone; implicit
        // steps have found all patches, from seeds that are in the state.
        if !self.model.is_implicit() {
            self.find_contacts();
            self.stepper().0.update_pair_ledgers(true);
        }
        self.warn_of_bulges();
        Ok(())
    }

    /// One step towards `time`, which is ahead. If it is cancelled the state is not changed.
    pub(crate) fn step_towards(&mut self, time: f64, cancel: Option<&Cancel>) -> Result<(), AdvanceError> {
        let Some(cancel) = cancel else {
            self.free_step_towards(time);
            return Ok(());
        };
        if cancel.is_cancelled() {
            return Err(AdvanceError::Cancelled);
        }
        let before = self.state.clone();
        self.derived.cancel = Some(cancel.0.clone());
        self.free_step_towards(time);
        self.derived.cancel = None;
        if cancel.is_cancelled() {
            self.state = before;
            return Err(AdvanceError::Cancelled);
        }
        Ok(())
    }

    fn free_step_towards(&mut self, time: f64) {
        let (mut stepper, linearized) = self.stepper();
        motion::step_towards(&mut stepper, linearized, time);
    }

    /// One explicit step of exactly `dt` seconds, accepted whatever its error; or as many implicit steps as `dt` takes.
    pub fn step(&mut self, dt: f64) -> Result<(), AdvanceError> {
        self.check_settings()?;
        if !(dt > 0.0 && self.state.time + dt < f64::INFINITY) {
            return Err(AdvanceError::NoTime(self.state.time + dt));
        }
        if self.model.is_implicit() {
            return self.advance_to(self.state.time + dt);
        }
        self.stepper().0.unchecked_explicit_step(dt);
        Ok(())
    }

    /// Refuses settings out of range.
    fn check_settings(&self) -> Result<(), AdvanceError> {
        let MotionSettings { implicit_step, largest_step, smallest_step, step_safety, largest_overlap, .. } =
            self.model.settings;
        let Quality { resolution, cells_across, finest_cell, max_samples } = self.model.quality;
        let positive = [
            ("settings.smallest_step", smallest_step),
            ("settings.largest_step", largest_step),
            ("settings.implicit_step", implicit_step),
            ("settings.step_safety", step_safety),
            ("settings.largest_overlap", largest_overlap),
            ("quality.cells_across", cells_across as f64),
            ("quality.finest_cell", finest_cell),
            ("quality.max_samples", max_samples.into()),
            match resolution {
                Resolution::Tolerance(tolerance) => ("quality.resolution", tolerance),
                Resolution::Fixed { radial, angular } => ("quality.resolution", radial.min(angular) as f64),
            },
        ];
        if let Some((name, value)) = positive.into_iter().find(|(_, x)| !(*x > 0.0 && x.is_finite())) {
            return Err(AdvanceError::Setting { name, value, expected: "a number above 0" });
        }
        if largest_step < smallest_step {
            let expected = "no less than settings.smallest_step";
            return Err(AdvanceError::Setting { name: "settings.largest_step", value: largest_step, expected });
        }
        if !self.model.gravity.is_finite() {
            let value = self.model.gravity.length();
            return Err(AdvanceError::Setting { name: "gravity", value, expected: "a finite vector" });
        }
        Ok(())
    }
}
