//! Distances known in closed form.

use super::*;

fn close(s: &Skeleton, p: DVec3, distance: f64, direction: DVec3) {
    let near = s.nearest(p);
    assert!((near.distance - distance).abs() < 1e-14, "{} at {p}: {near:?}", name(s));
    assert!((near.direction - direction).length() < 1e-14, "{} at {p}: {near:?}", name(s));
}

#[test]
fn a_segment_is_nearest_at_its_side_or_its_end() {
    let s = Segment::new(DVec3::ZERO, 2.0 * DVec3::X).unwrap().into();
    close(&s, v(1.0, 3.0, 4.0), 5.0, v(0.0, 0.6, 0.8));
    // Past the end at (2, 0, 0) by (3, 4, 0).
    close(&s, v(5.0, 4.0, 0.0), 5.0, v(0.6, 0.8, 0.0));
    close(&s, v(1.0, 0.0, 0.0), 0.0, DVec3::ZERO);
}

#[test]
fn a_triangle_is_nearest_at_its_face_side_or_corner() {
    let s = Triangle::new(DVec3::ZERO, 2.0 * DVec3::X, 2.0 * DVec3::Y).unwrap().into();
    close(&s, v(0.5, 0.5, -3.0), 3.0, -DVec3::Z);
    close(&s, v(1.0, -3.0, 4.0), 5.0, v(0.0, -0.6, 0.8));
    close(&s, v(-3.0, -4.0, 0.0), 5.0, v(-0.6, -0.8, 0.0));
    // The long side x + y = 2 is 2/√2 − √2 = 4/√2 − 2/√2 = √2 from (2, 2).
    close(&s, v(2.0, 2.0, 0.0), 2f64.sqrt(), v(0.5f64.sqrt(), 0.5f64.sqrt(), 0.0));
    close(&s, v(0.5, 0.5, 0.0), 0.0, DVec3::ZERO);
}

#[test]
fn a_disc_is_flat_and_a_circle_is_hollow() {
    let disc = Disc::new(DVec3::ZERO, DVec3::Z, 2.0).unwrap().into();
    close(&disc, v(1.0, 1.0, 3.0), 3.0, DVec3::Z);
    close(&disc, v(5.0, 0.0, 4.0), 5.0, v(0.6, 0.0, 0.8));
    let circle: Skeleton = Circle::new(DVec3::ZERO, DVec3::Z, 2.0).unwrap().into();
    close(&circle, v(5.0, 0.0, 4.0), 5.0, v(0.6, 0.0, 0.8));
    close(&circle, v(0.5, 0.0, 2.0), 2.5, v(-0.6, 0.0, 0.8));
    // On the axis at height 1.5 every point of the circle is √(4 + 2.25) = 2.5 away.
    let near = circle.nearest(v(0.0, 0.0, 1.5));
    assert!((near.distance - 2.5).abs() < 1e-15 && (near.direction.z - 0.6).abs() < 1e-15);
}

#[test]
fn volumes_are_negative_inside() {
    let ball = Ball::new(DVec3::X, 2.0).unwrap().into();
    close(&ball, v(1.0, 0.5, 0.0), -1.5, DVec3::Y);
    close(&ball, DVec3::X, -2.0, DVec3::ZERO);
    let cuboid = Cuboid::new(DVec3::ZERO, v(1.0, 2.0, 3.0)).unwrap().into();
    close(&cuboid, v(-0.75, 0.0, 0.0), -0.25, -DVec3::X);
    close(&cuboid, v(1.0, 0.0, 0.0), 0.0, DVec3::X);
    close(&cuboid, v(4.0, -6.0, 0.0), 5.0, v(0.6, -0.8, 0.0));
    let floor = HalfSpace::new(DVec3::Z, 5.0 * DVec3::Z).unwrap().into();
    close(&floor, v(9.0, 9.0, -1.0), -2.0, DVec3::Z);
}

#[test]
fn a_half_space_is_unbounded_except_where_its_plane_lies_along_the_axes() {
    let down = HalfSpace::new(v(1.0, 2.0, 3.0), DVec3::Z).unwrap().bounds();
    assert_eq!((down.min, down.max), (DVec3::NEG_INFINITY, v(f64::INFINITY, f64::INFINITY, 3.0)));
    let up = HalfSpace::new(v(1.0, 2.0, 3.0), -DVec3::Y).unwrap().bounds();
    assert_eq!((up.min, up.max), (v(f64::NEG_INFINITY, 2.0, f64::NEG_INFINITY), DVec3::INFINITY));
    assert_eq!(HalfSpace::new(DVec3::ZERO, v(0.0, 1.0, 1.0)).unwrap().bounds(), Aabb::EVERYTHING);
}

#[test]
fn ranges_of_the_simplest_skeletons_are_exact() {
    // A cube of half size 1 around (3, 0, 0): from the plane x = 0 distances 2 to 4, from the ball of radius 1 at the
    // origin 2 − 1 to √(16 + 1 + 1) − 1, from the box of half size 1 exactly 1 to √(9) (corner (4, 1, 1) is 3 beyond
    // one face only), from a segment along z at the origin 2 to √17.
    let cell = Cell::from(Aabb::around(3.0 * DVec3::X, 1.0));
    let check = |s: Skeleton, lo: f64, hi: f64| {
        let range = s.distance_range(&cell);
        assert!((range.lo - lo).abs() < 1e-13 && (range.hi - hi).abs() < 1e-13, "{}: {range:?}", name(&s));
    };
    check(HalfSpace::new(DVec3::ZERO, DVec3::X).unwrap().into(), 2.0, 4.0);
    check(Ball::new(DVec3::ZERO, 1.0).unwrap().into(), 1.0, 18f64.sqrt() - 1.0);
    check(Cuboid::new(DVec3::ZERO, DVec3::ONE).unwrap().into(), 1.0, 3.0);
    check(Segment::new(-5.0 * DVec3::Z, 5.0 * DVec3::Z).unwrap().into(), 2.0, 17f64.sqrt());
}

#[test]
fn a_curve_goes_through_its_points_and_is_smooth_there() {
    for c in curves() {
        for &p in c.points() {
            assert!(c.nearest(p).distance < 1e-15);
        }
        let mut joints: Vec<_> = c.pieces().windows(2).map(|w| (w[0], w[1])).collect();
        if c.closed() {
            joints.push((c.pieces()[c.pieces().len() - 1], c.pieces()[0]));
        }
        for (a, b) in joints {
            let (arrive, leave) = ((a[3] - a[2]).normalize(), (b[1] - b[0]).normalize());
            assert_eq!(a[3], b[0]);
            // Control points of size up to 2 are rounded by 2ε, which turns a short leg by that over its length.
            let shortest = (a[3] - a[2]).length().min((b[1] - b[0]).length());
            assert!((arrive - leave).length() < 16.0 * f64::EPSILON / shortest, "{arrive} then {leave}");
        }
    }
}

#[test]
fn a_curve_through_points_of_a_line_or_two_points_is_straight() {
    let c: Skeleton = SmoothCurve::new([DVec3::ZERO, v(0.3, 0.0, 0.0), v(2.0, 0.0, 0.0)], false).unwrap().into();
    close(&c, v(0.7, 3.0, 4.0), 5.0, v(0.0, 0.6, 0.8));
    let c: Skeleton = SmoothCurve::new([DVec3::ZERO, v(2.0, 0.0, 0.0)], false).unwrap().into();
    close(&c, v(0.7, 3.0, 4.0), 5.0, v(0.0, 0.6, 0.8));
}

#[test]
fn directions_beside_a_joint_are_right_to_ten_digits() {
    // Straight above the line y = z = 0, a nanometre past the joint at x = 1: the closest point on the second piece is
    // nearer than the joint by 5e-19 only, which no distance in f64 shows, but the direction must still be +z.
    let p = v(1.0 + 1e-9, 0.0, 1.0);
    let line = Polyline::new([DVec3::ZERO, DVec3::X, 3.0 * DVec3::X]).unwrap();
    let curve = SmoothCurve::new([DVec3::ZERO, DVec3::X, 3.0 * DVec3::X], false).unwrap();
    let square =
        [v(0.0, -1.0, 0.0), v(1.0, -1.0, 0.0), v(3.0, -1.0, 0.0), v(0.0, 1.0, 0.0), v(1.0, 1.0, 0.0), v(3.0, 1.0, 0.0)];
    let mesh = TriangleMesh::new(square, [[0, 1, 3], [1, 4, 3], [1, 2, 4], [2, 5, 4]]).unwrap();
    for s in [Skeleton::from(line), curve.into(), mesh.into()] {
        for q in [p, v(2.0 - p.x, 0.0, 1.0)] {
            assert!((s.nearest(q).direction - DVec3::Z).length() < 1e-12, "{} {:?}", name(&s), s.nearest(q));
        }
    }
}

#[test]
fn a_sliver_in_a_mesh_does_not_invent_distances() {
    // A triangle 1e-13 high over a side of length 2: whatever its plane, its distance is that of the side to 1e-13.
    let tilt = v(0.6, 0.64, 0.48);
    let (a, b) = (v(0.3, 0.1, -0.2), v(0.3, 0.1, -0.2) + 2.0 * tilt);
    let c = 0.5 * (a + b) + 1e-13 * tilt.any_orthonormal_vector();
    let (mesh, side) = (TriangleMesh::new([a, b, c], [[0, 1, 2]]).unwrap(), Segment::new(a, b).unwrap());
    let mut r = Random(3);
    for _ in 0..10_000 {
        let p = 2.0 * r.vector();
        let (got, want) = (mesh.nearest(p).distance, side.nearest(p).distance);
        assert!((got - want).abs() < 2e-13, "at {p}: {got} against {want}");
    }
}
