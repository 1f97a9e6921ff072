//! Patches that are hard to find, and their depths.

use super::patch_set::PatchSet;
use super::uncovered::OverlapSearch;
use crate::contact::ascent::onto_surface;
use crate::contact::frame::{AllowedMotion, ContactFrame};
use crate::contact::quadrature::covered_patch::CoveredPatch;
use crate::contact::{Pair, Patch, Quality, Side};
use crate::fields::skeleton::{Circle, Cuboid, HalfSpace, Point};
use crate::fields::{Curve, Element, Kernel, Posed, Profile, Shape};
use crate::math::{DQuat, DVec3, Frame};
use std::sync::Arc;

fn kernel(profile: Profile, t: f64) -> Kernel {
    Kernel::new(profile, 1.0, (t, 1.0 / t, 2.0 * t)).unwrap()
}

fn pair<'a>((a, at_a): (&'a Shape, Frame), (b, at_b): (&'a Shape, Frame)) -> Pair<'a> {
    let side = |shape, at, stiffness| Side { field: Posed::rigid(shape, at), stiffness, rigid: false };
    Pair { a: side(a, at_a, 1e5), b: side(b, at_b, 2.5e5) }
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
            let found = Patch::find_warm(&pair((&ring, at), (&ground, Frame::IDENTITY)), &Quality::default(), &[]);
            let deepest = found.patches.iter().map(|p| p.overlap).fold(0.0, f64::max);
            assert!((deepest / depth - 1.0).abs() < 0.01, "tilted {tilt}: {deepest} m deep, not {depth}");
        }
    }
}

/// For every kernel and depth, `Patch::overlap` is the length of the line on which both rest shapes are.
#[test]
fn the_overlap_reported_is_that_of_the_rest_shapes() {
    let t = 0.1;
    let drawn = Curve::new(&[(0.0, 0.0), (0.02, 0.4), (0.1, 1.0)]).unwrap();
    for profile in [Profile::Linear, Profile::NonLinear, Profile::Hardening, Profile::Measured(Arc::new(drawn))] {
        let element = Element::new(Point { at: DVec3::ZERO }.into(), kernel(profile.clone(), t));
        let (ball, ground) = (Shape::new(vec![element], 1.0), ground());
        for depth in [1e-6, 1e-3, 0.05] {
            let pairs = [
                pair((&ball, Frame::IDENTITY), (&ball, Frame::at((2.0 * t - depth) * DVec3::X))),
                pair((&ball, Frame::at((t - depth) * DVec3::Z)), (&ground, Frame::IDENTITY)),
            ];
            for pair in pairs {
                let reported = Patch::find(&pair, &Quality::default())[0].overlap;
                assert!((reported / depth - 1.0).abs() < 1e-6, "{profile:?}: {reported} m, not {depth}");
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
    let found = |at| Patch::find_warm(&pair((&block, at), (&ground, Frame::IDENTITY)), &Quality::default(), &[]);
    let touching = found(at(0.0));
    assert_eq!((touching.patches.len(), touching.undecided), (0, 0.0));
    assert_eq!(found(at(1e-9)).patches.len(), 1, "a nanometre is depth enough");
}

/// Two feet on the ground, 0.3 m apart, 1 cm deep: patches of radius `√(2 · 0.1 · 0.01)`, about 45 mm, whose middles are off
/// their centres by at most 0.12 of that.
#[test]
fn an_overlap_is_uncovered_until_its_patch_is_found() {
    let foot = |x: f64| Element::new(Point { at: x * DVec3::X }.into(), kernel(Profile::Linear, 0.1));
    let (feet, ground) = (Shape::new([-0.15, 0.15].map(foot).to_vec(), 1.0), ground());
    let pair = pair((&feet, Frame::at(0.09 * DVec3::Z)), (&ground, Frame::IDENTITY));
    let (quality, frame) = (Quality::default(), ContactFrame::near(&pair, None, AllowedMotion::NONE).unwrap());
    let mut found = PatchSet::default();
    let mut search = OverlapSearch::new(&pair, &frame, &quality, &found);
    for _ in 0..2 {
        let p = search.next_uncovered(&found).expect("a foot without a patch");
        assert!(frame.probe(p).min_pressure() > 0.0 && found.iter().all(|f| f.is_outside(p)), "{p}");
        let seed = onto_surface(&frame, p, frame.thickness).unwrap();
        let polar = CoveredPatch::from_seed(&frame, &quality, seed, None).unwrap();
        assert!(!polar.is_outside(polar.patch.reference));
        found.push(polar);
    }
    assert_eq!(search.next_uncovered(&found), None);
    assert_eq!(search.undecided_size(), 0.0, "everything is decided");
    let middles: Vec<DVec3> = found.iter().map(|f| f.patch.reference).collect();
    let apart = middles[0].distance(middles[1]);
    assert!((apart - 0.3).abs() < 2.0 * 0.12 * 0.045, "{apart} m apart");
}
