//! Where two bodies overlap: seeds by climbing, emptiness by proof, and cells gathered into regions.
//!
//! *The idea*: in the box both solids share, drop every cell in which guaranteed bounds leave no room for an overlap
//! and split the others. What is left when nothing more can be dropped is overlap, or too small to decide; how small
//! is said. *Not promised*: that each region holds an overlap (touching bodies leave cells that only a finer search
//! would empty).

use super::Quality;
use super::meeting::Meeting;
use super::pair::{Pair, Probe, SurfaceKind};
use super::patch::WarmStart;
use super::star::Star;
use crate::fields::Field;
use crate::math::{Aabb, Cell, DVec3};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A connected set of cells that may hold an overlap: one patch, usually. No two regions share a cell.
#[derive(Clone, Debug)]
pub(super) struct Region {
    /// All touch, none overlap.
    pub cells: Vec<Aabb>,
    /// Largest cell edge: what lies closer together is not told apart.
    pub cell_size: f64,
}

/// Cells of all regions together. Reached only by bodies that overlap almost everywhere; fewer merges neighbouring
/// patches.
const MOST_CELLS: usize = 4096;

/// Cells examined for one pair before what is left is taken for a touch. Reached by surfaces that run along each other.
const MOST_LOOKS: usize = 20_000;

/// Cells examined after an overlap too thin to show at their middles was found. Fewer: it is taken for the whole patch's
/// seed though it is only a corner of one. More: light touches take long.
const LOOKS_AFTER_THIN: usize = 500;

/// A place to look at `pair` from, and the direction from b into a there. `None`: their boxes are apart.
pub(super) fn across(pair: &Pair, memory: Option<&WarmStart>) -> Option<(DVec3, DVec3)> {
    let shared = pair.overlap_box();
    if shared.is_empty() || !shared.is_finite() {
        return None;
    }
    let place = memory.map_or_else(|| shared.center(), |m| m.center);
    let inward = |i: usize| [&pair.a, &pair.b][i].field.sample(place).gradient.normalize_or_zero();
    let n = match pair.kind() {
        SurfaceKind::Shared => inward(0) - inward(1),
        SurfaceKind::RigidA => inward(0),
        SurfaceKind::RigidB => -inward(1),
    };
    Some((place, n.try_normalize().unwrap_or(DVec3::Z)))
}

/// Cosine between the frame's last axis and the contact's normal from which a frame does. Less: the box around a thin
/// overlap is not thin. More: most pairs are brought over twice.
const STRAIGHT: f64 = 0.9;

/// A point of the contact surface, by a short climb from the middle of the shared box: often there is one, and finding
/// it first saves a search.
pub(super) fn seed(meeting: &Meeting) -> Option<DVec3> {
    let (middle, size) = (meeting.shared.center(), meeting.shared.size().length());
    onto_surface(meeting, middle, size)
        .or_else(|| ascend(meeting, middle, (size, 0.25 * size)).and_then(|p| onto_surface(meeting, p, size)))
}

/// From a point of the contact surface towards its deepest: two steps up a parabola that ends where a patch of `size`
/// would. From near the deepest point a star needs fewer directions.
pub(super) fn uphill(meeting: &Meeting, start: DVec3, size: impl Fn(&Probe) -> f64) -> DVec3 {
    let mut p = start;
    for _ in 0..2 {
        let probe = meeting.probe(p);
        let Some(n) = probe.surface(meeting.kind).1.try_normalize() else { return p };
        let rise = probe.contact_gradient(meeting.kind).reject_from_normalized(n);
        let (width, pressure) = (size(&probe), probe.contact_pressures(meeting.kind).0);
        let step = (rise * (width * width / (8.0 * pressure))).clamp_length_max(0.5 * width);
        if step.length() < 0.01 * width {
            return p;
        }
        match onto_surface(meeting, p + step, width) {
            Some(next) => p = next,
            None => return p,
        }
    }
    p
}

/// Steps towards a peak: a few for a round one, most for a ridge.
const PEAK_STEPS: usize = 16;

/// The top of the pressure near `start`, a point of the contact surface that many around it did not surpass: steps as long
/// as the last two slopes tell (Barzilai and Borwein), for ridges are long.
pub(super) fn peak(meeting: &Meeting, start: DVec3, size: f64) -> DVec3 {
    let kind = meeting.kind;
    let look = |p: DVec3| {
        let probe = meeting.probe(p);
        let n = probe.surface(kind).1.normalize_or_zero();
        (p, probe.contact_pressures(kind).0, probe.contact_gradient(kind).reject_from(n))
    };
    let mut last = look(start);
    let (mut best, mut step) = (last, 1e-3 * size * last.2.normalize_or_zero());
    for _ in 0..PEAK_STEPS {
        let Some(here) = onto_surface(meeting, last.0 + step, size).map(look) else { break };
        if here.1 > best.1 {
            best = here;
        }
        let (way, turn) = (here.0 - last.0, here.2 - last.2);
        step = (way.length_squared() / way.dot(turn).abs() * here.2).clamp_length_max(0.5 * size);
        if step.is_nan() || step.length() <= 1e-5 * size {
            break;
        }
        last = here;
    }
    best.0
}

/// The contact's normal at `p`, in the world, where the frame of `meeting` does not lie along it.
pub(super) fn askew(meeting: &Meeting, p: DVec3) -> Option<DVec3> {
    let n = meeting.probe(p).surface(meeting.kind).1.try_normalize()?;
    (n.z < STRAIGHT).then(|| meeting.world_from_here.vector(n))
}

/// Every region in which there may be an overlap, each some `cells_across` cells wide.
pub(super) fn regions(meeting: &Meeting, quality: &Quality) -> Vec<Region> {
    let floor = quality.finest_cell * meeting.thickness;
    let mut found = Vec::new();
    // A rigid surface may be a face of the shared box: it must lie well within a cell.
    let size = meeting.shared.size();
    let around = Aabb { min: meeting.shared.min - 0.0137 * size, max: meeting.shared.max + 0.0113 * size };
    let mut left = vec![vec![around]];
    let mut count = 0;
    while let Some(cells) = left.pop() {
        let bounds = cells.iter().fold(Aabb::EMPTY, |b, c| b.union(c));
        let size = bounds.size() * DEPTH_COUNTS;
        let target = (size.max_element() / quality.cells_across.clamp(1, 64) as f64).max(floor);
        // All cells of a group have one size.
        let edge = cells[0].size() * DEPTH_COUNTS;
        if edge.max_element() <= 1.01 * target || count + cells.len() > MOST_CELLS {
            count += cells.len();
            found.push(Region { cell_size: cells[0].size().max_element(), cells });
            continue;
        }
        let long = edge.to_array().map(|e| e > 1.01 * target);
        let mut kept = Vec::new();
        cells.iter().for_each(|c| halve(c, long, &mut kept));
        kept.retain(|c| meeting.may_overlap(c));
        left.extend(gather(kept, touch));
    }
    found
}

/// How the patches of `regions` lie: a point among them, their mean normal, and the direction along it in which they are
/// longest. `None`: none was met.
pub(super) fn lie(meeting: &Meeting, regions: &[Region]) -> Option<(DVec3, DVec3, DVec3)> {
    let cells = regions.iter().flat_map(|r| &r.cells);
    // A narrow patch passes by the middles of its cells; its surface does not.
    let (points, normals): (Vec<DVec3>, Vec<DVec3>) = cells
        .filter_map(|c| project(meeting, c.center(), 0.5 * c.size().length()))
        .map(|(p, probe)| (p, probe.surface(meeting.kind).1.normalize_or_zero()))
        .unzip();
    let across = normals.into_iter().sum::<DVec3>().try_normalize()?;
    let middle = points.iter().sum::<DVec3>() / points.len() as f64;
    let (e1, e2) = across.any_orthonormal_pair();
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for d in points.iter().map(|p| *p - middle) {
        let (x, y) = (d.dot(e1), d.dot(e2));
        (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y);
    }
    let (sin, cos) = (0.5 * (2.0 * xy).atan2(xx - yy)).sin_cos();
    Some((middle, across, cos * e1 + sin * e2))
}

/// Depth across the contact tells nothing about neighbouring patches: cells may be twice as deep as wide.
const DEPTH_COUNTS: DVec3 = DVec3::new(1.0, 1.0, 0.5);

/// Adds the halves of `cell`, cut along some axes, to `out`.
pub(super) fn halve(cell: &Aabb, axes: [bool; 3], out: &mut Vec<Aabb>) {
    let middle = cell.center();
    split(cell, [0, 1, 2].map(|i| axes[i].then_some(middle[i])), out);
}

/// Which edges of `cell` are about as long as its longest.
pub(super) fn long_edges(cell: &Aabb) -> [bool; 3] {
    let size = cell.size() * DEPTH_COUNTS;
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

/// Groups of what hangs together, one thing by the next.
pub(super) fn gather<T>(mut left: Vec<T>, joined: impl Fn(&T, &T) -> bool) -> Vec<Vec<T>> {
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
pub(super) fn touch(c: &Aabb, d: &Aabb) -> bool {
    c.grown(1e-9 * c.size().max_element()).overlaps(d)
}

/// A point of overlap that none of `stars` accounts for. `None` is a proof that there is none, but for cells too small
/// to decide; the largest of those raises `unresolved`.
pub(super) fn unexplained(meeting: &Meeting, quality: &Quality, stars: &[Star], unresolved: &mut f64) -> Option<DVec3> {
    let floor = quality.finest_cell * meeting.thickness;
    let (mut places, mut cells) = (BinaryHeap::with_capacity(64), Vec::with_capacity(32));
    match stars.first().and_then(|s| s.outline.core()) {
        Some(core) => around(&meeting.shared, &core, &mut cells),
        None => cells.push(meeting.shared),
    }
    let add = |places: &mut BinaryHeap<Place>, cells: &mut Vec<Aabb>, hope: f64| {
        for cell in cells.drain(..) {
            places.push(Place { hope, number: places.len(), cell });
        }
    };
    add(&mut places, &mut cells, 0.0);
    let (mut left, mut thin, before) = (MOST_LOOKS, None, *unresolved);
    while let Some(Place { cell, .. }) = places.pop() {
        let covered = stars.iter().any(|s| s.outline.covers(&Cell::from(cell)));
        // A cell around a star's middle overlaps for sure.
        let known = covered || stars.iter().any(|s| cell.contains(s.patch.reference));
        let Some(room) = (if known { Some(cell) } else { meeting.room(&cell) }) else { continue };
        let middle = room.center();
        let mut hope = f64::NEG_INFINITY;
        if stars.iter().all(|s| s.outline.is_beyond(middle)) {
            hope = meeting.unscaled(&meeting.probe(middle)).depth();
            if hope > 0.0 {
                return Some(middle);
            }
        }
        if covered {
            continue;
        }
        let longest = (room.size() * DEPTH_COUNTS).max_element();
        left = left.saturating_sub(1);
        if longest <= floor || left == 0 {
            // An overlap thinner than the cell may lie beside its middle.
            if thin.is_none() {
                let beyond = |p: &DVec3| stars.iter().all(|s| s.outline.is_beyond(*p));
                thin = onto_surface(meeting, middle, longest).filter(beyond);
                left = if thin.is_some() { left.min(LOOKS_AFTER_THIN) } else { left };
            }
            *unresolved = unresolved.max(longest);
            continue;
        }
        halve(&room, long_edges(&room), &mut cells);
        add(&mut places, &mut cells, hope);
    }
    if thin.is_some() {
        // Everything is looked at again around the patch that comes of it.
        *unresolved = before;
    }
    thin
}

/// A cell to look into.
struct Place {
    /// How deep the overlap is at the middle of the cell this one is a part of; negative.
    hope: f64,
    number: usize,
    cell: Aabb,
}

/// The most promising first.
impl Ord for Place {
    fn cmp(&self, other: &Self) -> Ordering {
        self.hope.total_cmp(&other.hope).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Place {}

/// Adds what of `outer` lies outside `inner`, in up to six slabs, to `out`.
fn around(outer: &Aabb, inner: &Aabb, out: &mut Vec<Aabb>) {
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

/// Steps from one point of a patch to another in which a gap between them is looked for.
const STEPS: usize = 8;

/// Whether two points of the contact surface belong to one patch, as far as a straight way from one to the other shows.
pub(super) fn joined(meeting: &Meeting, p: DVec3, q: DVec3) -> bool {
    (1..STEPS).all(|i| onto_surface(meeting, p.lerp(q, i as f64 / STEPS as f64), p.distance(q)).is_some())
}

/// Places on a line across a deep overlap, for each thickness of the thinner side and at most, where sheets are looked for.
const LAYER_STEPS: (f64, f64) = (4.0, 400.0);

/// Whether the line across the contact surface at `p` meets another sheet of it within `reach`: a thin body runs through
/// the other.
pub(super) fn is_layered(meeting: &Meeting, p: DVec3, reach: f64) -> bool {
    let across = meeting.probe(p).surface(meeting.kind).1.normalize_or_zero();
    let steps = (LAYER_STEPS.0 * reach / meeting.thickness).clamp(LAYER_STEPS.0, LAYER_STEPS.1).ceil();
    // A rigid surface presses wherever it is in the soft body, so also where that has left the rigid one again.
    let pressed = |probe: &Probe| match meeting.kind {
        SurfaceKind::Shared => probe.depth() > 0.0,
        SurfaceKind::RigidA | SurfaceKind::RigidB => probe.contact_pressures(meeting.kind).0 > 0.0,
    };
    let another = |way: DVec3| {
        let overlap = (1..=steps as usize).map(|i| meeting.probe(p + (i as f64 / steps) * way)).take_while(pressed);
        let mut sides = overlap.map(|probe| probe.surface(meeting.kind).0 > 0.0);
        let first = sides.next();
        sides.any(|side| Some(side) != first)
    };
    another(reach * across) || another(-reach * across)
}

/// Newton along the gradient onto the contact surface; `None` where the pressure there is not positive.
pub(super) fn onto_surface(meeting: &Meeting, start: DVec3, size: f64) -> Option<DVec3> {
    let (p, probe) = project(meeting, start, size)?;
    let (pa, pb) = probe.contact_pressures(meeting.kind);
    (pa > 0.0 && pb > 0.0).then_some(p)
}

/// Newton along the gradient onto the surface of equal pressures, in or out of contact, and what is there.
fn project(meeting: &Meeting, start: DVec3, size: f64) -> Option<(DVec3, Probe)> {
    let kind = meeting.kind;
    let mut p = start;
    for _ in 0..30 {
        let probe = meeting.probe(p);
        let (u, g) = probe.surface(kind);
        let slope_sq = g.length_squared();
        if slope_sq == 0.0 || !slope_sq.is_finite() {
            return None;
        }
        let step = -(u / slope_sq) * g;
        p += step;
        if (p - start).length_squared() > 4.0 * size * size {
            return None;
        }
        // Newton squares what is left.
        if step.length_squared() <= 1e-12 * size * size {
            return Some((p, probe.advanced(step)));
        }
    }
    None
}

/// Tries of a climb. A touch is decided in a dozen; grazing surfaces may use them all and are then not counted.
const CLIMBS: usize = 40;

/// Climbs the lesser field until it is positive: along the surface where both fields exceed their isovalues by the
/// same amount, uphill, with steps that grow while they help.
fn ascend(meeting: &Meeting, start: DVec3, (size, first_step): (f64, f64)) -> Option<DVec3> {
    let mut step = first_step;
    let mut best = (f64::NEG_INFINITY, start);
    let mut p = start;
    for _ in 0..CLIMBS {
        let probe = meeting.unscaled(&meeting.probe(p));
        let depth = probe.depth();
        if depth > 0.0 {
            return Some(p);
        }
        if depth > best.0 {
            best = (depth, p);
            step *= 1.5;
        } else {
            step *= 0.35;
        }
        let (ga, gb) = (probe.gradient_a, probe.gradient_b);
        let across = ga - gb;
        let gap = probe.pressure_b - probe.pressure_a;
        let onto = if across == DVec3::ZERO { DVec3::ZERO } else { across * (gap / across.length_squared()) };
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
