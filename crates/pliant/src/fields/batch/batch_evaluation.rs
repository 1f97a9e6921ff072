//! Batch evaluation: points sorted into cells, then blocks of points against a cell's elements, in SIMD lanes.

use super::lane::Lane;
use super::points::Output;
use super::prepared::Prepared;
use crate::fields::Element;
use crate::fields::kernel::LaneFormula;
use crate::fields::kernel_formulas::{KernelFormula, Linear, Metaball, NonLinear};
use crate::math::DVec3;
use crate::math::lanes::Pass;
use crate::math::real::FourLanes;

/// Points a block: two AVX2 registers a coordinate, so that two chains of sums hide each other's latency.
const BLOCK: usize = 8;
/// A smaller block for the last points of a cell.
const TAIL_BLOCK: usize = 4;

/// Points sorted at once. More: what the sort touches leaves the second-level cache.
/// Fewer: fewer points a cell, emptier lanes.
pub(super) const SORT_SIZE: usize = 1 << 16;

/// Fewer points than this, or than one in so many cells, are evaluated one by one: a sort would find no company
/// for them. Smaller: small calls pay for going through all cells. Larger: lanes are left unused.
const MIN_SORTED: usize = 48;

/// Bins for the points outside the grid, taken in turn: one counter would make each step of the sort wait for the
/// one before.
const OUTSIDE_BINS: usize = 16;

/// Coordinates beyond this, and what is not a number, see no lane element: their square is already infinite.
const COORDINATE_LIMIT: f64 = 1e200;

/// Evaluates `x, y, z` into `out`, which is as long; gradients too if `GRADIENT`.
pub(super) struct BatchEvaluation<'a, const GRADIENT: bool> {
    pub elements: &'a [Element],
    pub prepared: &'a Prepared,
    pub at: [&'a [f64]; 3],
    pub out: Output<'a>,
}

impl<const GRADIENT: bool> Pass for BatchEvaluation<'_, GRADIENT> {
    type Output = ();

    #[inline(always)]
    fn run<V: FourLanes>(mut self) {
        let n = self.at[0].len();
        if self.prepared.grid.cells() == 1 {
            let mut first = 0;
            while first + BLOCK <= n {
                self.in_a_row::<BLOCK>(first);
                first += BLOCK;
            }
            while first < n {
                self.sorted::<1>(0, &[first as u32]);
                first += 1;
            }
        } else if n < MIN_SORTED.max(self.prepared.grid.cells() / MIN_SORTED) {
            for i in 0..n {
                let cell = self.prepared.grid.cell(self.at[0][i], self.at[1][i], self.at[2][i]);
                self.sorted::<1>(cell as usize, &[i as u32]);
            }
        } else {
            let mut first = 0;
            while first < n {
                let last = (first + SORT_SIZE).min(n);
                self.part(first, last).sort_and_evaluate();
                first = last;
            }
        }
    }
}

// Plain loops throughout: the closures of iterator adaptors are functions of their own, which need not be inlined
// and would then be compiled for the baseline.
impl<const GRADIENT: bool> BatchEvaluation<'_, GRADIENT> {
    /// The points `first..last`.
    #[inline(always)]
    fn part(&mut self, first: usize, last: usize) -> BatchEvaluation<'_, GRADIENT> {
        let [x, y, z] = self.at;
        let at = [&x[first..last], &y[first..last], &z[first..last]];
        let [gx, gy, gz] = &mut self.out.gradient;
        let (from, to) = if GRADIENT { (first, last) } else { (0, 0) };
        let gradient = [&mut gx[from..to], &mut gy[from..to], &mut gz[from..to]];
        let out = Output { value: &mut self.out.value[first..last], gradient };
        BatchEvaluation { elements: self.elements, prepared: self.prepared, at, out }
    }

    /// Counting sort of the points by cell, then every cell in turn.
    #[inline(always)]
    fn sort_and_evaluate(&mut self) {
        let grid = &self.prepared.grid;
        let [x, y, z] = self.at;
        let mut bins = vec![0u32; x.len()];
        let outside = grid.cells() as u32;
        for i in 0..x.len() {
            let cell = grid.cell(x[i], y[i], z[i]);
            bins[i] = if cell == outside { outside + (i % OUTSIDE_BINS) as u32 } else { cell };
        }
        let mut ends = vec![0u32; grid.cells() + OUTSIDE_BINS + 1];
        for &bin in &bins {
            ends[bin as usize + 1] += 1;
        }
        for i in 1..ends.len() {
            ends[i] += ends[i - 1];
        }
        let mut order = vec![0u32; x.len()];
        for (i, &bin) in bins.iter().enumerate() {
            let place = &mut ends[bin as usize];
            order[*place as usize] = i as u32;
            *place += 1;
        }
        let mut from = 0;
        for (cell, &end) in ends[..=grid.cells()].iter().enumerate() {
            // The bins outside are one cell.
            let to = if cell < grid.cells() { end as usize } else { order.len() };
            let mut points = &order[from..to];
            from = to;
            if grid.runs(cell).is_empty() {
                continue;
            }
            while points.len() > TAIL_BLOCK {
                let (block, rest) = points.split_at(points.len().min(BLOCK));
                self.sorted::<BLOCK>(cell, block);
                points = rest;
            }
            if !points.is_empty() {
                self.sorted::<TAIL_BLOCK>(cell, points);
            }
        }
    }

    /// Up to `W` points of one cell, by index.
    #[inline(always)]
    fn sorted<const W: usize>(&mut self, cell: usize, points: &[u32]) {
        let mut p = [[0.0; W]; 3];
        let n = points.len().min(W);
        for (i, &index) in points[..n].iter().enumerate() {
            for (axis, at) in p.iter_mut().zip(&self.at) {
                axis[i] = at[index as usize];
            }
        }
        let sum = self.evaluate(cell, &p, n);
        for (i, &index) in points[..n].iter().enumerate() {
            self.out.value[index as usize] = sum[0][i];
            if GRADIENT {
                for axis in 0..3 {
                    self.out.gradient[axis][index as usize] = sum[1 + axis][i];
                }
            }
        }
    }

    /// `W` points from `first` on, all in the only cell.
    #[inline(always)]
    fn in_a_row<const W: usize>(&mut self, first: usize) {
        let mut p = [[0.0; W]; 3];
        for (axis, at) in p.iter_mut().zip(&self.at) {
            axis.copy_from_slice(&at[first..first + W]);
        }
        let sum = self.evaluate(0, &p, W);
        self.out.value[first..first + W].copy_from_slice(&sum[0]);
        if GRADIENT {
            for axis in 0..3 {
                self.out.gradient[axis][first..first + W].copy_from_slice(&sum[1 + axis]);
            }
        }
    }

    /// Value and gradient of `n` points of one cell, element by element in the shape's order.
    #[inline(always)]
    fn evaluate<const W: usize>(&self, cell: usize, p: &[[f64; W]; 3], n: usize) -> [[f64; W]; 4] {
        let Prepared { lanes, grid } = self.prepared;
        let mut near = *p;
        for axis in &mut near {
            for x in axis {
                *x = if x.abs() <= COORDINATE_LIMIT { *x } else { COORDINATE_LIMIT };
            }
        }
        let mut sum = [[0.0; W]; 4];
        for run in grid.runs(cell) {
            let elements = grid.elements(run);
            match run.kind {
                Some(LaneFormula::Metaball) => add::<W, GRADIENT, Metaball>(lanes, elements, &near, &mut sum),
                Some(LaneFormula::Linear) => add::<W, GRADIENT, Linear>(lanes, elements, &near, &mut sum),
                Some(LaneFormula::NonLinear) => add::<W, GRADIENT, NonLinear>(lanes, elements, &near, &mut sum),
                None => {
                    for &index in elements {
                        for i in 0..n {
                            let s = self.elements[index as usize].sample(DVec3::new(p[0][i], p[1][i], p[2][i]));
                            sum[0][i] += s.value;
                            sum[1][i] += s.gradient.x;
                            sum[2][i] += s.gradient.y;
                            sum[3][i] += s.gradient.z;
                        }
                    }
                }
            }
        }
        sum
    }
}

/// Adds what point elements of one kernel formula contribute at `W` points: the operations of
/// [`Element::sample`](crate::fields::Element::sample), in its order.
#[inline(always)]
fn add<const W: usize, const GRADIENT: bool, L: KernelFormula>(
    lanes: &[Lane],
    elements: &[u32],
    p: &[[f64; W]; 3],
    sum: &mut [[f64; W]; 4],
) {
    // Copies, so that they live in registers across the loop.
    let (p, [mut value, mut gx, mut gy, mut gz]) = (*p, *sum);
    for &index in elements {
        let lane = &lanes[index as usize];
        for i in 0..W {
            let (x, y, z) = (p[0][i] - lane.at[0], p[1][i] - lane.at[1], p[2][i] - lane.at[2]);
            let (v, slope_by_r) = L::at_sq(&lane.coefficients, x * x + y * y + z * z);
            value[i] += lane.strength * v;
            if GRADIENT {
                let by_r = lane.strength * slope_by_r;
                gx[i] += by_r * x;
                gy[i] += by_r * y;
                gz[i] += by_r * z;
            }
        }
    }
    *sum = [value, gx, gy, gz];
}
