//! Acceptance of explicit steps: overlap and energy error.

use crate::bodies::LinkId;
use crate::contact;
use crate::motion::changes::{PairChange, pair_changes};
use crate::state::{Contact, Derived, LayerIndex, LayerPair, Sim, StepMotion, WarningKind};

/// Growth of an overlap in a step, over the thinner thickness, that is kept even beyond `largest_overlap`.
const MAX_OVERLAP_GROWTH: f64 = 0.1;
/// Part of a contact's energy that a first touch, or the last, may make or lose. Larger: bounces lose height. Smaller:
/// short steps at every touch.
pub(crate) const IMPACT_ENERGY_TOLERANCE: f64 = 1e-4;
/// The same for a step that begins and ends in contact; these errors change sign, so they may be larger. It is meant for a
/// `step_safety` of [`REFERENCE_SAFETY`].
pub(crate) const SUSTAINED_ENERGY_TOLERANCE: f64 = 5e-4;
/// The `step_safety` that [`SUSTAINED_ENERGY_TOLERANCE`] is meant for; errors go with the cube of a step.
const REFERENCE_SAFETY: f64 = 0.02;
/// Error that the retry is to have, over the one allowed.
const ERROR_TARGET: f64 = 0.6;

/// Energy made or lost from which on there is a warning, over what the contact exchanged. Smaller: the tolerance of contact
/// forces shows. Larger: a ball that drops a few times has noticeably the wrong height.
pub(super) const ENERGY_WARNING: f64 = 0.01;

/// Why a step is rejected.
pub(super) struct Rejection {
    pub pair: LayerPair,
    /// A length that should do, s.
    pub shorter: f64,
    /// Raised if no retry is left.
    pub warning: Option<WarningKind>,
}

/// Load of all contacts of a pair at one end of a step.
#[derive(Clone, Copy, Default)]
struct ContactLoad {
    /// N/m.
    stiffness: f64,
    load: f64,
    overlap: f64,
}

impl ContactLoad {
    fn of(contacts: &[Contact]) -> Self {
        contacts.iter().fold(Self::default(), |sum, c| Self {
            stiffness: sum.stiffness + c.patch.stiffness,
            load: sum.load + c.patch.load,
            overlap: sum.overlap.max(c.patch.overlap),
        })
    }
}

/// Why a step whose contacts were `before` is rejected, if it is: a contact is too deep, else the energy
/// error that asks for the shortest retry.
pub(super) fn rejection(sim: Sim, before: &[Contact], motion: &StepMotion) -> Option<Rejection> {
    too_deep(sim, before, motion.dt).or_else(|| energy_error(sim, before, motion))
}

/// The first contact whose overlap is too deep and was not nearly so `before` the step.
fn too_deep(sim: Sim, before: &[Contact], dt: f64) -> Option<Rejection> {
    let thickness = |at: LayerIndex| sim.body(at.body).coat[at.layer].shape.min_thickness();
    let depth = |c: &Contact| c.patch.overlap / thickness(c.pair.a).min(thickness(c.pair.b));
    let limit = sim.model.settings.largest_overlap;
    let was = |pair: &LayerPair| Derived::contacts_between(before, pair).iter().map(depth).fold(0.0, f64::max);
    let deep = sim.contacts().iter().find(|c| depth(c) > limit && depth(c) > was(&c.pair) + MAX_OVERLAP_GROWTH);
    // A pair that pressed and has no surface to press on any more has parted, or one is inside the other.
    let enclosed = |c: &&Contact| {
        Derived::contacts_between(sim.contacts(), &c.pair).is_empty() && contact::is_enclosed(&sim.pair(&c.pair))
    };
    let rejected = deep.or_else(|| before.iter().find(enclosed))?;
    Some(Rejection { pair: rejected.pair, shorter: 0.5 * dt, warning: Some(WarningKind::OverlapTooDeep) })
}

/// The contact that made or lost the most energy in the step, for its own, if that is too much.
fn energy_error(sim: Sim, before: &[Contact], motion: &StepMotion) -> Option<Rejection> {
    let rejections = pair_changes(before, sim.contacts()).filter_map(|change| energy_error_of(sim, &change, motion));
    rejections.reduce(|worst, rejection| if rejection.shorter < worst.shorter { rejection } else { worst })
}

fn energy_error_of(sim: Sim, change: &PairChange, motion: &StepMotion) -> Option<Rejection> {
    let PairChange { pair, before, now } = change;
    let (was, is) = (ContactLoad::of(before), ContactLoad::of(now));
    let patch = &now.first().or(before.first())?.patch;
    let (normal, p) = (patch.mean_normal(), patch.center_of_pressure);
    let [a, b] = sim.links_of(pair);
    let inverse_mass = sim.link(a).inverse_effective_mass(p, normal) + sim.link(b).inverse_effective_mass(p, normal);
    if inverse_mass == 0.0 {
        return None;
    }
    let shift = |i: LinkId| motion.displacement(sim, i, p).shift;
    let distance = (shift(b) - shift(a)).dot(normal).abs();
    let speed = distance / motion.dt;
    // A ball's overlap stores a third of its load times its depth.
    let stored = (is.load * is.overlap).max(was.load * was.overlap) / 3.0;
    let energy = 0.5 * speed * speed / inverse_mass + stored;
    let (error, allowed, shorter) = match (before.is_empty(), now.is_empty()) {
        (false, false) => {
            let error = distance * distance * (is.stiffness - was.stiffness).abs() / 12.0;
            let allowed = SUSTAINED_ENERGY_TOLERANCE
                * (sim.model.settings.step_safety / REFERENCE_SAFETY).powi(3).max(1.0)
                * energy;
            (error, allowed, (ERROR_TARGET * allowed / error).cbrt())
        }
        (fresh, _) => {
            let ContactLoad { load, overlap, .. } = if fresh { is } else { was };
            // They did not come so deep in this step: a shorter one would find the same.
            if overlap > 2.0 * distance {
                return None;
            }
            let error = load * (0.5 * distance - overlap / 3.0).max(overlap / 6.0);
            let allowed = IMPACT_ENERGY_TOLERANCE * energy;
            // Loads go with the square of the depth, or nearly.
            let ratio = (ERROR_TARGET * allowed / error).sqrt();
            let inside = (overlap / distance).min(1.0);
            (error, allowed, if fresh { 1.0 - inside * (1.0 - ratio) } else { ratio })
        }
    };
    let shorter = motion.dt * shorter.clamp(0.05, 0.9);
    let warning = (error > ENERGY_WARNING * energy).then_some(WarningKind::EnergyNotKept);
    (error > allowed).then_some(Rejection { pair: *pair, shorter, warning })
}
