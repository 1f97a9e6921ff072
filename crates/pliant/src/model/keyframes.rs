//! Keyframes of a body.

use crate::math::Frame;

/// Placements at given times. The body rests before the first and after the last.
#[derive(Clone, Debug, PartialEq)]
pub struct Keys {
    /// At least one; times strictly increasing.
    pub keys: Vec<Key>,
    /// Interpolation between them.
    pub interpolation: Interpolation,
}

/// Placement of a body at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// Time from the start, s.
    pub time: f64,
    /// `world_from_body`.
    pub placement: Frame,
}

/// Interpolation between keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Without jumps in velocity.
    #[default]
    Smooth,
    /// With constant velocity between keys.
    Linear,
}
