//! Volume, first and second moments of the solid inside an isosurface, to an asked accuracy.
//!
//! *The idea*: guaranteed bounds tell full cells, counted exactly, and empty ones from those the surface cuts. A cut
//! cell in which the gradient keeps its direction is integrated by nested roots: columns end on the surface, lines of
//! columns are parted where the surface leaves the cell, and so are sheets of lines, so that Gauss points see smooth
//! pieces only ([Saye 2015] in outline). The cell with the largest estimated error is halved, across the axis along
//! which the surface turns most, until the errors together are small enough; a thin body thus gets long cells.
//! *Not promised*: a feature smaller than a cell that no sample of the cell shows.
//!
//! [Saye 2015]: https://doi.org/10.1137/140966290

use crate::fields::{Field, Shape};
use crate::math::{Aabb, Cell, DMat3, DVec3, Frame, diagonalise, gauss};
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
    const ZERO: Self = Self { volume: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };

    /// A box of edges `size` around `p`.
    fn of_box(p: DVec3, size: DVec3) -> Self {
        let v = size.x * size.y * size.z;
        let second = outer(p, p) + DMat3::from_diagonal(size * size / 12.0);
        Self { volume: v, first: v * p, second: v * second }
    }

    fn add(&mut self, other: &Self, factor: f64) {
        self.volume += factor * other.volume;
        self.first += factor * other.first;
        self.second += factor * other.second;
    }

    /// The same solid after `frame` has moved it.
    fn moved(&self, frame: &Frame) -> Self {
        let (turn, t) = (DMat3::from_quat(frame.rotation), frame.translation);
        let first = turn * self.first;
        let second = turn * self.second * turn.transpose() + outer(first, t) + outer(t, first);
        Self { volume: self.volume, first: first + self.volume * t, second: second + self.volume * outer(t, t) }
    }
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Largest number of halved cells. Fewer: the rim of a plate a hundred times wider than thick is inaccurate. More: hostile
/// shapes take longer.
const MOST_CELLS: usize = 60_000;
/// Ratio above which two numbers count as equal in every choice, so that rounding breaks no symmetry.
const ALIKE: f64 = 0.999;
/// Longest cell integrated, as a fraction of the body: samples of a longer one may miss features.
const COARSEST: f64 = 0.25;
/// Least cosine between the gradient at a corner and their mean for a cell to be integrated. Less: long chords whose
/// error is not seen. More: smaller cells than smooth pieces need.
const NARROW: f64 = 0.9;
/// Gauss points each way on each smooth piece; the rule with one less estimates the error.
const POINTS: usize = 3;
/// The error of a rule over its distance from the next poorer one: `(2/3)³` at the end of a root's curve, where Gauss
/// points converge worst, and far less elsewhere.
const POORER: f64 = 0.3;
/// Error of a cell in which the gradient turns, as a fraction of its volume.
const UNSURE: f64 = 0.02;
/// Largest such cell that is integrated, as a fraction of the solid: larger ones are halved.
const DOUBTFUL: f64 = 1e-5;

/// Moments of the solid `f ≥ iso` in `within`, whose volume is meant to be off by no more than `tolerance` of itself,
/// and the estimated error of the volume.
pub(super) fn integrate(shape: &Shape, iso: f64, within: Aabb, tolerance: f64) -> (Moments, f64) {
    let (frame, within) = along_the_body(shape, iso, within);
    let directions = [DVec3::X, DVec3::Y, DVec3::Z].map(|e| frame.vector(e));
    let solid = Solid { field: shape, iso, frame, directions };
    let coarsest = COARSEST * within.size().max_element();
    let (mut full, mut cut) = (Moments::ZERO, BinaryHeap::new());
    let (mut volume, mut error) = (0.0, 0.0);
    let mut fresh = vec![within];
    let mut halved = 0;
    loop {
        for cell in fresh.drain(..) {
            match solid.piece(cell, CellLimits { coarsest, doubtful: DOUBTFUL * volume }) {
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
        if error <= tolerance * volume || halved >= MOST_CELLS {
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
    const MOST_CELLS: usize = 400;
    const PASSES: usize = 15;
    let mut cells = vec![within];
    for pass in 0..PASSES {
        if cells.len() > MOST_CELLS {
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
    /// Its axes.
    directions: [DVec3; 3],
}

/// Sizes of cells that may be integrated.
#[derive(Clone, Copy)]
struct CellLimits {
    /// Longest edge, m.
    coarsest: f64,
    /// Largest volume of a cell in which the gradient turns, m³.
    doubtful: f64,
}

/// Order of the axes in a cut cell: columns run along `w`, are laid out in lines along `v`, and lines along `u`.
#[derive(Clone, Copy)]
struct Axes {
    u: usize,
    v: usize,
    w: usize,
}

impl Solid<'_, Shape> {
    /// [`Solid::examine`] with only the elements that reach `cell`.
    fn piece(&self, cell: Aabb, limits: CellLimits) -> Option<Piece> {
        let field = &self.field.restricted(&Cell::from(cell).moved(&self.frame));
        Solid { field, iso: self.iso, frame: self.frame, directions: self.directions }.examine(cell, limits)
    }
}

impl<F: Field> Solid<'_, F> {
    /// Field minus isovalue, and its slope along `axis`.
    fn excess(&self, p: DVec3, axis: usize) -> (f64, f64) {
        let s = self.field.sample(self.frame.point(p));
        (s.value - self.iso, s.gradient.dot(self.directions[axis]))
    }

    /// Moments of the solid in `cell`; `None` where bounds prove it empty.
    fn examine(&self, cell: Aabb, CellLimits { coarsest, doubtful }: CellLimits) -> Option<Piece> {
        let range = self.field.bounds(&Cell::from(cell).moved(&self.frame));
        let (size, middle) = (cell.size(), cell.center());
        let whole = Moments::of_box(middle, size);
        if range.hi < self.iso {
            return None;
        }
        if range.lo >= self.iso {
            return Some(Piece { cell, moments: whole, error: 0.0, axis: 0 });
        }
        let back = self.frame.rotation.inverse();
        let corner = |i: usize| {
            let high = DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64);
            let s = self.field.sample(self.frame.point(cell.min + high * size));
            (s.value >= self.iso, (back * s.gradient).normalize_or_zero())
        };
        let corners: [(bool, DVec3); 8] = std::array::from_fn(corner);
        let inner = (back * self.field.sample(self.frame.point(middle)).gradient).normalize_or_zero();
        let unknown = corners.iter().filter(|c| c.1 == DVec3::ZERO).count() as f64;
        // Where the normal turns most for the edge's length (through a skeleton it flips, however short the edge), or,
        // where corners see nothing, across what the middle sees.
        let turn = |axis: usize| -> f64 {
            let ends = (0..8).filter(|i| i >> axis & 1 == 0).map(|i| (corners[i].1, corners[i | 1 << axis].1));
            let seen = ends.filter(|e| e.0 != DVec3::ZERO && e.1 != DVec3::ZERO).map(|(a, b)| a.distance(b));
            (seen.sum::<f64>() + 0.1 * unknown * inner[axis].abs() + 0.2) * size[axis]
        };
        let turns = [0, 1, 2].map(turn);
        let axis = (1..3).fold(0, |best, i| if turns[i] > turns[best] / ALIKE { i } else { best });
        let mean = corners.iter().map(|c| c.1).sum::<DVec3>().normalize_or_zero();
        let steep = mean.abs() * DVec3::new(1.0, ALIKE, ALIKE * ALIKE);
        let mut order = [0, 1, 2];
        order.sort_by(|i, j| steep[*j].total_cmp(&steep[*i]));
        let axes = Axes { w: order[0], v: order[1], u: order[2] };
        let steady = |g: DVec3| g == DVec3::ZERO || (g.dot(mean) >= NARROW && g[axes.w] * mean[axes.w] > 0.0);
        // Out of reach of the body there is no gradient; then the other end of the column must be inside.
        let ends_known = (0..8).all(|i| corners[i].1 != DVec3::ZERO || corners[i ^ (1 << axes.w)].0);
        let seen = ends_known && inner != DVec3::ZERO && steady(inner) && corners.iter().all(|c| steady(c.1));
        let count = corners.iter().filter(|c| c.0).count();
        let small = size.max_element() <= coarsest;
        if small && !seen && count > 0 && count < 8 && whole.volume <= doubtful {
            let cut = |n: usize| {
                let mut sum = Moments::ZERO;
                halves(&cell, axes.w).iter().for_each(|half| sum.add(&self.cut(half, axes, n), 1.0));
                sum
            };
            let moments = cut(POINTS);
            let error = (cut(POINTS - 1).volume - moments.volume).abs() + UNSURE * whole.volume;
            return Some(Piece { cell, moments, error, axis });
        }
        if !seen || !small {
            let inside = count as f64 / 8.0;
            let mut moments = Moments::ZERO;
            moments.add(&whole, inside);
            return Some(Piece { cell, moments, error: whole.volume, axis });
        }
        let moments = self.cut(&cell, axes, POINTS);
        let error = POORER * (self.cut(&cell, axes, POINTS - 1).volume - moments.volume).abs();
        Some(Piece { cell, moments, error: error.max(f64::MIN_POSITIVE), axis })
    }

    /// Moments of a cell in which the field is monotonic along `w`, by `n` points on each smooth piece.
    fn cut(&self, cell: &Aabb, Axes { u, v, w }: Axes, n: usize) -> Moments {
        let (lo, hi) = (cell.min, cell.max);
        let at = |x: f64, y: f64, z: f64, axis: usize| {
            let mut p = DVec3::ZERO;
            (p[u], p[v], p[w]) = (x, y, z);
            self.excess(p, axis)
        };
        let mut sum = Moments::ZERO;
        let edges = [(lo[v], lo[w]), (hi[v], lo[w]), (lo[v], hi[w]), (hi[v], hi[w])];
        let lines = Breaks::of([lo[u], hi[u]], &edges.map(|(y, z)| move |x: f64| at(x, y, z, u)));
        lines.each(n, |x, dx| {
            let columns = Breaks::of([lo[v], hi[v]], &[lo[w], hi[w]].map(|z| move |y: f64| at(x, y, z, v)));
            columns.each(n, |y, dy| {
                let ends = [lo[w], hi[w]].map(|z| (z, at(x, y, z, w).0));
                let (from, to) = match (ends[0].1 >= 0.0, ends[1].1 >= 0.0) {
                    (true, true) => (lo[w], hi[w]),
                    (false, false) => return,
                    (low_inside, _) => {
                        let z = root(|z| at(x, y, z, w), ends);
                        if low_inside { (lo[w], z) } else { (z, hi[w]) }
                    }
                };
                let (mut p, mut bar) = (DVec3::ZERO, DVec3::ZERO);
                (p[u], p[v], p[w], bar[w]) = (x, y, 0.5 * (from + to), to - from);
                let second = outer(p, p) + DMat3::from_diagonal(bar * bar / 12.0);
                sum.add(&Moments { volume: 1.0, first: p, second }, dx * dy * bar[w]);
            });
        });
        sum
    }
}

/// Tolerance of a root, as a fraction of its bracket: the error after the last step is a hundred times smaller.
const ROOT: f64 = 1e-5;

/// The root between two ends of unlike sign: Newton's steps, and halving where they leave the bracket.
fn root(f: impl Fn(f64) -> (f64, f64), [mut a, mut b]: [(f64, f64); 2]) -> f64 {
    let near = ROOT * (b.0 - a.0).abs();
    let mut x = (a.0 * b.1 - b.0 * a.1) / (b.1 - a.1);
    for _ in 0..40 {
        let (value, slope) = f(x);
        if (value >= 0.0) == (b.1 >= 0.0) {
            b = (x, value)
        } else {
            a = (x, value)
        }
        let next = x - value / slope;
        let inside = (next - a.0) * (next - b.0) <= 0.0;
        let (last, step) = (x, if inside { next } else { 0.5 * (a.0 + b.0) });
        x = step;
        if (x - last).abs() <= near {
            break;
        }
    }
    x
}

/// An interval parted where some function changes sign.
struct Breaks {
    at: [f64; 10],
    count: usize,
}

impl Breaks {
    /// Signs are looked at in the ends and the middle, so that up to two changes of each are found.
    fn of<G: Fn(f64) -> (f64, f64)>([lo, hi]: [f64; 2], functions: &[G]) -> Self {
        let mut breaks = Self { at: [lo; 10], count: 1 };
        let middle = 0.5 * (lo + hi);
        for f in functions {
            let values = [lo, middle, hi].map(|x| (x, f(x).0));
            for ends in values.windows(2).filter(|e| (e[0].1 >= 0.0) != (e[1].1 >= 0.0)) {
                breaks.at[breaks.count] = root(f, [ends[0], ends[1]]);
                breaks.count += 1;
            }
        }
        breaks.at[breaks.count] = hi;
        breaks.count += 1;
        breaks.at[..breaks.count].sort_by(f64::total_cmp);
        breaks
    }

    /// Every Gauss point of every part, with its weight.
    fn each(&self, n: usize, mut visit: impl FnMut(f64, f64)) {
        let rule = gauss(n);
        for ends in self.at[..self.count].windows(2) {
            let width = ends[1] - ends[0];
            if width > 0.0 {
                for (x, weight) in rule.nodes.iter().zip(&rule.weights) {
                    visit(ends[0] + x * width, weight * width);
                }
            }
        }
    }
}
