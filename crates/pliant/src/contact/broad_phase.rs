//! Broad phase: pairs of boxes that overlap, from a uniform grid.
//!
//! *The idea*: boxes of ordinary size are sorted into cells as large as the largest of them, so each is tested against the
//! 27 cells around it and the cost grows linearly with bodies that do not all touch. The few that are much larger
//! (grounds, walls) are tested against all. *Not promised*: linear cost where sizes are spread evenly over many decades.

use crate::math::{Aabb, DVec3};

/// A box longer than this many times the median is treated as large. Smaller: more brute force.
/// Larger: one big body makes every cell crowded.
const LARGE: f64 = 4.0;
/// Greatest number of a cell along an axis, so that neighbours of the last cell still have a number.
const FARTHEST_CELL: f64 = 1e18;

/// Boxes sorted by place.
#[derive(Clone, Debug, Default)]
pub struct BoxGrid {
    boxes: Vec<Aabb>,
    /// Boxes of ordinary size, by the cell their middle lies in, sorted.
    cells: Vec<([i64; 3], usize)>,
    /// All others that are not empty.
    large: Vec<usize>,
    edge: f64,
}

impl BoxGrid {
    /// A grid of `boxes`, which are known by their index.
    pub fn new(boxes: Vec<Aabb>) -> Self {
        let length = |b: &Aabb| if b.is_empty() { 0.0 } else { b.size().max_element() };
        let mut lengths: Vec<f64> = boxes.iter().map(length).collect();
        let middle = lengths.len() / 2;
        let median = if lengths.is_empty() { 0.0 } else { *lengths.select_nth_unstable_by(middle, f64::total_cmp).1 };
        let is_large = |b: &Aabb| !(length(b) <= LARGE * median && b.is_finite());
        let present = (0..boxes.len()).filter(|&i| !boxes[i].is_empty());
        let (large, small): (Vec<usize>, Vec<usize>) = present.partition(|&i| is_large(&boxes[i]));
        // A little more than the largest, so that rounding cannot put a neighbour two cells away, however far out.
        let mut edge = f64::MIN_POSITIVE;
        for b in small.iter().map(|&i| &boxes[i]) {
            let outermost = b.min.abs().max(b.max.abs()).max_element();
            edge = edge.max(length(b) * (1.0 + 1e-9) + 16.0 * f64::EPSILON * outermost);
        }
        let mut cells: Vec<_> = small.iter().map(|&i| (cell(boxes[i].center(), edge), i)).collect();
        cells.sort_unstable();
        Self { boxes, cells, large, edge }
    }

    /// The boxes, as given.
    pub fn boxes(&self) -> &[Aabb] {
        &self.boxes
    }

    /// Pairs `(i, j)`, `i < j`, whose boxes overlap and that `keep` accepts, in increasing order.
    pub fn pairs(&self, keep: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        self.visit_pairs(|i, j| {
            if keep(i, j) {
                pairs.push((i.min(j), i.max(j)));
            }
            true
        });
        pairs.sort_unstable();
        pairs
    }

    /// Calls `visit` for each two boxes that overlap, in some order, until it returns `false`.
    pub fn visit_pairs(&self, mut visit: impl FnMut(usize, usize) -> bool) {
        let mut try_pair = |i: usize, j: usize| !self.boxes[i].overlaps(&self.boxes[j]) || visit(i, j);
        for (n, &i) in self.large.iter().enumerate() {
            if !self.large[n + 1..].iter().chain(self.cells.iter().map(|(_, j)| j)).all(|&j| try_pair(i, j)) {
                return;
            }
        }
        // Cells come in order, so the columns ahead of them do, too: each is followed by a mark of its own.
        let columns = [(0, 1), (1, -1), (1, 0), (1, 1)];
        let mut marks = [0; 4];
        for (n, &(cell, i)) in self.cells.iter().enumerate() {
            let [x, y, z] = cell;
            let above = [x, y, z + 1];
            if !self.cells[n + 1..].iter().take_while(|(c, _)| *c <= above).all(|&(_, j)| try_pair(i, j)) {
                return;
            }
            for ((dx, dy), mark) in columns.iter().zip(&mut marks) {
                let (low, high) = ([x + dx, y + dy, z - 1], [x + dx, y + dy, z + 1]);
                while self.cells.get(*mark).is_some_and(|(c, _)| *c < low) {
                    *mark += 1;
                }
                if !self.cells[*mark..].iter().take_while(|(c, _)| *c <= high).all(|&(_, j)| try_pair(i, j)) {
                    return;
                }
            }
        }
    }

    /// Boxes that overlap `region`, in increasing order.
    pub fn overlapping(&self, region: &Aabb) -> Vec<usize> {
        let mut found = Vec::new();
        let mut try_one = |i: usize| {
            if self.boxes[i].overlaps(region) {
                found.push(i);
            }
        };
        self.large.iter().for_each(|&i| try_one(i));
        let (low, high) = (cell(region.min, self.edge), cell(region.max, self.edge));
        let columns = [0, 1].map(|axis| high[axis].saturating_sub(low[axis]).saturating_add(3));
        if !region.is_finite() || columns[0].saturating_mul(columns[1]) > self.cells.len() as i64 {
            self.cells.iter().for_each(|&(_, i)| try_one(i));
        } else {
            for x in low[0] - 1..=high[0] + 1 {
                for y in low[1] - 1..=high[1] + 1 {
                    let (first, last) = ([x, y, low[2] - 1], [x, y, high[2] + 1]);
                    let start = self.cells.partition_point(|(c, _)| *c < first);
                    self.cells[start..].iter().take_while(|(c, _)| *c <= last).for_each(|&(_, i)| try_one(i));
                }
            }
        }
        found.sort_unstable();
        found
    }
}

/// The cell `p` lies in.
fn cell(p: DVec3, edge: f64) -> [i64; 3] {
    let limit = DVec3::splat(FARTHEST_CELL);
    (p / edge).floor().clamp(-limit, limit).to_array().map(|x| x as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn the_grid_finds_exactly_the_pairs_brute_force_finds() {
        let mut random = Random(12345);
        let mut random = || random.unit();
        // Far from the origin, where boxes are few units in the last place long, nothing may be lost either.
        for (round, away) in [0.0, 1e6, 1e14].into_iter().cycle().take(60).enumerate() {
            let mut place = || DVec3::new(random(), random(), random()) * 3.0 + DVec3::splat(away);
            let places: Vec<DVec3> = (0..61).map(|_| place()).collect();
            let mut boxes: Vec<Aabb> =
                places[1..].iter().map(|p| Aabb::around(*p, 0.02 + 0.3 * random().powi(4))).collect();
            boxes.push(Aabb { min: DVec3::NEG_INFINITY, max: DVec3::new(f64::INFINITY, f64::INFINITY, away + 0.5) });
            if round % 2 == 0 {
                boxes.push(Aabb::EMPTY);
            }
            let meet = |p: &Aabb, q: &Aabb| !p.intersection(q).is_empty() && !p.is_empty() && !q.is_empty();
            let mut expected = Vec::new();
            for i in 0..boxes.len() {
                for j in i + 1..boxes.len() {
                    if meet(&boxes[i], &boxes[j]) {
                        expected.push((i, j));
                    }
                }
            }
            let grid = BoxGrid::new(boxes.clone());
            assert_eq!(grid.pairs(|_, _| true), expected);
            for reach in [0.01, 0.3, 5.0, f64::INFINITY] {
                let region = Aabb::around(places[0], reach);
                let expected: Vec<usize> = (0..boxes.len()).filter(|&i| meet(&boxes[i], &region)).collect();
                assert_eq!(grid.overlapping(&region), expected, "within {reach}");
            }
        }
    }

    #[test]
    fn a_grid_of_nothing_has_no_pairs() {
        assert!(BoxGrid::new(Vec::new()).pairs(|_, _| true).is_empty());
        assert!(BoxGrid::default().overlapping(&Aabb::EVERYTHING).is_empty());
    }
}
