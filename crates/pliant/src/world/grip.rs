//! Which patch is which from one moment to another, so that each keeps its own shear.

use super::{Contact, LayerPair};
use crate::contact::{Patch, ShearState};
use crate::math::DVec3;

/// Where one of several patches was before, at most this many times its own reach away, it is taken for the same.
/// Smaller: one that splits or shrinks at once loses its hold. Larger: one that begins beside another inherits its shear.
const SAME: f64 = 4.0;

/// A patch and friction's memory of it. A patch is known by who touches, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionState {
    /// Who touches whom.
    pub touch: LayerPair,
    /// The patch's reference point, world.
    pub at: DVec3,
    /// How far it has been sheared.
    pub stick: ShearState,
    /// Under what load, newtons.
    pub load: f64,
}

impl FrictionState {
    pub(super) fn of(contact: &Contact) -> Self {
        Self { touch: contact.touch, at: contact.patch.reference, stick: contact.stick, load: contact.patch.load }
    }

    /// Whether all of its numbers are.
    pub fn is_finite(&self) -> bool {
        self.at.is_finite() && self.stick.offset.is_finite() && (self.stick.turn + self.load).is_finite()
    }
}

/// What `patch`, one of `count` of its touch, remembers of the grips its touch had before: those of the nearest, if it
/// can be the same.
///
/// Friction's spring is as stiff as the load is high. What presses harder than before grips unsheared: the traction
/// stays, and the shear shrinks; otherwise pressing a sheared patch would give friction more to give back than it took.
pub(super) fn remembered(patch: &Patch, count: usize, before: &[FrictionState]) -> ShearState {
    let distance = |g: &FrictionState| g.at.distance(patch.reference);
    let Some(nearest) = before.iter().min_by(|p, q| distance(p).total_cmp(&distance(q))) else {
        return ShearState::default();
    };
    // The only patch of a pair stays the only one, however fast it rolls along.
    let alone = count == 1 && before.len() == 1;
    let places = || patch.border.iter().copied().chain(patch.points.iter().map(|p| p.position));
    let reach = || places().map(|p| p.distance(patch.reference)).fold(0.0, f64::max);
    if !alone && distance(nearest) > SAME * reach() {
        return ShearState::default();
    }
    let FrictionState { stick, load, .. } = *nearest;
    if load < patch.load { stick.scaled(load / patch.load) } else { stick }
}
