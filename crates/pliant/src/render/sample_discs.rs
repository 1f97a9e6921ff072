//! Samples of bodies, drawn as discs on their surfaces ([CD97] fig. 8).
//!
//! *The idea*: every valid sample that the camera sees is a small disc in the surface, about as large as its share of the area,
//! in the colour of its skeleton. Samples that are not valid lie inside, where territories meet, and show
//! through their own body as small grey dots.
//!
//! [CD97]: https://doi.org/10.1109/2945.582343

use super::camera::{Camera, ImagePoint, Projection};
use super::image::Image;
use super::instance::Instance;
use super::ray::Ray;
use super::scene::{Hit, RenderScene};
use crate::math::DVec3;
use crate::surface::{Sampling, SurfaceSample};
use rayon::prelude::*;

/// A visible sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleDisc {
    /// Position in the world, metres.
    pub position: DVec3,
    /// Outward normal, unit; of a sample that is not valid, the direction to the camera.
    pub normal: DVec3,
    /// Radius, metres.
    pub radius: f64,
    /// Whether it is on the visible surface.
    pub valid: bool,
    /// Index into [`RenderScene::instances`].
    pub instance: usize,
    /// Index of the element its line belongs to.
    pub element: usize,
}

/// Radius of a disc over the square root of its sample's area. 0.56 would cover everything.
const COVERS: f64 = 0.36;
/// Greatest size of a disc over the mean. Larger: samples of grazing lines, whose area is large, overlap others.
const LARGEST: f64 = 1.3;
/// Radius of a sample that is not valid over the mean size.
const SMALL: f64 = 0.22;
/// Tolerance of the visibility test, as a fraction of the distance: rounding of the hit.
const EXACT: f64 = 1e-4;
/// Subsamples of a pixel, across and down.
const SUBSAMPLES: usize = 3;

const NOT_VALID: DVec3 = DVec3::new(0.20, 0.20, 0.22);
const SEEN_THROUGH: f64 = 0.4;

/// Colours of a body's skeletons, in turn; linear.
const SKELETONS: [[f64; 3]; 6] = [
    [0.75, 0.12, 0.06],
    [0.03, 0.24, 0.58],
    [0.80, 0.46, 0.02],
    [0.03, 0.36, 0.16],
    [0.38, 0.08, 0.44],
    [0.02, 0.40, 0.46],
];

/// Colour of an element: the body's own if it has one element.
fn color(instance: &Instance, element: usize) -> DVec3 {
    let alone = instance.field.field.shape.elements().len() == 1;
    DVec3::from_array(if alone { instance.color } else { SKELETONS[element % SKELETONS.len()] })
}

/// Colour of the body under the discs: pale, by the skeleton whose territory it is. `along` is the direction of view.
pub(super) fn color_under_discs(instance: &Instance, hit: &Hit, along: DVec3) -> DVec3 {
    let field = &instance.field.field;
    let pale = color(instance, field.dominant_element(hit.place)).lerp(DVec3::splat(0.85), 0.55);
    pale * (0.42 + 0.34 * hit.normal.dot(-along).max(0.0) + 0.12 * (1.0 + hit.normal.z))
}

/// Samples of bounded instances that `camera` sees, farthest first; `fineness` to half a turn.
pub fn sample_discs(scene: &RenderScene, camera: &Camera, fineness: usize) -> Vec<SampleDisc> {
    let mut all: Vec<SampleDisc> = Vec::new();
    for (number, instance) in scene.instances.iter().enumerate().filter(|(_, instance)| instance.bounds().is_finite()) {
        let sampled = Sampling::new(instance.field.field.shape, fineness).sample(&instance.field);
        let valid = sampled.samples.iter().filter(|s| s.valid).count().max(1);
        let usual = (sampled.area() / valid as f64).sqrt();
        all.par_extend(sampled.samples.par_iter().filter_map(|s| {
            let way = s.position - camera.from;
            let (distance, along) = (way.length(), way.try_normalize()?);
            let (normal, radius) =
                if s.valid { (s.normal, COVERS * s.area.sqrt().min(LARGEST * usual)) } else { (-along, SMALL * usual) };
            let ray = Ray { from: camera.from, along, time: 0.0 };
            let short = distance * (1.0 - EXACT);
            // A sample that is not valid shows through its own body, but not through another.
            let stands_before = |(i, other): (usize, &Instance)| {
                (s.valid || i != number) && other.first(&ray, (0.0, short), EXACT * distance).is_some()
            };
            let hidden = normal.dot(along) >= 0.0 || scene.instances.iter().enumerate().any(stands_before);
            let SurfaceSample { position, valid, element, .. } = *s;
            let disc = SampleDisc { position, normal, radius, valid, instance: number, element };
            (!hidden && radius > 0.0).then_some(disc)
        }));
    }
    // Samples seen through their body are drawn below the others.
    let far = |s: &SampleDisc| (s.valid, -s.position.distance(camera.from));
    all.sort_by(|a, b| far(a).0.cmp(&far(b).0).then(far(a).1.total_cmp(&far(b).1)));
    all
}

/// Draws discs over a picture.
pub(super) fn draw(image: &mut Image, scene: &RenderScene, camera: &Camera, discs: &[SampleDisc]) {
    let Some(projection) = Projection::new(camera) else { return };
    let size @ [width, height] = [f64::from(image.width), f64::from(image.height)];
    for disc in discs {
        let Some((at, metre)) = projection.project(disc.position) else { continue };
        let [x, y] = at.to_pixels(size);
        let reach = 0.5 * height * metre * disc.radius + 1.0;
        let span = |middle: f64, most: f64| {
            ((middle - reach).floor().clamp(0.0, most) as usize, (middle + reach).ceil().clamp(0.0, most) as usize)
        };
        let (columns, rows) = (span(x, width), span(y, height));
        let (ink, cover) = if disc.valid {
            (color(&scene.instances[disc.instance], disc.element), 1.0)
        } else {
            (NOT_VALID, SEEN_THROUGH)
        };
        for y in rows.0..rows.1 {
            for x in columns.0..columns.1 {
                let covered = coverage(&projection, disc, [x, y], size);
                let pixel = &mut image.pixels[y * image.width as usize + x];
                let under = DVec3::from_array(pixel.map(f64::from));
                *pixel = under.lerp(ink, cover * covered).to_array().map(|v| v as f32);
            }
        }
    }
}

/// Part of a pixel that a disc covers.
fn coverage(lens: &Projection, disc: &SampleDisc, pixel: [usize; 2], size: [f64; 2]) -> f64 {
    let part = |i: usize| (i as f64 + 0.5) / SUBSAMPLES as f64;
    let is_on = |i: &usize| {
        let (x, y) = (pixel[0] as f64 + part(i % SUBSAMPLES), pixel[1] as f64 + part(i / SUBSAMPLES));
        let along = lens.direction_through(ImagePoint::from_pixels(x, y, size));
        let far = disc.normal.dot(disc.position - lens.from) / disc.normal.dot(along);
        (lens.from + far * along).distance_squared(disc.position) <= disc.radius * disc.radius
    };
    (0..SUBSAMPLES * SUBSAMPLES).filter(is_on).count() as f64 / (SUBSAMPLES * SUBSAMPLES) as f64
}
