//! Joints and springs between bodies.

use crate::math::{DVec3, Frame};

/// A joint or spring between two bodies, or between a body and the world.
#[derive(Clone, Debug, PartialEq)]
pub struct JointSpec {
    /// Name in messages; unique in a scene.
    pub name: String,
    /// First body, an index into [`Scene::bodies`](super::Scene::bodies); none: the world.
    pub a: Option<usize>,
    /// Second body.
    pub b: usize,
    /// Spring or rigid joint.
    pub kind: JointKind,
    /// Force beyond which the joint breaks for good, N; none: never.
    pub break_force: Option<f64>,
    /// Whether the two bodies collide with each other.
    pub collide: bool,
}

impl JointSpec {
    /// A joint of body `b` to body `a`, or to the world, that never breaks. The bodies do not collide with each other.
    pub fn new(name: impl Into<String>, a: Option<usize>, b: usize, kind: JointKind) -> Self {
        Self { name: name.into(), a, b, kind, break_force: None, collide: false }
    }
}

/// Kind of connection between two bodies.
#[derive(Clone, Debug, PartialEq)]
pub enum JointKind {
    /// A spring between two points.
    Spring(SpringSpec),
    /// A joint between two frames: some relative motion is free, the rest is constrained.
    Constraint(ConstraintJointSpec),
}

/// A spring between a point of each body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringSpec {
    /// Attachment points, in the frame of each body, or of the world, m.
    pub ends: [DVec3; 2],
    /// Length without force, m; none: the length at the start.
    pub rest_length: Option<f64>,
    /// N/m.
    pub stiffness: f64,
    /// Damping along the line of the spring, N s/m.
    pub damping: f64,
    /// Whether the spring is slack when shorter than its rest length, as a rope is.
    pub rope: bool,
}

/// A joint between a frame of each body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstraintJointSpec {
    /// Relative motion left free.
    pub joint_type: JointType,
    /// World frame of the joint at the start; its z axis is the axis of a hinge or slider.
    pub placement: Frame,
    /// Limits, spring, damping and motor of the free motion.
    pub axis_settings: AxisSettings,
}

/// Relative motion that a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointType {
    /// None.
    Fixed,
    /// All rotation.
    Ball,
    /// Rotation about the joint's axis.
    Hinge,
    /// Translation along the joint's axis.
    Slider,
}

/// Limits, spring, damping and motor of a joint's free coordinate: an angle, in rad and N m, or for a slider a length, in m
/// and N.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AxisSettings {
    /// Least and greatest coordinate, counted from the start; for a ball joint the second is the largest angle between the
    /// axes of both bodies.
    pub limits: Option<[f64; 2]>,
    /// Of the spring towards `rest`, N m/rad or N/m.
    pub stiffness: f64,
    /// N m s/rad or N s/m.
    pub damping: f64,
    /// Coordinate at which the spring exerts no force.
    pub rest: f64,
    /// Motor; none: the coordinate moves freely.
    pub motor: Option<Motor>,
}

/// Keeps the coordinate of a joint at a speed, within the limit of its force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// rad/s or m/s.
    pub speed: f64,
    /// Largest torque or force, N m or N.
    pub max_force: f64,
}
