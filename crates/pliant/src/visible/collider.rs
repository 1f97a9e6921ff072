//! Colliders: layers that press on a body, and their excess.
//!
//! *The idea*: everything a collider j does to body i depends on one number at a point, the *excess* `e = s (f_j − c_j)`,
//! `s = K_j/K_i`: j's pressure in units of i's field. It is positive inside j, where i is compressed, and negative outside,
//! where i bulges. *What we changed*: a rigid collider's excess is `(f_i − c_i) + (f_j − c_j)`, which keeps the deformed
//! field continuous.

use crate::contact::law::pressure_sample;
use crate::fields::{Field, Posed, Sample};
use crate::math::DVec3;

/// A patch as the origin of a bulge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BulgeSource {
    /// Middle of the patch.
    pub center: DVec3,
    /// Greatest compression on the patch, field units.
    pub compression: f64,
    /// Height of the bulge around it, field units.
    pub height: f64,
}

/// A layer of a body that presses on another.
#[derive(Clone, Debug)]
pub struct Collider<'a> {
    /// Body it belongs to: any number, the same for all its layers, which are listed together.
    pub body: usize,
    /// Its rest field.
    pub field: Posed<'a>,
    /// `s = K_j/K_i`.
    pub ratio: f64,
    /// Never deformed itself.
    pub rigid: bool,
    /// Its velocity against the deformed body, m/s.
    pub velocity: DVec3,
    /// Patches it presses on; none for a body that is only near, which a bulge must not enter.
    pub sources: Vec<BulgeSource>,
}

/// Settings of a dilation bulge at one point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DilationZone {
    /// Width of the zone, 0 to 1, as in [`Bulge::Dilation`](crate::model::Bulge::Dilation).
    pub falloff: f64,
    /// Position of the bulge's maximum within the zone, as there.
    pub middle: Option<f64>,
    /// −1 behind the collider's motion to 1 in front of it.
    pub skew: f64,
    /// Height without skew, field units.
    pub height: f64,
}

/// Height, place of the maximum and end of a dilation, in units of excess: the arguments of
/// [`Dilation::new`](super::Dilation::new).
#[derive(Clone, Copy, Debug)]
pub(crate) struct DilationSpan {
    pub height: f64,
    pub middle: f64,
    pub end: f64,
}

/// Speed at which a moving collider's bulge is half-way from symmetric to fully skewed, m/s. Larger: bulges stay
/// symmetric. Smaller: they flip with every change of direction.
pub(crate) const SKEW_SPEED: f64 = 0.1;

impl Collider<'_> {
    /// Units of excess per unit of its field.
    pub(super) fn scale(&self) -> f64 {
        if self.rigid { 1.0 } else { self.ratio }
    }

    /// Excess at a point where the field of `body`, the body pressed upon, is `own` and this collider's is `other`.
    pub(super) fn excess(&self, body: &Posed, own: &Sample, other: &Sample) -> Sample {
        let iso = self.field.shape.iso();
        if self.rigid {
            let [own, other] = [pressure_sample(1.0, own, body.shape.iso()), pressure_sample(1.0, other, iso)];
            return Sample { value: own.value + other.value, gradient: own.gradient + other.gradient };
        }
        pressure_sample(self.ratio, other, iso)
    }

    /// [`Collider::excess`] at `p`.
    pub(super) fn excess_at(&self, body: &Posed, p: DVec3) -> Sample {
        let own = if self.rigid { body.sample(p) } else { Sample::ZERO };
        self.excess(body, &own, &self.field.sample(p))
    }

    /// Extent of the dilation around it: `c₁ = ½ c₀ (1 + skew)` ([OC97] §3.1 with the collider's gradient, not the body's);
    /// the bulge is higher where it is shorter.
    pub(crate) fn dilation_span(&self, zone: DilationZone) -> DilationSpan {
        let (iso, s) = (self.field.shape.iso(), self.scale());
        let end_of = |skew: f64| s * iso * (1.0 - 0.5 * zone.falloff * (1.0 + skew));
        let (end, symmetric) = (end_of(zone.skew), end_of(0.0));
        let middle = zone.middle.map_or(0.5 * end, |m| (s * iso * (1.0 - m)).min(0.9 * end));
        DilationSpan { height: zone.height * symmetric / end, middle, end }
    }

    /// Greatest height of its bulges, field units.
    pub(crate) fn greatest_height(&self) -> f64 {
        self.sources.iter().map(|s| s.height).fold(0.0, f64::max)
    }

    /// Outward normal at `p` times the direction of motion, −1 behind the collider to 1 in front, less when it is slow; and its gradient.
    pub(super) fn skew(&self, p: DVec3) -> (f64, DVec3) {
        let speed_sq = self.velocity.length_squared();
        let toward = self.velocity / (speed_sq + SKEW_SPEED * SKEW_SPEED).sqrt();
        let g = self.field.sample(p).gradient;
        let slope = g.length();
        if slope == 0.0 || speed_sq == 0.0 {
            return (0.0, DVec3::ZERO);
        }
        let n = -g / slope;
        // ∇(n·D) = −H (D − n (n·D))/|g|, the second derivative by a difference of gradients.
        let across = toward - toward.dot(n) * n;
        let length = across.length();
        if length == 0.0 {
            return (toward.dot(n), DVec3::ZERO);
        }
        let h = 1e-5 * self.field.shape.min_thickness();
        let e = across / length;
        let rate = (self.field.sample(p + h * e).gradient - self.field.sample(p - h * e).gradient) / (2.0 * h);
        (toward.dot(n), -rate * (length / slope))
    }
}
