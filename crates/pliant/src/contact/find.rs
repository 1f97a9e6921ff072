//! Where two bodies can overlap: cells that bounds cannot rule out, gathered into regions.
//!
//! *The idea*: start from the box both solids share; drop every cell in which a guaranteed bound keeps one of the
//! fields below its isovalue; split what is left until cells are small against what is left. An empty answer is a
//! proof that there is no contact. *Not promised*: that each region holds an overlap (touching bodies leave cells
//! that only a finer search would empty).

use super::star::Star;
use super::{Pair, Quality};
use crate::fields::{Cap, Field, Shape};
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

/// Cells of one grid. Reached only by bodies that overlap almost everywhere; fewer merges neighbouring patches.
const MOST_CELLS: f64 = 4096.0;

/// When fewer than one cell in this many overlaps at its middle, cells are still too coarse for the overlap.
const FEW: usize = 6;

/// Every region in which `pair` may overlap. Empty: they provably do not touch.
pub fn regions(pair: &Pair, quality: &Quality) -> Vec<Region> {
    let shared = pair.overlap_box();
    if shared.is_empty() || !shared.is_finite() {
        return Vec::new();
    }
    let test = OverlapTest::new(pair, across(pair, &shared));
    let start = shared.moved(&test.world_from_region.inverse());
    let search = Search { pair, test, floor: quality.finest_cell * pair.least_thickness() };
    let mut found = Vec::new();
    search.within(start, quality.cells_across, &mut found);
    // Order by place, not by history, so that a region's number means the same every time.
    found.sort_by(|p, q| {
        let key = |r: &Region| r.bounds.min.to_array();
        key(p).partial_cmp(&key(q)).unwrap_or(std::cmp::Ordering::Equal)
    });
    found
}

struct Search<'a> {
    pair: &'a Pair<'a>,
    test: OverlapTest<'a>,
    floor: f64,
}

impl Search<'_> {
    /// Regions inside `outer`: shrink it to what bounds leave, lay a grid, gather what the grid leaves, and look
    /// closer wherever that is much smaller than the grid, or mostly empty.
    fn within(&self, outer: Aabb, cells_across: usize, found: &mut Vec<Region>) {
        let Some(hull) = self.test.shrunk(outer) else { return };
        let size = hull.size();
        let target = (size.x.max(size.y).max(0.5 * size.z) / cells_across as f64).max(self.floor);
        let mut cells = Vec::new();
        grid(&hull, target, |cell| {
            if self.test.may_overlap(&cell) {
                cells.push(cell);
            }
        });
        let frame = self.test.world_from_region;
        let region_from_world = frame.inverse();
        // Seen along the contact: a thin or bent overlap passes beside the middles of the cells it lies in.
        let overlaps = |c: &&Aabb| {
            let surface = || onto_surface(self.pair, frame.point(c.center()), c.size().length());
            let within = |p: DVec3| c.grown(0.5 * c.size().z).contains(region_from_world.point(p));
            self.pair.probe(frame.point(c.center())).depth() > 0.0 || surface().is_some_and(within)
        };
        for region in gather(cells, frame) {
            let smaller = region.bounds.size().max_element() < 0.6 * size.max_element();
            let coarse = target > self.floor;
            if smaller && coarse {
                self.within(region.bounds, cells_across, found);
            } else if coarse && region.cells.iter().filter(overlaps).count() * FEW < region.cells.len() {
                self.within(region.bounds, 2 * cells_across, found);
            } else {
                found.push(region);
            }
        }
    }
}

/// Calls `each` with the cells of a grid over `hull`, none longer than `target` (twice that along the last axis:
/// depth across the contact tells nothing about neighbouring patches).
pub(super) fn grid(hull: &Aabb, target: f64, mut each: impl FnMut(Aabb)) {
    let size = hull.size();
    let mut counts = [size.x / target, size.y / target, 0.5 * size.z / target].map(|n| (n - 1e-9).ceil().max(1.0));
    while counts.iter().product::<f64>() > MOST_CELLS {
        counts = counts.map(|n| (0.5 * n).ceil());
    }
    let edge = size / DVec3::from_array(counts);
    for i in 0..counts[0] as usize {
        for j in 0..counts[1] as usize {
            for k in 0..counts[2] as usize {
                let min = hull.min + edge * DVec3::new(i as f64, j as f64, k as f64);
                each(Aabb { min, max: min + edge });
            }
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

/// Rounds of cutting slices off a box. Each tightens what the one before left; more cost more than they save.
const PASSES: usize = 4;

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

    /// The part of `outer` that bounds cannot empty by cutting slices off its six sides.
    pub fn shrunk(&self, outer: Aabb) -> Option<Aabb> {
        let mut hull = outer;
        if !self.may_reach(&hull) {
            return None;
        }
        for _ in 0..PASSES {
            let before = hull.size();
            // Across the contact first: a thin box lets the sides be cut close.
            for axis in [2, 0, 1] {
                for upper in [true, false] {
                    for cut in [0.9375, 0.75, 0.5, 0.25, 0.0625] {
                        let depth = cut * (hull.max[axis] - hull.min[axis]);
                        let (mut slice, mut rest) = (hull, hull);
                        if upper {
                            slice.min[axis] = hull.max[axis] - depth;
                            rest.max[axis] = slice.min[axis];
                        } else {
                            slice.max[axis] = hull.min[axis] + depth;
                            rest.min[axis] = slice.max[axis];
                        }
                        if !self.may_reach(&slice) {
                            hull = rest;
                            break;
                        }
                    }
                }
            }
            if !self.may_reach(&hull) {
                return None;
            }
            let shrunk = hull.size() / before;
            if shrunk.min_element() > 0.93 {
                break;
            }
        }
        Some(hull)
    }

    /// Both cells, seen from the bodies.
    fn cells(&self, cell: &Aabb) -> [Cell; 2] {
        let (middle, half) = (cell.center(), 0.5 * cell.size());
        self.sides.map(|(_, body_from_region, axes)| {
            let center = body_from_region.translation + axes[0] * middle.x + axes[1] * middle.y + axes[2] * middle.z;
            Cell { center, axes, half }
        })
    }

    /// Whether both fields' bounds reach their isovalues: the first and cheapest proof alone.
    fn may_reach(&self, cell: &Aabb) -> bool {
        let cells = self.cells(cell);
        (0..2).all(|i| self.sides[i].0.upper_bound(&cells[i]) >= self.sides[i].0.iso())
    }

    /// Whether bounds leave room for an overlap in `cell`. Three proofs of the contrary, cheapest first: one field is
    /// below its isovalue by its bound; or by the plane above it; or a weighted sum of both is, in which the
    /// opposing slopes of two facing surfaces cancel.
    pub fn may_overlap(&self, cell: &Aabb) -> bool {
        let cells = self.cells(cell);
        let half = cells[0].half;
        let iso = |i: usize| self.sides[i].0.iso();
        if (0..2).any(|i| self.sides[i].0.upper_bound(&cells[i]) < iso(i)) {
            return false;
        }
        let mut caps = [Cap::default(); 2];
        for i in 0..2 {
            caps[i] = self.sides[i].0.cap(&cells[i]);
            caps[i].value -= iso(i);
            if caps[i].highest(&cells[i]) < 0.0 {
                return false;
            }
            // Into the region's axes, where both gradients can meet.
            caps[i].gradient = DVec3::from_array(self.sides[i].2.map(|axis| axis.dot(caps[i].gradient)));
        }
        let slopes = caps.map(|c| c.gradient.length());
        if slopes[0] == 0.0 || slopes[1] == 0.0 {
            return true;
        }
        let both = caps[0].plus(slopes[0] / slopes[1], &caps[1]);
        both.value + both.gradient.abs().dot(half) + both.rise >= 0.0
    }
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
    regions
}

/// Cells examined for one pair before what is left is taken for a touch. Reached by surfaces that run along each other.
const MOST_LOOKS: usize = 20_000;

/// A point of overlap that none of `stars` accounts for. `None` is a proof that there is none, but for cells too small
/// to decide; the largest of those raises `unresolved`.
pub(super) fn unexplained(pair: &Pair, quality: &Quality, stars: &[Star], unresolved: &mut f64) -> Option<DVec3> {
    let shared = pair.overlap_box();
    if shared.is_empty() || !shared.is_finite() {
        return None;
    }
    let frame = stars.first().map_or_else(|| across(pair, &shared), |s| s.outline.chart.frame());
    let test = OverlapTest::new(pair, frame);
    let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|e| frame.vector(e));
    let region_from_world = frame.inverse();
    let floor = quality.finest_cell * pair.least_thickness();
    let mut cells: Vec<Aabb> = test.shrunk(shared.moved(&region_from_world)).into_iter().collect();
    let mut looks = 0;
    while let Some(cell) = cells.pop() {
        let here = Cell { center: frame.point(cell.center()), axes, half: 0.5 * cell.size() };
        // A cell around a star's middle overlaps for sure.
        let known = stars.iter().any(|s| cell.contains(region_from_world.point(s.patch.reference)));
        let covered = stars.iter().any(|s| s.outline.covers(&here));
        if !known && !covered && !test.may_overlap(&cell) {
            continue;
        }
        let beyond = stars.iter().all(|s| s.outline.is_beyond(here.center));
        if beyond && pair.probe(here.center).depth() > 0.0 {
            return Some(here.center);
        }
        if covered {
            continue;
        }
        // Half as fine along the axis: depth tells nothing about neighbouring patches.
        let size = cell.size() * DVec3::new(1.0, 1.0, 0.5);
        let longest = size.max_element();
        looks += 1;
        let middle = cell.center();
        if longest <= floor || looks > MOST_LOOKS {
            *unresolved = unresolved.max(longest);
            continue;
        }
        let first = cells.len();
        cells.push(cell);
        for axis in (0..3).filter(|a| size[*a] > 0.6 * longest) {
            for i in first..cells.len() {
                let mut high = cells[i];
                cells[i].max[axis] = middle[axis];
                high.min[axis] = middle[axis];
                cells.push(high);
            }
        }
    }
    None
}

/// A point of overlap near the middle of the box two bodies share, by a short climb; often there is one, and
/// finding it first saves a search.
pub(super) fn middle(pair: &Pair) -> Option<DVec3> {
    let shared = pair.overlap_box();
    if shared.is_empty() || !shared.is_finite() {
        return None;
    }
    let size = shared.size().length();
    onto_surface(pair, shared.center(), size).or_else(|| ascend(pair, shared.center(), (size, 0.25 * size)))
}

impl Region {
    /// The cells, in the world.
    pub(super) fn cells(&self) -> impl Iterator<Item = Cell> {
        let frame = self.world_from_region;
        self.cells.iter().map(move |c| Cell::from(*c).moved(&frame))
    }

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
        let mut centers: Vec<(f64, DVec3)> = self
            .cells
            .iter()
            .map(|cell| self.world_from_region.point(cell.center()))
            .map(|p| (scaled_depth(pair, p), p))
            .collect();
        centers.sort_by(|p, q| q.0.total_cmp(&p.0));
        let likely = centers.iter().take(4);
        likely.clone().find_map(|(_, p)| onto_surface(pair, *p, size)).or_else(|| {
            likely
                .filter_map(|(_, p)| ascend(pair, *p, (size, self.cell_size)))
                .find_map(|p| onto_surface(pair, p, size))
        })
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

/// Tries of a climb. A touch is decided in a dozen; grazing surfaces may use them all and are then not counted.
const CLIMBS: usize = 40;

/// Climbs the lesser field until it is positive: along the surface where both fields exceed their isovalues by the
/// same amount, uphill, with steps that grow while they help.
fn ascend(pair: &Pair, start: DVec3, (size, first_step): (f64, f64)) -> Option<DVec3> {
    let mut step = first_step;
    let mut best = (f64::NEG_INFINITY, start);
    let mut p = start;
    for _ in 0..CLIMBS {
        let probe = pair.probe(p);
        let (fa, fb) = (probe.pressure_a / pair.a.stiffness, probe.pressure_b / pair.b.stiffness);
        let (ga, gb) = (probe.gradient_a / pair.a.stiffness, probe.gradient_b / pair.b.stiffness);
        let depth = fa.min(fb);
        if depth > 0.0 {
            return Some(p);
        }
        if depth > best.0 {
            best = (depth, p);
            step *= 1.5;
        } else {
            step *= 0.35;
        }
        let across = ga - gb;
        let onto = if across == DVec3::ZERO { DVec3::ZERO } else { across * ((fb - fa) / across.length_squared()) };
        let uphill = ga.reject_from(across.try_normalize().unwrap_or(DVec3::X));
        // Flat, or too low for any step that is left to lift it: the fields do not meet here.
        if step < 1e-7 * size || depth + (uphill.length() + ga.length()) * size < 0.0 {
            return None;
        }
        p = if depth < best.0 { best.1 } else { p }
            + onto.clamp_length_max(first_step)
            + step * uphill.normalize_or_zero();
    }
    None
}
