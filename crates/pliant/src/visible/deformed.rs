//! The deformed field of a body among its colliders.
//!
//! *The idea* ([G93] §3.2–3.5, [CD97] §III-B, [OC97] §3): where a collider's excess `e` is positive, `−e` is added to the
//! rest field, so that both bodies end on one surface; where it is negative, the bulge is added.
//! *What we changed*: soft colliders' excesses add up, of rigid ones only the greatest counts, and of both sums the
//! greater is subtracted. The sum of bulges is cut off at the least `−e` of all colliders, so that none crosses a median
//! surface. Of one collider's layers (flesh and bone) the greatest excess counts: bone shows where it comes through its
//! flesh. The result does not depend on the order of colliders. *Not promised*: C¹ where the cut-off acts, where three
//! bodies or the layers of one overlap, or where the rest field has a corner.
//!
//! [G93]: crate#papers
//! [CD97]: crate#papers
//! [OC97]: crate#papers

use super::bulge::{BulgeBeside, SampleParts};
use super::collider::Collider;
use crate::contact::law::pressure;
use crate::fields::{Field, Points, Posed, Sample, Samples};
use crate::math::{Cell, DVec3, Interval};
use crate::model::Bulge;

/// A body's field with all compressions and bulges.
#[derive(Clone, Debug)]
pub struct Deformed<'a> {
    /// The rest field.
    pub field: Posed<'a>,
    /// Kind of bulge.
    pub bulge: Bulge,
    /// Everything that presses on it, or might once it bulges.
    pub colliders: Vec<Collider<'a>>,
}

impl Deformed<'_> {
    /// Upper bound on what bulges add to the field.
    pub(crate) fn highest(&self) -> f64 {
        let of_one = |c: &Collider| {
            let highest = c.greatest_height();
            match self.bulge {
                Bulge::None => 0.0,
                // In front of a moving collider the bulge grows as its zone shrinks.
                Bulge::Dilation { follows_motion: true, falloff, .. } => {
                    highest * (1.0 - 0.5 * falloff) / (1.0 - falloff)
                }
                _ => highest,
            }
        };
        self.colliders.iter().map(of_one).sum()
    }

    /// Least value of collider `c`'s own field with which it changes this body's surface.
    pub(crate) fn influence_level(&self, c: &Collider) -> f64 {
        let iso = c.field.shape.iso();
        let level = match self.bulge {
            _ if c.sources.iter().all(|s| s.height <= 0.0) => iso,
            Bulge::None => iso,
            Bulge::Dilation { falloff, follows_motion: false, .. } => 0.5 * falloff * iso,
            _ => 0.0,
        };
        // A rigid collider's excess counts the body's own field, which bulges may leave below its isovalue.
        if c.rigid { level - self.highest() } else { level }
    }

    /// Whether a bulge of some patch is cut off at the median surface: it is too high.
    pub fn is_cut_off(&self) -> bool {
        self.colliders.iter().any(|c| c.sources.iter().any(|source| self.beside(c).is_cut_off(source)))
    }

    fn beside<'b>(&'b self, collider: &'b Collider) -> BulgeBeside<'b> {
        BulgeBeside { body: &self.field, bulge: self.bulge, collider }
    }

    /// The deformed field at `p`, where the rest field is `own` and that of collider number `j` is `other(j)`.
    fn at(&self, p: DVec3, own: Sample, other: impl Fn(usize) -> Sample, wanted: SampleParts) -> Sample {
        let add = |a: Sample, b: Sample| Sample { value: a.value + b.value, gradient: a.gradient + b.gradient };
        let minus = |e: &Sample| Sample { value: -e.value, gradient: -e.gradient };
        // A rigid excess counts the body's own field, and is positive a little outside the rigid body, too: only the
        // greatest of several may be subtracted, and where soft colliders subtract more, they alone do.
        let (mut soft, mut rigid): (Option<Sample>, Option<Sample>) = (None, None);
        let mut limit: Option<Sample> = None;
        let mut j = 0;
        for layers in self.colliders.chunk_by(|c, d| c.body == d.body) {
            let mut most: Option<(Sample, bool)> = None;
            for c in layers {
                let e = c.excess(&self.field, &own, &other(j));
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
        let compression = match (soft, rigid) {
            (Some(s), Some(r)) => Some(if r.value > s.value { r } else { s }),
            (s, r) => s.or(r),
        };
        if let Some(e) = compression {
            return add(own, minus(&e));
        }
        let Some(limit) = limit else { return own };
        let bulges = self.colliders.iter().enumerate().fold(Sample::ZERO, |sum, (j, c)| {
            if c.sources.is_empty() {
                return sum;
            }
            add(sum, self.beside(c).sample(p, &c.excess(&self.field, &own, &other(j)), wanted))
        });
        add(own, if bulges.value > limit.value { limit } else { bulges })
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
            out.set(i, &self.at(points.get(i), out.get(i), |j| others[j].get(i), SampleParts::Gradient));
        }
    }
}

impl Field for Deformed<'_> {
    fn sample(&self, p: DVec3) -> Sample {
        self.at(p, self.field.sample(p), |j| self.colliders[j].field.sample(p), SampleParts::Gradient)
    }

    fn value(&self, p: DVec3) -> f64 {
        self.at(p, self.field.sample(p), |j| self.colliders[j].field.sample(p), SampleParts::Value).value
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
                (pressure(s, other.lo, iso), pressure(s, other.hi, iso))
            };
            lo -= most.max(0.0);
            room = room.min((-least).max(0.0));
        }
        Interval::new(lo, rest.hi + self.highest().min(room))
    }
}
