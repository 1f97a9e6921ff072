//! An island: bodies connected by constraints.

use super::constraint::Constraint;
use super::constraint_body::ConstraintBody;
use super::impulse::Impulse;
use super::mat6::{Mat6, Vec6, parts, vec6};
use crate::bodies::Twist;
use crate::math::{DMat3, DVec3};

/// A body that forces move.
#[derive(Clone, Debug, PartialEq)]
pub struct SolverBody {
    /// Kilograms.
    pub mass: f64,
    /// About its centre, world axes; all zero for a body that does not turn.
    pub inertia: DMat3,
    /// Its velocity without constraints.
    pub free: Twist,
}

/// Bodies connected by constraints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Island<'a> {
    /// In the order of names.
    pub bodies: Vec<SolverBody>,
    /// In the order of contacts.
    pub constraints: Vec<Constraint<'a>>,
}

/// Speeds are measured against no less than this, m/s.
pub const MIN_SPEED: f64 = 1e-9;

/// And against no less than this fraction of the speed bodies have in common, which sets the rounding.
pub const COMMON_SPEED_FRACTION: f64 = 0.01;

impl SolverBody {
    #[inline(always)]
    pub(super) fn turns(&self) -> bool {
        self.inertia != DMat3::ZERO
    }

    /// Subtracts an impulse and its moment from its momentum.
    pub fn subtract_impulse(&mut self, impulse: DVec3, turn: DVec3) {
        self.free.linear -= impulse / self.mass;
        if self.turns() {
            self.free.angular -= self.inertia.inverse() * turn;
        }
    }

    /// Momentum of a change of velocity.
    #[inline(always)]
    fn momentum(&self, v: &Vec6) -> Vec6 {
        let [linear, angular] = parts(v);
        let turn = if self.turns() { self.inertia * angular } else { angular };
        vec6(self.mass * linear, turn)
    }

    /// Change of velocity that the residual at `v` amounts to, if forces give it this impulse about its centre, m/s.
    pub fn residual_speed(&self, v: &Twist, applied: &Impulse) -> f64 {
        let residual_impulse = self.residual_impulse(v, applied);
        self.speed_change(&vec6(residual_impulse.linear, residual_impulse.angular))
    }

    /// Residual at `v`: `M (v̂ − v)` plus the impulse that forces give it about its centre.
    pub fn residual_impulse(&self, v: &Twist, applied: &Impulse) -> Impulse {
        let [linear, angular] =
            parts(&self.momentum(&vec6(self.free.linear - v.linear, self.free.angular - v.angular)));
        let turn = if self.turns() { applied.angular } else { DVec3::ZERO };
        Impulse { linear: linear + applied.linear, angular: angular + turn }
    }

    #[inline(always)]
    pub(super) fn block(&self) -> Mat6 {
        let mut m = Mat6::ZERO;
        let inertia = if self.turns() { self.inertia } else { DMat3::IDENTITY };
        for i in 0..3 {
            m.0[i][i] = self.mass;
            (0..3).for_each(|j| m.0[i + 3][j + 3] = inertia.col(j)[i]);
        }
        m
    }

    /// Change of velocity by an impulse, m/s; of spin as the speed at the radius of gyration.
    #[inline(always)]
    pub(super) fn speed_change(&self, impulse: &Vec6) -> f64 {
        let [linear, angular] = parts(impulse);
        let linear = linear.length() / self.mass;
        if !self.turns() {
            return linear;
        }
        let radius_sq = (self.inertia.col(0).x + self.inertia.col(1).y + self.inertia.col(2).z) / self.mass;
        linear.max(angular.length() / (self.mass * radius_sq.sqrt()))
    }
}

impl<'a> Island<'a> {
    /// Whether there are joints in it, which are too stiff for partial solutions.
    pub(super) fn has_joints(&self) -> bool {
        self.constraints.iter().any(|c| !c.rows.is_empty())
    }

    /// Greatest relative speed of coupled bodies, m/s; common motion is ignored.
    #[inline(always)]
    pub(super) fn fastest(&self) -> f64 {
        let free: Vec<Vec6> = self.bodies.iter().map(|m| vec6(m.free.linear, m.free.angular)).collect();
        let together = self.bodies.iter().map(|m| m.free.linear.length()).fold(0.0, f64::max);
        // Joints may hold to a fixed place.
        let least = MIN_SPEED.max(if self.has_joints() { together } else { COMMON_SPEED_FRACTION * together });
        self.constraints.iter().map(|c| self.motion(c, &free)[0].length()).fold(least, f64::max)
    }

    /// `M (v̂ − v)` of body `i`.
    #[inline(always)]
    pub(super) fn momentum_gap(&self, i: usize, v: &[Vec6]) -> Vec6 {
        let (m, v) = (&self.bodies[i], &v[i]);
        let free = vec6(m.free.linear, m.free.angular);
        m.momentum(&std::array::from_fn(|k| free[k] - v[k]))
    }

    /// Velocity of b against a at a constraint's reference point, and spin.
    #[inline(always)]
    pub(super) fn motion(&self, c: &Constraint, v: &[Vec6]) -> [DVec3; 2] {
        c.motion(|i| parts(&v[i]))
    }

    /// Adds the impulse of a constraint on one of its bodies.
    #[inline(always)]
    pub(super) fn add_impulse(&self, end: &ConstraintBody, impulse: &Impulse, to: &mut Vec6) {
        let own = end.impulse(impulse, self.bodies[end.body].turns());
        (0..6).for_each(|k| to[k] += own[k]);
    }
}
