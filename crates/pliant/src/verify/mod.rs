//! Laws, measured: every number users can read is held against a closed form or a conservation law.
//!
//! *The idea*: each function below measures the engine through its public calls and says what was expected, what was
//! got and how far apart they may be. `pliant verify` prints them; a test runs them.

mod closed_forms;
mod deformation;
mod edges;
mod impact;
mod implicit;
mod motion;
mod potential;
mod queries;
mod setup;
mod symmetry;
pub mod throws;
mod joints;
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
    /// What kind of law it is.
    pub claim: Claim,
}

/// What a law says of the number got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// It is the expected one, within the bound.
    Equal,
    /// It is the expected one or more.
    AtLeast,
    /// It is the bound or less: an error, or something else that should be nothing.
    AtMost,
    /// It is so.
    Holds,
}

impl Check {
    /// Whether the law holds. A number that is none never does.
    pub fn holds(&self) -> bool {
        self.error <= self.bound
    }

    /// Relative error of `got` against `expected`.
    fn relative(law: impl Into<String>, expected: f64, got: f64, bound: f64) -> Self {
        Self::within(law, (expected, got), (got / expected - 1.0).abs(), bound)
    }

    /// `(expected, got)` with an `error` in a measure of its own.
    fn within(law: impl Into<String>, (expected, got): (f64, f64), error: f64, bound: f64) -> Self {
        Self { law: law.into(), expected, got, error, bound, claim: Claim::Equal }
    }

    /// A quantity that should be zero, or small.
    fn small(law: impl Into<String>, got: f64, bound: f64) -> Self {
        Self { law: law.into(), expected: 0.0, got, error: got.abs(), bound, claim: Claim::AtMost }
    }

    /// A count, or another number that may not be less.
    fn at_least(law: impl Into<String>, got: f64, least: f64) -> Self {
        // Not `max(0)`, which would make nothing of a number that is none.
        let error = if got >= least { 0.0 } else { least - got };
        Self { law: law.into(), expected: least, got, error, bound: 0.0, claim: Claim::AtLeast }
    }

    /// A yes or no.
    fn yes(law: impl Into<String>, holds: bool) -> Self {
        Self {
            law: law.into(),
            expected: 1.0,
            got: f64::from(u8::from(holds)),
            error: f64::from(u8::from(!holds)),
            bound: 0.0,
            claim: Claim::Holds,
        }
    }

    /// The worst of several, by error over bound.
    fn worst(checks: Vec<Self>) -> Option<Self> {
        let badness =
            |c: &Self| if c.error.is_nan() { f64::INFINITY } else { c.error / c.bound.max(f64::MIN_POSITIVE) };
        checks.into_iter().max_by(|p, q| badness(p).total_cmp(&badness(q)))
    }
}

/// The greatest of `errors`. Not a number where one of them is none, or where nothing was measured: no law holds then.
fn greatest(errors: &[f64]) -> f64 {
    let keep = |most: f64, e: &f64| if e.is_nan() || *e > most { *e } else { most };
    if errors.is_empty() { f64::NAN } else { errors.iter().fold(f64::NEG_INFINITY, keep) }
}

/// Of a group whose scene could not be built, or did not run to its end: nothing was measured.
fn failed() -> Vec<Check> {
    vec![Check::yes("the scene could be built and run", false)]
}

/// A group of laws with its name.
pub type Group = (&'static str, fn() -> Vec<Check>);

/// Every group: fields and patches first, then what moves, then what is seen.
pub const GROUPS: [Group; 33] = [
    ("closed forms", closed_forms::kernels),
    ("curved patch and convergence", closed_forms::curved),
    ("straight edges and kinks", edges::boxes),
    ("thin through thick", edges::through),
    ("flesh and bone", queries::core),
    ("turning changes nothing", symmetry::orientation),
    ("action and reaction", symmetry::reaction),
    ("warm queries", queries::warm),
    ("keyed bodies", queries::keyed),
    ("same bits", symmetry::bits),
    ("force is the gradient of a potential", potential::gradient),
    ("energy and momentum", || motion::conservation().unwrap_or_else(failed)),
    ("hard impacts", || impact::hard().unwrap_or_else(failed)),
    ("strong damping", || impact::damped().unwrap_or_else(failed)),
    ("rest and friction", || motion::rest().unwrap_or_else(failed)),
    ("turntable", || impact::turntable().unwrap_or_else(failed)),
    ("limits of the model", || motion::limits().unwrap_or_else(failed)),
    ("implicit steps: rest", || implicit::rest().unwrap_or_else(failed)),
    ("implicit steps: convergence", || implicit::converges().unwrap_or_else(failed)),
    ("implicit steps: throws", || implicit::throws().unwrap_or_else(failed)),
    ("implicit steps: random throws", throws::law),
    ("implicit steps: stacks and sleep", || implicit::stacks().unwrap_or_else(failed)),
    ("implicit steps: same bits", implicit::bits),
    ("joints", || joints::joints().unwrap_or_else(failed)),
    ("springs", || joints::springs().unwrap_or_else(failed)),
    ("joints and springs: same bits", || joints::bits().unwrap_or_else(failed)),
    ("bodies share one surface", deformation::shared_surface),
    ("bulges are smooth", deformation::smoothness),
    ("bulges lean into the motion", deformation::leaning),
    ("flesh and bone, seen", deformation::layers),
    ("volume pressed away", volume::pressed_away),
    ("volume is kept", volume::kept),
    ("where volume can be kept", volume::window),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_law_measured_nowhere_or_by_something_that_is_no_number_does_not_hold() {
        assert_eq!(greatest(&[-2.0, 3.0, 1.0]), 3.0);
        assert!(greatest(&[]).is_nan() && greatest(&[1.0, f64::NAN, 2.0]).is_nan());
        let broken = [
            Check::small("nothing seen", greatest(&[]), 1.0),
            Check::at_least("too few", 2.0, 3.0),
            Check::at_least("no count", f64::NAN, 3.0),
            Check::relative("no number", 1.0, f64::NAN, 1.0),
            Check::yes("no", false),
        ];
        assert!(broken.iter().all(|c| !c.holds()));
    }

    #[test]
    fn a_law_says_what_it_claims() {
        let claims = [
            (Check::relative("", 2.0, 2.0, 1e-4), Claim::Equal),
            (Check::at_least("", 9.0, 2.0), Claim::AtLeast),
            (Check::at_least("", 1.0, 2.0), Claim::AtLeast),
            (Check::small("", 1e-3, 1e-4), Claim::AtMost),
            (Check::small("", 1e-3, 0.0), Claim::AtMost),
            (Check::yes("", true), Claim::Holds),
            (Check::yes("", false), Claim::Holds),
        ];
        claims.iter().for_each(|(check, claim)| assert_eq!(check.claim, *claim, "{check:?}"));
    }
}
