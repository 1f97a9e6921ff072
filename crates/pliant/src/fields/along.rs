//! A field along a stretch of a line: value and slope where it begins, and how far it may leave that tangent.
//!
//! *The idea*: a curve of a distance bends by no more than its own second derivative and that of the distance allow, and
//! both are bounded in closed form. Bounds of second order become exact as the square of the stretch, so a search along a
//! ray takes a few stretches where bounds of the value alone would take thousands.
//! *Not promised*: second order beside the creases of a bent skeleton (polyline, curve, mesh, patch); there the greatest
//! slope bounds the field.

use super::skeleton::{Distance, Neighbourhood};
use super::{Element, Kernel, Posed, Sample, Source};
use crate::math::{Aabb, DVec3, Interval};

/// How far a function may leave its tangent on one side: by at most `kink·x + ½ bend·x²` after `x` metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Leave {
    /// Per metre, not negative.
    pub kink: f64,
    /// Per metre squared, not negative.
    pub bend: f64,
}

impl Leave {
    fn plus(self, factor: f64, other: Self) -> Self {
        Self { kink: self.kink + factor * other.kink, bend: self.bend + factor * other.bend }
    }
}

/// A function on a stretch that begins here.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Jet {
    /// Where the stretch begins.
    pub value: f64,
    /// There, per metre.
    pub slope: f64,
    /// Above the tangent.
    pub up: Leave,
    /// Below it.
    pub down: Leave,
}

impl Jet {
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

    /// No change on a stretch of `length` is greater.
    pub fn most_change(&self, length: f64) -> f64 {
        let kink = self.up.kink.max(self.down.kink);
        (self.slope.abs() + kink) * length + 0.5 * self.up.bend.max(self.down.bend) * length * length
    }

    /// Least and greatest value on a stretch of `length`: parabolas that are extreme at its ends.
    pub fn range(&self, length: f64) -> (f64, f64) {
        let end = |slope: f64, bend: f64| (slope + 0.5 * bend * length) * length;
        let low = end(self.slope - self.down.kink, -self.down.bend).min(0.0);
        let high = end(self.slope + self.up.kink, self.up.bend).max(0.0);
        (self.value + low, self.value + high)
    }

    /// The length after which the function may first reach `level`, at most `length`.
    pub fn safe(&self, level: f64, length: f64) -> f64 {
        let room = level - self.value;
        if room.is_nan() || room <= 0.0 {
            return 0.0;
        }
        let (slope, half) = (self.slope + self.up.kink, 0.5 * self.up.bend);
        // The first positive root of slope x + half x² = room, in the form that does not cancel.
        let root = (slope * slope + 4.0 * half * room).sqrt();
        let by = slope + root;
        if by * length > 2.0 * room { 2.0 * room / by } else { length }
    }
}

impl Kernel {
    /// Bounds along a stretch on which the distance begins as `distance`, grows by at most one per metre, and stays
    /// within `low..`; `slope` is that of the distance. `turn` bounds the second derivative of the distance from below and
    /// above; infinite if unknown.
    fn along(&self, (distance, slope): (f64, f64), (low, length): (f64, f64), turn: Interval) -> Jet {
        let high = distance + length;
        if low >= self.radius() {
            return Jet::default();
        }
        let (value, rate) = self.value_and_slope(distance);
        let (least, most) = self.bends(low, high);
        let steepest = self.steepest(low, high);
        let slope = rate * slope;
        // F'' d'² + F' d'', with F' ≤ 0.
        let leave = |bend: f64, against: f64, slope: f64| {
            let smooth = Leave { kink: 0.0, bend: bend.max(0.0) + steepest * against.max(0.0) };
            let rough = Leave { kink: (steepest - slope).max(0.0), bend: 0.0 };
            // Written so that what is not a number is rough.
            if 0.5 * smooth.bend * length <= rough.kink { smooth } else { rough }
        };
        Jet { value, slope, up: leave(most, -turn.lo, slope), down: leave(-least, turn.hi, -slope) }
    }
}

impl Element {
    /// The contribution on the stretch of `length` from `p` along the unit vector `along`.
    pub(crate) fn along(&self, p: DVec3, along: DVec3, length: f64) -> Jet {
        let jet = match &self.source {
            Source::Distance(skeleton, kernel) => {
                let near = skeleton.nearest(p);
                let slope = near.direction.dot(along);
                // A convex distance lies above its tangent; any changes by at most one per metre.
                let known = skeleton.is_convex() && near.direction != DVec3::ZERO;
                let fall = if known { (-slope).clamp(0.0, 1.0) } else { 1.0 };
                let low = near.distance - fall * length;
                let low = if skeleton.is_volume() { low } else { low.max(0.0) };
                if low >= kernel.radius() {
                    return Jet::default();
                }
                let around = Neighbourhood { center: p, radius: length, least_distance: low };
                kernel.along((near.distance, slope), (low, length), skeleton.curvature_range(&around))
            }
            Source::Convolution(convolution) => {
                let Sample { value, gradient } = convolution.sample(p);
                let (down, up) = convolution.bends(p, length);
                let leave = |bend: f64| Leave { kink: 0.0, bend };
                Jet { value, slope: gradient.dot(along), up: leave(up), down: leave(down) }
            }
        };
        Jet::default().plus(self.strength, &jet)
    }
}

impl Posed<'_> {
    /// The field on a stretch; see [`Element::along`].
    pub(crate) fn along(&self, p: DVec3, along: DVec3, length: f64) -> Jet {
        match self.elements_near(|| Aabb::of_points([p, p + length * along])) {
            Some(near) => self.along_of(near.into_iter().map(|i| i as usize), p, along, length),
            None => self.along_of(0..self.shape.elements().len(), p, along, length),
        }
    }

    /// What the elements of these numbers give to it.
    pub(crate) fn along_of(&self, elements: impl Iterator<Item = usize>, p: DVec3, along: DVec3, length: f64) -> Jet {
        let all = self.shape.elements();
        if self.is_rigid() {
            let (p, along) = (self.to_body(p), self.vector_to_body(along));
            return elements.fold(Jet::default(), |sum, i| sum.plus(1.0, &all[i].along(p, along, length)));
        }
        elements.fold(Jet::default(), |sum, i| {
            let link = self.link_of(i);
            sum.plus(1.0, &all[i].along(link.point_to_link(p), link.vector_to_link(along), length))
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
        let profiles =
            [Profile::Linear, Profile::NonLinear, Profile::Hardening, Profile::Drawn(curve.into()), Profile::Metaball];
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
            // Legal stiffnesses are 5 to 9 (6 to 10) times c t/(R² − t²).
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
    fn fields_stay_within_their_tangents_and_bends() {
        for (number, element) in elements().iter().enumerate() {
            let mut random = Random(0xBEAD);
            for turn in 0..400 {
                let p = random.vector();
                let along = random.vector().normalize();
                let length = 2.0 * 10f64.powf(-4.0 * random.unit());
                let jet = element.along(p, along, length);
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
                    let by = |leave: Leave| leave.kink * x + 0.5 * leave.bend * x * x + rounding;
                    assert!(
                        value <= tangent + by(jet.up) && value >= tangent - by(jet.down),
                        "element {number}, turn {turn}: {value} at {x} of {length}, {jet:?}"
                    );
                    assert!(
                        value >= low - rounding
                            && value <= high + rounding
                            && (value - jet.value).abs() <= jet.most_change(length) + rounding
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
