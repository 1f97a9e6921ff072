//! Deformed surfaces: shared on the patch, smooth at its border, leaning with the motion.

use super::setup::{self, T};
use super::{Check, greatest, worse};
use crate::World;
use crate::contact::{Pair, Patch, Quality};
use crate::fields::skeleton::Disc;
use crate::fields::{Element, Field, Posed, Profile, Shape};
use crate::math::{DQuat, DVec3, Frame, Random, bracketed_root};
use crate::model::{BodySpec, Bulge, Height, Material};
use crate::visible::{BulgeSource, Collider, Deformed};

const DILATION: Bulge =
    Bulge::Dilation { height: Height::Ratio(0.3), falloff: 0.5, middle: None, follows_motion: false };
const ATTENUATED: Bulge = Bulge::Attenuated { height: Height::Ratio(0.3), width: None };

/// Both bodies of a pair, deformed by each other, and the volume their bulges should hold and do not.
pub(super) fn deformed<'a>(pair: &Pair<'a>, patches: &[Patch], bulge: Bulge) -> ([Deformed<'a>; 2], f64) {
    let mut deficit = 0.0;
    let sides = [(pair.a, pair.b), (pair.b, pair.a)].map(|(own, other)| {
        let sources = patches
            .iter()
            .map(|p| BulgeSource { center: p.deepest, compression: p.max_pressure / own.stiffness, height: 0.0 })
            .collect();
        let ratio = other.stiffness / own.stiffness;
        let collider =
            Collider { body: 1, field: other.field, ratio, rigid: other.rigid, velocity: DVec3::ZERO, sources };
        let colliders = if own.rigid { Vec::new() } else { vec![collider] };
        let mut deformed = Deformed { field: own.field, bulge, colliders };
        deficit += deformed.set_heights(0.0);
        deformed
    });
    (sides, deficit)
}

/// Signed distance from `p` to the surface of `body` along `n`, within `reach`.
fn surface_along(body: &Deformed, p: DVec3, n: DVec3, reach: f64) -> f64 {
    let past = |s: f64| body.value(p + s * n) - body.field.shape.iso();
    // The nearest crossing: further out the same body, or its other side, may be met again.
    let mut near = 1e-4 * reach;
    while near < reach && (past(-near) > 0.0) == (past(near) > 0.0) {
        near *= 2.0;
    }
    bracketed_root(past, (-near, near), 1e-16).unwrap_or(f64::NAN)
}

/// After deformation the surfaces coincide; three bodies leave the gap of [G93] fig. 8.
pub fn shared_surface() -> Vec<Check> {
    let (a, b) = (setup::lumpy(false), setup::lumpy(true));
    let ball = setup::ball(&setup::kernel(Profile::NonLinear, T), 1);
    let ground = Shape::new(setup::ground(DVec3::Z), 1.0);
    let turned = Frame { rotation: DQuat::from_rotation_y(0.7), translation: DVec3::new(0.02, 0.01, 0.15) };
    let cases = [
        ("blended, soft on soft", setup::soft_pair(Posed::rigid(&a, Frame::IDENTITY), Posed::rigid(&b, turned), 3.0)),
        ("blended on a ball", setup::soft_pair(Posed::rigid(&a, Frame::IDENTITY), Posed::rigid(&ball, turned), 0.5)),
        (
            "blended on a rigid plane",
            setup::on_rigid(Posed::rigid(&a, Frame::at(DVec3::Z * 0.08)), Posed::rigid(&ground, Frame::IDENTITY)),
        ),
    ];
    let mut checks = Vec::new();
    for (name, pair) in cases {
        let patches = Patch::find(&pair, &Quality::finest());
        let (sides, _) = deformed(&pair, &patches, DILATION);
        let mut worst = if patches.is_empty() { f64::NAN } else { 0.0 };
        for p in patches.iter().flat_map(|p| &p.points) {
            // Where each visible surface is along the normal, found on its own: short of the border by a hair,
            // because exactly there both only touch the line.
            let at = |d: &Deformed| surface_along(d, p.position, p.normal, T);
            let (s, t) = (at(&sides[0]), at(&sides[1]));
            worst = worse(worst, s - t);
        }
        checks.push(Check::small(format!("gap or penetration on the patch [m], {name}"), worst, 1e-9));
    }
    checks.push(pad_gap());
    checks.push(triple_gap());
    checks
}

/// A thin soft pad pressed by a ball from above, a little over a rigid floor that it does not touch: the floor being near
/// must not part the two.
fn pad_gap() -> Check {
    let t = 0.05 * T;
    let plate = Disc::new(DVec3::ZERO, DVec3::Z, T).expect("a unit normal and a radius");
    let pad = Shape::new(vec![Element::new(plate.into(), setup::kernel(Profile::Linear, t))], 1.0);
    let ball = setup::ball(&setup::kernel(Profile::Linear, T), 1);
    let ground = Shape::new(setup::ground(DVec3::Z), 1.0);
    let pair = setup::soft_pair(
        Posed::rigid(&pad, Frame::at(1.8 * t * DVec3::Z)),
        Posed::rigid(&ball, Frame::at((2.8 * t + 0.95 * T) * DVec3::Z)),
        20.0,
    );
    let patches = Patch::find(&pair, &Quality::finest());
    let ([mut soft, ball], _) = deformed(&pair, &patches, Bulge::None);
    soft.colliders.push(Collider {
        body: 2,
        field: Posed::rigid(&ground, Frame::IDENTITY),
        ratio: 1e3,
        rigid: true,
        velocity: DVec3::ZERO,
        sources: Vec::new(),
    });
    let points = patches.iter().flat_map(|p| &p.points);
    let gaps: Vec<f64> = points
        .map(|p| {
            let at = |d: &Deformed| surface_along(d, p.position, p.normal, t);
            (at(&soft) - at(&ball)).abs()
        })
        .collect();
    Check::small("gap on the patch of a pad that a rigid floor is near [m]", greatest(&gaps), 1e-9)
}

/// Distance from the origin of the surfaces of three equal balls that meet around it.
fn triple_gap() -> Check {
    let ball = setup::ball(&setup::kernel(Profile::Linear, T), 1);
    let at: Vec<DVec3> =
        (0..3).map(|i| DQuat::from_rotation_z(std::f64::consts::TAU * f64::from(i) / 3.0) * DVec3::X * 0.09).collect();
    let fields: Vec<Posed> = at.iter().map(|p| Posed::rigid(&ball, Frame::at(*p))).collect();
    let collider = |j: usize| Collider {
        body: j,
        field: fields[j],
        ratio: 1.0,
        rigid: false,
        velocity: DVec3::ZERO,
        sources: Vec::new(),
    };
    let first = Deformed { field: fields[0], bulge: Bulge::None, colliders: vec![collider(1), collider(2)] };
    // Alone with one other the surface would pass through the origin's neighbourhood; all three leave a gap.
    let gap = bracketed_root(|s| first.value(DVec3::X * s) - 1.0, (0.0, 0.09), 1e-15).unwrap_or(f64::NAN);
    // t − r₁ = (t − r₂) + (t − r₃) with r₁ = D − s and r₂ = r₃ = √(s² + sD + D²) is a quadratic in s.
    let d = 0.09;
    let half = 3.0 * d + T;
    let expected = ((half * half - 3.0 * (4.0 * d * d - (T + d).powi(2))).sqrt() - half) / 3.0;
    Check::relative("three balls: gap between the origin and each surface [m], closed form", expected, gap, 1e-9)
}

/// Largest jump of the gradient, over its size, when `field` is crossed at `p` along `d`.
fn jump(field: &Deformed, p: DVec3, d: DVec3) -> f64 {
    let e = 1e-10;
    let (g, h) = (field.sample(p - e * d).gradient, field.sample(p + e * d).gradient);
    (g - h).length() / g.length()
}

/// C¹ across the border of the patch and at the outer edge of the bulge; bulges that grow from nothing.
pub fn smoothness() -> Vec<Check> {
    let ball = setup::ball(&setup::kernel(Profile::Linear, T), 1);
    let ground = Shape::new(setup::ground(DVec3::Z), 1.0);
    let lean = DVec3::new(0.1, 0.2, 1.0).normalize();
    let soft = |depth: f64| {
        setup::soft_pair(
            Posed::rigid(&ball, Frame::IDENTITY),
            Posed::rigid(&ball, Frame::at(2.0 * T * (1.0 - depth) * lean)),
            2.0,
        )
    };
    let rigid = |depth: f64| {
        setup::on_rigid(
            Posed::rigid(&ball, Frame::at(DVec3::Z * T * (1.0 - depth))),
            Posed::rigid(&ground, Frame::IDENTITY),
        )
    };
    let mut checks = Vec::new();
    for (method, bulge) in [("attenuated", ATTENUATED), ("dilation", DILATION)] {
        for (kind, pair) in [("soft–soft", soft(0.1)), ("rigid–soft", rigid(0.1))] {
            let patches = Patch::find(&pair, &Quality::finest());
            let ([a, _], _) = deformed(&pair, &patches, bulge);
            let nothing = if patches.is_empty() { f64::NAN } else { 0.0 };
            let (mut inner, mut outer) = (nothing, nothing);
            for patch in &patches {
                for p in &patch.border {
                    let out = (*p - patch.reference).reject_from(patch.mean_normal()).normalize();
                    inner = worse(inner, jump(&a, *p, out));
                    outer = worse(outer, outer_jump(&a, *p, out));
                }
            }
            let name = |edge: &str| format!("{method}, {kind}: jump of the gradient at {edge}, relative");
            checks.push(Check::small(name("the border of the patch"), inner, 1e-6));
            checks.push(Check::small(name("the outer edge of the bulge"), outer, 1e-6));
        }
        let mut heights = [1e-2, 1e-3, 1e-4, 1e-5].map(|depth| {
            let pair = soft(depth);
            let patches = Patch::find(&pair, &Quality::finest());
            let ([a, _], _) = deformed(&pair, &patches, bulge);
            let swell = patches.iter().flat_map(|p| p.border.iter().map(move |q| (p, q))).map(|(p, q)| {
                let out = (*q - p.reference).reject_from(p.mean_normal()).normalize();
                (1..400)
                    .map(|i| *q + f64::from(i) * 1e-4 * T * out)
                    .map(|r| a.value(r) - a.field.value(r))
                    .fold(0.0, worse)
            });
            swell.fold(0.0, worse)
        });
        let first = heights[0];
        heights.iter_mut().for_each(|h| *h /= first);
        checks.push(Check::small(format!("{method}: bulge at depth 1e-5 t over that at 1e-2 t"), heights[3], 2e-3));
        checks.push(Check::yes(
            format!("{method}: the bulge shrinks with the depth"),
            heights.windows(2).all(|h| h[1] < h[0]),
        ));
    }
    checks
}

/// The jump where the bulge ends, walking outward from a border point `p` in the tangent plane.
fn outer_jump(field: &Deformed, p: DVec3, out: DVec3) -> f64 {
    let swollen = |s: f64| field.value(p + s * out) - field.field.value(p + s * out);
    let step = 1e-3 * T;
    let Some(last) = (1..4000).map(|i| f64::from(i) * step).find(|s| swollen(*s) == 0.0) else { return f64::NAN };
    let (mut inside, mut outside) = (last - step, last);
    for _ in 0..60 {
        let middle = 0.5 * (inside + outside);
        if swollen(middle) > 0.0 { inside = middle } else { outside = middle }
    }
    jump(field, p + outside * out, out)
}

/// A rigid ball pressed into a soft block and drawn along it: the bulge leans into the motion.
pub fn leaning() -> Vec<Check> {
    let block = Shape::new(setup::ground(DVec3::Z), 1.0);
    let ball = setup::ball(&setup::kernel(Profile::Linear, T), 1);
    let pair =
        setup::on_rigid(Posed::rigid(&block, Frame::IDENTITY), Posed::rigid(&ball, Frame::at(DVec3::Z * 0.9 * T)));
    let patches = Patch::find(&pair, &Quality::finest());
    let bulge = Bulge::Dilation { height: Height::Ratio(0.3), falloff: 0.5, middle: None, follows_motion: true };
    let ([still, _], _) = deformed(&pair, &patches, bulge);
    let moving = |velocity: DVec3| {
        let mut field = still.clone();
        field.colliders.iter_mut().for_each(|c| c.velocity = velocity);
        field
    };
    // How high the block rises on a side of the ball, and how far out it still does.
    let swell = |field: &Deformed, side: f64| {
        let at = |i: i32| DVec3::X * side * 0.01 * T * f64::from(i);
        let rises = (0..400).map(|i| (i, field.value(at(i)) - field.field.value(at(i))));
        let (mut high, mut far) = (0.0, 0.0);
        for (i, rise) in rises.filter(|(_, rise)| *rise > 0.0 || rise.is_nan()) {
            (high, far) = (worse(high, rise), 0.01 * T * f64::from(i));
        }
        (high, far)
    };
    let leaning = moving(DVec3::X);
    let ((front, short), (back, long)) = (swell(&leaning, 1.0), swell(&leaning, -1.0));
    let mut random = Random(9);
    let (mut difference, mut seen) = (0.0, 0);
    for velocity in [DVec3::X, DVec3::new(0.03, -0.02, 0.01), DVec3::new(-2.0, 1.0, -0.5)] {
        let field = moving(velocity);
        for _ in 0..400 {
            let p = 2.0 * T * random.vector() * DVec3::new(1.0, 1.0, 0.3);
            let (sample, h) = (field.sample(p), 1e-6 * T);
            // Where the two cubics meet, and where the bulge begins, ends or is cut off, the slope is one-sided.
            let kinked = |e: DVec3| {
                let (low, high) = (field.value(p - h * e), field.value(p + h * e));
                (low + high - 2.0 * sample.value).abs() > 1e-9
            };
            if sample.value == field.field.value(p) || DVec3::AXES.into_iter().any(kinked) {
                continue;
            }
            seen += 1;
            for e in DVec3::AXES {
                let slope = (field.value(p + h * e) - field.value(p - h * e)) / (2.0 * h);
                difference = worse(difference, (slope - sample.gradient.dot(e)) / sample.gradient.length());
            }
        }
    }
    let (even, _) = swell(&moving(DVec3::ZERO), 1.0);
    let (other, _) = swell(&moving(DVec3::ZERO), -1.0);
    vec![
        Check::yes(
            "a moving ball: the bulge in front is higher than at rest, behind lower",
            front > even && back < even,
        ),
        Check::yes("a moving ball: the bulge in front is shorter than behind", short < long),
        Check::small("a ball at rest: bulges on both sides differ by [field units]", even - other, 1e-12),
        Check::small("a moving ball: gradient against differences, relative", difference, 1e-5),
        Check::yes("a moving ball: that was seen where the body is deformed", seen > 200),
    ]
}

/// Flesh with a bone in it against a soft ball: the remaining overlap, on the patch of the flesh and on that of
/// the bone, where the bone is behind the flesh's new surface and where it comes through.
pub fn layers() -> Vec<Check> {
    let elements = |t: f64| setup::ball(&setup::kernel(Profile::Linear, t), 1).elements().to_vec();
    let mut checks = Vec::new();
    for (distance, stiffness) in [(0.14, 1.0), (0.11, 1.0), (0.14, 0.1), (0.14, 5.0), (0.09, 3.0)] {
        let limb = BodySpec { core: elements(0.06), ..setup::body("limb", elements(T), DVec3::ZERO) };
        let limb = BodySpec { material: Material { stiffness: stiffness * setup::K, ..limb.material }, ..limb };
        let way = DVec3::new(0.2, 0.1, 1.0).normalize();
        let ball = setup::body("ball", elements(T), distance * way);
        let Ok(world) = World::new(&setup::scene(vec![limb, ball])) else {
            return vec![Check::yes("the scene could be built", false)];
        };
        let distances = world.contacts().iter().flat_map(|c| world.penetrations(c));
        let left = distances.map(f64::abs).fold(0.0, worse);
        let case = format!("{distance} m apart, flesh {stiffness} times as stiff");
        checks.push(Check::small(format!("flesh, bone and a ball: gap or penetration left [m], {case}"), left, 1e-9));
        checks.push(Check::yes(format!("flesh, bone and a ball: two contacts, {case}"), world.contacts().len() == 2));
    }
    checks
}
