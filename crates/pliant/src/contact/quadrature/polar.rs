//! Polar quadrature: Gauss points along the radius, equal angles around a middle point.
//!
//! *The idea* (`PAPERS.md`, Ours: quadrature): pressure falls to zero at the border, so with the border found exactly
//! in each direction the integrand is smooth and few points suffice. *Not promised*: a patch that is not visible whole
//! from its middle; that is noticed (a point with negative pressure, a lost line, cells outside the border) and left to
//! adaptive cells.

use super::chart::{Chart, Lines};
use super::coverage::{PolarCoverage, mean_radius, surroundings};
use super::rims::{BorderedChart, around, centered};
use super::sum::PatchSum;
use crate::contact::climb::uphill;
use crate::contact::frame::ContactFrame;
use crate::contact::law::Probe;
use crate::contact::patch::{Layout, Patch};
use crate::contact::quality::{Quality, Resolution};
use crate::math::{DVec3, gauss_radial, radial_check};

/// Rules from coarse to fine: (radial, angular). Directions are nested, so borders are found once.
pub(super) const LEVELS: [(usize, usize); 8] =
    [(2, 4), (3, 8), (4, 16), (5, 32), (7, 64), (12, 128), (24, 128), (32, 256)];

/// The coarsest rule is tried only for tolerances above this: it does not show smaller errors.
const COARSE: f64 = 5e-3;

/// First level without a warm start. Four directions cannot tell a square from a circle.
const FIRST: usize = 1;

/// A rule this many times worse than asked for, and not this much better than the last, is not refined: adaptive cells do
/// better. Larger: more points before cells take over. Smaller: cells, which cost more, where a finer rule would do.
const HOPELESS: f64 = 30.0;
const SLOW: f64 = 0.35;

/// A rule so much better than asked for lets the next step begin with a coarser one.
const AMPLE: f64 = 0.03;

/// A patch visible whole from its middle, and the part of space it accounts for.
pub(super) struct PolarPatch {
    pub patch: Patch,
    pub coverage: PolarCoverage,
}

impl PolarPatch {
    /// The patch around `seed`, a point of the contact surface. `level` is a rule known to be fine enough.
    pub fn from_seed(frame: &ContactFrame, quality: &Quality, seed: DVec3, level: Option<usize>) -> Option<Self> {
        let rule = PolarRule { frame, quality };
        let size = |probe: &Probe| rule.patch_size(probe);
        let seed = uphill(frame, seed, size);
        let flat = Chart::flat(frame, seed, size(&frame.probe(seed)), quality)?;
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
        let overlap = probe.contact_pressures(kind).0 / probe.approach_rate(kind);
        2.0 * (2.0 * overlap * self.frame.thickness).sqrt()
    }

    fn with_chart(&self, chart: Chart, level: Option<usize>) -> Option<PolarPatch> {
        // The coarsest rule has four directions; a patch that it suits needs no more to be centred.
        let count = if level == Some(0) { 4 } else { 8 };
        let bordered = centered(self.frame, chart, self.quality, count)?;
        match self.quality.resolution {
            Resolution::Fixed { radial, angular } => {
                let (radial, angular) = (radial.clamp(1, 32), angular.clamp(3, 4096));
                let rims = around(self.frame, &bordered.chart, angular, &bordered.rims)?;
                let bordered = BorderedChart { rims, ..bordered };
                let mut sum = PatchSum::default();
                let error = self.integrate(&bordered, radial, &mut sum)?;
                Some(self.finish(sum, bordered, radial, error))
            }
            Resolution::Tolerance(tolerance) => self.refine(bordered, tolerance, level),
        }
    }

    /// Raises the level until the force settles, or the rule is the finest; the patch's error says how far it got.
    fn refine(&self, mut bordered: BorderedChart, tolerance: f64, known: Option<usize>) -> Option<PolarPatch> {
        let mut sum = PatchSum::default();
        let mut last = f64::INFINITY;
        let finest = finest_level(tolerance);
        let first = known.unwrap_or(FIRST).min(finest);
        let least = usize::from(tolerance < COARSE);
        for (level, &(radial, angular)) in LEVELS.iter().enumerate().take(finest + 1).skip(first) {
            if bordered.rims.len() != angular {
                bordered.rims = around(self.frame, &bordered.chart, angular, &bordered.rims)?;
            }
            sum.clear();
            let error = self.integrate(&bordered, radial, &mut sum)?;
            let slow = error > SLOW * last && error > HOPELESS * tolerance;
            last = error;
            if error <= tolerance || level == finest || slow {
                let mut polar = self.finish(sum, bordered, radial, error);
                let less = usize::from(error <= AMPLE * tolerance);
                polar.patch.level = Some(level.saturating_sub(less).max(least));
                return Some(polar);
            }
        }
        None
    }

    fn finish(&self, sum: PatchSum, bordered: BorderedChart, radial: usize, error: f64) -> PolarPatch {
        let BorderedChart { chart, rims } = bordered;
        let border = rims.iter().map(|r| chart.line(r.tau, r.angle).at(r.s)).collect();
        let mut patch = sum.finish(chart.center, border, Layout::Polar { radial });
        let mean = mean_radius(&rims);
        let width = match chart.lines {
            Lines::Parallel => mean * chart.across[0].length().min(chart.across[1].length()),
            Lines::Pivot(reach) => mean * reach.abs(),
        };
        let margin = 2.0 * patch.overlap + 0.25 * width;
        let surroundings = surroundings(self.quality.cells_across);
        patch.error = error;
        patch.resolved_to = surroundings * width;
        PolarPatch { patch, coverage: PolarCoverage::new(chart, rims, margin, surroundings) }
    }

    /// One rule: `radial` Gauss points towards each border point. Returns the estimated error of the force against the
    /// load, from lower-order rules over the same points: along the radius, and of every other direction. `None` if the patch
    /// has a hole.
    fn integrate(&self, bordered: &BorderedChart, radial: usize, sum: &mut PatchSum) -> Option<f64> {
        let BorderedChart { chart, rims } = bordered;
        let (frame, kind, roots) = (self.frame, self.frame.kind, self.quality.root_tolerance());
        let rule = gauss_radial(radial);
        let (middle_weight, second) = radial_check(radial);
        let turn = std::f64::consts::TAU / rims.len() as f64;
        let start = chart.start();
        let middle = frame.probe(chart.center);
        let at_middle = middle.contact_pressures(kind).0 * middle.surface(kind).1.normalize();
        let (mut force, mut odd, mut along_radius) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        for (j, rim) in rims.iter().enumerate() {
            let mut ray = DVec3::ZERO;
            for ((x, w), v) in rule.nodes.iter().zip(&rule.weights).zip(second) {
                let line = chart.line(x * rim.tau, rim.angle);
                // The cubic from the middle, where the surface is level, to the border, where its slope is known.
                let (rise, bend) = (rim.s - start, rim.slope * rim.tau);
                let guess = start + x * x * ((3.0 - 2.0 * x) * rise + (x - 1.0) * bend);
                let lifted = chart.lift(frame, &line, guess, roots)?;
                if lifted.pressures(kind).0 <= 0.0 {
                    return None;
                }
                let piece = sum.add(kind, line.direction, &lifted, turn * w * chart.measure(rim.tau, *x, lifted.s));
                ray += piece;
                along_radius += (1.0 - v / w) * piece;
            }
            along_radius -= turn * middle_weight * chart.measure(rim.tau, 1e-9, start) * at_middle;
            force += ray;
            if j % 2 == 1 {
                odd += ray;
            }
        }
        sum.see(middle.contact_pressures(kind).0, chart.center, middle.approach_rate(kind));
        // Twice as many directions leave at most a quarter of an error, and show three quarters of it.
        let around = (force - 2.0 * odd).length() / 3.0;
        Some((0.5 * along_radius.length()).max(around) / sum.load().max(f64::MIN_POSITIVE))
    }
}

/// The finest rule worth trying: a polar rule converges slowly at kinks everywhere, adaptive cells refine only there.
fn finest_level(tolerance: f64) -> usize {
    match tolerance {
        t if t >= 1e-3 => 4,
        t if t >= 1e-6 => 5,
        _ => LEVELS.len() - 1,
    }
}
