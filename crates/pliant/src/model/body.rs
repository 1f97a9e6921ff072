//! Description of one body at the start of a simulation.

use super::{Keys, Material, Response};
use crate::fields::Element;
use crate::math::{DVec3, Frame};

/// Description of one body at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct BodySpec {
    /// Name in results; unique in a scene.
    pub name: String,
    /// Stiffness, density, damping, friction, bulge.
    pub material: Material,
    /// Whether it deforms.
    pub response: Response,
    /// Motion: under forces, by keys, or none.
    pub motion: MotionSpec,
    /// `world_from_body` at the start; for keyed motion, the first key's.
    pub placement: Frame,
    /// Velocity of the centre of mass, m/s.
    pub velocity: DVec3,
    /// Angular velocity in world axes, rad/s.
    pub angular_velocity: DVec3,
    /// Contributions to the field, in the body's frame; at least one.
    pub elements: Vec<Element>,
    /// A rigid core inside the soft shape; often empty.
    pub core: Vec<Element>,
}

impl BodySpec {
    /// A soft body that moves and turns under forces, of the default soft material, at rest at the origin. Its mass is the
    /// density times its volume. Other values are set by struct update: `BodySpec { placement, ..BodySpec::soft(…) }`.
    pub fn soft(name: impl Into<String>, elements: Vec<Element>) -> Self {
        Self::with_response(name.into(), elements, Response::Soft)
    }

    /// [`BodySpec::soft`], but rigid, of the default rigid material.
    pub fn rigid(name: impl Into<String>, elements: Vec<Element>) -> Self {
        Self::with_response(name.into(), elements, Response::Rigid)
    }

    fn with_response(name: String, elements: Vec<Element>, response: Response) -> Self {
        Self {
            name,
            material: Material::of(response),
            response,
            motion: MotionSpec::default(),
            placement: Frame::IDENTITY,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            elements,
            core: Vec::new(),
        }
    }
}

/// Motion of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum MotionSpec {
    /// Moves under forces, never turns.
    Point {
        /// kg; none means density times rest volume. Too small: tiny steps.
        mass: Option<f64>,
    },
    /// Moves and turns under forces.
    Rigid {
        /// kg; none means density times rest volume. Too small: tiny steps.
        mass: Option<f64>,
    },
    /// Follows keys whatever it meets.
    Keyed(Keys),
    /// Never moves.
    Fixed,
}

impl Default for MotionSpec {
    fn default() -> Self {
        Self::Rigid { mass: None }
    }
}
