//! The first point of any surface on a ray.
//!
//! *The idea*: from where it is, a search goes as far as a proof reaches that the field stays below its isovalue: the
//! tangent and the greatest bend of everything that contributes (`swell.rs`). Far away that is a large step; close to a
//! root it becomes Newton's, from the near side: the first root is found, and no other. *Promised*: what rises above the
//! isovalue by more than 1e-10 of it is met, however thin. *Not promised*: that beside attenuated bulges, whose bend is
//! an estimate.

use super::motion::Motion;
use super::swell::{Own, Proof, Span, Stretch, proof};
use crate::contact::{Collider, Deformed};
use crate::fields::{Element, Field};
use crate::math::{Aabb, Bvh, DVec3};

/// A half-line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it begins, metres.
    pub from: DVec3,
    /// Unit.
    pub along: DVec3,
    /// When bodies are met, seconds after the frame's moment.
    pub time: f64,
}

/// A surface that can be looked at.
#[derive(Clone, Debug)]
pub struct Seen<'a> {
    /// Its field, as it is deformed.
    pub field: Deformed<'a>,
    /// Reflected part of red, green and blue, linear.
    pub color: [f64; 3],
    /// 0: like a mirror under varnish. 1: dull.
    pub roughness: f64,
    /// K, pascals, which makes pressures of its field; 0 shows none.
    pub stiffness: f64,
    /// How it moves while the shutter is open.
    pub motion: Motion,
    bounds: Aabb,
    /// Where what presses on it reaches.
    around: Vec<Aabb>,
    /// Its elements' influence, in its frame, if they are many.
    tree: Option<Bvh>,
}

/// What a ray met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Metres from the ray's beginning.
    pub distance: f64,
    /// Where.
    pub position: DVec3,
    /// Where that part of the body is at the frame's moment.
    pub place: DVec3,
    /// Out of the body, unit.
    pub normal: DVec3,
    /// Which of the stage's bodies.
    pub body: usize,
}

/// Everything there is to see.
#[derive(Clone, Debug, Default)]
pub struct Stage<'a> {
    /// In any order.
    pub bodies: Vec<Seen<'a>>,
}

/// Elements from which a ray asks a tree which of them it comes near. Fewer: asking takes longer than evaluating all.
const MANY: usize = 8;

/// Elements in a leaf of that tree.
const LEAF: usize = 2;

/// How far above the isovalue a field may rise unseen, as a part of it. Less: more steps towards roots, and rounding is
/// taken for a surface.
const UNSEEN: f64 = 1e-10;

/// How much farther than the last step a proof is tried. Less: more steps through empty space. More: looser bounds.
const STRIDE: f64 = 3.0;

/// How much of a stretch is tried next where it proved too long. Less: shorter steps. More: more of them.
const SHORTER: f64 = 0.125;

/// A step where no proof reaches any farther though nothing is there, as a part of the body's thickness: where bounds of
/// several colliders exceed the field; the least and the greatest. Larger: something may be stepped over. Smaller: the
/// steps become many.
const BLIND: (f64, f64) = (1e-5, 1e-3);

/// Steps along one ray, after which what is left is taken to be empty. Never reached with bounds of second order.
const MOST_STEPS: usize = 200_000;

/// Steps of Newton and of bisection towards a root.
const ROOTS: usize = 60;

impl Ray {
    /// Nothing farther than this is seen, metres.
    pub const FAR: f64 = 1e4;

    /// The point at a distance.
    pub fn at(&self, distance: f64) -> DVec3 {
        self.from + distance * self.along
    }

    /// What of the ray lies in `bounds`.
    fn within(&self, bounds: &Aabb) -> Option<(f64, f64)> {
        let (mut near, mut far) = (0.0f64, Self::FAR);
        for axis in 0..3 {
            let step = 1.0 / self.along[axis];
            let (a, b) = ((bounds.min[axis] - self.from[axis]) * step, (bounds.max[axis] - self.from[axis]) * step);
            // Not a number where the ray runs in a face: then it neither opens nor closes.
            near = near.max(a.min(b));
            far = far.min(a.max(b));
        }
        (near <= far).then_some((near, far))
    }
}

impl<'a> Seen<'a> {
    /// A body to look at.
    pub fn new(field: Deformed<'a>, color: [f64; 3], roughness: f64) -> Self {
        let rest = &field.field;
        let (iso, highest) = (rest.shape.iso(), field.highest());
        let bounds = rest.box_above(iso - highest);
        let reach = |c: &Collider| c.field.box_above(field.felt_from(c));
        let around = field.colliders.iter().map(reach).collect();
        let influences: Vec<Aabb> = rest.shape.elements().iter().map(Element::influence).collect();
        let many = influences.len() > MANY && influences.iter().all(Aabb::is_finite);
        let tree = many.then(|| Bvh::new(&influences, LEAF));
        Self { field, color, roughness, stiffness: 0.0, motion: Motion::default(), bounds, around, tree }
    }

    /// A box around everything of it that can be seen.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    fn moves(&self, ray: &Ray) -> bool {
        ray.time != 0.0 && !self.motion.is_rest()
    }

    /// The ray as the body at the frame's moment sees it.
    fn stilled(&self, ray: &Ray) -> Ray {
        if self.moves(ray) { self.motion.back(ray) } else { *ray }
    }

    fn above(&self, p: DVec3) -> f64 {
        self.field.value(p) - self.field.field.shape.iso()
    }

    /// Distance to the first point of the surface on a piece of the ray, with roots as exact as `exact` metres. A ray that
    /// begins inside meets the surface where it begins.
    pub fn first(&self, ray: &Ray, within: (f64, f64), exact: f64) -> Option<f64> {
        let own = self.own(ray)?;
        self.bracket(ray, &own, within).map(|bracket| self.root(ray, &own, (bracket, exact)))
    }

    /// Whether any of it is on a piece of the ray.
    fn is_on(&self, ray: &Ray, within: (f64, f64)) -> bool {
        self.own(ray).is_some_and(|own| self.bracket(ray, &own, within).is_some())
    }

    /// The rest field as the ray sees it; nothing if the ray passes by.
    fn own(&self, ray: &Ray) -> Option<Own<'_>> {
        ray.within(&self.bounds)?;
        let field = &self.field.field;
        let spans = self.tree.as_ref().map(|tree| {
            let here = Ray { from: field.to_body(ray.from), along: field.vector_to_body(ray.along), ..*ray };
            let mut near: Vec<u32> = Vec::new();
            tree.walk(|_, around| here.within(around).is_some(), |i| near.push(i as u32));
            near.sort_unstable();
            let elements = field.shape.elements();
            let span = |&i: &u32| {
                let influence = elements[i as usize].influence();
                // Rounding must not lose what is just touched.
                let margin = 1e-12 * (influence.min.abs().max(influence.max.abs()) + here.from.abs()).max_element();
                let (from, to) = here.within(&influence.grown(margin))?;
                Some(Span { from, to, element: i })
            };
            near.iter().filter_map(span).collect()
        });
        Some(Own { field, spans })
    }

    /// The last place known to be outside before the first hit, and the first known to be inside.
    fn bracket(&self, ray: &Ray, own: &Own, within: (f64, f64)) -> Option<(f64, f64)> {
        let (near, far) = ray.within(&self.bounds)?;
        let (near, far) = (near.max(within.0), far.min(within.1));
        if near.is_nan() || far.is_nan() || near >= far {
            return None;
        }
        let iso = self.field.field.shape.iso();
        let level = iso * (1.0 + UNSEEN);
        let thickness = self.field.field.shape.least_thickness();
        let blind = (BLIND.0 * thickness, BLIND.1 * thickness);
        let (mut before, mut at, mut length) = (near, near, far - near);
        for _ in 0..MOST_STEPS {
            length = length.min(far - at);
            let Proof { safe, most, exact } =
                proof(&self.field, &self.around, (&Stretch { ray, from: at, length }, own), level);
            if most >= iso && (exact || self.above(ray.at(at)) >= 0.0) {
                return Some((before, at));
            }
            if most >= level && length > blind.0 {
                // Nothing is there, but bounds over so long a stretch do not tell.
                length *= SHORTER;
                continue;
            }
            let step = if most < level { safe } else { self.guess(ray.at(at)).min(blind.1).max(blind.0) };
            if at + step >= far {
                return (most >= level && self.above(ray.at(far)) >= 0.0).then_some((at, far));
            }
            // What is less than rounding would not be a step.
            (before, at) = (at, at + step.max(4.0 * f64::EPSILON * at));
            length = (STRIDE * step).max(SHORTER * length);
        }
        None
    }

    /// A step that is not proved: a tenth of the way to the surface if the field went on as it does here.
    fn guess(&self, p: DVec3) -> f64 {
        let s = self.field.sample(p);
        0.1 * (self.field.field.shape.iso() - s.value) / s.gradient.length()
    }

    /// The root between a place outside and one inside: Newton, kept between them.
    fn root(&self, ray: &Ray, own: &Own, ((mut low, mut high), exact): ((f64, f64), f64)) -> f64 {
        let mut t = high;
        for _ in 0..ROOTS {
            if high - low <= 0.1 * exact {
                break;
            }
            let (value, slope) = if self.around.is_empty() {
                let here = own.along(&Stretch { ray, from: t, length: 0.0 });
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

impl Stage<'_> {
    /// The first body on a piece of the ray.
    pub fn first(&self, ray: &Ray, within: (f64, f64), exact: f64) -> Option<Hit> {
        let (mut nearest, mut body) = (within.1, None);
        for (i, seen) in self.bodies.iter().enumerate() {
            if let Some(t) = seen.first(&seen.stilled(ray), (within.0, nearest), exact) {
                (nearest, body) = (t, Some(i));
            }
        }
        let body = body?;
        let seen = &self.bodies[body];
        let place = seen.stilled(ray).at(nearest);
        let normal = -seen.field.sample(place).gradient.normalize_or_zero();
        let normal = if seen.moves(ray) { seen.motion.after(ray.time).vector(normal) } else { normal };
        Some(Hit { distance: nearest, position: ray.at(nearest), place, normal, body })
    }

    /// Whether anything stands on a piece of the ray.
    pub fn is_blocked(&self, ray: &Ray, within: (f64, f64)) -> bool {
        self.bodies.iter().any(|seen| seen.is_on(&seen.stilled(ray), within))
    }
}
