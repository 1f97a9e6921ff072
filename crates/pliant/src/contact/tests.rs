//! Tiles against stars: two ways to one number.

use super::meeting::Meeting;
use super::star::Star;
use super::{FoundPatches, Pair, Patch, Quality, Resolution, Side, find, tiles};
use crate::fields::skeleton::{Circle, Cuboid, HalfSpace, Point, Segment};
use crate::fields::{Curve, Element, Kernel, Posed, Profile, Shape};
use crate::math::{DQuat, DVec3, Frame};
use std::sync::Arc;

fn kernel(profile: Profile, t: f64) -> Kernel {
    Kernel::new(profile, 1.0, (t, 1.0 / t, 2.0 * t)).unwrap()
}

fn ball(t: f64) -> Shape {
    Shape::new(vec![Element::new(Point { at: DVec3::ZERO }.into(), kernel(Profile::Linear, t))], 1.0)
}

/// Three points and a segment.
fn lumpy() -> Shape {
    let bar = Segment::new(DVec3::new(-0.05, 0.02, 0.0), DVec3::new(0.04, -0.03, 0.03)).unwrap();
    let mut elements = vec![Element::new(bar.into(), kernel(Profile::Linear, 0.06))];
    for (x, y, z, t) in [(0.05, 0.05, 0.01, 0.05), (-0.06, -0.04, -0.02, 0.055), (0.0, 0.0, -0.06, 0.05)] {
        elements.push(Element::new(Point { at: DVec3::new(x, y, z) }.into(), kernel(Profile::NonLinear, t)));
    }
    Shape::new(elements, 1.0)
}

fn pair<'a>((a, at_a): (&'a Shape, Frame), (b, at_b): (&'a Shape, Frame)) -> Pair<'a> {
    let side = |shape, at, stiffness| Side { field: Posed::rigid(shape, at), stiffness, rigid: false };
    Pair { a: side(a, at_a, 1e5), b: side(b, at_b, 2.5e5) }
}

/// Force by tiles of all regions, in a frame turned by `turn` from the one along the contact.
fn tiled(pair: &Pair, quality: &Quality, turn: f64) -> DVec3 {
    let (place, across) = find::across(pair, None).unwrap();
    let meeting = Meeting::new(pair, place, DQuat::from_rotation_x(turn) * across).unwrap();
    let meeting = meeting.closer(pair).unwrap();
    let force = |region| {
        tiles::integrate(&meeting, &region, quality).map_or(DVec3::ZERO, |p| p.iter().map(|p| p.on_a.force).sum())
    };
    meeting.world_from_here.vector(find::regions(&meeting, quality).into_iter().map(force).sum())
}

fn starred(pair: &Pair) -> DVec3 {
    let quality = Quality { resolution: Resolution::Fixed { radial: 32, angular: 1024 }, ..Quality::default() };
    let (place, across) = find::across(pair, None).unwrap();
    let meeting = Meeting::new(pair, place, across).unwrap();
    let seed = find::seed(&meeting).unwrap();
    meeting.world_from_here.vector(Star::from_seed(&meeting, seed, &quality, None).unwrap().patch.on_a.force)
}

#[test]
fn tiles_and_stars_agree_even_where_the_frame_lies_askew() {
    let (big, small, lumps) = (ball(0.1), ball(0.05), lumpy());
    let turned = Frame { rotation: DQuat::from_rotation_x(0.4), translation: DVec3::new(0.02, 0.01, 0.17) };
    for (name, pair) in [
        ("balls", pair((&big, Frame::IDENTITY), (&small, Frame::at(DVec3::new(0.06, 0.07, 0.1))))),
        ("lumps", pair((&lumps, Frame::IDENTITY), (&lumps, turned))),
    ] {
        let exact = starred(&pair);
        for (tolerance, cells_across) in [(1e-3, 4), (1e-4, 6), (2e-5, 6)] {
            for turn in [0.0, 0.3, 0.6] {
                let resolution = Resolution::Tolerance(tolerance);
                let force = tiled(&pair, &Quality { resolution, cells_across, ..Quality::default() }, turn);
                let error = (force - exact).length() / exact.length();
                assert!(error < tolerance, "{name}, turned {turn}: {error:.1e} at {tolerance:e}");
            }
        }
    }
}

#[test]
fn polygons_of_tiles_cover_the_patch_and_face_out_of_a() {
    let lumps = lumpy();
    let turned = Frame { rotation: DQuat::from_rotation_x(0.4), translation: DVec3::new(0.02, 0.01, 0.17) };
    let pair = pair((&lumps, Frame::IDENTITY), (&lumps, turned));
    let patches = Patch::find(&pair, &Quality::default());
    assert!(patches.iter().any(|p| p.method == super::Method::Tiles), "nothing was tiled");
    for patch in patches {
        let (vertices, faces) = patch.polygons();
        let mean: DVec3 = patch.points.iter().map(|p| p.area * p.normal).sum();
        let mut sum = DVec3::ZERO;
        for face in &faces {
            let at = |i: usize| vertices[face[i]];
            for i in 1..face.len() - 1 {
                sum += 0.5 * (at(i) - at(0)).cross(at(i + 1) - at(0));
            }
        }
        assert!((sum - mean).length() < 1e-2 * mean.length(), "faces add up to {sum}, points to {mean}");
    }
}

/// The half-space below z = 0.
fn ground() -> Shape {
    let below = HalfSpace::new(-0.1 * DVec3::Z, DVec3::Z).unwrap();
    Shape::new(vec![Element::new(below.into(), kernel(Profile::Linear, 0.1))], 1.0)
}

/// A ring nearly flat on the ground, a few micrometres deep: an overlap much longer than wide and much wider than deep,
/// beside the middle of every cell that is not much smaller still.
#[test]
fn an_overlap_far_thinner_than_the_finest_cell_is_found() {
    let (radius, t) = (0.11, 0.035);
    let circle = Circle::new(DVec3::ZERO, DVec3::Z, radius).unwrap();
    let (ring, ground) = (Shape::new(vec![Element::new(circle.into(), kernel(Profile::Linear, t))], 1.0), ground());
    for tilt in [1e-3f64, 1e-2, 1e-1] {
        for depth in [1e-6, 1e-5, 1e-4] {
            let translation = DVec3::Z * (t + radius * tilt.sin() - depth);
            let at = Frame { rotation: DQuat::from_rotation_x(tilt), translation };
            let found = Patch::find_again(&pair((&ring, at), (&ground, Frame::IDENTITY)), &Quality::default(), &[]);
            let deepest = found.patches.iter().map(|p| p.overlap).fold(0.0, f64::max);
            assert!((deepest / depth - 1.0).abs() < 0.01, "tilted {tilt}: {deepest} m deep, not {depth}");
        }
    }
}

/// Whatever the curve, and however deep: what is told is the length of the line on which both rest shapes are.
#[test]
fn the_overlap_told_is_that_of_the_rest_shapes() {
    let t = 0.1;
    let drawn = Curve::new(&[(0.0, 0.0), (0.02, 0.4), (0.1, 1.0)]).unwrap();
    for profile in [Profile::Linear, Profile::NonLinear, Profile::Hardening, Profile::Drawn(Arc::new(drawn))] {
        let element = Element::new(Point { at: DVec3::ZERO }.into(), kernel(profile.clone(), t));
        let (ball, ground) = (Shape::new(vec![element], 1.0), ground());
        for depth in [1e-6, 1e-3, 0.05] {
            let pairs = [
                pair((&ball, Frame::IDENTITY), (&ball, Frame::at((2.0 * t - depth) * DVec3::X))),
                pair((&ball, Frame::at((t - depth) * DVec3::Z)), (&ground, Frame::IDENTITY)),
            ];
            for pair in pairs {
                let told = Patch::find(&pair, &Quality::default())[0].overlap;
                assert!((told / depth - 1.0).abs() < 1e-6, "{profile:?}: {told} m, not {depth}");
            }
        }
    }
}

#[test]
fn faces_laid_exactly_upon_each_other_are_decided_to_be_apart() {
    let (half, t) = (0.1, 0.05);
    let cuboid = Cuboid::new(DVec3::ZERO, DVec3::splat(half)).unwrap();
    let (block, ground) = (Shape::new(vec![Element::new(cuboid.into(), kernel(Profile::Linear, t))], 1.0), ground());
    let at = |depth: f64| Frame::at(DVec3::Z * (half + t - depth));
    let found = |at| Patch::find_again(&pair((&block, at), (&ground, Frame::IDENTITY)), &Quality::default(), &[]);
    assert_eq!(found(at(0.0)), FoundPatches::default());
    assert_eq!(found(at(1e-9)).patches.len(), 1, "a nanometre is depth enough");
}

/// Flesh with a bone, and a third body, around a soft ball: fewer points than lanes take, and more than a grid does.
#[test]
fn many_points_of_a_deformed_body_are_the_same_as_one_by_one() {
    use super::{Collider, Deformed, Zone};
    use crate::fields::{Field, Points, Samples};
    use crate::model::{Bulge, Height};
    let kernel = |t: f64| Kernel::linear(1.0, t, 2.0 * t).unwrap();
    let ball = |t: f64| Shape::new(vec![Element::new(Point { at: DVec3::ZERO }.into(), kernel(t))], 1.0);
    let (flesh, bone) = (ball(0.1), ball(0.06));
    let place = |shape, at| Posed::rigid(shape, Frame::at(at));
    let collider = |body: usize, field, rigid: bool| {
        let zones = vec![Zone { center: DVec3::Z * 0.05, compression: 0.2, height: 0.05 }; usize::from(!rigid)];
        Collider { body, field, ratio: 2.0, rigid, velocity: DVec3::X, zones }
    };
    let colliders = vec![
        collider(1, place(&flesh, DVec3::Z * 0.14), false),
        collider(1, place(&bone, DVec3::Z * 0.14), true),
        collider(2, place(&flesh, DVec3::X * 0.17), false),
    ];
    let bulges = [
        Bulge::None,
        Bulge::Dilation { height: Height::DEFAULT, reach: 0.5, middle: None, follows_motion: true },
        Bulge::Attenuated { height: Height::DEFAULT, width: None },
    ];
    for bulge in bulges {
        let field = Deformed { field: place(&flesh, DVec3::ZERO), bulge, colliders: colliders.clone() };
        for count in [3, 40, 1000] {
            let at = |i: i32| {
                0.2 * DVec3::new((1.3 * f64::from(i)).sin(), (0.7 * f64::from(i)).cos(), (0.37 * f64::from(i)).sin())
            };
            let points: Points = (0..count).map(at).collect();
            let mut samples = Samples::default();
            field.samples_many(&points, &mut samples);
            for i in 0..points.len() {
                let one = field.sample(points.get(i));
                assert_eq!(samples.get(i), one, "{bulge:?} at {}", points.get(i));
                assert_eq!(field.value(points.get(i)), one.value);
            }
        }
    }
}
