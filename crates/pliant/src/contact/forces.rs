//! Forces of a patch on the two bodies: elastic pressure, damping, friction.
//!
//! *The idea*: the tractions of `law`, summed over the patch's points. *Not promised*: forces at a time other than that
//! of the patch; motion extrapolates them over a step.

use super::law::{ContactLaw, PointShear, PointVelocity, ShearState, friction_limit};
use super::patch::{Patch, Wrench};
use crate::math::DVec3;

/// Motion of b against a around a patch, and the law of their surfaces.
#[derive(Clone, Copy, Debug)]
pub struct RelativeMotion {
    /// Velocity of b's material against a's at the patch's reference point, m/s.
    pub velocity: DVec3,
    /// Spin of b against a, rad/s.
    pub spin: DVec3,
    /// `1/m` of both sides together at the patch, tangentially: sets the damping that lets a sticking body settle.
    pub inverse_effective_mass: f64,
    /// Law of the two surfaces.
    pub law: ContactLaw,
    /// Part of the damping that acts over the coming half step, `1/(1 + rate · time)`: that of the velocity after it
    /// (implicit Euler), so that damping however strong never reverses a motion. 1: the traction of this moment.
    pub implicit_fraction: f64,
}

/// Forces of a patch on a; those on b are opposite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactForces {
    /// Total force and moment about the patch's reference.
    pub on_a: Wrench,
    /// The elastic part of it.
    pub elastic: Wrench,
    /// The part of damping.
    pub damping: Wrench,
    /// Tangential stiffness, N/m, for choosing a step.
    pub shear_stiffness: f64,
    /// Estimate of the stored elastic energy, joules: [`Patch::elastic_foundation_energy`].
    pub elastic_energy: f64,
    /// Upper bound on the energy stored in friction's shear, joules.
    pub shear_energy: f64,
    /// Coefficient of the contact's damping, force per relative velocity, N s/m, for choosing a step.
    pub contact_damping: f64,
    /// Coefficient of the damping of the friction spring, which lets a held body settle, N s/m, for choosing a step.
    pub friction_damping: f64,
}

impl ContactForces {
    /// Damping and friction together.
    pub fn dissipative(&self) -> Wrench {
        self.on_a - self.elastic
    }

    /// Friction alone.
    pub fn friction(&self) -> Wrench {
        self.on_a - self.elastic - self.damping
    }
}

impl Patch {
    /// Pressure, damping and friction together.
    pub fn forces(&self, shear: &ShearState, motion: &RelativeMotion) -> ContactForces {
        let law = &motion.law;
        let elastic_energy = self.elastic_foundation_energy();
        let mut forces =
            ContactForces { on_a: self.on_a, elastic: self.on_a, elastic_energy, ..ContactForces::default() };
        if law.damping == 0.0 && law.friction == 0.0 {
            return forces;
        }
        let normal = self.mean_normal();
        forces.shear_stiffness = law.shear_stiffness(self.on_a.force.length());
        let settling_time = self.settling_time(motion);
        forces.contact_damping = law.damping * self.area;
        forces.friction_damping = forces.shear_stiffness * settling_time;
        let mut friction = Wrench::default();
        for point in &self.points {
            let arm = point.position - self.reference;
            let v = PointVelocity::of(motion.velocity + motion.spin.cross(arm), point);
            let damping = law.damping_traction(point, &v, motion.implicit_fraction);
            forces.damping.add_force(arm, point.area * damping);
            if law.friction > 0.0 {
                let shear = shear.shear_at(self, point, normal);
                let limit = friction_limit(law.friction, point.pressure, damping.dot(point.normal));
                let direction = law.saturation(&PointShear { shear, velocity: v.sliding, settling_time });
                friction.add_force(arm, (point.area * limit) * direction);
                forces.shear_energy += law.shear_energy(point.area * limit, shear);
            }
        }
        forces.on_a = forces.on_a + forces.damping + friction;
        forces
    }

    /// Damping alone, on a.
    pub fn damping(&self, motion: &RelativeMotion) -> Wrench {
        let mut sum = Wrench::default();
        for point in &self.points {
            let arm = point.position - self.reference;
            let v = PointVelocity::of(motion.velocity + motion.spin.cross(arm), point);
            sum.add_force(arm, point.area * motion.law.damping_traction(point, &v, motion.implicit_fraction));
        }
        sum
    }

    /// Velocity of b's material against a's along the surface, m/s, at each of [`Patch::points`]: `velocity` is that of
    /// b's material against a's at the reference point, `spin` that of b against a.
    pub fn slip_velocities(&self, velocity: DVec3, spin: DVec3) -> impl Iterator<Item = DVec3> {
        self.points
            .iter()
            .map(move |point| PointVelocity::of(velocity + spin.cross(point.position - self.reference), point).sliding)
    }

    /// Settling time τ of friction, s: [`ContactLaw::settling_time`] under the patch's force.
    pub(crate) fn settling_time(&self, motion: &RelativeMotion) -> f64 {
        motion.law.settling_time(self.on_a.force.length(), motion.inverse_effective_mass)
    }

    /// Growth of the pressure slope with depth, 1/m: pressures grow as `slope · (d + growth · d²)` with the further
    /// approach d, because the patch widens. Loads grow as a power n of the depth, 2 for balls and 1 for flat ends.
    pub(crate) fn slope_growth(&self) -> f64 {
        let power = self.stiffness * self.overlap / self.load.max(f64::MIN_POSITIVE);
        0.5 * (power - 1.0).clamp(0.0, 1.0) / self.overlap.max(f64::MIN_POSITIVE)
    }
}
