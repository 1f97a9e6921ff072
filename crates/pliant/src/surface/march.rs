//! Marching cubes on the blocks of a grid that bounds could not prove empty.
//!
//! *The idea*: the grid is fixed in the world, so two bodies that share a contact surface cross it on the same edges, in the same
//! points. Boxes that bounds prove empty are dropped, the others halved down to blocks of 7³ cubes; of a body at rest each keeps
//! only the elements that reach it. The corners of a block are evaluated together in lanes, and so are the points where its edges
//! cross the surface ([`roots`](super::roots)). Eight words of 64 bits hold which of a block's 8³ corners are inside
//! ([`Signs`](super::block::Signs)): crossed edges, cubes to be cut and the numbers of vertices are all read from those. Every edge
//! belongs to one block, so every vertex is found once.
//! *Promised*: closed, oriented, no edge with more than two faces; the same bits for any number of threads; an error instead of
//! more vertices than [`MOST_VERTICES`].
//! *Not promised*: parts thinner than a cube that pass between its corners.

use super::block::{BlockBatch, EDGE_BITS, SIDE, add_block};
use super::implicit::ImplicitSurface;
use super::join::MeshAssembly;
use super::marched::{MarchedMesh, MeshError};
use crate::math::{Aabb, DVec3};
use rayon::prelude::*;

/// Blocks along the side of a box that one thread takes at once. Fewer: more parts to join. More: a thread may be left
/// without work.
const SHARE: usize = 4;

/// Blocks along the side of a box that all threads take before they put together what they have. More: that has left
/// the cache, and memory is taken twice. Fewer: threads wait for each other.
const WAVE: usize = 16;

/// Distance of an interval from the isovalue at which its box is dropped, as a part of the values: a generous bound of rounding.
const ROUNDING: f64 = 1e-12;

/// Vertices of one mesh at most: 10 GB while it is made. More would fill the memory of most machines.
const MOST_VERTICES: usize = 1 << 27;

/// Cubes along the longest side of a mesh at most: edge numbers repeat beyond.
const MOST_CUBES: f64 = (1 << EDGE_BITS) as f64 - 64.0;

/// Cubes along the longest side of a mesh above which its vertices are estimated first.
const ESTIMATED: f64 = 1024.0;

/// Cubes along the longest side of the first estimate, and vertices it must have found to count as too many. Fewer: small parts
/// that happen to hold a corner of the coarse grid are taken for large ones. More: estimates take longer.
const COARSE: f64 = 128.0;
const TELLING: usize = 10_000;

/// Greatest coordinate in cubes: beyond, corners of one cube may be one number.
const FARTHEST: f64 = (1u64 << 48) as f64;

/// The surface on a grid of cubes with edges of `cell` metres. Empty for a surface without bounds, which has no end to mesh.
///
/// # Errors
/// When `cell` is not a positive number, or so small that the mesh would have more than 2²⁷ vertices or span more than a million
/// cubes, or that corners of the grid cannot be told apart so far from the origin. The error names a size that will do.
pub fn march(surface: &dyn ImplicitSurface, cell: f64) -> Result<MarchedMesh, MeshError> {
    if !(cell > 0.0 && cell.is_finite()) {
        return Err(MeshError::NoCell(cell));
    }
    let bounds = surface.bounds_of_surface();
    if bounds.is_empty() || !bounds.is_finite() {
        return Ok(MarchedMesh::default());
    }
    let size = bounds.size().max_element();
    let distance = bounds.min.abs().max(bounds.max.abs()).max_element();
    if distance / cell > FARTHEST {
        return Err(MeshError::TooFar { cell, distance, least: distance / FARTHEST * (1.0 + 1e-9) });
    }
    let too_fine = |vertices: f64| {
        let least = cell * (vertices / MOST_VERTICES as f64).sqrt();
        MeshError::TooFine { cell, vertices, least: (1.01 * least).max(size / MOST_CUBES * (1.0 + 1e-9)) }
    };
    if size / cell > MOST_CUBES {
        return Err(too_fine(estimated_vertices(surface, &bounds, cell)));
    }
    if size / cell > ESTIMATED {
        let vertices = estimated_vertices(surface, &bounds, cell);
        if vertices > MOST_VERTICES as f64 {
            return Err(too_fine(vertices));
        }
    }
    // An estimate may miss thin parts: the count is watched all the same.
    marched(surface, &bounds, cell, MOST_VERTICES).ok_or_else(|| too_fine(2.0 * MOST_VERTICES as f64))
}

/// Number of vertices of a mesh, from that on coarser grids: it grows with the area in cubes.
fn estimated_vertices(surface: &dyn ImplicitSurface, bounds: &Aabb, cell: f64) -> f64 {
    let mut coarse = bounds.size().max_element() / COARSE;
    loop {
        let found = marched(surface, bounds, coarse, usize::MAX).map_or(0, |m| m.positions.len());
        let vertices = found as f64 * (coarse / cell) * (coarse / cell);
        if found >= TELLING || vertices <= MOST_VERTICES as f64 || coarse <= 4.0 * cell {
            return vertices;
        }
        coarse *= 0.25;
    }
}

/// [`march`] within `bounds`; none as soon as there are more than `most` vertices.
fn marched(surface: &dyn ImplicitSurface, bounds: &Aabb, cell: f64, most: usize) -> Option<MarchedMesh> {
    let low = (bounds.min / cell).floor().as_i64vec3() - 1;
    let high = (bounds.max / cell).ceil().as_i64vec3() + 1;
    let widest = (high - low).max_element().max(1) as usize;
    let blocks = widest.div_ceil(SIDE).next_power_of_two();
    let mut mesh = MeshAssembly::default();
    gather(surface, BlockCube { low: low.to_array(), blocks, cell }, most, &mut mesh);
    (mesh.vertices() <= most).then(|| mesh.finish())
}

/// A cube of blocks.
#[derive(Clone, Copy)]
struct BlockCube {
    /// Its least corner, in cubes of the grid.
    low: [i64; 3],
    /// Along each side, a power of two.
    blocks: usize,
    cell: f64,
}

impl BlockCube {
    fn bounds(&self) -> Aabb {
        let at = |offset: usize| DVec3::from_array(self.low.map(|l| (l + offset as i64) as f64 * self.cell));
        Aabb { min: at(0), max: at(self.blocks * SIDE) }
    }

    fn part(&self, i: usize) -> Self {
        let half = (self.blocks / 2 * SIDE) as i64;
        let low = [0, 1, 2].map(|axis| self.low[axis] + if i >> axis & 1 == 1 { half } else { 0 });
        Self { low, blocks: self.blocks / 2, ..*self }
    }

    /// Whether the bounds of the field leave room for the surface.
    fn may_hold(&self, surface: &dyn ImplicitSurface) -> bool {
        let (range, iso) = (surface.range(&self.bounds()), surface.iso());
        let slack = ROUNDING * (range.lo.abs() + range.hi.abs() + iso.abs());
        // Written so that NaN drops nothing.
        !(range.hi < iso - slack || range.lo > iso + slack)
    }
}

/// Adds the surface in a box to `mesh`, until that has more than `most` vertices.
fn gather(surface: &dyn ImplicitSurface, all: BlockCube, most: usize, mesh: &mut MeshAssembly) {
    if mesh.vertices() > most {
        return;
    }
    if all.blocks <= WAVE {
        return parts_of(surface, all).iter().for_each(|part| mesh.add(part));
    }
    if all.may_hold(surface) {
        let near = surface.within(&all.bounds());
        let surface = near.as_deref().unwrap_or(surface);
        (0..8).for_each(|i| gather(surface, all.part(i), most, mesh));
    }
}

/// The surface in a box, in pieces of [`SHARE`], in order.
fn parts_of(surface: &dyn ImplicitSurface, all: BlockCube) -> Vec<BlockBatch> {
    if !all.may_hold(surface) {
        return Vec::new();
    }
    if all.blocks <= SHARE {
        let mut part = BlockBatch::default();
        descend(surface, all, &mut part);
        return vec![part];
    }
    let near = surface.within(&all.bounds());
    let surface = near.as_deref().unwrap_or(surface);
    (0..8).into_par_iter().flat_map_iter(|i| parts_of(surface, all.part(i))).collect()
}

/// Adds the blocks of a box that may hold the surface to `out`.
fn descend(surface: &dyn ImplicitSurface, all: BlockCube, out: &mut BlockBatch) {
    let near = surface.within(&all.bounds());
    let surface = near.as_deref().unwrap_or(surface);
    if all.blocks == 1 {
        return add_block(surface, all.low, all.cell, out);
    }
    for part in (0..8).map(|i| all.part(i)).filter(|part| part.may_hold(surface)) {
        descend(surface, part, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::skeleton::Point;
    use crate::fields::{Element, Kernel, Posed, Profile, Shape};
    use crate::math::Frame;

    /// A ball of 100 cubes across has about 6π·50² = 47 thousand vertices: what an estimate has missed is stopped on the way.
    #[test]
    fn marching_stops_at_the_greatest_number_of_vertices() {
        let kernel = Kernel::new(Profile::Linear, 1.0, (0.1, 10.0, 0.2)).unwrap();
        let ball = Shape::new(vec![Element::new(Point { at: DVec3::ZERO }.into(), kernel)], 1.0);
        let placed = Posed::rigid(&ball, Frame::IDENTITY);
        let bounds = placed.bounds_of_surface();
        assert!(marched(&placed, &bounds, 0.002, 40_000).is_none());
        let whole = marched(&placed, &bounds, 0.002, 50_000).unwrap();
        assert!(whole.positions.len() > 40_000 && Ok(whole) == march(&placed, 0.002));
    }
}
