//! A round curve; thickened, a torus.

use super::disc::Disc;
use super::distance::{CellAround, Distance, FourNearest, FourRanges, Nearest, Neighbourhood, Plane, point_curvature};
use super::error::SkeletonError;
use super::normal_lines::NormalLines;
use super::range;
use crate::math::real::{FourLanes, difference, dot, vector};
use crate::math::{Aabb, Cell, DVec3, Interval};
use std::f64::consts::{PI, TAU};

/// The points at `radius` from `center` in the plane across `normal`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circle {
    disc: Disc,
}

impl Circle {
    /// `normal` need not be a unit vector; `radius` is positive, metres.
    pub fn new(center: DVec3, normal: DVec3, radius: f64) -> Result<Self, SkeletonError> {
        Ok(Self { disc: Disc::new(center, normal, radius)? })
    }

    /// Middle.
    pub fn center(&self) -> DVec3 {
        self.disc.center()
    }
    /// Unit vector across the circle's plane.
    pub fn normal(&self) -> DVec3 {
        self.disc.normal()
    }
    /// Metres.
    pub fn radius(&self) -> f64 {
        self.disc.radius()
    }
}

/// Points in cylinder coordinates about the axis of a circle, in lanes.
struct AboutAxis<T> {
    height: T,
    /// From the axis.
    flat: [T; 3],
    /// Distance from the axis.
    out: T,
}

impl Circle {
    #[inline(always)]
    fn about_axis<T: FourLanes>(&self, points: [T; 3]) -> AboutAxis<T> {
        let n = vector(self.normal());
        let v = difference(points, vector(self.center()));
        let height = dot(v, n);
        let flat = [v[0] - height * n[0], v[1] - height * n[1], v[2] - height * n[2]];
        AboutAxis { height, flat, out: dot(flat, flat).square_root() }
    }
}

impl Distance for Circle {
    fn nearest(&self, p: DVec3) -> Nearest {
        let v = p - self.center();
        let height = v.dot(self.normal()) * self.normal();
        let flat = v - height;
        let out = flat.length();
        // On the axis every point of the circle is nearest; one is taken, always the same.
        let outward = if out > 0.0 { flat / out } else { self.normal().any_orthonormal_vector() };
        Nearest::away(height + (out - self.radius()) * outward)
    }

    #[inline(always)]
    fn nearest_four<T: FourLanes>(&self, points: [T; 3]) -> Option<FourNearest<T>> {
        let (n, zero, one) = (vector(self.normal()), T::all(0.0), T::all(1.0));
        let AboutAxis { height, flat, out } = self.about_axis(points);
        let by_out = out.if_greater(zero, one / out, zero);
        let aside = out - T::all(self.radius());
        let distance = (aside * aside + height * height).square_root();
        let by_distance = distance.if_greater(zero, one / distance, zero);
        let (flatly, upward) = (aside * by_out * by_distance, height * by_distance);
        let direction =
            [flatly * flat[0] + upward * n[0], flatly * flat[1] + upward * n[1], flatly * flat[2] + upward * n[2]];
        Some(FourNearest { distance, direction, extent: self.center().abs().max_element() + self.radius() })
    }

    /// As [`Distance::distance_range`] and [`Distance::curvature_range`].
    #[inline(always)]
    fn range_four<T: FourLanes>(&self, cell: &CellAround<T>) -> Option<FourRanges<T>> {
        let near = self.nearest_four(cell.center)?;
        let (zero, one, reach, radius) = (T::all(0.0), T::all(1.0), cell.reach, T::all(self.radius()));
        let slack = T::all(16.0 * f64::EPSILON) * (cell.size + T::all(near.extent));
        let AboutAxis { height, flat, out } = self.about_axis(cell.center);
        // The distance from the axis lies above its tangent, and grows by at most one per metre; the height is linear.
        let straight = (cell.half_extent(flat) / out).smaller(reach);
        let min_out = (out - straight - cell.doubt(slack, out)).larger(zero);
        let gap_out = (min_out - radius).larger(radius - (out + reach + slack)).larger(zero);
        let gap_height = (height.magnitude() - cell.half_extent(vector(self.normal()))).larger(zero);
        let gap = (gap_out * gap_out + gap_height * gap_height).square_root() - slack;
        let least = gap.larger(near.distance - reach - slack).larger(zero);
        // Around the axis the distance is curved downward inside the circle, by at most 1/out.
        let steep = ((radius - min_out) / least).smaller(one) / min_out;
        let hollow = radius.if_greater(min_out, steep, zero);
        Some(FourRanges { near, least, doubt: cell.doubt(slack, near.distance), hollow })
    }

    fn support_point(&self, direction: DVec3) -> DVec3 {
        self.disc.support_point(direction)
    }

    fn bounds(&self) -> Aabb {
        self.disc.bounds()
    }

    /// The distance from the axis is convex, which bounds it above its tangent; the height is linear.
    fn distance_range(&self, cell: &Cell) -> Interval {
        let any = range::thin(self, cell);
        let v = cell.center - self.center();
        let height = v.dot(self.normal());
        let flat = v - height * self.normal();
        let out = Nearest::away(flat);
        let slack = range::rounding(&self.bounds(), cell);
        let flat_reach: f64 = cell.half_axes().iter().map(|a| a.reject_from_normalized(self.normal()).length()).sum();
        let min_out = range::above_tangent(out, slack, cell);
        let max_out = out.distance + flat_reach + slack;
        let gap_out = (min_out - self.radius()).max(self.radius() - max_out).max(0.0);
        let gap_height = (height.abs() - cell.half_extent(self.normal())).max(0.0);
        Interval::new(any.lo.max(gap_out.hypot(gap_height) - slack), any.hi)
    }

    fn as_ring(&self) -> Option<Plane> {
        Some(Plane { point: self.center(), normal: self.normal() })
    }

    /// Around the axis the distance is curved by (out − radius)/(out · distance): downward inside the circle, and there by at
    /// most 1/out.
    fn curvature_range(&self, near: &Neighbourhood) -> Interval {
        let out = (near.center - self.center()).reject_from_normalized(self.normal()).length() - near.radius;
        let hollow = if out >= self.radius() {
            0.0
        } else {
            point_curvature(out) * ((self.radius() - out) * point_curvature(near.min_distance)).min(1.0)
        };
        Interval::new(-hollow, point_curvature(near.min_distance))
    }

    /// In two halves: the outer one, and the inner one, which ends on the axis.
    fn normal_lines(&self, lines: &mut NormalLines) {
        let (c, n, radius) = (self.center(), self.normal(), self.radius());
        let x = n.any_orthonormal_vector();
        let y = n.cross(x);
        let out = |v: f64| (TAU * v).cos() * x + (TAU * v).sin() * y;
        let around = lines.count(TAU * (radius + lines.thickness()));
        for start in [0.0, PI] {
            let counts = (lines.count(PI * lines.thickness()), around);
            lines.sheet(counts, true, |u, v| {
                let (sin, cos) = (start + PI * u).sin_cos();
                (c + radius * out(v), cos * n + sin * out(v))
            });
        }
    }
}
