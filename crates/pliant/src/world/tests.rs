//! What the world remembers between steps must not show, and what it says must be about the right bodies.

use super::*;
use crate::fields::skeleton::Point;
use crate::fields::{Element, Kernel, Profile, Skeleton};
use crate::math::Frame;
use crate::scene::{BodySpec, Bulge, Height, Material, MotionSpec, Response};

/// Of the balls, metres.
const RADIUS: f64 = 0.1;

fn kernel(radius: f64) -> Kernel {
    Kernel::new(Profile::Linear, 1.0, (radius, 1.0 / radius, 2.0 * radius)).unwrap()
}

fn ball(name: &str, at: DVec3) -> BodySpec {
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
    Scene { bodies, gravity: DVec3::ZERO, ..Scene::default() }
}

/// Numbers in `[−1, 1)`, the same every time.
fn random() -> impl FnMut() -> f64 {
    let mut seed = 99u64;
    move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Forty balls that fly about and meet; every third is named out of order.
fn crowd() -> Scene {
    let mut random = random();
    let mut vector = || DVec3::new(random(), random(), random());
    let one = |i: usize| {
        let at = DVec3::new((i % 4) as f64, (i / 4 % 4) as f64, (i / 16) as f64) * 0.23;
        BodySpec { velocity: 2.0 * vector(), ..ball(&format!("{}-{i}", ["c", "b", "a"][i % 3]), at) }
    };
    scene((0..40).map(one).collect())
}

#[test]
fn pairs_kept_from_earlier_steps_are_those_of_the_present_boxes() {
    let mut world = World::new(&crowd()).unwrap();
    let (mut lists, mut met) = (0, 0);
    for _ in 0..150 {
        let before = world.near.grown().to_vec();
        world.step(5e-4);
        lists += usize::from(before != world.near.grown());
        let boxes: Vec<_> = world.bodies.iter().map(Body::bounds).collect();
        let pairs =
            world.by_name.iter().enumerate().flat_map(|(r, &i)| world.by_name[r + 1..].iter().map(move |&j| (i, j)));
        let expected: Vec<_> = pairs.filter(|&(i, j)| boxes[i].overlaps(&boxes[j])).collect();
        assert_eq!(world.meeting(true).collect::<Vec<_>>(), expected);
        for i in 0..40 {
            let reach = boxes[i].grown(RADIUS);
            let near = world.by_name.iter().copied().filter(|&j| j != i && boxes[j].overlaps(&reach));
            assert_eq!(world.around(i, RADIUS), near.collect::<Vec<_>>());
        }
        met += expected.len();
    }
    // At up to 3.5 m/s a margin of 2 cm lasts 12 steps; four more are added for speed.
    assert!((2..30).contains(&lists) && met > 1000, "{lists} lists, {met} meetings");
}

#[test]
fn a_world_resumed_with_another_list_goes_on_with_the_same_bits() {
    let (mut straight, mut resumed) = (World::new(&crowd()).unwrap(), World::new(&crowd()).unwrap());
    for end in [0.01, 0.017, 0.03] {
        straight.advance_to(end);
        let mut fresh = World::new(&crowd()).unwrap();
        fresh.restore(&resumed.snapshot()).unwrap();
        resumed = fresh;
        resumed.advance_to(end);
        assert_eq!(straight.snapshot(), resumed.snapshot(), "at {end} s");
    }
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
    world.advance_to(2e-3);
    assert_eq!(world.contacts().len(), 5);
    assert!(world.contacts().iter().all(|c| c.stick.offset.length() > 1e-6));
    world
}

#[test]
fn shears_go_back_to_their_own_patches_whatever_the_order_of_the_list() {
    let mut world = sheared();
    let expected: Vec<Stick> = world.contacts().iter().map(|c| c.stick).collect();
    let mut snapshot = world.snapshot();
    snapshot.grips.reverse();
    world.advance_to(3e-3);
    world.restore(&snapshot).unwrap();
    assert_eq!(world.contacts().iter().map(|c| c.stick).collect::<Vec<_>>(), expected);
}

#[test]
fn a_patch_the_list_does_not_have_begins_without_shear_and_leaves_the_others_theirs() {
    let world = sheared();
    let snapshot = world.snapshot();
    for missing in 0..5 {
        let mut less = snapshot.clone();
        less.grips.remove(missing);
        let mut restored = sheared();
        restored.advance_to(3e-3);
        restored.restore(&less).unwrap();
        for (i, c) in restored.contacts().iter().enumerate() {
            let expected = if i == missing { Stick::default() } else { snapshot.grips[i].stick };
            assert_eq!(c.stick, expected, "patch {i} of {:?} without {missing}", c.touch);
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
        let bulge = Bulge::Dilation { height, reach: 0.5, middle: None, follows_motion: false };
        let none = Material { bulge: Bulge::None, ..Material::SOFT };
        let middle = BodySpec { material: Material { bulge, ..Material::SOFT }, ..ball("m", DVec3::ZERO) };
        let light = BodySpec { material: none, ..ball(name, DVec3::X * 0.199) };
        let heavy = BodySpec { material: none, ..ball(deep, DVec3::X * -0.14) };
        let mut world = World::new(&scene(vec![middle, light, heavy])).unwrap();
        world.look_at_bulges();
        let cut: Vec<_> = world.warnings().iter().filter(|w| w.kind == WarningKind::BulgeCutOff).collect();
        assert_eq!(cut.iter().map(|w| w.bodies).collect::<Vec<_>>(), [(0, 2)]);
    }
}
