//! The coat of a body: layers over its links, which are seen, touched and deformed.

use crate::fields::{Posed, Shape};
use crate::math::{Aabb, DVec3, Frame};
use crate::model::Material;
use std::sync::Arc;

/// A layer of a body's coat: a shape and its material.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Rest shape, in the link's frame.
    pub shape: Arc<Shape>,
    /// Stiffness, damping, friction, bulge.
    pub material: Material,
    /// Never deformed.
    pub rigid: bool,
}

impl Layer {
    /// The layer where its link is at `world_from_link`.
    pub fn posed(&self, world_from_link: Frame) -> Posed<'_> {
        Posed::rigid(&self.shape, world_from_link)
    }
}

/// A world box around the rest surfaces of `layers`.
pub(super) fn bounds(layers: &[Layer], world_from_link: &Frame) -> Aabb {
    layers.iter().fold(Aabb::EMPTY, |b, layer| b.union(&layer.shape.solid_bounds().moved(world_from_link)))
}

/// The point about which all of `layers` are round, in the link's frame.
pub(super) fn sphere_center(layers: &[Layer]) -> Option<DVec3> {
    let center = |layer: &Layer| layer.shape.as_sphere().map(|sphere| sphere.center);
    let first = center(layers.first()?)?;
    layers.iter().all(|layer| center(layer) == Some(first)).then_some(first)
}

/// Radius of the largest of `layers`, if they are balls, m.
pub(super) fn sphere_radius(layers: &[Layer]) -> f64 {
    layers.iter().map(|l| 0.5 * l.shape.solid_bounds().size().max_element()).fold(0.0, f64::max)
}
