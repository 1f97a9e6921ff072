//! A rest shape placed in the world: what contact, meshing and rendering evaluate.

use super::{Field, Sample, Shape};
use crate::math::{Aabb, Cell, DMat3, DVec3, Frame, Interval};

/// A shape at `world_from_body`.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// The rest shape, in the body's frame.
    pub shape: &'a Shape,
    /// Where the body is.
    pub world_from_body: Frame,
    body_from_world: Frame,
    turn: DMat3,
}

impl<'a> Placed<'a> {
    /// `shape` at `world_from_body`.
    pub fn new(shape: &'a Shape, world_from_body: Frame) -> Self {
        let turn = DMat3::from_quat(world_from_body.rotation);
        Self { shape, world_from_body, body_from_world: world_from_body.inverse(), turn }
    }

    /// A world box that contains the solid.
    pub fn solid(&self) -> Aabb {
        self.shape.solid().moved(&self.world_from_body)
    }

    /// A world point in the body's frame.
    pub fn to_body(&self, p: DVec3) -> DVec3 {
        self.turn.transpose() * (p - self.world_from_body.translation)
    }

    /// A direction of the world, in the body's frame.
    pub(crate) fn vector_to_body(&self, v: DVec3) -> DVec3 {
        self.turn.transpose() * v
    }

    /// A direction of the body's frame, in the world.
    pub(super) fn vector_to_world(&self, v: DVec3) -> DVec3 {
        self.turn * v
    }
}

impl Field for Placed<'_> {
    fn sample(&self, p: DVec3) -> Sample {
        let s = self.shape.sample(self.to_body(p));
        Sample { value: s.value, gradient: self.vector_to_world(s.gradient) }
    }

    fn value(&self, p: DVec3) -> f64 {
        self.shape.value(self.to_body(p))
    }

    fn bounds(&self, cell: &Cell) -> Interval {
        self.shape.bounds(&cell.moved(&self.body_from_world))
    }
    fn upper_bound(&self, cell: &Cell) -> f64 {
        self.shape.upper_bound(&cell.moved(&self.body_from_world))
    }
}
