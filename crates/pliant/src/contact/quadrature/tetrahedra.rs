//! Tetrahedra: the rule for a cell in which the contact surface is no graph. It is taken for flat in each tetrahedron.
//!
//! *The idea*: where a surface passes a skeleton it has a crease, and around the edge of a thin plate it turns by 180°.
//! Lines across a face of the cell miss parts of such a surface and meet others twice. Tetrahedra find every part that
//! separates two of their corners. Pieces are summed by the side they face: a few points a cell, each on the surface
//! and with the force of its sum. Every other corner gives a coarser sum; the difference of both, and that of a point's
//! normal and its sum's, is the error. *Not promised*: more than second order; a branch thinner than a quarter of the
//! cell, between all corners.

use super::chart::SurfacePoint;
use super::height_field::Integrand;
use crate::math::{Aabb, DVec3};

/// Cubes along each edge of the cell, each cut into six tetrahedra; even, so that every other corner makes a check.
const CUBES: usize = 4;
const CORNERS: usize = CUBES + 1;

/// Part of the difference between all corners and every other that is taken for the error: a third at second order.
const ERROR_FRACTION: f64 = 0.35;

/// Greatest ratio of the area of a point to that of its triangles; its pressure may be less than their mean.
const LARGEST_AREA_RATIO: f64 = 3.0;

/// Newton steps onto the surface. More: none help, they jump from one side of a crease to the other.
const NEWTON_STEPS: usize = 20;

/// Paths along edges from a cube's first corner to its last, as axes: each is a tetrahedron.
const PATHS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// The patch in one cell.
#[derive(Default)]
pub(super) struct TetrahedraSum {
    /// On a, newtons.
    pub force: DVec3,
    /// `∫ p dA`.
    pub load: f64,
    pub area: f64,
    /// One for each side the patch faces, on the surface, with its area.
    pub points: Vec<(SurfacePoint, f64)>,
    /// Estimated error of the force, newtons.
    pub error: f64,
    /// Its part whose direction is known, newtons.
    pub bias: DVec3,
}

/// Values at a corner of a cube.
#[derive(Clone, Copy, Default)]
struct CubeCorner {
    at: DVec3,
    /// Positive on a's side.
    u: f64,
    pressure: f64,
}

/// A corner of a piece of the patch.
#[derive(Clone, Copy, Default)]
struct Vertex {
    at: DVec3,
    pressure: f64,
}

/// Sums over the pieces that face one side.
#[derive(Clone, Copy, Default)]
struct FacingSum {
    /// `∫ p n dA`, n out of a.
    push: DVec3,
    load: f64,
    area: f64,
    /// `∫ p x dA`.
    moment: DVec3,
}

impl Integrand<'_> {
    /// Integrates the patch in `cell`.
    pub fn by_tetrahedra(&self, cell: &Aabb) -> TetrahedraSum {
        let kind = self.frame.kind;
        // The softer side's pressure changes less from corner to corner.
        let middle = self.frame.probe(cell.center());
        let of_a = middle.gradient_a.length_squared() <= middle.gradient_b.length_squared();
        let step = cell.size() / CUBES as f64;
        let corners: [CubeCorner; CORNERS * CORNERS * CORNERS] = std::array::from_fn(|i| {
            let place = [i % CORNERS, i / CORNERS % CORNERS, i / CORNERS / CORNERS];
            let at = cell.min + step * DVec3::from_array(place.map(|n| n as f64));
            let probe = self.frame.probe(at);
            let (a, b) = probe.contact_pressures(kind);
            CubeCorner { at, u: probe.surface(kind).0, pressure: if of_a { a } else { b } }
        });
        let (fine, coarse) = (sums_by_facing(&corners, 1), sums_by_facing(&corners, 2));
        let mut sum = TetrahedraSum::default();
        for (facing, check) in fine.iter().zip(&coarse) {
            sum.error += ERROR_FRACTION * (facing.push - check.push).length();
            sum.bias += ERROR_FRACTION * (check.push - facing.push);
            if facing.load > 0.0
                && let Some(on_surface) = self.surface_point(facing.moment / facing.load, cell.size().length())
            {
                // The sum's force, along the normal at its point.
                let (pressure, (_, g)) = (on_surface.pressures(kind).0, on_surface.probe.surface(kind));
                let area = (facing.push.length() / pressure).min(LARGEST_AREA_RATIO * facing.area);
                let force = pressure * area * g.normalize_or_zero();
                sum.error += ERROR_FRACTION * (force + facing.push).length();
                sum.bias += ERROR_FRACTION * (force + facing.push);
                sum.force += force;
                sum.load += pressure * area;
                sum.area += area;
                sum.points.push((on_surface, area));
            } else {
                sum.error += facing.load;
            }
        }
        sum
    }

    /// The point of the patch that Newton's method leads to along the gradient, no farther than `max_distance`.
    fn surface_point(&self, start: DVec3, max_distance: f64) -> Option<SurfacePoint> {
        let kind = self.frame.kind;
        let mut position = start;
        for _ in 0..NEWTON_STEPS {
            let probe = self.frame.probe(position);
            let (u, g) = probe.surface(kind);
            let step = -(u / g.length_squared()) * g;
            if !(position + step - start).is_finite() || start.distance(position + step) > max_distance {
                return None;
            }
            position += step;
            if step.length() <= self.root * self.size {
                let on_surface = SurfacePoint { s: 0.0, position, probe: self.frame.probe(position) };
                // On a ridge of both there may be no normal.
                let slope_sq = on_surface.probe.surface(kind).1.length_squared();
                return (on_surface.pressures(kind).0 > 0.0 && slope_sq > 0.0).then_some(on_surface);
            }
        }
        None
    }
}

/// All six sides, from every corner or every other.
fn sums_by_facing(corners: &[CubeCorner], stride: usize) -> [FacingSum; 6] {
    let mut sums = [FacingSum::default(); 6];
    let number = |[x, y, z]: [usize; 3]| x + CORNERS * (y + CORNERS * z);
    let along = [1, CORNERS, CORNERS * CORNERS].map(|n| n * stride);
    let firsts = || (0..CUBES).step_by(stride);
    for [x, y, z] in firsts().flat_map(|z| firsts().flat_map(move |y| firsts().map(move |x| [x, y, z]))) {
        let first = number([x, y, z]);
        let cube: [&CubeCorner; 8] =
            std::array::from_fn(|i| &corners[first + (0..3).map(|k| (i >> k & 1) * along[k]).sum::<usize>()]);
        let positive = cube.iter().filter(|c| c.u > 0.0).count();
        if positive % 8 == 0 || cube.iter().all(|c| c.pressure <= 0.0) {
            continue;
        }
        for [p, q, _] in PATHS {
            let tetrahedron = [0, 1 << p, 1 << p | 1 << q, 7].map(|i| *cube[i]);
            add_tetrahedron(&tetrahedron, &mut sums);
        }
    }
    sums
}

/// Adds the piece of the patch in one tetrahedron.
fn add_tetrahedron(corners: &[CubeCorner; 4], sums: &mut [FacingSum; 6]) {
    let mut sides = [[CubeCorner::default(); 4]; 2];
    let mut counts = [0; 2];
    for c in corners {
        let side = usize::from(c.u > 0.0);
        sides[side][counts[side]] = *c;
        counts[side] += 1;
    }
    let [below, above] = [&sides[0][..counts[0]], &sides[1][..counts[1]]];
    if below.is_empty() || above.is_empty() {
        return;
    }
    let cut = |p: &CubeCorner, q: &CubeCorner| {
        let s = p.u / (p.u - q.u);
        Vertex { at: p.at.lerp(q.at, s), pressure: p.pressure + s * (q.pressure - p.pressure) }
    };
    // Two and two: round the quadrilateral, not across it.
    let (mut outline, mut count) = ([Vertex::default(); 6], 0);
    for (i, p) in below.iter().enumerate() {
        for j in 0..above.len() {
            let q = if i == 0 { &above[j] } else { &above[above.len() - 1 - j] };
            outline[count] = cut(p, q);
            count += 1;
        }
    }
    let middle = |side: &[CubeCorner]| side.iter().map(|c| c.at).sum::<DVec3>() / side.len() as f64;
    let outward = middle(below) - middle(above);
    let (pressed, count) = under_pressure(&outline[..count]);
    for i in 2..count {
        add_triangle([pressed[0], pressed[i - 1], pressed[i]], outward, sums);
    }
}

/// The part of a polygon under positive pressure.
fn under_pressure(outline: &[Vertex]) -> ([Vertex; 6], usize) {
    let (mut left, mut count) = ([Vertex::default(); 6], 0);
    for (i, p) in outline.iter().enumerate() {
        let q = &outline[(i + 1) % outline.len()];
        if p.pressure > 0.0 {
            left[count] = *p;
            count += 1;
        }
        if (p.pressure > 0.0) != (q.pressure > 0.0) {
            let s = p.pressure / (p.pressure - q.pressure);
            left[count] = Vertex { at: p.at.lerp(q.at, s), pressure: 0.0 };
            count += 1;
        }
    }
    (left, count)
}

/// Adds a triangle under a pressure that is linear in it.
fn add_triangle(triangle: [Vertex; 3], outward: DVec3, sums: &mut [FacingSum; 6]) {
    let [p, q, r] = triangle;
    let turned = 0.5 * (q.at - p.at).cross(r.at - p.at);
    let area = if turned.dot(outward) < 0.0 { -turned } else { turned };
    let size = area.length();
    let all = p.pressure + q.pressure + r.pressure;
    let axis = area.abs().max_position();
    let sum = &mut sums[2 * axis + usize::from(area[axis] > 0.0)];
    sum.push += all / 3.0 * area;
    sum.load += all / 3.0 * size;
    sum.area += size;
    for v in triangle {
        sum.moment += size * (all + v.pressure) / 12.0 * v.at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Corners of a cube from −1 to 1.
    fn corners(u: impl Fn(DVec3) -> f64, pressure: impl Fn(DVec3) -> f64) -> Vec<CubeCorner> {
        let at = |i: usize| {
            let place = [i % CORNERS, i / CORNERS % CORNERS, i / CORNERS / CORNERS];
            2.0 / CUBES as f64 * DVec3::from_array(place.map(|n| n as f64)) - 1.0
        };
        (0..CORNERS.pow(3)).map(at).map(|at| CubeCorner { at, u: u(at), pressure: pressure(at) }).collect()
    }

    #[test]
    fn a_flat_piece_under_a_linear_pressure_is_exact() {
        // On the plane z = x/2 + 0.1, a's side below it, the pressure is 1 + x where |y| matters not:
        // ∫ (1 + x) dx dy over [−1, 1]² is 4, over the face; the normal out of a is (−1/2, 0, 1) to its measure.
        let all = sums_by_facing(&corners(|p| 0.5 * p.x + 0.1 - p.z, |p| 1.0 + p.x), 1);
        let push: DVec3 = all.iter().map(|f| f.push).sum();
        assert!((push - 4.0 * DVec3::new(-0.5, 0.0, 1.0)).length() < 1e-12, "{push}");
        // ∫ (1 + x) x dx dy = 4/3.
        let moment: DVec3 = all.iter().map(|f| f.moment).sum();
        assert!((moment.x - 4.0 / 3.0 * 1.25f64.sqrt()).abs() < 1e-12, "{moment}");
    }

    #[test]
    fn a_border_cuts_pieces_where_the_pressure_ends() {
        // Pressure x on the plane z = 0.1: ∫ x over x > 0 is 1.
        let all = sums_by_facing(&corners(|p| 0.1 - p.z, |p| p.x), 1);
        let push: DVec3 = all.iter().map(|f| f.push).sum();
        assert!((push - DVec3::Z).length() < 1e-12, "{push}");
    }

    #[test]
    fn both_branches_in_a_thin_body_are_seen_though_their_forces_cancel() {
        let all = sums_by_facing(&corners(|p| 0.4 - p.z.abs(), |_| 1.0), 1);
        assert!((all[4].push + 4.0 * DVec3::Z).length() < 1e-9 && (all[5].push - 4.0 * DVec3::Z).length() < 1e-9);
    }

    #[test]
    fn a_ball_under_even_pressure_is_known_to_second_order() {
        // The force on a closed surface is nothing; its area is 4π r², and every other corner misses four times as much,
        // or nearly: a cube of them is larger than the ball's radius.
        let all = corners(|p| 0.8 - p.length(), |_| 1.0);
        let off = |stride: usize| {
            let all = sums_by_facing(&all, stride);
            let (push, area) = all.iter().fold((DVec3::ZERO, 0.0), |(p, a), f| (p + f.push, a + f.area));
            assert!(push.length() < 1e-12, "{push}");
            1.0 - area / (4.0 * std::f64::consts::PI * 0.64)
        };
        assert!(off(1) > 0.0 && off(1) < 0.4 * off(2), "{} and {}", off(1), off(2));
    }
}
