//! One block of the grid: the signs of its corners, and the crossings of its edges with the surface.

use super::implicit::ImplicitSurface;
use super::roots::{GridSurface, Roots};
use crate::fields::{CORNERS, CornerValues};
use crate::math::DVec3;
use crate::math::lanes::{Pass, widest};
use crate::math::real::FourLanes;

/// Cubes along each side of a block: the corners of a layer fill one word of 64 bits.
pub(super) const SIDE: usize = CORNERS - 1;

/// Mask of the corners of a layer that are the first of a cube, and whose edges belong to this block.
pub(super) const OWN: u64 = 0x007f_7f7f_7f7f_7f7f;
/// Masks of the corners of a layer that have a next one along x, and along y.
const NEXT: [u64; 2] = [0x7f7f_7f7f_7f7f_7f7f, 0x00ff_ffff_ffff_ffff];

/// Signs of the corners, one bit each, set inside the solid: a word for each layer along z, of a byte for each row along y, of a
/// bit for each corner along x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Signs(pub [u64; CORNERS]);

impl Signs {
    /// Whether all corners are inside, or all outside.
    fn is_uniform(&self) -> bool {
        self.0.iter().all(|s| *s == 0) || self.0.iter().all(|s| *s == u64::MAX)
    }

    /// Mask of the edges along `axis`, from the corners of layer `k`, that cross the surface.
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

    /// Mask of the crossed edges that belong to this block. Edges on its far faces belong to the neighbours.
    #[inline(always)]
    pub(super) fn owned(&self, axis: usize, k: usize) -> u64 {
        if k < SIDE { self.crossed(axis, k) & OWN } else { 0 }
    }

    /// Mask of the cubes of layer `k` that the surface passes through.
    #[inline(always)]
    pub(super) fn cubes(&self, k: usize) -> u64 {
        let (a, b) = (self.0[k], self.0[k + 1]);
        let (any, all) = (a | b, a & b);
        let (any, all) = (any | any >> 1, all & all >> 1);
        (any | any >> 8) & !(all & all >> 8) & OWN
    }

    /// Marching-cubes case of a cube of layer `k`: a bit for each corner inside, numbered as in [`cubes`](super::cubes).
    #[inline(always)]
    pub(super) fn case(&self, k: usize, bit: u32) -> usize {
        let four = |s: u64| (s >> bit & 3 | s >> bit >> 6 & 12) as usize;
        four(self.0[k]) | four(self.0[k + 1]) << 4
    }
}

/// Indices of the set bits, in order.
#[inline(always)]
pub(super) fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}

/// A block that the surface passes through. Its vertices are sorted by axis, layer and bit of their edges.
#[derive(Clone, Copy, Debug)]
pub(super) struct GridBlock {
    /// Its least corner, in cubes of the grid.
    pub low: [i64; 3],
    pub signs: Signs,
    /// Index, in this block, of the first vertex of each axis and layer.
    starts: [[u16; SIDE]; 3],
    /// Index of its first vertex in the mesh.
    pub first: u32,
}

impl GridBlock {
    /// The block with its vertices moved back by `vertices`.
    pub(super) fn offset_by(&self, vertices: u32) -> Self {
        Self { first: self.first + vertices, ..*self }
    }

    /// Index, in this block, of the vertex on an edge that belongs to it.
    #[inline(always)]
    pub(super) fn vertex_index(&self, axis: usize, k: usize, bit: u32) -> u32 {
        let before = self.signs.owned(axis, k) & ((1 << bit) - 1);
        u32::from(self.starts[axis][k]) + before.count_ones()
    }
}

/// Blocks marched by one thread, and their vertices.
#[derive(Default)]
pub(super) struct BlockBatch {
    pub blocks: Vec<GridBlock>,
    pub positions: Vec<DVec3>,
    pub gradients: Vec<DVec3>,
    pub edges: Vec<u64>,
    roots: Roots,
}

/// Coordinates of a block's corners: bit for bit the same in all blocks that share a corner.
fn corner_coordinates(low: [i64; 3], cell: f64) -> [[f64; CORNERS]; 3] {
    low.map(|l| std::array::from_fn(|i| (l + i as i64) as f64 * cell))
}

/// Marches the block with least corner `low`, if the surface passes through it.
pub(super) fn add_block(surface: &dyn ImplicitSurface, low: [i64; 3], cell: f64, out: &mut BlockBatch) {
    let at = corner_coordinates(low, cell);
    let mut rows: CornerValues = [[0.0; CORNERS]; CORNERS * CORNERS];
    surface.corners(&at, &mut rows);
    let signs = widest(ClassifyCorners { rows: &rows, iso: surface.iso() });
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
                let edge = BlockEdge { axis, k, bit: bit as usize };
                crossings.set(number, edge.start(&at), axis, edge.values_in_line(&rows));
                out.edges.push(edge.number(low));
                number += 1;
            }
        }
    }
    out.blocks.push(block);
    out.roots.solve(GridSurface::new(surface, cell), &mut out.positions, &mut out.gradients);
}

/// An edge of a block: its axis, and the layer and bit of its lesser end.
#[derive(Clone, Copy)]
struct BlockEdge {
    axis: usize,
    k: usize,
    bit: usize,
}

impl BlockEdge {
    /// Indices of its lesser end.
    #[inline(always)]
    fn from(&self) -> [usize; 3] {
        [self.bit % CORNERS, self.bit / CORNERS, self.k]
    }

    /// Position of its lesser end.
    #[inline(always)]
    fn start(&self, at: &[[f64; CORNERS]; 3]) -> [f64; 3] {
        let from = self.from();
        [0, 1, 2].map(|d| at[d][from[d]])
    }

    /// Values at the corner before the edge, at its ends, and at the corner after it; NaN beyond the block.
    #[inline(always)]
    fn values_in_line(&self, rows: &CornerValues) -> [f64; 4] {
        let from = self.from()[self.axis];
        let (values, here) = (rows.as_flattened(), self.k * CORNERS * CORNERS + self.bit);
        let step = [1, CORNERS, CORNERS * CORNERS][self.axis];
        let before = if from > 0 { values[here - step] } else { f64::NAN };
        let after = if from + 1 < SIDE { values[here + 2 * step] } else { f64::NAN };
        [before, values[here], values[here + step], after]
    }

    /// Its number in the grid: the coordinates of its lesser end modulo 2²⁰, and its axis.
    #[inline(always)]
    fn number(&self, low: [i64; 3]) -> u64 {
        let bits = |low: i64, at: usize| (low + at as i64 + (1 << (EDGE_BITS - 1))) as u64 & ((1 << EDGE_BITS) - 1);
        let from = self.from();
        let [x, y, z] = [0, 1, 2].map(|d| bits(low[d], from[d]));
        x | y << EDGE_BITS | z << (2 * EDGE_BITS) | (self.axis as u64) << (3 * EDGE_BITS)
    }
}

/// Bits of an edge's number for each coordinate. Numbers of a mesh are unique as long as it spans fewer than 2²⁰ cubes, wherever it
/// is; `march` refuses larger ones.
pub(super) const EDGE_BITS: u32 = 20;

/// Axis of the edge with this number.
#[inline(always)]
pub(super) fn axis_of(edge: u64) -> usize {
    (edge >> (3 * EDGE_BITS)) as usize
}

/// Comparison of a block's values with the isovalue.
struct ClassifyCorners<'a> {
    rows: &'a CornerValues,
    iso: f64,
}

impl Pass for ClassifyCorners<'_> {
    type Output = Signs;

    #[inline(always)]
    fn run<V: FourLanes>(self) -> Signs {
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
