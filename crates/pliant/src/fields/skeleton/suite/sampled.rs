//! Distances against dense sampling, which cannot miss a part of the skeleton.

use super::*;

/// Checks `s` against the nearest of samples no farther than `gap` from any point of it: the true distance lies
/// between theirs less `gap²/2d` (a foot between two samples; near the skeleton less `gap`) and theirs.
fn check(s: &Skeleton, samples: &[DVec3], gap: f64, points: usize) {
    let mut r = Random(11);
    for _ in 0..points {
        let p = r.point(2.0);
        let got = s.nearest(p).distance;
        let sampled = samples.iter().map(|q| q.distance_squared(p)).fold(f64::INFINITY, f64::min).sqrt();
        assert!(got <= sampled + 1e-14, "{} at {p}: {got}, but a sample is at {sampled}", name(s));
        assert!(got >= sampled - gap, "{} at {p}: {got}, but samples start at {sampled}", name(s));
    }
}

/// The largest distance between neighbours.
fn widest(points: &[DVec3]) -> f64 {
    points.windows(2).map(|w| w[0].distance(w[1])).fold(0.0, f64::max)
}

#[test]
fn a_curve_is_as_near_as_its_nearest_sample() {
    for c in curves() {
        let at = |b: &[DVec3; 4], t: f64| crate::fields::skeleton::bezier::at(b, t)[0];
        let samples: Vec<DVec3> = c.pieces().iter().flat_map(|b| (0..=200).map(|i| at(b, i as f64 / 200.0))).collect();
        let gap = widest(&samples);
        check(&c.into(), &samples, gap, 300);
    }
}

#[test]
fn a_polyline_is_as_near_as_its_nearest_sample() {
    for c in polylines() {
        let samples: Vec<DVec3> =
            c.points().windows(2).flat_map(|w| (0..=200).map(|i| w[0].lerp(w[1], i as f64 / 200.0))).collect();
        let gap = widest(&samples);
        check(&c.into(), &samples, gap, 300);
    }
}

#[test]
fn a_mesh_is_as_near_as_its_nearest_triangle() {
    for m in meshes() {
        let triangles: Vec<Triangle> = m
            .triangles()
            .iter()
            .map(|t| t.map(|i| m.vertices()[i as usize]))
            .map(|[a, b, c]| Triangle::new(a, b, c).unwrap())
            .collect();
        let mut r = Random(12);
        for _ in 0..1000 {
            let p = r.point(2.0);
            let want = triangles.iter().map(|t| t.nearest(p).distance).fold(f64::INFINITY, f64::min);
            assert!((m.nearest(p).distance - want).abs() < 1e-15);
        }
    }
}

#[test]
fn a_triangle_is_as_near_as_its_nearest_sample() {
    for m in meshes() {
        let [a, b, c] = m.triangles()[0].map(|i| m.vertices()[i as usize]);
        let n = 150;
        let samples: Vec<DVec3> = (0..=n)
            .flat_map(|i| {
                (0..=n - i).map(move |j| a + (b - a) * (i as f64 / n as f64) + (c - a) * (j as f64 / n as f64))
            })
            .collect();
        let gap = (b - a).length().max((c - a).length()) / n as f64;
        check(&Triangle::new(a, b, c).unwrap().into(), &samples, gap, 300);
    }
}

#[test]
fn a_patch_is_as_near_as_its_nearest_sample() {
    for patch in patches() {
        let n = 300;
        let grid = |i: usize, j: usize| patch.point(i as f64 / n as f64, j as f64 / n as f64);
        let samples: Vec<DVec3> = (0..=n).flat_map(|i| (0..=n).map(move |j| (i, j))).map(|(i, j)| grid(i, j)).collect();
        // A point of a cell of the grid is at most half its two widths from a corner; twice that allows for bending.
        let rows = (0..=n).map(|i| widest(&(0..=n).map(|j| grid(i, j)).collect::<Vec<_>>())).fold(0.0, f64::max);
        let columns = (0..=n).map(|j| widest(&(0..=n).map(|i| grid(i, j)).collect::<Vec<_>>())).fold(0.0, f64::max);
        check(&patch.into(), &samples, rows + columns, 300);
    }
}

#[test]
fn a_foot_on_a_smooth_place_is_perpendicular_to_ten_digits() {
    // A direction is right when moving along the skeleton does not change the distance: at the foot Q of P,
    // stepping back along the direction by any part of the distance must find the same foot.
    for s in curves().into_iter().map(Skeleton::from).chain(patches().into_iter().map(Skeleton::from)) {
        let mut r = Random(13);
        for _ in 0..300 {
            let p = r.point(2.0);
            let near = s.nearest(p);
            let nearer = s.nearest(p - 0.7 * near.distance * near.direction);
            let error = (near.direction - nearer.direction).length();
            assert!(near.distance < 1e-3 || error < 1e-10, "{} at {p}: directions differ by {error}", name(&s));
        }
    }
}
