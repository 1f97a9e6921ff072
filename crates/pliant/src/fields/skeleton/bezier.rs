//! One cubic Bézier piece: evaluation, halving and its exact nearest point.

use super::nearest_so_far::{Feature, NearestSoFar};
use crate::math::{Aabb, DVec3, box_distance_sq};

/// Control points.
pub(super) type Cubic = [DVec3; 4];

/// Position and its first two derivatives at `t`.
pub(super) fn derivatives(b: &Cubic, t: f64) -> [DVec3; 3] {
    let s = 1.0 - t;
    let lines = [s * b[0] + t * b[1], s * b[1] + t * b[2], s * b[2] + t * b[3]];
    let arcs = [s * lines[0] + t * lines[1], s * lines[1] + t * lines[2]];
    [s * arcs[0] + t * arcs[1], 3.0 * (arcs[1] - arcs[0]), 6.0 * (lines[2] - 2.0 * lines[1] + lines[0])]
}

/// The position alone, also beyond the ends: by powers of `t`, not by [`derivatives`]'s mid-points.
pub(super) fn point(p: &Cubic, t: f64) -> DVec3 {
    let s = 1.0 - t;
    s * s * s * p[0] + 3.0 * s * s * t * p[1] + 3.0 * s * t * t * p[2] + t * t * t * p[3]
}

/// The halves below and above `t = ½`.
pub(super) fn halves(b: &Cubic) -> (Cubic, Cubic) {
    let lines = [0.5 * (b[0] + b[1]), 0.5 * (b[1] + b[2]), 0.5 * (b[2] + b[3])];
    let arcs = [0.5 * (lines[0] + lines[1]), 0.5 * (lines[1] + lines[2])];
    let middle = 0.5 * (arcs[0] + arcs[1]);
    ([b[0], lines[0], arcs[0], middle], [middle, arcs[1], lines[2], b[3]])
}

/// Greatest number of halvings: two closest points within 2⁻⁴⁰ of a piece count as one. The squared distance between
/// them is then constant to rounding.
const MAX_DEPTH: u32 = 40;

/// Considers the nearest point of the piece, exactly.
///
/// `(B − P)·B'`, the slope of half the squared distance, is a quintic. Its Bernstein coefficients bound how often
/// it changes sign: never, and an end is nearest; once, and there is one closest point (or one farthest point) to find;
/// more often, and both halves are searched. This cannot miss a closest point, as Newton from a guess can.
pub(super) fn consider(b: &Cubic, p: DVec3, best: &mut NearestSoFar) {
    best.consider(p - b[0], Feature::Corner);
    best.consider(p - b[3], Feature::Corner);
    // Where even the ends are infinitely far nothing can be computed.
    if best.limit_sq() < f64::INFINITY {
        consider_inside(b, p, best, MAX_DEPTH);
    }
}

/// Considers closest points inside the piece; returns the number of pieces examined.
fn consider_inside(b: &Cubic, p: DVec3, best: &mut NearestSoFar, depth: u32) -> usize {
    if box_distance_sq(&Aabb::of_points(*b), p) > best.limit_sq() {
        return 1;
    }
    match slopes(b, p) {
        Slopes::OneSign | Slopes::Falling => {}
        Slopes::Rising => best.consider(p - closest_point(b, p), Feature::Edge),
        Slopes::Unclear if depth == 0 => best.consider(p - derivatives(b, 0.5)[0], Feature::Edge),
        Slopes::Unclear => {
            let (low, high) = halves(b);
            best.consider(p - low[3], Feature::Corner);
            return 1 + consider_inside(&low, p, best, depth - 1) + consider_inside(&high, p, best, depth - 1);
        }
    }
    1
}

/// Sign changes of the slope of the distance along a piece.
enum Slopes {
    OneSign,
    /// From negative to positive, once: a closest point.
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
    // Signs below rounding are ignored: taken at their word, they would have whole arcs around a centre of curvature
    // halved down to the last bit.
    let largest = |v: &[DVec3]| v.iter().map(|v| v.abs().max_element()).fold(0.0, f64::max);
    let noise = 8.0 * f64::EPSILON * largest(&q) * largest(&d);
    let (mut first, mut last, mut changes) = (0.0, 0.0, 0);
    for c in coefficients {
        if c.abs() > noise {
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

/// The closest point on a piece along which the slope rises through zero once: Newton, kept in its bracket by
/// bisection.
fn closest_point(b: &Cubic, p: DVec3) -> DVec3 {
    let (mut lo, mut hi) = (0.0f64, 1.0f64);
    let along = b[3] - b[0];
    // Inside the ends: where control points coincide the slope is zero at an end that is no closest point.
    let mut t = ((p - b[0]).dot(along) / along.length_squared().max(f64::MIN_POSITIVE)).clamp(0.01, 0.99);
    let mut last_step = 1.0f64;
    for _ in 0..100 {
        let [q, d1, d2] = derivatives(b, t);
        let slope = (q - p).dot(d1);
        if slope < 0.0 {
            lo = t;
        } else {
            hi = t;
        }
        let newton = t - slope / (d1.length_squared() + (q - p).dot(d2));
        let step = (newton - t).abs();
        let inside = newton >= lo && newton <= hi && newton > 0.0 && newton < 1.0;
        // Newton's steps decrease quadratically; a tiny one that is not even half the last is due to rounding.
        if step <= f64::EPSILON || slope == 0.0 || (step < 1e-9 && step > 0.5 * last_step) {
            break;
        }
        let next = if inside && step <= 0.5 * last_step { newton } else { 0.5 * (lo + hi) };
        last_step = (next - t).abs();
        t = next;
        if hi - lo <= f64::EPSILON {
            break;
        }
    }
    derivatives(b, t)[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_centre_of_curvature_of_a_parabola_takes_few_halvings() {
        // B = (2t − 1, (2t − 1)²): from (0, ½) the squared distance is ¼ + x⁴, flat at the vertex to the third order.
        let b = [
            DVec3::new(-1.0, 1.0, 0.0),
            DVec3::new(-1.0 / 3.0, -1.0 / 3.0, 0.0),
            DVec3::new(1.0 / 3.0, -1.0 / 3.0, 0.0),
            DVec3::new(1.0, 1.0, 0.0),
        ];
        for shift in [0.0, 1e-17, 1e-14, 1e-9] {
            let p = DVec3::new(shift, 0.5, 0.0);
            // As `consider`, whose first search is counted: a second one would be pruned by what the first has found.
            let mut best = NearestSoFar::none(p - b[0]);
            [b[0], b[3]].into_iter().for_each(|end| best.consider(p - end, Feature::Corner));
            let examined = consider_inside(&b, p, &mut best, MAX_DEPTH);
            // The piece and its halves, which meet at the vertex: along each the distance x⁴ has one sign of slope. Without the bound
            // of rounding in `slopes`, the second shift takes seven.
            assert_eq!(examined, 3, "{shift}");
            assert!((best.nearest().distance - 0.5).abs() < 1e-9);
        }
    }

    #[test]
    fn a_piece_that_starts_with_no_speed_is_still_searched_beyond_its_start() {
        // B(t) = (6t² + …, …) leaves its start at rest, so the slope of the distance is zero there, yet with p on the
        // far side of the start's tangent plane the distance falls: B(1/120) is nearer.
        let start = DVec3::new(-1.0, 1.0, -1.0);
        let b = [start, start, DVec3::new(1.0, 1.0, -1.0), DVec3::new(-1.0, 0.0, 1.0)];
        let p = DVec3::new(-0.9963443226390192, 1.7650870584462766, -1.4099001795175194);
        let mut best = NearestSoFar::none(p - start);
        consider(&b, p, &mut best);
        assert!(best.nearest().distance <= p.distance(derivatives(&b, 1.0 / 120.0)[0]));
    }
}
