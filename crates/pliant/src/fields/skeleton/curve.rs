//! A smooth curve through points.

use super::bezier::{self, Cubic};
use super::distance::{Distance, MAX_COMPARED, Nearest, farthest_of};
use super::error::{SkeletonError, apart, distinct};
use super::nearest_so_far::NearestSoFar;
use super::normal_lines::{NormalLines, tangent};
use super::range;
use crate::math::{Aabb, Bvh, Cell, DVec3, Interval};
use std::f64::consts::TAU;
use std::sync::Arc;

/// A C¹ curve through its points: centripetal Catmull–Rom, which makes no loops nor cusps between points that do
/// not double back. An open curve ends as the parabola through its last three points. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct SmoothCurve {
    points: Arc<[DVec3]>,
    closed: bool,
    pieces: Arc<[Cubic]>,
    tree: Arc<Bvh>,
}

/// Greatest distance of a piece's control points from its chord, as a fraction of their extent; pieces are halved until
/// it holds. Smaller: more pieces. Larger: looser boxes, and more work in each piece.
const MAX_BEND: f64 = 0.1;
/// Halvings at most: a piece that bends sharply in one place only needs no more.
const MAX_HALVINGS: u32 = 5;

impl SmoothCurve {
    /// Through `points` in order: two or more, or three or more when `closed` (the last then joins the first and
    /// does not repeat it), no two neighbours in the same place.
    pub fn new(points: impl Into<Vec<DVec3>>, closed: bool) -> Result<Self, SkeletonError> {
        let points = points.into();
        distinct("a curve", if closed { 3 } else { 2 }, &points)?;
        if closed {
            apart(&points, points.len() - 1, 0)?;
        }
        let mut pieces = Vec::new();
        for piece in through(&points, closed) {
            refine(&piece, MAX_HALVINGS, &mut pieces);
        }
        let boxes: Vec<Aabb> = pieces.iter().map(|&b| Aabb::of_points(b)).collect();
        let tree = Arc::new(Bvh::new(&boxes, 1));
        Ok(Self { points: points.into(), closed, pieces: pieces.into(), tree })
    }

    /// The points it goes through.
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }
    /// Whether the last point joins the first.
    pub fn closed(&self) -> bool {
        self.closed
    }
    /// The cubic Bézier pieces, control points in order along the curve; several between two points where it bends.
    pub fn pieces(&self) -> &[[DVec3; 4]] {
        &self.pieces
    }
}

/// One Bézier piece between neighbours.
fn through(points: &[DVec3], closed: bool) -> Vec<Cubic> {
    let n = points.len();
    let count = if closed { n } else { n - 1 };
    let point = |i: usize| points[i % n];
    // Centripetal: the parameter advances by the square root of the distance.
    let advance: Vec<f64> = (0..count).map(|i| (point(i + 1) - point(i)).length().sqrt()).collect();
    let secant = |i: usize| (point(i + 1) - point(i)) / advance[i];
    // Velocity at a point: that of the parabola through it and its neighbours.
    let velocity = |i: usize| {
        let (before, after) = ((i + count - 1) % count, i % count);
        let (a, b) = (advance[before], advance[after]);
        (b * secant(before) + a * secant(after)) / (a + b)
    };
    let end = |piece: usize, inner: usize| if n == 2 { secant(piece) } else { 2.0 * secant(piece) - velocity(inner) };
    (0..count)
        .map(|i| {
            let leave = if !closed && i == 0 { end(0, 1) } else { velocity(i) };
            let arrive = if !closed && i == count - 1 { end(i, i) } else { velocity(i + 1) };
            let (a, b, third) = (point(i), point(i + 1), advance[i] / 3.0);
            [a, a + third * leave, b - third * arrive, b]
        })
        .collect()
}

/// Halves a piece until it is nearly straight.
fn refine(b: &Cubic, halvings: u32, into: &mut Vec<Cubic>) {
    let bend = (b[0] - 2.0 * b[1] + b[2]).length().max((b[1] - 2.0 * b[2] + b[3]).length());
    if halvings == 0 || bend <= MAX_BEND * Aabb::of_points(*b).size().length() {
        into.push(*b);
        return;
    }
    let (low, high) = bezier::halves(b);
    refine(&low, halvings - 1, into);
    refine(&high, halvings - 1, into);
}

impl Distance for SmoothCurve {
    fn nearest(&self, p: DVec3) -> Nearest {
        NearestSoFar::of_pieces(&self.tree, p, self.points[0], |i, best| bezier::consider(&self.pieces[i], p, best))
    }
    /// Of the polygons that contain its pieces.
    fn support_point(&self, direction: DVec3) -> DVec3 {
        let few = 4 * self.pieces.len() <= MAX_COMPARED;
        if few { farthest_of(self.pieces.as_flattened(), direction) } else { self.bounds().farthest(direction) }
    }

    fn bounds(&self) -> Aabb {
        self.tree.bounds()
    }

    fn distance_range(&self, cell: &Cell) -> Interval {
        range::thin(self, cell)
    }

    /// A tube around each piece, half spheres at free ends.
    fn normal_lines(&self, lines: &mut NormalLines) {
        for piece in self.pieces.iter() {
            // Cut, so that no part turns far from the direction its frame is made for.
            for part in 0..4 {
                let place = |u: f64| bezier::point(piece, (f64::from(part) + u) / 4.0);
                let across = tangent(place, 0.5).any_orthonormal_vector();
                let length: f64 =
                    (0..8).map(|i| place(f64::from(i) / 8.0).distance(place(f64::from(i + 1) / 8.0))).sum();
                let counts = (lines.count(length), lines.count(TAU * lines.thickness()));
                lines.sheet(counts, true, |u, v| {
                    let way = tangent(place, u);
                    let from = across.reject_from_normalized(way).normalize_or_zero();
                    let (sin, cos) = (TAU * v).sin_cos();
                    (place(u), cos * from + sin * way.cross(from))
                });
            }
        }
        if let (false, Some(first), Some(last)) = (self.closed, self.pieces.first(), self.pieces.last()) {
            lines.half_sphere(first[0], -tangent(|u| bezier::point(first, u), 0.0));
            lines.half_sphere(last[3], tangent(|u| bezier::point(last, u), 1.0));
        }
    }
}
