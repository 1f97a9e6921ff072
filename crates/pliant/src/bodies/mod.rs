//! Bodies: links that move, coated with layers that are seen, touched and deformed.
//!
//! *The idea* ([CD97] §II): the motion law decides the motion of a link; the field of a layer decides its shape and its
//! elasticity. Laws of motion are an open trait ([`MotionLaw`]); given here are a point mass, a rigid body, keyframes
//! and a fixed link. Several bodies make an articulated structure or a network by [`Joint`]s.
//!
//! ```text
//! MotionLaw + LinkState (numbers) = Link      Shape + Material = Layer      Body = links + coat of layers
//! ```
//!
//! *What we changed*: a rigid body turns by a splitting of Euler's equations that keeps angular momentum to rounding, and
//! its mass, centre and inertia are integrals over its rest shape.
//!
//! [CD97]: https://doi.org/10.1109/2945.582343

mod motion_law;
mod body;
mod body_error;
pub mod calibrate;
mod coat;
mod fixed;
mod joint;
mod keyed;
mod link;
mod link_state;
mod mass;
mod moments;
mod new_body;
mod offset_moments;
mod per_link;
mod point;
mod rigid;

pub(crate) use body::Lookahead;
pub use body::{Body, BodyId};
pub use body_error::BodyError;
pub use coat::Layer;
pub use fixed::Fixed;
pub use joint::{Joint, JointAction, JointAxis, JointCoordinates, Stretch};
pub(crate) use joint::{strain, wrapped};
pub use keyed::{Keyed, KeysError};
pub use link::Link;
pub use link_state::{AppliedWrench, LinkState, Twist};
pub use mass::MassProperties;
pub use motion_law::MotionLaw;
pub use new_body::NewBody;
pub use per_link::{LinkId, PerLink};
pub use point::PointMass;
pub use rigid::RigidBody;
