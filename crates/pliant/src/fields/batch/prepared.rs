//! A shape prepared for batch evaluation: its SIMD lanes, and a grid of candidate elements.

use super::grid::Grid;
use super::lane::Lane;
use crate::fields::kernel::LaneFormula;
use crate::fields::{Element, Shape};

/// Points from which one call prepares lanes. Fewer are evaluated one by one: copying the elements costs about as
/// much as evaluating them a few times.
const LANES_FROM: usize = 16;

/// Points from which one call prepares a grid too: with more, that costs less than evaluating every element
/// everywhere, however many there are.
const GRID_FROM: usize = 512;

/// Data of the loops besides the elements themselves.
#[derive(Clone, Debug)]
pub(super) struct Prepared {
    pub lanes: Vec<Lane>,
    pub grid: Grid,
}

impl Prepared {
    pub fn new(elements: &[Element], culled: bool) -> Self {
        let (kinds, lanes): (Vec<Option<LaneFormula>>, Vec<Lane>) = elements.iter().map(Lane::of).unzip();
        let grid = Grid::new(elements, &kinds, culled);
        Self { lanes, grid }
    }

    /// For one call: a grid only if there is enough work to earn it, nothing for a few points.
    pub fn for_one_call(shape: &Shape, points: usize) -> Option<Self> {
        (points >= LANES_FROM).then(|| Self::new(shape.elements(), points >= GRID_FROM))
    }
}
