//! Random throws of two bodies at each other, judged.
//!
//! `cargo bench -p pliant --bench throws -- --count 100000`, then optionally `--from 0` (the first number), `--variants 1` (forms
//! of each kind of body), `--work 100000000` (work a throw may take before it is given up). One throw alone,
//! with what came of it: `-- --seed 4711`, and step by step with `--trace`. Ends with 1 if anything went wrong.

mod common;

use pliant::verify::throws::{Throw, ThrowFault, ThrowOutcome};
use rayon::prelude::*;
use std::time::Instant;

/// Forms of each kind of body.
const VARIANTS: usize = 8;

fn variants() -> usize {
    common::option("--variants").and_then(|s| s.parse().ok()).unwrap_or(VARIANTS)
}

/// A throw that takes more is given up.
const MAX_WORK: usize = 100_000_000;

fn max_work() -> usize {
    common::option("--work").and_then(|s| s.parse().ok()).unwrap_or(MAX_WORK)
}

/// Throws that take longer are listed, s.
const SLOW: f64 = 1.0;

/// Throws between two lines of progress.
const CHUNK: u64 = 1000;

fn main() {
    let number = |name: &str| common::option(name).and_then(|s| s.parse::<u64>().ok());
    if let Some(seed) = number("--seed") {
        one(seed);
        return;
    }
    let (count, from) = (number("--count").unwrap_or(1000), number("--from").unwrap_or(0));
    let (start, mut faults, mut met, mut through, mut given_up, mut steps) = (Instant::now(), 0, 0, 0, 0, 0);
    let (mut gain, mut slowest) = ((f64::NEG_INFINITY, 0), (0.0, 0));
    for first in (from..from + count).step_by(CHUNK as usize) {
        let seeds = first..(first + CHUNK).min(from + count);
        let run = |seed: u64| {
            let start = Instant::now();
            let throw = Throw::new(seed, variants());
            let outcome = std::panic::catch_unwind(|| throw.run(max_work()))
                .unwrap_or_else(|_| ThrowOutcome { faults: vec![ThrowFault::Panicked], ..ThrowOutcome::default() });
            (seed, throw.kinds, outcome, start.elapsed().as_secs_f64())
        };
        let outcomes: Vec<_> = seeds.collect::<Vec<_>>().into_par_iter().with_max_len(1).map(run).collect();
        for (seed, kinds, outcome, took) in outcomes {
            met += usize::from(outcome.met);
            through += usize::from(outcome.through);
            given_up += usize::from(outcome.given_up);
            steps += outcome.steps;
            gain = if outcome.gain > gain.0 { (outcome.gain, seed) } else { gain };
            slowest = if took > slowest.0 { (took, seed) } else { slowest };
            if took > SLOW {
                println!("slow: seed {seed} ({} on {}) took {took:.1} s", kinds[0], kinds[1]);
            }
            if outcome.given_up {
                println!("given up: seed {seed} ({} on {}) after {took:.1} s", kinds[0], kinds[1]);
            }
            for fault in &outcome.faults {
                faults += 1;
                println!("FAULT seed {seed} ({} on {}): {fault}", kinds[0], kinds[1]);
            }
        }
        let done = (first + CHUNK).min(from + count) - from;
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{done} of {count} thrown, {met} met, {through} bottomed out, {given_up} given up, {steps} steps, {faults} faults, most gained {:.1e} (seed {}), slowest {:.1} s (seed {}), {seconds:.0} s",
            gain.0, gain.1, slowest.0, slowest.1
        );
    }
    std::process::exit(i32::from(faults > 0));
}

fn one(seed: u64) {
    let throw = Throw::new(seed, variants());
    for body in &throw.scene.bodies {
        println!("{body:#?}");
    }
    println!(
        "{:?} at {} m/s for {} s, gravity {}, barred {}",
        throw.kinds, throw.speed, throw.seconds, throw.scene.gravity, throw.barred
    );
    if std::env::args().any(|a| a == "--trace") {
        throw.trace().iter().for_each(|line| println!("{line}"));
    }
    let start = Instant::now();
    println!("{:#?} in {:.3} s", throw.run(max_work()), start.elapsed().as_secs_f64());
}
