//! Batches of points: the same field, evaluated in SIMD lanes with only the elements that reach each point.
//!
//! *The idea*: points are sorted into the cells of a grid; each cell knows the elements that can be other than zero
//! in it; blocks of its points run against those elements in SIMD lanes. A [`Batch`] is made once per shape.
//! *Promised*: every result equals, bit for bit, what [`Field::sample`] of the shape gives at that
//! point, on every machine path: each element is evaluated with the same operations and summed in the shape's order,
//! and what is skipped would have added zero. Points at infinity or not numbers are outside every bounded element.
//! *In lanes*: point skeletons with linear, non-linear and metaball curves. Everything else takes the scalar path,
//! though only in the cells it reaches.

mod grid;
mod grid_field;
mod lane;
mod points;
mod prepared;
mod batch_evaluation;
#[cfg(test)]
mod tests;

use super::{Element, Field, Posed, Shape};
use crate::math::DVec3;
use crate::math::lanes::widest;
use batch_evaluation::BatchEvaluation;
pub(crate) use grid_field::{CORNERS, Candidates, CornerValues, GridField};
use points::{Output, values_of};
pub use points::{Points, Samples};
use prepared::Prepared;
use rayon::prelude::*;

/// Points a thread takes at once. Fewer: sorting gains less. More: a thread may be left without work.
const POINTS_PER_TASK: usize = 1 << 14;

/// A shape prepared for many points: make it once, use it until the shape changes.
#[derive(Clone, Debug)]
pub struct Batch {
    elements: Vec<Element>,
    prepared: Prepared,
}

impl Batch {
    /// Prepares `shape`: time and memory in proportion to its elements.
    pub fn new(shape: &Shape) -> Self {
        Self { elements: shape.elements().to_vec(), prepared: Prepared::new(shape.elements(), true) }
    }

    fn evaluation<'a, const GRADIENT: bool>(
        &'a self,
        at: [&'a [f64]; 3],
        out: Output<'a>,
    ) -> BatchEvaluation<'a, GRADIENT> {
        BatchEvaluation { elements: &self.elements, prepared: &self.prepared, at, out }
    }

    /// Values at `points`, on this thread. `out` is made as long as `points`.
    pub fn values(&self, points: &Points, out: &mut Vec<f64>) {
        widest(self.evaluation::<false>(points.axes(), values_of(out, points.len())));
    }

    /// Values and gradients at `points`, on this thread. `out` is made as long as `points`.
    pub fn samples(&self, points: &Points, out: &mut Samples) {
        widest(self.evaluation::<true>(points.axes(), out.zeroed(points.len())));
    }

    /// [`values`](Self::values) on every thread of the current pool; the same bits.
    pub fn values_in_parallel(&self, points: &Points, out: &mut Vec<f64>) {
        let out = values_of(out, points.len());
        tasks(points).zip(out.value.par_chunks_mut(POINTS_PER_TASK)).for_each(|(at, value)| {
            widest(self.evaluation::<false>(at, Output { value, gradient: Default::default() }));
        });
    }

    /// [`samples`](Self::samples) on every thread of the current pool; the same bits.
    pub fn samples_in_parallel(&self, points: &Points, out: &mut Samples) {
        let Output { value, gradient } = out.zeroed(points.len());
        let [gx, gy, gz] = gradient.map(|g| g.par_chunks_mut(POINTS_PER_TASK));
        let out = value.par_chunks_mut(POINTS_PER_TASK).zip(gx).zip(gy.zip(gz));
        tasks(points).zip(out).for_each(|(at, ((value, gx), (gy, gz)))| {
            widest(self.evaluation::<true>(at, Output { value, gradient: [gx, gy, gz] }));
        });
    }

    /// The baseline loops, whatever the machine has: what [`widest`] must agree with.
    #[cfg(test)]
    fn samples_on_the_baseline(&self, points: &Points, out: &mut Samples) {
        crate::math::lanes::Pass::run::<crate::math::real::Lanes>(
            self.evaluation::<true>(points.axes(), out.zeroed(points.len())),
        );
    }
}

/// `points` in pieces of [`POINTS_PER_TASK`].
fn tasks(points: &Points) -> impl IndexedParallelIterator<Item = [&[f64]; 3]> {
    points.len(); // says what is wrong if the coordinates are not equally many
    let [x, y, z] = [&points.x, &points.y, &points.z].map(|axis| axis.par_chunks(POINTS_PER_TASK));
    x.zip(y).zip(z).map(|((x, y), z)| [x, y, z])
}

impl Shape {
    /// Prepared for many calls with many points each.
    pub fn evaluator(&self) -> Batch {
        Batch::new(self)
    }

    /// Values at many points; `out` is made as long. Prepares the shape for this call alone, as far as that pays:
    /// with an [`evaluator`](Self::evaluator) it is done once.
    pub fn values_many(&self, points: &Points, out: &mut Vec<f64>) {
        let out = values_of(out, points.len());
        match Prepared::for_one_call(self, points.len()) {
            Some(prepared) => {
                let (elements, at) = (self.elements(), points.axes());
                widest(BatchEvaluation::<false> { elements, prepared: &prepared, at, out });
            }
            None => (0..points.len()).for_each(|i| out.value[i] = self.value(points.get(i))),
        }
    }

    /// Values and gradients at many points; see [`values_many`](Self::values_many).
    pub fn samples_many(&self, points: &Points, out: &mut Samples) {
        let out = out.zeroed(points.len());
        let Some(prepared) = Prepared::for_one_call(self, points.len()) else {
            for i in 0..points.len() {
                let s = self.sample(points.get(i));
                out.value[i] = s.value;
                (0..3).for_each(|axis| out.gradient[axis][i] = s.gradient[axis]);
            }
            return;
        };
        widest(BatchEvaluation::<true> { elements: self.elements(), prepared: &prepared, at: points.axes(), out });
    }
}

impl Posed<'_> {
    /// Values at many world points; `out` is made as long. See [`Shape::values_many`].
    pub fn values_many(&self, points: &Points, out: &mut Vec<f64>) {
        if self.is_rigid() {
            self.shape.values_many(&self.in_body(points), out);
        } else {
            self.values_one_by_one(points, out);
        }
    }

    /// Values and gradients at many world points. See [`Shape::values_many`].
    pub fn samples_many(&self, points: &Points, out: &mut Samples) {
        if self.is_rigid() {
            self.shape.samples_many(&self.in_body(points), out);
            self.turn_gradients(out);
        } else {
            self.samples_one_by_one(points, out);
        }
    }

    /// [`values_many`](Self::values_many) with `batch`, made by [`Shape::evaluator`] of this shape.
    pub fn values_with(&self, batch: &Batch, points: &Points, out: &mut Vec<f64>) {
        if self.is_rigid() {
            batch.values(&self.in_body(points), out);
        } else {
            self.values_one_by_one(points, out);
        }
    }

    /// [`samples_many`](Self::samples_many) with `batch`, made by [`Shape::evaluator`] of this shape.
    pub fn samples_with(&self, batch: &Batch, points: &Points, out: &mut Samples) {
        if self.is_rigid() {
            batch.samples(&self.in_body(points), out);
            self.turn_gradients(out);
        } else {
            self.samples_one_by_one(points, out);
        }
    }

    fn values_one_by_one(&self, points: &Points, out: &mut Vec<f64>) {
        out.clear();
        out.extend((0..points.len()).map(|i| self.value(points.get(i))));
    }

    fn samples_one_by_one(&self, points: &Points, out: &mut Samples) {
        out.zeroed(points.len());
        (0..points.len()).for_each(|i| out.set(i, &self.sample(points.get(i))));
    }

    fn in_body(&self, points: &Points) -> Points {
        let n = points.len();
        let mut all = Points { x: vec![0.0; n], y: vec![0.0; n], z: vec![0.0; n] };
        for i in 0..n {
            [all.x[i], all.y[i], all.z[i]] = self.to_body(points.get(i)).to_array();
        }
        all
    }

    fn turn_gradients(&self, out: &mut Samples) {
        for ((x, y), z) in out.gx.iter_mut().zip(&mut out.gy).zip(&mut out.gz) {
            [*x, *y, *z] = self.vector_to_world(DVec3::new(*x, *y, *z)).to_array();
        }
    }
}
