//! Contact: the surface two bodies share, and the pressure on it.
//!
//! *The idea* ([G93] §3, [CD97] §III): where two fields overlap, the bodies meet on the surface where their
//! pressures are equal. That surface is found exactly, held as a value ([`Patch`]) and integrated by real
//! quadrature.
//!
//! ```text
//! Pair (two placed fields, their pressures)
//!   → Meeting both fields in one frame across the contact, with only the elements that reach it
//!   → Patch   star: polar Gauss rule from a middle point, when the patch is seen whole from there
//!   → find    bounds prove that the stars account for every overlap, or gather cells into regions
//!   → Patch   tiles: adaptive cells over a region, or around a star that did not settle
//! ```
//!
//! *What we changed*: stiffnesses weigh the surface, so that action equals reaction for unlike bodies; an average
//! voxel area is replaced by quadrature that converges; bounds, not samples, decide that there is no contact.
//! *Not promised*: a patch narrower than [`Patch::resolved_to`] beside a found one may be missed; the value says
//! how narrow.
//!
//! [G93]: https://doi.org/10.1145/166117.166157
//! [CD97]: https://doi.org/10.1109/2945.582343

mod broad;
mod chart;
mod energy;
mod find;
mod fold;
mod hull;
pub(crate) mod law;
mod lens;
mod meeting;
mod pair;
mod patch;
mod respond;
mod round;
mod star;
mod sweep;
#[cfg(test)]
mod tests;
mod tile;
mod tiles;

pub(crate) use broad::Grid;
pub use energy::elastic_energy;
pub(crate) use energy::is_enclosed;
pub use pair::{Pair, Probe, Side, SurfaceKind};
pub use patch::{FoundPatches, Method, Patch, PatchPoint, WarmStart, Wrench};
pub use respond::{ContactForces, ContactLaw, RelativeMotion, ShearState, ShearStep};
pub(crate) use sweep::{STRIDE, Trajectory, first_touch, meets, touch_at};

/// How carefully patches are found and integrated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// When to stop refining the quadrature.
    pub resolution: Resolution,
    /// Cells across a region before it is integrated. 2: patches side by side may be taken for one.
    /// 32: a thousand boxes for every contact.
    pub cells_across: usize,
    /// Where neither bounds nor samples decide, the search stops at cells of this fraction of the thinner body's
    /// thickness. Larger: light touches are missed (and said to be). Smaller: grazing pairs cost more.
    pub finest_cell: f64,
}

/// When quadrature is fine enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Resolution {
    /// Refine until the force changes by less than this fraction of itself.
    Tolerance(f64),
    /// A star rule of exactly so many points, for convergence studies.
    Fixed {
        /// Gauss points from the middle to the border.
        radial: usize,
        /// Directions around the middle.
        angular: usize,
    },
}

impl Resolution {
    /// Relative error of the force to refine to. What has to be refined where a fixed rule does not apply (tiles, the way
    /// of the energy) should not spoil the study: it goes as far as `f64` reasonably allows.
    fn tolerance(&self) -> f64 {
        match *self {
            Self::Tolerance(t) => t,
            Self::Fixed { .. } => 1e-9,
        }
    }
}

/// For single queries. A world, which asks thousands a second, is content with less: see [`Quality::within`].
impl Default for Quality {
    fn default() -> Self {
        Self { resolution: Resolution::Tolerance(1e-5), cells_across: 6, finest_cell: 5e-3 }
    }
}

impl Quality {
    /// The default, but with forces as exact as `tolerance` says: what worlds are stepped with.
    pub fn within(tolerance: f64) -> Self {
        Self { resolution: Resolution::Tolerance(tolerance), ..Self::default() }
    }

    /// As exact as `f64` reasonably allows: for reference values, not for animation.
    pub fn finest() -> Self {
        Self { resolution: Resolution::Tolerance(1e-9), cells_across: 8, finest_cell: 1e-3 }
    }

    /// Forces to about one part in a thousand, for speed.
    pub fn draft() -> Self {
        Self { resolution: Resolution::Tolerance(1e-3), cells_across: 4, finest_cell: 1e-2 }
    }

    /// Relative error of the force with which a star is taken as it is: one of a fixed rule always.
    fn acceptable(&self) -> f64 {
        match self.resolution {
            Resolution::Tolerance(t) => t,
            Resolution::Fixed { .. } => f64::INFINITY,
        }
    }

    /// How near a root must come, as a fraction of the patch's size, not to spoil the rule.
    fn root_tolerance(&self) -> f64 {
        match self.resolution {
            Resolution::Tolerance(t) => (0.1 * t).clamp(1e-13, 1e-4),
            Resolution::Fixed { .. } => 1e-13,
        }
    }
}
