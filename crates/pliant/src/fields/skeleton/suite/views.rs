//! A skeleton seen as a sphere, a plane or a segment, moved, and the curvature of its distance.

use super::*;

#[test]
fn views_of_a_skeleton_have_its_distance() {
    let mut seen = [0; 4];
    for s in all() {
        let mut r = Random(3);
        let frame = Frame { rotation: r.rotation(), translation: r.vector() };
        for _ in 0..100 {
            let p = 2.0 * r.vector();
            let distance = s.nearest(p).distance;
            let agrees = |other: f64| assert!((distance - other).abs() < 1e-13, "{}: {distance}, {other}", name(&s));
            if let Some(Sphere { center, radius }) = s.as_sphere() {
                seen[0] += 1;
                agrees(p.distance(center) - radius);
            }
            if let Some(Plane { point, normal }) = s.as_plane() {
                seen[1] += 1;
                agrees((p - point).dot(normal));
            }
            if let Some([a, b]) = s.ends() {
                seen[2] += 1;
                let along = ((p - a).dot(b - a) / (b - a).length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
                agrees(p.distance(a.lerp(b, along)));
            }
            if let Some(moved) = s.moved(&frame) {
                seen[3] += 1;
                agrees(moved.nearest(frame.point(p)).distance);
            }
        }
    }
    // Points and balls; half-spaces; points and segments; all of these can be moved.
    assert_eq!(seen, [200, 200, 300, 600]);
}

#[test]
fn second_differences_of_the_distance_stay_within_its_curvature() {
    // (d(p + h e) − 2 d(p) + d(p − h e))/h² is a mean of second derivatives along e over the stretch, within rounding
    // 4 ε/h² < 1e-7 for h = 1e-4; where the distance has a crease only the upper bound (if finite) is promised.
    let h = 1e-4;
    for s in all() {
        let (mut r, mut bounded) = (Random(4), 0);
        for _ in 0..300 {
            let (p, e) = (2.0 * r.vector(), r.vector().normalize());
            let at = |x: f64| s.nearest(p + x * e).distance;
            let min_distance = at(0.0) - h;
            let within = s.curvature_range(&Neighbourhood { center: p, radius: h, min_distance });
            let second = (at(h) - 2.0 * at(0.0) + at(-h)) / (h * h);
            assert!(second >= within.lo - 1e-6, "{} at {p}: {second} under {within:?}", name(&s));
            assert!(second <= within.hi + 1e-6, "{} at {p}: {second} over {within:?}", name(&s));
            bounded += usize::from(within.hi.is_finite());
        }
        assert!(bounded > 100, "{}: {bounded}", name(&s));
    }
}
