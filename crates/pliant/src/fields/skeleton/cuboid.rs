//! A solid box along the axes.

use super::distance::{Distance, FourNearest, Nearest, Plane};
use super::error::{SkeletonError, finite, positive};
use super::normal_lines::NormalLines;
use super::range;
use crate::math::real::{FourLanes, difference, dot, vector};
use crate::math::{Aabb, Cell, DVec3, Interval};

/// The points within `half_size` of `center` along each axis. Signed: negative inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    center: DVec3,
    half_size: DVec3,
}

impl Cuboid {
    /// `half_size` is half of each edge length, positive, metres.
    pub fn new(center: DVec3, half_size: DVec3) -> Result<Self, SkeletonError> {
        let center = finite(|| "center".into(), center)?;
        positive("half size along x", half_size.x)?;
        positive("half size along y", half_size.y)?;
        positive("half size along z", half_size.z)?;
        Ok(Self { center, half_size })
    }

    /// Middle.
    pub fn center(&self) -> DVec3 {
        self.center
    }
    /// Half of each edge length, metres.
    pub fn half_size(&self) -> DVec3 {
        self.half_size
    }

    /// Signed distance of a point `beyond` the faces along each axis.
    fn signed(beyond: DVec3) -> f64 {
        beyond.max(DVec3::ZERO).length() + beyond.max_element().min(0.0)
    }
}

impl Distance for Cuboid {
    fn nearest(&self, p: DVec3) -> Nearest {
        let v = p - self.center;
        if v.is_nan() {
            // Least and greatest of a vector would pass over the missing number.
            return Nearest::away(v);
        }
        let beyond = v.abs() - self.half_size;
        let side = DVec3::ONE.copysign(v);
        let outside = Nearest::away(beyond.max(DVec3::ZERO));
        if outside.distance > 0.0 {
            return Nearest { distance: outside.distance, direction: outside.direction * side };
        }
        // Inside, and on the faces too, where the gradient is still that of the nearest face.
        let face = DVec3::AXES[beyond.max_position()];
        Nearest { distance: beyond.max_element(), direction: face * side }
    }

    #[inline(always)]
    fn nearest_four<T: FourLanes>(&self, points: [T; 3]) -> Option<FourNearest<T>> {
        let (half, zero, one) = (vector::<T>(self.half_size), T::all(0.0), T::all(1.0));
        let v = difference(points, vector(self.center));
        let [x, y, z] = [v[0].magnitude() - half[0], v[1].magnitude() - half[1], v[2].magnitude() - half[2]];
        let beyond = [x.larger(zero), y.larger(zero), z.larger(zero)];
        let outside = dot(beyond, beyond).square_root();
        let by_outside = one / outside;
        // Inside, the nearest face: the first of the greatest.
        let inside = z.larger(y).larger(x);
        let first = inside.if_greater(x, zero, one);
        let second = inside.if_greater(y, zero, one - first);
        let mut direction = [first, second, one - first - second];
        for axis in 0..3 {
            let d = outside.if_greater(zero, beyond[axis] * by_outside, direction[axis]);
            direction[axis] = zero.if_greater(v[axis], zero - d, d);
        }
        let distance = outside.if_greater(zero, outside, inside);
        let extent = (self.center.abs() + self.half_size).max_element();
        Some(FourNearest { distance, direction, extent })
    }

    fn bounds(&self) -> Aabb {
        Aabb { min: self.center - self.half_size, max: self.center + self.half_size }
    }

    /// Distance grows with the distance from the middle along each axis, so ranges of those give its range: exact
    /// for cells along the axes. It is also convex, which is better for turned ones.
    fn distance_range(&self, cell: &Cell) -> Interval {
        let v = (cell.center - self.center).abs();
        let reach = cell.half_axes().iter().map(|a| a.abs()).sum::<DVec3>();
        let slack = range::rounding(&self.bounds(), cell);
        let lo = Self::signed((v - reach).max(DVec3::ZERO) - self.half_size);
        let hi = Self::signed(v + reach - self.half_size);
        let near = self.nearest(cell.center);
        let lo = (lo - slack).max(range::above_tangent(near, slack, cell));
        Interval::new(lo, (hi + slack).min(near.distance + cell.radius() + slack))
    }

    /// The nearest of the deepest points: a middle point, line or sheet, half the thinnest size from the faces. A
    /// contact surface that reaches it has pushed half the box through; the far centre of a plate would not say so.
    fn medial_point(&self, p: DVec3) -> Option<DVec3> {
        let deep = self.half_size - DVec3::splat(self.half_size.min_element());
        Some(self.center + (p - self.center).max(-deep).min(deep))
    }

    fn creases(&self, found: &mut Vec<Plane>) {
        for normal in [DVec3::X, DVec3::Y, DVec3::Z] {
            found.extend([-1.0, 1.0].map(|sign| Plane { point: self.center + sign * self.half_size, normal }));
        }
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn is_volume(&self) -> bool {
        true
    }

    /// From the centre through each of six sides.
    fn normal_lines(&self, lines: &mut NormalLines) {
        let (center, half) = (self.center, self.half_size);
        lines.start_at_center(half.length(), half.max_element());
        for axis in 0..3 {
            let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
            let counts = (lines.count(2.0 * half[a]), lines.count(2.0 * half[b]));
            for sign in [1.0, -1.0] {
                lines.sheet(counts, false, |u, v| {
                    let mut p = DVec3::ZERO;
                    (p[axis], p[a], p[b]) = (sign * half[axis], (2.0 * u - 1.0) * half[a], (2.0 * v - 1.0) * half[b]);
                    (center, p.normalize())
                });
            }
        }
    }
}
