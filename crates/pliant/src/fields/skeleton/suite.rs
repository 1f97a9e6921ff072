//! Tests that every kind of skeleton must pass.

mod refusals;
mod sampled;
mod values;
mod views;

use super::*;
use crate::math::{Aabb, Cell, DQuat, DVec3, Frame, Random};

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// A wavy sheet, a strongly folded one, one with a side collapsed to a point, a flat one, and an eighth of a sphere
/// to within 3e-4.
fn patches() -> Vec<BezierPatch> {
    let net = |f: &dyn Fn(f64, f64) -> DVec3| std::array::from_fn(|i| std::array::from_fn(|j| f(i as f64, j as f64)));
    let wavy = net(&|i, j| v(i - 1.5, j - 1.5, (i * 1.7).sin() + (j * 2.3 + i).cos()));
    let folded = net(&|i, j| v(2.0 * (i * 2.2).sin(), j - 1.0, 2.0 * (i * 1.9).cos() + 0.3 * j * j));
    let pointed = net(&|i, j| v(i * (j * 0.5).cos(), i * (j * 0.5).sin(), 1.0 - 0.2 * i * i));
    let flat = net(&|i, j| v(0.5 * i, 0.25 * j, 0.0));
    // A quarter circle as a cubic has its inner control points at (4/3)(√2 − 1).
    let k = 4.0 / 3.0 * (2f64.sqrt() - 1.0);
    let ring = |s: f64, z: f64| [v(s, 0.0, z), v(s, s * k, z), v(s * k, s, z), v(0.0, s, z)];
    let round = [ring(1.0, 0.0), ring(1.0, k), ring(k, 1.0), ring(0.0, 1.0)];
    [wavy, folded, pointed, flat, round].map(|n| BezierPatch::new(n).unwrap()).into()
}

fn curves() -> Vec<SmoothCurve> {
    let mut r = Random(77);
    let wild: Vec<DVec3> = (0..30).map(|_| 2.0 * r.vector()).collect();
    let ring: Vec<DVec3> = (0..8).map(|i| v((i as f64 * 0.785).cos(), (i as f64 * 0.785).sin(), 0.1)).collect();
    vec![
        SmoothCurve::new([v(0.0, 0.0, 0.0), v(1.0, 1.0, 0.0)], false).unwrap(),
        SmoothCurve::new([v(-1.0, 0.0, 0.0), v(0.0, 1.0, 0.5), v(1.0, 0.0, 0.0)], false).unwrap(),
        SmoothCurve::new(ring, true).unwrap(),
        SmoothCurve::new(wild, false).unwrap(),
    ]
}

fn polylines() -> Vec<Polyline> {
    let mut r = Random(5);
    let wild: Vec<DVec3> = (0..200).map(|_| 2.0 * r.vector()).collect();
    vec![Polyline::new([v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(1.0, 1.0, 0.0)]).unwrap(), Polyline::new(wild).unwrap()]
}

/// A tetrahedron, triangles strewn about, and a fine bumpy sheet.
fn meshes() -> Vec<TriangleMesh> {
    let mut r = Random(9);
    let corners = [v(1.0, 1.0, 1.0), v(1.0, -1.0, -1.0), v(-1.0, 1.0, -1.0), v(-1.0, -1.0, 1.0)];
    let strewn: Vec<DVec3> = (0..300).map(|i| v((i / 3) as f64 * 0.02, 0.0, 0.0) + r.vector()).collect();
    let n = 20u32;
    let sheet: Vec<DVec3> = (0..n * n)
        .map(|k| v((k % n) as f64 * 0.1 - 1.0, (k / n) as f64 * 0.1 - 1.0, 0.2 * (k as f64 * 0.7).sin()))
        .collect();
    let squares = (0..(n - 1) * (n - 1)).map(|k| k % (n - 1) + n * (k / (n - 1)));
    vec![
        TriangleMesh::new(corners, [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]).unwrap(),
        TriangleMesh::new(strewn, (0..100u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect::<Vec<_>>()).unwrap(),
        TriangleMesh::new(
            sheet,
            squares.flat_map(|k| [[k, k + 1, k + n], [k + 1, k + n + 1, k + n]]).collect::<Vec<_>>(),
        )
        .unwrap(),
    ]
}

fn all() -> Vec<Skeleton> {
    let mut all: Vec<Skeleton> = vec![
        Point { at: v(0.1, -0.4, 0.3) }.into(),
        Segment::new(v(-1.0, 0.2, 0.0), v(0.7, 0.4, 0.9)).unwrap().into(),
        Segment::new(v(0.0, 0.0, -1.0), v(0.0, 0.0, 1.0)).unwrap().into(),
        Triangle::new(v(-1.0, 0.0, 0.2), v(1.0, 0.1, 0.0), v(0.3, 1.2, 0.7)).unwrap().into(),
        Triangle::new(v(-1.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.1, 1e-3, 0.0)).unwrap().into(),
        Disc::new(v(0.2, 0.0, 0.1), v(0.0, 0.0, 2.0), 0.8).unwrap().into(),
        Disc::new(v(0.0, 0.3, 0.0), v(1.0, -2.0, 0.5), 1.3).unwrap().into(),
        Circle::new(v(0.2, 0.0, 0.1), v(0.0, 0.0, 1.0), 0.8).unwrap().into(),
        Circle::new(v(0.0, 0.3, 0.0), v(1.0, -2.0, 0.5), 1.3).unwrap().into(),
        Ball::new(v(0.1, 0.2, -0.3), 0.9).unwrap().into(),
        Cuboid::new(v(0.1, 0.2, -0.3), v(0.9, 0.4, 1.1)).unwrap().into(),
        Cuboid::new(v(0.0, 0.0, 0.0), v(1.0, 1.0, 0.05)).unwrap().into(),
        HalfSpace::new(v(0.0, 0.0, 0.2), v(0.0, 0.0, 3.0)).unwrap().into(),
        HalfSpace::new(v(0.0, 0.0, 0.2), v(0.3, -0.4, 1.0)).unwrap().into(),
    ];
    all.extend(polylines().into_iter().map(Skeleton::from));
    all.extend(curves().into_iter().map(Skeleton::from));
    all.extend(meshes().into_iter().map(Skeleton::from));
    all.extend(patches().into_iter().map(Skeleton::from));
    all
}

/// The kind and, of large ones, nothing more.
fn name(s: &Skeleton) -> String {
    format!("{s:?}").chars().take(60).collect()
}

#[test]
fn the_direction_is_the_gradient_of_the_distance() {
    // Central differences over 2h err by h²|d'''|/6 + ε/h. With h = 1e-5 and d''' below 1/d² < 1e4 where the
    // distance exceeds 0.01 that is below 2e-7 + 1e-10. Places where the gradient or its slope jumps show as one-sided
    // differences that disagree, or as a difference that changes when h is halved.
    let h = 1e-5;
    for s in all() {
        let mut r = Random(1);
        let mut smooth = 0;
        for _ in 0..400 {
            let p = 2.0 * r.vector();
            let near = s.nearest(p);
            let at = |axis: usize, h: f64| s.nearest(p + h * DVec3::AXES[axis]).distance;
            let central = |h: f64| DVec3::from_array([0, 1, 2].map(|axis| (at(axis, h) - at(axis, -h)) / (2.0 * h)));
            let bent = (0..3).any(|axis| (at(axis, h) - 2.0 * near.distance + at(axis, -h)).abs() > 1e-3 * h);
            let (wide, narrow) = (central(h), central(0.5 * h));
            if near.distance.abs() > 0.01 && !bent && (wide - narrow).length() < 3e-7 {
                smooth += 1;
                let error = (narrow - near.direction).length();
                assert!(error < 1e-6, "{} at {p}: {} but differences say {narrow}", name(&s), near.direction);
            }
        }
        assert!(smooth > 300, "{}: only {smooth} smooth places", name(&s));
    }
}

#[test]
fn the_direction_is_a_unit_vector_or_zero() {
    for s in all() {
        let mut r = Random(2);
        for _ in 0..500 {
            let p = 2.0 * r.vector();
            let length = s.nearest(p).direction.length();
            assert!((length - 1.0).abs() < 1e-14, "{} at {p}: {length}", name(&s));
            // On the skeleton itself, and a hair away from it.
            for q in [s.medial_point(p), s.medial_point(p).map(|q| q + (1e-15 * r.vector()))].into_iter().flatten() {
                let near = s.nearest(q);
                let length = near.direction.length();
                assert!(length == 0.0 || (length - 1.0).abs() < 1e-14, "{} at {q}: {length}", name(&s));
            }
        }
    }
}

#[test]
fn moving_by_a_metre_changes_the_distance_by_at_most_a_metre() {
    for s in all() {
        let mut r = Random(3);
        for k in 0..1000 {
            let (a, step) = (2.5 * r.vector(), 10f64.powi(-(k % 6)) * r.vector());
            let change = (s.nearest(a + step).distance - s.nearest(a).distance).abs();
            assert!(change <= step.length() + 1e-14, "{} from {a} by {step}: {change}", name(&s));
        }
    }
}

#[test]
fn distances_in_a_cell_lie_in_the_range_given_for_it() {
    for s in all() {
        let mut r = Random(4);
        for k in 0..300 {
            let mut half = r.vector().abs() * 10f64.powi(-(k % 5));
            if k % 7 == 0 {
                half.z = 0.0;
            }
            let turn = if k % 2 == 0 { DQuat::IDENTITY } else { DQuat::from_scaled_axis(3.0 * r.vector()) };
            let cell = Cell::from(Aabb { min: -half, max: half })
                .moved(&Frame { rotation: turn, translation: (2.0 * r.vector()) });
            let range = s.distance_range(&cell);
            assert!(range.lo <= range.hi);
            let reach = cell.radius();
            let d = s.nearest(cell.center).distance;
            // Never worse than what moving a metre allows.
            assert!(range.lo >= (d - reach) - 1e-13 && range.hi <= d + reach + 1e-13, "{}: {range:?}", name(&s));
            for i in 0..60 {
                let mut weight = r.vector();
                if i < 20 {
                    weight = weight.signum();
                }
                let p = cell.center
                    + weight.x * cell.half_axes()[0]
                    + weight.y * cell.half_axes()[1]
                    + weight.z * cell.half_axes()[2];
                let d = s.nearest(p).distance;
                // A point leaves its last bit to the cell; the others allow for rounding themselves.
                let ulp = if matches!(s, Skeleton::Point(_)) { 1e-15 } else { 0.0 };
                assert!(range.lo <= d + ulp && d - ulp <= range.hi, "{} {cell:?} {p}: {d} not in {range:?}", name(&s));
            }
        }
    }
}

#[test]
fn bounds_contain_the_nearest_points() {
    for s in all() {
        let mut r = Random(5);
        let bounds = s.bounds().grown(1e-14);
        for _ in 0..500 {
            let p = 3.0 * r.vector();
            let near = s.nearest(p);
            let q = p - near.distance * near.direction;
            // Inside a half-space the plane is within its box only where the box ends at the plane or nowhere.
            assert!(bounds.contains(q), "{}: {q} outside {bounds:?}", name(&s));
        }
    }
}

#[test]
fn a_medial_point_lies_on_the_skeleton_and_deep_in_a_volume() {
    for s in all() {
        let mut r = Random(6);
        for _ in 0..300 {
            let p = 3.0 * r.vector();
            match (&s, s.medial_point(p)) {
                (Skeleton::HalfSpace(_), core) => assert_eq!(core, None),
                (Skeleton::Ball(b), core) => assert_eq!(core, Some(b.center())),
                // As deep as a box goes: half its thinnest size.
                (Skeleton::Cuboid(b), Some(core)) => {
                    let depth = -s.nearest(core).distance;
                    assert!((depth - b.half_size().min_element()).abs() < 1e-15, "{depth}");
                }
                (_, Some(core)) => {
                    // Every step of p − d·n rounds by at most ε times lengths of up to 6; some dozen steps.
                    let d = s.nearest(core).distance;
                    let moved = (core.distance(p) - s.nearest(p).distance).abs();
                    assert!(d < 2e-14 && moved < 2e-14, "{}: {d}, {moved}", name(&s));
                }
                (_, None) => panic!("{} has no core at {p}", name(&s)),
            }
        }
    }
}

#[test]
fn nowhere_and_infinity_are_answered_without_panic() {
    for s in all() {
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, f64::MIN_POSITIVE] {
            for p in [v(x, 0.0, 0.0), v(0.0, x, x), DVec3::splat(x)] {
                let near = s.nearest(p);
                assert!(!p.is_nan() || near.distance.is_nan(), "{} at {p}: {near:?}", name(&s));
                s.medial_point(p);
                s.distance_range(&Cell::from(Aabb::around(p, 1.0)));
                s.distance_range(&Cell::from(Aabb { min: v(0.0, 0.0, 0.0), max: p }));
            }
        }
    }
}

#[test]
fn only_volumes_have_an_inside() {
    for s in all() {
        let mut r = Random(8);
        let negative = (0..500).any(|_| s.nearest(1.5 * r.vector()).distance < 0.0);
        assert_eq!(negative, s.is_volume(), "{}", name(&s));
    }
}
