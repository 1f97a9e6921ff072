//! Many points at once: the same field, evaluated in lanes and only where elements reach.
//!
//! *The idea*: points are sorted into the cells of a grid; each cell knows the elements that can be other than zero
//! in it; blocks of its points run against those elements in SIMD lanes. A [`Batch`] is made once per shape.
//! *Promised*: every result equals, bit for bit, what [`Field::sample`] of the shape gives at that
//! point, on every machine path: each element is evaluated with the same operations and summed in the shape's order,
//! and what is skipped would have added zero. Points at infinity or not numbers are outside every bounded element.
//! *In lanes*: point skeletons with linear, non-linear and metaball curves. Everything else takes the scalar path,
//! though only in the cells it reaches.

mod grid;
mod local;
mod sweep;
#[cfg(test)]
mod tests;

use super::element::Stem;
use super::kernel::LaneFormula;
use super::law::Coefficients;
use super::{Element, Field, Posed, Shape};
use crate::math::DVec3;
use crate::math::lanes::widest;
use grid::Grid;
pub(crate) use local::{CORNERS, List, Local, Rows};
use rayon::prelude::*;
use sweep::Sweep;

/// Points from which one call prepares lanes. Fewer are evaluated one by one: copying the elements costs about as
/// much as evaluating them a few times.
const LANES_FROM: usize = 16;

/// Points from which one call prepares a grid too: with more, that costs less than evaluating every element
/// everywhere, however many there are.
const GRID_FROM: usize = 512;

/// Points a thread takes at once. Fewer: sorting gains less. More: a thread may be left without work.
const SHARE: usize = 1 << 14;

/// Points as structure of arrays. The three have equal lengths.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Points {
    /// Metres.
    pub x: Vec<f64>,
    /// Metres.
    pub y: Vec<f64>,
    /// Metres.
    pub z: Vec<f64>,
}

impl Points {
    /// How many.
    ///
    /// # Panics
    /// If the three coordinates are not equally many.
    pub fn len(&self) -> usize {
        assert!(
            self.y.len() == self.x.len() && self.z.len() == self.x.len(),
            "points have {} x, {} y and {} z coordinates",
            self.x.len(),
            self.y.len(),
            self.z.len()
        );
        self.x.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn axes(&self) -> [&[f64]; 3] {
        [&self.x, &self.y, &self.z]
    }

    /// Adds one.
    pub fn push(&mut self, p: DVec3) {
        self.x.push(p.x);
        self.y.push(p.y);
        self.z.push(p.z);
    }

    /// The point of that number.
    pub fn get(&self, i: usize) -> DVec3 {
        DVec3::new(self.x[i], self.y[i], self.z[i])
    }
}

impl FromIterator<DVec3> for Points {
    fn from_iter<I: IntoIterator<Item = DVec3>>(points: I) -> Self {
        let mut all = Self::default();
        points.into_iter().for_each(|p| all.push(p));
        all
    }
}

/// Values and gradients as structure of arrays, one entry a point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// Field values.
    pub value: Vec<f64>,
    /// Gradients along x, per metre.
    pub gx: Vec<f64>,
    /// Gradients along y, per metre.
    pub gy: Vec<f64>,
    /// Gradients along z, per metre.
    pub gz: Vec<f64>,
}

impl Samples {
    /// The sample of that number.
    pub fn get(&self, i: usize) -> super::Sample {
        super::Sample { value: self.value[i], gradient: DVec3::new(self.gx[i], self.gy[i], self.gz[i]) }
    }

    /// Puts another in the place of that number.
    pub fn set(&mut self, i: usize, sample: &super::Sample) {
        self.value[i] = sample.value;
        [self.gx[i], self.gy[i], self.gz[i]] = sample.gradient.to_array();
    }

    /// Made `n` long, to be written over.
    fn room(&mut self, n: usize) -> Output<'_> {
        let [value, gx, gy, gz] = [&mut self.value, &mut self.gx, &mut self.gy, &mut self.gz].map(|all| {
            all.resize(n, 0.0);
            &mut all[..]
        });
        Output { value, gradient: [gx, gy, gz] }
    }

    /// Made `n` long, all zero.
    fn all(&mut self, n: usize) -> Output<'_> {
        let [value, gx, gy, gz] = [&mut self.value, &mut self.gx, &mut self.gy, &mut self.gz].map(|all| zeros(all, n));
        Output { value, gradient: [gx, gy, gz] }
    }
}

/// `all` made `n` long, all zero.
fn zeros(all: &mut Vec<f64>, n: usize) -> &mut [f64] {
    all.clear();
    all.resize(n, 0.0);
    all
}

/// `out` made `n` long, for values only.
fn values_of(out: &mut Vec<f64>, n: usize) -> Output<'_> {
    Output { value: zeros(out, n), gradient: Default::default() }
}

/// The point element that a loop evaluates; none takes the scalar path.
fn lane_point(element: &Element) -> Option<(DVec3, Stem<'_>)> {
    let stem = element.stem()?;
    Some((stem.point()?, stem))
}

/// A point element as the loops read it. Zero for elements that have no lanes.
#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    at: [f64; 3],
    strength: f64,
    law: Coefficients,
}

impl Lane {
    fn of(element: &Element) -> Self {
        lane_point(element).map_or_else(Self::default, |(at, stem)| Self {
            at: at.to_array(),
            strength: stem.strength,
            law: *stem.kernel.coefficients(),
        })
    }
}

/// Where results go; `gradient` is empty when only values are wanted.
struct Output<'a> {
    value: &'a mut [f64],
    gradient: [&'a mut [f64]; 3],
}

/// What the loops read besides the elements themselves.
#[derive(Clone, Debug)]
struct Prepared {
    lanes: Vec<Lane>,
    grid: Grid,
}

impl Prepared {
    fn new(elements: &[Element], culled: bool) -> Self {
        let kinds: Vec<Option<LaneFormula>> = elements.iter().map(|e| Some(lane_point(e)?.1.formula)).collect();
        Self { lanes: elements.iter().map(Lane::of).collect(), grid: Grid::new(elements, &kinds, culled) }
    }

    /// For one call: a grid only if there is enough work to earn it, nothing for a few points.
    fn for_one_call(shape: &Shape, points: usize) -> Option<Self> {
        (points >= LANES_FROM).then(|| Self::new(shape.elements(), points >= GRID_FROM))
    }
}

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

    fn sweep<'a, const GRADIENT: bool>(&'a self, at: [&'a [f64]; 3], out: Output<'a>) -> Sweep<'a, GRADIENT> {
        Sweep { elements: &self.elements, prepared: &self.prepared, at, out }
    }

    /// Values at `points`, on this thread. `out` is made as long as `points`.
    pub fn values(&self, points: &Points, out: &mut Vec<f64>) {
        widest(self.sweep::<false>(points.axes(), values_of(out, points.len())));
    }

    /// Values and gradients at `points`, on this thread. `out` is made as long as `points`.
    pub fn samples(&self, points: &Points, out: &mut Samples) {
        widest(self.sweep::<true>(points.axes(), out.all(points.len())));
    }

    /// [`values`](Self::values) on every thread of the current pool; the same bits.
    pub fn values_in_parallel(&self, points: &Points, out: &mut Vec<f64>) {
        let out = values_of(out, points.len());
        shares(points).zip(out.value.par_chunks_mut(SHARE)).for_each(|(at, value)| {
            widest(self.sweep::<false>(at, Output { value, gradient: Default::default() }));
        });
    }

    /// [`samples`](Self::samples) on every thread of the current pool; the same bits.
    pub fn samples_in_parallel(&self, points: &Points, out: &mut Samples) {
        let Output { value, gradient } = out.all(points.len());
        let [gx, gy, gz] = gradient.map(|g| g.par_chunks_mut(SHARE));
        let out = value.par_chunks_mut(SHARE).zip(gx).zip(gy.zip(gz));
        shares(points).zip(out).for_each(|(at, ((value, gx), (gy, gz)))| {
            widest(self.sweep::<true>(at, Output { value, gradient: [gx, gy, gz] }));
        });
    }

    /// The baseline loops, whatever the machine has: what [`widest`] must agree with.
    #[cfg(test)]
    fn samples_on_the_baseline(&self, points: &Points, out: &mut Samples) {
        crate::math::lanes::Pass::run(self.sweep::<true>(points.axes(), out.all(points.len())));
    }
}

/// `points` in pieces of [`SHARE`].
fn shares(points: &Points) -> impl IndexedParallelIterator<Item = [&[f64]; 3]> {
    points.len(); // says what is wrong if the coordinates are not equally many
    (points.x.par_chunks(SHARE).zip(points.y.par_chunks(SHARE)).zip(points.z.par_chunks(SHARE)))
        .map(|((x, y), z)| [x, y, z])
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
                widest(Sweep::<false> { elements, prepared: &prepared, at, out });
            }
            None => (0..points.len()).for_each(|i| out.value[i] = self.value(points.get(i))),
        }
    }

    /// Values and gradients at many points; see [`values_many`](Self::values_many).
    pub fn samples_many(&self, points: &Points, out: &mut Samples) {
        let out = out.all(points.len());
        let Some(prepared) = Prepared::for_one_call(self, points.len()) else {
            for i in 0..points.len() {
                let s = self.sample(points.get(i));
                out.value[i] = s.value;
                (0..3).for_each(|axis| out.gradient[axis][i] = s.gradient[axis]);
            }
            return;
        };
        widest(Sweep::<true> { elements: self.elements(), prepared: &prepared, at: points.axes(), out });
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
        out.all(points.len());
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
