//! The border of a polar patch in equally spaced directions.
//!
//! *The idea*: the first is found by marching along the surface until the pressure vanishes, the others by Newton's method
//! from their neighbours; the chart's middle is moved to the centroid of the border, and the chart of a long patch is
//! scaled to make it round. *Not promised*: a border that jumps between neighbouring directions; the patch is then no polar
//! patch.

use super::chart::{Angle, BorderPoint, LineFamily, PolarChart, PolarCoords};
use crate::contact::frame::ContactFrame;
use crate::contact::quality::Quality;
use crate::math::DVec3;

/// The middle is moved to the border's centroid when it lies further off than this fraction of the radius.
/// Smaller: needless second passes. Larger: oblique borders, and finer rules for the same error.
const MIN_SHIFT: f64 = 0.12;

/// Ratio of length to width above which the chart is scaled to make the patch round. Smaller: needless
/// second passes. Larger: more directions for long patches.
const MIN_ELONGATION: f64 = 1.25;

/// A chart and the border of the patch in it.
pub(super) struct ChartBorder {
    pub chart: PolarChart,
    pub border_points: Vec<BorderPoint>,
}

/// A chart whose middle is the middle of the patch, and the border in `count` directions from there.
pub(super) fn centered(
    frame: &ContactFrame,
    mut chart: PolarChart,
    quality: &Quality,
    count: usize,
) -> Option<ChartBorder> {
    let mut border_points = trace_border(frame, &chart, count, &[first_border_point(frame, &chart)?])?;
    for _ in 0..3 {
        if chart.lines != LineFamily::Parallel {
            break;
        }
        let offsets: Vec<DVec3> = border_points.iter().map(|r| r.tau * chart.direction(r.angle)).collect();
        let middle = offsets.iter().sum::<DVec3>() / offsets.len() as f64;
        let radius = offsets.iter().map(|o| o.length()).sum::<f64>() / offsets.len() as f64;
        let (long, short, turned) = principal(&offsets, middle, &chart);
        let off_center = middle.length() > MIN_SHIFT * radius;
        if !off_center && long < MIN_ELONGATION * short {
            break;
        }
        let line = PolarChart { center: chart.center + middle, ..chart }.line(0.0, FIRST_DIRECTION);
        let on_surface = chart.solve_height(frame, &line, 0.0, 1e-12)?;
        if on_surface.pressures(frame.kind).0 <= 0.0 {
            return None;
        }
        let mut moved = PolarChart::flat(frame, on_surface.position, chart.size, quality)?;
        // Directions follow the patch; only their ratio matters, and the mean keeps τ a length.
        let stretch = (long / short).clamp(1.0, 50.0).sqrt();
        let e1 = turned.reject_from_normalized(moved.axis).try_normalize()?;
        moved.across = [e1 * stretch, moved.axis.cross(e1) / stretch];
        let same_shape = (chart.across[0].length() / stretch - 1.0).abs() < 0.1;
        chart = moved;
        border_points = trace_border(frame, &chart, count, &[first_border_point(frame, &chart)?])?;
        if same_shape && !off_center {
            break;
        }
    }
    Some(ChartBorder { chart, border_points })
}

/// The chart's first direction.
const FIRST_DIRECTION: Angle = Angle { cos: 1.0, sin: 0.0 };

/// Half-lengths along the principal directions of the offsets, longer first, and the longer direction.
fn principal(offsets: &[DVec3], middle: DVec3, chart: &PolarChart) -> (f64, f64, DVec3) {
    let (e1, e2) = (chart.across[0].normalize(), chart.across[1].normalize());
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for o in offsets {
        let (x, y) = ((*o - middle).dot(e1), (*o - middle).dot(e2));
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    let (mean, half) = (0.5 * (xx + yy), (0.25 * (xx - yy).powi(2) + xy * xy).sqrt());
    let angle = 0.5 * (2.0 * xy).atan2(xx - yy);
    ((mean + half).sqrt(), (mean - half).max(0.0).sqrt(), angle.cos() * e1 + angle.sin() * e2)
}

/// The border in the chart's first direction: marching along the surface until the pressure vanishes, then Newton.
fn first_border_point(frame: &ContactFrame, chart: &PolarChart) -> Option<BorderPoint> {
    let (angle, kind) = (FIRST_DIRECTION, frame.kind);
    let scale = match chart.lines {
        LineFamily::Parallel => 1.1 * chart.size / chart.across[0].length(),
        LineFamily::Pivot(_) => 0.5 * std::f64::consts::PI,
    };
    let (mut inside, mut s) = (0.0, chart.center_coord());
    let mut step = 0.5 * scale;
    for _ in 0..40 {
        let tau = inside + step;
        if tau > chart.largest_radius() || step < 1e-9 * scale {
            break;
        }
        match chart.solve_height(frame, &chart.line(tau, angle), s, 1e-6) {
            Some(on_surface) if on_surface.pressures(kind).0 > 0.0 => (inside, s) = (tau, on_surface.s),
            Some(on_surface) => {
                // Bracketed between `inside` and `tau`; Newton from the outer end if it lands between.
                if let Some(border_point) = chart.border(frame, angle, PolarCoords { tau, s: on_surface.s })
                    && border_point.tau > inside
                    && border_point.tau <= tau * (1.0 + 1e-9)
                {
                    return Some(border_point);
                }
                step *= 0.5;
            }
            None => step *= 0.5,
        }
    }
    // Lines through a pivot may close around a body that is wholly inside the other.
    (chart.largest_radius().is_finite() && inside > 0.9 * chart.largest_radius()).then_some(BorderPoint {
        angle,
        tau: chart.largest_radius(),
        s,
        slope: 0.0,
        outward: DVec3::ZERO,
    })
}

/// The border in `angular` equally spaced directions, continuing from known ones.
pub(super) fn trace_border(
    frame: &ContactFrame,
    chart: &PolarChart,
    angular: usize,
    known: &[BorderPoint],
) -> Option<Vec<BorderPoint>> {
    let stride = if angular.is_multiple_of(known.len()) { angular / known.len() } else { 0 };
    let mut border_points: Vec<BorderPoint> = Vec::with_capacity(angular);
    for j in 0..angular {
        if stride > 0 && j % stride == 0 {
            border_points.push(known[j / stride]);
            continue;
        }
        let turn = j as f64 / angular as f64;
        let angle = Angle::of_turn(j, angular);
        let before = border_points.last().copied().unwrap_or(known[0]);
        let after = known[((turn * known.len() as f64).ceil() as usize) % known.len()];
        if before.tau >= chart.largest_radius() {
            border_points.push(BorderPoint { angle, ..before });
            continue;
        }
        let guess = PolarCoords { tau: 0.5 * (before.tau + after.tau), s: 0.5 * (before.s + after.s) };
        let from_before = PolarCoords { tau: before.tau, s: before.s };
        let border_point = chart.border(frame, angle, guess).or_else(|| chart.border(frame, angle, from_before))?;
        // A border that jumps by more than this between neighbours is another border.
        if !(border_point.tau > 0.05 * guess.tau && border_point.tau < 20.0 * guess.tau) {
            return None;
        }
        border_points.push(border_point);
    }
    Some(border_points)
}
