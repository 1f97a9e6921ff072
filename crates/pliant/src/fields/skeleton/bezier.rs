//! One cubic Bézier piece: evaluation, halving and its exact nearest point.

use super::best::{Best, Rank};
use crate::math::{Aabb, DVec3, box_distance_sq};

/// Control points.
pub(super) type Cubic = [DVec3; 4];

/// Position and its first two derivatives at `t`.
pub(super) fn at(b: &Cubic, t: f64) -> [DVec3; 3] {
    let s = 1.0 - t;
    let lines = [s * b[0] + t * b[1], s * b[1] + t * b[2], s * b[2] + t * b[3]];
    let arcs = [s * lines[0] + t * lines[1], s * lines[1] + t * lines[2]];
    [s * arcs[0] + t * arcs[1], 3.0 * (arcs[1] - arcs[0]), 6.0 * (lines[2] - 2.0 * lines[1] + lines[0])]
}

/// Both halves.
pub(super) fn halves(b: &Cubic) -> (Cubic, Cubic) {
    let lines = [0.5 * (b[0] + b[1]), 0.5 * (b[1] + b[2]), 0.5 * (b[2] + b[3])];
    let arcs = [0.5 * (lines[0] + lines[1]), 0.5 * (lines[1] + lines[2])];
    let middle = 0.5 * (arcs[0] + arcs[1]);
    ([b[0], lines[0], arcs[0], middle], [middle, arcs[1], lines[2], b[3]])
}

/// Halvings before two feet count as one: 2⁻⁴⁰ of a piece. The squared distance between is then flat to rounding.
const DEEPEST: u32 = 40;

/// Offers the nearest point of the piece, exactly.
///
/// `(B − P)·B'`, the slope of half the squared distance, is a quintic. Its Bernstein coefficients bound how often
/// it changes sign: never, and an end is nearest; once, and there is one foot (or one farthest point) to find;
/// more often, and halves are looked at. This cannot miss a foot, which Newton from a guess can.
pub(super) fn offer(b: &Cubic, p: DVec3, best: &mut Best) {
    best.offer(p - b[0], Rank::Corner);
    best.offer(p - b[3], Rank::Corner);
    offer_inside(b, p, best, DEEPEST);
}

fn offer_inside(b: &Cubic, p: DVec3, best: &mut Best, depth: u32) {
    // A box that is not a number must end the search too, hence the form of the comparison.
    let near_sq = box_distance_sq(&Aabb::of_points(*b), p);
    if !matches!(near_sq.partial_cmp(&best.limit_sq()), Some(std::cmp::Ordering::Less | std::cmp::Ordering::Equal)) {
        return;
    }
    match slopes(b, p) {
        Slopes::OneSign | Slopes::Falling => {}
        Slopes::Rising => best.offer(p - foot(b, p), Rank::Edge),
        Slopes::Unclear if depth == 0 => best.offer(p - at(b, 0.5)[0], Rank::Edge),
        Slopes::Unclear => {
            let (low, high) = halves(b);
            best.offer(p - low[3], Rank::Corner);
            offer_inside(&low, p, best, depth - 1);
            offer_inside(&high, p, best, depth - 1);
        }
    }
}

/// How the slope of the distance changes sign along a piece.
enum Slopes {
    OneSign,
    /// From negative to positive, once: a foot.
    Rising,
    /// From positive to negative, once.
    Falling,
    Unclear,
}

fn slopes(b: &Cubic, p: DVec3) -> Slopes {
    let q = b.map(|b| b - p);
    let d = [b[1] - b[0], b[2] - b[1], b[3] - b[2]];
    // Product of a cubic and a quadratic: binomials (1 3 3 1) and (1 2 1) over (1 5 10 10 5 1).
    let coefficients = [
        q[0].dot(d[0]),
        (2.0 * q[0].dot(d[1]) + 3.0 * q[1].dot(d[0])) / 5.0,
        (q[0].dot(d[2]) + 6.0 * q[1].dot(d[1]) + 3.0 * q[2].dot(d[0])) / 10.0,
        (3.0 * q[1].dot(d[2]) + 6.0 * q[2].dot(d[1]) + q[3].dot(d[0])) / 10.0,
        (3.0 * q[2].dot(d[2]) + 2.0 * q[3].dot(d[1])) / 5.0,
        q[3].dot(d[2]),
    ];
    let (mut first, mut last, mut changes) = (0.0, 0.0, 0);
    for c in coefficients {
        // Exact zeros say nothing about a sign; neither end of a change.
        if c != 0.0 {
            if first == 0.0 {
                first = c;
            } else if (c > 0.0) != (last > 0.0) {
                changes += 1;
            }
            last = c;
        }
    }
    match changes {
        _ if first == 0.0 => Slopes::OneSign,
        0 => Slopes::OneSign,
        1 if first < 0.0 => Slopes::Rising,
        1 => Slopes::Falling,
        _ => Slopes::Unclear,
    }
}

/// The foot on a piece along which the slope rises through zero once: Newton, kept in its bracket by bisection.
fn foot(b: &Cubic, p: DVec3) -> DVec3 {
    let (mut lo, mut hi) = (0.0f64, 1.0f64);
    let along = b[3] - b[0];
    let mut t = ((p - b[0]).dot(along) / along.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    let mut last_step = 1.0f64;
    for _ in 0..100 {
        let [q, d1, d2] = at(b, t);
        let slope = (q - p).dot(d1);
        if slope < 0.0 {
            lo = t;
        } else {
            hi = t;
        }
        let newton = t - slope / (d1.length_squared() + (q - p).dot(d2));
        // A step that does not halve the one before is no longer converging.
        let next = if newton >= lo && newton <= hi && (newton - t).abs() <= 0.5 * last_step {
            newton
        } else {
            0.5 * (lo + hi)
        };
        last_step = (next - t).abs();
        t = next;
        if last_step <= f64::EPSILON || slope == 0.0 {
            break;
        }
    }
    at(b, t)[0]
}
