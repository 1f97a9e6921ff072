//! A simulation to be stepped.

use super::stats::StepStats;
use crate::state::{Derived, Model, Sim, State, Warning, WarningKind};

/// A simulation to be stepped.
pub(crate) struct Stepper<'a> {
    pub model: &'a Model,
    pub state: &'a mut State,
    pub derived: &'a mut Derived,
    pub stats: &'a mut StepStats,
}

impl Stepper<'_> {
    pub fn sim(&self) -> Sim<'_> {
        Sim { model: self.model, state: self.state, derived: self.derived }
    }

    /// Raises a warning about two bodies.
    pub fn warn(&mut self, bodies: (usize, usize), kind: WarningKind) {
        let time = self.state.time;
        self.state.warnings.raise(Warning { time, bodies, kind, size: None });
    }
}
