//! A tight box around a solid, found by slicing inward from each side while bounds prove the slice empty.

use super::{Field, Shape};
use crate::math::{Aabb, Cell, DVec3};

/// Boxes a proof may examine per side before it settles for what it has. Only time is lost by more.
const BUDGET: usize = 4096;

/// A box inside `outer` that still contains every point with `f ≥ c`, to about `resolution` of its size.
/// Sides that are infinite stay infinite.
pub(super) fn of(shape: &Shape, outer: Aabb, resolution: f64) -> Aabb {
    let mut inner = outer;
    if outer.is_empty() {
        return outer;
    }
    for axis in 0..3 {
        for upper in [false, true] {
            let mut step = 0.25 * (inner.max[axis] - inner.min[axis]);
            if !step.is_finite() || !inner.is_finite() {
                continue;
            }
            let floor = resolution * step;
            while step > floor && !inner.is_empty() {
                let mut slice = inner;
                let cut = if upper { inner.max[axis] - step } else { inner.min[axis] + step };
                if upper {
                    slice.min[axis] = cut
                } else {
                    slice.max[axis] = cut
                }
                let mut budget = BUDGET;
                if is_empty(shape, slice, floor, &mut budget) {
                    if upper { inner.max[axis] = cut } else { inner.min[axis] = cut }
                } else {
                    step *= 0.5;
                }
            }
        }
    }
    inner
}

/// Whether bounds prove within `most` cells that the solid is nowhere.
pub(super) fn is_nowhere(shape: &Shape, resolution: f64, most: usize) -> bool {
    let floor = resolution * shape.influence().size().max_element();
    is_empty(shape, shape.influence(), floor, &mut BUDGET.min(most))
}

/// Whether bounds prove that `f < c` throughout `cell`, halving its longest side down to `floor`.
fn is_empty(shape: &Shape, cell: Aabb, floor: f64, budget: &mut usize) -> bool {
    if *budget == 0 {
        return false;
    }
    *budget -= 1;
    if shape.bounds(&Cell::from(cell)).hi < shape.iso() {
        return true;
    }
    let size = cell.size();
    let longest = if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    if size[longest] <= floor || shape.value(cell.center()) >= shape.iso() {
        return false;
    }
    let (mut low, mut high) = (cell, cell);
    let middle: DVec3 = cell.center();
    low.max[longest] = middle[longest];
    high.min[longest] = middle[longest];
    is_empty(shape, low, floor, budget) && is_empty(shape, high, floor, budget)
}
