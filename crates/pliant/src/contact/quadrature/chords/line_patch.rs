//! Patches integrated on lines: around a seed, or from the chart of the last query.

use super::chart::{ChartCoords, ChartSample, ChordChart};
use super::coverage::{ChordCoverage, NEAR_BORDER, Outline};
use super::layout::Crease;
use super::lines::{LineIntegral, LineRule, Rectangle, scale_of};
use super::newton::Newton;
use super::rule_choice::MIN_AXIS_COSINE;
use crate::contact::frame::ContactFrame;
use crate::contact::patch::Patch;
use crate::contact::persistent_chart::{ChordCounts, ChordFamily, LINE_COUNTS, LINE_POINTS};
use crate::contact::persistent_chart::{PatchSizes, PersistentChart};
use crate::contact::quality::Quality;
use std::sync::Arc;

/// Part of the tolerance that the error across or along lines must meet for fewer lines, or points, to be tried next time.
const MUCH_FINER: f64 = 0.05;

/// The patch of the chart's origin, a point of the contact surface; `size` is a guess of its width.
pub(super) fn from_origin(
    frame: &ContactFrame,
    quality: &Quality,
    chart: &ChordChart,
    size: f64,
) -> Option<(Patch, ChordCoverage)> {
    let chart = ChordChart { family: ChordFamily::Lines, ..*chart };
    let first = Rectangle { s: [-0.7 * size, 0.7 * size], t: [-0.7 * size, 0.7 * size] };
    let (middle, creases) = (middle(frame, &chart, size)?, creases(frame, &chart));
    let rule = |rectangle: &Rectangle| LineRule {
        newton: Newton { frame, chart: &chart },
        middle,
        scale: scale_of(frame, &middle, rectangle),
        creases: &creases,
    };
    let rectangle = rule(&first).search(0.7 * size)?;
    let coarsest = ChordCounts { chords: LINE_COUNTS[0], points: LINE_POINTS[0] };
    // Between evenly spaced lines a crease along them goes unseen, by all lines and by every second.
    let along = creases.iter().filter_map(|c| c.across_chords(0.0, 0.0));
    if along.into_iter().any(|t| t > rectangle.t[0] && t < rectangle.t[1]) {
        return None;
    }
    let found = rule(&rectangle).integrate(rectangle, coarsest, quality.acceptable())?;
    finish(frame, quality, &chart, found)
}

/// The patch in the rectangle of the last query.
pub(super) fn from_chart(
    frame: &ContactFrame,
    quality: &Quality,
    chart: &ChordChart,
    known: &PersistentChart,
) -> Option<(Patch, ChordCoverage)> {
    let rectangle = Rectangle { s: known.middle, t: known.ends.map(|[_, t]| t) };
    let size = (rectangle.s[1] - rectangle.s[0]).min(rectangle.t[1] - rectangle.t[0]);
    let (middle, creases) = (middle(frame, chart, size)?, creases(frame, chart));
    let scale = scale_of(frame, &middle, &rectangle);
    let rule = LineRule { newton: Newton { frame, chart }, middle, scale, creases: &creases };
    let found = rule.integrate(rectangle, known.counts, quality.acceptable())?;
    finish(frame, quality, chart, found)
}

/// The surface at the origin. `None` where it is out of contact, or too steep for the chart.
fn middle(frame: &ContactFrame, chart: &ChordChart, size: f64) -> Option<ChartSample> {
    let middle = Newton { frame, chart }.solve_height(ChartCoords::default(), 0.05 * size)?;
    let normal = middle.probe.surface(frame.kind).1;
    let upright = normal.dot(chart.axes[2]) >= MIN_AXIS_COSINE * normal.length();
    (upright && middle.pressure.value > 0.0).then_some(middle)
}

fn creases(frame: &ContactFrame, chart: &ChordChart) -> Vec<Crease> {
    frame.creases().iter().map(|p| Crease::of(p, chart)).collect()
}

/// The patch with its persistent chart, whose origin is its deepest point, and its coverage.
fn finish(
    frame: &ContactFrame,
    quality: &Quality,
    chart: &ChordChart,
    found: LineIntegral,
) -> Option<(Patch, ChordCoverage)> {
    let error = found.error();
    let LineIntegral { mut patch, across, along, hull, rectangle, counts, spacing } = found;
    let moved = ChordChart { origin: patch.deepest, ..*chart };
    let by = chart.coords(patch.deepest);
    let coarser = |all: [u8; 3], count: u8, error: f64| {
        let coarser = all.into_iter().rev().find(|c| *c < count);
        coarser.filter(|_| error <= MUCH_FINER * quality.acceptable()).unwrap_or(count)
    };
    let next_chart = PersistentChart {
        body_from_chart: frame.body_from_contact.map(|b| b * moved.frame()),
        family: ChordFamily::Lines,
        closed: false,
        ends: rectangle.t.map(|t| [0.0, t - by.t]),
        middle: rectangle.s.map(|s| s - by.s),
        counts: ChordCounts {
            chords: coarser(LINE_COUNTS, counts.chords, across),
            points: coarser(LINE_POINTS, counts.points, along),
        },
        sizes: PatchSizes {
            extent: rectangle.t[1] - rectangle.t[0],
            chord: rectangle.s[1] - rectangle.s[0],
            max_pressure: patch.max_pressure,
        },
        crease_count: 0,
        error,
        allowed_motion: 0.0,
    };
    let width = 0.5 * (rectangle.s[1] - rectangle.s[0]).min(rectangle.t[1] - rectangle.t[0]);
    let slack = NEAR_BORDER * width;
    (patch.error, patch.resolved_to, patch.chart) = (error, slack, next_chart.rounded().map(Arc::new));
    let margin = 2.0 * patch.overlap + 0.25 * width;
    let range = [hull.first()?.t - 0.5 * spacing, hull.last()?.t + 0.5 * spacing];
    let outline = Outline { chords: &hull, range, closed: false, facing: false };
    Some((patch, ChordCoverage::new(*chart, outline, margin, slack)))
}
