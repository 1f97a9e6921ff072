//! Elastic energy of a pair: `U = ∫ min(p_a, p_b) dV` over the overlap, as the work of separating the two.
//!
//! *The idea* (`PAPERS.md`, Ours: one potential): force is exactly `−∂U/∂x` and `U` is zero apart, so `U` is the work
//! of moving the pair apart along any straight path. Patches along the path are found as always; nothing else is
//! integrated. *Not promised*: a body enclosed in another, of which no skeleton point is in both, counts as apart.

use crate::contact::depth::is_enclosed;
use crate::contact::pair::{Pair, Side};
use crate::contact::patch::Patch;
use crate::contact::quality::Quality;
use crate::fields::{Field, Posed};
use crate::math::{Cell, DVec3, Frame, adaptive};

/// A net force below this fraction of the load does not show the direction out: the load presses from both sides.
/// Larger: boxes decide instead, and paths are longer. Smaller: paths lead through the body.
const BALANCED_FORCE: f64 = 0.1;
/// Samples of each force on the path against [`Quality::max_samples`]: energy is asked for once a frame, not many times
/// a step. Fewer: energies of bodies pushed past each other's skeletons are off by some thousandths. More: they take
/// long.
const FORCE_SAMPLES: u32 = 5;
/// Most searches for the point of separation; three suffice for most pairs. Fewer: an energy slightly off.
const SEARCHES: usize = 24;
/// Accuracy of that point, as a fraction of the path: the error of the energy is about its square.
const SEPARATION_ACCURACY: f64 = 1e-3;

/// Joules stored in the overlap of `pair`; zero when they do not touch.
pub fn elastic_energy(pair: &Pair, quality: &Quality) -> f64 {
    let Some((away, apart)) = separation_path(pair) else { return 0.0 };
    let quality = &Quality { max_samples: quality.max_samples.saturating_mul(FORCE_SAMPLES), ..*quality };
    // Tolerance of the lower-order of two rules, so of the work about a tenth: it cannot be better than its forces.
    let settled = 10.0 * quality.resolution.tolerance().max(1e-7);
    // Near separation, forces go with half powers of the remaining path (faces with edges, balls). In v they are smooth.
    let power = |v: f64| {
        let patches = Patch::find(&moved(pair, apart * (1.0 - v * v) * away), quality);
        2.0 * apart * v * patches.iter().map(|p| p.on_b.force.dot(away)).sum::<f64>()
    };
    adaptive(power, (0.0, 1.0), settled)
}

/// `pair` with b moved by `offset`.
fn moved<'a>(pair: &Pair<'a>, offset: DVec3) -> Pair<'a> {
    let field = pair.b.field;
    let at = Frame { translation: field.world_from_body.translation + offset, ..field.world_from_body };
    Pair { a: pair.a, b: Side { field: Posed::rigid(field.shape, at), ..pair.b } }
}

/// A direction in which b leaves a and the distance to separation; `None` if the two are apart.
fn separation_path(pair: &Pair) -> Option<(DVec3, f64)> {
    let patches = Patch::find(pair, &Quality::draft());
    if patches.is_empty() && !is_enclosed(pair) {
        return None;
    }
    let net: DVec3 = patches.iter().map(|p| p.on_b.force).sum();
    let load: f64 = patches.iter().flat_map(|p| &p.points).map(|p| p.pressure * p.area).sum();
    let away = if net.length() > BALANCED_FORCE * load { net.normalize() } else { shortest_exit(pair) };
    // Bracketed from both sides: depths estimate the distance, too short for some kernels and too long for others.
    let (mut touching, mut apart, mut depth) = (0.0, clearance(pair, away), overlap(&patches));
    for factor in [1.0 + SEPARATION_ACCURACY, 1.0 - SEPARATION_ACCURACY].into_iter().cycle().take(SEARCHES) {
        if apart - touching <= 3.0 * SEPARATION_ACCURACY * apart {
            break;
        }
        let guess = factor * (touching + if depth > 0.0 { depth } else { pair.min_thickness() });
        let next = if touching < guess && guess < apart { guess } else { 0.5 * (touching + apart) };
        let there = moved(pair, next * away);
        let patches = Patch::find(&there, &Quality::draft());
        if patches.is_empty() && !is_enclosed(&there) {
            apart = next;
        } else {
            (touching, depth) = (next, overlap(&patches));
        }
    }
    Some((away, apart))
}

/// The deepest of `patches`, metres.
fn overlap(patches: &[Patch]) -> f64 {
    patches.iter().map(|p| p.overlap).fold(0.0, f64::max)
}

/// Distance b must go along `away` until its box has left a's, or until bounds prove a body without a box to be left.
fn clearance(pair: &Pair, away: DVec3) -> f64 {
    let (a, b) = (pair.a.field.solid_bounds(), pair.b.field.solid_bounds());
    let exit = |axis: usize| {
        let gap = if away[axis] > 0.0 { a.max[axis] - b.min[axis] } else { b.max[axis] - a.min[axis] };
        if away[axis] == 0.0 { f64::INFINITY } else { gap / away[axis].abs() }
    };
    let by_boxes = exit(0).min(exit(1)).min(exit(2));
    if by_boxes.is_finite() {
        return by_boxes;
    }
    let mut far = pair.overlap_bounds().size().length();
    let is_clear = |far: f64| {
        let Pair { a, b } = moved(pair, far * away);
        let proved = |field: &Posed, other: &Posed| {
            let solid = other.solid_bounds();
            solid.is_finite() && field.bounds(&Cell::from(solid)).hi < field.shape.iso()
        };
        proved(&a.field, &b.field) || proved(&b.field, &a.field)
    };
    while !is_clear(far) && far < 1e6 * pair.min_thickness() {
        far *= 2.0;
    }
    far
}

/// The world axis along which b's box leaves a's soonest; straight out of a body that has no box.
fn shortest_exit(pair: &Pair) -> DVec3 {
    let (a, b) = (pair.a.field.solid_bounds(), pair.b.field.solid_bounds());
    let outward = |field: &Posed| -field.sample(pair.overlap_bounds().center()).gradient.normalize_or(DVec3::NEG_Z);
    if a.is_finite() && b.is_finite() {
        let ways = DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]);
        ways.min_by(|p, q| clearance(pair, *p).total_cmp(&clearance(pair, *q))).unwrap_or(DVec3::Z)
    } else if b.is_finite() {
        outward(&pair.a.field)
    } else {
        -outward(&pair.b.field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::{Element, Kernel, Shape, skeleton::Point, skeleton::Segment};
    use crate::math::DQuat;
    use std::f64::consts::PI;

    /// `U = ∫ min(p_a, p_b) dV` by a fine grid of points.
    fn by_points(pair: &Pair) -> f64 {
        const N: usize = 120;
        let overlap_bounds = pair.overlap_bounds();
        let cell = overlap_bounds.size() / N as f64;
        let at = |i: usize| DVec3::new((i % N) as f64 + 0.5, (i / N % N) as f64 + 0.5, (i / N / N) as f64 + 0.5);
        let depth = (0..N * N * N).map(|i| pair.probe(overlap_bounds.min + at(i) * cell).min_pressure().max(0.0));
        depth.sum::<f64>() * cell.x * cell.y * cell.z
    }

    #[test]
    fn a_ball_inside_a_larger_one_stores_its_whole_pressure() {
        // Stiff around soft, about one centre: p_a < p_b everywhere, U = ∫ K (1 − r/t) dV = π K t³/3.
        let ball = |t: f64| {
            let kernel = Kernel::linear(1.0, t, 2.0 * t).unwrap();
            Shape::new(vec![Element::new(Point { at: DVec3::ZERO }.into(), kernel)], 1.0)
        };
        let (small, large) = (ball(0.1), ball(0.3));
        let side = |shape, stiffness| Side { field: Posed::rigid(shape, Frame::IDENTITY), stiffness, rigid: false };
        let pair = Pair { a: side(&small, 1e5), b: side(&large, 4e5) };
        let (expected, got) = (PI * 1e5 * 1e-3 / 3.0, elastic_energy(&pair, &Quality::default()));
        assert!((got / expected - 1.0).abs() < 1e-4, "{got} J, not {expected}");
    }

    #[test]
    fn forces_that_balance_do_not_hide_the_energy() {
        // A capsule through the middle of a thin ball: it sticks out on both sides, and nothing pushes it either way.
        let kernel = |t: f64| Kernel::linear(1.0, t, 2.0 * t).unwrap();
        let bar = Segment::new(-0.3 * DVec3::X, 0.3 * DVec3::X).unwrap();
        let rod = Shape::new(vec![Element::new(bar.into(), kernel(0.05))], 1.0);
        let ball = Shape::new(vec![Element::new(Point { at: DVec3::ZERO }.into(), kernel(0.1))], 1.0);
        let turn = Frame { rotation: DQuat::from_rotation_z(0.3 * PI), translation: DVec3::ZERO };
        let side = |shape, at, stiffness| Side { field: Posed::rigid(shape, at), stiffness, rigid: false };
        let pair = Pair { a: side(&rod, turn, 1e5), b: side(&ball, Frame::IDENTITY, 1e5) };
        // Where skeletons cross, the patch has a point like a cone's: finer takes minutes.
        let (expected, got) = (by_points(&pair), elastic_energy(&pair, &Quality::draft()));
        assert!((got / expected - 1.0).abs() < 2e-3, "{got} J, not {expected}");
    }
}
