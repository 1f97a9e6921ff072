//! Elastic energy of a pair: `U = ∫ min(p_a, p_b) dV` over the overlap, by way of its own force.
//!
//! *The idea* (EQUATIONS §5): force is exactly `−∂U/∂x` and `U` is zero apart, so `U` is the work of drawing the pair
//! apart along any straight path. Patches along it are the general ones; nothing new is integrated.

use super::{Pair, Patch, Quality, Side};
use crate::fields::Placed;
use crate::math::{DVec3, Frame, gauss};

/// Joules stored in the overlap of `pair`; zero when they do not touch.
pub fn elastic_energy(pair: &Pair, quality: &Quality) -> f64 {
    let force = |offset: DVec3| -> DVec3 {
        let field = pair.b.field;
        let moved = Frame { translation: field.world_from_body.translation + offset, ..field.world_from_body };
        let b = Side { field: Placed::new(field.shape, moved), ..pair.b };
        Patch::find(&Pair { a: pair.a, b }, quality).iter().map(|p| -p.on_a.force).sum()
    };
    let here = force(DVec3::ZERO);
    let Some(away) = here.try_normalize() else { return 0.0 };
    // How far apart they must go, from outside in.
    let mut apart = pair.least_thickness();
    while force(apart * away) != DVec3::ZERO && apart < 1e3 * pair.least_thickness() {
        apart *= 2.0;
    }
    let mut touching = 0.0;
    for _ in 0..20 {
        let middle = 0.5 * (touching + apart);
        if force(middle * away) == DVec3::ZERO { apart = middle } else { touching = middle }
    }
    let work = |panels: usize| -> f64 {
        let (rule, width) = (gauss(4), apart / panels as f64);
        let at = |i: usize, x: f64| force((i as f64 + x) * width * away).dot(away);
        (0..panels)
            .flat_map(|i| rule.nodes.iter().zip(&rule.weights).map(move |(x, w)| (i, *x, *w)))
            .map(|(i, x, w)| w * width * at(i, x))
            .sum()
    };
    // Halve until it settles: patches that part at different places make kinks.
    let mut last = work(1);
    for panels in [2, 4, 8, 16] {
        let now = work(panels);
        if (now - last).abs() <= 1e-6 * now.abs() {
            return now;
        }
        last = now;
    }
    last
}
