//! Rest shapes and deformed bodies as implicit surfaces.

use super::implicit::ImplicitSurface;
use crate::fields::{CORNERS, Candidates, CornerValues, Field, GridField, Points, Posed, Samples};
use crate::math::{Aabb, Cell, Interval};
use crate::visible::Deformed;
use std::sync::Arc;

/// A rest shape with only the elements that reach a box.
struct CulledSurface<'a> {
    local: Arc<GridField<'a>>,
    list: Candidates,
    iso: f64,
    solid: Aabb,
}

impl ImplicitSurface for CulledSurface<'_> {
    fn iso(&self) -> f64 {
        self.iso
    }
    fn bounds_of_surface(&self) -> Aabb {
        self.solid
    }
    fn range(&self, cell: &Aabb) -> Interval {
        self.local.range(&self.list, cell)
    }
    fn samples(&self, points: &Points, out: &mut Samples) {
        self.local.samples(&self.list, points, out);
    }
    fn corners(&self, at: &[[f64; CORNERS]; 3], out: &mut CornerValues) {
        self.local.corners(&self.list, at, out);
    }
    fn within(&self, cell: &Aabb) -> Option<Box<dyn ImplicitSurface + '_>> {
        let list = self.local.restricted_to(&self.list, cell);
        (list.len() < self.list.len()).then(|| -> Box<dyn ImplicitSurface + '_> {
            Box::new(CulledSurface { local: Arc::clone(&self.local), list, iso: self.iso, solid: self.solid })
        })
    }
}

impl ImplicitSurface for Posed<'_> {
    fn iso(&self) -> f64 {
        self.shape.iso()
    }
    fn bounds_of_surface(&self) -> Aabb {
        self.solid_bounds()
    }
    fn range(&self, cell: &Aabb) -> Interval {
        self.bounds(&Cell::from(*cell))
    }
    fn samples(&self, points: &Points, out: &mut Samples) {
        self.samples_many(points, out);
    }
    fn within(&self, cell: &Aabb) -> Option<Box<dyn ImplicitSurface + '_>> {
        let local = GridField::new(*self);
        let list = local.restricted_to(&local.all(), cell);
        Some(Box::new(CulledSurface {
            local: Arc::new(local),
            list,
            iso: self.shape.iso(),
            solid: self.solid_bounds(),
        }))
    }
}

impl ImplicitSurface for Deformed<'_> {
    fn iso(&self) -> f64 {
        self.field.shape.iso()
    }
    /// Bulges may leave the rest solid, but never the influence of its elements.
    fn bounds_of_surface(&self) -> Aabb {
        if self.colliders.is_empty() { self.field.solid_bounds() } else { self.field.influence_bounds() }
    }
    fn range(&self, cell: &Aabb) -> Interval {
        self.bounds(&Cell::from(*cell))
    }
    fn samples(&self, points: &Points, out: &mut Samples) {
        self.samples_many(points, out);
    }
    /// A bulge depends on elements outside the cell: a deformed body is not reduced.
    fn within(&self, cell: &Aabb) -> Option<Box<dyn ImplicitSurface + '_>> {
        if self.colliders.is_empty() { ImplicitSurface::within(&self.field, cell) } else { None }
    }
}
