//! Newton's equations of an island, put together: first what each coupling says, then body by body.
//!
//! Both parts are shared among threads where there is enough of them. What a body is told is summed by whoever has that
//! body, in the order of its couplings: the same bits for any number of threads.

use super::block::{Block, Half, Six, dot};
use super::coupling::{Coupling, Impulse};
use super::island::Island;
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

/// Newton's equations are solved but for these parts: while spots begin and cease to slide, and after that. Smaller: more
/// conjugate gradients. Larger: more of Newton's steps.
const ROUGHLY: f64 = 0.1;
const CLOSELY: f64 = 0.01;

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
    /// What each coupling answers to the motion of its bodies: its impulse, and by how much that falls.
    impulses: Vec<Impulse>,
    slopes: Vec<Half>,
    /// How much surer than they are slopes were taken to be.
    surer: f64,
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
        let couplings = island.couplings.len();
        Self {
            island,
            sparse,
            impulses: vec![Impulse::default(); couplings],
            slopes: vec![[0.0; 21]; couplings],
            surer: 0.0,
            order,
            ends,
            starts,
        }
    }

    /// Makes them those at `v`. Returns what is left over there.
    pub(super) fn set(&mut self, v: &[Six], surer: f64) -> Vec<Six> {
        self.surer = surer;
        let island = self.island;
        let pass = |((couplings, impulses), slopes): ((&[Coupling], &mut [Impulse]), &mut [Half])| {
            widest(Replies { island, couplings, impulses, slopes, v, surer });
        };
        if island.couplings.len() < 2 * WORTH {
            pass(((&island.couplings, &mut self.impulses), &mut self.slopes));
        } else {
            let replies = self.impulses.par_chunks_mut(WORTH);
            island.couplings.par_chunks(WORTH).zip(replies).zip(self.slopes.par_chunks_mut(WORTH)).for_each(pass);
        }
        let mut slack = vec![[0.0; 6]; v.len()];
        slack.par_iter_mut().with_min_len(WORTH).enumerate().for_each(|(i, own)| *own = self.left(i, v));
        slack
    }

    /// What is left over of body `i` at `v`, by what its couplings said last.
    fn left(&self, i: usize, v: &[Six]) -> Six {
        let (island, row) = (self.island, self.sparse.place(i));
        let mut left = island.lacking(i, v);
        for end in &self.ends[self.starts[row]..self.starts[row + 1]] {
            island.give(&mut left, &island.couplings[end.coupling], (&self.impulses[end.coupling], end.side));
        }
        left
    }

    /// Tells what all couplings said last to those of a `part`, which has couplings of these `numbers`.
    pub(super) fn tell(&self, part: &mut Equations, numbers: &[usize]) {
        part.surer = self.surer;
        for (n, &whole) in numbers.iter().enumerate() {
            (part.impulses[n], part.slopes[n]) = (self.impulses[whole], self.slopes[whole]);
        }
    }

    /// Hears what couplings of a `part` said last, and brings `slack` up to date for these bodies.
    pub(super) fn hear(
        &mut self,
        part: &Equations,
        numbers: &[usize],
        (some, v, slack): (&[bool], &[Six], &mut [Six]),
    ) {
        for (n, &whole) in numbers.iter().enumerate() {
            (self.impulses[whole], self.slopes[whole]) = (part.impulses[n], part.slopes[n]);
        }
        (0..v.len()).filter(|i| some[*i]).for_each(|i| slack[i] = self.left(i, v));
    }

    /// Newton's step from where they were set, where `slack` is left over, about.
    pub(super) fn solve(&mut self, slack: &[Six]) -> Vec<Six> {
        let Self { island, sparse, slopes, order, ends, starts, .. } = self;
        Look { island, slopes, order, ends, starts }.fill(sparse.rows());
        self.sparse.solve(slack, if self.surer > 0.0 { ROUGHLY } else { CLOSELY })
    }

    /// Goes from `v` along Newton's `direction`, to its end or, where that is too far, to where little is left over along it,
    /// which falls all the way. Makes them those there, and `slack` what is left over there.
    pub(super) fn go(&mut self, (v, slack): (&mut [Six], &mut Vec<Six>), direction: &[Six], surer: f64) {
        let along = |slack: &[Six]| direction.iter().zip(slack).map(|(d, s)| dot(d, s)).sum::<f64>();
        let first = along(slack);
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
            *slack = self.set(v, surer);
            let left = along(slack);
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
        for c in &self.island.couplings {
            if let [Some(a), Some(b)] = c.movers {
                all[a] |= some[b];
                all[b] |= some[a];
            }
        }
        all
    }
}

/// What some couplings say, in lanes.
struct Replies<'a> {
    island: &'a Island<'a>,
    couplings: &'a [Coupling<'a>],
    impulses: &'a mut [Impulse],
    slopes: &'a mut [Half],
    v: &'a [Six],
    surer: f64,
}

impl Pass for Replies<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { island, couplings, impulses, slopes, v, surer } = self;
        for ((c, impulse), slope) in couplings.iter().zip(impulses).zip(slopes) {
            (*impulse, *slope) = c.impulse_and_slope(island.motion(c, v), surer);
        }
    }
}

/// What rows are filled from.
#[derive(Clone, Copy)]
struct Look<'a> {
    island: &'a Island<'a>,
    slopes: &'a [Half],
    order: &'a [usize],
    ends: &'a [End],
    starts: &'a [usize],
}

impl Look<'_> {
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
    look: Look<'a>,
    rows: Rows<'a>,
}

impl Pass for Fill<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { look, rows } = self;
        let island = look.island;
        rows.blocks.fill(Block::ZERO);
        for (k, own) in rows.diagonal.iter_mut().enumerate() {
            let row = rows.first + k;
            let mut diagonal = island.movers[look.order[row]].block();
            for end in &look.ends[look.starts[row]..look.starts[row + 1]] {
                let (c, slope) = (&island.couplings[end.coupling], &Block::from_half(&look.slopes[end.coupling]));
                diagonal.add(&island.seen(c, slope, (end.side, end.side)), 1.0);
                if let Some(at) = end.block {
                    rows.blocks[at - rows.first_block].add(&island.seen(c, slope, (end.side, 1 - end.side)), -1.0);
                }
            }
            *own = diagonal;
        }
    }
}
