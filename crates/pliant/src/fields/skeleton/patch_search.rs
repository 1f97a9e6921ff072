//! The exact nearest point of a bicubic Bézier piece.
//!
//! *The idea*: let `h = ½|S − P|²`. Boxes around control points bound its derivatives over a whole piece, and they
//! settle most pieces at once: where `h` is monotone or concave along a parameter the nearest point lies on a side
//! (a cubic, solved exactly); where `h` is convex Newton's closest point is the only one. The rest is halved, until a
//! bound on the distance shows that it cannot be nearest. *Not promised*: a search that has spent its budget (a point
//! that is nearly the centre of a nearly spherical patch) settles for the best it has seen; so does one in a patch
//! crumpled to almost a line.

use super::bezier;
use super::nearest_so_far::{Feature, NearestSoFar};
use crate::math::{Aabb, DVec3, box_distance_sq};

/// Control points, `[i][j]` with `i` along u.
pub(super) type Net = [[DVec3; 4]; 4];

/// Greatest number of pieces examined by a query, some 5 ms. Reached only where the distance is nearly constant over an area.
/// Fewer: the nearest point may be missed within 1 % of the centre of a round patch. More: slower there.
pub(super) const BUDGET: u32 = 10_000;

/// Greatest depth of halvings: the digits of both parameters.
const MAX_DEPTH: u32 = 100;

/// Extent of a piece, in units of its distance from the origin and from `p`, below which it counts as a point.
const MIN_EXTENT: f64 = 4.0 * f64::EPSILON;

/// Position and derivatives of a surface at a pair of parameters.
#[derive(Default)]
pub(super) struct SurfaceDerivatives {
    pub(super) s: DVec3,
    u: DVec3,
    v: DVec3,
    uu: DVec3,
    uv: DVec3,
    vv: DVec3,
}

/// Cubic Bernstein polynomials and their first two derivatives at `t`.
fn weights(t: f64) -> [[f64; 4]; 3] {
    let s = 1.0 - t;
    [
        [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t],
        [-3.0 * s * s, 3.0 * s * (s - 2.0 * t), 3.0 * t * (2.0 * s - t), 3.0 * t * t],
        [6.0 * s, 6.0 * (t - 2.0 * s), 6.0 * (s - 2.0 * t), 6.0 * t],
    ]
}

/// `S(u, v)` and its derivatives.
pub(super) fn derivatives(net: &Net, u: f64, v: f64) -> SurfaceDerivatives {
    let (wu, wv) = (weights(u), weights(v));
    let mut derivatives = SurfaceDerivatives::default();
    for (i, row) in net.iter().enumerate() {
        let along = |w: &[f64; 4]| w[0] * row[0] + w[1] * row[1] + w[2] * row[2] + w[3] * row[3];
        let (s, v, vv) = (along(&wv[0]), along(&wv[1]), along(&wv[2]));
        derivatives.s += wu[0][i] * s;
        derivatives.u += wu[1][i] * s;
        derivatives.uu += wu[2][i] * s;
        derivatives.v += wu[0][i] * v;
        derivatives.uv += wu[1][i] * v;
        derivatives.vv += wu[0][i] * vv;
    }
    derivatives
}

/// The halves below and above `v = ½`.
pub(super) fn halves_v(net: &Net) -> (Net, Net) {
    let rows = net.map(|row| bezier::halves(&row));
    (rows.map(|r| r.0), rows.map(|r| r.1))
}

/// The halves below and above `u = ½`.
pub(super) fn halves_u(net: &Net) -> (Net, Net) {
    let (low, high) = halves_v(&transposed(net));
    (transposed(&low), transposed(&high))
}

/// Rows for columns.
pub(super) fn transposed(net: &Net) -> Net {
    std::array::from_fn(|i| std::array::from_fn(|j| net[j][i]))
}

/// A box as middle and half size, which is how ranges of dot products are formed.
#[derive(Clone, Copy)]
struct Spread {
    middle: DVec3,
    half: DVec3,
}

impl Spread {
    fn of(points: impl IntoIterator<Item = DVec3>) -> Self {
        let b = Aabb::of_points(points);
        Self { middle: b.center(), half: 0.5 * b.size() }
    }

    /// Range of `a·b`, as middle and half.
    fn dot(&self, b: &Self) -> (f64, f64) {
        let half = self.middle.abs().dot(b.half) + self.half.dot(b.middle.abs()) + self.half.dot(b.half);
        (self.middle.dot(b.middle), half)
    }

    /// Range of `|a|²`, which unlike `a·a` knows that both factors are the same.
    fn length_sq(&self) -> (f64, f64) {
        let m = self.middle.abs();
        let (lo, hi) = ((m - self.half).max(DVec3::ZERO).length_squared(), (m + self.half).length_squared());
        (0.5 * (lo + hi), 0.5 * (hi - lo))
    }
}

fn sum(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0 + b.0, a.1 + b.1)
}

/// Differences of neighbours in a net of any size, along u or v: the control points of a derivative.
fn differences<const N: usize, const M: usize, const K: usize>(net: &[[DVec3; M]; N]) -> [[DVec3; K]; N] {
    std::array::from_fn(|i| std::array::from_fn(|j| net[i][j + 1] - net[i][j]))
}

/// Considers the nearest point of the piece.
pub(super) fn consider(net: &Net, p: DVec3, best: &mut NearestSoFar, budget: &mut u32) {
    for corner in [net[0][0], net[0][3], net[3][0], net[3][3]] {
        best.consider(p - corner, Feature::Corner);
    }
    // Where even the corners are infinitely far nothing can be computed.
    if best.limit_sq() < f64::INFINITY && may_win(net, p, best) {
        // A guess first: once a closest point is known, bounds alone exclude most pieces.
        if !best.is_perpendicular() {
            consider_perpendicular(net, p, best);
        }
        Search { p, best, budget }.run(net, MAX_DEPTH);
    }
}

/// A search for the nearest point to `p` by subdivision.
struct Search<'a> {
    p: DVec3,
    best: &'a mut NearestSoFar,
    /// Number of pieces that may still be examined.
    budget: &'a mut u32,
}

impl Search<'_> {
    fn run(&mut self, net: &Net, depth: u32) {
        let p = self.p;
        if *self.budget == 0 || depth == 0 || !may_win(net, p, self.best) {
            return;
        }
        *self.budget -= 1;
        let best = &mut *self.best;
        let columns = transposed(net);
        let (low_u, high_u, low_v, high_v) = (net[0], net[3], columns[0], columns[3]);
        let nets = [net, &columns];
        // First and second differences along u (of columns) and along v (of rows).
        let first: [[[DVec3; 3]; 4]; 2] = [differences(nets[1]), differences(nets[0])];
        let second: [[[DVec3; 2]; 4]; 2] = [differences(&first[0]), differences(&first[1])];
        let mixed: [[DVec3; 3]; 3] =
            std::array::from_fn(|i| std::array::from_fn(|j| first[1][i + 1][j] - first[1][i][j]));
        let spread = Spread::of(net.iter().flatten().map(|&c| c - p));
        let s1 = first.each_ref().map(|d| Spread::of(d.iter().flatten().map(|&d| 3.0 * d)));
        let s2 = second.each_ref().map(|d| Spread::of(d.iter().flatten().map(|&d| 6.0 * d)));
        let s11 = Spread::of(mixed.iter().flatten().map(|&d| 9.0 * d));

        let sides = [(low_u, high_u), (low_v, high_v)];
        for (k, (low, high)) in sides.iter().enumerate() {
            let (slope, doubt) = spread.dot(&s1[k]);
            if slope.abs() > doubt {
                return bezier::consider(if slope > 0.0 { low } else { high }, p, best);
            }
        }
        let curve = [0, 1].map(|k| sum(s1[k].length_sq(), spread.dot(&s2[k])));
        for (k, (low, high)) in sides.iter().enumerate() {
            if curve[k].0 + curve[k].1 < 0.0 {
                bezier::consider(low, p, best);
                return bezier::consider(high, p, best);
            }
        }
        let cross = sum(s1[0].dot(&s1[1]), spread.dot(&s11));
        let least = curve.map(|c| c.0 - c.1);
        let convex = least[0] > 0.0 && least[1] > 0.0 && least[0] * least[1] > (cross.0.abs() + cross.1).powi(2);
        if convex && consider_perpendicular(net, p, best) {
            return;
        }
        let extent = 2.0 * spread.half.max_element();
        if extent <= MIN_EXTENT * (p.abs().max_element() + net[0][0].abs().max_element()) {
            return;
        }
        // Across the longer direction, so that a collapsed side is not cut into ever more slivers.
        let length = s1.map(|s| (s.middle.abs() + s.half).length_squared());
        let (a, b) = if length[0] > length[1] { halves_u(net) } else { halves_v(net) };
        let middle = |n: &Net| (4.0 * p - n[0][0] - n[0][3] - n[3][0] - n[3][3]).length_squared();
        let (near, far) = if middle(&b) < middle(&a) { (b, a) } else { (a, b) };
        for half in [near, far] {
            for corner in [half[0][0], half[0][3], half[3][0], half[3][3]] {
                self.best.consider(p - corner, Feature::Corner);
            }
            self.run(&half, depth - 1);
        }
    }
}

/// Whether the piece may contain a point nearer than the best. Besides its box, two planes bound it from the near side: one normal
/// to the line from `p` to the piece, which errs only by the square of the piece's size, and one normal to the line to the best
/// candidate, which a surface that bulges towards `p` does not cross at all.
fn may_win(net: &Net, p: DVec3, best: &NearestSoFar) -> bool {
    let limit_sq = best.limit_sq();
    let bounds = Aabb::of_points(net.iter().flatten().copied());
    let beyond = |sight: DVec3| {
        let depth = net.iter().flatten().map(|&c| (c - p).dot(sight)).fold(f64::INFINITY, f64::min).max(0.0);
        depth * depth > limit_sq
    };
    box_distance_sq(&bounds, p) <= limit_sq
        && !beyond((bounds.center() - p).normalize_or_zero())
        && !beyond(-best.offset().normalize_or_zero())
}

/// Newton for the least `h` on the piece, sides included: a parameter at its end, with `h` falling outward, stays
/// there. Where `h` is convex the limit is the nearest point. `false` if it does not converge.
fn consider_perpendicular(net: &Net, p: DVec3, best: &mut NearestSoFar) -> bool {
    let (mut u, mut v) = (0.5, 0.5);
    let mut last_step = f64::INFINITY;
    for _ in 0..20 {
        let j = derivatives(net, u, v);
        let q = j.s - p;
        let (hu, hv) = (q.dot(j.u), q.dot(j.v));
        let (huu, huv, hvv) =
            (j.u.length_squared() + q.dot(j.uu), j.u.dot(j.v) + q.dot(j.uv), j.v.length_squared() + q.dot(j.vv));
        let stays = |x: f64, slope: f64| (x == 0.0 && slope > 0.0) || (x == 1.0 && slope < 0.0);
        let (du, dv, feature) = match (stays(u, hu), stays(v, hv)) {
            (true, true) => (0.0, 0.0, Feature::Corner),
            (true, false) => (0.0, -hv / hvv, Feature::Edge),
            (false, true) => (-hu / huu, 0.0, Feature::Edge),
            (false, false) => {
                let determinant = huu * hvv - huv * huv;
                ((huv * hv - hvv * hu) / determinant, (huv * hu - huu * hv) / determinant, Feature::Face)
            }
        };
        let step = du.abs().max(dv.abs());
        if step.is_nan() {
            return false;
        }
        (u, v) = ((u + du).clamp(0.0, 1.0), (v + dv).clamp(0.0, 1.0));
        // Newton's steps decrease quadratically; a tiny one that is not even half the last is due to rounding.
        if step <= 4.0 * f64::EPSILON || (step < 1e-8 && step > 0.5 * last_step) {
            best.consider(p - derivatives(net, u, v).s, feature);
            return true;
        }
        last_step = step;
    }
    false
}
