//! Patches with straight edges and kinks, the hardest for quadrature.

use super::Check;
use super::setup::{self, K};
use crate::contact::{Patch, Quality};
use crate::fields::skeleton::Cuboid;
use crate::fields::{Element, Posed, Profile, Shape};
use crate::math::{DQuat, DVec3, Frame, bracketed_root, gauss};
use std::f64::consts::{FRAC_PI_4, TAU};

/// Half the box's edges and the radius of its rounding, metres.
const HALF: DVec3 = DVec3::new(0.1, 0.08, 0.05);
const ROUND: f64 = 0.02;

/// The box lying flat, pressed by `depth` on a plane: face, edges and corners in closed form.
fn flat_force(depth: f64) -> f64 {
    let h = ROUND - depth;
    let reach = (ROUND * ROUND - h * h).sqrt();
    // ∫ (t − √(x² + h²)) dx from the edge outward, and with 2πx around the four quarters of a corner.
    let edge = 0.5 * (ROUND * reach - h * h * (reach / h).asinh());
    let corners = TAU * (0.5 * ROUND * reach * reach - (ROUND.powi(3) - h.powi(3)) / 3.0);
    K / ROUND * (4.0 * HALF.x * HALF.y * depth + 4.0 * (HALF.x + HALF.y) * edge + corners)
}

/// The box anyhow: `∫ K (1 − d/t)` over the plane z = 0, with a distance of its own. Lines are cut where the nearest part
/// of the box changes; where they begin and end the integrand vanishes, and so does what a line more would give.
fn turned_force(at: &Frame) -> f64 {
    let here = at.inverse();
    let offset = |x: f64, y: f64| here.point(DVec3::new(x, y, 0.0));
    let depth = |x: f64, y: f64| ROUND - (offset(x, y).abs() - HALF).max(DVec3::ZERO).length();
    let far = HALF.length() + ROUND;
    // The solid is convex: along a line, and from line to line, depth rises and falls once.
    let deepest = |x: f64| peak(-far, far, |y| depth(x, y));
    let depth_of_line = |x: f64| depth(x, deepest(x));
    let middle = peak(-far, far, depth_of_line);
    let end = |x: f64| bracketed_root(depth_of_line, (middle.min(x), middle.max(x)), 1e-9 * ROUND);
    let (Some(left), Some(right)) = (end(-far), end(far)) else { return f64::NAN };
    let line = |x: f64| {
        let middle = deepest(x);
        let end = |y: f64| bracketed_root(|y| depth(x, y), (middle.min(y), middle.max(y)), 1e-15);
        let (Some(first), Some(last)) = (end(-far), end(far)) else { return 0.0 };
        let (start, step) = (offset(x, 0.0), offset(x, 1.0) - offset(x, 0.0));
        let faces = (0..3).flat_map(|i| [-HALF[i], HALF[i]].map(|face| (face - start[i]) / step[i]));
        let mut cuts: Vec<f64> = faces.filter(|y| first < *y && *y < last).chain([first, last]).collect();
        cuts.sort_by(f64::total_cmp);
        let piece = |c: &[f64]| -> f64 {
            let (rule, width) = (gauss(12), c[1] - c[0]);
            rule.nodes.iter().zip(&rule.weights).map(|(u, w)| w * width * depth(x, c[0] + u * width)).sum()
        };
        cuts.windows(2).map(piece).sum()
    };
    let (rule, panels) = (gauss(4), 200);
    let width = (right - left) / f64::from(panels);
    let panel = |i: u32| -> f64 {
        let at = |u: f64| left + (f64::from(i) + u) * width;
        rule.nodes.iter().zip(&rule.weights).map(|(u, w)| w * width * line(at(*u))).sum()
    };
    K / ROUND * (0..panels).map(panel).sum::<f64>()
}

/// Maximum of a unimodal function between `low` and `high`, by ternary search.
fn peak(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..60 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if f(a) < f(b) { low = a } else { high = b }
    }
    0.5 * (low + high)
}

fn rounded_box() -> Shape {
    let skeleton = Cuboid::new(DVec3::ZERO, HALF).expect("positive sizes").into();
    Shape::new(vec![Element::new(skeleton, setup::kernel(Profile::Linear, ROUND))], 1.0)
}

/// Frame of the turned box that reaches below the plane z = 0 by `depth` of its rounding.
fn pressed(rotation: DQuat, depth: f64) -> Frame {
    let down = rotation.inverse() * DVec3::NEG_Z;
    Frame { rotation, translation: (down.abs().dot(HALF) + (1.0 - depth) * ROUND) * DVec3::Z }
}

/// Force along `normal` on the box on the ground below the plane through the origin, and how many patches give it. The
/// box is placed for the normal z and turned with the ground.
fn found(shape: &Shape, at: &Frame, normal: DVec3, quality: &Quality) -> (f64, usize) {
    let sloped = Frame { rotation: DQuat::from_rotation_arc(DVec3::Z, normal), ..Frame::IDENTITY };
    let below = Shape::new(setup::ground(normal), 1.0);
    let patches = Patch::find(
        &setup::on_rigid(Posed::rigid(shape, sloped * *at), Posed::rigid(&below, Frame::IDENTITY)),
        quality,
    );
    (patches.iter().map(|p| p.on_a.force.dot(normal)).sum(), patches.len())
}

/// A box lies flat, nearly flat, on an edge and on a corner, each turned several ways, lightly and hard, on a slope and on
/// a plane, measured well and roughly.
pub fn boxes() -> Vec<Check> {
    let shape = rounded_box();
    let tilts = [
        ("flat", DQuat::IDENTITY),
        ("tilted by 1°", DQuat::from_rotation_x(1f64.to_radians())),
        ("tilted by 10°", DQuat::from_rotation_x(10f64.to_radians())),
        ("on an edge", DQuat::from_rotation_x(FRAC_PI_4)),
        ("on a corner", DQuat::from_rotation_x(FRAC_PI_4) * DQuat::from_rotation_y(0.6)),
    ];
    let mut checks = Vec::new();
    for (name, tilt) in tilts {
        for turn in [0.0, 0.3, FRAC_PI_4] {
            let mut cases = Vec::new();
            for depth in [0.01, 0.1] {
                let at = pressed(DQuat::from_rotation_z(turn) * tilt, depth);
                let expected = if name == "flat" { flat_force(depth * ROUND) } else { turned_force(&at) };
                for (ground, normal) in [("slope", DVec3::new(0.3, -0.1, 1.0).normalize()), ("plane", DVec3::Z)] {
                    for (quality, bound) in [(Quality::default(), 2e-5), (Quality::draft(), 1e-3)] {
                        let law = format!(
                            "box {name}, turned {turn:.1}, force [N], worst on a {ground}, depth {:.0}% t, to {bound:e}",
                            100.0 * depth
                        );
                        cases.push(Check::relative(law, expected, found(&shape, &at, normal, &quality).0, bound));
                    }
                }
            }
            checks.extend(Check::worst(cases));
        }
    }
    checks.push(integral_agrees());
    checks
}

/// A rigid slab runs through a soft ball: each face is pressed as if it were alone, and the two almost balance.
pub fn thin_through_thick() -> Vec<Check> {
    let (t, core, round) = (0.1, 0.01, 0.01);
    let side = |h: f64| TAU * K * (0.5 * (t * t - h * h) - (t.powi(3) - h.abs().powi(3)) / (3.0 * t));
    let skeleton = Cuboid::new(DVec3::ZERO, DVec3::new(0.3, 0.3, core)).expect("positive sizes").into();
    let slab = Shape::new(vec![Element::new(skeleton, setup::kernel(Profile::Linear, round))], 1.0);
    let ball = setup::ball(&setup::kernel(Profile::Linear, t), 1);
    let mut checks = Vec::new();
    for (height, quality, bound) in
        [(0.0, Quality::default(), 2e-5), (0.03, Quality::default(), 2e-5), (0.03, Quality::draft(), 1e-3)]
    {
        let at = Frame { rotation: DQuat::from_rotation_x(0.4), translation: DVec3::ZERO };
        let slab_at = at * Frame::at(height * DVec3::Z);
        let patches = Patch::find(&setup::on_rigid(Posed::rigid(&ball, at), Posed::rigid(&slab, slab_at)), &quality);
        let load: f64 = patches.iter().map(|p| p.load).sum();
        let net: f64 = patches.iter().map(|p| p.on_a.force.dot(at.vector(DVec3::Z))).sum();
        let faces = [side(height + core + round), side(height - core - round)];
        let law =
            |what: &str| format!("slab through a ball, {:.0} mm off its middle, {what}, to {bound:e}", 1e3 * height);
        let both = faces[0] + faces[1];
        checks.push(Check::relative(law("load [N]"), both, load, bound));
        checks.push(Check::small(
            law("error of the force against the load"),
            (net - faces[0] + faces[1]) / both,
            bound,
        ));
    }
    checks
}

/// The integral these laws rest on, where a closed form is known.
fn integral_agrees() -> Check {
    let at = pressed(DQuat::from_rotation_z(0.3), 0.05);
    Check::relative(
        "these laws' integral of a flat box, force [N] in closed form",
        flat_force(0.05 * ROUND),
        turned_force(&at),
        1e-6,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_on_its_edge_has_one_patch() {
        let at = pressed(DQuat::from_rotation_z(0.3) * DQuat::from_rotation_x(FRAC_PI_4), 0.01);
        let (force, patches) = found(&rounded_box(), &at, DVec3::Z, &Quality::default());
        let expected = turned_force(&at);
        assert_eq!(patches, 1, "{patches} patches, {force} N instead of {expected} N");
    }
}
