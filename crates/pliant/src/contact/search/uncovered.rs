//! Overlaps that no found patch covers, or the proof that there is none.
//!
//! *The idea*: best-first bisection of the shared box. A cell is done when a patch covers it or bounds prove it empty; a
//! cell whose middle overlaps, clearly outside every patch, is the answer. *Not promised*: cells too small to decide. Their
//! size is returned.

use crate::contact::ascent::onto_surface;
use crate::contact::boxes::{EDGE_WEIGHTS, bisect, long_edges, subtract_box};
use crate::contact::frame::ContactFrame;
use crate::contact::quadrature::covered_patch::CoveredPatch;
use crate::contact::quality::Quality;
use crate::math::{Aabb, Cell, DVec3};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Most cells examined for one pair; the rest counts as undecided. Reached by surfaces that are nearly parallel. Fewer:
/// patches are missed. More: such pairs take longer.
const MOST_CELLS: usize = 20_000;

/// Cells examined after an overlap too thin to show at their middles was found. Fewer: it is taken for the whole patch's
/// seed though it is only a corner of one. More: light touches take long.
const CELLS_AFTER_THIN: usize = 500;

/// A point of overlap that none of `found` covers. `None` is a proof that there is none, but for cells too small to decide;
/// the largest of those raises `unresolved`.
pub(in crate::contact) fn uncovered_overlap(
    frame: &ContactFrame,
    quality: &Quality,
    found: &[CoveredPatch],
    unresolved: &mut f64,
) -> Option<DVec3> {
    let floor = quality.finest_cell * frame.thickness;
    let (mut queue, mut cells) = (BinaryHeap::with_capacity(64), Vec::with_capacity(32));
    match found.first().and_then(|p| p.covered_box()) {
        Some(core) => subtract_box(&frame.shared, &core, &mut cells),
        None => cells.push(frame.shared),
    }
    let add = |queue: &mut BinaryHeap<Candidate>, cells: &mut Vec<Aabb>, depth: f64| {
        for cell in cells.drain(..) {
            queue.push(Candidate { depth, number: queue.len(), cell });
        }
    };
    add(&mut queue, &mut cells, 0.0);
    let (mut left, mut thin, before) = (MOST_CELLS, None, *unresolved);
    while let Some(Candidate { cell, .. }) = queue.pop() {
        let covered = found.iter().any(|p| p.covers(&Cell::from(cell)));
        // A cell around the middle of a patch contains overlap.
        let known = covered || found.iter().any(|p| cell.contains(p.patch.reference));
        let Some(room) = (if known { Some(cell) } else { frame.possible_overlap(&cell) }) else { continue };
        let middle = room.center();
        let mut depth = f64::NEG_INFINITY;
        if found.iter().all(|p| p.is_outside(middle)) {
            depth = frame.divided_by_stiffness(&frame.probe(middle)).depth();
            if depth > 0.0 {
                return Some(middle);
            }
        }
        if covered {
            continue;
        }
        let longest = (room.size() * EDGE_WEIGHTS).max_element();
        left = left.saturating_sub(1);
        if longest <= floor || left == 0 {
            // An overlap thinner than the cell may lie beside its middle.
            if thin.is_none() {
                let beyond = |p: &DVec3| found.iter().all(|f| f.is_outside(*p));
                thin = onto_surface(frame, middle, longest).filter(beyond);
                left = if thin.is_some() { left.min(CELLS_AFTER_THIN) } else { left };
            }
            *unresolved = unresolved.max(longest);
            continue;
        }
        bisect(&room, long_edges(&room), &mut cells);
        add(&mut queue, &mut cells, depth);
    }
    if thin.is_some() {
        // The search is repeated around the patch of this point.
        *unresolved = before;
    }
    thin
}

/// A cell to examine.
struct Candidate {
    /// Depth of the overlap at the middle of its parent cell, field units; negative.
    depth: f64,
    number: usize,
    cell: Aabb,
}

/// The most promising first.
impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.depth.total_cmp(&other.depth).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}
