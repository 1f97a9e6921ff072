//! Force and torque against the gradient of `U = ∫ min(p_a, p_b) dV`, integrated by columns of its own.

use super::setup;
use super::{Check, Measured, excess};
use crate::contact::{Pair, Patch, Quality, elastic_energy};
use crate::fields::{Posed, Shape};
use crate::math::{Aabb, DQuat, DVec3, Frame, bracketed_root, gauss};
use rayon::prelude::*;
use std::ops::Range;

/// Columns across the overlap each way. The column integral is C¹ at its border, so their sum converges as `n⁻³`.
const COLUMNS: usize = 96;

/// A box around the overlap, from a coarse grid over the box both solids share, with room to move.
fn around_overlap(pair: &Pair) -> Aabb {
    let shared = pair.overlap_bounds();
    let cell = shared.size() / 48.0;
    let inside = (0..48 * 48 * 48).map(|i| {
        shared.min + cell * DVec3::new((i % 48) as f64 + 0.5, (i / 48 % 48) as f64 + 0.5, (i / 2304) as f64 + 0.5)
    });
    let tight = Aabb::of_points(inside.filter(|p| pair.probe(*p).min_pressure() > 0.0));
    Aabb { min: tight.min - 2.0 * cell, max: tight.max + 2.0 * cell }.grown(2e-3)
}

/// `U` by columns along z through `shared`.
fn energy(pair: &Pair, shared: &Aabb) -> f64 {
    let size = shared.size();
    let (dx, dy) = (size.x / COLUMNS as f64, size.y / COLUMNS as f64);
    let sums: Vec<f64> = (0..COLUMNS)
        .into_par_iter()
        .map(|i| {
            (0..COLUMNS)
                .map(|j| {
                    let (x, y) = (shared.min.x + (i as f64 + 0.5) * dx, shared.min.y + (j as f64 + 0.5) * dy);
                    column(pair, x, y, shared.min.z..shared.max.z)
                })
                .sum()
        })
        .collect();
    sums.iter().sum::<f64>() * dx * dy
}

/// `∫ max(0, min(p_a, p_b)) dz` on one column: ends and the crossing found exactly, Gauss between.
fn column(pair: &Pair, x: f64, y: f64, z: Range<f64>) -> f64 {
    const STEPS: usize = 24;
    let probe = |z: f64| pair.probe(DVec3::new(x, y, z));
    let depth = |z: f64| probe(z).min_pressure();
    let which = |z: f64| {
        let p = probe(z);
        p.pressure_a - p.pressure_b
    };
    let at = |i: usize| z.start + (z.end - z.start) * i as f64 / STEPS as f64;
    let mut cuts = vec![z.start];
    for i in 0..STEPS {
        let span = (at(i), at(i + 1));
        let mut here: Vec<f64> = [&depth as &dyn Fn(f64) -> f64, &which]
            .iter()
            .filter_map(|f| ((f(span.0) > 0.0) != (f(span.1) > 0.0)).then(|| bracketed_root(f, span, 1e-15)).flatten())
            .collect();
        here.sort_by(f64::total_cmp);
        cuts.extend(here);
    }
    cuts.push(z.end);
    let rule = gauss(10);
    cuts.windows(2)
        .map(|c| {
            let width = c[1] - c[0];
            let value = |x: f64| excess(depth(c[0] + x * width));
            rule.nodes.iter().zip(&rule.weights).map(|(x, w)| w * width * value(*x)).sum::<f64>()
        })
        .sum()
}

/// `−∂U/∂s` by a five-point difference.
fn slope(step: f64, energy_at: impl Fn(f64) -> f64) -> f64 {
    let u = |n: f64| energy_at(n * step);
    -(8.0 * (u(1.0) - u(-1.0)) - (u(2.0) - u(-2.0))) / (12.0 * step)
}

/// Blended bodies of four skeletons each, unlike in stiffness.
pub fn gradient() -> Vec<Check> {
    let (a, b): (Shape, Shape) = (setup::lumpy(false), setup::lumpy(true));
    let turn = DQuat::from_axis_angle(DVec3::new(0.5, 1.0, 0.2).normalize(), 0.5);
    let at = Frame { rotation: turn, translation: DVec3::new(0.015, -0.01, 0.17) };
    let place = |at: Frame| setup::soft_pair(Posed::rigid(&a, Frame::IDENTITY), Posed::rigid(&b, at), 2.0);
    let within = around_overlap(&place(at));
    let energy = |pair: &Pair| energy(pair, &within);
    let patches = Patch::find(&place(at), &Quality::default());
    let force: DVec3 = patches.iter().map(|p| p.on_b.force).sum();
    let torque: DVec3 = patches.iter().map(|p| p.moment_about(&p.on_b, at.translation)).sum();
    let mut checks = Vec::new();
    let scale = force.length();
    for (axis, name) in [(DVec3::X, "x"), (DVec3::Y, "y"), (DVec3::Z, "z")] {
        let moved = |s: f64| energy(&place(Frame { translation: at.translation + s * axis, ..at }));
        let expected = slope(6e-4, moved);
        let got = force.dot(axis);
        let law = format!("force on b along {name} [N] against −∂U/∂{name} (error over |F|)");
        checks.push(Check::scaled(law, Measured { expected, got, scale }, 1e-4));
        let turned = |s: f64| {
            let rotation = DQuat::from_axis_angle(axis, s) * at.rotation;
            energy(&place(Frame { rotation, ..at }))
        };
        let expected = slope(6e-3, turned);
        let got = torque.dot(axis);
        let law = format!("torque on b about {name} [N m] against −∂U/∂θ (error over |F| t)");
        checks.push(Check::scaled(law, Measured { expected, got, scale: scale * setup::T }, 1e-4));
    }
    let pair = place(at);
    checks.push(Check::relative(
        "elastic energy [J] against the columns",
        energy(&pair),
        elastic_energy(&pair, &Quality::default()),
        1e-4,
    ));
    checks.push(Check::relative(
        "elastic energy [J] of the patches against the columns",
        energy(&pair),
        patches.iter().map(|p| p.energy(&pair)).sum(),
        1e-4,
    ));
    checks.push(between_rigid());
    checks
}

/// Two rigid bodies: the same law with a stiff potential.
fn between_rigid() -> Check {
    let (a, b): (Shape, Shape) = (setup::lumpy(false), setup::lumpy(true));
    let at = Frame { rotation: DQuat::from_rotation_x(0.4), translation: DVec3::new(0.01, 0.02, 0.165) };
    let place = |at: Frame| {
        super::queries::rigid(setup::soft_pair(Posed::rigid(&a, Frame::IDENTITY), Posed::rigid(&b, at), 1.0))
    };
    let within = around_overlap(&place(at));
    let force: DVec3 = Patch::find(&place(at), &Quality::default()).iter().map(|p| p.on_b.force).sum();
    let moved = |s: f64| energy(&place(Frame { translation: at.translation + s * DVec3::Z, ..at }), &within);
    let (expected, got) = (slope(6e-4, moved), force.z);
    let law = "two rigid bodies, force on b along z [N] against −∂U/∂z (error over |F|)";
    Check::scaled(law, Measured { expected, got, scale: force.length() }, 1e-4)
}
