//! What joints bodies together, as the rest of the engine uses it: springs and joints.

use crate::math::{DVec3, Frame};

/// What holds two bodies together, or one to a place in the world.
#[derive(Clone, Debug, PartialEq)]
pub struct JointSpec {
    /// Names it in messages; all different.
    pub name: String,
    /// The first body, an index into [`Scene::bodies`](super::Scene::bodies); none: the world.
    pub a: Option<usize>,
    /// The second.
    pub b: usize,
    /// How.
    pub kind: JointKind,
    /// Newtons beyond which it breaks for good; none: never.
    pub break_force: Option<f64>,
    /// Whether the two still touch each other.
    pub collide: bool,
}

/// How two bodies are held.
#[derive(Clone, Debug, PartialEq)]
pub enum JointKind {
    /// At a distance.
    Spring(SpringSpec),
    /// In some directions, while others are free.
    Frame(FrameJointSpec),
}

/// A spring between a point of each body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringSpec {
    /// In the frame of each body, or the world's, m.
    pub ends: [DVec3; 2],
    /// Length at which it does not pull, m; none: what it is at the start.
    pub rest_length: Option<f64>,
    /// N/m.
    pub stiffness: f64,
    /// Along its line, N s/m.
    pub damping: f64,
    /// Whether it is slack when shorter than its rest length, as a rope is.
    pub rope: bool,
}

/// A joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameJointSpec {
    /// Which directions it leaves free.
    pub freedom: Freedom,
    /// Where it is at the start, world; its z axis is that of a hinge or slider.
    pub placement: Frame,
    /// How far, and how easily, what is free moves.
    pub travel: Travel,
}

/// What a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// Nothing.
    Fixed,
    /// All turning.
    Ball,
    /// Turning about its axis.
    Hinge,
    /// Sliding along its axis.
    Slider,
}

/// How what a joint leaves free may move: radians and newton metres, or for a slider metres and newtons.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Travel {
    /// Least and most, counted from the start; of a ball joint the second is how far its axes may part.
    pub limits: Option<[f64; 2]>,
    /// Pull towards `rest`, per unit of travel.
    pub stiffness: f64,
    /// Per unit of speed.
    pub damping: f64,
    /// Where `stiffness` pulls to.
    pub rest: f64,
    /// What drives it.
    pub motor: Option<Motor>,
}

/// Holds a speed as far as its strength goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// rad/s or m/s.
    pub speed: f64,
    /// N m or N.
    pub strength: f64,
}
