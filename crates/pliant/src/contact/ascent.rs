//! Points of the contact surface: by Newton's method from nearby, by ascent from farther off.
//!
//! *The idea*: the contact surface is the zero set of `u`; steps along `∇u` lead onto it, steps along it lead towards
//! greater pressure. *Not promised*: that a point is found. `None` does not prove that there is none.

use super::frame::ContactFrame;
use super::law::Probe;
use crate::math::DVec3;

/// Most steps towards a maximum of the pressure; a few suffice for round patches. Fewer: the maximum of a long patch is
/// missed.
const PEAK_STEPS: usize = 16;

/// Most steps of an ascent; a dozen decide most touches. Fewer: more pairs are left to the search by bounds. More: grazing
/// surfaces, which use all of them, take longer.
const ASCENT_STEPS: usize = 40;

/// A point of the contact surface by a short ascent from the middle of the overlap box, which is cheaper than the
/// search by bounds and often succeeds.
pub(super) fn seed(frame: &ContactFrame) -> Option<DVec3> {
    let (middle, size) = (frame.overlap_bounds.center(), frame.overlap_bounds.size().length());
    onto_surface(frame, middle, size)
        .or_else(|| ascend(frame, middle, size, 0.25 * size).and_then(|p| onto_surface(frame, p, size)))
}

/// A point of the contact surface with greater pressure than `start`: two steps towards the maximum of a parabola that
/// vanishes at the border of a patch of `size`. A polar rule needs fewer directions around a point near the maximum.
pub(super) fn step_towards_peak(frame: &ContactFrame, start: DVec3, size: impl Fn(&Probe) -> f64) -> DVec3 {
    let mut p = start;
    for _ in 0..2 {
        let probe = frame.probe(p);
        let Some(n) = probe.surface(frame.kind).1.try_normalize() else { return p };
        let rise = probe.contact_gradient(frame.kind).reject_from_normalized(n);
        let (width, pressure) = (size(&probe), probe.contact_pressures(frame.kind).0);
        let step = (rise * (width * width / (8.0 * pressure))).clamp_length_max(0.5 * width);
        if step.length() < 0.01 * width {
            return p;
        }
        match onto_surface(frame, p + step, width) {
            Some(next) => p = next,
            None => return p,
        }
    }
    p
}

/// The maximum of the pressure near `start`, the point of greatest pressure of many. Step lengths follow from the last two
/// slopes (Barzilai and Borwein), for long patches.
pub(super) fn peak(frame: &ContactFrame, start: DVec3, size: f64) -> DVec3 {
    let kind = frame.kind;
    let sample = |p: DVec3| {
        let probe = frame.probe(p);
        let n = probe.surface(kind).1.normalize_or_zero();
        (p, probe.contact_pressures(kind).0, probe.contact_gradient(kind).reject_from(n))
    };
    let mut last = sample(start);
    let (mut best, mut step) = (last, 1e-3 * size * last.2.normalize_or_zero());
    for _ in 0..PEAK_STEPS {
        let Some(here) = onto_surface(frame, last.0 + step, size).map(sample) else { break };
        if here.1 > best.1 {
            best = here;
        }
        let (moved, turn) = (here.0 - last.0, here.2 - last.2);
        step = (moved.length_squared() / moved.dot(turn).abs() * here.2).clamp_length_max(0.5 * size);
        if step.is_nan() || step.length() <= 1e-5 * size {
            break;
        }
        last = here;
    }
    best.0
}

/// Newton along the gradient onto the contact surface; `None` where the pressure there is not positive.
pub(super) fn onto_surface(frame: &ContactFrame, start: DVec3, size: f64) -> Option<DVec3> {
    let (p, probe) = project(frame, start, size)?;
    let (pa, pb) = probe.contact_pressures(frame.kind);
    (pa > 0.0 && pb > 0.0).then_some(p)
}

/// Newton along the gradient onto `u = 0`, in or out of contact: the point and the probe there.
pub(super) fn project(frame: &ContactFrame, start: DVec3, size: f64) -> Option<(DVec3, Probe)> {
    let kind = frame.kind;
    let mut p = start;
    for _ in 0..30 {
        let probe = frame.probe(p);
        let (u, g) = probe.surface(kind);
        let slope_sq = g.length_squared();
        if slope_sq == 0.0 || !slope_sq.is_finite() {
            return None;
        }
        let step = -(u / slope_sq) * g;
        p += step;
        if (p - start).length_squared() > 4.0 * size * size {
            return None;
        }
        // Newton squares the remaining error.
        if step.length_squared() <= 1e-12 * size * size {
            return Some((p, probe.advanced(step)));
        }
    }
    None
}

/// Gradient ascent of the lesser field until it is positive, along the surface where both fields exceed their isovalues by
/// the same amount. Steps grow while they succeed.
fn ascend(frame: &ContactFrame, start: DVec3, size: f64, first_step: f64) -> Option<DVec3> {
    let mut step = first_step;
    let mut best = (f64::NEG_INFINITY, start);
    let mut p = start;
    for _ in 0..ASCENT_STEPS {
        let probe = frame.divided_by_stiffness(&frame.probe(p));
        let depth = probe.min_pressure();
        if depth > 0.0 {
            return Some(p);
        }
        if depth > best.0 {
            best = (depth, p);
            step *= 1.5;
        } else {
            step *= 0.35;
        }
        let (ga, gb) = (probe.gradient_a, probe.gradient_b);
        let across = ga - gb;
        let gap = probe.pressure_b - probe.pressure_a;
        let onto = if across == DVec3::ZERO { DVec3::ZERO } else { across * (gap / across.length_squared()) };
        let step_towards_peak = ga.reject_from(across.try_normalize().unwrap_or(DVec3::X));
        // Flat, or too low for any remaining step to lift it: the fields do not overlap here.
        if step < 1e-7 * size || depth + (step_towards_peak.length() + ga.length()) * size < 0.0 {
            return None;
        }
        p = if depth < best.0 { best.1 } else { p }
            + onto.clamp_length_max(first_step)
            + step * step_towards_peak.normalize_or_zero();
    }
    None
}
