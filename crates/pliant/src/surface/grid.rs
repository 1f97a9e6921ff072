//! Polygons of an implicit surface: blocks of a grid that bounds could not empty, marched cube by cube.
//!
//! *The idea*: the grid is fixed in the world, so two bodies that share a contact surface cross it on the same edges, in
//! the same points. Boxes in which bounds show no surface are dropped, the others halved down to blocks of cubes; of a
//! body at rest each keeps only the elements that reach it. A block's corners are evaluated together in lanes, and so
//! are the points where its edges cross the surface, by Newton kept between both ends.
//! *Promised*: closed, oriented, no edge with more than two faces; the same bits for any number of threads.
//! *Not promised*: what is thinner than a cube and passes between its corners.

use super::cubes::{CASES, corners_of};
use crate::fields::{Points, Samples};
use crate::math::{Aabb, Cell, DVec3, Interval};
use rayon::prelude::*;
use std::collections::HashMap;

/// Cubes along each side of a block. Fewer: more corners are evaluated twice. More: more are evaluated for nothing.
const SIDE: usize = 8;
const CORNERS: usize = SIDE + 1;

/// How near the isovalue a vertex is brought, field units.
const ON_SURFACE: f64 = 1e-10;

/// Steps towards it. Newton takes three; a kink, halvings.
const STEPS: usize = 60;

/// How near a corner of the grid a vertex may come, as a part of the edge: faces around it keep an area.
const CLEAR: f64 = 1e-6;

/// A surface that can be marched.
pub trait Surface: Sync {
    /// Isovalue.
    fn iso(&self) -> f64;
    /// Outside this box there is no surface.
    fn bounds_of_surface(&self) -> Aabb;
    /// A range that holds every value in `cell`.
    fn range(&self, cell: &Cell) -> Interval;
    /// Values at many points.
    fn values(&self, points: &Points, out: &mut Vec<f64>);
    /// Values and gradients at many points.
    fn samples(&self, points: &Points, out: &mut Samples);
    /// The same surface, known only within `cell`, if that is cheaper.
    fn within(&self, cell: &Cell) -> Option<Box<dyn Surface + '_>>;
}

/// Vertices and triangles, and the grid's edge each vertex lies on.
#[derive(Clone, Debug, Default)]
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
    let mut blocks = Vec::new();
    let side = SIDE * widest.div_ceil(SIDE).next_power_of_two();
    descend(surface, (low.to_array(), side, cell), &mut blocks);
    let marched: Vec<Block> = blocks.into_par_iter().map(|b| block(surface, b, cell)).collect();
    join(marched)
}

/// Blocks below the box of `side` cubes from `low` in which bounds leave room for the surface, in order.
fn descend(surface: &dyn Surface, (low, side, cell): ([i64; 3], usize, f64), blocks: &mut Vec<[i64; 3]>) {
    let here = cell_of(low, side, cell);
    let range = surface.range(&here);
    if range.hi < surface.iso() || range.lo > surface.iso() {
        return;
    }
    if side == SIDE {
        blocks.push(low);
        return;
    }
    let near = surface.within(&here);
    let surface = near.as_deref().unwrap_or(surface);
    let half = side / 2;
    for i in 0..8 {
        let part = [0, 1, 2].map(|axis| low[axis] + if i >> axis & 1 == 1 { half as i64 } else { 0 });
        descend(surface, (part, half, cell), blocks);
    }
}

fn cell_of(low: [i64; 3], side: usize, cell: f64) -> Cell {
    let at = |offset: i64| DVec3::from_array(low.map(|l| (l + offset) as f64 * cell));
    Cell::from(Aabb { min: at(0), max: at(side as i64) })
}

/// What one block shows; vertices on its outermost edges are its neighbours' too.
struct Block {
    vertices: Vec<Vertex>,
    triangles: Vec<[u32; 3]>,
}

struct Vertex {
    edge: u64,
    shared: bool,
    position: DVec3,
    gradient: DVec3,
}

fn block(whole: &dyn Surface, low: [i64; 3], cell: f64) -> Block {
    let near = whole.within(&cell_of(low, SIDE, cell));
    let surface = near.as_deref().unwrap_or(whole);
    let corner = |[i, j, k]: [usize; 3]| i + CORNERS * (j + CORNERS * k);
    let place = |at: [usize; 3]| DVec3::from_array([0, 1, 2].map(|a| (low[a] + at[a] as i64) as f64 * cell));
    let mut points = Points::default();
    for k in 0..CORNERS {
        for j in 0..CORNERS {
            (0..CORNERS).for_each(|i| points.push(place([i, j, k])));
        }
    }
    let mut values = Vec::new();
    surface.values(&points, &mut values);
    let above: Vec<f64> = values.iter().map(|v| v - surface.iso()).collect();
    let inside = |at: [usize; 3]| above[corner(at)] > 0.0;
    let mut crossings: Vec<Crossing> = Vec::new();
    let mut number = vec![u32::MAX; 3 * CORNERS * CORNERS * CORNERS];
    let mut triangles = Vec::new();
    for k in 0..SIDE {
        for j in 0..SIDE {
            for i in 0..SIDE {
                let at = |c: usize| [i + (c & 1), j + (c >> 1 & 1), k + (c >> 2)];
                let case: usize = (0..8).map(|c| usize::from(inside(at(c))) << c).sum();
                if case == 0 || case == 255 {
                    continue;
                }
                let mut vertex = |edge: u8| {
                    let [a, b] = corners_of(usize::from(edge)).map(at);
                    let axis = usize::from(edge) / 4;
                    let slot = &mut number[3 * corner(a) + axis];
                    if *slot == u32::MAX {
                        *slot = crossings.len() as u32;
                        crossings.push(Crossing { from: a, axis, ends: [above[corner(a)], above[corner(b)]] });
                    }
                    *slot
                };
                triangles.extend(CASES[case].triangles.iter().map(|t| t.map(&mut vertex)));
            }
        }
    }
    let found = solve(surface, &crossings, &place, cell);
    let vertices = crossings.iter().zip(found).map(|(c, (position, gradient))| {
        let outermost = |axis: usize| c.from[axis] == 0 || c.from[axis] == SIDE;
        let shared = (0..3).any(|axis| axis != c.axis && outermost(axis));
        Vertex { edge: edge_number([0, 1, 2].map(|a| low[a] + c.from[a] as i64), c.axis), shared, position, gradient }
    });
    Block { vertices: vertices.collect(), triangles }
}

/// An edge of the grid that crosses the surface.
struct Crossing {
    from: [usize; 3],
    axis: usize,
    /// By how much its ends exceed the isovalue.
    ends: [f64; 2],
}

/// Where edges cross the surface, and the gradients there.
fn solve(
    surface: &dyn Surface,
    crossings: &[Crossing],
    place: &impl Fn([usize; 3]) -> DVec3,
    cell: f64,
) -> Vec<(DVec3, DVec3)> {
    let mut found = vec![(DVec3::ZERO, DVec3::ZERO); crossings.len()];
    // Part of the edge, and the ends between which the root is.
    let mut left: Vec<(usize, f64, [f64; 2])> = crossings
        .iter()
        .enumerate()
        .map(|(i, c)| (i, (c.ends[0] / (c.ends[0] - c.ends[1])).clamp(CLEAR, 1.0 - CLEAR), [0.0, 1.0]))
        .collect();
    let mut samples = Samples::default();
    for step in 0..STEPS {
        if left.is_empty() {
            break;
        }
        let at = |(i, t, _): &(usize, f64, [f64; 2])| {
            let c = &crossings[*i];
            place(c.from) + *t * cell * DVec3::AXES[c.axis]
        };
        let points: Points = left.iter().map(at).collect();
        surface.samples(&points, &mut samples);
        let mut unsettled = Vec::new();
        for (n, (i, t, mut between)) in left.drain(..).enumerate() {
            let (sample, c) = (samples.get(n), &crossings[i]);
            let above = sample.value - surface.iso();
            found[i] = (points.get(n), sample.gradient);
            // Rising edges have their inside at the far end.
            let far = (above > 0.0) == (c.ends[1] > 0.0);
            between[usize::from(far)] = t;
            let newton = t - above / (sample.gradient[c.axis] * cell);
            let next =
                if newton > between[0] && newton < between[1] { newton } else { 0.5 * (between[0] + between[1]) };
            let next = next.clamp(CLEAR, 1.0 - CLEAR);
            if above.abs() > ON_SURFACE && step + 1 < STEPS && next != t {
                unsettled.push((i, next, between));
            }
        }
        left = unsettled;
    }
    found
}

/// One number for the edge along `axis` from a corner, if that is within half a million cubes of the origin.
fn edge_number(from: [i64; 3], axis: usize) -> u64 {
    let bits = |v: i64| (v + (1 << 19)) as u64 & 0xF_FFFF;
    bits(from[0]) | bits(from[1]) << 20 | bits(from[2]) << 40 | (axis as u64) << 60
}

/// All blocks as one, vertices they share only once.
fn join(blocks: Vec<Block>) -> Marched {
    let mut all = Marched::default();
    let mut known: HashMap<u64, u32> = HashMap::new();
    for block in blocks {
        let mut numbers = Vec::with_capacity(block.vertices.len());
        for vertex in block.vertices {
            let mut add = || {
                all.positions.push(vertex.position);
                all.gradients.push(vertex.gradient);
                all.edges.push(vertex.edge);
                all.positions.len() as u32 - 1
            };
            numbers.push(if vertex.shared { *known.entry(vertex.edge).or_insert_with(add) } else { add() });
        }
        all.triangles.extend(block.triangles.iter().map(|t| t.map(|v| numbers[v as usize])));
    }
    all
}
