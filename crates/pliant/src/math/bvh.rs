//! A static bounding volume hierarchy for nearest-point queries.
//!
//! *The idea*: boxes are split at the median of their centres, so that the depth is at most 32 and a query needs only a
//! small fixed stack. *Not promised*: the cheapest tree; a surface-area heuristic doubles the build time, and its queries
//! are within 20 % of these (measured, see docs/crates-tried.md).

use super::{Aabb, DVec3};

/// A binary tree of boxes, built once.
#[derive(Clone, Debug, PartialEq)]
pub struct Bvh {
    nodes: Vec<Node>,
    items: Vec<u32>,
}

/// A leaf holds `items[first..first + count]`; an inner node (`count = 0`) has children `first` and `first + 1`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    bounds: Aabb,
    first: u32,
    count: u32,
}

/// Squared distance from `p` to a box; zero inside.
pub(crate) fn box_distance_sq(b: &Aabb, p: DVec3) -> f64 {
    (b.min - p).max(p - b.max).max(DVec3::ZERO).length_squared()
}

/// Halving `u32::MAX` items ends after 32 levels, and each level leaves at most one node waiting beside the next.
const STACK: usize = 34;

impl Bvh {
    /// A tree over finite `boxes`, identified by their index, with at most `leaf` of them in a leaf. Boxes beyond the
    /// first `u32::MAX` are ignored; callers limit their input far below that.
    pub fn new(boxes: &[Aabb], leaf: usize) -> Self {
        let count = boxes.len().min(u32::MAX as usize);
        let mut tree = Self { nodes: Vec::with_capacity(count), items: (0..count as u32).collect() };
        if count > 0 {
            tree.nodes.push(Node { bounds: Aabb::EMPTY, first: 0, count: 0 });
            tree.build(boxes, leaf.max(1), (0, 0, count));
        }
        tree
    }

    /// Builds node `at` over the items from `start` to `end`.
    fn build(&mut self, boxes: &[Aabb], leaf: usize, (at, start, end): (usize, usize, usize)) {
        let items = &mut self.items[start..end];
        let (mut bounds, mut middles) = (Aabb::EMPTY, Aabb::EMPTY);
        for &i in items.iter() {
            let (b, m) = (boxes[i as usize], boxes[i as usize].center());
            bounds = bounds.union(&b);
            middles = Aabb { min: middles.min.min(m), max: middles.max.max(m) };
        }
        if items.len() <= leaf {
            self.nodes[at] = Node { bounds, first: start as u32, count: items.len() as u32 };
            return;
        }
        let axis = middles.size().max_position();
        let half = items.len() / 2;
        let middle = |i: u32| boxes[i as usize].min[axis] + boxes[i as usize].max[axis];
        // Ties are broken by index, so that the tree depends on nothing but its input.
        items.select_nth_unstable_by(half, |&a, &b| middle(a).total_cmp(&middle(b)).then(a.cmp(&b)));
        let first = self.nodes.len();
        self.nodes[at] = Node { bounds, first: first as u32, count: 0 };
        self.nodes.extend([self.nodes[at]; 2]);
        self.build(boxes, leaf, (first, start, start + half));
        self.build(boxes, leaf, (first + 1, start + half, end));
    }

    /// Fits every node to new `boxes` of the same items, bottom up, and keeps the tree's structure: linear in the number
    /// of items. Queries stay right however far items have moved; they cost more where neighbours have parted.
    pub fn refit(&mut self, boxes: &[Aabb]) {
        // Children come after their parents.
        for at in (0..self.nodes.len()).rev() {
            let Node { first, count, .. } = self.nodes[at];
            let first = first as usize;
            self.nodes[at].bounds = if count > 0 {
                let items = &self.items[first..first + count as usize];
                items.iter().fold(Aabb::EMPTY, |b, &i| b.union(&boxes[i as usize]))
            } else {
                self.nodes[first].bounds.union(&self.nodes[first + 1].bounds)
            };
        }
    }

    /// Renumbers the items in tree order, which keeps neighbours together; returns their former numbers.
    pub fn renumber(&mut self) -> Vec<u32> {
        let count = self.items.len() as u32;
        std::mem::replace(&mut self.items, (0..count).collect())
    }

    /// The sum of `of` over the items of each node.
    pub fn sums(&self, of: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.nodes.len()];
        // Children come after their parents.
        for (i, node) in self.nodes.iter().enumerate().rev() {
            let first = node.first as usize;
            sums[i] = if node.count > 0 {
                self.items[first..first + node.count as usize].iter().map(|&item| of(item as usize)).sum()
            } else {
                sums[first] + sums[first + 1]
            };
        }
        sums
    }

    /// Visits the items of all leaves that `enter` reaches: it is called from the root down with the index and the box of
    /// a node, and decides whether to descend. The order is always the same.
    pub fn walk(&self, mut enter: impl FnMut(usize, &Aabb) -> bool, mut visit: impl FnMut(usize)) {
        let mut waiting = [0u32; STACK];
        let mut depth = usize::from(!self.nodes.is_empty());
        while depth > 0 {
            depth -= 1;
            let at = waiting[depth] as usize;
            let node = &self.nodes[at];
            if !enter(at, &node.bounds) {
                continue;
            }
            let first = node.first as usize;
            if node.count > 0 {
                self.items[first..first + node.count as usize].iter().for_each(|&item| visit(item as usize));
            } else {
                waiting[depth..depth + 2].copy_from_slice(&[node.first + 1, node.first]);
                depth += 2;
            }
        }
    }

    /// Bounds of all boxes; empty if there are none.
    pub fn bounds(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, |n| n.bounds)
    }

    /// Visits items that may be nearest to `p`, near boxes first. `visit` returns the squared distance beyond which items
    /// can be skipped, `INFINITY` until one is found. Nothing is visited if `p` is NaN.
    pub fn visit_nearest(&self, p: DVec3, mut visit: impl FnMut(usize) -> f64) {
        if self.nodes.is_empty() || p.is_nan() {
            return;
        }
        let mut limit_sq = f64::INFINITY;
        let mut waiting = [(0u32, 0.0f64); STACK];
        let mut depth = 0;
        let mut at = 0u32;
        loop {
            let node = &self.nodes[at as usize];
            if node.count > 0 {
                let first = node.first as usize;
                for &item in &self.items[first..first + node.count as usize] {
                    limit_sq = visit(item as usize);
                }
            } else {
                let distance_sq = [0, 1].map(|k| box_distance_sq(&self.nodes[(node.first + k) as usize].bounds, p));
                let near = u32::from(distance_sq[1] < distance_sq[0]);
                let (near_sq, far_sq) = (distance_sq[near as usize], distance_sq[1 - near as usize]);
                if near_sq <= limit_sq {
                    if far_sq <= limit_sq {
                        waiting[depth] = (node.first + 1 - near, far_sq);
                        depth += 1;
                    }
                    at = node.first + near;
                    continue;
                }
            }
            loop {
                if depth == 0 {
                    return;
                }
                depth -= 1;
                if waiting[depth].1 <= limit_sq {
                    at = waiting[depth].0;
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    /// Points (i³ mod 97, i² mod 89, 7i mod 83): scattered, with repeats among 5000 of them.
    fn boxes(count: u64) -> Vec<Aabb> {
        let place = |i: u64| DVec3::new((i * i * i % 97) as f64, (i * i % 89) as f64, (7 * i % 83) as f64);
        (0..count).map(|i| Aabb::around(place(i), 0.25)).collect()
    }

    #[test]
    fn the_nearest_of_many_boxes_is_the_one_a_full_search_finds() {
        for count in [0, 1, 2, 3, 5, 64, 5000] {
            let boxes = boxes(count);
            for leaf in [1, 4] {
                let tree = Bvh::new(&boxes, leaf);
                for k in 0..200u64 {
                    let p = DVec3::new((k * 37 % 101) as f64 - 2.0, (k * 53 % 103) as f64, (k * 29 % 97) as f64 + 0.5);
                    let (mut best, mut visited) = (f64::INFINITY, 0);
                    tree.visit_nearest(p, |i| {
                        best = best.min(box_distance_sq(&boxes[i], p));
                        visited += 1;
                        best
                    });
                    let truth = boxes.iter().map(|b| box_distance_sq(b, p)).fold(f64::INFINITY, f64::min);
                    assert_eq!(best, truth);
                    assert!(visited <= 500.min(count), "{visited} of {count} boxes visited");
                }
            }
        }
    }

    #[test]
    fn a_walk_visits_what_a_full_search_finds_and_sums_are_those_of_what_is_below() {
        for count in [0, 1, 2, 5, 64, 5000] {
            let boxes = boxes(count);
            for leaf in [1, 4] {
                let mut tree = Bvh::new(&boxes, leaf);
                let former = tree.renumber();
                let boxes: Vec<Aabb> = former.iter().map(|&i| boxes[i as usize]).collect();
                let sums = tree.sums(|i| i as f64);
                for k in 0..50u64 {
                    let (p, reach) = (DVec3::new((k * 37 % 101) as f64, (k * 53 % 103) as f64, 40.0), k as f64);
                    let near = |b: &Aabb| box_distance_sq(b, p) <= reach * reach;
                    let (mut some, all) = (0.0, std::cell::Cell::new(0.0));
                    tree.walk(|_, b| near(b), |i| some += if near(&boxes[i]) { i as f64 } else { 0.0 });
                    let truth: f64 = (0..boxes.len()).filter(|&i| near(&boxes[i])).map(|i| i as f64).sum();
                    assert_eq!(some, truth);
                    // Nodes wholly within the ball give their sum at once.
                    tree.walk(
                        |node, b| {
                            let whole = (b.min - p).abs().max((b.max - p).abs()).length() <= reach;
                            all.set(all.get() + if whole { sums[node] } else { 0.0 });
                            near(b) && !whole
                        },
                        |i| all.set(all.get() + if near(&boxes[i]) { i as f64 } else { 0.0 }),
                    );
                    assert_eq!(all.get(), truth);
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

        /// Boxes of any size, among them points, far ones and repeated ones: coordinates are few, so that ties are common.
        #[test]
        fn the_nearest_of_any_boxes_is_the_one_a_full_search_finds(
            corners in prop::collection::vec(prop::array::uniform6(-3_i32..4), 0..40),
            p in prop::array::uniform3(-5_i32..6), leaf in 1_usize..6, power in -300_i32..100,
        ) {
            let scale = 10f64.powi(power);
            let point = |c: &[i32]| DVec3::new(c[0].into(), c[1].into(), c[2].into()) * scale;
            let corners = corners.iter().map(|c| (point(&c[..3]), point(&c[3..])));
            let boxes: Vec<Aabb> = corners.map(|(a, b)| Aabb { min: a.min(b), max: a.max(b) }).collect();
            let (p, mut best) = (point(&p), f64::INFINITY);
            Bvh::new(&boxes, leaf).visit_nearest(p, |i| {
                best = best.min(box_distance_sq(&boxes[i], p));
                best
            });
            prop_assert_eq!(best, boxes.iter().map(|b| box_distance_sq(b, p)).fold(f64::INFINITY, f64::min));
        }
    }

    #[test]
    fn a_refitted_tree_finds_what_a_new_one_does() {
        for count in [0, 1, 5, 64, 5000] {
            let before = boxes(count);
            // Each box goes its own way.
            let away = |i: usize| DVec3::new((i % 7) as f64 - 3.0, (i % 11) as f64, -((i % 5) as f64));
            let after: Vec<Aabb> =
                before.iter().enumerate().map(|(i, b)| Aabb::around(b.center() + 4.0 * away(i), 0.5)).collect();
            let mut refitted = Bvh::new(&before, 4);
            refitted.refit(&after);
            assert_eq!(refitted.bounds(), Bvh::new(&after, 4).bounds());
            let around = Aabb::around(DVec3::new(40.0, 40.0, 40.0), 15.0);
            let mut found = Vec::new();
            refitted.walk(|_, b| b.overlaps(&around), |i| found.push(i));
            found.retain(|&i| after[i].overlaps(&around));
            found.sort_unstable();
            let truth: Vec<usize> = (0..after.len()).filter(|&i| after[i].overlaps(&around)).collect();
            assert_eq!(found, truth);
        }
    }

    #[test]
    fn a_query_at_nowhere_visits_nothing() {
        let tree = Bvh::new(&boxes(100), 4);
        tree.visit_nearest(DVec3::NAN, |_| panic!("visited"));
        tree.visit_nearest(DVec3::new(0.0, f64::NAN, 0.0), |_| panic!("visited"));
    }

    #[test]
    fn many_equal_boxes_still_make_a_shallow_tree() {
        let tree = Bvh::new(&vec![Aabb::around(DVec3::ONE, 1.0); 100_000], 1);
        let mut visited = 0;
        tree.visit_nearest(DVec3::ZERO, |_| {
            visited += 1;
            f64::INFINITY
        });
        assert_eq!(visited, 100_000);
    }
}
