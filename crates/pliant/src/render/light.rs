//! What lights a stage: a sun that is not a point, and a sky.

use super::hit::{Hit, Ray, Stage};
use super::random::Spread;
use crate::math::DVec3;
use std::f64::consts::TAU;

/// Light from outside. Colours are linear, 1 is what a white body in full light shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Towards the sun.
    pub sun: DVec3,
    /// Its radius, radians. 0: hard shadows. Larger: softer ones, which take more samples.
    pub sun_radius: f64,
    /// What it adds to a body that faces it.
    pub sun_color: DVec3,
    /// The sky straight up, and at the horizon.
    pub sky: [DVec3; 2],
}

impl Default for Light {
    fn default() -> Self {
        Self {
            sun: DVec3::new(0.5, -0.55, 1.0).normalize(),
            sun_radius: 0.09,
            sun_color: DVec3::new(0.74, 0.70, 0.63),
            sky: [DVec3::new(0.20, 0.25, 0.34), DVec3::new(0.36, 0.37, 0.38)],
        }
    }
}

/// How far from a surface a ray that leaves it begins, as a part of the distance to the eye: it must not meet its own.
const LEAVE: f64 = 1e-4;

impl Light {
    /// The sky's colour in a direction.
    pub fn sky_at(&self, direction: DVec3) -> DVec3 {
        let up = direction.z.clamp(0.0, 1.0);
        self.sky[1].lerp(self.sky[0], up.powf(0.6))
    }

    /// Light from a point of a surface towards where `ray` came from.
    pub(super) fn at(&self, stage: &Stage, (ray, hit): (&Ray, &Hit), spread: &mut Spread) -> DVec3 {
        let seen = &stage.bodies[hit.body];
        let color = DVec3::from_array(seen.color);
        let normal = if hit.normal.dot(ray.along) > 0.0 { -hit.normal } else { hit.normal };
        let leave = LEAVE * hit.distance;
        let from = |along: DVec3| Ray { from: hit.position + leave * normal, along, time: ray.time };
        let is_free = |along: DVec3| !stage.is_blocked(&from(along), (0.0, Ray::FAR));
        // A place on the sun.
        let sun = around(self.sun, disc(spread.pair()), self.sun_radius);
        let facing = normal.dot(sun);
        let lit = if facing > 0.0 && is_free(sun) { 1.0 } else { 0.0 };
        // The sky, or what stands before it, with the cosine to the normal.
        let (x, y) = disc(spread.pair());
        let out = around(normal, (x, y), 1.0 / (1.0 - x * x - y * y).max(1e-6).sqrt());
        let ambient = match stage.first(&from(out), (0.0, Ray::FAR), leave) {
            None => self.sky_at(out),
            Some(other) => self.roughly(stage, &other),
        };
        let diffuse = color * (lit * facing.max(0.0) * self.sun_color + ambient);
        // Varnish: more of the sky and the sun the flatter one looks.
        let back = -ray.along;
        let gloss = 1.0 - seen.roughness;
        let fresnel = gloss * (0.04 + 0.96 * (1.0 - normal.dot(back).clamp(0.0, 1.0)).powi(5));
        let mirror = 2.0 * normal.dot(back) * normal - back;
        let (x, y) = disc(spread.pair());
        let mirrored = around(mirror, (x, y), 0.6 * seen.roughness);
        let reflection = if mirrored.dot(normal) <= 0.0 || fresnel < 0.002 {
            DVec3::ZERO
        } else {
            match stage.first(&from(mirrored), (0.0, Ray::FAR), leave) {
                None => self.sky_at(mirrored),
                Some(other) => self.roughly(stage, &other),
            }
        };
        let sharp = 12.0 + 400.0 * gloss * gloss * gloss;
        let glint = lit * gloss * 0.6 * mirror.dot(sun).max(0.0).powf(sharp);
        diffuse * (1.0 - fresnel) + reflection * fresnel + glint * self.sun_color
    }

    /// What another body throws back, without asking what lights it.
    fn roughly(&self, stage: &Stage, hit: &Hit) -> DVec3 {
        let color = DVec3::from_array(stage.bodies[hit.body].color);
        let facing = hit.normal.dot(self.sun).max(0.0);
        color * (0.35 * facing * self.sun_color + 0.3 * self.sky_at(hit.normal))
    }
}

/// A point of the unit disc.
pub(super) fn disc((u, v): (f64, f64)) -> (f64, f64) {
    let (sin, cos) = (TAU * v).sin_cos();
    (u.sqrt() * cos, u.sqrt() * sin)
}

/// A direction off `axis` by a point of the unit disc times `radius`.
fn around(axis: DVec3, (x, y): (f64, f64), radius: f64) -> DVec3 {
    let (e1, e2) = axis.any_orthonormal_pair();
    (axis + radius * (x * e1 + y * e2)).normalize()
}
