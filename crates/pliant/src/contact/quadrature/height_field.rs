//! The contact surface in a cell as a height field over one of its faces.
//!
//! *The idea*: in a small cell the surface is a graph along the axis it crosses most steeply; Newton's method follows it
//! from line to line, and brackets between the faces take over where that fails. *Not promised*: a surface with several
//! branches, or steep ones; that is detected and flagged as multivalued.

use super::chart::{MIN_COSINE, SurfacePoint};
use crate::contact::frame::ContactFrame;
use crate::contact::law::{Probe, SurfaceKind};
use crate::math::{Aabb, DVec3, refine_root};

/// Steps in which a line across a cell is sampled for branches of the surface: two for each width of the cell, at least
/// and at most so many. Fewer: two branches are taken for one.
const BRANCH_STEPS: (f64, f64) = (4.0, 24.0);

/// Least cosine between the surface's normal and an axis along which the surface is taken for a graph. Larger: more cells
/// count as multivalued. Smaller: areas and roots lose digits.
const MIN_GRAPH_COSINE: f64 = 0.3;

/// Slope of the fields in a cell against that in its middle, at most: a linear kernel has one slope, a non-linear one twice
/// that of its surface at its skeleton. Larger: more cells are searched in vain.
const STEEPER: f64 = 2.0;

/// Iterations of Newton along a line before brackets take over.
const NEWTON_STEPS: usize = 8;

/// The integrand of adaptive cells: the contact surface, and the accuracy of points on it.
pub(super) struct Integrand<'a> {
    pub frame: &'a ContactFrame<'a>,
    /// Accuracy of roots, as a fraction of `size`.
    pub root: f64,
    /// Size of the region's cells, metres.
    pub size: f64,
    /// Set for deep overlaps: cells whose faces cut the patch are left to tetrahedra: lines take ten times as many
    /// samples there.
    pub prefer_tetrahedra: bool,
}

/// The surface over a face of a cell, and the state of following it.
pub(super) struct HeightField {
    pub cell: Aabb,
    /// Lines lie side by side along the first axis, run along the second, and the surface is found along the third.
    pub axes: [usize; 3],
    /// Whether `u` grows along the last axis.
    up: bool,
    /// The point last found inside the patch or near it: Newton's method starts from it.
    last: SurfacePoint,
    /// The surface is no graph over the face, or has more than one branch.
    pub is_multivalued: bool,
    /// The line through the middle intersects the patch.
    pub meets_patch: bool,
    /// The patch leaves through a face of the cell.
    pub clipped: bool,
    /// Some line does not intersect the surface between the faces.
    pub misses_surface: bool,
    /// Distance of the deepest sample from the patch's border, metres, negative outside; and that point.
    pub deepest: (f64, SurfacePoint),
}

impl Integrand<'_> {
    /// The surface in `cell` as a height field over the face that suits it. `None` where there is no slope to follow.
    pub fn height_field(&self, cell: Aabb) -> Option<HeightField> {
        let kind = self.frame.kind;
        let (mut start, mut branches) = self.branch(&cell, cell.center(), 2);
        let mut probe = self.frame.probe(start);
        let (_, g) = probe.surface(kind);
        // Of the axes it is steep to, the one along which the surface leaves least through the faces.
        let steep = g.abs();
        let least = MIN_GRAPH_COSINE * g.length();
        let k = (DVec3::select(steep.cmpge(DVec3::splat(least)), steep, DVec3::ZERO) * cell.size()).max_position();
        if k != 2 {
            (start, branches) = self.branch(&cell, start, k);
            probe = self.frame.probe(start);
        }
        let (_, g) = probe.surface(kind);
        // Lines run towards the border, so that they cross it steeply.
        let fall = probe.contact_gradient(kind).reject_from_normalized(g.try_normalize()?).abs();
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let (i, j) = if fall[i] > fall[j] { (j, i) } else { (i, j) };
        let last = SurfacePoint { s: start[k], position: start, probe };
        Some(HeightField {
            cell,
            axes: [i, j, k],
            up: g[k] > 0.0,
            last,
            is_multivalued: branches > 1,
            meets_patch: branches > 0,
            clipped: false,
            misses_surface: false,
            deepest: (f64::NEG_INFINITY, last),
        })
    }

    /// Approximate point where the line through `p` along `axis` first meets the patch, or comes nearest to it; and the
    /// number of times it meets it.
    fn branch(&self, cell: &Aabb, p: DVec3, axis: usize) -> (DVec3, usize) {
        let (low, length) = (cell.min[axis], cell.max[axis] - cell.min[axis]);
        let at = |z: f64| {
            let mut p = p;
            p[axis] = z;
            p
        };
        let mut best: Option<(f64, f64)> = None;
        let (mut first, mut count) = (None, 0);
        let mut before: Option<(f64, f64, f64)> = None;
        let size = cell.size();
        let width = size[(axis + 1) % 3].min(size[(axis + 2) % 3]);
        let steps = (2.0 * length / width).clamp(BRANCH_STEPS.0, BRANCH_STEPS.1).ceil() as usize;
        for i in 0..=steps {
            let z = low + length * i as f64 / steps as f64;
            let probe = self.frame.probe(at(z));
            let (u, depth) = (probe.surface(self.frame.kind).0, self.frame.divided_by_stiffness(&probe).min_pressure());
            if best.is_none_or(|b| depth > b.0) {
                best = Some((depth, z));
            }
            if let Some((z0, u0, depth0)) = before
                && (u0 > 0.0) != (u > 0.0)
                && depth0.max(depth) > 0.0
            {
                count += 1;
                first = first.or(Some(z0 + u0 / (u0 - u) * (z - z0)));
            }
            before = Some((z, u, depth));
        }
        (at(first.or(best.map(|b| b.1)).unwrap_or(p[axis])), count)
    }

    /// Searches for a second branch at the deepest sample.
    pub fn check_branches(&self, field: &mut HeightField) {
        field.is_multivalued |= self.branch(&field.cell, field.deepest.1.position, field.axes[2]).1 > 1;
    }

    /// Whether the contact surface passes `cell` by, from the slopes in its middle: nowhere in the cell are both fields as
    /// much steeper together as it would take.
    pub fn misses(&self, cell: &Aabb) -> bool {
        let probe = self.frame.probe(cell.center());
        let (u, g) = probe.surface(self.frame.kind);
        let slope = match self.frame.kind {
            SurfaceKind::EqualPressure => probe.gradient_a.length() + probe.gradient_b.length(),
            SurfaceKind::RigidA | SurfaceKind::RigidB => g.length(),
        };
        u.abs() > 0.5 * cell.size().length() * STEEPER * slope
    }

    /// Whether the patch may cross `cell`, from the slopes in its middle.
    pub fn is_near(&self, cell: &Aabb) -> bool {
        let (kind, radius) = (self.frame.kind, 0.5 * cell.size().length());
        let probe = self.frame.probe(cell.center());
        let (u, g) = probe.surface(kind);
        u.abs() <= radius * g.length() && self.distance_inside_border(&probe) >= -radius
    }

    /// Whether the patch crosses an edge of `cell` along one of some axes, from probes at the corners.
    pub fn crosses(&self, cell: &Aabb, axes: &[usize]) -> bool {
        let corners: [(f64, f64); 8] = std::array::from_fn(|i| {
            let pick = |axis: usize| if i >> axis & 1 == 0 { cell.min[axis] } else { cell.max[axis] };
            let probe = self.frame.probe(DVec3::new(pick(0), pick(1), pick(2)));
            (probe.surface(self.frame.kind).0, probe.contact_pressures(self.frame.kind).0)
        });
        let crossed = |i: usize, axis: usize| {
            let ((u, p), (v, q)) = (corners[i], corners[i ^ (1 << axis)]);
            (u > 0.0) != (v > 0.0) && p + u / (u - v) * (q - p) > 0.0
        };
        (0..8).any(|i| axes.iter().any(|axis| crossed(i, *axis)))
    }

    /// Distance from the border at `(x, y)`, positive inside the patch; and the surface point there.
    pub fn inside(&self, field: &mut HeightField, (x, y): (f64, f64)) -> (f64, Option<SurfacePoint>) {
        let kind = self.frame.kind;
        let k = field.axes[2];
        let Some(on_surface) = self.solve_height(field, (x, y)) else { return (-self.size, None) };
        let value = self.distance_inside_border(&on_surface.probe);
        if value > field.deepest.0 {
            field.deepest = (value, on_surface);
        }
        if value > 0.0 {
            let (_, g) = on_surface.probe.surface(kind);
            field.is_multivalued |= g[k].abs() <= MIN_COSINE * g.length() || (g[k] > 0.0) != field.up;
        }
        // Far outside the patch its surface has other branches, which are not to be followed.
        if value > -field.margin() {
            field.last = on_surface;
        }
        (if value.is_nan() { -self.size } else { value }, Some(on_surface))
    }

    /// The surface on the line through `(x, y)`: Newton from the last point, or brackets between the faces if that fails.
    fn solve_height(&self, field: &mut HeightField, (x, y): (f64, f64)) -> Option<SurfacePoint> {
        let (kind, k) = (self.frame.kind, field.axes[2]);
        let (z0, z1) = (field.cell.min[k], field.cell.max[k]);
        let slack = self.root * self.size;
        let newton = self.follow(field, (x, y));
        if newton.is_some_and(|l| l.s >= z0 - slack && l.s <= z1 + slack) {
            return newton;
        }
        let u = |z: f64| self.frame.probe(field.position((x, y), z)).surface(kind).0;
        let (low, high) = (u(z0), u(z1));
        if (low > 0.0) == (high > 0.0) {
            field.misses_surface = true;
            let outside = newton.filter(|l| self.distance_inside_border(&l.probe) < -field.margin());
            // Two branches hide each other from the faces.
            field.is_multivalued |= match self.prefer_tetrahedra {
                true => outside.is_none(),
                false => self.branch(&field.cell, field.position((x, y), 0.0), k).1 > 0,
            };
            return outside;
        }
        let z = refine_root(u, (z0, low), (z1, high), slack)?;
        let position = field.position((x, y), z);
        Some(SurfacePoint { s: z, position, probe: self.frame.probe(position) })
    }

    /// Distance of a surface point from the patch's border, metres, from the slope of the pressure; positive inside.
    fn distance_inside_border(&self, probe: &Probe) -> f64 {
        let kind = self.frame.kind;
        probe.contact_pressures(kind).0 / probe.contact_gradient(kind).length()
    }

    /// The last branch, continued to the line through `(x, y)`.
    fn follow(&self, field: &HeightField, (x, y): (f64, f64)) -> Option<SurfacePoint> {
        let (kind, [i, j, k]) = (self.frame.kind, field.axes);
        let (z0, z1) = (field.cell.min[k], field.cell.max[k]);
        let (_, g) = field.last.probe.surface(kind);
        let from = field.last.position;
        let mut z = from[k] - (g[i] * (x - from[i]) + g[j] * (y - from[j])) / g[k];
        for _ in 0..NEWTON_STEPS {
            if !(z >= z0 - self.size && z <= z1 + self.size) {
                return None;
            }
            let probe = self.frame.probe(field.position((x, y), z));
            let (u, g) = probe.surface(kind);
            let step = -u / g[k];
            z += step;
            let probe = probe.advanced(step * DVec3::AXES[k]);
            // Far outside the patch the exact place does not matter.
            if step.abs() <= self.root * self.size
                || self.distance_inside_border(&probe) < -(field.margin() + step.abs())
            {
                return Some(SurfacePoint { s: z, position: field.position((x, y), z), probe });
            }
        }
        None
    }
}

impl HeightField {
    /// Diagonal of the face, metres.
    pub fn diagonal(&self) -> f64 {
        let (size, [i, j, _]) = (self.cell.size(), self.axes);
        size[i].hypot(size[j])
    }

    /// Distance outside the patch beyond which the surface does not matter to this cell, metres.
    fn margin(&self) -> f64 {
        let size = self.cell.size();
        0.25 * size[self.axes[0]].min(size[self.axes[1]])
    }

    pub fn position(&self, (x, y): (f64, f64), z: f64) -> DVec3 {
        let [i, j, k] = self.axes;
        let mut p = DVec3::ZERO;
        (p[i], p[j], p[k]) = (x, y, z);
        p
    }
}
