//! Tree of the boxes of influence of a large shape's parts: finds those that reach a point or a box.
//!
//! *The idea*: a part contributes exactly zero outside its box of influence, so a sum over the parts that reach a place,
//! taken in the shape's order, equals the sum over all of them bit for bit.
//! *Not promised*: anything for small shapes, which have no tree: asking every part costs less.

use crate::math::{Aabb, Bvh, DVec3};

/// Parts from which a shape has a tree. Fewer: a walk costs more than the parts it saves.
const TREE_FROM: usize = 32;

/// Parts in a leaf. More: needless tests of boxes. Fewer: a larger tree.
const LEAF: usize = 4;

/// Parts around one point that are listed without allocating. Where more come together all parts are asked.
const MAX_AT_POINT: usize = 96;

/// Boxes of influence as a tree, numbered as the shape's parts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PartTree {
    tree: Bvh,
    /// Of the items of `tree`.
    boxes: Vec<Aabb>,
    /// Which part each item of `tree` is.
    numbers: Vec<u32>,
    /// Unbounded parts, whose influence may be anywhere.
    unbounded: Vec<u32>,
}

/// Parts that reach a point, in the shape's order.
pub(super) struct PartsAt {
    numbers: [u32; MAX_AT_POINT],
    count: usize,
}

impl PartsAt {
    /// Increasing numbers.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers[..self.count]
    }
}

impl PartTree {
    /// A tree over boxes of influence; none where there are too few.
    pub fn new(influences: &[Aabb]) -> Option<Self> {
        if influences.len() < TREE_FROM {
            return None;
        }
        let all = 0..influences.len() as u32;
        let (numbers, unbounded): (Vec<u32>, Vec<u32>) = all.partition(|&i| influences[i as usize].is_finite());
        let boxes: Vec<Aabb> = numbers.iter().map(|&i| influences[i as usize]).collect();
        Some(Self { tree: Bvh::new(&boxes, LEAF), boxes, numbers, unbounded })
    }

    /// Fits the tree to new boxes of the same parts; see [`Bvh::refit`].
    pub fn refit(&mut self, influences: &[Aabb]) {
        for (bounds, &number) in self.boxes.iter_mut().zip(&self.numbers) {
            *bounds = influences[number as usize];
        }
        self.tree.refit(&self.boxes);
    }

    /// The parts that reach `p`; none where more come together than can be listed.
    pub fn parts_at(&self, p: DVec3) -> Option<PartsAt> {
        let mut found = PartsAt { numbers: [0; MAX_AT_POINT], count: self.unbounded.len() };
        if found.count > MAX_AT_POINT {
            return None;
        }
        found.numbers[..found.count].copy_from_slice(&self.unbounded);
        let mut full = false;
        self.tree.walk(
            |_, around| around.contains(p),
            |i| {
                if self.boxes[i].contains(p) {
                    full |= found.count == MAX_AT_POINT;
                    if !full {
                        found.numbers[found.count] = self.numbers[i];
                        found.count += 1;
                    }
                }
            },
        );
        found.numbers[..found.count].sort_unstable();
        (!full).then_some(found)
    }

    /// The parts whose boxes of influence meet `around`, in the shape's order.
    pub fn parts_within(&self, around: &Aabb) -> Vec<u32> {
        let mut found = self.unbounded.clone();
        if around.min.is_nan() || around.max.is_nan() {
            // The middle of a box without end.
            found.extend(&self.numbers);
            found.sort_unstable();
            return found;
        }
        let meets = |b: &Aabb| b.overlaps(around);
        self.tree.walk(
            |_, b| meets(b),
            |i| {
                if meets(&self.boxes[i]) {
                    found.push(self.numbers[i])
                }
            },
        );
        found.sort_unstable();
        found
    }
}
