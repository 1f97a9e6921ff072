//! Steps of many bodies: what one costs, how the cost grows, and how much memory it takes.
//!
//! `cargo bench -p pliant --bench motion`, then optionally `--` and `--json` (one object a line),
//! `--only hundred-balls`, `--only implicit`, `--only shapes` or `--only separated`, `--seconds 0.1` (simulated, of hundred-balls, loose and
//! packed), `--balls 100` or `--balls 1000` (of implicit, that alone), `--threads 2` (of implicit; 1 if nothing is said).

mod common;

use common::{cpu_seconds, linear, peak_memory, point};
use pliant::World;
use pliant::contact::{Patch, Quality};
use pliant::fields::skeleton::HalfSpace;
use pliant::fields::{Element, Skeleton};
use pliant::math::{DVec3, Frame};
use pliant::model::{BodySpec, Material, MotionSpec, Response, Scene, Scheme};
use std::time::Instant;

/// Of the balls, metres.
const RADIUS: f64 = 0.1;
/// Between their middles: 5 cm of air, where the grid has neighbours to look at, and 30 cm, where it has none.
const SPACINGS: [f64; 2] = [0.25, 0.5];
/// Seconds a figure is measured for. Shorter: figures jump on a busy machine.
const SECONDS: f64 = 1.0;
/// Ten times as many bodies may cost this many times as much.
const MAX_GROWTH: f64 = 12.0;
/// Between neighbours of the packed balls, as a fraction of what the scene has: 19 cm, so that all press by 1 cm, about
/// what the lowest layer of the settled heap does.
const PACKED: f64 = 19.0 / 22.0;
/// CPU seconds a simulated one, of implicit steps.
const MAX_CPU: f64 = 0.3;
/// MB.
const MAX_MEMORY: f64 = 200.0;

fn main() {
    let only = common::option("--only");
    let wanted = |name: &str| only.as_deref().is_none_or(|o| o == name);
    // First: the peak is the process's, and never falls.
    if wanted("hundred-balls") {
        hundred_balls();
    }
    if wanted("implicit") {
        implicit();
    }
    if wanted("shapes") {
        shapes();
    }
    if wanted("separated") {
        separated();
    }
}

/// The hundred bodies of each shipped kind, as they are, on one thread: CPU seconds a simulated second, the worst last.
fn shapes() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("threads can be had");
    let mut rows: Vec<(f64, &str)> = Vec::new();
    for kind in ["balls", "capsules", "pairs", "boxes", "clovers", "mixed", "rings"] {
        let path = format!("{}/../../scenes/hundred-{kind}.toml", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("the scene ships with the project");
        let scene = Scene::parse(&text, kind).unwrap_or_else(|e| panic!("the scene is legal: {e}"));
        rows.push((pool.install(|| advance_only(&scene)), kind));
    }
    rows.sort_by(|p, q| p.0.total_cmp(&q.0));
    for (cpu, kind) in rows {
        if common::json() {
            println!(r#"{{"bench":"shapes","kind":"{kind}","cpu_per_second":{cpu:.4}}}"#);
        } else {
            println!("hundred-{kind:<10} {cpu:>8.2} s CPU a simulated second");
        }
    }
}

/// CPU seconds a simulated second of a whole scene.
fn advance_only(scene: &Scene) -> f64 {
    let mut world = World::new(scene).expect("the scene's bodies can be made");
    let cpu = cpu_seconds();
    let frames = (scene.duration * scene.frame_rate).round() as usize;
    for frame in 1..=frames {
        world.advance_to(frame as f64 / scene.frame_rate).expect("settings are sound");
    }
    cpu.zip(cpu_seconds()).map_or(f64::NAN, |(from, to)| (to - from) / scene.duration)
}

/// Rounds over which the growth of cost is a mean.
const TURNS: usize = 3;

/// The shipped scene, at implicit steps of a frame, on one thread for its whole second; ten times as many balls, four layers
/// deep as the hundred are; and as many in ten layers, where each carries more and moves for longer.
fn implicit() {
    let number = |name: &str| common::option(name).and_then(|s| s.parse::<usize>().ok());
    let threads = number("--threads").unwrap_or(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had");
    let cost = |(n, layers): (usize, usize)| {
        let how = format!("{n} in {layers} layers, implicit, threads: {threads}");
        pool.install(|| advance(&how, &implicit_scene(n, layers), 1.0))
    };
    if let Some(n) = number("--balls") {
        cost((n, number("--layers").unwrap_or(4)));
        return;
    }
    // By turns, and the mean: single runs differ by some per cent, and the clock of CPU time ticks in thirtieths of a hundred
    // balls' time.
    let mut costs = [0.0; 3];
    for _ in 0..TURNS {
        for (sum, (case, times)) in costs.iter_mut().zip([((100, 4), 4), ((1000, 4), 1)]) {
            *sum += (0..times).map(|_| cost(case)).sum::<f64>() / (TURNS * times) as f64;
        }
    }
    costs[2] = cost((1000, 10));
    let growth = costs[1] / costs[0];
    if common::json() {
        println!(r#"{{"bench":"implicit","cpu_per_second":{costs:?},"growth":{growth:.3}}}"#);
    } else {
        println!("  {}", verdict(costs[0], MAX_CPU, "s CPU a simulated second"));
        println!("  growth {growth:.1} x: {}", verdict(growth, MAX_GROWTH, "x"));
    }
}

/// A hundred balls, or a thousand in four or ten layers; none sleeps.
fn implicit_scene(balls: usize, layers: usize) -> Scene {
    let wide = |s: &str| {
        let s = s.replace("[-0.44, -0.44,", "[-2.64, -0.99,").replace("[5, 5, 4]", "[25, 10, 4]");
        s.replace("-0.55, 0,", "-2.75, 0,").replace("0.55, 0,", "2.75, 0,").replace("0.55, 0]", "1.1, 0]")
    };
    let deep = |s: &str| s.replace("0.44", "0.99").replace("0.55", "1.1").replace("[5, 5, 4]", "[10, 10, 10]");
    let text = match (balls, layers) {
        (100, _) => text(),
        (_, 10) => deep(&text()),
        _ => wide(&text()),
    };
    let mut scene = Scene::parse(&text, "hundred-balls.toml").unwrap_or_else(|e| panic!("the scene is legal: {e}"));
    (scene.motion.scheme, scene.motion.sleep) = (Scheme::Implicit, false);
    scene
}

fn text() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/hundred-balls.toml");
    std::fs::read_to_string(path).expect("the scene ships with the project")
}

/// The shipped scene from its start, where the balls fall and hardly touch, and packed, where each presses on all its
/// neighbours: time against simulated time, and the peak of memory.
fn hundred_balls() {
    let mut scene = Scene::parse(&text(), "hundred-balls.toml").unwrap_or_else(|e| panic!("the scene is legal: {e}"));
    scene.motion.scheme = Scheme::Explicit;
    let simulated: f64 = common::option("--seconds").and_then(|s| s.parse().ok()).unwrap_or(0.1);
    advance("loose", &scene, simulated);
    for ball in scene.bodies.iter_mut().filter(|b| matches!(b.motion, MotionSpec::Rigid { .. })) {
        ball.placement.translation *= PACKED;
    }
    advance("packed", &scene, simulated);
    let memory = peak_memory().unwrap_or(f64::NAN);
    if common::json() {
        println!(r#"{{"bench":"hundred-balls","peak_mb":{memory:.1}}}"#);
    } else {
        println!("  {memory:.1} MB at most: {}", verdict(memory, MAX_MEMORY, "MB"));
    }
}

/// What `simulated` seconds from the start of `scene` cost: CPU seconds a simulated one.
fn advance(how: &str, scene: &Scene, simulated: f64) -> f64 {
    let mut world = World::new(scene).expect("the scene's bodies can be made");
    let before = world.contacts().len();
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let frames = (simulated * scene.frame_rate).round().max(1.0) as usize;
    for frame in 1..=frames {
        world.advance_to(frame as f64 / scene.frame_rate).expect("settings are sound");
    }
    let simulated = frames as f64 / scene.frame_rate;
    let wall = start.elapsed().as_secs_f64() / simulated;
    let cpu = cpu.zip(cpu_seconds()).map_or(f64::NAN, |(from, to)| (to - from) / simulated);
    let contacts = [before, world.contacts().len()];
    let off = force_error(&world);
    if common::json() {
        println!(
            r#"{{"bench":"hundred-balls","start":"{how}","simulated":{simulated},"wall_per_second":{wall:.4},"cpu_per_second":{cpu:.4},"contacts":{contacts:?},"force_error":{off:.3e}}}"#
        );
    } else {
        let [from, to] = contacts;
        println!("hundred-balls, {how}, first {simulated:.3} s, {from} patches, then {to}:");
        println!("  {wall:.2} s wall and {cpu:.2} s CPU a simulated second; worst force off by {off:.1e} of its load");
    }
    cpu
}

/// The worst error of a pair's elastic force at the end, as a fraction of its load, against the finest search for its
/// patches.
fn force_error(world: &World) -> f64 {
    let mut worst = 0.0f64;
    for pair in world.contacts().chunk_by(|c, d| c.pair == d.pair) {
        let exact = Patch::find(&world.pair(&pair[0].pair), &Quality::finest());
        let force: DVec3 = pair.iter().map(|c| c.patch.on_a.force).sum();
        let truth: DVec3 = exact.iter().map(|p| p.on_a.force).sum();
        let load: f64 = exact.iter().map(|p| p.load).sum();
        worst = worst.max((force - truth).length() / load);
    }
    worst
}

/// Bodies that never meet: the step must cost what its bodies cost.
fn separated() {
    if !common::json() {
        println!("separated balls that drift over a floor far below, µs a step (best):");
        println!("{:>11} {:>7} {:>12} {:>21}", "spacing, m", "bodies", "World::step", "step of advance_to");
    }
    for spacing in SPACINGS {
        let small = step_cost([5, 5, 4], spacing);
        let large = step_cost([10, 10, 10], spacing);
        let (step, advance) = (large.0 / small.0, large.1 / small.1);
        for (n, (step, advance)) in [(100, small), (1000, large)] {
            if common::json() {
                println!(
                    r#"{{"bench":"separated","spacing":{spacing},"bodies":{n},"step_us":{step:.3},"advance_us":{advance:.3}}}"#
                );
            } else {
                println!("{spacing:>11} {n:>7} {step:>12.1} {advance:>21.1}");
            }
        }
        if common::json() {
            println!(
                r#"{{"bench":"separated","spacing":{spacing},"growth_step":{step:.3},"growth_advance":{advance:.3}}}"#
            );
        } else {
            let said = verdict(step.max(advance), MAX_GROWTH, "x");
            println!("{:>11} {:>7} {step:>11.2}x {advance:>20.2}x   {said}", "", "growth");
        }
    }
}

fn verdict(got: f64, most: f64, unit: &str) -> String {
    format!("target at most {most} {unit}, {}", if got <= most { "met" } else { "NOT MET" })
}

/// µs of one bare step, and of one step among those of a 60th of a second: each the best of many.
fn step_cost(count: [usize; 3], spacing: f64) -> (f64, f64) {
    let scene = grid(count, spacing);
    let dt = scene.motion.largest_step;
    let mut world = World::new(&scene).expect("balls can be made");
    let mut best = f64::INFINITY;
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < SECONDS {
        let one = Instant::now();
        world.step(dt).expect("settings are sound");
        best = best.min(one.elapsed().as_secs_f64());
    }
    assert!(world.contacts().is_empty(), "nothing was to touch");
    // A whole number of the longest steps, so that their count is known.
    let steps = 32;
    let mut frame = f64::INFINITY;
    let mut world = World::new(&scene).expect("balls can be made");
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < SECONDS {
        let one = Instant::now();
        world.advance_to(world.time() + f64::from(steps) * dt).expect("settings are sound");
        frame = frame.min(one.elapsed().as_secs_f64() / f64::from(steps));
    }
    (1e6 * best, 1e6 * frame)
}

/// Balls in a block, sinking without weight, so that every step costs the same, and a rigid floor they never reach.
fn grid([nx, ny, nz]: [usize; 3], spacing: f64) -> Scene {
    let body = |name: String, elements, at| BodySpec {
        name,
        material: Material::SOFT,
        response: Response::Soft,
        motion: MotionSpec::Rigid { mass: Some(1.0) },
        placement: Frame::at(at),
        velocity: DVec3::Z * -0.5,
        angular_velocity: DVec3::ZERO,
        elements,
        core: Vec::new(),
    };
    let mut bodies = Vec::new();
    for i in 0..nx * ny * nz {
        let at = DVec3::new((i % nx) as f64, (i / nx % ny) as f64, (i / (nx * ny)) as f64) * spacing;
        bodies.push(body(format!("ball-{i}"), vec![Element::new(point(DVec3::ZERO), linear(RADIUS))], at));
    }
    let below = HalfSpace::new(DVec3::Z * -RADIUS, DVec3::Z).expect("a unit normal");
    let floor = vec![Element::new(Skeleton::HalfSpace(below), linear(RADIUS))];
    bodies.push(BodySpec {
        response: Response::Rigid,
        motion: MotionSpec::Fixed,
        material: Material::RIGID,
        velocity: DVec3::ZERO,
        ..body("floor".to_owned(), floor, DVec3::Z * -2e4)
    });
    Scene { bodies, gravity: DVec3::ZERO, ..Scene::default() }
}
