//! A rigid brush of n × n feet on soft ground: µs and field evaluations a foot, patches, and the error of the force.
//!
//! Feet are points 2 cm thick, 5 or 9 cm apart, pressed 3 mm into the ground; or the brush is tilted until a third of its rows
//! touch. The force of a foot is known: as of buoyancy, the volume of its cap below the surface.
//!
//! `cargo bench -p pliant --bench brush`, then optionally `--` and `--feet 12` (so many feet a side only), `--apart 0.05`
//! (so far apart only), `--flat`, `--warm 200` (so many warm queries and one cold, for profiles).

mod common;

use common::{cpu_seconds, linear, point};
use pliant::contact::{FoundPatches, Pair, Patch, Quality, Side, WarmStart};
use pliant::fields::skeleton::HalfSpace;
use pliant::fields::{Element, Posed, Shape, Skeleton};
use pliant::math::{DQuat, DVec3, Frame};
use std::hint::black_box;
use std::time::Instant;

/// Thickness of a foot and depth of the deepest, metres.
const FOOT: f64 = 0.02;
const DEPTH: f64 = 3e-3;
/// Stiffness of the ground, Pa, and its thickness, m.
const K: f64 = 1e5;
const T: f64 = 0.1;
/// Relative error of the force while stepping.
const TOLERANCE: f64 = 1e-3;
/// Displacement of the brush before a warm query, metres.
const STEP: f64 = 1e-4;
/// Seconds a figure is measured for, and queries at least.
const SECONDS: f64 = 0.3;
const MIN_QUERIES: usize = 2;

/// A brush with feet a distance apart.
struct Brush {
    shape: Shape,
    n: usize,
    spacing: f64,
}

impl Brush {
    fn new(n: usize, spacing: f64) -> Self {
        let at = |i: usize| spacing * DVec3::new((i % n) as f64, (i / n) as f64, 0.0);
        let elements = (0..n * n).map(|i| Element::new(point(at(i)), linear(FOOT))).collect();
        Self { shape: Shape::new(elements, 1.0), n, spacing }
    }

    /// Angle about y at which the first row is [`DEPTH`] deep and a third of all rows touch.
    fn tilt(&self) -> f64 {
        let touching = (self.n as f64 / 3.0).ceil() - 0.5;
        (DEPTH / (self.spacing * touching)).asin()
    }

    /// Placement with the first row [`DEPTH`] deep.
    fn at(&self, tilt: f64) -> Frame {
        Frame { rotation: DQuat::from_rotation_y(-tilt), translation: (FOOT - DEPTH) * DVec3::Z }
    }

    /// Depths of the feet that touch when the brush is `lower` by so much.
    fn depths(&self, tilt: f64, lower: f64) -> Vec<f64> {
        let depth = |i: usize| DEPTH + lower - self.spacing * (i % self.n) as f64 * tilt.sin();
        (0..self.n * self.n).map(depth).filter(|d| *d > 0.0).collect()
    }
}

/// Force of the ground's pressure `(K/T)·depth` on a foot, newtons.
fn foot_force(d: f64) -> f64 {
    K / T * std::f64::consts::PI * d * d * (3.0 * FOOT - d) / 3.0
}

/// CPU µs a query, the mean, and what it found.
fn measured(queries: Option<usize>, query: impl Fn() -> FoundPatches) -> (f64, FoundPatches) {
    let (start, cpu, mut count) = (Instant::now(), cpu_seconds(), 0);
    let mut found = FoundPatches::default();
    let goes_on = |count: usize| match queries {
        Some(queries) => count < queries,
        None => start.elapsed().as_secs_f64() < SECONDS || count < MIN_QUERIES,
    };
    while goes_on(count) {
        found = black_box(query());
        count += 1;
    }
    let spent = cpu.zip(cpu_seconds()).map_or(start.elapsed().as_secs_f64(), |(from, to)| to - from);
    (1e6 * spent / count as f64, found)
}

fn main() {
    let number = |name: &str| common::option(name).and_then(|x| x.parse::<f64>().ok());
    let (feet, apart) = (number("--feet"), number("--apart"));
    let queries = number("--warm").map(|x| x as usize);
    let tilts = if std::env::args().any(|a| a == "--flat") { &[false][..] } else { &[false, true] };
    let below = HalfSpace::new(-T * DVec3::Z, DVec3::Z).expect("a unit normal");
    let ground = Shape::new(vec![Element::new(Skeleton::HalfSpace(below), linear(T))], 1.0);
    let quality = Quality::within(TOLERANCE);
    println!(
        "rigid feet on soft ground, one thread, force to {TOLERANCE:e}: µs and evaluations for each foot of the brush"
    );
    println!(
        "{:>4} {:>6} {:>6} | {:>9} {:>8} | {:>9} {:>8} | {:>8} {:>8} {:>9} {:>9}",
        "feet", "apart", "", "cold µs", "eval.", "warm µs", "eval.", "patches", "touching", "error", "warm"
    );
    for spacing in [0.05, 0.09].into_iter().filter(|s| apart.is_none_or(|a| a == *s)) {
        for tilted in tilts.iter().copied() {
            let wanted = |n: &usize| feet.is_none_or(|f| f == *n as f64) && (*n > 2 || !tilted);
            for n in [1, 2, 3, 4, 6, 8, 9, 12, 16, 20].into_iter().filter(wanted) {
                let brush = Brush::new(n, spacing);
                let tilt = if tilted { brush.tilt() } else { 0.0 };
                let pair = |at: Frame| Pair {
                    a: Side { field: Posed::rigid(&brush.shape, at), stiffness: 3.0 * K, rigid: true },
                    b: Side { field: Posed::rigid(&ground, Frame::IDENTITY), stiffness: K, rigid: false },
                };
                let (before, lower) = (brush.at(tilt), STEP * DVec3::NEG_Z);
                let (cold, found) = measured(queries.map(|_| 1), || Patch::find_warm(&pair(before), &quality, &[]));
                let memory: Vec<WarmStart> = found.patches.iter().map(Patch::warm_start).collect();
                let after = Frame { translation: before.translation + lower, ..before };
                let (warm, again) = measured(queries, || Patch::find_warm(&pair(after), &quality, &memory));
                let error = |found: &FoundPatches, lower: f64| {
                    let force: f64 = found.patches.iter().map(|p| p.on_a.force.z).sum();
                    let exact: f64 = brush.depths(tilt, lower).into_iter().map(foot_force).sum();
                    (force / exact - 1.0).abs()
                };
                let feet = (n * n) as f64;
                println!(
                    "{:>4} {spacing:>6} {:>6} | {:>9.2} {:>8.0} | {:>9.2} {:>8.0} | {:>8} {:>8} {:>9.1e} {:>9.1e}",
                    n * n,
                    if tilted { "tilted" } else { "flat" },
                    cold / feet,
                    f64::from(found.evaluations) / feet,
                    warm / feet,
                    f64::from(again.evaluations) / feet,
                    found.patches.len(),
                    brush.depths(tilt, 0.0).len(),
                    error(&found, 0.0),
                    error(&again, STEP),
                );
            }
        }
    }
}
