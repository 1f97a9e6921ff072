//! scratch
use pliant::contact::*;
use pliant::fields::{skeleton::Point, *};
use pliant::math::*;
fn main() {
    let t = 0.1;
    let s = Shape::new(
        vec![Element::new(Skeleton::Point(Point { at: DVec3::ZERO }), Kernel::linear(1.0, t, 2.0 * t).unwrap())],
        1.0,
    );
    let h = t * 0.95;
    let a = Side { field: Placed::new(&s, Frame::IDENTITY), stiffness: 1e5, rigid: false };
    let b = Side {
        field: Placed::new(&s, Frame::at(2.0 * h * DVec3::new(0.3, -0.5, 0.8).normalize())),
        stiffness: 1e5,
        rigid: false,
    };
    let pair = Pair { a, b };
    let q = Quality::draft();
    let t0 = std::time::Instant::now();
    let n = if std::env::var("DBG").is_ok() { 1 } else { 30000 };
    for _ in 0..n {
        std::hint::black_box(Patch::find(&pair, &q));
    }
    println!("{:.2} us", t0.elapsed().as_secs_f64() * 1e6 / n as f64);
}
