//! Forces and areas against closed forms and independent integrals.

use super::Check;
use super::setup::{self, K, T};
use crate::contact::{Patch, Quality, Resolution};
use crate::fields::{Kernel, Posed, Profile, Shape};
use crate::math::{DVec3, Frame, bracketed_root, gauss};
use crate::model::CONTACT_TOLERANCE;
use std::f64::consts::{PI, TAU};

/// Force on a flat disc at height `h` under a point skeleton: `2π ∫_h^t p(r) r dr`, by a fine rule of its own.
fn disc_force(kernel: &Kernel, h: f64) -> f64 {
    let t = kernel.thickness();
    if *kernel.profile() == Profile::Linear {
        // (π K k/3)(t − h)²(t + 2h).
        return PI * K * kernel.slope() / 3.0 * (t - h).powi(2) * (t + 2.0 * h);
    }
    let (rule, panels) = (gauss(16), 64);
    let mut sum = 0.0;
    for i in 0..panels {
        for (x, w) in rule.nodes.iter().zip(&rule.weights) {
            let r = h + (t - h) * (i as f64 + x) / panels as f64;
            sum += w * (t - h) / panels as f64 * K * (kernel.value(r) - kernel.iso()) * r;
        }
    }
    TAU * sum
}

fn total(patches: &[Patch]) -> (f64, f64) {
    (patches.iter().map(|p| p.on_a.force).sum::<DVec3>().length(), patches.iter().map(|p| p.area).sum())
}

/// Two equal bodies and a body on a plane; every kernel, five depths, one skeleton or two halves.
pub fn kernels() -> Vec<Check> {
    let ground = Shape::new(setup::ground(DVec3::Z), 1.0);
    let tilt = DVec3::new(0.3, -0.5, 0.8).normalize();
    let mut checks = Vec::new();
    for (name, profile) in setup::profiles() {
        let kernel = setup::kernel(profile, T);
        for plane in [false, true] {
            let (mut at_default, mut in_scenes, mut at_finest, mut areas) =
                (Vec::new(), Vec::new(), Vec::new(), Vec::new());
            for parts in [1, 2] {
                let ball = setup::ball(&kernel, parts);
                for depth in [0.001, 0.01, 0.05, 0.2, 0.5] {
                    let h = T * (1.0 - depth);
                    let (force, area) = (disc_force(&kernel, h), PI * (T * T - h * h));
                    let pair = if plane {
                        setup::on_rigid(
                            Posed::rigid(&ball, Frame::at(DVec3::Z * h)),
                            Posed::rigid(&ground, Frame::IDENTITY),
                        )
                    } else {
                        setup::soft_pair(
                            Posed::rigid(&ball, Frame::IDENTITY),
                            Posed::rigid(&ball, Frame::at(2.0 * h * tilt)),
                            1.0,
                        )
                    };
                    let case = format!(
                        "{name}, {}, depth {}% t, {parts} skeleton{}",
                        if plane { "on a plane" } else { "two equal" },
                        depth * 100.0,
                        if parts == 1 { "" } else { "s of half strength" }
                    );
                    let got = total(&Patch::find(&pair, &Quality::default()));
                    let stepped = total(&Patch::find(&pair, &Quality::within(CONTACT_TOLERANCE)));
                    let fine = total(&Patch::find(&pair, &Quality::finest()));
                    at_default.push(Check::relative(format!("force [N], default: {case}"), force, got.0, 1e-4));
                    in_scenes.push(Check::relative(
                        format!("force [N], as worlds step: {case}"),
                        force,
                        stepped.0,
                        CONTACT_TOLERANCE,
                    ));
                    at_finest.push(Check::relative(format!("force [N], finest: {case}"), force, fine.0, 1e-6));
                    areas.push(Check::relative(format!("area [m²]: {case}"), area, got.1, 1e-3));
                }
            }
            checks.extend([at_default, in_scenes, at_finest, areas].into_iter().filter_map(Check::worst));
        }
    }
    checks
}

/// Unlike balls: R 0.1 and 0.05 m, K 1e5 and 4e5 Pa, overlap 1 cm, by an integral over the surface of
/// revolution `p_1 = p_2` of its own: force and area.
fn unlike() -> (f64, f64) {
    let (r1, r2, k1, k2, d) = (0.1, 0.05, 1e5, 4e5, 0.14);
    let p1 = |rho: f64, z: f64| k1 * (1.0 - rho.hypot(z) / r1);
    let p2 = |rho: f64, z: f64| k2 * (1.0 - rho.hypot(z - d) / r2);
    let rim_z: f64 = (d * d + r1 * r1 - r2 * r2) / (2.0 * d);
    let rim = (r1 * r1 - rim_z * rim_z).sqrt();
    let (rule, panels) = (gauss(16), 32);
    let (mut force, mut area) = (0.0, 0.0);
    for i in 0..panels {
        for (x, w) in rule.nodes.iter().zip(&rule.weights) {
            let rho = rim * (i as f64 + x) / panels as f64;
            let z = bracketed_root(|z| p1(rho, z) - p2(rho, z), (0.05, d - 1e-6), 1e-15).unwrap_or(f64::NAN);
            let (s1, s2) = (rho.hypot(z), rho.hypot(z - d));
            let across = -k1 / r1 * rho / s1 + k2 / r2 * rho / s2;
            let along = -k1 / r1 * z / s1 + k2 / r2 * (z - d) / s2;
            let weight = w * rim / panels as f64 * TAU * rho;
            force += weight * p1(rho, z);
            area += weight * (1.0 + (across / along).powi(2)).sqrt();
        }
    }
    (force, area)
}

/// The curved patch, and how its error falls with the rule.
pub fn curved() -> Vec<Check> {
    let (exact, exact_area) = unlike();
    let (one, two) =
        (setup::ball(&setup::kernel(Profile::Linear, 0.1), 1), setup::ball(&setup::kernel(Profile::Linear, 0.05), 1));
    let apart = 0.14 * DVec3::new(0.2, 0.9, -0.4).normalize();
    let pair = setup::soft_pair(Posed::rigid(&one, Frame::IDENTITY), Posed::rigid(&two, Frame::at(apart)), 4.0);
    let got = total(&Patch::find(&pair, &Quality::default()));
    let mut checks = vec![
        Check::relative("curved patch, force [N] against the published 8.856701", 8.856701, got.0, 1e-4),
        Check::relative("curved patch, force [N] against an integral of revolution", exact, got.0, 1e-4),
        Check::relative("curved patch, area [cm²] against the published 20.8872", 20.8872, got.1 * 1e4, 1e-3),
        Check::relative("curved patch, area [m²] against an integral of revolution", exact_area, got.1, 1e-3),
    ];
    let mut last: Option<f64> = None;
    for n in [1, 2, 4, 8, 16] {
        let quality = Quality { resolution: Resolution::Fixed { radial: n, angular: 4 * n }, ..Quality::finest() };
        let error = (total(&Patch::find(&pair, &quality)).0 / exact - 1.0).abs();
        if let Some(before) = last.filter(|e| *e > 1e-10) {
            let order = (before / error).log2();
            checks.push(Check::at_least(
                format!("order of convergence, {n} × {} points: error {error:.1e}", 4 * n),
                order,
                2.0,
            ));
        }
        last = Some(error);
    }
    checks.push(Check::small("error of the finest of these rules", last.unwrap_or(f64::NAN), 1e-10));
    checks
}
