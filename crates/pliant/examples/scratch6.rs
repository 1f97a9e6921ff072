use pliant::contact::*;
use pliant::fields::{
    skeleton::{Circle, HalfSpace, Point, Segment},
    *,
};
use pliant::math::*;
fn k(t: f64) -> Kernel {
    Kernel::linear(1.0, t, 2.0 * t).unwrap()
}
fn main() {
    let ground = Shape::new(
        vec![Element::new(Skeleton::HalfSpace(HalfSpace::new(DVec3::Z * -0.1, DVec3::Z).unwrap()), k(0.1))],
        1.0,
    );
    // ring on a plane: annulus. F = K k * integral: exact: for torus R=0.2,t=.1 pressed depth: f = c + k(t - sqrt((rho-R)^2+h^2))
    let ring =
        Shape::new(vec![Element::new(Skeleton::Circle(Circle::new(DVec3::ZERO, DVec3::Z, 0.2).unwrap()), k(0.1))], 1.0);
    for tilt in [0.0, 0.02, 0.1] {
        let h = 0.09;
        let pair = Pair {
            a: Side {
                field: Placed::new(&ring, Frame { rotation: DQuat::from_rotation_x(tilt), translation: DVec3::Z * h }),
                stiffness: 1e5,
                rigid: false,
            },
            b: Side { field: Placed::new(&ground, Frame::IDENTITY), stiffness: 1e8, rigid: true },
        };
        let w = (0.1f64 * 0.1 - h * h).sqrt();
        let n = 200000;
        let exact: f64 = (0..n)
            .map(|i| {
                let x = -w + 2.0 * w * (i as f64 + 0.5) / n as f64;
                2.0 * w / n as f64 * 1e6 * (0.1 - x.hypot(h)) * std::f64::consts::TAU * (0.2 + x)
            })
            .sum();
        for q in [Quality::draft(), Quality::default(), Quality::finest()] {
            let t0 = std::time::Instant::now();
            let ps = pliant::contact::Patch::find(&pair, &q);
            println!(
                "ring tilt {tilt} patches {} {:?} pts {} F {:.8} exact {exact:.8} rel {:.1e} area {} {:?}",
                ps.len(),
                ps.iter().map(|p| p.method).collect::<Vec<_>>(),
                ps.iter().map(|p| p.points.len()).sum::<usize>(),
                ps.iter().map(|p| p.on_a.force).sum::<DVec3>().z,
                ps.iter().map(|p| p.on_a.force).sum::<DVec3>().z / exact - 1.0,
                ps.iter().map(|p| p.area).sum::<f64>(),
                t0.elapsed()
            );
        }
    }
    // long capsule
    let cap = Shape::new(
        vec![Element::new(Skeleton::Segment(Segment::new(DVec3::X * -0.5, DVec3::X * 0.5).unwrap()), k(0.1))],
        1.0,
    );
    let h = 0.095;
    let pair = Pair {
        a: Side {
            field: Placed::new(&cap, Frame { rotation: DQuat::from_rotation_z(0.3), translation: DVec3::Z * h }),
            stiffness: 1e5,
            rigid: false,
        },
        b: Side { field: Placed::new(&ground, Frame::IDENTITY), stiffness: 1e8, rigid: true },
    };
    let w = (0.1f64 * 0.1 - h * h).sqrt();
    let n = 200000;
    let line: f64 = (0..n)
        .map(|i| {
            let x = -w + 2.0 * w * (i as f64 + 0.5) / n as f64;
            2.0 * w / n as f64 * 1e6 * (0.1 - x.hypot(h))
        })
        .sum();
    let exact = line + std::f64::consts::PI * 1e6 / 3.0 * (0.1 - h) * (0.1 - h) * (0.1 + 2.0 * h);
    for q in [Quality::draft(), Quality::default(), Quality::finest()] {
        let t0 = std::time::Instant::now();
        let ps = pliant::contact::Patch::find(&pair, &q);
        println!(
            "capsule patches {} {:?} pts {} rel {:.1e} {:?}",
            ps.len(),
            ps.iter().map(|p| p.method).collect::<Vec<_>>(),
            ps.iter().map(|p| p.points.len()).sum::<usize>(),
            ps.iter().map(|p| p.on_a.force).sum::<DVec3>().z / exact - 1.0,
            t0.elapsed()
        );
    }
    // two feet
    let feet = Shape::new(
        vec![
            Element::new(Skeleton::Point(Point { at: DVec3::X * -0.11 }), k(0.1)),
            Element::new(Skeleton::Point(Point { at: DVec3::X * 0.11 }), k(0.1)),
        ],
        1.0,
    );
    for d in [0.11, 0.15, 0.2] {
        let far = Shape::new(
            vec![
                Element::new(Skeleton::Point(Point { at: DVec3::X * -d }), k(0.1)),
                Element::new(Skeleton::Point(Point { at: DVec3::X * d }), k(0.1)),
            ],
            1.0,
        );
        let _ = &feet;
        for h in [0.0999, 0.099, 0.09, 0.05] {
            let pair = Pair {
                a: Side {
                    field: Placed::new(
                        &far,
                        Frame { rotation: DQuat::from_rotation_z(0.4), translation: DVec3::Z * h },
                    ),
                    stiffness: 1e5,
                    rigid: false,
                },
                b: Side { field: Placed::new(&ground, Frame::IDENTITY), stiffness: 1e8, rigid: true },
            };
            let t0 = std::time::Instant::now();
            let ps = pliant::contact::Patch::find(&pair, &Quality::default());
            let t1 = t0.elapsed();
            let fine = pliant::contact::Patch::find(&pair, &Quality::finest());
            let (f, g) =
                (ps.iter().map(|p| p.on_a.force).sum::<DVec3>().z, fine.iter().map(|p| p.on_a.force).sum::<DVec3>().z);
            println!(
                "feet {d} h {h} {:?} {:?} rel {:.1e} F {g} {t1:?}",
                ps.iter().map(|p| p.method).collect::<Vec<_>>(),
                fine.iter().map(|p| p.method).collect::<Vec<_>>(),
                f / g - 1.0
            );
        }
    }
    // small rigid ball deep in a big soft ball
    let big = Shape::new(vec![Element::new(Skeleton::Point(Point { at: DVec3::ZERO }), k(0.3))], 1.0);
    let small = Shape::new(vec![Element::new(Skeleton::Point(Point { at: DVec3::ZERO }), k(0.05))], 1.0);
    for z in [0.33, 0.3, 0.27, 0.24] {
        let pair = Pair {
            a: Side { field: Placed::new(&big, Frame::IDENTITY), stiffness: 1e5, rigid: false },
            b: Side {
                field: Placed::new(&small, Frame::at(DVec3::new(0.1, 0.2, 1.0).normalize() * z)),
                stiffness: 1e8,
                rigid: true,
            },
        };
        let t0 = std::time::Instant::now();
        let ps = pliant::contact::Patch::find(&pair, &Quality::default());
        // force by volume: K * integral of grad f over the part of the small ball inside big
        let n = 200;
        let mut f = DVec3::ZERO;
        let c = pair.b.field.world_from_body.translation;
        for i in 0..n {
            for j in 0..n {
                for l in 0..n {
                    let p =
                        c + 0.05 * (2.0 * DVec3::new(i as f64 + 0.5, j as f64 + 0.5, l as f64 + 0.5) / n as f64 - 1.0);
                    if (p - c).length() < 0.05 {
                        let s = pair.a.field.sample(p);
                        if s.value > 1.0 {
                            f += s.gradient * 1e5 * (0.1f64 / n as f64).powi(3);
                        }
                    }
                }
            }
        }
        println!(
            "immersed {z} {:?} pts {} F {} volume {} rel {:.1e} {:?}",
            ps.iter().map(|p| p.method).collect::<Vec<_>>(),
            ps.iter().map(|p| p.points.len()).sum::<usize>(),
            ps.iter().map(|p| p.on_a.force).sum::<DVec3>().length(),
            f.length(),
            ps.iter().map(|p| p.on_a.force).sum::<DVec3>().length() / f.length() - 1.0,
            t0.elapsed()
        );
    }
}
