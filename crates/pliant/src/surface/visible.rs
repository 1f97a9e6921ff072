//! Bodies as surfaces to be marched.

use super::grid::Surface;
use crate::contact::Deformed;
use crate::fields::{Field, Placed, Points, Samples, Shape};
use crate::math::{Aabb, Cell, Frame, Interval};

/// A rest shape of which only the elements near some place are kept.
struct Near {
    shape: Shape,
    world_from_body: Frame,
}

impl Near {
    fn of(shape: &Shape, world_from_body: Frame, cell: &Cell) -> Option<Self> {
        let shape = shape.near(&cell.moved(&world_from_body.inverse()))?;
        Some(Self { shape, world_from_body })
    }

    fn placed(&self) -> Placed<'_> {
        Placed::new(&self.shape, self.world_from_body)
    }
}

impl Surface for Near {
    fn iso(&self) -> f64 {
        self.shape.iso()
    }
    fn bounds_of_surface(&self) -> Aabb {
        self.placed().solid()
    }
    fn range(&self, cell: &Cell) -> Interval {
        self.placed().bounds(cell)
    }
    fn values(&self, points: &Points, out: &mut Vec<f64>) {
        self.placed().values_many(points, out);
    }
    fn samples(&self, points: &Points, out: &mut Samples) {
        self.placed().samples_many(points, out);
    }
    fn within(&self, cell: &Cell) -> Option<Box<dyn Surface + '_>> {
        Some(Box::new(Self::of(&self.shape, self.world_from_body, cell)?))
    }
}

impl Surface for Placed<'_> {
    fn iso(&self) -> f64 {
        self.shape.iso()
    }
    fn bounds_of_surface(&self) -> Aabb {
        self.solid()
    }
    fn range(&self, cell: &Cell) -> Interval {
        self.bounds(cell)
    }
    fn values(&self, points: &Points, out: &mut Vec<f64>) {
        self.values_many(points, out);
    }
    fn samples(&self, points: &Points, out: &mut Samples) {
        self.samples_many(points, out);
    }
    fn within(&self, cell: &Cell) -> Option<Box<dyn Surface + '_>> {
        Some(Box::new(Near::of(self.shape, self.world_from_body, cell)?))
    }
}

impl Surface for Deformed<'_> {
    fn iso(&self) -> f64 {
        self.field.shape.iso()
    }
    /// Bulges may leave the rest solid, but nothing is outside every element's reach.
    fn bounds_of_surface(&self) -> Aabb {
        if self.colliders.is_empty() {
            self.field.solid()
        } else {
            self.field.shape.influence().moved(&self.field.world_from_body)
        }
    }
    fn range(&self, cell: &Cell) -> Interval {
        self.bounds(cell)
    }
    fn values(&self, points: &Points, out: &mut Vec<f64>) {
        let mut samples = Samples::default();
        self.samples_many(points, &mut samples);
        *out = samples.value;
    }
    fn samples(&self, points: &Points, out: &mut Samples) {
        self.samples_many(points, out);
    }
    /// A bulge looks farther than the cell it is in: of a deformed body everything is kept.
    fn within(&self, cell: &Cell) -> Option<Box<dyn Surface + '_>> {
        if self.colliders.is_empty() { Surface::within(&self.field, cell) } else { None }
    }
}
