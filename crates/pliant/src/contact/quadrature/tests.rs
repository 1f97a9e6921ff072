//! Adaptive cells against the polar rule: two ways to one number.

use super::cells;
use super::polar::PolarPatch;
use crate::contact::ascent::seed;
use crate::contact::frame::{AllowedMotion, ContactFrame, initial_axis};
use crate::contact::search::regions::regions;
use crate::contact::{Method, Pair, Patch, Quality, Resolution, Side};
use crate::fields::skeleton::{Point, Segment};
use crate::fields::{Element, Kernel, Posed, Profile, Shape};
use crate::math::{DQuat, DVec3, Frame};

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

/// Force by adaptive cells over all regions, in a frame turned by `turn` from the one across the contact.
fn by_cells(pair: &Pair, quality: &Quality, turn: f64) -> DVec3 {
    let (place, across) = initial_axis(pair, None).unwrap();
    let frame = ContactFrame::new(pair, place, DQuat::from_rotation_x(turn) * across, AllowedMotion::NONE).unwrap();
    let frame = frame.shrunk(pair).unwrap();
    let all = cells::WorkBudget { samples: u32::MAX, deep: false };
    let force = |region| {
        cells::integrate(&frame, &region, quality, all).map_or(DVec3::ZERO, |p| p.iter().map(|p| p.on_a.force).sum())
    };
    frame.world_from_contact.vector(regions(&frame, quality).into_iter().map(force).sum())
}

fn by_polar_rule(pair: &Pair) -> DVec3 {
    let quality = Quality { resolution: Resolution::Fixed { radial: 32, angular: 1024 }, ..Quality::default() };
    let frame = ContactFrame::near(pair, None, AllowedMotion::NONE).unwrap();
    let seed = seed(&frame).unwrap();
    let polar = PolarPatch::from_seed(&frame, &quality, seed, None).unwrap();
    frame.world_from_contact.vector(polar.patch.on_a.force)
}

#[test]
fn cells_and_the_polar_rule_agree_even_where_the_frame_is_tilted() {
    let (big, small, lumps) = (ball(0.1), ball(0.05), lumpy());
    let turned = Frame { rotation: DQuat::from_rotation_x(0.4), translation: DVec3::new(0.02, 0.01, 0.17) };
    for (name, pair) in [
        ("balls", pair((&big, Frame::IDENTITY), (&small, Frame::at(DVec3::new(0.06, 0.07, 0.1))))),
        ("lumps", pair((&lumps, Frame::IDENTITY), (&lumps, turned))),
    ] {
        let exact = by_polar_rule(&pair);
        for (tolerance, cells_across) in [(1e-3, 4), (1e-4, 6), (2e-5, 6)] {
            for turn in [0.0, 0.3, 0.6] {
                let resolution = Resolution::Tolerance(tolerance);
                let force = by_cells(&pair, &Quality { resolution, cells_across, ..Quality::default() }, turn);
                let error = (force - exact).length() / exact.length();
                assert!(error < tolerance, "{name}, tilted {turn}: {error:.1e} at {tolerance:e}");
            }
        }
    }
}

#[test]
fn polygons_of_cells_cover_the_patch_and_face_out_of_a() {
    let lumps = lumpy();
    let turned = Frame { rotation: DQuat::from_rotation_x(0.4), translation: DVec3::new(0.02, 0.01, 0.17) };
    let pair = pair((&lumps, Frame::IDENTITY), (&lumps, turned));
    let patches = Patch::find(&pair, &Quality::default());
    assert!(patches.iter().any(|p| p.method == Method::Cells), "no patch was integrated in cells");
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
