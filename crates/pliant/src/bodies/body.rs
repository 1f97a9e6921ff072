//! A body: a base and the layer that coats it.

use super::{Base, Fixed, Keyed, MassProperties, PointMass, RigidBody, Twist};
use crate::fields::{Placed, Shape};
use crate::math::{Aabb, DVec3, Frame};
use crate::scene::{BodySpec, Interpolation, Keys, Material, MotionSpec, Response};
use std::sync::Arc;

/// What coats a base: a shape and what it is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Rest shape, in the body's frame.
    pub shape: Arc<Shape>,
    /// K, pascals.
    pub stiffness: f64,
    /// Never deformed.
    pub rigid: bool,
}

/// A base structure, its layer, and perhaps a rigid core (a bone) inside.
#[derive(Debug)]
pub struct Body {
    /// Names the body; all different in a world.
    pub name: String,
    /// What moves it.
    pub base: Box<dyn Base>,
    /// Skin first, then the core if there is one.
    pub layers: Vec<Layer>,
    /// What it is made of.
    pub material: Material,
    /// Volume of the rest shape, cubic metres; infinite for half-spaces.
    pub rest_volume: f64,
}

/// Why a body cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BodyError {
    /// Nothing reaches the isovalue.
    #[error("body \"{0}\" has no volume: nowhere do its skeletons reach the isovalue; raise their strength")]
    Empty(String),
    /// A moving body without bounds.
    #[error("body \"{0}\" is unbounded and cannot move under forces; make it fixed or keyed")]
    Unbounded(String),
}

/// Stiffness of a core, pascals: rigid beside any flesh, and no stiffer than rigid bodies are by default.
const CORE_STIFFNESS: f64 = Material::RIGID.stiffness;

impl Body {
    /// The body a scene describes. `known` are shapes already integrated, so that a hundred equal balls cost one.
    pub fn new(spec: &BodySpec, iso: f64, known: &mut Vec<(Arc<Shape>, MassProperties)>) -> Result<Self, BodyError> {
        let rigid = spec.response == Response::Rigid;
        let same = known.iter().find(|(shape, _)| shape.elements() == spec.elements.as_slice());
        let shape = same.map_or_else(|| Arc::new(Shape::new(spec.elements.clone(), iso)), |(s, _)| s.clone());
        if shape.solid().is_empty() {
            return Err(BodyError::Empty(spec.name.clone()));
        }
        let unit = match same {
            Some((_, properties)) => Some(*properties),
            None => MassProperties::of(&shape, 1.0),
        };
        if let (Some(unit), None) = (unit, same) {
            known.push((shape.clone(), unit));
        }
        if unit.is_none() && shape.solid().is_finite() {
            return Err(BodyError::Empty(spec.name.clone()));
        }
        let properties = |mass: &Option<f64>| -> Result<MassProperties, BodyError> {
            let unit = unit.ok_or_else(|| BodyError::Unbounded(spec.name.clone()))?;
            Ok(unit.with_mass(mass.unwrap_or(unit.mass * spec.material.density)))
        };
        let twist = Twist { linear: spec.velocity, angular: spec.angular_velocity };
        let base: Box<dyn Base> = match &spec.motion {
            MotionSpec::Point { mass } => {
                Box::new(PointMass::new(properties(mass)?.mass, spec.placement, spec.velocity))
            }
            MotionSpec::Rigid { mass } => Box::new(RigidBody::new(&properties(mass)?, spec.placement, twist)),
            MotionSpec::Keyed(keys) => Box::new(Keyed::new(path(keys.clone()))),
            MotionSpec::Fixed => Box::new(Fixed(spec.placement)),
        };
        let mut layers = vec![Layer { shape, stiffness: spec.material.stiffness, rigid }];
        if !spec.core.is_empty() {
            let shape = Arc::new(Shape::new(spec.core.clone(), iso));
            layers.push(Layer { shape, stiffness: CORE_STIFFNESS, rigid: true });
        }
        let rest_volume = unit.map_or(f64::INFINITY, |p| p.volume);
        Ok(Self { name: spec.name.clone(), base, layers, material: spec.material, rest_volume })
    }

    /// A layer where it is now.
    pub fn placed(&self, layer: usize) -> Placed<'_> {
        Placed::new(&self.layers[layer].shape, self.base.world_from_body())
    }

    /// A world box around the rest surface, and around a core that sticks out of it.
    pub fn bounds(&self) -> Aabb {
        let frame = self.base.world_from_body();
        self.layers.iter().fold(Aabb::EMPTY, |b, layer| b.union(&layer.shape.solid().moved(&frame)))
    }

    /// The greatest speed of any point of its solid, metres per second.
    pub fn top_speed(&self) -> f64 {
        let twist = self.base.twist();
        let solid = self.bounds();
        if twist.angular == DVec3::ZERO || !solid.is_finite() {
            return twist.linear.length();
        }
        let reach = (solid.max - self.base.center()).abs().max((self.base.center() - solid.min).abs()).length();
        twist.linear.length() + twist.angular.length() * reach
    }
}

/// The path through keys: held at both ends, turning the short way.
fn path(keys: Keys) -> impl Fn(f64) -> Frame + Send + Sync {
    move |time| {
        let keys_of = &keys.keys;
        let i = keys_of.partition_point(|k| k.time <= time);
        if i == 0 || i == keys_of.len() {
            return keys_of[i.saturating_sub(1).min(keys_of.len() - 1)].placement;
        }
        let (a, b) = (&keys_of[i - 1], &keys_of[i]);
        let u = (time - a.time) / (b.time - a.time);
        let rotation = |u: f64| a.placement.rotation.slerp(b.placement.rotation, u);
        match keys.interpolation {
            Interpolation::Linear => {
                Frame { rotation: rotation(u), translation: a.placement.translation.lerp(b.placement.translation, u) }
            }
            Interpolation::Smooth => {
                // Hermite with differences of the neighbours for slopes; ends at rest.
                let span = b.time - a.time;
                let slope = |j: usize| {
                    if j == 0 || j + 1 == keys_of.len() {
                        return DVec3::ZERO;
                    }
                    let (p, q) = (&keys_of[j - 1], &keys_of[j + 1]);
                    (q.placement.translation - p.placement.translation) / (q.time - p.time)
                };
                let (m0, m1) = (span * slope(i - 1), span * slope(i));
                let (p0, p1) = (a.placement.translation, b.placement.translation);
                let (c2, c3) = (3.0 * (p1 - p0) - 2.0 * m0 - m1, 2.0 * (p0 - p1) + m0 + m1);
                let ease = u * u * (3.0 - 2.0 * u);
                Frame { rotation: rotation(ease), translation: p0 + u * (m0 + u * (c2 + u * c3)) }
            }
        }
    }
}
