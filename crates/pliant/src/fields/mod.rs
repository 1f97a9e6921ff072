//! Fields: the function that is shape and elasticity at once.
//!
//! *The idea* ([G93] §2, [CD97] §II): a body's field is the sum of the contributions of its elements, each a decreasing
//! [`Kernel`] of the distance to a [`Skeleton`], or an integral along it ([`Convolution`]). The solid is where the field
//! reaches the isovalue; the slope is the stiffness. A field is a pure function: the same call serves contact, meshing, ray
//! tracing, probing and Python.
//!
//! `Skeleton → Element → Part` (with the link that carries it) `→ Shape` (at rest) `→ Posed` (in the world).
//!
//! *What we changed*: volumes take part with their signed distance, so that no field saturates.
//! *Not promised*: a second derivative; kernels are C¹ at their surface and at their radius of influence,
//! and a distance is only continuous where two points of a skeleton are equally near.
//!
//! [G93]: https://doi.org/10.1145/166117.166157
//! [CD97]: https://doi.org/10.1109/2945.582343

mod batch;
mod convolution;
mod culled;
mod element;
mod kernel;
mod kernel_error;
mod kernel_formulas;
mod measured_curve;
mod skeleton_links;
mod part_tree;
mod pose;
mod posed;
#[cfg(test)]
mod posed_tests;
mod ray_packet;
mod shape;
mod kernel_parameters;
pub mod skeleton;
mod solid_box;
mod taylor_bound;

pub use batch::{Batch, Points, Samples};
pub(crate) use batch::{CORNERS, Candidates, CornerValues, GridField};
pub use convolution::{Convolution, ConvolutionError};
pub(crate) use culled::{BoundLanes, CellLanes, CulledField, FourPoints};
pub use element::{Element, Source};
pub use kernel::{Kernel, Profile};
pub use kernel_error::KernelError;
pub use kernel_parameters::KernelParameters;
pub use measured_curve::Curve;
pub use pose::Pose;
pub use posed::Posed;
pub(crate) use ray_packet::{PointField, RAYS, RayCandidate, RayCone, RayPacket, RayScratch};
pub use shape::Shape;
pub use skeleton::Skeleton;
pub use skeleton_links::{LinkNumber, Part};
pub(crate) use taylor_bound::TaylorBound;

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

/// An affine upper bound of a field in a cell: `f(x) ≤ value + gradient·(x − center) + rise`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AffineBound {
    /// At the cell's middle; not less than the field there.
    pub value: f64,
    /// Per metre.
    pub gradient: DVec3,
    /// Greatest distance of the field above its tangent within the cell; not negative.
    pub rise: f64,
}

impl AffineBound {
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

    /// The upper end of [`Field::bounds`] alone.
    fn upper_bound(&self, cell: &Cell) -> f64 {
        self.bounds(cell).hi
    }
}
