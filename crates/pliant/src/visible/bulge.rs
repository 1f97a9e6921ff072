//! The bulge beside one collider: its height at a point, and the gradient of that.
//!
//! *The idea* ([OC97] §3, [CD97] §III-B): a dilation is a function of the negative excess; an attenuated bulge is a
//! function of the distance to the border of the compressed zone. *What we changed*: with several patches the height is a
//! mean of theirs, weighted by the inverse fourth power of distance. *Not promised*: gradients of skew, height and slope
//! at the closest point are differences, good to about six digits.
//!
//! [OC97]: crate#papers
//! [CD97]: crate#papers

use super::collider::{BulgeSource, Collider, DilationSpan, DilationZone};
use super::profile::{Attenuation, Dilation};
use crate::fields::{Posed, Sample};
use crate::math::DVec3;
use crate::model::Bulge;

/// A bulge's default width, and the most it may have, as a fraction of how far the collider's field reaches out.
const WIDEST: f64 = 0.95;

/// Parts of a sample that are needed; the others may hold anything.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum SampleParts {
    Value,
    Gradient,
}

/// The bulge of a body beside one collider.
pub(super) struct BulgeBeside<'a> {
    pub body: &'a Posed<'a>,
    pub bulge: Bulge,
    pub collider: &'a Collider<'a>,
}

/// The point where the line from a point along `∇e` meets the border `e = 0`.
struct ClosestPoint {
    /// Distance to it, metres.
    x: f64,
    /// Slope of the excess there.
    slope: f64,
    /// Gradient of `x` at the point the line starts from.
    x_gradient: DVec3,
}

impl BulgeBeside<'_> {
    /// The bulge at `p`, where the collider's excess is negative.
    pub fn sample(&self, p: DVec3, excess: &Sample, wanted: SampleParts) -> Sample {
        let (height, height_gradient) = height(&self.collider.sources, p);
        if height <= 0.0 {
            return Sample::ZERO;
        }
        let value_only = wanted == SampleParts::Value;
        match self.bulge {
            Bulge::None => Sample::ZERO,
            Bulge::Dilation { falloff, middle, follows_motion, .. } => {
                let profile = |skew: f64, height: f64| self.dilation(DilationZone { falloff, middle, skew, height });
                let y = -excess.value;
                let (skew, skew_gradient) = if follows_motion { self.collider.skew(p) } else { (0.0, DVec3::ZERO) };
                let (value, slope) = profile(skew, height).value_and_slope(y);
                if value_only {
                    return Sample { value, gradient: DVec3::ZERO };
                }
                let mut gradient = -slope * excess.gradient;
                let h = 1e-6;
                if skew_gradient != DVec3::ZERO {
                    gradient += (profile(skew + h, height).value_and_slope(y).0
                        - profile(skew - h, height).value_and_slope(y).0)
                        / (2.0 * h)
                        * skew_gradient;
                }
                if height_gradient != DVec3::ZERO {
                    let h = h * height;
                    let rate = (profile(skew, height + h).value_and_slope(y).0
                        - profile(skew, height - h).value_and_slope(y).0)
                        / (2.0 * h);
                    gradient += rate * height_gradient;
                }
                Sample { value, gradient }
            }
            Bulge::Attenuated { width, .. } => {
                let width = self.width(width);
                let Some(ClosestPoint { x, slope, x_gradient }) = self.closest_point(p, width, wanted) else {
                    return Sample::ZERO;
                };
                let (value, rate) = Attenuation::new(height, slope, width).value_and_slope(x);
                if value == 0.0 || value_only {
                    return Sample { value, gradient: DVec3::ZERO };
                }
                let mut gradient = rate * x_gradient;
                // The slope at the closest point changes with the place: by differences, since its share of the bulge
                // vanishes at both ends.
                let step = 1e-5 * width;
                let h = 1e-6 * slope;
                let by_slope = (Attenuation::new(height, slope + h, width).value_and_slope(x).0
                    - Attenuation::new(height, slope - h, width).value_and_slope(x).0)
                    / (2.0 * h);
                let slope_at = |q: DVec3| self.closest_point(q, width, SampleParts::Value).map_or(slope, |f| f.slope);
                for e in [DVec3::X, DVec3::Y, DVec3::Z] {
                    gradient += by_slope * (slope_at(p + step * e) - slope_at(p - step * e)) / (2.0 * step) * e;
                }
                if height_gradient != DVec3::ZERO {
                    let h = 1e-6 * height;
                    let by_height = (Attenuation::new(height + h, slope, width).value_and_slope(x).0
                        - Attenuation::new(height - h, slope, width).value_and_slope(x).0)
                        / (2.0 * h);
                    gradient += by_height * height_gradient;
                }
                Sample { value, gradient }
            }
        }
    }

    /// Whether the bulge of `source` is cut off at the median surface.
    pub fn is_cut_off(&self, source: &BulgeSource) -> bool {
        match self.bulge {
            Bulge::None => false,
            Bulge::Dilation { falloff, middle, .. } => {
                self.dilation(DilationZone { falloff, middle, skew: 0.0, height: source.height }).is_cut_off()
            }
            Bulge::Attenuated { width, .. } => {
                let slope = self.collider.excess_at(self.body, source.center).gradient.length();
                Attenuation::new(source.height, slope, self.width(width)).is_cut_off()
            }
        }
    }

    fn dilation(&self, zone: DilationZone) -> Dilation {
        let DilationSpan { height, middle, end } = self.collider.dilation_span(zone);
        Dilation::new(height, middle, end)
    }

    /// Width of an attenuated bulge: as asked for, within the reach of the collider's field.
    fn width(&self, asked: Option<f64>) -> f64 {
        let widest = WIDEST * self.collider.field.shape.min_blend();
        asked.unwrap_or(widest).min(widest)
    }

    /// Crossing of the border `e = 0` from `p` along `+∇e` ([CD97] has the opposite direction), if within `width`.
    fn closest_point(&self, p: DVec3, width: f64, wanted: SampleParts) -> Option<ClosestPoint> {
        let excess_at = |p: DVec3| self.collider.excess_at(self.body, p);
        let here = excess_at(p);
        let steepness = here.gradient.length();
        let d = here.gradient.try_normalize()?;
        // Newton along the line: from outside it comes to the first crossing, and turns back where there is none.
        let (mut x, mut at) = (0.0, here);
        for _ in 0..50 {
            let step = -at.value / at.gradient.dot(d);
            if !(step >= -width && x + step <= width && x + step >= 0.0) {
                return None;
            }
            x += step;
            at = excess_at(p + x * d);
            if step.abs() <= 1e-13 * width {
                break;
            }
        }
        let e = at.gradient;
        // e(P + x d(P)) = 0, differentiated; the turn of d by a difference of gradients.
        let aside = e - e.dot(d) * d;
        let length = aside.length();
        let turn = if length > 0.0 && wanted == SampleParts::Gradient {
            let step = 1e-5 * width / length * aside;
            let across = excess_at(p + step).gradient - excess_at(p - step).gradient;
            across * (length / (2e-5 * width))
        } else {
            DVec3::ZERO
        };
        Some(ClosestPoint { x, slope: e.length(), x_gradient: -(e + (x / steepness) * turn) / e.dot(d) })
    }
}

/// Height of the bulge at `p` and its gradient: that of the only patch, or a smooth mean of several.
fn height(sources: &[BulgeSource], p: DVec3) -> (f64, DVec3) {
    match sources {
        [] => (0.0, DVec3::ZERO),
        [only] => (only.height, DVec3::ZERO),
        sources => {
            let (mut top, mut bottom) = (0.0, 0.0);
            let (mut top_grad, mut bottom_grad) = (DVec3::ZERO, DVec3::ZERO);
            for source in sources {
                let v = p - source.center;
                let d_sq = v.length_squared().max(f64::MIN_POSITIVE);
                let weight = 1.0 / (d_sq * d_sq);
                let grad = -4.0 * weight / d_sq * v;
                top += weight * source.height;
                bottom += weight;
                top_grad += source.height * grad;
                bottom_grad += grad;
            }
            let mean = top / bottom;
            (mean, (top_grad - mean * bottom_grad) / bottom)
        }
    }
}
