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
            sun: DVec3::new(-0.62, -0.45, 0.9).normalize(),
            sun_radius: 0.09,
            sun_color: DVec3::new(0.74, 0.70, 0.63),
            sky: [DVec3::new(0.20, 0.25, 0.34), DVec3::new(0.36, 0.37, 0.38)],
        }
    }
}

/// How far from a surface a ray that leaves it begins, as a part of the distance to the eye: it must not meet its own.
const LEAVE: f64 = 1e-4;

/// Directions a table of the open sky is made for, from straight down to straight up.
const TABLE: usize = 65;

/// A light, with what an unobstructed surface gets from the sky worked out.
pub(super) struct Lit {
    light: Light,
    open: Vec<DVec3>,
}

impl Lit {
    pub fn new(light: &Light) -> Self {
        let up = |i: usize| 2.0 * i as f64 / (TABLE - 1) as f64 - 1.0;
        Self { light: *light, open: (0..TABLE).map(|i| light.open_sky(up(i))).collect() }
    }

    /// What a surface with this normal gets from the whole sky, with the cosine to it.
    fn open_sky(&self, normal: DVec3) -> DVec3 {
        let at = 0.5 * (normal.z.clamp(-1.0, 1.0) + 1.0) * (TABLE - 1) as f64;
        let i = (at as usize).min(TABLE - 2);
        self.open[i].lerp(self.open[i + 1], at - i as f64)
    }
}

/// So much is taken off every reflection, so that those fainter need not be followed and none sets in at once.
const FAINT: f64 = 0.004;

impl Light {
    /// The mean of the sky around a normal that rises by `up`, weighted by the cosine to it.
    fn open_sky(&self, up: f64) -> DVec3 {
        let normal = DVec3::new((1.0 - up * up).max(0.0).sqrt(), 0.0, up);
        let (rings, around_each) = (24, 32);
        let mut sum = DVec3::ZERO;
        for i in 0..rings {
            for j in 0..around_each {
                let (u, v) = ((i as f64 + 0.5) / rings as f64, (j as f64 + 0.5) / around_each as f64);
                sum += self.sky_at(scattered(normal, disc((u, v))));
            }
        }
        sum / (rings * around_each) as f64
    }

    /// The sky's colour in a direction.
    pub fn sky_at(&self, direction: DVec3) -> DVec3 {
        let up = direction.z.clamp(0.0, 1.0);
        self.sky[1].lerp(self.sky[0], up.powf(0.6))
    }

    /// What another body throws back, without asking what lights it.
    fn roughly(&self, stage: &Stage, hit: &Hit) -> DVec3 {
        let color = DVec3::from_array(stage.bodies[hit.body].color);
        let facing = hit.normal.dot(self.sun).max(0.0);
        color * (0.35 * facing * self.sun_color + 0.3 * self.sky_at(hit.normal))
    }
}

impl Lit {
    /// The sky's colour in a direction.
    pub fn sky_at(&self, direction: DVec3) -> DVec3 {
        self.light.sky_at(direction)
    }

    /// Light from a point of a surface towards where `ray` came from. Only what is in the way is left to chance: where
    /// nothing is, every sample says the same.
    pub fn at(&self, stage: &Stage, (ray, hit): (&Ray, &Hit), spread: &mut Spread) -> DVec3 {
        let Light { sun, sun_radius, sun_color, .. } = self.light;
        let seen = &stage.bodies[hit.body];
        let color = DVec3::from_array(seen.color);
        let normal = if hit.normal.dot(ray.along) > 0.0 { -hit.normal } else { hit.normal };
        let leave = LEAVE * hit.distance;
        let from = |along: DVec3| Ray { from: hit.position + leave * normal, along, time: ray.time };
        // A place on the sun.
        let place = around(sun, disc(spread.pair()), sun_radius);
        let is_free = normal.dot(place) > 0.0 && !stage.is_blocked(&from(place), (0.0, Ray::FAR));
        let lit = if is_free { 1.0 } else { 0.0 };
        // The sky, less what stands before it.
        let out = scattered(normal, disc(spread.pair()));
        let ambient = match stage.first(&from(out), (0.0, Ray::FAR), leave) {
            None => self.open_sky(normal),
            Some(other) => self.open_sky(normal) - self.sky_at(out) + self.light.roughly(stage, &other),
        };
        let diffuse = color * (lit * normal.dot(sun).max(0.0) * sun_color + ambient);
        // Varnish: more of the sky and the sun the flatter one looks.
        let back = -ray.along;
        let gloss = 1.0 - seen.roughness;
        let fresnel = gloss * (0.04 + 0.96 * (1.0 - normal.dot(back).clamp(0.0, 1.0)).powi(5)) - FAINT;
        let mirror = 2.0 * normal.dot(back) * normal - back;
        let mirrored = around(mirror, disc(spread.pair()), 0.6 * seen.roughness);
        let reflection = if mirrored.dot(normal) <= 0.0 || fresnel <= 0.0 {
            DVec3::ZERO
        } else {
            match stage.first(&from(mirrored), (0.0, Ray::FAR), leave) {
                None => self.sky_at(mirrored),
                Some(other) => self.light.roughly(stage, &other),
            }
        };
        let sharp = 12.0 + 400.0 * gloss * gloss * gloss;
        let glint = lit * gloss * 0.6 * mirror.dot(sun).max(0.0).powf(sharp);
        diffuse * (1.0 - fresnel.max(0.0)) + reflection * fresnel.max(0.0) + glint * sun_color
    }
}

/// A direction out of a surface, the more likely the nearer to its normal: as the cosine.
fn scattered(normal: DVec3, (x, y): (f64, f64)) -> DVec3 {
    around(normal, (x, y), 1.0 / (1.0 - x * x - y * y).max(1e-6).sqrt())
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
