//! Kernels measured on a specimen: a curve of pressure over depth through the rows of a table.

use super::kernel_error::KernelError;
use crate::math::Interval;

/// A measured curve of depth: monotone cubics through the rows of a table, continued straight past the last.
///
/// Rows are (depth in metres, field above the isovalue); a table of pressures is divided by `K` first.
/// Slopes at the rows follow Fritsch and Carlson, so the curve never overshoots its rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    depths: Vec<f64>,
    values: Vec<f64>,
    slopes: Vec<f64>,
    second_derivatives: Interval,
}

impl Curve {
    /// Through `rows`, which start at (0, 0) and increase strictly in both columns.
    pub fn new(rows: &[(f64, f64)]) -> Result<Self, KernelError> {
        let fail = |row: usize, why| Err(KernelError::Curve { row: row + 1, why });
        if rows.len() < 2 {
            return fail(0, "a curve needs at least two rows, the first of them [0, 0]");
        }
        for (i, &(depth, value)) in rows.iter().enumerate() {
            if !(depth.is_finite() && value.is_finite()) {
                return fail(i, "depth and pressure must be finite numbers");
            }
            if i == 0 && (depth, value) != (0.0, 0.0) {
                return fail(0, "the first row must be [0, 0]: no pressure at the surface");
            }
            if i > 0 && (depth <= rows[i - 1].0 || value <= rows[i - 1].1) {
                return fail(i, "depth and pressure must both increase from row to row");
            }
        }
        let (depths, values): (Vec<f64>, Vec<f64>) = rows.iter().copied().unzip();
        let secants: Vec<f64> =
            (1..depths.len()).map(|i| (values[i] - values[i - 1]) / (depths[i] - depths[i - 1])).collect();
        let n = depths.len();
        let mut slopes = vec![0.0; n];
        slopes[0] = secants[0];
        slopes[n - 1] = secants[n - 2];
        for i in 1..n - 1 {
            let (w0, w1) = (depths[i] - depths[i - 1], depths[i + 1] - depths[i]);
            let (a, b) = (2.0 * w1 + w0, w1 + 2.0 * w0);
            slopes[i] = (a + b) / (a / secants[i - 1] + b / secants[i]);
        }
        // Of a cubic piece the second derivative is a straight line: its ends suffice.
        let (least, most) = (0..n - 1).fold((0.0f64, 0.0f64), |(low, high): (f64, f64), i| {
            let h = depths[i + 1] - depths[i];
            let (c2, c3) =
                (3.0 * secants[i] - 2.0 * slopes[i] - slopes[i + 1], slopes[i] + slopes[i + 1] - 2.0 * secants[i]);
            let (a, b) = (2.0 * c2 / h, (2.0 * c2 + 6.0 * c3) / h);
            (low.min(a).min(b), high.max(a).max(b))
        });
        Ok(Self { depths, values, slopes, second_derivatives: Interval::new(least, most) })
    }

    /// Slope at the surface.
    pub(super) fn first_slope(&self) -> f64 {
        self.slopes[0]
    }

    /// Least and greatest second derivative; contains zero.
    pub(super) fn second_derivatives(&self) -> Interval {
        self.second_derivatives
    }

    /// Value and slope at `depth`; below zero and past the last row the curve continues straight.
    pub(super) fn value_and_slope(&self, depth: f64) -> (f64, f64) {
        let last = self.depths.len() - 1;
        if depth <= 0.0 {
            return (self.slopes[0] * depth, self.slopes[0]);
        }
        if depth >= self.depths[last] {
            return (self.values[last] + self.slopes[last] * (depth - self.depths[last]), self.slopes[last]);
        }
        let i = self.depths.partition_point(|&d| d <= depth) - 1;
        let h = self.depths[i + 1] - self.depths[i];
        let s = (depth - self.depths[i]) / h;
        let (y0, y1, m0, m1) = (self.values[i], self.values[i + 1], h * self.slopes[i], h * self.slopes[i + 1]);
        let (c2, c3) = (3.0 * (y1 - y0) - 2.0 * m0 - m1, 2.0 * (y0 - y1) + m0 + m1);
        (y0 + s * (m0 + s * (c2 + s * c3)), (m0 + s * (2.0 * c2 + 3.0 * s * c3)) / h)
    }
}
