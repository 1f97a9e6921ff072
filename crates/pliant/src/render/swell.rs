//! How far along a ray a deformed body is proved to be absent.
//!
//! *The idea*: with `y = −e` the (negative) excess of a collider, the deformed field is nowhere above `own + y`, nor above
//! `own + Σ b(y)` where `b(y)` is `y` inside the collider and the bulge's curve beside it. The first is the field itself
//! where the body is pressed, the second where it swells; both are smooth, so tangents and second derivatives bound
//! them along a stretch. Either proof will do: the farther one is taken.
//! *Not promised*: for attenuated bulges, whose foot points have no second derivative in closed form, the bend is an
//! estimate.

use super::hit::Ray;
use crate::contact::{Collider, Deformed, Dilation, LEANING_SPEED};
use crate::fields::{Element, Field, Posed, TaylorBound as Jet};
use crate::math::{Aabb, DVec3};
use crate::model::Bulge;

/// A stretch of a ray.
#[derive(Clone, Copy)]
pub(super) struct Stretch<'a> {
    pub ray: &'a Ray,
    pub from: f64,
    pub length: f64,
}

/// Where an element's influence begins and ends on a ray.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub from: f64,
    pub to: f64,
    pub element: u32,
}

/// A rest field on one ray.
pub(super) struct Own<'a> {
    pub field: &'a Posed<'a>,
    /// The elements that the ray comes near, in their order; none if all are asked.
    pub spans: Option<Vec<Span>>,
}

impl Own<'_> {
    pub fn along(&self, at: &Stretch) -> Jet {
        let p = at.ray.at(at.from);
        let Some(spans) = &self.spans else { return self.field.taylor_bound(p, at.ray.along, at.length) };
        let felt = spans.iter().filter(|s| s.from <= at.from + at.length && s.to >= at.from);
        self.field.taylor_bound_of(felt.map(|s| s.element as usize), p, at.ray.along, at.length)
    }
}

/// What is known on a stretch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proof {
    /// Up to here the field stays below the level asked for.
    pub safe: f64,
    /// Not less than the field at the stretch's beginning.
    pub most: f64,
    /// Whether `most` is the field there.
    pub exact: bool,
}

/// A collider's bulge as a curve of `y`.
#[derive(Clone, Copy)]
struct Curve {
    height: f64,
    middle: f64,
    end: f64,
}

impl Curve {
    fn at(&self, y: f64) -> (f64, f64) {
        if y < 0.0 { (y, 1.0) } else { Dilation::new(self.height, self.middle, self.end).at(y) }
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

    /// The curve grows by at most this much per unit of height.
    fn by_height(&self) -> f64 {
        1.0 + 4.5 * self.height / (self.end - self.middle.min(3.0 * self.height))
    }
}

/// A collider near a stretch.
struct Near<'a, 'b> {
    collider: &'a Collider<'b>,
    field: Jet,
    /// `−e`.
    y: Jet,
    /// Whether it is its body's only layer.
    alone: bool,
}

/// What proves that `body`, of which collider `j` reaches no farther than `around[j]`, stays below `level` on a stretch.
pub(super) fn proof(body: &Deformed, around: &[Aabb], (at, own): (&Stretch, &Own), level: f64) -> Proof {
    let p = at.ray.at(at.from);
    let ends = Aabb::of_points([p, at.ray.at(at.from + at.length)]);
    let own = own.along(at);
    if !around.iter().any(|b| b.overlaps(&ends)) {
        return Proof { safe: own.safe(level, at.length), most: own.value, exact: true };
    }
    let near = near(body, (around, &ends), at, &own);
    let mut caps = Caps { level, length: at.length, proof: Proof { safe: 0.0, most: f64::INFINITY, exact: false } };
    for n in &near {
        // Inside a rigid collider the body's own field cancels.
        let cap = if n.collider.rigid {
            let both = body.field.shape.iso() + n.collider.field.shape.iso();
            Jet { value: both, ..Jet::default() }.plus(-1.0, &n.field)
        } else {
            own.plus(1.0, &n.y)
        };
        caps.take(&cap);
    }
    caps.take(&swollen(body, &near, at, &own));
    caps.proof
}

/// Bounds, of which the best counts.
struct Caps {
    level: f64,
    length: f64,
    proof: Proof,
}

impl Caps {
    fn take(&mut self, cap: &Jet) {
        self.proof.most = self.proof.most.min(cap.value);
        self.proof.safe = self.proof.safe.max(cap.safe(self.level, self.length));
    }
}

fn near<'a, 'b>(
    body: &'a Deformed<'b>,
    (around, ends): (&[Aabb], &Aabb),
    at: &Stretch,
    own: &Jet,
) -> Vec<Near<'a, 'b>> {
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
            Jet { value: both, ..Jet::default() }.plus(-1.0, own).plus(-1.0, &field)
        } else {
            Jet { value: c.ratio * iso, ..Jet::default() }.plus(-c.ratio, &field)
        };
        let other = |k: usize| body.colliders.get(k).is_some_and(|d| d.body == c.body);
        let alone = !(other(j + 1) || j > 0 && other(j - 1));
        near.push(Near { collider: c, field, y, alone });
    }
    near
}

/// `own + Σ b(y)`.
fn swollen(body: &Deformed, near: &[Near], at: &Stretch, own: &Jet) -> Jet {
    let inside = near.iter().any(|n| n.y.range(at.length).1 <= 0.0);
    if let (Bulge::Attenuated { width, .. }, false) = (body.bulge, inside) {
        return attenuated(body, (near, width), at, own);
    }
    // Of rigid colliders only the deepest counts, and of that and the soft ones the greater: where soft ones may press,
    // theirs alone is taken, which is no less. Of a body's layers the deepest counts, too; they are told apart nowhere here.
    let soft = near.iter().any(|n| n.alone && !n.collider.rigid && n.y.range(at.length).0 < 0.0);
    let deepest = near.iter().filter(|n| n.alone && n.collider.rigid).min_by(|a, b| a.y.value.total_cmp(&b.y.value));
    let mut sum = *own;
    for n in near {
        let presses = n.alone && (!n.collider.rigid || !soft && deepest.is_some_and(|d| std::ptr::eq(d, n)));
        let swells = !inside && n.collider.zones.iter().any(|z| z.height > 0.0);
        let term = match body.bulge {
            Bulge::Dilation { reach, middle, follows_motion, .. } if swells => {
                dilated(n, (reach, middle, follows_motion), at, presses)
            }
            // What only presses is the lesser of y and nothing.
            _ if presses && n.y.value < 0.0 => n.y,
            _ => Jet::default(),
        };
        sum = sum.plus(1.0, &term);
    }
    sum
}

/// The curve of one collider; below zero only if it `presses`.
fn dilated(n: &Near, (reach, middle, follows_motion): (f64, Option<f64>, bool), at: &Stretch, presses: bool) -> Jet {
    let (c, p) = (n.collider, at.ray.at(at.from));
    let scale = (if c.rigid { 1.0 } else { c.ratio }) * c.field.shape.iso();
    let curve = |lean: f64, height: f64| {
        let (height, middle, end) = c.bump((reach, middle), (lean, height));
        Curve { height, middle, end }
    };
    let highest = c.zones.iter().map(|z| z.height).fold(0.0, f64::max);
    let leaning = if follows_motion { lean(n, p, at.length) } else { Some((0.0, 0.0)) };
    let (Some((lean, by_lean)), Some((height, by_place))) = (leaning, height(c, p, at.length)) else {
        // No lower in front of the motion, no shorter behind it.
        let (front, behind) = if follows_motion { (1.0, -1.0) } else { (0.0, 0.0) };
        let (front, behind) = (curve(front, highest), curve(behind, highest));
        let part = ((behind.end - n.y.range(at.length).0) / (behind.end - behind.middle)).clamp(0.0, 1.0);
        return Jet { value: front.height * part * part * (3.0 - 2.0 * part), ..Jet::default() };
    };
    let curve = curve(lean, height);
    let (low, high) = n.y.range(at.length);
    if curve.height <= 0.0 || (!presses && high <= 0.0) {
        return if presses && n.y.value < 0.0 { n.y } else { Jet::default() };
    }
    let rate = n.y.most_change(at.length) / at.length;
    let m = curve.middle.min(3.0 * curve.height);
    // ∂b/∂lean through the curve's end, generously; where the curve runs out it fades with it.
    let room = curve.end - m;
    let (by_height, h) = (curve.by_height(), curve.height);
    let longest = scale * (1.0 - 0.5 * reach * (1.0 + (lean - by_lean * at.length).max(-1.0)));
    let part = ((longest - low) / room).clamp(0.0, 1.0);
    let through_end = if low >= curve.middle / curve.end * longest {
        6.0 * part * h * (3.0 / room + by_height / curve.end)
    } else {
        by_height * h / curve.end + 3.0 * h / room + 1.0
    };
    let aside = by_height * by_place + scale * reach * through_end * by_lean;
    let (value, slope) = curve.at(n.y.value);
    if !presses && low < 0.0 {
        // Bent upward where the collider begins; the curve is nowhere steeper than this.
        let steepest = (1.0f64).max(1.5 * curve.height / room).max(3.0 * curve.height / m);
        let mut jet = Jet { value: value.max(0.0), ..Jet::default() };
        jet.up.slope = steepest * rate + aside;
        return jet;
    }
    let mut jet = Jet { value, ..Jet::default() }.plus(slope, &Jet { value: 0.0, ..n.y });
    jet.up.slope += aside;
    jet.up.second += curve.bend(low, high) * rate * rate;
    jet
}

/// Height of the bulge at `p`, and how much it may change per metre within `length`.
fn height(c: &Collider, p: DVec3, length: f64) -> Option<(f64, f64)> {
    if let [only] = c.zones.as_slice() {
        return Some((only.height, 0.0));
    }
    let (mut top, mut bottom, mut nearest) = (0.0, 0.0, f64::INFINITY);
    let (mut low, mut high) = (f64::INFINITY, 0.0f64);
    for zone in &c.zones {
        let d_sq = (p - zone.center).length_squared().max(f64::MIN_POSITIVE);
        let weight = 1.0 / (d_sq * d_sq);
        top += weight * zone.height;
        bottom += weight;
        nearest = nearest.min(d_sq.sqrt());
        (low, high) = (low.min(zone.height), high.max(zone.height));
    }
    // Each weight changes by 4/d of itself.
    let room = nearest - length;
    (room > 0.0 && bottom.is_finite()).then(|| (top / bottom, 4.0 * (high - low) / room))
}

/// How far `p` lies in front of the collider's motion, and how much that may change per metre within `length`.
fn lean(n: &Near, p: DVec3, length: f64) -> Option<(f64, f64)> {
    let speed_sq = n.collider.velocity.length_squared();
    if speed_sq == 0.0 {
        return Some((0.0, 0.0));
    }
    let toward = n.collider.velocity / (speed_sq + LEANING_SPEED * LEANING_SPEED).sqrt();
    let gradient = n.collider.field.sample(p).gradient;
    let (slope, bend) = (gradient.length(), n.field.up.second.max(n.field.down.second));
    let room = slope - bend * length;
    let smooth = n.field.up.slope == 0.0 && n.field.down.slope == 0.0 && room > 0.0;
    smooth.then(|| (-toward.dot(gradient) / slope, toward.length() * bend / room))
}

/// The deformed field itself beside attenuated bulges, with an estimate of how it bends.
fn attenuated(body: &Deformed, (near, width): (&[Near], Option<f64>), at: &Stretch, own: &Jet) -> Jet {
    let p = at.ray.at(at.from);
    let here = body.sample(p);
    let mut jet = Jet { value: here.value, slope: here.gradient.dot(at.ray.along), ..*own };
    for n in near {
        let highest = n.collider.zones.iter().map(|z| z.height).fold(0.0, f64::max);
        if highest <= 0.0 {
            continue;
        }
        let elements = n.collider.field.shape.elements();
        let slope = elements.iter().map(|e: &Element| n.collider.ratio / e.thickness()).fold(0.0, f64::max);
        let widest = n.collider.field.shape.least_blend();
        let width = width.unwrap_or(widest).min(widest).min(6.0 * highest / slope);
        jet.up.slope += n.y.up.slope + n.y.down.slope;
        jet.up.second += 2.0 * (24.0 * highest / (width * width) + n.y.up.second + n.y.down.second);
    }
    jet
}
