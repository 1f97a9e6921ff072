//! A scratch measurement.

use pliant::fields::{skeleton::*, *};
use pliant::math::*;
use pliant::scene::*;
use pliant::*;
fn ball(t: f64, profile: Profile) -> Vec<Element> {
    vec![Element::new(
        Skeleton::Point(Point { at: DVec3::ZERO }),
        Kernel::new(profile, 1.0, (t, 1.0 / t, 2.0 * t)).unwrap(),
    )]
}
fn ground(n: DVec3) -> BodySpec {
    let t = 0.1;
    BodySpec {
        name: "ground".into(),
        material: Material { damping: 0.0, friction: 0.0, ..Material::RIGID },
        response: Response::Rigid,
        motion: MotionSpec::Fixed,
        placement: Frame::IDENTITY,
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        elements: vec![Element::new(
            Skeleton::HalfSpace(HalfSpace::new(-t * n, n).unwrap()),
            Kernel::linear(1.0, t, 2.0 * t).unwrap(),
        )],
        core: vec![],
    }
}
fn main() {
    let mut g = ground(DVec3::Z);
    let b = BodySpec {
        name: "ball".into(),
        material: Material { damping: 0.0, friction: 0.0, ..Material::SOFT },
        response: Response::Soft,
        motion: MotionSpec::Rigid { mass: Some(1.0) },
        placement: Frame::at(DVec3::new(0.0, 0.0, 0.3)),
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        elements: ball(0.1, Profile::Linear),
        core: vec![],
    };
    let mut s = Scene { duration: 10.0, bodies: vec![g.clone(), b.clone()], ..Scene::default() };
    for safety in [1e-3, 5e-4, 2.5e-4, 1e-4] {
        s.motion.largest_step = safety;
        let mut w = World::new(&s).unwrap();
        let e0 = w.energy();
        println!("{e0:?}");
        let t0 = std::time::Instant::now();
        let mut bounces = 0;
        let mut was = false;
        let mut i = 0;
        let mut worst: f64 = 0.0;
        let mut free: f64 = 0.0;
        while bounces < 20 {
            i += 1;
            w.advance_to(i as f64 / 60.0);
            let now = !w.contacts().is_empty();
            if was && !now {
                bounces += 1;
            }
            was = now;
            let e = w.energy();
            let err = (e.kinetic + e.potential + e.elastic - e0.potential) / (e0.potential - 0.1 * 9.81);
            worst = worst.max(err.abs());
            if !now {
                free = free.max(err.abs());
            }
        }
        println!("step {safety} t {} err {:e} free {:e} time {:?}", w.time(), worst, free, t0.elapsed());
    }
    // damped rest
    g.material = Material::RIGID;
    let mut bb = b.clone();
    bb.material = Material { ..Material::SOFT };
    s.motion.step_safety = 0.05;
    s.bodies = vec![g.clone(), bb.clone()];
    let mut w = World::new(&s).unwrap();
    let t0 = std::time::Instant::now();
    for i in 1..=1200 {
        w.advance_to(i as f64 / 60.0);
        if i % 120 == 0 {
            let e = w.energy();
            println!(
                "t {} z {} ke {:e} sum {}",
                w.time(),
                w.bodies[1].base.center().z,
                e.kinetic,
                e.kinetic + e.potential + e.elastic + e.dissipated
            );
        }
    }
    println!("rest {:?}", t0.elapsed());
    // slope
    for (mu, theta) in [(0.5, 0.3f64), (0.2, 0.3)] {
        let n = DVec3::new(theta.sin(), 0.0, theta.cos());
        let mut g = ground(n);
        g.material = Material { friction: mu, ..Material::RIGID };
        let mut b = b.clone();
        b.motion = MotionSpec::Point { mass: Some(1.0) };
        b.material = Material { friction: mu, ..Material::SOFT };
        b.placement = Frame::at(0.095 * n);
        s.bodies = vec![g, b];
        let mut w = World::new(&s).unwrap();
        let t0 = std::time::Instant::now();
        let mut last = (DVec3::ZERO, DVec3::ZERO);
        for i in 1..=360 {
            w.advance_to(i as f64 / 60.0);
            if i % 60 == 0 {
                let x = w.bodies[1].base.center();
                let v = w.bodies[1].base.twist().linear;
                println!(
                    "slope t {} speed {:e} dx {:e} acc {} expect {}",
                    w.time(),
                    v.length(),
                    (x - last.0).length(),
                    (v - last.1).length(),
                    9.81 * (theta.sin() - mu * theta.cos())
                );
                last = (x, v);
            }
        }
        println!("{:?}", t0.elapsed());
    }
}
