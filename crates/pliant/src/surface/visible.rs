//! Bodies as surfaces to be marched.

use super::grid::Surface;
use crate::contact::Deformed;
use crate::fields::{CORNERS, Candidates, Field, GridField, Points, Posed, Rows, Samples};
use crate::math::{Aabb, Cell, Interval};
use std::sync::Arc;

/// A rest shape of which only the elements near some place are listed.
struct Near<'a> {
    local: Arc<GridField<'a>>,
    list: Candidates,
    iso: f64,
    solid: Aabb,
}

impl Surface for Near<'_> {
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
    fn corners(&self, at: &[[f64; CORNERS]; 3], out: &mut Rows) {
        self.local.corners(&self.list, at, out);
    }
    fn within(&self, cell: &Aabb) -> Option<Box<dyn Surface + '_>> {
        let list = self.local.within(&self.list, cell);
        (list.len() < self.list.len()).then(|| -> Box<dyn Surface + '_> {
            Box::new(Near { local: Arc::clone(&self.local), list, iso: self.iso, solid: self.solid })
        })
    }
}

impl Surface for Posed<'_> {
    fn iso(&self) -> f64 {
        self.shape.iso()
    }
    fn bounds_of_surface(&self) -> Aabb {
        self.solid()
    }
    fn range(&self, cell: &Aabb) -> Interval {
        self.bounds(&Cell::from(*cell))
    }
    fn samples(&self, points: &Points, out: &mut Samples) {
        self.samples_many(points, out);
    }
    fn within(&self, cell: &Aabb) -> Option<Box<dyn Surface + '_>> {
        let local = GridField::new(*self);
        let list = local.within(&local.all(), cell);
        Some(Box::new(Near { local: Arc::new(local), list, iso: self.shape.iso(), solid: self.solid() }))
    }
}

impl Surface for Deformed<'_> {
    fn iso(&self) -> f64 {
        self.field.shape.iso()
    }
    /// Bulges may leave the rest solid, but nothing is outside every element's reach.
    fn bounds_of_surface(&self) -> Aabb {
        if self.colliders.is_empty() { self.field.solid() } else { self.field.influence() }
    }
    fn range(&self, cell: &Aabb) -> Interval {
        self.bounds(&Cell::from(*cell))
    }
    fn samples(&self, points: &Points, out: &mut Samples) {
        self.samples_many(points, out);
    }
    /// A bulge looks farther than the cell it is in: of a deformed body everything is kept.
    fn within(&self, cell: &Aabb) -> Option<Box<dyn Surface + '_>> {
        if self.colliders.is_empty() { Surface::within(&self.field, cell) } else { None }
    }
}
