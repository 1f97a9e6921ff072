//! scratch
use pliant::contact::*;
use pliant::fields::{
    skeleton::{Point, Segment},
    *,
};
use pliant::math::*;
fn kernel(p: Profile, t: f64) -> Kernel {
    Kernel::new(p, 1.0, (t, 1.0 / t, 2.0 * t)).unwrap()
}
pub fn lumpy(mirror: bool) -> Shape {
    let flip = |x: f64, y: f64, z: f64| DVec3::new(x, y, if mirror { -z } else { z });
    let bar = Segment::new(flip(-0.05, 0.02, 0.0), flip(0.04, -0.03, 0.03)).unwrap();
    let mut elements = vec![Element::new(Skeleton::Segment(bar), kernel(Profile::Linear, 0.06))];
    for (at, t) in [(flip(0.05, 0.05, 0.01), 0.05), (flip(-0.06, -0.04, -0.02), 0.055), (flip(0.0, 0.0, -0.06), 0.05)] {
        elements.push(Element::new(Skeleton::Point(Point { at }), kernel(Profile::NonLinear, t)));
    }
    Shape::new(elements, 1.0)
}
struct R(u64);
impl R {
    fn n(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
    fn rot(&mut self) -> DQuat {
        let mut q = || self.n() * 2.0 - 1.0;
        DQuat::from_xyzw(q(), q(), q(), q() + 1e-3).normalize()
    }
}
fn main() {
    let (a, b) = (lumpy(false), lumpy(true));
    let mut r = R(2024);
    for i in 0..10 {
        let q = r.rot();
        let m = DQuat::from_xyzw(-q.x, -q.y, q.z, q.w);
        let placed = Placed::new(&a, Frame { rotation: q, translation: DVec3::ZERO });
        let h = (0..200)
            .map(|i| 0.2 - 0.001 * i as f64)
            .find(|h| {
                (-15..=15)
                    .any(|i| (-15..=15).any(|j| placed.value(DVec3::new(0.01 * i as f64, 0.01 * j as f64, -h)) >= 1.0))
            })
            .unwrap()
            * 0.88;
        let pair = Pair {
            a: Side {
                field: Placed::new(&a, Frame { rotation: q, translation: DVec3::Z * h }),
                stiffness: 1e5,
                rigid: false,
            },
            b: Side {
                field: Placed::new(&b, Frame { rotation: m, translation: DVec3::Z * -h }),
                stiffness: 1e5,
                rigid: false,
            },
        };
        let t0 = std::time::Instant::now();
        let rs = regions(&pair, &Quality::default());
        println!("{i} {:?} box {} ", t0.elapsed(), pair.overlap_box().size());
        for r in rs {
            let o = r.cells.iter().filter(|c| pair.probe(r.world_from_region.point(c.center())).depth() > 0.0).count();
            println!("   cells {} overlapping {o} hull {} size {}", r.cells.len(), r.bounds.size(), r.cell_size);
        }
        println!("   {} evals", EVALS.swap(0, std::sync::atomic::Ordering::Relaxed));
    }
}
