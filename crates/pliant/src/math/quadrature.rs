//! Gauss–Legendre rules on `[0, 1]`, made once and kept.

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

#[cfg(test)]
mod tests {
    use super::gauss;

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
}
