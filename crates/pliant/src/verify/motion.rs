//! Energy, momentum, rest, friction, and where the model ends.

use super::setup::{self, K, T, link_at, links};
use super::{Check, Measured, excess, greatest, least, worse};
use crate::bodies::MassProperties;
use crate::contact::{self, Quality};
use crate::fields::{Convolution, Element, Kernel, KernelError, Posed, Profile, Source};
use crate::math::{DVec3, Frame, Random, bracketed_root};
use crate::model::{BodySpec, Material, MotionSpec};
use crate::{WarningKind, World};

pub(super) const G: f64 = 9.81;

pub(super) fn ball(name: &str, at: DVec3) -> BodySpec {
    setup::body(name, setup::ball(&setup::kernel(Profile::Linear, T), 1).elements().to_vec(), at)
}

pub(super) fn world(bodies: Vec<BodySpec>) -> Option<World> {
    World::new(&setup::scene(bodies)).ok()
}

/// Runs `world` frame by frame at 60/s for `seconds`, or until `each` says no; none where it cannot go on.
pub(super) fn frames(world: &mut World, seconds: f64, mut each: impl FnMut(&World) -> bool) -> Option<()> {
    let from = world.time();
    for i in 1..=(seconds * 60.0).round() as usize {
        world.advance_to(from + i as f64 / 60.0).ok()?;
        if !each(world) {
            break;
        }
    }
    Some(())
}

fn mechanical(world: &World) -> f64 {
    let e = world.energy();
    e.kinetic + e.potential + e.elastic
}

/// A frictionless ball bounces twenty times; two free lumps collide off centre.
pub fn conservation() -> Option<Vec<Check>> {
    let mut drop = world(vec![setup::floor(DVec3::Z), ball("ball", DVec3::Z * 0.3)])?;
    let start = mechanical(&drop);
    let fallen = G * 0.2;
    let (mut bounces, mut touching, mut worst, mut drift) = (0i32, false, 0.0f64, 0.0);
    frames(&mut drop, 20.0, |w| {
        let off = (mechanical(w) - start) / fallen;
        worst = worse(worst, off);
        let now = !w.contacts().is_empty();
        if touching && !now {
            bounces += 1;
            drift = off;
        }
        touching = now;
        bounces < 20
    })?;
    let mut checks = vec![
        Check::relative("bounces counted", 20.0, f64::from(bounces), 0.0),
        Check::small("frictionless drop, 20 bounces: worst energy error over the energy it fell with", worst, 1e-3),
        Check::small("frictionless drop, 20 bounces: energy error after the last", drift, 1e-3),
    ];
    let lump = |name: &str, at: DVec3, velocity: DVec3, spin: DVec3| BodySpec {
        velocity,
        angular_velocity: spin,
        motion: MotionSpec::Rigid { mass: None },
        ..setup::body(name, setup::lumpy(false).elements().to_vec(), at)
    };
    let mut scene = setup::scene(vec![
        lump("one", DVec3::new(-0.2, 0.0, 0.0), DVec3::X, DVec3::new(1.0, -2.0, 3.0)),
        lump("two", DVec3::new(0.1, 0.05, 0.03), -0.5 * DVec3::X, DVec3::new(-3.0, 0.5, 1.0)),
    ]);
    scene.gravity = DVec3::ZERO;
    let mut hit = World::new(&scene).ok()?;
    let momenta = |w: &World| {
        let (mut linear, mut angular) = (DVec3::ZERO, DVec3::ZERO);
        for b in links(w) {
            let p = b.mass().unwrap_or(0.0) * b.twist().linear;
            linear += p;
            angular += b.center().cross(p) + b.state.angular;
        }
        (linear, angular)
    };
    let (before, energy) = (momenta(&hit), mechanical(&hit));
    let mut touched = false;
    frames(&mut hit, 0.6, |w| {
        touched |= !w.contacts().is_empty();
        true
    })?;
    let after = momenta(&hit);
    let scale = links(&hit).map(|b| b.mass().unwrap_or(0.0) * b.twist().linear.length()).sum::<f64>();
    checks.push(Check::yes("the two lumps met and parted", touched && hit.contacts().is_empty()));
    checks.push(Check::small(
        "collision of two free lumps: change of momentum, relative",
        (after.0 - before.0).length() / scale,
        1e-10,
    ));
    checks.push(Check::small(
        "collision of two free lumps: change of angular momentum, relative",
        (after.1 - before.1).length() / (scale * 0.1),
        1e-10,
    ));
    checks.push(Check::small(
        "collision of two free lumps: change of energy, relative",
        mechanical(&hit) / energy - 1.0,
        1e-3,
    ));
    Some(checks)
}

/// Height over a plane at which a linear ball of `K`, thickness `T`, carries `load`.
pub(super) fn rest_height(load: f64) -> f64 {
    let force = |h: f64| std::f64::consts::PI * K / T / 3.0 * (T - h).powi(2) * (T + 2.0 * h);
    bracketed_root(|h| force(h) - load, (0.0, T), 1e-15).unwrap_or(f64::NAN)
}

/// A damped ball comes to rest; on slopes it sticks or slides.
pub fn rest() -> Option<Vec<Check>> {
    let damped = Material { friction: 0.5, damping: 150.0, ..Material::SOFT };
    let floor = |normal: DVec3, material: Material| BodySpec {
        material: Material { stiffness: 1e8, bulge: crate::model::Bulge::None, ..material },
        ..setup::floor(normal)
    };
    let mut drop = world(vec![floor(DVec3::Z, damped), BodySpec { material: damped, ..ball("ball", DVec3::Z * 0.3) }])?;
    frames(&mut drop, 6.0, |_| true)?;
    let height = link_at(&drop, 1).center().z;
    let kinetic = drop.energy().kinetic / (G * 0.2);
    let expected = rest_height(G);
    let mut checks = vec![
        Check::scaled(
            "ball at rest on a plane: height [m] (error over t)",
            Measured { expected, got: height, scale: T },
            1e-4,
        ),
        Check::small("ball at rest: kinetic energy over the energy it fell with", kinetic, 1e-12),
    ];
    let angle = 0.3f64;
    let normal = DVec3::new(angle.sin(), 0.0, angle.cos());
    for (friction, damping) in [(0.5, 150.0), (0.2, 0.0)] {
        let material = Material { friction, damping, ..Material::SOFT };
        let start = rest_height(G * angle.cos()) * normal;
        let mass = BodySpec { material, motion: MotionSpec::Point { mass: Some(1.0) }, ..ball("mass", start) };
        let mut slope = world(vec![floor(normal, material), mass])?;
        frames(&mut slope, 2.0, |_| true)?;
        let (place, velocity) = (link_at(&slope, 1).center(), link_at(&slope, 1).twist().linear);
        frames(&mut slope, 1.0, |_| true)?;
        if friction > angle.tan() {
            let creep = (link_at(&slope, 1).center() - place).length();
            checks.push(Check::small("slope, μ 0.5 > tan θ 0.31: creep [m/s]", creep, 1e-6));
        } else {
            let got = (link_at(&slope, 1).twist().linear - velocity).length();
            let expected = G * (angle.sin() - friction * angle.cos());
            checks.push(Check::relative("slope, μ 0.2 < tan θ 0.31: acceleration [m/s²]", expected, got, 1e-2));
        }
    }
    let (down, swung) = swaying(&floor)?;
    checks.push(Check::yes("ball swaying on a slope: held, and its load more than doubles", swung));
    checks.push(Check::small(
        "ball swaying on a slope: dissipated energy goes down by, over the energy of its swing",
        down,
        1e-6,
    ));
    Some(checks)
}

/// A mass held by friction on a slope, set down too deep and undamped: its load swings while it is sheared. Friction that
/// gave back more than it took would show as losses that shrink. Returns by how much they do, over the energy of the swing,
/// and whether it was held and swung.
fn swaying(floor: &impl Fn(DVec3, Material) -> BodySpec) -> Option<(f64, bool)> {
    let angle = 0.2f64;
    let normal = DVec3::new(angle.sin(), 0.0, angle.cos());
    let material = Material { friction: 0.9, damping: 0.0, ..Material::SOFT };
    let deep = T - 1.25 * (T - rest_height(G * angle.cos()));
    let mass = BodySpec { material, motion: MotionSpec::Point { mass: Some(1.0) }, ..ball("mass", deep * normal) };
    let mut slope = world(vec![floor(normal, material), mass])?;
    let swing = slope.energy().elastic;
    let load = |w: &World| w.contacts().iter().map(|c| c.patch.load).sum::<f64>();
    let (mut down, mut lost, mut loads) = (0.0, 0.0, Vec::new());
    for i in 1..=2000 {
        slope.advance_to(f64::from(i) * 5e-4).ok()?;
        let now = slope.energy().dissipated.total();
        down = worse(down, excess(lost - now));
        lost = now;
        loads.push(load(&slope));
    }
    let slid = (link_at(&slope, 1).center() - deep * normal).reject_from(normal).length();
    Some((down / swing, greatest(&loads) > 2.0 * least(&loads) && slid < 1e-2 * T))
}

/// Loads beyond a kernel, hardening, convolution, and kernels that cannot be.
pub fn limits() -> Option<Vec<Check>> {
    let mut checks = Vec::new();
    // A linear ball carries at most π K k t³/3 = 1047 N here; the weight is 1.2 times that.
    let mass = 1.2 * std::f64::consts::PI * K * T * T / 3.0 / G;
    for (name, profile) in [("linear", Profile::Linear), ("hardening", Profile::Hardening)] {
        let elements = setup::ball(&setup::kernel(profile.clone(), T), 1).elements().to_vec();
        let material = Material { damping: 400.0, friction: 0.0, bulge: crate::model::Bulge::None, ..Material::SOFT };
        let heavy = BodySpec {
            material,
            motion: MotionSpec::Rigid { mass: Some(mass) },
            ..setup::body("load", elements, DVec3::Z * T)
        };
        let floor = BodySpec { material: Material { stiffness: 1e8, ..material }, ..setup::floor(DVec3::Z) };
        let mut w = world(vec![floor, heavy])?;
        frames(&mut w, 3.0, |w| w.warnings().is_empty())?;
        let warning = w.warnings().iter().find(|x| x.kind == WarningKind::BottomedOut);
        if profile == Profile::Linear {
            let named = warning.is_some_and(|x| x.bodies == (1, 0) && x.time > 0.0);
            checks.push(Check::yes(
                format!("{name} kernel under 1.2 times what it carries: reported with body, pair and time"),
                named,
            ));
        } else {
            let force: f64 = w.contacts().iter().map(|c| c.forces.on_a.force.length()).sum();
            checks.push(Check::yes(format!("{name} kernel under the same load: no warning"), w.warnings().is_empty()));
            checks.push(Check::relative(
                format!("{name} kernel under the same load: force [N]"),
                mass * G,
                force,
                1e-3,
            ));
        }
    }
    // Its pressure has no bound, but is as narrow as it is high: U = ∫ K k t ln(t/r) dV = 4π K k t⁴/9, and what brings more
    // goes through.
    let (inner, outer) = (setup::kernel(Profile::Hardening, T), setup::kernel(Profile::Linear, 3.0 * T));
    let (inner, outer) = (setup::ball(&inner, 1), setup::ball(&outer, 1));
    let hidden = setup::on_rigid(Posed::rigid(&inner, Frame::IDENTITY), Posed::rigid(&outer, Frame::IDENTITY));
    checks.push(Check::relative(
        "hardening ball wholly inside a rigid one: all it can store [J]",
        4.0 * std::f64::consts::PI * K * T.powi(3) / 9.0,
        contact::elastic_energy(&hidden, &Quality::default()),
        1e-3,
    ));
    let (a, b, cut) = (DVec3::new(-0.1, 0.0, 0.02), DVec3::new(0.15, 0.05, 0.0), 0.37);
    let middle = a.lerp(b, cut);
    let size = (0.05, None, 0.12);
    let whole = Convolution::segments(&[(a, b)], 1.0, size).ok()?;
    let parts = Convolution::segments(&[(a, middle), (middle, b)], 1.0, size).ok()?;
    let mut random = Random(5);
    let differ = (0..2000).map(|_| 0.2 * random.vector()).map(|p| whole.sample(p).value - parts.sample(p).value);
    checks.push(Check::small("splitting a convolution segment changes the field by", differ.fold(0.0, worse), 1e-12));
    let stick = Element { source: Source::Convolution(whole), strength: 1.0 };
    checks.push(Check::yes(
        "a convolution surface is a solid",
        MassProperties::of(&crate::fields::Shape::new(vec![stick], 1.0), 1.0).is_some(),
    ));
    let refused = Kernel::new(Profile::Linear, 1.0, (0.1, 15.0, 0.4));
    let named = matches!(refused, Err(KernelError::TooSteep { largest_slope, largest_radius, .. })
        if (largest_slope - 10.0).abs() < 1e-12 && (largest_radius - 0.3).abs() < 1e-12);
    checks.push(Check::yes("k (R − t) > 3c is refused with the largest legal k and R", named));
    Some(checks)
}
