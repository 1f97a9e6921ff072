//! Accuracy of a contact query: tolerances of search and quadrature.

/// Tolerances of the search for patches and of their quadrature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// Stopping criterion of the quadrature.
    pub resolution: Resolution,
    /// Cells across a region before it is integrated. 2: patches side by side may be taken for one.
    /// 32: a thousand boxes for every contact.
    pub cells_across: usize,
    /// Where neither bounds nor samples decide, the search stops at cells of this fraction of the thinner body's
    /// thickness. Larger: light touches are missed (and reported as undecided). Smaller: grazing pairs cost more.
    pub finest_cell: f64,
    /// Samples of both fields that adaptive cells of one query may take between bodies pushed to each other's skeletons, and
    /// five times as many between others; the error left is then larger than asked for, and reported. Fewer: forces are off by
    /// some hundredths. More: such pairs hold up a simulation.
    pub max_samples: u32,
}

/// Stopping criterion of quadrature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Resolution {
    /// Refine until the force changes by less than this fraction of itself.
    Tolerance(f64),
    /// A polar rule of exactly so many points, for convergence studies.
    Fixed {
        /// Gauss points from the middle to the border.
        radial: usize,
        /// Directions around the middle.
        angular: usize,
    },
}

impl Resolution {
    /// Relative error of the force to refine to. Where a fixed rule does not apply (adaptive cells, the path of the energy),
    /// refinement goes as far as `f64` reasonably allows, so as not to spoil a convergence study.
    pub(super) fn tolerance(&self) -> f64 {
        match *self {
            Self::Tolerance(t) => t,
            Self::Fixed { .. } => 1e-9,
        }
    }
}

/// For single queries. A world, which makes thousands a second, uses a larger tolerance: see [`Quality::within`].
impl Default for Quality {
    fn default() -> Self {
        let resolution = Resolution::Tolerance(1e-5);
        Self { resolution, cells_across: 6, finest_cell: 5e-3, max_samples: u32::MAX }
    }
}

/// Least tolerance for chords. Smaller: their finest rules fail to reach it. Larger: simulations at small tolerances are
/// slow.
const CHORD_TOLERANCE: f64 = 2e-4;

/// Samples of one query while stepping: a few milliseconds.
const STEPPING_SAMPLES: u32 = 20_000;

impl Quality {
    /// The default with this relative error of the force; worlds are stepped with it. The work of a query is bounded, unless
    /// the tolerance is finer than worlds need.
    pub fn within(tolerance: f64) -> Self {
        let max_samples = if tolerance < CHORD_TOLERANCE { u32::MAX } else { STEPPING_SAMPLES };
        Self { resolution: Resolution::Tolerance(tolerance), max_samples, ..Self::default() }
    }

    /// As exact as `f64` reasonably allows: for reference values, not for animation.
    pub fn finest() -> Self {
        Self { resolution: Resolution::Tolerance(1e-9), cells_across: 8, finest_cell: 1e-3, ..Self::default() }
    }

    /// Forces to about one part in a thousand, for speed.
    pub fn draft() -> Self {
        Self { cells_across: 4, finest_cell: 1e-2, ..Self::within(1e-3) }
    }

    /// Relative error of the force with which a polar rule is accepted: any error of a fixed rule.
    pub(super) fn acceptable(&self) -> f64 {
        match self.resolution {
            Resolution::Tolerance(t) => t,
            Resolution::Fixed { .. } => f64::INFINITY,
        }
    }

    /// Whether a patch may be integrated along chords, whose rules reach no finer tolerances.
    pub(super) fn allows_chords(&self) -> bool {
        matches!(self.resolution, Resolution::Tolerance(t) if t >= CHORD_TOLERANCE)
    }

    /// Whether the work of a query is bounded.
    pub(super) fn bounds_work(&self) -> bool {
        self.max_samples < u32::MAX
    }

    /// Accuracy of roots, as a fraction of the patch's size, that does not spoil the rule.
    pub(super) fn root_tolerance(&self) -> f64 {
        match self.resolution {
            Resolution::Tolerance(t) => (0.1 * t).clamp(1e-13, 1e-4),
            Resolution::Fixed { .. } => 1e-13,
        }
    }
}
