//! Fields: the curve that is shape and elasticity at once.
//!
//! *The idea* ([G93] §2, [CD97] §II): a body's field is the sum of what its skeletons contribute,
//! each a decreasing curve of the distance to the skeleton ([`Kernel`]), or an integral along it
//! ([`Convolution`]). The solid is where the field reaches the isovalue; the slope is the stiffness.
//! A field is a pure function: the same call serves contact, meshing, ray tracing, probing and Python.
//!
//! `Skeleton → Element → Shape` (rest, in the body's frame) `→ Posed` (in the world, what contact sees).
//!
//! *What we changed*: volumes take part with their signed distance, so that no field saturates.
//! *Not promised*: a second derivative; kernels are C¹ at their surface and at their radius of influence,
//! and a distance is only continuous where two points of a skeleton are equally near.
//!
//! [G93]: https://doi.org/10.1145/166117.166157
//! [CD97]: https://doi.org/10.1109/2945.582343

mod along;
mod batch;
mod beam;
mod convolution;
mod element;
mod kernel;
mod law;
mod near;
mod part;
mod part_tree;
mod pose;
mod posed;
#[cfg(test)]
mod posed_suite;
mod shape;
mod size;
pub mod skeleton;
mod solid_box;

pub(crate) use along::Jet;
pub use batch::{Batch, Points, Samples};
pub(crate) use batch::{CORNERS, List, Local, Rows};
pub(crate) use beam::{Balls, Beam, Felt, Packet, RAYS, Room};
pub use convolution::{Convolution, ConvolutionError};
pub use element::{Element, Source};
pub use kernel::{Curve, Kernel, KernelError, Profile};
pub(crate) use near::Near;
pub use part::{LinkId, Part};
pub use pose::Pose;
pub use posed::Posed;
pub use shape::Shape;
pub use size::Size;
pub use skeleton::Skeleton;

use crate::math::{Cell, DVec3, Interval};

/// Value and gradient of a field at one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Field value; grows inward.
    pub value: f64,
    /// Its gradient, per metre; points inward.
    pub gradient: DVec3,
}

impl Sample {
    /// No contribution.
    pub const ZERO: Self = Self { value: 0.0, gradient: DVec3::ZERO };
}

/// A tilted plane above a field in a cell: `f(x) ≤ value + gradient·(x − center) + rise`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cap {
    /// At the cell's middle; not less than the field there.
    pub value: f64,
    /// Per metre.
    pub gradient: DVec3,
    /// How much the field may bend upward from its tangent within the cell; not negative.
    pub rise: f64,
}

impl Cap {
    /// `self + factor · other`, `factor ≥ 0`.
    pub fn plus(&self, factor: f64, other: &Self) -> Self {
        Self {
            value: self.value + factor * other.value,
            gradient: self.gradient + factor * other.gradient,
            rise: self.rise + factor * other.rise,
        }
    }
}

/// A scalar field in space.
///
/// Sign: the field **grows inward**; the solid is `f ≥ c`; the outward normal is `−∇f/|∇f|`.
pub trait Field: Sync {
    /// Value and gradient at `p`.
    fn sample(&self, p: DVec3) -> Sample;

    /// Value at `p`; equal, bit for bit, to `sample(p).value`.
    fn value(&self, p: DVec3) -> f64 {
        self.sample(p).value
    }

    /// A range that contains every value the field takes in `cell`. Guaranteed, not always tight.
    fn bounds(&self, cell: &Cell) -> Interval;

    /// The upper end of [`Field::bounds`], where that is all one needs.
    fn upper_bound(&self, cell: &Cell) -> f64 {
        self.bounds(cell).hi
    }
}
