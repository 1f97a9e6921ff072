//! Ray bounds of a deformed field: how far along a ray it is proved to stay below a level.
//!
//! *The idea*: with `y = −e` the (negative) excess of a collider, the deformed field is nowhere above `own + y`, nor above
//! `own + Σ b(y)` where `b(y)` is `y` inside the collider and the bulge's curve beside it. The first is the field itself
//! where the body is pressed, the second where it bulges; both are smooth, so tangents and second derivatives bound them along
//! a segment. Either bound will do: the farther one is taken.
//! *Not promised*: a proof for attenuated bulges. Their foot points have no second derivative in closed form; it is estimated.

use super::ray::Ray;
use crate::fields::{Element, Field, Posed, TaylorBound};
use crate::math::{Aabb, DVec3};
use crate::model::Bulge;
use crate::visible::{Collider, Deformed, Dilation, DilationSpan, DilationZone, SKEW_SPEED};

/// A segment of a ray.
#[derive(Clone, Copy)]
pub(super) struct RaySegment<'a> {
    pub ray: &'a Ray,
    pub from: f64,
    pub length: f64,
}

/// Distances at which a ray enters and leaves the influence of an element.
#[derive(Clone, Copy, Debug)]
pub(super) struct ElementSpan {
    pub from: f64,
    pub to: f64,
    pub element: u32,
}

/// A rest field on one ray.
pub(super) struct RestField<'a> {
    pub field: &'a Posed<'a>,
    /// Elements near the ray, by index; none: all elements are evaluated.
    pub spans: Option<Vec<ElementSpan>>,
}

impl RestField<'_> {
    /// Value, slope and bounds of the second derivative on a segment.
    pub fn taylor_bound(&self, at: &RaySegment) -> TaylorBound {
        let p = at.ray.at(at.from);
        let Some(spans) = &self.spans else { return self.field.taylor_bound(p, at.ray.along, at.length) };
        let felt = spans.iter().filter(|s| s.from <= at.from + at.length && s.to >= at.from);
        self.field.taylor_bound_of(felt.map(|s| s.element as usize), p, at.ray.along, at.length)
    }
}

/// Bounds of a field on a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct RayBound {
    /// Length from the segment's start on which the field stays below the level.
    pub safe: f64,
    /// Upper bound of the field at the segment's start.
    pub most: f64,
    /// Whether `most` is the field itself.
    pub exact: bool,
}

/// Profile of a collider's bulge over `y`.
#[derive(Clone, Copy)]
struct BulgeProfile {
    height: f64,
    middle: f64,
    end: f64,
}

impl BulgeProfile {
    fn value_and_slope(&self, y: f64) -> (f64, f64) {
        if y < 0.0 { (y, 1.0) } else { Dilation::new(self.height, self.middle, self.end).value_and_slope(y) }
    }

    /// The greatest second derivative between `low` and `high`; not negative.
    fn bend(&self, low: f64, high: f64) -> f64 {
        let Self { height: h, middle: m, end } = *self;
        let m = m.min(3.0 * h);
        let mut most = 0.0f64;
        if high > 0.0 && low < m {
            let (c2, c3) = ((3.0 * h - 2.0 * m) / (m * m), (m - 2.0 * h) / (m * m * m));
            let at = |y: f64| 2.0 * c2 + 6.0 * c3 * y;
            most = most.max(at(low.max(0.0))).max(at(high.min(m)));
        }
        if high > m && low < end {
            let at = |y: f64| h * (6.0 - 12.0 * (end - y) / (end - m)) / ((end - m) * (end - m));
            most = most.max(at(low.max(m))).max(at(high.min(end)));
        }
        most
    }

    /// Greatest growth of the profile per unit of height.
    fn by_height(&self) -> f64 {
        1.0 + 4.5 * self.height / (self.end - self.middle.min(3.0 * self.height))
    }
}

/// A collider near a segment.
struct NearCollider<'a, 'b> {
    collider: &'a Collider<'b>,
    field: TaylorBound,
    /// `−e`.
    y: TaylorBound,
    /// Whether it is the only layer of its body.
    alone: bool,
}

/// A deformed field on one ray.
pub(super) struct FieldOnRay<'a> {
    pub body: &'a Deformed<'a>,
    /// For each collider, the box outside which it has no effect.
    pub around: &'a [Aabb],
    pub rest: &'a RestField<'a>,
}

/// Bounds of a deformed field on a segment, for staying below `level`.
pub(super) fn bound(field: &FieldOnRay, at: &RaySegment, level: f64) -> RayBound {
    let FieldOnRay { body, around, rest } = *field;
    let p = at.ray.at(at.from);
    let ends = Aabb::of_points([p, at.ray.at(at.from + at.length)]);
    let own = rest.taylor_bound(at);
    if !around.iter().any(|b| b.overlaps(&ends)) {
        return RayBound { safe: own.safe(level, at.length), most: own.value, exact: true };
    }
    let near = near(field, &ends, at, &own);
    let mut caps = Caps { level, length: at.length, bound: RayBound { safe: 0.0, most: f64::INFINITY, exact: false } };
    for n in &near {
        // Inside a rigid collider the body's own field cancels.
        let cap = if n.collider.rigid {
            let both = body.field.shape.iso() + n.collider.field.shape.iso();
            TaylorBound { value: both, ..TaylorBound::default() }.plus(-1.0, &n.field)
        } else {
            own.plus(1.0, &n.y)
        };
        caps.take(&cap);
    }
    caps.take(&swollen(body, &near, at, &own));
    caps.bound
}

/// Upper bounds of the field; the best one counts.
struct Caps {
    level: f64,
    length: f64,
    bound: RayBound,
}

impl Caps {
    fn take(&mut self, cap: &TaylorBound) {
        self.bound.most = self.bound.most.min(cap.value);
        self.bound.safe = self.bound.safe.max(cap.safe(self.level, self.length));
    }
}

/// Colliders that reach the box `ends` around the segment.
fn near<'a>(field: &FieldOnRay<'a>, ends: &Aabb, at: &RaySegment, own: &TaylorBound) -> Vec<NearCollider<'a, 'a>> {
    let FieldOnRay { body, around, .. } = *field;
    let p = at.ray.at(at.from);
    let mut near = Vec::with_capacity(body.colliders.len());
    for (j, c) in body.colliders.iter().enumerate() {
        if !around[j].overlaps(ends) {
            continue;
        }
        let field = c.field.taylor_bound(p, at.ray.along, at.length);
        let iso = c.field.shape.iso();
        let y = if c.rigid {
            let both = body.field.shape.iso() + iso;
            TaylorBound { value: both, ..TaylorBound::default() }.plus(-1.0, own).plus(-1.0, &field)
        } else {
            TaylorBound { value: c.ratio * iso, ..TaylorBound::default() }.plus(-c.ratio, &field)
        };
        let other = |k: usize| body.colliders.get(k).is_some_and(|d| d.body == c.body);
        let alone = !(other(j + 1) || j > 0 && other(j - 1));
        near.push(NearCollider { collider: c, field, y, alone });
    }
    near
}

/// `own + Σ b(y)`.
fn swollen(body: &Deformed, near: &[NearCollider], at: &RaySegment, own: &TaylorBound) -> TaylorBound {
    let inside = near.iter().any(|n| n.y.range(at.length).1 <= 0.0);
    if let (Bulge::Attenuated { .. }, false) = (body.bulge, inside) {
        return attenuated(body, near, at, own);
    }
    // Of rigid colliders only the deepest counts; of that and the soft ones, the greater. Where soft ones may press, theirs alone
    // is taken, which is no less. Of the layers of one body the deepest counts, too; here they are not told apart.
    let soft = near.iter().any(|n| n.alone && !n.collider.rigid && n.y.range(at.length).0 < 0.0);
    let deepest = near.iter().filter(|n| n.alone && n.collider.rigid).min_by(|a, b| a.y.value.total_cmp(&b.y.value));
    let mut sum = *own;
    for n in near {
        let presses = n.alone && (!n.collider.rigid || !soft && deepest.is_some_and(|d| std::ptr::eq(d, n)));
        let swells = !inside && n.collider.sources.iter().any(|s| s.height > 0.0);
        let term = match body.bulge {
            Bulge::Dilation { falloff, middle, follows_motion, .. } if swells => {
                dilated(n, &DilationShape { falloff, middle, follows_motion }, at, presses)
            }
            // A collider without bulge adds min(y, 0).
            _ if presses && n.y.value < 0.0 => n.y,
            _ => TaylorBound::default(),
        };
        sum = sum.plus(1.0, &term);
    }
    sum
}

/// Parameters of [`Bulge::Dilation`].
struct DilationShape {
    falloff: f64,
    middle: Option<f64>,
    follows_motion: bool,
}

/// The term of one collider; below zero only if it `presses`.
fn dilated(n: &NearCollider, shape: &DilationShape, at: &RaySegment, presses: bool) -> TaylorBound {
    let DilationShape { falloff, middle, follows_motion } = *shape;
    let (c, p) = (n.collider, at.ray.at(at.from));
    let scale = (if c.rigid { 1.0 } else { c.ratio }) * c.field.shape.iso();
    let curve = |lean: f64, height: f64| {
        let DilationSpan { height, middle, end } =
            c.dilation_span(DilationZone { falloff, middle, skew: lean, height });
        BulgeProfile { height, middle, end }
    };
    let highest = c.greatest_height();
    let leaning = if follows_motion { lean(n, p, at.length) } else { Some((0.0, 0.0)) };
    let (Some((lean, by_lean)), Some((height, by_place))) = (leaning, height(c, p, at.length)) else {
        // Greatest height, in front of the motion, with the greatest length, behind it.
        let (front, behind) = if follows_motion { (1.0, -1.0) } else { (0.0, 0.0) };
        let (front, behind) = (curve(front, highest), curve(behind, highest));
        let part = ((behind.end - n.y.range(at.length).0) / (behind.end - behind.middle)).clamp(0.0, 1.0);
        return TaylorBound { value: front.height * part * part * (3.0 - 2.0 * part), ..TaylorBound::default() };
    };
    let curve = curve(lean, height);
    let (low, high) = n.y.range(at.length);
    if curve.height <= 0.0 || (!presses && high <= 0.0) {
        return if presses && n.y.value < 0.0 { n.y } else { TaylorBound::default() };
    }
    let rate = n.y.max_change(at.length) / at.length;
    let m = curve.middle.min(3.0 * curve.height);
    // Upper bound of ∂b/∂lean through the profile's end; it fades where the profile runs out.
    let room = curve.end - m;
    let (by_height, h) = (curve.by_height(), curve.height);
    let longest = scale * (1.0 - 0.5 * falloff * (1.0 + (lean - by_lean * at.length).max(-1.0)));
    let part = ((longest - low) / room).clamp(0.0, 1.0);
    let through_end = if low >= curve.middle / curve.end * longest {
        6.0 * part * h * (3.0 / room + by_height / curve.end)
    } else {
        by_height * h / curve.end + 3.0 * h / room + 1.0
    };
    let aside = by_height * by_place + scale * falloff * through_end * by_lean;
    let (value, slope) = curve.value_and_slope(n.y.value);
    if !presses && low < 0.0 {
        // A kink where the collider begins; the profile is nowhere steeper than this.
        let steepest = (1.0f64).max(1.5 * curve.height / room).max(3.0 * curve.height / m);
        let mut jet = TaylorBound { value: value.max(0.0), ..TaylorBound::default() };
        jet.up.slope = steepest * rate + aside;
        return jet;
    }
    let mut jet = TaylorBound { value, ..TaylorBound::default() }.plus(slope, &TaylorBound { value: 0.0, ..n.y });
    jet.up.slope += aside;
    jet.up.second += curve.bend(low, high) * rate * rate;
    jet
}

/// Height of the bulge at `p`, and its greatest change per metre within `length`; none if unknown.
fn height(c: &Collider, p: DVec3, length: f64) -> Option<(f64, f64)> {
    if let [only] = c.sources.as_slice() {
        return Some((only.height, 0.0));
    }
    let (mut top, mut bottom, mut nearest) = (0.0, 0.0, f64::INFINITY);
    let (mut low, mut high) = (f64::INFINITY, 0.0f64);
    for source in &c.sources {
        let d_sq = (p - source.center).length_squared().max(f64::MIN_POSITIVE);
        let weight = 1.0 / (d_sq * d_sq);
        top += weight * source.height;
        bottom += weight;
        nearest = nearest.min(d_sq.sqrt());
        (low, high) = (low.min(source.height), high.max(source.height));
    }
    // Each weight changes by 4/d of itself.
    let room = nearest - length;
    (room > 0.0 && bottom.is_finite()).then(|| (top / bottom, 4.0 * (high - low) / room))
}

/// Cosine between the collider's motion and the direction to `p`, and its greatest change per metre within `length`; none if
/// unknown.
fn lean(n: &NearCollider, p: DVec3, length: f64) -> Option<(f64, f64)> {
    let speed_sq = n.collider.velocity.length_squared();
    if speed_sq == 0.0 {
        return Some((0.0, 0.0));
    }
    let toward = n.collider.velocity / (speed_sq + SKEW_SPEED * SKEW_SPEED).sqrt();
    let gradient = n.collider.field.sample(p).gradient;
    let (slope, bend) = (gradient.length(), n.field.up.second.max(n.field.down.second));
    let room = slope - bend * length;
    let smooth = n.field.up.slope == 0.0 && n.field.down.slope == 0.0 && room > 0.0;
    smooth.then(|| (-toward.dot(gradient) / slope, toward.length() * bend / room))
}

/// The deformed field itself beside attenuated bulges, with an estimate of its second derivative.
fn attenuated(body: &Deformed, near: &[NearCollider], at: &RaySegment, own: &TaylorBound) -> TaylorBound {
    let width = if let Bulge::Attenuated { width, .. } = body.bulge { width } else { None };
    let p = at.ray.at(at.from);
    let here = body.sample(p);
    let mut jet = TaylorBound { value: here.value, slope: here.gradient.dot(at.ray.along), ..*own };
    for n in near {
        let highest = n.collider.greatest_height();
        if highest <= 0.0 {
            continue;
        }
        let elements = n.collider.field.shape.elements();
        let slope = elements.iter().map(|e: &Element| n.collider.ratio / e.thickness()).fold(0.0, f64::max);
        let widest = n.collider.field.shape.min_blend();
        let width = width.unwrap_or(widest).min(widest).min(6.0 * highest / slope);
        jet.up.slope += n.y.up.slope + n.y.down.slope;
        jet.up.second += 2.0 * (24.0 * highest / (width * width) + n.y.up.second + n.y.down.second);
    }
    jet
}
