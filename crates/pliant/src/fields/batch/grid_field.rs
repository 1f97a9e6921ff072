//! A posed shape evaluated block by block on a grid in the world: the field of the mesher.
//!
//! *The idea*: distances do not turn with a body, so points and segments are moved into the world once. Then a block needs
//! only a list of the elements that reach it, taken from the list of the block around it; the corners of a grid get rows
//! of which each element visits only those it reaches.
//! *Promised*: a value depends on the point and the field alone, not on the list, if that was made for a box that holds
//! the point. *Not promised*: the bits of [`Field::sample`](crate::fields::Field::sample): sums are taken by kind.

use super::points::{Output, Points, Samples};
use crate::fields::element::SimdElement;
use crate::fields::kernel::LaneFormula;
use crate::fields::kernel_formulas::{Coefficients, KernelFormula, Linear, Metaball, NonLinear};
use crate::fields::{Element, Posed};
use crate::math::lanes::{Pass, load, store, widest};
use crate::math::real::FourLanes;
use crate::math::{Aabb, Cell, DVec3, Frame, Interval};

/// Corners along each side of a block of the grid: two AVX2 registers.
pub(crate) const CORNERS: usize = 8;

/// Values at the corners of a block: along x in a row, rows along y, then along z.
pub(crate) type CornerValues = [[f64; CORNERS]; CORNERS * CORNERS];

/// Points evaluated together. More: their sums do not fit into the registers.
const POINTS_TOGETHER: usize = 4;

/// Loops, in the order of the list: points by kernel formula, segments by kernel formula, others.
const LOOP_COUNT: usize = 7;

/// A [`SimdElement`] in the world.
#[derive(Clone, Copy, Debug)]
struct WorldSimdElement {
    from: [f64; 3],
    /// To the other end; zero for points.
    along: [f64; 3],
    by_length_sq: f64,
    /// Where the field ends.
    radius: f64,
    /// Of the curve times the strength.
    coefficients: Coefficients,
}

/// A posed shape, prepared.
#[derive(Clone, Debug)]
pub(crate) struct GridField<'a> {
    field: Posed<'a>,
    simd_elements: Vec<WorldSimdElement>,
    /// With the indices of their links: those of `simd_elements` first, in the order of their loops, then the others.
    elements: Vec<(&'a Element, usize)>,
    /// The last index of each loop, plus one.
    lasts: [u32; LOOP_COUNT],
}

/// Elements of a [`GridField`] that may be other than zero in some box.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    indices: Vec<u32>,
    /// Where the indices of each loop end.
    ends: [u32; LOOP_COUNT],
}

impl Candidates {
    /// How many.
    pub(crate) fn len(&self) -> usize {
        self.indices.len()
    }

    fn run(&self, which: usize) -> &[u32] {
        let first = if which == 0 { 0 } else { self.ends[which - 1] };
        &self.indices[first as usize..self.ends[which] as usize]
    }
}

/// Loop that evaluates an element.
fn loop_of(element: &Element) -> usize {
    let Some(simd) = element.simd_element() else { return LOOP_COUNT - 1 };
    simd.formula as usize + if simd.point().is_some() { 0 } else { 3 }
}

impl WorldSimdElement {
    fn new(simd: &SimdElement, frame: &Frame) -> Self {
        let [a, b] = simd.ends.map(|p| frame.point(p));
        let along = b - a;
        let by_length_sq = if along == DVec3::ZERO { 0.0 } else { 1.0 / along.length_squared() };
        // The coefficients in which each curve is linear.
        let factors = match simd.formula {
            LaneFormula::Metaball => 1..3,
            LaneFormula::Linear | LaneFormula::NonLinear => 2..8,
        };
        let mut coefficients = *simd.kernel.coefficients();
        coefficients[factors].iter_mut().for_each(|c| *c *= simd.strength);
        Self { from: a.to_array(), along: along.to_array(), by_length_sq, radius: simd.kernel.radius(), coefficients }
    }

    /// The range of distances from a point to a box, with room for rounding.
    #[inline(always)]
    fn distances(&self, center: DVec3, half: DVec3) -> (f64, f64) {
        let at = DVec3::from_array(self.from);
        let v = (at - center).abs();
        let slack = 8.0 * f64::EPSILON * (center.abs() + at.abs() + half).max_element();
        (((v - half).max(DVec3::ZERO).length() - slack).max(0.0), (v + half).length() + slack)
    }
}

impl<'a> GridField<'a> {
    pub(crate) fn new(field: Posed<'a>) -> Self {
        let all = field.shape.elements();
        let mut sorted: Vec<(usize, usize)> =
            all.iter().map(loop_of).enumerate().map(|(i, which)| (which, i)).collect();
        sorted.sort_by_key(|(which, _)| *which);
        let lasts = [0, 1, 2, 3, 4, 5, 6].map(|i: usize| sorted.partition_point(|(which, _)| *which <= i) as u32);
        let elements: Vec<(&Element, usize)> = sorted.iter().map(|&(_, i)| (&all[i], field.link_index(i))).collect();
        let branch = |(e, link): &(&Element, usize)| {
            Some(WorldSimdElement::new(&e.simd_element()?, &field.links()[*link].world_from_link))
        };
        Self { simd_elements: elements.iter().map_while(branch).collect(), field, elements, lasts }
    }

    /// Every element.
    pub(crate) fn all(&self) -> Candidates {
        Candidates { indices: (0..self.elements.len() as u32).collect(), ends: self.lasts }
    }

    /// Elements of `list` that reach `cell`.
    pub(crate) fn restricted_to(&self, list: &Candidates, cell: &Aabb) -> Candidates {
        let (center, half) = (cell.center(), 0.5 * cell.size());
        let turned = self.in_links(list, cell);
        let mut near = Candidates { indices: Vec::with_capacity(list.len()), ends: [0; LOOP_COUNT] };
        for which in 0..LOOP_COUNT {
            for &index in list.run(which) {
                let touches = if which < 3 {
                    let simd = &self.simd_elements[index as usize];
                    simd.distances(center, half).0 <= simd.radius
                } else {
                    let (element, link) = self.elements[index as usize];
                    element.touches(&turned[link])
                };
                if touches {
                    near.indices.push(index);
                }
            }
            near.ends[which] = near.indices.len() as u32;
        }
        near
    }

    /// A range that holds every value in `cell`.
    pub(crate) fn range(&self, list: &Candidates, cell: &Aabb) -> Interval {
        let mut sum = Interval::new(0.0, 0.0);
        let mut add = |a: f64, b: f64| {
            sum.lo += a.min(b);
            sum.hi += a.max(b);
        };
        let (center, half) = (cell.center(), 0.5 * cell.size());
        for which in 0..3 {
            for &index in list.run(which) {
                let simd = &self.simd_elements[index as usize];
                let (near, far) = simd.distances(center, half);
                let value = |r: f64| match which {
                    0 => Metaball::at_sq(&simd.coefficients, r * r).0,
                    1 => Linear::at_sq(&simd.coefficients, r * r).0,
                    _ => NonLinear::at_sq(&simd.coefficients, r * r).0,
                };
                add(value(near), value(far));
            }
        }
        let turned = self.in_links(list, cell);
        for which in 3..LOOP_COUNT {
            for &index in list.run(which) {
                let (element, link) = self.elements[index as usize];
                let b = element.bounds(&turned[link]);
                add(b.lo, b.hi);
            }
        }
        sum
    }

    /// A box in the frame of every link, if anything but points is listed.
    fn in_links(&self, list: &Candidates, cell: &Aabb) -> Vec<Cell> {
        if list.ends[2] as usize == list.len() {
            return Vec::new();
        }
        self.field.links().iter().map(|link| Cell::from(*cell).moved(&link.link_from_world)).collect()
    }

    /// Values at the corners with these coordinates along each axis.
    pub(crate) fn corners(&self, list: &Candidates, at: &[[f64; CORNERS]; 3], out: &mut CornerValues) {
        *out = [[0.0; CORNERS]; CORNERS * CORNERS];
        widest(Corners { local: self, list, at, out });
        let [x, y, z] = at;
        for &index in list.run(LOOP_COUNT - 1) {
            let (element, link) = self.elements[index as usize];
            let link = &self.field.links()[link];
            for (n, row) in out.iter_mut().enumerate() {
                for (i, value) in row.iter_mut().enumerate() {
                    let p = DVec3::new(x[i], y[n % CORNERS], z[n / CORNERS]);
                    *value += element.sample(link.point_to_link(p)).value;
                }
            }
        }
    }

    /// Values and gradients at points.
    pub(crate) fn samples(&self, list: &Candidates, points: &Points, out: &mut Samples) {
        let mut out = out.resized(points.len());
        widest(PointsPass { local: self, list, points, out: &mut out });
        for &index in list.run(LOOP_COUNT - 1) {
            let (element, link) = self.elements[index as usize];
            let link = &self.field.links()[link];
            for i in 0..points.len() {
                let s = element.sample(link.point_to_link(points.get(i)));
                let gradient = link.vector_to_world(s.gradient);
                out.value[i] += s.value;
                (0..3).for_each(|axis| out.gradient[axis][i] += gradient[axis]);
            }
        }
    }
}

struct Corners<'a> {
    local: &'a GridField<'a>,
    list: &'a Candidates,
    at: &'a [[f64; CORNERS]; 3],
    out: &'a mut CornerValues,
}

impl Pass for Corners<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: FourLanes>(mut self) {
        self.points::<Metaball>(0);
        self.points::<Linear>(1);
        self.points::<NonLinear>(2);
        self.segments::<Metaball>(3);
        self.segments::<Linear>(4);
        self.segments::<NonLinear>(5);
    }
}

impl Corners<'_> {
    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // lanes
    fn points<L: KernelFormula>(&mut self, which: usize) {
        for &index in self.list.run(which) {
            // Copies here and below: what is written might be what is read, for all the compiler knows.
            let simd = self.local.simd_elements[index as usize];
            let mut sq = *self.at;
            for (axis, from) in sq.iter_mut().zip(simd.from) {
                for x in axis {
                    *x = (*x - from) * (*x - from);
                }
            }
            let reach_sq = simd.radius * simd.radius;
            for (plane, z_sq) in self.out.chunks_exact_mut(CORNERS).zip(sq[2]) {
                for (row, y_sq) in plane.iter_mut().zip(sq[1]) {
                    let beside_sq = y_sq + z_sq;
                    if beside_sq >= reach_sq {
                        continue;
                    }
                    let mut sum = *row;
                    for i in 0..CORNERS {
                        sum[i] += L::at_sq(&simd.coefficients, sq[0][i] + beside_sq).0;
                    }
                    *row = sum;
                }
            }
        }
    }

    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // lanes
    fn segments<L: KernelFormula>(&mut self, which: usize) {
        for &index in self.list.run(which) {
            let (simd, at) = (self.local.simd_elements[index as usize], *self.at);
            for (plane, z) in self.out.chunks_exact_mut(CORNERS).zip(at[2]) {
                for (row, y) in plane.iter_mut().zip(at[1]) {
                    let mut sum = *row;
                    for i in 0..CORNERS {
                        let [x, y, z] = offset::<true>(&simd, [at[0][i], y, z]);
                        sum[i] += L::at_sq(&simd.coefficients, x * x + y * y + z * z).0;
                    }
                    *row = sum;
                }
            }
        }
    }
}

/// From the nearest point of a point or segment to `p`.
#[inline(always)]
fn offset<const SEGMENT: bool>(simd: &WorldSimdElement, p: [f64; 3]) -> [f64; 3] {
    let (x, y, z) = (p[0] - simd.from[0], p[1] - simd.from[1], p[2] - simd.from[2]);
    if !SEGMENT {
        return [x, y, z];
    }
    let [ax, ay, az] = simd.along;
    let t = (x * ax + y * ay + z * az) * simd.by_length_sq;
    let t = if t > 0.0 { t } else { 0.0 };
    let t = if t < 1.0 { t } else { 1.0 };
    [x - t * ax, y - t * ay, z - t * az]
}

struct PointsPass<'a, 'b> {
    local: &'a GridField<'a>,
    list: &'a Candidates,
    points: &'a Points,
    out: &'a mut Output<'b>,
}

impl Pass for PointsPass<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<V: FourLanes>(self) {
        let n = self.points.len();
        let axes = self.points.axes();
        let mut first = 0;
        while first < n {
            let p = [load(axes[0], first), load(axes[1], first), load(axes[2], first)];
            let mut sum = [[0.0; POINTS_TOGETHER]; 4];
            self.add::<false, Metaball>(0, &p, &mut sum);
            self.add::<false, Linear>(1, &p, &mut sum);
            self.add::<false, NonLinear>(2, &p, &mut sum);
            self.add::<true, Metaball>(3, &p, &mut sum);
            self.add::<true, Linear>(4, &p, &mut sum);
            self.add::<true, NonLinear>(5, &p, &mut sum);
            store(sum[0], self.out.value, first);
            for axis in 0..3 {
                store(sum[1 + axis], self.out.gradient[axis], first);
            }
            first += POINTS_TOGETHER;
        }
    }
}

impl PointsPass<'_, '_> {
    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // lanes
    fn add<const SEGMENT: bool, L: KernelFormula>(
        &self,
        which: usize,
        p: &[[f64; POINTS_TOGETHER]; 3],
        sum: &mut [[f64; POINTS_TOGETHER]; 4],
    ) {
        let indices = self.list.run(which);
        if indices.is_empty() {
            return;
        }
        // Copies, so that they live in registers across the loop.
        let (p, [mut value, mut gx, mut gy, mut gz]) = (*p, *sum);
        for &index in indices {
            let simd = &self.local.simd_elements[index as usize];
            for i in 0..POINTS_TOGETHER {
                let [x, y, z] = offset::<SEGMENT>(simd, [p[0][i], p[1][i], p[2][i]]);
                let (v, slope_by_r) = L::at_sq(&simd.coefficients, x * x + y * y + z * z);
                value[i] += v;
                gx[i] += slope_by_r * x;
                gy[i] += slope_by_r * y;
                gz[i] += slope_by_r * z;
            }
        }
        *sum = [value, gx, gy, gz];
    }
}
