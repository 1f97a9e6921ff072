//! Boxes and intervals: what guaranteed bounds are stated over.

use super::{DQuat, DVec3, Frame};

/// A closed range of reals, `lo ≤ hi`; either end may be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Least value.
    pub lo: f64,
    /// Greatest value.
    pub hi: f64,
}

impl Interval {
    /// The range from `lo` to `hi`.
    pub const fn new(lo: f64, hi: f64) -> Self {
        Self { lo, hi }
    }

    /// Whether `x` lies in the range.
    pub fn contains(&self, x: f64) -> bool {
        self.lo <= x && x <= self.hi
    }
}

/// A box along the axes; may be infinite (a half-space's) or empty (`min > max` somewhere).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Least corner.
    pub min: DVec3,
    /// Greatest corner.
    pub max: DVec3,
}

impl Aabb {
    /// Contains nothing; grows from here.
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };
    /// Contains everything.
    pub const EVERYTHING: Self = Self { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };

    /// The smallest box around points.
    pub fn of_points(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self { min: b.min.min(p), max: b.max.max(p) })
    }

    /// A cube around `center` reaching `radius` each way.
    pub fn around(center: DVec3, radius: f64) -> Self {
        Self { min: center - DVec3::splat(radius), max: center + DVec3::splat(radius) }
    }

    /// The corner farthest along `direction`.
    pub fn farthest(&self, direction: DVec3) -> DVec3 {
        DVec3::select(direction.cmpge(DVec3::ZERO), self.max, self.min)
    }

    /// Grown by `margin` on every side.
    pub fn grown(&self, margin: f64) -> Self {
        Self { min: self.min - DVec3::splat(margin), max: self.max + DVec3::splat(margin) }
    }

    /// Distance from `p` to the farthest corner.
    pub fn farthest_from(&self, p: DVec3) -> f64 {
        (self.max - p).abs().max((self.min - p).abs()).length()
    }

    /// The smallest box around both.
    pub fn union(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The part that both contain; may be empty.
    pub fn intersection(&self, other: &Self) -> Self {
        Self { min: self.min.max(other.min), max: self.max.min(other.max) }
    }

    /// Whether nothing is inside.
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// Whether every side is finite.
    pub fn is_finite(&self) -> bool {
        self.min.is_finite() && self.max.is_finite()
    }

    /// Whether the two boxes share a point.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// Whether `p` is inside or on the border.
    pub fn contains(&self, p: DVec3) -> bool {
        self.min.cmple(p).all() && p.cmple(self.max).all()
    }

    /// Middle of a finite box.
    pub fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    /// Edge lengths.
    pub fn size(&self) -> DVec3 {
        self.max - self.min
    }

    /// The axis-aligned box around this one moved by `frame`; infinite boxes stay infinite.
    pub fn moved(&self, frame: &Frame) -> Self {
        if self.is_empty() {
            return *self;
        }
        if !self.is_finite() {
            if frame.rotation == DQuat::IDENTITY {
                return Self { min: self.min + frame.translation, max: self.max + frame.translation };
            }
            return Self::EVERYTHING;
        }
        let half = 0.5 * self.size();
        let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|e| frame.vector(e).abs());
        let reach = axes[0] * half.x + axes[1] * half.y + axes[2] * half.z;
        let center = frame.point(self.center());
        Self { min: center - reach, max: center + reach }
    }
}

/// A box that may be turned: a centre, three orthogonal unit axes and how far it reaches along each.
/// Fields bound themselves over cells, so that a body's frame never loosens a bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Middle.
    pub center: DVec3,
    /// Orthogonal unit vectors.
    pub axes: [DVec3; 3],
    /// Half the edge along each axis, metres.
    pub half: DVec3,
}

impl Cell {
    /// Distance from the middle to a corner.
    pub fn radius(&self) -> f64 {
        self.half.length()
    }

    /// Vectors from the middle to three face centres.
    pub fn half_axes(&self) -> [DVec3; 3] {
        [self.axes[0] * self.half.x, self.axes[1] * self.half.y, self.axes[2] * self.half.z]
    }

    /// The axis-aligned box around the cell.
    pub fn bounds(&self) -> Aabb {
        let [x, y, z] = self.half_axes().map(|a| a.abs());
        let reach = x + y + z;
        Aabb { min: self.center - reach, max: self.center + reach }
    }

    /// This cell seen from another frame: pass `inner_from_outer`.
    pub fn moved(&self, frame: &Frame) -> Self {
        Self { center: frame.point(self.center), axes: self.axes.map(|a| frame.vector(a)), half: self.half }
    }

    /// Half the extent along the unit vector `n`.
    pub fn half_extent(&self, n: DVec3) -> f64 {
        DVec3::new(self.axes[0].dot(n), self.axes[1].dot(n), self.axes[2].dot(n)).abs().dot(self.half)
    }

    /// Exact range of distances from `p` to points of the cell.
    pub fn distance_range(&self, p: DVec3) -> Interval {
        let v = self.offset(p);
        let slack = self.slack(p);
        Interval::new(((v - self.half).max(DVec3::ZERO).length() - slack).max(0.0), (v + self.half).length() + slack)
    }

    /// The least distance from `p` to a point of the cell.
    pub fn distance_to(&self, p: DVec3) -> f64 {
        ((self.offset(p) - self.half).max(DVec3::ZERO).length() - self.slack(p)).max(0.0)
    }

    /// Bound on the rounding error of a distance to `p`.
    fn slack(&self, p: DVec3) -> f64 {
        8.0 * f64::EPSILON * (self.center.abs() + p.abs() + self.half).max_element()
    }

    fn offset(&self, p: DVec3) -> DVec3 {
        let v = p - self.center;
        DVec3::new(self.axes[0].dot(v), self.axes[1].dot(v), self.axes[2].dot(v)).abs()
    }
}

impl From<Aabb> for Cell {
    fn from(b: Aabb) -> Self {
        Self { center: b.center(), axes: [DVec3::X, DVec3::Y, DVec3::Z], half: 0.5 * b.size() }
    }
}
