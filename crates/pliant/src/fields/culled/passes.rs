//! The lanes of a culled field at a point and over a box.

use super::blocks::{Block, Blocks, LaneElements};
use crate::fields::kernel_formulas::{KernelFormula, Linear, Metaball, NonLinear};
use crate::fields::{AffineBound, Sample};
use crate::math::lanes::Pass;
use crate::math::real::FourLanes;
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
    fn run<V: FourLanes>(self) -> Sample {
        let mut sum = [V::all(0.0); 4];
        self.add::<Linear, V>(&self.lanes.linear.all, self.near[0], &mut sum);
        self.add::<NonLinear, V>(&self.lanes.non_linear.all, self.near[1], &mut sum);
        self.add::<Metaball, V>(&self.lanes.metaball.all, self.near[2], &mut sum);
        let [value, x, y, z] = sum.map(V::sum);
        Sample { value, gradient: DVec3::new(x, y, z) }
    }
}

impl<const CULLED: bool> SampleAt<'_, CULLED> {
    #[inline(always)]
    fn add<K: KernelFormula, V: FourLanes>(&self, blocks: &[Block], near: &[u32], sum: &mut [V; 4]) {
        let p = self.p.map(V::all);
        for k in 0..if CULLED { near.len() } else { blocks.len() } {
            blocks[if CULLED { near[k] as usize } else { k }].lanes::<V>().add::<K>(p, sum);
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
    fn run<V: FourLanes>(self) -> UpperBounds {
        let mut sum = [V::all(0.0); 6];
        self.add::<Linear, V>(&self.lanes.linear.all, self.near[0], &mut sum);
        self.add::<NonLinear, V>(&self.lanes.non_linear.all, self.near[1], &mut sum);
        self.add::<Metaball, V>(&self.lanes.metaball.all, self.near[2], &mut sum);
        let [upper, value, x, y, z, rise] = sum.map(V::sum);
        UpperBounds { value: upper, affine: AffineBound { value, gradient: DVec3::new(x, y, z), rise } }
    }
}

impl<const CULLED: bool> BoundsOver<'_, CULLED> {
    #[inline(always)]
    fn add<K: KernelFormula, V: FourLanes>(&self, blocks: &[Block], near: &[u32], sum: &mut [V; 6]) {
        let cell = CellLanes::of(&self.cell);
        for k in 0..if CULLED { near.len() } else { blocks.len() } {
            let elements = blocks[if CULLED { near[k] as usize } else { k }].lanes::<V>();
            cell.add_bounds::<K>(&elements, sum);
        }
    }
}

/// A box in all lanes.
struct CellLanes<V> {
    center: [V; 3],
    /// Half its edges.
    half: [V; 3],
    /// Half its diagonal.
    reach: V,
    /// Sum of the greatest coordinates of its corners.
    size: V,
}

impl<V: FourLanes> CellLanes<V> {
    #[inline(always)]
    fn of(cell: &Aabb) -> Self {
        let (center, half) = (cell.center(), 0.5 * cell.size());
        let size = (center.abs() + half).element_sum();
        Self {
            center: center.to_array().map(V::all),
            half: half.to_array().map(V::all),
            reach: V::all(half.length()),
            size: V::all(size),
        }
    }

    /// Adds the bounds of `elements`: their greatest value, an affine bound's value and gradient in the middle, and its rise.
    #[inline(always)]
    fn add_bounds<K: KernelFormula>(&self, elements: &LaneElements<V>, sum: &mut [V; 6]) {
        let (zero, reach) = (V::all(0.0), self.reach);
        // The boxes around both are apart by so much.
        let (mut gap_sq, mut size) = (zero, self.size);
        for axis in 0..3 {
            let (a, d) = (elements.from[axis], elements.along[axis]);
            let (low, high) = (a + d.smaller(zero), a + d.larger(zero));
            let over = low - (self.center[axis] + self.half[axis]);
            let under = (self.center[axis] - self.half[axis]) - high;
            let gap = over.larger(under).larger(zero);
            gap_sq = gap_sq + gap * gap;
            size = size + a.magnitude() + d.magnitude();
        }
        let slack = V::all(16.0 * f64::EPSILON) * size;
        let beyond = elements.radius + slack + slack;
        if !(beyond * beyond).any_greater(gap_sq) {
            return;
        }
        let [x, y, z] = elements.offset(self.center);
        let r_sq = x * x + y * y + z * z;
        let r = r_sq.square_root();
        let (value, slope_by_r) = K::at_sq(&elements.coefficients, r_sq);
        // Extent of the cell along the distance; its radius where that has no direction.
        let straight = x.magnitude() * self.half[0] + y.magnitude() * self.half[1] + z.magnitude() * self.half[2];
        let straight = (straight / r).smaller(reach);
        // Close to the skeleton the direction is made of rounding errors.
        let doubt = (slack * (V::all(1.0) + reach / r)).smaller(reach + reach);
        // A convex distance lies above its tangent.
        let tangent = r - straight - doubt;
        let nearest = (tangent.larger(gap_sq.square_root()) - slack).larger(zero);
        let strength = elements.strength;
        let bound_at = zero.if_greater(strength, r + reach + slack, nearest);
        let upper = strength * K::at_sq(&elements.coefficients, bound_at * bound_at).0;
        let along = straight + doubt;
        let bend = K::second(&elements.coefficients, r - along, r + along);
        // Elements that take away have no affine bound but a constant; those out of reach add nothing.
        let where_added = |x: V, otherwise: V| {
            let within = elements.radius.if_greater(nearest, x, zero);
            zero.if_greater(strength, otherwise, within)
        };
        let by_r = where_added(strength * slope_by_r, zero);
        let top = strength * (value + V::all(1e-14) * value.magnitude() + slope_by_r.magnitude() * r * doubt);
        sum[0] = sum[0] + upper;
        sum[1] = sum[1] + where_added(top, upper);
        sum[2] = sum[2] + by_r * x;
        sum[3] = sum[3] + by_r * y;
        sum[4] = sum[4] + by_r * z;
        sum[5] = sum[5] + where_added(V::all(0.5) * strength * bend * along * along, zero);
    }
}
