//! Contact queries other than cold and alone: warm, through layers, between rigid bodies, by keys.

use super::motion::{G, rest_height};
use super::setup::{self, K, T, link_at};
use super::{Check, greatest};
use crate::World;
use crate::contact::{Pair, Patch, Quality, WarmStart};
use crate::fields::{Posed, Profile};
use crate::math::{DQuat, DVec3, Frame, Random, bracketed_root, gauss};
use crate::model::{BodySpec, Interpolation, Key, Keys, Material, MotionSpec};
use rayon::prelude::*;
use std::f64::consts::{PI, TAU};

/// Force and torque about the origin on a, and `∫ p dA`.
fn wrench(patches: &[Patch]) -> (DVec3, DVec3, f64) {
    let force = patches.iter().map(|p| p.on_a.force).sum();
    let torque = patches.iter().map(|p| p.moment_about(&p.on_a, DVec3::ZERO)).sum();
    (force, torque, patches.iter().flat_map(|p| &p.points).map(|p| p.pressure * p.area).sum())
}

/// Pairs that moved a little, queried again with the seeds of the last query.
pub fn warm() -> Vec<Check> {
    let mut random = Random(31);
    let (a, b) = (setup::lumpy(false), setup::lumpy(true));
    let poses: Vec<(Frame, Frame, f64)> = (0..20)
        .map(|_| {
            let at = Frame { rotation: random.rotation(), translation: 0.14 * random.vector().normalize() };
            let little = DQuat::from_scaled_axis(0.01 * random.vector());
            let later =
                Frame { rotation: little * at.rotation, translation: at.translation + 0.01 * T * random.vector() };
            (at, later, 0.3 + 3.0 * random.unit())
        })
        .collect();
    let quality = Quality::default();
    let differ = |(at, later, ratio): &(Frame, Frame, f64)| -> Option<(f64, f64)> {
        let place = |at: &Frame| setup::soft_pair(Posed::rigid(&a, Frame::IDENTITY), Posed::rigid(&b, *at), *ratio);
        let memory: Vec<WarmStart> = Patch::find(&place(at), &quality).iter().map(Patch::warm_start).collect();
        let warm = wrench(&Patch::find_warm(&place(later), &quality, &memory).patches);
        let cold = Patch::find(&place(later), &quality);
        let (force, torque, load) = wrench(&cold);
        let differ = ((warm.0 - force).length() / load, (warm.1 - torque).length() / (load * T));
        (!memory.is_empty() && !cold.is_empty()).then_some(differ)
    };
    let found: Vec<Option<(f64, f64)>> = poses.par_iter().map(differ).collect();
    let (force, torque): (Vec<f64>, Vec<f64>) = found.into_iter().flatten().unzip();
    // Each is asked for to 1e-5.
    vec![
        Check::at_least("warm query against cold: pairs of 20 that touched before and after", force.len() as f64, 15.0),
        Check::small("warm query against cold, blended pairs: force over the load", greatest(&force), 2e-5),
        Check::small("warm query against cold, blended pairs: torque over the load times t", greatest(&torque), 2e-5),
    ]
}

/// Force between a linear ball of radius `r` whose centre is `h` above a half-space of `k` pascals a metre, by an integral over the
/// surface of equal pressure projected on the plane.
fn ball_on_half_space(r: f64, stiffness: f64, h: f64, k: f64) -> f64 {
    let rim = (r * r - h * h).sqrt();
    let (rule, panels) = (gauss(16), 32);
    let mut force = 0.0;
    for i in 0..panels {
        for (x, w) in rule.nodes.iter().zip(&rule.weights) {
            let rho = rim * (i as f64 + x) / panels as f64;
            let pressure = |depth: f64| stiffness * (1.0 - rho.hypot(h + depth) / r);
            let depth = bracketed_root(|d| pressure(d) - k * d, (0.0, r - h), 1e-16).unwrap_or(f64::NAN);
            force += w * rim / panels as f64 * TAU * rho * k * depth;
        }
    }
    force
}

/// A soft ball with a rigid ball inside, pressed on a rigid floor until the bone meets it.
pub fn core() -> Vec<Check> {
    let (bone, h) = (0.04, 0.0399);
    let elements = |t: f64| setup::ball(&setup::kernel(Profile::Linear, t), 1).elements().to_vec();
    let floor = setup::floor(DVec3::Z);
    let floor_rate = floor.material.stiffness / T;
    let limb = BodySpec { core: elements(bone), ..setup::body("limb", elements(T), h * DVec3::Z) };
    let Ok(world) = World::new(&setup::scene(vec![floor, limb])) else {
        return vec![Check::yes("the scene could be built", false)];
    };
    let force: f64 = world.contacts().iter().map(|c| c.patch.on_a.force.length()).sum();
    let stiff = world.bodies()[1].coat.get(1).map_or(f64::NAN, |l| l.material.stiffness);
    let flesh = PI * K / T / 3.0 * (T - h).powi(2) * (T + 2.0 * h);
    let expected = flesh + ball_on_half_space(bone, stiff, h, floor_rate);
    vec![
        Check::relative("flesh and bone on a floor: force of both [N]", expected, force, 1e-4),
        Check::yes("flesh and bone on a floor: two contacts", world.contacts().len() == 2),
    ]
}

/// A belt (a keyed floor) runs under a mass that cannot turn.
pub fn keyed() -> Vec<Check> {
    let elements = setup::ball(&setup::kernel(Profile::Linear, T), 1).elements().to_vec();
    let (height, speed) = (rest_height(G), 0.3);
    let on_belt = |interpolation: Interpolation, material: Material, seconds: f64| {
        let key = |time: f64| Key { time, placement: Frame::at(DVec3::X * speed * time) };
        let keys = Keys { keys: vec![key(0.0), key(1.0)], interpolation };
        let belt = BodySpec {
            motion: MotionSpec::Keyed(keys),
            material: Material { stiffness: Material::RIGID.stiffness, ..material },
            ..setup::floor(DVec3::Z)
        };
        let motion = MotionSpec::Point { mass: Some(1.0) };
        let mass = BodySpec { motion, material, ..setup::body("mass", elements.clone(), height * DVec3::Z) };
        let mut world = World::new(&setup::scene(vec![belt, mass])).ok()?;
        world.advance_to(seconds).ok()?;
        let (belt, mass) = (link_at(&world, 0), link_at(&world, 1));
        Some((belt.twist().linear.x, mass.twist().linear.x, belt.center().x - mass.center().x))
    };
    // Damping alone drags it along: dv/dt = λ² A (V − v) with m = 1, here at 5/s, over the disc A = π (t² − h²).
    let damping = (5.0 / (PI * (T * T - height * height))).sqrt();
    let dragged = on_belt(Interpolation::Linear, Material { damping, friction: 0.0, ..Material::SOFT }, 0.4);
    // Friction holds it while the belt gathers speed and loses it again, by at most 6 · 0.3 m/s²: it lags behind by what the
    // shear gives, (a/μg) · slip length < 0.31 · 0.3 mm, and stops where it was on the belt.
    let sticky = Material { damping: 0.0, friction: 0.6, ..Material::SOFT };
    let (Some(dragged), Some(held)) = (dragged, on_belt(Interpolation::Smooth, sticky, 2.0)) else {
        return vec![Check::yes("the scene could be built", false)];
    };
    vec![
        Check::relative(
            "keyed belt drags by damping: speed after 0.4 s [m/s]",
            speed * (1.0 - (-2.0f64).exp()),
            dragged.1,
            2e-3,
        ),
        Check::relative("keyed belt: its own speed [m/s]", speed, dragged.0, 1e-12),
        Check::small("keyed belt carries by friction, starts and stops: shift on the belt [m]", held.2, 1e-6),
    ]
}

/// Both sides of `pair` rigid, as stiff as rigid bodies are.
pub(super) fn rigid(mut pair: Pair) -> Pair {
    for side in [&mut pair.a, &mut pair.b] {
        (side.rigid, side.stiffness) = (true, Material::RIGID.stiffness);
    }
    pair
}
