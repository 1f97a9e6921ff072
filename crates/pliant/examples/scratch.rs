//! A scratch measurement.

use pliant::contact::*;
use pliant::fields::{skeleton::Point, *};
use pliant::math::*;
use std::time::Instant;
fn ball(t: f64, n: usize) -> Shape {
    let e = (0..n)
        .map(|_| {
            let mut e =
                Element::new(Skeleton::Point(Point { at: DVec3::ZERO }), Kernel::linear(1.0, t, 2.0 * t).unwrap());
            e.strength = 1.0 / n as f64;
            e
        })
        .collect();
    Shape::new(e, 1.0)
}
fn main() {
    let s = ball(0.1, 1);
    println!("solid {:?}", s.solid());
    let k = 1e5;
    for depth in [0.001, 0.01, 0.05, 0.2, 0.5] {
        let t = 0.1;
        let h = t * (1.0 - depth);
        let dir = DVec3::new(0.3, -0.5, 0.8).normalize();
        let a = Side { field: Placed::new(&s, Frame::IDENTITY), stiffness: k, rigid: false };
        let b = Side { field: Placed::new(&s, Frame::at(2.0 * h * dir)), stiffness: k, rigid: false };
        let pair = Pair { a, b };
        let exact = std::f64::consts::PI * k * 10.0 / 3.0 * (t - h) * (t - h) * (t + 2.0 * h);
        let area = std::f64::consts::PI * (t * t - h * h);
        for q in [Quality::draft(), Quality::default(), Quality::finest()] {
            let r = regions(&pair, &q);
            let ps = Patch::find(&pair, &q);
            let p = &ps[0];
            let n = 2000;
            let t0 = Instant::now();
            for _ in 0..n {
                std::hint::black_box(Patch::find(&pair, &q));
            }
            let us = t0.elapsed().as_secs_f64() / n as f64 * 1e6;
            let t0 = Instant::now();
            for _ in 0..n {
                std::hint::black_box(regions(&pair, &q));
            }
            let us2 = t0.elapsed().as_secs_f64() / n as f64 * 1e6;
            println!(
                "{depth} regions {} cells {} patches {} {:?} points {} force err {:.2e} area err {:.2e} sum {:.1e} {us:.2}us regions {us2:.2}us",
                r.len(),
                r[0].cells.len(),
                ps.len(),
                p.method,
                p.points.len(),
                p.on_a.force.length() / exact - 1.0,
                p.area / area - 1.0,
                (p.on_a.force + p.on_b.force).length() / exact
            );
        }
    }
    let s2 = ball(0.05, 1);
    let a = Side { field: Placed::new(&s, Frame::IDENTITY), stiffness: 1e5, rigid: false };
    let b = Side { field: Placed::new(&s2, Frame::at(DVec3::new(0.0, 0.0, 0.14))), stiffness: 4e5, rigid: false };
    let pair = Pair { a, b };
    for q in [Quality::draft(), Quality::default(), Quality::finest()] {
        let ps = Patch::find(&pair, &q);
        let p = &ps[0];
        let n = 2000;
        let t0 = Instant::now();
        for _ in 0..n {
            std::hint::black_box(Patch::find(&pair, &q));
        }
        let us = t0.elapsed().as_secs_f64() / n as f64 * 1e6;
        println!(
            "unequal {} {:?} pts {} F {} ({:.2e}) A {} {us:.2}us",
            ps.len(),
            p.method,
            p.points.len(),
            p.on_a.force.length(),
            p.on_a.force.length() / 8.856701 - 1.0,
            p.area * 1e4
        );
    }
}
