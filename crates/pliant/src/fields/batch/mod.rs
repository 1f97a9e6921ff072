//! Many points at once: the same field, evaluated in lanes and only where elements reach.
//!
//! *The idea*: points are sorted into the cells of a grid; each cell knows the elements that can be other than zero
//! in it; blocks of its points run against those elements in SIMD lanes. A [`Batch`] is made once per shape.
//! *Promised*: every result equals, bit for bit, what [`Field::sample`](super::Field::sample) of the shape gives at that
//! point, on every machine path: each element is evaluated with the same operations and summed in the shape's order,
//! and what is skipped would have added zero. Points at infinity or not numbers are outside every bounded element.
//! *In lanes*: point skeletons with linear, non-linear and metaball curves. Everything else takes the scalar path,
//! though only in the cells it reaches.

mod grid;
mod sweep;
#[cfg(test)]
mod tests;

use super::law::Coefficients;
use super::{Element, Placed, Profile, Shape, Skeleton, Source};
use crate::math::DVec3;
use crate::math::lanes::widest;
use grid::Grid;
use rayon::prelude::*;
use sweep::Sweep;

/// Element evaluations from which preparing a grid for one call pays. Smaller: small calls pay for a grid they do
/// not need. Larger: big ones go without.
const PREPARE_FROM: usize = 1 << 17;

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

    /// Makes room for `n` samples, all zero.
    fn clear_to(&mut self, n: usize) {
        for all in [&mut self.value, &mut self.gx, &mut self.gy, &mut self.gz] {
            all.clear();
            all.resize(n, 0.0);
        }
    }
}

/// Which loop evaluates an element.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Metaball,
    Linear,
    NonLinear,
    Other,
}

impl Kind {
    fn of(element: &Element) -> Self {
        match &element.source {
            Source::Distance(Skeleton::Point(_), kernel) => match kernel.profile() {
                Profile::Metaball => Self::Metaball,
                Profile::Linear => Self::Linear,
                Profile::NonLinear => Self::NonLinear,
                Profile::Hardening | Profile::Drawn(_) => Self::Other,
            },
            _ => Self::Other,
        }
    }
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
        match &element.source {
            Source::Distance(Skeleton::Point(point), kernel) => {
                Self { at: point.at.to_array(), strength: element.strength, law: *kernel.coefficients() }
            }
            _ => Self::default(),
        }
    }
}

/// Where results go; `gradient` is empty when only values are wanted.
struct Output<'a> {
    value: &'a mut [f64],
    gradient: [&'a mut [f64]; 3],
}

/// A shape prepared for many points: make it once, use it until the shape changes.
#[derive(Clone, Debug)]
pub struct Batch {
    elements: Vec<Element>,
    lanes: Vec<Lane>,
    grid: Grid,
}

impl Batch {
    /// Prepares `shape`: time and memory in proportion to its elements.
    pub fn new(shape: &Shape) -> Self {
        Self::prepare(shape, true)
    }

    fn prepare(shape: &Shape, culled: bool) -> Self {
        let elements = shape.elements().to_vec();
        let kinds: Vec<Kind> = elements.iter().map(Kind::of).collect();
        let grid = Grid::new(&elements, &kinds, culled);
        Self { lanes: elements.iter().map(Lane::of).collect(), elements, grid }
    }

    /// For one call: a grid only if there is enough work to earn it.
    fn for_one_call(shape: &Shape, points: usize) -> Self {
        Self::prepare(shape, shape.elements().len().saturating_mul(points) >= PREPARE_FROM)
    }

    /// Values at `points`, on this thread. `out` is made as long as `points`.
    pub fn values(&self, points: &Points, out: &mut Vec<f64>) {
        out.clear();
        out.resize(points.len(), 0.0);
        let out = Output { value: out, gradient: Default::default() };
        widest(Sweep::<false> { batch: self, at: [&points.x, &points.y, &points.z], out });
    }

    /// Values and gradients at `points`, on this thread. `out` is made as long as `points`.
    pub fn samples(&self, points: &Points, out: &mut Samples) {
        out.clear_to(points.len());
        let out = Output { value: &mut out.value, gradient: [&mut out.gx, &mut out.gy, &mut out.gz] };
        widest(Sweep::<true> { batch: self, at: [&points.x, &points.y, &points.z], out });
    }

    /// [`values`](Self::values) on every thread of the current pool; the same bits.
    pub fn values_in_parallel(&self, points: &Points, out: &mut Vec<f64>) {
        out.clear();
        out.resize(points.len(), 0.0);
        shares(points).zip(out.par_chunks_mut(SHARE)).for_each(|(at, value)| {
            let out = Output { value, gradient: Default::default() };
            widest(Sweep::<false> { batch: self, at, out });
        });
    }

    /// [`samples`](Self::samples) on every thread of the current pool; the same bits.
    pub fn samples_in_parallel(&self, points: &Points, out: &mut Samples) {
        out.clear_to(points.len());
        let (value, gx) = (out.value.par_chunks_mut(SHARE), out.gx.par_chunks_mut(SHARE));
        let (gy, gz) = (out.gy.par_chunks_mut(SHARE), out.gz.par_chunks_mut(SHARE));
        shares(points).zip(value.zip(gx).zip(gy.zip(gz))).for_each(|(at, ((value, gx), (gy, gz)))| {
            let out = Output { value, gradient: [gx, gy, gz] };
            widest(Sweep::<true> { batch: self, at, out });
        });
    }

    /// The baseline loops, whatever the machine has: what [`widest`] must agree with.
    #[cfg(test)]
    fn samples_on_the_baseline(&self, points: &Points, out: &mut Samples) {
        out.clear_to(points.len());
        let out = Output { value: &mut out.value, gradient: [&mut out.gx, &mut out.gy, &mut out.gz] };
        let sweep = Sweep::<true> { batch: self, at: [&points.x, &points.y, &points.z], out };
        crate::math::lanes::Pass::run(sweep);
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

    /// Values at many points; `out` is made as long. Prepares the shape for this call alone:
    /// with an [`evaluator`](Self::evaluator) that is paid once.
    pub fn values_many(&self, points: &Points, out: &mut Vec<f64>) {
        Batch::for_one_call(self, points.len()).values(points, out);
    }

    /// Values and gradients at many points; see [`values_many`](Self::values_many).
    pub fn samples_many(&self, points: &Points, out: &mut Samples) {
        Batch::for_one_call(self, points.len()).samples(points, out);
    }
}

impl Placed<'_> {
    /// Values at many world points; `out` is made as long. See [`Shape::values_many`].
    pub fn values_many(&self, points: &Points, out: &mut Vec<f64>) {
        self.values_with(&Batch::for_one_call(self.shape, points.len()), points, out);
    }

    /// Values and gradients at many world points. See [`Shape::values_many`].
    pub fn samples_many(&self, points: &Points, out: &mut Samples) {
        self.samples_with(&Batch::for_one_call(self.shape, points.len()), points, out);
    }

    /// [`values_many`](Self::values_many) with `batch`, made by [`Shape::evaluator`] of this shape.
    pub fn values_with(&self, batch: &Batch, points: &Points, out: &mut Vec<f64>) {
        batch.values(&self.in_body(points), out);
    }

    /// [`samples_many`](Self::samples_many) with `batch`, made by [`Shape::evaluator`] of this shape.
    pub fn samples_with(&self, batch: &Batch, points: &Points, out: &mut Samples) {
        batch.samples(&self.in_body(points), out);
        for ((x, y), z) in out.gx.iter_mut().zip(&mut out.gy).zip(&mut out.gz) {
            [*x, *y, *z] = self.vector_to_world(DVec3::new(*x, *y, *z)).to_array();
        }
    }

    fn in_body(&self, points: &Points) -> Points {
        (0..points.len()).map(|i| self.to_body(points.get(i))).collect()
    }
}
