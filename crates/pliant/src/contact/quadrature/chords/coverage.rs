//! Coverage of a patch integrated along chords: the part of space in which every overlap belongs to it.
//!
//! *The idea*, as for polar patches: an overlap within the border of a patch belongs to that patch; so does a small one
//! just outside. *Not promised*: that a second patch is separated if it is narrower than the slack and just outside the
//! border.

use super::chart::{ChartCoords, ChordChart};
use super::outline::Chord;
use crate::contact::persistent_chart::ChordFamily;
use crate::math::{Aabb, Cell, DVec3};
use std::f64::consts::{PI, TAU};

/// Small cells within this fraction of the half width outside the border count as covered: where two surfaces separate
/// at a small angle, bounds prove only small cells empty. Smaller: more cells. Larger: a second patch beside the first
/// must be wider to be separated.
pub(super) const NEAR_BORDER: f64 = 0.6;

/// An overlap farther out than this fraction of the half chord, or half extent, belongs to another patch.
const OUTSIDE: f64 = 0.1;

/// Chords of a patch between its ends.
pub(super) struct Outline<'a> {
    pub chords: &'a [Chord],
    pub range: [f64; 2],
    pub closed: bool,
    /// The solids face each other across the plane in the middle and all along the border.
    pub facing: bool,
}

/// The outline of a patch, by its chords.
pub(in crate::contact) struct ChordCoverage {
    chart: ChordChart,
    /// Coordinate across, lower and upper end of each chord.
    chords: Vec<[f64; 3]>,
    range: [f64; 2],
    closed: bool,
    facing: bool,
    /// Extent of the surface and the overlap around it across the plane.
    depth: [f64; 2],
    /// Distance outside the border at which small cells count as covered, metres.
    slack: f64,
}

/// A cell in chart coordinates: its middle, and half its extents along and across chords, metres for both.
struct CellInChart {
    at: ChartCoords,
    half_width: f64,
    rise: f64,
}

impl ChordCoverage {
    /// Of an outline; overlaps lie within `margin` of the surface, and small cells within `slack` of the border belong to it.
    pub(super) fn new(chart: ChordChart, outline: Outline, margin: f64, slack: f64) -> Self {
        let Outline { chords, range, closed, facing } = outline;
        let heights = chords.iter().flat_map(|c| {
            [c.ends[0].coords.z, c.ends[1].coords.z, c.height(0.5 * (c.ends[0].coords.s + c.ends[1].coords.s))]
        });
        let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), z| (l.min(z), h.max(z)));
        let chords = chords.iter().map(|c| [c.t, c.ends[0].coords.s, c.ends[1].coords.s]).collect();
        Self { chart, chords, range, closed, facing, depth: [low - margin, high + margin], slack }
    }

    /// Axis of its chart, unit: into a.
    pub fn axis(&self) -> DVec3 {
        self.chart.axes[2]
    }

    /// Whether it contains the whole overlap of two convex solids: on parallel chords a convex overlap is one interval, whose
    /// ends are the border, and solids that face each other there have no other branch between them.
    pub fn contains_convex_overlap(&self) -> bool {
        self.chart.family == ChordFamily::Parallel && self.facing
    }

    /// The direction along its chords.
    pub fn long_direction(&self) -> DVec3 {
        self.chart.axes[0]
    }

    fn locate(&self, cell: &Cell) -> CellInChart {
        let [e, f, g] = self.chart.axes;
        // Rays run in all directions of the plane.
        let half_width = match self.chart.family {
            ChordFamily::Parallel | ChordFamily::Lines => cell.half_extent(e).max(cell.half_extent(f)),
            ChordFamily::Rays => cell.half_extent(e).hypot(cell.half_extent(f)),
        };
        let mut at = self.chart.coords(cell.center);
        if self.chart.family == ChordFamily::Rays && !self.closed {
            // Angles of the patch may lie beyond half a turn.
            let middle = 0.5 * (self.range[0] + self.range[1]);
            at.t = middle + (at.t - middle + PI).rem_euclid(TAU) - PI;
        }
        CellInChart { at, half_width, rise: cell.half_extent(g) }
    }

    /// Least and greatest ends of the chords around `t`, `by` to both sides; `None` beyond all of them.
    fn around(&self, t: f64, by: f64, inner: bool) -> Option<[f64; 2]> {
        let n = self.chords.len();
        let (mut from, mut to) =
            (self.chords.partition_point(|c| c[0] < t - by), self.chords.partition_point(|c| c[0] <= t + by));
        if self.closed {
            (from, to) = if from == 0 || to == n { (0, n) } else { (from - 1, to + 1) };
        } else if inner && (from == 0 || to == n) {
            return None;
        } else {
            (from, to) = (from.saturating_sub(1), (to + 1).min(n));
        }
        let join = |a: [f64; 2], c: &[f64; 3]| match inner {
            true => [a[0].max(c[1]), a[1].min(c[2])],
            false => [a[0].min(c[1]), a[1].max(c[2])],
        };
        let start = if inner { [f64::NEG_INFINITY, f64::INFINITY] } else { [f64::INFINITY, f64::NEG_INFINITY] };
        Some(self.chords[from..to].iter().fold(start, join))
    }

    /// Whether any overlap in `cell` belongs to this patch: it lies inside the border, or is small and near it.
    pub fn covers(&self, cell: &Cell) -> bool {
        let CellInChart { at, half_width, rise } = self.locate(cell);
        if at.z - rise < self.depth[0] || at.z + rise > self.depth[1] {
            return false;
        }
        let per_t = self.chart.width(at.s).max(f64::MIN_POSITIVE);
        if half_width <= self.slack {
            let by = self.slack / per_t;
            let within = self.closed || (at.t > self.range[0] - by && at.t < self.range[1] + by);
            let ends = self.around(at.t, 0.0, false);
            if within && ends.is_some_and(|[low, high]| at.s > low - self.slack && at.s < high + self.slack) {
                return true;
            }
        }
        let turn = match self.chart.family {
            ChordFamily::Parallel | ChordFamily::Lines => half_width,
            ChordFamily::Rays if half_width < at.s => (half_width / at.s).asin(),
            ChordFamily::Rays => return false,
        };
        let ends = self.around(at.t, turn, true);
        ends.is_some_and(|[low, high]| at.s - half_width >= low && at.s + half_width <= high)
    }

    /// Whether an overlap at `p` cannot belong to this patch: `p` lies clearly outside its border.
    pub fn is_outside(&self, p: DVec3) -> bool {
        let point = Cell { center: p, axes: [DVec3::X, DVec3::Y, DVec3::Z], half: DVec3::ZERO };
        let CellInChart { at, .. } = self.locate(&point);
        let across = 0.5 * OUTSIDE * (self.range[1] - self.range[0]);
        let outside = !self.closed && (at.t < self.range[0] - across || at.t > self.range[1] + across);
        let aside = self.around(at.t, 0.0, false).is_none_or(|[low, high]| {
            let by = 0.5 * OUTSIDE * (high - low);
            at.s < low - by || at.s > high + by
        });
        outside || aside || at.z < self.depth[0] || at.z > self.depth[1]
    }

    /// A box that holds the middle of every cell that this patch covers, and every point that is not beyond it.
    pub fn bounds(&self) -> Aabb {
        let ([e, f, g], origin) = (self.chart.axes, self.chart.origin);
        let join = |a: [f64; 2], c: &[f64; 3]| [a[0].min(c[1]), a[1].max(c[2])];
        let [low, high] = self.chords.iter().fold([f64::INFINITY, f64::NEG_INFINITY], join);
        let beyond = |extent: f64| self.slack.max(0.5 * OUTSIDE * extent);
        let by = beyond(high - low);
        let (along, across) = match self.chart.family {
            ChordFamily::Parallel | ChordFamily::Lines => {
                let by_t = beyond(self.range[1] - self.range[0]);
                ([low - by, high + by], [self.range[0] - by_t, self.range[1] + by_t])
            }
            // Rays run in all directions of the plane.
            ChordFamily::Rays => ([-high - by, high + by], [-high - by, high + by]),
        };
        let corner = |k: usize| along[k & 1] * e + across[k >> 1 & 1] * f + self.depth[k >> 2] * g;
        Aabb::of_points((0..8).map(|k| origin + corner(k)))
    }

    /// A box around the middle that is covered, by the rule of [`ChordCoverage::covers`] for small cells; none unless the chart
    /// lies along the contact frame.
    pub fn covered_box(&self) -> Option<Aabb> {
        let [e, f, _] = self.chart.axes;
        if self.chart.family == ChordFamily::Rays || e.x < 1.0 - 1e-9 || f.y < 1.0 - 1e-9 {
            return None;
        }
        let widest = self.around(0.5 * (self.range[0] + self.range[1]), 0.0, false)?;
        let [low, high] = [[widest[0], self.range[0]], [widest[1], self.range[1]]];
        let inside = |s: f64, t: f64| {
            let tip = t > self.range[0] - self.slack && t < self.range[1] + self.slack;
            tip && self
                .around(t, 0.0, true)
                .or(self.around(t, 0.0, false))
                .is_some_and(|[l, h]| s > l - self.slack && s < h + self.slack)
        };
        let (center, half) = (
            [0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])],
            [0.5 * (high[0] - low[0]), 0.5 * (high[1] - low[1])],
        );
        // Every chord across the box, and its corners, must reach its sides.
        let covered = |size: &f64| {
            let [s0, t0, s1, t1] = [
                center[0] - size * half[0],
                center[1] - size * half[1],
                center[0] + size * half[0],
                center[1] + size * half[1],
            ];
            let corners = [t0, t1].into_iter().all(|t| inside(s0, t) && inside(s1, t));
            let across = self.chords.iter().filter(|c| c[0] > t0 && c[0] < t1);
            corners && across.into_iter().all(|c| c[1] - self.slack < s0 && c[2] + self.slack > s1)
        };
        let size = [1.05, 0.95, 0.85, 0.75, 0.65].into_iter().find(covered)?;
        let corner = |sign: f64, z: f64| {
            self.chart.origin + DVec3::new(center[0] + sign * size * half[0], center[1] + sign * size * half[1], z)
        };
        Some(Aabb { min: corner(-1.0, self.depth[0]), max: corner(1.0, self.depth[1]) })
    }
}
