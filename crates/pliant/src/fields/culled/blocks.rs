//! Points and segments side by side in SIMD lanes, and trees of them where there are many.

use crate::fields::element::SimdElement;
use crate::fields::kernel_formulas::KernelFormula;
use crate::fields::skeleton::Plane;
use crate::math::real::{FourLanes, eight};
use crate::math::{Aabb, Bvh, DVec3};

/// Elements side by side: one AVX2 register of each number.
pub(super) const LANES: usize = 4;

/// Blocks from which a tree is made of them. Fewer: a walk costs more than the blocks it saves.
const TREE_FROM: usize = 12;

/// Blocks of one kernel formula.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    pub all: Vec<Block>,
    /// Of many: boxes of influence, in the order of `all`.
    tree: Option<Bvh>,
}

impl Blocks {
    pub fn push(&mut self, simd: &SimdElement) {
        if self.all.last().is_none_or(|b| b.used == LANES) {
            self.all.push(Block::EMPTY);
        }
        let last = self.all.len() - 1;
        self.all[last].push(simd);
    }

    /// Sorts the elements of many blocks by place, neighbours together, and makes a tree of the blocks.
    pub fn sort(&mut self) {
        if self.all.len() < TREE_FROM {
            return;
        }
        let lanes: Vec<(usize, usize)> =
            self.all.iter().enumerate().flat_map(|(k, block)| (0..block.used).map(move |i| (k, i))).collect();
        let boxes: Vec<Aabb> = lanes.iter().map(|&(k, i)| self.all[k].influence_bounds(i)).collect();
        let order = Bvh::new(&boxes, 1).renumber();
        let mut sorted: Vec<Block> = Vec::with_capacity(self.all.len());
        for four in order.chunks(LANES) {
            let mut block = Block::EMPTY;
            for &index in four {
                let (k, i) = lanes[index as usize];
                block.copy_lane(&self.all[k], i);
            }
            sorted.push(block);
        }
        let around = |block: &Block| (0..block.used).fold(Aabb::EMPTY, |b, i| b.union(&block.influence_bounds(i)));
        let mut tree = Bvh::new(&sorted.iter().map(around).collect::<Vec<_>>(), 1);
        self.all = tree.renumber().into_iter().map(|k| sorted[k as usize]).collect();
        self.tree = Some(tree);
    }

    /// Whether there is a tree.
    pub fn are_sorted(&self) -> bool {
        self.tree.is_some()
    }

    /// Numbers of the blocks that reach `around`, increasing; without a tree, of all.
    pub fn blocks_near(&self, around: &Aabb) -> Vec<u32> {
        let Some(tree) = &self.tree else { return (0..self.all.len() as u32).collect() };
        let mut found = Vec::with_capacity(16);
        tree.walk(|_, b| b.overlaps(around), |k| found.push(k as u32));
        found
    }
}

/// Points and segments of one kernel formula, structure of arrays. Unused lanes contribute nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub used: usize,
    /// One end, and from there to the other (zero for points).
    pub from: [[f64; LANES]; 3],
    pub along: [[f64; LANES]; 3],
    by_length_sq: [f64; LANES],
    pub strength: [f64; LANES],
    coefficients: [[f64; LANES]; 8],
    pub radius: [f64; LANES],
}

impl Block {
    const EMPTY: Self = Self {
        used: 0,
        from: [[0.0; LANES]; 3],
        along: [[0.0; LANES]; 3],
        by_length_sq: [0.0; LANES],
        strength: [0.0; LANES],
        coefficients: [[0.0; LANES]; 8],
        radius: [0.0; LANES],
    };

    fn push(&mut self, simd: &SimdElement) {
        let &SimdElement { ends: [a, b], kernel, strength, .. } = simd;
        let i = self.used;
        self.used += 1;
        let along = b - a;
        for axis in 0..3 {
            self.from[axis][i] = a[axis];
            self.along[axis][i] = along[axis];
        }
        self.by_length_sq[i] = if along == DVec3::ZERO { 0.0 } else { 1.0 / along.length_squared() };
        self.strength[i] = strength;
        for (own, c) in self.coefficients.iter_mut().zip(kernel.coefficients()) {
            own[i] = *c;
        }
        self.radius[i] = kernel.radius();
    }

    /// Adds lane `i` of another block.
    fn copy_lane(&mut self, other: &Self, i: usize) {
        let to = self.used;
        self.used += 1;
        for axis in 0..3 {
            self.from[axis][to] = other.from[axis][i];
            self.along[axis][to] = other.along[axis][i];
        }
        self.by_length_sq[to] = other.by_length_sq[i];
        self.strength[to] = other.strength[i];
        for (own, others) in self.coefficients.iter_mut().zip(&other.coefficients) {
            own[to] = others[i];
        }
        self.radius[to] = other.radius[i];
    }

    /// A box outside which lane `i` contributes nothing, with room for rounding.
    fn influence_bounds(&self, i: usize) -> Aabb {
        let at = |lanes: &[[f64; LANES]; 3]| DVec3::new(lanes[0][i], lanes[1][i], lanes[2][i]);
        let (from, along) = (at(&self.from), at(&self.along));
        Aabb::of_points([from, from + along]).grown(self.radius[i] * (1.0 + 1e-9))
    }

    /// Planes through the ends of its segments.
    pub fn creases(&self, found: &mut Vec<Plane>) {
        for i in 0..self.used {
            let at = |lanes: &[[f64; LANES]; 3]| DVec3::new(lanes[0][i], lanes[1][i], lanes[2][i]);
            let (from, along) = (at(&self.from), at(&self.along));
            if let Some(normal) = along.try_normalize() {
                found.extend([from, from + along].map(|point| Plane { point, normal }));
            }
        }
    }

    /// All its elements, one a lane.
    #[inline(always)]
    pub fn lanes<T: FourLanes>(&self) -> LaneElements<T> {
        let (a, d, k) = (&self.from, &self.along, &self.coefficients);
        let mut coefficients = [T::all(0.0); 8];
        for i in 0..8 {
            coefficients[i] = T::of(&k[i]);
        }
        LaneElements {
            from: [T::of(&a[0]), T::of(&a[1]), T::of(&a[2])],
            along: [T::of(&d[0]), T::of(&d[1]), T::of(&d[2])],
            by_length_sq: T::of(&self.by_length_sq),
            strength: T::of(&self.strength),
            radius: T::of(&self.radius),
            coefficients,
        }
    }

    /// Element `i` in all lanes.
    #[inline(always)]
    pub fn element<T: FourLanes>(&self, i: usize) -> LaneElements<T> {
        let (a, d, k) = (&self.from, &self.along, &self.coefficients);
        LaneElements {
            from: [T::all(a[0][i]), T::all(a[1][i]), T::all(a[2][i])],
            along: [T::all(d[0][i]), T::all(d[1][i]), T::all(d[2][i])],
            by_length_sq: T::all(self.by_length_sq[i]),
            strength: T::all(self.strength[i]),
            radius: T::all(self.radius[i]),
            coefficients: eight(&[k[0][i], k[1][i], k[2][i], k[3][i], k[4][i], k[5][i], k[6][i], k[7][i]]),
        }
    }
}

/// Four points or segments of one kernel formula.
#[derive(Clone, Copy)]
pub(super) struct LaneElements<T> {
    /// One end, and from there to the other.
    pub from: [T; 3],
    pub along: [T; 3],
    by_length_sq: T,
    pub strength: T,
    pub radius: T,
    pub coefficients: [T; 8],
}

impl<T: FourLanes> LaneElements<T> {
    /// From the nearest points to `p`.
    #[inline(always)]
    pub fn offset(&self, p: [T; 3]) -> [T; 3] {
        let [x, y, z] = [p[0] - self.from[0], p[1] - self.from[1], p[2] - self.from[2]];
        let [ax, ay, az] = self.along;
        let t = (x * ax + y * ay + z * az) * self.by_length_sq;
        let t = t.larger(T::all(0.0)).smaller(T::all(1.0));
        [x - t * ax, y - t * ay, z - t * az]
    }

    /// Adds values and gradients at `p` to `sum`.
    #[inline(always)]
    pub fn add<K: KernelFormula>(&self, p: [T; 3], sum: &mut [T; 4]) {
        let [x, y, z] = self.offset(p);
        let r_sq = x * x + y * y + z * z;
        // Most elements of a large body do not reach a point.
        if !(self.radius * self.radius).any_greater(r_sq) {
            return;
        }
        let (value, slope_by_r) = K::at_sq(&self.coefficients, r_sq);
        let by_r = self.strength * slope_by_r;
        sum[0] = sum[0] + self.strength * value;
        sum[1] = sum[1] + by_r * x;
        sum[2] = sum[2] + by_r * y;
        sum[3] = sum[3] + by_r * z;
    }
}
