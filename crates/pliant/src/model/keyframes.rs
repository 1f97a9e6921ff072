//! Keyframes of a body.

use crate::math::Frame;

/// Placements at given times. Before the first and after the last the body rests.
#[derive(Clone, Debug, PartialEq)]
pub struct Keys {
    /// At least one; times strictly increasing.
    pub keys: Vec<Key>,
    /// What happens between them.
    pub interpolation: Interpolation,
}

/// Where a body is at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// s from the start.
    pub time: f64,
    /// `world_from_body`.
    pub placement: Frame,
}

/// How placements between keys are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Without jumps in velocity.
    #[default]
    Smooth,
    /// With constant velocity between keys.
    Linear,
}
