//! Taylor bounds along a ray: value and slope where a stretch begins, and bounds on the remainder over it.
//!
//! *The idea*: the second derivative of a kernel of a distance is bounded in closed form by that of the kernel and that of
//! the distance. Bounds of second order become exact as the square of the stretch, so a search along a ray takes a few
//! stretches where bounds of the value alone would take thousands.
//! *Not promised*: second order beside the creases of a bent skeleton (polyline, curve, mesh, patch); there the greatest
//! slope bounds the field.

use super::skeleton::{Distance, Neighbourhood};
use super::{Element, Kernel, Posed, Sample, Source};
use crate::math::{Aabb, DVec3, Interval};

/// Bound on the distance of a function from its tangent, on one side: `slope·x + ½ second·x²` after `x` metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Remainder {
    /// Per metre, not negative.
    pub slope: f64,
    /// Per metre squared, not negative.
    pub second: f64,
}

impl Remainder {
    fn plus(self, factor: f64, other: Self) -> Self {
        Self { slope: self.slope + factor * other.slope, second: self.second + factor * other.second }
    }
}

/// A function on a stretch of a ray: its tangent where the stretch begins, and remainders.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct TaylorBound {
    /// Value where the stretch begins.
    pub value: f64,
    /// Slope there, per metre.
    pub slope: f64,
    /// Remainder above the tangent.
    pub up: Remainder,
    /// Remainder below it.
    pub down: Remainder,
}

impl TaylorBound {
    /// `self + factor · other`.
    pub fn plus(&self, factor: f64, other: &Self) -> Self {
        let size = factor.abs();
        let (up, down) = if factor >= 0.0 { (other.up, other.down) } else { (other.down, other.up) };
        Self {
            value: self.value + factor * other.value,
            slope: self.slope + factor * other.slope,
            up: self.up.plus(size, up),
            down: self.down.plus(size, down),
        }
    }

    /// Greatest change of the value on a stretch of `length`.
    pub fn max_change(&self, length: f64) -> f64 {
        let extra = self.up.slope.max(self.down.slope);
        (self.slope.abs() + extra) * length + 0.5 * self.up.second.max(self.down.second) * length * length
    }

    /// Least and greatest value on a stretch of `length`: parabolas that are extreme at its ends.
    pub fn range(&self, length: f64) -> (f64, f64) {
        let end = |slope: f64, second: f64| (slope + 0.5 * second * length) * length;
        let low = end(self.slope - self.down.slope, -self.down.second).min(0.0);
        let high = end(self.slope + self.up.slope, self.up.second).max(0.0);
        (self.value + low, self.value + high)
    }

    /// The length after which the function may first reach `level`, at most `length`.
    pub fn safe(&self, level: f64, length: f64) -> f64 {
        let below = level - self.value;
        if below.is_nan() || below <= 0.0 {
            return 0.0;
        }
        let (slope, half) = (self.slope + self.up.slope, 0.5 * self.up.second);
        // The first positive root of slope x + half x² = below, in the form that does not cancel.
        let root = (slope * slope + 4.0 * half * below).sqrt();
        let by = slope + root;
        if by * length > 2.0 * below { 2.0 * below / by } else { length }
    }
}

/// A distance along a stretch.
struct DistanceAlong {
    /// Where the stretch begins.
    distance: f64,
    /// There, per metre.
    slope: f64,
    /// Least distance on the stretch.
    least: f64,
    /// Of the stretch, metres.
    length: f64,
    /// Range of the second derivative; infinite if unknown.
    curvature: Interval,
    /// Greatest rate of change, per metre.
    lipschitz: f64,
}

impl Kernel {
    /// Bounds of the kernel of a distance along a stretch.
    fn taylor_bound(&self, along: &DistanceAlong) -> TaylorBound {
        let &DistanceAlong { distance, least, length, curvature, lipschitz, .. } = along;
        if least >= self.radius() {
            return TaylorBound::default();
        }
        let greatest = distance + lipschitz * length;
        let (value, rate) = self.value_and_slope(distance);
        let (low, high) = self.second_derivative_range(least, greatest);
        let steepest = self.greatest_slope(least, greatest);
        let slope = rate * along.slope;
        // F'' d'² + F' d'', with F' ≤ 0.
        let remainder = |second: f64, against: f64, slope: f64| {
            let second = second.max(0.0) * (lipschitz * lipschitz) + steepest * against.max(0.0);
            let smooth = Remainder { slope: 0.0, second };
            let rough = Remainder { slope: (steepest * lipschitz - slope).max(0.0), second: 0.0 };
            // Written so that what is not a number is rough.
            if 0.5 * smooth.second * length <= rough.slope { smooth } else { rough }
        };
        let (up, down) = (remainder(high, -curvature.lo, slope), remainder(-low, curvature.hi, -slope));
        TaylorBound { value, slope, up, down }
    }
}

impl Element {
    /// The contribution on the stretch of `length` from `p` along the unit vector `along`.
    pub(crate) fn taylor_bound(&self, p: DVec3, along: DVec3, length: f64) -> TaylorBound {
        let jet = match &self.source {
            Source::Distance(skeleton, kernel) => {
                let near = skeleton.nearest(p);
                let slope = near.direction.dot(along);
                // A convex distance lies above its tangent; any changes by at most its Lipschitz constant per metre.
                let known = skeleton.is_convex() && near.direction != DVec3::ZERO;
                let lipschitz = skeleton.lipschitz();
                let fall = if known { (-slope).clamp(0.0, lipschitz) } else { lipschitz };
                let low = near.distance - fall * length;
                let least = if skeleton.is_volume() { low } else { low.max(0.0) };
                if least >= kernel.radius() {
                    return TaylorBound::default();
                }
                let around = Neighbourhood { center: p, radius: length, min_distance: least };
                let curvature = skeleton.curvature_range(&around);
                let distance = near.distance;
                kernel.taylor_bound(&DistanceAlong { distance, slope, least, length, curvature, lipschitz })
            }
            Source::Convolution(convolution) => {
                let Sample { value, gradient } = convolution.sample(p);
                let (down, up) = convolution.second_derivative_bounds(p, length);
                let remainder = |second: f64| Remainder { slope: 0.0, second };
                TaylorBound { value, slope: gradient.dot(along), up: remainder(up), down: remainder(down) }
            }
        };
        TaylorBound::default().plus(self.strength, &jet)
    }
}

impl Posed<'_> {
    /// The field on a stretch; see [`Element::taylor_bound`].
    pub(crate) fn taylor_bound(&self, p: DVec3, along: DVec3, length: f64) -> TaylorBound {
        match self.elements_near(|| Aabb::of_points([p, p + length * along])) {
            Some(near) => self.taylor_bound_of(near.into_iter().map(|i| i as usize), p, along, length),
            None => self.taylor_bound_of(0..self.shape.elements().len(), p, along, length),
        }
    }

    /// The sum over the elements of these numbers.
    pub(crate) fn taylor_bound_of(
        &self,
        elements: impl Iterator<Item = usize>,
        p: DVec3,
        along: DVec3,
        length: f64,
    ) -> TaylorBound {
        let all = self.shape.elements();
        if self.is_rigid() {
            let (p, along) = (self.to_body(p), self.vector_to_body(along));
            return elements
                .fold(TaylorBound::default(), |sum, i| sum.plus(1.0, &all[i].taylor_bound(p, along, length)));
        }
        elements.fold(TaylorBound::default(), |sum, i| {
            let link = self.link_of(i);
            sum.plus(1.0, &all[i].taylor_bound(link.point_to_link(p), link.vector_to_link(along), length))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::skeleton::*;
    use crate::fields::{Convolution, Curve, Profile};
    use crate::math::Random;

    fn elements() -> Vec<Element> {
        let (a, b, c) = (DVec3::new(-0.5, 0.1, 0.2), DVec3::new(0.6, 0.3, -0.1), DVec3::new(0.1, -0.5, 0.3));
        let curve = Curve::new(&[(0.0, 0.0), (0.05, 0.1), (0.1, 0.6), (0.25, 3.0)]).unwrap();
        let profiles = [
            Profile::Linear,
            Profile::NonLinear,
            Profile::Hardening,
            Profile::Measured(curve.into()),
            Profile::Metaball,
        ];
        let skeletons: [Skeleton; 10] = [
            Point { at: a }.into(),
            Segment::new(a, b).unwrap().into(),
            Polyline::new([a, b, c]).unwrap().into(),
            SmoothCurve::new([a, b, c], true).unwrap().into(),
            Triangle::new(a, b, c).unwrap().into(),
            Disc::new(a, b, 0.4).unwrap().into(),
            Circle::new(a, b, 0.4).unwrap().into(),
            Ball::new(a, 0.2).unwrap().into(),
            Cuboid::new(a, DVec3::new(0.2, 0.3, 0.1)).unwrap().into(),
            HalfSpace::new(a, b).unwrap().into(),
        ];
        let kernel = |p: &Profile| Kernel::new(p.clone(), 1.0, (0.3, 2.5, 0.7)).unwrap();
        let mut all: Vec<Element> = Vec::new();
        for skeleton in skeletons {
            all.extend(profiles.iter().map(|p| Element::new(skeleton.clone(), kernel(p))));
        }
        for k in [5.0f64, 8.0] {
            // Legal slopes are 5 to 9 (6 to 10) times c t/(R² − t²).
            let size = |least: f64| (0.3, k.max(least) * 0.3 / 0.4, 0.7);
            let convolutions = [
                Convolution::segments(&[(a, b), (b, c)], 1.0, size(5.0)).unwrap(),
                Convolution::triangles(&[[a, b, c]], 1.0, size(6.0)).unwrap(),
            ];
            all.extend(convolutions.map(|c| Element { source: Source::Convolution(c), strength: 1.0 }));
        }
        let mut taken: Vec<Element> = all.clone();
        taken.iter_mut().for_each(|e| e.strength = -0.6);
        all.extend(taken);
        all
    }

    #[test]
    fn fields_stay_within_their_tangents_and_second_derivatives() {
        for (number, element) in elements().iter().enumerate() {
            let mut random = Random(0xBEAD);
            for turn in 0..400 {
                let p = random.vector();
                let along = random.vector().normalize();
                let length = 2.0 * 10f64.powf(-4.0 * random.unit());
                let jet = element.taylor_bound(p, along, length);
                let here = element.sample(p);
                // Hardening curves reach millions inside a volume.
                let rounding = 1e-11 * (1.0 + jet.value.abs() + jet.slope.abs());
                assert!((jet.value - here.value).abs() <= rounding, "element {number}: {jet:?} for {here:?}");
                assert!(
                    (jet.slope - here.gradient.dot(along)).abs() <= 1e2 * rounding,
                    "element {number}: {jet:?} for {here:?}"
                );
                let (low, high) = jet.range(length);
                for i in 0..=40 {
                    let x = length * f64::from(i) / 40.0;
                    let value = element.sample(p + x * along).value;
                    let tangent = jet.value + jet.slope * x;
                    let by = |leave: Remainder| leave.slope * x + 0.5 * leave.second * x * x + rounding;
                    assert!(
                        value <= tangent + by(jet.up) && value >= tangent - by(jet.down),
                        "element {number}, turn {turn}: {value} at {x} of {length}, {jet:?}"
                    );
                    assert!(
                        value >= low - rounding
                            && value <= high + rounding
                            && (value - jet.value).abs() <= jet.max_change(length) + rounding
                    );
                }
                let level = jet.value + random.unit();
                let safe = jet.safe(level, length);
                for i in 0..=20 {
                    let value = element.sample(p + safe * f64::from(i) / 20.0 * along).value;
                    assert!(
                        value <= level + rounding,
                        "element {number}, turn {turn}: {value} above {level} before {safe}"
                    );
                }
            }
        }
    }
}
