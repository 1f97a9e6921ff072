//! Bounds of the distance over a cell, for families of skeletons.

use super::distance::{Distance, Nearest};
use crate::math::{Aabb, Cell, DVec3, Interval};

/// Bound of the rounding error of a distance between points of this size.
pub(super) fn rounding(bounds: &Aabb, cell: &Cell) -> f64 {
    let size = bounds.min.abs().max(bounds.max.abs()).max_element();
    16.0 * f64::EPSILON * (size + cell.center.abs().max_element() + cell.radius())
}

/// For curves and surfaces of any form: no point of the cell is farther than its distance to the point nearest to
/// the cell's middle, and the distance falls by at most one per metre.
pub(super) fn thin(skeleton: &impl Distance, cell: &Cell) -> Interval {
    let Nearest { distance, direction } = skeleton.nearest(cell.center);
    let (reach, slack) = (cell.radius(), rounding(&skeleton.bounds(), cell));
    let far = cell.distance_range(cell.center - distance * direction).hi;
    Interval::new((distance - reach - slack).max(0.0), far.min(distance + reach) + slack)
}

/// For flat convex skeletons. Their distance is a convex function: it lies above its tangent at the middle, and is
/// greatest at a corner.
pub(super) fn convex(skeleton: &impl Distance, cell: &Cell) -> Interval {
    let near = skeleton.nearest(cell.center);
    let slack = rounding(&skeleton.bounds(), cell);
    let far = corners(cell).map(|c| skeleton.nearest(c).distance).into_iter().fold(0.0, f64::max);
    Interval::new(above_tangent(near, slack, cell).max(0.0), far + slack)
}

/// The least value of the tangent at the middle of `cell` of a convex distance `near`.
pub(super) fn above_tangent(near: Nearest, slack: f64, cell: &Cell) -> f64 {
    // Close to the skeleton the direction is dominated by rounding; `slack / distance` is that part.
    let doubt = slack * (1.0 + cell.radius() / near.distance.abs().max(f64::MIN_POSITIVE));
    near.distance - cell.half_extent(near.direction) - doubt.min(cell.radius() + slack)
}

/// The eight corners.
pub(super) fn corners(cell: &Cell) -> [DVec3; 8] {
    let [x, y, z] = cell.half_axes();
    std::array::from_fn(|i| {
        let sign = |bit: usize| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
        cell.center + sign(0) * x + sign(1) * y + sign(2) * z
    })
}
