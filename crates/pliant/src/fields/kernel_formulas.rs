//! Kernel formulas without branches: the same for one point and for SIMD lanes.
//!
//! Both sides of every choice are computed and one is selected, so that a loop over these functions is vectorised; written for
//! numbers and for lanes of four, which get the same bits.

use crate::math::real::Real;

/// Numbers of a formula; each `coefficients` documents their order.
pub(super) type Coefficients = [f64; 8];

/// Parameters of a kernel: isovalue, thickness, slope, radius, and the outer piece `(r − R)² (d r + e)`.
pub(super) struct Parameters {
    pub iso: f64,
    pub t: f64,
    pub k: f64,
    pub r: f64,
    pub d: f64,
    pub e: f64,
}

/// A kernel as a function of the squared distance.
pub(super) trait KernelFormula {
    /// `F(r)` and `F'(r)/r`; the latter is zero at `r = 0`, where a distance has no direction.
    fn at_sq<T: Real>(k: &[T; 8], r_sq: T) -> (T, T);
    /// An upper bound on `F''` at distances from `low` to `high`; not negative.
    fn second<T: Real>(k: &[T; 8], low: T, high: T) -> T;
}

/// A kernel that needs the distance itself.
pub(super) trait RadialFormula {
    /// `F(r)` and `F'(r)`; `r` may be negative.
    fn at<T: Real>(k: &[T; 8], r: T) -> (T, T);
    /// `F''` inside, up to the thickness.
    fn inner_second<T: Real>(k: &[T; 8]) -> T;
}

impl<L: RadialFormula> KernelFormula for L {
    #[inline(always)]
    fn at_sq<T: Real>(k: &[T; 8], r_sq: T) -> (T, T) {
        let (r, zero) = (r_sq.square_root(), T::all(0.0));
        let (value, slope) = Self::at(k, r);
        (value, r.if_greater(zero, slope / r, zero))
    }

    #[inline(always)]
    fn second<T: Real>(k: &[T; 8], low: T, high: T) -> T {
        let ([t, big_r, d, e], zero) = ([k[0], k[1], k[2], k[3]], T::all(0.0));
        // The outer cubic's second derivative is a straight line between its ends.
        let by_r = T::all(6.0) * d;
        let at_zero = T::all(2.0) * e - T::all(4.0) * big_r * d;
        let (from, to) = (low.larger(t), high.smaller(big_r));
        let most = (by_r * from + at_zero).larger(by_r * to + at_zero);
        let outer = to.if_greater(from, most, zero);
        let inner = low.if_greater(t, zero, Self::inner_second(k));
        outer.larger(inner).larger(zero)
    }
}

/// `c ((1 − r²/R²)/(1 − t²/R²))³`, a function of `r²`: no root, no division.
pub(super) struct Metaball;

impl Metaball {
    /// `[1/R², A, −6A/R²]` with `A = c/(1 − t²/R²)³`.
    pub(super) fn coefficients(&Parameters { iso, t, r, .. }: &Parameters) -> Coefficients {
        let peak = iso / (1.0 - (t / r).powi(2)).powi(3);
        let by_r_sq = 1.0 / (r * r);
        [by_r_sq, peak, -6.0 * peak * by_r_sq, 0.0, 0.0, 0.0, 0.0, 0.0]
    }
}

impl KernelFormula for Metaball {
    #[inline(always)]
    fn at_sq<T: Real>(k: &[T; 8], r_sq: T) -> (T, T) {
        let w = (T::all(1.0) - k[0] * r_sq).larger(T::all(0.0));
        let w_sq = w * w;
        (k[1] * (w_sq * w), k[2] * w_sq)
    }

    /// With `w = 1 − r²/R²`, `−6A/R² w (5w − 4)`: a parabola in `w`, greatest at `w = 0.4`.
    #[inline(always)]
    fn second<T: Real>(k: &[T; 8], low: T, high: T) -> T {
        let (zero, low) = (T::all(0.0), low.larger(T::all(0.0)));
        // The nearest to 0.4 of all `w` between.
        let from = (T::all(1.0) - k[0] * (high * high)).larger(zero);
        let to = (T::all(1.0) - k[0] * (low * low)).larger(zero);
        let near = to.smaller(from.larger(T::all(0.4)));
        (k[2] * near * (T::all(5.0) * near - T::all(4.0))).larger(zero)
    }
}

/// The piecewise curve of linear and non-linear kernels: `inner` up to `t`, the common outer cubic up to `R`, zero beyond.
#[inline(always)]
fn pieces<T: Real>([t, big_r, d, e]: [T; 4], r: T, inner: (T, T)) -> (T, T) {
    let (x, line, zero) = (r - big_r, d * r + e, T::all(0.0));
    let outer = (x * x * line, x * (T::all(2.0) * line + x * d));
    let value = r.if_greater(t, outer.0, inner.0);
    let slope = r.if_greater(t, outer.1, inner.1);
    // Compared so that NaN gives zero.
    (big_r.if_greater(r, value, zero), big_r.if_greater(r, slope, zero))
}

/// `c + k (t − r)` inside.
pub(super) struct Linear;

impl Linear {
    /// `[t, R, d, e, c, k]`.
    pub(super) fn coefficients(&Parameters { iso, t, k, r, d, e }: &Parameters) -> Coefficients {
        [t, r, d, e, iso, k, 0.0, 0.0]
    }
}

impl RadialFormula for Linear {
    #[inline(always)]
    fn at<T: Real>(k: &[T; 8], r: T) -> (T, T) {
        pieces([k[0], k[1], k[2], k[3]], r, (k[4] + k[5] * (k[0] - r), T::all(0.0) - k[5]))
    }

    #[inline(always)]
    fn inner_second<T: Real>(_: &[T; 8]) -> T {
        T::all(0.0)
    }
}

/// `(k/2t) r² − 2k r + 3kt/2 + c` inside.
pub(super) struct NonLinear;

impl NonLinear {
    /// `[t, R, d, e, k/2t, 2k, 3kt/2 + c, k/t]`.
    pub(super) fn coefficients(&Parameters { iso, t, k, r, d, e }: &Parameters) -> Coefficients {
        [t, r, d, e, 0.5 * k / t, 2.0 * k, 1.5 * k * t + iso, k / t]
    }
}

impl RadialFormula for NonLinear {
    #[inline(always)]
    fn at<T: Real>(k: &[T; 8], r: T) -> (T, T) {
        pieces([k[0], k[1], k[2], k[3]], r, ((k[4] * r - k[5]) * r + k[6], k[7] * r - k[5]))
    }

    #[inline(always)]
    fn inner_second<T: Real>(k: &[T; 8]) -> T {
        k[7]
    }
}
