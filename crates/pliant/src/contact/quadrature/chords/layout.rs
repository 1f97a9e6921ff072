//! Nodes and weights of a chord rule: panels between creases, each with Gauss points of its own.

use crate::contact::persistent_chart::ChordCounts;
use crate::fields::skeleton::Plane;
use crate::math::gauss;
use std::f64::consts::{PI, TAU};

/// A crease nearer than this to the end of a chord, or to another, as a fraction of the chord, does not cut it; the
/// same across the chords. Smaller: panels with next to nothing in them. Larger: creases inside panels, such as the
/// rims of flat faces.
const MIN_PANEL: f64 = 2e-4;

/// A coordinate along or across the chords, and its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct QuadratureNode {
    pub at: f64,
    pub weight: f64,
}

/// Chords of a patch from `low` to `high`, cut at `crease_coords`, increasing. The pressure vanishes at both ends:
/// chords are denser there, for the outline of a round patch.
pub(super) fn chords(
    [low, high]: [f64; 2],
    crease_coords: &mut Vec<f64>,
    counts: ChordCounts,
    out: &mut Vec<QuadratureNode>,
) {
    out.clear();
    let range = high - low;
    retain_inner([low, high], crease_coords);
    let n = usize::from(counts.chords);
    if crease_coords.is_empty() {
        // Equal angles: exact for the powers of sines that a round patch gives.
        for j in 0..n {
            let angle = PI * (j as f64 + 0.5) / n as f64;
            out.push(QuadratureNode {
                at: low + 0.5 * range * (1.0 - angle.cos()),
                weight: 0.5 * range * angle.sin() * PI / n as f64,
            });
        }
        return;
    }
    let panels = crease_coords.len() + 1;
    for i in 0..panels {
        let from = if i == 0 { low } else { crease_coords[i - 1] };
        let to = if i + 1 == panels { high } else { crease_coords[i] };
        // Between creases integrands are smooth: wide panels need hardly more than narrow ones.
        let share = (n as f64 * (to - from) / range).ceil() as usize;
        let each = share.clamp(n / 4 + 1, n / 3 + 1);
        let rule = gauss(each);
        for (x, w) in rule.nodes.iter().copied().zip(rule.weights.iter().copied()) {
            // Squares of Gauss points towards an end: integrals along chords fall as powers of the root of the distance.
            let (at, weight) = if i == 0 {
                (from + (to - from) * x * x, 2.0 * x * w * (to - from))
            } else if i + 1 == panels {
                (to - (to - from) * (1.0 - x) * (1.0 - x), 2.0 * (1.0 - x) * w * (to - from))
            } else {
                (from + (to - from) * x, w * (to - from))
            };
            out.push(QuadratureNode { at, weight });
        }
    }
}

/// Rays all around.
pub(super) fn rays(counts: ChordCounts, out: &mut Vec<QuadratureNode>) {
    out.clear();
    // A ring is longer than it is wide.
    let n = 4 * usize::from(counts.chords);
    out.extend((0..n).map(|j| QuadratureNode { at: TAU * (j as f64 + 0.5) / n as f64 - PI, weight: TAU / n as f64 }));
}

/// Points on a chord from `low` to `high`, cut at `crease_coords`.
pub(super) fn points(
    [low, high]: [f64; 2],
    crease_coords: &mut Vec<f64>,
    counts: ChordCounts,
    out: &mut Vec<QuadratureNode>,
) {
    out.clear();
    retain_inner([low, high], crease_coords);
    let n = usize::from(counts.points);
    crease_coords.push(high);
    let (mut from, range) = (low, high - low);
    let panels = crease_coords.len();
    for &to in crease_coords.iter() {
        let share = (n as f64 * (to - from) / range).ceil() as usize;
        let rule = gauss(if panels == 1 { n } else { share.clamp(n / 3 + 1, n / 2 + 1) });
        out.extend(
            rule.nodes
                .iter()
                .zip(&rule.weights)
                .map(|(x, w)| QuadratureNode { at: from + x * (to - from), weight: w * (to - from) }),
        );
        from = to;
    }
}

/// Sorts `crease_coords` and keeps those inside the range and apart.
fn retain_inner([low, high]: [f64; 2], crease_coords: &mut Vec<f64>) {
    let least = MIN_PANEL * (high - low);
    crease_coords.sort_by(f64::total_cmp);
    let mut last = low;
    crease_coords.retain(|c| {
        let kept = *c > last + least && *c < high - least;
        if kept {
            last = *c;
        }
        kept
    });
}

/// A plane in chart coordinates of parallel chords: `normal · (s, t, z) = offset`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crease {
    pub normal: [f64; 3],
    pub offset: f64,
}

impl Crease {
    /// Crease of a plane given by its normal and distance in the contact frame.
    pub fn of(plane: &Plane, chart: &super::chart::ChordChart) -> Self {
        let normal = chart.axes.map(|e| e.dot(plane.normal));
        Self { normal, offset: plane.normal.dot(plane.point - chart.origin) }
    }

    /// Whether it runs along the chords.
    pub fn is_along(&self) -> bool {
        let [s, t, _] = self.normal;
        s.abs() < 0.03 * t.abs() && t.abs() > 0.3
    }

    /// Where it crosses the chord at `t`, at height `z`; none if it is nearly parallel.
    pub fn on_chord(&self, t: f64, z: f64) -> Option<f64> {
        let [s, across, up] = self.normal;
        (s.abs() > 0.1 && !self.is_along()).then(|| (self.offset - across * t - up * z) / s)
    }

    /// Where it lies across the chords, if it runs along them.
    pub fn across_chords(&self, s: f64, z: f64) -> Option<f64> {
        let [along, t, up] = self.normal;
        self.is_along().then(|| (self.offset - along * s - up * z) / t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTS: ChordCounts = ChordCounts { chords: 6, points: 4 };

    fn sum(rule: &[QuadratureNode], f: impl Fn(f64) -> f64) -> f64 {
        rule.iter().map(|w| w.weight * f(w.at)).sum()
    }

    /// A paraboloid over the unit disc: the integral along the chord at `t` is `4/3 (1 − t²)^{3/2}`, over all π/2.
    #[test]
    fn chords_of_a_round_patch_integrate_it() {
        let mut rule = Vec::new();
        chords([-1.0, 1.0], &mut Vec::new(), COUNTS, &mut rule);
        let got = sum(&rule, |t| 4.0 / 3.0 * (1.0 - t * t).powf(1.5));
        assert!((got - 0.5 * PI).abs() < 1e-12, "{got}");
    }

    /// Constant between creases at ±1 and falling as a square root beyond: 2 + 2 · 2/3.
    #[test]
    fn panels_integrate_a_flat_patch_with_round_ends() {
        let mut rule = Vec::new();
        chords([-2.0, 2.0], &mut vec![1.0, -1.0, 1.0001, 7.0], COUNTS, &mut rule);
        let got = sum(&rule, |t: f64| if t.abs() < 1.0 { 1.0 } else { (2.0 - t.abs()).sqrt() });
        assert!((got - 2.0 - 4.0 / 3.0).abs() < 1e-12, "{got}");
        assert_eq!(rule.len(), 7, "two at the ends, three between");
    }

    #[test]
    fn points_between_creases_integrate_creased_functions() {
        let mut rule = Vec::new();
        points([-2.0, 2.0], &mut vec![0.5], COUNTS, &mut rule);
        let got = sum(&rule, |s: f64| (s - 0.5).abs());
        assert!((got - (2.5 * 2.5 + 1.5 * 1.5) / 2.0).abs() < 1e-12, "{got}");
    }
}
