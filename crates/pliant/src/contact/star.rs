//! The polar rule: Gauss points along the radius, equal angles around a middle point.
//!
//! *The idea* (`PAPERS.md`, Ours: quadrature): pressure falls to zero at the border, so with the border found exactly
//! in each direction the integrand is smooth and few points suffice. *Not promised*: a patch that cannot be seen whole
//! from its middle; that is noticed (a point with negative pressure, a lost line, cells outside the border) and handed
//! on.

use super::chart::{Chart, Lines, Rim, pressures};
use super::find::Region;
use super::meeting::Meeting;
use super::pair::Probe;
use super::patch::{Layout, Patch, Sum};
use super::{Quality, Resolution, find};
use crate::math::{Aabb, Cell, DVec3, Frame, gauss_radial, radial_check};

/// A patch seen whole from its middle, and the outline that says which part of space it accounts for.
pub(super) struct Star {
    pub patch: Patch,
    pub outline: Outline,
}

/// The border of a star, as seen from its middle.
pub(super) struct Outline {
    pub chart: Chart,
    rims: Vec<Rim>,
    /// Where the surface and the overlap around it lie along the chart's lines.
    depth: (f64, f64),
    /// Least and greatest radius of the border.
    radii: (f64, f64),
    /// Lengths of the chart's directions, and the directions themselves.
    lengths: [f64; 2],
    units: [DVec3; 2],
    /// How far beyond the border small cells still count as its surroundings, in the chart's radius.
    slack: f64,
}

/// Rules from coarse to fine: (radial, angular). Directions are nested, so borders are found once.
pub(super) const LEVELS: [(usize, usize); 8] =
    [(2, 4), (3, 8), (4, 16), (5, 32), (7, 64), (12, 128), (24, 128), (32, 256)];

/// The coarsest rule cannot tell errors below this: it is only tried where more is allowed.
const COARSE: f64 = 5e-3;

/// Where a patch without memory begins. Four directions cannot tell a square from a circle.
const FIRST: usize = 1;

/// A rule this many times worse than asked for, and not this much better than the last, is not worth refining: tiles do
/// better.
const HOPELESS: f64 = 30.0;
const SLOW: f64 = 0.35;

/// A rule so much better than asked for lets the next step begin with a coarser one.
const AMPLE: f64 = 0.03;

/// The middle is moved to the border's centroid when it lies further off than this fraction of the radius.
/// Smaller: needless second passes. Larger: borders seen obliquely, and finer rules for the same error.
const OFF_CENTER: f64 = 0.12;

/// A patch longer than this against its width is stretched to look round before directions are chosen.
const ELONGATED: f64 = 1.25;

/// Cells not larger than this fraction of the radius (for four cells across; less for more), and not farther outside the
/// border than that, are taken for the border's surroundings: bounds prove late where two surfaces part slowly.
/// Smaller: more cells. Larger: a second patch beside the first must be wider to be told apart.
pub(super) const SURROUNDINGS: f64 = 0.6;

/// An overlap farther out than this many radii of the border is another patch's, or shows that there is more to this one.
/// A curved overlap may stick out a little beyond the border of its own patch.
const BEYOND: f64 = 1.1;

/// Half the size of the box that a star accounts for, against that of its border. More: an overlap just outside may be
/// taken for this star's.
const CORE: f64 = 1.1;

/// The finest rule worth trying: kinks converge slowly everywhere here, and tiles only look closer where they are.
fn finest_level(tolerance: f64) -> usize {
    match tolerance {
        t if t >= 1e-3 => 4,
        t if t >= 1e-6 => 5,
        _ => LEVELS.len() - 1,
    }
}

impl Star {
    /// Cells around the patch, and `margin` of its width more, in a frame that lies along it.
    pub fn region(&self, there_from_here: &Frame, margin: f64, quality: &Quality) -> Region {
        let points = self.patch.points.iter().map(|p| p.position).chain(self.patch.border.iter().copied());
        let bounds = Aabb::of_points(points.map(|p| there_from_here.point(p)));
        let size = bounds.size();
        let width = size.truncate().max_element();
        let margin = DVec3::new(margin * width, margin * width, 2.0 * self.patch.overlap + 2.5 * margin * width);
        let bounds = Aabb { min: bounds.min - margin, max: bounds.max + 1.01 * margin };
        let counts = (quality.cells_across as f64 * size / width).ceil().max(DVec3::ONE).min(DVec3::splat(64.0));
        let edge = bounds.size() / counts.with_z(1.0);
        let mut cells = Vec::new();
        for i in 0..counts.x as usize {
            for j in 0..counts.y as usize {
                let min = bounds.min + edge * DVec3::new(i as f64, j as f64, 0.0);
                cells.push(Aabb { min, max: min + edge });
            }
        }
        Region { cells, cell_size: edge.truncate().max_element() }
    }

    /// The star seen from around `seed`, a point of the contact surface. `level` is a rule known to be fine enough.
    pub fn from_seed(pair: &Meeting, seed: DVec3, quality: &Quality, level: Option<usize>) -> Option<Self> {
        let size = |probe: &Probe| patch_size(pair, probe);
        let seed = find::uphill(pair, seed, size);
        let flat = Chart::flat(pair, seed, size(&pair.probe(seed)), quality)?;
        with_chart(pair, quality, flat, level)
            .or_else(|| flat.around_pivot(pair).and_then(|round| with_chart(pair, quality, round, level)))
    }
}

/// About how wide a patch is: the chord of a ball of the thinner side's thickness, pressed in this deep.
fn patch_size(pair: &Meeting, probe: &Probe) -> f64 {
    let overlap = probe.contact_pressures(pair.kind).0 / probe.approach_rate(pair.kind);
    2.0 * (2.0 * overlap * pair.thickness).sqrt()
}

fn with_chart(pair: &Meeting, quality: &Quality, chart: Chart, level: Option<usize>) -> Option<Star> {
    let (chart, rims) = centered(pair, chart, quality, level)?;
    match quality.resolution {
        Resolution::Fixed { radial, angular } => {
            let (radial, angular) = (radial.clamp(1, 32), angular.clamp(3, 4096));
            let rims = around(pair, &chart, angular, &rims)?;
            let mut sum = Sum::default();
            let error = apply(pair, &chart, &rims, (radial, quality.root_tolerance()), &mut sum)?;
            let mut star = finish(sum, (chart, rims), radial, quality);
            star.patch.error = error;
            Some(star)
        }
        Resolution::Tolerance(tolerance) => refine(pair, (chart, rims), (quality, tolerance, level)),
    }
}

/// Raises the level until the force settles, or the rule is the finest; the patch says how far it got.
fn refine(
    pair: &Meeting,
    (chart, mut rims): (Chart, Vec<Rim>),
    (quality, tolerance, known): (&Quality, f64, Option<usize>),
) -> Option<Star> {
    let mut sum = Sum::default();
    let mut last = f64::INFINITY;
    let finest = finest_level(tolerance);
    let first = known.unwrap_or(FIRST).min(finest);
    let least = usize::from(tolerance < COARSE);
    for (level, &(radial, angular)) in LEVELS.iter().enumerate().take(finest + 1).skip(first) {
        if rims.len() != angular {
            rims = around(pair, &chart, angular, &rims)?;
        }
        sum.clear();
        let error = apply(pair, &chart, &rims, (radial, quality.root_tolerance()), &mut sum)?;
        let slow = error > SLOW * last && error > HOPELESS * tolerance;
        last = error;
        if error <= tolerance || level == finest || slow {
            let mut star = finish(sum, (chart, rims), radial, quality);
            star.patch.error = error;
            let less = usize::from(error <= AMPLE * tolerance);
            star.patch.level = Some(level.saturating_sub(less).max(least));
            return Some(star);
        }
    }
    None
}

fn finish(sum: Sum, (chart, rims): (Chart, Vec<Rim>), radial: usize, quality: &Quality) -> Star {
    let border = rims.iter().map(|r| chart.line(r.tau, r.angle).at(r.s)).collect();
    let mut patch = sum.finish(chart.center, border, Layout::Star { radial });
    let mean = rims.iter().map(|r| r.tau).sum::<f64>() / rims.len() as f64;
    let along = rims.iter().map(|r| r.s).chain([chart.start()]);
    let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), s| (l.min(s), h.max(s)));
    let width = match chart.lines {
        Lines::Parallel => mean * chart.across[0].length().min(chart.across[1].length()),
        Lines::Pivot(reach) => mean * reach.abs(),
    };
    let margin = 2.0 * patch.overlap + 0.25 * width;
    let surroundings = SURROUNDINGS * 4.0 / quality.cells_across.max(1) as f64;
    patch.resolved_to = surroundings * width;
    let radii = rims.iter().fold((f64::INFINITY, 0.0f64), |(l, m), r| (l.min(r.tau), m.max(r.tau)));
    let outline = Outline {
        depth: (low - margin, high + margin),
        radii,
        lengths: chart.across.map(|e| e.length()),
        units: chart.across.map(|e| e.normalize()),
        slack: surroundings * mean,
        chart,
        rims,
    };
    Star { patch, outline }
}

impl Outline {
    /// Whether whatever overlaps in `cell` belongs to this star: it lies inside the border, or is small and near it.
    pub fn covers(&self, cell: &Cell) -> bool {
        let (tau, reach, direction, along) = self.place(cell);
        if self.is_behind(along.1) {
            return true;
        }
        let (least, most) = self.radii;
        let small = reach <= self.slack;
        if (!small && tau + reach > most) || tau > most + self.slack {
            return false;
        }
        if along.0 < self.depth.0 || along.1 > self.depth.1 {
            return false;
        }
        if tau + reach <= 0.9 * least || (small && tau <= least + self.slack) {
            return true;
        }
        let (a, b) = self.border_around(direction);
        // Between two directions the border may fall short of both, not by more than a tenth for eight of them.
        tau + reach <= 0.9 * a.min(b) || (small && tau <= a.max(b) + self.slack)
    }

    /// Whether a convex overlap must lie within this star's surroundings. It lies behind both surfaces' tangent planes
    /// at every point of the border: those bound it across the chart's axis by a polygon, and along it.
    pub fn holds_convex(&self) -> bool {
        if self.chart.lines != Lines::Parallel {
            return false;
        }
        let [x, y] = self.units;
        let flat = |v: DVec3| (v.dot(x), v.dot(y));
        let lines: Vec<_> = self
            .rims
            .iter()
            .map(|r| {
                let (normal, at) = (flat(r.outward), flat(r.tau * direction(&self.chart, r.angle)));
                (normal, normal.0 * at.0 + normal.1 * at.1)
            })
            .collect();
        // Corners of the polygon: where neighbouring lines meet.
        (0..lines.len()).all(|j| {
            let (((a, b), c), ((d, e), f)) = (lines[j], lines[(j + 1) % lines.len()]);
            let det = a * e - b * d;
            let (u, v) = ((c * e - b * f) / det, (a * f - c * d) / det);
            let tau = (u / self.lengths[0]).hypot(v / self.lengths[1]);
            let (r, s) = (self.rims[j].tau, self.rims[(j + 1) % self.rims.len()].tau);
            c > 0.0 && det > 0.0 && tau <= r.max(s) + self.slack
        })
    }

    /// A box around the middle that this star accounts for, by the rule of [`Outline::covers`] for small cells.
    pub fn core(&self) -> Option<Aabb> {
        let chart = &self.chart;
        if chart.lines != Lines::Parallel {
            return None;
        }
        let offsets = || self.rims.iter().map(|r| (r.tau, r.tau * direction(chart, r.angle)));
        let reach = offsets().fold(DVec3::ZERO, |most, (_, o)| most.max(o.abs()));
        // Seen from the middle, a box of this size ends at `1/widest` of the way to a point at `o`.
        let mut size = CORE;
        for (tau, o) in offsets() {
            let widest = (o.x / reach.x).abs().max((o.y / reach.y).abs());
            size = size.min(widest * (1.0 + self.slack / tau));
        }
        let half = size * DVec3::new(reach.x, reach.y, 0.0);
        let (low, high) = (chart.center - half, chart.center + half);
        // Along the chart's axis, which the frame's last axis only nearly is.
        let tilt = half.truncate().abs().dot(chart.axis.truncate().abs());
        let along = |s: f64| chart.center.z + s / chart.axis.z;
        let (bottom, top) = (along(self.depth.0 + tilt), along(self.depth.1 - tilt));
        (bottom < top).then_some(Aabb { min: low.with_z(bottom), max: high.with_z(top) })
    }

    /// Whether an overlap at `p` cannot be this star's: `p` lies clearly outside its border.
    pub fn is_beyond(&self, p: DVec3) -> bool {
        let point = Cell { center: p, axes: [DVec3::X, DVec3::Y, DVec3::Z], half: DVec3::ZERO };
        let (tau, _, direction, along) = self.place(&point);
        if tau <= BEYOND * self.radii.0 && along.0 >= self.depth.0 && along.1 <= self.depth.1 {
            return false;
        }
        let (a, b) = self.border_around(direction);
        !self.is_behind(along.1) && (tau > BEYOND * a.max(b) || along.0 < self.depth.0 || along.1 > self.depth.1)
    }

    /// Between the pivot and a surface that curves round it: overlap of the same patch, seen or not.
    fn is_behind(&self, farthest: f64) -> bool {
        self.chart.lines != Lines::Parallel && farthest <= self.rims.iter().map(|r| r.s).fold(f64::INFINITY, f64::min)
    }

    /// The border's radius in the known directions to both sides of `(x, y)`.
    fn border_around(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let turn = y.atan2(x).rem_euclid(std::f64::consts::TAU) / std::f64::consts::TAU * self.rims.len() as f64;
        let j = turn as usize % self.rims.len();
        (self.rims[j].tau, self.rims[(j + 1) % self.rims.len()].tau)
    }

    /// A cell in the chart: radius of its middle, how far it reaches around it, direction, and range along the lines.
    fn place(&self, cell: &Cell) -> (f64, f64, (f64, f64), (f64, f64)) {
        let chart = &self.chart;
        let ([l0, l1], [e0, e1]) = (self.lengths, self.units);
        match chart.lines {
            Lines::Parallel => {
                let v = cell.center - chart.center;
                let (x, y, z) = (v.dot(e0) / l0, v.dot(e1) / l1, v.dot(chart.axis));
                let (rx, ry, rz) = (cell.reach(e0) / l0, cell.reach(e1) / l1, cell.reach(chart.axis));
                ((x * x + y * y).sqrt(), (rx * rx + ry * ry).sqrt(), (x, y), (z - rz, z + rz))
            }
            Lines::Pivot(reach) => {
                let v = cell.center - (chart.center - reach * chart.axis);
                let (x, y, z) = (v.dot(e0), v.dot(e1), reach.signum() * v.dot(chart.axis));
                let (r, radius) = (v.length(), cell.radius());
                let tau = x.hypot(y).atan2(z);
                // Seen from within, a cell is everywhere.
                let reach = if r > radius { (radius / r).asin() } else { std::f64::consts::PI };
                (tau, reach, (x, y), ((r - radius).max(0.0), r + radius))
            }
        }
    }
}

/// A chart whose middle is the middle of the patch, and points of the border seen from there.
fn centered(pair: &Meeting, mut chart: Chart, quality: &Quality, level: Option<usize>) -> Option<(Chart, Vec<Rim>)> {
    // The coarsest rule has four directions; a patch that it suits needs no more to be centred.
    let count = if level == Some(0) { 4 } else { 8 };
    let mut rims = around(pair, &chart, count, &[first_rim(pair, &chart)?])?;
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
        let (p, _) = pressures(&lifted, pair.kind);
        if p <= 0.0 {
            return None;
        }
        let mut moved = Chart::flat(pair, lifted.position, chart.size, quality)?;
        // Directions follow the patch; only their ratio matters, and the mean keeps τ a length.
        let stretch = (long / short).clamp(1.0, 50.0).sqrt();
        let e1 = turned.reject_from_normalized(moved.axis).try_normalize()?;
        moved.across = [e1 * stretch, moved.axis.cross(e1) / stretch];
        let same_shape = (chart.across[0].length() / stretch - 1.0).abs() < 0.1;
        chart = moved;
        rims = around(pair, &chart, count, &[first_rim(pair, &chart)?])?;
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
fn first_rim(pair: &Meeting, chart: &Chart) -> Option<Rim> {
    let angle = (1.0, 0.0);
    let kind = pair.kind;
    let scale = match chart.lines {
        Lines::Parallel => 1.1 * chart.size / chart.across[0].length(),
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
                if let Some(rim) = chart.border(pair, angle, (tau, lifted.s))
                    && rim.tau > inside
                    && rim.tau <= tau * (1.0 + 1e-9)
                {
                    return Some(rim);
                }
                step *= 0.5;
            }
            None => step *= 0.5,
        }
    }
    // Lines through a pivot may close round a body that is wholly inside the other.
    (chart.end().is_finite() && inside > 0.9 * chart.end()).then_some(Rim {
        angle,
        tau: chart.end(),
        s,
        slope: 0.0,
        outward: DVec3::ZERO,
    })
}

/// The border in `angular` equally spaced directions, continuing from known ones.
fn around(pair: &Meeting, chart: &Chart, angular: usize, known: &[Rim]) -> Option<Vec<Rim>> {
    let angle = |j: usize| {
        let (sin, cos) = (std::f64::consts::TAU * (j as f64 / angular as f64)).sin_cos();
        (cos, sin)
    };
    let stride = if angular.is_multiple_of(known.len()) { angular / known.len() } else { 0 };
    let mut rims: Vec<Rim> = Vec::with_capacity(angular);
    for j in 0..angular {
        if stride > 0 && j % stride == 0 {
            rims.push(known[j / stride]);
            continue;
        }
        let turn = j as f64 / angular as f64;
        let (cos, sin) = angle(j);
        let before = rims.last().copied().unwrap_or(known[0]);
        let after = known[((turn * known.len() as f64).ceil() as usize) % known.len()];
        if before.tau >= chart.end() {
            rims.push(Rim { angle: (cos, sin), ..before });
            continue;
        }
        let guess = (0.5 * (before.tau + after.tau), 0.5 * (before.s + after.s));
        let rim =
            chart.border(pair, (cos, sin), guess).or_else(|| chart.border(pair, (cos, sin), (before.tau, before.s)))?;
        // A border that leaps by more than this between neighbours is another border.
        if !(rim.tau > 0.05 * guess.0 && rim.tau < 20.0 * guess.0) {
            return None;
        }
        rims.push(rim);
    }
    Some(rims)
}

/// One rule: `radial` Gauss points towards each border point. Returns the estimated error of the force against the
/// load: the same points give second opinions, along the radius and from every other direction. `None` if the patch
/// has a hole on the way.
fn apply(pair: &Meeting, chart: &Chart, rims: &[Rim], (radial, roots): (usize, f64), sum: &mut Sum) -> Option<f64> {
    let kind = pair.kind;
    let rule = gauss_radial(radial);
    let (middle_weight, second) = radial_check(radial);
    let turn = std::f64::consts::TAU / rims.len() as f64;
    let start = chart.start();
    let middle = pair.probe(chart.center);
    let at_middle = middle.contact_pressures(kind).0 * middle.surface(kind).1.normalize();
    let (mut force, mut odd, mut along_radius) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
    for (j, rim) in rims.iter().enumerate() {
        let mut ray = DVec3::ZERO;
        for ((x, w), v) in rule.nodes.iter().zip(&rule.weights).zip(second) {
            let line = chart.line(x * rim.tau, rim.angle);
            // The cubic from the middle, where the surface is level, to the border, where its slope is known.
            let (rise, bend) = (rim.s - start, rim.slope * rim.tau);
            let guess = start + x * x * ((3.0 - 2.0 * x) * rise + (x - 1.0) * bend);
            let lifted = chart.lift(pair, &line, guess, roots)?;
            if pressures(&lifted, kind).0 <= 0.0 {
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
