//! A culled field at four points at once: SIMD lanes over points.

use super::blocks::Block;
use super::passes::Near;
use super::{CulledField, Other};
use crate::fields::Sample;
use crate::fields::element::{Element, Source};
use crate::fields::kernel::LaneFormula;
use crate::fields::kernel_formulas::{KernelFormula, Linear, Metaball, NonLinear, RadialFormula};
use crate::fields::skeleton::Distance;
use crate::math::lanes::{Pass, widest};
use crate::math::real::{FourLanes, dot, eight, vector};
use crate::math::{Aabb, DVec3};

/// Four points, structure of arrays.
pub(crate) type FourPoints = [[f64; 4]; 3];

/// Values and gradients at four points, structure of arrays.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FourSamples {
    pub value: [f64; 4],
    pub gradient: FourPoints,
}

impl FourSamples {
    /// The sample at point `j`.
    #[inline]
    pub fn sample(&self, j: usize) -> Sample {
        Sample {
            value: self.value[j],
            gradient: DVec3::new(self.gradient[0][j], self.gradient[1][j], self.gradient[2][j]),
        }
    }
}

impl CulledField<'_> {
    /// Values and gradients at four points.
    pub fn sample_four(&self, points: &FourPoints) -> FourSamples {
        let around = || Aabb::of_points((0..4).map(|j| DVec3::new(points[0][j], points[1][j], points[2][j])));
        match self.blocks_near(around) {
            None => widest(SampleFour::<false> { field: self, near: [&[]; 3], points }),
            Some([a, b, c]) => widest(SampleFour::<true> { field: self, near: [&a, &b, &c], points }),
        }
    }
}

struct SampleFour<'a, 'f, const CULLED: bool> {
    field: &'a CulledField<'f>,
    near: Near<'a>,
    points: &'a FourPoints,
}

impl<const CULLED: bool> Pass for SampleFour<'_, '_, CULLED> {
    type Output = FourSamples;

    #[inline(always)]
    fn run<V: FourLanes>(self) -> FourSamples {
        let (mut sum, lanes) = ([V::all(0.0); 4], &self.field.lanes);
        let points = [V::of(&self.points[0]), V::of(&self.points[1]), V::of(&self.points[2])];
        add_blocks::<Linear, V, CULLED>(&lanes.linear.all, self.near[0], points, &mut sum);
        add_blocks::<NonLinear, V, CULLED>(&lanes.non_linear.all, self.near[1], points, &mut sum);
        add_blocks::<Metaball, V, CULLED>(&lanes.metaball.all, self.near[2], points, &mut sum);
        for other in &self.field.others {
            match other {
                Other::Here(element) => add_element(element, points, &mut sum),
                Other::There(element, there_from_here, here_from_there) => {
                    let turn = here_from_there.rotation;
                    let [ex, ey, ez]: [[V; 3]; 3] =
                        [vector(turn * DVec3::X), vector(turn * DVec3::Y), vector(turn * DVec3::Z)];
                    let at = vector(there_from_here.translation);
                    let there = [dot(ex, points) + at[0], dot(ey, points) + at[1], dot(ez, points) + at[2]];
                    let mut own = [V::all(0.0); 4];
                    add_element(element, there, &mut own);
                    sum[0] = sum[0] + own[0];
                    for k in 0..3 {
                        sum[1 + k] = sum[1 + k] + dot([ex[k], ey[k], ez[k]], [own[1], own[2], own[3]]);
                    }
                }
            }
        }
        let [value, x, y, z] = sum;
        FourSamples { value: value.to_array(), gradient: [x.to_array(), y.to_array(), z.to_array()] }
    }
}

/// Adds points and segments of one kernel formula.
#[inline(always)]
fn add_blocks<K: KernelFormula, V: FourLanes, const CULLED: bool>(
    blocks: &[Block],
    near: &[u32],
    points: [V; 3],
    sum: &mut [V; 4],
) {
    for k in 0..if CULLED { near.len() } else { blocks.len() } {
        let block = &blocks[if CULLED { near[k] as usize } else { k }];
        for i in 0..block.used {
            block.element::<V>(i).add::<K>(points, sum);
        }
    }
}

/// Adds the contribution of an element that is no point or segment.
#[inline(always)]
fn add_element<V: FourLanes>(element: &Element, points: [V; 3], sum: &mut [V; 4]) {
    if let Source::Distance(skeleton, kernel) = &element.source
        && let Some(formula) = kernel.lane_formula()
        && let Some(near) = skeleton.nearest_four(points)
    {
        let k = eight(kernel.coefficients());
        let (value, slope) = match formula {
            LaneFormula::Linear => Linear::at(&k, near.distance),
            LaneFormula::NonLinear => NonLinear::at(&k, near.distance),
            LaneFormula::Metaball => {
                let r = near.distance.larger(V::all(0.0));
                let (value, by_r) = Metaball::at_sq(&k, r * r);
                (value, by_r * r)
            }
        };
        let (strength, d) = (V::all(element.strength), near.direction);
        let slope = strength * slope;
        *sum = [sum[0] + strength * value, sum[1] + slope * d[0], sum[2] + slope * d[1], sum[3] + slope * d[2]];
        return;
    }
    let (at, mut samples) = ([points[0].to_array(), points[1].to_array(), points[2].to_array()], [[0.0; 4]; 4]);
    for j in 0..4 {
        let s = element.sample(DVec3::new(at[0][j], at[1][j], at[2][j]));
        let numbers = [s.value, s.gradient.x, s.gradient.y, s.gradient.z];
        samples.iter_mut().zip(numbers).for_each(|(to, x)| to[j] = x);
    }
    for k in 0..4 {
        sum[k] = sum[k] + V::of(&samples[k]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::skeleton::{Circle, Cuboid, Disc, HalfSpace, Point, Segment};
    use crate::fields::{Kernel, KernelParameters, Posed, Profile, Shape, Skeleton};
    use crate::math::{DQuat, Frame, Random};

    /// Sums are in another order, so that the last digits may differ: 1e-12 of slopes of about 10 per metre.
    #[test]
    fn four_points_at_once_have_the_samples_of_each() {
        let skeletons: Vec<Skeleton> = vec![
            Point { at: 0.02 * DVec3::X }.into(),
            Segment::new(-0.1 * DVec3::Y, 0.1 * DVec3::X).unwrap().into(),
            Circle::new(0.01 * DVec3::Z, DVec3::new(1.0, 2.0, 3.0), 0.08).unwrap().into(),
            Cuboid::new(0.03 * DVec3::Y, DVec3::new(0.02, 0.05, 0.03)).unwrap().into(),
            HalfSpace::new(-0.1 * DVec3::Z, DVec3::new(0.1, 0.0, 1.0)).unwrap().into(),
            Disc::new(DVec3::ZERO, DVec3::X, 0.05).unwrap().into(),
        ];
        let at = Frame { rotation: DQuat::from_rotation_x(0.7), translation: DVec3::new(0.3, -0.2, 0.1) };
        let world_from_here = Frame { rotation: DQuat::from_rotation_y(0.4), translation: at.translation };
        let mut random = Random(7);
        for profile in [Profile::Linear, Profile::NonLinear, Profile::Metaball, Profile::Hardening] {
            let size = KernelParameters { thickness: 0.1, slope: None, radius: 0.25 };
            let kernel = Kernel::new(profile.clone(), 1.0, size).unwrap();
            let elements = skeletons.iter().map(|s| Element::new(s.clone(), kernel.clone())).collect();
            let shape = Shape::new(elements, 1.0);
            let within = Aabb::around(DVec3::ZERO, 0.3);
            let field = CulledField::new(&Posed::rigid(&shape, at), &world_from_here, &within);
            for _ in 0..50 {
                let points = [0; 4].map(|_| 0.2 * random.vector());
                let four = field.sample_four(&std::array::from_fn(|axis| points.map(|p| p[axis])));
                for (j, p) in points.into_iter().enumerate() {
                    let (got, expected) = (four.sample(j), field.sample(p));
                    let off = (got.value - expected.value).abs().max((got.gradient - expected.gradient).length());
                    assert!(off <= 1e-11, "{profile:?} at {p}: {got:?}, not {expected:?}");
                }
            }
        }
    }
}
