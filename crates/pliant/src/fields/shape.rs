//! A rest shape: parts that blend by summing, and the isovalue of their surface.
//!
//! *The idea*: one link and one frame is the common case; there the parts' coordinates are the body's, and the shape itself
//! is a field. With several links the shape in a pose is a field ([`Posed`](super::Posed)); the shape alone is the field of
//! all links in one place.

use super::part_tree::PartTree;
use super::skeleton::{Distance, Sphere};
use super::skeleton_links::{LinkNumber, Part};
use super::solid_box::SolidSearch;
use super::{Element, Field, Sample, Source};
use crate::math::{Aabb, Cell, DVec3, Interval};
use std::sync::Arc;

/// Parts whose contributions are summed, and the isovalue of their surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    elements: Vec<Element>,
    /// Link of each element. Empty if the first link carries all.
    links: Vec<LinkNumber>,
    iso: f64,
    influence: Aabb,
    solid: Aabb,
    min_thickness: f64,
    min_blend: f64,
    /// Tree of the elements; only of large shapes.
    tree: Option<Arc<PartTree>>,
}

/// Resolution of the box around the solid, as a fraction of the box of influence.
/// Coarser: larger boxes, more pairs to examine. Finer: slower construction, once a body.
const BOX_RESOLUTION: f64 = 1.0 / 64.0;

/// Greatest number of elements for which a distance is computed one by one. More: slower than the box, and less needed.
const MAX_SINGLE_DISTANCES: usize = 16;

/// Elements at whose skeletons the field is sampled before a short search for a solid. More: only slower.
const MAX_SAMPLED: usize = 64;

/// Work of a short search, cells times pieces. More: a scene takes longer to check. Less: an empty body is refused only
/// when it is made.
const MAX_SEARCH_WORK: usize = 4_000_000;

impl Shape {
    /// The sum of `elements`, carried by one link, with its surface at `iso`.
    pub fn new(elements: Vec<Element>, iso: f64) -> Self {
        Self::of_elements(elements, Vec::new(), iso)
    }

    /// The sum of `parts`, with its surface at `iso`.
    pub fn of_parts(parts: Vec<Part>, iso: f64) -> Self {
        let (elements, mut links): (Vec<Element>, Vec<LinkNumber>) =
            parts.into_iter().map(|p| (p.element, p.link)).unzip();
        if links.iter().all(|link| *link == LinkNumber::ROOT) {
            links.clear();
        }
        Self::of_elements(elements, links, iso)
    }

    /// Some of its elements, by number, as a shape of their own on the same links: for a contact between two groups of parts
    /// of one body.
    pub fn group(&self, numbers: &[usize]) -> Self {
        let part = |&i: &usize| Part { element: self.elements[i].clone(), link: self.link(i) };
        Self::of_parts(numbers.iter().map(part).collect(), self.iso)
    }

    fn of_elements(elements: Vec<Element>, links: Vec<LinkNumber>, iso: f64) -> Self {
        let mut shape = Self::without_solid_bounds(elements, links, iso);
        shape.solid = match shape.elements.as_slice() {
            // The surface of a single element lies at a known distance, even if its skeleton is unbounded.
            [only] if let Some(radius) = only.level_radius(iso) => only.skeleton_bounds().grown(radius),
            _ => shape.solid_search().tight_box(),
        };
        shape
    }

    /// A shape whose box of the solid is still that of influence.
    fn without_solid_bounds(elements: Vec<Element>, links: Vec<LinkNumber>, iso: f64) -> Self {
        let influences: Vec<Aabb> = elements.iter().map(Element::influence_bounds).collect();
        let influence = influences.iter().fold(Aabb::EMPTY, |b, e| b.union(e));
        let tree = PartTree::new(&influences).map(Arc::new);
        let least = |of: fn(&Element) -> f64| elements.iter().map(of).fold(f64::INFINITY, f64::min);
        let (min_thickness, min_blend) = (least(Element::thickness), least(Element::blend));
        Self { elements, links, iso, influence, solid: influence, min_thickness, min_blend, tree }
    }

    /// A search for the solid within the box of influence.
    fn solid_search(&self) -> SolidSearch<'_, Self> {
        SolidSearch { field: self, iso: self.iso, outer: self.influence, resolution: BOX_RESOLUTION }
    }

    /// Whether a short search proves that `elements` together have no solid. If it proves nothing,
    /// [`Shape::solid_bounds`] may still be empty.
    pub(crate) fn is_provably_empty(elements: &[Element], iso: f64) -> bool {
        let shape = Self::without_solid_bounds(elements.to_vec(), Vec::new(), iso);
        let solid = |p: DVec3| shape.value(p) >= iso;
        let anywhere = elements.iter().take(MAX_SAMPLED).any(|e| e.skeleton_samples().into_iter().any(solid));
        let pieces: usize = elements.iter().map(Element::piece_count).sum();
        !anywhere && shape.influence.is_finite() && shape.solid_search().proves_empty(MAX_SEARCH_WORK / pieces)
    }

    /// The contributions, in the order given.
    pub fn elements(&self) -> &[Element] {
        &self.elements
    }
    /// The link that carries an element.
    pub fn link(&self, element: usize) -> LinkNumber {
        self.links.get(element).copied().unwrap_or(LinkNumber::ROOT)
    }
    /// Number of links: one more than the greatest index.
    pub fn link_count(&self) -> usize {
        self.links.iter().map(|link| link.index()).fold(0, usize::max) + 1
    }
    /// Tree of the elements with all links in one place; only of large shapes.
    pub(super) fn tree(&self) -> Option<&PartTree> {
        self.tree.as_deref()
    }
    /// Visits the elements that reach `p`, in order, and perhaps others.
    #[inline]
    fn visit_at(&self, p: DVec3, mut visit: impl FnMut(&Element)) {
        if let Some(tree) = &self.tree
            && let Some(near) = tree.parts_at(p)
        {
            near.numbers().iter().for_each(|&i| visit(&self.elements[i as usize]));
        } else {
            self.elements.iter().for_each(visit);
        }
    }
    /// Separate from the sum over few elements, which must stay small enough to be inlined.
    #[inline(never)]
    fn sample_by_tree(&self, p: DVec3) -> Sample {
        let mut sum = Sample::ZERO;
        self.visit_at(p, |e| add(&mut sum, &e.sample(p)));
        sum
    }
    /// Visits the elements that reach `cell`, in order, and perhaps others.
    #[inline]
    fn visit_within(&self, cell: &Cell, mut visit: impl FnMut(&Element)) {
        match &self.tree {
            Some(tree) => tree.parts_within(&cell.bounds()).iter().for_each(|&i| visit(&self.elements[i as usize])),
            None => self.elements.iter().for_each(visit),
        }
    }
    /// The field in `cell`, bit for bit, from the elements that reach it. For many evaluations in one cell.
    pub(crate) fn restricted(&self, cell: &Cell) -> Restricted<'_> {
        let Some(tree) = &self.tree else { return Restricted::All(self) };
        let around = cell.bounds();
        // Points of the cell may leave it by rounding.
        let margin = 1e-9 * (around.size() + around.min.abs()).max_element();
        let near = tree.parts_within(&around.grown(margin));
        Restricted::Some(near.into_iter().map(|i| &self.elements[i as usize]).collect())
    }
    /// Elements whose boxes of influence meet `around`, in order; in the body's frame.
    pub(crate) fn elements_within(&self, around: &Aabb) -> Vec<usize> {
        match &self.tree {
            Some(tree) => tree.parts_within(around).into_iter().map(|i| i as usize).collect(),
            None => {
                (0..self.elements.len()).filter(|&i| self.elements[i].influence_bounds().overlaps(around)).collect()
            }
        }
    }
    /// The element with the greatest value at `p`, in the body's frame; the first of several.
    pub fn dominant_element(&self, p: DVec3) -> usize {
        let value = |i: usize| (i, self.elements[i].sample(p).value);
        let most = |most: (usize, f64), new: (usize, f64)| if new.1 > most.1 { new } else { most };
        if let Some(near) = self.tree.as_ref().and_then(|tree| tree.parts_at(p)) {
            let found = near.numbers().iter().map(|&i| value(i as usize)).fold((0, 0.0), most);
            // Where values are negative, an element that does not reach `p` (value 0) may be the greatest.
            if found.1 > 0.0 {
                return found.0;
            }
        }
        (0..self.elements.len()).map(value).fold((0, f64::NEG_INFINITY), most).0
    }
    /// The element of a shape that has only one.
    pub fn single_element(&self) -> Option<&Element> {
        match self.elements.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }
    /// The skeleton as a sphere, if the shape is a solid ball: one distance surface around a point or a ball.
    pub fn as_sphere(&self) -> Option<Sphere> {
        self.single_element()?.as_sphere()
    }
    /// Isovalue `c`.
    pub fn iso(&self) -> f64 {
        self.iso
    }
    /// Outside this box the field is zero.
    pub fn influence_bounds(&self) -> Aabb {
        self.influence
    }
    /// A box that contains the solid `f ≥ c`; empty when there is no solid.
    pub fn solid_bounds(&self) -> Aabb {
        self.solid
    }
    /// A box that contains all points with `f ≥ level`; not always tight.
    pub(crate) fn box_above(&self, level: f64) -> Aabb {
        match self.elements.as_slice() {
            [only]
                if level > 0.0
                    && let Some(radius) = only.level_radius(level) =>
            {
                only.skeleton_bounds().grown(radius)
            }
            _ if level >= self.iso => self.solid,
            _ => self.influence,
        }
    }
    /// A lower bound of the distance from `p` to the solid, metres. May be zero or negative outside, too.
    pub(crate) fn min_distance(&self, p: DVec3) -> f64 {
        let from_box = |b: &Aabb| (p - p.clamp(b.min, b.max)).length();
        let alone = self.elements.len() == 1;
        let of = |e: &Element| match &e.source {
            // A sum of elements may reach the isovalue anywhere within their influence.
            Source::Distance(skeleton, kernel) => {
                let radius = if alone { e.level_radius(self.iso) } else { None };
                skeleton.nearest(p).distance - radius.unwrap_or(kernel.radius())
            }
            Source::Convolution(convolution) => from_box(&convolution.influence_bounds()),
        };
        let by_box = from_box(&self.solid);
        if self.elements.len() > MAX_SINGLE_DISTANCES {
            return by_box;
        }
        self.elements.iter().map(of).fold(f64::INFINITY, f64::min).max(by_box)
    }
    /// Whether the solid is known to be convex: all points within some distance of a convex skeleton.
    pub fn is_convex(&self) -> bool {
        self.single_element().is_some_and(Element::is_convex)
    }
    /// The smallest distance from surface to end of influence of any element, metres.
    pub fn min_blend(&self) -> f64 {
        self.min_blend
    }
    /// The smallest thickness of any element, metres.
    pub fn min_thickness(&self) -> f64 {
        self.min_thickness
    }
}

fn add(sum: &mut Sample, s: &Sample) {
    *sum = Sample { value: sum.value + s.value, gradient: sum.gradient + s.gradient };
}

fn add_range(sum: &mut Interval, b: &Interval) {
    *sum = Interval::new(sum.lo + b.lo, sum.hi + b.hi);
}

impl Field for Shape {
    fn sample(&self, p: DVec3) -> Sample {
        if self.tree.is_some() {
            return self.sample_by_tree(p);
        }
        self.elements.iter().fold(Sample::ZERO, |sum, e| {
            let s = e.sample(p);
            Sample { value: sum.value + s.value, gradient: sum.gradient + s.gradient }
        })
    }

    fn bounds(&self, cell: &Cell) -> Interval {
        let mut sum = Interval::new(0.0, 0.0);
        self.visit_within(cell, |e| add_range(&mut sum, &e.bounds(cell)));
        sum
    }

    fn upper_bound(&self, cell: &Cell) -> f64 {
        let mut sum = 0.0;
        self.visit_within(cell, |e| sum += e.upper_bound(cell));
        sum
    }
}

/// A shape's field in one cell. Elements that do not reach the cell are left out.
#[derive(Clone, Debug)]
pub(crate) enum Restricted<'a> {
    /// The whole of a small shape.
    All(&'a Shape),
    /// Elements that reach the cell, in the shape's order.
    Some(Vec<&'a Element>),
}

impl Field for Restricted<'_> {
    fn sample(&self, p: DVec3) -> Sample {
        match self {
            Self::All(shape) => shape.sample(p),
            Self::Some(elements) => {
                let mut sum = Sample::ZERO;
                elements.iter().for_each(|e| add(&mut sum, &e.sample(p)));
                sum
            }
        }
    }

    fn bounds(&self, cell: &Cell) -> Interval {
        match self {
            Self::All(shape) => shape.bounds(cell),
            Self::Some(elements) => {
                let mut sum = Interval::new(0.0, 0.0);
                elements.iter().for_each(|e| add_range(&mut sum, &e.bounds(cell)));
                sum
            }
        }
    }
}
