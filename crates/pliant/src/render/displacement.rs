//! Deformation against rest: displacement of the visible surface, and rest shapes as glass.

use super::instance::Instance;
use super::ray::Ray;
use super::scene::RenderScene;
use crate::fields::Field;
use crate::math::DVec3;
use crate::visible::Deformed;

/// Newton steps towards the rest surface.
const STEPS: usize = 30;

/// Distance of the visible surface of a body from its rest surface at a point of it, metres, along the rest field's gradient:
/// negative where it is pressed in, positive where it bulges. Exact for balls; elsewhere not less than the distance.
pub fn displacement(body: &Deformed, p: DVec3) -> f64 {
    let (rest, iso) = (&body.field, body.field.shape.iso());
    let here = rest.sample(p);
    let Some(outward) = (-here.gradient).try_normalize() else { return 0.0 };
    let thickness = rest.shape.min_thickness();
    let (mut way, mut at) = (0.0, here);
    for _ in 0..STEPS {
        let step = (at.value - iso) / -at.gradient.dot(outward);
        if !step.is_finite() {
            break;
        }
        // In a flat field a Newton step overshoots.
        way += step.clamp(-thickness, thickness);
        if step.abs() < 1e-9 * thickness {
            break;
        }
        at = rest.sample(p + way * outward);
    }
    -way
}

/// Colour of rest shapes.
pub(super) const GHOST: DVec3 = DVec3::new(0.05, 0.06, 0.09);

/// Distance in front of the visible surface, pixels, at which a rest shape shows in full.
const STANDS_OUT: f64 = 3.0;

/// The instances with colliders, at rest.
pub(super) fn at_rest<'a>(scene: &RenderScene<'a>) -> RenderScene<'a> {
    let rest = |instance: &Instance<'a>| {
        let field = Deformed { field: instance.field.field, bulge: instance.field.bulge, colliders: Vec::new() };
        let mut rest = Instance::new(field, instance.color, instance.roughness);
        rest.motion = instance.motion;
        rest
    };
    let instances = scene.instances.iter().filter(|b| !b.field.colliders.is_empty()).map(rest).collect();
    RenderScene { instances, ..RenderScene::default() }
}

/// Part of [`GHOST`] in a colour seen at distance `far` through the rest shapes before it: like thin glass, most at the rim.
pub(super) fn ghost_cover(rest: &RenderScene, ray: &Ray, far: f64, pixel: f64) -> f64 {
    let Some(ghost) = rest.first(ray, (0.0, far), 1e-2 * pixel) else { return 0.0 };
    let stands_out = ((far - ghost.distance) / (STANDS_OUT * pixel)).clamp(0.0, 1.0);
    let aslant = 1.0 - ghost.normal.dot(ray.along).abs();
    stands_out * (0.10 + 0.60 * aslant * aslant * aslant)
}
