//! Kernel formulas without branches: the same for one point and for SIMD lanes.
//!
//! Both sides of every choice are computed and one is selected, so that a loop over these functions is vectorised, and the
//! scalar path, which calls the same functions, gets the same bits.

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
    fn at_sq(k: &Coefficients, r_sq: f64) -> (f64, f64);
    /// An upper bound on `F''` at distances from `low` to `high`; not negative.
    fn second(k: &Coefficients, low: f64, high: f64) -> f64;
}

/// A kernel that needs the distance itself.
pub(super) trait RadialFormula {
    /// `F(r)` and `F'(r)`; `r` may be negative.
    fn at(k: &Coefficients, r: f64) -> (f64, f64);
    /// `F''` inside, up to the thickness.
    fn inner_second(k: &Coefficients) -> f64;
}

impl<L: RadialFormula> KernelFormula for L {
    #[inline(always)]
    fn at_sq(k: &Coefficients, r_sq: f64) -> (f64, f64) {
        let r = r_sq.sqrt();
        let (value, slope) = Self::at(k, r);
        let slope_by_r = slope / r;
        (value, if r > 0.0 { slope_by_r } else { 0.0 })
    }

    #[inline(always)]
    fn second(k: &Coefficients, low: f64, high: f64) -> f64 {
        let [t, big_r, d, e] = [k[0], k[1], k[2], k[3]];
        // The outer cubic's second derivative is a straight line between its ends.
        let outer = |r: f64| 6.0 * d * r + 2.0 * e - 4.0 * big_r * d;
        let (from, to) = (if low > t { low } else { t }, if high < big_r { high } else { big_r });
        let (first, last) = (outer(from), outer(to));
        let most = if first > last { first } else { last };
        let most = if from < to { most } else { 0.0 };
        let inner = if low <= t { Self::inner_second(k) } else { 0.0 };
        let most = if most > inner { most } else { inner };
        if most > 0.0 { most } else { 0.0 }
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
    fn at_sq(k: &Coefficients, r_sq: f64) -> (f64, f64) {
        let w = 1.0 - k[0] * r_sq;
        let w = if w > 0.0 { w } else { 0.0 };
        let w_sq = w * w;
        (k[1] * (w_sq * w), k[2] * w_sq)
    }

    /// With `w = 1 − r²/R²`, `−6A/R² w (5w − 4)`: a parabola in `w`, greatest at `w = 0.4`.
    #[inline(always)]
    fn second(k: &Coefficients, low: f64, high: f64) -> f64 {
        let w = |r: f64| {
            let w = 1.0 - k[0] * (r * r);
            if w > 0.0 { w } else { 0.0 }
        };
        // The nearest to 0.4 of all `w` between.
        let (from, to) = (w(high), w(if low > 0.0 { low } else { 0.0 }));
        let near = if from > 0.4 { from } else { 0.4 };
        let near = if to < near { to } else { near };
        let most = k[2] * near * (5.0 * near - 4.0);
        if most > 0.0 { most } else { 0.0 }
    }
}

/// The piecewise curve of linear and non-linear kernels: `inner` up to `t`, the common outer cubic up to `R`, zero beyond.
#[inline(always)]
fn pieces([t, big_r, d, e]: [f64; 4], r: f64, inner: (f64, f64)) -> (f64, f64) {
    let (x, line) = (r - big_r, d * r + e);
    let outer = (x * x * line, x * (2.0 * line + x * d));
    let value = if r > t { outer.0 } else { inner.0 };
    let slope = if r > t { outer.1 } else { inner.1 };
    // Compared so that NaN gives zero.
    (if r < big_r { value } else { 0.0 }, if r < big_r { slope } else { 0.0 })
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
    fn at(k: &Coefficients, r: f64) -> (f64, f64) {
        pieces([k[0], k[1], k[2], k[3]], r, (k[4] + k[5] * (k[0] - r), -k[5]))
    }

    #[inline(always)]
    fn inner_second(_: &Coefficients) -> f64 {
        0.0
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
    fn at(k: &Coefficients, r: f64) -> (f64, f64) {
        pieces([k[0], k[1], k[2], k[3]], r, ((k[4] * r - k[5]) * r + k[6], k[7] * r - k[5]))
    }

    #[inline(always)]
    fn inner_second(k: &Coefficients) -> f64 {
        k[7]
    }
}
