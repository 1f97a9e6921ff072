//! The rule in one adaptive cell: lines across the face over which the surface is a graph.
//!
//! *The idea*: lines and the points on them follow Lobatto's rule; Simpson's rule over a part of the same points gives the
//! error. Between the places where the border leaves through the ends of the lines, integrals along lines are smooth, so
//! the cell is integrated in parts between those. Where the surface is no graph, tetrahedra take over. *Not promised*: a
//! patch that enters a cell between its samples; its possible size counts as error.

use super::chart::SurfacePoint;
use super::height_field::{HeightField, Integrand};
use super::lines::{LOBATTO, LineInterval, SIMPSON};
use super::tetrahedra::TetrahedraSum;
use crate::contact::boxes::long_edges;
use crate::math::{Aabb, DVec3};
use std::cmp::Ordering;

/// Ratio of the errors along and across the lines of a cell above which it is cut in one direction only.
const ANISOTROPIC: f64 = 4.0;

/// Part of the difference between two rules that is taken for the error of the better one: the error at creases; for
/// smooth integrands it is much less. Larger: more cells. Smaller: errors are underestimated.
const ERROR_FRACTION: f64 = 0.25;

/// Part of the difference between lines and tetrahedra, where faces cut the patch, that is taken for the error of lines.
const SLIVER_ERROR: f64 = 0.5;

/// Greatest distance that a patch may extend into a cell between samples along its edges, as a fraction of its
/// diagonal.
const BETWEEN_SAMPLES: f64 = 0.03;

/// Smallest cell against the cells of its region. Smaller: a corner of the border takes all cells there are.
const SMALLEST_CELL: f64 = 1e-3;

/// The patch in one cell.
pub(super) struct IntegratedCell {
    pub cell: Aabb,
    pub strips: Vec<Strip>,
    /// On a, newtons.
    pub force: DVec3,
    /// `∫ p dA`, newtons.
    pub load: f64,
    pub area: f64,
    /// The surface is no graph over the cell's face, or has more than one branch.
    pub is_multivalued: bool,
    /// Where to cut along each axis; nowhere for the smallest.
    pub cuts: [Option<f64>; 3],
    /// Difference of two rules, along the cell's lines and across them, newtons.
    along: f64,
    across: f64,
    /// Estimated error of the force, newtons.
    pub error: f64,
    /// Its part whose direction is known: the difference of two rules, newtons.
    pub bias: DVec3,
}

/// An interval of the patch on one line of a cell.
pub(super) struct Strip {
    /// Direction along which the surface was found.
    pub across: DVec3,
    pub ends: [DVec3; 2],
    /// Which ends are the patch's own, rather than the cell's.
    pub at_border: [bool; 2],
    /// Offsets from the line to both edges of the strip.
    pub to_edges: [DVec3; 2],
    pub points: Vec<(SurfacePoint, f64)>,
}

/// Weight of a line in a cell, and the offsets from it to both edges of its strip, metres.
struct LineWeight {
    weight: f64,
    to_edges: [f64; 2],
}

impl IntegratedCell {
    pub fn empty(cell: Aabb) -> Self {
        Self {
            cell,
            strips: Vec::new(),
            force: DVec3::ZERO,
            load: 0.0,
            area: 0.0,
            is_multivalued: false,
            cuts: [None; 3],
            along: 0.0,
            across: 0.0,
            error: 0.0,
            bias: DVec3::ZERO,
        }
    }
}

impl Integrand<'_> {
    /// Integrates the patch in one cell.
    pub fn integrate(&self, cell: Aabb) -> IntegratedCell {
        let mut sum = IntegratedCell::empty(cell);
        let Some(mut field) = self.height_field(cell) else { return sum };
        let (low, high) = (cell.min[field.axes[0]], cell.max[field.axes[0]]);
        let even = self.lines(&mut sum, &mut field, low, high);
        if !even && !field.is_multivalued && field.deepest.0 > -BETWEEN_SAMPLES * field.diagonal() {
            let breaks = self.breaks(&mut field);
            if !breaks.is_empty() {
                sum = IntegratedCell::empty(cell);
                let mut from = low;
                for to in breaks.into_iter().chain([high]) {
                    self.lines(&mut sum, &mut field, from, to);
                    from = to;
                }
            }
        }
        if sum.load > 0.0 && !field.is_multivalued {
            self.check_branches(&mut field);
        }
        // A wall that no line meets counts as a fold.
        let [i, j, k] = field.axes;
        field.is_multivalued = field.is_multivalued
            || match sum.load {
                0.0 if field.misses_surface => self.is_near(&cell) || self.crosses(&cell, &[i, j, k]),
                0.0 => self.crosses(&cell, &[i, j, k]),
                _ => !field.clipped && self.crosses(&cell, &[i, j]),
            };
        if field.is_multivalued {
            let met = sum.load > 0.0 || field.meets_patch;
            sum = self.integrate_multivalued(cell);
            field.is_multivalued = met || sum.load > 0.0;
        } else {
            (sum.error, sum.bias) = (ERROR_FRACTION * (sum.along + sum.across), ERROR_FRACTION * sum.bias);
            // Lines may miss slivers that faces cut off; tetrahedra do not.
            if field.clipped {
                sum.error = sum.error.max(SLIVER_ERROR * (self.by_tetrahedra(&cell).force - sum.force).length());
            }
        }
        if sum.load == 0.0 && !field.is_multivalued {
            return self.with_error_of_missed_patch(IntegratedCell::empty(cell), &field);
        }
        let mut size = cell.size();
        if !field.is_multivalued {
            size[k] = 0.0;
            // Only the direction of the larger error is cut, where it is much larger.
            if sum.along > ANISOTROPIC * sum.across {
                size[i] = 0.0;
            } else if sum.across > ANISOTROPIC * sum.along {
                size[j] = 0.0;
            }
        }
        let longest = size.max_element();
        if longest > SMALLEST_CELL * self.size {
            let middle = cell.center();
            sum.cuts = [0, 1, 2].map(|i| (size[i] > 0.6 * longest).then_some(middle[i]));
        }
        sum
    }

    /// A cell in which the surface is multivalued, by tetrahedra.
    pub fn integrate_multivalued(&self, cell: Aabb) -> IntegratedCell {
        let TetrahedraSum { force, load, area, points, error, bias } = self.by_tetrahedra(&cell);
        let strips = points.into_iter().map(|(point, area)| self.square_strip(point, area)).collect();
        IntegratedCell {
            strips,
            force,
            load,
            area,
            error,
            bias,
            is_multivalued: load > 0.0 || error > 0.0,
            ..IntegratedCell::empty(cell)
        }
    }

    /// A strip of one point, across the surface there: a square around it.
    fn square_strip(&self, on_surface: SurfacePoint, area: f64) -> Strip {
        let across = on_surface.probe.surface(self.frame.kind).1.normalize_or_zero();
        let (e1, e2) = across.any_orthonormal_pair();
        let half = 0.5 * area.sqrt();
        let ends = [-half, half].map(|h| on_surface.position + h * e1);
        Strip {
            across,
            ends,
            at_border: [false; 2],
            to_edges: [-half * e2, half * e2],
            points: vec![(on_surface, area)],
        }
    }

    /// Adds the lines across a part of the cell. Returns whether the patch fills them all.
    fn lines(&self, sum: &mut IntegratedCell, field: &mut HeightField, from: f64, to: f64) -> bool {
        let width = to - from;
        let (mut edge, mut even) = (0.0, true);
        let mut across = DVec3::ZERO;
        for ((u, w), check) in LOBATTO.into_iter().zip(SIMPSON) {
            let to_edges = [edge - u, edge + w - u].map(|e| e * width);
            edge += w;
            let intervals = self.intervals(field, from + u * width);
            if field.is_multivalued {
                return false;
            }
            even &= intervals.first().is_some_and(|i| i.whole);
            for interval in intervals {
                let line = LineWeight { weight: w * width, to_edges };
                let (force, doubt) = self.strip(sum, field, interval, line);
                across += (1.0 - check / w) * force;
                sum.along += doubt.length();
                sum.bias += doubt;
            }
        }
        sum.across += across.length();
        sum.bias += across;
        even
    }

    /// A cell in which no patch was found: its error is the force of a patch that may lie between its samples.
    fn with_error_of_missed_patch(&self, mut sum: IntegratedCell, field: &HeightField) -> IntegratedCell {
        let (size, middle, long) = (sum.cell.size(), sum.cell.center(), long_edges(&sum.cell));
        let (deepest, on_surface) = field.deepest;
        let slope = on_surface.probe.contact_gradient(self.frame.kind).length();
        let width = (deepest + BETWEEN_SAMPLES * field.diagonal()).max(0.0);
        sum.error = 0.5 * slope * width * width * field.diagonal();
        if size.max_element() > SMALLEST_CELL * self.size {
            sum.cuts = [0, 1, 2].map(|i| long[i].then_some(middle[i]));
        }
        sum
    }

    /// Adds an interval to the cell. Returns its force, and the difference of two rules for it.
    fn strip(
        &self,
        sum: &mut IntegratedCell,
        field: &HeightField,
        interval: LineInterval,
        line: LineWeight,
    ) -> (DVec3, DVec3) {
        let LineInterval { ends, at_border, points, .. } = interval;
        let LineWeight { weight, to_edges } = line;
        let [i, _, k] = field.axes;
        let points: Vec<(SurfacePoint, f64)> = points.into_iter().map(|(l, m)| (l, m * weight)).collect();
        let Some((middle, _)) = points.get(points.len() / 2) else { return (DVec3::ZERO, DVec3::ZERO) };
        let (_, g) = middle.probe.surface(self.frame.kind);
        // The face's direction, tilted into the surface.
        let mut tangent = DVec3::AXES[i];
        tangent[k] = -g[i] / g[k];
        let (mut force, mut check) = (DVec3::ZERO, DVec3::ZERO);
        let is_full = points.len() == LOBATTO.len();
        for (i, (point, measure)) in points.iter().enumerate() {
            let (_, g) = point.probe.surface(self.frame.kind);
            let share = point.pressures(self.frame.kind).0.max(0.0) * measure / g[k].abs() * g;
            force += share;
            if is_full {
                check += SIMPSON[i] / LOBATTO[i].1 * share;
            }
            sum.load += share.length();
            sum.area += measure * g.length() / g[k].abs();
        }
        let to_edges = to_edges.map(|e| e * tangent);
        sum.force += force;
        sum.strips.push(Strip { across: DVec3::AXES[k], ends, at_border, to_edges, points });
        (force, force - check)
    }
}

/// By place.
pub(super) fn order(p: &Aabb, q: &Aabb) -> Ordering {
    p.min.to_array().partial_cmp(&q.min.to_array()).unwrap_or(Ordering::Equal)
}

/// By error; then by place, so that the result does not depend on history.
impl Ord for IntegratedCell {
    fn cmp(&self, other: &Self) -> Ordering {
        self.error.total_cmp(&other.error).then_with(|| order(&self.cell, &other.cell))
    }
}

impl PartialOrd for IntegratedCell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for IntegratedCell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for IntegratedCell {}
