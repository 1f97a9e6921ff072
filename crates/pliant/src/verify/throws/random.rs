//! Random pairs: skeletons of all kinds, kernels, stiffness, masses, spins, offsets.

use crate::World;
use crate::bodies::{BodyError, MassProperties, NewBody};
use crate::contact::Quality;
use crate::fields::skeleton::{
    Ball, BezierPatch, Circle, Cuboid, Disc, HalfSpace, Point, Polyline, Segment, SmoothCurve, Triangle, TriangleMesh,
};
use crate::fields::{Convolution, Element, Field, Kernel, KernelParameters, Profile, Shape, Skeleton, Source};
use crate::math::{DMat3, DQuat, DVec3, Frame, Random};
use crate::model::{BodySpec, Bulge, Material, MotionSpec, Response, Scene, Scheme};
use std::sync::{Arc, OnceLock};

/// Two bodies about to meet, or to miss each other.
#[derive(Clone, Debug)]
pub struct Throw {
    /// Seed that reproduces it.
    pub seed: u64,
    /// Both, at the start.
    pub scene: Scene,
    /// Kinds of both bodies.
    pub kinds: [&'static str; 2],
    /// Relative speed, m/s.
    pub speed: f64,
    /// Time simulated, s.
    pub seconds: f64,
    /// Neither can be passed through: each has a rigid core, or is rigid.
    pub barred: bool,
    known: Vec<(Arc<Shape>, MassProperties)>,
}

/// Longest side of bodies, metres; the other may be half or twice as long.
const LENGTH: f64 = 0.2;

/// Frames watched at most: soft and heavy bodies press for seconds.
const MAX_FRAMES: f64 = 120.0;

/// Kinds of bodies; the first are convex, the last has no end.
const KINDS: [&str; 16] = [
    "point",
    "segment",
    "triangle",
    "disc",
    "ball",
    "box",
    "plate",
    "polyline",
    "curve",
    "ring",
    "mesh",
    "patch",
    "two points",
    "lumps",
    "convolution",
    "ground",
];
const CONVEX: usize = 7;
const GROUND: usize = KINDS.len() - 1;

/// Bodies of each kind: thickness, curve, size.
const MAX_VARIANTS: usize = 8;

struct Made {
    kind: &'static str,
    convex: bool,
    elements: Vec<Element>,
    core: Vec<Element>,
    barred: bool,
    /// From the middle of its box, metres.
    radius: f64,
    length: f64,
    middle: DVec3,
    thickness: f64,
    /// Cubic metres.
    volume: f64,
    known: Option<(Arc<Shape>, MassProperties)>,
}

impl Throw {
    /// The throw of this number, of bodies in `variants` forms of each kind.
    pub fn new(seed: u64, variants: usize) -> Self {
        // Neighbouring numbers must not look alike: splitmix64.
        let mut z = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let random = &mut Random((z ^ (z >> 31)) | 1);
        for _ in 0..4 {
            random.unit();
        }
        let ground = random.unit() < 0.1;
        let variants = variants.clamp(1, MAX_VARIANTS);
        let a = made(random, variants);
        let b = if ground { one_of(pool(), GROUND, random.below(variants)) } else { made(random, variants) };
        let speed = LENGTH * 10f64.powf(2.0 * random.unit());
        let direction = random.vector().normalize_or(DVec3::X);
        let side = direction.any_orthonormal_vector();
        // Central, grazing, or past it.
        let reach = a.radius + b.radius;
        let aside = match random.below(10) {
            0..=1 => 0.0,
            2..=6 => 0.7 * random.unit() * reach,
            7..=8 => (0.5 + 0.5 * random.unit()) * reach,
            _ => (1.0 + 0.5 * random.unit()) * reach,
        };
        let start = 1.01 * reach + speed / 60.0 * random.unit();
        let gravity = if random.unit() < 0.5 { DVec3::ZERO } else { DVec3::Z * -9.81 };
        let mut masses = [(); 2].map(|()| 10f64.powf(4.0 * random.unit() - 2.0));
        let mut stiffness = [(); 2].map(|()| 10f64.powf(3.0 + 6.0 * random.unit()));
        // A thin body that is the stiffer one cuts deep into the other, which takes long to work out: every other time.
        if (a.thickness < b.thickness) == (stiffness[0] > stiffness[1]) && random.unit() < 0.5 {
            stiffness.reverse();
        }
        // Most throws stay below about the energy that the softer body can store; the others exceed it.
        let weight = if ground { masses[0] } else { masses[0] * masses[1] / (masses[0] + masses[1]) };
        let most = stiffness[0].min(stiffness[1]) * a.volume.min(b.volume) * random.unit();
        if random.unit() < 0.9 && 0.5 * weight * speed * speed > most {
            masses = masses.map(|m| m * most / (0.5 * weight * speed * speed));
        }
        let fixed = ground || random.unit() < 0.15;
        let shared = if fixed { 0.0 } else { masses[0] / (masses[0] + masses[1]) };
        let lossy = random.unit() < 0.5;
        let material = |stiffness: f64, random: &mut Random| Material {
            stiffness,
            damping: if lossy { 10f64.powf(2.5 * random.unit()) } else { 0.0 },
            friction: if lossy { random.unit() } else { 0.0 },
            bulge: Bulge::None,
            ..Material::SOFT
        };
        let seconds = (start + 2.0 * reach) / speed;
        let mut rigid = 0;
        let mut barred = true;
        let mut body = |name: &str, made: &Made, (motion, velocity): (MotionSpec, DVec3), at: DVec3| {
            let spins = matches!(motion, MotionSpec::Rigid { .. }) && random.unit() < 0.7;
            let most = 2.0 * speed / made.length;
            let angular_velocity = if spins { most * random.unit() * random.vector() } else { DVec3::ZERO };
            let hard = random.unit() < 0.15;
            let material = material(stiffness[usize::from(name == "b")], random);
            rigid += usize::from(hard);
            barred &= made.barred || hard;
            let rotation = if made.length.is_finite() { random.rotation() } else { DQuat::IDENTITY };
            BodySpec {
                name: name.to_owned(),
                material: if hard { Material { stiffness: material.stiffness.max(1e7), ..material } } else { material },
                response: if hard { Response::Rigid } else { Response::Soft },
                motion,
                placement: Frame { rotation, translation: at - rotation * made.middle },
                velocity,
                angular_velocity,
                elements: made.elements.clone(),
                core: made.core.clone(),
            }
        };
        let mover = |point: bool, mass: f64| match point {
            true => MotionSpec::Point { mass: Some(mass) },
            false => MotionSpec::Rigid { mass: Some(mass) },
        };
        let points = [masses[0].fract() < 0.1, masses[1].fract() < 0.1];
        // Together they have no momentum, so that all energy is that of throwing them at each other.
        let (va, vb) = (direction * speed * (1.0 - shared), -direction * speed * shared);
        let other = if fixed { MotionSpec::Fixed } else { mover(points[1], masses[1]) };
        let along = if ground { -DVec3::Z } else { direction };
        let at = if ground { DVec3::Z * start } else { -along * start + aside * side };
        let va = if ground { (va + DVec3::Z * -speed).normalize_or(-DVec3::Z) * speed } else { va };
        let bodies = vec![body("a", a, (mover(points[0], masses[0]), va), at), body("b", b, (other, vb), DVec3::ZERO)];
        let mut scene = Scene { bodies, gravity, ..Scene::default() };
        scene.motion.scheme = Scheme::Implicit;
        // Of patches that no polar rule covers whole a thousandth takes a tenth of a second.
        scene.contact_tolerance = if a.convex && b.convex { 3e-3 } else { 1e-2 };
        let known = [a, b].iter().filter_map(|m| m.known.clone()).collect();
        let seconds = seconds.clamp(2.0 / 60.0, MAX_FRAMES / 60.0);
        Self { seed, scene, kinds: [a.kind, b.kind], speed, seconds, barred: barred && rigid < 2, known }
    }
}

impl Throw {
    /// Its world, at the start.
    pub fn world(&self) -> Result<World, BodyError> {
        let mut known = self.known.clone();
        let bodies = self.scene.bodies.iter().map(|b| NewBody::from_spec(b, self.scene.isovalue, &mut known));
        let mut world = World::from_bodies(bodies.collect::<Result<_, _>>()?, self.scene.motion)?;
        world.set_gravity(self.scene.gravity);
        world.set_quality(Quality::within(self.scene.contact_tolerance));
        Ok(world)
    }
}

fn profile(random: &mut Random) -> Profile {
    match random.below(8) {
        0..=3 => Profile::Linear,
        4..=5 => Profile::NonLinear,
        6 => Profile::Hardening,
        _ => Profile::Metaball,
    }
}

fn pool() -> &'static [OnceLock<Made>] {
    static POOL: OnceLock<Vec<OnceLock<Made>>> = OnceLock::new();
    POOL.get_or_init(|| (0..KINDS.len() * MAX_VARIANTS).map(|_| OnceLock::new()).collect())
}

/// Bodies are made once, and thrown often: mass and inertia of a thin one take a second.
fn made(random: &mut Random, variants: usize) -> &'static Made {
    // The first kinds, which are convex and quickly found, more often.
    let kind = if random.unit() < 0.75 { random.below(CONVEX) } else { random.below(GROUND) };
    one_of(pool(), kind, random.below(variants))
}

fn one_of(pool: &'static [OnceLock<Made>], kind: usize, variant: usize) -> &'static Made {
    let number = kind * MAX_VARIANTS + variant;
    pool[number].get_or_init(|| make(kind, &mut Random(1 + 7919 * number as u64)))
}

fn make(kind: usize, random: &mut Random) -> Made {
    for _ in 0..8 {
        random.unit();
    }
    let length = LENGTH * 2f64.powf(2.0 * random.unit() - 1.0);
    let convex = kind < CONVEX;
    let kind = KINDS[kind];
    // As a fraction of the length: from sheets and wires to lumps.
    let thin = if convex { 0.02 } else { 0.1 };
    let t = length * thin * (0.4 / thin).powf(random.unit());
    let t = match kind {
        "point" | "two points" => 0.5 * length,
        // A short one does not reach the isovalue.
        "convolution" => 0.1 * length,
        _ => t,
    };
    let profile = if kind == "convolution" { Profile::Linear } else { profile(random) };
    let radius = t * (1.3 + random.unit());
    let size = KernelParameters { thickness: t, slope: None, radius };
    let kernel = Kernel::new(profile.clone(), 1.0, size).expect("k (R − t) is at most 1.3");
    // The rest of the length is the skeleton's.
    let half = (0.5 * length - t).max(0.05 * length);
    let elements = elements(kind, half, &kernel, random);
    let shape = Arc::new(Shape::new(elements.clone(), 1.0));
    let solid = shape.solid_bounds();
    let core = if matches!(kind, "point" | "ball" | "box" | "segment") && random.unit() < 0.3 {
        let inner = Kernel::linear(1.0, 0.5 * t, t).expect("half as thick");
        elements.iter().map(|e| recast(e, &inner)).collect()
    } else {
        Vec::new()
    };
    let unit = if solid.is_finite() { Some(roughly(&shape)) } else { None };
    let (radius, middle, length) = match unit {
        Some(_) => (0.5 * solid.size().length(), solid.center(), solid.size().max_element()),
        None => (0.0, DVec3::ZERO, f64::INFINITY),
    };
    let barred = !core.is_empty();
    Made {
        kind,
        convex,
        elements,
        core,
        barred,
        radius,
        length,
        middle,
        thickness: t,
        volume: unit.map_or(f64::INFINITY, |u| u.volume),
        known: unit.map(|unit| (shape, unit)),
    }
}

/// Mass and inertia by a grid of points: a throw is as good with them as with exact ones, which take seconds for some.
fn roughly(shape: &Shape) -> MassProperties {
    const N: usize = 40;
    let solid = shape.solid_bounds();
    let cell = solid.size() / N as f64;
    let at = |i: usize| DVec3::new((i % N) as f64, (i / N % N) as f64, (i / N / N) as f64) + 0.5;
    let points = (0..N * N * N).map(|i| solid.min + at(i) * cell);
    let inside: Vec<DVec3> = points.filter(|p| shape.value(*p) >= shape.iso()).collect();
    let volume = cell.x * cell.y * cell.z;
    let center = inside.iter().sum::<DVec3>() / inside.len() as f64;
    let about = |p: &DVec3| {
        let r = *p - center;
        let own = cell * cell / 12.0;
        let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z) + DMat3::from_diagonal(own);
        DMat3::from_diagonal(DVec3::splat(outer.x_axis.x + outer.y_axis.y + outer.z_axis.z)) - outer
    };
    let inertia = inside.iter().map(about).fold(DMat3::ZERO, |sum, m| sum + m) * volume;
    let volume = volume * inside.len() as f64;
    MassProperties { mass: volume, volume, center, inertia, error: 0.01 }
}

/// The same skeleton under another curve.
fn recast(element: &Element, kernel: &Kernel) -> Element {
    match &element.source {
        Source::Distance(skeleton, _) => Element::new(skeleton.clone(), kernel.clone()),
        Source::Convolution(_) => element.clone(),
    }
}

/// Elements of a body of this kind that reaches `half` from its centre.
fn elements(kind: &str, half: f64, kernel: &Kernel, random: &mut Random) -> Vec<Element> {
    let t = kernel.thickness();
    let mut somewhere = || half * random.vector();
    let (x, y, z) = (half * DVec3::X, half * DVec3::Y, half * DVec3::Z);
    let legal = "the skeleton is legal";
    let skeleton = match kind {
        "point" => Point { at: DVec3::ZERO }.into(),
        "segment" => Segment::new(-x, x).expect(legal).into(),
        "polyline" => Polyline::new([-x, somewhere(), somewhere(), x]).expect(legal).into(),
        "curve" => SmoothCurve::new([-x, somewhere(), somewhere(), x], false).expect(legal).into(),
        "triangle" => Triangle::new(-x, x, y + 0.1 * somewhere()).expect(legal).into(),
        "disc" => Disc::new(DVec3::ZERO, DVec3::Z, half).expect(legal).into(),
        "ring" => Circle::new(DVec3::ZERO, DVec3::Z, half).expect(legal).into(),
        "ball" => Ball::new(DVec3::ZERO, half).expect(legal).into(),
        "box" => Cuboid::new(DVec3::ZERO, half * DVec3::new(1.0, 0.7, 0.4)).expect(legal).into(),
        "plate" => Cuboid::new(DVec3::ZERO, DVec3::new(half, 0.8 * half, 0.2 * t)).expect(legal).into(),
        "mesh" => {
            let corners = vec![-x, x, y, 0.7 * z];
            TriangleMesh::new(corners, vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]).expect(legal).into()
        }
        "patch" => {
            let at = |i: usize, j: usize| {
                let (u, v) = (i as f64 / 1.5 - 1.0, j as f64 / 1.5 - 1.0);
                DVec3::new(u, 0.7 * v, 0.3 * (u * u - v)) * half
            };
            BezierPatch::new([0, 1, 2, 3].map(|i| [0, 1, 2, 3].map(|j| at(i, j)))).expect(legal).into()
        }
        "ground" => HalfSpace::new(DVec3::Z * -t, DVec3::Z).expect(legal).into(),
        "two points" => {
            return [-0.5, 0.5].map(|s| Element::new(Skeleton::from(Point { at: s * x }), kernel.clone())).to_vec();
        }
        "lumps" => {
            let point = |at: DVec3| Element::new(Skeleton::from(Point { at }), kernel.clone());
            let bar = Segment::new(-x, 0.3 * y).expect(legal);
            return vec![Element::new(bar.into(), kernel.clone()), point(0.5 * x), point(0.5 * z)];
        }
        _ => {
            let pieces = [(-x, 0.5 * y), (0.5 * y, x)];
            let whole = Convolution::segments(&pieces, 1.0, (t, None, kernel.radius())).expect("R > t");
            return vec![Element { source: Source::Convolution(whole), strength: 1.0 }];
        }
    };
    vec![Element::new(skeleton, kernel.clone())]
}
