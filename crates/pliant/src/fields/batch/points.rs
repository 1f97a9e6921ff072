//! Points and samples as structure of arrays.

use crate::fields::Sample;
use crate::math::DVec3;

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

    pub(super) fn axes(&self) -> [&[f64]; 3] {
        [&self.x, &self.y, &self.z]
    }

    /// Adds one.
    pub fn push(&mut self, p: DVec3) {
        self.x.push(p.x);
        self.y.push(p.y);
        self.z.push(p.z);
    }

    /// The point at index `i`.
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
    /// The sample at index `i`.
    pub fn get(&self, i: usize) -> Sample {
        Sample { value: self.value[i], gradient: DVec3::new(self.gx[i], self.gy[i], self.gz[i]) }
    }

    /// Replaces the sample at index `i`.
    pub fn set(&mut self, i: usize, sample: &Sample) {
        self.value[i] = sample.value;
        [self.gx[i], self.gy[i], self.gz[i]] = sample.gradient.to_array();
    }

    /// Made `n` long, to be written over.
    pub(super) fn resized(&mut self, n: usize) -> Output<'_> {
        let [value, gx, gy, gz] = [&mut self.value, &mut self.gx, &mut self.gy, &mut self.gz].map(|all| {
            all.resize(n, 0.0);
            &mut all[..]
        });
        Output { value, gradient: [gx, gy, gz] }
    }

    /// Made `n` long, all zero.
    pub(super) fn zeroed(&mut self, n: usize) -> Output<'_> {
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
pub(super) fn values_of(out: &mut Vec<f64>, n: usize) -> Output<'_> {
    Output { value: zeros(out, n), gradient: Default::default() }
}

/// Where results go; `gradient` is empty when only values are wanted.
pub(super) struct Output<'a> {
    pub value: &'a mut [f64],
    pub gradient: [&'a mut [f64]; 3],
}
