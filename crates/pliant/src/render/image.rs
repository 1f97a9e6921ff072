//! The picture: every pixel by itself, from samples spread over it.

use super::camera::{Camera, Lens};
use super::hit::{Hit, Ray, Seen, Stage};
use super::light::{Light, Lit, disc};
use super::moved::{at_rest, diverging, moved, through_ghost};
use super::random::Spread;
use super::rounds;
use super::scales::{draw, scales, under};
use crate::fields::Field;
use crate::math::DVec3;

/// What a picture shows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum View {
    /// Bodies as they would look.
    #[default]
    Beauty,
    /// Contact pressure in colours, up to so many pascals.
    Pressure {
        /// The pressure that is shown brightest.
        most: f64,
    },
    /// How far surfaces are from where they are at rest, in colours, and rest shapes like glass where they stand out.
    Deformation {
        /// The way in that is shown bluest, metres.
        pressed: f64,
        /// The way out that is shown reddest, metres.
        swollen: f64,
    },
    /// Samples that skeletons send to the surface: see [`scales`](super::scales()).
    Samples {
        /// Samples to half a turn around a skeleton.
        fineness: usize,
    },
    /// Near bright, far dark, of what is in the middle of every pixel: see [`depth`](super::depth()).
    Depth,
    /// Directions as colours, of the same.
    Normals,
}

/// How exact a hit is, as a part of a pixel: a hundredth is as exact as the eye can tell.
const EXACT: f64 = 1e-2;

/// The sky as a background, at the horizon and straight up: brighter than what it lights, so that bodies stand out from it.
const SKY_SEEN: [DVec3; 2] = [DVec3::new(0.74, 0.80, 0.87), DVec3::new(0.34, 0.50, 0.76)];

fn background(direction: DVec3) -> DVec3 {
    SKY_SEEN[0].lerp(SKY_SEEN[1], direction.z.clamp(0.0, 1.0).sqrt())
}

/// How a picture is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Pixels across and down.
    pub size: (u32, u32),
    /// Rays a pixel, at most: fewer where they agree. 1: jagged and grainy. 64: smooth; time grows with it.
    pub samples: u32,
    /// What it shows.
    pub view: View,
    /// How long the shutter is open, seconds, half before and half after the frame's moment. 0: everything is sharp. The
    /// time between frames: all motion is seen. Longer: bodies are drawn where they may never come.
    pub shutter: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { size: (960, 540), samples: 16, view: View::Beauty, shutter: 0.0 }
    }
}

/// Colours, linear, row by row from the top.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Red, green and blue.
    pub pixels: Vec<[f32; 3]>,
}

impl Image {
    /// Eight bits a colour, for screens (sRGB).
    pub fn to_srgb(&self) -> Vec<u8> {
        let level = |v: f32| {
            // Highlights are pressed together instead of cut off.
            let v = f64::from(v).max(0.0);
            let v = if v < 0.7 { v } else { 0.7 + 0.3 * (1.0 - (-(v - 0.7) / 0.3).exp()) };
            let s = if v <= 0.003_130_8 { 12.92 * v } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 };
            (255.0 * s + 0.5) as u8
        };
        self.pixels.iter().flatten().map(|v| level(*v)).collect()
    }
}

/// A picture of the stage; all sky if the camera is nowhere.
pub fn paint(stage: &Stage, camera: &Camera, light: &Light, settings: &Settings) -> Image {
    let (width, height) = settings.size;
    match settings.view {
        View::Depth => return super::depth(stage, camera, settings.size).to_image(),
        View::Normals => return super::depth(stage, camera, settings.size).normals_to_image(),
        _ => {}
    }
    let is_against_rest = matches!(settings.view, View::Deformation { .. });
    let rest = if is_against_rest { at_rest(stage) } else { Stage::default() };
    let eye = Eye { stage, rest, lens: Lens::new(camera), light: Lit::new(light), settings };
    let size = (width as usize, height as usize);
    let pixels = rounds::pixels(size, settings.samples, |place, number| eye.sample(place, number));
    let mut image = Image { width, height, pixels };
    if let View::Samples { fineness } = settings.view {
        draw(&mut image, (stage, camera), &scales(stage, camera, fineness));
    }
    image
}

/// What looks, and at what.
struct Eye<'a> {
    stage: &'a Stage<'a>,
    /// Bodies at rest, where they are to be seen, too.
    rest: Stage<'a>,
    lens: Option<Lens>,
    light: Lit,
    settings: &'a Settings,
}

impl Eye<'_> {
    /// The colour that one sample of a pixel sees.
    fn sample(&self, (x, y): (u32, u32), number: u32) -> DVec3 {
        let Settings { size, samples, view, shutter } = *self.settings;
        let (width, height) = (f64::from(size.0), f64::from(size.1));
        let mut spread = Spread::new((x, y), (number, samples));
        let (dx, dy) = spread.pair();
        let place = ((2.0 * (f64::from(x) + dx) - width) / height, 1.0 - 2.0 * (f64::from(y) + dy) / height);
        let on_lens = disc(spread.pair());
        let Some(lens) = &self.lens else { return background(DVec3::ZERO) };
        let mut ray = lens.ray(place, on_lens);
        if shutter > 0.0 {
            ray.time = shutter * (spread.pair().0 - 0.5);
        }
        let pixel = lens.pixel(size.1 as usize);
        let hit = self.stage.first(&ray, (0.0, Ray::FAR), EXACT * pixel);
        let color = match &hit {
            Some(hit) => self.surface(&ray, hit, &mut spread),
            None => background(ray.along),
        };
        match view {
            View::Deformation { .. } => through_ghost(&self.rest, &ray, (hit.as_ref(), color), pixel),
            _ => color,
        }
    }

    fn surface(&self, ray: &Ray, hit: &Hit, spread: &mut Spread) -> DVec3 {
        let seen = &self.stage.bodies[hit.body];
        let shade = 0.35 + 0.65 * hit.normal.dot(-ray.along).max(0.0);
        match self.settings.view {
            View::Pressure { most } => shade * DVec3::from_array(heat(pressure(seen, hit.place) / most)),
            View::Deformation { pressed, swollen } => {
                let way = if seen.field.colliders.is_empty() { 0.0 } else { moved(&seen.field, hit.place) };
                shade * DVec3::from_array(diverging(way / if way < 0.0 { pressed } else { swollen }))
            }
            View::Samples { .. } => under(seen, hit.place, (hit.normal, ray.along)),
            _ => self.light.at(self.stage, (ray, hit), spread),
        }
    }
}

/// Contact pressure, pascals: how far the rest field exceeds its isovalue on the visible surface.
fn pressure(seen: &Seen, p: DVec3) -> f64 {
    let rest = &seen.field.field;
    seen.stiffness * (rest.value(p) - rest.shape.iso()).max(0.0)
}

/// Grey for nothing, then blue, green, yellow, red for 1; linear.
pub fn heat(part: f64) -> [f64; 3] {
    const STOPS: [[f64; 3]; 5] =
        [[0.55, 0.56, 0.58], [0.10, 0.25, 0.75], [0.05, 0.60, 0.35], [0.95, 0.75, 0.10], [0.80, 0.08, 0.05]];
    let at = part.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let i = (at as usize).min(STOPS.len() - 2);
    DVec3::from_array(STOPS[i]).lerp(DVec3::from_array(STOPS[i + 1]), at - i as f64).to_array()
}
