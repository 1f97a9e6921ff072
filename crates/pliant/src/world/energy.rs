//! Energy of a world, by kind.

use super::World;
use crate::contact;
use crate::state::{Derived, Dissipation, ExternalWork, IntegratorError, LayerPair};
use rayon::prelude::*;

/// An overlap deeper than this fraction of the thinner thickness may overhang the border of its patch: its energy is then
/// integrated over the overlap instead of the patch.
const DEEP: f64 = 0.5;

/// Energy by kind, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Potential energy in gravity; zero at the world's origin.
    pub potential: f64,
    /// Elastic energy of overlaps of dynamic bodies, of the shear of friction, and of springs.
    pub elastic: f64,
    /// Energy lost to friction, damping and joints since the start.
    pub dissipated: Dissipation,
    /// Work put in from outside since the start.
    pub external: ExternalWork,
    /// Energy gained (positive) or lost by the time stepping since the start; lasting contacts included.
    pub integrator: IntegratorError,
}

impl Energy {
    /// `kinetic + potential + elastic`.
    pub fn mechanical(&self) -> f64 {
        self.kinetic + self.potential + self.elastic
    }

    /// Mechanical and dissipated energy, less external work and the integrator's error. Constant; a drift is energy that no
    /// entry accounts for.
    pub fn total(&self) -> f64 {
        self.mechanical() + self.dissipated.total() - self.external.total() - self.integrator.total()
    }
}

impl World {
    /// Energy by kind. Elastic energy is integrated over the present overlaps.
    pub fn energy(&self) -> Energy {
        let sim = self.sim();
        let ledger = &self.state.ledger;
        let (dissipated, external, integrator) = (ledger.dissipated, ledger.external, ledger.integrator);
        let mut energy = Energy { dissipated, external, integrator, ..Energy::default() };
        for i in self.model.links() {
            let link = sim.link(i);
            energy.kinetic += link.kinetic_energy();
            energy.potential -= link.mass().map_or(0.0, |m| m * self.model.gravity.dot(link.center()));
        }
        let mut pairs: Vec<LayerPair> = sim.dynamic_pairs().collect();
        pairs.dedup();
        let stored: Vec<f64> = pairs.par_iter().map(|p| self.stored_between(p)).collect();
        for (pair, stored) in pairs.iter().zip(&stored) {
            let entry = ledger.pairs.binary_search_by_key(pair, |b| b.pair).map(|at| &ledger.pairs[at]);
            energy.integrator.contacts += entry.map_or(0.0, |a| a.integrator_error(*stored));
        }
        let springs: f64 = sim.unbroken_joints().map(|(n, j)| j.stored_energy(&sim.joint_ends(n))).sum();
        energy.elastic = stored.iter().fold(ledger.shear, |sum, e| sum + e) + springs;
        energy
    }

    /// Energy stored in the overlaps of a pair that touches, J.
    pub(super) fn stored_between(&self, layers: &LayerPair) -> f64 {
        let pair = self.pair(layers);
        let contacts = Derived::contacts_between(self.contacts(), layers);
        let deepest = contacts.iter().map(|c| c.patch.overlap).fold(0.0, f64::max);
        if deepest <= DEEP * pair.min_thickness() {
            contacts.iter().map(|c| c.patch.energy(&pair)).sum()
        } else {
            contact::elastic_energy(&pair, &self.model.quality)
        }
    }
}
