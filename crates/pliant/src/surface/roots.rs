//! Root finding: crossings of grid edges with the surface, many at a time.
//!
//! *The idea*: the values at four corners in line give a cubic, and its root is a first guess. A sample there, with the
//! values in line, gives the curvature, and so a step of fourth order; a second sample mostly finds the point on the surface and
//! is the vertex's gradient. The remaining crossings continue by Newton steps, safeguarded by bisection.

use super::implicit::ImplicitSurface;
use crate::fields::{Points, Sample, Samples};
use crate::math::DVec3;
use crate::math::lanes::{Pass, load, store, widest};
use crate::math::real::FourLanes;

/// Tolerance of a vertex's value, field units.
const ON_SURFACE: f64 = 1e-9;

/// Greatest number of samples of one crossing. Two mostly suffice; a kink takes bisections.
const MAX_SAMPLES: usize = 60;

/// Least distance of a vertex from a corner of the grid, as a fraction of the edge, so that faces around it keep an
/// area.
pub(super) const CLEAR: f64 = 1e-6;

/// Crossings in one SIMD pack.
const WIDE: usize = 4;

/// Edges that cross the surface, those along x first, then y, then z.
#[derive(Default)]
pub(super) struct Crossings {
    /// Starts of the edges; then the current points on them.
    points: Points,
    /// Coordinate along the edge, at its start.
    from: Vec<f64>,
    /// Values at the corner before each edge, at its ends, and at the corner after it; NaN where there is no such corner.
    line: [Vec<f64>; 4],
    /// Index of the first crossing along each axis; then the number of all.
    firsts: [usize; 4],
}

impl Crossings {
    /// Sets crossing `i`. Crossings along x come first, then y, then z.
    #[inline(always)]
    pub(super) fn set(&mut self, i: usize, from: [f64; 3], axis: usize, line: [f64; 4]) {
        [self.points.x[i], self.points.y[i], self.points.z[i]] = from;
        self.from[i] = from[axis];
        self.line.iter_mut().zip(line).for_each(|(all, value)| all[i] = value);
    }

    /// Makes room for `counts` crossings along each axis.
    fn resize(&mut self, counts: [usize; 3]) {
        let [x, y, z] = counts;
        self.firsts = [0, x, x + y, x + y + z];
        let n = self.firsts[3];
        let Points { x, y, z } = &mut self.points;
        [x, y, z, &mut self.from].into_iter().chain(&mut self.line).for_each(|all| all.resize(n, 0.0));
    }

    /// Moves each point to the part `t` of its edge.
    fn move_points(&mut self, t: &[f64], cell: f64) {
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

    /// Solves the open crossings, one sample of each at a time. `found` takes the number of a crossing, a point and the gradient
    /// there; the last call for a crossing is its solution.
    fn finish(&self, on: GridSurface, mut open: Vec<OpenCrossing>, mut found: impl FnMut(usize, DVec3, DVec3)) {
        let mut samples = Samples::default();
        for _ in 2..MAX_SAMPLES {
            if open.is_empty() {
                return;
            }
            let at = |c: &OpenCrossing| {
                let (mut p, axis) = (self.points.get(c.number), self.axis(c.number));
                p[axis] = self.from[c.number] + c.t * on.cell;
                p
            };
            let points: Points = open.iter().map(at).collect();
            on.surface.samples(&points, &mut samples);
            for (i, c) in open.iter().enumerate() {
                found(c.number, points.get(i), samples.get(i).gradient);
            }
            let all = open.into_iter().enumerate();
            open = all.filter_map(|(i, c)| c.next(self, &samples.get(i), on)).collect();
        }
    }
}

/// A surface on a grid.
#[derive(Clone, Copy)]
pub(super) struct GridSurface<'a> {
    surface: &'a dyn ImplicitSurface,
    iso: f64,
    /// Length of an edge, metres.
    cell: f64,
}

impl<'a> GridSurface<'a> {
    pub(super) fn new(surface: &'a dyn ImplicitSurface, cell: f64) -> Self {
        Self { surface, iso: surface.iso(), cell }
    }
}

/// A solver for crossings, with scratch.
#[derive(Default)]
pub(super) struct Roots {
    crossings: Crossings,
    /// Current point of each crossing, as a fraction of its edge.
    t: Vec<f64>,
    samples: Samples,
}

/// A crossing that has not converged after two samples.
struct OpenCrossing {
    number: usize,
    t: f64,
    /// Parts of the edge that bracket the root.
    bracket: [f64; 2],
}

impl OpenCrossing {
    /// One step: Newton within the bracket, else bisection. None if the sample has converged, or the bracket is exhausted.
    fn next(mut self, crossings: &Crossings, sample: &Sample, on: GridSurface) -> Option<Self> {
        let above = sample.value - on.iso;
        if above.abs() <= ON_SURFACE {
            return None;
        }
        // Along rising edges the inside is at the far end.
        let is_before = (above > 0.0) == (crossings.line[2][self.number] > on.iso);
        self.bracket[usize::from(is_before)] = self.t;
        let [low, high] = self.bracket;
        let newton = self.t - above / (sample.gradient[crossings.axis(self.number)] * on.cell);
        let next = clamped(if newton > low && newton < high { newton } else { 0.5 * (low + high) });
        (next != self.t).then_some(Self { t: next, ..self })
    }
}

impl Roots {
    /// Begins with `counts` crossings along each axis, which the caller sets.
    pub(super) fn begin(&mut self, counts: [usize; 3]) -> &mut Crossings {
        self.crossings.resize(counts);
        &mut self.crossings
    }

    /// Appends the position and gradient of each crossing.
    pub(super) fn solve(&mut self, on: GridSurface, positions: &mut Vec<DVec3>, gradients: &mut Vec<DVec3>) {
        let Self { crossings, t, samples } = self;
        if crossings.firsts[3] == 0 {
            return;
        }
        t.resize(crossings.firsts[3], 0.0);
        widest(FirstGuess { line: &crossings.line, iso: on.iso, t });
        crossings.move_points(t, on.cell);
        on.surface.samples(&crossings.points, samples);
        widest(SecondStep { crossings, samples, on, t });
        crossings.move_points(t, on.cell);
        on.surface.samples(&crossings.points, samples);
        let first = positions.len();
        positions.extend((0..t.len()).map(|i| crossings.points.get(i)));
        gradients.extend((0..t.len()).map(|i| samples.get(i).gradient));
        let mut open = Vec::new();
        for (i, &t) in t.iter().enumerate().filter(|(i, _)| (samples.value[*i] - on.iso).abs() > ON_SURFACE) {
            open.extend(OpenCrossing { number: i, t, bracket: [0.0, 1.0] }.next(crossings, &samples.get(i), on));
        }
        crossings.finish(on, open, |i, at, gradient| {
            (positions[first + i], gradients[first + i]) = (at, gradient);
        });
    }
}

/// Coefficients of Everett's formula for values at −1, 0, 1 and 2: value at 0, difference from 0 to 1, and second differences at 0
/// and 1. One of the outer values may be NaN: then the interpolant is a parabola.
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

/// First guesses: the root of the cubic through the values in line, by two Newton steps from the root of the chord.
struct FirstGuess<'a> {
    line: &'a [Vec<f64>; 4],
    iso: f64,
    t: &'a mut [f64],
}

impl Pass for FirstGuess<'_> {
    type Output = ();

    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // lanes
    fn run<V: FourLanes>(self) {
        let mut first = 0;
        while first < self.t.len() {
            let [before, a, b, after] = self.line;
            let (before, a) = (load::<WIDE>(before, first), load::<WIDE>(a, first));
            let (b, after) = (load::<WIDE>(b, first), load::<WIDE>(after, first));
            let mut all = [0.0; WIDE];
            for i in 0..WIDE {
                let line = differences([before[i], a[i], b[i], after[i]]);
                let [_, rise, at_a, at_b] = line;
                let mut t = clamped((self.iso - a[i]) / rise);
                for _ in 0..2 {
                    let t_sq = t * t;
                    let slope = rise + ((6.0 * t - 3.0 * t_sq - 2.0) * at_a + (3.0 * t_sq - 1.0) * at_b) * (1.0 / 6.0);
                    t = clamped(t - (cubic(line, t) - self.iso) / slope);
                }
                all[i] = t;
            }
            store(all, self.t, first);
            first += WIDE;
        }
    }
}

/// `t` kept away from both ends of the edge; near the start for NaN.
#[inline(always)]
fn clamped(t: f64) -> f64 {
    let t = if t > CLEAR { t } else { CLEAR };
    if t < 1.0 - CLEAR { t } else { 1.0 - CLEAR }
}

/// The second step of all crossings.
struct SecondStep<'a> {
    crossings: &'a Crossings,
    samples: &'a Samples,
    on: GridSurface<'a>,
    t: &'a mut [f64],
}

impl Pass for SecondStep<'_> {
    type Output = ();

    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // lanes
    fn run<V: FourLanes>(self) {
        let GridSurface { iso, cell, .. } = self.on;
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
                    let here = EdgeSample { t: t[i], value: value[i], slope };
                    t[i] = here.step([before[i], a[i], b[i], after[i]], iso);
                }
                // Lanes beyond `last` belong to the next axis.
                store(t, &mut self.t[..last], first);
                first += WIDE;
            }
        }
    }
}

/// Value and slope at the part `t` of an edge.
struct EdgeSample {
    t: f64,
    value: f64,
    slope: f64,
}

impl EdgeSample {
    /// The next `t`, by a step of fourth order. `g(x) = (f(x) − f(t) − f'(t) (x − t))/(x − t)²` is smooth and known at the corners
    /// in line, and `g(t)` is half the curvature. A step out of the bracket is replaced by bisection.
    #[inline(always)]
    fn step(self, [before, a, b, after]: [f64; 4], iso: f64) -> f64 {
        let Self { t, value, slope } = self;
        let g = |x: f64, v: f64| (v - value - slope * (x - t)) / ((x - t) * (x - t));
        let half_curvature = cubic(differences([g(-1.0, before), g(0.0, a), g(1.0, b), g(2.0, after)]), t);
        let above = value - iso;
        let newton = above / slope;
        let halley = newton * (1.0 + newton * half_curvature / slope);
        let next = t - (above + half_curvature * halley * halley) / slope;
        let is_before = (above > 0.0) == (b > iso);
        let low = if is_before { 0.0 } else { t };
        let high = if is_before { t } else { 1.0 };
        let inside = (next > low) & (next < high);
        let next = if inside { next } else { 0.5 * (low + high) };
        // A point on the surface need not move, and its slope may be zero.
        if above == 0.0 { t } else { clamped(next) }
    }
}
