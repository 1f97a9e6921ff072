//! Mass, centre and inertia as integrals over a rest shape.
//!
//! Closed forms are in `offset_moments.rs`, integrals of other shapes in `moments.rs`. *Not promised*: more accuracy of those
//! than [`TOLERANCE`] of the volume.

use super::moments::{Moments, integrate};
use super::offset_moments::of_offset;
use crate::fields::{Shape, Source};
use crate::math::{DMat3, DQuat, DVec3, diagonalise};

/// Mass, centre and inertia of a body, in its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass, kg.
    pub mass: f64,
    /// Volume, m³.
    pub volume: f64,
    /// Centre of mass, m.
    pub center: DVec3,
    /// Inertia about the centre of mass, kg m².
    pub inertia: DMat3,
    /// Estimated relative error of the volume.
    pub error: f64,
}

/// Estimated relative error at which a volume is accepted; errors of volume and inertia are seldom larger, mostly a
/// quarter. Smaller: slow. Larger: wrong masses.
const TOLERANCE: f64 = 8e-4;

/// Moments of a shape of one skeleton that is convex or a ring, exact to rounding.
fn closed_form(shape: &Shape) -> Option<Moments> {
    let [only] = shape.elements() else { return None };
    let Source::Distance(skeleton, _) = &only.source else { return None };
    of_offset(skeleton, only.level_radius(shape.iso())?)
}

impl MassProperties {
    /// Mass properties of the solid `f ≥ c` with uniform `density`, kg/m³. `None` if it is empty or unbounded.
    pub fn of(shape: &Shape, density: f64) -> Option<Self> {
        let solid = shape.solid_bounds();
        if solid.is_empty() || !solid.is_finite() {
            return None;
        }
        let (moments, error) = match closed_form(shape) {
            Some(exact) => (exact, 0.0),
            None => integrate(shape, shape.iso(), solid, TOLERANCE),
        };
        (moments.volume > 0.0).then(|| Self::from_moments(&moments, density, error))
    }

    fn from_moments(moments: &Moments, density: f64, error: f64) -> Self {
        let Moments { volume, first, second } = *moments;
        let center = first / volume;
        let about = second - DMat3::from_cols(first * center.x, first * center.y, first * center.z);
        let trace = about.x_axis.x + about.y_axis.y + about.z_axis.z;
        let inertia = density * (DMat3::from_diagonal(DVec3::splat(trace)) - about);
        Self { mass: density * volume, volume, center, inertia, error: error / volume }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::skeleton::{Circle, Cuboid, Disc, Point, Segment};
    use crate::fields::{Convolution, Element, Field, Kernel, Skeleton, Source};
    use std::f64::consts::{PI, TAU};

    #[test]
    fn a_ball_has_the_mass_and_inertia_of_a_ball() {
        // V = 4/3 π r³, I = 2/5 m r².
        let point = Skeleton::Point(Point { at: DVec3::new(0.03, -0.02, 0.01) });
        let shape = Shape::new(vec![Element::new(point, Kernel::linear(1.0, 0.1, 0.2).unwrap())], 1.0);
        let got = MassProperties::of(&shape, 1000.0).unwrap();
        let volume = 4.0 / 3.0 * PI * 0.1f64.powi(3);
        assert!((got.volume / volume - 1.0).abs() < 1e-5, "volume off by {:e}", got.volume / volume - 1.0);
        assert!((got.center - DVec3::new(0.03, -0.02, 0.01)).length() < 1e-14, "a ball is symmetric");
        let inertia = 0.4 * got.mass * 0.01;
        for i in 0..3 {
            assert!((got.inertia.col(i)[i] / inertia - 1.0).abs() < 5e-5);
        }
    }

    fn one(skeleton: Skeleton, t: f64) -> Shape {
        Shape::new(vec![Element::new(skeleton, Kernel::linear(1.0, t, 2.0 * t).unwrap())], 1.0)
    }

    /// Volume, principal moments (increasing, density 1) and where the centre is, against what is found: in closed form, and
    /// by cells.
    fn check(name: &str, shape: &Shape, truth: (f64, [f64; 3], DVec3)) {
        let closed = MassProperties::from_moments(&closed_form(shape).unwrap(), 1.0, 0.0);
        compare(name, shape, (closed, truth, 1e-5));
        let (cells, error) = integrate(shape, 1.0, shape.solid_bounds(), TOLERANCE);
        let cells = MassProperties::from_moments(&cells, 1.0, error);
        compare(name, shape, (cells, truth, 2.0 * cells.error));
    }

    fn compare(name: &str, shape: &Shape, (got, truth, most): (MassProperties, (f64, [f64; 3], DVec3), f64)) {
        let (volume, moments, center) = truth;
        let mut found = got.principal().0.to_array();
        found.sort_by(f64::total_cmp);
        let errors =
            [got.volume / volume - 1.0, found[0] / moments[0] - 1.0, found[1] / moments[1] - 1.0].into_iter().chain([
                found[2] / moments[2] - 1.0,
                (got.center - center).length() / shape.solid_bounds().size().length(),
            ]);
        let worst = errors.fold(0.0f64, |w, e| w.max(e.abs()));
        assert!(worst < most, "{name}: off by {worst:e}");
    }

    /// A capsule: cylinder of length `l` and two half balls. Volume, axial and transverse moment.
    fn capsule(r: f64, l: f64) -> (f64, [f64; 3]) {
        let (cylinder, ball) = (PI * r * r * l, 4.0 / 3.0 * PI * r.powi(3));
        let axial = cylinder * r * r / 2.0 + 0.4 * ball * r * r;
        // Half balls: 2/5 r² about the middle of their flat side, whose centre of mass is 3/8 r further out.
        let across = cylinder * (r * r / 4.0 + l * l / 12.0) + ball * (0.4 * r * r + l * l / 4.0 + 0.375 * r * l);
        (cylinder + ball, [axial, across, across])
    }

    #[test]
    fn thin_bodies_have_the_mass_and_inertia_of_thin_bodies() {
        let middle = DVec3::new(0.3, -0.2, 0.1);
        for axis in [DVec3::X, DVec3::new(1.0, 0.7, -0.4).normalize()] {
            for thin in [0.3, 0.03, 0.01] {
                let (t, half) = (thin, 0.5 * axis);
                let segment = Segment::new(middle - half, middle + half).unwrap();
                let (v, i) = capsule(t, 1.0);
                check(&format!("capsule {thin} along {axis:.1}"), &one(segment.into(), t), (v, i, middle));
            }
            for (radius, t) in [(1.0, 0.3), (1.0, 0.01)] {
                // Pappus: a plate of thickness 2t and half a disc turned about its axis.
                let half_disc = (PI * t * t / 2.0, 4.0 * t / (3.0 * PI));
                let rim = TAU * (radius + half_disc.1) * half_disc.0;
                let volume = PI * radius * radius * 2.0 * t + rim;
                // ∫ ρ² and ∫ z² by rings of half height z(ρ) = t inside, √(t² − (ρ − R)²) outside.
                let (mut rho_sq, mut z_sq) = (PI * radius.powi(4) * t, PI * radius * radius * 2.0 / 3.0 * t.powi(3));
                let n = 20_000;
                for i in 0..n {
                    let angle = PI / 2.0 * (f64::from(i) + 0.5) / f64::from(n);
                    let (rho, z, d) = (radius + t * angle.sin(), t * angle.cos(), PI / 2.0 / f64::from(n));
                    rho_sq += TAU * rho.powi(3) * 2.0 * z * t * angle.cos() * d;
                    z_sq += TAU * rho * 2.0 / 3.0 * z.powi(3) * t * angle.cos() * d;
                }
                let across = rho_sq / 2.0 + z_sq;
                let disc = Disc::new(middle, axis, radius).unwrap();
                check(
                    &format!("disc {t} across {axis:.1}"),
                    &one(disc.into(), t),
                    (volume, [across, across, rho_sq], middle),
                );
            }
            for t in [0.3, 0.1, 0.02] {
                // A torus: V = 2π² R t², I = m (R² + 3/4 t²) about its axis, m (R²/2 + 5/8 t²) across.
                let volume = 2.0 * PI * PI * t * t;
                let across = volume * (0.5 + 0.625 * t * t);
                let ring = Circle::new(middle, axis, 1.0).unwrap();
                let moments = [across, across, volume * (1.0 + 0.75 * t * t)];
                check(&format!("ring {t} across {axis:.1}"), &one(ring.into(), t), (volume, moments, middle));
            }
        }
        // A plate: rounding by t adds 2 t per face, quarter cylinders along edges and eighths of balls; with t → 0 it
        // is the box, and t = 1e-5 of its thickness is far below the tolerance.
        for half in [DVec3::new(0.5, 0.4, 0.005), DVec3::new(0.5, 0.01, 0.01), DVec3::splat(0.3)] {
            let t = 1e-6 * half.min_element();
            let full = 2.0 * half;
            let volume = full.x * full.y * full.z;
            let sq = full * full;
            let mut moments = [sq.y + sq.z, sq.z + sq.x, sq.x + sq.y].map(|s| volume * s / 12.0);
            moments.sort_by(f64::total_cmp);
            let shape = one(Cuboid::new(middle, half).unwrap().into(), t);
            check(&format!("box {half:.3}"), &shape, (volume, moments, middle));
        }
    }

    #[test]
    fn blends_and_convolutions_are_integrated_to_the_asked_accuracy() {
        // No closed form: against the sum over a fine grid of points, 1e-3 at best, and against half the tolerance.
        let mut seed = 7u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as f64 / (1u64 << 31) as f64 - 0.5
        };
        let kernel = Kernel::linear(1.0, 0.08, 0.16).unwrap();
        let mut point = || DVec3::new(random(), random(), random());
        let blend: Vec<Element> =
            (0..20).map(|_| Element::new(Point { at: 0.5 * point() }.into(), kernel.clone())).collect();
        let ends = [(DVec3::new(-0.5, 0.0, 0.0), DVec3::new(0.4, 0.3, 0.1))];
        let stick = Convolution::segments(&ends, 1.0, (0.02, None, 0.05)).unwrap();
        let stick = Element { source: Source::Convolution(stick), strength: 1.0 };
        for (name, shape) in [("20 points", Shape::new(blend, 1.0)), ("stick", Shape::new(vec![stick], 1.0))] {
            let got = MassProperties::of(&shape, 1.0).unwrap();
            let (fine, error) = integrate(&shape, 1.0, shape.solid_bounds(), 2e-7);
            let fine = MassProperties::from_moments(&fine, 1.0, error);
            let worst =
                (0..3).map(|i| (got.inertia.col(i) - fine.inertia.col(i)).length() / fine.inertia.col(i).length());
            let worst = worst.fold((got.volume / fine.volume - 1.0).abs(), f64::max);
            assert!(worst < 1e-4, "{name}: off by {worst:e}");
            let n = 100;
            let (solid, size) = (shape.solid_bounds(), shape.solid_bounds().size() / n as f64);
            let inside = (0..n * n * n).filter(|i| {
                let p = DVec3::new((i % n) as f64, (i / n % n) as f64, (i / n / n) as f64) + 0.5;
                shape.value(solid.min + p * size) >= 1.0
            });
            let counted = inside.count() as f64 * size.x * size.y * size.z;
            assert!((got.volume / counted - 1.0).abs() < 5e-3, "{name}: {} against {counted}", got.volume);
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
