//! Data kept between steps does not change results; warnings name the right bodies.

use super::*;
use crate::bodies::BodyError;
use crate::contact::{Resolution, ShearState};
use crate::fields::skeleton::{Circle, Cuboid, HalfSpace, Point};
use crate::fields::{Element, Kernel, Profile, Skeleton};
use crate::math::{DQuat, Frame, Random};
use crate::model::{BodySpec, Bulge, Height, Interpolation, Key, Keys, Material, MotionSpec, Response, Scene, Scheme};
use crate::state::WarningKind;

/// Of the balls, metres.
const RADIUS: f64 = 0.1;
/// Of rings, metres.
const THIN: f64 = 0.01;

fn kernel(radius: f64) -> Kernel {
    Kernel::new(Profile::Linear, 1.0, (radius, 1.0 / radius, 2.0 * radius)).unwrap()
}

pub(crate) fn ball(name: &str, at: DVec3) -> BodySpec {
    BodySpec {
        name: name.to_owned(),
        material: Material::SOFT,
        response: Response::Soft,
        motion: MotionSpec::Rigid { mass: Some(1.0) },
        placement: Frame::at(at),
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        elements: vec![Element::new(Skeleton::Point(Point { at: DVec3::ZERO }), kernel(RADIUS))],
        core: Vec::new(),
    }
}

fn scene(bodies: Vec<BodySpec>) -> Scene {
    let motion = MotionSettings { scheme: Scheme::Explicit, ..MotionSettings::default() };
    Scene { bodies, gravity: DVec3::ZERO, motion, ..Scene::default() }
}

/// Forty balls that fly about and meet; every third is named out of order.
fn crowd() -> Scene {
    let mut random = Random(99);
    let mut vector = || random.vector();
    let one = |i: usize| {
        let at = DVec3::new((i % 4) as f64, (i / 4 % 4) as f64, (i / 16) as f64) * 0.23;
        BodySpec { velocity: 2.0 * vector(), ..ball(&format!("{}-{i}", ["c", "b", "a"][i % 3]), at) }
    };
    scene((0..40).map(one).collect())
}

#[test]
fn pairs_kept_from_earlier_steps_are_those_of_the_present_balls() {
    let mut world = World::new(&crowd()).unwrap();
    let (mut lists, mut met) = (0, 0);
    for _ in 0..150 {
        let before = world.derived.pairs.grown().to_vec();
        world.step(5e-4).unwrap();
        lists += usize::from(before != world.derived.pairs.grown());
        let middles: Vec<DVec3> = (0..40).map(|i| world.link(i).center()).collect();
        let meet = |i: usize, j: usize, reach: f64| middles[i].distance(middles[j]) <= 2.0 * RADIUS + reach;
        let pairs = (0..40).flat_map(|i| (i + 1..40).map(move |j| (i, j)));
        let expected: Vec<_> = pairs.filter(|&(i, j)| meet(i, j, 0.0)).collect();
        assert_eq!(world.derived.pairs.overlapping(world.sim().configuration(), true, |_, _| true), expected);
        for i in 0..40 {
            let near = (0..40).filter(|&j| j != i && meet(i, j, RADIUS));
            assert_eq!(
                world.derived.pairs.bodies_near(world.sim().configuration(), i, RADIUS),
                near.collect::<Vec<_>>()
            );
        }
        met += expected.len();
    }
    // At up to 3.5 m/s a margin of 2 cm lasts 12 steps; four more are added for speed.
    assert!((2..30).contains(&lists) && met > 300, "{lists} lists, {met} meetings");
}

#[test]
fn a_world_resumed_with_another_list_goes_on_with_the_same_bits() {
    let (mut straight, mut resumed) = (World::new(&crowd()).unwrap(), World::new(&crowd()).unwrap());
    for end in [0.01, 0.017, 0.03] {
        straight.advance_to(end).unwrap();
        let mut fresh = World::new(&crowd()).unwrap();
        fresh.restore(&resumed.snapshot()).unwrap();
        resumed = fresh;
        resumed.advance_to(end).unwrap();
        assert_eq!(straight.snapshot(), resumed.snapshot(), "at {end} s");
    }
}

fn shears(world: &World) -> Vec<ShearState> {
    world.state.friction.iter().map(|f| f.shear).collect()
}

/// Three pairs of balls and a dumbbell on a ball at each end, all pressed together and sheared.
fn sheared() -> World {
    let pair = |n: usize| {
        let at = DVec3::X * n as f64;
        let upper = BodySpec {
            velocity: DVec3::Y * (0.1 + 0.1 * n as f64),
            ..ball(&format!("upper-{n}"), at + DVec3::Z * 0.19)
        };
        [ball(&format!("lower-{n}"), at), upper]
    };
    let mut bodies: Vec<BodySpec> = (0..3).flat_map(pair).collect();
    let ends = |x: f64| [-x, x].map(|x| Element::new(Skeleton::Point(Point { at: DVec3::X * x }), kernel(RADIUS)));
    let turn = DVec3::Z * 1.0;
    let fixed = BodySpec { motion: MotionSpec::Fixed, elements: ends(0.3).to_vec(), ..ball("z-rack", DVec3::Y * 9.0) };
    let at = DVec3::new(0.0, 9.0, 0.19);
    let bell = BodySpec { elements: ends(0.3).to_vec(), angular_velocity: turn, ..ball("z-bell", at) };
    bodies.extend([fixed, bell]);
    let mut world = World::new(&scene(bodies)).unwrap();
    world.advance_to(2e-3).unwrap();
    assert_eq!(world.contacts().len(), 5);
    assert!(world.state.friction.iter().all(|f| f.shear.offset.length() > 1e-6));
    world
}

#[test]
fn shears_go_back_to_their_own_patches_whatever_the_order_of_the_list() {
    let mut world = sheared();
    let expected: Vec<ShearState> = shears(&world);
    let mut snapshot = world.snapshot();
    snapshot.friction.reverse();
    world.advance_to(3e-3).unwrap();
    world.restore(&snapshot).unwrap();
    assert_eq!(shears(&world), expected);
}

#[test]
fn a_patch_the_list_does_not_have_begins_without_shear_and_leaves_the_others_theirs() {
    let world = sheared();
    let snapshot = world.snapshot();
    for missing in 0..5 {
        let mut less = snapshot.clone();
        less.friction.remove(missing);
        let mut restored = sheared();
        restored.advance_to(3e-3).unwrap();
        restored.restore(&less).unwrap();
        for (i, c) in restored.contacts().iter().enumerate() {
            let expected = if i == missing { ShearState::default() } else { snapshot.friction[i].shear };
            assert_eq!(restored.state.friction[i].shear, expected, "patch {i} of {:?} without {missing}", c.pair);
        }
    }
}

/// A ball whose bulge is as high as its compression, between two others: 1 mm deep in one, 6 cm in the other. Compressions
/// are half of that over the radius, 0.005 and 0.3. A bulge is cut off beyond two thirds of its middle, which is at most
/// half of the end at 0.75: beyond 0.25.
#[test]
fn a_cut_off_bulge_is_said_to_be_where_it_is() {
    for (name, deep) in [("a", "z"), ("z", "a")] {
        let height = Height::Ratio(1.0);
        let bulge = Bulge::Dilation { height, falloff: 0.5, middle: None, follows_motion: false };
        let none = Material { bulge: Bulge::None, ..Material::SOFT };
        let middle = BodySpec { material: Material { bulge, ..Material::SOFT }, ..ball("m", DVec3::ZERO) };
        let light = BodySpec { material: none, ..ball(name, DVec3::X * 0.199) };
        let heavy = BodySpec { material: none, ..ball(deep, DVec3::X * -0.14) };
        let mut world = World::new(&scene(vec![middle, light, heavy])).unwrap();
        world.warn_of_bulges();
        let cut: Vec<_> = world.warnings().iter().filter(|w| w.kind == WarningKind::BulgeCutOff).collect();
        let deep = world.body_index(deep).unwrap();
        assert_eq!(cut.iter().map(|w| w.bodies).collect::<Vec<_>>(), [(1, deep)]);
    }
}

/// A ground whose surface goes through `at`.
fn ground(at: Frame, motion: MotionSpec) -> BodySpec {
    let below = HalfSpace::new(DVec3::Z * -RADIUS, DVec3::Z).unwrap();
    let elements = vec![Element::new(Skeleton::HalfSpace(below), kernel(RADIUS))];
    let material = Material::RIGID;
    BodySpec { elements, material, motion, response: Response::Rigid, placement: at, ..ball("ground", DVec3::ZERO) }
}

/// A ball in a ring that is larger by `gap` all round.
fn ball_in_a_ring(gap: f64) -> Scene {
    let circle = Circle::new(DVec3::ZERO, DVec3::Z, RADIUS + THIN + gap).unwrap();
    let elements = vec![Element::new(Skeleton::Circle(circle), kernel(THIN))];
    scene(vec![ball("ball", DVec3::ZERO), BodySpec { elements, ..ball("ring", DVec3::ZERO) }])
}

/// A cell that proves a gap of a nanometre is no larger than the part of a tangent that the ring's section, a circle of
/// 1 cm, leaves by a nanometre: √(2 · 0.01 · 1e-9) m = 4.5 µm. That makes 150 000 along the ring, and a search ends after
/// 20 000.
#[test]
fn a_search_that_is_given_up_is_told_once_with_its_pair_and_size() {
    let mut world = World::new(&ball_in_a_ring(1e-9)).unwrap();
    world.advance_to(2e-3).unwrap();
    let [Warning { time, bodies, kind, size }] = world.warnings() else { panic!("{:?}", world.warnings()) };
    assert_eq!((*time, *bodies, *kind), (0.0, (0, 1), WarningKind::Undecided));
    assert!(size.is_some_and(|s| s > world.quality().finest_cell * THIN && s < 4.0 * RADIUS), "{size:?}");
}

#[test]
fn with_more_room_or_pressed_together_nothing_is_left_to_tell() {
    for (gap, touch) in [(0.05 * THIN, false), (-0.05 * THIN, true)] {
        let world = World::new(&ball_in_a_ring(gap)).unwrap();
        assert_eq!((world.warnings(), world.contacts().is_empty()), (&[][..], !touch), "{gap}");
    }
}

/// Pressed in, only just touching, and lying exactly on the ground with a flat face: all of them fall and bounce.
#[test]
fn ordinary_touches_are_decided() {
    let cuboid = Cuboid::new(DVec3::ZERO, DVec3::splat(RADIUS)).unwrap();
    let elements = vec![Element::new(Skeleton::Cuboid(cuboid), kernel(RADIUS))];
    let block = BodySpec { elements, ..ball("block", DVec3::new(1.0, 0.0, 2.0 * RADIUS)) };
    let deep = ball("deep", DVec3::new(0.0, 1.0, 0.9 * RADIUS));
    let bodies = vec![block, deep, ball("light", DVec3::Z * RADIUS), ground(Frame::IDENTITY, MotionSpec::Fixed)];
    let mut world = World::new(&Scene { gravity: DVec3::NEG_Z * 9.8, ..scene(bodies) }).unwrap();
    world.advance_to(0.05).unwrap();
    assert_eq!(world.contacts().len(), 3);
    assert!(world.warnings().iter().all(|w| w.kind != WarningKind::Undecided), "{:?}", world.warnings());
}

fn first_touch_limit(world: &mut World) -> f64 {
    motion::first_touch_limit(&world.model, &world.state, &mut world.derived)
}

/// A thousandth of a second from now the ground under a ball 1 mm above it starts to rise at 10 m/s; a step of half a
/// millisecond may cover that, and is no longer than it takes to close the gap and 3 % of the ball's thickness.
#[test]
fn a_ground_that_is_about_to_start_limits_the_step_before() {
    let start = 1e-3;
    let key = |time: f64, z: f64| Key { time, placement: Frame::at(DVec3::Z * z) };
    let keys = Keys { keys: vec![key(start, 0.0), key(1.0 + start, 10.0)], interpolation: Interpolation::Linear };
    let bodies = vec![ground(Frame::IDENTITY, MotionSpec::Keyed(keys)), ball("ball", DVec3::Z * (RADIUS + 1e-3))];
    let mut world = World::new(&scene(bodies)).unwrap();
    assert_eq!(first_touch_limit(&mut world), f64::INFINITY);
    world.step(start - 1e-4).unwrap();
    let expected = (1e-3 + 0.03 * RADIUS) / 10.0;
    let limit = first_touch_limit(&mut world);
    assert!((limit / expected - 1.0).abs() < 1e-9, "{limit} {expected}");
}

/// A ground turning at 2 rad/s about the origin comes up at 20 m/s ten metres out.
#[test]
fn a_ground_that_turns_is_as_fast_as_where_the_other_is() {
    let key = |time: f64| {
        let rotation = DQuat::from_rotation_y(-2.0 * time);
        Key { time, placement: Frame { rotation, translation: DVec3::ZERO } }
    };
    let keys = Keys { keys: vec![key(0.0), key(1.0)], interpolation: Interpolation::Linear };
    let at = DVec3::new(10.0, 0.0, RADIUS + 1e-3);
    let bodies = vec![ground(Frame::IDENTITY, MotionSpec::Keyed(keys)), ball("ball", at)];
    let unseen = first_touch_limit(&mut World::new(&scene(bodies)).unwrap());
    let expected = (1e-3 + 0.03 * RADIUS) / 20.0;
    assert!(unseen <= expected && unseen > 0.9 * expected, "{unseen} {expected}");
}

/// Over a ground of 30°, at 20 m/s: a metre above it the step is free; 5 mm above it the ball may grow until its box is
/// there, and press in by 3 % of its thickness. A box that grows by 1 comes nearer by √3/2 + 1/2 =: n, so its lowest
/// corner is n − 1 radii nearer than the ball, and the 5 mm are covered when it has grown by 5 mm/n.
#[test]
fn a_tilted_ground_limits_only_those_who_can_reach_it() {
    let tilt = DQuat::from_rotation_y(30f64.to_radians());
    let up = tilt * DVec3::Z;
    let n = 0.75f64.sqrt() + 0.5;
    let corner = (n - 1.0) * RADIUS;
    for (gap, expected) in [(1.0, f64::INFINITY), (corner + 5e-3, (5e-3 / n + 0.03 * RADIUS) / 20.0)] {
        let flying = BodySpec { velocity: tilt * DVec3::X * 20.0, ..ball("ball", up * (RADIUS + gap)) };
        let frame = Frame { rotation: tilt, translation: DVec3::ZERO };
        let mut world = World::new(&scene(vec![ground(frame, MotionSpec::Fixed), flying])).unwrap();
        let unseen = first_touch_limit(&mut world);
        assert!(unseen == expected || (unseen <= expected && unseen > 0.99 * expected), "{unseen} {expected}");
    }
}

/// A ball 30 cm under the ground, one with its middle 15 cm under a soft one, and two balls that coincide: no surface is
/// shared, and the world says who is in whom.
#[test]
fn a_body_that_starts_inside_another_is_told() {
    let soft = BodySpec { response: Response::Soft, ..ground(Frame::IDENTITY, MotionSpec::Fixed) };
    let cases = [
        vec![ground(Frame::IDENTITY, MotionSpec::Fixed), ball("ball", DVec3::Z * -0.3)],
        vec![soft, ball("ball", DVec3::Z * -0.15)],
        vec![ball("b", DVec3::ZERO), ball("a", DVec3::ZERO)],
    ];
    for (bodies, expected) in cases.into_iter().zip([(0, 1), (0, 1), (0, 1)]) {
        let world = World::new(&scene(bodies)).unwrap();
        let reported: Vec<_> = world.warnings().iter().map(|w| (w.kind, w.time, w.bodies)).collect();
        assert_eq!(reported, [(WarningKind::StartsInside, 0.0, expected)]);
    }
    let apart = World::new(&scene(vec![ball("a", DVec3::ZERO), ball("b", DVec3::X * 0.21)])).unwrap();
    let pressed = World::new(&scene(vec![ball("a", DVec3::ZERO), ball("b", DVec3::X * 0.15)])).unwrap();
    assert!(apart.warnings().is_empty() && pressed.warnings().is_empty());
}

/// Of two grounds one is soft and comes down on the other: it would never be seen to deform.
#[test]
fn two_bodies_without_bounds_are_told_not_to_touch() {
    let key = |time: f64, z: f64| Key { time, placement: Frame::at(DVec3::Z * z) };
    let keys = Keys { keys: vec![key(0.0, 0.0), key(1.0, 1.0)], interpolation: Interpolation::Linear };
    let rising = BodySpec { name: "rising".into(), ..ground(Frame::IDENTITY, MotionSpec::Keyed(keys)) };
    let still = BodySpec { name: "still".into(), ..ground(Frame::IDENTITY, MotionSpec::Fixed) };
    let kinds = |bodies: Vec<BodySpec>| {
        World::new(&scene(bodies)).unwrap().warnings().iter().map(|w| w.kind).collect::<Vec<_>>()
    };
    let soft = BodySpec { response: Response::Soft, ..rising.clone() };
    assert_eq!(kinds(vec![soft, still.clone()]), [WarningKind::BothUnbounded]);
    assert_eq!(kinds(vec![rising, still]), []);
}

#[test]
fn twenty_thousand_bodies_in_one_place_are_refused_before_they_fill_the_memory() {
    let heap: Vec<BodySpec> = (0..20_000).map(|i| ball(&format!("b{i}"), DVec3::X * 1e-9 * f64::from(i))).collect();
    assert!(matches!(World::new(&scene(heap)), Err(BodyError::Crowded(_))));
    let still = |i| BodySpec { name: format!("g{i}"), ..ground(Frame::IDENTITY, MotionSpec::Fixed) };
    assert!(World::new(&scene((0..6_000).map(still).collect())).is_ok(), "what nothing moves does not count");
}

/// From rest, 1 cm above the ground, with steps in which gravity carries it 5 cm.
#[test]
fn a_slow_body_does_not_fall_through_the_ground_however_long_the_step_may_be() {
    let small = BodySpec {
        motion: MotionSpec::Rigid { mass: Some(0.01) },
        elements: vec![Element::new(Skeleton::Point(Point { at: DVec3::ZERO }), kernel(0.01))],
        ..ball("small", DVec3::Z * 0.02)
    };
    let mut falls = scene(vec![small, ground(Frame::IDENTITY, MotionSpec::Fixed)]);
    (falls.gravity, falls.motion.largest_step) = (DVec3::NEG_Z * 9.81, 0.1);
    let mut world = World::new(&falls).unwrap();
    for i in 1..=10 {
        world.advance_to(0.1 * f64::from(i)).unwrap();
        let height = world.link(world.body_index("small").unwrap()).center().z;
        assert!(height > 0.0, "at {height} m after {} s", world.time());
    }
}

#[test]
fn bodies_that_cannot_be_are_refused_with_what_must_be() {
    let keyed = |times: &[f64]| {
        let keys = times.iter().map(|&time| Key { time, placement: Frame::IDENTITY }).collect();
        MotionSpec::Keyed(Keys { keys, interpolation: Interpolation::Linear })
    };
    let good = || ball("ball", DVec3::ZERO);
    let material = |change: fn(&mut Material)| {
        let mut body = good();
        change(&mut body.material);
        body
    };
    let other_iso = Kernel::new(Profile::Linear, 2.0, (0.1, 10.0, 0.2)).unwrap();
    for (what, body) in [
        ("keys", BodySpec { motion: keyed(&[]), ..good() }),
        ("increasing times", BodySpec { motion: keyed(&[0.0, 0.0]), ..good() }),
        ("mass", BodySpec { motion: MotionSpec::Rigid { mass: Some(-1.0) }, ..good() }),
        ("velocity", BodySpec { velocity: DVec3::NAN, ..good() }),
        ("placement", BodySpec { placement: Frame::at(DVec3::INFINITY), ..good() }),
        ("stiffness", material(|m| m.stiffness = f64::NAN)),
        ("damping", material(|m| m.damping = -1.0)),
        ("isovalue", BodySpec { elements: vec![Element::new(Point { at: DVec3::ZERO }.into(), other_iso)], ..good() }),
    ] {
        let error = World::new(&scene(vec![body])).unwrap_err().to_string();
        assert!(error.contains("ball") && error.contains(what), "{what}: {error}");
    }
}

#[test]
fn a_world_refuses_what_would_never_end() {
    let mut world = World::new(&scene(vec![ball("ball", DVec3::ZERO)])).unwrap();
    let sound = *world.settings();
    for time in [f64::INFINITY, f64::NAN, f64::NEG_INFINITY, 1e300] {
        assert!(matches!(world.advance_to(time), Err(AdvanceError::NoTime(_))), "{time}");
    }
    world.advance_to(0.01).unwrap();
    world.advance_to(0.01).unwrap();
    assert_eq!(world.advance_to(0.0), Err(AdvanceError::Back { to: 0.0, now: 0.01 }));
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(world.step(dt), Err(AdvanceError::NoTime(_))), "{dt}");
    }
    for (largest_step, smallest_step) in [(0.0, 0.0), (f64::NAN, 1e-7), (1e-3, -1.0), (1e-9, 1e-7)] {
        *world.settings_mut() = MotionSettings { largest_step, smallest_step, ..sound };
        assert!(matches!(world.advance_to(1.0), Err(AdvanceError::Setting { .. })), "{largest_step} {smallest_step}");
    }
    *world.settings_mut() = sound;
    world.set_quality(Quality { resolution: Resolution::Tolerance(0.0), ..*world.quality() });
    let refused = world.advance_to(1.0).unwrap_err().to_string();
    assert_eq!(refused, "quality.resolution is 0, and must be a number above 0");
    assert_eq!(world.time(), 0.01);
}

/// A ball on a rigid turntable at 2 rad/s, at rest and rolling, sliding and spinning: slip at each point is the difference of
/// the two rigid motions. The ground is b, its surface level, so the vertical part is all that is not slip.
#[test]
fn slip_is_the_difference_of_two_rigid_motions_along_the_surface() {
    let key =
        |time: f64| Key { time, placement: Frame { rotation: DQuat::from_rotation_z(2.0 * time), ..Frame::IDENTITY } };
    let keys = Keys { keys: vec![key(0.0), key(1.0)], interpolation: Interpolation::Linear };
    let at = DVec3::new(0.3, -0.2, 0.095);
    for (velocity, angular_velocity) in [
        (DVec3::ZERO, DVec3::ZERO),
        (DVec3::new(1.0, 0.5, -0.2), DVec3::ZERO),
        (DVec3::new(0.3, 0.0, 0.1), DVec3::new(1.0, -2.0, 3.0)),
    ] {
        let ball = BodySpec { velocity, angular_velocity, ..ball("ball", at) };
        let table = ground(Frame::IDENTITY, MotionSpec::Keyed(keys.clone()));
        let world = World::new(&scene(vec![table, ball])).unwrap();
        let [contact] = world.contacts() else { panic!("{} contacts", world.contacts().len()) };
        let slip = world.slip_velocities(contact);
        assert_eq!(slip.len(), contact.patch.points.len());
        for (point, slip) in contact.patch.points.iter().zip(slip) {
            let p = point.position;
            let of_ball = velocity + angular_velocity.cross(p - at);
            let expected = (2.0 * DVec3::Z.cross(p) - of_ball).with_z(0.0);
            assert!((slip - expected).length() < 1e-9, "{slip} at {p}, not {expected}");
        }
    }
}

#[test]
fn a_rolling_ball_does_not_slip_and_two_that_turn_as_one_do_not_either() {
    // Level points below the middle stand still when v = ω h.
    let height = 0.095;
    let rolling = BodySpec {
        velocity: DVec3::X * 3.0 * height,
        angular_velocity: DVec3::Y * 3.0,
        ..ball("ball", DVec3::Z * height)
    };
    // About the origin: v = ω × x.
    let spin = DVec3::new(1.0, -0.4, 0.7);
    let turning =
        |name: &str, at: DVec3| BodySpec { velocity: spin.cross(at), angular_velocity: spin, ..ball(name, at) };
    let lower = DVec3::new(0.1, 0.2, 0.0);
    let upper = turning("upper", lower + DVec3::new(0.05, 0.03, 0.17));
    for bodies in [vec![rolling, ground(Frame::IDENTITY, MotionSpec::Fixed)], vec![turning("lower", lower), upper]] {
        let world = World::new(&scene(bodies)).unwrap();
        let slips = world.contacts().iter().flat_map(|c| world.slip_velocities(c));
        assert!(slips.map(|s| s.length()).fold(0.0, f64::max) < 1e-12);
        assert_eq!(world.contacts().len(), 1);
    }
    // One of them faster by v: what of v is along the surface.
    let mut faster = turning("upper", lower + DVec3::new(0.05, 0.03, 0.17));
    let v = DVec3::new(0.1, 0.2, -0.3);
    faster.velocity += v;
    let world = World::new(&scene(vec![turning("lower", lower), faster])).unwrap();
    let contact = &world.contacts()[0];
    for (point, slip) in contact.patch.points.iter().zip(world.slip_velocities(contact)) {
        assert!((slip - v.reject_from_normalized(point.normal)).length() < 1e-12);
    }
}

#[test]
fn patches_hold_the_elastic_energy_of_the_world() {
    let world = {
        let pressed = sheared();
        let at = |i: usize| ball(&pressed.bodies()[i].name, pressed.link(i).center());
        World::new(&scene((0..pressed.bodies().len()).map(at).collect())).unwrap()
    };
    let held: f64 = world.contacts().iter().map(|c| c.patch.energy(&world.pair(&c.pair))).sum();
    assert!((held / world.energy().elastic - 1.0).abs() < 1e-5);
}
