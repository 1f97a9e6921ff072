//! Volume: the part pressed away against closed forms, and the bulges against an independent measurement.

use super::deformation::deformed;
use super::setup::{self, T};
use super::{Check, Measured, excess, worse};
use crate::contact::{Pair, Patch, Quality};
use crate::fields::skeleton::{Circle, Cuboid, Disc, Segment};
use crate::fields::{Element, Field, Kernel, Posed, Shape, Skeleton};
use crate::math::{DVec3, Frame, bracketed_root};
use crate::model::{Bulge, Height};
use crate::visible::Deformed;
use std::f64::consts::PI;

/// Error of a measured volume and of the solved balance together, as a fraction of the volume pressed away.
const BOUND: f64 = 5e-3 + 5e-4;

const METHODS: [(&str, Bulge); 2] = [
    ("dilation", Bulge::Dilation { height: Height::KeepVolume, falloff: 0.1, middle: None, follows_motion: false }),
    ("attenuated", Bulge::Attenuated { height: Height::KeepVolume, width: None }),
];

/// A body on the ground whose horizontal sections are known from one exit: those of a flat figure with this `area` and
/// `perimeter`, thickened; or of a circle of this `radius`, thickened to both sides.
struct Standing {
    name: String,
    shape: Shape,
    /// Thickness of its only element.
    t: f64,
    area: f64,
    perimeter: f64,
    radius: f64,
    /// Height of the figure itself.
    height: f64,
    /// A point of the figure's border, also the outward direction there.
    border: DVec3,
}

impl Standing {
    fn new(name: impl Into<String>, skeleton: Skeleton, t: f64, radius: f64) -> Self {
        let kernel = Kernel::linear(1.0, t, radius).expect("k (R − t) ≤ 3");
        let shape = Shape::new(vec![Element::new(skeleton, kernel)], 1.0);
        let (area, perimeter, height) = (0.0, 0.0, 0.0);
        Self { name: name.into(), shape, t, area, perimeter, radius: 0.0, height, border: DVec3::ZERO }
    }

    /// Ends that stand on the ground at the figure's height, thickened by `t`, pressed in by `depth`.
    fn pair<'a>(&'a self, ground: &'a Shape, depth: f64) -> Pair<'a> {
        setup::on_rigid(
            Posed::rigid(&self.shape, Frame::at(DVec3::Z * (self.t - depth))),
            Posed::rigid(ground, Frame::IDENTITY),
        )
    }

    /// Area of the section in which the thickened figure reaches out by `out`, and a circle in by `inward`.
    fn section(&self, out: f64, inward: f64) -> f64 {
        let tube = 2.0 * PI * self.radius * (out + inward) + PI * (out * out - inward * inward);
        if self.radius > 0.0 { tube } else { self.area + self.perimeter * out + PI * out * out }
    }

    /// Volume that a plane `depth` deep cuts off, a closed form: sections of a circle of radius `t`.
    fn pressed_away(&self, depth: f64) -> f64 {
        let (t, h) = (self.t, self.t - depth);
        let segment = t * t * (h / t).acos() - h * (t * t - h * h).sqrt();
        if self.radius > 0.0 {
            return 2.0 * PI * self.radius * segment;
        }
        self.area * depth + 0.5 * self.perimeter * segment + PI * depth * depth * (3.0 * t - depth) / 3.0
    }

    /// Volume of `field`, this body pressed into the ground: its sections, by the exits of horizontal lines.
    fn measured(&self, field: &Deformed) -> f64 {
        const STEPS: usize = 1500;
        let foot = field.field.world_from_body.translation + self.border;
        let exit = |from: DVec3, d: DVec3| {
            let step = 0.05 * self.t;
            let inside = |s: f64| field.value(from + s * d) - 1.0;
            let out = (1..200).map(|i| step * f64::from(i)).find(|s| inside(*s) < 0.0).unwrap_or(f64::NAN);
            bracketed_root(inside, (out - step, out), 1e-13).unwrap_or(f64::NAN)
        };
        let top = foot.z + exit(foot, DVec3::Z);
        let step = PI / STEPS as f64;
        let slice = |i: usize| {
            // Denser at both ends, where the surface is level.
            let (sin, cos) = ((i as f64 + 0.5) * step).sin_cos();
            let from = foot.with_z(0.5 * top * (1.0 - cos));
            let inward = if self.radius > 0.0 { exit(from, -DVec3::X) } else { 0.0 };
            self.section(exit(from, DVec3::X), inward) * 0.5 * top * sin * step
        };
        (0..STEPS).map(slice).sum()
    }

    /// Rest volume: that cut off by a plane above the whole body.
    fn at_rest(&self) -> f64 {
        self.pressed_away(2.0 * self.t) + self.height * self.section(self.t, 0.0)
    }
}

/// Capsules, a box, a disc and a ring; fields reach twice as far as they are thick.
fn bodies() -> Vec<Standing> {
    let capsule = |length: f64| {
        let end = DVec3::X * 0.5 * length;
        let bar = Segment::new(-end, end).expect("two different points");
        let name = format!("capsule of {length} m");
        Standing { perimeter: 2.0 * length, border: end, ..Standing::new(name, bar.into(), 0.05, 0.1) }
    };
    let half = DVec3::new(0.12, 0.08, 0.02);
    let cuboid = Cuboid::new(DVec3::Z * half.z, half).expect("a box");
    let (disc, circle) = (Disc::new(DVec3::ZERO, DVec3::Z, 0.1), Circle::new(DVec3::ZERO, DVec3::Z, 0.15));
    vec![
        capsule(0.4),
        capsule(1.0),
        Standing {
            area: 4.0 * half.x * half.y,
            perimeter: 4.0 * (half.x + half.y),
            height: 2.0 * half.z,
            border: DVec3::X * half.x,
            ..Standing::new("box", cuboid.into(), 0.05, 0.1)
        },
        Standing {
            area: PI * 0.01,
            perimeter: 0.2 * PI,
            border: DVec3::X * 0.1,
            ..Standing::new("disc", disc.expect("a disc").into(), 0.05, 0.1)
        },
        Standing {
            radius: 0.15,
            border: DVec3::X * 0.15,
            ..Standing::new("ring", circle.expect("a circle").into(), 0.03, 0.06)
        },
    ]
}

/// Volume pressed away by a plane, against closed forms.
pub fn pressed_away() -> Vec<Check> {
    let ground = Shape::new(setup::ground(DVec3::Z), 1.0);
    let mut checks = Vec::new();
    for body in bodies() {
        for depth in [0.02, 0.1, 0.3].map(|d| d * body.t) {
            let pair = body.pair(&ground, depth);
            let patches = Patch::find(&pair, &Quality::default());
            let change = deformed(&pair, &patches, Bulge::None).0[0].volume_change();
            let law = format!("pressed away [m³]: {}, depth {:.0}% t", body.name, 100.0 * depth / body.t);
            checks.push(Check::relative(law, body.pressed_away(depth), change.lost, 5e-3));
        }
    }
    checks
}

/// Volume of bulges, measured independently, for bodies other than balls, and for two soft bodies.
pub fn kept() -> Vec<Check> {
    let ground = Shape::new(setup::ground(DVec3::Z), 1.0);
    let mut checks = Vec::new();
    for body in bodies().into_iter().filter(|b| b.name != "capsule of 1 m") {
        for (method, bulge) in METHODS {
            let depth = 0.1 * body.t;
            let pair = body.pair(&ground, depth);
            let patches = Patch::find(&pair, &Quality::default());
            let ([field, _], deficit) = deformed(&pair, &patches, bulge);
            let case = format!("{method}, {}", body.name);
            checks.push(Check::small(format!("deficit reported [m³]: {case}"), deficit, 0.0));
            checks.extend(both(&case, body.at_rest(), body.measured(&field), body.pressed_away(depth)));
        }
    }
    let ball = setup::ball(&Kernel::linear(1.0, T, 2.0 * T).expect("k (R − t) = 1"), 1);
    for (method, bulge) in METHODS {
        let at = Frame::at(DVec3::Z * 1.8 * T);
        let pair = setup::soft_pair(Posed::rigid(&ball, Frame::IDENTITY), Posed::rigid(&ball, at), 2.0);
        let patches = Patch::find(&pair, &Quality::default());
        let (sides, _) = deformed(&pair, &patches, bulge);
        let rest = 4.0 / 3.0 * PI * T.powi(3);
        for (field, name) in sides.iter().zip(["softer", "firmer"]) {
            let lost = rest - of_revolution(&Deformed { bulge: Bulge::None, ..field.clone() });
            let name = format!("{method}, {name} of two soft balls");
            checks.extend(both(&name, rest, of_revolution(field), lost));
        }
    }
    checks
}

/// A volume against the rest volume, and their difference against the volume pressed away.
fn both(case: &str, rest: f64, got: f64, lost: f64) -> [Check; 2] {
    [
        Check::relative(format!("volume kept [m³]: {case}"), rest, got, 1e-3),
        Check::scaled(
            format!("volume pressed away and regained [m³]: {case}"),
            Measured { expected: lost, got: lost + got - rest, scale: lost },
            BOUND,
        ),
    ]
}

/// Volume of a body of revolution about the vertical through its middle, from which it is seen whole:
/// `2π/3 ∫ r³ sin φ dφ`, by many equal steps of its own.
fn of_revolution(field: &Deformed) -> f64 {
    const STEPS: usize = 4000;
    let origin = field.field.world_from_body.translation;
    let radius = |angle: f64| {
        let d = DVec3::new(angle.sin(), 0.0, angle.cos());
        let inside = |r: f64| field.value(origin + r * d) - 1.0;
        let out = (1..100).map(|i| 0.04 * T * f64::from(i)).find(|r| inside(*r) < 0.0).unwrap_or(f64::NAN);
        bracketed_root(inside, (out - 0.04 * T, out), 1e-13).unwrap_or(f64::NAN)
    };
    let step = PI / STEPS as f64;
    let sum: f64 = (0..STEPS).map(|i| (i as f64 + 0.5) * step).map(|a| radius(a).powi(3) * a.sin()).sum();
    2.0 * PI / 3.0 * sum * step
}

/// Deep in a narrow field no height keeps the volume: the reported deficit is the true one.
fn reported(ground: &Shape) -> Check {
    let ball = Standing::new("ball", setup::point(DVec3::ZERO), T, 1.05 * T);
    let pair = ball.pair(ground, 0.2 * T);
    let patches = Patch::find(&pair, &Quality::default());
    let ([field, _], deficit) = deformed(&pair, &patches, METHODS[0].1);
    let missing = ball.at_rest() - ball.measured(&field);
    let measured = Measured { expected: missing, got: deficit, scale: ball.pressed_away(0.2 * T) };
    Check::scaled("deficit reported [m³], R − t = 0.05 t, depth 20%", measured, BOUND)
}

/// Depths and widths for which a height keeps the volume of a ball; beyond them the deficit is reported.
pub fn window() -> Vec<Check> {
    let ground = Shape::new(setup::ground(DVec3::Z), 1.0);
    let mut checks = Vec::new();
    let (mut roots, mut gaps) = (0, 0);
    for (method, bulge) in METHODS {
        for blend in [0.05, 0.5, 2.0] {
            let ball = Standing::new("ball", setup::point(DVec3::ZERO), T, T * (1.0 + blend));
            let (mut with, mut without, mut worst) = (String::new(), String::new(), 0.0);
            for depth in [0.02, 0.1, 0.2] {
                let pair = ball.pair(&ground, depth * T);
                let patches = Patch::find(&pair, &Quality::default());
                let ([field, _], deficit) = deformed(&pair, &patches, bulge);
                let missing = ball.at_rest() - ball.measured(&field);
                // No more is missing than is said to be; nothing, where a height keeps it.
                let unsaid = if deficit == 0.0 { missing } else { excess(missing - deficit) };
                worst = worse(worst, unsaid / ball.pressed_away(depth * T));
                let list = if deficit == 0.0 { &mut with } else { &mut without };
                *list += &format!(" {:.0}%", 100.0 * depth);
                (roots, gaps) = if deficit == 0.0 { (roots + 1, gaps) } else { (roots, gaps + 1) };
            }
            let say = |list: String| if list.is_empty() { " none".to_owned() } else { list };
            let law = format!(
                "{method}, R − t = {blend} t: kept at depths{}, deficit reported at{}; missing unsaid, over what is pressed away",
                say(with),
                say(without)
            );
            checks.push(Check::small(law, worst, BOUND));
        }
    }
    checks.push(reported(&ground));
    checks.push(Check::yes(
        "some window keeps the volume, and outside of it a deficit is reported",
        roots > 0 && gaps > 0,
    ));
    checks
}
