//! A rectangle around a patch: Gauss points on lines of one length, with no pressure where there is none.
//!
//! *The idea*: the pressure falls to zero at the border, so that clamped at zero it is continuous, and a tight rectangle of
//! Gauss points integrates a patch of any outline (with waists, lobes and holes) without looking for its border. *Not promised*:
//! more than three digits; chords are better where they can be had.

use super::chart::{ChartPlace, ChartSample, ChordChart};
use super::coverage::{ChordCoverage, SURROUNDINGS};
use super::newton::Newton;
use super::setup::{difference, explored};
use crate::contact::carried::{CarriedChart, ChordCounts, ChordFamily};
use crate::contact::frame::ContactFrame;
use crate::contact::patch::{Layout, Patch, StripLayout};
use crate::contact::quadrature::chart::SurfacePoint;
use crate::contact::quadrature::sum::PatchSum;
use crate::contact::quality::Quality;
use crate::math::{DVec3, Frame, gauss};

/// Points on a line, and lines, from coarse to fine.
const SIZES: [u8; 4] = [12, 16, 22, 30];

/// Error, in tolerances, with which a rectangle is taken: estimates by two sizes are larger than the error of the finer one.
const ACCEPTED: f64 = 2.0;

/// A rectangle is made larger than the patch by this part, so that the border stays inside. Larger: a rectangle that is not tight
/// errs several times as much. Smaller: the patch grows out of it.
const MARGIN: f64 = 0.015;

/// Times that a rectangle is fitted to its patch. Fewer: patches that reach far from their seed are given up.
const FITS: usize = 8;

/// The rectangle is measured again when a side or the pressure has changed by this part.
const CHANGED: f64 = 0.3;

/// Least and greatest `s` and `t`.
#[derive(Clone, Copy, Debug)]
struct Rectangle {
    low: [f64; 2],
    high: [f64; 2],
}

/// A patch integrated over a rectangle, and the rectangle that would be tight.
struct Gridded {
    patch: Patch,
    /// None without pressure.
    tight: Option<Rectangle>,
    heights: [f64; 2],
}

/// The patch around `seed` over a rectangle.
pub(in crate::contact) fn grid_from_seed(
    frame: &ContactFrame,
    quality: &Quality,
    seed: DVec3,
) -> Option<(Patch, ChordCoverage)> {
    let (chart, border) = explored(frame, seed)?;
    let chart = ChordChart { family: ChordFamily::Grid, ..chart };
    let places = border.iter().map(|p| chart.place(*p));
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for p in places {
        for (i, x) in [p.s, p.t].into_iter().enumerate() {
            (low[i], high[i]) = (low[i].min(x), high[i].max(x));
        }
    }
    let start = Rectangle { low, high }.grown(0.15);
    GridRule { newton: Newton { frame, chart: &chart }, quality }.fitted(start, None)
}

/// The patch over the rectangle that both bodies have carried here. `None`: it is to be set up anew.
pub(in crate::contact) fn carried_grid(
    frame: &ContactFrame,
    quality: &Quality,
    carried: &CarriedChart,
    here_from_chart: &Frame,
) -> Option<(Patch, ChordCoverage)> {
    let chart = ChordChart::of_frame(here_from_chart, ChordFamily::Grid);
    let start = Rectangle { low: carried.ends[0], high: carried.ends[1] };
    GridRule { newton: Newton { frame, chart: &chart }, quality }.fitted(start, Some(carried))
}

impl Rectangle {
    fn grown(&self, part: f64) -> Self {
        let by = [0, 1].map(|i| part * (self.high[i] - self.low[i]));
        Self { low: [0, 1].map(|i| self.low[i] - by[i]), high: [0, 1].map(|i| self.high[i] + by[i]) }
    }

    fn size(&self, i: usize) -> f64 {
        self.high[i] - self.low[i]
    }

    /// Whether it has the sides of `other` to within `part` of them.
    fn is_near(&self, other: &Self, part: f64) -> bool {
        (0..2).all(|i| {
            let near = part * other.size(i);
            (self.low[i] - other.low[i]).abs() < near && (self.high[i] - other.high[i]).abs() < near
        })
    }
}

struct GridRule<'a> {
    newton: Newton<'a>,
    quality: &'a Quality,
}

impl GridRule<'_> {
    fn fitted(&self, start: Rectangle, known: Option<&CarriedChart>) -> Option<(Patch, ChordCoverage)> {
        let (mut rectangle, mut fits) = (start, 0);
        let size = known.map_or(SIZES[0], |k| k.counts.points);
        let mut last = self.integrate(rectangle, size)?;
        loop {
            let tight = last.tight?;
            // One that bodies have carried is tight already, or nearly.
            if rectangle.is_near(&tight.grown(MARGIN), 0.02) {
                break;
            }
            rectangle = tight.grown(MARGIN);
            fits += 1;
            if fits > FITS {
                return None;
            }
            last = self.integrate(rectangle, size)?;
        }
        let measured = |g: &Gridded| [rectangle.size(1), rectangle.size(0), g.patch.max_pressure];
        let unchanged = |k: &CarriedChart| {
            k.measured.iter().zip(measured(&last)).all(|(then, now)| (now / then - 1.0).abs() < CHANGED)
        };
        let (chosen, size, error, measured) = match known {
            Some(k) if unchanged(k) => (last, size, k.error, k.measured),
            _ => {
                let (chosen, size, error) = self.choose(rectangle)?;
                let measured = measured(&chosen);
                (chosen, size, error, measured)
            }
        };
        Some(self.finish(chosen, rectangle, (size, error, measured)))
    }

    /// The coarsest size that gives what the next gives.
    fn choose(&self, rectangle: Rectangle) -> Option<(Gridded, u8, f64)> {
        let mut coarse = self.integrate(rectangle, SIZES[0])?;
        for pair in SIZES.windows(2) {
            let fine = self.integrate(rectangle, pair[1])?;
            let error = difference(&coarse.patch, &fine.patch, 0.5 * rectangle.size(0).min(rectangle.size(1)));
            if error <= ACCEPTED * self.quality.acceptable() {
                return Some((coarse, pair[0], error));
            }
            coarse = fine;
        }
        None
    }

    fn integrate(&self, rectangle: Rectangle, size: u8) -> Option<Gridded> {
        let Newton { frame, chart } = self.newton;
        let rule = gauss(usize::from(size));
        let at = |i: usize, x: f64| rectangle.low[i] + x * rectangle.size(i);
        let area = rectangle.size(0) * rectangle.size(1);
        let near = 1e-3 * rectangle.size(0).min(rectangle.size(1));
        let mut sum = PatchSum::default();
        sum.points.reserve(rule.nodes.len() * rule.nodes.len());
        let gap = [0, 1].map(|i| 2.0 * rectangle.size(i) / f64::from(size));
        let (mut strips, mut extent) = (Vec::new(), Extent::new(gap));
        let mut first_of_line: Option<ChartSample> = None;
        for (y, v) in rule.nodes.iter().zip(&rule.weights) {
            let t = at(1, *y);
            let (first, mut last) = (sum.points.len(), first_of_line);
            for (k, (x, w)) in rule.nodes.iter().zip(&rule.weights).enumerate() {
                let s = at(0, *x);
                let z = last.map_or(0.0, |l| {
                    let [zs, zt] = l.slopes();
                    let z = l.place.z + zs * (s - l.place.s) + zt * (t - l.place.t);
                    if z.is_finite() { z } else { l.place.z }
                });
                let Some(here) = self.newton.lift(ChartPlace { s, t, z }, near) else { continue };
                last = Some(here);
                if k == 0 {
                    first_of_line = last;
                }
                if here.pressure.value <= 0.0 {
                    continue;
                }
                extent.add(&here);
                let point = SurfacePoint { s: here.place.z, position: here.position, probe: here.probe };
                sum.add(frame.kind, chart.axes[2], &point, w * v * area);
            }
            if sum.points.len() > first {
                let to_edges = [-0.5, 0.5].map(|half| half * v * rectangle.size(1) * chart.axes[1]);
                let ends = [sum.points[first].position, sum.points[sum.points.len() - 1].position];
                strips.push(StripLayout { first, count: sum.points.len() - first, ends, to_edges });
            }
        }
        let reference = sum.deepest()?;
        let border = strips.iter().map(|s| s.ends[0]).chain(strips.iter().rev().map(|s| s.ends[1])).collect();
        let patch = sum.finish(reference, border, Layout::Cells { strips });
        Some(Gridded { patch, tight: extent.rectangle(), heights: extent.heights })
    }

    fn finish(
        &self,
        Gridded { mut patch, heights, .. }: Gridded,
        rectangle: Rectangle,
        (size, error, measured): (u8, f64, [f64; 3]),
    ) -> (Patch, ChordCoverage) {
        let Newton { frame, chart } = self.newton;
        let width = 0.5 * rectangle.size(0).min(rectangle.size(1));
        let slack = SURROUNDINGS * width;
        (patch.error, patch.resolved_to) = (error, slack);
        let chart_now = CarriedChart {
            body_from_chart: frame.body_from_contact.map(|b| b * chart.frame()),
            family: ChordFamily::Grid,
            closed: false,
            ends: [rectangle.low, rectangle.high],
            middle: [rectangle.low[0], rectangle.high[0]],
            counts: ChordCounts { chords: size, points: size },
            measured,
            cuts: 0,
            error,
        };
        patch.chart = Some(chart_now.rounded());
        let margin = 2.0 * patch.overlap + 0.25 * width;
        let coverage = ChordCoverage::of_rectangle(*chart, [rectangle.low, rectangle.high], heights, [margin, slack]);
        (patch, coverage)
    }
}

/// Extent of the patch by its points.
struct Extent {
    low: [f64; 2],
    high: [f64; 2],
    heights: [f64; 2],
    /// Slopes are not believed farther than this.
    gap: [f64; 2],
}

impl Extent {
    fn new(gap: [f64; 2]) -> Self {
        let [least, most] = [f64::INFINITY, f64::NEG_INFINITY];
        Self { low: [least; 2], high: [most; 2], heights: [least, most], gap }
    }

    /// Takes a point with pressure, and how far the pressure reaches from there by its slope.
    fn add(&mut self, here: &ChartSample) {
        let slopes = here.pressure_slopes();
        for (i, x) in [here.place.s, here.place.t].into_iter().enumerate() {
            let reach = (-here.pressure.value / slopes[i]).clamp(-self.gap[i], self.gap[i]);
            self.low[i] = self.low[i].min(if reach < 0.0 { x + reach } else { x });
            self.high[i] = self.high[i].max(if reach > 0.0 { x + reach } else { x });
        }
        self.heights = [self.heights[0].min(here.place.z), self.heights[1].max(here.place.z)];
    }

    /// The tight rectangle.
    fn rectangle(&self) -> Option<Rectangle> {
        (self.low[0] < self.high[0] && self.low[1] < self.high[1])
            .then_some(Rectangle { low: self.low, high: self.high })
    }
}
