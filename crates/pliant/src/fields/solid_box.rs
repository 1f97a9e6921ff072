//! A tight box around a solid, found by slicing inward from each side while bounds prove the slice empty.

use super::Field;
use crate::math::{Aabb, Cell};

/// Cells that one proof of emptiness may examine. More: only slower. Fewer: looser boxes.
const MAX_CELLS: usize = 4096;

/// A search for the solid `f ≥ iso` of a field.
pub(super) struct SolidSearch<'a, F> {
    pub field: &'a F,
    pub iso: f64,
    /// A box that contains the solid.
    pub outer: Aabb,
    /// Size of the smallest cells, as a fraction of the box.
    pub resolution: f64,
}

impl<F: Field> SolidSearch<'_, F> {
    /// A box inside the outer one that contains the solid, to about the resolution. Infinite sides stay infinite.
    pub(super) fn tight_box(&self) -> Aabb {
        let mut inner = self.outer;
        if inner.is_empty() {
            return inner;
        }
        for axis in 0..3 {
            for upper in [false, true] {
                let mut step = 0.25 * (inner.max[axis] - inner.min[axis]);
                if !step.is_finite() || !inner.is_finite() {
                    continue;
                }
                let smallest = self.resolution * step;
                while step > smallest && !inner.is_empty() {
                    let mut slice = inner;
                    let cut = if upper { inner.max[axis] - step } else { inner.min[axis] + step };
                    if upper {
                        slice.min[axis] = cut
                    } else {
                        slice.max[axis] = cut
                    }
                    if self.is_empty(slice, smallest, &mut { MAX_CELLS }) {
                        if upper { inner.max[axis] = cut } else { inner.min[axis] = cut }
                    } else {
                        step *= 0.5;
                    }
                }
            }
        }
        inner
    }

    /// Whether bounds over at most `max_cells` cells prove that there is no solid.
    pub(super) fn proves_empty(&self, max_cells: usize) -> bool {
        let smallest = self.resolution * self.outer.size().max_element();
        self.is_empty(self.outer, smallest, &mut MAX_CELLS.min(max_cells))
    }

    /// Whether bounds prove that `f < iso` throughout `cell`, by halving its longest side down to `smallest`.
    fn is_empty(&self, cell: Aabb, smallest: f64, cells_left: &mut usize) -> bool {
        if *cells_left == 0 {
            return false;
        }
        *cells_left -= 1;
        if self.field.bounds(&Cell::from(cell)).hi < self.iso {
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
        let center = cell.center();
        if size[longest] <= smallest || self.field.value(center) >= self.iso {
            return false;
        }
        let (mut low, mut high) = (cell, cell);
        low.max[longest] = center[longest];
        high.min[longest] = center[longest];
        self.is_empty(low, smallest, cells_left) && self.is_empty(high, smallest, cells_left)
    }
}
