//! Point elements as the loops read them.

use crate::fields::Element;
use crate::fields::element::Stem;
use crate::fields::kernel_formulas::Coefficients;
use crate::math::DVec3;

/// The point element that a loop evaluates; none takes the scalar path.
pub(super) fn lane_point(element: &Element) -> Option<(DVec3, Stem<'_>)> {
    let stem = element.stem()?;
    Some((stem.point()?, stem))
}

/// A point element as the loops read it. Zero for elements that have no lanes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lane {
    pub at: [f64; 3],
    pub strength: f64,
    pub coefficients: Coefficients,
}

impl Lane {
    pub fn of(element: &Element) -> Self {
        lane_point(element).map_or_else(Self::default, |(at, stem)| Self {
            at: at.to_array(),
            strength: stem.strength,
            coefficients: *stem.kernel.coefficients(),
        })
    }
}
