//! Point elements in the layout of the SIMD loops.

use crate::fields::Element;
use crate::fields::element::SimdElement;
use crate::fields::kernel::LaneFormula;
use crate::fields::kernel_formulas::Coefficients;
use crate::math::DVec3;

/// The point element that a loop evaluates; none takes the scalar path.
pub(super) fn lane_point(element: &Element) -> Option<(DVec3, SimdElement<'_>)> {
    let simd = element.simd_element()?;
    Some((simd.point()?, simd))
}

/// A point element as the loops read it. Zero for elements that have no lanes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lane {
    pub at: [f64; 3],
    pub strength: f64,
    pub coefficients: Coefficients,
}

impl Lane {
    /// The formula that evaluates `element` in lanes, none for the scalar path; and what it reads.
    #[inline]
    pub fn of(element: &Element) -> (Option<LaneFormula>, Self) {
        let Some((at, simd)) = lane_point(element) else { return (None, Self::default()) };
        let lane = Self { at: at.to_array(), strength: simd.strength, coefficients: *simd.kernel.coefficients() };
        (Some(simd.formula), lane)
    }
}
