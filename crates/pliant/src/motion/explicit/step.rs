//! The explicit step, phase by phase.

use super::accept::{self, ENERGY_WARNING};
use super::impulses;
use crate::motion::checkpoint::Checkpoint;
use crate::motion::forces::{update_forces, update_forces_over, update_shear};
use crate::motion::stats::Stopwatch;
use crate::motion::stepper::Stepper;
use crate::motion::tunnelling;
use crate::state::{LayerPair, SleepState, StepMotion, WarningKind};

/// Times a step is rejected before it is kept as it is. Each retry is shorter by at least a tenth.
const MAX_RETRIES: usize = 24;

impl Stepper<'_> {
    /// A step of `dt` seconds, retried shorter while it is rejected.
    pub(crate) fn explicit_step(&mut self, mut dt: f64) {
        let start = Checkpoint::of(self.state, self.derived);
        let smallest = self.model.settings.smallest_step;
        for retries in 0.. {
            let motion = self.first_half(dt);
            if self.derived.is_cancelled() {
                return;
            }
            let Some(rejection) = accept::rejection(self.sim(), &start.contacts, &motion) else {
                return self.second_half(&start, &motion);
            };
            if retries == MAX_RETRIES || dt <= smallest {
                if let Some(kind) = rejection.warning {
                    self.warn((rejection.pair.a.body, rejection.pair.b.body), kind);
                }
                return self.second_half(&start, &motion);
            }
            self.stats.rejected += 1;
            start.restore(self.state, self.derived);
            dt = rejection.shorter.max(smallest);
        }
    }

    /// One leapfrog step of exactly `dt` seconds, kept in any case.
    pub fn unchecked_explicit_step(&mut self, dt: f64) {
        let start = Checkpoint::of(self.state, self.derived);
        let motion = self.first_half(dt);
        self.second_half(&start, &motion);
        update_forces(self.model, self.state, self.derived);
    }

    /// Impulse, motion, contacts.
    fn first_half(&mut self, dt: f64) -> StepMotion {
        let watch = Stopwatch::start();
        self.state.sleep.as_mut_slice().fill(SleepState::Awake(0.0));
        update_forces_over(self, 0.5 * dt, None);
        impulses::apply(self, 0.5 * dt);
        let motion = StepMotion::begin(self.sim(), dt);
        self.state.time += dt;
        impulses::advance(self.model, self.state, dt);
        watch.stop(&mut self.stats.solve_time);
        let watch = Stopwatch::start();
        let seeds = self.derived.seeds(self.model);
        self.derived.find(self.model, self.state, Some(seeds));
        watch.stop(&mut self.stats.contact_time);
        motion
    }

    /// Warnings, shear, impulse.
    fn second_half(&mut self, start: &Checkpoint, motion: &StepMotion) {
        self.stats.steps += 1;
        self.stats.max_contacts = self.stats.max_contacts.max(self.derived.contacts.len());
        tunnelling::warn_bottomed_out(self.model, self.state, self.derived);
        tunnelling::warn_passed_through(self, &start.contacts, motion);
        // Longer steps are chosen so that nothing is missed.
        if motion.dt <= self.model.settings.smallest_step {
            tunnelling::warn_missed(self, &start.contacts, motion);
        }
        self.update_pair_ledgers(true);
        update_shear(self.model, self.state, self.derived, motion);
        update_forces_over(self, 0.5 * motion.dt, Some(motion));
        impulses::apply(self, 0.5 * motion.dt);
    }

    /// Opens the energy ledgers of pairs that begin to touch and closes those of pairs that have parted; warns where the elastic
    /// work of a pair that has parted does not sum to zero.
    pub fn update_pair_ledgers(&mut self, complete: bool) {
        let pairs: Vec<LayerPair> = self.sim().dynamic_pairs().collect();
        let ended = self.state.ledger.update_pairs(pairs.into_iter(), complete);
        for entry in ended.iter().filter(|a| a.complete) {
            if entry.elastic.abs() > 0.5 * ENERGY_WARNING * entry.exchanged {
                self.warn((entry.pair.a.body, entry.pair.b.body), WarningKind::EnergyNotKept);
            }
        }
    }
}
