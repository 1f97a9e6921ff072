//! Pictures of implicit surfaces, traced directly: no mesh between the field and the eye.
//!
//! ```text
//! World → RenderScene (scene.rs) → Camera → Ray → first hit, proved by bounds (instance.rs, ray_bound.rs)
//!       → sun, sky and their occlusion (light.rs), more samples where they disagree (adaptive.rs) → Image
//!       → tiles of rays in lanes (depth.rs) → DepthMap
//!       → fields in a plane (cut.rs) → Image
//!       → forces, borders, joints, springs as marks (overlay/), drawn over an Image (strokes.rs)
//! ```
//!
//! *The idea*: along a ray every field has a tangent and a guaranteed bound of its second derivative, so a search knows how far
//! it may go without a hit: nothing thin is missed and there is no step size to tune.
//! *Promised*: the same pixels for any number of threads.
//! *Not promised*: overlays in motion blur or out of focus; they are drawn sharp, at the frame's time.
//!
//! A picture of a world:
//!
//! ```
//! use pliant::render::{Camera, Light, Overlay, RenderScene, RenderSettings, overlays, paint};
//! # use pliant::{World, model::Scene};
//! # let text = "duration = 1\n\
//! #     [[body]]\nname = \"a\"\nskeleton = [{ thickness = 0.1, point = {} }]\n\
//! #     [[body]]\nname = \"b\"\nposition = [0.15, 0, 0]\nskeleton = [{ thickness = 0.1, point = {} }]\n";
//! let world = World::new(&Scene::parse(text, "two balls")?)?;
//! let mut scene = RenderScene::of(&world);
//! let settings = RenderSettings { size: (48, 32), samples: 4, ..RenderSettings::default() };
//! let camera = Camera::framing(&scene.bounds(), settings.aspect());
//! let image = paint(&scene, &camera, &Light::default(), &settings);
//! assert_eq!(image.to_srgb().len(), 48 * 32 * 3);
//!
//! // The same picture with arrows of the contact force and the border of the contact.
//! scene.overlays = overlays(&world, &[Overlay::Forces, Overlay::Borders]);
//! assert_ne!(paint(&scene, &camera, &Light::default(), &settings), image);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod adaptive;
mod camera;
mod colormap;
mod cut;
mod depth;
mod displacement;
mod image;
mod instance;
mod light;
mod overlay;
mod paint;
mod ray;
mod ray_bound;
mod sample_discs;
mod scene;
mod shutter;
mod sobol;
mod strokes;
#[cfg(test)]
mod tests;

pub use camera::Camera;
pub use colormap::{GROUND_COLOR, body_color, diverging, heat};
pub use cut::{CutPlane, paint_cut, peak_excess, tint};
pub use depth::{DepthMap, DepthPixel, depth};
pub use displacement::displacement;
pub use image::Image;
pub use instance::Instance;
pub use light::Light;
pub use overlay::{
    ForceScale, Overlay, OverlayMark, OverlayScales, OverlayShape, UnknownOverlay, overlays, overlays_of,
};
pub use paint::{RenderSettings, View, paint};
pub use ray::Ray;
pub use scene::{Hit, RenderScene};
pub use shutter::ShutterMotion;
