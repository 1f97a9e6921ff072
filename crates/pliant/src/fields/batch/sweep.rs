//! The loops: points sorted into cells, then blocks of points against a cell's elements, in lanes.

use super::{Batch, Kind, Lane, Output};
use crate::fields::law::{Law, Linear, Metaball, NonLinear};
use crate::math::DVec3;
use crate::math::lanes::Pass;

/// Points a block: two AVX2 registers a coordinate, so that two chains of sums hide each other's latency.
const BLOCK: usize = 8;
/// A smaller block for the last points of a cell.
const REST: usize = 4;

/// Points sorted at once. More: what the sort touches leaves the second-level cache.
/// Fewer: fewer points a cell, emptier lanes.
pub(super) const SORTED: usize = 1 << 16;

/// Coordinates beyond this, and what is not a number, see no lane element: their square is already infinite.
const FAR: f64 = 1e200;

/// Evaluates `x, y, z` into `out`, which is as long; gradients too if `GRADIENT`.
pub(super) struct Sweep<'a, const GRADIENT: bool> {
    pub batch: &'a Batch,
    pub at: [&'a [f64]; 3],
    pub out: Output<'a>,
}

impl<const GRADIENT: bool> Pass for Sweep<'_, GRADIENT> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let n = self.at[0].len();
        if self.batch.grid.cells() == 1 {
            let (whole, rest) = (n / BLOCK * BLOCK, n.div_ceil(REST) * REST);
            (0..whole).step_by(BLOCK).for_each(|i| self.in_a_row::<BLOCK>(i));
            (whole..rest).step_by(REST).for_each(|i| self.in_a_row::<REST>(i));
        } else if n < 2 * BLOCK {
            for i in 0..n {
                let cell = self.batch.grid.cell(self.at[0][i], self.at[1][i], self.at[2][i]);
                self.sorted::<1>(cell as usize, &[i as u32]);
            }
        } else {
            let mut first = 0;
            while first < n {
                let last = (first + SORTED).min(n);
                self.sort_and_evaluate(first, last);
                first = last;
            }
        }
    }
}

impl<const GRADIENT: bool> Sweep<'_, GRADIENT> {
    /// Counting sort of points `first..last` by cell, then every cell in turn.
    #[inline(always)]
    fn sort_and_evaluate(&mut self, first: usize, last: usize) {
        let grid = &self.batch.grid;
        let [x, y, z] = self.at.map(|a| &a[first..last]);
        let mut cells = vec![0u32; x.len()];
        for (((cell, x), y), z) in cells.iter_mut().zip(x).zip(y).zip(z) {
            *cell = grid.cell(*x, *y, *z);
        }
        let mut ends = vec![0u32; grid.cells() + 2];
        cells.iter().for_each(|&cell| ends[cell as usize + 1] += 1);
        (1..ends.len()).for_each(|i| ends[i] += ends[i - 1]);
        let mut order = vec![0u32; x.len()];
        for (i, &cell) in cells.iter().enumerate() {
            let place = &mut ends[cell as usize];
            order[*place as usize] = (first + i) as u32;
            *place += 1;
        }
        let mut from = 0;
        for (cell, &to) in ends[..=grid.cells()].iter().enumerate() {
            let points = &order[from..to as usize];
            from = to as usize;
            if points.is_empty() || grid.runs(cell).is_empty() {
                continue;
            }
            let mut blocks = points.chunks_exact(BLOCK);
            blocks.by_ref().for_each(|block| self.sorted::<BLOCK>(cell, block));
            let rest = blocks.remainder();
            if rest.len() > REST {
                self.sorted::<BLOCK>(cell, rest);
            } else if !rest.is_empty() {
                self.sorted::<REST>(cell, rest);
            }
        }
    }

    /// Up to `W` points of one cell, by number.
    #[inline(always)]
    fn sorted<const W: usize>(&mut self, cell: usize, points: &[u32]) {
        let mut p = [[0.0; W]; 3];
        let n = points.len().min(W);
        for (i, &number) in points[..n].iter().enumerate() {
            for axis in 0..3 {
                p[axis][i] = self.at[axis][number as usize];
            }
        }
        let sum = self.evaluate(cell, &p, n);
        for (i, &number) in points[..n].iter().enumerate() {
            self.out.value[number as usize] = sum[0][i];
            if GRADIENT {
                for axis in 0..3 {
                    self.out.gradient[axis][number as usize] = sum[1 + axis][i];
                }
            }
        }
    }

    /// Up to `W` points from `first` on, all in the only cell.
    #[inline(always)]
    fn in_a_row<const W: usize>(&mut self, first: usize) {
        let mut p = [[0.0; W]; 3];
        let n = (self.at[0].len() - first).min(W);
        for axis in 0..3 {
            p[axis][..n].copy_from_slice(&self.at[axis][first..first + n]);
        }
        let sum = self.evaluate(0, &p, n);
        self.out.value[first..first + n].copy_from_slice(&sum[0][..n]);
        if GRADIENT {
            for axis in 0..3 {
                self.out.gradient[axis][first..first + n].copy_from_slice(&sum[1 + axis][..n]);
            }
        }
    }

    /// Value and gradient of `n` points of one cell, element by element in the shape's order.
    #[inline(always)]
    fn evaluate<const W: usize>(&self, cell: usize, p: &[[f64; W]; 3], n: usize) -> [[f64; W]; 4] {
        let batch = self.batch;
        let near = p.map(|axis| axis.map(|x| if x.abs() <= FAR { x } else { FAR }));
        let mut sum = [[0.0; W]; 4];
        for run in batch.grid.runs(cell) {
            let elements = batch.grid.elements(run);
            match run.kind {
                Kind::Metaball => add::<W, GRADIENT, Metaball>(&batch.lanes, elements, &near, &mut sum),
                Kind::Linear => add::<W, GRADIENT, Linear>(&batch.lanes, elements, &near, &mut sum),
                Kind::NonLinear => add::<W, GRADIENT, NonLinear>(&batch.lanes, elements, &near, &mut sum),
                Kind::Other => {
                    for &number in elements {
                        for i in 0..n {
                            let s = batch.elements[number as usize].sample(DVec3::new(p[0][i], p[1][i], p[2][i]));
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

/// Adds what point elements of one law contribute at `W` points: the operations of
/// [`Element::sample`](crate::fields::Element::sample), in its order.
#[inline(always)]
fn add<const W: usize, const GRADIENT: bool, L: Law>(
    lanes: &[Lane],
    elements: &[u32],
    p: &[[f64; W]; 3],
    sum: &mut [[f64; W]; 4],
) {
    // Copies, so that they live in registers across the loop.
    let (p, [mut value, mut gx, mut gy, mut gz]) = (*p, *sum);
    for &number in elements {
        let lane = &lanes[number as usize];
        for i in 0..W {
            let (x, y, z) = (p[0][i] - lane.at[0], p[1][i] - lane.at[1], p[2][i] - lane.at[2]);
            let (v, slope_by_r) = L::at_sq(&lane.law, x * x + y * y + z * z);
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
