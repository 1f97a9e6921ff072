//! Boxes in lanes, and bounds of elements over them.

use super::blocks::LaneElements;
use crate::fields::element::{Element, Source};
use crate::fields::kernel::LaneFormula;
use crate::fields::kernel_formulas::{KernelFormula, Linear, Metaball, NonLinear, RadialFormula};
use crate::fields::skeleton::{CellAround, Distance};
use crate::math::real::{FourLanes, dot, eight, vector};
use crate::math::{Aabb, DVec3, Frame};

/// A box in each lane, or one in all.
#[derive(Clone, Copy)]
pub(crate) struct CellLanes<V> {
    pub center: [V; 3],
    /// Half its edges.
    pub half: [V; 3],
    /// Half its diagonal.
    reach: V,
    /// Sum of the greatest coordinates of its corners.
    size: V,
}

/// Sums of bounds from above: the greatest value, an affine bound's value in the middle and gradient, and its rise.
#[derive(Clone, Copy)]
pub(crate) struct BoundLanes<V> {
    pub greatest: V,
    pub value: V,
    pub gradient: [V; 3],
    pub rise: V,
}

impl<V: FourLanes> BoundLanes<V> {
    #[inline(always)]
    pub fn zero() -> Self {
        let zero = V::all(0.0);
        Self { greatest: zero, value: zero, gradient: [zero; 3], rise: zero }
    }

    #[inline(always)]
    pub fn add(&mut self, other: &Self) {
        self.greatest = self.greatest + other.greatest;
        self.value = self.value + other.value;
        for axis in 0..3 {
            self.gradient[axis] = self.gradient[axis] + other.gradient[axis];
        }
        self.rise = self.rise + other.rise;
    }
}

impl<V: FourLanes> CellLanes<V> {
    #[inline(always)]
    pub fn new(center: [V; 3], half: [V; 3]) -> Self {
        let mut size = half[0] + half[1] + half[2];
        for coordinate in center {
            size = size + coordinate.magnitude();
        }
        Self { center, half, reach: dot(half, half).square_root(), size }
    }

    /// One box in all lanes.
    #[inline(always)]
    pub fn of_one(cell: &Aabb) -> Self {
        Self::new(vector(cell.center()), vector(0.5 * cell.size()))
    }

    /// Adds the bounds of points and segments.
    #[inline(always)]
    pub(super) fn add_bounds<K: KernelFormula>(&self, elements: &LaneElements<V>, sum: &mut BoundLanes<V>) {
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
        let greatest = strength * K::at_sq(&elements.coefficients, bound_at * bound_at).0;
        let along = straight + doubt;
        let bend = K::second(&elements.coefficients, r - along, r + along);
        // Elements that take away have no affine bound but a constant; those out of reach add nothing.
        let one_if_added = zero.if_greater(strength, zero, elements.radius.if_greater(nearest, V::all(1.0), zero));
        let by_r = one_if_added.if_greater(zero, strength * slope_by_r, zero);
        let top = strength * (value + V::all(1e-14) * value.magnitude() + slope_by_r.magnitude() * r * doubt);
        sum.add(&BoundLanes {
            greatest,
            value: one_if_added.if_greater(zero, top, zero.if_greater(strength, greatest, zero)),
            gradient: [by_r * x, by_r * y, by_r * z],
            rise: one_if_added.if_greater(zero, V::all(0.5) * strength * bend * along * along, zero),
        });
    }

    /// Bounds of an element that is no point or segment, in whose frame the boxes are at `there_from_here`. `None`: it has no
    /// formula for lanes. For the reasons see [`Element::affine_bound`].
    #[inline(always)]
    pub fn bounds_of(&self, element: &Element, there_from_here: Option<&Frame>) -> Option<BoundLanes<V>> {
        let Source::Distance(skeleton, kernel) = &element.source else { return None };
        let formula = kernel.lane_formula()?;
        if element.strength < 0.0 {
            return None;
        }
        let (zero, one, strength) = (V::all(0.0), V::all(1.0), V::all(element.strength));
        let there = cells_there(self, there_from_here);
        let range = skeleton.range_four(&there)?;
        let (near, least) = (range.near, range.least);
        let along = there.half_extent(near.direction) + range.doubt;
        let k = eight(kernel.coefficients());
        let (from, to) = (near.distance - along, near.distance + along);
        let (greatest, (value, slope), bend) = match formula {
            LaneFormula::Linear => radial::<Linear, V>(&k, least, near.distance, from, to),
            LaneFormula::NonLinear => radial::<NonLinear, V>(&k, least, near.distance, from, to),
            LaneFormula::Metaball => {
                let (least, r) = (least.larger(zero), near.distance.larger(zero));
                let (value, by_r) = Metaball::at_sq(&k, r * r);
                (Metaball::at_sq(&k, least * least).0, (value, by_r * r), Metaball::second(&k, from, to))
            }
        };
        let [a, b, c, d] = least.to_array();
        let steepest = kernel.greatest_slope(a.min(b).min(c).min(d), kernel.radius());
        let hollow = range.hollow.if_greater(zero, range.hollow * V::all(steepest) * self.reach * self.reach, zero);
        let rise = V::all(0.5) * strength * (bend * along * along + hollow);
        let slack = V::all(1e-14) * (value.magnitude() + slope.magnitude() * (self.reach + self.size));
        let within = V::all(kernel.radius()).if_greater(least, one, zero);
        let n = turned_back(there_from_here, near.direction);
        let slope_here = within * strength * slope;
        Some(BoundLanes {
            greatest: strength * greatest,
            value: within * strength * (value + slack + slope.magnitude() * range.doubt),
            gradient: [slope_here * n[0], slope_here * n[1], slope_here * n[2]],
            rise: within.if_greater(zero, rise, zero),
        })
    }
}

/// Greatest value from `least` on, value and slope at `r`, and an upper bound on the second derivative between `from` and `to`.
#[inline(always)]
fn radial<K: RadialFormula, V: FourLanes>(k: &[V; 8], least: V, r: V, from: V, to: V) -> (V, (V, V), V) {
    (K::at(k, least).0, K::at(k, r), K::second(k, from, to))
}

/// Boxes in the frame of a skeleton.
#[inline(always)]
fn cells_there<V: FourLanes>(cells: &CellLanes<V>, there_from_here: Option<&Frame>) -> CellAround<V> {
    let (zero, [x, y, z]) = (V::all(0.0), cells.half);
    let mut center = cells.center;
    let mut half_axes = [[x, zero, zero], [zero, y, zero], [zero, zero, z]];
    if let Some(frame) = there_from_here {
        let ([ex, ey, ez], at) = (axes::<V>(frame), vector::<V>(frame.translation));
        for k in 0..3 {
            center[k] = at[k] + ex[k] * cells.center[0] + ey[k] * cells.center[1] + ez[k] * cells.center[2];
            (half_axes[0][k], half_axes[1][k], half_axes[2][k]) = (x * ex[k], y * ey[k], z * ez[k]);
        }
    }
    CellAround { center, half_axes, reach: cells.reach, size: cells.size }
}

/// Axes of the boxes' frame in the skeleton's.
#[inline(always)]
fn axes<V: FourLanes>(there_from_here: &Frame) -> [[V; 3]; 3] {
    let turn = there_from_here.rotation;
    [vector(turn * DVec3::X), vector(turn * DVec3::Y), vector(turn * DVec3::Z)]
}

/// A vector of the skeleton's frame in that of the boxes.
#[inline(always)]
fn turned_back<V: FourLanes>(there_from_here: Option<&Frame>, v: [V; 3]) -> [V; 3] {
    let Some(frame) = there_from_here else { return v };
    let [ex, ey, ez] = axes::<V>(frame);
    [dot(ex, v), dot(ey, v), dot(ez, v)]
}
