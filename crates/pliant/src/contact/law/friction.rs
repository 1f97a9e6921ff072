//! Bristle friction: a tangential spring per area of the patch, which slides at Coulomb's limit, as in Cundall and
//! Strack's model; Dahl's and LuGre are of the same family.
//!
//! *The idea*: a patch remembers how far it has been sheared since it began to stick. At a point with shear ξ, sliding
//! velocity v and pressure p the traction on a is
//!
//! ```text
//! t = μ p S((ξ + τ v)/ξ₀),    S(y) = y/max(1, |y|)
//! ```
//!
//! with the coefficient μ, the slip length ξ₀ and the settling time τ. It holds a body still without creep, up to `μ p`
//! everywhere on the patch; pressing harder keeps its direction. `τ = 1/ω`, `ω² = (μ N/ξ₀)/m`, is half of critical damping
//! of the shear spring. *What we changed*: the papers have viscous friction only ([G93] eq. 9, [CD97] eq. 20), which
//! creeps. *Not promised*: a shear that differs from point to point; a patch shears as one piece (a shift and a turn). A
//! patch whose load oscillates slips a little with every cycle, by less than ξ₀.
//!
//! [G93]: crate#papers
//! [CD97]: crate#papers

use super::material::ContactLaw;
use crate::contact::patch::{Patch, PatchPoint};
use crate::math::real::Real;
use crate::math::{DQuat, DVec3};

/// Deflection of the bristles: shear of b against a since the patch began to stick. One for the whole patch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ShearState {
    /// Shift of b against a, in the tangent plane, metres.
    pub offset: DVec3,
    /// Turn of b against a about the normal out of a, radians.
    pub turn: f64,
}

/// Motion of b against a at a patch during a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ShearStep {
    /// Of b's material against a's at the centre of pressure, metres.
    pub shift: DVec3,
    /// Of b against a, an axis times an angle.
    pub turn: DVec3,
    /// Mean turn of both, an axis times an angle: it carries the shear along.
    pub common_turn: DVec3,
}

/// Shear and sliding at a point of a patch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointShear {
    /// ξ, along the surface, metres.
    pub shear: DVec3,
    /// v, along the surface, m/s.
    pub velocity: DVec3,
    /// τ, s.
    pub settling_time: f64,
}

/// Coulomb's limit `μ (p − d)`, where damping takes `d` from the pressure p; for μ times an area or a time, that of the force
/// or impulse.
#[inline(always)]
pub(crate) fn friction_limit<T: Real>(friction: T, pressure: T, normal_damping: T) -> T {
    friction * (pressure - normal_damping)
}

/// `max(1, |y|)`, by which `S(y)` divides y: above 1 where a point slides.
#[inline(always)]
pub(crate) fn saturation_divisor<T: Real>(y: [T; 3]) -> T {
    (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]).square_root().larger(T::all(1.0))
}

impl ContactLaw {
    /// Tangential stiffness `μ N/ξ₀` under the normal force N, N/m.
    pub(crate) fn shear_stiffness(&self, normal_force: f64) -> f64 {
        self.friction * normal_force / self.slip_length
    }

    /// τ under the normal force N, s; `inverse_effective_mass` is `1/m` of both sides together, tangentially. A body
    /// held by friction settles in a few oscillations. Larger: shorter steps. Smaller: it oscillates longer.
    pub(crate) fn settling_time(&self, normal_force: f64, inverse_effective_mass: f64) -> f64 {
        let omega_sq = self.shear_stiffness(normal_force) * inverse_effective_mass;
        if omega_sq > 0.0 { 1.0 / omega_sq.sqrt() } else { 0.0 }
    }

    /// `S((ξ + τ v)/ξ₀)`: direction of the friction on a, at most 1 long; 1 while sliding.
    pub(crate) fn saturation(&self, at: &PointShear) -> DVec3 {
        let y = (at.shear + at.settling_time * at.velocity) / self.slip_length;
        y / saturation_divisor(y.to_array())
    }

    /// Greatest energy stored in the shear ξ, J/m², where friction is at most `limit = μ p`, pascals.
    pub(crate) fn shear_energy(&self, limit: f64, shear: DVec3) -> f64 {
        let held = shear.length_squared().min(self.slip_length * self.slip_length);
        0.5 * limit * held / self.slip_length
    }
}

impl ShearState {
    /// `part` of it.
    pub fn scaled(self, part: f64) -> Self {
        Self { offset: part * self.offset, turn: part * self.turn }
    }

    /// The shear after one more `step`, at most the slip length.
    pub fn advanced(self, patch: &Patch, step: &ShearStep, law: &ContactLaw) -> Self {
        let normal = patch.mean_normal();
        let tangent = |v: DVec3| v - v.dot(normal) * normal;
        // The shear turns with the pair about the normal, its plane with the patch; it keeps its length.
        let rotated = DQuat::from_scaled_axis(step.common_turn.dot(normal) * normal) * self.offset;
        let kept = tangent(rotated).normalize_or_zero() * self.offset.length();
        let radius = (patch.area / std::f64::consts::PI).sqrt().max(f64::MIN_POSITIVE);
        let offset = (kept + tangent(step.shift)).clamp_length_max(law.slip_length);
        let most = law.slip_length / radius;
        Self { offset, turn: (self.turn + step.turn.dot(normal)).clamp(-most, most) }
    }

    /// ξ at a point of `patch`, whose mean normal is `normal`, metres.
    pub(crate) fn shear_at(&self, patch: &Patch, point: &PatchPoint, normal: DVec3) -> DVec3 {
        let shear = self.offset + self.turn * normal.cross(point.position - patch.center_of_pressure);
        shear - shear.dot(point.normal) * point.normal
    }

    /// The shear as a field `ξ(x) = shift + turn × (x − reference)`, before projection onto the surface: shift at the
    /// reference point, metres, and turn, radians.
    pub(crate) fn about_reference(&self, patch: &Patch) -> [DVec3; 2] {
        let turn = self.turn * patch.mean_normal();
        [self.offset + turn.cross(patch.reference - patch.center_of_pressure), turn]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAW: ContactLaw = ContactLaw { damping: 0.0, friction: 0.5, slip_length: 1e-3 };

    #[test]
    fn friction_grows_with_shear_and_is_never_above_coulombs_limit() {
        let at = |shear: f64, v: f64| {
            LAW.saturation(&PointShear { shear: shear * DVec3::X, velocity: v * DVec3::X, settling_time: 0.01 }).x
        };
        for (shear, expected) in [(0.0, 0.0), (5e-4, 0.5), (1e-3, 1.0), (5.0, 1.0)] {
            assert!((at(shear, 0.0) - expected).abs() < 1e-15, "{shear} m: {}", at(shear, 0.0));
        }
        // Half sheared, and b slides back at 0.05 m/s: 5e-4 − 0.01 · 0.05 = 0.
        assert!(at(5e-4, -0.05).abs() < 1e-15);
    }

    #[test]
    fn the_settling_time_is_one_over_the_frequency_of_the_shear_spring() {
        // 0.5 · 20 N/1 mm = 10⁴ N/m under 1 kg: ω = 100/s.
        assert!((LAW.settling_time(20.0, 1.0) - 0.01).abs() < 1e-15);
        assert_eq!(LAW.settling_time(0.0, 1.0), 0.0);
    }

    #[test]
    fn a_spring_sheared_to_the_slip_length_holds_half_of_limit_times_length() {
        // ½ · 200 Pa · 1 mm; sliding farther stores no more.
        for shear in [1e-3, 7e-3] {
            assert!((LAW.shear_energy(200.0, shear * DVec3::Y) - 0.1).abs() < 1e-15);
        }
    }
}
