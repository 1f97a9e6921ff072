//! Laws, measured: every number users can read is held against a closed form or a conservation law.
//!
//! *The idea*: each function below measures the engine through its public calls and says what was expected, what was
//! got and how far apart they may be. `pliant verify` prints them; a test runs them.

mod closed_forms;
mod deformation;
mod motion;
mod potential;
mod queries;
mod setup;
mod symmetry;
mod volume;

/// One law, measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// What is claimed, with the case it is hardest for.
    pub law: String,
    /// What it should be.
    pub expected: f64,
    /// What it is.
    pub got: f64,
    /// How far off, in the law's own measure.
    pub error: f64,
    /// How far off it may be.
    pub bound: f64,
}

impl Check {
    /// Whether the law holds. A number that is none never does.
    pub fn holds(&self) -> bool {
        self.error <= self.bound
    }

    /// Relative error of `got` against `expected`.
    fn relative(law: impl Into<String>, expected: f64, got: f64, bound: f64) -> Self {
        Self { law: law.into(), expected, got, error: (got / expected - 1.0).abs(), bound }
    }

    /// A quantity that should be zero, or small.
    fn small(law: impl Into<String>, got: f64, bound: f64) -> Self {
        Self { law: law.into(), expected: 0.0, got, error: got.abs(), bound }
    }

    /// A yes or no.
    fn yes(law: impl Into<String>, holds: bool) -> Self {
        Self {
            law: law.into(),
            expected: 1.0,
            got: f64::from(u8::from(holds)),
            error: f64::from(u8::from(!holds)),
            bound: 0.0,
        }
    }

    /// The worst of several, by error over bound.
    fn worst(checks: Vec<Self>) -> Option<Self> {
        let badness =
            |c: &Self| if c.error.is_nan() { f64::INFINITY } else { c.error / c.bound.max(f64::MIN_POSITIVE) };
        checks.into_iter().max_by(|p, q| badness(p).total_cmp(&badness(q)))
    }
}

/// A group of laws with its name.
pub type Group = (&'static str, fn() -> Vec<Check>);

/// Every group, in the order of EQUATIONS.
pub const GROUPS: [Group; 20] = [
    ("closed forms", closed_forms::kernels),
    ("curved patch and convergence", closed_forms::curved),
    ("box on a plane", queries::flat_box),
    ("flesh and bone", queries::core),
    ("turning changes nothing", symmetry::orientation),
    ("action and reaction", symmetry::reaction),
    ("warm queries", queries::warm),
    ("keyed bodies", queries::keyed),
    ("same bits", symmetry::bits),
    ("force is the gradient of a potential", potential::gradient),
    ("energy and momentum", motion::conservation),
    ("rest and friction", motion::rest),
    ("limits of the model", motion::limits),
    ("bodies share one surface", deformation::shared_surface),
    ("bulges are smooth", deformation::smoothness),
    ("bulges lean into the motion", deformation::leaning),
    ("flesh and bone, seen", deformation::layers),
    ("volume pressed away", volume::pressed_away),
    ("volume is kept", volume::kept),
    ("where volume can be kept", volume::window),
];
