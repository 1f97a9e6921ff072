//! Territories against closed forms and converged meshes.

use super::*;
use crate::fields::skeleton::{
    Ball, BezierPatch, Circle, Cuboid, Disc, Point, Polyline, Segment, SmoothCurve, Triangle, TriangleMesh,
};
use crate::fields::{Convolution, Kernel, Posed, Profile, Skeleton, Source};
use crate::math::Frame;
use crate::model::Bulge;
use crate::surface::{ImplicitSurface, march};
use std::f64::consts::PI;

const T: f64 = 0.1;

fn element(skeleton: impl Into<Skeleton>, t: f64) -> Element {
    Element::new(skeleton.into(), Kernel::new(Profile::Linear, 1.0, (t, 1.0 / t, 2.0 * t)).unwrap())
}

fn at_rest(shape: &Shape) -> Deformed<'_> {
    Deformed {
        field: Posed::rigid(shape, Frame::at(DVec3::new(1.0, 2.0, 3.0))),
        bulge: Bulge::None,
        colliders: Vec::new(),
    }
}

/// Volume and area of a mesh, from two grids: their errors go with the square of the cell.
fn meshed(body: &Deformed) -> (f64, f64) {
    let size = body.bounds_of_surface().size().max_element();
    let [coarse, fine] = [80.0, 160.0].map(|n| {
        let m = march(body, size / n).unwrap();
        let mesh = Mesh { positions: m.positions, triangles: m.triangles, ..Mesh::default() };
        (mesh.volume(), mesh.area())
    });
    let limit = |c: f64, f: f64| f + (f - c) / 3.0;
    (limit(coarse.0, fine.0), limit(coarse.1, fine.1))
}

fn p(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// Volumes by the theorem of Steiner for convex skeletons: of the skeleton, its sides, edges and corners.
#[test]
fn territories_of_lone_skeletons_hold_the_closed_form() {
    let ball = 4.0 / 3.0 * PI * T.powi(3);
    let (radius, length) = (0.25, 0.3);
    let triangle = [p(0.0, 0.0, 0.0), p(0.3, 0.0, 0.1), p(0.1, 0.4, 0.0)];
    let side = |i: usize| triangle[i].distance(triangle[(i + 1) % 3]);
    let (face, rim) =
        (0.5 * (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]).length(), side(0) + side(1) + side(2));
    let flat = |face: f64, rim: f64| 2.0 * T * face + 0.5 * PI * T * T * rim + ball;
    let half = p(0.1, 0.2, 0.3);
    let sides = 8.0 * (half.x * half.y + half.y * half.z + half.z * half.x);
    let cases: Vec<(&str, Skeleton, f64)> = vec![
        ("point", Point { at: p(0.1, 0.2, 0.3) }.into(), ball),
        ("ball", Ball::new(p(0.1, 0.0, 0.0), 0.2).unwrap().into(), 4.0 / 3.0 * PI * 0.3f64.powi(3)),
        ("segment", Segment::new(p(0.0, 0.0, 0.0), p(0.0, length, 0.0)).unwrap().into(), ball + PI * T * T * length),
        ("triangle", Triangle::new(triangle[0], triangle[1], triangle[2]).unwrap().into(), flat(face, rim)),
        (
            "disc",
            Disc::new(DVec3::ZERO, DVec3::Z, radius).unwrap().into(),
            // The rim is half a torus: its cross-section turns about the axis at the distance of its centroid (Pappus).
            2.0 * T * PI * radius * radius + 2.0 * PI * (radius + 4.0 * T / (3.0 * PI)) * 0.5 * PI * T * T,
        ),
        ("circle", Circle::new(DVec3::ZERO, DVec3::Y, radius).unwrap().into(), 2.0 * PI * radius * PI * T * T),
        (
            "box",
            Cuboid::new(p(0.0, 0.1, 0.0), half).unwrap().into(),
            8.0 * half.x * half.y * half.z + T * sides + PI * T * T * 2.0 * (half.x + half.y + half.z) + ball,
        ),
    ];
    for (name, skeleton, volume) in cases {
        let shape = Shape::new(vec![element(skeleton, T)], 1.0);
        let sampled = Sampling::new(&shape, DEFAULT_FINENESS).sample(&at_rest(&shape));
        let error = sampled.volume() / volume - 1.0;
        assert!(error.abs() < 1e-3 && sampled.split == 0, "{name}: volume off by {error:.1e}, {} split", sampled.split);
    }
}

#[test]
fn territories_of_bent_and_blended_bodies_hold_what_a_mesh_does() {
    let clover =
        |n: usize| (0..n).map(|i| DVec3::from_array([(i as f64 * 2.0).sin(), (i as f64 * 2.0).cos(), 0.0]) * 0.12);
    let bend = [p(0.0, 0.0, 0.0), p(0.3, 0.0, 0.0), p(0.4, 0.3, 0.1), p(0.1, 0.5, 0.2)];
    let roof = TriangleMesh::new(
        vec![p(0.0, 0.0, 0.0), p(0.3, 0.0, 0.0), p(0.3, 0.4, 0.15), p(0.0, 0.4, 0.15), p(0.1, -0.3, 0.2)],
        vec![[0, 1, 2], [0, 2, 3], [0, 4, 1]],
    );
    let control = [0, 1, 2, 3].map(|i| {
        [0, 1, 2, 3].map(|j| p(0.15 * f64::from(i), 0.15 * f64::from(j), 0.05 * f64::from((i - 1) * (j - 2))))
    });
    let convolved =
        Convolution::segments(&[(bend[1], bend[2]), (bend[0], bend[1]), (bend[2], bend[3])], 1.0, (0.06, None, 0.14));
    let lone = |e: Element| vec![e];
    let cases: Vec<(&str, Vec<Element>)> = vec![
        ("blended pair", vec![element(Point { at: DVec3::ZERO }, T), element(Point { at: p(0.15, 0.0, 0.0) }, T)]),
        ("clover", clover(3).map(|at| element(Point { at }, T)).collect()),
        (
            "limb",
            vec![
                element(Segment::new(p(0.0, 0.0, 0.0), p(0.3, 0.0, 0.0)).unwrap(), 0.08),
                element(Segment::new(p(0.3, 0.0, 0.0), p(0.4, 0.3, 0.0)).unwrap(), 0.06),
            ],
        ),
        ("polyline", lone(element(Polyline::new(bend.to_vec()).unwrap(), 0.06))),
        ("curve", lone(element(SmoothCurve::new(bend.to_vec(), false).unwrap(), 0.05))),
        ("ring", lone(element(SmoothCurve::new(bend.to_vec(), true).unwrap(), 0.05))),
        ("roof", lone(element(roof.unwrap(), 0.06))),
        ("patch", lone(element(BezierPatch::new(control).unwrap(), 0.05))),
        ("convolution", lone(Element { source: Source::Convolution(convolved.unwrap()), strength: 1.0 })),
    ];
    for (name, elements) in cases {
        let shape = Shape::new(elements, 1.0);
        let body = at_rest(&shape);
        let sampled = Sampling::new(&shape, DEFAULT_FINENESS).sample(&body);
        let (volume, area) = meshed(&body);
        let errors = (sampled.volume() / volume - 1.0, sampled.area() / area - 1.0);
        assert!(errors.0.abs() < 1e-3, "{name}: volume off by {:.1e}", errors.0);
        assert!(errors.1.abs() < 5e-3, "{name}: area off by {:.1e}", errors.1);
    }
}

#[test]
fn samples_go_on_from_where_they_were_and_end_where_new_ones_do() {
    let shape =
        Shape::new(vec![element(Point { at: DVec3::ZERO }, T), element(Point { at: p(0.15, 0.0, 0.0) }, T)], 1.0);
    let other = Shape::new(vec![element(Point { at: DVec3::ZERO }, T)], 1.0);
    let mut warm = Sampling::new(&shape, DEFAULT_FINENESS);
    for i in 0..6 {
        let mut body = at_rest(&shape);
        body.colliders.push(crate::visible::Collider {
            body: 1,
            field: Posed::rigid(&other, Frame::at(p(1.0, 2.0, 3.19 - 0.002 * f64::from(i)))),
            ratio: 1.0,
            rigid: false,
            velocity: DVec3::ZERO,
            sources: Vec::new(),
        });
        let (went_on, anew) = (warm.sample(&body), Sampling::new(&shape, DEFAULT_FINENESS).sample(&body));
        for (s, t) in went_on.samples.iter().zip(&anew.samples) {
            assert!(s.position.distance(t.position) < 1e-9 && s.valid == t.valid, "{s:?} {t:?}");
        }
        let surface = anew.samples.iter().filter(|s| s.valid);
        assert!(surface.map(|s| (body.value(s.position) - 1.0).abs()).fold(0.0, f64::max) < 1e-9);
    }
}

/// A small, steep skeleton inside the territory of a large one: lines of the large one pass through the small one's.
#[test]
fn a_territory_around_another_is_noticed_and_measured_right() {
    let shape =
        Shape::new(vec![element(Point { at: DVec3::ZERO }, 0.2), element(Point { at: p(0.1, 0.0, 0.0) }, 0.04)], 1.0);
    let body = at_rest(&shape);
    let sampled = Sampling::new(&shape, 2 * DEFAULT_FINENESS).sample(&body);
    assert!(sampled.split > 10, "{} lines split", sampled.split);
    let error = sampled.volume() / meshed(&body).0 - 1.0;
    assert!(error.abs() < 1e-3, "volume off by {error:.1e}");
    assert!(sampled.territories[1].volume > 0.0 && sampled.territories[1].area == 0.0);
}

/// Polygons between neighbours cover a lone body: nothing open, nothing inside out.
#[test]
fn polygons_of_a_lone_skeleton_enclose_its_volume() {
    let skeletons: [Skeleton; 3] = [
        Point { at: DVec3::ZERO }.into(),
        Segment::new(DVec3::ZERO, p(0.2, 0.1, 0.0)).unwrap().into(),
        Polyline::new(vec![DVec3::ZERO, p(0.2, 0.1, 0.0), p(0.2, 0.4, 0.2)]).unwrap().into(),
    ];
    for skeleton in skeletons {
        let name = format!("{skeleton:?}");
        let shape = Shape::new(vec![element(skeleton, T)], 1.0);
        let sampled = Sampling::new(&shape, DEFAULT_FINENESS).sample(&at_rest(&shape));
        let (mesh, volume) = (sampled.mesh(), sampled.volume());
        assert!((mesh.volume() / volume - 1.0).abs() < 1e-2, "{name}: {} of {volume} m³", mesh.volume());
    }
}
