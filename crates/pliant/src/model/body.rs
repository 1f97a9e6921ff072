//! Description of one body at the start of a simulation.

use super::{Keys, Material, Response};
use crate::fields::Element;
use crate::math::{DVec3, Frame};

/// One body at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct BodySpec {
    /// Names the body in results; all different in a scene.
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
