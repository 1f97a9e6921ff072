//! Light: a sun with a radius, and a sky.
//!
//! *The idea*: a surface point sends one ray to a point of the sun, one into the sky and one along its reflection; only
//! occlusion is left to chance, so that unoccluded pixels agree after a few samples.
//! *Not promised*: light that bodies throw on each other is one bounce, without shadows. An unbounded body around the sun (a
//! wall without end on the sunny side) would put everything in shadow for ever; it casts none.

use super::ray::Ray;
use super::scene::{Hit, RenderScene};
use super::sobol::PixelSequence;
use crate::math::DVec3;
use std::f64::consts::TAU;

/// Light from outside. Colours are linear; 1 is a white body in full light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Direction to the sun, unit.
    pub sun: DVec3,
    /// Angular radius of the sun, radians. 0: hard shadows. Larger: softer shadows, which take more samples.
    pub sun_radius: f64,
    /// Light of the sun on a surface that faces it.
    pub sun_color: DVec3,
    /// Colour of the sky straight up, and at the horizon.
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

/// Offset of a secondary ray from its surface, as a fraction of the distance to the eye. Less: surfaces shade
/// themselves.
const LEAVE: f64 = 1e-4;

/// Entries of the table of sky light, for normals from straight down to straight up.
const TABLE: usize = 65;

/// A light on a scene.
pub(super) struct Lighting<'a> {
    light: Light,
    scene: &'a RenderScene<'a>,
    /// Light of the whole sky on an unoccluded surface, by the slope of its normal.
    open: Vec<DVec3>,
    /// Of each instance, whether it casts a shadow of the sun.
    casts_shadow: Vec<bool>,
}

impl<'a> Lighting<'a> {
    pub fn new(light: &Light, scene: &'a RenderScene<'a>) -> Self {
        let up = |i: usize| 2.0 * i as f64 / (TABLE - 1) as f64 - 1.0;
        let sun = Ray::FAR * light.sun;
        let casts_shadow = scene.instances.iter().map(|i| i.bounds().is_finite() || !i.encloses(sun)).collect();
        Self { light: *light, scene, open: (0..TABLE).map(|i| light.open_sky(up(i))).collect(), casts_shadow }
    }

    /// Whether the sun is hidden in the direction of `ray`.
    fn is_shaded(&self, ray: &Ray) -> bool {
        let shading = self.scene.instances.iter().zip(&self.casts_shadow).filter(|(_, casts)| **casts);
        shading.into_iter().any(|(i, _)| i.is_hit(&i.at_frame_time(ray), (0.0, Ray::FAR)))
    }

    /// Light of the whole sky on a surface with this normal.
    fn open_sky(&self, normal: DVec3) -> DVec3 {
        let at = 0.5 * (normal.z.clamp(-1.0, 1.0) + 1.0) * (TABLE - 1) as f64;
        let i = (at as usize).min(TABLE - 2);
        self.open[i].lerp(self.open[i + 1], at - i as f64)
    }
}

/// Subtracted from every reflectance, so that reflections fade to none and fainter ones need no ray.
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
                sum += self.sky_at(scattered(normal, disc([u, v])));
            }
        }
        sum / (rings * around_each) as f64
    }

    /// The sky's colour in a direction.
    pub fn sky_at(&self, direction: DVec3) -> DVec3 {
        let up = direction.z.clamp(0.0, 1.0);
        self.sky[1].lerp(self.sky[0], up.powf(0.6))
    }

    /// Light from another body, without shadows.
    fn roughly(&self, color: [f64; 3], hit: &Hit) -> DVec3 {
        let color = DVec3::from_array(color);
        let facing = hit.normal.dot(self.sun).max(0.0);
        color * (0.35 * facing * self.sun_color + 0.3 * self.sky_at(hit.normal))
    }
}

impl Lighting<'_> {
    /// Light from another body, without shadows.
    fn bounced(&self, hit: &Hit) -> DVec3 {
        self.light.roughly(self.scene.instances[hit.instance].color, hit)
    }

    /// Light from a hit back along `ray`. Only occlusion is random: unoccluded samples are equal.
    pub fn radiance(&self, ray: &Ray, hit: &Hit, sequence: &mut PixelSequence) -> DVec3 {
        let Light { sun, sun_radius, sun_color, .. } = self.light;
        let instance = &self.scene.instances[hit.instance];
        let color = DVec3::from_array(instance.color);
        let normal = if hit.normal.dot(ray.along) > 0.0 { -hit.normal } else { hit.normal };
        let leave = LEAVE * hit.distance;
        let from = |along: DVec3| Ray { from: hit.position + leave * normal, along, time: ray.time };
        // A random point of the sun.
        let place = around(sun, disc(sequence.pair()), sun_radius);
        let is_free = normal.dot(place) > 0.0 && !self.is_shaded(&from(place));
        let lit = if is_free { 1.0 } else { 0.0 };
        // The whole sky, corrected in one random direction by the body that hides it.
        let out = scattered(normal, disc(sequence.pair()));
        let ambient = match self.scene.first(&from(out), (0.0, Ray::FAR), leave) {
            None => self.open_sky(normal),
            Some(other) => self.open_sky(normal) - self.light.sky_at(out) + self.bounced(&other),
        };
        let diffuse = color * (lit * normal.dot(sun).max(0.0) * sun_color + ambient);
        // Varnish (Schlick's Fresnel term): more reflection at grazing angles.
        let back = -ray.along;
        let gloss = 1.0 - instance.roughness;
        let fresnel = gloss * (0.04 + 0.96 * (1.0 - normal.dot(back).clamp(0.0, 1.0)).powi(5)) - FAINT;
        let mirror = 2.0 * normal.dot(back) * normal - back;
        let mirrored = around(mirror, disc(sequence.pair()), 0.6 * instance.roughness);
        let reflection = if mirrored.dot(normal) <= 0.0 || fresnel <= 0.0 {
            DVec3::ZERO
        } else {
            match self.scene.first(&from(mirrored), (0.0, Ray::FAR), leave) {
                None => self.light.sky_at(mirrored),
                Some(other) => self.bounced(&other),
            }
        };
        let sharp = 12.0 + 400.0 * gloss * gloss * gloss;
        let glint = lit * gloss * 0.6 * mirror.dot(sun).max(0.0).powf(sharp);
        diffuse * (1.0 - fresnel.max(0.0)) + reflection * fresnel.max(0.0) + glint * sun_color
    }
}

/// A direction out of a surface, cosine-weighted.
fn scattered(normal: DVec3, [x, y]: [f64; 2]) -> DVec3 {
    around(normal, [x, y], 1.0 / (1.0 - x * x - y * y).max(1e-6).sqrt())
}

/// A point of the unit disc, uniform for uniform numbers from 0 to 1.
pub(super) fn disc([u, v]: [f64; 2]) -> [f64; 2] {
    let (sin, cos) = (TAU * v).sin_cos();
    [u.sqrt() * cos, u.sqrt() * sin]
}

/// A direction off `axis` by a point of the unit disc times `radius`.
fn around(axis: DVec3, [x, y]: [f64; 2], radius: f64) -> DVec3 {
    let (e1, e2) = axis.any_orthonormal_pair();
    (axis + radius * (x * e1 + y * e2)).normalize()
}
