//! One block of the grid: signs of its corners, and crossings of its edges with the surface.

use super::implicit::ImplicitSurface;
use super::roots::Roots;
use crate::fields::{CORNERS, Rows};
use crate::math::DVec3;
use crate::math::lanes::{Pass, widest};

/// Cubes along each side of a block: its corners fill words of 64 bits.
pub(super) const SIDE: usize = CORNERS - 1;

/// Corners of a layer that start a cube, and the edges of this block.
pub(super) const OWN: u64 = 0x007f_7f7f_7f7f_7f7f;
/// Corners of a layer that have a next one along x, and along y.
const NEXT: [u64; 2] = [0x7f7f_7f7f_7f7f_7f7f, 0x00ff_ffff_ffff_ffff];

/// Signs of the corners, set inside: a word a layer along z, in it a byte a row along y, in that a bit a corner along x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Signs(pub [u64; CORNERS]);

impl Signs {
    /// Whether all corners are on one side.
    fn is_uniform(&self) -> bool {
        self.0.iter().all(|s| *s == 0) || self.0.iter().all(|s| *s == u64::MAX)
    }

    /// Edges along `axis` from the corners of layer `k` that cross the surface.
    #[inline(always)]
    pub(super) fn crossed(&self, axis: usize, k: usize) -> u64 {
        let s = self.0[k];
        match axis {
            0 => (s ^ s >> 1) & NEXT[0],
            1 => (s ^ s >> 8) & NEXT[1],
            _ if k < SIDE => s ^ self.0[k + 1],
            _ => 0,
        }
    }

    /// Those of them that belong to this block: the others are on its far faces, and their neighbours' first.
    #[inline(always)]
    pub(super) fn owned(&self, axis: usize, k: usize) -> u64 {
        if k < SIDE { self.crossed(axis, k) & OWN } else { 0 }
    }

    /// Cubes of layer `k` that the surface passes.
    #[inline(always)]
    pub(super) fn cubes(&self, k: usize) -> u64 {
        let (a, b) = (self.0[k], self.0[k + 1]);
        let (any, all) = (a | b, a & b);
        let (any, all) = (any | any >> 1, all & all >> 1);
        (any | any >> 8) & !(all & all >> 8) & OWN
    }

    /// Which corners of a cube of layer `k` are inside, as [`cubes`](super::cubes) counts them.
    #[inline(always)]
    pub(super) fn case(&self, k: usize, bit: u32) -> usize {
        let four = |s: u64| (s >> bit & 3 | s >> bit >> 6 & 12) as usize;
        four(self.0[k]) | four(self.0[k + 1]) << 4
    }
}

/// The numbers of the bits that are set, in order.
#[inline(always)]
pub(super) fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}

/// A block that the surface passes. Its vertices are in order of their axis, layer and bit.
#[derive(Clone, Copy, Debug)]
pub(super) struct GridBlock {
    /// Its least corner, in cubes of the grid.
    pub low: [i64; 3],
    pub signs: Signs,
    /// Its vertices before those of an axis and layer.
    starts: [[u16; SIDE]; 3],
    /// Vertices before its own.
    pub first: u32,
}

impl GridBlock {
    /// With so many more vertices before its own.
    pub(super) fn after(&self, vertices: u32) -> Self {
        Self { first: self.first + vertices, ..*self }
    }

    /// The vertex on an edge it owns, counted from its first.
    #[inline(always)]
    pub(super) fn number(&self, axis: usize, k: usize, bit: u32) -> u32 {
        let before = self.signs.owned(axis, k) & ((1 << bit) - 1);
        u32::from(self.starts[axis][k]) + before.count_ones()
    }
}

/// Blocks of one thread, and their vertices.
#[derive(Default)]
pub(super) struct BlockBatch {
    pub blocks: Vec<GridBlock>,
    pub positions: Vec<DVec3>,
    pub gradients: Vec<DVec3>,
    pub edges: Vec<u64>,
    roots: Roots,
}

/// Coordinates of a block's corners: bit for bit the same in every block that has the corner.
fn coordinates(low: [i64; 3], cell: f64) -> [[f64; CORNERS]; 3] {
    low.map(|l| std::array::from_fn(|i| (l + i as i64) as f64 * cell))
}

/// Marches the block from `low` if the surface passes it.
pub(super) fn add_block(surface: &dyn ImplicitSurface, low: [i64; 3], cell: f64, out: &mut BlockBatch) {
    let at = coordinates(low, cell);
    let mut rows: Rows = [[0.0; CORNERS]; CORNERS * CORNERS];
    surface.corners(&at, &mut rows);
    let signs = widest(Inside { rows: &rows, iso: surface.iso() });
    if signs.is_uniform() {
        return;
    }
    let mut block = GridBlock { low, signs, starts: [[0; SIDE]; 3], first: out.positions.len() as u32 };
    let mut counts = [0; 3];
    for axis in 0..3 {
        for k in 0..SIDE {
            block.starts[axis][k] = counts.iter().sum::<usize>() as u16;
            counts[axis] += signs.owned(axis, k).count_ones() as usize;
        }
    }
    let crossings = out.roots.begin(counts);
    let mut number = 0;
    for axis in 0..3 {
        for k in 0..SIDE {
            for bit in bits(signs.owned(axis, k)) {
                let (from, line) = edge(&at, &rows, (axis, k, bit as usize));
                crossings.set(number, from, axis, line);
                out.edges.push(edge_number(low, (axis, k, bit as usize)));
                number += 1;
            }
        }
    }
    out.blocks.push(block);
    out.roots.solve(surface, cell, (&mut out.positions, &mut out.gradients));
}

/// Start of an edge, and the values before, at its ends, and after; NaN beyond the block.
#[inline(always)]
fn edge(at: &[[f64; CORNERS]; 3], rows: &Rows, (axis, k, bit): (usize, usize, usize)) -> ([f64; 3], [f64; 4]) {
    let from = [bit % CORNERS, bit / CORNERS, k];
    let (values, here) = (rows.as_flattened(), k * CORNERS * CORNERS + bit);
    let step = [1, CORNERS, CORNERS * CORNERS][axis];
    let before = if from[axis] > 0 { values[here - step] } else { f64::NAN };
    let after = if from[axis] + 1 < SIDE { values[here + 2 * step] } else { f64::NAN };
    let line = [before, values[here], values[here + step], after];
    ([0, 1, 2].map(|d| at[d][from[d]]), line)
}

/// Bits of an edge's number for each coordinate. Numbers of a mesh are unique as long as it spans fewer than 2²⁰ cubes, wherever it
/// is; `march` refuses larger ones.
pub(super) const EDGE_BITS: u32 = 20;

/// Number of an edge: the grid coordinates of its lesser end modulo 2²⁰, and its axis.
#[inline(always)]
fn edge_number(low: [i64; 3], (axis, k, bit): (usize, usize, usize)) -> u64 {
    let bits = |low: i64, at: usize| (low + at as i64 + (1 << (EDGE_BITS - 1))) as u64 & ((1 << EDGE_BITS) - 1);
    let [x, y, z] = [bits(low[0], bit % CORNERS), bits(low[1], bit / CORNERS), bits(low[2], k)];
    x | y << EDGE_BITS | z << (2 * EDGE_BITS) | (axis as u64) << (3 * EDGE_BITS)
}

/// Axis of the edge with this number.
#[inline(always)]
pub(super) fn axis_of(edge: u64) -> usize {
    (edge >> (3 * EDGE_BITS)) as usize
}

/// Comparison of a block's values with the isovalue.
struct Inside<'a> {
    rows: &'a Rows,
    iso: f64,
}

impl Pass for Inside<'_> {
    type Output = Signs;

    #[inline(always)]
    fn run(self) -> Signs {
        let mut signs = [0; CORNERS];
        for (n, row) in self.rows.iter().enumerate() {
            let mut byte = 0u8;
            for (i, value) in row.iter().enumerate() {
                byte |= u8::from(*value > self.iso) << i;
            }
            signs[n / CORNERS] |= u64::from(byte) << (CORNERS * (n % CORNERS));
        }
        Signs(signs)
    }
}
