//! From what people measure to `K`.
//!
//! The layer is a bed of independent columns between surface and skeleton (an elastic foundation), so `K` relates to
//! a modulus through the thickness, not through the shape of a half-space in Hertz's sense.

/// `K` of a layer `thickness` metres deep, of Young's modulus `young` and Poisson's ratio `poisson`, whose field
/// has slope `slope` (per metre) at the surface.
///
/// A column of height t, kept from widening by its neighbours, answers a depth δ with the pressure
/// `M δ/t`, `M = E (1 − ν)/((1 + ν)(1 − 2ν))` the confined modulus. The layer answers with `K k δ`. So `K = M/(k t)`.
/// `None` unless all are positive and `0 ≤ ν < ½` (at ½ nothing yields).
pub fn stiffness_from_young(young: f64, poisson: f64, thickness: f64, slope: f64) -> Option<f64> {
    let legal = young > 0.0 && thickness > 0.0 && slope > 0.0 && (0.0..0.5).contains(&poisson);
    legal.then(|| young * (1.0 - poisson) / ((1.0 + poisson) * (1.0 - 2.0 * poisson)) / (slope * thickness))
}

/// `K` that fits measured (depth, force) pairs best, given what the same indentation gives for `K = 1`:
/// force is proportional to `K`, so this is a least-squares slope. `None` without a usable pair.
pub fn stiffness_from_indentation(measured: &[(f64, f64)], unit_force: impl Fn(f64) -> f64) -> Option<f64> {
    let (mut top, mut bottom) = (0.0, 0.0);
    for &(depth, force) in measured {
        let unit = unit_force(depth);
        top += unit * force;
        bottom += unit * unit;
    }
    let stiffness = top / bottom;
    (stiffness.is_finite() && stiffness > 0.0).then_some(stiffness)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confined_column_gives_the_modulus_back() {
        // ν = 0: M = E, and with k = 1/t, K = E.
        assert_eq!(stiffness_from_young(1e5, 0.0, 0.1, 10.0), Some(1e5));
        assert_eq!(stiffness_from_young(1e5, 0.5, 0.1, 10.0), None);
    }

    #[test]
    fn an_indentation_curve_gives_back_the_stiffness_it_was_made_with() {
        let unit = |d: f64| d * d;
        let measured: Vec<_> = (1..10).map(|i| (i as f64 * 1e-3, 4e4 * unit(i as f64 * 1e-3))).collect();
        let k = stiffness_from_indentation(&measured, unit).unwrap();
        assert!((k / 4e4 - 1.0).abs() < 1e-12);
    }
}
