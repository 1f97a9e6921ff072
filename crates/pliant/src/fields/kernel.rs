//! Field curves `F(r)`: thickness `t`, slope `k`, radius of influence `R`. [G93] App. A, [CD97] fig. 1.
//!
//! *The idea*: inside the surface (`r ≤ t`) the curve's slope is the material's stiffness; outside
//! (`t ≤ r ≤ R`) it only blends, falling to zero with a zero slope at `R`.
//! *What we changed*: the denominators of the outer cubic are cubes (the scan prints squares); curves that would
//! dip below zero are refused; a hardening curve and measured curves are added; negative arguments (inside a
//! volume skeleton) keep the inner formula.

use super::KernelParameters;
use super::kernel_error::KernelError;
use super::kernel_formulas::{Coefficients, KernelFormula, Linear, Metaball, NonLinear, Parameters, RadialFormula};
use super::measured_curve::Curve;
use crate::math::Interval;
use std::sync::Arc;

/// The curve from the surface inward.
#[derive(Clone, Debug, PartialEq)]
pub enum Profile {
    /// `c + k (t − r)`: the same slope at every depth.
    Linear,
    /// `(k/2t) r² − 2k r + 3kt/2 + c`: the slope doubles from surface to skeleton.
    NonLinear,
    /// `c + k t ln(t/r)`: the slope grows without bound towards the skeleton. Carries any load.
    Hardening,
    /// A measured curve: see [`Curve`].
    Measured(Arc<Curve>),
    /// `c ((1 − r²/R²)/(1 − t²/R²))³`: the metaball of modelling programs; its slope is not free.
    Metaball,
}

/// The branch-free formula that evaluates a kernel in SIMD lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LaneFormula {
    Metaball,
    Linear,
    NonLinear,
}

/// Below this fraction of the thickness the hardening curve continues as its tangent, so that it stays finite
/// and strictly decreasing inside a volume skeleton. Larger: a visible cap on the load it can carry.
/// Smaller: slopes beyond 1e9 k, and Newton steps that no longer resolve them.
const HARDENING_FLOOR: f64 = 1e-6;

/// A curve `F(r)`, decreasing from the skeleton outward. Made by the constructors, which check it.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    profile: Profile,
    iso: f64,
    thickness: f64,
    slope: f64,
    radius: f64,
    /// Outer piece `(r − R)² (d r + e)`.
    d: f64,
    e: f64,
    /// Coefficients for `kernel_formulas`.
    coefficients: Coefficients,
}

impl Kernel {
    /// A curve of the given profile through `F(t) = c` with slope `−k` there and zero from `R` on.
    ///
    /// For [`Profile::Metaball`] and [`Profile::Measured`] the slope follows from the profile and `k` is ignored.
    pub fn new(profile: Profile, iso: f64, size: impl Into<KernelParameters>) -> Result<Self, KernelError> {
        let KernelParameters { thickness: t, slope, radius: r } = size.into();
        for (name, got) in [("isovalue", iso), ("thickness", t), ("radius of influence", r)] {
            if !(got.is_finite() && got > 0.0) {
                return Err(KernelError::NotPositive { name, got });
            }
        }
        if r <= t {
            return Err(KernelError::RadiusWithinThickness { radius: r, thickness: t });
        }
        let k = match &profile {
            Profile::Measured(curve) => curve.first_slope(),
            Profile::Metaball => 6.0 * iso * t / (r * r - t * t),
            Profile::Linear | Profile::NonLinear | Profile::Hardening => slope.unwrap_or(iso / t),
        };
        if !(k.is_finite() && k > 0.0) {
            return Err(KernelError::NotPositive { name: "stiffness", got: k });
        }
        // The metaball's own outer piece never dips; the comparison leaves room for k = 3c/(R − t) itself.
        if profile != Profile::Metaball && k * (r - t) > 3.0 * iso * (1.0 + 1e-12) {
            return Err(KernelError::TooSteep {
                slope: k,
                largest_slope: 3.0 * iso / (r - t),
                largest_radius: t + 3.0 * iso / k,
            });
        }
        let gap = (t - r).powi(3);
        let d = -(k * (t - r) + 2.0 * iso) / gap;
        let e = (k * t * (t - r) + (3.0 * t - r) * iso) / gap;
        let parameters = Parameters { iso, t, k, r, d, e };
        let coefficients = match profile {
            Profile::Metaball => Metaball::coefficients(&parameters),
            Profile::NonLinear => NonLinear::coefficients(&parameters),
            Profile::Linear => Linear::coefficients(&parameters),
            // Evaluated piece by piece, without coefficients.
            Profile::Hardening | Profile::Measured(_) => [0.0; 8],
        };
        Ok(Self { profile, iso, thickness: t, slope: k, radius: r, d, e, coefficients })
    }

    /// Linear elasticity with the natural slope `k = c/t`: pressure `K` at the skeleton.
    pub fn linear(iso: f64, thickness: f64, radius: f64) -> Result<Self, KernelError> {
        Self::new(Profile::Linear, iso, KernelParameters { thickness, slope: None, radius })
    }

    /// Isovalue `c`.
    pub fn iso(&self) -> f64 {
        self.iso
    }
    /// Distance `t` from skeleton to surface, metres.
    pub fn thickness(&self) -> f64 {
        self.thickness
    }
    /// Slope `k` at the surface, per metre.
    pub fn slope(&self) -> f64 {
        self.slope
    }
    /// Distance `R` from which the field is zero, metres.
    pub fn radius(&self) -> f64 {
        self.radius
    }
    /// The curve's kind.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }
    /// The branch-free formula of the kernel; none where it needs a table or a logarithm.
    #[inline]
    pub(super) fn lane_formula(&self) -> Option<LaneFormula> {
        match self.profile {
            Profile::Metaball => Some(LaneFormula::Metaball),
            Profile::Linear => Some(LaneFormula::Linear),
            Profile::NonLinear => Some(LaneFormula::NonLinear),
            Profile::Hardening | Profile::Measured(_) => None,
        }
    }
    /// Coefficients of the branch-free formula, for code that evaluates many points at once.
    pub(super) fn coefficients(&self) -> &Coefficients {
        &self.coefficients
    }

    /// `F(r)`.
    pub fn value(&self, r: f64) -> f64 {
        self.value_and_slope(r).0
    }

    /// `F(r)` and `F'(r)`.
    pub fn value_and_slope(&self, r: f64) -> (f64, f64) {
        let (c, t, k, big_r) = (self.iso, self.thickness, self.slope, self.radius);
        if r.is_nan() || r >= big_r {
            return (0.0, 0.0);
        }
        match &self.profile {
            Profile::Metaball => {
                // An even curve: it has no inner piece, and its mirror image would grow again below zero.
                let r = r.max(0.0);
                let (value, slope_by_r) = Metaball::at_sq(&self.coefficients, r * r);
                (value, slope_by_r * r)
            }
            Profile::Linear => Linear::at(&self.coefficients, r),
            Profile::NonLinear => NonLinear::at(&self.coefficients, r),
            Profile::Hardening | Profile::Measured(_) if r > t => {
                let (x, line) = (r - big_r, self.d * r + self.e);
                (x * x * line, x * (2.0 * line + x * self.d))
            }
            Profile::Hardening => {
                let floor = HARDENING_FLOOR * t;
                if r >= floor {
                    (c + k * t * (t / r).ln(), -k * t / r)
                } else {
                    let slope = -k * t / floor;
                    (c + k * t * (t / floor).ln() + slope * (r - floor), slope)
                }
            }
            Profile::Measured(curve) => {
                let (depth_value, depth_slope) = curve.value_and_slope(t - r);
                (c + depth_value, -depth_slope)
            }
        }
    }

    /// `F(r)` and `F'(r)/r` (zero at `r = 0`) from `r²`, for point skeletons, by the operations of the SIMD lanes.
    #[inline(always)]
    pub(super) fn at_sq(&self, r_sq: f64) -> (f64, f64) {
        match self.profile {
            Profile::Metaball => Metaball::at_sq(&self.coefficients, r_sq),
            Profile::Linear => Linear::at_sq(&self.coefficients, r_sq),
            Profile::NonLinear => NonLinear::at_sq(&self.coefficients, r_sq),
            Profile::Hardening | Profile::Measured(_) => {
                let r = r_sq.sqrt();
                let (value, slope) = self.value_and_slope(r);
                (value, if r > 0.0 { slope / r } else { 0.0 })
            }
        }
    }

    /// Least and greatest `F''` at distances from `low` to `high`.
    pub(super) fn second_derivative_range(&self, low: f64, high: f64) -> (f64, f64) {
        let (t, k, big_r) = (self.thickness, self.slope, self.radius);
        let (mut least, mut most) = if high >= big_r { (0.0, 0.0) } else { (f64::INFINITY, f64::NEG_INFINITY) };
        let mut take = |a: f64, b: f64| (least, most) = (least.min(a).min(b), most.max(a).max(b));
        if let Profile::Metaball = self.profile {
            // With w = 1 − r²/R²: 6 F(0)/R² · w (4 − 5w), a parabola in w.
            let [by_r_sq, peak, ..] = self.coefficients;
            let w = |r: f64| (1.0 - by_r_sq * r * r).clamp(0.0, 1.0);
            let at = |w: f64| 6.0 * peak * by_r_sq * w * (4.0 - 5.0 * w);
            let (from, to) = (w(high), w(low.max(0.0)));
            take(at(from), at(to));
            if from < 0.4 && to > 0.4 {
                take(at(0.4), at(0.4));
            }
            return (least, most);
        }
        if high > t && low < big_r {
            // The outer cubic's second derivative is a straight line between its ends.
            let outer = |r: f64| 6.0 * self.d * r + 2.0 * self.e - 4.0 * big_r * self.d;
            take(outer(low.max(t)), outer(high.min(big_r)));
        }
        if low <= t {
            match &self.profile {
                Profile::Linear | Profile::Metaball => take(0.0, 0.0),
                Profile::NonLinear => take(k / t, k / t),
                Profile::Hardening => {
                    let floor = HARDENING_FLOOR * t;
                    let at = |r: f64| k * t / (r * r);
                    take(at(low.max(floor)), at(high.clamp(floor, t)));
                    if low < floor {
                        take(0.0, 0.0);
                    }
                }
                Profile::Measured(curve) => take(curve.second_derivatives().lo, curve.second_derivatives().hi),
            }
        }
        (least, most)
    }

    /// The greatest `|F'|` at distances from `low` to `high`.
    pub(super) fn greatest_slope(&self, low: f64, high: f64) -> f64 {
        let slope = |r: f64| self.value_and_slope(r).1.abs();
        let ends = slope(low).max(slope(high));
        match &self.profile {
            Profile::Metaball => {
                // Steepest where w = 0.8.
                let steep = 0.2f64.sqrt() * self.radius;
                if low < steep && high > steep { ends.max(slope(steep)) } else { ends }
            }
            Profile::Measured(_) => {
                let (least, most) = self.second_derivative_range(low, high);
                slope(low) + most.max(-least) * (high - low).max(0.0)
            }
            Profile::Linear | Profile::NonLinear | Profile::Hardening => {
                let inside = |r: f64| if low < r && high > r { slope(r) } else { 0.0 };
                let flat = (2.0 * self.radius * self.d - self.e) / (3.0 * self.d);
                ends.max(inside(self.thickness)).max(if flat > self.thickness { inside(flat) } else { 0.0 })
            }
        }
    }

    /// Range of `F` over a range of distances. `F` never increases, so the ends suffice.
    pub fn range(&self, r: Interval) -> Interval {
        Interval::new(self.value(r.hi), self.value(r.lo))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every profile with t = 0.1, R = 0.25, c = 1, k = 8 (legal: 8 · 0.15 = 1.2 ≤ 3).
    fn all() -> Vec<Kernel> {
        let curve = Curve::new(&[(0.0, 0.0), (0.02, 0.1), (0.05, 0.6), (0.09, 3.0)]).unwrap();
        [Profile::Linear, Profile::NonLinear, Profile::Hardening, Profile::Measured(Arc::new(curve)), Profile::Metaball]
            .into_iter()
            .map(|p| Kernel::new(p, 1.0, (0.1, 8.0, 0.25)).unwrap())
            .collect()
    }

    #[test]
    fn every_curve_meets_the_isovalue_at_t_and_zero_at_the_radius() {
        for k in all() {
            let name = format!("{:?}", k.profile());
            let (value, slope) = k.value_and_slope(0.1);
            assert!((value - 1.0).abs() < 1e-14, "{name}: F(t) = {value}");
            assert!((slope + k.slope()).abs() < 1e-12 * k.slope(), "{name}: F'(t) = {slope}");
            let (value, slope) = k.value_and_slope(0.1 + 1e-13);
            assert!((value - 1.0).abs() < 1e-10 && (slope / k.slope() + 1.0).abs() < 1e-9, "{name} outside");
            let (value, slope) = k.value_and_slope(0.25 - 1e-9);
            assert!(value.abs() < 1e-12 && slope.abs() < 1e-5, "{name}: F(R) = {value}, F'(R) = {slope}");
        }
    }

    #[test]
    fn every_curve_decreases_and_its_slope_is_its_derivative() {
        for k in all() {
            let even = *k.profile() == Profile::Metaball;
            let from = if even { 0.0 } else { -0.05 };
            let mut last = f64::INFINITY;
            for i in 0..=3000 {
                let r = from + (0.26 - from) * i as f64 / 3000.0;
                let (value, slope) = k.value_and_slope(r);
                assert!(value <= last, "{:?} grows at {r}", k.profile());
                last = value;
                let h = 1e-7;
                let difference = (k.value(r + h) - k.value(r - h)) / (2.0 * h);
                let near_kink = r.abs() < 1e-4; // the hardening curve bends faster than the difference resolves
                assert!(
                    near_kink || (difference - slope).abs() < 1e-5 * (1.0 + slope.abs()),
                    "{:?} at {r}: slope {slope}, difference {difference}",
                    k.profile()
                );
            }
        }
    }

    #[test]
    fn a_curve_that_would_dip_below_zero_is_refused_with_the_largest_legal_values() {
        // k (R − t) > 3c: with t = 0.1, R = 0.4, c = 1 the largest k is 10; with k = 15 the largest R is 0.3.
        assert!(Kernel::new(Profile::Linear, 1.0, (0.1, 10.0, 0.4)).is_ok());
        match Kernel::new(Profile::Linear, 1.0, (0.1, 15.0, 0.4)) {
            Err(KernelError::TooSteep { largest_slope, largest_radius, .. }) => {
                assert!((largest_slope - 10.0).abs() < 1e-12);
                assert!((largest_radius - 0.3).abs() < 1e-12);
            }
            other => panic!("expected a refusal, got {other:?}"),
        }
    }

    #[test]
    fn bad_sizes_are_refused_not_computed_with() {
        for size in
            [(0.0, 1.0, 0.2), (0.1, -1.0, 0.2), (0.1, f64::NAN, 0.2), (0.2, 1.0, 0.2), (0.1, 1.0, f64::INFINITY)]
        {
            assert!(Kernel::new(Profile::Linear, 1.0, size).is_err(), "{size:?}");
        }
        assert!(Curve::new(&[(0.0, 0.0), (0.1, 1.0), (0.2, 0.9)]).is_err());
    }
}
