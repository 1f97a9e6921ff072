//! Field values and gradients at many points: Mpoints/s on one thread, for N point skeletons.
//!
//! The same skeletons and points as the fidget peer (`benches/peers/fields.sh`), so the figures can be compared.
//! `cargo bench -p pliant --bench fields`; each figure is the best of many repetitions. `-- 1000` runs that N only.

mod common;

use common::metaballs::{Random, shape, skeletons};
use pliant::fields::{Batch, Convolution, Field, KernelParameters, Points, Profile, Samples};
use pliant::math::DVec3;
use std::hint::black_box;
use std::time::Instant;

/// Points a call.
const POINTS: usize = 1 << 16;
/// Seconds a figure is measured for. Shorter: figures jump on a busy machine.
const SECONDS: f64 = 0.4;

/// Uniform in the cube from −1 to 1.
fn points() -> Points {
    let mut random = Random(12345);
    let mut axis = || (0..POINTS).map(|_| f64::from(random.unit() * 2.0 - 1.0)).collect::<Vec<f64>>();
    Points { x: axis(), y: axis(), z: axis() }
}

/// Best rate in Mpoints/s.
fn rate(points: usize, mut work: impl FnMut()) -> f64 {
    work();
    let (start, mut best) = (Instant::now(), f64::INFINITY);
    while start.elapsed().as_secs_f64() < SECONDS {
        let one = Instant::now();
        work();
        best = best.min(one.elapsed().as_secs_f64());
    }
    points as f64 / best * 1e-6
}

fn main() {
    let points = points();
    let few: Points = (0..32).map(|i| points.get(i)).collect();
    println!("Mpoints/s, one thread, f64, {POINTS} points in random order");
    println!(
        "{:>5} {:>9} {:>9} {:>10} | 32 points: {:>9} {:>9} {:>9} | {:>10}",
        "N", "kernel", "values", "gradients", "prepared", "one call", "scalar", "prepare ms"
    );
    let only: Option<usize> = std::env::args().find_map(|a| a.parse().ok());
    for n in [10, 100, 1000].into_iter().filter(|&n| only.is_none_or(|o| o == n)) {
        let balls = skeletons(n);
        for (name, profile) in [("metaball", Profile::Metaball), ("linear", Profile::Linear)] {
            let shape = shape(profile, &balls);
            let batch = Batch::new(&shape);
            let (mut values, mut samples) = (Vec::new(), Samples::default());
            let value_rate = rate(POINTS, || batch.values(black_box(&points), &mut values));
            let gradient_rate = rate(POINTS, || batch.samples(black_box(&points), &mut samples));
            let few_rate = rate(few.len(), || batch.values(black_box(&few), &mut values));
            let scalar_rate =
                rate(few.len(), || (0..few.len()).for_each(|i| _ = black_box(shape.value(black_box(few.get(i))))));
            let once_rate = rate(few.len(), || shape.values_many(black_box(&few), &mut values));
            let prepare = 1e-3 / rate(1, || _ = black_box(Batch::new(black_box(&shape))));
            println!(
                "{n:>5} {name:>9} {value_rate:>9.2} {gradient_rate:>10.2} | {:>10} {few_rate:>9.2} {once_rate:>9.2} \
                 {scalar_rate:>9.2} | {prepare:>10.3}",
                ""
            );
        }
    }
    convolutions(&points);
}

/// One piece at a time, near enough that most points see it.
fn convolutions(points: &Points) {
    let corners = [DVec3::new(-0.6, -0.5, 0.1), DVec3::new(0.7, -0.3, 0.0), DVec3::new(0.0, 0.6, -0.1)];
    let size = KernelParameters { thickness: 0.4, slope: None, radius: 1.0 };
    let segment = Convolution::segments(&[(corners[0], corners[1])], 1.0, size).expect("legal");
    let triangle = Convolution::triangles(&[corners], 1.0, size).expect("legal");
    println!("\nconvolutions, value and gradient of one piece, scalar, Mpoints/s");
    for (name, piece) in [("segment", segment), ("triangle", triangle)] {
        let figure = rate(4096, || (0..4096).for_each(|i| _ = black_box(piece.sample(points.get(i)))));
        println!("{name:>9} {figure:>9.2}");
    }
}
