//! Grid of candidate elements over the box of influence: each cell lists the elements that reach it, in their order.

use super::lane::lane_point;
use crate::fields::Element;
use crate::fields::kernel::LaneFormula;
use crate::math::{Aabb, Cell, DVec3};

/// Elements from which a grid pays. Fewer: sorting points costs more than evaluating everything everywhere.
const GRID_FROM: usize = 40;

/// Edge of a cell over the mean reach of an element. Larger: longer lists, more work a point.
/// Smaller: fewer points a cell, so emptier lanes, and more memory.
const CELL_PER_RADIUS: f64 = 0.85;

/// Most cells per element, most cells along an axis, and most entries per element in all lists together. More: small
/// elements in a wide box, or many without end, would cost memory without end. Fewer: longer lists than need be.
const CELLS_PER_ELEMENT: f64 = 8.0;
const CELLS_PER_AXIS: f64 = 1024.0;
const LISTED_PER_ELEMENT: usize = 512;

/// How much a grid that is too fine is coarsened. Larger: it may end far coarser than it had to. Smaller: slower.
const COARSENING: f64 = 1.2;

/// Cells and reaches are taken larger by this part, so that rounding never drops a contribution. What a kernel
/// still has that close to its radius is below 1e-16 of its isovalue.
const ROUNDING_MARGIN: f64 = 1e-9;

/// `1.5 · 2⁵²`: adding it rounds to an integer, and leaves that integer in the low bits.
const ROUNDING_OFFSET: f64 = 6_755_399_441_055_744.0;

/// Consecutive entries of a list that one loop evaluates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// None: the scalar path.
    pub kind: Option<LaneFormula>,
    pub first: u32,
    pub last: u32,
}

/// Cells of equal size, and one more for everything outside them.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    low: DVec3,
    per_cell: DVec3,
    counts: DVec3,
    cells: usize,
    /// Where each cell's runs start; one entry past the outside cell.
    starts: Vec<u32>,
    runs: Vec<Run>,
    /// Indices of elements, increasing within a cell, so that sums are taken in the shape's order.
    list: Vec<u32>,
}

impl Grid {
    /// Over `elements`, whose loops are `kinds`. With `culled` false, or few elements, one cell holds them all.
    pub(super) fn new(elements: &[Element], kinds: &[Option<LaneFormula>], culled: bool) -> Self {
        let influences: Vec<Aabb> = elements.iter().map(Element::influence_bounds).collect();
        let bounded: Vec<&Aabb> = influences.iter().filter(|b| b.is_finite() && !b.is_empty()).collect();
        let around = bounded.iter().fold(Aabb::EMPTY, |sum, b| sum.union(b));
        if !culled || bounded.len() < GRID_FROM || !around.size().is_finite() {
            return Self::of_one_cell(kinds);
        }
        let radius = bounded.iter().map(|b| 0.5 * b.size().max_element()).sum::<f64>() / bounded.len() as f64;
        let around =
            around.grown(ROUNDING_MARGIN * (radius + around.min.abs().max_element() + around.max.abs().max_element()));
        let most = CELLS_PER_ELEMENT * bounded.len() as f64;
        let mut edge = (CELL_PER_RADIUS * radius).max(around.size().max_element() / CELLS_PER_AXIS);
        loop {
            let counts = (around.size() / edge).ceil().max(DVec3::ONE);
            let cells = counts.element_product();
            if cells <= 1.0 {
                return Self::of_one_cell(kinds);
            }
            edge *= COARSENING;
            if cells > most {
                continue;
            }
            let mut grid = Self::empty((around.min, around.size()), counts);
            if let Some(pairs) = grid.pairs(elements, &influences) {
                grid.fill(&pairs, kinds);
                return grid;
            }
        }
    }

    fn empty((low, size): (DVec3, DVec3), counts: DVec3) -> Self {
        let cells = counts.element_product() as usize;
        Self { low, per_cell: counts / size, counts, cells, starts: Vec::new(), runs: Vec::new(), list: Vec::new() }
    }

    fn of_one_cell(kinds: &[Option<LaneFormula>]) -> Self {
        let mut grid = Self::empty((DVec3::ZERO, DVec3::ONE), DVec3::ONE);
        let pairs: Vec<_> = (0..kinds.len()).map(|index| (0, index as u32)).collect();
        grid.fill(&pairs, kinds);
        grid
    }

    /// Every cell with every element that may contribute in it, in order of elements. None if that is too many.
    fn pairs(&self, elements: &[Element], influences: &[Aabb]) -> Option<Vec<(u32, u32)>> {
        let most = LISTED_PER_ELEMENT * elements.len();
        let mut pairs = Vec::new();
        for (index, (element, influence)) in elements.iter().zip(influences).enumerate() {
            self.cells_of(element, influence, |cell| pairs.push((cell as u32, index as u32)));
            if pairs.len() > most {
                return None;
            }
        }
        Some(pairs)
    }

    /// Calls `found` with every cell in which `element` may contribute; the outside cell too if it has no end.
    fn cells_of(&self, element: &Element, influence: &Aabb, mut found: impl FnMut(usize)) {
        if influence.is_empty() {
            return;
        }
        let last = self.counts - DVec3::ONE;
        let (mut from, mut to) = (DVec3::ZERO, last);
        if influence.is_finite() {
            let (min, max) = ((influence.min - self.low) * self.per_cell, (influence.max - self.low) * self.per_cell);
            from = (min - DVec3::splat(ROUNDING_MARGIN)).floor().clamp(DVec3::ZERO, last);
            to = (max + DVec3::splat(ROUNDING_MARGIN)).floor().clamp(DVec3::ZERO, last);
        }
        let (from, to, counts) = (from.as_usizevec3(), to.as_usizevec3(), self.counts.as_usizevec3());
        let size = self.per_cell.recip();
        let lane = lane_point(element).map(|(at, simd)| (at, (simd.kernel.radius() * (1.0 + ROUNDING_MARGIN)).powi(2)));
        let touches = |cell: &Aabb| match lane {
            Some((at, radius_sq)) => (at - at.clamp(cell.min, cell.max)).length_squared() <= radius_sq,
            None => {
                let range = element.bounds(&Cell::from(*cell));
                range.lo != 0.0 || range.hi != 0.0
            }
        };
        for z in from.z..=to.z {
            for y in from.y..=to.y {
                for x in from.x..=to.x {
                    let min = self.low + size * DVec3::new(x as f64, y as f64, z as f64);
                    let cell = Aabb { min, max: min + size };
                    if touches(&cell.grown(ROUNDING_MARGIN * (size + min.abs()).max_element())) {
                        found((z * counts.y + y) * counts.x + x);
                    }
                }
            }
        }
        if !influence.is_finite() {
            found(self.cells);
        }
    }

    /// Sorts `pairs` of (cell, element), which come in order of elements, by cell.
    fn fill(&mut self, pairs: &[(u32, u32)], kinds: &[Option<LaneFormula>]) {
        let mut ends = vec![0u32; self.cells + 2];
        pairs.iter().for_each(|&(cell, _)| ends[cell as usize + 1] += 1);
        (1..ends.len()).for_each(|i| ends[i] += ends[i - 1]);
        let firsts = ends.clone();
        self.list = vec![0; pairs.len()];
        for &(cell, element) in pairs {
            let place = &mut ends[cell as usize];
            self.list[*place as usize] = element;
            *place += 1;
        }
        for bounds in firsts.windows(2) {
            self.starts.push(self.runs.len() as u32);
            let mut first = bounds[0];
            while first < bounds[1] {
                let kind = kinds[self.list[first as usize] as usize];
                let same = |&&i: &&u32| kinds[i as usize] == kind;
                let long = self.list[first as usize..bounds[1] as usize].iter().take_while(same).count() as u32;
                self.runs.push(Run { kind, first, last: first + long });
                first += long;
            }
        }
        self.starts.push(self.runs.len() as u32);
    }

    /// Cells, without the outside one, whose index this also is.
    pub(super) fn cells(&self) -> usize {
        self.cells
    }

    /// What to evaluate in a cell.
    #[inline(always)]
    pub(super) fn runs(&self, cell: usize) -> &[Run] {
        &self.runs[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    /// The elements of a run.
    #[inline(always)]
    pub(super) fn elements(&self, run: &Run) -> &[u32] {
        &self.list[run.first as usize..run.last as usize]
    }

    /// The cell of a point; the outside cell for what is not a number. A point on a border may get either side:
    /// lists are made with a margin.
    #[inline(always)]
    pub(super) fn cell(&self, x: f64, y: f64, z: f64) -> u32 {
        let (fx, fy, fz) = (
            (x - self.low.x) * self.per_cell.x,
            (y - self.low.y) * self.per_cell.y,
            (z - self.low.z) * self.per_cell.z,
        );
        let inside = (fx >= 0.0)
            & (fx < self.counts.x)
            & (fy >= 0.0)
            & (fy < self.counts.y)
            & (fz >= 0.0)
            & (fz < self.counts.z);
        // `floor` would be a call on the baseline; this is two additions.
        let down = |f: f64| ((f - 0.5) + ROUNDING_OFFSET) - ROUNDING_OFFSET;
        let index = (down(fz) * self.counts.y + down(fy)) * self.counts.x + down(fx);
        let index = if inside { index } else { self.cells as f64 };
        (index + ROUNDING_OFFSET).to_bits() as u32
    }
}
