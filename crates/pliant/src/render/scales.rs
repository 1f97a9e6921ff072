//! Samples of bodies, drawn as scales on their surfaces ([CD97] fig. 8).
//!
//! *The idea*: every valid sample that the camera sees is a small disc in the surface, about as large as the piece of it
//! that the sample stands for, in its skeleton's colour. Those that are not valid lie inside, where territories meet, and
//! are seen through their own body as small grey dots.
//!
//! [CD97]: https://doi.org/10.1109/2945.582343

use super::camera::{Camera, Lens};
use super::hit::{Ray, Seen, Stage};
use super::image::Image;
use crate::math::DVec3;
use crate::surface::Sampling;
use rayon::prelude::*;

/// A sample that is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// World.
    pub position: DVec3,
    /// Unit, out of the body; of one that is not valid, towards the camera.
    pub normal: DVec3,
    /// Metres.
    pub radius: f64,
    /// Whether it is on the visible surface.
    pub valid: bool,
    /// Which of the stage's bodies, and which of its elements.
    pub of: (usize, usize),
}

/// Radius of a scale, as a part of the side of what the sample stands for. 0.56 would cover everything.
const COVERS: f64 = 0.36;
/// Of lines that meet the surface aslant pieces are large: not larger than so many usual ones, or scales would overlap.
const LARGEST: f64 = 1.3;
/// The same for samples that are not valid, of the usual side.
const SMALL: f64 = 0.22;
/// How near the surface a sample must be seen to be, as a part of its distance: rounding of the hit.
const EXACT: f64 = 1e-4;
/// Looks at a pixel, across and down.
const LOOKS: usize = 3;

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

/// The colour of one of a body's elements: the body's own if there is but one.
fn color(seen: &Seen, element: usize) -> DVec3 {
    let alone = seen.field.field.shape.elements().len() == 1;
    DVec3::from_array(if alone { seen.color } else { SKELETONS[element % SKELETONS.len()] })
}

/// The body itself at a place of its surface, pale, in the colour of the skeleton whose territory that is.
pub(super) fn under(seen: &Seen, place: DVec3, (normal, along): (DVec3, DVec3)) -> DVec3 {
    let field = &seen.field.field;
    let pale = color(seen, field.dominant_element(place)).lerp(DVec3::splat(0.85), 0.55);
    pale * (0.42 + 0.34 * normal.dot(-along).max(0.0) + 0.12 * (1.0 + normal.z))
}

/// The samples of a stage's bounded bodies that `camera` sees, the farthest first; `fineness` to half a turn.
pub fn scales(stage: &Stage, camera: &Camera, fineness: usize) -> Vec<Scale> {
    let mut all: Vec<Scale> = Vec::new();
    for (number, seen) in stage.bodies.iter().enumerate().filter(|(_, seen)| seen.bounds().is_finite()) {
        let sampled = Sampling::new(seen.field.field.shape, fineness).sample(&seen.field);
        let valid = sampled.samples.iter().filter(|s| s.valid).count().max(1);
        let usual = (sampled.area() / valid as f64).sqrt();
        all.par_extend(sampled.samples.par_iter().filter_map(|s| {
            let way = s.position - camera.from;
            let (distance, along) = (way.length(), way.try_normalize()?);
            let (normal, radius) =
                if s.valid { (s.normal, COVERS * s.area.sqrt().min(LARGEST * usual)) } else { (-along, SMALL * usual) };
            let ray = Ray { from: camera.from, along, time: 0.0 };
            let short = distance * (1.0 - EXACT);
            // One that is not valid is seen through its own body, but not through another.
            let stands_before = |(i, other): (usize, &Seen)| {
                (s.valid || i != number) && other.first(&ray, (0.0, short), EXACT * distance).is_some()
            };
            let hidden = normal.dot(along) >= 0.0 || stage.bodies.iter().enumerate().any(stands_before);
            let scale = Scale { position: s.position, normal, radius, valid: s.valid, of: (number, s.element) };
            (!hidden && radius > 0.0).then_some(scale)
        }));
    }
    // Those that are seen through something are under what is seen at once.
    let far = |s: &Scale| (s.valid, -s.position.distance(camera.from));
    all.sort_by(|a, b| far(a).0.cmp(&far(b).0).then(far(a).1.total_cmp(&far(b).1)));
    all
}

/// Draws them over a picture.
pub(super) fn draw(image: &mut Image, (stage, camera): (&Stage, &Camera), scales: &[Scale]) {
    let Some(lens) = Lens::new(camera) else { return };
    let (width, height) = (f64::from(image.width), f64::from(image.height));
    for scale in scales {
        let Some(((x, y), metre)) = lens.seen_at(scale.position) else { continue };
        let (x, y) = (0.5 * (x * height + width), 0.5 * height * (1.0 - y));
        let reach = 0.5 * height * metre * scale.radius + 1.0;
        let span = |middle: f64, most: f64| {
            ((middle - reach).floor().clamp(0.0, most) as usize, (middle + reach).ceil().clamp(0.0, most) as usize)
        };
        let (columns, rows) = (span(x, width), span(y, height));
        let (ink, cover) =
            if scale.valid { (color(&stage.bodies[scale.of.0], scale.of.1), 1.0) } else { (NOT_VALID, SEEN_THROUGH) };
        for y in rows.0..rows.1 {
            for x in columns.0..columns.1 {
                let covered = covered(&lens, scale, (x, y), (width, height));
                let pixel = &mut image.pixels[y * image.width as usize + x];
                let under = DVec3::from_array(pixel.map(f64::from));
                *pixel = under.lerp(ink, cover * covered).to_array().map(|v| v as f32);
            }
        }
    }
}

/// How much of a pixel a scale covers.
fn covered(lens: &Lens, scale: &Scale, (x, y): (usize, usize), (width, height): (f64, f64)) -> f64 {
    let part = |i: usize| (i as f64 + 0.5) / LOOKS as f64;
    let is_on = |look: &usize| {
        let (x, y) = (x as f64 + part(look % LOOKS), y as f64 + part(look / LOOKS));
        let along = lens.along(((2.0 * x - width) / height, 1.0 - 2.0 * y / height));
        let far = scale.normal.dot(scale.position - lens.from) / scale.normal.dot(along);
        (lens.from + far * along).distance_squared(scale.position) <= scale.radius * scale.radius
    };
    (0..LOOKS * LOOKS).filter(is_on).count() as f64 / (LOOKS * LOOKS) as f64
}
