//! Vectors and matrices of six rows: three of linear, three of angular motion.

use crate::math::DVec3;

/// A linear and an angular part.
pub(super) type Vec6 = [f64; 6];

/// The upper half of a symmetric [`Mat6`], row by row.
pub(super) type Sym6 = [f64; 21];

#[inline(always)]
pub(super) fn vec6(linear: DVec3, angular: DVec3) -> Vec6 {
    [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
}

#[inline(always)]
pub(super) fn parts(v: &Vec6) -> [DVec3; 2] {
    [DVec3::new(v[0], v[1], v[2]), DVec3::new(v[3], v[4], v[5])]
}

#[inline(always)]
pub(super) fn dot(a: &Vec6, b: &Vec6) -> f64 {
    (0..6).map(|i| a[i] * b[i]).sum()
}

/// Row by row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mat6(pub(super) [Vec6; 6]);

impl Mat6 {
    pub(super) const ZERO: Self = Self([[0.0; 6]; 6]);

    /// Symmetric, from its upper half, row by row.
    #[inline(always)]
    pub(super) fn from_upper(half: &Sym6) -> Self {
        let mut m = [[0.0; 6]; 6];
        let mut at = 0;
        for i in 0..6 {
            for j in i..6 {
                (m[i][j], m[j][i]) = (half[at], half[at]);
                at += 1;
            }
        }
        Self(m)
    }

    /// `Tᵃᵀ self Tᵇ`, where `T` turns the motion of a body into that of a point at `arm` from its centre.
    #[inline(always)]
    pub(super) fn transported(&self, a: DVec3, b: DVec3) -> Self {
        let mut m = self.0;
        // Columns: v − b × ω.
        for row in &mut m {
            let turned = b.cross(DVec3::new(row[0], row[1], row[2]));
            row[3] += turned.x;
            row[4] += turned.y;
            row[5] += turned.z;
        }
        for j in 0..6 {
            let turned = a.cross(DVec3::new(m[0][j], m[1][j], m[2][j]));
            m[3][j] += turned.x;
            m[4][j] += turned.y;
            m[5][j] += turned.z;
        }
        Self(m)
    }

    /// Clears the angular rows or columns, for a body that does not turn.
    #[inline(always)]
    pub(super) fn without_turning(&mut self, columns: bool) {
        for i in 0..6 {
            for j in 0..6 {
                if if columns { j >= 3 } else { i >= 3 } {
                    self.0[i][j] = 0.0;
                }
            }
        }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, other: &Self, sign: f64) {
        for i in 0..6 {
            for j in 0..6 {
                self.0[i][j] += sign * other.0[i][j];
            }
        }
    }

    #[inline(always)]
    pub(super) fn transposed(&self) -> Self {
        let mut m = [[0.0; 6]; 6];
        for (i, row) in self.0.iter().enumerate() {
            row.iter().enumerate().for_each(|(j, x)| m[j][i] = *x);
        }
        Self(m)
    }

    /// `out += self v`.
    #[inline(always)]
    pub(super) fn add_times(&self, v: &Vec6, out: &mut Vec6) {
        for i in 0..6 {
            out[i] += dot(&self.0[i], v);
        }
    }

    /// `out += selfᵀ v`.
    #[inline(always)]
    pub(super) fn add_transposed_times(&self, v: &Vec6, out: &mut Vec6) {
        for i in 0..6 {
            for j in 0..6 {
                out[j] += self.0[i][j] * v[i];
            }
        }
    }

    /// `self −= a bᵀ`.
    #[inline(always)]
    pub(super) fn subtract_product(&mut self, a: &Self, b: &Self) {
        let b = b.transposed();
        for i in 0..6 {
            for k in 0..6 {
                let x = a.0[i][k];
                for j in 0..6 {
                    self.0[i][j] -= x * b.0[k][j];
                }
            }
        }
    }

    /// Its Cholesky factor, with the reciprocals of the diagonal; none if it is not positive definite.
    #[inline(always)]
    pub(super) fn factor(&self) -> Option<CholeskyFactor> {
        let mut l = self.0;
        for i in 0..6 {
            for j in 0..=i {
                let mut sum = l[i][j];
                for k in 0..j {
                    sum -= l[i][k] * l[j][k];
                }
                if i == j {
                    if sum.is_nan() || sum <= 1e-14 * self.0[i][i] {
                        return None;
                    }
                    l[i][i] = 1.0 / sum.sqrt();
                } else {
                    l[i][j] = sum * l[j][j];
                }
            }
        }
        Some(CholeskyFactor(l))
    }
}

/// A lower triangle, with the reciprocals of its diagonal.
#[derive(Clone, Copy, Debug)]
pub(super) struct CholeskyFactor([Vec6; 6]);

impl CholeskyFactor {
    /// Solves `L x = v` in place.
    #[inline(always)]
    pub(super) fn forward(&self, v: &mut Vec6) {
        for i in 0..6 {
            for k in 0..i {
                v[i] -= self.0[i][k] * v[k];
            }
            v[i] *= self.0[i][i];
        }
    }

    /// Solves `Lᵀ x = v` in place.
    #[inline(always)]
    pub(super) fn backward(&self, v: &mut Vec6) {
        for i in (0..6).rev() {
            for k in i + 1..6 {
                v[i] -= self.0[k][i] * v[k];
            }
            v[i] *= self.0[i][i];
        }
    }

    /// `m L⁻ᵀ`.
    #[inline(always)]
    pub(super) fn right_divide(&self, m: &Mat6) -> Mat6 {
        let mut m = *m;
        m.0.iter_mut().for_each(|row| self.forward(row));
        m
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    fn random_positive(random: &mut Random) -> Mat6 {
        let mut m = Mat6::ZERO;
        for _ in 0..8 {
            let w = vec6(random.vector(), random.vector());
            (0..6).for_each(|i| (0..6).for_each(|j| m.0[i][j] += w[i] * w[j]));
        }
        m
    }

    #[test]
    fn a_factor_solves_what_it_was_made_from() {
        let mut random = Random(3);
        for _ in 0..20 {
            let m = random_positive(&mut random);
            let x = vec6(random.vector(), random.vector());
            let mut b = [0.0; 6];
            m.add_times(&x, &mut b);
            let factor = m.factor().unwrap();
            factor.forward(&mut b);
            factor.backward(&mut b);
            assert!((0..6).all(|i| (b[i] - x[i]).abs() < 1e-9), "{b:?} {x:?}");
        }
        assert!(Mat6::ZERO.factor().is_none());
    }

    /// Energy of a motion seen at a point is that of the body's own: `wᵀ K w` with `w = T v`.
    #[test]
    fn a_slope_seen_from_a_centre_is_the_same_slope() {
        let mut random = Random(4);
        let (k, arms) = (random_positive(&mut random), [random.vector(), random.vector()]);
        let motions = [0, 1].map(|_| [random.vector(), random.vector()]);
        let at = |i: usize| vec6(motions[i][0] + motions[i][1].cross(arms[i]), motions[i][1]);
        let form = |m: &Mat6, a: &Vec6, b: &Vec6| {
            let mut out = [0.0; 6];
            m.add_times(b, &mut out);
            dot(a, &out)
        };
        let seen = k.transported(arms[0], arms[1]);
        let own = [0, 1].map(|i| vec6(motions[i][0], motions[i][1]));
        let (want, got) = (form(&k, &at(0), &at(1)), form(&seen, &own[0], &own[1]));
        assert!((want - got).abs() < 1e-12 * want.abs().max(1.0), "{want} {got}");
    }
}
