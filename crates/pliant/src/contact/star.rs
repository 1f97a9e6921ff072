//! The polar rule: Gauss points along the radius, equal angles around a middle point.
//!
//! *The idea* (EQUATIONS §5): pressure falls to zero at the border, so with the border found exactly in each
//! direction the integrand is smooth and few points suffice. *Not promised*: a patch that cannot be seen whole from
//! its middle; that is noticed (a point with negative pressure, a lost line, cells outside the border) and handed on.

use super::chart::{Chart, Lines, pressures};
use super::find::{self, OverlapTest, Region};
use super::pair::Pair;
use super::patch::{Layout, Memory, Patch, Sum};
use super::{Quality, Resolution};
use crate::math::{Aabb, DVec3, gauss_radial};

/// What became of a region.
pub(super) enum Outcome {
    /// No overlap in it.
    Nothing,
    /// A patch, seen whole from its middle.
    Patch(Box<Patch>),
    /// An overlap that needs lines; a surface point of it.
    NotAStar(DVec3),
}

/// Rules from coarse to fine: (radial, angular). Directions are nested, so borders are found once.
/// The last ones are for kinks of the kernels, which cost radial points.
const LEVELS: [(usize, usize); 8] = [(2, 4), (3, 8), (4, 16), (5, 32), (7, 64), (12, 128), (24, 128), (32, 256)];

/// The middle is moved to the border's centroid when it lies further off than this fraction of the radius.
/// Smaller: needless second passes. Larger: borders seen obliquely, and finer rules for the same error.
const OFF_CENTER: f64 = 0.12;

/// A patch longer than this against its width is stretched to look round before directions are chosen.
const ELONGATED: f64 = 1.25;

/// A star that is still this far off at its finest is given up for lines; kinks of the kernels cost less than this,
/// a border with corners costs more.
const HARD: f64 = 1e-5;

/// Halvings of a cell outside the border before it is believed empty. Each shows overlaps half as wide.
const DOUBT: usize = 3;

/// The border's place in one direction.
#[derive(Clone, Copy, Debug)]
struct Rim {
    angle: (f64, f64),
    tau: f64,
    s: f64,
}

/// Integrates the patch in `region`, if a star sees it whole.
pub(super) fn integrate(pair: &Pair, region: &Region, quality: &Quality, known: Option<&Memory>) -> Outcome {
    let size = region.bounds.size().length();
    let remembered = known.and_then(|m| find::onto_surface(pair, m.center, size));
    let Some(seed) = remembered.or_else(|| region.seed(pair)) else {
        return Outcome::Nothing;
    };
    let Some(flat) = Chart::flat(pair, seed, size) else {
        return Outcome::Nothing;
    };
    let first_level = known.map_or(0, |m| m.level.saturating_sub(1));
    if let Some(patch) = with_chart(pair, region, quality, (flat, first_level)) {
        return Outcome::Patch(Box::new(patch));
    }
    let round = flat.around_pivot(pair).and_then(|chart| with_chart(pair, region, quality, (chart, first_level)));
    round.map_or(Outcome::NotAStar(seed), |patch| Outcome::Patch(Box::new(patch)))
}

fn with_chart(pair: &Pair, region: &Region, quality: &Quality, start: (Chart, usize)) -> Option<Patch> {
    let (chart, rims) = centered(pair, region, start.0)?;
    match quality.resolution {
        Resolution::Fixed { radial, angular } => {
            let rims = around(pair, &chart, angular, &rims)?;
            let mut sum = Sum::default();
            apply(pair, &chart, &rims, (radial, quality.root_tolerance()), &mut sum)?;
            finish(pair, sum, (&chart, region), &rims, radial)
        }
        Resolution::Tolerance(tolerance) => refine(pair, region, (chart, rims), (quality, tolerance, start.1)),
    }
}

/// Raises the level until the force settles.
fn refine(
    pair: &Pair,
    region: &Region,
    (chart, mut rims): (Chart, Vec<Rim>),
    (quality, tolerance, first): (&Quality, f64, usize),
) -> Option<Patch> {
    let mut sum = Sum::default();
    let mut last: Option<DVec3> = None;
    for (level, &(radial, angular)) in LEVELS.iter().enumerate().skip(first) {
        if rims.len() != angular {
            rims = around(pair, &chart, angular, &rims)?;
        }
        sum.clear();
        apply(pair, &chart, &rims, (radial, quality.root_tolerance()), &mut sum)?;
        let force = sum.force();
        let error = last.map_or(f64::INFINITY, |l| (force - l).length() / force.length().max(f64::MIN_POSITIVE));
        if error <= tolerance || level + 1 == LEVELS.len() {
            // An outline this hard for a star is better served by lines.
            if error > tolerance.max(HARD) {
                return None;
            }
            let mut patch = finish(pair, sum, (&chart, region), &rims, radial)?;
            patch.error = error;
            patch.level = level;
            return Some(patch);
        }
        last = Some(force);
    }
    None
}

fn finish(pair: &Pair, sum: Sum, (chart, region): (&Chart, &Region), rims: &[Rim], radial: usize) -> Option<Patch> {
    if !explains(pair, chart, region, rims) {
        return None;
    }
    let border = rims.iter().map(|r| chart.line(r.tau, r.angle).at(r.s)).collect();
    Some(sum.finish(chart, region, border, Layout::Star { radial }))
}

/// A chart whose middle is the middle of the patch, and eight points of the border seen from there.
fn centered(pair: &Pair, region: &Region, mut chart: Chart) -> Option<(Chart, Vec<Rim>)> {
    let mut rims = around(pair, &chart, 8, &[first_rim(pair, &chart, region)?])?;
    for _ in 0..3 {
        if chart.lines != Lines::Parallel {
            break;
        }
        let offsets: Vec<DVec3> = rims.iter().map(|r| r.tau * direction(&chart, r.angle)).collect();
        let middle = offsets.iter().sum::<DVec3>() / offsets.len() as f64;
        let radius = offsets.iter().map(|o| o.length()).sum::<f64>() / offsets.len() as f64;
        let (long, short, turned) = principal(&offsets, middle, &chart);
        let off_center = middle.length() > OFF_CENTER * radius;
        if !off_center && long < ELONGATED * short {
            break;
        }
        let line = Chart { center: chart.center + middle, ..chart }.line(0.0, (1.0, 0.0));
        let lifted = chart.lift(pair, &line, 0.0, 1e-12)?;
        let (p, _) = pressures(&lifted, pair.kind());
        if p <= 0.0 {
            return None;
        }
        let mut moved = Chart::flat(pair, lifted.position, chart.size)?;
        // Directions follow the patch; only their ratio matters, and the mean keeps τ a length.
        let stretch = (long / short).clamp(1.0, 50.0).sqrt();
        let e1 = turned.reject_from_normalized(moved.axis).try_normalize()?;
        moved.across = [e1 * stretch, moved.axis.cross(e1) / stretch];
        let same_shape = (chart.across[0].length() / stretch - 1.0).abs() < 0.1;
        chart = moved;
        rims = around(pair, &chart, 8, &[first_rim(pair, &chart, region)?])?;
        if same_shape && !off_center {
            break;
        }
    }
    Some((chart, rims))
}

fn direction(chart: &Chart, (cos, sin): (f64, f64)) -> DVec3 {
    cos * chart.across[0] + sin * chart.across[1]
}

/// Half-lengths along the principal directions of the offsets, longer first, and the longer direction.
fn principal(offsets: &[DVec3], middle: DVec3, chart: &Chart) -> (f64, f64, DVec3) {
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

/// The border in the chart's first direction: march along the surface until the pressure is gone, then Newton.
fn first_rim(pair: &Pair, chart: &Chart, region: &Region) -> Option<Rim> {
    let angle = (1.0, 0.0);
    let kind = pair.kind();
    let scale = match chart.lines {
        Lines::Parallel => 0.5 * region.bounds.size().max_element() / chart.across[0].length(),
        Lines::Pivot(_) => 0.5 * std::f64::consts::PI,
    };
    let (mut inside, mut s) = (0.0, chart.start());
    let mut step = 0.5 * scale;
    for _ in 0..40 {
        let tau = inside + step;
        if tau > chart.end() || step < 1e-9 * scale {
            break;
        }
        match chart.lift(pair, &chart.line(tau, angle), s, 1e-6) {
            Some(lifted) if pressures(&lifted, kind).0 > 0.0 => (inside, s) = (tau, lifted.s),
            Some(lifted) => {
                // Bracketed between `inside` and `tau`; Newton from the outer end if it lands between.
                if let Some((t, s)) = chart.border(pair, angle, (tau, lifted.s))
                    && t > inside
                    && t <= tau * (1.0 + 1e-9)
                {
                    return Some(Rim { angle, tau: t, s });
                }
                step *= 0.5;
            }
            None => step *= 0.5,
        }
    }
    // Lines through a pivot may close round a body that is wholly inside the other.
    (chart.end().is_finite() && inside > 0.9 * chart.end()).then_some(Rim { angle, tau: chart.end(), s })
}

/// The border in `angular` equally spaced directions, continuing from known ones.
fn around(pair: &Pair, chart: &Chart, angular: usize, known: &[Rim]) -> Option<Vec<Rim>> {
    let stride = if angular % known.len() == 0 { angular / known.len() } else { 0 };
    let mut rims: Vec<Rim> = Vec::with_capacity(angular);
    for j in 0..angular {
        if stride > 0 && j % stride == 0 {
            rims.push(known[j / stride]);
            continue;
        }
        let turn = j as f64 / angular as f64;
        let (sin, cos) = (std::f64::consts::TAU * turn).sin_cos();
        let before = rims.last().copied().unwrap_or(known[0]);
        let after = known[((turn * known.len() as f64).ceil() as usize) % known.len()];
        if before.tau >= chart.end() {
            rims.push(Rim { angle: (cos, sin), ..before });
            continue;
        }
        let guess = (0.5 * (before.tau + after.tau), 0.5 * (before.s + after.s));
        let (tau, s) =
            chart.border(pair, (cos, sin), guess).or_else(|| chart.border(pair, (cos, sin), (before.tau, before.s)))?;
        // A border that leaps by more than this between neighbours is another border.
        if !(tau > 0.05 * guess.0 && tau < 20.0 * guess.0) {
            return None;
        }
        rims.push(Rim { angle: (cos, sin), tau, s });
    }
    Some(rims)
}

/// One rule: `radial` Gauss points towards each border point. `None` if the patch has a hole on the way.
fn apply(pair: &Pair, chart: &Chart, rims: &[Rim], (radial, roots): (usize, f64), sum: &mut Sum) -> Option<()> {
    let kind = pair.kind();
    let rule = gauss_radial(radial);
    let turn = std::f64::consts::TAU / rims.len() as f64;
    let start = chart.start();
    for rim in rims {
        for (x, w) in rule.nodes.iter().zip(&rule.weights) {
            let line = chart.line(x * rim.tau, rim.angle);
            // The surface is nearly a parabola between its middle and its border.
            let lifted = chart.lift(pair, &line, start + x * x * (rim.s - start), roots)?;
            if pressures(&lifted, kind).0 <= 0.0 {
                return None;
            }
            sum.add(kind, chart, &line, &lifted, turn * w * chart.measure(rim.tau, *x, lifted.s));
        }
    }
    let middle = pair.probe(chart.center);
    sum.see(middle.contact_pressures(kind).0, chart.center, middle.approach_rate(kind));
    Some(())
}

/// Whether every cell of the region lies within the border, give or take a cell; those that do not are split and
/// tried again. The answer is no as soon as an overlap shows outside.
fn explains(pair: &Pair, chart: &Chart, region: &Region, rims: &[Rim]) -> bool {
    if chart.lines != Lines::Parallel {
        // A pivot chart closes round the body: what it cannot see is behind the pivot.
        return true;
    }
    let (l0, l1) = (chart.across[0].length_squared(), chart.across[1].length_squared());
    let slack = 1.5 * region.cell_size / l0.min(l1).sqrt();
    let within = |cell: &Aabb| {
        let v = region.world_from_region.point(cell.center()) - chart.center;
        let (x, y) = (v.dot(chart.across[0]) / l0, v.dot(chart.across[1]) / l1);
        let j = (y.atan2(x) / std::f64::consts::TAU * rims.len() as f64).round() as isize;
        x.hypot(y) <= rims[j.rem_euclid(rims.len() as isize) as usize].tau + slack
    };
    let mut doubtful: Vec<Aabb> = region.cells.iter().filter(|c| !within(c)).copied().collect();
    if doubtful.is_empty() {
        return true;
    }
    let test = OverlapTest::new(pair, region.world_from_region);
    for _ in 0..DOUBT {
        let mut parts = Vec::new();
        for cell in doubtful {
            find::grid(&cell, 0.5 * cell.size().max_element(), |part| parts.push(part));
        }
        parts.retain(|cell| test.may_overlap(cell) && !within(cell));
        let overlaps = |c: &Aabb| pair.probe(region.world_from_region.point(c.center())).depth() > 0.0;
        if parts.iter().any(overlaps) {
            return false;
        }
        doubtful = parts;
        if doubtful.is_empty() {
            return true;
        }
    }
    // Neither proved empty nor seen to overlap: two surfaces running close together beside the patch.
    true
}
