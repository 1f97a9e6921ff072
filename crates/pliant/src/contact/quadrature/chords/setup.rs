//! Charts of chords: around a seed, along a ring, or from the last query, moved with both bodies.

use super::chart::{ChartCoords, ChordChart};
use super::coverage::ChordCoverage;
use super::line_patch;
use super::newton::{Newton, PatchScale};
use super::rule_choice::{ChartGuess, MIN_AXIS_COSINE, Query};
use crate::contact::ascent::step_towards_peak;
use crate::contact::frame::ContactFrame;
use crate::contact::law::Probe;
use crate::contact::patch::Patch;
use crate::contact::persistent_chart::{ChordFamily, PersistentChart};
use crate::contact::quality::Quality;
use crate::math::{DVec3, Frame};

/// Creases within this cosine of a chart's first axis, or of its second, turn the chart along them.
const ALIGNMENT_COSINE: f64 = 0.7;

/// Lines through a seed along which the border is searched.
const SEARCH_LINES: usize = 4;

/// Number of points up to which chords in the other direction are not tried.
const FEW_POINTS: usize = 100;

/// A patch on a ring this long, rad, has rays for chords.
const LONG_ARC: f64 = 0.6;

/// Step along a ring while its ends are searched, rad.
const ARC_STEP: f64 = 0.2;

/// The patch around `seed`, a point of the contact surface, along chords.
pub(in crate::contact) fn from_seed(
    frame: &ContactFrame,
    quality: &Quality,
    seed: DVec3,
) -> Option<(Patch, ChordCoverage)> {
    let size = |probe: &Probe| patch_size(frame, probe);
    let seed = step_towards_peak(frame, seed, size);
    if let Some(round) = along_ring(frame, quality, seed) {
        return Some(round);
    }
    let width = |seed: DVec3| patch_size(frame, &frame.probe(seed));
    let Some((chart, border)) = chart_from_border_search(frame, seed) else {
        let axis = frame.probe(seed).surface(frame.kind).1.try_normalize()?;
        let (e, f) = axis.any_orthonormal_pair();
        let chart = ChordChart { origin: seed, axes: [e, f, axis], family: ChordFamily::Lines };
        return line_patch::from_origin(frame, quality, &aligned_with_creases(chart, frame), width(seed));
    };
    let along = |axes: [DVec3; 3]| {
        let chart = ChordChart { axes, ..chart };
        let coords: Vec<ChartCoords> = border.iter().map(|p| chart.coords(*p)).collect();
        let least = |by: fn(&ChartCoords) -> f64| coords.iter().copied().min_by(|p, q| by(p).total_cmp(&by(q)));
        let ends = [least(|p| p.t)?, least(|p| -p.t)?];
        let interval = [least(|p| p.s)?.s, least(|p| -p.s)?.s];
        ChartGuess { chart, closed: false, ends, interval }.patch(&Query { frame, quality, known: None })
    };
    let points = |found: &Option<(Patch, ChordCoverage)>| found.as_ref().map_or(usize::MAX, |f| f.0.points.len());
    let [e, f, g] = chart.axes;
    let lengthwise = along([e, f, g]);
    if points(&lengthwise) <= FEW_POINTS {
        return lengthwise;
    }
    // Chords in the other direction cross a narrow middle once.
    let crosswise = along([f, -e, g]);
    let chords = if points(&crosswise) < points(&lengthwise) { crosswise } else { lengthwise };
    chords.or_else(|| line_patch::from_origin(frame, quality, &chart, width(seed)))
}

/// The patch along the chords of the last query, now at `here_from_chart`. `None`: it needs a new chart.
pub(in crate::contact) fn from_chart(
    frame: &ContactFrame,
    quality: &Quality,
    reused: &PersistentChart,
    here_from_chart: &Frame,
) -> Option<(Patch, ChordCoverage)> {
    let chart = ChordChart::of_frame(here_from_chart, reused.family);
    if reused.family == ChordFamily::Lines {
        return line_patch::from_chart(frame, quality, &chart, reused);
    }
    let chart = if reused.family == ChordFamily::Parallel { aligned_with_creases(chart, frame) } else { chart };
    let ends = reused.ends.map(|[s, t]| ChartCoords { s, t, z: 0.0 });
    let start = ChartGuess { chart, closed: reused.closed, ends, interval: reused.middle };
    start.patch(&Query { frame, quality, known: Some(reused) })
}

/// Approximate width of a patch: the chord of a ball of the thinner side's thickness, pressed in this deep.
fn patch_size(frame: &ContactFrame, probe: &Probe) -> f64 {
    let overlap = probe.contact_pressures(frame.kind).0 / probe.pressure_slope(frame.kind);
    2.0 * (2.0 * overlap * frame.thickness).sqrt()
}

/// A chart across the contact at `seed`, its first axis along the patch, and points of the border around it.
fn chart_from_border_search(frame: &ContactFrame, seed: DVec3) -> Option<(ChordChart, Vec<DVec3>)> {
    let probe = frame.probe(seed);
    let axis = probe.surface(frame.kind).1.try_normalize()?;
    let (half, pressure) = (0.5 * patch_size(frame, &probe), probe.contact_pressures(frame.kind).0);
    let depth = pressure / probe.pressure_slope(frame.kind);
    let scale = PatchScale { half, across: half, pressure, depth };
    let (x, y) = axis.any_orthonormal_pair();
    let mut border = Vec::with_capacity(2 * SEARCH_LINES);
    for k in 0..SEARCH_LINES {
        let (sin, cos) = (std::f64::consts::PI * k as f64 / SEARCH_LINES as f64).sin_cos();
        let e = cos * x + sin * y;
        let chart = ChordChart { origin: seed, axes: [e, axis.cross(e), axis], family: ChordFamily::Parallel };
        let newton = Newton { frame, chart: &chart };
        for side in [-1.0, 1.0] {
            let guess = ChartCoords { s: side * half, ..ChartCoords::default() };
            let end = newton.chord_end(guess, ChartCoords::default(), side, &scale)?;
            border.push(chart.position(end.coords));
        }
    }
    let middle = border.iter().sum::<DVec3>() / border.len() as f64;
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for o in border.iter().map(|p| *p - middle) {
        let (u, v) = (o.dot(x), o.dot(y));
        (xx, xy, yy) = (xx + u * u, xy + u * v, yy + v * v);
    }
    let (sin, cos) = (0.5 * (2.0 * xy).atan2(xx - yy)).sin_cos();
    let long = cos * x + sin * y;
    let chart = ChordChart { origin: seed, axes: [long, axis.cross(long), axis], family: ChordFamily::Parallel };
    Some((aligned_with_creases(chart, frame), border))
}

/// `chart`, turned about its axis so that creases run along its chords or straight across them.
fn aligned_with_creases(chart: ChordChart, frame: &ContactFrame) -> ChordChart {
    let [e, _, axis] = chart.axes;
    let mut best = (ALIGNMENT_COSINE, e);
    for plane in frame.creases() {
        let Some(along) = plane.normal.cross(axis).try_normalize() else { continue };
        if plane.normal.cross(axis).length() < ALIGNMENT_COSINE {
            continue;
        }
        for d in [along, axis.cross(along)] {
            let cos = d.dot(e);
            if cos.abs() > best.0 {
                best = (cos.abs(), d * cos.signum());
            }
        }
    }
    let e = best.1;
    ChordChart { axes: [e, axis.cross(e), axis], ..chart }
}

/// The patch around `seed` along rays from the middle of a ring that lies flat in the contact. `None`: there is none, or it
/// is short.
fn along_ring(frame: &ContactFrame, quality: &Quality, seed: DVec3) -> Option<(Patch, ChordCoverage)> {
    let rings = frame.rings();
    if rings.is_empty() {
        return None;
    }
    let normal = frame.probe(seed).surface(frame.kind).1.try_normalize()?;
    let ring = rings.into_iter().find(|r| r.normal.dot(normal).abs() > MIN_AXIS_COSINE)?;
    let axis = ring.normal * ring.normal.dot(normal).signum();
    let origin = ring.point + (seed - ring.point).dot(axis) * axis;
    let e = (seed - origin).try_normalize()?;
    let chart = ChordChart { origin, axes: [e, axis.cross(e), axis], family: ChordFamily::Rays };
    let newton = Newton { frame, chart: &chart };
    let radius = seed.distance(origin);
    let middle = newton.solve_height(ChartCoords { s: radius, t: 0.0, z: 0.0 }, 1e-3 * radius)?;
    let size = patch_size(frame, &middle.probe);
    let depth = middle.pressure.value / middle.probe.pressure_slope(frame.kind);
    let half = 0.5 * size;
    let scale = PatchScale { half, across: ARC_STEP, pressure: middle.pressure.value, depth };
    let march = |outward: f64| {
        let mut last: Option<[ChartCoords; 2]> = None;
        let mut t = 0.0f64;
        while t.abs() < std::f64::consts::PI {
            let guess = last.unwrap_or([-half, half].map(|d| ChartCoords { s: radius + d, ..middle.coords }));
            let ends = [(0, -1.0), (1, 1.0)].map(|(i, side)| {
                newton
                    .chord_end(
                        ChartCoords { t, ..guess[i] },
                        ChartCoords { s: 0.5 * (guess[0].s + guess[1].s), t, z: guess[i].z },
                        side,
                        &scale,
                    )
                    .map(|e| e.coords)
            });
            let (Some(low), Some(high)) = (ends[0], ends[1]) else { break };
            if high.s <= low.s {
                break;
            }
            last = Some([low, high]);
            t += outward * ARC_STEP;
        }
        last.map(|ends| (ends, t.abs() >= std::f64::consts::PI))
    };
    let [(below, all), (above, whole)] = [march(-1.0)?, march(1.0)?];
    let closed = all && whole;
    let between = |[p, q]: [ChartCoords; 2]| ChartCoords { s: 0.5 * (p.s + q.s), t: p.t, z: 0.5 * (p.z + q.z) };
    let ends = [between(below), between(above)];
    if !closed && ends[1].t - ends[0].t < LONG_ARC {
        return None;
    }
    let first = [-1.0, 1.0].map(|side| {
        newton
            .chord_end(ChartCoords { s: radius + side * half, ..middle.coords }, middle.coords, side, &scale)
            .map(|e| e.coords.s)
    });
    let start = ChartGuess {
        chart,
        closed,
        ends: if closed { [middle.coords; 2] } else { ends },
        interval: [first[0]?, first[1]?],
    };
    start.patch(&Query { frame, quality, known: None })
}
