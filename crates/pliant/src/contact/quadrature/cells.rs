//! Adaptive cells: the general rule, over a region of any outline.
//!
//! *The idea*: the region's cells are disjoint, so each is integrated by itself and nothing is counted twice. Each gives an
//! estimate of its error; the worst is cut, until the errors together are small against the load. Cells become small at
//! holes, separate pieces and creases. They begin as columns across the contact; a column is cut across only where the surface
//! is multivalued, so that elsewhere no face divides the patch. Cells in which nothing is found are cut until they are
//! proved empty or are small against the patch found elsewhere. Where the quality bounds the work
//! ([`Quality::max_samples`]), the best answer so far is returned with its error. *Not promised*: a separate piece narrower
//! than [`Patch::resolved_to`].

use super::cell::{IntegratedCell, Strip, order};
use super::error_sum::ErrorSum;
use super::height_field::{HeightField, Integrand};
use super::sum::PatchSum;
use crate::contact::ascent::peak;
use crate::contact::boxes::{Region, are_adjacent, bisect, components, long_edges, split};
use crate::contact::frame::ContactFrame;
use crate::contact::patch::{Layout, Patch, StripLayout};
use crate::contact::quality::Quality;
use crate::math::{Aabb, DVec3};
use std::collections::BinaryHeap;

/// Cells of one region, and examined empty cells, times the tolerance asked for; and the fewest and most. At a crease the
/// error goes with one over their number. Fewer: creases are less exact than asked for. More: a touch so light that all of
/// it is border takes long. The remaining error is reported, and so is how narrow a separate piece may be.
const CELLS_PER_TOLERANCE: f64 = 3.0;
const MIN_CELLS: f64 = 300.0;
const MAX_CELLS: f64 = 4000.0;

/// Remaining error of the parts of a cell, as a fraction of the change by which the cut revealed the error. Larger: more
/// cells. Smaller: errors are underestimated.
const REMAINING_ERROR: f64 = 0.1;

/// Fraction of the error of a multivalued cell that each of its parts without a surface point inherits.
const INHERITED_ERROR: f64 = 0.25;

/// Part of the samples allowed after which cells of the region that are left get no more than tetrahedra, and empty ones are
/// not cut. Larger: fewer samples are left to refine the worst. Smaller: more cells begin with the coarser rule.
const SEARCH: f64 = 0.6;

/// Work that may be spent on one region.
#[derive(Clone, Copy)]
pub(in crate::contact) struct WorkBudget {
    /// Samples of both fields at most; as many again may be taken by the first cells.
    pub samples: u32,
    /// The overlap is deep enough to reach skeletons, where the surface has creases and hairpins: sets
    /// [`Integrand::prefer_tetrahedra`].
    pub deep: bool,
}

/// The patches in `region`, one as a rule, or the size of the cells in which none was found.
pub(in crate::contact) fn integrate(
    frame: &ContactFrame,
    region: &Region,
    quality: &Quality,
    budget: WorkBudget,
) -> Result<Vec<Patch>, f64> {
    let tolerance = quality.resolution.tolerance();
    let (root, size, prefer_tetrahedra) = (quality.root_tolerance(), region.cell_size, budget.deep);
    let integrand = Integrand { frame, root, size, prefer_tetrahedra };
    let before = frame.evaluations();
    let spent = |part: f64| f64::from(frame.evaluations() - before) > part * f64::from(budget.samples);
    let (mut cells, resolved_to) = integrand.search(region, quality, spent);
    estimate_hidden(&mut cells);
    // Mean pressure of the hardest pressed cell.
    let most = cells.iter().filter(|t| t.area > 0.0).map(|t| t.load / t.area).fold(0.0, f64::max);
    let mut open: BinaryHeap<IntegratedCell> = cells.into();
    let mut done: Vec<IntegratedCell> = Vec::new();
    let mut sums = ErrorSum::of(&open);
    let error = |sums: &ErrorSum| if prefer_tetrahedra { sums.likely() } else { sums.bound() };
    while error(&sums) > tolerance * sums.load && open.len() + done.len() < max_cells(tolerance) && !spent(1.0) {
        let Some(worst) = open.pop() else { break };
        let mut parts = Vec::with_capacity(8);
        split(&worst.cell, worst.cuts, &mut parts);
        if parts.len() == 1 {
            done.push(worst);
            continue;
        }
        let count = parts.len() as f64;
        if worst.load == 0.0 {
            parts.retain(|c| frame.may_overlap(c));
        }
        let mut parts: Vec<IntegratedCell> = parts.into_iter().map(|c| integrand.integrate(c)).collect();
        let shows_nothing = |t: &IntegratedCell| t.load == 0.0 && !t.is_multivalued;
        parts.retain(|t| !shows_nothing(t) || (t.error > 0.0 && frame.may_overlap(&t.cell)));
        let change = (parts.iter().map(|t| t.force).sum::<DVec3>() - worst.force).length();
        // A multivalued cell without a surface point has at most about the load of a flat surface across it.
        for part in parts.iter_mut().filter(|t| !shows_nothing(t)) {
            part.error = part.error.max(REMAINING_ERROR * change / count);
            if part.is_multivalued && part.load == 0.0 {
                part.error = part.error.max(INHERITED_ERROR * worst.error).min(most * largest_face(&part.cell));
            }
        }
        sums.remove(&worst);
        parts.iter().for_each(|t| sums.add(t));
        open.extend(parts);
    }
    done.extend(open);
    done.sort_by(|p, q| order(&p.cell, &q.cell));
    let mut patches: Vec<Patch> =
        cells_by_patch(done).iter().filter_map(|cells| patch_of_cells(frame, cells)).collect();
    for patch in &mut patches {
        (patch.error, patch.resolved_to) = (error(&sums) / sums.load, resolved_to);
    }
    if patches.is_empty() { Err(resolved_to) } else { Ok(patches) }
}

fn max_cells(tolerance: f64) -> usize {
    (CELLS_PER_TOLERANCE / tolerance).clamp(MIN_CELLS, MAX_CELLS) as usize
}

/// Cells grouped by patch. Both faces of a thin body may lie in one region: then they are two patches.
fn cells_by_patch(cells: Vec<IntegratedCell>) -> Vec<Vec<IntegratedCell>> {
    let normal = |t: &IntegratedCell| t.force.normalize_or_zero();
    let face_away = |s: &IntegratedCell, t: &IntegratedCell| normal(s).dot(normal(t)) < -0.5;
    match cells.iter().find(|t| t.load > 0.0) {
        Some(first) if cells.iter().any(|t| face_away(first, t)) => {
            let seen = cells.into_iter().filter(|t| t.load > 0.0).collect();
            components(seen, |s, t| are_adjacent(&s.cell, &t.cell) && !face_away(s, t))
        }
        _ => vec![cells],
    }
}

/// The largest face of a cell, square metres.
fn largest_face(cell: &Aabb) -> f64 {
    let size = cell.size();
    size.element_product() / size.min_element()
}

/// Sets the error of multivalued cells in which nothing was found: the load of an average cell.
fn estimate_hidden(cells: &mut [IntegratedCell]) {
    let seen = cells.iter().filter(|t| t.load > 0.0).count().max(1);
    let mean = cells.iter().map(|t| t.load).sum::<f64>() / seen as f64;
    cells.iter_mut().filter(|t| t.is_multivalued && t.load == 0.0).for_each(|t| t.error = mean);
}

/// All cells as one patch.
fn patch_of_cells(frame: &ContactFrame, cells: &[IntegratedCell]) -> Option<Patch> {
    let kind = frame.kind;
    let mut sum = PatchSum::default();
    let (mut border, mut strips) = (Vec::new(), Vec::new());
    for strip in cells.iter().flat_map(|t| &t.strips) {
        let Strip { ends, to_edges, .. } = *strip;
        strips.push(StripLayout { first: sum.points.len(), count: strip.points.len(), ends, to_edges });
        border.extend(ends.iter().zip(strip.at_border).filter(|e| e.1).map(|e| e.0));
        for (on_surface, measure) in &strip.points {
            sum.add(kind, strip.across, on_surface, *measure);
        }
    }
    let reference = sum.deepest()?;
    let top = peak(frame, reference, sum.area().sqrt());
    let probe = frame.probe(top);
    sum.include_maximum(probe.contact_pressures(kind).0, top, probe.pressure_slope(kind));
    Some(sum.finish(reference, border, Layout::Cells { strips }))
}

impl Integrand<'_> {
    /// The region's cells, joined to columns where the patch lies across them.
    fn columns_across(&self, region: &Region) -> Vec<Aabb> {
        let mut cells = Vec::new();
        for column in columns(region) {
            let whole = column.iter().fold(Aabb::EMPTY, |b, c| b.union(c));
            let across = |f: HeightField| f.axes[2] == 2 && !f.is_multivalued && f.meets_patch;
            if column.len() == 1 || self.height_field(whole).is_some_and(across) {
                cells.push(whole);
            } else {
                cells.extend(column);
            }
        }
        cells
    }

    /// Integrated cells of the region, empty ones bisected until they are small against the patch found elsewhere; and the
    /// size of the largest empty one.
    fn search(&self, region: &Region, quality: &Quality, spent: impl Fn(f64) -> bool) -> (Vec<IntegratedCell>, f64) {
        let floor = quality.finest_cell * self.frame.thickness;
        let edge = |c: &Aabb| c.size().truncate().max_element();
        let mut cells = self.columns_across(region);
        if self.prefer_tetrahedra {
            cells.retain(|c| !self.misses(c));
        }
        let (mut seen, mut empty): (Vec<IntegratedCell>, Vec<IntegratedCell>) = (Vec::new(), Vec::new());
        let mut examined = 0;
        loop {
            for cell in cells {
                let sum = if spent(SEARCH) { self.integrate_multivalued(cell) } else { self.integrate(cell) };
                if sum.load > 0.0 { seen.push(sum) } else { empty.push(sum) }
            }
            let width = seen.iter().map(|t| t.area).sum::<f64>().sqrt();
            let target = (2.0 * width / quality.cells_across.clamp(1, 64) as f64).max(floor);
            let (large, small): (Vec<IntegratedCell>, Vec<IntegratedCell>) =
                empty.into_iter().partition(|t| edge(&t.cell) > target);
            empty = small;
            examined += large.len();
            let enough = spent(SEARCH) || self.prefer_tetrahedra && !seen.is_empty();
            if large.is_empty() || examined > max_cells(quality.resolution.tolerance()) || enough {
                let resolved_to = large.iter().chain(&empty).map(|t| edge(&t.cell)).fold(0.0, f64::max);
                seen.extend(large.into_iter().chain(empty));
                return (seen, resolved_to);
            }
            cells = Vec::new();
            large.iter().for_each(|t| bisect(&t.cell, long_edges(&t.cell), &mut cells));
            cells.retain(|c| self.frame.may_overlap(c) && !(self.prefer_tetrahedra && self.misses(c)));
        }
    }
}

/// The region's cells, those on top of one another together.
fn columns(region: &Region) -> Vec<Vec<Aabb>> {
    let mut cells = region.cells.clone();
    cells.sort_by(order);
    let on_top = |c: &Aabb, d: &Aabb| c.min.truncate() == d.min.truncate() && c.max.z == d.min.z;
    cells.chunk_by(on_top).map(<[Aabb]>::to_vec).collect()
}
