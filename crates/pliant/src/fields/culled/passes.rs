//! The lanes of a culled field at a point and over a box.

use super::blocks::{Block, Blocks};
use super::cell_lanes::{BoundLanes, CellLanes};
use crate::fields::kernel_formulas::{KernelFormula, Linear, Metaball, NonLinear};
use crate::fields::{AffineBound, Sample};
use crate::math::lanes::Pass;
use crate::math::real::{FourLanes, vector};
use crate::math::{Aabb, DVec3};

/// Bounds of a field from above over a box.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UpperBounds {
    /// No value in the box is greater.
    pub value: f64,
    /// A tilted plane above the field there.
    pub affine: AffineBound,
}

/// Points and segments, by kernel formula.
#[derive(Clone, Debug, Default)]
pub(super) struct SimdElements {
    pub linear: Blocks,
    pub non_linear: Blocks,
    pub metaball: Blocks,
}

/// Indices of the blocks to evaluate, by kernel formula in the order of [`SimdElements`]; not read unless `CULLED`.
pub(super) type Near<'a> = [&'a [u32]; 3];

/// Value and gradient of all lanes at a point.
pub(super) struct SampleAt<'a, const CULLED: bool> {
    pub lanes: &'a SimdElements,
    pub near: Near<'a>,
    pub p: [f64; 3],
}

impl<const CULLED: bool> Pass for SampleAt<'_, CULLED> {
    type Output = Sample;

    #[inline(always)]
    fn run<V: FourLanes>(self) -> Sample {
        let mut sum = [V::all(0.0); 4];
        self.add::<Linear, V>(&self.lanes.linear.all, self.near[0], &mut sum);
        self.add::<NonLinear, V>(&self.lanes.non_linear.all, self.near[1], &mut sum);
        self.add::<Metaball, V>(&self.lanes.metaball.all, self.near[2], &mut sum);
        let [value, x, y, z] = sum;
        Sample { value: value.sum(), gradient: DVec3::new(x.sum(), y.sum(), z.sum()) }
    }
}

impl<const CULLED: bool> SampleAt<'_, CULLED> {
    #[inline(always)]
    fn add<K: KernelFormula, V: FourLanes>(&self, blocks: &[Block], near: &[u32], sum: &mut [V; 4]) {
        let p = vector(self.p.into());
        for k in 0..if CULLED { near.len() } else { blocks.len() } {
            blocks[if CULLED { near[k] as usize } else { k }].lanes::<V>().add::<K>(p, sum);
        }
    }
}

/// Bounds of all lanes over a box: see [`Element::upper_bound`] and [`Element::affine_bound`], whose proofs these are.
pub(super) struct BoundsOver<'a, const CULLED: bool> {
    pub lanes: &'a SimdElements,
    pub near: Near<'a>,
    pub cell: Aabb,
}

impl<const CULLED: bool> Pass for BoundsOver<'_, CULLED> {
    type Output = UpperBounds;

    #[inline(always)]
    fn run<V: FourLanes>(self) -> UpperBounds {
        let (mut sum, lanes) = (BoundLanes::<V>::zero(), self.lanes);
        self.add::<Linear, V>(&lanes.linear.all, self.near[0], &mut sum);
        self.add::<NonLinear, V>(&lanes.non_linear.all, self.near[1], &mut sum);
        self.add::<Metaball, V>(&lanes.metaball.all, self.near[2], &mut sum);
        let [x, y, z] = sum.gradient;
        let gradient = DVec3::new(x.sum(), y.sum(), z.sum());
        let affine = AffineBound { value: sum.value.sum(), gradient, rise: sum.rise.sum() };
        UpperBounds { value: sum.greatest.sum(), affine }
    }
}

impl<const CULLED: bool> BoundsOver<'_, CULLED> {
    #[inline(always)]
    fn add<K: KernelFormula, V: FourLanes>(&self, blocks: &[Block], near: &[u32], sum: &mut BoundLanes<V>) {
        let cell = CellLanes::of_one(&self.cell);
        for k in 0..if CULLED { near.len() } else { blocks.len() } {
            let elements = blocks[if CULLED { near[k] as usize } else { k }].lanes::<V>();
            cell.add_bounds::<K>(&elements, sum);
        }
    }
}
