//! Borders of contacts in meshes: edges follow the border, and both bodies have the same faces within it.
//!
//! *The idea*: all bodies are marched on one grid, so a vertex on a contact surface lies on the same grid edge for both bodies, and
//! the border of a contact (the curve where both rest surfaces meet) crosses the same grid faces in the same points. Such vertices
//! are solved from the two touching layers in a fixed order, from the same start for both bodies, so the bits agree. In each cube
//! the polygon of the surface is cut along the border and then along its shortest diagonals, which are the same for both bodies.
//! *Not promised*: the border where neither side of a grid face changes state, where the edge of a sharp crease (a material without
//! bulge) sticks out of a face, where three bodies overlap, or where the polygons of the two bodies in a cube differ. There faces
//! extend over both sides of the border, and may differ; vertices are on the surface all the same.

use super::block::axis_of;
use super::marched::MarchedMesh;
use super::roots::CLEAR;
use crate::contact::law::{Probe, SurfaceKind, pressure, pressure_sample};
use crate::fields::{Field, Sample};
use crate::math::DVec3;
use crate::world::ContactInterface;
use rayon::prelude::*;
use std::collections::HashMap;

/// Excess over the isovalue, as a fraction of it, above which a point is in contact with a rigid body: the error of
/// vertices.
const CONTACT: f64 = 1e-8;

/// Parts of an edge to which a vertex is rounded before it is solved again. More: the roots of two bodies, which differ by
/// rounding, are more often rounded to different starts. Fewer: more Newton steps.
const START_STEPS: f64 = 65536.0;

/// Greatest number of Newton steps; near a solution a few suffice.
const MAX_NEWTON_STEPS: usize = 30;

/// Least distance of a border vertex from another vertex, in cells; nearer ones are merged.
const MERGE: f64 = 1e-6;

/// Tolerance of a border point on both rest surfaces, and on the visible one, as a fraction of the isovalue.
const ON_BORDER: f64 = 1e-9;
const ON_SURFACE: f64 = 1e-8;

impl ContactInterface<'_> {
    /// Excess of a rest field over its isovalue, and the gradient.
    fn excess(&self, layer: usize, p: DVec3) -> (f64, DVec3) {
        let s = self.fields[layer].sample(p);
        (s.value - self.fields[layer].shape.iso(), s.gradient)
    }

    /// Excess by which the other layer presses on the own one at `p`, a point of its surface; none if it does not.
    fn pressing_excess(&self, p: DVec3) -> Option<f64> {
        let other = 1 - self.own;
        let field = &self.fields[other];
        let excess = if self.rigid[other] {
            let above = self.excess(other, p).0;
            let own = self.excess(self.own, p).0;
            if own > CONTACT * self.fields[self.own].shape.iso() { own + above } else { 0.0 }
        } else {
            pressure(self.stiffness[other] / self.stiffness[self.own], field.sample(p).value, field.shape.iso())
        };
        (excess > 0.0).then_some(excess)
    }

    /// A function that is zero on the contact surface, and its gradient.
    fn level(&self, p: DVec3) -> (f64, DVec3) {
        if let Some(rigid) = self.rigid.iter().position(|r| *r) {
            return self.excess(rigid, p);
        }
        let [a, b] =
            [0, 1].map(|i| pressure_sample(self.stiffness[i], &self.fields[i].sample(p), self.fields[i].shape.iso()));
        Probe::of(a, b).surface(SurfaceKind::EqualPressure)
    }

    /// A vertex of the contact surface on its grid edge, bit for bit the same for the other body.
    fn contact_vertex(&self, p: DVec3, edge: GridEdge, cell: f64) -> DVec3 {
        let (axis, start) = (edge.axis, edge.at[edge.axis] as f64 * cell);
        let rounded = ((p[axis] - start) / cell * START_STEPS).round() / START_STEPS;
        let at = |t: f64| {
            let mut q = p;
            q[axis] = start + t * cell;
            q
        };
        let mut t = rounded;
        for _ in 0..MAX_NEWTON_STEPS {
            let (value, gradient) = self.level(at(t));
            let step = value / (gradient[axis] * cell);
            t -= step;
            // NaN is in no range.
            if !(0.0..=1.0).contains(&t) || !(-2.0..=2.0).contains(&(step * START_STEPS)) {
                return p;
            }
            if step.abs() < 1e-15 {
                break;
            }
        }
        // Kept away from both ends, as all vertices, so that faces around a corner of the grid keep an area.
        if (t - rounded).abs() < 2.0 / START_STEPS { at(t.clamp(CLEAR, 1.0 - CLEAR)) } else { p }
    }

    /// The point of the border in a grid face, where both rest surfaces meet, searched from a vertex in that face.
    fn border_point(&self, p: DVec3, face: &GridFace, cell: f64) -> Option<DVec3> {
        let [u, v] = [(face.normal + 1) % 3, (face.normal + 2) % 3];
        let mut q = p;
        for _ in 0..MAX_NEWTON_STEPS {
            let [(a, ga), (b, gb)] = [self.excess(0, q), self.excess(1, q)];
            let det = ga[u] * gb[v] - ga[v] * gb[u];
            let mut step = DVec3::ZERO;
            step[u] = (ga[v] * b - gb[v] * a) / det;
            step[v] = (gb[u] * a - ga[u] * b) / det;
            let length = step.length();
            if length.is_nan() {
                return None;
            }
            q += if length > cell { step * (cell / length) } else { step };
            if length <= 1e-14 * cell {
                break;
            }
        }
        let converged = (0..2).all(|layer| self.excess(layer, q).0.abs() <= ON_BORDER * self.fields[layer].shape.iso());
        let inside = [u, v].iter().all(|&d| {
            let part = q[d] / cell - face.low[d] as f64;
            part > CLEAR && part < 1.0 - CLEAR
        });
        (converged && inside).then_some(q)
    }
}

/// An edge of the grid.
#[derive(Clone, Copy)]
struct GridEdge {
    /// Its lesser end.
    at: [i64; 3],
    axis: usize,
}

impl GridEdge {
    /// The edge a vertex lies on: the axis from its number, and the coordinates, which the number has only modulo 2²⁰, from its
    /// position.
    fn of(number: u64, p: DVec3, cell: f64) -> Self {
        let (axis, at) = (axis_of(number), p / cell);
        Self { at: [0, 1, 2].map(|d| if d == axis { at[d].floor() } else { at[d].round() } as i64), axis }
    }

    /// Faces of the cube at `low` that contain the edge, one bit each.
    fn faces(&self, low: [i64; 3]) -> u8 {
        let across = (0..3).filter(|d| *d != self.axis);
        across.map(|d| 1 << (2 * d + usize::from(self.at[d] > low[d]))).sum()
    }
}

/// A face of the grid.
struct GridFace {
    low: [i64; 3],
    normal: usize,
}

/// The cube that contains the three edges a triangle's vertices lie on.
fn cube_of(edges: [GridEdge; 3]) -> [i64; 3] {
    [0, 1, 2].map(|d| edges.iter().map(|e| e.at[d] - i64::from(e.axis != d)).max().unwrap_or(0))
}

/// Position of a vertex relative to contacts.
#[derive(Clone, Copy, PartialEq)]
enum ContactState {
    Free,
    /// On the contact surface of these layers.
    Pressed(usize),
    Border,
}

/// A corner of a cube's polygon.
#[derive(Clone, Copy)]
struct RingCorner {
    vertex: u32,
    /// Faces of the cube it lies in, one bit each.
    faces: u8,
    state: ContactState,
    /// Identity, the same for both bodies: the number of a grid edge, and for points of the border the face beside it.
    key: (u64, u8),
}

/// A mesh being cut along its borders.
struct BorderCutter<'a> {
    marched: &'a mut MarchedMesh,
    interfaces: &'a [ContactInterface<'a>],
    cell: f64,
    states: Vec<ContactState>,
    /// Vertices on the border, by the grid edge of the pressed vertex beside them and the face they lie in; `None` where the search
    /// found no point.
    border_vertices: HashMap<(u64, u8), Option<u32>>,
    visible: &'a VisibleField<'a>,
}

/// The visible field of a body.
pub(super) struct VisibleField<'a> {
    pub sample: &'a (dyn Fn(DVec3) -> Sample + Sync),
    pub iso: f64,
}

/// Cuts polygons along the border of each contact. Returns for each vertex whether it lies on a contact surface or its border; empty
/// without contacts.
pub(super) fn cut_along_borders(
    marched: &mut MarchedMesh,
    interfaces: &[ContactInterface],
    cell: f64,
    visible: &VisibleField,
) -> Vec<bool> {
    if interfaces.is_empty() {
        return Vec::new();
    }
    let state = |p: &DVec3| {
        let pressing = interfaces.iter().enumerate().filter_map(|(m, layers)| Some((m, layers.pressing_excess(*p)?)));
        pressing.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(ContactState::Free, |(m, _)| ContactState::Pressed(m))
    };
    let states: Vec<ContactState> = marched.positions.par_iter().map(state).collect();
    let MarchedMesh { positions, edges, .. } = &mut *marched;
    positions.par_iter_mut().zip(edges.as_slice()).zip(&states).for_each(|((p, edge), state)| {
        if let ContactState::Pressed(m) = *state {
            *p = interfaces[m].contact_vertex(*p, GridEdge::of(*edge, *p, cell), cell);
        }
    });
    let mut on_shared: Vec<bool> = states.iter().map(|p| *p != ContactState::Free).collect();
    BorderCutter { marched, interfaces, cell, states, border_vertices: HashMap::new(), visible }.run();
    // All vertices added since are on the border.
    on_shared.resize(marched.positions.len(), true);
    on_shared
}

impl VisibleField<'_> {
    fn is_on_surface(&self, p: DVec3) -> bool {
        ((self.sample)(p).value - self.iso).abs() <= ON_SURFACE * self.iso
    }
}

impl BorderCutter<'_> {
    fn run(mut self) {
        let old = std::mem::take(&mut self.marched.triangles);
        let mut new = Vec::with_capacity(old.len() + old.len() / 8);
        let cubes: Vec<[i64; 3]> = old.par_iter().map(|t| cube_of(t.map(|v| self.edge(v)))).collect();
        let mut first = 0;
        for same in cubes.chunk_by(|a, b| a == b) {
            let triangles = &old[first..first + same.len()];
            first += same.len();
            if triangles.iter().flatten().all(|v| self.states[*v as usize] == ContactState::Free) {
                new.extend_from_slice(triangles);
                continue;
            }
            for ring in rings(triangles) {
                let ring = self.with_border(&ring, same[0]);
                new.extend(cut_ring(&ring, &self.marched.positions));
            }
        }
        self.marched.triangles = new;
    }

    /// A polygon of the cube at `low`, with corners inserted where the border crosses its sides.
    fn with_border(&mut self, ring: &[u32], low: [i64; 3]) -> Vec<RingCorner> {
        let mut corners: Vec<RingCorner> = ring.iter().map(|v| self.corner(*v, low)).collect();
        let mut all = Vec::with_capacity(corners.len() + 2);
        for i in 0..corners.len() {
            let next = (i + 1) % corners.len();
            let end = match (self.states[ring[i] as usize], self.states[ring[next] as usize]) {
                (ContactState::Pressed(m), ContactState::Free) => self.crossing(m, [corners[i], corners[next]], low),
                (ContactState::Free, ContactState::Pressed(m)) => self.crossing(m, [corners[next], corners[i]], low),
                _ => None,
            };
            all.push(corners[i]);
            match end {
                Some(end) if end.vertex == corners[i].vertex => {
                    all.last_mut().expect("pushed").state = ContactState::Border
                }
                Some(end) if end.vertex == corners[next].vertex => {
                    corners[next].state = ContactState::Border;
                    // The first corner has been pushed already.
                    if next == 0 {
                        all[0].state = ContactState::Border;
                    }
                }
                Some(end) => all.push(end),
                None => (),
            }
        }
        all
    }

    fn edge(&self, vertex: u32) -> GridEdge {
        GridEdge::of(self.marched.edges[vertex as usize], self.marched.positions[vertex as usize], self.cell)
    }

    fn corner(&self, vertex: u32, low: [i64; 3]) -> RingCorner {
        let (faces, state) = (self.edge(vertex).faces(low), self.states[vertex as usize]);
        RingCorner { vertex, faces, state, key: (self.marched.edges[vertex as usize], 0) }
    }

    /// Crossing of the border of contact `m` with the side between a pressed corner and a free one; one of them, if it is that near.
    fn crossing(&mut self, m: usize, [pressed, free]: [RingCorner; 2], low: [i64; 3]) -> Option<RingCorner> {
        let faces = pressed.faces & free.faces;
        // In a mesh with holes a side may lie in no face.
        if faces.count_ones() != 1 {
            return None;
        }
        let edge = self.edge(pressed.vertex);
        let normal = faces.trailing_zeros() as usize / 2;
        let beside = 3 - normal - edge.axis;
        let key = (pressed.key.0, 1 + 2 * normal as u8 + u8::from(edge.at[beside] > low[beside]));
        let [p, q] = [pressed, free].map(|c| self.marched.positions[c.vertex as usize]);
        let vertex = match self.border_vertices.get(&key) {
            Some(known) => *known,
            None => {
                let end = self.interfaces[m].border_point(p, &GridFace { low, normal }, self.cell);
                // Where a third body presses as well, the visible surface is elsewhere.
                let end = end.filter(|e| self.visible.is_on_surface(*e));
                let vertex = end.map(|e| match [p, q].map(|at| e.distance(at) < MERGE * self.cell) {
                    [true, _] => pressed.vertex,
                    [_, true] => free.vertex,
                    _ => self.add_vertex(e, [p, q]),
                });
                *self.border_vertices.entry(key).or_insert(vertex)
            }
        };
        Some(RingCorner { vertex: vertex?, faces, state: ContactState::Border, key })
    }

    /// Adds a vertex between a pressed and a free one, with the mean of the normals on both sides.
    fn add_vertex(&mut self, at: DVec3, ends: [DVec3; 2]) -> u32 {
        let normal = ends.map(|e| (self.visible.sample)(at + 1e-4 * (e - at)).gradient.normalize_or_zero());
        self.marched.positions.push(at);
        self.marched.gradients.push(normal[0] + normal[1]);
        self.marched.positions.len() as u32 - 1
    }
}

/// Outlines of the polygons formed by the triangles of one cube, with the same orientation.
fn rings(triangles: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let sides = || triangles.iter().flat_map(|t| (0..3).map(|i| (t[i], t[(i + 1) % 3])));
    let mut rim: Vec<(u32, u32)> = sides().filter(|(a, b)| sides().all(|s| s != (*b, *a))).collect();
    let mut all = Vec::new();
    while let Some((first, mut next)) = rim.pop() {
        let mut ring = vec![first];
        while next != first {
            ring.push(next);
            let Some(i) = rim.iter().position(|s| s.0 == next) else { break };
            next = rim.swap_remove(i).1;
        }
        all.push(ring);
    }
    all
}

/// Triangulation of a polygon, cut along the border first if that crosses it once.
fn cut_ring(ring: &[RingCorner], positions: &[DVec3]) -> Vec<[u32; 3]> {
    let border: Vec<usize> = (0..ring.len()).filter(|i| ring[*i].state == ContactState::Border).collect();
    if let [i, j] = border[..]
        && let Some((a, b)) = halves(ring, i, j)
        && let (Some(mut a), Some(b)) = (cut(&a, positions), cut(&b, positions))
    {
        a.extend(b);
        return a;
    }
    // Every polygon of a cube has such a triangulation; in a mesh with holes perhaps not without diagonals in faces.
    cut(ring, positions)
        .unwrap_or_else(|| (2..ring.len()).map(|i| [ring[0].vertex, ring[i - 1].vertex, ring[i].vertex]).collect())
}

/// Both sides of the diagonal from `i` to `j`; none if that lies in a face of the cube, where a neighbour might add the same one.
fn halves(ring: &[RingCorner], i: usize, j: usize) -> Option<(Vec<RingCorner>, Vec<RingCorner>)> {
    let apart = j > i + 1 && (i, j) != (0, ring.len() - 1);
    (apart && ring[i].faces & ring[j].faces == 0).then(|| (ring[i..=j].to_vec(), [&ring[j..], &ring[..=i]].concat()))
}

/// Triangulation of a polygon by its shortest diagonals; none if that needs a diagonal in a face of the cube.
fn cut(ring: &[RingCorner], positions: &[DVec3]) -> Option<Vec<[u32; 3]>> {
    if let [a, b, c] = ring {
        return Some(vec![[a.vertex, b.vertex, c.vertex]]);
    }
    let at = |i: usize| positions[ring[i].vertex as usize];
    let mut diagonals: Vec<(usize, usize)> =
        (0..ring.len()).flat_map(|i| (i + 2..ring.len()).map(move |j| (i, j))).collect();
    let keys = |(i, j): (usize, usize)| (ring[i].key.min(ring[j].key), ring[i].key.max(ring[j].key));
    let length_sq = |(i, j): (usize, usize)| at(i).distance_squared(at(j));
    diagonals.sort_by(|&d, &e| length_sq(d).total_cmp(&length_sq(e)).then(keys(d).cmp(&keys(e))));
    diagonals.into_iter().find_map(|d| {
        let (a, b) = halves(ring, d.0, d.1)?;
        let (mut a, b) = (cut(&a, positions)?, cut(&b, positions)?);
        a.extend(b);
        Some(a)
    })
}
