//! Bodies before they are in a world: made from a description, or in code.

use super::body_error::BodyError;
use super::coat::Layer;
use super::{Fixed, Keyed, LinkState, MassProperties, MotionLaw, PointMass, RigidBody, Twist};
use crate::fields::{Element, Shape};
use crate::math::Frame;
use crate::model::{BodySpec, Material, MotionSpec, Response};
use std::sync::Arc;

/// Shapes and their mass properties at density 1, so that a hundred equal balls are integrated once.
pub(crate) type KnownShapes = Vec<(Arc<Shape>, MassProperties)>;

/// A body to be added to a world: [made from a description](NewBody::new), or field by field on a motion law of one's
/// own.
#[derive(Clone, Debug)]
pub struct NewBody {
    /// Unique in a world.
    pub name: String,
    /// Law of its motion.
    pub motion_law: Arc<dyn MotionLaw>,
    /// Placement and motion at the start; see [`MotionLaw::state_at`].
    pub start: LinkState,
    /// Skin first, then the rigid core if there is one.
    pub coat: Vec<Layer>,
    /// Volume of the rest shape, cubic metres; infinite for half-spaces.
    pub rest_volume: f64,
}

impl NewBody {
    /// The body of a description. Its mass, centre and inertia are integrated over its shape.
    pub fn new(spec: &BodySpec) -> Result<Self, BodyError> {
        let iso = spec.elements.first().map_or(1.0, Element::iso);
        Self::from_spec(spec, iso, &mut KnownShapes::new())
    }

    /// The body of a description in a scene of this isovalue. `known` shapes are shared, and new ones added.
    pub(crate) fn from_spec(spec: &BodySpec, iso: f64, known: &mut KnownShapes) -> Result<Self, BodyError> {
        check_spec(spec, iso)?;
        let rigid = spec.response == Response::Rigid;
        let same = known.iter().find(|(shape, _)| shape.elements() == spec.elements.as_slice());
        let shape = same.map_or_else(|| Arc::new(Shape::new(spec.elements.clone(), iso)), |(s, _)| s.clone());
        if shape.solid_bounds().is_empty() {
            return Err(BodyError::Empty(spec.name.clone()));
        }
        let unit = match same {
            Some((_, properties)) => Some(*properties),
            None => MassProperties::of(&shape, 1.0),
        };
        if let (Some(unit), None) = (unit, same) {
            known.push((shape.clone(), unit));
        }
        if unit.is_none() && shape.solid_bounds().is_finite() {
            return Err(BodyError::Empty(spec.name.clone()));
        }
        let properties = |mass: &Option<f64>| -> Result<MassProperties, BodyError> {
            let unit = unit.ok_or_else(|| BodyError::Unbounded(spec.name.clone()))?;
            Ok(unit.with_mass(mass.unwrap_or(unit.mass * spec.material.density)))
        };
        let motion_law: Arc<dyn MotionLaw> = match &spec.motion {
            MotionSpec::Point { mass } => Arc::new(PointMass { mass: properties(mass)?.mass }),
            MotionSpec::Rigid { mass } => Arc::new(RigidBody::new(&properties(mass)?)),
            MotionSpec::Keyed(keys) => {
                let refuse = |_| out_of_range(&spec.name, "its keys must be at least one, at increasing times");
                Arc::new(Keyed::new(keys.clone()).map_err(refuse)?)
            }
            MotionSpec::Fixed => Arc::new(Fixed),
        };
        let twist = Twist { linear: spec.velocity, angular: spec.angular_velocity };
        let start = motion_law.state_at(spec.placement, twist);
        let mut coat = vec![Layer { shape, material: spec.material, rigid }];
        if !spec.core.is_empty() {
            let shape = Arc::new(Shape::new(spec.core.clone(), iso));
            let material = Material { stiffness: Material::RIGID.stiffness, ..spec.material };
            coat.push(Layer { shape, material, rigid: true });
        }
        let rest_volume = unit.map_or(f64::INFINITY, |p| p.volume);
        Ok(Self { name: spec.name.clone(), motion_law, start, coat, rest_volume })
    }

    /// Refuses a body without a solid, an unbounded one that forces move, or one with numbers out of range.
    pub(crate) fn check(&self) -> Result<(), BodyError> {
        let solid = |layer: &Layer| layer.shape.solid_bounds();
        if self.coat.is_empty() || self.coat.iter().any(|l| solid(l).is_empty()) {
            return Err(BodyError::Empty(self.name.clone()));
        }
        if self.motion_law.mass().is_some() && !self.coat.iter().all(|l| solid(l).is_finite()) {
            return Err(BodyError::Unbounded(self.name.clone()));
        }
        self.coat.iter().try_for_each(|l| check_material(&self.name, &l.material))?;
        let state = &self.start;
        let finite = state.position.is_finite() && state.velocity.is_finite() && state.angular.is_finite();
        let checks = [
            (finite && state.rotation.is_normalized(), "its start must be finite, and its rotation a unit quaternion"),
            (self.motion_law.mass().is_none_or(|m| m > 0.0 && m.is_finite()), "its mass must be above 0"),
            (self.rest_volume > 0.0, "its rest volume must be above 0"),
        ];
        first_failure(&self.name, &checks)
    }
}

fn out_of_range(name: &str, what: &'static str) -> BodyError {
    BodyError::OutOfRange { name: name.to_owned(), what }
}

/// Error about body `name` for the first of `checks` that does not hold.
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

/// Refuses a description with numbers out of range.
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
