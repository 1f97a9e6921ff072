//! One-dimensional roots that cannot escape their bracket.

/// The root of `f` between `a` and `b`, where `f` changes sign, to within `tolerance` in the argument.
///
/// Illinois false position with a bisection every third step, so the bracket at least halves in three.
/// Returns `None` where `f(a)` and `f(b)` have the same strict sign or are not numbers.
pub fn bracketed_root(mut f: impl FnMut(f64) -> f64, (a, b): (f64, f64), tolerance: f64) -> Option<f64> {
    let (fa, fb) = (f(a), f(b));
    refine_root(f, (a, fa), (b, fb), tolerance)
}

/// [`bracketed_root`] where the values at both ends are already known.
pub fn refine_root(
    mut f: impl FnMut(f64) -> f64,
    (mut a, mut fa): (f64, f64),
    (mut b, mut fb): (f64, f64),
    tolerance: f64,
) -> Option<f64> {
    if fa == 0.0 {
        return Some(a);
    }
    if fb == 0.0 {
        return Some(b);
    }
    if fa.is_nan() || fb.is_nan() || (fa > 0.0) == (fb > 0.0) {
        return None;
    }
    let mut side = 0;
    for step in 0..200 {
        let x = if step % 3 == 2 { 0.5 * (a + b) } else { (fa * b - fb * a) / (fa - fb) };
        let fx = f(x);
        if fx == 0.0 {
            return Some(x);
        }
        if (fx > 0.0) == (fb > 0.0) {
            (b, fb) = (x, fx);
            if side == -1 {
                fa *= 0.5;
            }
            side = -1;
        } else {
            (a, fa) = (x, fx);
            if side == 1 {
                fb *= 0.5;
            }
            side = 1;
        }
        if (b - a).abs() <= tolerance {
            break;
        }
    }
    Some(0.5 * (a + b))
}
