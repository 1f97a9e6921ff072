//! The friction state: shear of each patch, kept from one search for contacts to the next.

use super::contact::LayerPair;
use crate::contact::{Patch, ShearState};
use crate::math::DVec3;

/// Greatest distance between a patch and its predecessor, in radii of the patch. Smaller: a patch that splits or shrinks
/// loses its shear. Larger: a patch that begins beside another inherits its shear.
const SAME_PATCH: f64 = 4.0;

/// Shear of one patch, which is identified by its pair and its position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionState {
    /// Layers in contact.
    pub pair: LayerPair,
    /// Reference point of the patch, world, m.
    pub reference: DVec3,
    /// Shift and turn of b against a since the patch began to stick.
    pub shear: ShearState,
    /// Load of the patch, newtons.
    pub load: f64,
}

impl FrictionState {
    pub(super) fn new(pair: LayerPair, patch: &Patch, shear: ShearState) -> Self {
        Self { pair, reference: patch.reference, shear, load: patch.load }
    }

    /// Whether all of its numbers are finite.
    pub(crate) fn is_finite(&self) -> bool {
        self.reference.is_finite() && self.shear.offset.is_finite() && (self.shear.turn + self.load).is_finite()
    }
}

/// Shear that `patch`, one of `count` of its pair, inherits from the patches its pair had `before`: that of the nearest, if
/// it is near enough.
///
/// The stiffness of friction is proportional to the load. Under a higher load the traction stays and the shear shrinks;
/// otherwise pressing a sheared patch would store energy in friction that no work has put there.
pub(super) fn inherited_shear(patch: &Patch, count: usize, before: &[FrictionState]) -> ShearState {
    let distance = |g: &FrictionState| g.reference.distance(patch.reference);
    let Some(nearest) = before.iter().min_by(|p, q| distance(p).total_cmp(&distance(q))) else {
        return ShearState::default();
    };
    // The only patch of a pair stays the only one, however fast it rolls along.
    let alone = count == 1 && before.len() == 1;
    let places = || patch.border.iter().copied().chain(patch.points.iter().map(|p| p.position));
    let radius = || places().map(|p| p.distance(patch.reference)).fold(0.0, f64::max);
    if !alone && distance(nearest) > SAME_PATCH * radius() {
        return ShearState::default();
    }
    let FrictionState { shear, load, .. } = *nearest;
    if load < patch.load { shear.scaled(load / patch.load) } else { shear }
}
