//! Where two bodies can overlap: cells that bounds cannot rule out, gathered into regions.
//!
//! *The idea*: start from the box both solids share; drop every cell in which a guaranteed bound keeps one of the
//! fields below its isovalue; split what is left until cells are small against what is left. An empty answer is a
//! proof that there is no contact. *Not promised*: that each region holds an overlap (touching bodies leave cells
//! that only a finer search would empty).

use super::{Pair, Quality};
use crate::fields::{Field, Shape};
use crate::math::{Aabb, Cell, DMat3, DQuat, DVec3, Frame};

/// A connected set of cells that may hold an overlap: one patch, usually.
#[derive(Clone, Debug)]
pub struct Region {
    /// Cells lie along these axes; the last one is across the contact, so that a thin overlap is one cell deep.
    pub world_from_region: Frame,
    /// The cells, in the region's frame; all of one region touch.
    pub cells: Vec<Aabb>,
    /// The box around them.
    pub bounds: Aabb,
    /// Largest cell edge: what lies closer together is not told apart.
    pub cell_size: f64,
}

/// Cells examined for one pair before the search keeps what it has. Reached only by bodies that overlap almost
/// everywhere; more costs time, fewer merges neighbouring patches.
const CELL_BUDGET: usize = 4096;

/// Every region in which `pair` may overlap. Empty: they provably do not touch.
pub fn regions(pair: &Pair, quality: &Quality) -> Vec<Region> {
    let shared = pair.overlap_box();
    if shared.is_empty() || !shared.is_finite() {
        return Vec::new();
    }
    let test = OverlapTest::new(pair, across(pair, &shared));
    let frame = test.world_from_region;
    let start = shared.moved(&frame.inverse());
    let floor = quality.finest_cell * pair.least_thickness();
    let mut cells = vec![start];
    let mut survivors = Vec::new();
    loop {
        survivors.clear();
        survivors.extend(cells.iter().filter(|c| test.may_overlap(c)));
        if survivors.is_empty() {
            return Vec::new();
        }
        let extent = survivors.iter().fold(Aabb::EMPTY, |b, c| b.union(c)).size().max_element();
        let target = (extent / quality.cells_across as f64).max(floor);
        cells.clear();
        let mut split_any = false;
        for cell in &survivors {
            split_any |= split(*cell, target, &mut cells);
        }
        if !split_any || cells.len() > CELL_BUDGET {
            return gather(survivors, frame);
        }
    }
}

/// A frame whose last axis points from one body into the other, as seen from the middle of the box they share.
fn across(pair: &Pair, shared: &Aabb) -> Frame {
    let probe = pair.probe(shared.center());
    let n = probe.gradient_a.normalize_or_zero() - probe.gradient_b.normalize_or_zero();
    let n = n.try_normalize().unwrap_or(DVec3::Z);
    let (e1, e2) = n.any_orthonormal_pair();
    Frame { rotation: DQuat::from_mat3(&DMat3::from_cols(e1, e2, n)), translation: shared.center() }
}

/// Bounds of both fields over boxes of one frame.
pub(super) struct OverlapTest<'a> {
    pub world_from_region: Frame,
    sides: [(&'a Shape, Frame, [DVec3; 3]); 2],
}

impl<'a> OverlapTest<'a> {
    pub fn new(pair: &Pair<'a>, world_from_region: Frame) -> Self {
        let sides = [pair.a.field, pair.b.field].map(|field| {
            let body_from_region = field.world_from_body.inverse() * world_from_region;
            (field.shape, body_from_region, [DVec3::X, DVec3::Y, DVec3::Z].map(|e| body_from_region.vector(e)))
        });
        Self { world_from_region, sides }
    }

    /// Whether bounds leave room for an overlap in `cell`.
    pub fn may_overlap(&self, cell: &Aabb) -> bool {
        let (middle, half) = (cell.center(), 0.5 * cell.size());
        self.sides.iter().all(|(shape, body_from_region, axes)| {
            let [x, y, z] = *axes;
            let center = body_from_region.translation + x * middle.x + y * middle.y + z * middle.z;
            shape.upper_bound(&Cell { center, axes: *axes, half }) >= shape.iso()
        })
    }
}

/// Halves every edge longer than `target` (and not much shorter than the longest), pushing the pieces.
pub(super) fn split(cell: Aabb, target: f64, out: &mut Vec<Aabb>) -> bool {
    // Depth across the contact tells nothing about neighbouring patches: half as fine will do.
    let size = cell.size() * DVec3::new(1.0, 1.0, 0.5);
    let longest = size.max_element();
    // The last bit of slack keeps a cell that just reached the target from being split by rounding.
    if longest <= target * (1.0 + 1e-9) {
        out.push(cell);
        return false;
    }
    let middle = cell.center();
    let first = out.len();
    out.push(cell);
    for axis in 0..3 {
        if size[axis] > 0.6 * longest {
            for i in first..out.len() {
                let mut high = out[i];
                out[i].max[axis] = middle[axis];
                high.min[axis] = middle[axis];
                out.push(high);
            }
        }
    }
    true
}

/// Cells that touch belong together.
fn gather(cells: Vec<Aabb>, world_from_region: Frame) -> Vec<Region> {
    let mut regions: Vec<Region> = Vec::new();
    let mut left = cells;
    while let Some(first) = left.pop() {
        let mut members = vec![first];
        let mut at = 0;
        while at < members.len() {
            let reach = members[at].grown(1e-9 * members[at].size().max_element());
            left.retain(|c| {
                let touches = c.overlaps(&reach);
                if touches {
                    members.push(*c);
                }
                !touches
            });
            at += 1;
        }
        let bounds = members.iter().fold(Aabb::EMPTY, |b, c| b.union(c));
        let cell_size = members.iter().fold(0.0, |s: f64, c| s.max(c.size().max_element()));
        regions.push(Region { world_from_region, cells: members, bounds, cell_size });
    }
    // Order by place, not by history, so that a region's number means the same every time.
    regions.sort_by(|p, q| {
        let key = |r: &Region| [r.bounds.min.x, r.bounds.min.y, r.bounds.min.z];
        key(p).partial_cmp(&key(q)).unwrap_or(std::cmp::Ordering::Equal)
    });
    regions
}

impl Region {
    /// Whether a world point lies in the region's box.
    pub fn contains(&self, p: DVec3) -> bool {
        self.bounds.contains(self.world_from_region.inverse().point(p))
    }

    /// A point on the contact surface with positive pressure, near the middle of the region if possible.
    /// `None`: no overlap was found; the region is a touch, or narrower than its cells show.
    pub(super) fn seed(&self, pair: &Pair) -> Option<DVec3> {
        let middle = self.cells.iter().map(Aabb::center).sum::<DVec3>() / self.cells.len() as f64;
        let middle = self.world_from_region.point(middle);
        let size = self.bounds.size().length();
        if let Some(p) = onto_surface(pair, middle, size) {
            return Some(p);
        }
        let mut best: Option<(f64, DVec3)> = None;
        for cell in &self.cells {
            let p = self.world_from_region.point(cell.center());
            let depth = scaled_depth(pair, p);
            if best.is_none_or(|(d, _)| depth > d) {
                best = Some((depth, p));
            }
        }
        let (_, start) = best?;
        ascend(pair, start, self).and_then(|p| onto_surface(pair, p, size))
    }
}

/// The lesser of the two field excesses; unlike pressures they are comparable when one side is stiff.
fn scaled_depth(pair: &Pair, p: DVec3) -> f64 {
    let probe = pair.probe(p);
    (probe.pressure_a / pair.a.stiffness).min(probe.pressure_b / pair.b.stiffness)
}

/// Newton along the gradient onto the contact surface; `None` where the pressure there is not positive.
pub(super) fn onto_surface(pair: &Pair, start: DVec3, size: f64) -> Option<DVec3> {
    let kind = pair.kind();
    let mut p = start;
    for _ in 0..30 {
        let probe = pair.probe(p);
        let (u, g) = probe.surface(kind);
        let slope_sq = g.length_squared();
        if slope_sq == 0.0 || !slope_sq.is_finite() {
            return None;
        }
        let step = (u / slope_sq) * g;
        p -= step;
        if (p - start).length_squared() > 4.0 * size * size {
            return None;
        }
        if step.length_squared() <= 1e-20 * size * size {
            let (pa, pb) = pair.probe(p).contact_pressures(kind);
            return (pa > 0.0 && pb > 0.0).then_some(p);
        }
    }
    None
}

/// Climbs the lesser field until it is positive: subgradient steps that halve when they stop helping.
fn ascend(pair: &Pair, start: DVec3, region: &Region) -> Option<DVec3> {
    let (mut p, mut depth) = (start, scaled_depth(pair, start));
    let mut step = region.cell_size;
    let floor = 1e-9 * region.bounds.size().length();
    while step > floor {
        if depth > 0.0 {
            return Some(p);
        }
        let probe = pair.probe(p);
        let (ga, gb) = (probe.gradient_a / pair.a.stiffness, probe.gradient_b / pair.b.stiffness);
        let climb = (ga.normalize_or_zero() + gb.normalize_or_zero()).normalize_or_zero();
        let lesser_is_a = probe.pressure_a / pair.a.stiffness < probe.pressure_b / pair.b.stiffness;
        let lesser = if lesser_is_a { ga } else { gb }.normalize_or_zero();
        let better = [lesser, climb]
            .map(|d| (scaled_depth(pair, p + step * d), p + step * d))
            .into_iter()
            .max_by(|x, y| x.0.total_cmp(&y.0));
        match better {
            Some((d, q)) if d > depth => (depth, p) = (d, q),
            _ => step *= 0.5,
        }
    }
    (depth > 0.0).then_some(p)
}
