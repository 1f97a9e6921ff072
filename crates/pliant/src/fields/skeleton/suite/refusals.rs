//! Input that constructors refuse.

use super::*;

#[test]
fn degenerate_and_infinite_skeletons_are_refused() {
    let (nan, o, x) = (DVec3::NAN, DVec3::ZERO, DVec3::X);
    assert!(Segment::new(x, x).is_err());
    assert!(Segment::new(o, v(f64::INFINITY, 0.0, 0.0)).is_err());
    assert!(Triangle::new(o, x, 2.0 * x).is_err());
    assert!(Triangle::new(o, o, o).is_err());
    assert!(Triangle::new(o, x, nan).is_err());
    assert!(Polyline::new([x]).is_err());
    assert!(Polyline::new([o, x, x]).is_err());
    assert!(SmoothCurve::new([o], false).is_err());
    assert!(SmoothCurve::new([o, x], true).is_err());
    assert!(SmoothCurve::new([o, x, DVec3::Y, o], true).is_err());
    assert!(SmoothCurve::new([o, nan], false).is_err());
    assert!(Disc::new(o, o, 1.0).is_err());
    assert!(Disc::new(o, x, 0.0).is_err());
    assert!(Circle::new(o, x, f64::NAN).is_err());
    assert!(Circle::new(nan, x, 1.0).is_err());
    assert!(Ball::new(o, -1.0).is_err());
    assert!(Ball::new(o, 1e60).is_err());
    assert!(Cuboid::new(o, v(1.0, 0.0, 1.0)).is_err());
    assert!(HalfSpace::new(o, o).is_err());
    assert!(HalfSpace::new(nan, x).is_err());
    assert!(BezierPatch::new([[x; 4]; 4]).is_err());
    assert!(TriangleMesh::new([o, x], [[0, 1, 2]]).is_err());
    assert!(TriangleMesh::new([o, x, nan], [[0, 1, 2]]).is_err());
    assert!(TriangleMesh::new([o, x], Vec::<[u32; 3]>::new()).is_err());
}

#[test]
fn a_refusal_says_where_and_what_would_do() {
    let message = TriangleMesh::new([DVec3::ZERO, DVec3::X], [[0, 1, 0], [0, 1, 7]]).unwrap_err().to_string();
    assert_eq!(message, "triangle 1 (from 0) names vertex 7, but there are only 2, counted from 0");
    let message = Polyline::new([DVec3::ZERO, DVec3::X, DVec3::X]).unwrap_err().to_string();
    assert_eq!(message, "points 1 and 2 (from 0) are in the same place; remove one, or use a point skeleton");
    let message = SmoothCurve::new([DVec3::ZERO, DVec3::X], true).unwrap_err().to_string();
    assert_eq!(message, "a curve needs at least 3 points, got 2; add points");
}

#[test]
fn normals_of_any_length_are_made_unit_vectors() {
    for n in [v(0.0, 0.0, 1e-59), v(1e49, -1e49, 0.0), v(0.1, 0.2, 0.3)] {
        assert!((Disc::new(DVec3::ZERO, n, 1.0).unwrap().normal().length() - 1.0).abs() < 1e-15);
        assert!((HalfSpace::new(DVec3::ZERO, n).unwrap().normal().length() - 1.0).abs() < 1e-15);
    }
}

#[test]
fn the_smallest_and_largest_skeletons_accepted_are_computed_with() {
    for scale in [1e-58, 1e49] {
        let (o, x, y) = (DVec3::ZERO, scale * DVec3::X, scale * DVec3::Y);
        let net = std::array::from_fn(|i| {
            std::array::from_fn(|j| i as f64 * x + j as f64 * y + (i * j) as f64 * scale * DVec3::Z)
        });
        let skeletons: [Skeleton; 6] = [
            Segment::new(o, x).unwrap().into(),
            Triangle::new(o, x, y).unwrap().into(),
            Polyline::new([o, x, y]).unwrap().into(),
            SmoothCurve::new([o, x, y], true).unwrap().into(),
            TriangleMesh::new([o, x, y], [[0, 1, 2]]).unwrap().into(),
            BezierPatch::new(net).unwrap().into(),
        ];
        for s in skeletons {
            for p in [o, x, 0.3 * x - y, DVec3::ONE, 1e30 * DVec3::ONE] {
                let near = s.nearest(p);
                assert!(near.distance.is_finite() && near.direction.is_finite(), "{} at {p}: {near:?}", name(&s));
            }
        }
    }
}
