//! Newton's system of an island, put together: first what each constraint says, then body by body.
//!
//! Both parts are shared among threads where there is enough of them. Contributions to a body are summed by one task, in the order of its constraints: the same bits for any number of threads.

use super::constraint::{Constraint, Impulse};
use super::island::Island;
use super::mat6::{Mat6, Sym6, Vec6, dot};
use super::sparse::{Rows, Sparse};

use crate::math::lanes::{Pass, widest};
use rayon::prelude::*;

/// Couplings, and bodies, that are worth a task of their own.
pub(super) const WORTH: usize = 64;

/// Looks for the best length of a step at most; half of them halve what is left.
const MOST_PARTS: usize = 20;

/// A step along Newton's direction is long enough when the slope along it has fallen to this part. Smaller: more looks for the
/// best length. Larger: more of Newton's steps.
const FLAT: f64 = 0.5;

/// Newton's system is solved but for these parts: while points begin and cease to slide, and after that. Smaller: more
/// conjugate gradients. Larger: more of Newton's steps.
const ROUGHLY: f64 = 0.1;
const CLOSELY: f64 = 0.01;

/// A constraint as one of its bodies has it.
#[derive(Clone, Copy)]
struct End {
    constraint: usize,
    side: usize,
    /// Where the block of both bodies is, if it lies in this one's row.
    block: Option<usize>,
}

pub(super) struct NewtonSystem<'a> {
    island: &'a Island<'a>,
    sparse: Sparse,
    /// What each constraint answers to the motion of its bodies: its impulse, and by how much that falls.
    impulses: Vec<Impulse>,
    slopes: Vec<Sym6>,
    /// Regularisation the slopes were computed with.
    regularisation: f64,
    /// Bodies in the order of rows.
    order: Vec<usize>,
    /// Those of the body of row `i` are `starts[i]..starts[i + 1]`, in the order of constraints.
    ends: Vec<End>,
    starts: Vec<usize>,
}

impl<'a> NewtonSystem<'a> {
    pub(super) fn new(island: &'a Island<'a>) -> Self {
        let count = island.bodies.len();
        let pairs = island.constraints.iter().filter_map(|c| Some((c.bodies[0]?, c.bodies[1]?)));
        let sparse = Sparse::new(count, pairs, island.has_joints());
        let mut order = vec![0; count];
        (0..count).for_each(|i| order[sparse.place(i)] = i);
        let mut starts = vec![0; count + 1];
        let bodies = || {
            island.constraints.iter().enumerate().flat_map(|(c, constraint)| {
                [0, 1].into_iter().filter_map(move |side| Some((c, side, constraint.bodies[side]?)))
            })
        };
        bodies().for_each(|(_, _, i)| starts[sparse.place(i) + 1] += 1);
        (0..count).for_each(|i| starts[i + 1] += starts[i]);
        let mut next = starts.clone();
        let mut ends = vec![End { constraint: 0, side: 0, block: None }; starts[count]];
        for (constraint, side, i) in bodies() {
            let row = sparse.place(i);
            let other = island.constraints[constraint].bodies[1 - side].map(|j| sparse.place(j));
            let block = other.filter(|column| *column < row).map(|column| sparse.find(row, column));
            ends[next[row]] = End { constraint, side, block };
            next[row] += 1;
        }
        let constraints = island.constraints.len();
        Self {
            island,
            sparse,
            impulses: vec![Impulse::default(); constraints],
            slopes: vec![[0.0; 21]; constraints],
            regularisation: 0.0,
            order,
            ends,
            starts,
        }
    }

    /// Makes them those at `v`. Returns what is left over there.
    pub(super) fn set(&mut self, v: &[Vec6], regularisation: f64) -> Vec<Vec6> {
        self.regularisation = regularisation;
        let island = self.island;
        let pass = |((constraints, impulses), slopes): ((&[Constraint], &mut [Impulse]), &mut [Sym6])| {
            widest(Evaluate { island, constraints, impulses, slopes, v, regularisation });
        };
        if island.constraints.len() < 2 * WORTH {
            pass(((&island.constraints, &mut self.impulses), &mut self.slopes));
        } else {
            let responses = self.impulses.par_chunks_mut(WORTH);
            island.constraints.par_chunks(WORTH).zip(responses).zip(self.slopes.par_chunks_mut(WORTH)).for_each(pass);
        }
        let mut residual = vec![[0.0; 6]; v.len()];
        residual.par_iter_mut().with_min_len(WORTH).enumerate().for_each(|(i, own)| *own = self.left(i, v));
        residual
    }

    /// What is left over of body `i` at `v`, by what its constraints said last.
    fn left(&self, i: usize, v: &[Vec6]) -> Vec6 {
        let (island, row) = (self.island, self.sparse.place(i));
        let mut left = island.momentum_gap(i, v);
        for end in &self.ends[self.starts[row]..self.starts[row + 1]] {
            island.give(&mut left, &island.constraints[end.constraint], (&self.impulses[end.constraint], end.side));
        }
        left
    }

    /// Copies the latest impulses and slopes to the system of a `part`, which has constraints of these `numbers`.
    pub(super) fn gather_from(&self, part: &mut NewtonSystem, numbers: &[usize]) {
        part.regularisation = self.regularisation;
        for (n, &whole) in numbers.iter().enumerate() {
            (part.impulses[n], part.slopes[n]) = (self.impulses[whole], self.slopes[whole]);
        }
    }

    /// Copies the latest impulses and slopes of a `part` back, and updates `residual` of these bodies.
    pub(super) fn scatter_to(
        &mut self,
        part: &NewtonSystem,
        numbers: &[usize],
        (some, v, residual): (&[bool], &[Vec6], &mut [Vec6]),
    ) {
        for (n, &whole) in numbers.iter().enumerate() {
            (self.impulses[whole], self.slopes[whole]) = (part.impulses[n], part.slopes[n]);
        }
        (0..v.len()).filter(|i| some[*i]).for_each(|i| residual[i] = self.left(i, v));
    }

    /// Newton's step from where they were set, where `residual` is left over, about.
    pub(super) fn solve(&mut self, residual: &[Vec6]) -> Vec<Vec6> {
        let Self { island, sparse, slopes, order, ends, starts, .. } = self;
        Assembly { island, slopes, order, ends, starts }.fill(sparse.rows());
        self.sparse.solve(residual, if self.regularisation > 0.0 { ROUGHLY } else { CLOSELY })
    }

    /// Line search from `v` along Newton's `direction`: the full step, or a shorter one where the directional derivative, which
    /// is monotone, is small. Updates the system and `residual`.
    pub(super) fn go(&mut self, (v, residual): (&mut [Vec6], &mut Vec<Vec6>), direction: &[Vec6], regularisation: f64) {
        let along = |residual: &[Vec6]| direction.iter().zip(residual).map(|(d, s)| dot(d, s)).sum::<f64>();
        let first = along(residual);
        let (mut low, mut high, mut at) = ((0.0, first), None, 0.0);
        for part in 0..MOST_PARTS {
            let to = match high {
                None => 1.0,
                // False position, and every other time the middle.
                Some((end, last)) if part % 2 == 1 => (low.1 * end - last * low.0) / (low.1 - last),
                Some((end, _)) => 0.5 * (low.0 + end),
            };
            v.iter_mut().zip(direction).for_each(|(v, d)| (0..6).for_each(|i| v[i] += (to - at) * d[i]));
            at = to;
            *residual = self.set(v, regularisation);
            let left = along(residual);
            if left.is_nan() || left.abs() <= FLAT * first || high.is_none() && left > 0.0 {
                break;
            }
            if left > 0.0 {
                low = (to, left);
            } else {
                high = Some((to, left));
            }
        }
    }

    /// Those of `some`, and all they are coupled with.
    pub(super) fn with_neighbours(&self, some: &[bool]) -> Vec<bool> {
        let mut all = some.to_vec();
        for c in &self.island.constraints {
            if let [Some(a), Some(b)] = c.bodies {
                all[a] |= some[b];
                all[b] |= some[a];
            }
        }
        all
    }
}

/// What some constraints say, in lanes.
struct Evaluate<'a> {
    island: &'a Island<'a>,
    constraints: &'a [Constraint<'a>],
    impulses: &'a mut [Impulse],
    slopes: &'a mut [Sym6],
    v: &'a [Vec6],
    regularisation: f64,
}

impl Pass for Evaluate<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { island, constraints, impulses, slopes, v, regularisation } = self;
        for ((c, impulse), slope) in constraints.iter().zip(impulses).zip(slopes) {
            (*impulse, *slope) = c.impulse_and_slope(island.motion(c, v), regularisation);
        }
    }
}

/// Data the rows are filled from.
#[derive(Clone, Copy)]
struct Assembly<'a> {
    island: &'a Island<'a>,
    slopes: &'a [Sym6],
    order: &'a [usize],
    ends: &'a [End],
    starts: &'a [usize],
}

impl Assembly<'_> {
    /// Halves until a half is no more worth a task.
    fn fill(self, rows: Rows) {
        let count = rows.diagonal.len();
        if count < 2 * WORTH {
            return widest(Fill { look: self, rows });
        }
        let (first, last) = rows.split(count / 2);
        rayon::join(|| self.fill(first), || self.fill(last));
    }
}

/// Some rows, in lanes.
struct Fill<'a> {
    look: Assembly<'a>,
    rows: Rows<'a>,
}

impl Pass for Fill<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { look, rows } = self;
        let island = look.island;
        rows.blocks.fill(Mat6::ZERO);
        for (k, own) in rows.diagonal.iter_mut().enumerate() {
            let row = rows.first + k;
            let mut diagonal = island.bodies[look.order[row]].block();
            for end in &look.ends[look.starts[row]..look.starts[row + 1]] {
                let (c, slope) = (&island.constraints[end.constraint], &Mat6::from_upper(&look.slopes[end.constraint]));
                diagonal.add(&island.seen(c, slope, (end.side, end.side)), 1.0);
                if let Some(at) = end.block {
                    rows.blocks[at - rows.first_block].add(&island.seen(c, slope, (end.side, 1 - end.side)), -1.0);
                }
            }
            *own = diagonal;
        }
    }
}
