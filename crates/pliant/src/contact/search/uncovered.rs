//! Overlaps that no found patch covers, or the proof that there is none.
//!
//! *The idea*: best-first bisection of the overlap box. A cell is done when a patch covers it or bounds prove it empty;
//! a cell whose middle overlaps, clearly outside every patch, is the answer. The search goes on where it stopped once
//! that overlap has its patch. Where a body has many elements, each part of the box is examined with those that reach
//! it. A proof may allow for motion: then it holds until points of b have moved so far against a. Where bounds leave
//! less room, it allows for less. *Not promised*: cells too small to decide. Their size is returned.

use super::patch_set::{PatchSet, PatchesNear};
use crate::contact::ascent::onto_surface;
use crate::contact::boxes::{EDGE_WEIGHTS, bisect, subtract_box};
use crate::contact::frame::{AllowedMotion, ContactFrame};
use crate::contact::pair::Pair;
use crate::contact::possible_overlap::BoundedCell;
use crate::contact::quality::Quality;
use crate::math::{Aabb, DVec3};
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Cells examined for one pair before the rest is taken for a touch. Reached by surfaces that run along each other. Fewer:
/// patches are missed. More: such pairs take longer.
const MAX_CELLS: usize = 20_000;

/// Cells examined after an overlap too thin to show at their middles was found. Fewer: it is taken for the whole patch's
/// seed though it is only a corner of one. More: light touches take long.
const CELLS_AFTER_THIN: usize = 500;

/// Cells more for each element of the larger side. Fewer: of a body of hundreds of feet some are missed.
const CELLS_PER_ELEMENT: usize = 200;

/// Elements of a side, or patches, from which a part of the box is examined on its own, and the size of such a part against
/// the whole. More: bounds of elements that are far away. Larger parts: elements are culled too often.
const MANY: usize = 8;
const NARROWER: f64 = 0.35;

/// Weight of a cell's edge across the contact when it is cut, for points and segments, whose bounds err by the square of it, and
/// for other skeletons, whose bounds err as much along the contact. Larger: thinner cells.
const SIMPLE_DEPTH: f64 = 2.0;
const OTHER_DEPTH: f64 = 0.5;

/// Motion that a proof allows for at most, as a fraction of the least overlap of the patches found. Smaller: proofs are made again sooner.
/// Larger: they take more cells around the borders.
const ALLOWED_OVERLAP: f64 = 0.3;

/// Cells smaller than this many times the motion that a proof allows for let it allow for less, by this factor. Smaller: more
/// cells beside borders and small gaps. Larger: proofs are made again sooner.
const CELLS_PER_MOTION: f64 = 1.5;
const LESS_MOTION: f64 = 0.5;

/// [`CELLS_PER_MOTION`] for bodies that are apart. Larger: smaller gaps are proved.
const CELLS_PER_GAP: f64 = 6.0;

/// A search of the overlap box for overlaps that no patch covers. Cells once proved empty are not examined again.
pub(in crate::contact) struct OverlapSearch<'f, 'a> {
    pair: &'f Pair<'a>,
    frame: &'f ContactFrame<'a>,
    /// Size of cells too small to decide, metres.
    floor: f64,
    /// Motion of b that the proof allows for.
    allowed_motion: AllowedMotion,
    /// Of a cell's edge across the contact, when it is cut.
    depth_weight: f64,
    /// The whole box, parts of it, parts of those: the last is examined first.
    parts: Vec<BoxPart<'a>>,
    /// Cells of the last part that are still to be examined.
    unexamined: Vec<Aabb>,
    /// Cells too small to decide, with their sizes.
    undecided_cells: Vec<(Aabb, f64)>,
}

/// A part of the overlap box.
struct BoxPart<'a> {
    /// Fields culled to it; none where those of the whole box do.
    culled: Option<ContactFrame<'a>>,
    /// Longest edge, metres.
    size: f64,
    near: PatchesNear,
    /// It has so many elements or patches that parts of it are examined on their own.
    crowded: bool,
    queue: CellQueue,
}

/// Cells to cut, the most promising first.
#[derive(Default)]
struct CellQueue {
    heap: BinaryHeap<Candidate>,
    /// Cells added so far.
    added: usize,
}

impl<'f, 'a> OverlapSearch<'f, 'a> {
    /// Of the overlap box of `frame`, but for the covered middle of the first of `found`.
    pub fn new(pair: &'f Pair<'a>, frame: &'f ContactFrame<'a>, quality: &Quality, found: &PatchSet) -> Self {
        let floor = quality.finest_cell * frame.thickness;
        let mut unexamined = Vec::with_capacity(32);
        match found.iter().next().and_then(|p| p.covered_box()) {
            Some(core) => subtract_box(&frame.overlap_bounds, &core, &mut unexamined),
            None => unexamined.push(frame.overlap_bounds),
        }
        let shift = max_shift(frame.allowed_motion.shift, found);
        let allowed_motion = AllowedMotion { shift, ..frame.allowed_motion };
        let near = found.patches_near(&PatchesNear::default(), &frame.overlap_bounds);
        let crowded = is_crowded(frame, &near);
        let whole = BoxPart::new(None, frame.overlap_bounds.size().max_element(), near, crowded);
        let depth_weight = if frame.has_simple_elements() { SIMPLE_DEPTH } else { OTHER_DEPTH };
        Self {
            pair,
            frame,
            floor,
            allowed_motion,
            depth_weight,
            parts: vec![whole],
            unexamined,
            undecided_cells: Vec::new(),
        }
    }

    /// Size of the largest cell that was too small to decide, metres.
    pub fn undecided_size(&self) -> f64 {
        self.undecided_cells.iter().map(|(_, size)| *size).fold(0.0, f64::max)
    }

    /// Shift of the motion of b within which the proof holds for `found`, metres: see [`AllowedMotion`].
    pub fn allowed_shift(&self, found: &PatchSet) -> f64 {
        if self.undecided_cells.is_empty() { max_shift(self.allowed_motion.shift, found) } else { 0.0 }
    }

    /// A point of overlap that none of `found` covers. `None` is a proof that there is none, but for cells too small to
    /// decide: see [`OverlapSearch::undecided_size`]. Patches are only ever added to `found`.
    pub fn next_uncovered(&mut self, found: &PatchSet) -> Option<DVec3> {
        let mut left = MAX_CELLS + CELLS_PER_ELEMENT * self.frame.element_count();
        let mut thin = None;
        while let Some(part) = self.parts.last_mut() {
            // Four at a time, where halves of several cells may be examined together.
            let count = self.unexamined.len();
            if count >= 4 || count > 0 && (part.crowded || part.queue.heap.is_empty()) {
                let uncovered = part.examine(self.frame, found, &mut self.unexamined, self.allowed_motion);
                if uncovered.is_some() {
                    return uncovered;
                }
            }
            let Some(Candidate { room, patches, .. }) = part.queue.heap.pop() else {
                if !self.unexamined.is_empty() {
                    continue;
                }
                if self.parts.len() == 1 {
                    break;
                }
                self.parts.pop();
                continue;
            };
            if patches != found.len() {
                self.unexamined.push(room);
                continue;
            }
            let longest = (room.size() * EDGE_WEIGHTS).max_element();
            let motion = self.allowed_motion.of(&room);
            let shift = &mut self.allowed_motion.shift;
            let cells_per_motion = if found.len() == 0 { CELLS_PER_GAP } else { CELLS_PER_MOTION };
            if longest < cells_per_motion * motion || longest <= self.floor && *shift > 0.0 {
                *shift = if longest <= self.floor { 0.0 } else { LESS_MOTION * *shift };
                self.unexamined.push(room);
                continue;
            }
            let frame = part.culled.as_ref().unwrap_or(self.frame);
            left = left.saturating_sub(1);
            if longest <= self.floor || left == 0 {
                // Bounds of the part that bounds have left of a larger cell may decide it, or it may be covered.
                let is_empty = || frame.possible_overlap(&room, self.allowed_motion).is_none();
                if found.covers(&part.near, &room) || is_empty() {
                    continue;
                }
                // An overlap thinner than the cell may lie beside its middle.
                if thin.is_none() {
                    let beyond = |p: &DVec3| found.all_beyond(&PatchesNear::default(), *p);
                    thin = onto_surface(self.frame, room.center(), longest).filter(beyond);
                    left = if thin.is_some() { left.min(CELLS_AFTER_THIN) } else { left };
                }
                self.undecided_cells.push((room, longest));
                continue;
            }
            bisect(&room, long_edges(&room, self.depth_weight), &mut self.unexamined);
            let size = room.size().max_element();
            if part.crowded && size <= NARROWER * part.size {
                let near = found.patches_near(&part.near, &room);
                let culled = frame.culled(self.pair, &room);
                let crowded = is_crowded(&culled, &near);
                self.parts.push(BoxPart::new(Some(culled), size, near, crowded));
            }
        }
        // Patches found since may cover them.
        self.undecided_cells.retain(|(cell, _)| !found.covers(&PatchesNear::default(), cell));
        if thin.is_some() {
            // So may the patch that comes of it.
            self.unexamined.extend(self.undecided_cells.drain(..).map(|(cell, _)| cell));
        }
        thin
    }
}

/// `shift`, or less where a patch is so light that cells near its border are not covered for so long.
fn max_shift(shift: f64, found: &PatchSet) -> f64 {
    let overlap = found.iter().map(|p| p.patch.overlap).fold(f64::INFINITY, f64::min);
    shift.min(ALLOWED_OVERLAP * overlap)
}

fn is_crowded(frame: &ContactFrame, near: &PatchesNear) -> bool {
    frame.element_count() > MANY || near.len() > MANY
}

impl<'a> BoxPart<'a> {
    fn new(culled: Option<ContactFrame<'a>>, size: f64, near: PatchesNear, crowded: bool) -> Self {
        Self { culled, size, near, crowded, queue: CellQueue::default() }
    }

    /// Queues those of `cells` that may hold an uncovered overlap. Returns a point of one, found at the middle of a cell.
    /// `whole` is the frame of the whole box.
    fn examine(
        &mut self,
        whole: &ContactFrame,
        found: &PatchSet,
        cells: &mut Vec<Aabb>,
        allowed_motion: AllowedMotion,
    ) -> Option<DVec3> {
        let Self { culled, near, queue, .. } = self;
        let frame = culled.as_ref().unwrap_or(whole);
        let mut uncovered: Option<(f64, DVec3)> = None;
        let mut excess_beyond_patches = |middle: DVec3| {
            if !found.all_beyond(near, middle) {
                return f64::NEG_INFINITY;
            }
            let excess = frame.divided_by_stiffness(&frame.probe(middle)).min_pressure();
            if excess > 0.0 && uncovered.is_none_or(|(most, _)| excess > most) {
                uncovered = Some((excess, middle));
            }
            excess
        };
        let mut open: SmallVec<[Aabb; 8]> = SmallVec::new();
        for cell in cells.drain(..) {
            let covered = found.covers(near, &cell);
            // A cell around the middle of a patch overlaps for sure.
            if covered || found.has_middle_in(near, &cell) {
                let excess = excess_beyond_patches(cell.center());
                if !covered || excess > 0.0 {
                    queue.push(cell, excess, found);
                }
            } else {
                open.push(cell);
            }
        }
        for four in open.chunks(4) {
            let cells = std::array::from_fn(|i| four[i.min(four.len() - 1)]);
            let bounded = frame.possible_overlaps(&cells, allowed_motion);
            for BoundedCell { room, excess } in bounded.into_iter().take(four.len()) {
                let Some(room) = room else { continue };
                let excess = if excess > 0.0 { excess_beyond_patches(room.center()) } else { excess };
                queue.push(room, excess, found);
            }
        }
        uncovered.map(|(_, p)| p)
    }
}

impl CellQueue {
    /// Adds the part `room` of a cell.
    fn push(&mut self, room: Aabb, priority: f64, found: &PatchSet) {
        self.added += 1;
        self.heap.push(Candidate { priority, number: self.added, room, patches: found.len() });
    }
}

/// Edges to cut a cell at: the longest, and those about as long, that across the contact weighted by `depth_weight`.
fn long_edges(cell: &Aabb, depth_weight: f64) -> [bool; 3] {
    let size = cell.size() * DVec3::new(1.0, 1.0, depth_weight);
    size.to_array().map(|e| e > 0.6 * size.max_element())
}

/// A cell to cut.
struct Candidate {
    /// About the lesser excess of both fields over their isovalues in the cell.
    priority: f64,
    number: usize,
    /// The part in which bounds allow an overlap.
    room: Aabb,
    /// Patches found when it was examined.
    patches: usize,
}

/// The most promising first.
impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.priority.total_cmp(&other.priority).then(self.number.cmp(&other.number))
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
