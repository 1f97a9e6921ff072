//! The 256 cases of marching cubes, derived instead of tabulated.
//!
//! *The idea*: on each face of a cube, every run of corners inside the solid is cut off from the others by a line of its own, the
//! same line for both cubes that share the face. Joined end to end, the lines are closed loops around the inside corners: so
//! the surface has no holes and no edge with three faces. Loops are triangulated by diagonals through the interior of the cube,
//! never in its faces, where a neighbour might add the same diagonal.

use std::sync::LazyLock;

/// Edges of a cube, numbered by their axis and two bits for their position across it. Corners are numbered by three bits, one
/// for each axis.
pub(super) const EDGES: usize = 12;

/// Corners at both ends of an edge, the first with the lesser coordinate.
pub(super) const fn corners_of(edge: usize) -> [usize; 2] {
    let axis = edge / 4;
    let (low, high) = (edge % 2, edge / 2 % 2);
    let first = low << ((axis + 1) % 3) | high << ((axis + 2) % 3);
    [first, first | 1 << axis]
}

fn edge_between(a: usize, b: usize) -> usize {
    (0..EDGES).find(|e| corners_of(*e) == [a.min(b), a.max(b)]).unwrap_or(0)
}

/// Whether two edges lie in one face.
fn in_one_face(e: u8, f: u8) -> bool {
    let (e, f) = (corners_of(usize::from(e)), corners_of(usize::from(f)));
    (0..3).any(|axis| {
        let side = |c: usize| c >> axis & 1;
        side(e[0]) == side(e[1]) && side(f[0]) == side(f[1]) && side(e[0]) == side(f[0])
    })
}

/// The surface in a cube: the edges it crosses, as loops counter-clockwise about the outward normal, and as triangles.
#[derive(Clone, Debug, Default)]
struct Case {
    #[cfg_attr(not(test), allow(dead_code))]
    loops: Vec<Vec<u8>>,
    triangles: Vec<[u8; 3]>,
}

/// The triangles of all cases, one case after another; each as the three edges its vertices lie on.
pub(super) struct CaseTable {
    starts: [u16; 257],
    edges: Vec<[u8; 3]>,
}

impl CaseTable {
    /// The triangles of a cube with these corners inside.
    #[inline(always)]
    pub(super) fn triangles(&self, inside: usize) -> &[[u8; 3]] {
        &self.edges[usize::from(self.starts[inside])..usize::from(self.starts[inside + 1])]
    }
}

/// The table, made once.
pub(super) static TRIANGLES: LazyLock<CaseTable> = LazyLock::new(|| {
    let mut all = CaseTable { starts: [0; 257], edges: Vec::new() };
    for inside in 0..256 {
        all.edges.extend(case(inside).triangles);
        all.starts[inside + 1] = all.edges.len() as u16;
    }
    all
});

fn case(inside: usize) -> Case {
    let is_inside = |corner: usize| inside >> corner & 1 == 1;
    let mut next = [None; EDGES];
    for axis in 0..3 {
        for side in 0..2 {
            let mut around =
                [0, 1, 3, 2].map(|i: usize| side << axis | (i & 1) << ((axis + 1) % 3) | (i >> 1) << ((axis + 2) % 3));
            if side == 0 {
                around.reverse();
            }
            for i in 0..4 {
                let at = |k: usize| around[(i + k) % 4];
                if is_inside(at(0)) || !is_inside(at(1)) {
                    continue;
                }
                let run = (1..4).take_while(|k| is_inside(at(*k))).count();
                next[edge_between(at(0), at(1))] = Some(edge_between(at(run), at(run + 1)));
            }
        }
    }
    let mut case = Case::default();
    for first in 0..EDGES {
        let mut ring = Vec::new();
        let mut at = first;
        while let Some(after) = next[at].take() {
            ring.push(at as u8);
            at = after;
        }
        if !ring.is_empty() {
            case.triangles.extend(triangulated(&ring).expect("every loop of a cube has a triangulation"));
            case.loops.push(ring);
        }
    }
    case
}

/// Triangulation of a loop by diagonals through the interior of the cube; `None` if there is none.
fn triangulated(ring: &[u8]) -> Option<Vec<[u8; 3]>> {
    if ring.len() == 3 {
        return Some(vec![[ring[0], ring[1], ring[2]]]);
    }
    // The triangle on the side from the last vertex to the first, and the loops left on both sides of it.
    let (first, last) = (ring[0], ring[ring.len() - 1]);
    (1..ring.len() - 1).find_map(|i| {
        let tip = ring[i];
        let free = |e: u8, beside: bool| beside || !in_one_face(e, tip);
        if !free(first, i == 1) || !free(last, i + 2 == ring.len()) {
            return None;
        }
        let mut all = vec![[first, tip, last]];
        if i > 1 {
            all.extend(triangulated(&ring[..=i])?);
        }
        if i + 2 < ring.len() {
            all.extend(triangulated(&ring[i..])?);
        }
        Some(all)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn every_crossed_edge_is_in_one_loop_and_no_new_line_lies_in_a_face() {
        for inside in 0..256 {
            let case = case(inside);
            let mut seen = [0; EDGES];
            case.loops.iter().flatten().for_each(|e| seen[usize::from(*e)] += 1);
            for (edge, count) in seen.iter().enumerate() {
                let crossed = corners_of(edge).map(|c| inside >> c & 1);
                assert_eq!(*count, usize::from(crossed[0] != crossed[1]), "case {inside}, edge {edge}");
            }
            let mut sides: HashMap<(u8, u8), i32> = HashMap::new();
            for t in &case.triangles {
                for i in 0..3 {
                    *sides.entry((t[i], t[(i + 1) % 3])).or_default() += 1;
                }
            }
            assert!(sides.values().all(|n| *n == 1), "case {inside} has a line twice the same way");
            for (e, f) in sides.keys() {
                let inner = sides.contains_key(&(*f, *e));
                assert!(!inner || !in_one_face(*e, *f), "case {inside}: line {e}-{f} lies in a face");
            }
        }
    }

    #[test]
    fn one_corner_inside_makes_a_triangle_that_faces_away_from_it() {
        let [x, y, z] = [edge_between(0, 1), edge_between(0, 2), edge_between(0, 4)].map(|e| e as u8);
        let [a, b, c] = TRIANGLES.triangles(1)[0];
        assert!([[a, b, c], [b, c, a], [c, a, b]].contains(&[x, y, z]));
    }
}
