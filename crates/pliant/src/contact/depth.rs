//! Depth of an overlap: along a normal, against the skeletons, and of a body wholly inside another.
//!
//! *The idea*: depths are measured on the rest shapes, by roots along a line. *Not promised*: [`is_enclosed`] and
//! [`Pair::bottomed_out`] sample skeleton points near the overlap; a body enclosed without any of them in both is not
//! detected.

use super::law::SurfaceKind;
use super::pair::{Pair, Side};
use super::patch::Patch;
use super::quality::Quality;
use crate::fields::Field;
use crate::math::{DVec3, refine_root};

/// An overlap deeper than this fraction of the thinner thickness may have passed a skeleton. Larger: a body that has
/// passed through is not detected. Smaller: more points are probed for every patch.
const DEEP: f64 = 0.5;

/// An overlap less deep than this fraction of the thinner side does not reach a skeleton; depths are known to first
/// order.
pub(super) const SHALLOW: f64 = 0.8;

/// Accuracy of an exit distance, as a fraction of itself.
const EXIT_ACCURACY: f64 = 1e-9;

/// A deep contact is warned of if its error exceeds the tolerance by this factor. Smaller: every pair pushed past its
/// skeletons is warned of. Larger: wrong forces go unreported.
const COARSE: f64 = 10.0;

/// Whether the force of a deep overlap is so much less exact than asked for that a warning is due. A light touch is
/// left out: its border makes up most of its area, and its error is large only as a fraction of its small load.
pub(crate) fn is_coarse(patch: &Patch, pair: &Pair, quality: &Quality) -> bool {
    patch.error > COARSE * quality.acceptable() && patch.overlap > DEEP * pair.min_thickness()
}

impl Side<'_> {
    /// Distance from `p` along `direction` to the end of this side's rest shape, at most `farthest`, metres.
    fn exit_distance(&self, p: DVec3, direction: DVec3, farthest: f64) -> f64 {
        let excess = |s: f64| self.field.value(p + s * direction) - self.field.shape.iso();
        let here = self.field.sample(p);
        let inside = here.value - self.field.shape.iso();
        if inside <= 0.0 {
            return 0.0;
        }
        let thickness = self.field.shape.min_thickness();
        let guess = inside / -here.gradient.dot(direction);
        if guess > 0.0 && guess < EXIT_ACCURACY * thickness {
            return guess;
        }
        let (mut near, mut far) = ((0.0, inside), if guess > 0.0 { guess.min(farthest) } else { thickness });
        loop {
            let beyond = excess(far);
            // A linear kernel ends where its tangent does.
            if beyond.abs() <= EXIT_ACCURACY * inside {
                return far;
            }
            if beyond <= 0.0 {
                let exit = refine_root(excess, near, (far, beyond), EXIT_ACCURACY * far.min(thickness));
                return exit.unwrap_or(far);
            }
            if !(far < farthest && far < 1e6 * thickness) {
                return far;
            }
            (near, far) = ((far, beyond), (2.0 * far).min(farthest));
        }
    }
}

impl Pair<'_> {
    /// Depth of the overlap of the rest shapes along the normal of the contact surface at its point `p`, metres.
    pub fn overlap_at(&self, p: DVec3) -> f64 {
        let normal = -self.probe(p).surface(self.kind()).1.normalize_or_zero();
        let overlap_bounds = self.overlap_bounds();
        let farthest = if overlap_bounds.is_finite() { overlap_bounds.size().length() } else { f64::INFINITY };
        self.a.exit_distance(p, normal, farthest) + self.b.exit_distance(p, -normal, farthest)
    }

    /// Whether the contact surface has passed a's skeleton, and b's: beyond that their kernels carry no more load.
    pub fn bottomed_out(&self, patch: &Patch) -> (bool, bool) {
        let kind = self.kind();
        // The pressure of a body that has passed through may be greatest away from all skeletons: deep overlaps are probed
        // at more points.
        let places = [patch.deepest, patch.center_of_pressure, self.overlap_bounds().center()];
        let deep = patch.overlap > DEEP * self.min_thickness();
        // A convolution is weak at the ends of its skeleton, which may lie close under its surface.
        let weak = |side: &Side| side.field.shape.elements().iter().any(|e| e.skeleton().is_none());
        let places = &places[..if deep || weak(&self.a) || weak(&self.b) { 3 } else { 1 }];
        let overlap_bounds = self.overlap_bounds();
        let passed = |side: &Side, sign: f64| {
            let mut medial_points = places.iter().flat_map(|p| side.field.medial_points(*p, &overlap_bounds));
            medial_points.any(|medial_point| {
                let probe = self.probe(medial_point);
                // Both must be there: a weak element's medial point lies outside its own body's surface.
                probe.min_pressure() >= 0.0 && sign * probe.surface(kind).0 <= 0.0
            })
        };
        (kind != SurfaceKind::RigidA && passed(&self.a, 1.0), kind != SurfaceKind::RigidB && passed(&self.b, -1.0))
    }
}

/// Whether one body is so far inside the other that they may share no surface.
pub(crate) fn is_enclosed(pair: &Pair) -> bool {
    let overlap_bounds = pair.overlap_bounds();
    !overlap_bounds.is_empty()
        && overlap_bounds.is_finite()
        && [&pair.a, &pair.b].iter().any(|side| {
            side.field
                .medial_points(overlap_bounds.center(), &overlap_bounds)
                .any(|p| pair.probe(p).min_pressure() > 0.0)
        })
}
