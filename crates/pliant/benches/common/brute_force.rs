//! Contact forces by brute force: a volume integral over the overlap, by cells.
//!
//! The force on a body is `∫ K∇f dV` over the part of the overlap where its own pressure is the smaller one (over all of it
//! against a rigid partner). Cells that bounds prove empty are left out, the others halved along every axis as long as there
//! are not too many; a leaf's share is that of a linear pressure around its middle. Nothing here is shared with the search for
//! patches or their quadrature but the fields themselves.

use pliant::contact::{Pair, Side};
use pliant::fields::Field;
use pliant::math::{Aabb, Cell, DVec3};

/// Leaves before halving ends. More: slower and more exact.
const MOST_LEAVES: usize = 150_000;
/// Halvings along each axis before it ends.
const DEEPEST: usize = 12;

/// An overlap, measured.
pub struct Overlap {
    /// Force on a, newtons.
    pub force: DVec3,
    /// Estimated error of the force, newtons: from a grid twice as coarse, and from the force on b where it is known.
    pub error: f64,
    /// Deepest overlap found along a gradient, metres.
    pub depth: f64,
}

/// Pressure, and its gradient.
fn pressure(side: &Side, p: DVec3) -> (f64, DVec3) {
    let s = side.field.sample(p);
    (side.stiffness * (s.value - side.field.shape.iso()), side.stiffness * s.gradient)
}

/// Part of a cube of edge `h` in which a function of this value and gradient in its middle is positive.
fn share(value: f64, gradient: DVec3, h: f64) -> f64 {
    let rise = h * gradient.abs().element_sum();
    if rise == 0.0 {
        f64::from(value > 0.0)
    } else {
        (0.5 + value / rise.min(2.0 * h * gradient.length())).clamp(0.0, 1.0)
    }
}

/// Forces on a and b, and the depth, from the middles of cells of edge `h`.
fn sums(pair: &Pair, cells: &[DVec3], h: f64) -> (DVec3, DVec3, f64) {
    let soft = |side: &Side| !side.rigid || (pair.a.rigid && pair.b.rigid);
    let (mut on_a, mut on_b, mut depth) = (DVec3::ZERO, DVec3::ZERO, 0.0f64);
    for &p in cells {
        let ((a, da), (b, db)) = (pressure(&pair.a, p), pressure(&pair.b, p));
        let inside = share(a, da, h) * share(b, db, h);
        if a > 0.0 && b > 0.0 {
            depth = depth.max((a / da.length()).min(b / db.length()));
        }
        let volume = h * h * h * inside;
        let of_a = match (soft(&pair.a), soft(&pair.b)) {
            (true, true) => share(b - a, db - da, h),
            (true, false) => 1.0,
            (false, _) => 0.0,
        };
        on_a += volume * of_a * da;
        on_b += volume * (1.0 - of_a) * db;
    }
    match (soft(&pair.a), soft(&pair.b)) {
        (true, true) => (on_a, on_b, depth),
        (true, false) => (on_a, -on_a, depth),
        (false, _) => (-on_b, on_b, depth),
    }
}

/// Middles of the cubes that bounds do not prove empty, and their edge.
fn leaves(pair: &Pair, most: usize) -> (Vec<DVec3>, f64) {
    let overlap: Aabb = pair.overlap_box();
    if overlap.is_empty() || !overlap.is_finite() {
        return (Vec::new(), 0.0);
    }
    let mut h = overlap.size().max_element();
    let counts = (overlap.size() / h).ceil().max(DVec3::ONE);
    let mut cells = vec![overlap.min + 0.5 * h * counts];
    for _ in 0..DEEPEST {
        if 4 * cells.len() > most {
            break;
        }
        h *= 0.5;
        let next = cells.iter().flat_map(|c| {
            (0..8).map(move |i| {
                let sign = |axis: usize| if i >> axis & 1 == 0 { -0.5 } else { 0.5 };
                *c + h * DVec3::new(sign(0), sign(1), sign(2))
            })
        });
        let touched = |p: &DVec3| {
            let cell = Cell::from(Aabb { min: *p - 0.5 * h, max: *p + 0.5 * h });
            [&pair.a, &pair.b].iter().all(|s| s.field.upper_bound(&cell) >= s.field.shape.iso())
        };
        cells = next.filter(touched).collect();
    }
    (cells, h)
}

/// Depth of the overlap from few samples, metres.
pub fn rough_depth(pair: &Pair) -> f64 {
    let (cells, h) = leaves(pair, 4000);
    sums(pair, &cells, h).2
}

/// The overlap of a pair.
pub fn overlap(pair: &Pair) -> Overlap {
    let (cells, h) = leaves(pair, MOST_LEAVES);
    let (on_a, on_b, depth) = sums(pair, &cells, h);
    let (coarse, twice) = leaves(pair, MOST_LEAVES / 8);
    let (before, ..) = sums(pair, &coarse, twice);
    let error = (on_a - before).length().max((on_a + on_b).length());
    Overlap { force: 0.5 * (on_a - on_b), error, depth }
}
