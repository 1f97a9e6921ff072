//! A pair: two placed fields, their pressures, the kind of surface they share.

use super::law::{Probe, SurfaceKind, pressure_sample};
use crate::bodies::Layer;
use crate::fields::{Field, Posed};
use crate::math::{Aabb, DVec3, Frame};

/// One side of a pair: a placed field with its stiffness.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Its rest field, placed.
    pub field: Posed<'a>,
    /// `K`, pascals: pressure is `K (f − c)`.
    pub stiffness: f64,
    /// A rigid side is never deformed; a soft partner fits its rest surface.
    pub rigid: bool,
}

/// Two sides of a contact query.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// One side; `∇u` points into it.
    pub a: Side<'a>,
    /// The other.
    pub b: Side<'a>,
}

impl<'a> Side<'a> {
    /// `layer` of a body whose link is at `frame`.
    pub fn of(layer: &'a Layer, frame: Frame) -> Self {
        let field = Posed::rigid(&layer.shape, frame);
        Self { field, stiffness: layer.material.stiffness, rigid: layer.rigid }
    }
}

impl Pair<'_> {
    /// Kind of surface that is shared.
    pub fn kind(&self) -> SurfaceKind {
        match (self.a.rigid, self.b.rigid) {
            (true, false) => SurfaceKind::RigidA,
            (false, true) => SurfaceKind::RigidB,
            (true, true) | (false, false) => SurfaceKind::EqualPressure,
        }
    }

    /// Both pressures at `p`.
    pub fn probe(&self, p: DVec3) -> Probe {
        let [a, b] = [&self.a, &self.b]
            .map(|side| pressure_sample(side.stiffness, &side.field.sample(p), side.field.shape.iso()));
        Probe::of(a, b)
    }

    /// A box that contains every overlap.
    pub fn overlap_bounds(&self) -> Aabb {
        self.a.field.solid_bounds().intersection(&self.b.field.solid_bounds())
    }

    /// The thickness of the thinner side, metres.
    pub fn min_thickness(&self) -> f64 {
        self.a.field.shape.min_thickness().min(self.b.field.shape.min_thickness())
    }
}
