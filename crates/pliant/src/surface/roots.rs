//! Where edges of the grid cross the surface, many at a time.
//!
//! *The idea*: the values at four corners in line give a cubic, and its root is a first guess. A sample there, with the
//! values in line, tells the curvature, and so a step that is good to fourth order; a second sample mostly finds the
//! point on the surface and is the vertex's gradient. What is left goes on by Newton, kept between both ends.

use super::implicit::ImplicitSurface;
use crate::fields::{Points, Sample, Samples};
use crate::math::DVec3;
use crate::math::lanes::{Pass, load, store, widest};

/// How near the isovalue a vertex is brought, field units.
const ON_SURFACE: f64 = 1e-9;

/// Samples taken of one crossing at most. Two mostly do; a kink takes halvings.
const STEPS: usize = 60;

/// How near a corner of the grid a vertex may come, as a part of the edge: faces around it keep an area.
pub(super) const CLEAR: f64 = 1e-6;

/// Crossings stepped together.
const WIDE: usize = 4;

/// Edges that cross the surface, those along x first, then y, then z.
#[derive(Default)]
pub(super) struct Crossings {
    /// Where they start, and later where they cross.
    points: Points,
    /// The coordinate that changes along the edge, at its start.
    from: Vec<f64>,
    /// Values at the corner before an edge, at its ends, and after it; not a number where there is none.
    line: [Vec<f64>; 4],
    /// Crossings before those along each axis, and all.
    firsts: [usize; 4],
}

impl Crossings {
    /// Puts down number `i`; those along x come first, then y, then z.
    #[inline(always)]
    pub(super) fn set(&mut self, i: usize, from: [f64; 3], axis: usize, line: [f64; 4]) {
        [self.points.x[i], self.points.y[i], self.points.z[i]] = from;
        self.from[i] = from[axis];
        self.line.iter_mut().zip(line).for_each(|(all, value)| all[i] = value);
    }

    /// Room for so many along each axis.
    fn resize(&mut self, counts: [usize; 3]) {
        let [x, y, z] = counts;
        self.firsts = [0, x, x + y, x + y + z];
        let n = self.firsts[3];
        let Points { x, y, z } = &mut self.points;
        [x, y, z, &mut self.from].into_iter().chain(&mut self.line).for_each(|all| all.resize(n, 0.0));
    }

    /// Moves each point to a part of its edge.
    fn place(&mut self, t: &[f64], cell: f64) {
        let Points { x, y, z } = &mut self.points;
        for (axis, all) in [x, y, z].into_iter().enumerate() {
            for i in self.firsts[axis]..self.firsts[axis + 1] {
                all[i] = self.from[i] + t[i] * cell;
            }
        }
    }

    fn axis(&self, i: usize) -> usize {
        usize::from(i >= self.firsts[1]) + usize::from(i >= self.firsts[2])
    }
}

/// Where the surface is, for steps along an edge.
#[derive(Clone, Copy)]
struct Level {
    iso: f64,
    cell: f64,
}

/// Crossings being solved, and room to do so.
#[derive(Default)]
pub(super) struct Roots {
    crossings: Crossings,
    /// Parts of the edges.
    t: Vec<f64>,
    samples: Samples,
}

/// A crossing that two samples did not settle.
struct OpenCrossing {
    number: usize,
    t: f64,
    /// Parts of the edge between which the root is.
    between: [f64; 2],
}

impl OpenCrossing {
    /// Goes on by Newton, kept between what is known of the root; none if the sample is near enough, or no other part
    /// of the edge is left.
    fn after(mut self, crossings: &Crossings, sample: &Sample, level: Level) -> Option<Self> {
        let above = sample.value - level.iso;
        if above.abs() <= ON_SURFACE {
            return None;
        }
        // Rising edges have their inside at the far end.
        let is_before = (above > 0.0) == (crossings.line[2][self.number] > level.iso);
        self.between[usize::from(is_before)] = self.t;
        let [low, high] = self.between;
        let newton = self.t - above / (sample.gradient[crossings.axis(self.number)] * level.cell);
        let next = within(if newton > low && newton < high { newton } else { 0.5 * (low + high) });
        (next != self.t).then_some(Self { t: next, ..self })
    }
}

impl Roots {
    /// So many crossings along each axis, to be put down.
    pub(super) fn begin(&mut self, counts: [usize; 3]) -> &mut Crossings {
        self.crossings.resize(counts);
        &mut self.crossings
    }

    /// Adds a position and a gradient for each crossing.
    pub(super) fn solve(
        &mut self,
        surface: &dyn ImplicitSurface,
        cell: f64,
        found: (&mut Vec<DVec3>, &mut Vec<DVec3>),
    ) {
        let level = Level { iso: surface.iso(), cell };
        let Self { crossings, t, samples } = self;
        if crossings.firsts[3] == 0 {
            return;
        }
        t.resize(crossings.firsts[3], 0.0);
        widest(Guess { line: &crossings.line, iso: level.iso, t });
        crossings.place(t, cell);
        surface.samples(&crossings.points, samples);
        widest(Step { crossings, samples, level, t });
        crossings.place(t, cell);
        surface.samples(&crossings.points, samples);
        let first = found.0.len();
        found.0.extend((0..t.len()).map(|i| crossings.points.get(i)));
        found.1.extend((0..t.len()).map(|i| samples.get(i).gradient));
        let mut left = Vec::new();
        for (i, &t) in t.iter().enumerate().filter(|(i, _)| (samples.value[*i] - level.iso).abs() > ON_SURFACE) {
            left.extend(OpenCrossing { number: i, t, between: [0.0, 1.0] }.after(crossings, &samples.get(i), level));
        }
        let found = (&mut found.0[first..], &mut found.1[first..]);
        finish(surface, crossings, (left, level), found);
    }
}

/// Brings what is left to the surface, a sample each at a time.
fn finish(
    surface: &dyn ImplicitSurface,
    crossings: &Crossings,
    (mut left, level): (Vec<OpenCrossing>, Level),
    (positions, gradients): (&mut [DVec3], &mut [DVec3]),
) {
    let mut samples = Samples::default();
    for _ in 2..STEPS {
        if left.is_empty() {
            return;
        }
        let at = |l: &OpenCrossing| {
            let (mut p, axis) = (crossings.points.get(l.number), crossings.axis(l.number));
            p[axis] = crossings.from[l.number] + l.t * level.cell;
            p
        };
        let points: Points = left.iter().map(at).collect();
        surface.samples(&points, &mut samples);
        for (i, l) in left.iter().enumerate() {
            positions[l.number] = points.get(i);
            gradients[l.number] = samples.get(i).gradient;
        }
        let all = left.into_iter().enumerate();
        left = all.filter_map(|(i, l)| l.after(crossings, &samples.get(i), level)).collect();
    }
}

/// The values of a smooth function in line at −1, 0, 1 and 2, as Everett's formula wants them: value and rise between
/// the middle ones, and second differences at both. Of the outer ones one may be missing: then a parabola's.
#[inline(always)]
fn differences([before, a, b, after]: [f64; 4]) -> [f64; 4] {
    let rise = b - a;
    let (at_a, at_b) = (before - a + rise, after - b - rise);
    let or = |x: f64, other: f64| if x.is_nan() { other } else { x };
    [a, rise, or(at_a, at_b), or(at_b, at_a)]
}

/// The cubic with these differences.
#[inline(always)]
fn cubic([a, rise, at_a, at_b]: [f64; 4], t: f64) -> f64 {
    let u = 1.0 - t;
    a + t * rise - t * u * ((1.0 + u) * at_a + (1.0 + t) * at_b) * (1.0 / 6.0)
}

/// First guesses: the root of the cubic through the values in line, by two steps of Newton from the chord's.
struct Guess<'a> {
    line: &'a [Vec<f64>; 4],
    iso: f64,
    t: &'a mut [f64],
}

impl Pass for Guess<'_> {
    type Output = ();

    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // lanes
    fn run(self) {
        let mut first = 0;
        while first < self.t.len() {
            let [before, a, b, after] = self.line;
            let (before, a) = (load::<WIDE>(before, first), load::<WIDE>(a, first));
            let (b, after) = (load::<WIDE>(b, first), load::<WIDE>(after, first));
            let mut all = [0.0; WIDE];
            for i in 0..WIDE {
                let line = differences([before[i], a[i], b[i], after[i]]);
                let [_, rise, at_a, at_b] = line;
                let mut t = within((self.iso - a[i]) / rise);
                for _ in 0..2 {
                    let t_sq = t * t;
                    let slope = rise + ((6.0 * t - 3.0 * t_sq - 2.0) * at_a + (3.0 * t_sq - 1.0) * at_b) * (1.0 / 6.0);
                    t = within(t - (cubic(line, t) - self.iso) / slope);
                }
                all[i] = t;
            }
            store(all, self.t, first);
            first += WIDE;
        }
    }
}

/// Off both ends; their middle for what is not a number.
#[inline(always)]
fn within(t: f64) -> f64 {
    let t = if t > CLEAR { t } else { CLEAR };
    if t < 1.0 - CLEAR { t } else { 1.0 - CLEAR }
}

/// The second step, of all crossings.
struct Step<'a> {
    crossings: &'a Crossings,
    samples: &'a Samples,
    level: Level,
    t: &'a mut [f64],
}

impl Pass for Step<'_> {
    type Output = ();

    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // lanes
    fn run(self) {
        let Level { iso, cell } = self.level;
        let slopes = [&self.samples.gx, &self.samples.gy, &self.samples.gz];
        for (axis, slopes) in slopes.into_iter().enumerate() {
            let last = self.crossings.firsts[axis + 1];
            let mut first = self.crossings.firsts[axis];
            while first < last {
                let [before, a, b, after] = &self.crossings.line;
                let (before, a) = (load::<WIDE>(before, first), load::<WIDE>(a, first));
                let (b, after) = (load::<WIDE>(b, first), load::<WIDE>(after, first));
                let (value, slopes) = (load::<WIDE>(&self.samples.value, first), load::<WIDE>(slopes, first));
                let mut t = load::<WIDE>(self.t, first);
                for i in 0..WIDE {
                    let slope = slopes[i] * cell;
                    t[i] = step(t[i], [before[i], a[i], b[i], after[i]], (value[i], slope), iso);
                }
                // Not those of the next axis.
                store(t, &mut self.t[..last], first);
                first += WIDE;
            }
        }
    }
}

/// From `t`, where there is this value and slope. With both known, `g(x) = (f(x) − f − f' (x − t))/(x − t)²` is smooth,
/// known at the corners in line, and `g(t)` is half the curvature. A step that leaves the edge goes to the middle of
/// what is left.
#[inline(always)]
fn step(t: f64, [before, a, b, after]: [f64; 4], (value, slope): (f64, f64), iso: f64) -> f64 {
    let bend = |x: f64, v: f64| (v - value - slope * (x - t)) / ((x - t) * (x - t));
    let bend = cubic(differences([bend(-1.0, before), bend(0.0, a), bend(1.0, b), bend(2.0, after)]), t);
    let above = value - iso;
    let newton = above / slope;
    let halley = newton * (1.0 + newton * bend / slope);
    let next = t - (above + bend * halley * halley) / slope;
    let is_before = (above > 0.0) == (b > iso);
    let low = if is_before { 0.0 } else { t };
    let high = if is_before { t } else { 1.0 };
    let inside = (next > low) & (next < high);
    let next = if inside { next } else { 0.5 * (low + high) };
    // What is on the surface need not move, and may have no slope to move by.
    if above == 0.0 { t } else { within(next) }
}
