//! Bodies of many blended parts: ms to make a shape, to integrate its mass, for one contact query on the ground and on another
//! such body (fine; while stepping, cold and warm), and to look for passed skeletons.
//!
//! `cargo bench -p pliant --bench shapes`, then optionally `-- 1000` (one size only).

mod common;

use common::{linear, point};
use pliant::bodies::MassProperties;
use pliant::contact::{Pair, Patch, Quality, Side};
use pliant::fields::skeleton::HalfSpace;
use pliant::fields::{Element, Field, Posed, Shape, Skeleton};
use pliant::math::{DVec3, Frame, Random};
use std::hint::black_box;
use std::time::Instant;

/// Thickness of a part, metres.
const THICKNESS: f64 = 0.02;

/// `n` points in a block, 3 cm apart and a little aside, so that each blends with its neighbours.
fn block(n: usize) -> Vec<Element> {
    let side = (n as f64).cbrt().round() as usize;
    let mut random = Random(11);
    let mut at = |i: usize| {
        let place = DVec3::new((i % side) as f64, (i / side % side) as f64, (i / side / side) as f64);
        1.5 * THICKNESS * place + 0.1 * THICKNESS * random.vector()
    };
    (0..n).map(|i| Element::new(point(at(i)), linear(THICKNESS))).collect()
}

/// Milliseconds, and what was made.
fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let made = black_box(work());
    (1e3 * start.elapsed().as_secs_f64(), made)
}

fn main() {
    let only: Option<usize> = std::env::args().find_map(|a| a.parse().ok());
    println!(
        "{:>6} {:>8} {:>8} {:>8} | {:>8} {:>8} {:>7} {:>7} | {:>8} {:>8} {:>7} {:>7} | {:>12} {:>12}",
        "parts",
        "shape",
        "mass",
        "fine",
        "cold",
        "warm",
        "patches",
        "reused",
        "on other",
        "warm",
        "patches",
        "reused",
        "bottomed out",
        "1000 samples"
    );
    for n in [8, 64, 216, 1000].into_iter().filter(|&n| only.is_none_or(|o| o == n)) {
        let elements = block(n);
        let (shape_ms, shape) = timed(|| Shape::new(elements, 1.0));
        let (mass_ms, mass) = timed(|| MassProperties::of(&shape, 1000.0).expect("a solid"));
        let below = HalfSpace::new(-THICKNESS * DVec3::Z, DVec3::Z).expect("a plane");
        let ground = Shape::new(vec![Element::new(Skeleton::HalfSpace(below), linear(THICKNESS))], 1.0);
        let side = |shape, at| Side { field: Posed::rigid(shape, at), stiffness: 1e5, rigid: false };
        let lifted = Frame::at(DVec3::new(0.0, 0.0, 0.85 * THICKNESS));
        let pair = Pair { a: side(&shape, lifted), b: side(&ground, Frame::IDENTITY) };
        let (query_ms, patches) = timed(|| Patch::find(&pair, &Quality::default()));
        let on_ground = stepping(|at| Pair { a: side(&shape, at * lifted), ..pair });
        let height = shape.solid_bounds().size().z - 0.3 * THICKNESS;
        let aside = Frame::at(DVec3::new(0.4 * THICKNESS, 0.7 * THICKNESS, height));
        let on_other = stepping(|at| Pair { a: side(&shape, at * aside), b: side(&shape, Frame::IDENTITY) });
        let (passed_ms, _) = timed(|| patches.iter().map(|p| pair.bottomed_out(p)).collect::<Vec<_>>());
        let mut random = Random(5);
        let points: Vec<DVec3> =
            (0..1000).map(|_| mass.center + 0.5 * shape.solid_bounds().size() * random.vector()).collect();
        let (sample_ms, _) = timed(|| points.iter().map(|p| shape.value(*p)).sum::<f64>());
        let [ground, other] = [on_ground, on_other]
            .map(|q| format!("{:>8.2} {:>8.3} {:>7} {:>7}", q.cold_ms, q.warm_ms, q.patches, q.reused));
        println!(
            "{n:>6} {shape_ms:>8.2} {mass_ms:>8.1} {query_ms:>8.2} | {ground} | {other} | {passed_ms:>12.3} {sample_ms:>12.3}   volume {:.9e}",
            mass.volume
        );
    }
}

/// Queries while stepping, of a pair that `place` makes with one body moved a little.
struct Stepping {
    cold_ms: f64,
    warm_ms: f64,
    patches: usize,
    reused: bool,
}

fn stepping<'a>(place: impl Fn(Frame) -> Pair<'a>) -> Stepping {
    let quality = Quality::within(1e-3);
    let (cold_ms, before) = timed(|| Patch::find_warm(&place(Frame::IDENTITY), &quality, &[]));
    let memory: Vec<_> = before.patches.iter().map(Patch::warm_start).collect();
    let moved = place(Frame::at(DVec3::new(0.0, 0.0, -1e-4)));
    let times: Vec<_> = (0..5).map(|_| timed(|| Patch::find_warm(&moved, &quality, &memory))).collect();
    let warm_ms = times.iter().map(|t| t.0).fold(f64::INFINITY, f64::min);
    Stepping { cold_ms, warm_ms, patches: before.patches.len(), reused: times[0].1.reused_charts }
}
