//! Random legal scenes of 0.2 s: how many finish, how long they take, and where the time goes.
//!
//! `cargo bench -p pliant --bench random_scenes -- --count 1000`, then optionally `--from 0` (the first seed), `--limit 10` (CPU
//! seconds a scene may take), `--scheme implicit`, `--worst 12` (scenes listed). One scene's text: `-- --write 4711`. Each scene
//! runs in a process of its own, on one thread. Ends with 1 if one panicked or made numbers that are none.

mod common;

use common::child::{End, run};
use common::random_scene::{DURATION, RandomScene, random_scene};
use common::{cpu_seconds, option};
use pliant::World;
use pliant::bodies::NewBody;
use pliant::model::{Scene, Scheme};
use std::collections::BTreeMap;
use std::io::Write;

/// Versions of a scene tried until one is legal.
const MAX_ATTEMPTS: u64 = 50;
const FRAME: f64 = 1.0 / 60.0;

fn count(name: &str, default: u64) -> u64 {
    option(name).and_then(|s| s.parse().ok()).unwrap_or(default)
}

/// The first legal version of the scene of this number.
fn legal(seed: u64) -> (RandomScene, Scene) {
    let made = (0..MAX_ATTEMPTS).map(|attempt| random_scene(seed, attempt));
    let read = made.map(|made| Scene::parse(&made.text, "random").map(|scene| (made, scene)));
    let mut last = None;
    for result in read {
        match result {
            Ok(found) => return found,
            Err(error) => last = Some(error),
        }
    }
    panic!("no version of scene {seed} is legal: {last:?}")
}

/// Prints a line; a reader that has gone does not matter.
fn say(line: &str) {
    let mut out = std::io::stdout();
    let _ = writeln!(out, "{line}");
    let _ = out.flush();
}

/// Runs one scene, and tells its stages: CPU seconds when each ended.
fn one(seed: u64) {
    let cpu = || cpu_seconds().unwrap_or(f64::NAN);
    let (made, mut scene) = legal(seed);
    say(&format!("kinds {}", made.kinds));
    say(&format!("read {}", cpu()));
    match option("--scheme").as_deref() {
        Some("implicit") => scene.motion.scheme = Scheme::Implicit,
        Some("explicit") => scene.motion.scheme = Scheme::Explicit,
        _ => {}
    }
    for body in &scene.bodies {
        let _ = NewBody::new(body);
    }
    say(&format!("bodies {}", cpu()));
    let mut world = match World::new(&scene) {
        Ok(world) => world,
        Err(error) => return say(&format!("refused {error}")),
    };
    say(&format!("made {}", cpu()));
    for frame in 1..=(DURATION / FRAME).round() as usize {
        world.advance_to(frame as f64 * FRAME).expect("times and settings are legal");
        let stats = world.stats();
        let (contact, solve) = (stats.contact_time.as_secs_f64(), stats.solve_time.as_secs_f64());
        say(&format!("frame {} {contact} {solve} {} {}", cpu(), stats.steps, stats.rejected));
        let finite = |i: usize| world.link(i).state.position.is_finite() && world.link(i).state.velocity.is_finite();
        let loads = world.contacts().iter().all(|c| c.forces.on_a.force.is_finite());
        if !loads || !(0..world.bodies().len()).all(finite) {
            return say("nan");
        }
    }
    for warning in world.warnings() {
        say(&format!("warning {:?}", warning.kind));
    }
    say("done");
}

/// Outcome of a scene.
struct Outcome {
    seed: u64,
    kinds: String,
    cpu: f64,
    /// CPU seconds: reading, making its bodies, making its world with its first contacts; then in the search for contacts
    /// and the solver.
    read: f64,
    bodies: f64,
    first: f64,
    contact: f64,
    solve: f64,
    steps: u64,
    frames: usize,
    end: String,
    warnings: Vec<String>,
}

fn outcome(seed: u64, limit: f64) -> Outcome {
    let mut arguments = vec!["--one".to_owned(), seed.to_string()];
    arguments.extend(option("--scheme").into_iter().flat_map(|s| ["--scheme".to_owned(), s]));
    let child = run(&arguments, limit).expect("a process can be started");
    let mut out = Outcome {
        seed,
        kinds: String::new(),
        cpu: child.cpu,
        read: child.cpu,
        bodies: 0.0,
        first: 0.0,
        contact: 0.0,
        solve: 0.0,
        steps: 0,
        frames: 0,
        end: String::new(),
        warnings: Vec::new(),
    };
    for line in child.output.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let numbers: Vec<f64> = rest.split(' ').filter_map(|n| n.parse().ok()).collect();
        match word {
            "kinds" => out.kinds = rest.to_owned(),
            "read" => (out.read, out.bodies) = (numbers[0], child.cpu - numbers[0]),
            // Bodies were made once more to be timed.
            "bodies" => {
                out.bodies = numbers[0] - out.read;
                out.cpu -= out.bodies;
                out.first = child.cpu - numbers[0] - out.bodies;
            }
            "made" => out.first = numbers[0] - out.read - 2.0 * out.bodies,
            "frame" => {
                out.frames += 1;
                (out.contact, out.solve, out.steps) = (numbers[1], numbers[2], numbers[3] as u64);
            }
            "warning" => out.warnings.push(rest.to_owned()),
            "nan" | "refused" | "done" => out.end = line.to_owned(),
            _ => {}
        }
    }
    match child.end {
        End::Finished => {}
        End::OverTime => out.end = "over time".to_owned(),
        End::Failed => {
            let words = child.output.lines().find(|l| l.contains("panicked")).unwrap_or("failed").to_owned();
            out.end = format!("panic {words}");
        }
    }
    out
}

fn main() {
    if let Some(seed) = option("--one").and_then(|s| s.parse().ok()) {
        return one(seed);
    }
    if let Some(seed) = option("--write").and_then(|s| s.parse().ok()) {
        return print!("{}", legal(seed).0.text);
    }
    let (from, total) = (count("--from", 0), count("--count", 200));
    let limit = count("--limit", 10) as f64;
    let mut all = Vec::new();
    for seed in from..from + total {
        let got = outcome(seed, limit);
        if got.cpu > 1.0 || got.end != "done" {
            println!("{}", line(&got));
        }
        all.push(got);
        if all.len() % 50 == 0 {
            println!("  {} of {total}", all.len());
        }
    }
    let bad = summary(&mut all);
    std::process::exit(i32::from(bad > 0));
}

fn line(o: &Outcome) -> String {
    let Outcome { seed, cpu, read, bodies, first, contact, solve, steps, frames, .. } = o;
    format!(
        "seed {seed}: {cpu:.2} s (reading {read:.2}, bodies {bodies:.2}, first contacts {first:.2}, contacts {contact:.2}, solve {solve:.2}), {frames} frames, {steps} steps, {}: {}",
        o.end, o.kinds
    )
}

/// Prints the counts and the slowest; the number of panics and of scenes with NaN.
fn summary(all: &mut [Outcome]) -> usize {
    let total = all.len();
    let number = |test: &dyn Fn(&Outcome) -> bool| all.iter().filter(|o| test(o)).count();
    let ended = |word: &'static str| number(&move |o: &Outcome| o.end.starts_with(word));
    let (panics, nan) = (ended("panic"), ended("nan"));
    println!(
        "{total} scenes: {} finished, {} over 1 s, {} over 5 s, {} ended at the limit, {} refused, {panics} panics, {nan} with NaN",
        ended("done"),
        number(&|o| o.cpu > 1.0),
        number(&|o| o.cpu > 5.0),
        ended("over time"),
        ended("refused"),
    );
    let mut warnings: BTreeMap<&str, usize> = BTreeMap::new();
    all.iter().for_each(|o| o.warnings.iter().for_each(|w| *warnings.entry(w).or_default() += 1));
    println!("warnings: {warnings:?}");
    all.sort_by(|a, b| b.cpu.total_cmp(&a.cpu));
    let at = |part: f64| all[((total - 1) as f64 * part) as usize].cpu;
    println!("CPU seconds: median {:.3}, p90 {:.3}, p99 {:.3}, most {:.3}", at(0.5), at(0.1), at(0.01), at(0.0));
    let making = all.iter().map(|o| o.bodies).fold(0.0, f64::max);
    println!("slowest making of bodies {making:.2} s; slowest:");
    all.iter().take(count("--worst", 12) as usize).for_each(|o| println!("  {}", line(o)));
    panics + nan
}
