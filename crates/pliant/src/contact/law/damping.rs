//! Damping: a traction `λ_a λ_b (V_b − V_a)` on a ([G93] eq. 9, [CD97] eq. 20).
//!
//! *The idea*: viscosity of both layers, per area of the patch. *What we changed*: the total normal traction is never
//! tensile, so that parting bodies do not stick, and the impulse over a step is implicit, so that no damping is too
//! strong. *Not promised*: a coefficient of restitution.
//!
//! [G93]: crate#papers
//! [CD97]: crate#papers

use super::material::ContactLaw;
use crate::contact::patch::PatchPoint;
use crate::math::DVec3;
use crate::math::real::Real;

/// Velocity of b's material against a's at a point of a patch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointVelocity {
    /// Along the normal out of a, m/s: positive while the bodies part.
    pub normal: f64,
    /// Along the surface, m/s.
    pub sliding: DVec3,
}

impl PointVelocity {
    /// Splits `velocity` at `point`.
    pub fn of(velocity: DVec3, point: &PatchPoint) -> Self {
        let normal = velocity.dot(point.normal);
        Self { normal, sliding: velocity - normal * point.normal }
    }
}

/// Normal traction of damping on a, `min(λ v, p)`, where bodies part at the speed v: no more than undoes the pressure p.
#[inline(always)]
pub(crate) fn normal_damping<T: Real>(damping: T, parting_speed: T, pressure: T) -> T {
    (damping * parting_speed).smaller(pressure)
}

impl ContactLaw {
    /// Traction of damping on a, pascals. `implicit_fraction` is the part of the damping that acts, see
    /// [`RelativeMotion::implicit_fraction`](crate::contact::RelativeMotion::implicit_fraction).
    pub(crate) fn damping_traction(&self, point: &PatchPoint, v: &PointVelocity, implicit_fraction: f64) -> DVec3 {
        let damping = implicit_fraction * self.damping;
        normal_damping(damping, v.normal, point.pressure) * point.normal + damping * v.sliding
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damping_slows_an_approach_and_never_glues_parting_bodies() {
        let law = ContactLaw { damping: 100.0, friction: 0.0, slip_length: 1.0 };
        let point =
            PatchPoint { position: DVec3::ZERO, normal: DVec3::Z, pressure: 30.0, area: 1.0, pressure_slope: 1.0 };
        let traction = |v: f64| {
            let v = PointVelocity::of(v * DVec3::Z + DVec3::X, &point);
            law.damping_traction(&point, &v, 1.0)
        };
        // b comes down on a at 2 m/s: 200 Pa more push a down. It parts at 2 m/s: at most the 30 Pa of pressure are undone.
        assert_eq!(traction(-2.0), DVec3::new(100.0, 0.0, -200.0));
        assert_eq!(traction(2.0), DVec3::new(100.0, 0.0, 30.0));
    }
}
