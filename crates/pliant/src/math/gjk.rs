//! Distance of a convex set from the origin by GJK; the set is given by its support point in any direction.
//!
//! *The idea* (Gilbert, Johnson and Keerthi 1988): of all points asked so far keep the few among which the nearest to the
//! origin lies, and ask opposite to it. What is asked bounds the distance from below, what is kept from above.

use super::DVec3;

/// Rounds before the bounds are taken as they are. Flat and round sets take a dozen.
const ROUNDS: usize = 32;

/// Bounds are near enough when they differ by this fraction of the distance.
const DISTANCE_TOLERANCE: f64 = 1e-6;

/// Three points that are so nearly in line, or four so nearly in a plane, squared, are told by fewer of them.
const DEGENERACY_TOLERANCE: f64 = 1e-24;

/// A lower and an upper bound on the distance from the origin to a convex set; zero and zero if the origin is in it. Bounds
/// that exceed `enough` need not be close.
pub(crate) fn separation(farthest: impl Fn(DVec3) -> DVec3, enough: f64) -> (f64, f64) {
    let mut v = farthest(DVec3::X);
    let mut kept = Kept { points: [v; 4], count: 1 };
    let (mut lower, mut upper) = (0.0f64, v.length());
    for _ in 0..ROUNDS {
        let w = farthest(-v);
        // Everything lies beyond the plane through w at right angles to v.
        lower = lower.max(v.dot(w) / upper);
        if upper - lower <= DISTANCE_TOLERANCE * upper || lower > enough || kept.has(w) {
            break;
        }
        kept.add(w);
        v = kept.nearest();
        let length = v.length();
        if length == 0.0 {
            return (0.0, 0.0);
        }
        // No nearer: rounding has the last word.
        if length >= upper {
            break;
        }
        upper = length;
    }
    (lower, upper)
}

/// Up to four points of the set.
struct Kept {
    points: [DVec3; 4],
    count: usize,
}

impl Kept {
    fn has(&self, p: DVec3) -> bool {
        self.points[..self.count].contains(&p)
    }

    fn add(&mut self, p: DVec3) {
        self.points[self.count] = p;
        self.count += 1;
    }

    /// The point between those kept that is nearest to the origin; those it does not lie between are let go. Every corner,
    /// edge, face and the whole is tried: fifteen at most.
    fn nearest(&mut self) -> DVec3 {
        let mut best = (f64::INFINITY, DVec3::ZERO, 0);
        for some in 1..1usize << self.count {
            let mut points = [DVec3::ZERO; 4];
            let mut count = 0;
            for (i, p) in self.points[..self.count].iter().enumerate() {
                if some >> i & 1 == 1 {
                    points[count] = *p;
                    count += 1;
                }
            }
            if let Some(p) = closest_point(&points[..count])
                && p.length_squared() < best.0
            {
                best = (p.length_squared(), p, some);
            }
        }
        let before = self.points;
        self.count = 0;
        (0..4).filter(|i| best.2 >> i & 1 == 1).for_each(|i| self.add(before[i]));
        best.1
    }
}

/// The point of the line, plane or space through some points that is nearest to the origin, if it lies between them.
fn closest_point(points: &[DVec3]) -> Option<DVec3> {
    let between = |shares: &[f64]| shares.iter().all(|s| *s > 0.0);
    match *points {
        [p] => Some(p),
        [p, q] => {
            let way = q - p;
            let s = -p.dot(way) / way.length_squared();
            between(&[s, 1.0 - s]).then(|| p + s * way)
        }
        [p, q, r] => {
            let (along, beside) = (q - p, r - p);
            let n = along.cross(beside);
            if n.length_squared() <= DEGENERACY_TOLERANCE * along.length_squared() * beside.length_squared() {
                return None;
            }
            let shares = [q.cross(r), r.cross(p), p.cross(q)].map(|c| c.dot(n) / n.length_squared());
            between(&shares).then(|| n * (p.dot(n) / n.length_squared()))
        }
        [p, q, r, s] => {
            let sides = [q - p, r - p, s - p];
            let whole = sides[0].dot(sides[1].cross(sides[2]));
            if whole * whole <= DEGENERACY_TOLERANCE * sides.iter().map(|v| v.length_squared()).product::<f64>() {
                return None;
            }
            let parts = [q.dot(r.cross(s)), -p.dot(r.cross(s)), p.dot(q.cross(s)), -p.dot(q.cross(r))];
            between(&parts.map(|part| part / whole)).then_some(DVec3::ZERO)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Aabb, Random};

    #[test]
    fn of_boxes_and_balls_the_distance_is_known() {
        let mut random = Random(3);
        for _ in 0..500 {
            let (center, half) = (3.0 * random.vector(), (1.0 + 0.5 * random.vector()).abs());
            let cuboid = Aabb { min: center - half, max: center + half };
            let radius = 0.3 * random.unit();
            let farthest = |d: DVec3| cuboid.farthest(d) + radius * d.normalize();
            let to_box = DVec3::ZERO.clamp(cuboid.min, cuboid.max).length();
            let expected = (to_box - radius).max(0.0);
            let (lower, upper) = separation(farthest, f64::INFINITY);
            assert!(lower <= expected + 1e-12 && upper >= expected - 1e-12, "{lower} {expected} {upper}");
            assert!(upper - lower <= 1e-4 * (1.0 + expected), "{lower} {expected} {upper}");
        }
    }

    #[test]
    fn flat_sets_and_single_points_do_not_confuse_it() {
        let line = |d: DVec3| DVec3::new(if d.x > 0.0 { 1.0 } else { -1.0 }, 2.0, 0.0);
        let (lower, upper) = separation(line, f64::INFINITY);
        assert!((lower - 2.0).abs() < 1e-12 && (upper - 2.0).abs() < 1e-12);
        let (lower, upper) = separation(|_| DVec3::new(0.0, 0.0, -3.0), f64::INFINITY);
        assert!((lower - 3.0).abs() < 1e-12 && (upper - 3.0).abs() < 1e-12);
    }
}
