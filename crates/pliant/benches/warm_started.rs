//! Warm-started patches along smooth trajectories, for every kind of shape: what a query costs, and how far its force
//! is from a fine one's.
//!
//! `cargo bench -p pliant --bench warm_started`, then optionally `--` and `--only box2,ring-plane` (some kinds),
//! `--paths 4` (trajectories of a kind), `--steps 100` (of a trajectory). A row a kind, the worst last:
//! evaluations of both fields a patch (median, worst), µs a query, set-ups in 100 steps, error of the force against its load
//! (median, 95 %, worst), noise (second difference of the error against that of the force), error of the work around a closed
//! loop against the work exchanged.

mod common;

use common::{cpu_seconds, linear, point};
use pliant::contact::{Pair, Patch, Quality, Side, WarmStart};
use pliant::fields::skeleton::{Circle, Cuboid, HalfSpace, Segment};
use pliant::fields::{Element, Kernel, KernelParameters, Posed, Profile, Shape, Skeleton};
use pliant::math::{DQuat, DVec3, Frame, Random};

/// Tolerance of stepping.
const TOLERANCE: f64 = 1e-3;
/// Of the reference.
const FINE: f64 = 1e-5;

struct Kind {
    name: &'static str,
    a: Shape,
    b: Shape,
    /// Largest tilt from lying flat, rad; random orientations without.
    flat: Option<f64>,
    thickness: f64,
}

fn kernel(t: f64, radius: f64) -> Kernel {
    Kernel::new(Profile::Linear, 1.0, KernelParameters { thickness: t, slope: None, radius }).expect("legal")
}

fn shape(skeletons: Vec<Skeleton>, kernel: Kernel) -> Shape {
    Shape::new(skeletons.into_iter().map(|s| Element::new(s, kernel.clone())).collect(), 1.0)
}

fn capsule(half: f64) -> Shape {
    shape(vec![Segment::new(-half * DVec3::X, half * DVec3::X).unwrap().into()], linear(0.06))
}

fn points(at: &[[f64; 2]], t: f64, radius: f64) -> Shape {
    shape(at.iter().map(|p| point(DVec3::new(p[0], p[1], 0.0))).collect(), kernel(t, radius))
}

fn pair() -> Shape {
    points(&[[-0.04, 0.0], [0.04, 0.0]], 0.06, 0.1)
}

fn clover() -> Shape {
    points(&[[-0.04, 0.0], [0.04, 0.0], [0.0, 0.04], [0.0, -0.04]], 0.05, 0.08)
}

fn cuboid() -> Shape {
    shape(vec![Cuboid::new(DVec3::ZERO, DVec3::splat(0.05)).unwrap().into()], linear(0.03))
}

fn ring() -> Shape {
    shape(vec![Circle::new(DVec3::ZERO, DVec3::Z, 0.06).unwrap().into()], linear(0.03))
}

fn limb() -> Shape {
    let at = |i: usize| {
        let x = 0.05 * i as f64;
        DVec3::new(x - 0.25, 0.03 * (9.0 * x).sin(), 0.02 * (7.0 * x).cos())
    };
    shape((0..10).map(|i| Segment::new(at(i), at(i + 1)).unwrap().into()).collect(), kernel(0.04, 0.07))
}

fn plane() -> Shape {
    shape(vec![HalfSpace::new(-0.1 * DVec3::Z, DVec3::Z).unwrap().into()], linear(0.1))
}

fn kinds() -> Vec<Kind> {
    let kind = |name, a: Shape, b: Shape, flat, thickness| Kind { name, a, b, flat, thickness };
    vec![
        kind("capsule2", capsule(0.04), capsule(0.04), None, 0.06),
        kind("capsule2-al", capsule(0.04), capsule(0.04), Some(0.1), 0.06),
        kind("capsule-plane", capsule(0.04), plane(), None, 0.06),
        kind("long-capsule-plane-al", capsule(0.2), plane(), Some(0.1), 0.06),
        kind("pair2", pair(), pair(), None, 0.06),
        kind("clover2", clover(), clover(), None, 0.05),
        kind("clover2-al", clover(), clover(), Some(0.1), 0.05),
        kind("clover-plane-al", clover(), plane(), Some(0.1), 0.05),
        kind("box2", cuboid(), cuboid(), None, 0.03),
        kind("box2-al", cuboid(), cuboid(), Some(0.1), 0.03),
        kind("box-plane-al", cuboid(), plane(), Some(0.1), 0.03),
        kind("ring2", ring(), ring(), None, 0.03),
        kind("ring2-al", ring(), ring(), Some(0.1), 0.03),
        kind("ring-plane-al", ring(), plane(), Some(0.1), 0.03),
        kind("limb2", limb(), limb(), None, 0.04),
    ]
}

/// A smooth closed path of a over b.
struct Path {
    base: Frame,
    lower: Frame,
    shift: DVec3,
    swing: DVec3,
    turn: DVec3,
    spin: DVec3,
}

impl Path {
    fn at(&self, u: f64) -> Frame {
        let (sin, cos) = (std::f64::consts::TAU * u).sin_cos();
        let moved = sin * self.shift + (1.0 - cos) * self.swing;
        let turned = sin * self.turn + (1.0 - cos) * self.spin;
        let rotation = DQuat::from_scaled_axis(turned) * self.base.rotation;
        Frame { rotation, translation: self.base.translation + moved }
    }
}

fn random_rotation(random: &mut Random, flat: Option<f64>) -> DQuat {
    match flat {
        Some(tilt) => {
            let turn = DQuat::from_rotation_z(std::f64::consts::TAU * random.unit());
            DQuat::from_scaled_axis(tilt * random.unit() * random.vector().with_z(0.0).normalize_or_zero()) * turn
        }
        None => DQuat::from_scaled_axis(std::f64::consts::PI * random.unit() * random.vector().normalize_or_zero()),
    }
}

fn pair_at<'a>(kind: &'a Kind, a: Frame, b: Frame) -> Pair<'a> {
    let side = |shape, at| Side { field: Posed::rigid(shape, at), stiffness: 1e5, rigid: false };
    let mut pair = Pair { a: side(&kind.a, a), b: side(&kind.b, b) };
    pair.b.rigid = kind.b.solid_bounds().size().max_element() == f64::INFINITY;
    pair
}

/// A path on which bodies press by 0.2 to 25 % of the thickness.
fn path(kind: &Kind, random: &mut Random) -> Path {
    let is_plane = !kind.b.solid_bounds().is_finite();
    let lower = match kind.flat {
        _ if is_plane => Frame::IDENTITY,
        flat => Frame { rotation: random_rotation(random, flat), translation: DVec3::ZERO },
    };
    let rotation = random_rotation(random, kind.flat);
    let aside = 0.5 * kind.thickness * random.vector().with_z(0.0);
    let depth = kind.thickness * 0.002 * 125f64.powf(random.unit());
    let overlap = |z: f64| {
        let at = Frame { rotation, translation: aside + z * DVec3::Z };
        let found = Patch::find(&pair_at(kind, at, lower), &Quality::draft());
        found.iter().map(|p| p.overlap).fold(0.0, f64::max)
    };
    let (mut low, mut high) = (0.02, 0.8);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if overlap(middle) > depth { low = middle } else { high = middle }
    }
    let base = Frame { rotation, translation: aside + low * DVec3::Z };
    let mut direction = || random.vector().normalize_or_zero();
    let t = kind.thickness;
    let turn = if kind.flat.is_some() { 0.3 * depth / t } else { 0.2 };
    Path {
        base,
        lower,
        shift: 0.2 * t * direction() * DVec3::new(1.0, 1.0, 0.0) + 0.3 * depth * DVec3::Z,
        swing: 0.2 * t * direction() * DVec3::new(1.0, 1.0, 0.0) - 0.1 * depth * DVec3::Z,
        turn: turn * direction() + 0.2 * DVec3::Z * random.unit(),
        spin: 0.5 * turn * random.vector(),
    }
}

fn main() {
    let only = common::option("--only");
    let count = |name: &str, default: usize| common::option(name).and_then(|s| s.parse().ok()).unwrap_or(default);
    let (paths, steps) = (count("--paths", 6), count("--steps", 60));
    println!(
        "{:<22} {:>12} {:>8} {:>7}  {:>23} {:>7} {:>8}",
        "", "evaluations", "µs", "set-ups", "error", "noise", "loop"
    );
    for kind in kinds() {
        if only.as_deref().is_some_and(|o| !o.split(',').any(|n| n == kind.name)) {
            continue;
        }
        row(&kind, paths, steps);
    }
}

#[derive(Default)]
struct Row {
    evaluations: Vec<f64>,
    errors: Vec<f64>,
    noise: f64,
    work: f64,
    set_ups: usize,
    queries: usize,
    time: f64,
}

fn row(kind: &Kind, paths: usize, steps: usize) {
    let mut row = Row::default();
    for seed in 0..paths {
        follow(kind, &path(kind, &mut Random(1000 + seed as u64)), steps, &mut row);
    }
    let sorted = |mut all: Vec<f64>| {
        all.sort_by(f64::total_cmp);
        all
    };
    let (evaluations, errors) = (sorted(row.evaluations), sorted(row.errors));
    let at = |all: &[f64], part: f64| all.get(((all.len() - 1) as f64 * part) as usize).copied().unwrap_or(f64::NAN);
    println!(
        "{:<22} {:>6.0} {:>5.0} {:>8.1} {:>7.1}  {:>7.1e} {:>7.1e} {:>7.1e} {:>7.2} {:>8.1e}",
        kind.name,
        at(&evaluations, 0.5),
        at(&evaluations, 1.0),
        1e6 * row.time / row.queries as f64,
        100.0 * row.set_ups as f64 / row.queries as f64,
        at(&errors, 0.5),
        at(&errors, 0.95),
        at(&errors, 1.0),
        row.noise,
        row.work
    );
}

fn follow(kind: &Kind, path: &Path, steps: usize, row: &mut Row) {
    let quality = Quality::within(TOLERANCE);
    let mut warm: Vec<WarmStart> = Vec::new();
    let (mut forces, mut truths) = (Vec::new(), Vec::new());
    for step in 0..=steps {
        let pair = pair_at(kind, path.at(step as f64 / steps as f64), path.lower);
        let start = cpu_seconds().unwrap_or(0.0);
        let found = Patch::find_warm(&pair, &quality, &warm);
        let took = cpu_seconds().unwrap_or(0.0) - start;
        let fine = Patch::find(&pair, &Quality::within(FINE));
        let sum = |all: &[Patch]| {
            let force: DVec3 = all.iter().map(|p| p.on_a.force).sum();
            let moment: DVec3 =
                all.iter().map(|p| p.moment_about(&p.on_a, pair.a.field.world_from_body.translation)).sum();
            (force, moment)
        };
        let load: f64 = fine.iter().map(|p| p.load).sum();
        let (force, truth) = (sum(&found.patches), sum(&fine));
        if step > 0 {
            row.queries += 1;
            row.set_ups += usize::from(!found.reused_charts && !warm.is_empty() && !found.patches.is_empty());
            row.time += took;
            row.evaluations.push(f64::from(found.evaluations) / found.patches.len().max(1) as f64);
            let error = force.0.distance(truth.0) / load.max(f64::MIN_POSITIVE);
            if error > 0.01 && std::env::args().any(|a| a == "--tell") {
                for (who, all) in [("got", &found.patches), ("fine", &fine)] {
                    for p in all {
                        let lo = p.border.iter().fold(DVec3::INFINITY, |a, b| a.min(*b));
                        let hi = p.border.iter().fold(DVec3::NEG_INFINITY, |a, b| a.max(*b));
                        println!(
                            "    {who}: force {:.4} load {:.5} area {:.4e} border {lo:.5} {hi:.5} points {} overlap {:.2e} chart {:?}",
                            p.on_a.force,
                            p.load,
                            p.area,
                            p.points.len(),
                            p.overlap,
                            p.warm_start().chart.map(|c| (c.counts, c.ends, c.middle))
                        );
                    }
                }
                println!(
                    "  step {step}: error {error:.2e}, {} patches against {}, reused {}",
                    found.patches.len(),
                    fine.len(),
                    found.reused_charts
                );
            }
            row.errors.push(error);
        }
        forces.push(force);
        truths.push(truth);
        warm = found.patches.iter().map(Patch::warm_start).collect();
    }
    let second = |f: &dyn Fn(usize) -> DVec3| -> f64 {
        (1..steps).map(|i| (f(i - 1) - 2.0 * f(i) + f(i + 1)).length_squared()).sum::<f64>().sqrt()
    };
    let noise = second(&|i| forces[i].0 - truths[i].0) / second(&|i| truths[i].0).max(1e-300);
    row.noise = row.noise.max(noise);
    // Work of the error around the loop, by the midpoint rule, against that exchanged.
    let (mut error, mut exchanged) = (0.0, 0.0);
    for i in 0..steps {
        let [from, to] = [i, i + 1].map(|k| path.at(k as f64 / steps as f64));
        let moved = to.translation - from.translation;
        let turned = (to.rotation * from.rotation.conjugate()).to_scaled_axis();
        let mean = |all: &[(DVec3, DVec3)]| (0.5 * (all[i].0 + all[i + 1].0), 0.5 * (all[i].1 + all[i + 1].1));
        let work = |w: (DVec3, DVec3)| w.0.dot(moved) + w.1.dot(turned);
        let (got, truth) = (work(mean(&forces)), work(mean(&truths)));
        error += got - truth;
        exchanged += truth.abs();
    }
    row.work = row.work.max((error / exchanged.max(1e-300)).abs());
}
