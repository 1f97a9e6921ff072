//! A culled field at four points at once: SIMD lanes over points.

use super::blocks::Block;
use super::passes::Near;
use super::{CulledField, Other};
use crate::fields::Sample;
use crate::fields::element::{Element, Source};
use crate::fields::kernel::LaneFormula;
use crate::fields::kernel_formulas::{KernelFormula, Linear, Metaball, NonLinear, RadialFormula};
use crate::fields::skeleton::{Distance, FourPoints};
use crate::math::lanes::{Pass, widest};
use crate::math::{Aabb, DVec3};

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
    fn run(self) -> FourSamples {
        let mut sum = [[0.0; 4]; 4];
        let lanes = &self.field.lanes;
        self.add::<Linear>(&lanes.linear.all, self.near[0], &mut sum);
        self.add::<NonLinear>(&lanes.non_linear.all, self.near[1], &mut sum);
        self.add::<Metaball>(&lanes.metaball.all, self.near[2], &mut sum);
        for other in &self.field.others {
            match other {
                Other::Here(element) => add_element(element, self.points, &mut sum),
                Other::There(element, there_from_here, here_from_there) => {
                    let turned = [DVec3::X, DVec3::Y, DVec3::Z].map(|e| here_from_there.vector(e).to_array());
                    let at = there_from_here.translation.to_array();
                    let mut there = [[0.0; 4]; 3];
                    for (axis, e) in turned.iter().enumerate() {
                        let [x, y, z] = self.points;
                        there[axis] = std::array::from_fn(|j| e[0] * x[j] + e[1] * y[j] + e[2] * z[j] + at[axis]);
                    }
                    let mut own = [[0.0; 4]; 4];
                    add_element(element, &there, &mut own);
                    for j in 0..4 {
                        sum[0][j] += own[0][j];
                        for axis in 0..3 {
                            sum[1 + axis][j] +=
                                turned[0][axis] * own[1][j] + turned[1][axis] * own[2][j] + turned[2][axis] * own[3][j];
                        }
                    }
                }
            }
        }
        let [value, x, y, z] = sum;
        FourSamples { value, gradient: [x, y, z] }
    }
}

impl<const CULLED: bool> SampleFour<'_, '_, CULLED> {
    #[inline(always)]
    fn add<L: KernelFormula>(&self, blocks: &[Block], near: &[u32], sum: &mut [[f64; 4]; 4]) {
        let points = self.points;
        for k in 0..if CULLED { near.len() } else { blocks.len() } {
            let block = &blocks[if CULLED { near[k] as usize } else { k }];
            for i in 0..block.used {
                for j in 0..4 {
                    let [x, y, z] = block.offset(i, &[points[0][j], points[1][j], points[2][j]]);
                    let (value, slope_by_r) = block.curve::<L>(i, x * x + y * y + z * z);
                    let by_r = block.strength[i] * slope_by_r;
                    sum[0][j] += block.strength[i] * value;
                    sum[1][j] += by_r * x;
                    sum[2][j] += by_r * y;
                    sum[3][j] += by_r * z;
                }
            }
        }
    }
}

/// Adds the contribution of an element that is no point or segment.
#[inline(always)]
fn add_element(element: &Element, points: &FourPoints, sum: &mut [[f64; 4]; 4]) {
    if let Source::Distance(skeleton, kernel) = &element.source
        && let Some(formula) = kernel.lane_formula()
        && let Some(near) = skeleton.nearest_four(points)
    {
        let k = kernel.coefficients();
        let (mut value, mut slope) = ([0.0; 4], [0.0; 4]);
        match formula {
            LaneFormula::Linear => (0..4).for_each(|j| (value[j], slope[j]) = Linear::at(k, near.distance[j])),
            LaneFormula::NonLinear => (0..4).for_each(|j| (value[j], slope[j]) = NonLinear::at(k, near.distance[j])),
            LaneFormula::Metaball => (0..4).for_each(|j| {
                let r = if near.distance[j] > 0.0 { near.distance[j] } else { 0.0 };
                let (v, by_r) = Metaball::at_sq(k, r * r);
                (value[j], slope[j]) = (v, by_r * r);
            }),
        }
        for j in 0..4 {
            sum[0][j] += element.strength * value[j];
            for axis in 0..3 {
                sum[1 + axis][j] += element.strength * slope[j] * near.direction[axis][j];
            }
        }
        return;
    }
    for j in 0..4 {
        let s = element.sample(DVec3::new(points[0][j], points[1][j], points[2][j]));
        sum[0][j] += s.value;
        for axis in 0..3 {
            sum[1 + axis][j] += s.gradient[axis];
        }
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
