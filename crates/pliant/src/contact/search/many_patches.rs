//! Pairs that touch in many places: each patch a value of its own, and all together the right force.

use crate::contact::{FoundPatches, Pair, Patch, Quality, Side, Wrench};
use crate::fields::skeleton::{HalfSpace, Point, Segment};
use crate::fields::{Element, Kernel, LinkNumber, Part, Pose, Posed, Shape, Skeleton};
use crate::math::{DQuat, DVec3, Frame};
use std::f64::consts::PI;

/// Relative error of the force that [`Quality::default`] asks for, measured against the load of all patches.
const TOLERANCE: f64 = 1e-5;

/// Relative error of the force while stepping.
const STEPPING: f64 = 1e-3;

/// Stiffness of the soft side, Pa, and thickness of the ground, m: pressure grows by `K/T` per metre of depth.
const K: f64 = 1e5;
const T: f64 = 0.1;

/// How much less than the depth of a patch its overlap may be: that is measured at the greatest pressure sampled, and the
/// middle of a polar patch is off its centre by at most 0.12 of the radius, where the depth is less by the square of that.
const OVERLAP: f64 = 0.12 * 0.12;

/// Feet: points of this thickness, m, this far apart, pressed this deep.
const FOOT: f64 = 0.02;
const SPACING: f64 = 0.09;
const DEPTH: f64 = 3e-3;

fn shape(skeletons: impl IntoIterator<Item = Skeleton>, t: f64) -> Shape {
    let kernel = Kernel::linear(1.0, t, 2.0 * t).unwrap();
    Shape::new(skeletons.into_iter().map(|s| Element::new(s, kernel.clone())).collect(), 1.0)
}

/// The half-space below z = 0.
fn ground() -> Shape {
    shape([HalfSpace::new(-T * DVec3::Z, DVec3::Z).unwrap().into()], T)
}

/// Feet in a square, in the plane z = 0.
fn brush(n: usize) -> Shape {
    spaced_brush(n, SPACING)
}

fn spaced_brush(n: usize, spacing: f64) -> Shape {
    let at = |i: usize| spacing * DVec3::new((i % n) as f64, (i / n) as f64, 0.0);
    shape((0..n * n).map(|i| Point { at: at(i) }.into()), FOOT)
}

/// Depth of [`DEPTH`], the frame turned about the ground's normal.
fn pressed_in() -> Frame {
    let turn = DQuat::from_rotation_z(0.3);
    Frame { rotation: turn, translation: DVec3::new(0.02, -0.07, FOOT - DEPTH) }
}

/// A rigid brush on soft ground, or the ground on the brush.
fn brush_on_ground<'a>(brush: &'a Shape, ground: &'a Shape, at: Frame, swapped: bool) -> Pair<'a> {
    let a = Side { field: Posed::rigid(brush, at), stiffness: 3.0 * K, rigid: true };
    let b = Side { field: Posed::rigid(ground, Frame::IDENTITY), stiffness: K, rigid: false };
    if swapped { Pair { a: b, b: a } } else { Pair { a, b } }
}

/// Force that the ground's pressure `(K/T)·depth` makes on a rigid ball: as of buoyancy, the volume of the cap below the
/// surface, `π d² (3t − d)/3`.
fn foot_force(depth: f64) -> f64 {
    K / T * PI * depth * depth * (3.0 * FOOT - depth) / 3.0
}

/// Whether the overlap reported is that of a patch this deep.
fn is_deep(patch: &Patch, depth: f64) -> bool {
    (1.0 - OVERLAP..=1.0 + 1e-9).contains(&(patch.overlap / depth))
}

/// Forces and moments on both sides cancel, patch by patch, to `part` of the load.
fn assert_action_is_reaction(patches: &[Patch], part: f64) {
    for p in patches {
        let Wrench { force, moment } = p.on_a + p.on_b;
        let reach = p.area.sqrt();
        assert!(force.length() <= part * p.load, "{force} N of {}", p.load);
        assert!(moment.length() <= part * p.load * reach, "{moment} N m of {} N over {reach} m", p.load);
    }
}

#[test]
fn every_foot_of_a_brush_is_a_patch_with_the_force_of_one_foot() {
    for n in [3, 4] {
        let (brush, ground) = (brush(n), ground());
        let count = n * n;
        for swapped in [false, true] {
            let pair = brush_on_ground(&brush, &ground, pressed_in(), swapped);
            let patches = Patch::find(&pair, &Quality::default());
            assert_eq!(patches.len(), count, "{n} by {n} feet");
            let (one, upward) = (foot_force(DEPTH), if swapped { DVec3::NEG_Z } else { DVec3::Z });
            // Errors are measured against the load of all.
            let most = TOLERANCE * count as f64 * one;
            for patch in &patches {
                let off = patch.on_a.force.distance(one * upward);
                assert!(off <= most, "{n} by {n}: a foot is off by {off} N of {one}");
                assert!(is_deep(patch, DEPTH), "{} m deep", patch.overlap);
            }
            let total: DVec3 = patches.iter().map(|p| p.on_a.force).sum();
            let off = total.distance(count as f64 * one * upward);
            assert!(off <= most, "{n} by {n}: all are off by {off} N of {total}");
            assert_action_is_reaction(&patches, 1e-9);
        }
    }
}

#[test]
fn each_foot_has_one_patch_below_it() {
    let (n, at) = (4, pressed_in());
    let (brush, ground) = (brush(n), ground());
    let patches = Patch::find(&brush_on_ground(&brush, &ground, at, false), &Quality::default());
    for i in 0..n * n {
        let foot = at.point(SPACING * DVec3::new((i % n) as f64, (i / n) as f64, 0.0));
        let below = patches.iter().filter(|p| p.center_of_pressure.truncate().distance(foot.truncate()) < 1e-3 * FOOT);
        assert_eq!(below.count(), 1, "below foot {i}");
    }
}

#[test]
fn of_a_tilted_brush_the_feet_that_touch_are_patches() {
    // Turned about y, the rows along y lie 90 mm · sin 0.02 = 1.8 mm one above the other: the first is 3 mm deep, the second
    // 1.2 mm, the third and fourth are clear of the ground.
    let (n, tilt) = (4, 0.02f64);
    let (brush, ground) = (brush(n), ground());
    let at = Frame { rotation: DQuat::from_rotation_y(-tilt), translation: (FOOT - DEPTH) * DVec3::Z };
    let patches = Patch::find(&brush_on_ground(&brush, &ground, at, false), &Quality::default());
    assert_eq!(patches.len(), 2 * n);
    let depths = [DEPTH, DEPTH - SPACING * tilt.sin()];
    let load: f64 = depths.iter().map(|d| n as f64 * foot_force(*d)).sum();
    for depth in depths {
        let row: Vec<&Patch> = patches.iter().filter(|p| is_deep(p, depth)).collect();
        assert_eq!(row.len(), n, "{depth} m deep");
        for p in row {
            let off = p.on_a.force.distance(foot_force(depth) * DVec3::Z);
            assert!(off <= TOLERANCE * load, "{off} N of {}", foot_force(depth));
        }
    }
}

#[test]
fn patches_are_the_same_from_a_warm_start() {
    let (brush, ground) = (brush(3), ground());
    let before = pressed_in();
    let now = Frame { translation: before.translation + DVec3::new(1e-4, 0.0, -1e-4), ..before };
    let warm: Vec<_> = Patch::find(&brush_on_ground(&brush, &ground, before, false), &Quality::default())
        .iter()
        .map(Patch::warm_start)
        .collect();
    let pair = brush_on_ground(&brush, &ground, now, false);
    let found = Patch::find_warm(&pair, &Quality::default(), &warm);
    assert_eq!((found.patches.len(), found.undecided), (9, 0.0));
    let one = foot_force(DEPTH + 1e-4);
    for p in &found.patches {
        assert!(p.on_a.force.distance(one * DVec3::Z) <= TOLERANCE * 9.0 * one, "{} of {one}", p.on_a.force);
    }
}

/// 5 cm apart, the solids of neighbouring feet blend into one, 0.4 mm above the ground where they meet: influence ends 4 cm from a
/// foot, so that patches 1 cm wide feel only their own.
#[test]
fn cost_and_force_of_a_foot_do_not_depend_on_their_number() {
    let (quality, ground) = (Quality::within(STEPPING), ground());
    for (spacing, third) in [(0.05, false), (0.05, true), (SPACING, false), (SPACING, true)] {
        let costs = [3, 6, 12].map(|n| {
            let brush = spaced_brush(n, spacing);
            // Turned about y, the first third of all rows touches: the last of them by half the depth of a row.
            let rows = if third { n / 3 } else { n };
            let row = if third { DEPTH / (rows as f64 - 0.5) } else { 0.0 };
            let tilt = (row / spacing).asin();
            let at = |lower: f64| {
                let translation = (FOOT - DEPTH - lower) * DVec3::Z;
                let at = Frame { rotation: DQuat::from_rotation_y(-tilt), translation };
                Frame::at(DVec3::new(0.3, -0.2, 0.0))
                    * Frame { rotation: DQuat::from_rotation_z(0.3), ..Frame::IDENTITY }
                    * at
            };
            let force =
                |lower: f64| -> f64 { (0..rows).map(|i| n as f64 * foot_force(DEPTH + lower - row * i as f64)).sum() };
            let assert_found = |found: &FoundPatches, lower: f64| {
                assert_eq!(
                    (found.patches.len(), found.undecided),
                    (n * rows, 0.0),
                    "{n} by {n} feet, {spacing} m apart"
                );
                let total: DVec3 = found.patches.iter().map(|p| p.on_a.force).sum();
                let off = total.distance(force(lower) * DVec3::Z);
                assert!(off <= STEPPING * force(lower), "{n} by {n}: off by {off} N of {total}");
            };
            let cold = Patch::find_warm(&brush_on_ground(&brush, &ground, at(0.0), false), &quality, &[]);
            assert_found(&cold, 0.0);
            let warm: Vec<_> = cold.patches.iter().map(Patch::warm_start).collect();
            let reused = Patch::find_warm(&brush_on_ground(&brush, &ground, at(1e-5), false), &quality, &warm);
            assert!(reused.reused_charts);
            assert_found(&reused, 1e-5);
            [cold, reused].map(|f| f64::from(f.evaluations) / (n * rows) as f64)
        });
        for kind in [0, 1] {
            let each = costs.map(|c| c[kind]);
            let (least, most) = each.iter().fold((f64::INFINITY, 0.0f64), |(l, m), c| (l.min(*c), m.max(*c)));
            assert!(most <= 2.0 * least, "{each:?} evaluations a foot, {spacing} m apart");
        }
    }
}

/// When one foot of many lifts off, the others are reused, and it is not looked for again.
#[test]
fn feet_that_lift_off_leave_the_others_as_they_were() {
    let (n, quality, ground, brush) = (6, Quality::within(STEPPING), ground(), brush(6));
    // About y: the row at the far end leaves the ground.
    let at = |tilt: f64| Frame { rotation: DQuat::from_rotation_y(-tilt), translation: (FOOT - DEPTH) * DVec3::Z };
    let far = 5.0 * SPACING;
    let [before, after] = [0.99, 1.01].map(|part: f64| at((part * DEPTH / far).asin()));
    let cold = Patch::find_warm(&brush_on_ground(&brush, &ground, before, false), &quality, &[]);
    let warm: Vec<_> = cold.patches.iter().map(Patch::warm_start).collect();
    let found = Patch::find_warm(&brush_on_ground(&brush, &ground, after, false), &quality, &warm);
    assert_eq!((cold.patches.len(), found.patches.len()), (n * n, n * (n - 1)));
    assert!(found.evaluations < cold.evaluations / 3, "{} and {}", found.evaluations, cold.evaluations);
}

/// A body of two links: a palm of two segments, and a finger of one that another link bends onto it. The contact between both
/// groups of parts is that of two bodies of those parts.
#[test]
fn two_groups_of_parts_of_one_body_touch_as_two_bodies_do() {
    let (t, depth) = (0.03, 0.006);
    let kernel = Kernel::linear(1.0, t, 2.0 * t).unwrap();
    let segment = |p: DVec3, q: DVec3| Element::new(Segment::new(p, q).unwrap().into(), kernel.clone());
    let part = |element, link| Part { element, link: LinkNumber(link) };
    let palm = [DVec3::NEG_Y, DVec3::Y].map(|y| segment(DVec3::ZERO, 0.1 * y + 0.02 * DVec3::X));
    let finger = segment(DVec3::ZERO, 0.12 * DVec3::X);
    let parts = palm.iter().cloned().map(|e| part(e, 0)).chain([part(finger.clone(), 1)]);
    let body = Shape::of_parts(parts.collect(), 1.0);
    let palm_at = Frame { rotation: DQuat::from_rotation_x(0.3), translation: DVec3::new(0.1, 0.2, 0.3) };
    let finger_at = palm_at
        * Frame { rotation: DQuat::from_rotation_y(0.15), translation: DVec3::new(-0.05, 0.03, 2.0 * t - depth) };
    let frames = [palm_at, finger_at];
    let groups = [body.group(&[0, 1]), body.group(&[2])];
    let poses = [0, 1].map(|i| Pose::new(&groups[i], &frames));
    let side = |field| Side { field, stiffness: K, rigid: false };
    let within = Pair { a: side(Posed::new(&groups[0], &poses[0])), b: side(Posed::new(&groups[1], &poses[1])) };
    let (palm, finger) = (Shape::new(palm.to_vec(), 1.0), Shape::new(vec![finger], 1.0));
    let between = Pair { a: side(Posed::rigid(&palm, palm_at)), b: side(Posed::rigid(&finger, finger_at)) };
    let [p, q] = [within, between].map(|pair| Patch::find(&pair, &Quality::default()));
    assert_eq!((p.len(), q.len()), (1, 1));
    let off = p[0].on_a.force.distance(q[0].on_a.force);
    assert!(off <= 2.0 * TOLERANCE * q[0].load && q[0].load > 0.0, "off by {off} N of {}", q[0].load);
    // Reused, too.
    let quality = Quality::within(STEPPING);
    let before = Patch::find_warm(&within, &quality, &[]);
    let warm: Vec<_> = before.patches.iter().map(Patch::warm_start).collect();
    let again = Patch::find_warm(&within, &quality, &warm);
    let off = again.patches[0].on_a.force.distance(q[0].on_a.force);
    assert!(again.reused_charts && off <= 2.0 * STEPPING * q[0].load, "off by {off} N");
}

/// A bridge of three blended segments stands with both feet on a beam of two. Near the feet only one segment of each body
/// is felt, so that each patch is that of a leg alone on a half beam alone.
#[test]
fn two_blended_limbs_that_touch_twice_have_two_patches_of_single_limbs() {
    let segment = |p: DVec3, q: DVec3| -> Skeleton { Segment::new(p, q).unwrap().into() };
    let (t, depth) = (0.04, 0.008);
    let (left, right) = (DVec3::new(-0.12, 0.0, 0.2), DVec3::new(0.12, 0.0, 0.2));
    let leg = |top: DVec3| segment(top, top.with_z(0.0));
    let half_beam = |sign: f64| segment(DVec3::ZERO, sign * 0.3 * DVec3::X);
    let bridge = shape([segment(left, right), leg(left), leg(right)], t);
    let beam = shape([half_beam(-1.0), half_beam(1.0)], t);
    let legs = [left, right].map(|top| shape([leg(top)], t));
    let half_beams = [-1.0, 1.0].map(|sign| shape([half_beam(sign)], t));
    let turn = Frame { rotation: DQuat::from_rotation_y(0.4), translation: DVec3::new(0.3, 0.1, -0.2) };
    let above = turn * Frame::at((2.0 * t - depth) * DVec3::Z);
    let pair = |a, b| {
        let side = |shape, at, stiffness| Side { field: Posed::rigid(shape, at), stiffness, rigid: false };
        Pair { a: side(a, above, K), b: side(b, turn, 2.5 * K) }
    };
    let both = pair(&bridge, &beam);
    let patches = Patch::find(&both, &Quality::default());
    assert_eq!(patches.len(), 2);
    // By place: the left one first. Its own load is half of that which errors are measured against; so is that of the single
    // limb in its query.
    for (patch, (leg, beam)) in patches.iter().zip(legs.iter().zip(&half_beams)) {
        let alone = Patch::find(&pair(leg, beam), &Quality::default());
        assert_eq!(alone.len(), 1);
        let off = patch.on_a.force.distance(alone[0].on_a.force);
        assert!(off <= 3.0 * TOLERANCE * patch.load, "off by {off} N of {}", patch.load);
        assert!(is_deep(patch, depth), "{} m deep", patch.overlap);
    }
    // The bridge is symmetric: so are its feet.
    let along = |p: &Patch| turn.inverse().vector(p.on_a.force);
    let (p, q) = (along(&patches[0]), along(&patches[1]));
    assert!(p.distance(q * DVec3::new(-1.0, 1.0, 1.0)) <= 4.0 * TOLERANCE * patches[0].load, "{p} and {q}");
    assert_action_is_reaction(&patches, TOLERANCE);
}

/// A body on one foot rocks, turns and slides until the other touches: proofs that nothing else does are kept with the motion they
/// allow, and the second patch is found in the very step in which it begins.
#[test]
fn a_second_foot_is_found_when_it_touches() {
    let (quality, ground) = (Quality::within(STEPPING), ground());
    for spacing in [0.05, 0.2] {
        let feet = shape([0.0, spacing].map(|x| Point { at: x * DVec3::X }.into()), FOOT);
        let first = DEPTH / spacing;
        let at = |u: f64| Frame {
            rotation: DQuat::from_rotation_z(0.2 * u) * DQuat::from_rotation_y(-first * (1.5 - u)),
            translation: DVec3::new(0.3 - 1e-3 * u, 0.1, FOOT - DEPTH),
        };
        let (mut warm, mut counts, mut evaluations) = (Vec::new(), [0, 0, 0], 0);
        for step in 0..=100 {
            let pair = brush_on_ground(&feet, &ground, at(0.01 * f64::from(step)), false);
            let found = Patch::find_warm(&pair, &quality, &warm);
            let cold = Patch::find_warm(&pair, &quality, &[]);
            assert_eq!(found.patches.len(), cold.patches.len(), "{spacing} m apart, step {step}");
            counts[cold.patches.len()] += 1;
            evaluations += found.evaluations;
            warm = found.patches.iter().map(Patch::warm_start).collect();
        }
        assert!(counts[1] > 20 && counts[2] > 20 && evaluations > 0, "{counts:?}");
    }
}
