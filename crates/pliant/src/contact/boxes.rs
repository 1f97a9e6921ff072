//! Axis-aligned cells of a contact frame: bisection, neighbours, connected regions.

use crate::math::{Aabb, DVec3};

/// A connected set of cells that may hold an overlap: one patch, usually. No two regions share a cell.
#[derive(Clone, Debug)]
pub(super) struct Region {
    /// Connected by shared faces, edges or corners; disjoint.
    pub cells: Vec<Aabb>,
    /// Largest cell edge: patches closer together than this are not separated.
    pub cell_size: f64,
}

/// Weights of a cell's edges. Depth across the contact does not separate neighbouring patches: cells may be twice as deep
/// as wide.
pub(super) const EDGE_WEIGHTS: DVec3 = DVec3::new(1.0, 1.0, 0.5);

/// Adds the halves of `cell`, cut along some axes, to `out`.
pub(super) fn bisect(cell: &Aabb, axes: [bool; 3], out: &mut Vec<Aabb>) {
    let middle = cell.center();
    split(cell, [0, 1, 2].map(|i| axes[i].then_some(middle[i])), out);
}

/// Which edges of `cell` are about as long as its longest.
pub(super) fn long_edges(cell: &Aabb) -> [bool; 3] {
    let size = cell.size() * EDGE_WEIGHTS;
    size.to_array().map(|e| e > 0.6 * size.max_element())
}

/// Adds the parts of `cell`, cut at places along the axes, to `out`.
pub(super) fn split(cell: &Aabb, places: [Option<f64>; 3], out: &mut Vec<Aabb>) {
    let first = out.len();
    out.push(*cell);
    for (axis, place) in places.into_iter().enumerate() {
        let Some(place) = place else { continue };
        for i in first..out.len() {
            let mut high = out[i];
            out[i].max[axis] = place;
            high.min[axis] = place;
            out.push(high);
        }
    }
}

/// Adds the part of `outer` outside `inner`, in up to six slabs, to `out`.
pub(super) fn subtract_box(outer: &Aabb, inner: &Aabb, out: &mut Vec<Aabb>) {
    let mut left = *outer;
    for axis in 0..3 {
        if inner.min[axis] > left.min[axis] {
            let mut slab = left;
            slab.max[axis] = inner.min[axis].min(left.max[axis]);
            left.min[axis] = slab.max[axis];
            out.push(slab);
        }
        if inner.max[axis] < left.max[axis] {
            let mut slab = left;
            slab.min[axis] = inner.max[axis].max(left.min[axis]);
            left.max[axis] = slab.min[axis];
            out.push(slab);
        }
    }
}

/// Connected components of `left` under `joined`.
pub(super) fn components<T>(mut left: Vec<T>, joined: impl Fn(&T, &T) -> bool) -> Vec<Vec<T>> {
    let mut groups = Vec::new();
    while let Some(first) = left.pop() {
        let mut members = vec![first];
        let mut at = 0;
        while at < members.len() {
            let (more, rest) = left.into_iter().partition(|c| joined(&members[at], c));
            left = rest;
            members.extend::<Vec<T>>(more);
            at += 1;
        }
        groups.push(members);
    }
    groups
}

/// Whether two cells share a face, an edge or a corner.
pub(super) fn are_adjacent(c: &Aabb, d: &Aabb) -> bool {
    c.grown(1e-9 * c.size().max_element()).overlaps(d)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(b: &Aabb) -> f64 {
        b.size().element_product()
    }

    #[test]
    fn parts_of_a_cell_fill_it_once() {
        let cell = Aabb { min: DVec3::ZERO, max: DVec3::new(1.0, 2.0, 4.0) };
        let mut parts = Vec::new();
        bisect(&cell, long_edges(&cell), &mut parts);
        // Weighted edges are 1, 2, 2: the last two are cut.
        assert_eq!(parts.len(), 4);
        assert_eq!(parts.iter().map(volume).sum::<f64>(), 8.0);
        parts.clear();
        subtract_box(&cell, &Aabb { min: DVec3::splat(0.25), max: DVec3::splat(0.75) }, &mut parts);
        assert_eq!((parts.len(), parts.iter().map(volume).sum::<f64>()), (6, 8.0 - 0.125));
    }

    #[test]
    fn cells_in_a_row_are_one_component_and_a_gap_makes_two() {
        let cell = |x: f64| Aabb { min: DVec3::X * x, max: DVec3::new(x + 1.0, 1.0, 1.0) };
        assert_eq!(components([0.0, 2.0, 1.0].map(cell).to_vec(), are_adjacent).len(), 1);
        assert_eq!(components([0.0, 2.1, 1.0].map(cell).to_vec(), are_adjacent).len(), 2);
    }
}
