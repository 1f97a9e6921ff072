//! Convolution surfaces.

use super::Sample;
use crate::math::{Aabb, Cell, DVec3, Interval};

/// Tmp
pub struct ConvolutionError;

/// A convolution surface.
#[derive(Clone, Debug, PartialEq)]
pub enum Convolution {}

impl Convolution {
    /// Value and gradient at `p`.
    pub fn sample(&self, _p: DVec3) -> Sample {
        match *self {}
    }
    /// A range that contains every value in `cell`.
    pub fn bounds(&self, _cell: &Cell) -> Interval {
        match *self {}
    }
    /// Distance from skeleton to surface along a long straight skeleton, metres.
    pub fn thickness(&self) -> f64 {
        match *self {}
    }
    /// Outside this box the contribution is zero.
    pub fn influence(&self) -> Aabb {
        match *self {}
    }
    /// Nearest point of the skeleton.
    pub fn core_point(&self, _p: DVec3) -> Option<DVec3> {
        match *self {}
    }
}
