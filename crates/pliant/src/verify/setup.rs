//! Bodies and scenes that laws are measured on.

use crate::World;
use crate::bodies::Link;
use crate::contact::{Pair, Side};
use crate::fields::Posed;
use crate::fields::skeleton::{HalfSpace, Point, Segment};
use crate::fields::{Curve, Element, Kernel, KernelParameters, Profile, Shape, Skeleton};
use crate::math::{DVec3, Frame};
use crate::model::{BodySpec, Material, MotionSettings, MotionSpec, Response, Scene, Scheme};
use std::sync::Arc;

/// Thickness of the standard ball, metres.
pub const T: f64 = 0.1;
/// Its K, pascals.
pub const K: f64 = 1e5;

/// Every profile with the natural stiffness; the drawn one rises about as steeply as the non-linear.
pub fn profiles() -> Vec<(&'static str, Profile)> {
    let rows: Vec<(f64, f64)> = (0..=10).map(|i| 0.01 * i as f64).map(|d| (d, 10.0 * d + 60.0 * d * d)).collect();
    let drawn = Profile::Measured(Arc::new(Curve::new(&rows).expect("depth and pressure increase")));
    vec![
        ("linear", Profile::Linear),
        ("non-linear", Profile::NonLinear),
        ("hardening", Profile::Hardening),
        ("drawn", drawn),
    ]
}

pub fn kernel(profile: Profile, t: f64) -> Kernel {
    Kernel::new(profile, 1.0, KernelParameters { thickness: t, slope: Some(1.0 / t), radius: 2.0 * t })
        .expect("k (R − t) = 1 is legal")
}

pub fn point(at: DVec3) -> Skeleton {
    Skeleton::Point(Point { at })
}

/// A ball as `parts` coincident skeletons that share its strength.
pub fn ball(kernel: &Kernel, parts: usize) -> Shape {
    let part = Element { strength: 1.0 / parts as f64, ..Element::new(point(DVec3::ZERO), kernel.clone()) };
    Shape::new(vec![part; parts], kernel.iso())
}

/// The half-space below the plane through the origin.
pub fn ground(normal: DVec3) -> Vec<Element> {
    let plane = HalfSpace::new(-T * normal, normal).expect("a unit normal");
    vec![Element::new(Skeleton::HalfSpace(plane), kernel(Profile::Linear, T))]
}

/// Three points and a segment that blend into one lumpy body; `mirror` reflects it in the plane z = 0.
pub fn lumpy(mirror: bool) -> Shape {
    let flip = |x: f64, y: f64, z: f64| DVec3::new(x, y, if mirror { -z } else { z });
    let bar = Segment::new(flip(-0.05, 0.02, 0.0), flip(0.04, -0.03, 0.03)).expect("two different points");
    let mut elements = vec![Element::new(Skeleton::Segment(bar), kernel(Profile::Linear, 0.06))];
    for (at, t) in [(flip(0.05, 0.05, 0.01), 0.05), (flip(-0.06, -0.04, -0.02), 0.055), (flip(0.0, 0.0, -0.06), 0.05)] {
        elements.push(Element::new(point(at), kernel(Profile::NonLinear, t)));
    }
    Shape::new(elements, 1.0)
}

/// Two sides with the standard stiffness times `ratio` on b.
pub fn soft_pair<'a>(a: Posed<'a>, b: Posed<'a>, ratio: f64) -> Pair<'a> {
    Pair { a: Side { field: a, stiffness: K, rigid: false }, b: Side { field: b, stiffness: ratio * K, rigid: false } }
}

/// A soft side on a rigid one.
pub fn on_rigid<'a>(soft: Posed<'a>, rigid: Posed<'a>) -> Pair<'a> {
    let mut pair = soft_pair(soft, rigid, 1e3);
    pair.b.rigid = true;
    pair
}

/// A body without damping or friction, at `at`.
pub fn body(name: &str, elements: Vec<Element>, at: DVec3) -> BodySpec {
    BodySpec {
        name: name.to_owned(),
        material: Material { damping: 0.0, friction: 0.0, ..Material::SOFT },
        response: Response::Soft,
        motion: MotionSpec::Rigid { mass: Some(1.0) },
        placement: Frame::at(at),
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        elements,
        core: Vec::new(),
    }
}

/// A fixed rigid ground under the plane through the origin.
pub fn floor(normal: DVec3) -> BodySpec {
    BodySpec {
        response: Response::Rigid,
        motion: MotionSpec::Fixed,
        material: Material { damping: 0.0, friction: 0.0, ..Material::RIGID },
        ..body("0 floor", ground(normal), DVec3::ZERO)
    }
}

/// Body `i` as it moves, in the order of names: [`floor`] is the first.
pub fn link_at(world: &World, i: usize) -> Link<'_> {
    world.link(i)
}

/// The moving frames of all bodies, in the order of [`World::bodies`].
pub fn links(world: &World) -> impl Iterator<Item = Link<'_>> {
    (0..world.bodies().len()).map(|i| link_at(world, i))
}

/// One step, as long as the world chooses, towards `time`, which is ahead.
pub fn step_towards(world: &mut World, time: f64) {
    world.step_towards(time, None).expect("it is not cancelled");
}

/// Bodies in a scene with default settings and explicit steps, which laws of energy hold to a thousandth.
pub fn scene(bodies: Vec<BodySpec>) -> Scene {
    let motion = MotionSettings { scheme: Scheme::Explicit, ..MotionSettings::default() };
    Scene { bodies, motion, ..Scene::default() }
}
