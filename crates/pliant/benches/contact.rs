//! One contact query: µs on one thread, and how far its force is from the truth.
//!
//! Three pairs whose forces are known (two balls alike, two unlike, a ball and a plane), and pairs of blended bodies of twenty skeletons each.
//! *Cold* queries know nothing; *warm* ones are given the memory of a query a step earlier. All take the general
//! path; each query of a case has a pose of its own, the pair turned as a whole, which leaves the force as it is.
//!
//! `cargo bench -p pliant --bench contact`, then optionally `--` and
//! `--json` (one object a line), `--only equal,plane` (some cases),
//! `--only equal --mode cold --queries 20000` (so many queries and no clock, for counting instructions).

mod common;

use common::{cpu_seconds, linear, point};
use pliant::contact::{Pair, Patch, Quality, Side, WarmStart};
use pliant::fields::skeleton::{HalfSpace, Segment};
use pliant::fields::{Element, Posed, Shape, Skeleton};
use pliant::math::{DQuat, DVec3, Frame, Random};
use std::hint::black_box;
use std::time::Instant;

/// Poses of a case. Fewer: one lucky pose decides. More: the caches of a real step are not met.
const POSES: usize = 32;
/// Seconds a figure is measured for. Shorter: figures jump on a busy machine.
const SECONDS: f64 = 1.0;
/// What every query must reach.
const TOLERANCE: f64 = 1e-3;
/// How far a body moves in a step before a warm query, metres: 0.5 ms at 0.4 m/s. And how much it turns, radians.
const STEP: f64 = 2e-4;
const TURN: f64 = 1e-3;

/// One body of a case.
#[derive(Clone)]
struct Solid {
    shape: Shape,
    stiffness: f64,
    rigid: bool,
}

/// Where both bodies are, where they were a step ago, and what that left.
struct Pose {
    now: (Frame, Frame),
    memory: Vec<WarmStart>,
    /// Size of the force, newtons: exact where a closed form gives it.
    force: f64,
}

struct Case {
    name: &'static str,
    /// Newtons, where the force is known: closed forms, and an integral over a surface of revolution.
    exact: Option<f64>,
    /// Bodies and poses that are measured together.
    groups: Vec<(Solid, Solid, Vec<Pose>)>,
}

/// How long a query takes, µs.
struct Figure {
    /// Mean over the poses of the fastest query of each, wall.
    best: f64,
    /// Mean, CPU.
    mean: f64,
    /// The slowest pose's fastest query, wall.
    slowest: f64,
}

fn main() {
    let only = common::option("--only");
    let wanted = |name: &str| only.as_deref().is_none_or(|o| o.split(',').any(|o| o == name));
    if let Some(queries) = common::option("--queries").and_then(|q| q.parse().ok()) {
        let warm = common::option("--mode").is_some_and(|m| m == "warm");
        CASES.iter().filter(|c| wanted(c.0)).for_each(|c| run(&c.1(), warm, queries));
        return;
    }
    if !common::json() {
        println!(
            "one contact query, one thread, force to {TOLERANCE:e}: µs; best is the mean over poses of each pose's best"
        );
        println!(
            "{:>9} {:>5} | {:>8} {:>8} {:>8} | {:>11} {:>9} {:>8} {:>7}",
            "case", "", "best", "mean CPU", "slowest", "force N", "error", "patches", "points"
        );
    }
    let mut missed = Vec::new();
    for (_, make) in CASES.iter().filter(|c| wanted(c.0)) {
        let case = make();
        for warm in [false, true] {
            if !report(&case, warm) {
                missed.push(format!("{} {}", case.name, if warm { "warm" } else { "cold" }));
            }
        }
    }
    // At the end, so that every figure is seen.
    assert!(missed.is_empty(), "forces off by more than {TOLERANCE:e}: {}", missed.join(", "));
}

type Make = fn() -> Case;
const CASES: [(&str, Make); 5] =
    [("equal", equal), ("unequal", unequal), ("plane", plane), ("limb", limb), ("cluster", cluster)];

fn equal() -> Case {
    balls("equal", 7.592182, (0.1, 1e5))
}

/// A patch that bulges into the softer ball.
fn unequal() -> Case {
    balls("unequal", 8.856701, (0.05, 4e5))
}

/// A ball of radius 0.1 and 100 kPa, 1 cm inside another.
fn balls(name: &'static str, exact: f64, (radius, stiffness): (f64, f64)) -> Case {
    let b = Solid { stiffness, ..ball(radius) };
    known(name, exact, (ball(0.1), b), DVec3::Z * (0.1 + radius - 0.01))
}

/// A ball 1 cm inside a rigid half-space.
fn plane() -> Case {
    let below = HalfSpace::new(DVec3::Z * -0.1, DVec3::Z).expect("a unit normal");
    let shape = Shape::new(vec![Element::new(Skeleton::HalfSpace(below), linear(0.1))], 1.0);
    known("plane", 29.321531, (ball(0.1), Solid { shape, stiffness: 1e8, rigid: true }), DVec3::Z * -0.09)
}

fn ball(radius: f64) -> Solid {
    Solid {
        shape: Shape::new(vec![Element::new(point(DVec3::ZERO), linear(radius))], 1.0),
        stiffness: 1e5,
        rigid: false,
    }
}

/// The pair with b at `offset` from a, turned as a whole and moved about. The first pose is as written.
fn known(name: &'static str, exact: f64, (a, b): (Solid, Solid), offset: DVec3) -> Case {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let place = |i: usize| {
        let world =
            if i == 0 { Frame::IDENTITY } else { Frame { rotation: random.rotation(), translation: random.vector() } };
        let now = (world, world * Frame::at(offset));
        let memory = remembered(&a, &b, now, &mut random);
        Pose { now, memory, force: exact }
    };
    let poses = (0..POSES).map(place).collect();
    Case { name, exact: Some(exact), groups: vec![(a, b, poses)] }
}

/// Skeletons in a row, each blended with its neighbours.
fn limb() -> Case {
    blended("limb", |random| {
        let turn = std::f64::consts::TAU * random.unit();
        let along = |i: f64| {
            let angle = turn + 0.35 * i;
            DVec3::new(0.08 * angle.cos(), 0.08 * angle.sin(), 0.012 * i)
        };
        (0..20).map(|i| (along(f64::from(i)), along(f64::from(i) + 0.8))).collect()
    })
}

/// Skeletons within 10 cm, each blended with most others.
fn cluster() -> Case {
    blended("cluster", |random| {
        let ends = |random: &mut Random| (0.1 * random.vector(), 0.04 * random.vector());
        (0..20).map(|_| ends(random)).map(|(at, to)| (at - to, at + to)).collect()
    })
}

/// Pairs of bodies of ten points and ten segments, pressed together with 5 N from any side.
fn blended(name: &'static str, ends: impl Fn(&mut Random) -> Vec<(DVec3, DVec3)>) -> Case {
    const PAIRS: usize = 4;
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let group = |_| {
        let mut make = || lumps(ends(&mut random), &mut random);
        let (a, b) = (make(), make());
        let mut poses = Vec::new();
        while poses.len() < POSES / PAIRS {
            let world = Frame { rotation: random.rotation(), translation: random.vector() };
            let (toward, turn) = (random.vector().normalize(), random.rotation());
            let now = |distance: f64| (world, world * Frame { rotation: turn, translation: distance * toward });
            // Coiled bodies may pass through each other's middle.
            let Some(distance) = pressed((&a, &b), 5.0, now) else { continue };
            let now = now(distance);
            let force = total(&Patch::find(&pair(&a, &b, now), &Quality::finest())).length();
            poses.push(Pose { now, memory: remembered(&a, &b, now, &mut random), force });
        }
        (a, b, poses)
    };
    Case { name, exact: None, groups: (0..PAIRS).map(group).collect() }
}

/// Points and segments in turn, 3 to 5 cm thick.
fn lumps(ends: Vec<(DVec3, DVec3)>, random: &mut Random) -> Solid {
    let skeleton = |i: usize, (p, q): (DVec3, DVec3)| match i % 2 {
        0 => point(0.5 * (p + q)),
        _ => Skeleton::Segment(Segment::new(p, q).expect("two different points")),
    };
    let mut element = |(i, ends)| Element::new(skeleton(i, ends), linear(0.03 + 0.02 * random.unit()));
    let shape = Shape::new(ends.into_iter().enumerate().map(&mut element).collect(), 1.0);
    Solid { shape, stiffness: 1e5, rigid: false }
}

/// The distance at which bodies placed by `at` press each other with `force` newtons, if they do.
fn pressed((a, b): (&Solid, &Solid), force: f64, at: impl Fn(f64) -> (Frame, Frame)) -> Option<f64> {
    let mut far = 0.6;
    // From afar inward until they press too hard: near the middle a blend's force may not be monotonic.
    let hard = |d: f64| total(&Patch::find(&pair(a, b, at(d)), &Quality::draft())).length() > force;
    while !hard(far - 0.01) {
        far -= 0.01;
        if far < 0.01 {
            return None;
        }
    }
    let mut near = far - 0.01;
    for _ in 0..20 {
        let middle = 0.5 * (near + far);
        if hard(middle) { near = middle } else { far = middle }
    }
    Some(far)
}

/// What a query a small step away from `now` leaves behind.
fn remembered(a: &Solid, b: &Solid, now: (Frame, Frame), random: &mut Random) -> Vec<WarmStart> {
    let turn = DQuat::from_scaled_axis(TURN * random.vector());
    let moved = Frame { rotation: turn * now.1.rotation, translation: now.1.translation + STEP * random.vector() };
    Patch::find(&pair(a, b, (now.0, moved)), &Quality::draft()).iter().map(Patch::warm_start).collect()
}

fn pair<'a>(a: &'a Solid, b: &'a Solid, now: (Frame, Frame)) -> Pair<'a> {
    let side = |solid: &'a Solid, at| Side {
        field: Posed::rigid(&solid.shape, at),
        stiffness: solid.stiffness,
        rigid: solid.rigid,
    };
    Pair { a: side(a, now.0), b: side(b, now.1) }
}

fn total(patches: &[Patch]) -> DVec3 {
    patches.iter().map(|p| p.on_a.force).sum()
}

/// One query, its placement included.
fn query(a: &Solid, b: &Solid, pose: &Pose, warm: bool) -> Vec<Patch> {
    let pair = pair(black_box(a), black_box(b), black_box(pose.now));
    if warm {
        Patch::find_warm(&pair, &Quality::draft(), black_box(&pose.memory)).patches
    } else {
        Patch::find(&pair, &Quality::draft())
    }
}

fn run(case: &Case, warm: bool, queries: usize) {
    let all: Vec<_> = case.groups.iter().flat_map(|(a, b, poses)| poses.iter().map(move |p| (a, b, p))).collect();
    for &(a, b, pose) in all.iter().cycle().take(queries) {
        black_box(query(a, b, pose, warm));
    }
}

fn measure(case: &Case, warm: bool) -> Figure {
    let all: Vec<_> = case.groups.iter().flat_map(|(a, b, poses)| poses.iter().map(move |p| (a, b, p))).collect();
    let mut best = vec![f64::INFINITY; all.len()];
    let (start, cpu, mut queries) = (Instant::now(), cpu_seconds(), 0);
    while start.elapsed().as_secs_f64() < SECONDS {
        for (&(a, b, pose), best) in all.iter().zip(&mut best) {
            let one = Instant::now();
            black_box(query(a, b, pose, warm));
            *best = best.min(one.elapsed().as_secs_f64());
        }
        queries += all.len();
    }
    let spent = cpu.zip(cpu_seconds()).map_or(start.elapsed().as_secs_f64(), |(from, to)| to - from);
    Figure {
        best: 1e6 * best.iter().sum::<f64>() / best.len() as f64,
        mean: 1e6 * spent / queries as f64,
        slowest: 1e6 * best.iter().fold(0.0, |worst, &t| f64::max(worst, t)),
    }
}

/// Prints the case's figures; whether every force was near enough.
fn report(case: &Case, warm: bool) -> bool {
    let (mut error, mut patches, mut points, mut count, mut first) = (0.0, 0, 0, 0, None);
    for (a, b, poses) in &case.groups {
        for pose in poses {
            let found = query(a, b, pose, warm);
            let force = total(&found).length();
            error = f64::max(error, (force / pose.force - 1.0).abs());
            first.get_or_insert(force);
            patches += found.len();
            points += found.iter().map(|p| p.points.len()).sum::<usize>();
            count += 1;
        }
    }
    let (patches, points) = (patches as f64 / count as f64, points as f64 / count as f64);
    let (name, mode, force) = (case.name, if warm { "warm" } else { "cold" }, first.unwrap_or(f64::NAN));
    let Figure { best, mean, slowest } = measure(case, warm);
    if common::json() {
        let exact = case.exact.map_or("null".to_owned(), |f| f.to_string());
        println!(
            r#"{{"bench":"contact","case":"{name}","mode":"{mode}","best_us":{best:.4},"mean_cpu_us":{mean:.4},"slowest_us":{slowest:.4},"force":{force},"exact":{exact},"error":{error:e},"patches":{patches},"points":{points}}}"#
        );
    } else {
        println!(
            "{name:>9} {mode:>5} | {best:>8.2} {mean:>8.2} {slowest:>8.2} | {force:>11.6} {error:>9.1e} {patches:>8.2} {points:>7.1}"
        );
    }
    error <= TOLERANCE
}
