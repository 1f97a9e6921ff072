//! The deformed field of a body among its colliders.
//!
//! *The idea* ([G93] §3.2–3.5, [CD97] §III-B, [OC97] §3): inside a collider the body is compressed, so that both share
//! one surface; beside it the body bulges. Everything is told by one number for each collider, the *excess*
//! `e = s (f_j − c)`, `s = K_j/K_i` (rigid j: `e = (f_i − c) + (f_j − c)`): positive inside, where `−e` is added;
//! negative outside, where the bulge is a function of `−e` or of the distance to `e = 0`.
//! *What we changed*: `s` weighs the two sides; a rigid collider works through the sum of fields, which keeps the field
//! continuous, and of which or of all soft ones the greater is taken off; the sum of bulges is cut off at the least `−e` of all colliders, so that none crosses a median surface.
//! Of one collider's layers (flesh and bone) the greatest excess counts: bone shows where it comes through its flesh.
//! The result does not depend on the order of colliders. *Not promised*: C¹ where the cut-off acts, where three bodies
//! or the layers of one overlap, or where the rest field has a corner.

use super::bulge::{Attenuation, Dilation};
use crate::fields::{Field, Points, Posed, Sample, Samples};
use crate::math::{Cell, DVec3, Interval};
use crate::model::Bulge;

/// A patch on a collider, as the bulge around it needs it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zone {
    /// Middle of the patch.
    pub center: DVec3,
    /// Greatest compression on it, field units.
    pub compression: f64,
    /// Height of the bulge around it, field units.
    pub height: f64,
}

/// A layer of a body that presses on another.
#[derive(Clone, Debug)]
pub struct Collider<'a> {
    /// Which body it belongs to: any number, the same for all its layers, which stand together.
    pub body: usize,
    /// Its rest field.
    pub field: Posed<'a>,
    /// `s = K_j/K_i`.
    pub ratio: f64,
    /// Never deformed itself.
    pub rigid: bool,
    /// Its velocity against the deformed body.
    pub velocity: DVec3,
    /// Where it presses; none for a body that is only near, which a bulge must not enter.
    pub zones: Vec<Zone>,
}

impl Collider<'_> {
    /// How many units of excess its field makes of one of its own.
    pub(super) fn scale(&self) -> f64 {
        if self.rigid { 1.0 } else { self.ratio }
    }

    /// Height, middle and end of the dilation around it, in units of excess: what [`Dilation::new`] takes.
    pub(crate) fn bump(&self, (reach, middle): (f64, Option<f64>), (lean, height): (f64, f64)) -> (f64, f64, f64) {
        let (iso, s) = (self.field.shape.iso(), self.scale());
        let end_of = |lean: f64| s * iso * (1.0 - 0.5 * reach * (1.0 + lean));
        let (end, upright) = (end_of(lean), end_of(0.0));
        let middle = middle.map_or(0.5 * end, |m| (s * iso * (1.0 - m)).min(0.9 * end));
        (height * upright / end, middle, end)
    }
}

/// A body's field with all compressions and bulges.
#[derive(Clone, Debug)]
pub struct Deformed<'a> {
    /// The rest field.
    pub field: Posed<'a>,
    /// How its surface swells.
    pub bulge: Bulge,
    /// Everything that presses on it, or might once it swells.
    pub colliders: Vec<Collider<'a>>,
}

/// Where a point's way to a collider ends.
struct Foot {
    /// How far it is.
    x: f64,
    /// Slope of the excess there.
    slope: f64,
    /// Gradient of `x` at the point.
    x_gradient: DVec3,
}

/// What of a sample is asked for; what is not may be anything.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wanted {
    Value,
    Gradient,
}

/// Speed at which a moving collider's bulge is half-way from symmetric to fully leaning, m/s.
pub(crate) const LEANING_SPEED: f64 = 0.1;

/// A bulge's default width, and the most it may have, as a fraction of how far the collider's field reaches out.
const WIDEST: f64 = 0.95;

impl<'a> Deformed<'a> {
    /// No bulge, nor all together, raises the field by more.
    pub(crate) fn highest(&self) -> f64 {
        let of_one = |c: &Collider| {
            let highest = c.zones.iter().map(|z| z.height).fold(0.0, f64::max);
            match self.bulge {
                Bulge::None => 0.0,
                // In front of a moving collider the bump grows as its zone shrinks.
                Bulge::Dilation { follows_motion: true, reach, .. } => highest * (1.0 - 0.5 * reach) / (1.0 - reach),
                _ => highest,
            }
        };
        self.colliders.iter().map(of_one).sum()
    }

    /// Where this body's surface can be, collider `c` changes nothing unless its own field is above this.
    pub(crate) fn felt_from(&self, c: &Collider) -> f64 {
        let iso = c.field.shape.iso();
        let level = match self.bulge {
            _ if c.zones.iter().all(|z| z.height <= 0.0) => iso,
            Bulge::None => iso,
            Bulge::Dilation { reach, follows_motion: false, .. } => 0.5 * reach * iso,
            _ => 0.0,
        };
        // A rigid one's excess counts the body's own field, which bulges may leave below its isovalue.
        if c.rigid { level - self.highest() } else { level }
    }

    /// Excess of collider `c` at a point where the rest field is `own` and the collider's is `other`.
    fn excess(&self, c: &Collider, own: &Sample, other: &Sample) -> Sample {
        let above = other.value - c.field.shape.iso();
        if c.rigid {
            let own_above = own.value - self.field.shape.iso();
            return Sample { value: own_above + above, gradient: own.gradient + other.gradient };
        }
        Sample { value: c.ratio * above, gradient: c.ratio * other.gradient }
    }

    /// [`Deformed::excess`] at `p`.
    pub(super) fn excess_at(&self, c: &Collider, p: DVec3) -> Sample {
        let own = if c.rigid { self.field.sample(p) } else { Sample::ZERO };
        self.excess(c, &own, &c.field.sample(p))
    }

    /// Height of the bulge at `p` and its gradient: that of the patch, or a smooth mean where there are several.
    fn height(&self, c: &Collider, p: DVec3) -> (f64, DVec3) {
        match c.zones.as_slice() {
            [] => (0.0, DVec3::ZERO),
            [only] => (only.height, DVec3::ZERO),
            zones => {
                let (mut top, mut bottom) = (0.0, 0.0);
                let (mut top_grad, mut bottom_grad) = (DVec3::ZERO, DVec3::ZERO);
                for zone in zones {
                    let v = p - zone.center;
                    let d_sq = v.length_squared().max(f64::MIN_POSITIVE);
                    let weight = 1.0 / (d_sq * d_sq);
                    let grad = -4.0 * weight / d_sq * v;
                    top += weight * zone.height;
                    bottom += weight;
                    top_grad += zone.height * grad;
                    bottom_grad += grad;
                }
                let mean = top / bottom;
                (mean, (top_grad - mean * bottom_grad) / bottom)
            }
        }
    }

    /// The bulge beside collider `c`, where its excess is negative.
    fn bulge(&self, c: &Collider, p: DVec3, excess: &Sample, wanted: Wanted) -> Sample {
        let (height, height_gradient) = self.height(c, p);
        if height <= 0.0 {
            return Sample::ZERO;
        }
        let value_only = wanted == Wanted::Value;
        match self.bulge {
            Bulge::None => Sample::ZERO,
            Bulge::Dilation { reach, middle, follows_motion, .. } => {
                let curve = |lean: f64, height: f64| self.dilation(c, (reach, middle), (lean, height));
                let y = -excess.value;
                let (lean, lean_gradient) = if follows_motion { self.lean(c, p) } else { (0.0, DVec3::ZERO) };
                let (value, slope) = curve(lean, height).at(y);
                if value_only {
                    return Sample { value, gradient: DVec3::ZERO };
                }
                let mut gradient = -slope * excess.gradient;
                let h = 1e-6;
                if lean_gradient != DVec3::ZERO {
                    gradient +=
                        (curve(lean + h, height).at(y).0 - curve(lean - h, height).at(y).0) / (2.0 * h) * lean_gradient;
                }
                if height_gradient != DVec3::ZERO {
                    let h = h * height;
                    let rate = (curve(lean, height + h).at(y).0 - curve(lean, height - h).at(y).0) / (2.0 * h);
                    gradient += rate * height_gradient;
                }
                Sample { value, gradient }
            }
            Bulge::Attenuated { width, .. } => {
                let width = self.width(c, width);
                let Some(Foot { x, slope, x_gradient }) = self.foot(c, p, (width, wanted)) else { return Sample::ZERO };
                let (value, rate) = Attenuation::new(height, slope, width).at(x);
                if value == 0.0 || value_only {
                    return Sample { value, gradient: DVec3::ZERO };
                }
                let mut gradient = rate * x_gradient;
                // The slope at the foot changes with the place: by differences, since its share of the bulge vanishes
                // at both ends.
                let step = 1e-5 * width;
                let h = 1e-6 * slope;
                let by_slope = (Attenuation::new(height, slope + h, width).at(x).0
                    - Attenuation::new(height, slope - h, width).at(x).0)
                    / (2.0 * h);
                let slope_at = |q: DVec3| self.foot(c, q, (width, Wanted::Value)).map_or(slope, |f| f.slope);
                for e in [DVec3::X, DVec3::Y, DVec3::Z] {
                    gradient += by_slope * (slope_at(p + step * e) - slope_at(p - step * e)) / (2.0 * step) * e;
                }
                if height_gradient != DVec3::ZERO {
                    let h = 1e-6 * height;
                    let by_height = (Attenuation::new(height + h, slope, width).at(x).0
                        - Attenuation::new(height - h, slope, width).at(x).0)
                        / (2.0 * h);
                    gradient += by_height * height_gradient;
                }
                Sample { value, gradient }
            }
        }
    }

    /// The dilation curve of collider `c`; `lean` in `[−1, 1]` is how far the point lies in front of its motion.
    ///
    /// `c₁ = ½ c₀ (1 + lean)` ([OC97] §3.1 with the collider's gradient, not the body's); the bump is higher where it
    /// is shorter.
    pub(super) fn dilation(&self, c: &Collider, form: (f64, Option<f64>), lean_and_height: (f64, f64)) -> Dilation {
        let (height, middle, end) = c.bump(form, lean_and_height);
        Dilation::new(height, middle, end)
    }

    /// How far `p` lies in front of the collider's motion, −1 to 1, and its gradient.
    fn lean(&self, c: &Collider, p: DVec3) -> (f64, DVec3) {
        let speed_sq = c.velocity.length_squared();
        let toward = c.velocity / (speed_sq + LEANING_SPEED * LEANING_SPEED).sqrt();
        let g = c.field.sample(p).gradient;
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
        let h = 1e-5 * c.field.shape.least_thickness();
        let e = across / length;
        let rate = (c.field.sample(p + h * e).gradient - c.field.sample(p - h * e).gradient) / (2.0 * h);
        (toward.dot(n), -rate * (length / slope))
    }

    /// Width of an attenuated bulge against `c`: as asked, within what the collider's field reaches.
    fn width(&self, c: &Collider, asked: Option<f64>) -> f64 {
        let widest = WIDEST * c.field.shape.least_blend();
        asked.unwrap_or(widest).min(widest)
    }

    /// Where the border `e = 0` of collider `c` is met from `p` along `+∇e` ([CD97] says the opposite direction), if
    /// within `width`.
    fn foot(&self, c: &Collider, p: DVec3, (width, wanted): (f64, Wanted)) -> Option<Foot> {
        let here = self.excess_at(c, p);
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
            at = self.excess_at(c, p + x * d);
            if step.abs() <= 1e-13 * width {
                break;
            }
        }
        let e = at.gradient;
        // e(P + x d(P)) = 0, differentiated; the turn of d by a difference of gradients.
        let aside = e - e.dot(d) * d;
        let length = aside.length();
        let turn = if length > 0.0 && wanted == Wanted::Gradient {
            let step = 1e-5 * width / length * aside;
            let across = self.excess_at(c, p + step).gradient - self.excess_at(c, p - step).gradient;
            across * (length / (2e-5 * width))
        } else {
            DVec3::ZERO
        };
        Some(Foot { x, slope: e.length(), x_gradient: -(e + (x / steepness) * turn) / e.dot(d) })
    }

    /// Whether a bulge of some patch is cut off at the median surface: the user should know that it is too high.
    pub fn is_cut_off(&self) -> bool {
        self.colliders.iter().any(|c| {
            c.zones.iter().any(|zone| match self.bulge {
                Bulge::None => false,
                Bulge::Dilation { reach, middle, .. } => {
                    self.dilation(c, (reach, middle), (0.0, zone.height)).is_cut_off()
                }
                Bulge::Attenuated { width, .. } => {
                    let slope = self.excess_at(c, zone.center).gradient.length();
                    Attenuation::new(zone.height, slope, self.width(c, width)).is_cut_off()
                }
            })
        })
    }
}

impl Deformed<'_> {
    /// The deformed field at `p`, where the rest field is `own` and that of collider number `j` is `other(j)`.
    fn at(&self, p: DVec3, own: Sample, other: impl Fn(usize) -> Sample, wanted: Wanted) -> Sample {
        let add = |a: Sample, b: Sample| Sample { value: a.value + b.value, gradient: a.gradient + b.gradient };
        let minus = |e: &Sample| Sample { value: -e.value, gradient: -e.gradient };
        // A rigid excess counts the body's own field, and is positive a little outside the rigid body, too: only the
        // greatest of several may be taken off, and where soft colliders take off more, they alone do.
        let (mut soft, mut rigid): (Option<Sample>, Option<Sample>) = (None, None);
        let mut limit: Option<Sample> = None;
        let mut j = 0;
        for layers in self.colliders.chunk_by(|c, d| c.body == d.body) {
            let mut most: Option<(Sample, bool)> = None;
            for c in layers {
                let e = self.excess(c, &own, &other(j));
                j += 1;
                if e.value < 0.0 && limit.is_none_or(|l| -e.value < l.value) {
                    limit = Some(minus(&e));
                }
                if e.value >= 0.0 && most.is_none_or(|m| e.value > m.0.value) {
                    most = Some((e, c.rigid));
                }
            }
            let Some((e, is_rigid)) = most else { continue };
            if !is_rigid {
                soft = Some(soft.map_or(e, |s| add(s, e)));
            } else if rigid.is_none_or(|r| e.value > r.value) {
                rigid = Some(e);
            }
        }
        let pressed = match (soft, rigid) {
            (Some(s), Some(r)) => Some(if r.value > s.value { r } else { s }),
            (s, r) => s.or(r),
        };
        if let Some(e) = pressed {
            return add(own, minus(&e));
        }
        let Some(limit) = limit else { return own };
        let swollen = self.colliders.iter().enumerate().fold(Sample::ZERO, |sum, (j, c)| {
            if c.zones.is_empty() {
                return sum;
            }
            add(sum, self.bulge(c, p, &self.excess(c, &own, &other(j)), wanted))
        });
        add(own, if swollen.value > limit.value { limit } else { swollen })
    }

    /// Values and gradients at many points; `out` is made as long. Equal, bit for bit, to [`Field::sample`] at each.
    pub fn samples_many(&self, points: &Points, out: &mut Samples) {
        let rest = |field: &Posed| {
            let mut samples = Samples::default();
            field.samples_many(points, &mut samples);
            samples
        };
        let others: Vec<Samples> = self.colliders.iter().map(|c| rest(&c.field)).collect();
        self.field.samples_many(points, out);
        for i in 0..points.len() {
            out.set(i, &self.at(points.get(i), out.get(i), |j| others[j].get(i), Wanted::Gradient));
        }
    }
}

impl Field for Deformed<'_> {
    fn sample(&self, p: DVec3) -> Sample {
        self.at(p, self.field.sample(p), |j| self.colliders[j].field.sample(p), Wanted::Gradient)
    }

    fn value(&self, p: DVec3) -> f64 {
        self.at(p, self.field.sample(p), |j| self.colliders[j].field.sample(p), Wanted::Value).value
    }

    /// From the rest bounds: compression only lowers, and a bulge never exceeds the greatest height, nor the
    /// distance of a collider's field from its isovalue.
    fn bounds(&self, cell: &Cell) -> Interval {
        let rest = self.field.bounds(cell);
        let (mut lo, mut room) = (rest.lo, f64::INFINITY);
        for c in &self.colliders {
            let other = c.field.bounds(cell);
            let (s, iso) = (c.ratio, c.field.shape.iso());
            let (least, most) = if c.rigid {
                let own = self.field.shape.iso();
                (rest.lo - own + other.lo - iso, rest.hi - own + other.hi - iso)
            } else {
                (s * (other.lo - iso), s * (other.hi - iso))
            };
            lo -= most.max(0.0);
            room = room.min((-least).max(0.0));
        }
        Interval::new(lo, rest.hi + self.highest().min(room))
    }
}
