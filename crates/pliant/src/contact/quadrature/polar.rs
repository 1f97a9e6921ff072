//! Polar quadrature: Gauss points along the radius, equal angles around a middle point.
//!
//! *The idea* (`PAPERS.md`, Ours: quadrature): pressure falls to zero at the border, so with the border found exactly
//! in each direction the integrand is smooth and few points suffice. *Not promised*: a patch that is not
//! star-shaped about its middle; that is detected (a point with negative pressure, a line that misses the surface, cells
//! outside the border) and left to adaptive cells.

use super::chart::{LineFamily, PolarChart};
use super::coverage::{PolarCoverage, mean_radius, near_border};
use super::polar_border::{ChartBorder, centered, trace_border};
use super::sum::PatchSum;
use crate::contact::ascent::step_towards_peak;
use crate::contact::frame::ContactFrame;
use crate::contact::law::Probe;
use crate::contact::patch::{Layout, Patch};
use crate::contact::quality::{Quality, Resolution};
use crate::math::{DVec3, gauss_radial, radial_check};

/// Rules from coarse to fine: (radial, angular). Directions are nested, so borders are found once.
pub(super) const LEVELS: [(usize, usize); 8] =
    [(2, 4), (3, 8), (4, 16), (5, 32), (7, 64), (12, 128), (24, 128), (32, 256)];

/// The coarsest rule is used only for tolerances above this: it does not detect smaller errors.
const COARSEST_TOLERANCE: f64 = 5e-3;

/// First level without a warm start. Four directions cannot tell a square from a circle.
const FIRST_LEVEL: usize = 1;

/// A rule whose error is this many times the tolerance, and more than this fraction of the last rule's, is not refined:
/// adaptive cells converge faster. Larger: more points before cells take over. Smaller: cells, which cost more, where a
/// finer rule would suffice.
const ABANDON_ERROR: f64 = 30.0;
const MIN_CONVERGENCE: f64 = 0.35;

/// A rule whose error is below this fraction of the tolerance lets the next query begin with a coarser one.
const COARSER_NEXT_TIME: f64 = 0.03;

/// A patch that is star-shaped about its middle, and its coverage.
pub(super) struct PolarPatch {
    pub patch: Patch,
    pub coverage: PolarCoverage,
}

impl PolarPatch {
    /// The patch around `seed`, a point of the contact surface. `level` is a rule known to be fine enough.
    pub fn from_seed(frame: &ContactFrame, quality: &Quality, seed: DVec3, level: Option<usize>) -> Option<Self> {
        let rule = PolarRule { frame, quality };
        let size = |probe: &Probe| rule.patch_size(probe);
        let seed = step_towards_peak(frame, seed, size);
        let flat = PolarChart::flat(frame, seed, size(&frame.probe(seed)), quality)?;
        rule.with_chart(flat, level)
            .or_else(|| flat.around_pivot(frame).and_then(|round| rule.with_chart(round, level)))
    }
}

/// Polar rules in a contact frame.
struct PolarRule<'a> {
    frame: &'a ContactFrame<'a>,
    quality: &'a Quality,
}

impl PolarRule<'_> {
    /// Approximate width of a patch: the chord of a ball of the thinner side's thickness, pressed in this deep.
    fn patch_size(&self, probe: &Probe) -> f64 {
        let kind = self.frame.kind;
        let overlap = probe.contact_pressures(kind).0 / probe.pressure_slope(kind);
        2.0 * (2.0 * overlap * self.frame.thickness).sqrt()
    }

    fn with_chart(&self, chart: PolarChart, level: Option<usize>) -> Option<PolarPatch> {
        // The coarsest rule has four directions; a patch that it suits needs no more to be centred.
        let count = if level == Some(0) { 4 } else { 8 };
        let border = centered(self.frame, chart, self.quality, count)?;
        match self.quality.resolution {
            Resolution::Fixed { radial, angular } => {
                let (radial, angular) = (radial.clamp(1, 32), angular.clamp(3, 4096));
                let border_points = trace_border(self.frame, &border.chart, angular, &border.border_points)?;
                let border = ChartBorder { border_points, ..border };
                let mut sum = PatchSum::default();
                let error = self.integrate(&border, radial, &mut sum)?;
                Some(self.finish(sum, border, radial, error))
            }
            Resolution::Tolerance(tolerance) => self.refine(border, tolerance, level),
        }
    }

    /// Raises the level until the force settles, or the rule is the finest; the patch's error says how far it got.
    fn refine(&self, mut border: ChartBorder, tolerance: f64, known: Option<usize>) -> Option<PolarPatch> {
        let mut sum = PatchSum::default();
        let mut last = f64::INFINITY;
        let finest = finest_level(tolerance);
        let first = known.unwrap_or(FIRST_LEVEL).min(finest);
        let least = usize::from(tolerance < COARSEST_TOLERANCE);
        for (level, &(radial, angular)) in LEVELS.iter().enumerate().take(finest + 1).skip(first) {
            if border.border_points.len() != angular {
                border.border_points = trace_border(self.frame, &border.chart, angular, &border.border_points)?;
            }
            sum.clear();
            let error = self.integrate(&border, radial, &mut sum)?;
            let slow = error > MIN_CONVERGENCE * last && error > ABANDON_ERROR * tolerance;
            last = error;
            if error <= tolerance || level == finest || slow {
                let mut polar = self.finish(sum, border, radial, error);
                let less = usize::from(error <= COARSER_NEXT_TIME * tolerance);
                polar.patch.level = Some(level.saturating_sub(less).max(least));
                return Some(polar);
            }
        }
        None
    }

    fn finish(&self, sum: PatchSum, border: ChartBorder, radial: usize, error: f64) -> PolarPatch {
        let ChartBorder { chart, border_points } = border;
        let border = border_points.iter().map(|r| chart.line(r.tau, r.angle).at(r.s)).collect();
        let mut patch = sum.finish(chart.center, border, Layout::Polar { radial });
        let mean = mean_radius(&border_points);
        let width = match chart.lines {
            LineFamily::Parallel => mean * chart.across[0].length().min(chart.across[1].length()),
            LineFamily::Pivot(radius) => mean * radius.abs(),
        };
        let margin = 2.0 * patch.overlap + 0.25 * width;
        let near_border = near_border(self.quality.cells_across);
        patch.error = error;
        patch.resolved_to = near_border * width;
        PolarPatch { patch, coverage: PolarCoverage::new(chart, border_points, margin, near_border) }
    }

    /// One rule: `radial` Gauss points towards each border point. Returns the estimated error of the force against the
    /// load, from lower-order rules over the same points: along the radius, and of every other direction. `None` if the patch
    /// has a hole.
    fn integrate(&self, border: &ChartBorder, radial: usize, sum: &mut PatchSum) -> Option<f64> {
        let ChartBorder { chart, border_points } = border;
        let (frame, kind, roots) = (self.frame, self.frame.kind, self.quality.root_tolerance());
        let rule = gauss_radial(radial);
        let (middle_weight, second) = radial_check(radial);
        let turn = std::f64::consts::TAU / border_points.len() as f64;
        let start = chart.center_coord();
        let middle = frame.probe(chart.center);
        let at_middle = middle.contact_pressures(kind).0 * middle.surface(kind).1.normalize();
        let (mut force, mut odd, mut along_radius) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        for (j, border_point) in border_points.iter().enumerate() {
            let mut ray = DVec3::ZERO;
            for ((x, w), v) in rule.nodes.iter().zip(&rule.weights).zip(second) {
                let line = chart.line(x * border_point.tau, border_point.angle);
                // The cubic from the middle, where the surface is level, to the border, where its slope is known.
                let (rise, bend) = (border_point.s - start, border_point.slope * border_point.tau);
                let guess = start + x * x * ((3.0 - 2.0 * x) * rise + (x - 1.0) * bend);
                let on_surface = chart.solve_height(frame, &line, guess, roots)?;
                if on_surface.pressures(kind).0 <= 0.0 {
                    return None;
                }
                let piece = sum.add(
                    kind,
                    line.direction,
                    &on_surface,
                    turn * w * chart.measure(border_point.tau, *x, on_surface.s),
                );
                ray += piece;
                along_radius += (1.0 - v / w) * piece;
            }
            along_radius -= turn * middle_weight * chart.measure(border_point.tau, 1e-9, start) * at_middle;
            force += ray;
            if j % 2 == 1 {
                odd += ray;
            }
        }
        sum.include_maximum(middle.contact_pressures(kind).0, chart.center, middle.pressure_slope(kind));
        // Twice as many directions leave at most a quarter of an error, and show three quarters of it.
        let around = (force - 2.0 * odd).length() / 3.0;
        Some((0.5 * along_radius.length()).max(around) / sum.load().max(f64::MIN_POSITIVE))
    }
}

/// The finest rule worth trying: a polar rule converges slowly at creases everywhere, adaptive cells refine only there.
fn finest_level(tolerance: f64) -> usize {
    match tolerance {
        t if t >= 1e-3 => 4,
        t if t >= 1e-6 => 5,
        _ => LEVELS.len() - 1,
    }
}
