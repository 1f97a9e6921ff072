//! Bodies pushed past each other's skeletons: forces, the errors reported of them, and the work they take.

use crate::contact::{FoundPatches, Pair, Patch, Quality, Side};
use crate::fields::skeleton::{Cuboid, Point, Segment};
use crate::fields::{Element, Kernel, Posed, Shape, Skeleton};
use crate::math::{DQuat, DVec3, Frame};
use std::f64::consts::PI;

/// Stiffness of all bodies, Pa.
const K: f64 = 1e5;

/// Samples of a query, those of adaptive cells and of what was tried before them, against the samples allowed: rules for
/// patches seen whole are tried first, and cells that are begun are finished.
const WITH_ATTEMPTS: u32 = 2;

fn shape(skeleton: impl Into<Skeleton>, t: f64) -> Shape {
    Shape::new(vec![Element::new(skeleton.into(), Kernel::linear(1.0, t, 2.0 * t).unwrap())], 1.0)
}

fn ball(t: f64) -> Shape {
    shape(Point { at: DVec3::ZERO }, t)
}

fn find(a: &Shape, b: &Shape, b_at: Frame) -> FoundPatches {
    let side = |shape, at| Side { field: Posed::rigid(shape, at), stiffness: K, rigid: false };
    let quality = Quality::within(1e-3);
    let found = Patch::find_warm(&Pair { a: side(a, Frame::IDENTITY), b: side(b, b_at) }, &quality, &[]);
    assert!(!found.patches.is_empty());
    let most = WITH_ATTEMPTS * quality.max_samples;
    assert!(found.evaluations > 0 && found.evaluations <= most, "{} samples of {most}", found.evaluations);
    found
}

/// Net force on a, the load, and the greatest error reported, N.
fn sums(found: &FoundPatches) -> (DVec3, f64, f64) {
    let load: f64 = found.patches.iter().map(|p| p.load).sum();
    let error = found.patches.iter().map(|p| p.error * p.load).sum();
    (found.patches.iter().map(|p| p.on_a.force).sum(), load, error)
}

/// A ball of thickness t/2, d off the middle of one of thickness t, and inside it. Pressures are equal where the distances
/// from the middles are as 1 to 2: on a sphere of radius R = 2d/3 around a point D = 4d/3 off. On it the larger ball is
/// pressed with `K (1 − r/t)`, so that its force is `K/t` times the integral of `∇r` over the sphere's inside: the volume
/// times `1 − R²/5D² = 19/20`, for the mean of `r` over a ball is `D + R²/5D`.
#[test]
fn a_ball_inside_a_ball_is_pressed_as_in_closed_form_to_the_error_reported() {
    let t = 0.1;
    for at in [DVec3::new(0.01, 0.02, 0.0), DVec3::new(-0.004, 0.011, 0.013), 0.03 * DVec3::Z] {
        let (force, load, error) = sums(&find(&ball(t), &ball(0.5 * t), Frame::at(at)));
        let volume = 4.0 / 3.0 * PI * (2.0 / 3.0 * at.length()).powi(3);
        let expected = -K / t * volume * 0.95 * at.normalize();
        let off = force.distance(expected);
        assert!(
            off <= error && error < 0.05 * load,
            "{force} N, not {expected}: off by {off}, reported {error} of {load}"
        );
    }
}

/// Two boxes, each with a corner 5 cm inside the other, layers of 1 cm: the diagonal is an axis of symmetry.
#[test]
fn boxes_with_corners_far_in_each_other_push_along_the_diagonal() {
    let cube = shape(Cuboid::new(DVec3::ZERO, DVec3::splat(0.09)).unwrap(), 0.01);
    let (force, load, error) = sums(&find(&cube, &cube, Frame::at(DVec3::splat(0.15))));
    let across = force.reject_from(DVec3::ONE).length();
    assert!(across <= error && error < 0.05 * load, "{across} N across, reported {error} of {load} N");
    assert!(force.dot(DVec3::ONE) < 0.0, "{force}");
}

/// Work is bounded for boxes 5 cm in each other face to face, for rods through each other and for a rod in a large ball.
#[test]
fn bodies_past_each_others_skeletons_take_bounded_work_and_tell_their_error() {
    let cube = shape(Cuboid::new(DVec3::ZERO, DVec3::splat(0.09)).unwrap(), 0.01);
    let rod = shape(Segment::new(-0.03 * DVec3::X, 0.03 * DVec3::X).unwrap(), 0.02);
    let turned = |z: f64, translation: DVec3| Frame {
        rotation: DQuat::from_rotation_z(z) * DQuat::from_rotation_y(0.3),
        translation,
    };
    let pairs = [
        (&cube, &cube, Frame::at(DVec3::new(0.01, 0.02, 0.15))),
        (&rod, &rod, turned(1.0, DVec3::new(0.005, 0.003, 0.004))),
        (&rod, &rod, turned(0.3, DVec3::new(0.02, 0.003, 0.009))),
        (&rod, &ball(0.02), Frame::at(DVec3::new(0.02, 0.003, 0.004))),
        (&rod, &ball(0.08), Frame::at(DVec3::new(0.02, 0.03, 0.004))),
    ];
    for (a, b, at) in pairs {
        let found = find(a, b, at);
        let (_, load, error) = sums(&found);
        assert!(error > 0.0 && error < 0.1 * load, "{error} of {load} N");
        for patch in &found.patches {
            let both = (patch.on_a.force + patch.on_b.force).length();
            assert!(both <= 1e-3 * patch.load, "{both} N of {}", patch.load);
        }
    }
}
