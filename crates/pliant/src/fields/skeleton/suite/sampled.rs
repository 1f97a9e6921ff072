//! Distances against dense sampling, which cannot miss a part of the skeleton.

use super::*;

/// Checks `s` against the nearest of samples no farther than `gap` from any point of it: the true distance lies
/// between theirs less `gap²/2d` (a closest point between two samples; near the skeleton less `gap`) and theirs.
fn check(s: &Skeleton, samples: &[DVec3], gap: f64, points: usize) {
    let mut r = Random(11);
    for _ in 0..points {
        let p = 2.0 * r.vector();
        let got = s.nearest(p).distance;
        let sampled = samples.iter().map(|q| q.distance_squared(p)).fold(f64::INFINITY, f64::min).sqrt();
        assert!(got <= sampled + 1e-14, "{} at {p}: {got}, but a sample is at {sampled}", name(s));
        assert!(got >= sampled - gap, "{} at {p}: {got}, but samples start at {sampled}", name(s));
    }
}

#[test]
fn no_point_of_a_skeleton_is_farther_than_its_farthest() {
    let mut r = Random(21);
    for s in all().into_iter().filter(|s| s.bounds().is_finite()) {
        for _ in 0..200 {
            let (p, d) = (2.0 * r.vector(), r.vector().normalize());
            let near = s.nearest(p);
            let closest_point = p - near.distance * near.direction;
            let most = s.support_point(d).dot(d);
            assert!(closest_point.dot(d) <= most + 1e-12, "{}: {} beyond {most}", name(&s), closest_point.dot(d));
            assert!(
                !s.is_convex() || s.nearest(s.support_point(d)).distance <= 1e-12,
                "{}: none of its points",
                name(&s)
            );
        }
    }
}

/// The largest distance between neighbours.
fn widest(points: &[DVec3]) -> f64 {
    points.windows(2).map(|w| w[0].distance(w[1])).fold(0.0, f64::max)
}

#[test]
fn a_curve_is_as_near_as_its_nearest_sample() {
    for c in curves() {
        let at = |b: &[DVec3; 4], t: f64| crate::fields::skeleton::bezier::derivatives(b, t)[0];
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
            let p = 2.0 * r.vector();
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
fn a_closest_point_on_a_smooth_piece_is_perpendicular_to_ten_digits() {
    // A direction is right when moving along the skeleton does not change the distance: at the closest point Q of P,
    // stepping back along the direction by any part of the distance must find the same closest point.
    for s in curves().into_iter().map(Skeleton::from).chain(patches().into_iter().map(Skeleton::from)) {
        let mut r = Random(13);
        for k in 0..600 {
            let p = [2.0, 50.0, 2000.0][k % 3] * r.vector();
            let near = s.nearest(p);
            let nearer = s.nearest(p - 0.7 * near.distance * near.direction);
            let error = (near.direction - nearer.direction).length();
            assert!(near.distance < 1e-3 || error < 1e-10, "{} at {p}: directions differ by {error}", name(&s));
        }
    }
}

#[test]
fn the_middle_of_a_round_patch_is_answered_though_all_of_it_is_equally_near() {
    // The cubic quarter circle lies between r = 1 and 1 + 2.73e-4, and the patch is one swept by another:
    // from the centre it lies between 1 and (1 + 2.73e-4)², a lower bound reached at its corners. A step of s from
    // the centre moves these by at most s.
    let round = patches().pop().unwrap();
    for step in [0.0, 1e-12, 1e-6, 1e-3] {
        let d = round.nearest(step * v(0.6, 0.64, 0.48)).distance;
        assert!(d > 1.0 - step - 1e-10 && d < 1.0 - 0.48 * step + 1e-12, "{step}: {d}");
    }
}

/// Query points that are unkind: on the skeleton, on a lattice that its control points share, and anywhere.
fn unkind(r: &mut Random, k: usize, samples: &[DVec3]) -> DVec3 {
    match k % 3 {
        0 => (1.5 * r.vector()).round(),
        1 => samples[(k * 337) % samples.len()],
        _ => 2.0 * r.vector(),
    }
}

/// No sample may be nearer than what is said to be nearest.
fn nothing_nearer(s: &Skeleton, p: DVec3, samples: &[DVec3]) {
    let sampled = samples.iter().map(|q| q.distance_squared(p)).fold(f64::INFINITY, f64::min).sqrt();
    let got = s.nearest(p).distance;
    assert!(got <= sampled + 1e-13, "{s:?} at {p}: {got}, but a sample is at {sampled}");
}

#[test]
fn tangled_curves_hide_no_nearer_point() {
    let mut r = Random(21);
    for k in 0..1000 {
        // On a lattice points repeat and curves double back upon themselves.
        let count = 4 + k % 5;
        let points: Vec<DVec3> =
            (0..count).map(|_| if k % 2 == 0 { r.vector() } else { (1.5 * r.vector()).round() }).collect();
        let Ok(curve) = SmoothCurve::new(points, k % 3 == 0) else { continue };
        let at = |b: &[DVec3; 4], t: f64| crate::fields::skeleton::bezier::derivatives(b, t)[0];
        let samples: Vec<DVec3> =
            curve.pieces().iter().flat_map(|b| (0..=50).map(|i| at(b, i as f64 / 50.0))).collect();
        let s = curve.into();
        for q in 0..30 {
            nothing_nearer(&s, unkind(&mut r, q, &samples), &samples);
        }
    }
}

#[test]
fn tangled_patches_hide_no_nearer_point() {
    let mut r = Random(22);
    for k in 0..200 {
        // Anyhow; on a lattice, where control points coincide; and flat, folded over itself.
        let flat = if k % 3 == 2 { v(1.0, 1.0, 0.0) } else { DVec3::ONE };
        let control = [[(); 4]; 4]
            .map(|row| row.map(|()| flat * if k % 3 == 0 { r.vector() } else { (1.5 * r.vector()).round() }));
        let Ok(patch) = BezierPatch::new(control) else { continue };
        let samples: Vec<DVec3> =
            (0..61 * 61).map(|i| patch.point((i / 61) as f64 / 60.0, (i % 61) as f64 / 60.0)).collect();
        let s = patch.into();
        for q in 0..30 {
            nothing_nearer(&s, unkind(&mut r, q, &samples), &samples);
        }
    }
}
