//! Painting a render scene: each pixel is the mean of samples spread over it.

use super::adaptive;
use super::camera::{Camera, ImagePoint, Projection};
use super::colormap::{diverging, heat};
use super::depth::depth;
use super::displacement::{GHOST, at_rest, displacement, ghost_cover};
use super::image::Image;
use super::instance::Instance;
use super::light::{Light, Lighting, disc};
use super::ray::Ray;
use super::sample_discs::{color_under_discs, draw, sample_discs};
use super::scene::{Hit, RenderScene};
use super::sobol::PixelSequence;
use super::strokes;
use crate::fields::Field;
use crate::math::DVec3;

/// The quantity a picture shows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum View {
    /// Bodies lit by sun and sky.
    #[default]
    Beauty,
    /// Contact pressure in colours.
    Pressure {
        /// Pressure of the last colour, pascals.
        most: f64,
    },
    /// Distance of each surface from its rest shape in colours; rest shapes like glass where they stand out.
    Deformation {
        /// Displacement inwards of the bluest colour, metres.
        pressed: f64,
        /// Displacement outwards of the reddest colour, metres.
        swollen: f64,
    },
    /// Samples of the surface along lines from the skeletons, as discs.
    Samples {
        /// Samples to half a turn around a skeleton.
        fineness: usize,
    },
    /// Distance at the middle of every pixel, near bright, far dark: see [`depth`](super::depth()). Without overlays.
    Depth,
    /// Normals at the middle of every pixel as colours. Without overlays.
    Normals,
}

/// Accuracy of a hit, as a fraction of a pixel: a hundredth is invisible.
const EXACT: f64 = 1e-2;

/// Background at the horizon and straight up: brighter than the sky that lights bodies, so that they stand out from it.
const BACKGROUND: [DVec3; 2] = [DVec3::new(0.74, 0.80, 0.87), DVec3::new(0.34, 0.50, 0.76)];

fn background(direction: DVec3) -> DVec3 {
    BACKGROUND[0].lerp(BACKGROUND[1], direction.z.clamp(0.0, 1.0).sqrt())
}

/// Settings of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RenderSettings {
    /// Pixels across and down.
    pub size: (u32, u32),
    /// Greatest number of rays a pixel; fewer where they agree. 1: jagged and grainy. 64: smooth; time grows with it.
    pub samples: u32,
    /// The quantity shown.
    pub view: View,
    /// Exposure, seconds, half before and half after the frame's time. 0: everything is sharp. The time between frames: all
    /// motion is seen. Longer: bodies are drawn where they may never come.
    pub shutter: f64,
}

impl Default for RenderSettings {
    fn default() -> Self {
        Self { size: (960, 540), samples: 16, view: View::Beauty, shutter: 0.0 }
    }
}

impl RenderSettings {
    /// Width over height, for [`Camera::framing`].
    pub fn aspect(&self) -> f64 {
        f64::from(self.size.0) / f64::from(self.size.1)
    }
}

/// A picture of the scene, overlays on top; only background if the camera has no direction.
pub fn paint(scene: &RenderScene, camera: &Camera, light: &Light, settings: &RenderSettings) -> Image {
    let (width, height) = settings.size;
    match settings.view {
        View::Depth => return depth(scene, camera, settings.size).to_image(),
        View::Normals => return depth(scene, camera, settings.size).normals_to_image(),
        View::Beauty | View::Pressure { .. } | View::Deformation { .. } | View::Samples { .. } => {}
    }
    let is_against_rest = matches!(settings.view, View::Deformation { .. });
    let rest = if is_against_rest { at_rest(scene) } else { RenderScene::default() };
    let painter =
        Painter { scene, rest, projection: Projection::new(camera), light: Lighting::new(light, scene), settings };
    let color = |x: u32, y: u32, number: u32| painter.sample(x, y, number);
    let pixels = adaptive::pixels(width as usize, height as usize, settings.samples, color);
    let mut image = Image { width, height, pixels };
    if let View::Samples { fineness } = settings.view {
        draw(&mut image, scene, camera, &sample_discs(scene, camera, fineness));
    }
    strokes::draw(&mut image, scene, camera);
    image
}

/// Scene, camera and settings of a picture.
struct Painter<'a> {
    scene: &'a RenderScene<'a>,
    /// Bodies at rest, for the deformation view.
    rest: RenderScene<'a>,
    projection: Option<Projection>,
    light: Lighting<'a>,
    settings: &'a RenderSettings,
}

impl Painter<'_> {
    /// Colour of one sample of a pixel.
    fn sample(&self, x: u32, y: u32, number: u32) -> DVec3 {
        let RenderSettings { size, samples, view, shutter } = *self.settings;
        let mut sequence = PixelSequence::new(x, y, number, samples);
        let [dx, dy] = sequence.pair();
        let at = ImagePoint::from_pixels(f64::from(x) + dx, f64::from(y) + dy, [f64::from(size.0), f64::from(size.1)]);
        let on_lens = disc(sequence.pair());
        let Some(projection) = &self.projection else { return background(DVec3::ZERO) };
        let mut ray = projection.ray(at, on_lens);
        if shutter > 0.0 {
            ray.time = shutter * (sequence.pair()[0] - 0.5);
        }
        let pixel = projection.pixel(size.1 as usize);
        let hit = self.scene.first(&ray, (0.0, Ray::FAR), EXACT * pixel);
        let color = match &hit {
            Some(hit) => self.surface(&ray, hit, &mut sequence),
            None => background(ray.along),
        };
        match view {
            View::Deformation { .. } => {
                let far = hit.map_or(Ray::FAR, |hit| hit.distance);
                color.lerp(GHOST, ghost_cover(&self.rest, &ray, far, pixel))
            }
            _ => color,
        }
    }

    fn surface(&self, ray: &Ray, hit: &Hit, sequence: &mut PixelSequence) -> DVec3 {
        let instance = &self.scene.instances[hit.instance];
        let shade = 0.35 + 0.65 * hit.normal.dot(-ray.along).max(0.0);
        match self.settings.view {
            View::Pressure { most } => shade * DVec3::from_array(heat(pressure(instance, hit.place) / most)),
            View::Deformation { pressed, swollen } => {
                let way =
                    if instance.field.colliders.is_empty() { 0.0 } else { displacement(&instance.field, hit.place) };
                shade * DVec3::from_array(diverging(way / if way < 0.0 { pressed } else { swollen }))
            }
            View::Samples { .. } => color_under_discs(instance, hit, ray.along),
            View::Beauty | View::Depth | View::Normals => self.light.radiance(ray, hit, sequence),
        }
    }
}

/// Contact pressure, pascals: excess of the rest field over its isovalue on the visible surface, times K.
fn pressure(instance: &Instance, p: DVec3) -> f64 {
    let rest = &instance.field.field;
    instance.stiffness * (rest.value(p) - rest.shape.iso()).max(0.0)
}
