//! The lanes of a culled field at a point and over a box.

use super::blocks::{Block, Blocks, LANES};
use crate::fields::kernel_formulas::{KernelFormula, Linear, Metaball, NonLinear};
use crate::fields::{AffineBound, Sample};
use crate::math::lanes::Pass;
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
pub(super) struct Lanes {
    pub linear: Blocks,
    pub non_linear: Blocks,
    pub metaball: Blocks,
}

/// Indices of the blocks to evaluate, by kernel formula in the order of [`Lanes`]; not read unless `CULLED`.
pub(super) type Near<'a> = [&'a [u32]; 3];

/// Value and gradient of all lanes at a point.
pub(super) struct SampleAt<'a, const CULLED: bool> {
    pub lanes: &'a Lanes,
    pub near: Near<'a>,
    pub p: [f64; 3],
}

impl<const CULLED: bool> Pass for SampleAt<'_, CULLED> {
    type Output = Sample;

    #[inline(always)]
    fn run(self) -> Sample {
        let mut sum = [[0.0; LANES]; 4];
        self.add::<Linear>(&self.lanes.linear.all, self.near[0], &mut sum);
        self.add::<NonLinear>(&self.lanes.non_linear.all, self.near[1], &mut sum);
        self.add::<Metaball>(&self.lanes.metaball.all, self.near[2], &mut sum);
        let [value, x, y, z] = sum.map(total);
        Sample { value, gradient: DVec3::new(x, y, z) }
    }
}

impl<const CULLED: bool> SampleAt<'_, CULLED> {
    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // lanes
    fn add<L: KernelFormula>(&self, blocks: &[Block], near: &[u32], sum: &mut [[f64; LANES]; 4]) {
        for k in 0..if CULLED { near.len() } else { blocks.len() } {
            let block = &blocks[if CULLED { near[k] as usize } else { k }];
            for i in 0..LANES {
                let [x, y, z] = block.offset(i, &self.p);
                let (value, slope_by_r) = block.curve::<L>(i, x * x + y * y + z * z);
                let by_r = block.strength[i] * slope_by_r;
                sum[0][i] += block.strength[i] * value;
                sum[1][i] += by_r * x;
                sum[2][i] += by_r * y;
                sum[3][i] += by_r * z;
            }
        }
    }
}

/// Bounds of all lanes over a box: see [`Element::upper_bound`] and [`Element::affine_bound`], whose proofs these are.
pub(super) struct BoundsOver<'a, const CULLED: bool> {
    pub lanes: &'a Lanes,
    pub near: Near<'a>,
    pub cell: Aabb,
}

impl<const CULLED: bool> Pass for BoundsOver<'_, CULLED> {
    type Output = UpperBounds;

    #[inline(always)]
    fn run(self) -> UpperBounds {
        let mut sum = [[0.0; LANES]; 6];
        self.add::<Linear>(&self.lanes.linear.all, self.near[0], &mut sum);
        self.add::<NonLinear>(&self.lanes.non_linear.all, self.near[1], &mut sum);
        self.add::<Metaball>(&self.lanes.metaball.all, self.near[2], &mut sum);
        let [upper, value, x, y, z, rise] = sum.map(total);
        UpperBounds { value: upper, affine: AffineBound { value, gradient: DVec3::new(x, y, z), rise } }
    }
}

impl<const CULLED: bool> BoundsOver<'_, CULLED> {
    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // lanes
    fn add<L: KernelFormula>(&self, blocks: &[Block], near: &[u32], sum: &mut [[f64; LANES]; 6]) {
        let (center, half) = (self.cell.center().to_array(), (0.5 * self.cell.size()).to_array());
        let reach = (half[0] * half[0] + half[1] * half[1] + half[2] * half[2]).sqrt();
        for k in 0..if CULLED { near.len() } else { blocks.len() } {
            let block = &blocks[if CULLED { near[k] as usize } else { k }];
            for i in 0..LANES {
                let [x, y, z] = block.offset(i, &center);
                let r_sq = x * x + y * y + z * z;
                let r = r_sq.sqrt();
                let (value, slope_by_r) = block.curve::<L>(i, r_sq);
                // Extent of the cell along the distance; its radius where that has no direction.
                let straight = (x.abs() * half[0] + y.abs() * half[1] + z.abs() * half[2]) / r;
                let straight = if straight < reach { straight } else { reach };
                // A convex distance lies above its tangent; and the boxes around both are apart by so much.
                let mut gap_sq = 0.0;
                let mut size = 0.0;
                for axis in 0..3 {
                    let (a, d) = (block.from[axis][i], block.along[axis][i]);
                    let (low, high) = (if d < 0.0 { a + d } else { a }, if d < 0.0 { a } else { a + d });
                    let over = low - (center[axis] + half[axis]);
                    let under = (center[axis] - half[axis]) - high;
                    let gap = if over > under { over } else { under };
                    let gap = if gap > 0.0 { gap } else { 0.0 };
                    gap_sq += gap * gap;
                    size += a.abs() + d.abs() + center[axis].abs() + half[axis];
                }
                let gap = gap_sq.sqrt();
                let slack = 16.0 * f64::EPSILON * size;
                // Close to the skeleton the direction is made of rounding errors.
                let doubt = slack * (1.0 + reach / r);
                let doubt = if doubt < 2.0 * reach { doubt } else { 2.0 * reach };
                let tangent = r - straight - doubt;
                let nearest = (if tangent > gap { tangent } else { gap }) - slack;
                let nearest = if nearest > 0.0 { nearest } else { 0.0 };
                let strength = block.strength[i];
                let adds = strength >= 0.0;
                let bound_at = if adds { nearest } else { r + reach + slack };
                let upper = strength * block.curve::<L>(i, bound_at * bound_at).0;
                let slope = slope_by_r.abs() * r;
                let along = straight + doubt;
                let bend = block.second::<L>(i, r - along, r + along);
                let within = nearest < block.radius[i];
                let capped = adds && within;
                let by_r = if capped { strength * slope_by_r } else { 0.0 };
                let top = strength * (value + 1e-14 * value.abs() + slope * doubt);
                sum[0][i] += upper;
                sum[1][i] += if capped {
                    top
                } else if adds {
                    0.0
                } else {
                    upper
                };
                sum[2][i] += by_r * x;
                sum[3][i] += by_r * y;
                sum[4][i] += by_r * z;
                sum[5][i] += if capped { 0.5 * strength * bend * along * along } else { 0.0 };
            }
        }
    }
}

#[inline(always)]
fn total(lanes: [f64; LANES]) -> f64 {
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}
