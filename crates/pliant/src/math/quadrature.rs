//! Gauss rules on `[0, 1]`, made once and kept.

use rayon::prelude::*;
use std::sync::OnceLock;

/// Nodes and weights on `[0, 1]`; exact for polynomials of degree `2n − 1`.
#[derive(Clone, Debug)]
pub struct GaussRule {
    /// Abscissae, increasing.
    pub nodes: Vec<f64>,
    /// Weights, summing to one.
    pub weights: Vec<f64>,
}

/// The largest rule [`gauss`] holds.
pub const MAX_GAUSS: usize = 64;

/// The rule of `n` points. `n` is clamped to `1..=64`.
pub fn gauss(n: usize) -> &'static GaussRule {
    static RULES: OnceLock<Vec<GaussRule>> = OnceLock::new();
    &RULES.get_or_init(|| (1..=MAX_GAUSS).map(make).collect())[n.clamp(1, MAX_GAUSS) - 1]
}

/// The rule of `n` points for `∫₀¹ f(x) x dx`: the radial rule of a disc. Exact to degree `2n − 1`, odd powers
/// included, so that a disc need not be seen from its centre. `n` is clamped to `1..=32`.
pub fn gauss_radial(n: usize) -> &'static GaussRule {
    static RULES: OnceLock<Vec<GaussRule>> = OnceLock::new();
    &RULES.get_or_init(|| (1..=MAX_GAUSS / 2).map(make_radial).collect())[n.clamp(1, MAX_GAUSS / 2) - 1]
}

/// A second opinion on [`gauss_radial`] from the same points: weights of the middle of the disc and of the nodes, for
/// integrands that vanish at the border. One node is passed over, so the two rules differ by what is not resolved.
pub fn radial_check(n: usize) -> &'static (f64, Vec<f64>) {
    static RULES: OnceLock<Vec<(f64, Vec<f64>)>> = OnceLock::new();
    &RULES.get_or_init(|| (1..=MAX_GAUSS / 2).map(make_check).collect())[n.clamp(1, MAX_GAUSS / 2) - 1]
}

/// Interpolation through 0, 1 and all nodes but the middle one, integrated with weight `x`.
fn make_check(n: usize) -> (f64, Vec<f64>) {
    let nodes = &gauss_radial(n).nodes;
    let left_out = n / 2;
    let kept: Vec<f64> = [0.0, 1.0].into_iter().chain((0..n).filter(|i| *i != left_out).map(|i| nodes[i])).collect();
    let fine = gauss(n + 4);
    let weight = |own: f64| -> f64 {
        let basis = |x: f64| kept.iter().filter(|k| **k != own).map(|k| (x - k) / (own - k)).product::<f64>();
        fine.nodes.iter().zip(&fine.weights).map(|(x, w)| w * x * basis(*x)).sum()
    };
    (weight(0.0), (0..n).map(|i| if i == left_out { 0.0 } else { weight(nodes[i]) }).collect())
}

/// Radau's points with the one at zero left out: there the weight `x` vanishes. They are the zeros of
/// `(P_n + P_{n+1})/(1 + t)`, found by Newton with the zeros already known divided out.
fn make_radial(n: usize) -> GaussRule {
    let legendre = |t: f64| {
        let (mut p0, mut p1, mut d0, mut d1) = (1.0, t, 0.0, 1.0);
        for k in 1..=n {
            let k = k as f64;
            let p2 = ((2.0 * k + 1.0) * t * p1 - k * p0) / (k + 1.0);
            let d2 = d0 + (2.0 * k + 1.0) * p1;
            (p0, p1, d0, d1) = (p1, p2, d1, d2);
        }
        (p0, p0 + p1, d0 + d1)
    };
    let mut zeros = vec![-1.0];
    for i in 0..n {
        let mut t = -(std::f64::consts::PI * (2.0 * i as f64 + 2.0) / (2.0 * n as f64 + 1.5)).cos();
        for _ in 0..200 {
            let (_, f, slope) = legendre(t);
            let known: f64 = zeros.iter().map(|z| 1.0 / (t - z)).sum();
            let dt = f / (slope - f * known);
            t -= dt;
            if dt.abs() < 1e-16 {
                break;
            }
        }
        zeros.push(t);
    }
    let mut zeros = zeros.split_off(1);
    zeros.sort_by(f64::total_cmp);
    let weight = |t: &f64| (1.0 - t) * (1.0 + t) / (4.0 * ((n + 1) as f64 * legendre(*t).0).powi(2));
    GaussRule { weights: zeros.iter().map(weight).collect(), nodes: zeros.iter().map(|t| 0.5 * (1.0 + t)).collect() }
}

/// Newton on the Legendre recurrence from the Chebyshev guess.
fn make(n: usize) -> GaussRule {
    let (mut nodes, mut weights) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..n {
        let mut x = -(std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
        let mut slope = 0.0;
        for _ in 0..100 {
            let (mut p0, mut p1) = (1.0, x);
            for k in 2..=n {
                let k = k as f64;
                (p0, p1) = (p1, ((2.0 * k - 1.0) * x * p1 - (k - 1.0) * p0) / k);
            }
            slope = n as f64 * (x * p1 - p0) / (x * x - 1.0);
            let dx = p1 / slope;
            x -= dx;
            if dx.abs() < 1e-16 {
                break;
            }
        }
        nodes[i] = 0.5 * (1.0 + x);
        weights[i] = 1.0 / ((1.0 - x * x) * slope * slope);
    }
    GaussRule { nodes, weights }
}

/// Kronrod's seven points in `[−1, 1]` from the middle out, each with three weights: Kronrod's, exact to degree 11; those
/// of Gauss' three points among them; and those of the other four with the middle, both exact to degree 5.
const KRONROD: [(f64, [f64; 3]); 4] = [
    (0.0, [0.450_916_538_658_474_1, 8.0 / 9.0, 0.041_290_322_580_645_16]),
    (0.434_243_749_346_802_56, [0.401_397_414_775_962_2, 0.0, 0.776_815_872_291_826_6]),
    (0.774_596_669_241_483_4, [0.268_488_089_868_333_44, 5.0 / 9.0, 0.0]),
    (0.960_491_268_708_020_3, [0.104_656_226_026_467_27, 0.0, 0.202_538_966_417_850_8]),
];

/// Panels [`adaptive`] may end with. Fewer: creases are left. More: a jump is chased for long.
const PANELS: usize = 10;

/// A part of the range of [`adaptive`], by all rules.
struct Panel {
    range: (f64, f64),
    sum: f64,
    error: f64,
    /// Halvings in a row that did no good. By chance once; twice, what is left is noise of the integrand.
    stubborn: usize,
}

impl Panel {
    fn new(f: impl Fn(f64) -> f64 + Sync, range: (f64, f64)) -> Self {
        let (middle, half) = (0.5 * (range.0 + range.1), 0.5 * (range.1 - range.0));
        let points: Vec<(f64, [f64; 3])> = KRONROD.iter().flat_map(|k| [(-k.0, k.1), *k]).skip(1).collect();
        let values: Vec<f64> = points.par_iter().map(|(x, _)| half * f(middle + half * x)).collect();
        let [sum, gauss, other] = [0, 1, 2].map(|i| points.iter().zip(&values).map(|(p, v)| p.1[i] * v).sum::<f64>());
        // One poorer rule may agree by chance.
        Self { range, sum, error: (sum - gauss).abs().max((sum - other).abs()), stubborn: 0 }
    }

    fn halves(&self, f: impl Fn(f64) -> f64 + Sync) -> [Self; 2] {
        let (lo, hi) = self.range;
        let middle = 0.5 * (lo + hi);
        let halves = [(lo, middle), (middle, hi)].map(|range| Self::new(&f, range));
        // Creases lose three quarters of their error, jumps half.
        let no_better = halves[0].error + halves[1].error > 0.6 * self.error;
        let stubborn = if no_better { self.stubborn + 1 } else { 0 };
        halves.map(|h| Self { stubborn, ..h })
    }
}

/// `∫ f` over a range: the panel whose rules differ most is halved, until all differences together are within
/// `tolerance` of the sum, or noise. They are errors of poorer rules: the sum itself is several times better.
/// Points of a panel are evaluated at once.
pub fn adaptive(f: impl Fn(f64) -> f64 + Sync, range: (f64, f64), tolerance: f64) -> f64 {
    // Never one alone: seven points pass over some creases without a trace.
    let middle = 0.5 * (range.0 + range.1);
    let mut panels = Vec::from([(range.0, middle), (middle, range.1)].map(|range| Panel::new(&f, range)));
    loop {
        let (sum, error) = panels.iter().fold((0.0, 0.0), |(s, e), p| (s + p.sum, e + p.error));
        let live = (0..panels.len()).filter(|i| panels[*i].stubborn < 2);
        let Some(worst) = live.max_by(|i, j| panels[*i].error.total_cmp(&panels[*j].error)) else { return sum };
        if error <= tolerance * f64::abs(sum) || error.is_nan() || panels.len() == PANELS {
            return sum;
        }
        let [low, high] = panels[worst].halves(&f);
        panels[worst] = low;
        panels.push(high);
    }
}

#[cfg(test)]
mod tests {
    use super::{KRONROD, adaptive, gauss, gauss_radial, radial_check};

    #[test]
    fn the_second_opinion_is_exact_to_degree_n_for_what_vanishes_at_the_border() {
        for n in 1..=32 {
            let (rule, (middle, weights)) = (gauss_radial(n), radial_check(n));
            for degree in 1..=n as i32 {
                // 1 − x^degree: its moment is 1/2 − 1/(degree + 2).
                let sum: f64 = rule.nodes.iter().zip(weights).map(|(x, w)| w * (1.0 - x.powi(degree))).sum();
                let exact = 0.5 - 1.0 / f64::from(degree + 2);
                assert!((middle + sum - exact).abs() < 1e-12, "n {n} degree {degree}: {}", middle + sum);
            }
        }
    }

    #[test]
    fn a_radial_rule_is_exact_to_degree_2n_minus_1_with_weight_x() {
        for n in 1..=32 {
            let rule = gauss_radial(n);
            for degree in [0, 1, n, 2 * n - 1] {
                let sum: f64 = rule.nodes.iter().zip(&rule.weights).map(|(x, w)| w * x.powi(degree as i32)).sum();
                assert!((sum - 1.0 / (degree as f64 + 2.0)).abs() < 1e-13, "n {n} degree {degree}: {sum}");
            }
        }
    }

    #[test]
    fn a_rule_of_n_points_is_exact_to_degree_2n_minus_1() {
        for n in 1..=64 {
            let rule = gauss(n);
            for degree in [0, 1, n, 2 * n - 1] {
                let sum: f64 = rule.nodes.iter().zip(&rule.weights).map(|(x, w)| w * x.powi(degree as i32)).sum();
                assert!((sum - 1.0 / (degree as f64 + 1.0)).abs() < 1e-14, "n {n} degree {degree}: {sum}");
            }
        }
    }

    #[test]
    fn kronrod_points_are_exact_to_degree_11_and_the_rules_among_them_to_5() {
        let both = |x: f64, d: i32| if x == 0.0 { x.powi(d) } else { x.powi(d) + (-x).powi(d) };
        for degree in 0..=11 {
            let exact = if degree % 2 == 0 { 2.0 / f64::from(degree + 1) } else { 0.0 };
            for (rule, most) in [(0, 11), (1, 5), (2, 5)] {
                let sum: f64 = KRONROD.iter().map(|k| k.1[rule] * both(k.0, degree)).sum();
                assert!(degree > most || (sum - exact).abs() < 1e-15, "rule {rule}, degree {degree}: {sum}");
            }
        }
    }

    #[test]
    fn adaptive_panels_find_kinks_and_roots() {
        // ∫ |x − 0.3| over [0, 1] = (0.3² + 0.7²)/2; ∫ √x = 2/3.
        assert!((adaptive(|x| (x - 0.3).abs(), (0.0, 1.0), 1e-4) / 0.29 - 1.0).abs() < 1e-4);
        assert!((adaptive(f64::sqrt, (0.0, 1.0), 1e-4) * 1.5 - 1.0).abs() < 1e-4);
    }
}
