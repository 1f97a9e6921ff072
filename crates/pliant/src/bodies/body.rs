//! A body: a base and the layer that coats it.

use super::{Base, Fixed, Keyed, MassProperties, PointMass, RigidBody, Twist};
use crate::fields::{Element, Posed, Shape};
use crate::math::{Aabb, DVec3, Frame};
use crate::model::{BodySpec, Keys, Material, MotionSpec, Response};
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
    /// Names tell bodies apart.
    #[error("two bodies are named \"{0}\"; give each a name of its own")]
    SameName(String),
    /// Each pair is looked at, and remembered.
    #[error("over {0} pairs of bodies overlap at the start; spread them out, or take fewer copies")]
    Crowded(usize),
    /// A spring or joint that nothing can solve.
    #[error("\"{name}\": {what}")]
    Joint {
        /// Whose.
        name: String,
        /// What must be, and is not.
        what: &'static str,
    },
    /// A number that is none, or that nothing can have. Scene files are refused before, with the place.
    #[error("body \"{name}\": {what}")]
    Senseless {
        /// Whose.
        name: String,
        /// What must be, and is not.
        what: &'static str,
    },
}

/// Stiffness of a core, pascals: rigid beside any flesh, and no stiffer than rigid bodies are by default.
const CORE_STIFFNESS: f64 = Material::RIGID.stiffness;

impl Body {
    /// The body a scene describes. `known` are shapes already integrated, so that a hundred equal balls cost one.
    pub fn new(spec: &BodySpec, iso: f64, known: &mut Vec<(Arc<Shape>, MassProperties)>) -> Result<Self, BodyError> {
        check_numbers(spec, iso)?;
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
            MotionSpec::Keyed(keys) => Box::new(Keyed::new(keys.clone())),
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

    /// Whether it can be in a world: something of it is there, and what forces move has bounds.
    pub(crate) fn check(&self) -> Result<(), BodyError> {
        let solid = |layer: &Layer| layer.shape.solid();
        if self.layers.is_empty() || self.layers.iter().any(|l| solid(l).is_empty()) {
            return Err(BodyError::Empty(self.name.clone()));
        }
        if self.base.mass().is_some() && !self.layers.iter().all(|l| solid(l).is_finite()) {
            return Err(BodyError::Unbounded(self.name.clone()));
        }
        Ok(())
    }

    /// A layer where it is now.
    pub fn placed(&self, layer: usize) -> Posed<'_> {
        Posed::rigid(&self.layers[layer].shape, self.base.world_from_body())
    }

    /// A world box around the rest surface, and around a core that sticks out of it.
    pub fn bounds(&self) -> Aabb {
        let frame = self.base.world_from_body();
        self.layers.iter().fold(Aabb::EMPTY, |b, layer| b.union(&layer.shape.solid().moved(&frame)))
    }

    /// The greatest speed at which its shape can come nearer to anything in `region` within the next `ahead` seconds, m/s,
    /// if no force acts. Infinite for a body that turns, if `region` is.
    pub fn top_speed(&self, region: &Aabb, ahead: f64) -> f64 {
        let (speed, spin) = self.base.max_speeds(ahead);
        if spin == 0.0 {
            return speed;
        }
        speed + spin * self.reach(region, speed * ahead)
    }

    /// How far from its centre a turn can move its shape within `region`, once the centre has moved `by`. A ball that turns
    /// about its middle stays as it is.
    pub(crate) fn reach(&self, region: &Aabb, by: f64) -> f64 {
        let center = self.base.center();
        match self.middle() {
            Some(middle) => center.distance(self.base.world_from_body().point(middle)),
            None => (region.max - center).abs().max((center - region.min).abs()).length() + by,
        }
    }

    /// A ball that holds all of it, if it is round: its middle, world, and its radius.
    pub(crate) fn ball(&self) -> Option<(DVec3, f64)> {
        let middle = self.middle()?;
        let radius = self.layers.iter().map(|l| 0.5 * l.shape.solid().size().max_element()).fold(0.0, f64::max);
        Some((self.base.world_from_body().point(middle), radius))
    }

    /// The point about which all of its layers are round, in its own frame.
    fn middle(&self) -> Option<DVec3> {
        let one = |layer: &Layer| layer.shape.as_sphere().map(|sphere| sphere.center);
        let first = one(self.layers.first()?)?;
        self.layers.iter().all(|layer| one(layer) == Some(first)).then_some(first)
    }
}

/// Whether a body described in code can be.
fn check_numbers(spec: &BodySpec, iso: f64) -> Result<(), BodyError> {
    let Material { stiffness, density, damping, friction, compressibility, .. } = spec.material;
    let positive = |x: f64| x > 0.0 && x.is_finite();
    let not_negative = |x: f64| x >= 0.0 && x.is_finite();
    let somewhere = |f: &Frame| f.translation.is_finite() && f.rotation.is_normalized();
    let moves = match &spec.motion {
        MotionSpec::Point { mass } | MotionSpec::Rigid { mass } => mass.is_none_or(positive),
        MotionSpec::Keyed(Keys { keys, .. }) => {
            let first = keys.first().is_some_and(|k| k.time.is_finite());
            first
                && keys.windows(2).all(|k| k[0].time < k[1].time && k[1].time.is_finite())
                && keys.iter().all(|k| somewhere(&k.placement))
        }
        MotionSpec::Fixed => true,
    };
    let own = |e: &Element| e.iso() == iso;
    let checks = [
        (iso > 0.0 && iso.is_finite(), "the isovalue must be above 0"),
        (positive(stiffness), "its stiffness must be above 0"),
        (positive(density), "its density must be above 0"),
        (not_negative(damping), "its damping must be 0 or more"),
        (not_negative(friction), "its friction must be 0 or more"),
        ((0.0..=1.0).contains(&compressibility), "its compressibility must be from 0 to 1"),
        (somewhere(&spec.placement), "its placement must be finite, and its rotation a unit quaternion"),
        (spec.velocity.is_finite() && spec.angular_velocity.is_finite(), "its velocity must be finite"),
        (moves, "its mass must be above 0, or its keys at least one, at increasing times, in finite places"),
        (spec.elements.iter().chain(&spec.core).all(own), "its kernels must have the isovalue of the scene"),
    ];
    match checks.into_iter().find(|(holds, _)| !holds) {
        Some((_, what)) => Err(BodyError::Senseless { name: spec.name.clone(), what }),
        None => Ok(()),
    }
}
