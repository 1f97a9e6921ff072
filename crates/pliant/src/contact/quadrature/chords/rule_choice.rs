//! Choice of a chord rule: from a chart and a guess of the outline to the ends of the patch, the coarsest rule that meets the
//! tolerance, and its sums.

use super::chart::{ChartCoords, ChartSample, ChordChart};
use super::coverage::{ChordCoverage, NEAR_BORDER, Outline};
use super::integrate::{ChordIntegral, ChordRule};
use super::layout::Crease;
use super::newton::{Newton, PatchScale};
use super::outline::OutlineGuess;
use crate::contact::frame::ContactFrame;
use crate::contact::patch::Patch;
use crate::contact::persistent_chart::{CHORD_RULES, ChordCounts, ChordFamily, PatchSizes, PersistentChart};
use crate::contact::quality::Quality;
use std::f64::consts::PI;
use std::sync::Arc;

/// Part of the tolerance that the error of a rule must meet when it is chosen: the error grows as the patch changes.
const CHOICE_MARGIN: f64 = 0.4;

/// Least error of a rule, as a fraction of that of the next coarser one: a smaller difference may be a change of sign.
const MIN_ERROR_RATIO: f64 = 0.15;

/// Part of the tolerance to which rules must agree on a patch with holes: no rule finds their borders, so that the errors of all
/// are alike.
const HOLE_TOLERANCE: f64 = 0.2;

/// Extents of a patch, against those when its rule was measured, beyond which it is measured again: a rule errs more on a larger
/// patch, less on a smaller one. Farther from one: rules that are no longer fine enough, or finer than need be. Nearer: needless
/// work.
const REMEASURE_GROWTH: f64 = 1.25;
const REMEASURE_SHRINKAGE: f64 = 0.6;

/// Part of the tolerance that the error of a rule must meet for the next coarser one to be tried.
const MUCH_FINER: f64 = 0.1;

/// Least cosine between the chart's axis and the surface's normal in the middle. Smaller: the surface grows steep towards its
/// border. Larger: charts are made anew for bodies that roll.
pub(super) const MIN_AXIS_COSINE: f64 = 0.8;

/// Fields, accuracy, and the chart of the last query.
pub(super) struct Query<'a> {
    pub frame: &'a ContactFrame<'a>,
    pub quality: &'a Quality,
    /// Chart of the last query, with the rule that met the tolerance.
    pub known: Option<&'a PersistentChart>,
}

/// A chart and a guess of the patch in it.
pub(super) struct ChartGuess {
    pub chart: ChordChart,
    /// All around the pivot.
    pub closed: bool,
    /// Ends of the patch across its chords; of one that is closed, a point on the chord in the middle.
    pub ends: [ChartCoords; 2],
    /// Ends of the chord in the middle.
    pub interval: [f64; 2],
}

/// A rule and its error when it was measured.
struct ChosenRule {
    integrated: ChordIntegral,
    counts: ChordCounts,
    /// As a fraction of the load.
    error: f64,
    /// Extent across the chords, length of the middle chord and greatest pressure.
    sizes: PatchSizes,
}

impl ChartGuess {
    /// The patch, by the known rule as long as it meets the tolerance.
    pub fn patch(&self, query: &Query) -> Option<(Patch, ChordCoverage)> {
        let newton = Newton { frame: query.frame, chart: &self.chart };
        let middle = self.middle(&newton)?;
        let scale = self.scale(&newton, &middle);
        let ends = if self.closed { self.ends } else { self.patch_ends(&newton, &middle, &scale)? };
        let range = if self.closed { [-PI, PI] } else { ends.map(|p| p.t) };
        let creases: Vec<Crease> = match self.chart.family {
            ChordFamily::Parallel | ChordFamily::Lines => {
                query.frame.creases().iter().map(|p| Crease::of(p, &self.chart)).collect()
            }
            ChordFamily::Rays => Vec::new(),
        };
        let guess = OutlineGuess { range, closed: self.closed, middle, interval: self.interval };
        let mut rule = ChordRule { newton, guess, scale, creases: &creases };
        let chosen = known_or_chosen_rule(&mut rule, query)?;
        self.finish(query.frame, &rule, ends, chosen)
    }

    /// The surface on the chord in the middle. `None` where it is out of contact, or too steep for the chart.
    fn middle(&self, newton: &Newton) -> Option<ChartSample> {
        let t = if self.closed { self.ends[0].t } else { 0.5 * (self.ends[0].t + self.ends[1].t) };
        let [low, high] = self.interval;
        let coords = ChartCoords { s: 0.5 * (low + high), t, z: 0.0 };
        let middle = newton.solve_height(coords, 0.05 * (high - low))?;
        let normal = middle.probe.surface(newton.frame.kind).1;
        let upright = normal.dot(self.chart.axes[2]) >= MIN_AXIS_COSINE * normal.length();
        (upright && middle.pressure.value > 0.0).then_some(middle)
    }

    fn scale(&self, newton: &Newton, middle: &ChartSample) -> PatchScale {
        let pressure = middle.pressure.value;
        PatchScale {
            half: 0.5 * (self.interval[1] - self.interval[0]),
            across: if self.closed { PI } else { 0.5 * (self.ends[1].t - self.ends[0].t) },
            pressure,
            depth: pressure / middle.probe.pressure_slope(newton.frame.kind),
        }
    }

    /// Both ends of the patch across its chords, with the middle between them.
    fn patch_ends(&self, newton: &Newton, middle: &ChartSample, scale: &PatchScale) -> Option<[ChartCoords; 2]> {
        let end = |i: usize| {
            let ([zs, zt], outward) = (middle.slopes(), [-1.0, 1.0][i]);
            let (ds, dt) = (self.ends[i].s - middle.coords.s, self.ends[i].t - middle.coords.t);
            let guess = ChartCoords { z: middle.coords.z + 0.5 * (zs * ds + zt * dt), ..self.ends[i] };
            newton.patch_end(guess, outward, scale).or_else(|| newton.bracketed_patch_end(middle, outward, scale))
        };
        let ends = [end(0)?, end(1)?];
        (ends[0].t < middle.coords.t && middle.coords.t < ends[1].t).then_some(ends)
    }

    /// The patch with its persistent chart, and its coverage.
    fn finish(
        &self,
        frame: &ContactFrame,
        rule: &ChordRule,
        ends: [ChartCoords; 2],
        chosen: ChosenRule,
    ) -> Option<(Patch, ChordCoverage)> {
        let ChosenRule {
            integrated: ChordIntegral { mut patch, crease_count, chords, holes: _ },
            counts,
            error,
            sizes,
        } = chosen;
        let (chart, middle, range) = (&self.chart, rule.guess.middle.coords, rule.guess.range);
        // The next query starts at the chord nearest to the middle.
        let central = chords.iter().min_by(|c, d| (c.t - middle.t).abs().total_cmp(&(d.t - middle.t).abs()))?;
        let interval = central.ends.map(|e| e.coords.s);
        let width = 0.5 * (interval[1] - interval[0]).min(chart.width(middle.s) * (range[1] - range[0]));
        let slack = NEAR_BORDER * width;
        // Ends that were guessed too far out have been moved inward since.
        let ends = if self.closed {
            [central.ends[0].coords; 2]
        } else {
            [0, 1].map(|i| ChartCoords { t: range[i], ..ends[i] })
        };
        let next_chart = PersistentChart {
            body_from_chart: frame.body_from_contact.map(|b| b * chart.frame()),
            family: chart.family,
            closed: self.closed,
            ends: ends.map(|p| [p.s, p.t]),
            middle: interval,
            counts,
            sizes,
            crease_count: crease_count as u8,
            error,
            allowed_motion: 0.0,
        };
        (patch.error, patch.resolved_to, patch.chart) = (error, slack, next_chart.rounded().map(Arc::new));
        let margin = 2.0 * patch.overlap + 0.25 * width;
        let facing = rule.guess.middle.faces(chart) && chords.iter().all(|c| c.ends.iter().all(|e| e.facing));
        let outline = Outline { chords: &chords, range, closed: self.closed, facing };
        Some((patch, ChordCoverage::new(*chart, outline, margin, slack)))
    }
}

/// The rule that is known if the patch has hardly changed since it was measured, or if the next finer one confirms it; else
/// one chosen anew.
fn known_or_chosen_rule(rule: &mut ChordRule, query: &Query) -> Option<ChosenRule> {
    let [low, high] = rule.guess.range;
    let sizes = PatchSizes { extent: high - low, chord: 2.0 * rule.scale.half, max_pressure: rule.scale.pressure };
    let Some(known) = query.known else { return choose_rule(rule, query, sizes, Window::default()) };
    // A greater pressure on the same extents scales the integrand.
    let alike = |then: f64, now: f64| now < REMEASURE_GROWTH * then && now > REMEASURE_SHRINKAGE * then;
    let unchanged = alike(known.sizes.extent, sizes.extent) && alike(known.sizes.chord, sizes.chord);
    let integrated = rule.integrate(known.counts)?;
    let has_its_creases = integrated.crease_count == usize::from(known.crease_count) && !integrated.holes;
    if has_its_creases && unchanged && known.error <= query.quality.acceptable() {
        return Some(ChosenRule { integrated, counts: known.counts, error: known.error, sizes: known.sizes });
    }
    let level = CHORD_RULES.iter().position(|c| *c == known.counts)?;
    if !has_its_creases || level + 1 == CHORD_RULES.len() {
        return choose_rule(rule, query, sizes, Window { first: level.saturating_sub(1), ..Window::default() });
    }
    confirm_rule(rule, query, sizes, Window { first: level, integrals: vec![integrated] })
}

/// The rule that `window` begins with, if the next finer one confirms it; the next coarser one, if that is much more than
/// fine enough; else one chosen among finer ones.
fn confirm_rule(rule: &mut ChordRule, query: &Query, sizes: PatchSizes, mut window: Window) -> Option<ChosenRule> {
    let (level, arm, tolerance) = (window.first, rule.arm(), CHOICE_MARGIN * query.quality.acceptable());
    let finer = rule.integrate(CHORD_RULES[level + 1])?;
    if finer.holes {
        return choose_rule(rule, query, sizes, Window::default());
    }
    let off = |r: &ChordIntegral| difference(&r.patch, &finer.patch, arm);
    let error = off(&window.integrals[0]);
    if error <= MUCH_FINER * tolerance && level > 0 {
        let integrated = rule.integrate(CHORD_RULES[level - 1])?;
        let error = off(&integrated);
        if error <= tolerance && !integrated.holes {
            return Some(ChosenRule { integrated, counts: CHORD_RULES[level - 1], error, sizes });
        }
    }
    // The finest but one has nothing else to be compared with.
    let is_last = level + 2 == CHORD_RULES.len() && error <= query.quality.acceptable();
    if error <= tolerance || is_last {
        let integrated = window.integrals.remove(0);
        return Some(ChosenRule { integrated, counts: CHORD_RULES[level], error, sizes });
    }
    window.integrals.push(finer);
    choose_rule(rule, query, sizes, window)
}

/// Results of some rules in turn, from number `first` on.
#[derive(Default)]
struct Window {
    first: usize,
    integrals: Vec<ChordIntegral>,
}

/// The coarsest rule, from the first of `window` on, whose result the two next finer rules confirm, or the next finer
/// one alone. Two rules may agree by chance, so its error is taken for no less than [`MIN_ERROR_RATIO`] of that of the
/// next coarser rule. `None` for a patch with holes, which line rules integrate better, unless it has creases, which
/// line rules do not resolve.
fn choose_rule(rule: &mut ChordRule, query: &Query, sizes: PatchSizes, window: Window) -> Option<ChosenRule> {
    let (arm, tolerance) = (rule.arm(), query.quality.acceptable());
    let Window { first, integrals: mut window } = window;
    let mut coarser = 0.0;
    for level in first + window.len()..CHORD_RULES.len() {
        let next = rule.integrate(CHORD_RULES[level])?;
        if next.holes && rule.creases.is_empty() {
            return None;
        }
        window.push(next);
        let [coarse, middle, fine] = &window[..] else { continue };
        let [own, other] = [coarse, middle].map(|r| difference(&r.patch, &fine.patch, arm));
        let tolerance = tolerance * if fine.holes { HOLE_TOLERANCE } else { 1.0 };
        let error = if own.is_nan() { own } else { own.max(MIN_ERROR_RATIO * coarser) };
        if error <= CHOICE_MARGIN * tolerance && other <= CHOICE_MARGIN * tolerance {
            let integrated = window.swap_remove(0);
            return Some(ChosenRule { integrated, counts: CHORD_RULES[level - 2], error, sizes });
        }
        let middle = if other.is_nan() { other } else { other.max(MIN_ERROR_RATIO * own) };
        if middle <= CHOICE_MARGIN * tolerance {
            let integrated = window.swap_remove(1);
            return Some(ChosenRule { integrated, counts: CHORD_RULES[level - 1], error: middle, sizes });
        }
        coarser = error;
        if level + 1 == CHORD_RULES.len() && other <= tolerance {
            let integrated = window.swap_remove(1);
            return Some(ChosenRule { integrated, counts: CHORD_RULES[level - 1], error: other, sizes });
        }
        window.remove(0);
    }
    None
}

/// Greatest difference of forces and moments, as a fraction of the load.
fn difference(p: &Patch, q: &Patch, arm: f64) -> f64 {
    let force = p.on_a.force.distance(q.on_a.force);
    let moment = p.on_a.moment.distance(q.on_a.moment) / arm.max(f64::MIN_POSITIVE);
    // The greater of both would drop one that is no number.
    (if moment.is_nan() { moment } else { force.max(0.3 * moment) }) / q.load.max(f64::MIN_POSITIVE)
}
