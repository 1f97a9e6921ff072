//! Rows of one joint over an implicit step, evaluated again at the new positions of its links.

use super::solver::{Constraint, ConstraintBody, Impulse, MIN_SPEED, Row};
use super::springs::{JointMotion, SpringLaw, arms, has_spring, inverse_effective_mass};
use super::step_data::StepContext;
use crate::bodies::{JointAction, JointAxis, JointCoordinates, LinkId, PerLink, Twist, strain, wrapped};
use crate::math::{DMat3, DVec3};
use crate::model::AxisSettings;
use crate::state::Sim;

/// Slope of the impulse of a constraint times the inverse effective mass along it. Larger: rounding shows. Smaller:
/// more iterations.
const CONSTRAINT_GAIN: f64 = 1e4;
/// The same of a motor: its speed is off by at most one part in so many.
const MOTOR_GAIN: f64 = 1e3;
/// Greatest error of a coordinate of a joint that holds, over its size. Smaller: more iterations. Larger: it drifts.
const JOINT_TOLERANCE: f64 = 1e-6;
/// Greatest change of velocity by the error of a spring's force, over the fastest velocity.
const SPRING_TOLERANCE: f64 = 1e-4;
/// A taut link swings at ω under its joints' pull. At this `(ω dt)⁴` the constraint axes are an even mix of those at the
/// start and the end of the step. Larger: taut chains of light links shake. Smaller: they come to rest too soon.
const AXIS_BLEND_MIDPOINT: f64 = 16.0;

/// A joint during a step.
#[derive(Clone, Debug)]
pub(super) struct JointStep {
    /// Index among the joints of the model.
    pub joint: usize,
    /// From the centre of each link to the reference point, where the step starts, and where forces act over it.
    first_arms: [DVec3; 2],
    pub arms: [DVec3; 2],
    /// Coordinates where the step starts; empty for a spring.
    pub start: JointCoordinates,
    /// Axes of the constraints over the step.
    axes: Vec<JointAxis>,
    /// φ: blend of the axes at the start (0, keeps energy) and at the end of the step (1, stable where pulls are too hard).
    axis_blend: f64,
    /// Slopes of the impulses of rows of constrained, free and cone coordinates, N s per m/s.
    impulse_slopes: [Vec<f64>; 3],
    /// Multipliers: impulses that constraints have had to give so far, N s.
    multipliers: Vec<f64>,
    /// Length that errors are measured by, m.
    size: f64,
    rows: Vec<Row>,
    /// Role of each row.
    roles: Vec<RowRole>,
    /// Violation, in parts of the one allowed.
    pub violation: f64,
}

/// Role of a row, for the energy ledger.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum RowRole {
    /// Holds a coordinate at zero.
    Constraint,
    /// A spring, with the slope of the impulse of its damping.
    Spring {
        /// N s per m/s.
        damping: f64,
    },
    /// Drives a free coordinate.
    Motor,
    /// Stops a free coordinate.
    Limit,
}

/// Motion of b against a at a joint over a step.
struct JointRelativeMotion {
    /// At the velocities found so far.
    now: JointMotion,
    /// Of dynamic links, before the step.
    was: JointMotion,
    /// Of kinematic links.
    prescribed: JointMotion,
    /// Whether links have moved at those velocities.
    moved: bool,
    dt: f64,
    theta: f64,
    /// m/s.
    fastest: f64,
}

impl JointRelativeMotion {
    /// Speed along `axis` about which a row is linearised: at it the joint would be as it is now.
    fn linearised_at(&self, axis: &JointAxis, theta: f64) -> f64 {
        if self.moved {
            return self.now.velocity_along(axis);
        }
        // Kinematic links have moved; the others have not yet made the explicit displacement, which this speed cancels.
        self.prescribed.velocity_along(axis) - (1.0 - theta) / theta * self.was.velocity_along(axis)
    }

    /// A row that corrects, by the end of the step, an `error` along `axis`.
    fn stiff(&self, axis: &JointAxis, impulse_slope: f64, error: f64) -> Row {
        let bias = impulse_slope * (self.linearised_at(axis, self.theta) - error / (self.theta * self.dt));
        Row { bias, ..Row::along_axis(axis, impulse_slope) }
    }

    /// A row of a spring, and its role.
    fn spring(&self, axis: &JointAxis, law: SpringLaw, theta: f64) -> (Row, RowRole) {
        let SpringLaw { stiffness, damping, force } = law;
        let implicit_dt = theta * self.dt;
        let bias = implicit_dt * (implicit_dt * stiffness * self.linearised_at(axis, theta) - force);
        let row = Row { bias, ..Row::along_axis(axis, implicit_dt * (implicit_dt * stiffness + damping)) };
        (row, RowRole::Spring { damping: implicit_dt * damping })
    }
}

impl JointStep {
    /// Joint `n` where a step starts.
    pub fn new(sim: Sim, n: usize) -> Self {
        let joint = &sim.model.joints()[n];
        let start = joint.coordinates(&sim.joint_ends(n));
        let arms = arms(sim, joint, start.reference);
        let size_of = |i: LinkId| sim.derived.pairs.now[sim.model.owner(i)].size().max_element();
        let sizes = joint.links.iter().flatten().map(|i| size_of(*i));
        let impulse_slope =
            |(axis, _): &(JointAxis, f64)| match inverse_effective_mass(sim, joint, axis, start.reference) {
                0.0 => 0.0,
                inverse_effective_mass => CONSTRAINT_GAIN / inverse_effective_mass,
            };
        let impulse_slopes = [
            start.constrained.iter().map(impulse_slope).collect(),
            start.free.iter().map(impulse_slope).collect(),
            start.cone.iter().map(impulse_slope).collect(),
        ];
        Self {
            joint: n,
            first_arms: arms,
            arms,
            axes: start.constrained.iter().map(|h| h.0).collect(),
            axis_blend: 0.0,
            impulse_slopes,
            multipliers: vec![0.0; start.constrained.len()],
            size: sizes.filter(|s| s.is_finite()).fold(f64::INFINITY, f64::min),
            start,
            rows: Vec::new(),
            roles: Vec::new(),
            violation: 0.0,
        }
    }

    /// Greatest violation of its constraints, against its size.
    pub fn relative_violation(&self, coordinates: &JointCoordinates) -> f64 {
        let one = |(axis, error): &(JointAxis, f64)| {
            if axis.linear == DVec3::ZERO { error.abs() } else { error.abs() / self.size }
        };
        coordinates.constrained.iter().map(one).fold(0.0, f64::max)
    }

    /// Impulse of its constraints on b, and its moment about the reference point.
    pub fn constraint_impulse(&self) -> (DVec3, DVec3) {
        let axes = || self.axes.iter().zip(&self.multipliers);
        (axes().map(|(a, m)| *m * a.linear).sum(), axes().map(|(a, m)| *m * a.angular).sum())
    }

    /// Blends the axes towards those of now, by how taut the joint is for the step: see [`AXIS_BLEND_MIDPOINT`].
    fn blend_axes(&mut self, sim: Sim, now: &JointCoordinates, dt: f64, joint_counts: &PerLink<usize>) {
        let joint = &sim.model.joints()[self.joint];
        let (impulse, _) = self.constraint_impulse();
        let swing = |side: usize| {
            let Some(i) = joint.links[side].filter(|i| sim.model.is_dynamic(*i)) else { return 0.0 };
            let inertia = sim.link(i).inertia().unwrap_or_default();
            let most = inertia.col(0).x.max(inertia.col(1).y).max(inertia.col(2).z);
            let (arm, mass) = (self.arms[side].length(), sim.link(i).mass().unwrap_or(f64::INFINITY));
            match joint_counts[i] {
                _ if most == 0.0 => 0.0,
                // It hangs: ω² = F r / (I + m r²).
                1 => impulse.length() * arm / (most + mass * arm * arm),
                // Pulled at both ends by as much, it swings about its middle at ω² = 2 F r / I.
                _ => 2.0 * impulse.length() * arm / most,
            }
        };
        let s_sq = (dt * swing(0).max(swing(1))).powi(2);
        self.axis_blend = self.axis_blend.max(s_sq / (s_sq + AXIS_BLEND_MIDPOINT));
        let mix = |first: DVec3, now: DVec3| first + self.axis_blend * (now - first);
        let arms = arms(sim, joint, now.reference);
        self.arms = [0, 1].map(|side| mix(self.first_arms[side], arms[side]));
        for (k, axis) in self.axes.iter_mut().enumerate() {
            let (first, now) = (self.start.constrained[k].0, now.constrained[k].0);
            *axis = JointAxis { linear: mix(first.linear, now.linear), angular: mix(first.angular, now.angular) };
        }
    }

    /// Geometric stiffness: resistance of a link to turning by a joint's pull that turns with it, N m s per rad/s.
    pub fn geometric_stiffness(&self, side: usize, dt: f64) -> DMat3 {
        let (impulse, _) = self.constraint_impulse();
        let arm = self.arms[side];
        let pull = if side == 0 { -impulse } else { impulse }.dot(arm);
        if self.axis_blend == 0.0 || pull <= 0.0 {
            return DMat3::ZERO;
        }
        let along = arm.normalize_or_zero();
        let across = DMat3::IDENTITY - DMat3::from_cols(along * along.x, along * along.y, along * along.z);
        across * (self.axis_blend * dt * pull)
    }

    /// Velocity and spin of one side at the reference point.
    pub fn side_motion(&self, context: StepContext, side: usize, twists: &PerLink<Twist>) -> [DVec3; 2] {
        let sim = context.sim;
        match sim.model.joints()[self.joint].links[side] {
            None => [DVec3::ZERO; 2],
            Some(i) if sim.model.is_dynamic(i) => {
                [twists[i].linear + twists[i].angular.cross(self.arms[side]), twists[i].angular]
            }
            Some(i) => {
                let own = context.mean_motion(i, self.start.reference);
                [own.linear, own.angular]
            }
        }
    }

    /// Motion of b against a at these velocities.
    pub fn motion(&self, context: StepContext, twists: &PerLink<Twist>) -> JointMotion {
        let mut motion = JointMotion::default();
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            motion.add(sign, self.side_motion(context, side, twists));
        }
        motion
    }

    /// Constraint between these bodies of an island; sides that are none of them move as they do.
    pub fn constraint(
        &self,
        context: StepContext,
        twists: &PerLink<Twist>,
        bodies: [Option<usize>; 2],
    ) -> Constraint<'static> {
        let mut prescribed = JointMotion::default();
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if bodies[side].is_none() {
                prescribed.add(sign, self.side_motion(context, side, twists));
            }
        }
        Constraint::of_rows(ConstraintBody::of_sides(bodies, self.arms), prescribed.0, self.rows.clone())
    }

    /// Impulses on its links at these velocities, about their centres.
    pub fn impulses(&self, context: StepContext, twists: &PerLink<Twist>) -> [Impulse; 2] {
        let constraint = self.constraint(context, twists, [None; 2]);
        let Impulse { linear, angular } = constraint.impulse_at(constraint.prescribed);
        [0, 1].map(|side| {
            let sign = [-1.0, 1.0][side];
            Impulse { linear: sign * linear, angular: sign * (self.arms[side].cross(linear) + angular) }
        })
    }

    /// Impulse of each row at these velocities, with its axis and role.
    pub fn row_impulses(&self, context: StepContext, twists: &PerLink<Twist>) -> Vec<(JointAxis, f64, RowRole)> {
        let motion = self.motion(context, twists).vec6();
        let one = |(row, role): (&Row, &RowRole)| {
            let axis = JointAxis {
                linear: DVec3::from_slice(&row.jacobian[..3]),
                angular: DVec3::from_slice(&row.jacobian[3..]),
            };
            (axis, row.impulse(&motion), *role)
        };
        self.rows.iter().zip(&self.roles).map(one).collect()
    }

    /// Keeps the impulses that constraints had to give at these velocities as multipliers.
    pub fn keep_multipliers(&mut self, context: StepContext, twists: &PerLink<Twist>) {
        let motion = self.motion(context, twists).vec6();
        for (multiplier, row) in self.multipliers.iter_mut().zip(&self.rows) {
            *multiplier = row.impulse(&motion);
        }
    }

    /// Evaluates rows and violation at the positions that links reach at `velocities`, or at the present ones if they have
    /// not `moved`.
    pub fn evaluate(
        &mut self,
        context: StepContext,
        velocities: &PerLink<Twist>,
        moved: bool,
        joint_counts: &PerLink<usize>,
    ) {
        let StepContext { sim, step } = context;
        let joint = &sim.model.joints()[self.joint];
        let dt = step.motion.dt;
        let dynamic = || joint.links.iter().flatten().filter(|i| sim.model.is_dynamic(**i));
        let theta = dynamic().map(|i| step.theta[*i]).fold(0.5, f64::max);
        let falls = (sim.model.gravity.length() * dt).max(MIN_SPEED);
        let fastest = dynamic().map(|i| step.free[*i].linear.length()).fold(falls, f64::max);
        let coordinates = joint.coordinates(&sim.joint_ends(self.joint));
        if !self.axes.is_empty() {
            self.blend_axes(sim, &coordinates, dt, joint_counts);
        }
        let [mut now, mut was, mut prescribed] = [JointMotion::default(); 3];
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let motion = self.side_motion(context, side, velocities);
            now.add(sign, motion);
            if joint.links[side].is_some_and(|i| sim.model.is_dynamic(i)) {
                was.add(sign, self.side_motion(context, side, &step.before));
            } else {
                prescribed.add(sign, motion);
            }
        }
        let relative = JointRelativeMotion { now, was, prescribed, moved, dt, theta, fastest };
        match joint.action {
            JointAction::Spring { .. } => self.evaluate_spring(sim, &relative),
            JointAction::Frame { .. } => self.evaluate_frame(sim, &coordinates, &relative),
        }
    }

    fn evaluate_spring(&mut self, sim: Sim, relative: &JointRelativeMotion) {
        let joint = &sim.model.joints()[self.joint];
        let before = std::mem::take(&mut self.rows);
        self.roles.clear();
        self.violation = 0.0;
        let JointAction::Spring { stiffness, damping, rope, .. } = joint.action else { return };
        let Some(s) = joint.stretch(&sim.joint_ends(self.joint)) else { return };
        let law = SpringLaw { stiffness, damping, force: s.tension };
        let theta = law.theta(inverse_effective_mass(sim, joint, &s.axis, s.reference), relative.dt);
        let (mut pull, role) = relative.spring(&s.axis, law, theta);
        if rope {
            pull.max_impulse = 0.0;
        }
        self.add_row(pull, role);
        // A taut spring holds its ends in line.
        let sideways = SpringLaw { stiffness: s.tension.max(0.0) / s.length, damping: 0.0, force: 0.0 };
        let across = s.axis.linear.any_orthonormal_vector();
        for across in [across, s.axis.linear.cross(across)] {
            let axis = JointAxis { linear: across, angular: DVec3::ZERO };
            let (row, role) = relative.spring(&axis, sideways, theta);
            self.add_row(row, role);
        }
        if relative.moved {
            let motion = relative.now.vec6();
            let impulse = |rows: &[Row]| rows.iter().map(|r| r.impulse(&motion) * DVec3::from_slice(&r.jacobian)).sum();
            let (was, is): (DVec3, DVec3) = (impulse(&before), impulse(&self.rows));
            let inverse_effective_mass = inverse_effective_mass(sim, joint, &s.axis, s.reference);
            self.violation = inverse_effective_mass * was.distance(is) / (SPRING_TOLERANCE * relative.fastest);
        }
    }

    fn evaluate_frame(&mut self, sim: Sim, coordinates: &JointCoordinates, relative: &JointRelativeMotion) {
        let joint = &sim.model.joints()[self.joint];
        let JointAction::Frame { joint_type, axis_settings } = &joint.action else { return };
        self.rows.clear();
        self.roles.clear();
        self.violation = self.relative_violation(coordinates) / JOINT_TOLERANCE;
        for (k, (_, error)) in coordinates.constrained.iter().enumerate() {
            let mut row = relative.stiff(&self.axes[k], self.impulse_slopes[0][k], *error);
            row.bias += self.multipliers[k];
            self.add_row(row, RowRole::Constraint);
        }
        for (k, (_, q)) in coordinates.free.iter().enumerate() {
            let axis = self.start.free[k].0;
            if has_spring(axis_settings) {
                let force = axis_settings.stiffness * strain(*joint_type, *q, axis_settings.rest);
                let law = SpringLaw { stiffness: axis_settings.stiffness, damping: axis_settings.damping, force };
                let theta = law.theta(inverse_effective_mass(sim, joint, &axis, coordinates.reference), relative.dt);
                let (row, role) = relative.spring(&axis, law, theta);
                self.add_row(row, role);
            }
            if let Some(motor) = axis_settings.motor {
                let limit = relative.dt * motor.max_force;
                let slope = MOTOR_GAIN / CONSTRAINT_GAIN * self.impulse_slopes[1][k];
                let bias = slope * motor.speed;
                self.add_row(
                    Row { bias, min_impulse: -limit, max_impulse: limit, ..Row::along_axis(&axis, slope) },
                    RowRole::Motor,
                );
            }
        }
        for row in self.limit_rows(coordinates, axis_settings, relative) {
            self.add_row(row, RowRole::Limit);
        }
    }

    fn add_row(&mut self, row: Row, role: RowRole) {
        self.rows.push(row);
        self.roles.push(role);
    }

    /// Rows that keep the joint within its limits.
    fn limit_rows(
        &self,
        coordinates: &JointCoordinates,
        axis_settings: &AxisSettings,
        relative: &JointRelativeMotion,
    ) -> Vec<Row> {
        let Some([least, most]) = axis_settings.limits else { return Vec::new() };
        if let Some((axis, angle)) = coordinates.cone {
            return vec![Row { max_impulse: 0.0, ..relative.stiff(&axis, self.impulse_slopes[2][0], angle - most) }];
        }
        let (Some((_, q)), Some((axis, _))) = (coordinates.free.first(), self.start.free.first()) else {
            return Vec::new();
        };
        let middle = 0.5 * (least + most);
        let q = if axis.angular == DVec3::ZERO { *q } else { middle + wrapped(q - middle) };
        let slope = self.impulse_slopes[1][0];
        vec![
            Row { min_impulse: 0.0, ..relative.stiff(axis, slope, q - least) },
            Row { max_impulse: 0.0, ..relative.stiff(axis, slope, q - most) },
        ]
    }
}
