//! The general rule: adaptive lines across a region, whatever the patch's outline.
//!
//! *The idea*: over a flat chart the patch is a set of intervals on each line of a family. Intervals are found by
//! sampling at the region's cell size, their ends by bracketed roots, and Gauss points fill them; lines are placed by
//! adaptive bisection. Rings, several islands and clipped pieces all work alike. Where the surface folds over the
//! chart, the region is cut in two and each half gets a chart of its own.
//! *Not promised*: speed; an island narrower than half a cell of the region.

use super::chart::{Chart, Lifted, Line, pressures};
use super::find::{Region, onto_surface};
use super::pair::{Kind, Pair};
use super::patch::{Layout, Patch, Sum};
use super::{Quality, Resolution};
use crate::math::{Aabb, DVec3, Frame, gauss, refine_root};

/// Gauss points along an interval, and lines in a panel.
const ALONG: usize = 6;
const PANEL: usize = 4;
/// Bisections of a panel of lines. Each halves the part that does not converge; 12 leaves 1/4096 of the region.
const DEEPEST: usize = 12;
/// Cuts of a region whose surface folds. 6 leaves 1/64; more would mean a surface rougher than its bounds.
const MOST_CUTS: usize = 6;

/// How far past its region a scan looks, as a fraction of a cell.
const MARGIN: f64 = 0.05;

/// The surface turns over along a line of the chart.
struct Fold;

/// An interval of one line: points with their measure, between two border points.
struct Run {
    line: usize,
    ends: [DVec3; 2],
    points: Vec<(Line, Lifted, f64)>,
}

/// Every patch of the region, at most one per piece the region had to be cut into. A region that is not `alone` counts
/// only what lies in its own cells: its rectangle may reach over a neighbour.
pub(super) fn integrate(pair: &Pair, (region, alone): (&Region, bool), quality: &Quality, seed: DVec3) -> Vec<Patch> {
    let mut patches: Vec<Patch> = Vec::new();
    // A rigid surface may be a face of the region: points on it must count as inside.
    let all = region.bounds.grown(MARGIN * region.cell_size);
    if !piece(pair, region, (quality, all, 0, alone), Some(seed), &mut patches) {
        // Part of the surface folds more than any cut undoes: what was found is not all.
        patches.iter_mut().for_each(|p| p.error = 1.0);
    }
    patches
}

fn piece(
    pair: &Pair,
    region: &Region,
    (quality, clip, cuts, alone): (&Quality, Aabb, usize, bool),
    seed: Option<DVec3>,
    out: &mut Vec<Patch>,
) -> bool {
    let size = region.bounds.size().length();
    let region_from_world = region.world_from_region.inverse();
    let inside = |p: &DVec3| clip.contains(region_from_world.point(*p));
    let seed = seed.filter(inside).or_else(|| {
        // Middles first, then corners: a piece may be a sliver of its cells.
        let at = |u: f64| region.cells.iter().flat_map(move |c| (0..8).map(move |i| (c, u, i)));
        at(0.0).step_by(8).chain(at(0.8)).find_map(|(c, u, i)| {
            let corner = DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) * 2.0 - 1.0;
            let p = region.world_from_region.point(c.center() + 0.5 * u * corner * c.size());
            onto_surface(pair, p, size).filter(inside)
        })
    });
    let Some(chart) = seed.and_then(|s| Chart::flat(pair, s, size, quality)) else { return true };
    let clip_to = (cuts > 0).then_some(clip);
    let scan = Scan::new(pair, region, (chart, clip_to, quality, alone));
    match scan.runs() {
        Ok(runs) => {
            out.extend(scan.finish(runs));
            true
        }
        Err(Fold) if cuts < MOST_CUTS => {
            let (mut low, mut high) = (clip, clip);
            let size = clip.size();
            let axis = (0..3).max_by(|i, j| size[*i].total_cmp(&size[*j])).unwrap_or(0);
            let middle = clip.center()[axis];
            low.max[axis] = middle;
            high.min[axis] = middle;
            let first = piece(pair, region, (quality, low, cuts + 1, alone), None, out);
            piece(pair, region, (quality, high, cuts + 1, alone), None, out) && first
        }
        Err(Fold) => false,
    }
}

struct Scan<'a> {
    pair: &'a Pair<'a>,
    region: &'a Region,
    kind: Kind,
    chart: Chart,
    /// Present where the region was cut: the piece, in the region's frame.
    clip: Option<(Frame, Aabb)>,
    low: [f64; 3],
    high: [f64; 3],
    tolerance: f64,
    root: f64,
    /// Present where other regions may lie within this one's rectangle.
    own_cells: Option<Frame>,
    /// Gauss panels for each two cells of an interval: kernels have kinks that finer tolerances must resolve.
    pieces: usize,
}

impl<'a> Scan<'a> {
    fn new(
        pair: &'a Pair,
        region: &'a Region,
        (chart, clip, quality, alone): (Chart, Option<Aabb>, &Quality, bool),
    ) -> Self {
        let (frame, region_from_world) = (region.world_from_region, region.world_from_region.inverse());
        let axes = [chart.across[0], chart.across[1], chart.axis];
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for cell in region.cells.iter().filter(|c| clip.is_none_or(|clip| c.overlaps(&clip))) {
            let half = 0.5 * cell.size();
            for (i, e) in axes.iter().enumerate() {
                let middle = (frame.point(cell.center()) - chart.center).dot(*e);
                let reach = half.dot(region_from_world.vector(*e).abs());
                low[i] = low[i].min(middle - reach);
                high[i] = high[i].max(middle + reach);
            }
        }
        low[2] -= MARGIN * region.cell_size;
        high[2] += MARGIN * region.cell_size;
        let tolerance = match quality.resolution {
            Resolution::Tolerance(t) => t,
            Resolution::Fixed { .. } => 1e-9,
        };
        let root = quality.root_tolerance();
        let pieces = if tolerance >= 1e-4 {
            1
        } else if tolerance >= 1e-6 {
            2
        } else {
            4
        };
        let clip = clip.map(|clip| (region_from_world, clip));
        Self {
            pair,
            region,
            kind: pair.kind(),
            chart,
            clip,
            low,
            high,
            tolerance,
            root,
            pieces,
            own_cells: (!alone).then_some(region_from_world),
        }
    }

    /// Runs on lines in order, as many as the tolerance needs.
    fn runs(&self) -> Result<Vec<Run>, Fold> {
        let panels = (((self.high[0] - self.low[0]) / self.region.cell_size).ceil() as usize).clamp(8, 64);
        let edge = |i: usize| self.low[0] + (self.high[0] - self.low[0]) * i as f64 / panels as f64;
        let mut coarse = Vec::new();
        for i in 0..panels {
            coarse.push((edge(i), edge(i + 1), self.panel(edge(i), edge(i + 1))?));
        }
        let total: f64 = coarse.iter().flat_map(|(_, _, runs)| runs).map(|r| self.load(r).length()).sum();
        let mut runs = Vec::new();
        for (x0, x1, panel) in coarse {
            self.refine((x0, x1), panel, (total, 0), &mut runs)?;
        }
        // Number the lines in order; runs of one line came with one panel-local number and the same abscissa.
        let mut number = 0;
        let mut last = None;
        for run in &mut runs {
            if last.is_some_and(|l| l != run.line) {
                number += 1;
            }
            last = Some(run.line);
            run.line = number;
        }
        Ok(runs)
    }

    fn refine(
        &self,
        (x0, x1): (f64, f64),
        whole: Vec<Run>,
        (total, depth): (f64, usize),
        out: &mut Vec<Run>,
    ) -> Result<(), Fold> {
        let middle = 0.5 * (x0 + x1);
        let (left, right) = (self.panel(x0, middle)?, self.panel(middle, x1)?);
        let sum = |runs: &[Run]| runs.iter().map(|r| self.load(r)).sum::<DVec3>();
        let change = (sum(&left) + sum(&right) - sum(&whole)).length();
        // Where islands begin or end between two lines, only narrower panels find the place.
        let even = {
            let edges = [x0, middle, x1].map(|x| self.count(x));
            let [a, b, c] = edges;
            let (a, b, c) = (a?, b?, c?);
            let lines = |runs: &[Run]| runs.len();
            a == b && b == c && [&left, &right, &whole].iter().all(|r| lines(r) == a * PANEL)
        };
        if (even && change <= 0.1 * self.tolerance * total) || depth == DEEPEST {
            out.extend(left);
            out.extend(right);
            return Ok(());
        }
        self.refine((x0, middle), left, (total, depth + 1), out)?;
        self.refine((middle, x1), right, (total, depth + 1), out)
    }

    fn load(&self, run: &Run) -> DVec3 {
        run.points
            .iter()
            .map(|(line, lifted, measure)| {
                let (_, g) = lifted.probe.surface(self.kind);
                pressures(lifted, self.kind).0 * measure / g.dot(line.direction).abs() * g
            })
            .sum()
    }

    /// Lines at the Gauss points between two abscissae.
    fn panel(&self, x0: f64, x1: f64) -> Result<Vec<Run>, Fold> {
        let rule = gauss(PANEL);
        let mut runs = Vec::new();
        for (u, w) in rule.nodes.iter().zip(&rule.weights) {
            self.line(x0 + u * (x1 - x0), w * (x1 - x0), &mut runs)?;
        }
        Ok(runs)
    }

    /// Intervals of the patch on the line at abscissa `x`.
    fn line(&self, x: f64, weight: f64, runs: &mut Vec<Run>) -> Result<(), Fold> {
        let mut guess = Some(0.0);
        let samples = self.samples(x, &mut guess)?;
        let mut opened: Option<f64> = (samples[0].1 > 0.0).then_some(samples[0].0);
        for pair in samples.windows(2) {
            let (before, now) = (pair[0], pair[1]);
            if (now.1 > 0.0) == (before.1 > 0.0) {
                continue;
            }
            let mut fold = false;
            let value = |y: f64| {
                let inside = self.inside(x, y, &mut guess);
                fold |= inside.is_err();
                inside.map_or(-1.0, |v| v.0)
            };
            let end = refine_root(value, before, now, self.root * self.chart.size).unwrap_or(now.0);
            if fold {
                return Err(Fold);
            }
            match opened.take() {
                None => opened = Some(end),
                Some(start) => self.fill(x, (start, end), (weight, &mut guess), runs)?,
            }
        }
        if let (Some(start), Some(last)) = (opened, samples.last()) {
            self.fill(x, (start, last.0), (weight, &mut guess), runs)?;
        }
        Ok(())
    }

    /// Values along a line, dense enough for the region's cells, with a place added wherever a parabola through
    /// three of them promises a change of sign between them (a chord narrower than the samples).
    fn samples(&self, x: f64, guess: &mut Option<f64>) -> Result<Vec<(f64, f64)>, Fold> {
        let span = self.high[1] - self.low[1];
        let count = ((2.0 * span / self.region.cell_size).ceil() as usize).clamp(32, 512);
        let mut samples = Vec::with_capacity(count + 3);
        for i in 0..=count {
            let y = self.low[1] + span * i as f64 / count as f64;
            samples.push((y, self.inside(x, y, guess)?.0));
        }
        let mut i = 1;
        while i + 1 < samples.len() {
            let [(y0, v0), (y1, v1), (y2, v2)] = [samples[i - 1], samples[i], samples[i + 1]];
            let same = (v0 > 0.0) == (v1 > 0.0) && (v1 > 0.0) == (v2 > 0.0);
            let nearest_zero = v1.abs() <= v0.abs() && v1.abs() <= v2.abs();
            let known = v0 > -1.0 && v1 > -1.0 && v2 > -1.0;
            if same && nearest_zero && known {
                let mut at = (y1, v1);
                let (mut lo, mut hi) = ((y0, v0), (y2, v2));
                for _ in 0..8 {
                    let y = vertex(lo, at, hi);
                    if !(y > lo.0 && y < hi.0) || y == at.0 {
                        break;
                    }
                    let now = (y, self.inside(x, y, guess)?.0);
                    let (left, right) = if y < at.0 { (now, at) } else { (at, now) };
                    if now.1.abs() <= at.1.abs() || (now.1 > 0.0) != (at.1 > 0.0) {
                        if y < at.0 {
                            hi = right
                        } else {
                            lo = left
                        }
                        at = now;
                    } else if y < at.0 {
                        lo = left;
                    } else {
                        hi = right;
                    }
                    if (at.1 > 0.0) != (v1 > 0.0) {
                        break;
                    }
                }
                if (at.1 > 0.0) != (v1 > 0.0) {
                    samples.insert(if at.0 > y1 { i + 1 } else { i }, at);
                    i += 1;
                }
            }
            i += 1;
        }
        Ok(samples)
    }

    /// Number of intervals on the line at abscissa `x`.
    fn count(&self, x: f64) -> Result<usize, Fold> {
        let mut runs = Vec::new();
        self.line(x, 0.0, &mut runs)?;
        Ok(runs.len())
    }

    /// Gauss points on one interval of a line.
    fn fill(
        &self,
        x: f64,
        (y0, y1): (f64, f64),
        (weight, guess): (f64, &mut Option<f64>),
        runs: &mut Vec<Run>,
    ) -> Result<(), Fold> {
        let rule = gauss(ALONG);
        let pieces = ((y1 - y0) / (2.0 * self.region.cell_size)).ceil().max(1.0) as usize * self.pieces;
        let width = (y1 - y0) / pieces as f64;
        let mut points = Vec::with_capacity(pieces * ALONG);
        for i in 0..pieces {
            for (u, w) in rule.nodes.iter().zip(&rule.weights) {
                let y = y0 + (i as f64 + u) * width;
                let line = self.straight(x, y);
                if let Some(lifted) = self.inside(x, y, guess)?.1 {
                    points.push((line, lifted, weight * w * width));
                }
            }
        }
        let mut ends = [DVec3::ZERO; 2];
        for (end, y) in ends.iter_mut().zip([y0, y1]) {
            let lifted = self.inside(x, y, guess)?.1;
            *end = lifted.map_or_else(|| self.straight(x, y).at(guess.unwrap_or(0.0)), |l| l.position);
        }
        // The abscissa's bits tell lines apart until they are numbered.
        runs.push(Run { line: x.to_bits() as usize, ends, points });
        Ok(())
    }

    fn straight(&self, x: f64, y: f64) -> Line {
        let tau = x.hypot(y);
        let angle = if tau > 0.0 { (x / tau, y / tau) } else { (1.0, 0.0) };
        self.chart.line(tau, angle)
    }

    /// Positive inside the patch at `(x, y)`, negative outside; and the surface point there.
    fn inside(&self, x: f64, y: f64, guess: &mut Option<f64>) -> Result<(f64, Option<Lifted>), Fold> {
        let line = self.straight(x, y);
        let (s0, s1) = (self.low[2], self.high[2]);
        let near = guess.and_then(|s| self.chart.lift(self.pair, &line, s, self.root));
        let lifted = match near.filter(|l| l.s >= s0 && l.s <= s1) {
            Some(lifted) => Some(lifted),
            None => self.search(&line)?,
        };
        let Some(lifted) = lifted else { return Ok((-1.0, None)) };
        // Only the patch itself leads on: outside it the surface has other sheets, which would lead astray.
        if pressures(&lifted, self.kind).0 > 0.0 {
            *guess = Some(lifted.s);
        }
        // Metres below the border, roughly: pressure over its slope.
        let slope = lifted.probe.gradient_a.length().max(lifted.probe.gradient_b.length());
        let mut value = pressures(&lifted, self.kind).0 / slope;
        if let Some(region_from_world) = &self.own_cells {
            let p = region_from_world.point(lifted.position);
            let margin = MARGIN * self.region.cell_size;
            if !self.region.cells.iter().any(|c| c.grown(margin).contains(p)) {
                value = value.min(-margin);
            }
        }
        if let Some((region_from_world, clip)) = &self.clip {
            let p = region_from_world.point(lifted.position);
            value = value.min((p - clip.min).min_element()).min((clip.max - p).min_element());
        }
        Ok((value, Some(lifted)))
    }

    /// The surface along a line, from samples across the region's depth.
    fn search(&self, line: &Line) -> Result<Option<Lifted>, Fold> {
        const STEPS: usize = 8;
        let (s0, s1) = (self.low[2], self.high[2]);
        let u = |s: f64| self.pair.probe(line.at(s)).surface(self.kind).0;
        let mut found = None;
        let mut before = (s0, u(s0));
        for i in 1..=STEPS {
            let s = s0 + (s1 - s0) * i as f64 / STEPS as f64;
            let now = (s, u(s));
            if (before.1 > 0.0) != (now.1 > 0.0)
                && let Some(root) = refine_root(u, before, now, self.root * self.chart.size)
            {
                let probe = self.pair.probe(line.at(root));
                let (_, g) = probe.surface(self.kind);
                let lifted = Lifted { s: root, position: line.at(root), probe };
                let in_patch = pressures(&lifted, self.kind).0 > 0.0
                    && self.clip.is_none_or(|(frame, clip)| clip.contains(frame.point(lifted.position)));
                if in_patch && g.dot(line.direction) < super::chart::GRAZING * g.length() {
                    return Err(Fold);
                }
                if found.is_none() || in_patch {
                    found = Some(lifted);
                }
            }
            before = now;
        }
        Ok(found)
    }

    fn finish(&self, runs: Vec<Run>) -> Option<Patch> {
        let mut sum = Sum::default();
        let mut border = Vec::new();
        let mut layout = Vec::new();
        for run in &runs {
            layout.push((run.line, sum.points.len(), run.points.len()));
            border.extend(run.ends);
            for (line, lifted, measure) in &run.points {
                sum.add(self.kind, &self.chart, line, lifted, *measure);
            }
        }
        if sum.points.is_empty() {
            return None;
        }
        let mut patch = sum.finish(&self.chart, border, Layout::Scan { runs: layout });
        patch.error = self.tolerance;
        patch.resolved_to = 0.5 * self.region.cell_size;
        Some(patch)
    }
}

/// Where the parabola through three points turns.
fn vertex((x0, y0): (f64, f64), (x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> f64 {
    let (p, q) = ((x1 - x0) * (y1 - y2), (x1 - x2) * (y1 - y0));
    x1 - 0.5 * ((x1 - x0) * p - (x1 - x2) * q) / (p - q)
}
