//! The render scene: every body of a world as it is drawn, and the overlays over them.
//!
//! *The idea*: one value between a [`World`] and every kind of picture. [`RenderScene::of`] takes the deformed fields, default
//! colours and velocities from a world; callers may change them, leave instances out or add overlays before painting.
//! *Not promised*: anything about the next step. A render scene borrows the world as it is now.

use super::colormap::{GROUND_COLOR, body_color};
use super::instance::Instance;
use super::overlay::OverlayMark;
use super::ray::Ray;
use super::shutter::ShutterMotion;
use crate::bodies::Layer;
use crate::fields::Field;
use crate::math::{Aabb, DVec3};
use crate::surface::pose_of;
use crate::world::World;

/// Roughness of bounded bodies, and of ground and walls.
const ROUGHNESS: f64 = 0.35;
const GROUND_ROUGHNESS: f64 = 0.95;

/// Bodies as they are drawn, and lines drawn over them.
#[derive(Clone, Debug, Default)]
pub struct RenderScene<'a> {
    /// In any order.
    pub instances: Vec<Instance<'a>>,
    /// Drawn by [`paint`](super::paint()) over the finished picture; see [`Overlay`](super::Overlay).
    pub overlays: Vec<OverlayMark>,
}

/// The first point of a surface on a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Metres from the ray's origin.
    pub distance: f64,
    /// World position.
    pub position: DVec3,
    /// World position of the same material point at the frame's time.
    pub place: DVec3,
    /// Outward normal, unit.
    pub normal: DVec3,
    /// Index into [`RenderScene::instances`].
    pub instance: usize,
}

impl<'a> RenderScene<'a> {
    /// All bodies of a world as they are now, in default colours, without overlays.
    pub fn of(world: &'a World) -> Self {
        Self::of_bodies(world, 0..world.bodies().len())
    }

    /// The bodies with these indices, deformed by all they touch, as if the others were invisible.
    ///
    /// # Panics
    /// When an index is not below `world.bodies().len()`.
    pub fn of_bodies(world: &'a World, bodies: impl IntoIterator<Item = usize>) -> Self {
        let instances = bodies.into_iter().map(|i| instance_of(world, i)).collect();
        Self { instances, overlays: Vec::new() }
    }

    /// A box around all bounded instances; one metre around the origin if there is none.
    pub fn bounds(&self) -> Aabb {
        let boxes = self.instances.iter().map(Instance::bounds).filter(Aabb::is_finite);
        let all = boxes.fold(Aabb::EMPTY, |all, b| all.union(&b));
        if all.is_empty() { Aabb::around(DVec3::ZERO, 1.0) } else { all }
    }

    /// Removes unbounded bodies (walls, ground) around `eye`, from where they would hide everything else. Returns the indices of
    /// their bodies.
    pub fn remove_enclosing(&mut self, eye: DVec3) -> Vec<usize> {
        let hides = |i: &Instance| !i.bounds().is_finite() && i.encloses(eye);
        let hidden = self.instances.iter().filter(|i| hides(i)).map(|i| i.body).collect();
        self.instances.retain(|i| !hides(i));
        hidden
    }

    /// The first hit between the distances `within`, to `exact` metres.
    pub fn first(&self, ray: &Ray, within: (f64, f64), exact: f64) -> Option<Hit> {
        let (mut nearest, mut found) = (within.1, None);
        for (i, instance) in self.instances.iter().enumerate() {
            if let Some(t) = instance.first(&instance.at_frame_time(ray), (within.0, nearest), exact) {
                (nearest, found) = (t, Some(i));
            }
        }
        let found = found?;
        let instance = &self.instances[found];
        let place = instance.at_frame_time(ray).at(nearest);
        let normal = -instance.field.sample(place).gradient.normalize_or_zero();
        let normal = if instance.moves(ray) { instance.motion.frame_after(ray.time).vector(normal) } else { normal };
        Some(Hit { distance: nearest, position: ray.at(nearest), place, normal, instance: found })
    }

    /// Whether the ray hits any instance between the distances `within`.
    pub fn is_blocked(&self, ray: &Ray, within: (f64, f64)) -> bool {
        self.instances.iter().any(|instance| instance.is_hit(&instance.at_frame_time(ray), within))
    }
}

/// Body `i` of a world in default colours.
fn instance_of(world: &World, i: usize) -> Instance<'_> {
    let body = &world.bodies()[i];
    let bounded = world.bounds(i).is_finite();
    let (color, roughness) = if bounded { (body_color(i), ROUGHNESS) } else { (GROUND_COLOR, GROUND_ROUGHNESS) };
    let Layer { material, rigid, .. } = &body.coat[0];
    let pose = pose_of(world, i);
    let mut instance = Instance::new(world.deformed(i), color, roughness);
    instance.body = i;
    instance.stiffness = if *rigid { 0.0 } else { material.stiffness };
    instance.motion = ShutterMotion { center: pose.center, velocity: pose.twist.linear, spin: pose.twist.angular };
    instance
}
