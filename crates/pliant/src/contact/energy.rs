//! Elastic energy of a pair: `U = ∫ min(p_a, p_b) dV` over the overlap, by way of its own force.
//!
//! *The idea* (EQUATIONS §5): force is exactly `−∂U/∂x` and `U` is zero apart, so `U` is the work of drawing the pair
//! apart along any straight path. Patches along it are the general ones; nothing new is integrated.

use super::pair::Kind;
use super::{Pair, Patch, Quality, Resolution, Side};
use crate::bodies::MassProperties;
use crate::fields::{Field, Placed, Sample};
use crate::math::{Cell, DVec3, Frame, Interval, gauss};

/// A net force below this part of the load is none: a body wholly inside another, or squeezed alike from both sides.
const BALANCED: f64 = 1e-3;
/// Halvings of the way apart. Near its end the force vanishes, so an error there counts at most by its square.
const HALVINGS: usize = 10;
/// Halvings by which the greatest pressure is found; the volume above it goes with its cube.
const LEVELS: usize = 7;
/// How much stiffer than the other a rigid side is taken to be, so that only the other's pressure counts.
const STIFF: f64 = 1e8;

/// Joules stored in the overlap of `pair`; zero when they do not touch.
pub fn elastic_energy(pair: &Pair, quality: &Quality) -> f64 {
    let patches = |offset: DVec3| -> Vec<Patch> {
        let field = pair.b.field;
        let moved = Frame { translation: field.world_from_body.translation + offset, ..field.world_from_body };
        let b = Side { field: Placed::new(field.shape, moved), ..pair.b };
        Patch::find(&Pair { a: pair.a, b }, quality)
    };
    let force = |offset: DVec3| -> DVec3 { patches(offset).iter().map(|p| -p.on_a.force).sum() };
    let touches = |offset: DVec3| !patches(offset).is_empty();
    let here = patches(DVec3::ZERO);
    let net: DVec3 = here.iter().map(|p| -p.on_a.force).sum();
    let load: f64 = here.iter().flat_map(|p| &p.points).map(|p| p.pressure * p.area).sum();
    // One body may be so far inside the other that they share no surface.
    let inside = || pair.probe(pair.overlap_box().center()).depth() > 0.0;
    if load == 0.0 && !inside() {
        return 0.0;
    }
    if net.length() <= BALANCED * load {
        return by_levels(pair);
    }
    let away = net.normalize();
    // How far apart they must go, from outside in.
    let mut apart = pair.least_thickness();
    while touches(apart * away) && apart < 1e3 * pair.least_thickness() {
        apart *= 2.0;
    }
    let mut touching = 0.0;
    for _ in 0..HALVINGS {
        let middle = 0.5 * (touching + apart);
        if touches(middle * away) { touching = middle } else { apart = middle }
    }
    let work = |panels: usize| -> f64 {
        let (rule, width) = (gauss(4), apart / panels as f64);
        let at = |i: usize, x: f64| force((i as f64 + x) * width * away).dot(away);
        (0..panels)
            .flat_map(|i| rule.nodes.iter().zip(&rule.weights).map(move |(x, w)| (i, *x, *w)))
            .map(|(i, x, w)| w * width * at(i, x))
            .sum()
    };
    // A rule cannot settle better than the forces it is made of.
    let settled = match quality.resolution {
        Resolution::Tolerance(t) => t.max(1e-6),
        Resolution::Fixed { .. } => 1e-6,
    };
    // Halve until it settles: patches that part at different places make kinks.
    let mut last = work(1);
    for panels in [2, 4, 8, 16] {
        let now = work(panels);
        if (now - last).abs() <= settled * now.abs() {
            return now;
        }
        last = now;
    }
    last
}

/// The lesser of the two pressures, as a field.
struct Least<'a>(&'a Pair<'a>);

impl Field for Least<'_> {
    fn sample(&self, p: DVec3) -> Sample {
        let probe = self.0.probe(p);
        let (a, b) = ((probe.pressure_a, probe.gradient_a), (probe.pressure_b, probe.gradient_b));
        let (value, gradient) = if a.0 <= b.0 { a } else { b };
        Sample { value, gradient }
    }

    fn bounds(&self, cell: &Cell) -> Interval {
        let [a, b] = [&self.0.a, &self.0.b].map(|side| {
            let (range, iso) = (side.field.bounds(cell), side.field.shape.iso());
            Interval::new(side.stiffness * (range.lo - iso), side.stiffness * (range.hi - iso))
        });
        Interval::new(a.lo.min(b.lo), a.hi.min(b.hi))
    }
}

/// `U = ∫ V(p) dp`, `V(p)` the volume in which the lesser pressure is at least `p`: where no way out tells the energy,
/// because forces balance. Slower, and needs no patches.
fn by_levels(pair: &Pair) -> f64 {
    let mut pair = *pair;
    match pair.kind() {
        Kind::Shared => {}
        Kind::RigidA => pair.a.stiffness = STIFF * pair.b.stiffness,
        Kind::RigidB => pair.b.stiffness = STIFF * pair.a.stiffness,
    }
    let (least, within) = (Least(&pair), pair.overlap_box());
    let volume = |p: f64, tolerance: f64| MassProperties::volume_to(&least, p, (within, tolerance));
    let (mut low, mut high) = (0.0, least.bounds(&Cell::from(within)).hi);
    for _ in 0..LEVELS {
        let middle = 0.5 * (low + high);
        if volume(middle, 0.5) > 0.0 { low = middle } else { high = middle }
    }
    let rule = gauss(8);
    high * rule.nodes.iter().zip(&rule.weights).map(|(x, w)| w * volume(x * high, 1e-3)).sum::<f64>()
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
        let shared = pair.overlap_box();
        let cell = shared.size() / N as f64;
        let at = |i: usize| DVec3::new((i % N) as f64 + 0.5, (i / N % N) as f64 + 0.5, (i / N / N) as f64 + 0.5);
        let depth = (0..N * N * N).map(|i| pair.probe(shared.min + at(i) * cell).depth().max(0.0));
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
        let side = |shape, stiffness| Side { field: Placed::new(shape, Frame::IDENTITY), stiffness, rigid: false };
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
        let side = |shape, at, stiffness| Side { field: Placed::new(shape, at), stiffness, rigid: false };
        let pair = Pair { a: side(&rod, turn, 1e5), b: side(&ball, Frame::IDENTITY, 1e5) };
        let (expected, got) = (by_points(&pair), elastic_energy(&pair, &Quality::default()));
        assert!((got / expected - 1.0).abs() < 2e-3, "{got} J, not {expected}");
    }
}
