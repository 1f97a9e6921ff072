//! Parts made one: vertices in their order, and triangles across blocks.

use super::block::{Block, Part, SIDE, bits};
use super::cubes::{EDGES, TRIANGLES, corners_of};
use super::grid::Marched;
use crate::fields::CORNERS;
use rayon::prelude::*;
use std::collections::HashMap;

/// Corners of a layer, and of a block.
const LAYER: usize = CORNERS * CORNERS;
const ALL: usize = CORNERS * LAYER;

/// Stands for a vertex that no block has found.
const NONE: u32 = u32::MAX;

/// Where blocks are, by their least corner: part and place in it.
type Places = HashMap<[i64; 3], (u32, u32)>;

/// All blocks with numbers for their vertices.
struct Whole<'a> {
    parts: &'a [Part],
    /// Vertices of all parts before each.
    firsts: Vec<u32>,
    places: Places,
}

/// All parts as one.
pub(super) fn join(parts: Vec<Part>) -> Marched {
    let mut firsts = Vec::with_capacity(parts.len());
    let mut places = Places::default();
    let mut count = 0;
    for (n, part) in parts.iter().enumerate() {
        firsts.push(count as u32);
        count += part.positions.len();
        places.extend(part.blocks.iter().enumerate().map(|(i, b)| (b.low, (n as u32, i as u32))));
    }
    let whole = Whole { parts: &parts, firsts, places };
    let triangles: Vec<Vec<[u32; 3]>> = (0..parts.len()).into_par_iter().map(|n| whole.triangles(n)).collect();
    let mut all = Marched {
        positions: Vec::with_capacity(count),
        gradients: Vec::with_capacity(count),
        edges: Vec::with_capacity(count),
        triangles: Vec::with_capacity(triangles.iter().map(Vec::len).sum()),
    };
    for (part, triangles) in parts.iter().zip(&triangles) {
        all.positions.extend_from_slice(&part.positions);
        all.gradients.extend_from_slice(&part.gradients);
        all.triangles.extend_from_slice(triangles);
        part.blocks.iter().for_each(|b| add_edges(b, &mut all.edges));
    }
    all
}

impl Whole<'_> {
    /// The triangles of a part.
    fn triangles(&self, n: usize) -> Vec<[u32; 3]> {
        let part = &self.parts[n];
        let mut triangles = Vec::with_capacity(2 * part.positions.len() + part.positions.len() / 4);
        // By axis and corner; only what is crossed is written, and only that is read.
        let mut numbers = [NONE; 3 * ALL];
        for block in &part.blocks {
            let complete = self.number(block, self.firsts[n] + block.first, &mut numbers);
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
    fn number(&self, block: &Block, first: u32, numbers: &mut [u32; 3 * ALL]) -> bool {
        let mut complete = true;
        let mut next = first;
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
                    let at = [bit as usize % CORNERS, bit as usize / CORNERS, k];
                    let side = (0..3).filter(|a| at[*a] == SIDE).map(|a| 1 << a).sum::<usize>();
                    let neighbour = *neighbours[side].get_or_insert_with(|| self.neighbour(block, side));
                    let [i, j, k] = at.map(|a| if a == SIDE { 0 } else { a });
                    let vertex = |(b, first): (&Block, u32)| first + b.number(axis, k, (i + CORNERS * j) as u32);
                    numbers[base + bit as usize] = neighbour.map_or(NONE, vertex);
                    complete &= neighbour.is_some();
                }
            }
        }
        complete
    }

    /// The block beyond the far faces named by the bits of `side`, and its first vertex.
    fn neighbour(&self, block: &Block, side: usize) -> Option<(&Block, u32)> {
        let low = [0, 1, 2].map(|a| block.low[a] + if side >> a & 1 == 1 { SIDE as i64 } else { 0 });
        let &(part, place) = self.places.get(&low)?;
        let found = &self.parts[part as usize].blocks[place as usize];
        Some((found, self.firsts[part as usize] + found.first))
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

fn add_triangles(block: &Block, numbers: &[u32; 3 * ALL], out: &mut Vec<[u32; 3]>) {
    let table = &*TRIANGLES;
    for k in 0..SIDE {
        for bit in bits(block.signs.cubes(k)) {
            let base = k * LAYER + bit as usize;
            let vertex = |edge: u8| numbers[base + OFFSETS[usize::from(edge)]];
            out.extend(table.of(block.signs.case(k, bit)).iter().map(|t| t.map(vertex)));
        }
    }
}

fn add_edges(block: &Block, out: &mut Vec<u64>) {
    for axis in 0..3 {
        for k in 0..SIDE {
            for bit in bits(block.signs.owned(axis, k)) {
                let at = [bit as usize % CORNERS, bit as usize / CORNERS, k];
                out.push(edge_number([0, 1, 2].map(|a| block.low[a] + at[a] as i64), axis));
            }
        }
    }
}

/// One number for the edge along `axis` from a corner, if that is within half a million cubes of the origin.
fn edge_number(from: [i64; 3], axis: usize) -> u64 {
    let bits = |v: i64| (v + (1 << 19)) as u64 & 0xF_FFFF;
    bits(from[0]) | bits(from[1]) << 20 | bits(from[2]) << 40 | (axis as u64) << 60
}
