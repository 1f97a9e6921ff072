//! The first point of any surface on a ray.
//!
//! *The idea*: along a ray the field is above its isovalue first at a root. Looks at a few places, then Newton, give a
//! root; bounds over the pieces of the way before it, which double as they go back, prove that none comes earlier, or tell
//! where to look again. *Not promised*: that a surface is met which bounds do not prove away in three thousand pieces of a
//! ray; beside bulges they are loose.

use crate::contact::Deformed;
use crate::fields::Field;
use crate::math::{Aabb, Cell, DVec3};

/// A half-line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it begins, metres.
    pub from: DVec3,
    /// Unit.
    pub along: DVec3,
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
    bounds: Aabb,
    /// Where what presses on it reaches.
    around: Vec<Aabb>,
}

/// What a ray met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Metres from the ray's beginning.
    pub distance: f64,
    /// Where.
    pub position: DVec3,
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

/// Places on a ray, evenly spaced, where the field is first looked at. Fewer: bounds must find what looks do not.
const LOOKS: usize = 4;

/// Pieces of a ray examined before what is left is taken to be empty. Reached where bounds of bulges are loose.
const MOST_LOOKS: usize = 3000;

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

    fn cell(&self, (from, to): (f64, f64)) -> Cell {
        let (e1, e2) = self.along.any_orthonormal_pair();
        let half = DVec3::new(0.5 * (to - from), 0.0, 0.0);
        Cell { center: self.at(0.5 * (from + to)), axes: [self.along, e1, e2], half }
    }
}

impl<'a> Seen<'a> {
    /// A body to look at.
    pub fn new(field: Deformed<'a>, color: [f64; 3], roughness: f64) -> Self {
        let rest = &field.field;
        let bounds =
            if field.colliders.is_empty() { rest.solid() } else { rest.shape.influence().moved(&rest.world_from_body) };
        let around =
            field.colliders.iter().map(|c| c.field.shape.influence().moved(&c.field.world_from_body)).collect();
        Self { field, color, roughness, bounds, around }
    }

    /// A box around everything of it that can be seen.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    fn above(&self, p: DVec3) -> f64 {
        self.field.value(p) - self.field.field.shape.iso()
    }

    /// Whether bounds leave room for the surface on a piece of the ray. Away from what presses on the body they are those
    /// of the rest field, which are closer.
    fn may_hit(&self, ray: &Ray, piece: (f64, f64)) -> bool {
        let cell = ray.cell(piece);
        let ends = Aabb::of_points([ray.at(piece.0), ray.at(piece.1)]);
        let alone = !self.around.iter().any(|b| b.overlaps(&ends));
        let most = if alone { self.field.field.upper_bound(&cell) } else { self.field.upper_bound(&cell) };
        most >= self.field.field.shape.iso()
    }

    /// Distance to the first point of the surface on a piece of the ray, with roots as exact as `exact` metres.
    pub fn first(&self, ray: &Ray, within: (f64, f64), exact: f64) -> Option<f64> {
        let (near, far) = ray.within(&self.bounds)?;
        let (near, far) = (near.max(within.0), far.min(within.1));
        if near >= far || !self.may_hit(ray, (near, far)) {
            return None;
        }
        // Pieces that may hold the first hit, the nearest last.
        let mut left = vec![(near, far)];
        let mut best: Option<f64> = None;
        let mut looks = 0;
        while let Some((from, to)) = left.pop() {
            looks += 1;
            if looks > MOST_LOOKS {
                break;
            }
            if best.is_some_and(|b| from >= b) || !self.may_hit(ray, (from, to)) {
                continue;
            }
            if self.above(ray.at(from)) > 0.0 && from > near {
                best = Some(best.map_or(from, |b| b.min(from)));
                continue;
            }
            let Some(root) = self.root(ray, (from, to), exact) else {
                if to - from > exact {
                    let middle = 0.5 * (from + to);
                    left.extend([(middle, to), (from, middle)]);
                }
                continue;
            };
            best = Some(best.map_or(root, |b| b.min(root)));
            // Back from the root, in pieces that double: near it the field is near its isovalue, and bounds must be close.
            let mut end = root - exact;
            let mut length = 2.0 * exact;
            while end > from {
                let start = (end - length).max(from);
                left.push((start, end));
                (end, length) = (start, 2.0 * length);
            }
        }
        best
    }

    /// A root on the piece, if looks at a few places show one: Newton, kept between two looks.
    fn root(&self, ray: &Ray, (from, to): (f64, f64), exact: f64) -> Option<f64> {
        let mut below = from;
        for i in 1..=LOOKS {
            let at = from + (to - from) * i as f64 / LOOKS as f64;
            if self.above(ray.at(at)) > 0.0 {
                let (mut low, mut high, mut t) = (below, at, 0.5 * (below + at));
                for _ in 0..ROOTS {
                    let s = self.field.sample(ray.at(t));
                    let above = s.value - self.field.field.shape.iso();
                    if above > 0.0 {
                        high = t
                    } else {
                        low = t
                    }
                    let newton = t - above / s.gradient.dot(ray.along);
                    let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
                    let done = (next - t).abs() < 0.1 * exact || high - low < 0.1 * exact;
                    t = next;
                    if done {
                        break;
                    }
                }
                return Some(t);
            }
            below = at;
        }
        None
    }
}

impl Stage<'_> {
    /// The first body on a piece of the ray.
    pub fn first(&self, ray: &Ray, within: (f64, f64), exact: f64) -> Option<Hit> {
        let (mut nearest, mut body) = (within.1, None);
        for (i, seen) in self.bodies.iter().enumerate() {
            if let Some(t) = seen.first(ray, (within.0, nearest), exact) {
                (nearest, body) = (t, Some(i));
            }
        }
        let body = body?;
        let position = ray.at(nearest);
        let normal = -self.bodies[body].field.sample(position).gradient.normalize_or_zero();
        Some(Hit { distance: nearest, position, normal, body })
    }

    /// Whether anything stands on a piece of the ray.
    pub fn is_blocked(&self, ray: &Ray, within: (f64, f64), exact: f64) -> bool {
        self.bodies.iter().any(|seen| seen.first(ray, within, exact).is_some())
    }
}
