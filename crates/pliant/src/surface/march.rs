//! Marching cubes on a sparse grid: only blocks that bounds cannot prove empty are visited.
//!
//! *The idea*: the grid is fixed in the world, so two bodies that share a contact surface cross it on the same edges, in the same
//! points. An octree of boxes is descended: boxes that bounds prove empty are dropped, the others halved down to blocks of 7³ cubes;
//! of a body at rest each box keeps only the elements that reach it. The corners of a block are evaluated together in SIMD lanes, and
//! so are the crossings of its edges ([`roots`](super::roots)). The signs of a block's 8³ corners are eight words of 64 bits
//! ([`Signs`](super::block::Signs)), from which crossed edges, cases of cubes and indices of vertices are read. Every edge belongs to
//! one block, so every vertex is computed once.
//! *Promised*: closed, oriented, no edge with more than two faces; the same bits for any number of threads; an error instead of
//! more vertices than [`MAX_VERTICES`].
//! *Not promised*: parts thinner than a cube that pass between its corners.

use super::block::{BlockBatch, EDGE_BITS, SIDE, add_block};
use super::implicit::ImplicitSurface;
use super::join::MeshAssembly;
use super::marched::{MarchedMesh, MeshError};
use crate::math::{Aabb, DVec3};
use rayon::prelude::*;

/// Blocks along the side of a box that is one task. Fewer: more parts to join. More: a thread may be left without work.
const TASK: usize = 4;

/// Blocks along the side of a box after which the results of all threads are joined. More: results leave the cache before they are
/// joined, and take memory twice. Fewer: threads wait for each other.
const WAVE: usize = 16;

/// Least distance of a box's interval from the isovalue for the box to be dropped, as a fraction of the values: a
/// generous bound of rounding.
const ROUNDING: f64 = 1e-12;

/// Greatest number of vertices of a mesh: 10 GB while it is made. More: would fill the memory of most machines.
const MAX_VERTICES: usize = 1 << 27;

/// Greatest number of cubes along the longest side of a mesh: edge numbers repeat beyond.
const MAX_CUBES: f64 = (1 << EDGE_BITS) as f64 - 64.0;

/// Cubes along the longest side of a mesh above which the number of vertices is estimated first.
const ESTIMATE_ABOVE: f64 = 1024.0;

/// Cubes along the longest side of the grid of the first estimate, and vertices on it for the estimate to be trusted. Fewer: small
/// parts that happen to contain a corner of the coarse grid are taken for large ones. More: estimates take longer.
const COARSE: f64 = 128.0;
const TRUSTED: usize = 10_000;

/// Greatest coordinate, in cubes: beyond, corners of a cube may coincide by rounding.
const MAX_COORDINATE: f64 = (1u64 << 48) as f64;

/// The surface on a grid of cubes with edges of `cell` metres; empty for an unbounded surface.
///
/// # Errors
/// If `cell` is not a positive number, or so small that the mesh would have more than 2²⁷ vertices or span more than a million
/// cubes, or that corners of the grid coincide by rounding, far from the origin. The error states a valid size.
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
    if distance / cell > MAX_COORDINATE {
        return Err(MeshError::TooFar { cell, distance, least: distance / MAX_COORDINATE * (1.0 + 1e-9) });
    }
    let too_fine = |vertices: f64| {
        let least = cell * (vertices / MAX_VERTICES as f64).sqrt();
        MeshError::TooFine { cell, vertices, least: (1.01 * least).max(size / MAX_CUBES * (1.0 + 1e-9)) }
    };
    if size / cell > MAX_CUBES {
        return Err(too_fine(estimated_vertices(surface, &bounds, cell)));
    }
    if size / cell > ESTIMATE_ABOVE {
        let vertices = estimated_vertices(surface, &bounds, cell);
        if vertices > MAX_VERTICES as f64 {
            return Err(too_fine(vertices));
        }
    }
    // An estimate may miss thin parts, so the true count is limited as well.
    marched(surface, &bounds, cell, MAX_VERTICES).ok_or_else(|| too_fine(2.0 * MAX_VERTICES as f64))
}

/// Estimated number of vertices, from coarser grids: it grows with the area in cubes.
fn estimated_vertices(surface: &dyn ImplicitSurface, bounds: &Aabb, cell: f64) -> f64 {
    let mut coarse = bounds.size().max_element() / COARSE;
    loop {
        let found = marched(surface, bounds, coarse, usize::MAX).map_or(0, |m| m.positions.len());
        let vertices = found as f64 * (coarse / cell) * (coarse / cell);
        if found >= TRUSTED || vertices <= MAX_VERTICES as f64 || coarse <= 4.0 * cell {
            return vertices;
        }
        coarse *= 0.25;
    }
}

/// [`march`] within `bounds`; none as soon as there are more than `limit` vertices.
fn marched(surface: &dyn ImplicitSurface, bounds: &Aabb, cell: f64, limit: usize) -> Option<MarchedMesh> {
    let low = (bounds.min / cell).floor().as_i64vec3() - 1;
    let high = (bounds.max / cell).ceil().as_i64vec3() + 1;
    let widest = (high - low).max_element().max(1) as usize;
    let blocks = widest.div_ceil(SIDE).next_power_of_two();
    let mut mesh = MeshAssembly::default();
    gather(surface, BlockCube { low: low.to_array(), blocks, cell }, limit, &mut mesh);
    (mesh.vertices() <= limit).then(|| mesh.finish())
}

/// A cube of blocks.
#[derive(Clone, Copy)]
struct BlockCube {
    /// Least corner, in cubes of the grid.
    low: [i64; 3],
    /// Number of blocks along each side, a power of two.
    blocks: usize,
    cell: f64,
}

impl BlockCube {
    fn bounds(&self) -> Aabb {
        let at = |offset: usize| DVec3::from_array(self.low.map(|l| (l + offset as i64) as f64 * self.cell));
        Aabb { min: at(0), max: at(self.blocks * SIDE) }
    }

    /// Octant `i`.
    fn part(&self, i: usize) -> Self {
        let half = (self.blocks / 2 * SIDE) as i64;
        let low = [0, 1, 2].map(|axis| self.low[axis] + if i >> axis & 1 == 1 { half } else { 0 });
        Self { low, blocks: self.blocks / 2, ..*self }
    }

    /// Whether the bounds of the field admit the surface in this box.
    fn may_contain(&self, surface: &dyn ImplicitSurface) -> bool {
        let (range, iso) = (surface.range(&self.bounds()), surface.iso());
        let slack = ROUNDING * (range.lo.abs() + range.hi.abs() + iso.abs());
        // Negated so that a box with NaN is kept.
        !(range.hi < iso - slack || range.lo > iso + slack)
    }
}

/// Adds the surface in a box to `mesh`, until that has more than `limit` vertices.
fn gather(surface: &dyn ImplicitSurface, all: BlockCube, limit: usize, mesh: &mut MeshAssembly) {
    if mesh.vertices() > limit {
        return;
    }
    if all.blocks <= WAVE {
        return parts_of(surface, all).iter().for_each(|part| mesh.add(part));
    }
    if all.may_contain(surface) {
        let near = surface.within(&all.bounds());
        let surface = near.as_deref().unwrap_or(surface);
        (0..8).for_each(|i| gather(surface, all.part(i), limit, mesh));
    }
}

/// The surface in a box, by tasks, in order.
fn parts_of(surface: &dyn ImplicitSurface, all: BlockCube) -> Vec<BlockBatch> {
    if !all.may_contain(surface) {
        return Vec::new();
    }
    if all.blocks <= TASK {
        let mut part = BlockBatch::default();
        descend(surface, all, &mut part);
        return vec![part];
    }
    let near = surface.within(&all.bounds());
    let surface = near.as_deref().unwrap_or(surface);
    (0..8).into_par_iter().flat_map_iter(|i| parts_of(surface, all.part(i))).collect()
}

/// Adds the blocks of a box that may contain the surface to `out`.
fn descend(surface: &dyn ImplicitSurface, all: BlockCube, out: &mut BlockBatch) {
    let near = surface.within(&all.bounds());
    let surface = near.as_deref().unwrap_or(surface);
    if all.blocks == 1 {
        return add_block(surface, all.low, all.cell, out);
    }
    for part in (0..8).map(|i| all.part(i)).filter(|part| part.may_contain(surface)) {
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
