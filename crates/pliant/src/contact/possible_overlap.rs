//! Proofs over cells of a contact frame: the part of a cell in which bounds allow an overlap.
//!
//! *The idea*: three bounds cut a cell: each field's greatest value; an affine upper bound of each; and one of a weighted sum of
//! both, in which the opposing slopes of two facing surfaces cancel. Four cells are examined at once, one a SIMD lane.
//! *Not promised*: that what is left holds an overlap.

use super::frame::{AllowedMotion, ContactFrame};
use crate::fields::{AffineBound, BoundLanes, CellLanes};
use crate::math::Aabb;
use crate::math::lanes::{Pass, widest};
use crate::math::real::{FourLanes, dot};

/// A field that exceeds its isovalue by no more than this fraction of it does not count as overlap. Smaller: rounding
/// decides whether coincident faces touch, and no cell around them is ever proved empty. Larger: light touches are
/// lost.
const NO_DEPTH: f64 = 1e-12;

/// A cell after bounds have cut it.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundedCell {
    /// The part in which bounds allow an overlap.
    pub room: Option<Aabb>,
    /// Upper bound on the lesser excess of both fields over their isovalues in the middle of the whole cell, close but for
    /// elements without an affine bound.
    pub excess: f64,
}

impl ContactFrame<'_> {
    /// Whether bounds allow an overlap in `cell`.
    pub fn may_overlap(&self, cell: &Aabb) -> bool {
        self.possible_overlap(cell, AllowedMotion::NONE).is_some()
    }

    /// The part of `cell` in which bounds allow an overlap, now or after a motion of b within `allowed_motion`; cut along
    /// the axes.
    pub fn possible_overlap(&self, cell: &Aabb, allowed_motion: AllowedMotion) -> Option<Aabb> {
        let mut caps = [AffineBound::default(); 2];
        let mut left = *cell;
        for (i, near) in self.near.iter().enumerate() {
            let motion = [0.0, allowed_motion.of(cell)][i];
            let bounds = near.upper_bounds(&cell.grown(motion));
            let least = (1.0 + NO_DEPTH) * near.iso();
            if bounds.value < least {
                return None;
            }
            let mut cap = bounds.affine;
            cap.value += cap.gradient.length() * motion - least;
            left = clip_by(&cap, cell, left)?;
            caps[i] = cap;
        }
        let (a, b) = (caps[0].gradient.length(), caps[1].gradient.length());
        if a > 0.0 && b > 0.0 {
            left = clip_by(&caps[0].plus(a / b, &caps[1]), cell, left)?;
        }
        Some(left)
    }

    /// [`ContactFrame::possible_overlap`] of four cells.
    pub fn possible_overlaps(&self, cells: &[Aabb; 4], allowed_motion: AllowedMotion) -> [BoundedCell; 4] {
        widest(CutCells { frame: self, cells, motion: cells.map(|c| allowed_motion.of(&c)) })
    }
}

/// The part of `left` in which an affine upper bound over `cell` is not negative, cut along the axes.
fn clip_by(cap: &AffineBound, cell: &Aabb, mut left: Aabb) -> Option<Aabb> {
    let (middle, half, g) = (cell.center(), 0.5 * cell.size(), cap.gradient);
    let most = cap.value + g.abs().dot(half) + cap.rise;
    if most < 0.0 {
        return None;
    }
    for axis in 0..3 {
        // Where the bound, from the corner it is highest in, has fallen to zero.
        let far = middle[axis] + half[axis].copysign(g[axis]) - most / g[axis];
        if g[axis] > 0.0 {
            left.min[axis] = left.min[axis].max(far);
        } else if g[axis] < 0.0 {
            left.max[axis] = left.max[axis].min(far);
        }
    }
    (!left.is_empty()).then_some(left)
}

/// [`ContactFrame::possible_overlaps`] in lanes.
struct CutCells<'f, 'a> {
    frame: &'f ContactFrame<'a>,
    cells: &'f [Aabb; 4],
    /// Motion of b at each cell, metres.
    motion: [f64; 4],
}

/// Parts of four cells in which bounds allow an overlap.
struct CellsLeft<V> {
    min: [V; 3],
    max: [V; 3],
    /// Greater than zero where something is left.
    possible: V,
}

impl<V: FourLanes> CellsLeft<V> {
    /// [`clip_by`] in lanes.
    #[inline(always)]
    fn clip(&mut self, cap: &BoundLanes<V>, cells: &CellLanes<V>) {
        let (zero, g, half) = (V::all(0.0), cap.gradient, cells.half);
        let slope = g[0].magnitude() * half[0] + g[1].magnitude() * half[1] + g[2].magnitude() * half[2];
        let most = cap.value + slope + cap.rise;
        self.possible = zero.if_greater(most, zero, self.possible);
        for axis in 0..3 {
            let (middle, drop) = (cells.center[axis], most / g[axis]);
            // Where the bound, from the corner it is highest in, has fallen to zero; where it does not fall, nowhere.
            let from = (middle + half[axis] - drop).larger(self.min[axis]);
            let to = (middle - half[axis] - drop).smaller(self.max[axis]);
            self.min[axis] = g[axis].if_greater(zero, from, self.min[axis]);
            self.max[axis] = zero.if_greater(g[axis], to, self.max[axis]);
            self.possible = self.min[axis].if_greater(self.max[axis], zero, self.possible);
        }
    }
}

impl Pass for CutCells<'_, '_> {
    type Output = [BoundedCell; 4];

    #[inline(always)]
    fn run<V: FourLanes>(self) -> [BoundedCell; 4] {
        let zero = V::all(0.0);
        let ([a, b, c, d], mut min, mut max) = (self.cells, [zero; 3], [zero; 3]);
        let (mut center, mut half) = (min, max);
        for axis in 0..3 {
            min[axis] = V::of(&[a.min[axis], b.min[axis], c.min[axis], d.min[axis]]);
            max[axis] = V::of(&[a.max[axis], b.max[axis], c.max[axis], d.max[axis]]);
            center[axis] = V::all(0.5) * (min[axis] + max[axis]);
            half[axis] = V::all(0.5) * (max[axis] - min[axis]);
        }
        let cells = CellLanes::new(center, half);
        let mut left = CellsLeft { min, max, possible: V::all(1.0) };
        let [a, b] = &self.frame.near;
        let mut cap_a = a.upper_bounds_of_four(self.cells, &cells);
        let least = V::all((1.0 + NO_DEPTH) * a.iso());
        left.possible = least.if_greater(cap_a.greatest, zero, left.possible);
        cap_a.value = cap_a.value - least;
        left.clip(&cap_a, &cells);
        if !left.possible.any_greater(zero) {
            return [BoundedCell { room: None, excess: f64::NEG_INFINITY }; 4];
        }
        let moves = self.motion != [0.0; 4];
        let (mut cap_b, motion) = if moves {
            let motion = V::of(&self.motion);
            let grown = CellLanes::new(center, [half[0] + motion, half[1] + motion, half[2] + motion]);
            let boxes = std::array::from_fn(|i| self.cells[i].grown(self.motion[i]));
            (b.upper_bounds_of_four(&boxes, &grown), motion)
        } else {
            (b.upper_bounds_of_four(self.cells, &cells), zero)
        };
        let least = V::all((1.0 + NO_DEPTH) * b.iso());
        left.possible = least.if_greater(cap_b.greatest, zero, left.possible);
        cap_b.value = cap_b.value - least;
        let excess = cap_a.value.smaller(cap_b.value);
        let slope_a = dot(cap_a.gradient, cap_a.gradient).square_root();
        let slope_b = dot(cap_b.gradient, cap_b.gradient).square_root();
        cap_b.value = cap_b.value + slope_b * motion;
        left.clip(&cap_b, &cells);
        // Where a slope is zero, or both, weights that are no numbers must cut nothing.
        let weight = slope_a / slope_b;
        let usable = slope_b.if_greater(zero, V::all(1.0), zero);
        let usable = slope_a.if_greater(zero, usable, zero);
        let weight = usable.if_greater(zero, weight, zero);
        let mut both = cap_a;
        both.value = both.value + weight * cap_b.value;
        both.rise = both.rise + weight * cap_b.rise;
        for axis in 0..3 {
            both.gradient[axis] = both.gradient[axis] + weight * cap_b.gradient[axis];
        }
        left.clip(&both, &cells);
        let (mut min, mut max) = ([[0.0; 4]; 3], [[0.0; 4]; 3]);
        for axis in 0..3 {
            (min[axis], max[axis]) = (left.min[axis].to_array(), left.max[axis].to_array());
        }
        let (possible, excess) = (left.possible.to_array(), excess.to_array());
        std::array::from_fn(|i| {
            let room =
                Aabb { min: [min[0][i], min[1][i], min[2][i]].into(), max: [max[0][i], max[1][i], max[2][i]].into() };
            BoundedCell { room: (possible[i] > 0.0).then_some(room), excess: excess[i] }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::pair::Pair;
    use crate::contact::pair::Side;
    use crate::fields::skeleton::{Circle, Cuboid, Disc, HalfSpace, Point, Segment};
    use crate::fields::{Element, Field, Kernel, KernelParameters, Posed, Profile, Shape, Skeleton};
    use crate::math::{DQuat, DVec3, Frame, Random};

    fn shapes() -> Vec<Shape> {
        let point = |x: f64| Skeleton::from(Point { at: DVec3::new(x, 0.0, 0.0) });
        let kinds: [Vec<Skeleton>; 7] = [
            vec![point(0.0)],
            vec![point(-0.05), point(0.05)],
            vec![Segment::new(-0.1 * DVec3::Y, 0.1 * DVec3::X).unwrap().into(), point(0.1)],
            vec![Circle::new(DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0), 0.12).unwrap().into()],
            vec![Cuboid::new(DVec3::ZERO, DVec3::new(0.05, 0.1, 0.02)).unwrap().into(), point(0.1)],
            vec![HalfSpace::new(-0.05 * DVec3::Z, DVec3::new(0.1, 0.0, 1.0)).unwrap().into()],
            vec![Disc::new(DVec3::ZERO, DVec3::X, 0.1).unwrap().into(), point(0.15)],
        ];
        let profiles = [Profile::Linear, Profile::NonLinear, Profile::Metaball];
        let shape = |(i, skeletons): (usize, &Vec<Skeleton>)| {
            let size = KernelParameters { thickness: 0.06, slope: None, radius: 0.12 };
            let kernel = Kernel::new(profiles[i % 3].clone(), 1.0, size).unwrap();
            Shape::new(skeletons.iter().map(|s| Element::new(s.clone(), kernel.clone())).collect(), 1.0)
        };
        kinds.iter().enumerate().map(shape).collect()
    }

    /// For every pair of shapes, in cells of many sizes, b moved within the motion allowed for.
    #[test]
    fn no_overlap_lies_outside_the_room_that_bounds_leave() {
        let (shapes, mut random) = (shapes(), Random(11));
        let (mut overlaps, mut cut) = (0, 0);
        for (i, a) in shapes.iter().enumerate() {
            for b in &shapes[i..] {
                let at = Frame { rotation: random.rotation(), translation: 0.12 * random.vector().normalize() };
                let side = |shape, at| Side { field: Posed::rigid(shape, at), stiffness: 1e5, rigid: false };
                let pair = Pair { a: side(a, Frame::IDENTITY), b: side(b, at) };
                let shift = 0.004;
                let allowed = AllowedMotion { shift, radius: f64::INFINITY };
                let Ok(frame) = ContactFrame::unshrunk(&pair, Frame::IDENTITY, allowed) else { continue };
                for size in [0.1, 0.03, 0.01, 0.003] {
                    for _ in 0..40 {
                        let cells = [0; 4].map(|_| {
                            let half = size * DVec3::new(random.unit(), random.unit(), 0.3 * random.unit());
                            let center = frame.overlap_bounds.center() + 0.08 * random.vector();
                            Aabb { min: center - half, max: center + half }
                        });
                        let bounded = frame.possible_overlaps(&cells, allowed);
                        for (cell, BoundedCell { room, excess }) in cells.iter().zip(bounded) {
                            cut += usize::from(room != Some(*cell));
                            let middle = cell.center();
                            let true_excess = |p: DVec3, moved: DVec3| {
                                let at_b = pair.b.field.value(p - moved) - b.iso();
                                (pair.a.field.value(p) - a.iso()).min(at_b)
                            };
                            assert!(room.is_none() || true_excess(middle, DVec3::ZERO) <= excess + 1e-9, "{excess}");
                            for _ in 0..20 {
                                let within = DVec3::new(random.unit(), random.unit(), random.unit());
                                let p = cell.min + within * cell.size();
                                let moved = shift * random.unit() * random.vector().normalize();
                                if true_excess(p, moved) > 1e-9 {
                                    overlaps += 1;
                                    let grown = room.map(|r| r.grown(1e-12));
                                    assert!(grown.is_some_and(|r| r.contains(p)), "{p} of {cell:?}, not in {room:?}");
                                }
                            }
                        }
                    }
                }
            }
        }
        assert!(overlaps > 1000 && cut > 1000, "{overlaps} overlaps, {cut} cells cut");
    }

    /// Lanes over cells against lanes over elements: bounds may differ, what they prove hardly.
    #[test]
    fn four_cells_at_once_are_cut_about_as_one() {
        let (shapes, mut random) = (shapes(), Random(12));
        let (mut four_left, mut one_left) = (0.0, 0.0);
        for a in &shapes {
            let at = Frame { rotation: DQuat::IDENTITY, translation: DVec3::new(0.02, 0.03, 0.11) };
            let side = |shape, at| Side { field: Posed::rigid(shape, at), stiffness: 1e5, rigid: false };
            let pair = Pair { a: side(a, Frame::IDENTITY), b: side(&shapes[1], at) };
            let Ok(frame) = ContactFrame::unshrunk(&pair, Frame::IDENTITY, AllowedMotion::NONE) else { continue };
            for _ in 0..100 {
                let cells = [0; 4].map(|_| {
                    Aabb::around(frame.overlap_bounds.center() + 0.05 * random.vector(), 0.02 * random.unit())
                });
                let volume = |room: Option<Aabb>| room.map_or(0.0, |r| r.size().element_product());
                let bounded = frame.possible_overlaps(&cells, AllowedMotion::NONE);
                four_left += bounded.iter().map(|b| volume(b.room)).sum::<f64>();
                one_left += cells.iter().map(|c| volume(frame.possible_overlap(c, AllowedMotion::NONE))).sum::<f64>();
            }
        }
        assert!(four_left < 1.05 * one_left && one_left < 1.05 * four_left, "{four_left} and {one_left} m³ left");
    }
}
