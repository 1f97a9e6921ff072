//! A body's rest shape: elements that blend by summing, in the body's frame.

use super::skeleton::{Distance, Sphere};
use super::{Element, Field, Sample, Source};
use crate::math::{Aabb, Cell, DVec3, Interval};

/// Elements whose contributions are summed, and the isovalue of their surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    elements: Vec<Element>,
    iso: f64,
    influence: Aabb,
    solid: Aabb,
}

/// How finely the box around the solid is searched, as a fraction of the box of influence.
/// Coarser: larger boxes, more pairs to examine. Finer: slower construction, once a body.
const BOX_RESOLUTION: f64 = 1.0 / 64.0;

/// Elements that are asked one by one how far a point is from them. More: a box tells less and takes no longer.
const FEW: usize = 16;

/// Elements whose own places are tried before a short search for a solid begins. Only time is lost by more.
const MOST_TRIED: usize = 64;

/// Pieces a short search may ask, cells times pieces. More: a scene takes longer to check. Fewer: an empty body is
/// found out only when it is made.
const MOST_ASKED: usize = 4_000_000;

impl Shape {
    /// The sum of `elements`, with its surface at `iso`.
    pub fn new(elements: Vec<Element>, iso: f64) -> Self {
        let influence = elements.iter().fold(Aabb::EMPTY, |b, e| b.union(&e.influence()));
        let mut shape = Self { elements, iso, influence, solid: influence };
        shape.solid = match shape.elements.as_slice() {
            // Alone, an element's surface lies at a known distance, whether or not its skeleton ends somewhere.
            [only] if let Some(reach) = only.reach(iso) => only.skeleton_bounds().grown(reach),
            _ => super::solid_box::of(&shape, influence, BOX_RESOLUTION),
        };
        shape
    }

    /// Whether it was soon proved that `elements` have no solid together. A short search, for input that nobody has
    /// looked at yet: of what it leaves open, [`Shape::solid`] may still turn out to be empty.
    pub(crate) fn is_nothing(elements: &[Element], iso: f64) -> bool {
        let influence = elements.iter().fold(Aabb::EMPTY, |b, e| b.union(&e.influence()));
        let shape = Self { elements: elements.to_vec(), iso, influence, solid: influence };
        let solid = |p: DVec3| shape.value(p) >= iso;
        let anywhere = elements.iter().take(MOST_TRIED).any(|e| e.places().into_iter().any(solid));
        let pieces: usize = elements.iter().map(Element::piece_count).sum();
        !anywhere && influence.is_finite() && super::solid_box::is_nowhere(&shape, BOX_RESOLUTION, MOST_ASKED / pieces)
    }

    /// The contributions, in the order given.
    pub fn elements(&self) -> &[Element] {
        &self.elements
    }
    /// The element that contributes most at `p`, in the body's frame: the first of several that do.
    pub fn leader(&self, p: DVec3) -> usize {
        let values = self.elements.iter().map(|e| e.sample(p).value).enumerate();
        values.fold((0, f64::NEG_INFINITY), |most, new| if new.1 > most.1 { new } else { most }).0
    }
    /// The element of a shape that has one alone.
    pub fn only(&self) -> Option<&Element> {
        match self.elements.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }
    /// The skeleton as a sphere, of a shape that is one distance surface around a point or a ball: a solid ball.
    pub fn as_sphere(&self) -> Option<Sphere> {
        self.only()?.as_sphere()
    }
    /// Isovalue `c`.
    pub fn iso(&self) -> f64 {
        self.iso
    }
    /// Outside this box the field is zero.
    pub fn influence(&self) -> Aabb {
        self.influence
    }
    /// A box that contains the solid `f ≥ c`; empty when there is no solid.
    pub fn solid(&self) -> Aabb {
        self.solid
    }
    /// A box that contains all points with `f ≥ level`; one around more, where that is all that is known.
    pub(crate) fn box_above(&self, level: f64) -> Aabb {
        match self.elements.as_slice() {
            [only]
                if level > 0.0
                    && let Some(reach) = only.reach(level) =>
            {
                only.skeleton_bounds().grown(reach)
            }
            _ if level >= self.iso => self.solid,
            _ => self.influence,
        }
    }
    /// A distance from `p` to the solid that is never too large, metres; negative or nothing where it tells nothing.
    pub(crate) fn least_distance(&self, p: DVec3) -> f64 {
        let from_box = |b: &Aabb| (p - p.clamp(b.min, b.max)).length();
        let alone = self.elements.len() == 1;
        let of = |e: &Element| match &e.source {
            // Together, elements may reach the isovalue wherever there is anything of them.
            Source::Distance(skeleton, kernel) => {
                let reach = if alone { e.reach(self.iso) } else { None };
                skeleton.nearest(p).distance - reach.unwrap_or(kernel.radius())
            }
            Source::Convolution(convolution) => from_box(&convolution.influence()),
        };
        let by_box = from_box(&self.solid);
        if self.elements.len() > FEW {
            return by_box;
        }
        self.elements.iter().map(of).fold(f64::INFINITY, f64::min).max(by_box)
    }
    /// Whether the solid is known to be convex: all points within some distance of a convex skeleton.
    pub fn is_convex(&self) -> bool {
        self.only().is_some_and(Element::is_convex)
    }
    /// How far any element's field reaches beyond its surface, the least of them, metres.
    pub fn least_blend(&self) -> f64 {
        self.elements.iter().map(Element::blend).fold(f64::INFINITY, f64::min)
    }
    /// The smallest thickness of any element, metres.
    pub fn least_thickness(&self) -> f64 {
        self.elements.iter().map(Element::thickness).fold(f64::INFINITY, f64::min)
    }
}

impl Field for Shape {
    fn sample(&self, p: DVec3) -> Sample {
        self.elements.iter().fold(Sample::ZERO, |sum, e| {
            let s = e.sample(p);
            Sample { value: sum.value + s.value, gradient: sum.gradient + s.gradient }
        })
    }

    fn bounds(&self, cell: &Cell) -> Interval {
        self.elements.iter().fold(Interval::new(0.0, 0.0), |sum, e| {
            let b = e.bounds(cell);
            Interval::new(sum.lo + b.lo, sum.hi + b.hi)
        })
    }
    fn upper_bound(&self, cell: &Cell) -> f64 {
        self.elements.iter().map(|e| e.upper_bound(cell)).sum()
    }
}
