//! One body of a render scene, and the first point of its surface on a ray.
//!
//! *The idea*: each step along a ray is as long as a bound proves the field below its isovalue: tangent plus greatest second
//! derivative of everything that contributes (`ray_bound.rs`). Far from the surface that is a large step; close to a root it
//! becomes a Newton step from the near side, so the first root is found and no other.
//! *Promised*: every peak more than 1e-10 of the isovalue above it is hit, however thin.
//! *Not promised*: the same beside attenuated bulges, whose second derivative is an estimate.

use super::ray::Ray;
use super::ray_bound::{ElementSpan, FieldOnRay, RayBound, RaySegment, RestField, bound};
use super::shutter::ShutterMotion;
use crate::fields::{Element, Field};
use crate::math::{Aabb, Bvh, DVec3};
use crate::visible::{Collider, Deformed};

/// A body as it is drawn: its deformed field and its material.
#[derive(Clone, Debug)]
pub struct Instance<'a> {
    /// The deformed field.
    pub field: Deformed<'a>,
    /// Index of the body in [`World::bodies`](crate::World::bodies); 0 for an instance made otherwise.
    pub body: usize,
    /// Reflectance of red, green and blue, linear.
    pub color: [f64; 3],
    /// 0: glossy varnish. 1: matt.
    pub roughness: f64,
    /// K, pascals: pressure per unit of field. 0 shows no pressure.
    pub stiffness: f64,
    /// Motion while the shutter is open.
    pub motion: ShutterMotion,
    bounds: Aabb,
    /// For each collider, the box outside which it does not deform this body.
    around: Vec<Aabb>,
    /// Tree over the elements' influence boxes, body frame; only for many elements.
    tree: Option<Bvh>,
}

/// Number of elements above which a tree selects those near a ray. Fewer: the query takes longer than evaluating all.
const MANY: usize = 8;

/// Elements in a leaf of that tree.
const LEAF: usize = 2;

/// Height of a peak above the isovalue that may be missed, as a fraction of it. Less: more steps towards roots, and
/// rounding errors become surfaces.
const MISSED_PEAK: f64 = 1e-10;

/// Length of the next segment as a multiple of the last step. Less: more steps through empty space. More: looser bounds.
const STRIDE: f64 = 3.0;

/// Factor on a segment whose bound proved nothing. Less: shorter steps. More: more of them.
const SHORTER: f64 = 0.125;

/// Least and greatest unproved step, as fractions of the body's thickness, where the bounds of several colliders exceed
/// the field and prove nothing. Larger: a thin part may be stepped over. Smaller: many steps.
const BLIND: (f64, f64) = (1e-5, 1e-3);

/// Steps along one ray, after which the rest counts as empty. Never reached with second-order bounds.
const MAX_STEPS: usize = 200_000;

/// Newton and bisection steps towards a root.
const ROOTS: usize = 60;

/// A ray with the rest field along it.
struct RayOfField<'a> {
    ray: &'a Ray,
    own: &'a RestField<'a>,
}

/// Distances around a root, and how exact it is wanted, metres.
struct Bracket {
    outside: f64,
    inside: f64,
    exact: f64,
}

impl<'a> Instance<'a> {
    /// An instance at rest in time, without pressure colours.
    pub fn new(field: Deformed<'a>, color: [f64; 3], roughness: f64) -> Self {
        let rest = &field.field;
        let (iso, highest) = (rest.shape.iso(), field.highest());
        let bounds = rest.box_above(iso - highest);
        let reach = |c: &Collider| c.field.box_above(field.influence_level(c));
        let around = field.colliders.iter().map(reach).collect();
        let influences: Vec<Aabb> = rest.shape.elements().iter().map(Element::influence_bounds).collect();
        let many = influences.len() > MANY && influences.iter().all(Aabb::is_finite);
        let tree = many.then(|| Bvh::new(&influences, LEAF));
        let motion = ShutterMotion::default();
        Self { field, body: 0, color, roughness, stiffness: 0.0, motion, bounds, around, tree }
    }

    /// A box around the deformed surface; infinite for an unbounded body.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Whether `p` is inside the rest shape.
    pub fn encloses(&self, p: DVec3) -> bool {
        self.field.field.value(p) >= self.field.field.shape.iso()
    }

    pub(super) fn moves(&self, ray: &Ray) -> bool {
        ray.time != 0.0 && !self.motion.is_rest()
    }

    /// The ray moved back to the frame's time together with the body.
    pub(super) fn at_frame_time(&self, ray: &Ray) -> Ray {
        if self.moves(ray) { self.motion.back(ray) } else { *ray }
    }

    fn above(&self, p: DVec3) -> f64 {
        self.field.value(p) - self.field.field.shape.iso()
    }

    /// Distance to the first point of the surface between the distances `within`, to `exact` metres. A ray that starts inside
    /// hits at its start.
    pub fn first(&self, ray: &Ray, within: (f64, f64), exact: f64) -> Option<f64> {
        let own = self.own(ray)?;
        let (outside, inside) = self.bracket(ray, &own, within)?;
        Some(self.root(&RayOfField { ray, own: &own }, Bracket { outside, inside, exact }))
    }

    /// Whether the ray hits the body between the distances `within`.
    pub(super) fn is_hit(&self, ray: &Ray, within: (f64, f64)) -> bool {
        self.own(ray).is_some_and(|own| self.bracket(ray, &own, within).is_some())
    }

    /// The rest field along the ray; none if the ray misses the bounds.
    fn own(&self, ray: &Ray) -> Option<RestField<'_>> {
        ray.clipped_to(&self.bounds)?;
        let field = &self.field.field;
        let spans = self.tree.as_ref().map(|tree| {
            let here = Ray { from: field.to_body(ray.from), along: field.vector_to_body(ray.along), ..*ray };
            let mut near: Vec<u32> = Vec::new();
            tree.walk(|_, around| here.clipped_to(around).is_some(), |i| near.push(i as u32));
            near.sort_unstable();
            let elements = field.shape.elements();
            let span = |&i: &u32| {
                let influence = elements[i as usize].influence_bounds();
                // The margin covers rounding, so that a grazed element is kept.
                let margin = 1e-12 * (influence.min.abs().max(influence.max.abs()) + here.from.abs()).max_element();
                let (from, to) = here.clipped_to(&influence.grown(margin))?;
                Some(ElementSpan { from, to, element: i })
            };
            near.iter().filter_map(span).collect()
        });
        Some(RestField { field, spans })
    }

    /// Distances of the last point known to be outside before the first hit, and of the first known to be inside.
    fn bracket(&self, ray: &Ray, own: &RestField, within: (f64, f64)) -> Option<(f64, f64)> {
        let (near, far) = ray.clipped_to(&self.bounds)?;
        let (near, far) = (near.max(within.0), far.min(within.1));
        if near.is_nan() || far.is_nan() || near >= far {
            return None;
        }
        let iso = self.field.field.shape.iso();
        let level = iso * (1.0 + MISSED_PEAK);
        let thickness = self.field.field.shape.min_thickness();
        let blind = (BLIND.0 * thickness, BLIND.1 * thickness);
        let field = FieldOnRay { body: &self.field, around: &self.around, rest: own };
        let (mut before, mut at, mut length) = (near, near, far - near);
        for _ in 0..MAX_STEPS {
            length = length.min(far - at);
            let RayBound { safe, most, exact } = bound(&field, &RaySegment { ray, from: at, length }, level);
            if most >= iso && (exact || self.above(ray.at(at)) >= 0.0) {
                return Some((before, at));
            }
            if most >= level && length > blind.0 {
                // Outside, but the bound over so long a segment is too loose to prove it.
                length *= SHORTER;
                continue;
            }
            let step = if most < level { safe } else { self.guess(ray.at(at)).min(blind.1).max(blind.0) };
            if at + step >= far {
                return (most >= level && self.above(ray.at(far)) >= 0.0).then_some((at, far));
            }
            // A step below rounding would not advance.
            (before, at) = (at, at + step.max(4.0 * f64::EPSILON * at));
            length = (STRIDE * step).max(SHORTER * length);
        }
        None
    }

    /// An unproved step: a tenth of the linearised distance to the surface.
    fn guess(&self, p: DVec3) -> f64 {
        let s = self.field.sample(p);
        0.1 * (self.field.field.shape.iso() - s.value) / s.gradient.length()
    }

    /// The root in a bracket: Newton, safeguarded by bisection.
    fn root(&self, along: &RayOfField, Bracket { outside, inside, exact }: Bracket) -> f64 {
        let RayOfField { ray, own } = *along;
        let (mut low, mut high) = (outside, inside);
        let mut t = high;
        for _ in 0..ROOTS {
            if high - low <= 0.1 * exact {
                break;
            }
            let (value, slope) = if self.around.is_empty() {
                let here = own.taylor_bound(&RaySegment { ray, from: t, length: 0.0 });
                (here.value, here.slope)
            } else {
                let s = self.field.sample(ray.at(t));
                (s.value, s.gradient.dot(ray.along))
            };
            let above = value - self.field.field.shape.iso();
            if above >= 0.0 {
                high = t
            } else {
                low = t
            }
            let newton = t - above / slope;
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            let done = (next - t).abs() < 0.1 * exact;
            t = next;
            if done {
                break;
            }
        }
        t
    }
}
