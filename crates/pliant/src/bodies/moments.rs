//! Volume, first and second moments of the solid inside an isosurface, to an asked accuracy.
//!
//! *The idea*: guaranteed bounds tell full cells, counted exactly, and empty ones from those the surface cuts. A cut
//! cell is integrated below the tangent of the field in its middle, and in the middles of its octants; errors go with the square
//! of the size, so that both together give a better value, and their difference the error. The cell with the largest error
//! is halved, across the axis along which the surface turns most, until the errors together are small enough; a thin body thus
//! gets long cells. A cell costs nine samples: distances to curves and patches take a microsecond each.
//! *Not promised*: a feature smaller than a cell that no sample of the cell shows.

use crate::fields::{Field, Shape};
use crate::math::{Aabb, Cell, DMat3, DVec3, Frame, diagonalise};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// `∫ dV`, `∫ p dV`, `∫ p pᵀ dV`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments {
    pub volume: f64,
    pub first: DVec3,
    pub second: DMat3,
}

impl Moments {
    pub(super) const ZERO: Self = Self { volume: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };

    /// A box of edges `size` around `p`.
    fn of_box(p: DVec3, size: DVec3) -> Self {
        let v = size.x * size.y * size.z;
        let second = outer(p, p) + DMat3::from_diagonal(size * size / 12.0);
        Self { volume: v, first: v * p, second: v * second }
    }

    pub(super) fn add(&mut self, other: &Self, factor: f64) {
        self.volume += factor * other.volume;
        self.first += factor * other.first;
        self.second += factor * other.second;
    }

    /// The same solid after `frame` has moved it.
    pub(super) fn moved(&self, frame: &Frame) -> Self {
        let (turn, t) = (DMat3::from_quat(frame.rotation), frame.translation);
        let first = turn * self.first;
        let second = turn * self.second * turn.transpose() + outer(first, t) + outer(t, first);
        Self { volume: self.volume, first: first + self.volume * t, second: second + self.volume * outer(t, t) }
    }
}

pub(super) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Largest number of halved cells. Fewer: thin sheets a hundred times wider than thick are inaccurate. More: hostile
/// shapes take longer.
const MAX_CELLS: usize = 20_000;
/// Ratio above which two numbers count as equal in every choice, so that rounding breaks no symmetry.
const ALIKE: f64 = 0.999;
/// Longest cell integrated, as a fraction of the body: samples of a longer one may miss features.
const COARSEST: f64 = 0.25;
/// Error of an extrapolated cell over its distance from that of one sample, and over what the turning of normals in it lets
/// expect. Measured on capsules, discs, rings and boxes.
const POORER: f64 = 0.4;
/// Node of the Gauss rule of two points between −1 and 1.
const GAUSS: f64 = 0.577_350_269_189_625_8;
/// Error of a cell that bounds call cut and no sample does, as a fraction of its volume.
const UNSEEN: f64 = 0.08;

/// Moments of the solid `f ≥ iso` in `within`, whose volume is meant to be off by no more than `tolerance` of itself,
/// and the estimated error of the volume.
pub(super) fn integrate(shape: &Shape, iso: f64, within: Aabb, tolerance: f64) -> (Moments, f64) {
    let (frame, within) = along_the_body(shape, iso, within);
    let solid = Solid { field: shape, iso, frame };
    let coarsest = COARSEST * within.size().max_element();
    let (mut full, mut cut) = (Moments::ZERO, BinaryHeap::new());
    let (mut volume, mut error) = (0.0, 0.0);
    let mut fresh = vec![within];
    let mut halved = 0;
    loop {
        for cell in fresh.drain(..) {
            match solid.piece(cell, coarsest) {
                None => {}
                Some(Piece { error: 0.0, moments, .. }) => {
                    volume += moments.volume;
                    full.add(&moments, 1.0);
                }
                Some(piece) => {
                    volume += piece.moments.volume;
                    error += piece.error;
                    cut.push(piece);
                }
            }
        }
        if error <= tolerance * volume || halved >= MAX_CELLS {
            break;
        }
        // All cells of equal error together: symmetric shapes keep symmetric moments.
        let Some(alike) = cut.peek().map(|worst: &Piece| ALIKE * worst.error) else { break };
        while let Some(worst) = cut.peek().filter(|p| p.error >= alike) {
            volume -= worst.moments.volume;
            error -= worst.error;
            fresh.extend(halves(&worst.cell, worst.axis));
            cut.pop();
        }
        halved += fresh.len() / 2;
    }
    // Summed anew, without the rounding of differences.
    let mut error = 0.0;
    for piece in cut.into_vec() {
        full.add(&piece.moments, 1.0);
        error += piece.error;
    }
    (full.moved(&frame), error)
}

fn halves(cell: &Aabb, axis: usize) -> [Aabb; 2] {
    let middle = 0.5 * (cell.min[axis] + cell.max[axis]);
    let (mut low, mut high) = (*cell, *cell);
    (low.max[axis], high.min[axis]) = (middle, middle);
    [low, high]
}

/// Axes along which the solid fills its box better, if some do, and the box along them.
fn along_the_body(field: &impl Field, iso: f64, within: Aabb) -> (Frame, Aabb) {
    const ROUNDS: usize = 6;
    let content = |b: &Aabb| b.size().x * b.size().y * b.size().z;
    let (mut frame, mut within) = (Frame::IDENTITY, within);
    for _ in 0..ROUNDS {
        let cells = occupied(field, iso, &frame, within);
        let mut rough = Moments::ZERO;
        cells.iter().for_each(|c| rough.add(&Moments::of_box(c.center(), c.size()), 1.0));
        if rough.volume == 0.0 {
            break;
        }
        let center = rough.first / rough.volume;
        let spread = rough.second - rough.volume * outer(center, center);
        let turn = Frame { rotation: diagonalise(spread).1, translation: center };
        let back = turn.inverse();
        let turned = cells.iter().fold(Aabb::EMPTY, |b, c| b.union(&c.moved(&back)));
        if content(&turned) > 0.6 * content(&within) {
            break;
        }
        (frame, within) = (frame * turn, turned);
    }
    (frame, within)
}

/// Equal cells of `within`, of its proportions, that bounds do not prove empty: some hundreds.
fn occupied(field: &impl Field, iso: f64, frame: &Frame, within: Aabb) -> Vec<Aabb> {
    const MAX_CELLS: usize = 400;
    const PASSES: usize = 15;
    let mut cells = vec![within];
    for pass in 0..PASSES {
        if cells.len() > MAX_CELLS {
            break;
        }
        cells = cells.iter().flat_map(|c| halves(c, pass % 3)).collect();
        cells.retain(|c| field.upper_bound(&Cell::from(*c).moved(frame)) >= iso);
    }
    cells
}

/// A cell and the moments of the solid in it.
struct Piece {
    cell: Aabb,
    moments: Moments,
    /// Estimated error of the volume, m³.
    error: f64,
    /// Axis across which it is halved.
    axis: usize,
}

impl PartialEq for Piece {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Piece {}
impl PartialOrd for Piece {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Piece {
    fn cmp(&self, other: &Self) -> Ordering {
        self.error.total_cmp(&other.error)
    }
}

/// A solid in a frame of its own.
struct Solid<'a, F> {
    field: &'a F,
    iso: f64,
    frame: Frame,
}

impl Solid<'_, Shape> {
    /// [`Solid::examine`] with only the elements that reach `cell`.
    fn piece(&self, cell: Aabb, coarsest: f64) -> Option<Piece> {
        let field = &self.field.restricted(&Cell::from(cell).moved(&self.frame));
        Solid { field, iso: self.iso, frame: self.frame }.examine(cell, coarsest)
    }
}

/// Field minus isovalue, and its gradient along the solid's axes.
#[derive(Clone, Copy)]
struct Seen {
    excess: f64,
    gradient: DVec3,
}

impl<F: Field> Solid<'_, F> {
    fn see(&self, p: DVec3) -> Seen {
        let s = self.field.sample(self.frame.point(p));
        Seen { excess: s.value - self.iso, gradient: self.frame.rotation.inverse() * s.gradient }
    }

    /// Moments of the solid in `cell`; `None` where bounds prove it empty.
    fn examine(&self, cell: Aabb, coarsest: f64) -> Option<Piece> {
        let range = self.field.bounds(&Cell::from(cell).moved(&self.frame));
        let (size, middle) = (cell.size(), cell.center());
        let whole = Moments::of_box(middle, size);
        if range.hi < self.iso {
            return None;
        }
        if range.lo >= self.iso {
            return Some(Piece { cell, moments: whole, error: 0.0, axis: 0 });
        }
        let octant = |i: usize| {
            let high = DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64);
            middle + 0.5 * (high - 0.5) * size
        };
        let seen: [Seen; 8] = std::array::from_fn(|i| self.see(octant(i)));
        let inner = self.see(middle);
        let mut fine = Moments::ZERO;
        (0..8).for_each(|i| fine.add(&below_tangent(octant(i), 0.5 * size, seen[i]), 1.0));
        let coarse = below_tangent(middle, size, inner);
        let change = fine.volume - coarse.volume;
        // Errors go with the square of the size.
        let mut moments = fine;
        moments.add(&fine, 1.0 / 3.0);
        moments.add(&coarse, -1.0 / 3.0);
        if !(0.0..=whole.volume).contains(&moments.volume) {
            moments = fine;
        }
        let blind = seen.iter().filter(|s| s.gradient == DVec3::ZERO && s.excess < 0.0).count() as f64 / 8.0;
        let cut = fine.volume > 0.0 && fine.volume < (1.0 - 1e-12) * whole.volume;
        let error = match cut {
            _ if blind == 1.0 || size.max_element() > coarsest => whole.volume,
            true => POORER * change.abs().max(whole.volume * (blind + turned_sq(&seen))),
            false => UNSEEN * whole.volume,
        };
        Some(Piece { cell, moments, error: error.max(f64::MIN_POSITIVE), axis: halved_axis(size, &seen, inner) })
    }
}

/// Square of the greatest angle, in radians, between a normal and their mean; at most 2. The difference of two rules alone is
/// small by accident in some cells, and those would never be halved.
fn turned_sq(seen: &[Seen; 8]) -> f64 {
    let normals = seen.map(|s| s.gradient.normalize_or_zero());
    let mean = normals.iter().sum::<DVec3>().normalize_or_zero();
    let known = normals.iter().filter(|n| **n != DVec3::ZERO);
    known.map(|n| (*n - mean).length_squared()).fold(0.0, f64::max).min(2.0)
}

/// Axis along which the normal turns most for the edge's length (through a skeleton it flips, however short the edge), or,
/// where samples see nothing, across what the middle sees.
fn halved_axis(size: DVec3, seen: &[Seen; 8], inner: Seen) -> usize {
    let normals = seen.map(|s| s.gradient.normalize_or_zero());
    let inner = inner.gradient.normalize_or_zero();
    let unknown = normals.iter().filter(|n| **n == DVec3::ZERO).count() as f64;
    let turn = |axis: usize| -> f64 {
        let ends = (0..8).filter(|i| i >> axis & 1 == 0).map(|i| (normals[i], normals[i | 1 << axis]));
        let known = ends.filter(|e| e.0 != DVec3::ZERO && e.1 != DVec3::ZERO).map(|(a, b)| a.distance(b));
        (known.sum::<f64>() + 0.1 * unknown * inner[axis].abs() + 0.2) * size[axis]
    };
    let turns = [0, 1, 2].map(turn);
    (1..3).fold(0, |best, i| if turns[i] > turns[best] / ALIKE { i } else { best })
}

/// Moments of the part of a box of edges `size` around `middle` in which the tangent of the field there is above the isovalue.
/// Columns run along the steepest axis `w`; their sums are exact along `v`, and take two Gauss points along `u`.
fn below_tangent(middle: DVec3, size: DVec3, Seen { excess, gradient }: Seen) -> Moments {
    // A tangent this far from the isovalue does not reach it in the box.
    if excess.abs() >= 0.5 * (gradient.abs() * size).element_sum() {
        return if excess >= 0.0 { Moments::of_box(middle, size) } else { Moments::ZERO };
    }
    let steep = gradient.abs() * size * DVec3::new(1.0, ALIKE, ALIKE * ALIKE);
    let mut order = [0, 1, 2];
    order.sort_by(|i, j| steep[*j].total_cmp(&steep[*i]));
    let [w, v, u] = order;
    let half = 0.5 * size;
    let mut sum = Moments::ZERO;
    for x in [-GAUSS, GAUSS].map(|x| x * half[u]) {
        // Height of the tangent's root over a column, and where it passes the ends of columns.
        let height = |y: f64| -(excess + gradient[u] * x + gradient[v] * y) / gradient[w];
        let passes = |z: f64| -(excess + gradient[u] * x + gradient[w] * z) / gradient[v];
        let mut ends = [-half[v], half[v], half[v], half[v]];
        if gradient[v] != 0.0 {
            let (a, b) = (passes(-half[w]), passes(half[w]));
            (ends[1], ends[2]) = (a.min(b).clamp(-half[v], half[v]), a.max(b).clamp(-half[v], half[v]));
        }
        for range in ends.windows(2).filter(|e| e[1] > e[0]) {
            let (center, reach) = (0.5 * (range[0] + range[1]), 0.5 * (range[1] - range[0]));
            for y in [-GAUSS, GAUSS].map(|y| center + y * reach) {
                let end = height(y).clamp(-half[w], half[w]);
                let (from, to) = if gradient[w] > 0.0 { (end, half[w]) } else { (-half[w], end) };
                let mut p = middle;
                (p[u], p[v], p[w]) = (p[u] + x, p[v] + y, p[w] + 0.5 * (from + to));
                let mut own = DMat3::ZERO;
                own.col_mut(w)[w] = (to - from).powi(2) / 12.0;
                let weight = half[u] * reach * (to - from);
                sum.add(&Moments { volume: 1.0, first: p, second: outer(p, p) + own }, weight);
            }
        }
    }
    sum
}
