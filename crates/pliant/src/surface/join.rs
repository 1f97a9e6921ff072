//! Assembly of a mesh from its blocks: vertices in order, and triangles, whose vertices may belong to neighbouring blocks.

use super::block::{BlockBatch, GridBlock, SIDE, bits};
use super::cubes::{EDGES, TRIANGLES, corners_of};
use super::marched::MarchedMesh;
use crate::fields::CORNERS;
use rayon::prelude::*;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Number of corners of a layer, and of a block.
const LAYER: usize = CORNERS * CORNERS;
const ALL: usize = CORNERS * LAYER;

/// Marks a vertex that is missing, because its block was not marched.
const NONE: u32 = u32::MAX;

/// Blocks triangulated by a thread at a time, and by all threads before their results are joined. More: results leave the cache
/// before they are joined, and take memory twice. Fewer: threads wait for each other.
const SHARE: usize = 64;
const WAVE: usize = 64 * SHARE;

/// The blocks added so far, in order, and their vertices.
#[derive(Default)]
pub(super) struct MeshAssembly {
    blocks: Vec<GridBlock>,
    all: MarchedMesh,
}

/// Index of each block, by its least corner.
type BlockIndex = HashMap<[i64; 3], u32, BuildHasherDefault<GridHasher>>;

/// A fast hash of grid coordinates; it need not resist chosen input.
#[derive(Default)]
struct GridHasher(u64);

impl Hasher for GridHasher {
    fn write(&mut self, bytes: &[u8]) {
        for word in bytes.chunks(8) {
            let mut all = [0; 8];
            all[..word.len()].copy_from_slice(word);
            self.0 = (self.0.rotate_left(21) ^ u64::from_le_bytes(all)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
    }
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

impl MeshAssembly {
    /// Number of vertices so far.
    pub(super) fn vertices(&self) -> usize {
        self.all.positions.len()
    }

    /// Appends the blocks of `part`.
    ///
    /// # Panics
    /// When there are more than `u32::MAX` vertices, which [`march`](super::march()) does not ask for.
    pub(super) fn add(&mut self, part: &BlockBatch) {
        let total = self.all.positions.len() + part.positions.len();
        assert!(u32::try_from(total).is_ok(), "{total} vertices in one mesh");
        let first = self.all.positions.len() as u32;
        self.blocks.extend(part.blocks.iter().map(|b| b.offset_by(first)));
        self.all.positions.extend_from_slice(&part.positions);
        self.all.gradients.extend_from_slice(&part.gradients);
        self.all.edges.extend_from_slice(&part.edges);
    }

    /// The mesh, with all triangles.
    pub(super) fn finish(mut self) -> MarchedMesh {
        let index = BlockIndex::from_iter((0..).zip(&self.blocks).map(|(i, b)| (b.low, i)));
        self.all.triangles.reserve(2 * self.all.positions.len());
        for wave in self.blocks.chunks(WAVE) {
            let triangles: Vec<_> = wave.par_chunks(SHARE).map(|some| self.triangles(some, &index)).collect();
            triangles.iter().for_each(|t| self.all.triangles.extend_from_slice(t));
        }
        self.all
    }

    /// The triangles of some blocks.
    fn triangles(&self, some: &[GridBlock], index: &BlockIndex) -> Vec<[u32; 3]> {
        let mut triangles = Vec::new();
        // Vertex of each edge, by axis and corner. Only entries of crossed edges are written, and only those are read.
        let mut numbers = [NONE; 3 * ALL];
        for block in some {
            let complete = self.number_vertices(block, index, &mut numbers);
            let known = triangles.len();
            add_triangles(block, &numbers, &mut triangles);
            if !complete {
                let new = triangles.split_off(known);
                triangles.extend(new.into_iter().filter(|t| !t.contains(&NONE)));
            }
        }
        triangles
    }

    /// Writes the vertex of every crossed edge of a block to `numbers`. False if a neighbour with such a vertex is missing: then
    /// the surface's range was not a bound of its values, and the mesh has a hole.
    fn number_vertices(&self, block: &GridBlock, index: &BlockIndex, numbers: &mut [u32; 3 * ALL]) -> bool {
        let mut complete = true;
        let mut next = block.first;
        let mut neighbours = [None; 8];
        for axis in 0..3 {
            for k in 0..CORNERS {
                let base = axis * ALL + k * LAYER;
                let owned = block.signs.owned(axis, k);
                for bit in bits(owned) {
                    numbers[base + bit as usize] = next;
                    next += 1;
                }
                for bit in bits(block.signs.crossed(axis, k) & !owned) {
                    let [i, j] = [bit as usize % CORNERS, bit as usize / CORNERS];
                    let side = usize::from(i == SIDE) | usize::from(j == SIDE) << 1 | usize::from(k == SIDE) << 2;
                    let neighbour = *neighbours[side].get_or_insert_with(|| self.neighbour(block, side, index));
                    // Far faces of the block are near faces of the neighbour.
                    let (i, j, k) = (i % SIDE, j % SIDE, k % SIDE);
                    let vertex = |b: &GridBlock| b.first + b.vertex_index(axis, k, (i + CORNERS * j) as u32);
                    numbers[base + bit as usize] = neighbour.map_or(NONE, vertex);
                    complete &= neighbour.is_some();
                }
            }
        }
        complete
    }

    /// The block across the far faces given by the bits of `side`.
    fn neighbour(&self, block: &GridBlock, side: usize, index: &BlockIndex) -> Option<&GridBlock> {
        let low = [0, 1, 2].map(|a| block.low[a] + if side >> a & 1 == 1 { SIDE as i64 } else { 0 });
        index.get(&low).map(|i| &self.blocks[*i as usize])
    }
}

/// Offset of each edge of a cube in the numbering of edges, from the cube's first corner.
const EDGE_OFFSETS: [usize; EDGES] = {
    let mut all = [0; EDGES];
    let mut edge = 0;
    while edge < EDGES {
        let corner = corners_of(edge)[0];
        all[edge] = edge / 4 * ALL + (corner & 1) + (corner >> 1 & 1) * CORNERS + (corner >> 2) * LAYER;
        edge += 1;
    }
    all
};

fn add_triangles(block: &GridBlock, numbers: &[u32; 3 * ALL], out: &mut Vec<[u32; 3]>) {
    let table = &*TRIANGLES;
    for k in 0..SIDE {
        for bit in bits(block.signs.cubes(k)) {
            let base = k * LAYER + bit as usize;
            let vertex = |edge: u8| numbers[base + EDGE_OFFSETS[usize::from(edge)]];
            out.extend(table.triangles(block.signs.case(k, bit)).iter().map(|t| t.map(vertex)));
        }
    }
}
