//! Deformation against rest: how far a visible surface has moved, and what of the rest shape stands out from it.

use super::hit::{Hit, Ray, Seen, Stage};
use crate::fields::Field;
use crate::math::DVec3;
use crate::visible::Deformed;

/// Newton's steps towards the rest surface.
const STEPS: usize = 30;

/// How far the visible surface of a body is from its rest surface at a point of it, metres, along the rest field's
/// gradient: negative where it is pressed in, positive where it has swollen. Exact for balls; elsewhere not less than the
/// distance.
pub fn moved(body: &Deformed, p: DVec3) -> f64 {
    let (rest, iso) = (&body.field, body.field.shape.iso());
    let here = rest.sample(p);
    let Some(outward) = (-here.gradient).try_normalize() else { return 0.0 };
    let thickness = rest.shape.least_thickness();
    let (mut way, mut at) = (0.0, here);
    for _ in 0..STEPS {
        let step = (at.value - iso) / -at.gradient.dot(outward);
        if !step.is_finite() {
            break;
        }
        // A flat field sends Newton far beyond.
        way += step.clamp(-thickness, thickness);
        if step.abs() < 1e-9 * thickness {
            break;
        }
        at = rest.sample(p + way * outward);
    }
    -way
}

/// Blue for −1, grey for nothing, red for 1; linear.
pub fn diverging(part: f64) -> [f64; 3] {
    const STOPS: [[f64; 3]; 5] =
        [[0.02, 0.06, 0.36], [0.10, 0.36, 0.80], [0.66, 0.66, 0.64], [0.92, 0.36, 0.08], [0.45, 0.02, 0.02]];
    let at = (0.5 * part.clamp(-1.0, 1.0) + 0.5) * (STOPS.len() - 1) as f64;
    let i = (at as usize).min(STOPS.len() - 2);
    DVec3::from_array(STOPS[i]).lerp(DVec3::from_array(STOPS[i + 1]), at - i as f64).to_array()
}

/// Of rest shapes, over what is behind them; and how far a pixel must be before that for all of it to show.
const GHOST: DVec3 = DVec3::new(0.05, 0.06, 0.09);
const STANDS_OUT: f64 = 3.0;

/// The bodies of a stage that something presses on, as they are at rest.
pub(super) fn at_rest<'a>(stage: &Stage<'a>) -> Stage<'a> {
    let rest = |seen: &Seen<'a>| {
        let field = Deformed { field: seen.field.field, bulge: seen.field.bulge, colliders: Vec::new() };
        let mut rest = Seen::new(field, seen.color, seen.roughness);
        rest.motion = seen.motion;
        rest
    };
    Stage { bodies: stage.bodies.iter().filter(|b| !b.field.colliders.is_empty()).map(rest).collect() }
}

/// `color`, which is seen at `behind`, through rest shapes that stand before it: like thin glass, most of all at the rim.
pub(super) fn through_ghost(rest: &Stage, ray: &Ray, (behind, color): (Option<&Hit>, DVec3), pixel: f64) -> DVec3 {
    let far = behind.map_or(Ray::FAR, |hit| hit.distance);
    let Some(ghost) = rest.first(ray, (0.0, far), 1e-2 * pixel) else { return color };
    let stands_out = ((far - ghost.distance) / (STANDS_OUT * pixel)).clamp(0.0, 1.0);
    let aslant = 1.0 - ghost.normal.dot(ray.along).abs();
    color.lerp(GHOST, stands_out * (0.10 + 0.60 * aslant * aslant * aslant))
}
