//! Deformed surfaces: shared on the patch, smooth at its border, as large as the rest shape.

use super::Check;
use super::setup::{self, T};
use crate::contact::{Collider, Deformed, Pair, Patch, Quality, Zone};
use crate::fields::{Field, Kernel, Placed, Profile, Shape};
use crate::math::{DQuat, DVec3, Frame, bracketed_root};
use crate::scene::{Bulge, Height};

const DILATION: Bulge = Bulge::Dilation { height: Height::Ratio(0.3), reach: 0.5, middle: None, follows_motion: false };
const ATTENUATED: Bulge = Bulge::Attenuated { height: Height::Ratio(0.3), width: None };

/// Both bodies of a pair, deformed by each other.
fn deformed<'a>(pair: &Pair<'a>, patches: &[Patch], bulge: Bulge) -> [Deformed<'a>; 2] {
    [(pair.a, pair.b), (pair.b, pair.a)].map(|(own, other)| {
        let zones = patches
            .iter()
            .map(|p| Zone { center: p.deepest, compression: p.max_pressure / own.stiffness, height: 0.0 })
            .collect();
        let ratio = other.stiffness / own.stiffness;
        let collider = Collider { field: other.field, ratio, rigid: other.rigid, velocity: DVec3::ZERO, zones };
        let colliders = if own.rigid { Vec::new() } else { vec![collider] };
        let mut deformed = Deformed { field: own.field, bulge, colliders };
        deformed.set_heights(0.0);
        deformed
    })
}

/// Signed distance from `p` to the surface of `field` along `n`, within `reach`.
fn surface_along(field: &impl Field, iso: f64, (p, n): (DVec3, DVec3), reach: f64) -> f64 {
    bracketed_root(|s| field.value(p + s * n) - iso, (-reach, reach), 1e-16).unwrap_or(f64::NAN)
}

/// After deformation the surfaces coincide; three bodies leave the gap of [G93] fig. 8.
pub fn shared_surface() -> Vec<Check> {
    let (a, b) = (setup::lumpy(false), setup::lumpy(true));
    let ball = setup::ball(&setup::kernel(Profile::NonLinear, T), 1);
    let ground = Shape::new(setup::ground(DVec3::Z), 1.0);
    let turned = Frame { rotation: DQuat::from_rotation_y(0.7), translation: DVec3::new(0.02, 0.01, 0.15) };
    let cases = [
        ("blended, soft on soft", setup::soft_pair((&a, Frame::IDENTITY), (&b, turned), 3.0)),
        ("blended on a ball", setup::soft_pair((&a, Frame::IDENTITY), (&ball, turned), 0.5)),
        ("blended on a rigid plane", setup::on_rigid((&a, Frame::at(DVec3::Z * 0.08)), (&ground, Frame::IDENTITY))),
    ];
    let mut checks = Vec::new();
    for (name, pair) in cases {
        let patches = Patch::find(&pair, &Quality::finest());
        let sides = deformed(&pair, &patches, DILATION);
        let mut worst = if patches.is_empty() { f64::NAN } else { 0.0f64 };
        for p in patches.iter().flat_map(|p| &p.points) {
            // Where each visible surface is along the normal, found on its own: short of the border by a hair,
            // because exactly there both only touch the line.
            let at = |d: &Deformed| surface_along(d, 1.0, (p.position, p.normal), 1e-4 * T);
            let (s, t) = (at(&sides[0]), at(&sides[1]));
            worst = worst.max((s - t).abs());
        }
        checks.push(Check::small(format!("gap or penetration on the patch [m], {name}"), worst, 1e-9));
    }
    checks.push(triple_gap());
    checks
}

/// Three equal balls that meet around the origin: how far from it their surfaces stay.
fn triple_gap() -> Check {
    let ball = setup::ball(&setup::kernel(Profile::Linear, T), 1);
    let at: Vec<DVec3> =
        (0..3).map(|i| DQuat::from_rotation_z(std::f64::consts::TAU * f64::from(i) / 3.0) * DVec3::X * 0.09).collect();
    let fields: Vec<Placed> = at.iter().map(|p| Placed::new(&ball, Frame::at(*p))).collect();
    let collider =
        |j: usize| Collider { field: fields[j], ratio: 1.0, rigid: false, velocity: DVec3::ZERO, zones: Vec::new() };
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
        setup::soft_pair((&ball, Frame::IDENTITY), (&ball, Frame::at(2.0 * T * (1.0 - depth) * lean)), 2.0)
    };
    let rigid =
        |depth: f64| setup::on_rigid((&ball, Frame::at(DVec3::Z * T * (1.0 - depth))), (&ground, Frame::IDENTITY));
    let mut checks = Vec::new();
    for (method, bulge) in [("attenuated", ATTENUATED), ("dilation", DILATION)] {
        for (kind, pair) in [("soft–soft", soft(0.1)), ("rigid–soft", rigid(0.1))] {
            let patches = Patch::find(&pair, &Quality::finest());
            let [a, _] = deformed(&pair, &patches, bulge);
            let (mut inner, mut outer) = (0.0f64, 0.0f64);
            for patch in &patches {
                for p in &patch.border {
                    let out = (*p - patch.reference).reject_from(patch.mean_normal()).normalize();
                    inner = inner.max(jump(&a, *p, out));
                    outer = outer.max(outer_jump(&a, *p, out));
                }
            }
            let name = |edge: &str| format!("{method}, {kind}: jump of the gradient at {edge}, relative");
            checks.push(Check::small(name("the border of the patch"), inner, 1e-6));
            checks.push(Check::small(name("the outer edge of the bulge"), outer, 1e-6));
        }
        let mut heights = [1e-2, 1e-3, 1e-4, 1e-5].map(|depth| {
            let pair = soft(depth);
            let patches = Patch::find(&pair, &Quality::finest());
            let [a, _] = deformed(&pair, &patches, bulge);
            let swell = patches.iter().flat_map(|p| p.border.iter().map(move |q| (p, q))).map(|(p, q)| {
                let out = (*q - p.reference).reject_from(p.mean_normal()).normalize();
                (1..400)
                    .map(|i| *q + f64::from(i) * 1e-4 * T * out)
                    .map(|r| a.value(r) - a.field.value(r))
                    .fold(0.0, f64::max)
            });
            swell.fold(0.0, f64::max)
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

/// Volume of a body of revolution about the vertical through `origin`, from which it is seen whole:
/// `2π/3 ∫ r³ sin φ dφ`, by many equal steps of its own.
fn of_revolution(field: &Deformed, origin: DVec3) -> f64 {
    const STEPS: usize = 1200;
    let radius = |angle: f64| {
        let d = DVec3::new(angle.sin(), 0.0, angle.cos());
        let out =
            (1..100).map(|i| 0.02 * T * f64::from(i)).find(|r| field.value(origin + *r * d) < 1.0).unwrap_or(f64::NAN);
        bracketed_root(|r| field.value(origin + r * d) - 1.0, (out - 0.02 * T, out), 1e-13).unwrap_or(f64::NAN)
    };
    let step = std::f64::consts::PI / STEPS as f64;
    let sum: f64 = (0..STEPS).map(|i| (i as f64 + 0.5) * step).map(|a| radius(a).powi(3) * a.sin()).sum();
    std::f64::consts::TAU / 3.0 * sum * step
}

/// Bulges that hold what was pressed away, over a window of depths and widths.
pub fn volume() -> Vec<Check> {
    let ground = Shape::new(setup::ground(DVec3::Z), 1.0);
    let mut checks = Vec::new();
    let (mut kept, mut short) = (Vec::new(), Vec::new());
    let (mut with_root, mut without) = (Vec::new(), Vec::new());
    for blend in [0.05, 0.5, 1.0, 2.0] {
        let Ok(kernel) = Kernel::linear(1.0, T, T * (1.0 + blend)) else { continue };
        let ball = setup::ball(&kernel, 1);
        for depth in [0.02, 0.05, 0.1, 0.2] {
            for (method, bulge) in [
                (
                    "dilation",
                    Bulge::Dilation { height: Height::KeepVolume, reach: 0.1, middle: None, follows_motion: false },
                ),
                ("attenuated", Bulge::Attenuated { height: Height::KeepVolume, width: None }),
            ] {
                let place = Frame::at(DVec3::Z * T * (1.0 - depth));
                let pair = setup::on_rigid((&ball, place), (&ground, Frame::IDENTITY));
                let patches = Patch::find(&pair, &Quality::default());
                let [mut field, _] = deformed(&pair, &patches, bulge);
                let deficit = field.set_heights(0.0);
                let origin = place.translation;
                let (rest, got) = (4.0 / 3.0 * std::f64::consts::PI * T.powi(3), of_revolution(&field, origin));
                let case = format!("{method}, R − t = {blend} t, depth {}% t", depth * 100.0);
                if deficit == 0.0 {
                    with_root.push(case.clone());
                    kept.push(Check::relative(format!("volume kept [m³]: {case}"), rest, got, 1e-3));
                } else {
                    // What is reported missing is what the volume lacks.
                    without.push(case.clone());
                    let error = ((rest - got) - deficit).abs() / rest;
                    short.push(Check {
                        law: format!("deficit reported [m³]: {case}"),
                        expected: rest - got,
                        got: deficit,
                        error,
                        bound: 1e-3,
                    });
                }
            }
        }
    }
    let counted = |law: String, n: usize, least: usize| Check {
        law,
        expected: least as f64,
        got: n as f64,
        error: (least as f64 - n as f64).max(0.0),
        bound: 0.0,
    };
    checks.push(counted(format!("a height keeps the volume in: {}", with_root.join("; ")), with_root.len(), 1));
    checks.push(counted(
        format!("no height does, and the deficit is reported, in: {}", without.join("; ")),
        without.len(),
        1,
    ));
    checks.extend(Check::worst(kept));
    checks.extend(Check::worst(short));
    checks
}
