//! A scratch measurement.

use pliant::fields::{skeleton::*, *};
use pliant::math::*;
use pliant::scene::*;
use pliant::*;
fn main() {
    let t = 0.1;
    let n = DVec3::Z;
    let g = BodySpec {
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
    };
    let b = BodySpec {
        name: "ball".into(),
        material: Material { damping: 0.0, friction: 0.0, ..Material::SOFT },
        response: Response::Soft,
        motion: MotionSpec::Rigid { mass: Some(1.0) },
        placement: Frame::at(DVec3::new(0.0, 0.0, 0.3)),
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        elements: vec![Element::new(
            Skeleton::Point(Point { at: DVec3::ZERO }),
            Kernel::linear(1.0, t, 2.0 * t).unwrap(),
        )],
        core: vec![],
    };
    let s = Scene { duration: 10.0, bodies: vec![g.clone(), b.clone()], ..Scene::default() };
    let mut w = World::new(&s).unwrap();
    let mut t0 = 0.0;
    let mut worst = (0.0f64, 0.0);
    while w.time() < 1.0 {
        w.step(1e-4);
        let z = w.bodies[1].base.center().z;
        let exact =
            if z < 0.1 { std::f64::consts::PI * 1e5 * 10.0 / 3.0 * (t - z) * (t - z) * (t + 2.0 * z) } else { 0.0 };
        let got: f64 = w.contacts().iter().map(|c| c.patch.on_a.force.length()).sum();
        let err = (got - exact).abs();
        if err > worst.0 {
            worst = (err, z);
        }
        if w.time() > t0 {
            t0 += 0.01;
            let e: f64 = w.energy().elastic;
            let u = if z < 0.1 {
                let h = z;
                std::f64::consts::PI * 1e6 / 3.0 * ((t - h).powi(3) * t - (t - h).powi(3) * (t - h) / 2.0)
            } else {
                0.0
            };
            println!(
                "{:.3} z {z:.5} F {got:.6} exact {exact:.6} rel {:.1e} n {} pts {} worst {worst:?} elastic {e:e} {u:e} E {:.9}",
                w.time(),
                (got - exact) / exact,
                w.contacts().len(),
                w.contacts().first().map_or(0, |c| c.patch.points.len()),
                w.energy().kinetic + w.energy().potential + u
            );
        }
    }
}
