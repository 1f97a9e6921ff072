//! The general rule: adaptive tiles over a region, whatever the patch's outline.
//!
//! *The idea*: the region's cells are disjoint, so each is integrated by itself and nothing is counted twice. In a cell
//! the contact surface is a graph over the face it crosses most steeply; on lines across that face the patch is a set
//! of intervals, whose ends are bracketed roots and which Gauss points fill. A cell whose parts together give another
//! force than the whole is cut, the worst first, until what is left is small against the load. Rings, islands, folds
//! and kinks of the kernels are all the same to it: places where cells get small. Cells begin as columns across the
//! contact, and are cut across it only where the surface folds: elsewhere no face cuts the patch in two.
//! Cells in which nothing is seen are cut until they are proved empty or small against what was found elsewhere.
//! *Not promised*: an island narrower than [`Patch::resolved_to`].

use super::chart::{GRAZING, Lifted, pressures};
use super::find::{Region, halve, long_edges, split};
use super::meeting::Meeting;
use super::pair::{Kind, Probe};
use super::patch::{Layout, Patch, Run, Sum};
use super::{Quality, Resolution};
use crate::math::{Aabb, DVec3, gauss, refine_root};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Lines across a tile, and points on an interval that ends within it.
const LINES: usize = 3;
const POINTS: usize = 3;

/// Places on a line where the patch is looked for, and the weights of Lobatto's rule, by which these are all an
/// interval needs that fills its tile.
const LOOKS: [(f64, f64); 4] = [
    (0.0, 1.0 / 12.0),
    (0.276_393_202_250_021, 5.0 / 12.0),
    (0.723_606_797_749_979, 5.0 / 12.0),
    (1.0, 1.0 / 12.0),
];

/// Tiles of one region. Only tolerances finer than kinks allow reach it; the error left is reported.
const MOST_TILES: usize = 20_000;

/// Smallest tile against the cells of its region. Smaller: a corner of the border takes all tiles there are.
const SMALLEST: f64 = 1e-3;

/// Empty cells looked into before what is left is taken for a touch.
const MOST_LOOKS: usize = 4000;

/// Places at which a line across a cell is looked at for sheets of the surface. Fewer: two sheets are taken for one.
const LEVELS: usize = 7;

/// Cosine between the surface's normal and an axis from which the surface is taken for a graph along it.
const STEEP: f64 = 0.3;

/// Steps towards a border before the last is taken: half of them bisections would leave a thousandth.
const ROOTS: usize = 20;

/// Iterations of Newton along a line before brackets take over.
const NEWTON: usize = 8;

/// The patch in one cell.
struct Tile {
    cell: Aabb,
    strips: Vec<Strip>,
    force: DVec3,
    /// `∫ p dA`.
    load: f64,
    area: f64,
    /// The surface is no graph over the tile's face, or has more than one sheet.
    folded: bool,
    /// Where to cut along each axis; nowhere for the smallest.
    cuts: [Option<f64>; 3],
    /// Estimated error of the force, newtons.
    error: f64,
}

/// An interval of the patch on one line of a tile.
struct Strip {
    /// Along which the surface was found.
    across: DVec3,
    ends: [DVec3; 2],
    /// From the line to both edges of the strip.
    to_edges: [DVec3; 2],
    points: Vec<(Lifted, f64)>,
}

/// The patch in `region`, or how small the cells were in which none was found.
pub(super) fn integrate(meeting: &Meeting, region: &Region, quality: &Quality) -> Result<Patch, f64> {
    let tolerance = match quality.resolution {
        Resolution::Tolerance(t) => t,
        Resolution::Fixed { .. } => 1e-9,
    };
    let tiler = Tiler { meeting, root: quality.root_tolerance(), size: region.cell_size };
    let (tiles, resolved_to) = tiler.search(region, quality);
    #[cfg(test)]
    eprintln!("search: {} cells, {} seen, probes {}", region.cells.len(), tiles.len(), super::meeting::PROBES.get());
    #[cfg(test)]
    COUNT.with_borrow_mut(|c| { eprintln!("follow {} left {} iterations {} bracket {} faces {}", c[0], c[1], c[2], c[3], c[4]); *c = [0; 5]; });
    let mut open: BinaryHeap<Tile> = tiles.into();
    let mut done: Vec<Tile> = Vec::new();
    let (mut error, mut load) = open.iter().fold((0.0, 0.0), |(e, l), t| (e + t.error, l + t.load));
    while error > tolerance * load && open.len() + done.len() < MOST_TILES {
        let Some(worst) = open.pop() else { break };
        let mut parts = Vec::with_capacity(8);
        split(&worst.cell, worst.cuts, &mut parts);
        if parts.len() == 1 {
            done.push(worst);
            continue;
        }
        let count = parts.len() as f64;
        let mut parts: Vec<Tile> = parts.into_iter().map(|c| tiler.tile(c)).collect();
        let change = (parts.iter().map(|t| t.force).sum::<DVec3>() - worst.force).length();
        // Halves leave a quarter of an error as a rule, but nobody knows what a fold hides.
        for part in &mut parts {
            part.error = if part.folded { part.load.max(worst.load / count) } else { 0.5 * change / count };
        }
        error += parts.iter().map(|t| t.error).sum::<f64>() - worst.error;
        load += parts.iter().map(|t| t.load).sum::<f64>() - worst.load;
        open.extend(parts);
    }
    done.extend(open);
    #[cfg(test)]
    COUNT.with_borrow_mut(|c| { eprintln!("refine follow {} left {} iterations {} bracket {} faces {}", c[0], c[1], c[2], c[3], c[4]); *c = [0; 5]; });
    #[cfg(test)]
    eprintln!("refine: {} tiles probes {}", done.len(), super::meeting::PROBES.get());
    done.sort_by(|p, q| order(&p.cell, &q.cell));
    let mut patch = finish(meeting.kind, &done).ok_or(resolved_to)?;
    patch.error = error / load;
    patch.resolved_to = resolved_to;
    Ok(patch)
}

/// All tiles as one patch.
fn finish(kind: Kind, tiles: &[Tile]) -> Option<Patch> {
    let mut sum = Sum::default();
    let (mut border, mut runs) = (Vec::new(), Vec::new());
    for strip in tiles.iter().flat_map(|t| &t.strips) {
        runs.push(Run { first: sum.points.len(), count: strip.points.len(), to_edges: strip.to_edges });
        border.extend(strip.ends);
        for (lifted, measure) in &strip.points {
            sum.add(kind, strip.across, lifted, *measure);
        }
    }
    let reference = sum.deepest()?;
    Some(sum.finish(reference, border, Layout::Tiles { runs }))
}

struct Tiler<'a> {
    meeting: &'a Meeting<'a>,
    /// How near roots must come, as a fraction of `size`.
    root: f64,
    size: f64,
}

/// A tile being looked at: the face its surface is a graph over, and what was last found.
struct View {
    cell: Aabb,
    /// Lines lie side by side along the first axis, run along the second, and the surface is found along the third.
    axes: [usize; 3],
    /// Whether `u` grows along the last axis.
    up: bool,
    last: Lifted,
    folded: bool,
    /// A place between two sheets.
    between: Option<f64>,
}

impl Tiler<'_> {
    fn tile(&self, cell: Aabb) -> Tile {
        let mut tile = Tile {
            cell,
            strips: Vec::new(),
            force: DVec3::ZERO,
            load: 0.0,
            area: 0.0,
            folded: false,
            cuts: [None; 3],
            error: 0.0,
        };
        let Some(mut view) = self.view(cell) else { return tile };
        let i = view.axes[0];
        let rule = gauss(LINES);
        let width = cell.max[i] - cell.min[i];
        let mut edge = 0.0;
        for (u, w) in rule.nodes.iter().zip(&rule.weights) {
            let x = cell.min[i] + u * width;
            let to_edges = [edge - u, edge + w - u].map(|e| e * width);
            edge += w;
            for (ends, points) in self.intervals(&mut view, x) {
                self.strip(&mut tile, &view, (ends, to_edges), points.into_iter().map(|(l, m)| (l, m * w * width)));
            }
        }
        tile.folded = view.folded;
        tile.error = tile.load;
        let mut size = cell.size();
        if !view.folded {
            size[view.axes[2]] = 0.0;
        }
        let longest = size.max_element();
        if longest > SMALLEST * self.size {
            let middle = cell.center();
            tile.cuts = [0, 1, 2].map(|i| (size[i] > 0.6 * longest).then_some(middle[i]));
            if let Some(between) = view.between {
                // Between two sheets no cut hurts.
                tile.cuts = [0, 1, 2].map(|i| (i == view.axes[2]).then_some(between));
            }
        }
        tile
    }

    /// Adds an interval to the tile.
    fn strip(
        &self,
        tile: &mut Tile,
        view: &View,
        (ends, to_edges): ([DVec3; 2], [f64; 2]),
        points: impl Iterator<Item = (Lifted, f64)>,
    ) {
        let [i, _, k] = view.axes;
        let points: Vec<(Lifted, f64)> = points.collect();
        let Some((middle, _)) = points.get(points.len() / 2) else { return };
        let (_, g) = middle.probe.surface(self.meeting.kind);
        // Along the surface: what the face's direction loses to the slope.
        let mut tangent = DVec3::AXES[i];
        tangent[k] = -g[i] / g[k];
        for (lifted, measure) in &points {
            let (_, g) = lifted.probe.surface(self.meeting.kind);
            let force = pressures(lifted, self.meeting.kind).0 * measure / g[k].abs() * g;
            tile.force += force;
            tile.load += force.length();
            tile.area += measure * g.length() / g[k].abs();
        }
        tile.strips.push(Strip { across: DVec3::AXES[k], ends, to_edges: to_edges.map(|e| e * tangent), points });
    }

    /// Tiles in which something is seen, and the size of the largest cell in which nothing was, yet not proved empty.
    fn search(&self, region: &Region, quality: &Quality) -> (Vec<Tile>, f64) {
        let floor = quality.finest_cell * self.meeting.thickness;
        let edge = |c: &Aabb| c.size().truncate().max_element();
        let mut cells = columns(region);
        let (mut seen, mut empty): (Vec<Tile>, Vec<Aabb>) = (Vec::new(), Vec::new());
        let mut looks = 0;
        loop {
            for cell in cells {
                let tile = self.tile(cell);
                if tile.load > 0.0 { seen.push(tile) } else { empty.push(cell) }
            }
            let width = seen.iter().map(|t| t.area).sum::<f64>().sqrt();
            let target = (2.0 * width / quality.cells_across.clamp(1, 64) as f64).max(floor);
            let (large, small): (Vec<Aabb>, Vec<Aabb>) = empty.into_iter().partition(|c| edge(c) > target);
            empty = small;
            looks += large.len();
            if large.is_empty() || looks > MOST_LOOKS {
                return (seen, large.iter().chain(&empty).map(edge).fold(0.0, f64::max));
            }
            cells = Vec::new();
            large.iter().for_each(|c| halve(c, long_edges(c), &mut cells));
            cells.retain(|c| self.meeting.may_overlap(c));
        }
    }

    /// The face that suits the surface in `cell`, and a point to begin from. `None` where there is no slope to follow.
    fn view(&self, cell: Aabb) -> Option<View> {
        let kind = self.meeting.kind;
        let (mut start, mut between) = self.sheet(&cell, cell.center(), 2);
        let mut probe = self.meeting.probe(start);
        let (_, g) = probe.surface(kind);
        // The axis along which the surface leaves least through the faces, of those it does not run along.
        let steep = g.abs();
        let least = STEEP * g.length();
        let k = (DVec3::select(steep.cmpge(DVec3::splat(least)), steep, DVec3::ZERO) * cell.size()).max_position();
        if k != 2 {
            (start, between) = self.sheet(&cell, start, k);
            probe = self.meeting.probe(start);
        }
        let (_, g) = probe.surface(kind);
        // Lines run towards the border, so that they cross it steeply.
        let fall = probe.contact_gradient(kind).reject_from_normalized(g.try_normalize()?).abs();
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let (i, j) = if fall[i] > fall[j] { (j, i) } else { (i, j) };
        let last = Lifted { s: start[k], position: start, probe };
        let folded = between.is_some();
        Some(View { cell, axes: [i, j, k], up: g[k] > 0.0, last, folded, between })
    }

    /// Where the line through `p` along `axis` meets the patch, roughly, or comes nearest to it; and a place between
    /// if it meets it twice.
    fn sheet(&self, cell: &Aabb, p: DVec3, axis: usize) -> (DVec3, Option<f64>) {
        let (low, length) = (cell.min[axis], cell.max[axis] - cell.min[axis]);
        let at = |z: f64| {
            let mut p = p;
            p[axis] = z;
            p
        };
        let mut best: Option<(f64, f64)> = None;
        let mut sheets: Vec<f64> = Vec::new();
        let mut before: Option<(f64, f64, f64)> = None;
        let mut gap = (f64::INFINITY, low);
        let mut between = None;
        for i in 0..LEVELS {
            let z = low + length * i as f64 / (LEVELS - 1) as f64;
            let probe = self.meeting.probe(at(z));
            let (u, depth) = (probe.surface(self.meeting.kind).0, self.meeting.unscaled(&probe).depth());
            if best.is_none_or(|b| depth > b.0) {
                best = Some((depth, z));
            }
            if let Some((z0, u0, depth0)) = before
                && (u0 > 0.0) != (u > 0.0)
            {
                let share = u0 / (u0 - u);
                if depth0.max(depth) > 0.0 {
                    if !sheets.is_empty() && between.is_none() {
                        between = Some(gap.1);
                    }
                    sheets.push(z0 + share * (z - z0));
                    gap = (f64::INFINITY, z);
                }
            }
            if depth < gap.0 && z > low && i + 1 < LEVELS {
                gap = (depth, z);
            }
            before = Some((z, u, depth));
        }
        let z = sheets.first().copied().or(best.map(|b| b.1)).unwrap_or(p[axis]);
        (at(z), between)
    }

    /// Intervals of the patch on the line at `x`: their ends, and points with their measure along the line.
    fn intervals(&self, view: &mut View, x: f64) -> Vec<([DVec3; 2], Vec<(Lifted, f64)>)> {
        let j = view.axes[1];
        let (mut y0, mut length) = (view.cell.min[j], view.cell.max[j] - view.cell.min[j]);
        let look = |view: &mut View, y0: f64, length: f64| {
            LOOKS.map(|(u, w)| {
                let (value, lifted) = self.inside(view, x, y0 + u * length);
                (y0 + u * length, value, lifted, w * length)
            })
        };
        let mut looks = look(view, y0, length);
        if looks.iter().any(|l| l.2.is_none()) {
            // The surface leaves through a face: look only where it is between both.
            let Some(within) = self.within_faces(view, x) else { return Vec::new() };
            if within != (y0, length) {
                (y0, length) = within;
                looks = look(view, y0, length);
            }
        }
        if let [Some(a), Some(b), Some(c), Some(d)] = looks.map(|l| l.2)
            && looks.iter().all(|l| l.1 > 0.0)
        {
            let points = [a, b, c, d].into_iter().zip(looks.map(|l| l.3)).collect();
            return vec![([a.position, d.position], points)];
        }
        let mut found = Vec::new();
        let mut opened = (looks[0].1 > 0.0).then_some(y0);
        for pair in looks.windows(2) {
            let ((a, fa), (b, fb)) = ((pair[0].0, pair[0].1), (pair[1].0, pair[1].1));
            if (fa > 0.0) == (fb > 0.0) {
                continue;
            }
            let (inner, outer) = if fa > 0.0 { (&pair[0], b) } else { (&pair[1], a) };
            let end = self.border(view, x, (inner.0, inner.2, outer));
            match opened.take() {
                None => opened = Some(end),
                Some(start) => found.extend(self.fill(view, x, (start, end))),
            }
        }
        if let Some(start) = opened {
            found.extend(self.fill(view, x, (start, y0 + length)));
        }
        found
    }

    /// The part of the line at `x` over which the surface lies between the cell's faces: where it begins and how long
    /// it is. A surface that leaves through a face is followed beyond it.
    fn within_faces(&self, view: &View, x: f64) -> Option<(f64, f64)> {
        #[cfg(test)]
        COUNT.with_borrow_mut(|c| c[4] += 1);
        let [_, j, k] = view.axes;
        let (y0, y1) = (view.cell.min[j], view.cell.max[j]);
        let (z0, z1) = (view.cell.min[k], view.cell.max[k]);
        let height = |y: f64| self.follow(view, x, y).map(|l| l.s);
        let (Some(a), Some(b)) = (height(y0), height(y1)) else { return Some((y0, y1 - y0)) };
        let (mut from, mut to) = (y0, y1);
        for (face, sign) in [(z0, 1.0), (z1, -1.0)] {
            let (fa, fb) = (sign * (a - face), sign * (b - face));
            if fa <= 0.0 && fb <= 0.0 {
                return None;
            }
            if (fa > 0.0) == (fb > 0.0) {
                continue;
            }
            let beyond = |y: f64| height(y).map_or(-1.0, |z| sign * (z - face));
            let end = refine_root(beyond, (y0, fa), (y1, fb), self.root * (y1 - y0))?;
            if fa > 0.0 { to = to.min(end) } else { from = from.max(end) }
        }
        (to > from).then_some((from, to - from))
    }

    /// Where the pressure vanishes between `inner`, a place inside the patch, and `outer`, one that is not: Newton along
    /// the surface, kept between both.
    fn border(&self, view: &mut View, x: f64, (inner, start, outer): (f64, Option<Lifted>, f64)) -> f64 {
        let (kind, [_, j, k]) = (self.meeting.kind, view.axes);
        let (mut inner, mut outer, mut y, mut here) = (inner, outer, inner, start);
        // The pressure vanishes at the border, whose place then matters by the square.
        let near = self.root.sqrt() * (outer - inner).abs();
        for _ in 0..ROOTS {
            let newton = here.map(|l| {
                let (p, slope) = (l.probe.contact_gradient(kind), l.probe.surface(kind).1);
                y - pressures(&l, kind).0 / (p[j] - p[k] * slope[j] / slope[k])
            });
            let between = |y: &f64| (*y - inner) * (*y - outer) < 0.0;
            let next = newton.filter(between).unwrap_or(0.5 * (inner + outer));
            let done = (next - y).abs() <= near;
            y = next;
            if done || (outer - inner).abs() <= near {
                break;
            }
            let (value, lifted) = self.inside(view, x, y);
            here = lifted;
            if value > 0.0 { inner = y } else { outer = y }
        }
        y
    }

    /// Gauss points on one interval.
    fn fill(&self, view: &mut View, x: f64, (y0, y1): (f64, f64)) -> Option<([DVec3; 2], Vec<(Lifted, f64)>)> {
        let rule = gauss(POINTS);
        let mut points = Vec::with_capacity(POINTS);
        for (u, w) in rule.nodes.iter().zip(&rule.weights) {
            let (value, lifted) = self.inside(view, x, y0 + u * (y1 - y0));
            if let Some(lifted) = lifted.filter(|_| value > 0.0) {
                points.push((lifted, w * (y1 - y0)));
            }
        }
        let [_, j, k] = view.axes;
        // The ends lie on the surface as its slope at the nearest point tells.
        let end = |lifted: &Lifted, y: f64| {
            let (_, g) = lifted.probe.surface(self.meeting.kind);
            let mut p = lifted.position;
            p[k] -= g[j] / g[k] * (y - p[j]);
            p[j] = y;
            p
        };
        let (first, last) = (points.first()?.0, points.last()?.0);
        Some(([end(&first, y0), end(&last, y1)], points))
    }

    /// Positive inside the patch at `(x, y)`, negative outside; and the surface point there.
    fn inside(&self, view: &mut View, x: f64, y: f64) -> (f64, Option<Lifted>) {
        let kind = self.meeting.kind;
        let k = view.axes[2];
        let Some(lifted) = self.lift(view, x, y) else { return (-self.size, None) };
        let value = self.below_border(&lifted.probe);
        if value > 0.0 {
            let (_, g) = lifted.probe.surface(kind);
            view.folded |= g[k].abs() <= GRAZING * g.length() || (g[k] > 0.0) != view.up;
        }
        // Far outside the patch its surface has other sheets, which would lead astray.
        if value > -view.margin() {
            view.last = lifted;
        }
        (if value.is_nan() { -self.size } else { value }, Some(lifted))
    }

    /// The surface on the line through `(x, y)`: Newton from what was last found, or between the faces if that fails.
    fn lift(&self, view: &View, x: f64, y: f64) -> Option<Lifted> {
        let (kind, k) = (self.meeting.kind, view.axes[2]);
        let (z0, z1) = (view.cell.min[k], view.cell.max[k]);
        let slack = self.root * self.size;
        let newton = self.follow(view, x, y);
        let known = |l: &Lifted| self.below_border(&l.probe) < -view.margin();
        if newton.is_some_and(|l| (l.s >= z0 - slack && l.s <= z1 + slack) || known(&l)) {
            return newton;
        }
        #[cfg(test)]
        COUNT.with_borrow_mut(|c| c[3] += 1);
        let u = |z: f64| self.meeting.probe(view.at(x, y, z)).surface(kind).0;
        let (low, high) = (u(z0), u(z1));
        if (low > 0.0) == (high > 0.0) {
            return None;
        }
        let z = refine_root(u, (z0, low), (z1, high), slack)?;
        let position = view.at(x, y, z);
        Some(Lifted { s: z, position, probe: self.meeting.probe(position) })
    }

    /// How far inside the patch a surface point is, metres, by the slope of the pressure.
    fn below_border(&self, probe: &Probe) -> f64 {
        let kind = self.meeting.kind;
        probe.contact_pressures(kind).0 / probe.contact_gradient(kind).length()
    }

    /// The sheet last found, continued to the line through `(x, y)`.
    fn follow(&self, view: &View, x: f64, y: f64) -> Option<Lifted> {
        let (kind, [i, j, k]) = (self.meeting.kind, view.axes);
        let (z0, z1) = (view.cell.min[k], view.cell.max[k]);
        let (_, g) = view.last.probe.surface(kind);
        let from = view.last.position;
        let mut z = from[k] - (g[i] * (x - from[i]) + g[j] * (y - from[j])) / g[k];
        #[cfg(test)]
        COUNT.with_borrow_mut(|c| c[0] += 1);
        for _ in 0..NEWTON {
            if !(z >= z0 - self.size && z <= z1 + self.size) {
                #[cfg(test)]
                COUNT.with_borrow_mut(|c| c[1] += 1);
                return None;
            }
            #[cfg(test)]
            COUNT.with_borrow_mut(|c| c[2] += 1);
            let probe = self.meeting.probe(view.at(x, y, z));
            let (u, g) = probe.surface(kind);
            let step = -u / g[k];
            z += step;
            let probe = probe.advanced(step * DVec3::AXES[k]);
            // Far outside the patch nobody needs to know where exactly.
            if step.abs() <= self.root * self.size || self.below_border(&probe) < -(view.margin() + step.abs()) {
                return Some(Lifted { s: z, position: view.at(x, y, z), probe });
            }
        }
        None
    }
}

impl View {
    /// What lies farther outside the patch than this does not touch the tile's own part of it.
    fn margin(&self) -> f64 {
        let size = self.cell.size();
        0.25 * size[self.axes[0]].min(size[self.axes[1]])
    }

    fn at(&self, x: f64, y: f64, z: f64) -> DVec3 {
        let [i, j, k] = self.axes;
        let mut p = DVec3::ZERO;
        (p[i], p[j], p[k]) = (x, y, z);
        p
    }
}

/// The region's cells, those on top of one another joined.
pub(super) fn columns(region: &Region) -> Vec<Aabb> {
    let mut cells = region.cells.clone();
    cells.sort_by(order);
    let mut columns: Vec<Aabb> = Vec::new();
    for cell in cells {
        match columns.last_mut() {
            Some(c) if c.min.truncate() == cell.min.truncate() && c.max.z == cell.min.z => c.max.z = cell.max.z,
            _ => columns.push(cell),
        }
    }
    columns
}

/// By place.
fn order(p: &Aabb, q: &Aabb) -> Ordering {
    p.min.to_array().partial_cmp(&q.min.to_array()).unwrap_or(Ordering::Equal)
}

/// By error; then by place, so that the result does not depend on history.
impl Ord for Tile {
    fn cmp(&self, other: &Self) -> Ordering {
        self.error.total_cmp(&other.error).then_with(|| order(&self.cell, &other.cell))
    }
}

impl PartialOrd for Tile {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Tile {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Tile {}

#[cfg(test)]
pub(super) fn debug(meeting: &Meeting, region: &Region, quality: &Quality, cell: Aabb) -> (DVec3, String) {
    let tiler = Tiler { meeting, root: quality.root_tolerance(), size: region.cell_size };
    let tile = tiler.tile(cell);
    let view = tiler.view(cell);
    (tile.force, format!("{:?}", view.map(|v| (v.axes, v.last.position, v.between, v.last.probe.surface(meeting.kind), tile.folded, tile.strips.len()))))
}

#[cfg(test)]
thread_local! { static COUNT: std::cell::RefCell<[usize; 5]> = const { std::cell::RefCell::new([0; 5]) }; }
