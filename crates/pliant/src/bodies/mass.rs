//! Mass, centre and inertia as integrals over a rest shape.
//!
//! *The idea*: an octree whose full and empty cells are decided by guaranteed bounds; in the cells the surface cuts,
//! columns along the steepest axis end exactly on the surface. *Not promised*: more than about six digits at the
//! default resolution.

use crate::fields::{Field, Shape};
use crate::math::{Aabb, Cell, DMat3, DQuat, DVec3, gauss, refine_root};

/// Mass, centre and inertia of a body, in its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Kilograms.
    pub mass: f64,
    /// Cubic metres.
    pub volume: f64,
    /// Centre of mass.
    pub center: DVec3,
    /// Inertia about the centre of mass, kg m².
    pub inertia: DMat3,
}

/// Smallest cells, as a fraction of the solid's longest edge. Coarser: fewer digits. Finer: four times the work for
/// every halving.
const FINEST: f64 = 1.0 / 48.0;

impl MassProperties {
    /// Of the solid `f ≥ c` with uniform `density`, kg/m³. `None` if it is empty or unbounded.
    pub fn of(shape: &Shape, density: f64) -> Option<Self> {
        let solid = shape.solid();
        if solid.is_empty() || !solid.is_finite() {
            return None;
        }
        let mut moments = Moments::default();
        integrate(shape, shape.iso(), solid, &mut moments);
        (moments.volume > 0.0).then(|| moments.properties(density))
    }

    /// Volume of any solid `f ≥ iso` inside `within`, by the same integral.
    pub fn volume_of(field: &impl Field, iso: f64, within: Aabb) -> f64 {
        let mut moments = Moments::default();
        integrate(field, iso, within, &mut moments);
        moments.volume
    }

    /// The same shape with another total mass.
    pub fn with_mass(&self, mass: f64) -> Self {
        let ratio = mass / self.mass;
        Self { mass, inertia: self.inertia * ratio, ..*self }
    }

    /// Principal moments, and the rotation that takes principal axes to the body's.
    pub fn principal(&self) -> (DVec3, DQuat) {
        diagonalise(self.inertia)
    }
}

#[derive(Default)]
struct Moments {
    volume: f64,
    first: DVec3,
    /// ∫ xx, yy, zz.
    square: DVec3,
    /// ∫ yz, zx, xy.
    mixed: DVec3,
}

impl Moments {
    /// Adds the bar of cross-section `area` at `p` (its middle), `length` long along `axis`.
    fn add_bar(&mut self, p: DVec3, area: f64, (axis, length): (usize, f64)) {
        let v = area * length;
        self.volume += v;
        self.first += v * p;
        self.square += v * p * p;
        self.square[axis] += v * length * length / 12.0;
        self.mixed += v * DVec3::new(p.y * p.z, p.z * p.x, p.x * p.y);
    }

    fn add_box(&mut self, b: &Aabb) {
        let (size, p) = (b.size(), b.center());
        let v = size.x * size.y * size.z;
        self.volume += v;
        self.first += v * p;
        self.square += v * (p * p + size * size / 12.0);
        self.mixed += v * DVec3::new(p.y * p.z, p.z * p.x, p.x * p.y);
    }

    fn properties(&self, density: f64) -> MassProperties {
        let c = self.first / self.volume;
        let square = self.square - self.volume * c * c;
        let mixed = self.mixed - self.volume * DVec3::new(c.y * c.z, c.z * c.x, c.x * c.y);
        let inertia = DMat3::from_cols(
            DVec3::new(square.y + square.z, -mixed.z, -mixed.y),
            DVec3::new(-mixed.z, square.z + square.x, -mixed.x),
            DVec3::new(-mixed.y, -mixed.x, square.x + square.y),
        );
        MassProperties { mass: density * self.volume, volume: self.volume, center: c, inertia: inertia * density }
    }
}

fn integrate(field: &impl Field, iso: f64, within: Aabb, moments: &mut Moments) {
    let finest = FINEST * within.size().max_element();
    let mut cells = vec![within];
    while let Some(cell) = cells.pop() {
        let range = field.bounds(&Cell::from(cell));
        if range.hi < iso {
            continue;
        }
        let size = cell.size();
        let longest = size.max_element();
        if range.lo >= iso {
            moments.add_box(&cell);
        } else if longest <= finest {
            cut(field, iso, &cell, moments);
        } else {
            let first = cells.len();
            cells.push(cell);
            for axis in (0..3).filter(|a| size[*a] > 0.6 * longest) {
                let middle = cell.center()[axis];
                for i in first..cells.len() {
                    let mut high = cells[i];
                    cells[i].max[axis] = middle;
                    high.min[axis] = middle;
                    cells.push(high);
                }
            }
        }
    }
}

/// A cell the surface passes through: columns along the steepest axis, each with at most one crossing.
fn cut(field: &impl Field, iso: f64, cell: &Aabb, moments: &mut Moments) {
    let slope = field.sample(cell.center()).gradient.abs();
    let axis = if slope.x >= slope.y && slope.x >= slope.z {
        0
    } else if slope.y >= slope.z {
        1
    } else {
        2
    };
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let (size, rule) = (cell.size(), gauss(3));
    for (x, wx) in rule.nodes.iter().zip(&rule.weights) {
        for (y, wy) in rule.nodes.iter().zip(&rule.weights) {
            let mut p = cell.min;
            p[u] += x * size[u];
            p[v] += y * size[v];
            let area = wx * wy * size[u] * size[v];
            let value = |z: f64| {
                let mut q = p;
                q[axis] = z;
                field.value(q) - iso
            };
            let ends = [cell.min[axis], cell.max[axis]].map(|z| (z, value(z)));
            let (from, to) = match (ends[0].1 >= 0.0, ends[1].1 >= 0.0) {
                (true, true) => (ends[0].0, ends[1].0),
                (false, false) => continue,
                (low_inside, _) => {
                    let Some(z) = refine_root(value, ends[0], ends[1], 1e-12 * size[axis]) else { continue };
                    if low_inside { (ends[0].0, z) } else { (z, ends[1].0) }
                }
            };
            p[axis] = 0.5 * (from + to);
            moments.add_bar(p, area, (axis, to - from));
        }
    }
}

/// Jacobi rotations: eigenvalues of a symmetric matrix and the rotation whose columns are its eigenvectors.
fn diagonalise(mut m: DMat3) -> (DVec3, DQuat) {
    let mut axes = DMat3::IDENTITY;
    let scale = m.x_axis.x + m.y_axis.y + m.z_axis.z;
    for _ in 0..50 {
        let off = [(0, 1), (0, 2), (1, 2)];
        let Some((i, j)) = off.into_iter().max_by(|p, q| m.col(p.0)[p.1].abs().total_cmp(&m.col(q.0)[q.1].abs()))
        else {
            break;
        };
        // Products of inertia at rounding level are symmetry, not shape: turning by them would only add noise.
        if m.col(i)[j].abs() <= 1e-12 * scale {
            break;
        }
        let angle = 0.5 * (2.0 * m.col(i)[j]).atan2(m.col(i)[i] - m.col(j)[j]);
        let (sin, cos) = angle.sin_cos();
        let mut turn = DMat3::IDENTITY;
        turn.col_mut(i)[i] = cos;
        turn.col_mut(j)[j] = cos;
        turn.col_mut(i)[j] = sin;
        turn.col_mut(j)[i] = -sin;
        m = turn.transpose() * m * turn;
        axes *= turn;
    }
    (DVec3::new(m.x_axis.x, m.y_axis.y, m.z_axis.z), DQuat::from_mat3(&axes).normalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::{Element, Kernel, Skeleton, skeleton::Point};
    use std::f64::consts::PI;

    #[test]
    fn a_ball_has_the_mass_and_inertia_of_a_ball() {
        // V = 4/3 π r³, I = 2/5 m r².
        let point = Skeleton::Point(Point { at: DVec3::new(0.03, -0.02, 0.01) });
        let shape = Shape::new(vec![Element::new(point, Kernel::linear(1.0, 0.1, 0.2).unwrap())], 1.0);
        let got = MassProperties::of(&shape, 1000.0).unwrap();
        let volume = 4.0 / 3.0 * PI * 0.1f64.powi(3);
        assert!((got.volume / volume - 1.0).abs() < 1e-5, "volume off by {:e}", got.volume / volume - 1.0);
        assert!((got.center - DVec3::new(0.03, -0.02, 0.01)).length() < 1e-7);
        let inertia = 0.4 * got.mass * 0.01;
        for i in 0..3 {
            assert!((got.inertia.col(i)[i] / inertia - 1.0).abs() < 2e-5);
        }
    }

    #[test]
    fn principal_axes_rebuild_the_inertia() {
        let turn = DMat3::from_quat(DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -0.5).normalize(), 0.7));
        let inertia = turn * DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.5)) * turn.transpose();
        let (moments, axes) = diagonalise(inertia);
        let axes = DMat3::from_quat(axes);
        let rebuilt = axes * DMat3::from_diagonal(moments) * axes.transpose();
        for i in 0..3 {
            assert!((rebuilt.col(i) - inertia.col(i)).length() < 1e-9);
        }
    }
}
