//! Bodies: links that move, coated with layers that are seen, touched and deformed.
//!
//! *The idea* ([CD97] §II): the base decides the motion of a link; the field of a layer decides its shape and its
//! elasticity. Bases are an open trait ([`Base`]); given here are a point mass, a rigid body, keyframes and a fixed base.
//! Several bodies make an articulated structure or a network by [`Joint`]s.
//!
//! ```text
//! Base (law) + LinkState (numbers) = Link      Shape + Material = Layer      Body = links + coat of layers
//! ```
//!
//! *What we changed*: a rigid body turns by a splitting of Euler's equations that keeps angular momentum to rounding, and
//! its mass, centre and inertia are integrals over its rest shape.
//!
//! [CD97]: https://doi.org/10.1109/2945.582343

mod base;
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
mod point;
mod rigid;

pub use base::Base;
pub(crate) use body::Lookahead;
pub use body::{Body, BodyId};
pub use body_error::BodyError;
pub use coat::Layer;
pub use fixed::Fixed;
pub use joint::{Joint, JointAction, JointAxis, JointCoordinates, Stretch};
pub(crate) use joint::{strain, wrapped};
pub use keyed::{Keyed, KeysError};
pub use link::Link;
pub use link_state::{LinkState, Load, Twist};
pub use mass::MassProperties;
pub use new_body::NewBody;
pub use point::PointMass;
pub use rigid::RigidBody;
