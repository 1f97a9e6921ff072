//! What a patch does to the two bodies: elastic pressure, damping, friction that sticks.
//!
//! *The idea* ([G93] eq. 9, [CD97] eq. 20): besides the pressure, the traction `λ_a λ_b (V_b − V_a)` acts on a.
//! *What we changed*: its normal part cannot pull (the total normal traction is never tensile), its impulse over a step is
//! implicit, so that no damping is too strong, and Coulomb friction
//! is added: a patch remembers how far it has been sheared since it began to stick, and the traction
//! `μ p S((ξ + τ v)/ξ₀)`, `S(y) = y/max(1, |y|)`, holds a body still, without creep, up to `μ p` everywhere on the patch. Pressing harder keeps the traction.
//! *Not promised*: a shear that differs from point to point; a patch shears as one piece (a shift and a turn). One whose
//! load swings gives way a little with every swing, by less than `ξ₀`.

use super::patch::{Patch, PatchPoint, Wrench};
use crate::bodies::Body;
use crate::math::{DQuat, DVec3};

/// How the two surfaces act on each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactLaw {
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

impl ContactLaw {
    /// Of two bodies: viscosities multiply, as in the papers; friction is the geometric mean, so that either
    /// side alone can make a contact frictionless.
    pub fn between(a: &Body, b: &Body) -> Self {
        let thickness = a.layers[0].shape.least_thickness().min(b.layers[0].shape.least_thickness());
        Self {
            damping: a.material().damping * b.material().damping,
            friction: (a.material().friction * b.material().friction).sqrt(),
            slip_length: SLIP_FRACTION * thickness,
        }
    }
}

/// How far b has been sheared against a since the patch began to stick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ShearState {
    /// Shift of b against a, in the tangent plane, metres.
    pub offset: DVec3,
    /// Turn of b against a about the normal out of a, radians.
    pub turn: f64,
}

/// How far b moved against a at a patch during a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ShearStep {
    /// Of b's material against a's at the centre of pressure, metres.
    pub shift: DVec3,
    /// Of b against a, an axis times an angle.
    pub turn: DVec3,
    /// How both turned together, the mean of the two: it takes the shear along.
    pub common_turn: DVec3,
}

/// Motion of b against a around a patch, and what their surfaces make of it.
#[derive(Clone, Copy, Debug)]
pub struct RelativeMotion {
    /// Velocity of b's material against a's at the patch's reference point.
    pub velocity: DVec3,
    /// Spin of b against a.
    pub spin: DVec3,
    /// `1/m` of both sides together at the patch, tangentially: sets the damping that lets a sticking body settle.
    pub mobility: f64,
    /// How the two surfaces act on each other.
    pub surfaces: ContactLaw,
    /// What part of the damping acts over the push to come: `1/(1 + rate · time)`, so that it ends as the velocity after
    /// it says (implicit Euler), and however strong never turns a motion round. 1: the traction of this moment.
    pub ease: f64,
}

/// Everything a patch does, as felt by a; b feels the opposite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactForces {
    /// Total force and moment about the patch's reference, on a.
    pub on_a: Wrench,
    /// The elastic part of it.
    pub elastic: Wrench,
    /// What damping adds.
    pub damping: Wrench,
    /// Tangential stiffness, N/m, for choosing a step.
    pub shear_stiffness: f64,
    /// What the patch has stored, joules, from the columns behind its points, which is exact for flat patches between linear
    /// curves; not more than its load over half the way in, for loads grow with it.
    pub pressed: f64,
    /// What friction's shear has stored at most, joules.
    pub sheared: f64,
    /// How fast damping stops a motion, N s/m, for choosing a step.
    pub drag: f64,
    /// How fast a held body settles, N s/m, for choosing a step.
    pub settling: f64,
}

impl Wrench {
    /// Adds a force that acts `arm` from the reference point.
    fn pull(&mut self, arm: DVec3, force: DVec3) {
        self.force += force;
        self.moment += arm.cross(force);
    }
}

impl std::ops::Add for Wrench {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { force: self.force + other.force, moment: self.moment + other.moment }
    }
}

impl std::ops::Sub for Wrench {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { force: self.force - other.force, moment: self.moment - other.moment }
    }
}

impl ContactForces {
    /// What damping and friction add to the elastic force.
    pub fn lossy(&self) -> Wrench {
        self.on_a - self.elastic
    }

    /// What friction adds.
    pub fn friction(&self) -> Wrench {
        self.on_a - self.elastic - self.damping
    }
}

impl ShearState {
    /// `part` of it.
    pub fn scaled(self, part: f64) -> Self {
        Self { offset: part * self.offset, turn: part * self.turn }
    }

    /// The shear after one more `slip`, not beyond what the surfaces hold.
    pub fn sheared(self, patch: &Patch, slip: &ShearStep, surfaces: &ContactLaw) -> Self {
        let normal = patch.mean_normal();
        let tangent = |v: DVec3| v - v.dot(normal) * normal;
        // The shear turns with the pair about the normal, its plane with the patch; it keeps its length.
        let taken = DQuat::from_scaled_axis(slip.common_turn.dot(normal) * normal) * self.offset;
        let kept = tangent(taken).normalize_or_zero() * self.offset.length();
        let reach = (patch.area / std::f64::consts::PI).sqrt().max(f64::MIN_POSITIVE);
        let offset = (kept + tangent(slip.shift)).clamp_length_max(surfaces.slip_length);
        let most = surfaces.slip_length / reach;
        Self { offset, turn: (self.turn + slip.turn.dot(normal)).clamp(-most, most) }
    }
}

impl Patch {
    /// Mean outward normal of a, weighted by pressure.
    pub fn mean_normal(&self) -> DVec3 {
        (-self.on_a.force).normalize_or_zero()
    }

    /// Pressure, damping and friction together.
    pub fn respond(&self, stick: &ShearState, approach: &RelativeMotion) -> ContactForces {
        let surfaces = &approach.surfaces;
        let column = |p: &PatchPoint| 0.5 * p.area * p.pressure * p.pressure / p.rate.max(f64::MIN_POSITIVE);
        let pressed = self.points.iter().map(column).sum::<f64>().min(0.5 * self.load * self.overlap);
        let mut answer = ContactForces { on_a: self.on_a, elastic: self.on_a, pressed, ..ContactForces::default() };
        if surfaces.damping == 0.0 && surfaces.friction == 0.0 {
            return answer;
        }
        let normal = self.mean_normal();
        let normal_force = self.on_a.force.length();
        let slip_length = surfaces.slip_length;
        answer.shear_stiffness = surfaces.friction * normal_force / slip_length;
        let settle = self.settling_time(approach);
        answer.drag = surfaces.damping * self.area;
        answer.settling = answer.shear_stiffness * settle;
        let mut rubbing = Wrench::default();
        for point in &self.points {
            let (v_t, damping) = self.damped(point, approach);
            answer.damping.pull(point.position - self.reference, point.area * damping);
            if surfaces.friction > 0.0 {
                let shear = self.shear_at(point, stick, normal);
                let drive = (shear + settle * v_t) / slip_length;
                let most = surfaces.friction * (point.pressure - damping.dot(point.normal));
                rubbing.pull(point.position - self.reference, (point.area * most) * drive.clamp_length_max(1.0));
                let held = shear.length_squared().min(slip_length * slip_length);
                answer.sheared += 0.5 * point.area * most * held / slip_length;
            }
        }
        answer.on_a = answer.on_a + answer.damping + rubbing;
        answer
    }

    /// Half of critical damping of the shear spring: `τ = 1/ω`, `ω² = stiffness · mobility`, s. A held body settles in a few
    /// swings; more would shorten the steps.
    pub(crate) fn settling_time(&self, approach: &RelativeMotion) -> f64 {
        let ContactLaw { friction, slip_length, .. } = approach.surfaces;
        let omega_sq = friction * self.on_a.force.length() / slip_length * approach.mobility;
        if omega_sq > 0.0 { 1.0 / omega_sq.sqrt() } else { 0.0 }
    }

    /// How far the surface is sheared at a point, metres.
    pub(crate) fn shear_at(&self, point: &PatchPoint, stick: &ShearState, normal: DVec3) -> DVec3 {
        let shear = stick.offset + stick.turn * normal.cross(point.position - self.center_of_pressure);
        shear - shear.dot(point.normal) * point.normal
    }

    /// What damping alone does to a.
    pub fn damping(&self, approach: &RelativeMotion) -> Wrench {
        let mut sum = Wrench::default();
        for point in &self.points {
            sum.pull(point.position - self.reference, point.area * self.damped(point, approach).1);
        }
        sum
    }

    /// Velocity of b's material against a's along the surface, m/s, at each of [`Patch::points`]: `velocity` is that of
    /// b's material against a's at the reference point, `spin` that of b against a.
    pub fn slip(&self, velocity: DVec3, spin: DVec3) -> impl Iterator<Item = DVec3> {
        self.points.iter().map(move |point| self.passing(point, velocity, spin).1)
    }

    /// How fast b leaves a at a point, and its sliding velocity there.
    fn passing(&self, point: &PatchPoint, velocity: DVec3, spin: DVec3) -> (f64, DVec3) {
        let v = velocity + spin.cross(point.position - self.reference);
        let v_n = v.dot(point.normal);
        (v_n, v - v_n * point.normal)
    }

    /// The sliding velocity at a point, and the traction of damping on a there. The total normal traction is never
    /// tensile.
    fn damped(&self, point: &PatchPoint, approach: &RelativeMotion) -> (DVec3, DVec3) {
        let (v_n, v_t) = self.passing(point, approach.velocity, approach.spin);
        let damping = approach.ease * approach.surfaces.damping;
        (v_t, (damping * v_n).min(point.pressure) * point.normal + damping * v_t)
    }
}
