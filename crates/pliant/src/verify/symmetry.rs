//! Invariance: under rotation, exchange of sides, order of bodies, number of threads.

use super::setup;
use super::{Check, greatest};
use crate::contact::{ContactForces, Pair, Patch, PatchPoint, Quality, Resolution, Side, Wrench};
use crate::fields::{Field, Posed, Shape};
use crate::math::{DQuat, DVec3, Frame, Random, bracketed_root, gauss};
use crate::model::{Bulge, Material, Scene};
use crate::visible::{Collider, Deformed};
use crate::{Energy, State, World};
use rayon::prelude::*;

fn force(pair: &Pair) -> DVec3 {
    Patch::find(pair, &Quality::default()).iter().map(|p| p.on_a.force).sum()
}

fn deviation(values: &[f64], from: f64) -> f64 {
    (values.iter().map(|v| (v / from - 1.0).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}

/// `∫ K max(f − c, 0)` over the plane z = 0, along lines of its own: every interval found, Gauss points in each.
fn plane_force(field: &Posed) -> f64 {
    let excess = |x: f64, y: f64| field.value(DVec3::new(x, y, 0.0)) - field.shape.iso();
    let reach = 0.2;
    let (lines, samples, rule, panels) = (800, 120, gauss(8), 4);
    let mut sum = 0.0;
    for i in 0..lines {
        let x = reach * (2.0 * (i as f64 + 0.5) / lines as f64 - 1.0);
        let along = |y: f64| excess(x, y);
        let at = |j: usize| reach * (2.0 * j as f64 / samples as f64 - 1.0);
        let mut ends: Vec<f64> = Vec::new();
        for j in 0..samples {
            if (along(at(j)) > 0.0) != (along(at(j + 1)) > 0.0) {
                ends.extend(bracketed_root(along, (at(j), at(j + 1)), 1e-14));
            }
        }
        for interval in ends.chunks_exact(2) {
            let width = (interval[1] - interval[0]) / panels as f64;
            for k in 0..panels {
                for (u, w) in rule.nodes.iter().zip(&rule.weights) {
                    sum += w * width * along(interval[0] + (k as f64 + u) * width);
                }
            }
        }
    }
    setup::K * sum * 2.0 * reach / lines as f64
}

/// A pair of lumpy bodies turned as a whole; and a lumpy body against its mirror image, whose answer is known.
pub fn orientation() -> Vec<Check> {
    let mut random = Random(2024);
    let (a, b) = (setup::lumpy(false), setup::lumpy(true));
    let place = Frame { rotation: DQuat::from_rotation_x(0.4), translation: DVec3::new(0.02, 0.01, 0.15) };
    let turns: Vec<Frame> =
        (0..100).map(|_| Frame { rotation: random.rotation(), translation: random.vector() }).collect();
    let whole =
        |turn: &Frame| force(&setup::soft_pair(Posed::rigid(&a, *turn), Posed::rigid(&b, *turn * place), 2.5)).length();
    let whole: Vec<f64> = turns.par_iter().map(whole).collect();
    let turns: Vec<DQuat> = (0..100).map(|_| random.rotation()).collect();
    let mirrored = |q: &DQuat| {
        // The mirror image of a body turned by (x, y, z, w) is the mirrored body turned by (−x, −y, z, w).
        let q = *q;
        let mirrored = DQuat::from_xyzw(-q.x, -q.y, q.z, q.w);
        let height = lowest(&a, q) * 0.88;
        let up = Frame { rotation: q, translation: DVec3::Z * height };
        let down = Frame { rotation: mirrored, translation: DVec3::NEG_Z * height };
        let pair = setup::soft_pair(Posed::rigid(&a, up), Posed::rigid(&b, down), 1.0);
        let f = force(&pair);
        (f.z / plane_force(&Posed::rigid(&a, up)), f.truncate().length() / f.length())
    };
    let (ratios, across): (Vec<f64>, Vec<f64>) = turns.par_iter().map(mirrored).collect();
    let worst = greatest(&ratios.iter().map(|r| (r - 1.0).abs()).collect::<Vec<_>>());
    vec![
        Check::small(
            "blended pair turned as a whole, 100 ways: relative deviation of the force",
            deviation(&whole, whole.iter().sum::<f64>() / whole.len() as f64),
            1e-5,
        ),
        Check::small(
            "blended body on its mirror image, 100 ways: relative deviation from the known force",
            deviation(&ratios, 1.0),
            1e-5,
        ),
        Check::small("blended body on its mirror image, 100 ways: worst error of the force", worst, 1e-4),
        Check::small("blended body on its mirror image, 100 ways: force along the mirror", greatest(&across), 1e-5),
    ]
}

/// Depth of the turned body below its origin.
fn lowest(shape: &Shape, turn: DQuat) -> f64 {
    let placed = Posed::rigid(shape, Frame { rotation: turn, translation: DVec3::ZERO });
    let layer = |z: f64| {
        let cell = |i: i32, j: i32| DVec3::new(0.01 * f64::from(i), 0.01 * f64::from(j), z);
        (-15..=15).any(|i| (-15..=15).any(|j| placed.value(cell(i, j)) >= shape.iso()))
    };
    (0..200).map(|i| 0.2 - 0.001 * f64::from(i)).find(|h| layer(-h)).unwrap_or(0.0)
}

/// Force on `own` and its torque about the origin at the points of `patch`, from its own pressure (a rigid side has
/// none, and feels its partner's) along the normals of its own visible surface. Nothing but places and areas is the
/// patch's.
fn felt_by(own: &Side, other: &Side, patch: &Patch) -> (DVec3, DVec3) {
    let pressing = if own.rigid { other } else { own };
    let collider = Collider {
        body: 0,
        field: other.field,
        ratio: other.stiffness / own.stiffness,
        rigid: other.rigid,
        velocity: DVec3::ZERO,
        sources: Vec::new(),
    };
    let colliders = if own.rigid { Vec::new() } else { vec![collider] };
    let visible = Deformed { field: own.field, bulge: Bulge::None, colliders };
    let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
    for PatchPoint { position, area, .. } in &patch.points {
        let pressure = pressing.stiffness * (pressing.field.value(*position) - pressing.field.shape.iso());
        let push = pressure * *area * visible.sample(*position).gradient.normalize();
        force += push;
        torque += position.cross(push);
    }
    (force, torque)
}

/// The worse of force over |F| and torque over |F| t, for all patches of some pairs.
struct Reactions {
    /// Sum of the wrenches on both sides.
    unbalanced: Vec<f64>,
    /// Difference of the wrench on a side and that of the patch.
    misstated: Vec<f64>,
}

impl Reactions {
    fn of(pairs: &[Pair], quality: &Quality) -> Self {
        let (mut unbalanced, mut misstated) = (Vec::new(), Vec::new());
        for pair in pairs {
            for patch in Patch::find(pair, quality) {
                let (on_a, on_b) = (felt_by(&pair.a, &pair.b, &patch), felt_by(&pair.b, &pair.a, &patch));
                let said = |w: &Wrench| (w.force, patch.moment_about(w, DVec3::ZERO));
                let size = patch.on_a.force.length();
                let apart = |p: (DVec3, DVec3), q: (DVec3, DVec3)| {
                    greatest(&[(p.0 - q.0).length() / size, (p.1 - q.1).length() / (size * setup::T)])
                };
                unbalanced.push(apart(on_a, (-on_b.0, -on_b.1)));
                misstated.extend([apart(on_a, said(&patch.on_a)), apart(on_b, said(&patch.on_b))]);
            }
        }
        Self { unbalanced, misstated }
    }
}

/// Action and reaction, each side asked by itself.
pub fn reaction() -> Vec<Check> {
    let mut random = Random(7);
    let (a, b) = (setup::lumpy(false), setup::lumpy(true));
    let mut place =
        |apart: f64| Frame { rotation: random.rotation(), translation: apart * random.vector().normalize() };
    let soft: Vec<Pair> = (0..25)
        .map(|i| {
            setup::soft_pair(
                Posed::rigid(&a, Frame::IDENTITY),
                Posed::rigid(&b, place(0.13)),
                0.3 + 0.12 * f64::from(i),
            )
        })
        .collect();
    let rigid: Vec<Pair> = (0..10)
        .map(|i| {
            let Pair { a, b } = setup::on_rigid(Posed::rigid(&a, Frame::IDENTITY), Posed::rigid(&b, place(0.15)));
            if i % 2 == 0 { Pair { a, b } } else { Pair { a: b, b: a } }
        })
        .collect();
    let exact = Quality { resolution: Resolution::Fixed { radial: 6, angular: 24 }, ..Quality::default() };
    let mut checks = Vec::new();
    for (name, pairs) in [("25 blended pairs", soft), ("10 blended bodies on rigid ones", rigid)] {
        let (usual, exact) = (Reactions::of(&pairs, &Quality::default()), Reactions::of(&pairs[..5], &exact));
        checks.push(Check::at_least(
            format!("{name}: patches seen"),
            usual.unbalanced.len() as f64,
            0.8 * pairs.len() as f64,
        ));
        checks.push(Check::at_least(format!("{name}: patches of five seen again"), exact.unbalanced.len() as f64, 4.0));
        let law = |what: &str| format!("{name}: {what}, over |F| and |F| t");
        let unbalanced = greatest(&[greatest(&usual.unbalanced), greatest(&exact.unbalanced)]);
        checks.push(Check::small(law("what the two sides feel cancels"), unbalanced, 1e-9));
        checks.push(Check::small(
            law("what a side feels and what its patch says, roots found to rounding"),
            greatest(&exact.misstated),
            1e-9,
        ));
        // By default roots are found to a tenth of the tolerance asked for, 1e-5, and normals taken there; Newton's last
        // step leaves a tenth of that and less.
        checks.push(Check::small(
            law("what a side feels and what its patch says, by default"),
            greatest(&usual.misstated),
            1e-7,
        ));
    }
    checks
}

/// A heap of balls, lumps and a floor.
fn heap(order: &[usize]) -> Scene {
    let kernel = setup::kernel(crate::fields::Profile::Linear, 0.1);
    let sticky = Material { damping: 40.0, friction: 0.4, ..Material::SOFT };
    let mut floor = setup::floor(DVec3::Z);
    floor.material = Material { bulge: Bulge::None, stiffness: 1e8, ..sticky };
    let mut bodies = vec![floor];
    let mut random = Random(99);
    for i in 0..18 {
        let at = DVec3::new((i % 3) as f64 * 0.17, (i / 3 % 3) as f64 * 0.17, 0.095 + (i / 9) as f64 * 0.17);
        let elements = if i % 4 == 3 {
            setup::lumpy(false).elements().to_vec()
        } else {
            setup::ball(&kernel, 1).elements().to_vec()
        };
        let mut b = setup::body(&format!("body-{i:02}"), elements, at + 0.01 * random.vector());
        b.material = sticky;
        bodies.push(b);
    }
    setup::scene(order.iter().map(|i| bodies[*i].clone()).collect())
}

/// All results of a run: state, forces of contacts in order, and energies.
#[derive(PartialEq)]
struct RunResult {
    state: State,
    forces: Vec<ContactForces>,
    energy: Energy,
}

impl RunResult {
    fn of(world: &World) -> Self {
        let forces = world.contacts().iter().map(|c| c.forces).collect();
        Self { state: world.snapshot(), forces, energy: world.energy() }
    }
}

fn run(scene: &Scene, threads: usize, until: f64) -> Option<RunResult> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()?;
    pool.install(|| {
        let mut world = World::new(scene).ok()?;
        world.advance_to(until).ok()?;
        Some(RunResult::of(&world))
    })
}

/// Threads, order of bodies, and going on from a snapshot.
pub fn bits() -> Vec<Check> {
    bits_of("", |_| (), 0.02)
}

/// [`bits`] of a heap with other settings, run `until` then.
pub(super) fn bits_of(which: &str, change: impl Fn(&mut Scene), until: f64) -> Vec<Check> {
    let order: Vec<usize> = (0..19).collect();
    let shuffled: Vec<usize> = (0..19).map(|i| (i * 7 + 3) % 19).collect();
    let heap = |order: &[usize]| {
        let mut scene = heap(order);
        change(&mut scene);
        scene
    };
    let one = run(&heap(&order), 1, until);
    let same = |other: Option<RunResult>| one.is_some() && one == other;
    let resumed = || {
        let scene = heap(&order);
        let (mut straight, mut broken) = (World::new(&scene).ok()?, World::new(&scene).ok()?);
        straight.advance_to(0.5 * until).ok()?;
        let snapshot = straight.snapshot();
        straight.advance_to(until).ok()?;
        broken.restore(&snapshot).ok()?;
        broken.advance_to(until).ok()?;
        Some(straight.snapshot() == broken.snapshot())
    };
    vec![
        Check::yes(format!("{which}2 threads give the bits of 1"), same(run(&heap(&order), 2, until))),
        Check::yes(format!("{which}7 threads give the bits of 1"), same(run(&heap(&order), 7, until))),
        Check::yes(format!("{which}permuted bodies give the same bits"), same(run(&heap(&shuffled), 2, until))),
        Check::yes(format!("{which}going on from a snapshot gives the same bits"), resumed() == Some(true)),
    ]
}
