//! A curved sheet: a bicubic Bézier patch.

use super::distance::{Distance, Nearest, farthest_of};
use super::error::{SMALLEST_LENGTH, SkeletonError, finite};
use super::nearest_so_far::NearestSoFar;
use super::normal_lines::NormalLines;
use super::patch_search::{self, Net};
use super::range;
use crate::math::{Aabb, Bvh, Cell, DVec3, Interval};
use std::f64::consts::PI;
use std::sync::Arc;

/// `S(u, v) = Σ B_i(u) B_j(v) control[i][j]` for `u`, `v` from 0 to 1, with the cubic Bernstein polynomials `B`.
/// Sides may be collapsed to a point. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct BezierPatch {
    control: Arc<Net>,
    pieces: Arc<[Net]>,
    tree: Arc<Bvh>,
}

/// A piece is halved until its second differences fall below this fraction of its extent.
/// Smaller: more pieces. Larger: looser boxes, and more halving in each query.
const MAX_BEND: f64 = 0.1;
/// Halvings at most: 256 pieces, 100 kB.
const MAX_HALVINGS: u32 = 8;

impl BezierPatch {
    /// From control points, `control[i][j]` with `i` along u and `j` along v; not all in the same place.
    pub fn new(control: [[DVec3; 4]; 4]) -> Result<Self, SkeletonError> {
        for (i, row) in control.iter().enumerate() {
            for (j, &c) in row.iter().enumerate() {
                finite(|| format!("control point [{i}][{j}] (from 0)"), c)?;
            }
        }
        let extent = Aabb::of_points(control.into_iter().flatten()).size().max_element();
        if extent <= SMALLEST_LENGTH {
            return Err(SkeletonError::NoExtent);
        }
        let mut pieces = Vec::new();
        refine(&control, MAX_HALVINGS, &mut pieces);
        let boxes: Vec<Aabb> = pieces.iter().map(|n| Aabb::of_points(n.iter().flatten().copied())).collect();
        Ok(Self { control: Arc::new(control), pieces: pieces.into(), tree: Arc::new(Bvh::new(&boxes, 1)) })
    }

    /// The control points, as given.
    pub fn control(&self) -> &[[DVec3; 4]; 4] {
        &self.control
    }

    /// The point `S(u, v)`.
    pub fn point(&self, u: f64, v: f64) -> DVec3 {
        patch_search::derivatives(&self.control, u, v).s
    }
}

/// Halves a piece across its greater bend until it is nearly flat.
fn refine(net: &Net, halvings: u32, into: &mut Vec<Net>) {
    let [along_u, along_v] = [&patch_search::transposed(net), net].map(|lines| {
        let bends = lines.iter().flat_map(|b| [b[0] - 2.0 * b[1] + b[2], b[1] - 2.0 * b[2] + b[3]]);
        bends.map(|b| b.length()).fold(0.0, f64::max)
    });
    let extent = Aabb::of_points(net.iter().flatten().copied()).size().length();
    if halvings == 0 || along_u.max(along_v) <= MAX_BEND * extent {
        into.push(*net);
        return;
    }
    let (low, high) = if along_u > along_v { patch_search::halves_u(net) } else { patch_search::halves_v(net) };
    refine(&low, halvings - 1, into);
    refine(&high, halvings - 1, into);
}

impl Distance for BezierPatch {
    fn nearest(&self, p: DVec3) -> Nearest {
        let mut budget = patch_search::BUDGET;
        NearestSoFar::of_pieces(&self.tree, p, self.control[0][0], |i, best| {
            patch_search::consider(&self.pieces[i], p, best, &mut budget);
        })
    }
    /// Of the net that contains it.
    fn support_point(&self, direction: DVec3) -> DVec3 {
        farthest_of(self.control.as_flattened(), direction)
    }

    fn bounds(&self) -> Aabb {
        self.tree.bounds()
    }

    fn distance_range(&self, cell: &Cell) -> Interval {
        range::thin(self, cell)
    }

    /// Both faces, half a turn around each edge, wedges where edges meet.
    fn normal_lines(&self, lines: &mut NormalLines) {
        let rate = |u: f64, v: f64| {
            let h = 1e-6;
            let (a, b) = (self.point(u + h, v) - self.point(u - h, v), self.point(u, v + h) - self.point(u, v - h));
            (a / (2.0 * h), b / (2.0 * h))
        };
        let normal = |u: f64, v: f64| {
            let (a, b) = rate(u, v);
            a.cross(b).normalize_or_zero()
        };
        let length = |p: &dyn Fn(f64) -> DVec3| -> f64 {
            (0..16).map(|i| p(f64::from(i) / 16.0).distance(p(f64::from(i + 1) / 16.0))).sum()
        };
        let counts = (lines.count(length(&|u| self.point(u, 0.5))), lines.count(length(&|v| self.point(0.5, v))));
        for side in [1.0, -1.0] {
            lines.sheet(counts, false, |u, v| (self.point(u, v), side * normal(u, v)));
        }
        // Half a turn around each edge, from one side over the outside to the other.
        for edge in 0..4 {
            let place = |s: f64| match edge {
                0 => (s, 0.0),
                1 => (1.0, s),
                2 => (1.0 - s, 1.0),
                _ => (0.0, 1.0 - s),
            };
            let counts =
                (lines.count(length(&|s| self.point(place(s).0, place(s).1))), lines.count(PI * lines.thickness()));
            let outward = |s: f64| {
                let (u, v) = place(s);
                let (a, b) = rate(u, v);
                let way = [a, b, -a, -b][edge].normalize_or_zero();
                (way.cross(normal(u, v)), normal(u, v))
            };
            lines.sheet(counts, false, |s, w| {
                let ((out, n), (sin, cos)) = (outward(s), (PI * w).sin_cos());
                (self.point(place(s).0, place(s).1), cos * n + sin * out)
            });
            // Beyond both edges that meet in this one's beginning.
            let (u, v) = place(0.0);
            let (a, b) = rate(u, v);
            let before = [-b, a, b, -a][edge].normalize_or_zero();
            let from = before.cross(normal(u, v));
            let angle = from.dot(outward(0.0).0).clamp(-1.0, 1.0).acos();
            if from.cross(outward(0.0).0).dot(normal(u, v)) > 0.0 {
                lines.lune(self.point(u, v), normal(u, v), from, angle);
            }
        }
    }
}
