//! Branches of the contact surface, which passes some lines across it more than once: whether two points lie on one,
//! and whether another lies behind a point.

use crate::contact::ascent::onto_surface;
use crate::contact::frame::ContactFrame;
use crate::contact::law::{Probe, SurfaceKind};
use crate::math::DVec3;

/// Steps from one point of a patch to another in which a gap between them is searched for. Fewer: two patches are taken
/// for one.
const STEPS: usize = 8;

/// Steps of a line across a deep overlap, for each thickness of the thinner side and at most. Fewer: a thin branch is
/// missed.
const BRANCH_STEPS: (f64, f64) = (4.0, 400.0);

/// Whether two points of the contact surface belong to one patch, as far as the straight line between them shows.
pub(super) fn on_one_branch(frame: &ContactFrame, p: DVec3, q: DVec3) -> bool {
    (1..STEPS).all(|i| onto_surface(frame, p.lerp(q, i as f64 / STEPS as f64), p.distance(q)).is_some())
}

/// Whether the line across the contact surface at `p` meets another branch of it within `distance`: a thin body runs
/// through the other.
pub(super) fn has_branch_behind(frame: &ContactFrame, p: DVec3, distance: f64) -> bool {
    let across = frame.probe(p).surface(frame.kind).1.normalize_or_zero();
    let steps = (BRANCH_STEPS.0 * distance / frame.thickness).clamp(BRANCH_STEPS.0, BRANCH_STEPS.1).ceil();
    // A rigid surface presses wherever it is in the soft body, so also where that has left the rigid one again.
    let pressed = |probe: &Probe| match frame.kind {
        SurfaceKind::EqualPressure => probe.min_pressure() > 0.0,
        SurfaceKind::RigidA | SurfaceKind::RigidB => probe.contact_pressures(frame.kind).0 > 0.0,
    };
    let another = |line: DVec3| {
        let overlap = (1..=steps as usize).map(|i| frame.probe(p + (i as f64 / steps) * line)).take_while(pressed);
        let mut sides = overlap.map(|probe| probe.surface(frame.kind).0 > 0.0);
        let first = sides.next();
        sides.any(|side| Some(side) != first)
    };
    another(distance * across) || another(-distance * across)
}
