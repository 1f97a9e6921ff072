//! Newton's equations of an island, put together: first what each coupling says, then body by body.
//!
//! Both parts are shared among threads where there is enough of them. What a body is told is summed by whoever has that
//! body, in the order of its couplings: the same bits for any number of threads.

use super::block::{Block, Six};
use super::coupling::{Coupling, Impulse};
use super::island::Island;
use super::sparse::{Rows, Sparse};

use crate::math::lanes::{Pass, widest};
use rayon::prelude::*;

/// Couplings, and bodies, that are worth a task of their own.
pub(super) const WORTH: usize = 64;

/// What a coupling answers to a motion.
#[derive(Clone, Copy)]
struct Felt {
    impulse: Impulse,
    slope: Block,
}

/// A coupling as one of its bodies has it.
#[derive(Clone, Copy)]
struct End {
    coupling: usize,
    side: usize,
    /// Where the block of both bodies is, if it lies in this one's row.
    block: Option<usize>,
}

pub(super) struct Equations<'a> {
    island: &'a Island<'a>,
    sparse: Sparse,
    felt: Vec<Felt>,
    /// Bodies in the order of rows.
    order: Vec<usize>,
    /// Those of the body of row `i` are `starts[i]..starts[i + 1]`, in the order of couplings.
    ends: Vec<End>,
    starts: Vec<usize>,
}

impl<'a> Equations<'a> {
    pub(super) fn new(island: &'a Island<'a>) -> Self {
        let count = island.movers.len();
        let pairs = island.couplings.iter().filter_map(|c| Some((c.movers[0]?, c.movers[1]?)));
        let sparse = Sparse::new(count, pairs, island.is_tied());
        let mut order = vec![0; count];
        (0..count).for_each(|i| order[sparse.place(i)] = i);
        let mut starts = vec![0; count + 1];
        let movers = || {
            island.couplings.iter().enumerate().flat_map(|(c, coupling)| {
                [0, 1].into_iter().filter_map(move |side| Some((c, side, coupling.movers[side]?)))
            })
        };
        movers().for_each(|(_, _, i)| starts[sparse.place(i) + 1] += 1);
        (0..count).for_each(|i| starts[i + 1] += starts[i]);
        let mut next = starts.clone();
        let mut ends = vec![End { coupling: 0, side: 0, block: None }; starts[count]];
        for (coupling, side, i) in movers() {
            let row = sparse.place(i);
            let other = island.couplings[coupling].movers[1 - side].map(|j| sparse.place(j));
            let block = other.filter(|column| *column < row).map(|column| sparse.find(row, column));
            ends[next[row]] = End { coupling, side, block };
            next[row] += 1;
        }
        let nothing = Felt { impulse: Impulse::default(), slope: Block::ZERO };
        Self { island, sparse, felt: vec![nothing; island.couplings.len()], order, ends, starts }
    }

    /// Makes them those at `v`. Returns what is left over there.
    pub(super) fn set(&mut self, v: &[Six], surer: f64) -> Vec<Six> {
        let island = self.island;
        let pass = |(couplings, felt): (&[Coupling], &mut [Felt])| widest(Slopes { island, couplings, felt, v, surer });
        if self.felt.len() < 2 * WORTH {
            pass((&island.couplings, &mut self.felt));
        } else {
            island.couplings.par_chunks(WORTH).zip(self.felt.par_chunks_mut(WORTH)).for_each(pass);
        }
        let mut left = vec![[0.0; 6]; v.len()];
        let (rows, look) = (
            self.sparse.rows(),
            Look { island, felt: &self.felt, order: &self.order, ends: &self.ends, starts: &self.starts, v },
        );
        look.fill(rows, &mut left);
        let mut slack = vec![[0.0; 6]; v.len()];
        self.order.iter().zip(left).for_each(|(i, s)| slack[*i] = s);
        slack
    }

    /// Newton's step from where they were set, to `enough` of what is left over there.
    pub(super) fn solve(&mut self, slack: &[Six], enough: f64) -> Vec<Six> {
        self.sparse.solve(slack, enough)
    }

    /// Those of `some`, and all they are coupled with.
    pub(super) fn with_neighbours(&self, some: &[bool]) -> Vec<bool> {
        let mut all = some.to_vec();
        for c in &self.island.couplings {
            if let [Some(a), Some(b)] = c.movers {
                all[a] |= some[b];
                all[b] |= some[a];
            }
        }
        all
    }

    /// Brings `slack`, what is left over at `v`, up to date for `some` bodies.
    pub(super) fn update(&self, v: &[Six], some: &[bool], slack: &mut [Six]) {
        for (row, &i) in self.order.iter().enumerate().filter(|(_, i)| some[**i]) {
            let mut own = self.island.lacking(i, v);
            for end in &self.ends[self.starts[row]..self.starts[row + 1]] {
                let c = &self.island.couplings[end.coupling];
                self.island.give(&mut own, c, (&c.impulse_at(self.island.motion(c, v)), end.side));
            }
            slack[i] = own;
        }
    }
}

/// What some couplings say, in lanes.
struct Slopes<'a> {
    island: &'a Island<'a>,
    couplings: &'a [Coupling<'a>],
    felt: &'a mut [Felt],
    v: &'a [Six],
    surer: f64,
}

impl Pass for Slopes<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (c, felt) in self.couplings.iter().zip(self.felt) {
            let (impulse, slope) = c.impulse_and_slope(self.island.motion(c, self.v), self.surer);
            *felt = Felt { impulse, slope };
        }
    }
}

/// What rows are filled from.
#[derive(Clone, Copy)]
struct Look<'a> {
    island: &'a Island<'a>,
    felt: &'a [Felt],
    order: &'a [usize],
    ends: &'a [End],
    starts: &'a [usize],
    v: &'a [Six],
}

impl Look<'_> {
    /// Halves until a half is no more worth a task.
    fn fill(self, rows: Rows, left: &mut [Six]) {
        if left.len() < 2 * WORTH {
            return widest(Fill { look: self, rows, left });
        }
        let half = left.len() / 2;
        let (first, last) = rows.split(half);
        let (above, below) = left.split_at_mut(half);
        rayon::join(|| self.fill(first, above), || self.fill(last, below));
    }
}

/// Some rows and what is left over there, in lanes.
struct Fill<'a> {
    look: Look<'a>,
    rows: Rows<'a>,
    left: &'a mut [Six],
}

impl Pass for Fill<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { look, rows, left } = self;
        let island = look.island;
        rows.blocks.fill(Block::ZERO);
        for (k, own) in left.iter_mut().enumerate() {
            let row = rows.first + k;
            let i = look.order[row];
            *own = island.lacking(i, look.v);
            let mut diagonal = island.movers[i].block();
            for end in &look.ends[look.starts[row]..look.starts[row + 1]] {
                let (c, Felt { impulse, slope }) = (&island.couplings[end.coupling], &look.felt[end.coupling]);
                island.give(own, c, (impulse, end.side));
                diagonal.add(&island.seen(c, slope, (end.side, end.side)), 1.0);
                if let Some(at) = end.block {
                    rows.blocks[at - rows.first_block].add(&island.seen(c, slope, (end.side, 1 - end.side)), -1.0);
                }
            }
            rows.diagonal[k] = diagonal;
        }
    }
}
