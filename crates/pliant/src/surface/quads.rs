//! Quad-dominant meshes: triangles joined in pairs, which artists model, subdivide and unwrap more easily.
//!
//! *The idea*: a matching of triangles across their edges. Pairs are taken greedily, cheapest first; triangles left over are then
//! matched along alternating paths. *Kept*: vertices, creases, the border of a contact, and two faces at every edge.
//! *Not promised*: quads only (where a surface bends sharply or triangles are slivers, some triangles stay), nor edges that follow
//! the features of a shape.

use super::mesh::Mesh;
use crate::math::DVec3;
use rayon::prelude::*;

/// Least cosine between the normals of the two triangles of a quad. Less: creases are lost. More: few quads where cells are coarse
/// against the body.
const CREASE: f64 = 0.8;
/// Least sine of a quad's corner. Less: quads that look like triangles. More: more triangles are left.
const MIN_SINE: f64 = 0.17;
/// Weight of the bend between the halves (1 − cosine) against the skew of corners (greatest cosine), in a quad's cost.
const BEND_WEIGHT: f64 = 2.0;
/// Greatest number of pairs swapped on one alternating path. Fewer: more triangles are left. More: worse quads around them.
const MAX_SWAPS: usize = 6;

const NONE: u32 = u32::MAX;

/// Two triangles that could form a quad.
#[derive(Clone, Copy)]
struct QuadCandidate {
    triangles: [u32; 2],
    corners: [u32; 4],
    /// 0 for a flat rectangle.
    cost: f32,
}

impl Mesh {
    /// The same surface with most triangles joined to convex quads; existing quads stay. Vertices and their attributes are
    /// unchanged, and a mesh without [faults](Mesh::check) has none afterwards.
    ///
    /// # Panics
    /// If an index is out of range, or there are more than a third of `u32::MAX` triangles.
    pub fn quad_dominant(self) -> Self {
        let pressed: Vec<bool> = self.pressure.iter().map(|p| *p > 0.0).collect();
        self.quads_within(&pressed)
    }

    /// [`Mesh::quad_dominant`], with no quad across the border of a region. `inside` marks the vertices of the region and of its
    /// border; empty for no region.
    pub(super) fn quads_within(mut self, inside: &[bool]) -> Self {
        let shared = shared_edges(&self);
        let pairs: Vec<QuadCandidate> = shared.par_iter().filter_map(|sides| self.pair(*sides, inside)).collect();
        let chosen = Matching::new(self.triangles.len(), &pairs).solved();
        let mut left = Vec::with_capacity(self.triangles.len() / 8);
        for (t, triangle) in self.triangles.iter().enumerate() {
            match chosen[t] {
                NONE => left.push(*triangle),
                p if pairs[p as usize].triangles[0] == t as u32 => self.quads.push(pairs[p as usize].corners),
                _ => {}
            }
        }
        self.triangles = left;
        self
    }

    /// The quad of the triangles on both sides of an edge; none if it would hide a crease or be non-convex.
    fn pair(&self, [one, other]: [u32; 2], inside: &[bool]) -> Option<QuadCandidate> {
        let is_inside = |face: [u32; 3]| face.iter().all(|i| inside.get(*i as usize).is_some_and(|s| *s));
        let [(s, i), (t, j)] = [one, other].map(|side| (side / 3, side as usize % 3));
        let (mut a, mut b) = (self.triangles[s as usize], self.triangles[t as usize]);
        // The shared edge runs from the first to the second corner of each, the other way round.
        a.rotate_left(i);
        b.rotate_left(j);
        let corners = [a[0], b[2], a[1], a[2]];
        if b[2] == a[2] || is_inside(a) != is_inside(b) {
            return None;
        }
        let bend = 1.0 - self.area_vector(a).normalize().dot(self.area_vector(b).normalize());
        let at = corners.map(|c| self.positions[c as usize]);
        let sides = [at[1] - at[0], at[2] - at[1], at[3] - at[2], at[0] - at[3]].map(DVec3::normalize);
        let normal = (at[2] - at[0]).cross(at[3] - at[1]).normalize();
        let turns = [0, 1, 2, 3].map(|k| (sides[k], sides[(k + 1) % 4]));
        // NaN, of a side without length, fails the comparison.
        let is_convex = turns.iter().all(|(a, b)| a.cross(*b).dot(normal) >= MIN_SINE);
        let skew = turns.iter().map(|(a, b)| a.dot(*b).abs()).fold(0.0, f64::max);
        let cost = (skew + BEND_WEIGHT * bend) as f32;
        let triangles = [s.min(t), s.max(t)];
        (is_convex && bend <= 1.0 - CREASE).then_some(QuadCandidate { triangles, corners, cost })
    }
}

/// Edges shared by exactly two triangles of consistent orientation, as two half-edges: three times the triangle, plus the corner
/// it starts at.
fn shared_edges(mesh: &Mesh) -> Vec<[u32; 2]> {
    let side = |n: u32| {
        let (t, k) = (mesh.triangles[n as usize / 3], n as usize % 3);
        (t[k], t[(k + 1) % 3])
    };
    let count = u32::try_from(3 * mesh.triangles.len()).expect("triangles' sides are counted in 32 bits");
    // Half-edges sorted by the lesser of their vertices, which few share.
    let mut starts = vec![0_u32; mesh.positions.len() + 1];
    (0..count).map(side).for_each(|(a, b)| starts[a.min(b) as usize + 1] += 1);
    for v in 1..starts.len() {
        starts[v] += starts[v - 1];
    }
    let (mut next, mut sorted) = (starts.clone(), vec![(0_u32, 0_u32); count as usize]);
    for n in 0..count {
        let (a, b) = side(n);
        let place = &mut next[a.min(b) as usize];
        sorted[*place as usize] = (a.max(b), n);
        *place += 1;
    }
    let mut shared = Vec::with_capacity(sorted.len() / 2);
    for at in starts.windows(2) {
        let around = &mut sorted[at[0] as usize..at[1] as usize];
        around.sort_unstable();
        for edge in around.chunk_by(|a, b| a.0 == b.0) {
            match edge {
                [a, b] if side(a.1) != side(b.1) => shared.push([a.1, b.1]),
                _ => {}
            }
        }
    }
    shared
}

/// A matching of triangles.
struct Matching<'a> {
    pairs: &'a [QuadCandidate],
    /// Candidates of each triangle, cheapest first.
    choices: Vec<[u32; 3]>,
    /// The pair each triangle is in, or `NONE`.
    chosen: Vec<u32>,
}

impl<'a> Matching<'a> {
    fn new(triangles: usize, pairs: &'a [QuadCandidate]) -> Self {
        Self { pairs, choices: vec![[NONE; 3]; triangles], chosen: vec![NONE; triangles] }
    }

    /// Greedy matching, then alternating paths; returns the pair each triangle is in.
    fn solved(mut self) -> Vec<u32> {
        // Costs are not negative, so their bits are ordered; ties are broken by index.
        let key = |(p, pair): (usize, &QuadCandidate)| u64::from(pair.cost.to_bits()) << 32 | p as u64;
        let mut order: Vec<u64> = self.pairs.par_iter().enumerate().map(key).collect();
        order.par_sort_unstable();
        for p in order.into_iter().map(|key| key as u32) {
            let both = self.pairs[p as usize].triangles;
            for t in both {
                if let Some(free) = self.choices[t as usize].iter_mut().find(|c| **c == NONE) {
                    *free = p;
                }
            }
            if both.iter().all(|t| self.is_alone(*t)) {
                self.take(p);
            }
        }
        for swaps in 1..=MAX_SWAPS {
            for t in 0..self.chosen.len() as u32 {
                if self.is_alone(t) {
                    self.find_partner(t, swaps, &mut Vec::new());
                }
            }
        }
        self.chosen
    }

    fn is_alone(&self, triangle: u32) -> bool {
        self.chosen[triangle as usize] == NONE
    }

    fn take(&mut self, pair: u32) {
        self.pairs[pair as usize].triangles.iter().for_each(|t| self.chosen[*t as usize] = pair);
    }

    fn other(&self, pair: u32, triangle: u32) -> u32 {
        let [a, b] = self.pairs[pair as usize].triangles;
        if a == triangle { b } else { a }
    }

    /// Matches the unmatched triangle `t` along an alternating path of at most `swaps` swaps; `path` holds the triangles on it
    /// so far.
    fn find_partner(&mut self, t: u32, swaps: usize, path: &mut Vec<u32>) -> bool {
        path.push(t);
        for p in self.choices[t as usize].into_iter().filter(|p| *p != NONE) {
            let partner = self.other(p, t);
            if path.contains(&partner) {
                continue;
            }
            let found = self.is_alone(partner) || {
                let left = self.other(self.chosen[partner as usize], partner);
                path.push(partner);
                let found = swaps > 0 && !path.contains(&left) && self.find_partner(left, swaps - 1, path);
                path.pop();
                found
            };
            if found {
                self.take(p);
                return true;
            }
        }
        path.pop();
        false
    }
}
