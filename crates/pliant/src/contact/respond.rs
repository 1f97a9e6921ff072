//! What a patch does to the two bodies: elastic pressure, damping, friction that sticks.
//!
//! *The idea* ([G93] eq. 9, [CD97] eq. 20): besides the pressure, the traction `λ_a λ_b (V_b − V_a)` acts on a.
//! *What we changed*: its normal part cannot pull (the total normal traction is never tensile), and Coulomb friction
//! is added: a patch remembers how far it has been sheared since it began to stick, and the traction
//! `μ p S((ξ + τ v)/ξ₀)`, `S(y) = y/max(1, |y|)`, holds a body still, without creep, up to `μ p` everywhere on the patch.
//! *Not promised*: a shear that differs from point to point; a patch shears as one piece (a shift and a turn).

use super::patch::{Patch, Wrench};
use crate::bodies::Body;
use crate::math::DVec3;

/// How the two surfaces act on each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surfaces {
    /// `λ_a λ_b`, Pa s/m.
    pub damping: f64,
    /// Coulomb's coefficient of the pair.
    pub friction: f64,
    /// Shear `ξ₀` at which sticking gives way to sliding, metres. Smaller: stiffer sticking and shorter steps.
    /// Larger: a visible give before a body holds.
    pub slip_length: f64,
}

/// Shear at which sticking ends, as a fraction of the thinner body's thickness.
const SLIP_FRACTION: f64 = 3e-3;

impl Surfaces {
    /// Of two bodies: viscosities multiply, as in the papers; friction is the geometric mean, so that either
    /// side alone can make a contact frictionless.
    pub fn between(a: &Body, b: &Body) -> Self {
        let thickness = a.layers[0].shape.least_thickness().min(b.layers[0].shape.least_thickness());
        Self {
            damping: a.material.damping * b.material.damping,
            friction: (a.material.friction * b.material.friction).sqrt(),
            slip_length: SLIP_FRACTION * thickness,
        }
    }
}

/// How far b has been sheared against a since the patch began to stick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stick {
    /// Shift of b against a, in the tangent plane, metres.
    pub offset: DVec3,
    /// Turn of b against a about the normal out of a, radians.
    pub turn: f64,
}

/// Motion of b against a around a patch, and what their surfaces make of it.
#[derive(Clone, Copy, Debug)]
pub struct Approach {
    /// Velocity of b's material against a's at the patch's reference point.
    pub velocity: DVec3,
    /// Spin of b against a.
    pub spin: DVec3,
    /// `1/m` of both sides together at the patch, tangentially: sets the damping that lets a sticking body settle.
    pub mobility: f64,
    /// How the two surfaces act on each other.
    pub surfaces: Surfaces,
}

/// Everything a patch does, as felt by a; b feels the opposite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Answer {
    /// Total force and moment about the patch's reference, on a.
    pub on_a: Wrench,
    /// The elastic part of it.
    pub elastic: Wrench,
    /// Tangential stiffness, N/m, for choosing a step.
    pub shear_stiffness: f64,
    /// Rate at which velocities die, N s/m, for choosing a step.
    pub drag: f64,
}

impl Answer {
    /// What damping and friction add to the elastic force.
    pub fn lossy(&self) -> Wrench {
        Wrench { force: self.on_a.force - self.elastic.force, moment: self.on_a.moment - self.elastic.moment }
    }
}

impl Stick {
    /// The shear after `dt` more of the present motion, not beyond what the surfaces hold.
    pub fn sheared(self, patch: &Patch, approach: &Approach, dt: f64) -> Self {
        if dt == 0.0 {
            return self;
        }
        let normal = patch.mean_normal();
        let tangent = |v: DVec3| v - v.dot(normal) * normal;
        // The plane turns with the patch; the shear keeps its length.
        let kept = tangent(self.offset).normalize_or_zero() * self.offset.length();
        let slip = approach.velocity + approach.spin.cross(patch.center_of_pressure - patch.reference);
        let reach = (patch.area / std::f64::consts::PI).sqrt().max(f64::MIN_POSITIVE);
        let offset = (kept + tangent(slip) * dt).clamp_length_max(approach.surfaces.slip_length);
        let most = approach.surfaces.slip_length / reach;
        Self { offset, turn: (self.turn + approach.spin.dot(normal) * dt).clamp(-most, most) }
    }
}

impl Patch {
    /// Mean outward normal of a, weighted by pressure.
    pub fn mean_normal(&self) -> DVec3 {
        (-self.on_a.force).normalize_or_zero()
    }

    /// Pressure, damping and friction together.
    pub fn respond(&self, stick: &Stick, approach: &Approach) -> Answer {
        let surfaces = &approach.surfaces;
        let mut answer = Answer { on_a: self.on_a, elastic: self.on_a, ..Answer::default() };
        if surfaces.damping == 0.0 && surfaces.friction == 0.0 {
            return answer;
        }
        let normal = self.mean_normal();
        let normal_force = self.on_a.force.length();
        let slip_length = surfaces.slip_length;
        answer.shear_stiffness = surfaces.friction * normal_force / slip_length;
        // Half of critical damping of the shear spring: τ = 1/ω, ω² = stiffness · mobility. A held body settles in
        // a few swings; more would shorten the steps.
        let omega_sq = answer.shear_stiffness * approach.mobility;
        let settle = if omega_sq > 0.0 { 1.0 / omega_sq.sqrt() } else { 0.0 };
        answer.drag = surfaces.damping * self.area + answer.shear_stiffness * settle;
        for point in &self.points {
            let arm = point.position - self.reference;
            let v = approach.velocity + approach.spin.cross(arm);
            let v_n = v.dot(point.normal);
            let v_t = v - v_n * point.normal;
            let pressure = (point.pressure - surfaces.damping * v_n).max(0.0);
            let mut traction = (point.pressure - pressure) * point.normal + surfaces.damping * v_t;
            if surfaces.friction > 0.0 {
                let shear = stick.offset + stick.turn * normal.cross(point.position - self.center_of_pressure);
                let shear = shear - shear.dot(point.normal) * point.normal;
                let drive = (shear + settle * v_t) / slip_length;
                traction += (surfaces.friction * pressure) * drive.clamp_length_max(1.0);
            }
            let force = point.area * traction;
            answer.on_a.force += force;
            answer.on_a.moment += arm.cross(force);
        }
        answer
    }
}
