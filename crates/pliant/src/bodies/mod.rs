//! Bodies: a base structure that moves, coated with a layer that is seen, touched and deformed.
//!
//! *The idea* ([CD97] §II): the base decides where the body is; the layer's field decides its shape and its
//! elasticity. Bases are an open trait ([`Base`]); those given here are a point mass, a rigid body, keyframes and
//! none at all. Several bodies make an articulated structure or a network by [`Joint`]s. *What we changed*: a rigid body turns by a splitting of Euler's equations that keeps angular
//! momentum to rounding, and its mass, centre and inertia are integrals over its rest shape.
//!
//! [CD97]: https://doi.org/10.1109/2945.582343

mod base;
mod body;
pub mod calibrate;
mod keyed;
mod mass;
mod moments;
mod point;
mod rigid;
mod joint;

pub use base::{Base, Load, Twist};
pub use body::{Body, BodyError, Layer};
pub use joint::{Joint, JointAction, JointCoordinates, Line};
pub use keyed::{Fixed, Keyed};
pub use mass::MassProperties;
pub use point::PointMass;
pub use rigid::RigidBody;
