//! Coverage of a polar patch: the part of space in which every overlap belongs to it.
//!
//! *The idea*: an overlap within the border of a patch, in the coordinates of its chart, belongs to that patch; so does
//! a small one just outside. Where both solids are convex, tangent planes at the border prove that there is no other
//! overlap. *Not promised*: that a second patch is separated if it is narrower than the slack and just outside the
//! border; [`Patch::resolved_to`] says how narrow.
//!
//! [`Patch::resolved_to`]: crate::contact::Patch::resolved_to

use super::chart::{BorderPoint, LineFamily, PolarChart};
use crate::math::{Aabb, Cell, DVec3};

/// Cells not larger than this fraction of the radius (for four cells across; less for more), and not farther outside the
/// border than that, count as covered: where two surfaces separate at a small angle, bounds prove only small cells empty.
/// Smaller: more cells. Larger: a second patch beside the first must be wider to be separated.
const NEAR_BORDER: f64 = 0.6;

/// An overlap farther out than this many radii of the border belongs to another patch, or to a part of this one that the
/// border misses. A curved overlap may extend a little beyond the border of its own patch.
const OUTSIDE: f64 = 1.1;

/// Size of the covered box, as a multiple of that of the border. Larger: an overlap just outside may be
/// taken for this patch's. Smaller: more cells to prove empty.
const COVERED_BOX: f64 = 1.1;

/// Distance outside a border at which small cells count as covered, as a fraction of its radius, for `cells_across`
/// cells.
pub(super) fn near_border(cells_across: usize) -> f64 {
    NEAR_BORDER * 4.0 / cells_across.max(1) as f64
}

/// The border of a polar patch in its chart.
pub(super) struct PolarCoverage {
    chart: PolarChart,
    border_points: Vec<BorderPoint>,
    /// Extent of the surface and the overlap around it along the chart's lines.
    depth: Extent,
    /// Least and greatest radius of the border.
    radii: Extent,
    /// Lengths of the chart's directions, and the directions themselves.
    lengths: [f64; 2],
    units: [DVec3; 2],
    /// Distance outside the border at which small cells count as covered, in the chart's radius.
    slack: f64,
}

#[derive(Clone, Copy)]
struct Extent {
    low: f64,
    high: f64,
}

/// A cell in the chart's coordinates.
struct ChartCell {
    /// Radius of its middle.
    tau: f64,
    /// Its extent around its middle, in the chart's radius.
    half_width: f64,
    /// Direction of its middle, of any length.
    x: f64,
    y: f64,
    /// Extent along the chart's lines.
    along: Extent,
}

impl PolarCoverage {
    /// Of a border in a chart; overlaps lie within `margin` of the surface, and small cells within `near_border` of the
    /// radius belong to it.
    pub(super) fn new(chart: PolarChart, border_points: Vec<BorderPoint>, margin: f64, near_border: f64) -> Self {
        let along = border_points.iter().map(|r| r.s).chain([chart.center_coord()]);
        let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), s| (l.min(s), h.max(s)));
        let radii = border_points.iter().fold((f64::INFINITY, 0.0f64), |(l, m), r| (l.min(r.tau), m.max(r.tau)));
        Self {
            depth: Extent { low: low - margin, high: high + margin },
            radii: Extent { low: radii.0, high: radii.1 },
            lengths: chart.across.map(|e| e.length()),
            units: chart.across.map(|e| e.normalize()),
            slack: near_border * mean_radius(&border_points),
            chart,
            border_points,
        }
    }

    /// Axis of its chart, unit: into a.
    pub fn axis(&self) -> DVec3 {
        self.chart.axis
    }

    /// The direction across the axis in which the patch is longest.
    pub fn long_direction(&self) -> DVec3 {
        self.chart.across[0]
    }

    /// Whether any overlap in `cell` belongs to this patch: it lies inside the border, or is small and near it.
    pub fn covers(&self, cell: &Cell) -> bool {
        let at = self.place(cell);
        let ChartCell { tau, half_width, along, .. } = at;
        if self.is_behind(along.high) {
            return true;
        }
        let Extent { low: least, high: most } = self.radii;
        let small = half_width <= self.slack;
        if (!small && tau + half_width > most) || tau > most + self.slack {
            return false;
        }
        if along.low < self.depth.low || along.high > self.depth.high {
            return false;
        }
        if tau + half_width <= 0.9 * least || (small && tau <= least + self.slack) {
            return true;
        }
        let (a, b) = self.border_around(at.x, at.y);
        // Between two directions the border may fall short of both, not by more than a tenth for eight of them.
        tau + half_width <= 0.9 * a.min(b) || (small && tau <= a.max(b) + self.slack)
    }

    /// Whether a convex overlap must lie within the border or near it. It lies behind both surfaces' tangent planes
    /// at every point of the border: those bound it across the chart's axis by a polygon, and along it.
    pub fn contains_convex_overlap(&self) -> bool {
        if self.chart.lines != LineFamily::Parallel {
            return false;
        }
        let [x, y] = self.units;
        let flat = |v: DVec3| (v.dot(x), v.dot(y));
        let lines: Vec<_> = self
            .border_points
            .iter()
            .map(|r| {
                let (normal, at) = (flat(r.outward), flat(r.tau * self.chart.direction(r.angle)));
                (normal, normal.0 * at.0 + normal.1 * at.1)
            })
            .collect();
        // Corners of the polygon: where neighbouring lines meet.
        (0..lines.len()).all(|j| {
            let (((a, b), c), ((d, e), f)) = (lines[j], lines[(j + 1) % lines.len()]);
            let det = a * e - b * d;
            let (u, v) = ((c * e - b * f) / det, (a * f - c * d) / det);
            let tau = (u / self.lengths[0]).hypot(v / self.lengths[1]);
            let (r, s) = (self.border_points[j].tau, self.border_points[(j + 1) % self.border_points.len()].tau);
            c > 0.0 && det > 0.0 && tau <= r.max(s) + self.slack
        })
    }

    /// A box around the middle that is covered, by the rule of [`PolarCoverage::covers`] for small cells.
    pub fn covered_box(&self) -> Option<Aabb> {
        let chart = &self.chart;
        if chart.lines != LineFamily::Parallel {
            return None;
        }
        let offsets = || self.border_points.iter().map(|r| (r.tau, r.tau * chart.direction(r.angle)));
        let widest_offset = offsets().fold(DVec3::ZERO, |most, (_, o)| most.max(o.abs()));
        // From the middle, a box of this size ends at `1/widest` of the distance to a point at `o`.
        let mut size = COVERED_BOX;
        for (tau, o) in offsets() {
            let widest = (o.x / widest_offset.x).abs().max((o.y / widest_offset.y).abs());
            size = size.min(widest * (1.0 + self.slack / tau));
        }
        let half = size * DVec3::new(widest_offset.x, widest_offset.y, 0.0);
        let (low, high) = (chart.center - half, chart.center + half);
        // Along the chart's axis, which the frame's last axis only nearly is.
        let tilt = half.truncate().abs().dot(chart.axis.truncate().abs());
        let along = |s: f64| chart.center.z + s / chart.axis.z;
        let (bottom, top) = (along(self.depth.low + tilt), along(self.depth.high - tilt));
        (bottom < top).then_some(Aabb { min: low.with_z(bottom), max: high.with_z(top) })
    }

    /// Whether an overlap at `p` cannot belong to this patch: `p` lies clearly outside its border.
    pub fn is_outside(&self, p: DVec3) -> bool {
        let point = Cell { center: p, axes: [DVec3::X, DVec3::Y, DVec3::Z], half: DVec3::ZERO };
        let at = self.place(&point);
        let ChartCell { tau, along, .. } = at;
        if tau <= OUTSIDE * self.radii.low && along.low >= self.depth.low && along.high <= self.depth.high {
            return false;
        }
        let (a, b) = self.border_around(at.x, at.y);
        !self.is_behind(along.high)
            && (tau > OUTSIDE * a.max(b) || along.low < self.depth.low || along.high > self.depth.high)
    }

    /// A box that holds the middle of every cell that this patch covers, and every point that is not beyond it.
    pub fn bounds(&self) -> Aabb {
        let PolarChart { center, axis, across, .. } = self.chart;
        let Extent { low, high } = self.depth;
        match self.chart.lines {
            LineFamily::Parallel => {
                let most = (OUTSIDE * self.radii.high).max(self.radii.high + self.slack);
                let half = most * (across[0] * across[0] + across[1] * across[1]).map(f64::sqrt);
                let ends = Aabb::of_points([center + low * axis, center + high * axis]);
                Aabb { min: ends.min - half, max: ends.max + half }
            }
            // Seen from the pivot an overlap may lie in any direction.
            LineFamily::Pivot(pivot_distance) => Aabb::around(center - pivot_distance * axis, high),
        }
    }

    /// Whether a cell ends between the pivot and a surface that curves round it: overlaps there belong to the same patch.
    fn is_behind(&self, farthest: f64) -> bool {
        self.chart.lines != LineFamily::Parallel
            && farthest <= self.border_points.iter().map(|r| r.s).fold(f64::INFINITY, f64::min)
    }

    /// The border's radius in the known directions to both sides of `(x, y)`.
    fn border_around(&self, x: f64, y: f64) -> (f64, f64) {
        let turn =
            y.atan2(x).rem_euclid(std::f64::consts::TAU) / std::f64::consts::TAU * self.border_points.len() as f64;
        let j = turn as usize % self.border_points.len();
        (self.border_points[j].tau, self.border_points[(j + 1) % self.border_points.len()].tau)
    }

    fn place(&self, cell: &Cell) -> ChartCell {
        let chart = &self.chart;
        let ([l0, l1], [e0, e1]) = (self.lengths, self.units);
        match chart.lines {
            LineFamily::Parallel => {
                let v = cell.center - chart.center;
                let (x, y, z) = (v.dot(e0) / l0, v.dot(e1) / l1, v.dot(chart.axis));
                let (rx, ry, rz) = (cell.half_extent(e0) / l0, cell.half_extent(e1) / l1, cell.half_extent(chart.axis));
                let along = Extent { low: z - rz, high: z + rz };
                ChartCell { tau: (x * x + y * y).sqrt(), half_width: (rx * rx + ry * ry).sqrt(), x, y, along }
            }
            LineFamily::Pivot(pivot_distance) => {
                let v = cell.center - (chart.center - pivot_distance * chart.axis);
                let (x, y, z) = (v.dot(e0), v.dot(e1), pivot_distance.signum() * v.dot(chart.axis));
                let (r, radius) = (v.length(), cell.radius());
                let tau = x.hypot(y).atan2(z);
                // A cell that contains the pivot lies in every direction from it.
                let half_width = if r > radius { (radius / r).asin() } else { std::f64::consts::PI };
                ChartCell { tau, half_width, x, y, along: Extent { low: (r - radius).max(0.0), high: r + radius } }
            }
        }
    }
}

/// Mean radius of a border.
pub(super) fn mean_radius(border_points: &[BorderPoint]) -> f64 {
    border_points.iter().map(|r| r.tau).sum::<f64>() / border_points.len() as f64
}
