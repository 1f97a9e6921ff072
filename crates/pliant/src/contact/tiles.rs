//! The general rule: adaptive tiles over a region, whatever the patch's outline.
//!
//! *The idea*: the region's cells are disjoint, so each is integrated by itself and nothing is counted twice. In a cell
//! the contact surface is a graph over the face it crosses most steeply; on lines across that face the patch is a set
//! of intervals, whose ends are bracketed roots. Lines and the points on them follow Lobatto's rule, whose ends and middle
//! make Simpson's: where the two differ, the cell is cut, the worst first, until what is left is small against the load.
//! Rings, islands and kinks of the kernels are all the same to it: places where cells get small. Cells begin as
//! columns across the contact, and are cut across it only where the surface folds, which tetrahedra see to (`fold.rs`):
//! elsewhere no face cuts the patch in two. Cells in which nothing is seen are cut until they are proved empty or small against what was found elsewhere.
//! *Not promised*: an island narrower than [`Patch::resolved_to`].

use super::Quality;
use super::chart::{Lifted, pressures};
use super::find::{self, Region, halve, long_edges, split};
use super::fold::Fold;
use super::meeting::Meeting;
use super::patch::{Layout, Patch, Run, Sum};
use super::tile::{CHECK, Interval, LOOKS, View};
use crate::math::{Aabb, DVec3};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A tile is cut along its lines only, or across them only, where the error there is so many times the other's.
const LOPSIDED: f64 = 4.0;

/// Tiles of one region, and looks into empty cells, times the tolerance asked for; and the fewest and most. At a crease the
/// error goes with one over their number. Fewer: creases are less exact than asked for. More: a touch so light that all of it is
/// border takes long. The error left is reported, and so is how narrow an island may be.
const TILES: f64 = 3.0;
const LEAST_TILES: f64 = 300.0;
const MOST_TILES: f64 = 4000.0;

/// How much of the difference between two rules is taken for the error of the better one. Beside kinks it is no more; where
/// all is smooth, much less.
const SHOWN: f64 = 0.25;

/// What a cut leaves of the error it shows.
const LEFT: f64 = 0.1;

/// How much of the difference between lines and tetrahedra, where faces cut the patch, is taken for what lines miss.
const SLIVERS: f64 = 0.5;

/// What of the error of a folded tile that showed nothing each such part inherits: as much as it may have of its surface.
const FOLDED: f64 = 0.25;

/// How far a patch may bulge into a tile between looks along its edges, as a part of its diagonal.
const PAST_LOOKS: f64 = 0.03;

/// Smallest tile against the cells of its region. Smaller: a corner of the border takes all tiles there are.
const SMALLEST: f64 = 1e-3;

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
    /// By how much two rules differ, along the tile's lines and across them, newtons.
    along: f64,
    across: f64,
    /// Estimated error of the force, newtons.
    error: f64,
}

/// An interval of the patch on one line of a tile.
struct Strip {
    /// Along which the surface was found.
    across: DVec3,
    ends: [DVec3; 2],
    /// Which ends are the patch's own, rather than the tile's.
    at_border: [bool; 2],
    /// From the line to both edges of the strip.
    to_edges: [DVec3; 2],
    points: Vec<(Lifted, f64)>,
}

impl Tile {
    fn empty(cell: Aabb) -> Self {
        Self {
            cell,
            strips: Vec::new(),
            force: DVec3::ZERO,
            load: 0.0,
            area: 0.0,
            folded: false,
            cuts: [None; 3],
            along: 0.0,
            across: 0.0,
            error: 0.0,
        }
    }
}

/// The patches in `region`, one as a rule, or how small the cells were in which none was found.
pub(super) fn integrate(meeting: &Meeting, region: &Region, quality: &Quality) -> Result<Vec<Patch>, f64> {
    let tolerance = quality.resolution.tolerance();
    let tiler = Tiler { meeting, root: quality.root_tolerance(), size: region.cell_size };
    let (mut tiles, resolved_to) = tiler.search(region, quality);
    is_enclosed(&mut tiles);
    // The mean of the hardest pressed tile.
    let most = tiles.iter().filter(|t| t.area > 0.0).map(|t| t.load / t.area).fold(0.0, f64::max);
    let mut open: BinaryHeap<Tile> = tiles.into();
    let mut done: Vec<Tile> = Vec::new();
    let (mut error, mut load) = open.iter().fold((0.0, 0.0), |(e, l), t| (e + t.error, l + t.load));
    while error > tolerance * load && open.len() + done.len() < most_tiles(tolerance) {
        let Some(worst) = open.pop() else { break };
        let mut parts = Vec::with_capacity(8);
        split(&worst.cell, worst.cuts, &mut parts);
        if parts.len() == 1 {
            done.push(worst);
            continue;
        }
        let count = parts.len() as f64;
        if worst.load == 0.0 {
            parts.retain(|c| meeting.may_overlap(c));
        }
        let mut parts: Vec<Tile> = parts.into_iter().map(|c| tiler.tile(c)).collect();
        let unseen = |t: &Tile| t.load == 0.0 && !t.folded;
        parts.retain(|t| !unseen(t) || (t.error > 0.0 && meeting.may_overlap(&t.cell)));
        let change = (parts.iter().map(|t| t.force).sum::<DVec3>() - worst.force).length();
        // Nobody knows what a fold hides that shows nothing, but hardly more than a sheet across it carries.
        for part in parts.iter_mut().filter(|t| !unseen(t)) {
            part.error = part.error.max(LEFT * change / count);
            if part.folded && part.load == 0.0 {
                part.error = part.error.max(FOLDED * worst.error).min(most * face(&part.cell));
            }
        }
        error += parts.iter().map(|t| t.error).sum::<f64>() - worst.error;
        load += parts.iter().map(|t| t.load).sum::<f64>() - worst.load;
        open.extend(parts);
    }
    done.extend(open);
    done.sort_by(|p, q| order(&p.cell, &q.cell));
    let mut patches: Vec<Patch> = sheets(done).iter().filter_map(|tiles| finish(meeting, tiles)).collect();
    for patch in &mut patches {
        (patch.error, patch.resolved_to) = (error / load, resolved_to);
    }
    if patches.is_empty() { Err(resolved_to) } else { Ok(patches) }
}

fn most_tiles(tolerance: f64) -> usize {
    (TILES / tolerance).clamp(LEAST_TILES, MOST_TILES) as usize
}

/// Tiles of one patch together. Both faces of a thin body may lie in one region: then they are two.
fn sheets(tiles: Vec<Tile>) -> Vec<Vec<Tile>> {
    let normal = |t: &Tile| t.force.normalize_or_zero();
    let face_away = |s: &Tile, t: &Tile| normal(s).dot(normal(t)) < -0.5;
    match tiles.iter().find(|t| t.load > 0.0) {
        Some(first) if tiles.iter().any(|t| face_away(first, t)) => {
            let seen = tiles.into_iter().filter(|t| t.load > 0.0).collect();
            find::gather(seen, |s, t| find::touch(&s.cell, &t.cell) && !face_away(s, t))
        }
        _ => vec![tiles],
    }
}

/// The largest face of a cell, square metres.
fn face(cell: &Aabb) -> f64 {
    let size = cell.size();
    size.element_product() / size.min_element()
}

/// Folds in which nothing was seen hide as much as an average tile shows.
fn is_enclosed(tiles: &mut [Tile]) {
    let seen = tiles.iter().filter(|t| t.load > 0.0).count().max(1);
    let mean = tiles.iter().map(|t| t.load).sum::<f64>() / seen as f64;
    tiles.iter_mut().filter(|t| t.folded && t.load == 0.0).for_each(|t| t.error = mean);
}

/// All tiles as one patch.
fn finish(meeting: &Meeting, tiles: &[Tile]) -> Option<Patch> {
    let kind = meeting.kind;
    let mut sum = Sum::default();
    let (mut border, mut runs) = (Vec::new(), Vec::new());
    for strip in tiles.iter().flat_map(|t| &t.strips) {
        let Strip { ends, to_edges, .. } = *strip;
        runs.push(Run { first: sum.points.len(), count: strip.points.len(), ends, to_edges });
        border.extend(ends.iter().zip(strip.at_border).filter(|e| e.1).map(|e| e.0));
        for (lifted, measure) in &strip.points {
            sum.add(kind, strip.across, lifted, *measure);
        }
    }
    let reference = sum.deepest()?;
    let top = find::peak(meeting, reference, sum.area().sqrt());
    let probe = meeting.probe(top);
    sum.see(probe.contact_pressures(kind).0, top, probe.approach_rate(kind));
    Some(sum.finish(reference, border, Layout::Tiles { runs }))
}

/// Looks at the tiles of one region.
pub(super) struct Tiler<'a> {
    pub meeting: &'a Meeting<'a>,
    /// How near roots must come, as a fraction of `size`.
    pub root: f64,
    pub size: f64,
}

impl Tiler<'_> {
    fn tile(&self, cell: Aabb) -> Tile {
        let mut tile = Tile::empty(cell);
        let Some(mut view) = self.view(cell) else { return tile };
        let whole = (cell.min[view.axes[0]], cell.max[view.axes[0]]);
        let even = self.lines(&mut tile, &mut view, whole);
        if !even && !view.folded && view.deepest.0 > -PAST_LOOKS * view.diagonal() {
            let breaks = self.breaks(&mut view);
            if !breaks.is_empty() {
                tile = Tile::empty(cell);
                let mut from = whole.0;
                for to in breaks.into_iter().chain([whole.1]) {
                    self.lines(&mut tile, &mut view, (from, to));
                    from = to;
                }
            }
        }
        if tile.load > 0.0 && !view.folded {
            self.look_across(&mut view);
        }
        // A wall that no line met is as good as a fold.
        let [i, j, k] = view.axes;
        view.folded = view.folded
            || match tile.load {
                0.0 if view.gone => self.is_near(&cell) || self.crosses(&cell, &[i, j, k]),
                0.0 => self.crosses(&cell, &[i, j, k]),
                _ => !view.clipped && self.crosses(&cell, &[i, j]),
            };
        if view.folded {
            let met = tile.load > 0.0 || view.is_met;
            tile = self.folded(cell);
            view.folded = met || tile.load > 0.0;
        } else {
            tile.error = SHOWN * (tile.along + tile.across);
            // Lines may pass by slivers that faces cut off; tetrahedra do not.
            if view.clipped {
                tile.error = tile.error.max(SLIVERS * (self.fold(&cell).force - tile.force).length());
            }
        }
        if tile.load == 0.0 && !view.folded {
            return self.unseen(Tile::empty(cell), &view);
        }
        let mut size = cell.size();
        if !view.folded {
            size[k] = 0.0;
            // Where one way does for both, the other is left.
            if tile.along > LOPSIDED * tile.across {
                size[i] = 0.0;
            } else if tile.across > LOPSIDED * tile.along {
                size[j] = 0.0;
            }
        }
        let longest = size.max_element();
        if longest > SMALLEST * self.size {
            let middle = cell.center();
            tile.cuts = [0, 1, 2].map(|i| (size[i] > 0.6 * longest).then_some(middle[i]));
        }
        tile
    }

    /// A tile in which lines show a fold.
    fn folded(&self, cell: Aabb) -> Tile {
        let Fold { force, load, area, points, error } = self.fold(&cell);
        let strips = points.into_iter().map(|(lifted, area)| self.alone(lifted, area)).collect();
        Tile { strips, force, load, area, error, folded: true, ..Tile::empty(cell) }
    }

    /// A strip of one point, across the surface there: a square around it.
    fn alone(&self, lifted: Lifted, area: f64) -> Strip {
        let across = lifted.probe.surface(self.meeting.kind).1.normalize_or_zero();
        let (e1, e2) = across.any_orthonormal_pair();
        let half = 0.5 * area.sqrt();
        let ends = [-half, half].map(|h| lifted.position + h * e1);
        Strip { across, ends, at_border: [false; 2], to_edges: [-half * e2, half * e2], points: vec![(lifted, area)] }
    }

    /// Adds what lines across a part of the tile show. Returns whether the patch fills them all.
    fn lines(&self, tile: &mut Tile, view: &mut View, (from, to): (f64, f64)) -> bool {
        let width = to - from;
        let (mut edge, mut even) = (0.0, true);
        let mut across = DVec3::ZERO;
        for ((u, w), check) in LOOKS.into_iter().zip(CHECK) {
            let to_edges = [edge - u, edge + w - u].map(|e| e * width);
            edge += w;
            let intervals = self.intervals(view, from + u * width);
            if view.folded {
                return false;
            }
            even &= intervals.first().is_some_and(Interval::is_whole);
            for interval in intervals {
                let (force, doubt) = self.strip(tile, view, interval, (w * width, to_edges));
                across += (1.0 - check / w) * force;
                tile.along += doubt;
            }
        }
        tile.across += across.length();
        even
    }

    /// A tile in which nothing was seen: what may have slipped past its outermost lines is its error.
    fn unseen(&self, mut tile: Tile, view: &View) -> Tile {
        let (size, middle, long) = (tile.cell.size(), tile.cell.center(), long_edges(&tile.cell));
        let (deepest, lifted) = view.deepest;
        let slope = lifted.probe.contact_gradient(self.meeting.kind).length();
        let width = (deepest + PAST_LOOKS * view.diagonal()).max(0.0);
        tile.error = 0.5 * slope * width * width * view.diagonal();
        if size.max_element() > SMALLEST * self.size {
            tile.cuts = [0, 1, 2].map(|i| long[i].then_some(middle[i]));
        }
        tile
    }

    /// Adds an interval to the tile. Returns its force, and by how much two rules for it differ.
    fn strip(
        &self,
        tile: &mut Tile,
        view: &View,
        Interval { ends, at_border, points, .. }: Interval,
        (weight, to_edges): (f64, [f64; 2]),
    ) -> (DVec3, f64) {
        let [i, _, k] = view.axes;
        let points: Vec<(Lifted, f64)> = points.into_iter().map(|(l, m)| (l, m * weight)).collect();
        let Some((middle, _)) = points.get(points.len() / 2) else { return (DVec3::ZERO, 0.0) };
        let (_, g) = middle.probe.surface(self.meeting.kind);
        // Along the surface: what the face's direction loses to the slope.
        let mut tangent = DVec3::AXES[i];
        tangent[k] = -g[i] / g[k];
        let (mut sum, mut check) = (DVec3::ZERO, DVec3::ZERO);
        let is_full = points.len() == LOOKS.len();
        for (i, (lifted, measure)) in points.iter().enumerate() {
            let (_, g) = lifted.probe.surface(self.meeting.kind);
            let force = pressures(lifted, self.meeting.kind).0.max(0.0) * measure / g[k].abs() * g;
            sum += force;
            if is_full {
                check += CHECK[i] / LOOKS[i].1 * force;
            }
            tile.load += force.length();
            tile.area += measure * g.length() / g[k].abs();
        }
        let to_edges = to_edges.map(|e| e * tangent);
        tile.force += sum;
        tile.strips.push(Strip { across: DVec3::AXES[k], ends, at_border, to_edges, points });
        (sum, (sum - check).length())
    }

    /// The region's cells, joined to columns where the patch lies across them.
    fn upright(&self, region: &Region) -> Vec<Aabb> {
        let mut cells = Vec::new();
        for column in columns(region) {
            let whole = column.iter().fold(Aabb::EMPTY, |b, c| b.union(c));
            let across = |v: View| v.axes[2] == 2 && !v.folded && v.is_met;
            if column.len() == 1 || self.view(whole).is_some_and(across) {
                cells.push(whole);
            } else {
                cells.extend(column);
            }
        }
        cells
    }

    /// Tiles of the region, those in which nothing is seen small against what is seen elsewhere; and the size of the
    /// largest of these.
    fn search(&self, region: &Region, quality: &Quality) -> (Vec<Tile>, f64) {
        let floor = quality.finest_cell * self.meeting.thickness;
        let edge = |c: &Aabb| c.size().truncate().max_element();
        let mut cells = self.upright(region);
        let (mut seen, mut empty): (Vec<Tile>, Vec<Tile>) = (Vec::new(), Vec::new());
        let mut looks = 0;
        loop {
            for cell in cells {
                let tile = self.tile(cell);
                if tile.load > 0.0 { seen.push(tile) } else { empty.push(tile) }
            }
            let width = seen.iter().map(|t| t.area).sum::<f64>().sqrt();
            let target = (2.0 * width / quality.cells_across.clamp(1, 64) as f64).max(floor);
            let (large, small): (Vec<Tile>, Vec<Tile>) = empty.into_iter().partition(|t| edge(&t.cell) > target);
            empty = small;
            looks += large.len();
            if large.is_empty() || looks > most_tiles(quality.resolution.tolerance()) {
                let resolved_to = large.iter().chain(&empty).map(|t| edge(&t.cell)).fold(0.0, f64::max);
                seen.extend(large.into_iter().chain(empty));
                return (seen, resolved_to);
            }
            cells = Vec::new();
            large.iter().for_each(|t| halve(&t.cell, long_edges(&t.cell), &mut cells));
            cells.retain(|c| self.meeting.may_overlap(c));
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
