//! Lines across a patch of any outline: each is scanned for the intervals on which there is pressure.
//!
//! *The idea*: chords need one interval each; a patch with a waist, a hole or a notch has several on some lines. A rectangle
//! around the patch is crossed by evenly spaced lines; on each the pressure is sampled, its sign changes are the ends of
//! intervals, and every interval has Gauss points, each lobe of it its own. Across the lines the trapezoidal rule is of order
//! 5/2, for integrals along lines begin and end as the power 3/2 of the distance. Two errors are measured: across the lines,
//! by every second one; along them, by more points on every fourth. Intervals that overlap on neighbouring lines are one patch.
//! Gaps and lobes between two samples are found by their slopes. *Not promised*: gaps and lobes that these do not show, and
//! branches one above the other.

use super::chart::{ChartCoords, ChartSample, ChordChart};
use super::integrate::strip;
use super::layout::{self, Crease, QuadratureNode};
use super::newton::{ChordEnd, EndGuess, Newton, PatchScale};
use super::outline::Chord;
use crate::contact::frame::ContactFrame;
use crate::contact::patch::{Layout, Patch, Wrench};
use crate::contact::persistent_chart::{ChordCounts, LINE_COUNTS, LINE_POINTS};
use crate::contact::quadrature::chart::SurfacePoint;
use crate::contact::quadrature::sum::PatchSum;
use crate::math::{DVec3, UnionFind};

/// Samples along a line. Fewer: lobes and gaps are missed. More: slower.
const LINE_SAMPLES: usize = 16;

/// Lines with which the extent of a patch is searched.
const SEARCH_LINES: usize = 14;

/// Accuracy of heights while a line is scanned, as a fraction of the overlap's depth.
const SCAN_ACCURACY: f64 = 0.25;

/// A pressure between two samples guessed to fall below this fraction of the lesser is sampled. Larger: needless samples.
/// Smaller: gaps are missed.
const HIDDEN: f64 = 0.3;

/// Accuracy of heights of Gauss points.
const HEIGHT_ACCURACY: f64 = 0.02;

/// Times a rectangle is extended before its patch is given up.
const MAX_EXTENSIONS: usize = 8;

/// Part of a rectangle by which a side that the patch reaches is moved outward.
const EXTENSION: f64 = 0.6;

/// Part of its size by which a rectangle extends beyond the patch: room to move until the next query.
const ROOM: f64 = 0.09;

/// Error of the rule, as a fraction of the difference from every second line: at order 5/2 it is 1/4.7.
const ERROR_RATIO: f64 = 0.3;

/// One line of so many is integrated with so many points more, which gives the error along lines: neighbouring lines err
/// alike, so that no comparison of lines shows it. Fewer lines, or points: errors are missed. More: slower.
const CHECKED_LINES: usize = 4;
const MORE_POINTS: u8 = 4;

/// A rectangle of a chart: along and across its lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rectangle {
    pub s: [f64; 2],
    pub t: [f64; 2],
}

/// An interval of a line on which there is pressure.
struct Interval {
    line: usize,
    chord: Chord,
    /// Places of least pressure between lobes.
    waists: Vec<f64>,
}

/// A patch integrated on lines.
pub(super) struct LineIntegral {
    pub patch: Patch,
    /// Errors across the lines and along them, as fractions of the load.
    pub across: f64,
    pub along: f64,
    /// On each line that crosses the patch: the chord from its first to its last end.
    pub hull: Vec<Chord>,
    /// Around the patch, with some room.
    pub rectangle: Rectangle,
    pub counts: ChordCounts,
    /// Distance of the lines, metres.
    pub spacing: f64,
}

impl LineIntegral {
    /// As a fraction of the load.
    pub fn error(&self) -> f64 {
        self.across + self.along
    }
}

/// Sides of a rectangle that the patch reaches: lower and upper along, lower and upper across.
type ReachedSides = [bool; 4];

/// Fields, chart, scale and creases of a patch.
pub(super) struct LineRule<'a> {
    pub newton: Newton<'a>,
    /// The surface at the origin of the chart, a point of the patch.
    pub middle: ChartSample,
    pub scale: PatchScale,
    pub creases: &'a [Crease],
}

impl Rectangle {
    fn extended(mut self, reached: ReachedSides, by: f64) -> Self {
        let size = [self.s[1] - self.s[0], self.t[1] - self.t[0]];
        self.s[0] -= if reached[0] { by * size[0] } else { 0.0 };
        self.s[1] += if reached[1] { by * size[0] } else { 0.0 };
        self.t[0] -= if reached[2] { by * size[1] } else { 0.0 };
        self.t[1] += if reached[3] { by * size[1] } else { 0.0 };
        self
    }

    fn sample_positions(&self) -> [f64; LINE_SAMPLES] {
        let step = (self.s[1] - self.s[0]) / LINE_SAMPLES as f64;
        std::array::from_fn(|k| self.s[0] + (k as f64 + 0.5) * step)
    }
}

/// Samples of one line.
struct Line {
    t: f64,
    /// In order; none where there is no surface.
    samples: Vec<Option<ChartSample>>,
}

impl Line {
    fn is_inside(&self, k: usize) -> bool {
        self.samples[k].as_ref().is_some_and(|s| s.pressure.value > 0.0)
    }

    /// Places of least pressure within a run.
    fn waists(&self, run: [usize; 2]) -> Vec<f64> {
        let pressure = |k: usize| self.samples[k].as_ref().map_or(0.0, |s| s.pressure.value);
        let is_waist = |k: &usize| pressure(*k) < pressure(k - 1) && pressure(*k) <= pressure(k + 1);
        let inner = run[0] + 1..run[1];
        inner.filter(is_waist).filter_map(|k| Some(self.samples[k].as_ref()?.coords.s)).collect()
    }

    /// Runs of samples with pressure: first and last.
    fn runs(&self) -> Vec<[usize; 2]> {
        let mut runs: Vec<[usize; 2]> = Vec::new();
        for k in (0..self.samples.len()).filter(|k| self.is_inside(*k)) {
            match runs.last_mut() {
                Some(run) if run[1] + 1 == k => run[1] = k,
                _ => runs.push([k, k]),
            }
        }
        runs
    }
}

impl LineRule<'_> {
    /// The rectangle around the patch of the chart's origin, from a first one that reaches `half` to each side.
    pub fn search(&self, half: f64) -> Option<Rectangle> {
        let mut rectangle = Rectangle { s: [-half, half], t: [-half, half] };
        for _ in 0..MAX_EXTENSIONS {
            let lines = self.scan(&rectangle, SEARCH_LINES);
            let step = (rectangle.t[1] - rectangle.t[0]) / SEARCH_LINES as f64;
            let mut cells = Vec::new();
            for (i, line) in lines.iter().enumerate() {
                cells.extend(line.runs().into_iter().map(|run| (i, run)));
            }
            let middle = ((-rectangle.t[0] / step).round() as usize).min(SEARCH_LINES);
            let positions = rectangle.sample_positions();
            let overlap = |a: &[usize; 2], b: &[usize; 2]| a[0] <= b[1] && b[0] <= a[1];
            let own = component(
                &cells,
                |&(i, a), &(j, b)| i.abs_diff(j) == 1 && overlap(&a, &b),
                |&(i, run)| {
                    let aside = (positions[run[0]]).max(-positions[run[1]]).max(0.0);
                    aside + step * i.abs_diff(middle) as f64
                },
            )?;
            let mut reached = [false; 4];
            let (mut s, mut t) = ([f64::INFINITY, f64::NEG_INFINITY], [f64::INFINITY, f64::NEG_INFINITY]);
            for &(i, run) in own.iter().map(|k| &cells[*k]) {
                reached[0] |= run[0] == 0;
                reached[1] |= run[1] + 1 == LINE_SAMPLES;
                reached[2] |= i == 0;
                reached[3] |= i == SEARCH_LINES;
                s = [s[0].min(positions[run[0]]), s[1].max(positions[run[1]])];
                t = [t[0].min(lines[i].t), t[1].max(lines[i].t)];
            }
            if reached == [false; 4] {
                let by = (rectangle.s[1] - rectangle.s[0]) / LINE_SAMPLES as f64;
                return Some(Rectangle { s: [s[0] - by, s[1] + by], t: [t[0] - step, t[1] + step] });
            }
            rectangle = rectangle.extended(reached, EXTENSION);
        }
        None
    }

    /// The patch in `rectangle`, with as many lines and points as the tolerance needs, from `counts` on.
    pub fn integrate(&self, mut rectangle: Rectangle, mut counts: ChordCounts, tolerance: f64) -> Option<LineIntegral> {
        let mut extensions = 0;
        loop {
            let found = match self.attempt(&rectangle, counts)? {
                Ok(found) if found.error() <= tolerance => return Some(found),
                Ok(found) => found,
                Err(reached) => {
                    extensions += 1;
                    if extensions > MAX_EXTENSIONS / 2 {
                        return None;
                    }
                    rectangle = rectangle.extended(reached, 0.5 * EXTENSION);
                    continue;
                }
            };
            let finer = |all: [u8; 3], count: u8| all.into_iter().find(|c| *c > count);
            let is_crude = |error: f64| error > 0.5 * tolerance;
            let chords = finer(LINE_COUNTS, counts.chords).filter(|_| is_crude(found.across));
            let points = finer(LINE_POINTS, counts.points).filter(|_| is_crude(found.along));
            if chords.is_none() && points.is_none() {
                return None;
            }
            let ChordCounts { chords: lines, points: of_each } = counts;
            counts = ChordCounts { chords: chords.unwrap_or(lines), points: points.unwrap_or(of_each) };
            rectangle = found.rectangle;
        }
    }

    /// Evenly spaced lines over `rectangle`, its sides included.
    fn scan(&self, rectangle: &Rectangle, count: usize) -> Vec<Line> {
        let positions = rectangle.sample_positions();
        let step = (rectangle.t[1] - rectangle.t[0]) / count as f64;
        let middle = ((-rectangle.t[0] / step).round().max(0.0) as usize).min(count);
        let at = |i: usize| rectangle.t[0] + i as f64 * step;
        let first = self.line(at(middle), &positions, None);
        let mut below = Vec::with_capacity(count + 1);
        for i in (0..middle).rev() {
            let line = self.line(at(i), &positions, Some(below.last().unwrap_or(&first)));
            below.push(line);
        }
        below.reverse();
        below.push(first);
        for i in middle + 1..=count {
            let line = self.line(at(i), &positions, below.last());
            below.push(line);
        }
        below
    }

    /// Samples on the line at `t`, with heights from the line before.
    fn line(&self, t: f64, positions: &[f64; LINE_SAMPLES], before: Option<&Line>) -> Line {
        let plane = |at: &ChartSample, s: f64| {
            let [zs, zt] = at.slopes();
            at.coords.z + zs * (s - at.coords.s) + zt * (t - at.coords.t)
        };
        let near = SCAN_ACCURACY * self.scale.depth;
        let mut samples = vec![None; LINE_SAMPLES];
        for first in (0..LINE_SAMPLES).step_by(4) {
            let guess: [ChartCoords; 4] = std::array::from_fn(|j| {
                let k = first + j;
                let known = before.and_then(|line| {
                    let beside = [Some(k), k.checked_sub(1), Some(k + 1)];
                    beside.into_iter().flatten().find_map(|k| line.samples.get(k)?.as_ref())
                });
                let s = positions[k];
                ChartCoords { s, t, z: plane(known.unwrap_or(&self.middle), s) }
            });
            let four = self.newton.solve_heights(&guess, near);
            samples[first..first + 4].copy_from_slice(&four);
        }
        Line { t, samples }
    }

    /// The same line with a sample more wherever the pressure between two others seems to change its sign twice: in gaps and
    /// lobes narrower than the distance of samples.
    fn refined(&self, line: Line) -> Line {
        let near = SCAN_ACCURACY * self.scale.depth;
        let mut samples = Vec::with_capacity(line.samples.len() + 4);
        for pair in line.samples.windows(2) {
            samples.push(pair[0]);
            let [Some(low), Some(high)] = pair else { continue };
            if let Some(s) = hidden_extremum(low, high) {
                let part = (s - low.coords.s) / (high.coords.s - low.coords.s);
                let z = low.coords.z + part * (high.coords.z - low.coords.z);
                samples.extend(self.newton.solve_height(ChartCoords { s, t: line.t, z }, near).map(Some));
            }
        }
        samples.extend(line.samples.last().copied());
        Line { samples, ..line }
    }

    /// One rule. `None`: an end was not found. The error is which sides of the rectangle the patch reaches.
    fn attempt(&self, rectangle: &Rectangle, counts: ChordCounts) -> Option<Result<LineIntegral, ReachedSides>> {
        let count = usize::from(counts.chords);
        let spacing = (rectangle.t[1] - rectangle.t[0]) / count as f64;
        let lines: Vec<Line> = self.scan(rectangle, count).into_iter().map(|line| self.refined(line)).collect();
        let mut intervals = Vec::with_capacity(2 * count);
        let mut reached_at: Vec<[bool; 2]> = Vec::new();
        for (line, samples) in lines.iter().enumerate() {
            for run in samples.runs() {
                let reached = [run[0] == 0, run[1] + 1 == samples.samples.len()];
                let chord = self.interval(samples, run, spacing);
                // An interval that reaches a side has no end there.
                if reached == [false; 2] || chord.is_some() {
                    intervals.push(Interval { line, chord: chord?, waists: samples.waists(run) });
                    reached_at.push(reached);
                }
            }
        }
        let overlap =
            |a: &Chord, b: &Chord| a.ends[0].coords.s <= b.ends[1].coords.s && b.ends[0].coords.s <= a.ends[1].coords.s;
        let own = component(
            &intervals,
            |a, b| a.line.abs_diff(b.line) == 1 && overlap(&a.chord, &b.chord),
            |i| i.chord.ends[0].coords.s.max(-i.chord.ends[1].coords.s).max(0.0) + i.chord.t.abs(),
        )?;
        let mut reached = [false; 4];
        for k in &own {
            reached[0] |= reached_at[*k][0];
            reached[1] |= reached_at[*k][1];
            reached[2] |= intervals[*k].line == 0;
            reached[3] |= intervals[*k].line == count;
        }
        if reached != [false; 4] {
            return Some(Err(reached));
        }
        let own: Vec<&Interval> = own.into_iter().map(|k| &intervals[k]).collect();
        self.sum(&own, counts, spacing).map(Ok)
    }

    /// The interval of a run of samples.
    fn interval(&self, line: &Line, run: [usize; 2], weight: f64) -> Option<Chord> {
        let sample = |k: usize| line.samples[k].as_ref();
        let end = |inner: usize, outer: Option<usize>, outward: f64| {
            let inside = sample(inner)?;
            let beyond = outer.and_then(sample);
            let (p, slope) = (inside.pressure.value, inside.tangential_pressure_slopes()[0]);
            let ds = match beyond {
                Some(b) => (b.coords.s - inside.coords.s) * p / (p - b.pressure.value),
                None => -p / slope,
            };
            let coords =
                ChartCoords { s: inside.coords.s + ds, z: inside.coords.z + inside.slopes()[0] * ds, ..inside.coords };
            let within = |e: &ChordEnd| {
                let (s, from) = (e.coords.s, inside.coords.s);
                let to = beyond.map_or(f64::INFINITY * outward, |b| b.coords.s);
                outward * (s - from) >= 0.0 && outward * (to - s) >= -1e-9
            };
            let newton = self.newton.newton_ends(&[EndGuess { coords, outward }], &self.scale)[0].filter(within);
            let outside = beyond.map(|b| b.coords.s);
            newton.or_else(|| self.newton.end_beyond(*inside, outside, outward, &self.scale).filter(within))
        };
        let upper = if run[1] + 1 < line.samples.len() { Some(run[1] + 1) } else { None };
        let ends = [end(run[0], run[0].checked_sub(1), -1.0)?, end(run[1], upper, 1.0)?];
        let chord = Chord { t: line.t, weight, ends };
        (chord.length() > 0.0).then_some(chord)
    }

    /// Points on the intervals of a patch, and their sums.
    fn sum(&self, own: &[&Interval], counts: ChordCounts, spacing: f64) -> Option<LineIntegral> {
        let chart = self.newton.chart;
        let chords: Vec<Chord> = own.iter().map(|i| i.chord).collect();
        let (mut sum, mut even, mut along) = (PatchSum::default(), Wrench::default(), DVec3::ZERO);
        let (mut strips, mut crease_coords) = (Vec::with_capacity(own.len()), Vec::new());
        let mut nodes: Vec<QuadratureNode> = Vec::with_capacity(16);
        for (i, Interval { line, chord, waists }) in own.iter().enumerate() {
            let [low, high] = chord.ends.map(|e| e.coords);
            crease_coords.clear();
            crease_coords.extend(self.creases.iter().filter_map(|c| c.on_chord(chord.t, 0.5 * (low.z + high.z))));
            crease_coords.extend(waists);
            let first = sum.points.len();
            // Each lobe takes as many points as an interval with one.
            let points = |of_lobe: u8| ChordCounts { points: of_lobe * (1 + waists.len() as u8), ..counts };
            layout::points([low.s, high.s], &mut crease_coords, points(counts.points), &mut nodes);
            let own = self.add_points(chord, &nodes, spacing, &mut sum)?;
            if line % 2 == 0 {
                even.force += 2.0 * own.force;
                even.moment += 2.0 * own.moment;
            }
            if line % CHECKED_LINES == CHECKED_LINES / 2 {
                layout::points([low.s, high.s], &mut crease_coords, points(counts.points + MORE_POINTS), &mut nodes);
                let finer = self.add_points(chord, &nodes, spacing, &mut PatchSum::default())?;
                along += CHECKED_LINES as f64 * (finer.force - own.force);
            }
            if sum.points.len() > first {
                strips.push(strip(chart, &chords, i, first, sum.points.len() - first));
            }
        }
        let reference = sum.deepest()?;
        let hull = hull(own);
        let (mut s, mut t) = ([f64::INFINITY, f64::NEG_INFINITY], [f64::INFINITY, f64::NEG_INFINITY]);
        for c in &hull {
            s = [s[0].min(c.ends[0].coords.s), s[1].max(c.ends[1].coords.s)];
            t = [t[0].min(c.t), t[1].max(c.t)];
        }
        t = [t[0] - spacing, t[1] + spacing];
        let rectangle = Rectangle { s, t }.extended([true; 4], ROOM);
        let patch = sum.finish(reference, border(chart, &chords), Layout::Chords { strips });
        let arm = self.scale.half.min(0.5 * (t[1] - t[0]));
        let moment = even.moment - reference.cross(even.force) - patch.on_a.moment;
        let differs = (even.force - patch.on_a.force).length().max(0.3 * moment.length() / arm.max(f64::MIN_POSITIVE));
        let load = patch.load.max(f64::MIN_POSITIVE);
        let (across, along) = (ERROR_RATIO * differs / load, along.length() / load);
        Some(LineIntegral { patch, across, along, hull, rectangle, counts, spacing })
    }
}

impl LineRule<'_> {
    /// Adds the points of an interval to `sum`. Returns their force on a, and its moment about the origin of the frame.
    fn add_points(&self, chord: &Chord, nodes: &[QuadratureNode], spacing: f64, sum: &mut PatchSum) -> Option<Wrench> {
        let (Newton { frame, chart }, mut own) = (self.newton, Wrench::default());
        for four in nodes.chunks(4) {
            let mut at: [ChartCoords; 4] = Default::default();
            at.iter_mut()
                .zip(four)
                .for_each(|(to, w)| *to = ChartCoords { s: w.at, t: chord.t, z: chord.height(w.at) });
            let samples = self.newton.solve_heights(&at[..four.len()], HEIGHT_ACCURACY * self.scale.depth);
            for (at, here) in four.iter().zip(samples) {
                let here = here?;
                if here.pressure.value > 0.0 {
                    let point = SurfacePoint { s: here.coords.z, position: here.position, probe: here.probe };
                    let force = sum.add(frame.kind, chart.axes[2], &point, at.weight * spacing);
                    own.add_force(here.position, force);
                }
            }
        }
        Some(own)
    }
}

/// The place of the extremum between two samples of one sign at which the cubic through their pressures and slopes has the other.
fn hidden_extremum(low: &ChartSample, high: &ChartSample) -> Option<f64> {
    let (p, q) = (low.pressure.value, high.pressure.value);
    let length = high.coords.s - low.coords.s;
    let [m, n] = [low, high].map(|x| x.tangential_pressure_slopes()[0] * length);
    // The pressure turns in between only if it first goes towards zero.
    if (p > 0.0) != (q > 0.0) || p * m >= 0.0 || q * n <= 0.0 {
        return None;
    }
    let cubic = |x: f64| {
        let y = 1.0 - x;
        p + x * x * (3.0 - 2.0 * x) * (q - p) + x * y * (y * m - x * n)
    };
    let toward_zero = |x: &f64| p.signum() * cubic(*x);
    let x = [0.2, 0.35, 0.5, 0.65, 0.8].into_iter().min_by(|x, y| toward_zero(x).total_cmp(&toward_zero(y)))?;
    // With room: the pressure is no cubic.
    (toward_zero(&x) < HIDDEN * p.abs().min(q.abs())).then_some(low.coords.s + x * length)
}

/// The items that hang together with the one of least `distance`.
fn component<T>(items: &[T], joined: impl Fn(&T, &T) -> bool, distance: impl Fn(&T) -> f64) -> Option<Vec<usize>> {
    let start = (0..items.len()).min_by(|i, j| distance(&items[*i]).total_cmp(&distance(&items[*j])))?;
    let mut sets = UnionFind::new(items.len());
    for i in 0..items.len() {
        for j in 0..i {
            if joined(&items[i], &items[j]) {
                sets.union(i, j);
            }
        }
    }
    let own = sets.find(start);
    Some((0..items.len()).filter(|i| sets.find(*i) == own).collect())
}

/// On each line: from the first end of its intervals to the last.
fn hull(own: &[&Interval]) -> Vec<Chord> {
    let mut hull: Vec<(usize, Chord)> = Vec::with_capacity(own.len());
    for Interval { line, chord, .. } in own {
        match hull.last_mut() {
            Some((last, whole)) if last == line => {
                let lower = chord.ends[0].coords.s < whole.ends[0].coords.s;
                whole.ends[0] = if lower { chord.ends[0] } else { whole.ends[0] };
                let upper = chord.ends[1].coords.s > whole.ends[1].coords.s;
                whole.ends[1] = if upper { chord.ends[1] } else { whole.ends[1] };
            }
            _ => hull.push((*line, *chord)),
        }
    }
    hull.into_iter().map(|(_, chord)| chord).collect()
}

/// Points of the border: lower ends, then upper ones in turn.
fn border(chart: &ChordChart, chords: &[Chord]) -> Vec<DVec3> {
    let end = |c: &Chord, upper: usize| chart.position(c.ends[upper].coords);
    chords.iter().map(|c| end(c, 0)).chain(chords.iter().rev().map(|c| end(c, 1))).collect()
}

/// Scale of a patch in a rectangle.
pub(super) fn scale_of(frame: &ContactFrame, middle: &ChartSample, rectangle: &Rectangle) -> PatchScale {
    let pressure = middle.pressure.value;
    PatchScale {
        half: 0.5 * (rectangle.s[1] - rectangle.s[0]),
        across: 0.5 * (rectangle.t[1] - rectangle.t[0]),
        pressure,
        depth: pressure / middle.probe.pressure_slope(frame.kind),
    }
}
