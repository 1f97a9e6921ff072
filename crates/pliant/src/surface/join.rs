//! Assembly of a mesh from blocks: vertices in their order, and triangles across blocks.

use super::block::{BlockBatch, GridBlock, SIDE, bits};
use super::cubes::{EDGES, TRIANGLES, corners_of};
use super::marched::MarchedMesh;
use crate::fields::CORNERS;
use rayon::prelude::*;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Corners of a layer, and of a block.
const LAYER: usize = CORNERS * CORNERS;
const ALL: usize = CORNERS * LAYER;

/// Stands for a vertex that no block has found.
const NONE: u32 = u32::MAX;

/// Blocks a thread cuts into triangles at once, and how many of those there are before they are put together. More:
/// what is put together has left the cache, and memory is taken twice. Fewer: threads wait for each other.
const SHARE: usize = 64;
const WAVE: usize = 64 * SHARE;

/// All blocks so far, in order, and their vertices.
#[derive(Default)]
pub(super) struct MeshAssembly {
    blocks: Vec<GridBlock>,
    all: MarchedMesh,
}

/// Where blocks are, by their least corner.
type Places = HashMap<[i64; 3], u32, BuildHasherDefault<Mixed>>;

/// A quick hash: the grid's numbers are nobody's to choose.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
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
    /// Vertices so far.
    pub(super) fn vertices(&self) -> usize {
        self.all.positions.len()
    }

    /// Adds a part behind the others.
    ///
    /// # Panics
    /// When there are more than `u32::MAX` vertices, which [`march`](super::march()) does not ask for.
    pub(super) fn add(&mut self, part: &BlockBatch) {
        let total = self.all.positions.len() + part.positions.len();
        assert!(u32::try_from(total).is_ok(), "{total} vertices in one mesh");
        let first = self.all.positions.len() as u32;
        self.blocks.extend(part.blocks.iter().map(|b| b.after(first)));
        self.all.positions.extend_from_slice(&part.positions);
        self.all.gradients.extend_from_slice(&part.gradients);
        self.all.edges.extend_from_slice(&part.edges);
    }

    /// With all triangles.
    pub(super) fn finish(mut self) -> MarchedMesh {
        let places = Places::from_iter((0..).zip(&self.blocks).map(|(i, b)| (b.low, i)));
        self.all.triangles.reserve(2 * self.all.positions.len());
        for wave in self.blocks.chunks(WAVE) {
            let triangles: Vec<_> = wave.par_chunks(SHARE).map(|some| self.triangles(some, &places)).collect();
            triangles.iter().for_each(|t| self.all.triangles.extend_from_slice(t));
        }
        self.all
    }

    /// The triangles of some blocks.
    fn triangles(&self, some: &[GridBlock], places: &Places) -> Vec<[u32; 3]> {
        let mut triangles = Vec::new();
        // By axis and corner; only what is crossed is written, and only that is read.
        let mut numbers = [NONE; 3 * ALL];
        for block in some {
            let complete = self.number(block, places, &mut numbers);
            let known = triangles.len();
            add_triangles(block, &numbers, &mut triangles);
            if !complete {
                let new = triangles.split_off(known);
                triangles.extend(new.into_iter().filter(|t| !t.contains(&NONE)));
            }
        }
        triangles
    }

    /// Puts down the vertices of every edge of a block that crosses the surface. False if a neighbour is missing that
    /// must have one: the surface's range did not hold its values, and there will be a hole.
    fn number(&self, block: &GridBlock, places: &Places, numbers: &mut [u32; 3 * ALL]) -> bool {
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
                    let neighbour = *neighbours[side].get_or_insert_with(|| self.neighbour(block, side, places));
                    // The far faces are the neighbours' first.
                    let (i, j, k) = (i % SIDE, j % SIDE, k % SIDE);
                    let vertex = |b: &GridBlock| b.first + b.number(axis, k, (i + CORNERS * j) as u32);
                    numbers[base + bit as usize] = neighbour.map_or(NONE, vertex);
                    complete &= neighbour.is_some();
                }
            }
        }
        complete
    }

    /// The block beyond the far faces named by the bits of `side`.
    fn neighbour(&self, block: &GridBlock, side: usize, places: &Places) -> Option<&GridBlock> {
        let low = [0, 1, 2].map(|a| block.low[a] + if side >> a & 1 == 1 { SIDE as i64 } else { 0 });
        places.get(&low).map(|i| &self.blocks[*i as usize])
    }
}

/// From a cube's first corner to the number of each of its edges.
const OFFSETS: [usize; EDGES] = {
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
            let vertex = |edge: u8| numbers[base + OFFSETS[usize::from(edge)]];
            out.extend(table.of(block.signs.case(k, bit)).iter().map(|t| t.map(vertex)));
        }
    }
}
