//! Pose: a frame for each link of a shape, and a tree of its parts in the world.
//!
//! *The idea*: a pose is made once and refitted when links move: boxes follow their links, the structure of the tree stays.
//! *Not promised*: the tightest box around the solid. With several links it follows from how many parts may come together,
//! without a search.

use super::part_tree::PartTree;
use super::{LinkNumber, Shape};
use crate::math::{Aabb, DMat3, DVec3, Frame};

/// A link's frame, with what turns points and directions both ways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LinkFrame {
    pub world_from_link: Frame,
    pub link_from_world: Frame,
    turn: DMat3,
}

impl LinkFrame {
    pub fn new(world_from_link: Frame) -> Self {
        let turn = DMat3::from_quat(world_from_link.rotation);
        Self { world_from_link, link_from_world: world_from_link.inverse(), turn }
    }

    /// A world point in the link's frame.
    #[inline]
    pub fn point_to_link(&self, p: DVec3) -> DVec3 {
        self.turn.transpose() * (p - self.world_from_link.translation)
    }

    /// A direction of the world, in the link's frame.
    #[inline]
    pub fn vector_to_link(&self, v: DVec3) -> DVec3 {
        self.turn.transpose() * v
    }

    /// A direction of the link's frame, in the world.
    #[inline]
    pub fn vector_to_world(&self, v: DVec3) -> DVec3 {
        self.turn * v
    }
}

/// A frame for each link of a shape, and a tree of its parts there.
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    links: Vec<LinkFrame>,
    /// Boxes of influence in the world, by element.
    boxes: Vec<Aabb>,
    tree: Option<PartTree>,
    influence: Aabb,
    solid: Aabb,
}

impl Pose {
    /// The links of `shape` at `frames`.
    ///
    /// # Panics
    /// If there are fewer frames than links.
    pub fn new(shape: &Shape, frames: &[Frame]) -> Self {
        let mut pose =
            Self { links: Vec::new(), boxes: Vec::new(), tree: None, influence: Aabb::EMPTY, solid: Aabb::EMPTY };
        pose.place(shape, frames);
        pose.tree = PartTree::new(&pose.boxes);
        pose.solid = pose.solid_box(shape);
        pose
    }

    /// Moves the links of `shape`, for which this was made, to `frames`: linear in the parts, nothing is rebuilt.
    ///
    /// # Panics
    /// If there are fewer frames than links.
    pub fn refit(&mut self, shape: &Shape, frames: &[Frame]) {
        self.place(shape, frames);
        if let Some(tree) = &mut self.tree {
            tree.refit(&self.boxes);
        }
        self.solid = self.solid_box(shape);
    }

    fn place(&mut self, shape: &Shape, frames: &[Frame]) {
        let count = shape.link_count();
        assert!(frames.len() >= count, "{} frames for {count} links", frames.len());
        self.links.clear();
        self.links.extend(frames[..count].iter().map(|frame| LinkFrame::new(*frame)));
        self.boxes.clear();
        let frame = |i: usize| &self.links[shape.link(i).index()].world_from_link;
        self.boxes.extend(shape.elements().iter().enumerate().map(|(i, e)| e.influence_bounds().moved(frame(i))));
        self.influence = self.boxes.iter().fold(Aabb::EMPTY, |b, i| b.union(i));
    }

    /// A box around the solid. At a point of the solid the contributions add up to the isovalue `c` or more, so the
    /// greatest of n is at least `c/n`: the point lies where that part alone reaches `c/n`. n is the number of parts
    /// whose boxes of influence overlap that part's.
    fn solid_box(&self, shape: &Shape) -> Aabb {
        let meeting = |i: usize| match &self.tree {
            Some(tree) => tree.parts_within(&self.boxes[i]).len(),
            None => self.boxes.iter().filter(|b| b.overlaps(&self.boxes[i])).count(),
        };
        let around = |i: usize| {
            let (element, frame) = (&shape.elements()[i], &self.links[shape.link(i).index()].world_from_link);
            let level = shape.iso() / meeting(i) as f64;
            if element.strength <= 0.0 {
                return Aabb::EMPTY;
            }
            match element.kernel() {
                // A convolution may be anywhere in its box.
                None => self.boxes[i],
                // A part too weak even on its skeleton is nowhere the greatest.
                Some(_) => element.level_radius(level).map_or_else(
                    || if element.is_volume() { self.boxes[i] } else { Aabb::EMPTY },
                    |reach| element.skeleton_bounds().grown(reach).moved(frame),
                ),
            }
        };
        (0..shape.elements().len()).map(around).fold(Aabb::EMPTY, |b, a| b.union(&a))
    }

    /// The frame of a link.
    pub fn world_from_link(&self, link: LinkNumber) -> Frame {
        self.link(link).world_from_link
    }

    /// A world box that contains the solid.
    pub fn solid_bounds(&self) -> Aabb {
        self.solid
    }

    /// A world box outside which the field is zero.
    pub fn influence_bounds(&self) -> Aabb {
        self.influence
    }

    pub(super) fn link(&self, link: LinkNumber) -> &LinkFrame {
        &self.links[link.index()]
    }

    pub(super) fn links(&self) -> &[LinkFrame] {
        &self.links
    }

    pub(super) fn tree(&self) -> Option<&PartTree> {
        self.tree.as_ref()
    }
}
