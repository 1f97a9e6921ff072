use pliant::contact::*;
use pliant::fields::{skeleton::*, *};
use pliant::math::*;
fn k(t: f64) -> Kernel {
    Kernel::linear(1.0, t, 2.0 * t).unwrap()
}
fn main() {
    let ground = Shape::new(
        vec![Element::new(Skeleton::HalfSpace(HalfSpace::new(DVec3::Z * -0.1, DVec3::Z).unwrap()), k(0.1))],
        1.0,
    );
    let ring =
        Shape::new(vec![Element::new(Skeleton::Circle(Circle::new(DVec3::ZERO, DVec3::Z, 0.2).unwrap()), k(0.1))], 1.0);
    println!("ring solid {:?}", ring.solid());
    let pair = Pair {
        a: Side {
            field: Placed::new(&ring, Frame { rotation: DQuat::from_rotation_x(0.1), translation: DVec3::Z * 0.09 }),
            stiffness: 1e5,
            rigid: false,
        },
        b: Side { field: Placed::new(&ground, Frame::IDENTITY), stiffness: 1e8, rigid: true },
    };
    println!("box {:?}", pair.overlap_box());
    let n = 60;
    let b = pair.overlap_box();
    let mut c = 0;
    for i in 0..n {
        for j in 0..n {
            for l in 0..n {
                let p = b.min + b.size() * DVec3::new(i as f64 + 0.5, j as f64 + 0.5, l as f64 + 0.5) / n as f64;
                if pair.probe(p).depth() > 0.0 {
                    c += 1;
                    if c < 4 {
                        println!("{p}");
                    }
                }
            }
        }
    }
    println!("overlap samples {c}");
    let r = regions(&pair, &Quality::default());
    println!("regions {}", r.len());
    for r in &r {
        println!("cells {} bounds {:?} size {}", r.cells.len(), r.bounds, r.cell_size);
    }
}
