//! A shape in a pose: the field that contact, meshing and rendering evaluate.
//!
//! *The idea*: every link has a frame; a point is taken into the frame of each part that reaches it. A rigid body has one
//! link, and is evaluated in its own frame.
//! *Not promised*: lanes for many points of a shape with several links; they are evaluated one by one.

use super::part_tree::PartsAt;
use super::pose::{LinkFrame, Pose};
use super::{Element, Field, LinkNumber, Sample, Shape};
use crate::math::{Aabb, Cell, DVec3, Frame, Interval};

/// A shape and where its links are.
#[derive(Clone, Copy, Debug)]
pub struct Posed<'a> {
    /// The rest shape.
    pub shape: &'a Shape,
    /// Frame of the first link; of a rigid body, all of it.
    pub world_from_body: Frame,
    root: LinkFrame,
    /// Of a shape with several links.
    pose: Option<&'a Pose>,
}

impl<'a> Posed<'a> {
    /// `shape` as a rigid body: all links at `world_from_body`.
    pub fn rigid(shape: &'a Shape, world_from_body: Frame) -> Self {
        Self { shape, world_from_body, root: LinkFrame::new(world_from_body), pose: None }
    }

    /// `shape` in `pose`, which was made for it.
    pub fn new(shape: &'a Shape, pose: &'a Pose) -> Self {
        let root = pose.link(LinkNumber::ROOT);
        let pose = (shape.link_count() > 1).then_some(pose);
        Self { shape, world_from_body: root.world_from_link, root: *root, pose }
    }

    /// Whether all parts move as one.
    pub fn is_rigid(&self) -> bool {
        self.pose.is_none()
    }

    /// A world box that contains the solid.
    pub fn solid_bounds(&self) -> Aabb {
        match self.pose {
            None => self.shape.solid_bounds().moved(&self.world_from_body),
            Some(pose) => pose.solid_bounds(),
        }
    }

    /// A box of another frame that contains the solid.
    pub fn solid_in(&self, here_from_world: &Frame) -> Aabb {
        match self.pose {
            None => self.shape.solid_bounds().moved(&(*here_from_world * self.world_from_body)),
            Some(pose) => pose.solid_bounds().moved(here_from_world),
        }
    }

    /// A world box outside which the field is zero.
    pub fn influence_bounds(&self) -> Aabb {
        match self.pose {
            None => self.shape.influence_bounds().moved(&self.world_from_body),
            Some(pose) => pose.influence_bounds(),
        }
    }

    /// A world box that contains all points with `f ≥ level`.
    pub(crate) fn box_above(&self, level: f64) -> Aabb {
        match self.pose {
            None => self.shape.box_above(level).moved(&self.world_from_body),
            Some(pose) if level >= self.shape.iso() => pose.solid_bounds(),
            Some(pose) => pose.influence_bounds(),
        }
    }

    /// A world point in the frame of the first link.
    pub fn to_body(&self, p: DVec3) -> DVec3 {
        self.root.point_to_link(p)
    }

    /// A direction of the world, in the frame of the first link.
    pub(crate) fn vector_to_body(&self, v: DVec3) -> DVec3 {
        self.root.vector_to_link(v)
    }

    /// A direction of the first link's frame, in the world.
    pub(super) fn vector_to_world(&self, v: DVec3) -> DVec3 {
        self.root.vector_to_world(v)
    }

    /// Frames by link: one for a rigid body.
    pub(super) fn links(&self) -> &[LinkFrame] {
        match self.pose {
            None => std::slice::from_ref(&self.root),
            Some(pose) => pose.links(),
        }
    }

    /// Which of [`Posed::links`] carries an element.
    pub(super) fn link_index(&self, element: usize) -> usize {
        if self.pose.is_some() { self.shape.link(element).index() } else { 0 }
    }

    pub(super) fn link_of(&self, element: usize) -> &LinkFrame {
        match self.pose {
            None => &self.root,
            Some(pose) => pose.link(self.shape.link(element)),
        }
    }

    /// Elements that reach a world box, in order, and perhaps others. None: all of them.
    pub(super) fn elements_near(&self, around: impl FnOnce() -> Aabb) -> Option<Vec<u32>> {
        match self.pose {
            None => {
                let tree = self.shape.tree()?;
                Some(tree.parts_within(&Cell::from(around()).moved(&self.root.link_from_world).bounds()))
            }
            Some(pose) => Some(pose.tree()?.parts_within(&around())),
        }
    }

    /// The element that contributes most at a world point: the first of several that do.
    pub fn dominant_element(&self, p: DVec3) -> usize {
        let Some(pose) = self.pose else { return self.shape.dominant_element(self.to_body(p)) };
        let value = |i: usize| self.shape.elements()[i].sample(pose.link(self.shape.link(i)).point_to_link(p)).value;
        let values = (0..self.shape.elements().len()).map(|i| (i, value(i)));
        values.fold((0, f64::NEG_INFINITY), |most, new| if new.1 > most.1 { new } else { most }).0
    }

    /// Medial points of the elements as seen from `from` that lie in the box `within`; all in the world. See
    /// [`Element::medial_point`].
    pub(crate) fn medial_points(&self, from: DVec3, within: &Aabb) -> impl Iterator<Item = DVec3> + '_ {
        // A point on the border of the box counts, whatever rounding has done to either.
        let margin = 1e-9 * (within.size() + within.min.abs()).max_element();
        let within = if within.is_finite() { within.grown(margin) } else { Aabb::EVERYTHING };
        let near = if within.is_finite() { self.elements_near(|| within) } else { None };
        let count = near.as_ref().map_or(self.shape.elements().len(), Vec::len);
        let core = move |k: usize| {
            let i = near.as_ref().map_or(k, |near| near[k] as usize);
            let link = self.link_of(i);
            let core = self.shape.elements()[i].medial_point(link.point_to_link(from))?;
            Some(link.world_from_link.point(core)).filter(|p| within.contains(*p))
        };
        (0..count).filter_map(core)
    }

    /// Visits the elements that reach the world point `p`, with their links, in order.
    #[inline]
    fn visit_at(&self, pose: &Pose, p: DVec3, mut visit: impl FnMut(&Element, &LinkFrame)) {
        let elements = self.shape.elements();
        let mut visit = |i: usize| visit(&elements[i], pose.link(self.shape.link(i)));
        let near: Option<PartsAt> = pose.tree().and_then(|tree| tree.parts_at(p));
        match near {
            Some(near) => near.numbers().iter().for_each(|&i| visit(i as usize)),
            None => (0..elements.len()).for_each(visit),
        }
    }

    /// Visits the elements that reach a cell, with the cell in their links' frames, in order.
    fn visit_within(&self, pose: &Pose, cell: &Cell, mut visit: impl FnMut(&Element, &Cell)) {
        let elements = self.shape.elements();
        let mut visit = |i: usize| visit(&elements[i], &cell.moved(&pose.link(self.shape.link(i)).link_from_world));
        match pose.tree() {
            Some(tree) => tree.parts_within(&cell.bounds()).iter().for_each(|&i| visit(i as usize)),
            None => (0..elements.len()).for_each(visit),
        }
    }
}

impl Field for Posed<'_> {
    fn sample(&self, p: DVec3) -> Sample {
        let Some(pose) = self.pose else {
            let s = self.shape.sample(self.to_body(p));
            return Sample { value: s.value, gradient: self.vector_to_world(s.gradient) };
        };
        let mut sum = Sample::ZERO;
        self.visit_at(pose, p, |element, link| {
            let s = element.sample(link.point_to_link(p));
            sum.value += s.value;
            sum.gradient += link.vector_to_world(s.gradient);
        });
        sum
    }

    fn value(&self, p: DVec3) -> f64 {
        let Some(pose) = self.pose else { return self.shape.value(self.to_body(p)) };
        let mut sum = 0.0;
        self.visit_at(pose, p, |element, link| sum += element.sample(link.point_to_link(p)).value);
        sum
    }

    fn bounds(&self, cell: &Cell) -> Interval {
        let Some(pose) = self.pose else { return self.shape.bounds(&cell.moved(&self.root.link_from_world)) };
        let mut sum = Interval::new(0.0, 0.0);
        self.visit_within(pose, cell, |element, cell| {
            let b = element.bounds(cell);
            sum = Interval::new(sum.lo + b.lo, sum.hi + b.hi);
        });
        sum
    }

    fn upper_bound(&self, cell: &Cell) -> f64 {
        let Some(pose) = self.pose else { return self.shape.upper_bound(&cell.moved(&self.root.link_from_world)) };
        let mut sum = 0.0;
        self.visit_within(pose, cell, |element, cell| sum += element.upper_bound(cell));
        sum
    }
}
