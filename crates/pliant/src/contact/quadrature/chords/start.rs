//! From a chart and a guess of the outline to the patch: its ends, the rule that is fine enough, its sums.

use super::chart::{ChartPlace, ChartSample, ChordChart};
use super::coverage::{ChordCoverage, Outline, SURROUNDINGS};
use super::integrate::{ChordRule, Integrated};
use super::layout::Crease;
use super::newton::{Newton, PatchScale};
use super::outline::OutlineGuess;
use crate::contact::carried::{CHORD_RULES, CarriedChart, ChordCounts, ChordFamily};
use crate::contact::frame::ContactFrame;
use crate::contact::patch::Patch;
use crate::contact::quality::Quality;
use std::f64::consts::PI;
use std::sync::Arc;

/// Part of the tolerance that a rule may err by when it is chosen: later it errs by more.
const AMPLE: f64 = 0.4;

/// A rule is not believed to err by less than this part of the next coarser one: its error may just be changing its sign.
const LUCK: f64 = 0.2;

/// Part of the tolerance to which the finest rules must agree on a patch with holes, whose borders no rule finds: they err alike.
const IN_HOLES: f64 = 0.2;

/// A patch is measured again when its extents or its pressure have changed by this part. Larger: rules that are no longer
/// fine enough. Smaller: needless work.
const CHANGED: f64 = 0.2;

/// Least cosine between the chart's axis and the surface's normal in the middle. Smaller: the surface grows steep towards its
/// border. Larger: charts are made anew for bodies that roll.
pub(super) const UPRIGHT: f64 = 0.8;

/// Fields, accuracy, and the chords of before.
pub(super) struct Query<'a> {
    pub frame: &'a ContactFrame<'a>,
    pub quality: &'a Quality,
    /// Carried along by both bodies, with the rule that was fine enough.
    pub known: Option<&'a CarriedChart>,
}

/// A chart and approximately the patch in it.
pub(super) struct Start {
    pub chart: ChordChart,
    /// All around the pivot.
    pub closed: bool,
    /// Ends of the patch across its chords; of one that is closed, a place on the chord in the middle.
    pub ends: [ChartPlace; 2],
    /// Ends of the chord in the middle.
    pub interval: [f64; 2],
}

/// A rule and its error when it was measured.
struct Measured {
    integrated: Integrated,
    counts: ChordCounts,
    /// As a part of the load.
    error: f64,
    /// Extent across the chords, length of the middle chord and greatest pressure.
    sizes: [f64; 3],
}

impl Start {
    /// The patch, by the rule that is known as long as that is fine enough.
    pub fn patch(&self, query: &Query) -> Option<(Patch, ChordCoverage)> {
        let newton = Newton { frame: query.frame, chart: &self.chart };
        let middle = self.middle(&newton)?;
        let scale = self.scale(&newton, &middle);
        let ends = if self.closed { self.ends } else { self.patch_ends(&newton, &middle, &scale)? };
        let range = if self.closed { [-PI, PI] } else { ends.map(|p| p.t) };
        let creases: Vec<Crease> = match self.chart.family {
            ChordFamily::Parallel => query.frame.creases().iter().map(|p| Crease::of(p, &self.chart)).collect(),
            ChordFamily::Rays => Vec::new(),
        };
        let guess = OutlineGuess { range, closed: self.closed, middle, interval: self.interval };
        let mut rule = ChordRule { newton, guess, scale, creases: &creases };
        let measured = measured(&mut rule, query)?;
        self.finish(query.frame, &rule, ends, measured)
    }

    /// The surface on the chord in the middle. `None` where it is out of contact, or too steep for the chart.
    fn middle(&self, newton: &Newton) -> Option<ChartSample> {
        let t = if self.closed { self.ends[0].t } else { 0.5 * (self.ends[0].t + self.ends[1].t) };
        let [low, high] = self.interval;
        let place = ChartPlace { s: 0.5 * (low + high), t, z: 0.0 };
        let middle = newton.lift(place, 0.05 * (high - low))?;
        let normal = middle.probe.surface(newton.frame.kind).1;
        let upright = normal.dot(self.chart.axes[2]) >= UPRIGHT * normal.length();
        (upright && middle.pressure.value > 0.0).then_some(middle)
    }

    fn scale(&self, newton: &Newton, middle: &ChartSample) -> PatchScale {
        let pressure = middle.pressure.value;
        PatchScale {
            half: 0.5 * (self.interval[1] - self.interval[0]),
            across: if self.closed { PI } else { 0.5 * (self.ends[1].t - self.ends[0].t) },
            pressure,
            depth: pressure / middle.probe.approach_rate(newton.frame.kind),
        }
    }

    /// Both ends of the patch across its chords, with the middle between them.
    fn patch_ends(&self, newton: &Newton, middle: &ChartSample, scale: &PatchScale) -> Option<[ChartPlace; 2]> {
        let end = |i: usize| {
            let ([zs, zt], outward) = (middle.slopes(), [-1.0, 1.0][i]);
            let (ds, dt) = (self.ends[i].s - middle.place.s, self.ends[i].t - middle.place.t);
            let guess = ChartPlace { z: middle.place.z + 0.5 * (zs * ds + zt * dt), ..self.ends[i] };
            newton.patch_end(guess, outward, scale).or_else(|| newton.bracketed_patch_end(middle, outward, scale))
        };
        let ends = [end(0)?, end(1)?];
        (ends[0].t < middle.place.t && middle.place.t < ends[1].t).then_some(ends)
    }

    /// The patch with the chart that bodies carry on, and its coverage.
    fn finish(
        &self,
        frame: &ContactFrame,
        rule: &ChordRule,
        ends: [ChartPlace; 2],
        measured: Measured,
    ) -> Option<(Patch, ChordCoverage)> {
        let Measured { integrated: Integrated { mut patch, cuts, chords, holes: _ }, counts, error, sizes } = measured;
        let (chart, middle, range) = (&self.chart, rule.guess.middle.place, rule.guess.range);
        // The chord nearest to the middle says where the next query looks.
        let central = chords.iter().min_by(|c, d| (c.t - middle.t).abs().total_cmp(&(d.t - middle.t).abs()))?;
        let interval = central.ends.map(|e| e.place.s);
        let width = 0.5 * (interval[1] - interval[0]).min(chart.width(middle.s) * (range[1] - range[0]));
        let slack = SURROUNDINGS * width;
        // Ends that were put too far out at first have been drawn in since.
        let ends = if self.closed {
            [central.ends[0].place; 2]
        } else {
            [0, 1].map(|i| ChartPlace { t: range[i], ..ends[i] })
        };
        let carried = CarriedChart {
            body_from_chart: frame.body_from_contact.map(|b| b * chart.frame()),
            family: chart.family,
            closed: self.closed,
            ends: ends.map(|p| [p.s, p.t]),
            middle: interval,
            counts,
            measured: sizes,
            cuts: cuts as u8,
            error,
        };
        (patch.error, patch.resolved_to, patch.chart) = (error, slack, carried.rounded().map(Arc::new));
        let margin = 2.0 * patch.overlap + 0.25 * width;
        let facing = rule.guess.middle.faces(chart) && chords.iter().all(|c| c.ends.iter().all(|e| e.facing));
        let outline = Outline { chords: &chords, range, closed: self.closed, facing };
        Some((patch, ChordCoverage::new(*chart, outline, margin, slack)))
    }
}

/// The rule that is known if the patch has hardly changed since it was chosen, else one chosen anew.
fn measured(rule: &mut ChordRule, query: &Query) -> Option<Measured> {
    let [low, high] = rule.guess.range;
    let sizes = [high - low, 2.0 * rule.scale.half, rule.scale.pressure];
    let unchanged =
        |k: &&CarriedChart| k.measured.iter().zip(&sizes).all(|(then, now)| (now / then - 1.0).abs() < CHANGED);
    let fine_enough = |k: &&CarriedChart| k.error <= query.quality.acceptable();
    if let Some(known) = query.known.filter(unchanged).filter(fine_enough) {
        let integrated = rule.integrate(known.counts)?;
        if integrated.cuts == usize::from(known.cuts) && !integrated.holes {
            return Some(Measured { integrated, counts: known.counts, error: known.error, sizes: known.measured });
        }
    }
    choose(rule, query.quality, sizes)
}

/// The coarsest rule that gives what the finest gives. The two finest must agree, too: coarser ones may do so by chance.
fn choose(rule: &mut ChordRule, quality: &Quality, sizes: [f64; 3]) -> Option<Measured> {
    let finest = rule.integrate(CHORD_RULES[CHORD_RULES.len() - 1])?;
    let tolerance = quality.acceptable() * if finest.holes { IN_HOLES } else { 1.0 };
    let [low, high] = rule.guess.range;
    let across = 0.5 * rule.newton.chart.width(rule.guess.middle.place.s) * (high - low);
    let arm = rule.scale.half.min(across);
    let last = CHORD_RULES.len() - 2;
    let fine = rule.integrate(CHORD_RULES[last])?;
    let error = difference(&fine.patch, &finest.patch, arm);
    if error > tolerance || error.is_nan() {
        return None;
    }
    let mut coarser = 0.0;
    for counts in &CHORD_RULES[..last] {
        let integrated = rule.integrate(*counts)?;
        let error = difference(&integrated.patch, &finest.patch, arm).max(LUCK * coarser);
        coarser = error;
        if error <= AMPLE * tolerance {
            return Some(Measured { integrated, counts: *counts, error, sizes });
        }
    }
    Some(Measured { integrated: fine, counts: CHORD_RULES[last], error, sizes })
}

/// Greatest difference of forces and moments, as a part of the load.
fn difference(p: &Patch, q: &Patch, arm: f64) -> f64 {
    let force = p.on_a.force.distance(q.on_a.force);
    let moment = p.on_a.moment.distance(q.on_a.moment) / arm.max(f64::MIN_POSITIVE);
    // The greater of both would drop one that is no number.
    (if moment.is_nan() { moment } else { force.max(0.3 * moment) }) / q.load.max(f64::MIN_POSITIVE)
}
