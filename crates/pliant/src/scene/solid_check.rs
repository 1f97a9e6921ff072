//! Whether skeletons make a solid at all: the rule by which a world refuses bodies, asked while a scene is read.

use crate::bodies::MassProperties;
use crate::fields::{Element, Shape, Source};
use crate::math::DVec3;

/// Elements tried before the search begins. Only time is lost by more.
const MAX_TRIED: usize = 64;

/// A field this much above the isovalue, as a fraction of it, is above it in any order of summation.
const ROUNDING: f64 = 1e-9;

/// Whether the field of `elements` reaches `iso` nowhere, or in no volume: of such a body no world can be made.
///
/// A point inside decides at once, and so does a short proof that there is none. The rest is decided as the body itself
/// decides it, which takes as long as making it does.
pub(super) fn is_missing(elements: &[Element], iso: f64) -> bool {
    let surely_solid = |e: &Element| e.strength >= 1.0 && matches!(e.source, Source::Distance(..));
    if elements.is_empty() || elements.iter().any(surely_solid) {
        return false;
    }
    if Shape::is_provably_empty(elements, iso) {
        return true;
    }
    let value = |p: DVec3| elements.iter().map(|e| e.sample(p).value).sum::<f64>();
    let inside = |p: DVec3| value(p) > iso * (1.0 + ROUNDING);
    if elements.iter().take(MAX_TRIED).any(|e| skeleton_points(e).any(inside)) {
        return false;
    }
    let shape = Shape::new(elements.to_vec(), iso);
    let solid = shape.solid_bounds();
    solid.is_empty() || (solid.is_finite() && MassProperties::of(&shape, 1.0).is_none())
}

/// Points of the skeleton nearest to the middle and the corners of its box: the contribution is great there.
fn skeleton_points(element: &Element) -> impl Iterator<Item = DVec3> {
    let (middle, half) = (element.influence_bounds().center(), 0.5 * element.influence_bounds().size());
    let sign = |i: usize, axis: usize| if i >> axis & 1 == 0 { -1.0 } else { 1.0 };
    let corners = (0..8).map(move |i| middle + half * DVec3::new(sign(i, 0), sign(i, 1), sign(i, 2)));
    corners.chain([middle]).filter_map(|p| element.medial_point(p))
}
