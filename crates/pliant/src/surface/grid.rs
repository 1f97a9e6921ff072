//! Polygons of an implicit surface: blocks of a grid that bounds could not empty, marched cube by cube.
//!
//! *The idea*: the grid is fixed in the world, so two bodies that share a contact surface cross it on the same edges, in
//! the same points. Boxes in which bounds show no surface are dropped, the others halved down to blocks of 7³ cubes; of a
//! body at rest each keeps only the elements that reach it. A block's corners are evaluated together in lanes, and so
//! are the points where its edges cross the surface ([`roots`](super::roots)). Which of a block's 8³ corners are inside
//! is told by eight words of 64 bits ([`Signs`](super::block::Signs)): crossed edges, cubes to be cut and the numbers of
//! vertices are all read from those. Every edge belongs to one block, so every vertex is found once.
//! *Promised*: closed, oriented, no edge with more than two faces; the same bits for any number of threads.
//! *Not promised*: what is thinner than a cube and passes between its corners.

use super::block::{Part, SIDE, add_block};
use super::join::Whole;
use crate::fields::{CORNERS, Points, Rows, Samples};
use crate::math::{Aabb, DVec3, Interval};
use rayon::prelude::*;

/// Blocks along the side of a box that one thread takes at once. Fewer: more parts to join. More: a thread may be left
/// without work.
const SHARE: usize = 4;

/// Blocks along the side of a box that all threads take before they put together what they have. More: that has left
/// the cache, and memory is taken twice. Fewer: threads wait for each other.
const WAVE: usize = 16;

/// How far a range must stay away from the isovalue for its box to be dropped, as a part of the values: what a sum may
/// lose by rounding, with much room.
const ROUNDING: f64 = 1e-12;

/// A surface that can be marched. Its field is a function of the point alone.
pub trait Surface: Sync {
    /// Isovalue.
    fn iso(&self) -> f64;
    /// Outside this box there is no surface.
    fn bounds_of_surface(&self) -> Aabb;
    /// A range that holds every value in `cell`.
    fn range(&self, cell: &Aabb) -> Interval;
    /// Values and gradients at many points.
    fn samples(&self, points: &Points, out: &mut Samples);
    /// Values at the corners of a block of the grid, which has these coordinates along each axis.
    fn corners(&self, at: &[[f64; CORNERS]; 3], out: &mut Rows) {
        let [x, y, z] = at;
        let all = (0..CORNERS.pow(3)).map(|n| [n % CORNERS, n / CORNERS % CORNERS, n / CORNERS.pow(2)]);
        let mut samples = Samples::default();
        self.samples(&all.map(|[i, j, k]| DVec3::new(x[i], y[j], z[k])).collect(), &mut samples);
        out.as_flattened_mut().copy_from_slice(&samples.value);
    }
    /// The same surface, known only within `cell`, if that is cheaper.
    fn within(&self, cell: &Aabb) -> Option<Box<dyn Surface + '_>>;
}

/// Vertices and triangles, and the grid's edge each vertex lies on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marched {
    /// Where the surface crosses edges, metres.
    pub positions: Vec<DVec3>,
    /// Gradients there.
    pub gradients: Vec<DVec3>,
    /// Counted round the outward normal.
    pub triangles: Vec<[u32; 3]>,
    /// Of each vertex, the same for every surface on a grid of this cell.
    pub edges: Vec<u64>,
}

/// The surface on the grid of cubes with edges of `cell` metres.
pub fn march(surface: &dyn Surface, cell: f64) -> Marched {
    let bounds = surface.bounds_of_surface();
    if bounds.is_empty() || !bounds.is_finite() {
        return Marched::default();
    }
    let low = (bounds.min / cell).floor().as_i64vec3() - 1;
    let high = (bounds.max / cell).ceil().as_i64vec3() + 1;
    let widest = (high - low).max_element().max(1) as usize;
    let blocks = widest.div_ceil(SIDE).next_power_of_two();
    let mut whole = Whole::default();
    gather(surface, Cube { low: low.to_array(), blocks, cell }, &mut whole);
    whole.finish()
}

/// A cube of blocks.
#[derive(Clone, Copy)]
struct Cube {
    /// Its least corner, in cubes of the grid.
    low: [i64; 3],
    /// Along each side, a power of two.
    blocks: usize,
    cell: f64,
}

impl Cube {
    fn bounds(&self) -> Aabb {
        let at = |offset: usize| DVec3::from_array(self.low.map(|l| (l + offset as i64) as f64 * self.cell));
        Aabb { min: at(0), max: at(self.blocks * SIDE) }
    }

    fn part(&self, i: usize) -> Self {
        let half = (self.blocks / 2 * SIDE) as i64;
        let low = [0, 1, 2].map(|axis| self.low[axis] + if i >> axis & 1 == 1 { half } else { 0 });
        Self { low, blocks: self.blocks / 2, ..*self }
    }

    /// Whether ranges leave room for the surface.
    fn may_hold(&self, surface: &dyn Surface) -> bool {
        let (range, iso) = (surface.range(&self.bounds()), surface.iso());
        let slack = ROUNDING * (range.lo.abs() + range.hi.abs() + iso.abs());
        // Written so that what is not a number drops nothing.
        !(range.hi < iso - slack || range.lo > iso + slack)
    }
}

/// Adds what a box shows.
fn gather(surface: &dyn Surface, all: Cube, whole: &mut Whole) {
    if all.blocks <= WAVE {
        return parts_of(surface, all).iter().for_each(|part| whole.add(part));
    }
    if all.may_hold(surface) {
        let near = surface.within(&all.bounds());
        let surface = near.as_deref().unwrap_or(surface);
        (0..8).for_each(|i| gather(surface, all.part(i), whole));
    }
}

/// What a box shows, in pieces of [`SHARE`], in order.
fn parts_of(surface: &dyn Surface, all: Cube) -> Vec<Part> {
    if !all.may_hold(surface) {
        return Vec::new();
    }
    if all.blocks <= SHARE {
        let mut part = Part::default();
        descend(surface, all, &mut part);
        return vec![part];
    }
    let near = surface.within(&all.bounds());
    let surface = near.as_deref().unwrap_or(surface);
    (0..8).into_par_iter().flat_map_iter(|i| parts_of(surface, all.part(i))).collect()
}

/// Adds the blocks of a box that may hold the surface.
fn descend(surface: &dyn Surface, all: Cube, out: &mut Part) {
    let near = surface.within(&all.bounds());
    let surface = near.as_deref().unwrap_or(surface);
    if all.blocks == 1 {
        return add_block(surface, all.low, all.cell, out);
    }
    for part in (0..8).map(|i| all.part(i)).filter(|part| part.may_hold(surface)) {
        descend(surface, part, out);
    }
}
