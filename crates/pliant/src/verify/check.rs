//! One law, measured: its claim, its numbers, and whether it holds. NaN breaks a law wherever it appears.

/// One law, measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The claim, with its hardest case.
    pub law: String,
    /// Expected number.
    pub expected: f64,
    /// Measured number.
    pub got: f64,
    /// Error, in the law's own measure.
    pub error: f64,
    /// Largest error allowed.
    pub bound: f64,
    /// Kind of claim.
    pub claim: Claim,
}

/// Claim of a law about its measured number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Equal to the expected one, within the bound.
    Equal,
    /// The expected one or more.
    AtLeast,
    /// The bound or less: an error, or another number that should be zero.
    AtMost,
    /// A yes or no, which must be yes.
    Holds,
}

impl Check {
    /// Whether the law holds. NaN or an infinite number in any place breaks it.
    pub fn holds(&self) -> bool {
        self.is_measured() && self.error <= self.bound
    }

    /// Whether every number of the law is finite.
    fn is_measured(&self) -> bool {
        [self.expected, self.got, self.error, self.bound].iter().all(|x| x.is_finite())
    }

    /// Relative error of `got` against `expected`.
    pub(super) fn relative(law: impl Into<String>, expected: f64, got: f64, bound: f64) -> Self {
        Self::scaled(law, Measured { expected, got, scale: expected }, bound)
    }

    /// Difference of `got` and `expected` over a `scale` of its own.
    pub(super) fn scaled(law: impl Into<String>, measured: Measured, bound: f64) -> Self {
        let Measured { expected, got, scale } = measured;
        let error = ((got - expected) / scale).abs();
        Self { law: law.into(), expected, got, error, bound, claim: Claim::Equal }
    }

    /// A quantity that should be zero, or small.
    pub(super) fn small(law: impl Into<String>, got: f64, bound: f64) -> Self {
        Self { law: law.into(), expected: 0.0, got, error: got.abs(), bound, claim: Claim::AtMost }
    }

    /// A count, or another number that may not be less.
    pub(super) fn at_least(law: impl Into<String>, got: f64, least: f64) -> Self {
        // Not `max(0)`, which turns NaN into 0.
        let error = if got >= least { 0.0 } else { least - got };
        Self { law: law.into(), expected: least, got, error, bound: 0.0, claim: Claim::AtLeast }
    }

    /// A yes or no.
    pub(super) fn yes(law: impl Into<String>, holds: bool) -> Self {
        Self {
            law: law.into(),
            expected: 1.0,
            got: f64::from(u8::from(holds)),
            error: f64::from(u8::from(!holds)),
            bound: 0.0,
            claim: Claim::Holds,
        }
    }

    /// The worst of several, by error over bound; one that was not measured is worse than any other.
    pub(super) fn worst(checks: Vec<Self>) -> Option<Self> {
        let badness = |c: &Self| if c.is_measured() { c.error / c.bound.max(f64::MIN_POSITIVE) } else { f64::INFINITY };
        checks.into_iter().max_by(|p, q| badness(p).total_cmp(&badness(q)))
    }
}

/// A number, its expected value, and the scale of their difference.
pub(super) struct Measured {
    pub(super) expected: f64,
    pub(super) got: f64,
    pub(super) scale: f64,
}

// `f64::max` and `f64::min` return the other number where one is NaN, so that a broken measurement would vanish. Laws use
// these instead; a test keeps the others out of this module.

/// The greatest of `values`; NaN where one of them is, or where there are none.
pub(super) fn greatest(values: &[f64]) -> f64 {
    let keep = |most: f64, x: &f64| if most.is_nan() || *x <= most { most } else { *x };
    if values.is_empty() { f64::NAN } else { values.iter().fold(f64::NEG_INFINITY, keep) }
}

/// The least of `values`; NaN where one of them is, or where there are none.
pub(super) fn least(values: &[f64]) -> f64 {
    -greatest(&values.iter().map(|x| -x).collect::<Vec<_>>())
}

/// The greater magnitude of two errors; infinite where one is NaN.
pub(super) fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::INFINITY } else { greatest(&[a.abs(), b.abs()]) }
}

/// `x` where it is positive, else 0; NaN stays NaN.
pub(super) fn excess(x: f64) -> f64 {
    if x < 0.0 { 0.0 } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every constructor of [`Check`], with `x` in each place that takes a number.
    fn constructed_with(x: f64) -> Vec<Check> {
        let scaled = |expected: f64, got: f64, scale: f64, bound: f64| {
            Check::scaled("scaled", Measured { expected, got, scale }, bound)
        };
        vec![
            Check::relative("relative: expected", x, 1.0, 1.0),
            Check::relative("relative: got", 1.0, x, 1.0),
            Check::relative("relative: bound", 1.0, 1.0, x),
            scaled(x, 1.0, 1.0, 1.0),
            scaled(1.0, x, 1.0, 1.0),
            scaled(1.0, 1.0, 1.0, x),
            Check::small("small: got", x, 1.0),
            Check::small("small: bound", 0.0, x),
            Check::at_least("at least: got", x, 1.0),
            Check::at_least("at least: bound", 1.0, x),
        ]
    }

    #[test]
    fn a_number_that_is_not_finite_breaks_a_law_wherever_it_stands() {
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            constructed_with(x).iter().for_each(|check| assert!(!check.holds(), "{x}: {check:?}"));
        }
        // The same calls hold with a finite number: it is x that breaks them.
        constructed_with(1.0).iter().for_each(|check| assert!(check.holds(), "{check:?}"));
        // A difference over NaN or over nothing is no error; one over infinity would be no difference.
        for scale in [f64::NAN, 0.0] {
            assert!(!Check::scaled("scale", Measured { expected: 1.0, got: 1.0, scale }, 1.0).holds(), "{scale}");
        }
    }

    #[test]
    fn nan_survives_every_way_of_summing_up() {
        for values in [[f64::NAN, 1.0, 2.0], [1.0, f64::NAN, 2.0], [1.0, 2.0, f64::NAN]] {
            assert!(greatest(&values).is_nan() && least(&values).is_nan(), "{values:?}");
            assert_eq!(values.iter().fold(0.0, |a, b| worse(a, *b)), f64::INFINITY);
        }
        assert!(greatest(&[]).is_nan() && least(&[]).is_nan() && excess(f64::NAN).is_nan());
        assert_eq!((greatest(&[-2.0, 3.0, 1.0]), least(&[-2.0, 3.0, 1.0])), (3.0, -2.0));
        assert_eq!((worse(-3.0, 2.0), excess(-1.0), excess(2.0)), (3.0, 0.0, 2.0));
        let worst = |bad: Check| Check::worst(vec![bad, Check::small("far off, but measured", 9.0, 1.0)]);
        assert!(constructed_with(f64::NAN).into_iter().all(|bad| worst(bad).is_some_and(|c| !c.is_measured())));
    }

    #[test]
    fn a_number_beyond_its_bound_breaks_a_law() {
        let broken = [
            Check::small("too large", 1.1, 1.0),
            Check::small("too large below zero", -1.1, 1.0),
            Check::at_least("too few", 2.0, 3.0),
            Check::relative("too far off", 1.0, 1.2, 0.1),
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
