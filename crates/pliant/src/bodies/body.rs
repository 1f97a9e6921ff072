//! A body: links that move, and the layers that coat them.

use super::{Base, Fixed, Keyed, Link, LinkState, MassProperties, PointMass, RigidBody, Twist};
use crate::fields::{Element, Posed, Shape};
use crate::math::{Aabb, DVec3, Frame};
use crate::model::{BodySpec, Material, MotionSpec, Response};
use std::ops::Range;
use std::sync::Arc;

/// A coat of a body's links: a shape and its material.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Rest shape, in the link's frame.
    pub shape: Arc<Shape>,
    /// Stiffness, damping, friction, bulge.
    pub material: Material,
    /// Never deformed.
    pub rigid: bool,
}

/// Layers over links.
#[derive(Clone, Debug)]
pub struct Body {
    /// Names the body; all different in a world.
    pub name: String,
    /// Indices of its links among all links of the world; one for now.
    pub links: Range<usize>,
    /// Skin first, then the rigid core if there is one.
    pub layers: Vec<Layer>,
    /// Volume of the rest shape, cubic metres; infinite for half-spaces.
    pub rest_volume: f64,
}

/// A body to be put into a world: made from a scene, or in code, perhaps on a base of one's own.
#[derive(Clone, Debug)]
pub struct NewBody {
    /// Names the body; all different in a world.
    pub name: String,
    /// How it moves.
    pub base: Arc<dyn Base>,
    /// Where it starts, and how fast; see [`Base::state_at`].
    pub start: LinkState,
    /// Skin first, then the rigid core if there is one.
    pub layers: Vec<Layer>,
    /// Volume of the rest shape, cubic metres; infinite for half-spaces.
    pub rest_volume: f64,
}

/// Why a body or joint cannot be in a world.
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
    /// Every overlapping pair costs time and memory.
    #[error("over {0} pairs of bodies overlap at the start; spread them out, or take fewer copies")]
    Crowded(usize),
    /// A spring or joint that nothing can solve.
    #[error("\"{name}\": {what}")]
    Joint {
        /// Name of the joint.
        name: String,
        /// What must be, and is not.
        what: &'static str,
    },
    /// A number that is not finite, or out of range. Scene files are refused earlier, with the place.
    #[error("body \"{name}\": {what}")]
    OutOfRange {
        /// Name of the body.
        name: String,
        /// What must be, and is not.
        what: &'static str,
    },
}

impl NewBody {
    /// The body a scene describes. `known` are shapes already integrated, so that a hundred equal balls cost one.
    pub fn from_spec(
        spec: &BodySpec,
        iso: f64,
        known: &mut Vec<(Arc<Shape>, MassProperties)>,
    ) -> Result<Self, BodyError> {
        check_spec(spec, iso)?;
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
        let base: Arc<dyn Base> = match &spec.motion {
            MotionSpec::Point { mass } => Arc::new(PointMass { mass: properties(mass)?.mass }),
            MotionSpec::Rigid { mass } => Arc::new(RigidBody::new(&properties(mass)?)),
            MotionSpec::Keyed(keys) => {
                let refuse = |_| out_of_range(&spec.name, "its keys must be at least one, at increasing times");
                Arc::new(Keyed::new(keys.clone()).map_err(refuse)?)
            }
            MotionSpec::Fixed => Arc::new(Fixed),
        };
        let twist = Twist { linear: spec.velocity, angular: spec.angular_velocity };
        let start = base.state_at(spec.placement, twist);
        let mut layers = vec![Layer { shape, material: spec.material, rigid }];
        if !spec.core.is_empty() {
            let shape = Arc::new(Shape::new(spec.core.clone(), iso));
            let material = Material { stiffness: Material::RIGID.stiffness, ..spec.material };
            layers.push(Layer { shape, material, rigid: true });
        }
        let rest_volume = unit.map_or(f64::INFINITY, |p| p.volume);
        Ok(Self { name: spec.name.clone(), base, start, layers, rest_volume })
    }

    /// Whether it can be in a world: it is somewhere, has a solid and legal materials, and has bounds if forces move it.
    pub(crate) fn check(&self) -> Result<(), BodyError> {
        let solid = |layer: &Layer| layer.shape.solid();
        if self.layers.is_empty() || self.layers.iter().any(|l| solid(l).is_empty()) {
            return Err(BodyError::Empty(self.name.clone()));
        }
        if self.base.mass().is_some() && !self.layers.iter().all(|l| solid(l).is_finite()) {
            return Err(BodyError::Unbounded(self.name.clone()));
        }
        self.layers.iter().try_for_each(|l| check_material(&self.name, &l.material))?;
        let state = &self.start;
        let finite = state.position.is_finite() && state.velocity.is_finite() && state.angular.is_finite();
        let checks = [
            (finite && state.rotation.is_normalized(), "its start must be finite, and its rotation a unit quaternion"),
            (self.base.mass().is_none_or(|m| m > 0.0 && m.is_finite()), "its mass must be above 0"),
            (self.rest_volume > 0.0, "its rest volume must be above 0"),
        ];
        first_failure(&self.name, &checks)
    }
}

impl Body {
    /// Material of the skin.
    pub fn material(&self) -> &Material {
        &self.layers[0].material
    }

    /// A layer where its link is at `frame`.
    pub fn placed(&self, layer: usize, frame: Frame) -> Posed<'_> {
        Posed::rigid(&self.layers[layer].shape, frame)
    }

    /// A world box around the rest surface, and around a core that sticks out of it.
    pub fn bounds(&self, frame: &Frame) -> Aabb {
        self.layers.iter().fold(Aabb::EMPTY, |b, layer| b.union(&layer.shape.solid().moved(frame)))
    }

    /// Distance from the link's centre within which a turn can move the shape inside `region`, once the centre has moved
    /// `by`. A ball that turns about its middle stays as it is.
    pub(crate) fn lever(&self, link: &Link, region: &Aabb, by: f64) -> f64 {
        let center = link.center();
        match self.middle() {
            Some(middle) => center.distance(link.world_from_link().point(middle)),
            None => (region.max - center).abs().max((center - region.min).abs()).length() + by,
        }
    }

    /// Greatest speed at which its shape can approach anything in `region` within the next `ahead` seconds, m/s, if no
    /// force acts; `time` is now. Infinite for a body that turns, if `region` is.
    pub(crate) fn top_speed(&self, link: &Link, region: &Aabb, (time, ahead): (f64, f64)) -> f64 {
        let (speed, spin) = link.base.max_speeds(link.state, time, ahead);
        if spin == 0.0 {
            return speed;
        }
        speed + spin * self.lever(link, region, speed * ahead)
    }

    /// A ball that holds all of it, if it is round: its middle, world, and its radius.
    pub(crate) fn ball(&self, frame: &Frame) -> Option<(DVec3, f64)> {
        let middle = self.middle()?;
        let radius = self.layers.iter().map(|l| 0.5 * l.shape.solid().size().max_element()).fold(0.0, f64::max);
        Some((frame.point(middle), radius))
    }

    /// Thickness of its thinnest layer, m.
    pub fn least_thickness(&self) -> f64 {
        self.layers.iter().map(|l| l.shape.least_thickness()).fold(f64::INFINITY, f64::min)
    }

    /// The point about which all of its layers are round, in its own frame.
    fn middle(&self) -> Option<DVec3> {
        let one = |layer: &Layer| layer.shape.as_sphere().map(|sphere| sphere.center);
        let first = one(self.layers.first()?)?;
        self.layers.iter().all(|layer| one(layer) == Some(first)).then_some(first)
    }
}

fn out_of_range(name: &str, what: &'static str) -> BodyError {
    BodyError::OutOfRange { name: name.to_owned(), what }
}

/// The first of `checks` that does not hold, as an error about body `name`.
fn first_failure(name: &str, checks: &[(bool, &'static str)]) -> Result<(), BodyError> {
    checks.iter().find(|(holds, _)| !holds).map_or(Ok(()), |(_, what)| Err(out_of_range(name, what)))
}

fn check_material(name: &str, material: &Material) -> Result<(), BodyError> {
    let Material { stiffness, density, damping, friction, compressibility, bulge: _ } = *material;
    let positive = |x: f64| x > 0.0 && x.is_finite();
    let not_negative = |x: f64| x >= 0.0 && x.is_finite();
    first_failure(
        name,
        &[
            (positive(stiffness), "its stiffness must be above 0"),
            (positive(density), "its density must be above 0"),
            (not_negative(damping), "its damping must be 0 or more"),
            (not_negative(friction), "its friction must be 0 or more"),
            ((0.0..=1.0).contains(&compressibility), "its compressibility must be from 0 to 1"),
        ],
    )
}

/// Whether a body described in code can be built.
fn check_spec(spec: &BodySpec, iso: f64) -> Result<(), BodyError> {
    let positive = |x: f64| x > 0.0 && x.is_finite();
    let placed = |f: &Frame| f.translation.is_finite() && f.rotation.is_normalized();
    let mass = match &spec.motion {
        MotionSpec::Point { mass } | MotionSpec::Rigid { mass } => *mass,
        MotionSpec::Keyed(_) | MotionSpec::Fixed => None,
    };
    let own = |e: &Element| e.iso() == iso;
    check_material(&spec.name, &spec.material)?;
    first_failure(
        &spec.name,
        &[
            (iso > 0.0 && iso.is_finite(), "the isovalue must be above 0"),
            (placed(&spec.placement), "its placement must be finite, and its rotation a unit quaternion"),
            (spec.velocity.is_finite() && spec.angular_velocity.is_finite(), "its velocity must be finite"),
            (mass.is_none_or(positive), "its mass must be above 0"),
            (spec.elements.iter().chain(&spec.core).all(own), "its kernels must have the isovalue of the scene"),
        ],
    )
}
