//! The energy ledger: the work of every impulse, recorded when it is applied.
//!
//! *The idea*: the work of an impulse on a link is the impulse times the mean of the velocities before and after it. Work is
//! summed by cause; its difference from the change of kinetic, potential and stored energy is the error of the time stepping.
//! No entry is the remainder of the others.
//!
//! ```text
//! Δ(kinetic + potential + elastic) = external − dissipated + integrator
//! ```
//!
//! The work of a contact's elastic forces plus the change of the energy stored in its overlap is the integrator's error of
//! that contact. Bodies that have parted store nothing, so a contact that has ended needs no energy to be computed.

use super::contact::LayerPair;

/// Energy lost to modelled dissipation, J; no entry ever decreases.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dissipation {
    /// Coulomb friction of contacts.
    pub friction: f64,
    /// Viscous damping of contacts.
    pub damping: f64,
    /// Damping of springs and joints, stops at joint limits, broken springs.
    pub joints: f64,
}

impl Dissipation {
    /// Sum of all entries.
    pub fn total(&self) -> f64 {
        self.friction + self.damping + self.joints
    }
}

/// Work put in from outside, joules.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ExternalWork {
    /// By the drive of keyed bodies.
    pub keyed: f64,
    /// By motors of joints.
    pub motors: f64,
    /// By loads applied from code.
    pub applied: f64,
}

impl ExternalWork {
    /// Sum of all entries.
    pub fn total(&self) -> f64 {
        self.keyed + self.motors + self.applied
    }
}

/// Energy that the time stepping made (positive) or lost (negative), joules.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct IntegratorError {
    /// Elastic forces of contacts: their work and the change of the energy they store. Contacts that have ended, and gains of
    /// friction and damping; those that last are in [`Ledger::pairs`].
    pub contacts: f64,
    /// Springs and constraints of joints.
    pub joints: f64,
    /// Gravity: work of its impulses against the change of potential energy.
    pub gravity: f64,
    /// Impulses by which velocities differ from what the forces found give: tolerance of the solver.
    pub residual: f64,
    /// Energy taken from contacts that would have gained.
    pub passivity: f64,
    /// Motion of bodies put to sleep.
    pub sleep: f64,
    /// Free rotation of tumbling bodies.
    pub rotation: f64,
}

impl IntegratorError {
    /// Sum of all entries.
    pub fn total(&self) -> f64 {
        self.contacts + self.joints + self.gravity + self.residual + self.passivity + self.sleep + self.rotation
    }
}

/// Account of one pair of layers since they began to touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairLedger {
    /// Layers in contact.
    pub pair: LayerPair,
    /// Work of all its forces on its two links together, joules.
    pub work: f64,
    /// Sum of the absolute values of that work, joules.
    pub exchanged: f64,
    /// Work of its elastic forces alone, joules.
    pub elastic: f64,
    /// Energy stored in the overlap when the ledger was opened, joules.
    pub initial: f64,
    /// Whether it was opened when they met. A pair in contact from the start stores energy that no work has put there.
    pub complete: bool,
}

/// Energy recorded since the start, joules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    /// Losses to friction, damping and joints.
    pub dissipated: Dissipation,
    /// Work put in from outside.
    pub external: ExternalWork,
    /// Energy made or lost by the time stepping.
    pub integrator: IntegratorError,
    /// Energy stored in the shear of friction.
    pub shear: f64,
    /// Accounts of pairs that touch, in the order of contacts.
    pub pairs: Vec<PairLedger>,
}

impl Ledger {
    /// Books the work of friction on links. Its shear stores at most `capacity`; the rest is dissipated. Work beyond what was
    /// stored is the integrator's error.
    pub(crate) fn record_friction(&mut self, work: f64, capacity: f64) {
        let held = self.shear - work;
        self.shear = held.clamp(0.0, capacity.max(0.0));
        let lost = held - self.shear;
        self.dissipated.friction += lost.max(0.0);
        self.integrator.contacts += (-lost).max(0.0);
    }

    /// Books the work of damping on links, which should be negative.
    pub(crate) fn record_damping(&mut self, work: f64) {
        self.dissipated.damping += (-work).max(0.0);
        self.integrator.contacts += work.max(0.0);
    }

    /// Books the work of a damper, a stop or a broken spring of a joint, which should be negative.
    pub(crate) fn record_joint_loss(&mut self, work: f64) {
        self.dissipated.joints += (-work).max(0.0);
        self.integrator.joints += work.max(0.0);
    }

    /// Opens ledgers of pairs that have begun to touch and closes those of pairs that have parted, which it returns.
    /// `touching` is in order.
    pub(crate) fn update_pairs(
        &mut self,
        touching: impl Iterator<Item = LayerPair>,
        complete: bool,
    ) -> Vec<PairLedger> {
        let old = std::mem::take(&mut self.pairs);
        let mut rest = old.into_iter().peekable();
        let mut parted = Vec::new();
        for pair in touching {
            if self.pairs.last().is_some_and(|b| b.pair == pair) {
                continue;
            }
            while let Some(ended) = rest.next_if(|b| b.pair < pair) {
                parted.push(ended);
            }
            let known = rest.next_if(|b| b.pair == pair);
            self.pairs.push(known.unwrap_or(PairLedger::new(pair, complete)));
        }
        parted.extend(rest);
        for ended in &parted {
            self.integrator.contacts += ended.elastic - ended.initial;
        }
        parted
    }

    /// The ledger of `pair`, opened if there is none.
    pub(crate) fn of_pair(&mut self, pair: LayerPair) -> &mut PairLedger {
        let at = match self.pairs.binary_search_by_key(&pair, |b| b.pair) {
            Ok(at) => at,
            Err(at) => {
                self.pairs.insert(at, PairLedger::new(pair, true));
                at
            }
        };
        &mut self.pairs[at]
    }

    /// Whether all numbers are finite.
    pub(crate) fn is_finite(&self) -> bool {
        let sums = self.dissipated.total() + self.external.total() + self.integrator.total() + self.shear;
        let pairs = self.pairs.iter().flat_map(|b| [b.work, b.exchanged, b.elastic, b.initial]);
        sums.is_finite() && pairs.into_iter().all(f64::is_finite)
    }
}

impl PairLedger {
    fn new(pair: LayerPair, complete: bool) -> Self {
        Self { pair, work: 0.0, exchanged: 0.0, elastic: 0.0, initial: 0.0, complete }
    }

    /// Integrator's error of this contact if it stores `stored` joules now, J.
    pub(crate) fn integrator_error(&self, stored: f64) -> f64 {
        self.elastic + stored - self.initial
    }
}
