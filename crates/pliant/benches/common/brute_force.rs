//! Contact forces by brute force: a volume integral over the overlap, along a dense grid of parallel lines.
//!
//! The force on a body is `∫ K∇f dV` over the part of the overlap where its own pressure is the smaller one (over all of it
//! against a rigid partner). Cells that bounds prove empty tell where lines must run; along a line pressures are taken as
//! straight between samples. Nothing here is shared with the search for patches or their quadrature but the fields themselves.

use pliant::contact::{Pair, Side};
use pliant::fields::Field;
use pliant::math::{Aabb, Cell, DVec3};

/// Lines along each side of the grid, and samples of a line. More: slower and more exact.
const LINES: usize = 96;
const SAMPLES: usize = 64;
/// Cells before the place of the overlap is known well enough.
const MAX_CELLS: usize = 20_000;
/// Halvings along each axis before it ends.
const DEEPEST: usize = 14;

/// An overlap, measured.
pub struct Overlap {
    /// Force on a, newtons.
    pub force: DVec3,
    /// Estimated error of the force, newtons: from half as many lines and samples, and from the force on b where it is known.
    pub error: f64,
    /// Deepest overlap found along a gradient, metres.
    pub depth: f64,
}

/// Pressures of both sides in one place, and their gradients.
#[derive(Clone, Copy)]
struct Pressures {
    a: (f64, DVec3),
    b: (f64, DVec3),
}

impl Pressures {
    fn at(pair: &Pair, p: DVec3) -> Self {
        let of = |side: &Side| {
            let s = side.field.sample(p);
            (side.stiffness * (s.value - side.field.shape.iso()), side.stiffness * s.gradient)
        };
        Self { a: of(&pair.a), b: of(&pair.b) }
    }

    /// Depth along a gradient, metres; not positive outside of the overlap.
    fn min_pressure(&self) -> f64 {
        let of = |(value, gradient): (f64, DVec3)| value / gradient.length().max(f64::MIN_POSITIVE);
        of(self.a).min(of(self.b))
    }
}

/// Place of the overlap: cubes that may hold some of it.
struct Place {
    cells: Vec<DVec3>,
    /// Edge of the cubes, m.
    edge: f64,
    /// The deepest of their middles, and its pressures.
    deepest: Option<(DVec3, Pressures)>,
}

impl Place {
    fn of(pair: &Pair, most: usize) -> Self {
        let overlap: Aabb = pair.overlap_bounds();
        if overlap.is_empty() || !overlap.is_finite() {
            return Self { cells: Vec::new(), edge: 0.0, deepest: None };
        }
        let mut edge = overlap.size().max_element();
        let mut cells = vec![overlap.center()];
        for _ in 0..DEEPEST {
            if 4 * cells.len() > most {
                break;
            }
            edge *= 0.5;
            let octants = |c: &DVec3| {
                let c = *c;
                (0..8).map(move |i| {
                    let sign = |axis: usize| if i >> axis & 1 == 0 { -0.5 } else { 0.5 };
                    c + edge * DVec3::new(sign(0), sign(1), sign(2))
                })
            };
            let may_touch = |p: &DVec3| {
                let cell = Cell::from(Aabb { min: *p - 0.5 * edge, max: *p + 0.5 * edge });
                [&pair.a, &pair.b].iter().all(|s| s.field.upper_bound(&cell) >= s.field.shape.iso())
            };
            cells = cells.iter().flat_map(octants).filter(may_touch).collect();
        }
        let seen = cells.iter().map(|p| (*p, Pressures::at(pair, *p)));
        let deepest = seen.max_by(|x, y| x.1.min_pressure().total_cmp(&y.1.min_pressure()));
        Self { cells, edge, deepest }
    }
}

/// Depth of the overlap from few samples, metres.
pub fn rough_depth(pair: &Pair) -> f64 {
    Place::of(pair, 4000).deepest.map_or(0.0, |(_, p)| p.min_pressure().max(0.0))
}

/// Part of a piece, from 0 to 1, over which all of some straight functions, given by both ends, are positive.
fn positive(functions: &[(f64, f64)]) -> f64 {
    let (mut from, mut to) = (0.0f64, 1.0f64);
    for &(start, end) in functions {
        let root = start / (start - end);
        match (start > 0.0, end > 0.0) {
            (true, true) => {}
            (true, false) => to = to.min(root),
            (false, true) => from = from.max(root),
            (false, false) => return 0.0,
        }
    }
    (to - from).max(0.0)
}

/// Forces on a and b and the greatest depth, from lines of a box along axes.
struct Grid {
    origin: DVec3,
    axes: [DVec3; 3],
    size: [f64; 3],
}

impl Grid {
    /// The box of the cells of `place` with its third axis across the contact.
    fn around(pair: &Pair, place: &Place) -> Option<Self> {
        let (_, p) = place.deepest?;
        let across = if pair.b.rigid && !pair.a.rigid { -p.b.1 } else { p.a.1 - p.b.1 };
        let z = across.normalize_or(DVec3::Z);
        let (x, y) = z.any_orthonormal_pair();
        let axes = [x, y, z];
        let ends = axes.map(|axis| {
            let along = |c: &DVec3| c.dot(axis);
            let reach = 0.5 * place.edge * axis.abs().element_sum();
            let low = place.cells.iter().map(along).fold(f64::INFINITY, f64::min) - reach;
            (low, place.cells.iter().map(along).fold(f64::NEG_INFINITY, f64::max) + reach)
        });
        let origin = (0..3).map(|i| ends[i].0 * axes[i]).sum();
        Some(Self { origin, axes, size: ends.map(|(low, high)| high - low) })
    }

    /// The smallest part of the box outside of which tangents in the middles of `lines`³ cells show no overlap.
    fn tightened(&self, pair: &Pair, lines: usize) -> Option<Self> {
        let (mut low, mut high) = ([usize::MAX; 3], [0; 3]);
        let reach = 0.6 * DVec3::from_array(self.size).length() / lines as f64;
        for i in 0..lines * lines * lines {
            let at = [i % lines, i / lines % lines, i / lines / lines];
            let part = at.map(|n| (n as f64 + 0.5) / lines as f64);
            if Pressures::at(pair, self.point(part)).min_pressure() > -reach {
                (0..3).for_each(|k| (low[k], high[k]) = (low[k].min(at[k]), high[k].max(at[k])));
            }
        }
        if low[0] == usize::MAX {
            return None;
        }
        let from: [f64; 3] = std::array::from_fn(|k| low[k] as f64 / lines as f64);
        let to: [f64; 3] = std::array::from_fn(|k| (high[k] as f64 + 1.0) / lines as f64);
        let size = std::array::from_fn(|k| (to[k] - from[k]) * self.size[k]);
        Some(Self { origin: self.point(from), axes: self.axes, size })
    }

    fn point(&self, part: [f64; 3]) -> DVec3 {
        self.origin + (0..3).map(|k| part[k] * self.size[k] * self.axes[k]).sum::<DVec3>()
    }

    fn forces(&self, pair: &Pair, lines: usize, samples: usize) -> (DVec3, DVec3, f64) {
        let soft = |side: &Side| !side.rigid || (pair.a.rigid && pair.b.rigid);
        let shared = soft(&pair.a) && soft(&pair.b);
        let piece = self.size[0] * self.size[1] * self.size[2] / (lines * lines * samples) as f64;
        let (mut on_a, mut on_b, mut depth) = (DVec3::ZERO, DVec3::ZERO, 0.0f64);
        for i in 0..lines * lines {
            let [u, v] = [i % lines, i / lines].map(|n| (n as f64 + 0.5) / lines as f64);
            let mut before = Pressures::at(pair, self.point([u, v, 0.0]));
            for k in 1..=samples {
                let now = Pressures::at(pair, self.point([u, v, k as f64 / samples as f64]));
                depth = depth.max(now.min_pressure());
                let (a, b) = ((before.a.0, now.a.0), (before.b.0, now.b.0));
                let (of_a, of_b) = if shared {
                    (positive(&[a, (b.0 - a.0, b.1 - a.1)]), positive(&[b, (a.0 - b.0, a.1 - b.1)]))
                } else {
                    let part = positive(&[a, b]);
                    (part, part)
                };
                on_a += piece * of_a * 0.5 * (before.a.1 + now.a.1);
                on_b += piece * of_b * 0.5 * (before.b.1 + now.b.1);
                before = now;
            }
        }
        match (soft(&pair.a), soft(&pair.b)) {
            (true, true) => (on_a, on_b, depth),
            (true, false) => (on_a, -on_a, depth),
            (false, _) => (-on_b, on_b, depth),
        }
    }
}

/// The overlap of a pair.
pub fn overlap(pair: &Pair) -> Overlap {
    let none = Overlap { force: DVec3::ZERO, error: 0.0, depth: 0.0 };
    let Some(mut grid) = Grid::around(pair, &Place::of(pair, MAX_CELLS)) else { return none };
    for _ in 0..3 {
        match grid.tightened(pair, 40) {
            Some(tighter) => grid = tighter,
            None => break,
        }
    }
    let (on_a, on_b, depth) = grid.forces(pair, LINES, SAMPLES);
    let (before, ..) = grid.forces(pair, LINES / 2, SAMPLES / 2);
    let error = (on_a - before).length().max((on_a + on_b).length());
    Overlap { force: 0.5 * (on_a - on_b), error, depth }
}
