//! Implicit steps: as long as a frame, and towards explicit ones as they shrink.

use super::motion::{G, ball, frames, rest_height};
use super::setup::{self, K, T, link_at, links};
use super::{Check, excess, greatest, symmetry};
use crate::WarningKind;
use crate::World;
use crate::fields::skeleton::Cuboid;
use crate::fields::{Element, Profile, Skeleton};
use crate::math::{DVec3, Frame, Random};
use crate::model::{BodySpec, Bulge, Interpolation, Key, Keys, Material, MotionSpec, Scene, Scheme};

/// An implicit world of steps not longer than `step`.
fn world(bodies: Vec<BodySpec>, step: f64) -> Option<World> {
    let mut scene = setup::scene(bodies);
    (scene.motion.scheme, scene.motion.implicit_step) = (Scheme::Implicit, step);
    scene.motion.sleep = false;
    World::new(&scene).ok()
}

const FRAME: f64 = 1.0 / 60.0;

fn floor(normal: DVec3, material: Material) -> BodySpec {
    BodySpec { material: Material { stiffness: 1e12, bulge: Bulge::None, ..material }, ..setup::floor(normal) }
}

/// Rest and friction at the step of a frame.
pub fn rest() -> Option<Vec<Check>> {
    let mut checks = Vec::new();
    let material = Material { friction: 0.5, ..Material::SOFT };
    for stiffness in [1e4, 1e5, 1e6, 1e7, 1e8, 1e9] {
        let soft = Material { stiffness, ..material };
        let drop = vec![floor(DVec3::Z, soft), BodySpec { material: soft, ..ball("ball", DVec3::Z * 0.15) }];
        let mut drop = world(drop, FRAME)?;
        frames(&mut drop, 5.0, |_| true)?;
        // K times as stiff under the same load is as deep as K = 1e5 under a K-th of it.
        let expected = rest_height(G * K / stiffness);
        let height = link_at(&drop, 1).center().z;
        let law = format!("ball dropped at 1/60 s, K {stiffness:.0e} Pa: depth at rest [m] (relative)");
        checks.push(Check::relative(law, T - expected, T - height, 1e-3));
    }
    let angle = 0.3f64;
    let normal = DVec3::new(angle.sin(), 0.0, angle.cos());
    for friction in [0.5, 0.2] {
        let material = Material { friction, damping: 0.0, ..Material::SOFT };
        let start = rest_height(G * angle.cos()) * normal;
        let mass = BodySpec { material, motion: MotionSpec::Point { mass: Some(1.0) }, ..ball("mass", start) };
        let mut slope = world(vec![floor(normal, material), mass], FRAME)?;
        frames(&mut slope, 2.0, |_| true)?;
        let (place, velocity) = (link_at(&slope, 1).center(), link_at(&slope, 1).twist().linear);
        frames(&mut slope, 1.0, |_| true)?;
        if friction > angle.tan() {
            let creep = (link_at(&slope, 1).center() - place).length();
            checks.push(Check::small("slope at 1/60 s, μ 0.5 > tan θ 0.31: creep [m/s]", creep, 1e-6));
        } else {
            let got = (link_at(&slope, 1).twist().linear - velocity).length();
            let expected = G * (angle.sin() - friction * angle.cos());
            let law = "slope at 1/60 s, μ 0.2 < tan θ 0.31: acceleration [m/s²]";
            checks.push(Check::relative(law, expected, got, 1e-3));
        }
    }
    checks.push(heavy_on_light()?);
    checks.push(sinks()?);
    Some(checks)
}

/// A ball sinks into a ground too viscous for the step to follow, at the speed that its weight and its patch give.
fn sinks() -> Option<Check> {
    let material = Material { stiffness: 1e4, damping: 1000.0, friction: 0.0, ..Material::SOFT };
    let honey = vec![floor(DVec3::Z, material), BodySpec { material, ..ball("ball", DVec3::Z * 0.999 * T) }];
    let mut honey = world(honey, FRAME)?;
    frames(&mut honey, 1.0, |_| true)?;
    let (ball, patch) = (link_at(&honey, 1), &honey.contacts().first()?.patch);
    let pressed = ball.mass()? * G - patch.on_a.force.length();
    let expected = pressed / (material.damping * material.damping * patch.area);
    let law = "ball in honey, λ² = 1e6, after 1 s at 1/60 s: speed [m/s]";
    Some(Check::relative(law, expected, -ball.twist().linear.z, 2e-2))
}

/// A hundred kilograms on ten grams, both of which can only be pressed: the light one's depth below is the weight of both,
/// and nothing moves.
fn heavy_on_light() -> Option<Check> {
    let material = Material { stiffness: 1e6, friction: 0.5, ..Material::SOFT };
    let mass = |name: &str, mass: f64, z: f64| BodySpec {
        material,
        motion: MotionSpec::Point { mass: Some(mass) },
        ..ball(name, DVec3::Z * z)
    };
    let bodies = vec![floor(DVec3::Z, material), mass("light", 0.01, 0.1), mass("load", 100.0, 0.3)];
    let mut stack = world(bodies, FRAME)?;
    frames(&mut stack, 10.0, |_| true)?;
    let expected = T - rest_height(100.01 * G * K / 1e6);
    let got = T - link_at(&stack, 1).center().z;
    Some(Check::relative("100 kg on 0.01 kg after 10 s at 1/60 s: depth of the light one [m]", expected, got, 1e-3))
}

/// Rebound speed of a dropped ball, and speed of the last of five balls in a row struck by a sixth; against explicit steps.
pub fn converges() -> Option<Vec<Check>> {
    let mut checks = Vec::new();
    // Where damping is weak, errors at these steps go with their square.
    for (damping, least) in [(10.0, 1.6), (50.0, 0.8), (150.0, 0.8)] {
        let material = Material { damping, friction: 0.0, ..Material::SOFT };
        let drop = || vec![floor(DVec3::Z, material), BodySpec { material, ..ball("ball", DVec3::Z * 0.2) }];
        let speed = |mut w: World| {
            let mut speeds = Vec::new();
            for i in 1..=150 {
                w.advance_to(f64::from(i) / 480.0).ok()?;
                speeds.push(link_at(&w, 1).twist().linear.z);
            }
            Some(greatest(&speeds))
        };
        let exact = explicit(&setup::scene(drop()), |scene| speed(World::new(scene).ok()?))?;
        let with = |steps: f64| Some(speed(world(drop(), 1.0 / steps)?)? - exact);
        checks.extend(order(&format!("rebound, λ² = {:.0}", damping * damping), least, exact, with)?);
    }
    let row = || -> Vec<BodySpec> {
        let touching = |i: usize| BodySpec {
            velocity: if i == 0 { DVec3::X } else { DVec3::ZERO },
            ..ball(&format!("ball{i}"), DVec3::X * (if i == 0 { -0.01 } else { 0.0 } + 2.0 * T * i as f64))
        };
        (0..6).map(touching).collect()
    };
    let speed = |scene: &Scene| {
        let mut w = World::new(scene).ok()?;
        w.advance_to(0.3).ok()?;
        Some(link_at(&w, 5).twist().linear.x)
    };
    let mut scene = Scene { gravity: DVec3::ZERO, ..setup::scene(row()) };
    let exact = explicit(&scene, speed)?;
    scene.motion.scheme = Scheme::Implicit;
    let with = |steps: f64| {
        let mut scene = scene.clone();
        scene.motion.implicit_step = 1.0 / steps;
        Some(speed(&scene)? - exact)
    };
    checks.extend(order("row of five struck by a sixth, speed of the last", 1.6, exact, with)?);
    Some(checks)
}

/// Limit of explicit steps as they get shorter: with damping they are of first order, so two of them give it.
fn explicit(scene: &Scene, of: impl Fn(&Scene) -> Option<f64>) -> Option<f64> {
    let with = |largest_step: f64| {
        let mut scene = scene.clone();
        scene.motion.largest_step = largest_step;
        of(&scene)
    };
    Some(2.0 * with(1e-5)? - with(2e-5)?)
}

/// Errors at 1920 and 7680 steps a second: small, and of order `least` or higher.
fn order(what: &str, least: f64, exact: f64, error: impl Fn(f64) -> Option<f64>) -> Option<Vec<Check>> {
    let [coarse, fine] = [error(1920.0)?, error(7680.0)?];
    let order = (coarse / fine).abs().log2() / 2.0;
    Some(vec![
        Check::relative(format!("{what}, at 1/7680 s against explicit [m/s]"), exact, exact + fine, 1e-3),
        Check::at_least(format!("{what}: order in the step"), order, least),
    ])
}

/// Bodies thrown at each other, at the step of a frame: they never have more energy than before.
pub fn throws() -> Option<Vec<Check>> {
    let mut random = Random(77);
    let (mut gains, mut finite, mut met) = (Vec::new(), true, 0);
    for _ in 0..60 {
        let speed = 10f64.powf(2.5 * random.unit() - 1.0);
        let material = Material { stiffness: 10f64.powf(4.0 + 3.0 * random.unit()), friction: 0.5, ..Material::SOFT };
        let lump = |name: &str, at: DVec3, velocity: DVec3, spin: DVec3| BodySpec {
            velocity,
            angular_velocity: spin,
            material,
            ..setup::body(name, setup::lumpy(false).elements().to_vec(), at)
        };
        let aside = 0.1 * random.vector();
        let bodies = vec![
            lump("one", DVec3::X * -0.3, DVec3::X * speed, 3.0 * random.vector()),
            lump("two", DVec3::X * 0.3 + aside, DVec3::ZERO, 3.0 * random.vector()),
        ];
        let mut scene = Scene { gravity: DVec3::ZERO, ..setup::scene(bodies) };
        scene.motion.scheme = Scheme::Implicit;
        let mut thrown = World::new(&scene).ok()?;
        let start = thrown.energy();
        thrown.advance_to((1.0 / speed).max(2.0 * FRAME)).ok()?;
        let end = thrown.energy();
        met += usize::from(thrown.stats().max_contacts > 0);
        let all = end.kinetic + end.elastic;
        gains.push(all / (start.kinetic + start.elastic) - 1.0);
        finite &= all.is_finite();
    }
    Some(vec![
        Check::yes("60 random throws at 0.1 to 30 m/s, 1/60 s: all numbers are", finite),
        Check::at_least("of these met", met as f64, 30.0),
        Check::small("energy gained at most, over all there was", excess(greatest(&gains)), 1e-3),
    ])
}

/// Stacks that must stand, weights beyond the load limit, and sleep.
pub fn stacks() -> Option<Vec<Check>> {
    let mut checks = tower()?;
    checks.extend(sleepers()?);
    // A linear ball carries at most π K k t³/3: twice that is let go, warned of, and falls through without a trace.
    let most = std::f64::consts::PI * K * T * T / 3.0 / G;
    // Let go where it touches, one presses with three times its weight.
    for (part, carried) in [(0.3, true), (2.0, false)] {
        let material = Material { friction: 0.5, ..Material::SOFT };
        let motion = MotionSpec::Point { mass: Some(part * most) };
        let weight = BodySpec { material, motion, ..ball("weight", DVec3::Z * T) };
        let mut w = world(vec![floor(DVec3::Z, material), weight], FRAME)?;
        frames(&mut w, 1.0, |_| true)?;
        let (z, energy) = (link_at(&w, 1).center().z, w.energy());
        let reported = w.warnings().iter().any(|w| w.kind == WarningKind::BottomedOut);
        let law = format!("{part} of the load a ball can carry: carried, or warned of and let through");
        checks.push(Check::yes(law, reported != carried && (z > 0.0) == carried));
        let bounded = energy.kinetic <= part * most * G * (T - z) * 1.001 + 1e-6;
        checks.push(Check::yes("and no faster than it fell", bounded));
    }
    Some(checks)
}

/// Ten soft cubes on one another for a minute: none goes astray, asleep or awake.
fn tower() -> Option<Vec<Check>> {
    let kernel = setup::kernel(Profile::Linear, 0.03);
    let cube = Skeleton::Cuboid(Cuboid::new(DVec3::ZERO, DVec3::splat(0.07)).ok()?);
    let material = Material { stiffness: 1e6, density: 150.0, friction: 0.6, ..Material::SOFT };
    let one = |i: usize| BodySpec {
        material,
        motion: MotionSpec::Rigid { mass: None },
        ..setup::body(
            &format!("cube{i}"),
            vec![Element::new(cube.clone(), kernel.clone())],
            DVec3::Z * (0.1 + 0.2 * i as f64),
        )
    };
    let mut bodies = vec![floor(DVec3::Z, material)];
    bodies.extend((0..10).map(one));
    let mut tower = world(bodies, FRAME)?;
    frames(&mut tower, 1.0, |_| true)?;
    let places: Vec<DVec3> = links(&tower).map(|b| b.center()).collect();
    let mut checks = Vec::new();
    for (seconds, sleep) in [(2.0, false), (60.0, true)] {
        tower.settings_mut().sleep = sleep;
        let left = seconds - tower.time();
        frames(&mut tower, left, |_| true)?;
        let drifts: Vec<f64> = links(&tower).zip(&places).map(|(b, p)| b.center().distance(*p)).collect();
        let how = if sleep { "asleep once at rest" } else { "awake" };
        checks.push(Check::small(
            format!("tower of ten soft cubes, {seconds} s, {how}: drift [m]"),
            greatest(&drifts),
            1e-3,
        ));
    }
    Some(checks)
}

/// A ball at rest sleeps; one dropped on it wakes it, and so does taking its ground away.
fn sleepers() -> Option<Vec<Check>> {
    let material = Material { friction: 0.5, ..Material::SOFT };
    let soft = |name: &str, at: DVec3| BodySpec { material, ..ball(name, at) };
    let key = |time: f64, z: f64| Key { time, placement: Frame::at(DVec3::Z * z) };
    let keys = Keys { keys: vec![key(2.5, 0.0), key(2.6, -0.5)], interpolation: Interpolation::Linear };
    let ground = BodySpec { motion: MotionSpec::Keyed(keys), ..floor(DVec3::Z, material) };
    let bodies = vec![ground, soft("sleeper", DVec3::Z * 0.1), soft("thrown", DVec3::new(0.05, 0.0, 8.0))];
    let mut w = world(bodies, FRAME)?;
    w.settings_mut().sleep = true;
    w.advance_to(1.2).ok()?;
    let slept = w.is_asleep(1) && !w.is_asleep(2);
    w.advance_to(1.5).ok()?;
    let woken = !w.is_asleep(1) && link_at(&w, 1).twist().linear.length() > 0.01;
    w.advance_to(2.45).ok()?;
    let place = link_at(&w, 1).center().z;
    w.advance_to(2.8).ok()?;
    let fallen = !w.is_asleep(1) && link_at(&w, 1).center().z < place - 0.05;
    Some(vec![
        Check::yes("a ball at rest sleeps, one that falls does not", slept),
        Check::yes("it wakes when that strikes it", woken),
        Check::yes("and when its ground is taken away", fallen),
    ])
}

/// The same bits for any number of threads, any order of bodies, and after a snapshot.
pub fn bits() -> Vec<Check> {
    symmetry::bits_of("implicit: ", |scene| scene.motion.scheme = Scheme::Implicit, 0.2)
}
