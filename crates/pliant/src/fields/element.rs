//! One contribution to a field: a skeleton with its curve, or a convolution, times a strength.

use super::{Convolution, Kernel, Sample, Skeleton, skeleton::Distance};
use crate::math::{Aabb, Cell, DVec3, Interval};

/// Where a contribution comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// `F(d(P, s))`: a distance surface.
    Distance(Skeleton, Kernel),
    /// `∫ h(|P − Q|) dQ`: a convolution surface.
    Convolution(Convolution),
}

/// A skeleton's contribution, in the frame of the body.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// The field before scaling.
    pub source: Source,
    /// Multiplies the contribution; 1 unless several skeletons share one place.
    pub strength: f64,
}

impl Element {
    /// A distance surface of full strength.
    pub fn new(skeleton: Skeleton, kernel: Kernel) -> Self {
        Self { source: Source::Distance(skeleton, kernel), strength: 1.0 }
    }

    /// Value and gradient at `p`.
    pub fn sample(&self, p: DVec3) -> Sample {
        match &self.source {
            Source::Distance(skeleton, kernel) => {
                let near = skeleton.nearest(p);
                let (value, slope) = kernel.value_and_slope(near.distance);
                Sample { value: self.strength * value, gradient: (self.strength * slope) * near.direction }
            }
            Source::Convolution(convolution) => {
                let s = convolution.sample(p);
                Sample { value: self.strength * s.value, gradient: self.strength * s.gradient }
            }
        }
    }

    /// A range that contains every value in `cell`.
    pub fn bounds(&self, cell: &Cell) -> Interval {
        let range = match &self.source {
            Source::Distance(skeleton, kernel) => kernel.range(skeleton.distance_range(cell)),
            Source::Convolution(convolution) => convolution.bounds(cell),
        };
        Interval::new(self.strength * range.lo, self.strength * range.hi)
    }

    /// The upper end of [`Element::bounds`].
    pub fn upper_bound(&self, cell: &Cell) -> f64 {
        match &self.source {
            Source::Distance(skeleton, kernel) => self.strength * kernel.value(skeleton.least_distance(cell)),
            Source::Convolution(_) => self.bounds(cell).hi,
        }
    }

    /// Thickness `t`: how far the surface lies from the skeleton where nothing else contributes.
    pub fn thickness(&self) -> f64 {
        match &self.source {
            Source::Distance(_, kernel) => kernel.thickness(),
            Source::Convolution(convolution) => convolution.thickness(),
        }
    }

    /// Outside this box the contribution is zero.
    pub fn influence(&self) -> Aabb {
        match &self.source {
            Source::Distance(skeleton, kernel) => skeleton.bounds().grown(kernel.radius()),
            Source::Convolution(convolution) => convolution.influence(),
        }
    }

    /// See [`Distance::core_point`]; a convolution has its skeleton's nearest point.
    pub fn core_point(&self, p: DVec3) -> Option<DVec3> {
        match &self.source {
            Source::Distance(skeleton, _) => skeleton.core_point(p),
            Source::Convolution(convolution) => convolution.core_point(p),
        }
    }
}
