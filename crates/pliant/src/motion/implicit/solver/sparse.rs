//! Newton's system of an island: symmetric, a block for each body and for each two that touch.
//!
//! *The idea*: bodies are put in order, those with the fewest neighbours first; Cholesky's factor is kept only where the
//! matrix itself has blocks. For chains and trees that factor is exact; otherwise it is a good first guess, and conjugate
//! gradients do the rest. Joints are too stiff for guesses: where there are joints, all blocks of the factor are kept.

use super::mat6::{CholeskyFactor, Mat6, Vec6, dot};
use crate::math::lanes::{Pass, widest};
use crate::math::real::FourLanes;

/// The lower half, in the order of elimination.
pub(super) struct Sparse {
    /// Row of each body: its index in the order.
    row_of: Vec<usize>,
    diagonal: Vec<Mat6>,
    /// Blocks left of the diagonal: those of row `i` are `starts[i]..starts[i + 1]`, columns rising.
    starts: Vec<usize>,
    columns: Vec<usize>,
    blocks: Vec<Mat6>,
    /// Memory kept from one solution to the next.
    preconditioner: Preconditioner,
}

/// Consecutive rows and their blocks.
pub(super) struct BlockRows<'a> {
    pub first: usize,
    pub first_block: usize,
    pub diagonal: &'a mut [Mat6],
    pub blocks: &'a mut [Mat6],
    /// Of all rows.
    starts: &'a [usize],
}

impl<'a> BlockRows<'a> {
    /// The first `count` of them, and the others.
    pub(super) fn split(self, count: usize) -> (Self, Self) {
        let BlockRows { first, first_block, diagonal, blocks, starts } = self;
        let (next, next_block) = (first + count, starts[first + count]);
        let (upper, lower) = diagonal.split_at_mut(count);
        let (before, after) = blocks.split_at_mut(next_block - first_block);
        (
            BlockRows { first, first_block, diagonal: upper, blocks: before, starts },
            BlockRows { first: next, first_block: next_block, diagonal: lower, blocks: after, starts },
        )
    }
}

/// [`Sparse::conjugate_gradients`] in lanes.
struct ConjugateGradientPass<'a> {
    sparse: &'a mut Sparse,
    right: Vec<Vec6>,
    tolerance: f64,
}

impl Pass for ConjugateGradientPass<'_> {
    type Output = Vec<Vec6>;
    #[inline(always)]
    fn run<V: FourLanes>(self) -> Vec<Vec6> {
        self.sparse.conjugate_gradients(self.right, self.tolerance)
    }
}

/// Incomplete Cholesky factor, or the diagonal's.
#[derive(Default)]
struct Preconditioner {
    diagonal: Vec<CholeskyFactor>,
    /// As [`Sparse::blocks`]; empty if only the diagonal is used.
    blocks: Vec<Mat6>,
}

/// Iterations of conjugate gradients at most; of thousands of bodies in one pile some hundred are used.
const MAX_CG_ITERATIONS: usize = 1000;

impl Sparse {
    /// Zeros, for `count` bodies of which these `pairs` touch; with room for the whole factor if `exact`.
    pub(super) fn new(count: usize, pairs: impl Iterator<Item = (usize, usize)>, exact: bool) -> Self {
        let mut near: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (a, b) in pairs {
            near[a].push(b);
            near[b].push(a);
        }
        for list in &mut near {
            list.sort_unstable();
            list.dedup();
        }
        let full = if exact { fill_in(&near) } else { None };
        let row_of = match full {
            Some((row_of, all)) => {
                near = all;
                row_of
            }
            None => minimum_degree(&near),
        };
        let mut rows: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (a, list) in near.iter().enumerate() {
            rows[row_of[a]].extend(list.iter().map(|b| row_of[*b]).filter(|p| *p < row_of[a]));
        }
        let (mut starts, mut columns) = (vec![0], Vec::new());
        for row in &mut rows {
            row.sort_unstable();
            columns.extend_from_slice(row);
            starts.push(columns.len());
        }
        let blocks = vec![Mat6::ZERO; columns.len()];
        Self {
            row_of,
            diagonal: vec![Mat6::ZERO; count],
            starts,
            columns,
            blocks,
            preconditioner: Preconditioner::default(),
        }
    }

    /// The row of a body.
    pub(super) fn row_of(&self, body: usize) -> usize {
        self.row_of[body]
    }

    /// All rows, to be filled in.
    pub(super) fn rows(&mut self) -> BlockRows<'_> {
        let Self { diagonal, starts, blocks, .. } = self;
        BlockRows { first: 0, first_block: 0, diagonal, blocks, starts }
    }

    #[inline(always)]
    fn row(&self, i: usize) -> std::ops::Range<usize> {
        self.starts[i]..self.starts[i + 1]
    }

    /// Index of the block of this row and column, which is left of the diagonal.
    pub(super) fn find(&self, row: usize, column: usize) -> usize {
        let range = self.row(row);
        let within = self.columns[range.clone()].binary_search(&column);
        range.start + within.expect("blocks were listed for all pairs")
    }

    /// The product with `v`, both by body.
    #[cfg(test)]
    pub(super) fn product(&self, v: &[Vec6]) -> Vec<Vec6> {
        let mut ordered = vec![[0.0; 6]; v.len()];
        self.row_of.iter().zip(v).for_each(|(p, v)| ordered[*p] = *v);
        let mut image = vec![[0.0; 6]; v.len()];
        self.times(&ordered, &mut image);
        self.row_of.iter().map(|p| image[*p]).collect()
    }

    /// The solution for `right`, both by body, to the relative tolerance `tolerance`.
    pub(super) fn solve(&mut self, right: &[Vec6], tolerance: f64) -> Vec<Vec6> {
        let mut ordered = vec![[0.0; 6]; right.len()];
        self.row_of.iter().zip(right).for_each(|(p, r)| ordered[*p] = *r);
        let solved = widest(ConjugateGradientPass { sparse: self, right: ordered, tolerance });
        self.row_of.iter().map(|p| solved[*p]).collect()
    }

    #[inline(always)]
    fn conjugate_gradients(&mut self, mut residual: Vec<Vec6>, tolerance: f64) -> Vec<Vec6> {
        let mut preconditioner = std::mem::take(&mut self.preconditioner);
        self.factor(&mut preconditioner);
        let all = |a: &[Vec6], b: &[Vec6]| a.iter().zip(b).map(|(a, b)| dot(a, b)).sum::<f64>();
        let mut x = vec![[0.0; 6]; residual.len()];
        let mut z = residual.clone();
        preconditioner.solve(self, &mut z);
        let mut direction = z.clone();
        let mut size = all(&residual, &z);
        let tolerance = tolerance * tolerance * size;
        let mut image = vec![[0.0; 6]; x.len()];
        for _ in 0..MAX_CG_ITERATIONS {
            if size.is_nan() || size <= tolerance {
                break;
            }
            self.times(&direction, &mut image);
            let step = size / all(&direction, &image);
            if !step.is_finite() {
                break;
            }
            add_times(&mut x, step, &direction);
            add_times(&mut residual, -step, &image);
            z.copy_from_slice(&residual);
            preconditioner.solve(self, &mut z);
            let next = all(&residual, &z);
            let more = next / size;
            size = next;
            for (d, z) in direction.iter_mut().zip(&z) {
                (0..6).for_each(|i| d[i] = z[i] + more * d[i]);
            }
        }
        self.preconditioner = preconditioner;
        x
    }

    #[inline(always)]
    fn times(&self, v: &[Vec6], out: &mut [Vec6]) {
        for i in 0..v.len() {
            let mut sum = [0.0; 6];
            self.diagonal[i].add_times(&v[i], &mut sum);
            for at in self.row(i) {
                let column = self.columns[at];
                self.blocks[at].add_times(&v[column], &mut sum);
                self.blocks[at].add_transposed_times(&v[i], &mut out[column]);
            }
            out[i] = sum;
        }
    }

    #[inline(always)]
    fn factor(&self, preconditioner: &mut Preconditioner) {
        if self.incomplete(preconditioner).is_none() {
            let one = |b: &Mat6| b.factor().unwrap_or_else(|| from_diagonal(b));
            *preconditioner = Preconditioner { diagonal: self.diagonal.iter().map(one).collect(), blocks: Vec::new() };
        }
    }

    /// Cholesky's factor, kept only where there are blocks; none if that is not positive definite.
    #[inline(always)]
    fn incomplete(&self, Preconditioner { diagonal, blocks }: &mut Preconditioner) -> Option<()> {
        blocks.resize(self.blocks.len(), Mat6::ZERO);
        diagonal.clear();
        for i in 0..self.diagonal.len() {
            let mut own = self.diagonal[i];
            for at in self.row(i) {
                let j = self.columns[at];
                let mut block = self.blocks[at];
                // Columns both rows have.
                let (mut p, mut q) = (self.starts[i], self.starts[j]);
                while p < at && q < self.starts[j + 1] {
                    match self.columns[p].cmp(&self.columns[q]) {
                        std::cmp::Ordering::Less => p += 1,
                        std::cmp::Ordering::Greater => q += 1,
                        std::cmp::Ordering::Equal => {
                            block.subtract_product(&blocks[p], &blocks[q]);
                            (p, q) = (p + 1, q + 1);
                        }
                    }
                }
                blocks[at] = diagonal[j].right_divide(&block);
                own.subtract_product(&blocks[at], &blocks[at]);
            }
            diagonal.push(own.factor()?);
        }
        Some(())
    }
}

/// The factor of a block's diagonal alone, where rounding has made the block indefinite.
fn from_diagonal(block: &Mat6) -> CholeskyFactor {
    let mut m = Mat6::ZERO;
    (0..6).for_each(|i| m.0[i][i] = block.0[i][i].abs().max(f64::MIN_POSITIVE.sqrt()));
    m.factor().expect("a positive diagonal has a factor")
}

impl Preconditioner {
    #[inline(always)]
    fn solve(&self, sparse: &Sparse, v: &mut [Vec6]) {
        let rows = |i: usize| if self.blocks.is_empty() { 0..0 } else { sparse.row(i) };
        for i in 0..v.len() {
            let mut own = v[i];
            for at in rows(i) {
                let mut sum = [0.0; 6];
                self.blocks[at].add_times(&v[sparse.columns[at]], &mut sum);
                (0..6).for_each(|k| own[k] -= sum[k]);
            }
            self.diagonal[i].forward(&mut own);
            v[i] = own;
        }
        for i in (0..v.len()).rev() {
            let mut own = v[i];
            self.diagonal[i].backward(&mut own);
            v[i] = own;
            for at in rows(i) {
                let mut sum = [0.0; 6];
                self.blocks[at].add_transposed_times(&own, &mut sum);
                let to = &mut v[sparse.columns[at]];
                (0..6).for_each(|k| to[k] -= sum[k]);
            }
        }
    }
}

#[inline(always)]
fn add_times(to: &mut [Vec6], factor: f64, v: &[Vec6]) {
    for (t, v) in to.iter_mut().zip(v) {
        (0..6).for_each(|i| t[i] += factor * v[i]);
    }
}

/// Blocks of a whole factor, for each body and in all, that are worth having. More: nets of thousands of nodes take all
/// memory. Fewer: they take many conjugate gradients.
const MAX_FILL: (usize, usize) = (60, 20_000);

/// [`minimum_degree`] with the fill-in of elimination: the order, and all neighbours in the factor. None if they are too
/// many.
fn fill_in(near: &[Vec<usize>]) -> Option<(Vec<usize>, Vec<Vec<usize>>)> {
    let mut all = near.to_vec();
    let mut room = MAX_FILL.0 * near.len() + MAX_FILL.1;
    let mut open: std::collections::BTreeSet<(usize, usize)> = near.iter().map(Vec::len).zip(0..).collect();
    let mut row_of = vec![usize::MAX; near.len()];
    let mut left = near.to_vec();
    for next in 0.. {
        let Some((_, body)) = open.pop_first() else { break };
        row_of[body] = next;
        let others = std::mem::take(&mut left[body]);
        for &a in &others {
            open.remove(&(left[a].len(), a));
            left[a].retain(|b| *b != body);
            for &b in others.iter().filter(|b| **b != a) {
                if let Err(at) = left[a].binary_search(&b) {
                    left[a].insert(at, b);
                    all[a].push(b);
                    room = room.checked_sub(1)?;
                }
            }
            open.insert((left[a].len(), a));
        }
    }
    Some((row_of, all))
}

/// Minimum-degree order: bodies with the fewest neighbours left come first, leaves of a tree before its trunk.
fn minimum_degree(near: &[Vec<usize>]) -> Vec<usize> {
    let mut degree: Vec<usize> = near.iter().map(Vec::len).collect();
    let mut open: std::collections::BTreeSet<(usize, usize)> = degree.iter().copied().zip(0..).collect();
    let mut row_of = vec![usize::MAX; near.len()];
    let mut next = 0;
    while let Some((_, body)) = open.pop_first() {
        row_of[body] = next;
        next += 1;
        for &other in near[body].iter().filter(|o| row_of[**o] == usize::MAX) {
            open.remove(&(degree[other], other));
            degree[other] -= 1;
            open.insert((degree[other], other));
        }
    }
    row_of
}
