//! Impulses of contact points over a step as functions of relative velocity, four points at a time.

use crate::contact::{Patch, PatchPoint, RelativeMotion, ShearState};
use crate::contact::{friction_limit, normal_damping, saturation_divisor};
use crate::math::DVec3;
use crate::math::lanes::{Pass, widest};
use crate::math::real::{FourLanes, Lanes, Real};

/// Four contact points, one in each SIMD lane. Velocities are those of b against a, impulses those on b. Lanes
/// that fill up the last pack do nothing. As few numbers as can be: those of a thousand balls do not fit in a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PointPack {
    /// From the constraint's reference point.
    arm: [Lanes; 3],
    /// Unit, out of a.
    normal: [Lanes; 3],
    /// Normal impulse if nothing moves, N s.
    bias: Lanes,
    /// Area times θ·dt, m² s.
    weight: Lanes,
    /// Growth of pressure with depth, Pa/m.
    pressure_slope: Lanes,
    /// Parting speed about which the pressure is linearised, m/s.
    linearised_at: Lanes,
    /// The greatest impulse of friction, N s.
    friction_limit: Lanes,
}

/// Data shared by all points of a patch over a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PatchStep {
    /// θ·dt, the part of the step treated implicitly, s.
    pub implicit_dt: f64,
    /// Pa per m/s, along the normal and along the surface.
    pub damping: f64,
    /// Bodies that approach faster than `linearised_at` touch on a growing area: pressure grows by its rate and this
    /// times the square of the difference, s²/m.
    pub slope_growth: f64,
    /// Shear of b against a after the explicit part, over the slip length: at the reference point, and its turn with the
    /// arm from there. Only its component along the surface counts.
    pub explicit_shear: [DVec3; 2],
    /// Growth of that with the sliding velocity, per m/s.
    pub shear_per_speed: f64,
}

/// A step at a motion, in lanes.
pub(super) struct PatchMotion {
    velocity: [Lanes; 3],
    spin: [Lanes; 3],
    /// Shear at the end of the step over the slip length, and its turn.
    shear: [Lanes; 3],
    shear_turn: [Lanes; 3],
    implicit_dt: Lanes,
    damping: Lanes,
    slope_growth: Lanes,
    shear_per_speed: Lanes,
}

impl PatchStep {
    /// The step at this velocity of b against a at the reference point, and this spin.
    #[inline(always)]
    pub(super) fn motion_at(&self, [velocity, spin]: [DVec3; 2]) -> PatchMotion {
        PatchMotion {
            velocity: every(velocity),
            spin: every(spin),
            shear: every(self.explicit_shear[0] + self.shear_per_speed * velocity),
            shear_turn: every(self.explicit_shear[1] + self.shear_per_speed * spin),
            implicit_dt: Lanes::all(self.implicit_dt),
            damping: Lanes::all(self.damping),
            slope_growth: Lanes::all(self.slope_growth),
            shear_per_speed: Lanes::all(self.shear_per_speed),
        }
    }
}

/// Impulses and their slopes: along the normal, and along the surface, where a sliding point lacks `sliding_loss` in
/// `friction_direction`.
pub(super) struct PointResponse {
    pub impulse: [Lanes; 3],
    normal_slope: Lanes,
    tangential_slope: Lanes,
    pub sliding_loss: Lanes,
    friction_direction: [Lanes; 3],
}

impl PointPack {
    #[inline(always)]
    pub(super) fn response(&self, moving: &PatchMotion) -> PointResponse {
        let n = self.normal;
        let at_arm = |at: [Lanes; 3], turn: [Lanes; 3]| {
            let turned = cross(turn, self.arm);
            [at[0] + turned[0], at[1] + turned[1], at[2] + turned[2]]
        };
        let tangential = |v: [Lanes; 3], normal: Lanes| three(|k| v[k] - normal * n[k]);
        let v = at_arm(moving.velocity, moving.spin);
        let parting = dot(v, n);
        let sliding = tangential(v, parting);
        let damping_slope = self.weight * moving.damping;
        let (normal, normal_slope) = self.normal_impulse(moving, parting, damping_slope);
        let shear = at_arm(moving.shear, moving.shear_turn);
        let shear = tangential(shear, dot(shear, n));
        // One division for all the products.
        let divisor = saturation_divisor(shear);
        let scale = Lanes::all(1.0) / divisor;
        let friction = self.friction_limit * scale;
        let friction_slope = friction * moving.shear_per_speed;
        PointResponse {
            impulse: three(|k| normal * n[k] - damping_slope * sliding[k] - friction * shear[k]),
            normal_slope,
            tangential_slope: damping_slope + friction_slope,
            sliding_loss: divisor.if_greater(Lanes::all(1.0), friction_slope, Lanes::ZERO),
            friction_direction: three(|k| shear[k] * scale),
        }
    }

    /// Impulse along the normal at a `parting` speed, and its slope: of pressure, linear but for the growth of the
    /// patch, and of damping by `damping_slope`. It is never tensile.
    #[inline(always)]
    fn normal_impulse(&self, moving: &PatchMotion, parting: Lanes, damping_slope: Lanes) -> (Lanes, Lanes) {
        let faster = (self.linearised_at - parting).larger(Lanes::ZERO);
        let stiffness = self.weight * self.pressure_slope;
        let impulse_slope = stiffness * moving.implicit_dt + damping_slope;
        let growth = stiffness * moving.slope_growth * faster;
        let impulse = self.bias - impulse_slope * parting + growth * faster;
        (impulse.larger(Lanes::ZERO), impulse.if_greater(Lanes::ZERO, impulse_slope + growth + growth, Lanes::ZERO))
    }

    /// Impulses of elastic pressure, of damping and of friction, which add up to those of [`PointPack::response`]. Where
    /// damping would pull, it takes away no more than the pressure.
    #[inline(always)]
    pub(super) fn split(&self, moving: &PatchMotion) -> [[Lanes; 3]; 3] {
        let n = self.normal;
        let turned = cross(moving.spin, self.arm);
        let v = three(|k| moving.velocity[k] + turned[k]);
        let parting = dot(v, n);
        let (pressure, _) = self.normal_impulse(moving, parting, Lanes::ZERO);
        let damping_slope = self.weight * moving.damping;
        let total = self.response(moving).impulse;
        let sliding = three(|k| v[k] - parting * n[k]);
        let elastic = three(|k| pressure * n[k]);
        let normal = dot(total, n) - pressure;
        let damping = three(|k| normal * n[k] - damping_slope * sliding[k]);
        [elastic, damping, three(|k| total[k] - elastic[k] - damping[k])]
    }

    /// Adds impulses and their moments to `sum`.
    #[inline(always)]
    pub(super) fn add(&self, impulse: [Lanes; 3], sum: &mut [Lanes; 6]) {
        let moment = cross(self.arm, impulse);
        for k in 0..3 {
            sum[k] = sum[k] + impulse[k];
            sum[k + 3] = sum[k + 3] + moment[k];
        }
    }

    /// Adds slopes, the upper half row by row: `D` at the point itself, `arm × D` for moments, and that once more for
    /// turning.
    #[inline(always)]
    pub(super) fn add_slope(&self, response: &PointResponse, sum: &mut [Lanes; 21]) {
        let (n, t, tangential) = (self.normal, response.friction_direction, response.tangential_slope);
        let kn = three(|i| (response.normal_slope - tangential) * n[i]);
        let st = three(|i| response.sliding_loss * t[i]);
        let d = |i: usize, j: usize| kn[i] * n[j] - st[i] * t[j];
        let (xy, xz, yz) = (d(0, 1), d(0, 2), d(1, 2));
        let own = [tangential + d(0, 0), tangential + d(1, 1), tangential + d(2, 2)];
        let [x, y, z] = [[own[0], xy, xz], [xy, own[1], yz], [xz, yz, own[2]]].map(|row| cross(self.arm, row));
        let [p, q, r] = [[x[0], y[0], z[0]], [x[1], y[1], z[1]], [x[2], y[2], z[2]]].map(|row| cross(self.arm, row));
        let half = [
            own[0], xy, xz, x[0], x[1], x[2], own[1], yz, y[0], y[1], y[2], own[2], z[0], z[1], z[2], p[0], p[1], p[2],
            q[1], q[2], r[2],
        ];
        for i in 0..21 {
            sum[i] = sum[i] + half[i];
        }
    }
}

/// As `map` of an array, which the compiler does not always take into lanes.
#[inline(always)]
fn three(f: impl Fn(usize) -> Lanes) -> [Lanes; 3] {
    [f(0), f(1), f(2)]
}

#[inline(always)]
pub(super) fn every(v: DVec3) -> [Lanes; 3] {
    [Lanes::all(v.x), Lanes::all(v.y), Lanes::all(v.z)]
}

#[inline(always)]
fn dot(a: [Lanes; 3], b: [Lanes; 3]) -> Lanes {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross(a: [Lanes; 3], b: [Lanes; 3]) -> [Lanes; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Length of a step, and its implicit part: a force acts `1 − θ` of the time as at the start, `θ` as at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThetaStep {
    /// Seconds.
    pub dt: f64,
    /// `θ`, from ½ to 1.
    pub theta: f64,
}

/// `(ω dt)²` at which a contact is half-way from keeping energy to losing it. Larger: stiff contacts ring, and may gain
/// energy. Smaller: soft ones bounce less than they should.
const THETA_MIDPOINT: f64 = 9.0;

impl ThetaStep {
    /// θ of a contact whose frequency squared is `omega_sq`, and which stops bodies at this `rate`, 1/s. A contact that the
    /// step resolves keeps its energy (θ = ½, the trapezoidal rule), one too fast for it comes to rest (θ = 1, implicit
    /// Euler).
    pub fn of(omega_sq: f64, rate: f64, dt: f64) -> Self {
        let s = (omega_sq + rate * rate) * dt * dt;
        Self { dt, theta: 0.5 + 0.5 * (s / (s + THETA_MIDPOINT)) }
    }
}

/// Motion of b against a at a patch over a step.
#[derive(Clone, Copy, Debug)]
pub struct StepRelativeMotion {
    /// After it, as far as known.
    pub after: RelativeMotion,
    /// Velocity at the reference point before it, and spin.
    pub before: [DVec3; 2],
    /// Whether the patch was found where the step ends, or where it starts.
    pub moved: bool,
    /// Length of the step, and its implicit part.
    pub theta_step: ThetaStep,
}

/// Data that points are computed from.
#[derive(Clone, Copy)]
struct Source<'a> {
    patch: &'a Patch,
    shear: &'a ShearState,
    relative: &'a StepRelativeMotion,
}

/// [`PatchStep::of`] in lanes.
struct Fill<'a> {
    source: Source<'a>,
    packs: &'a mut [PointPack],
}

impl Pass for Fill<'_> {
    type Output = PatchStep;
    #[inline(always)]
    fn run<V: FourLanes>(self) -> PatchStep {
        let Self { source, packs } = self;
        let point = source.point();
        // A loop: what `extend` calls would be compiled without lanes.
        for (pack, points) in packs.iter_mut().zip(source.patch.points.chunks(4)) {
            point(&PatchPointPack::of(points, source.patch.reference), pack);
        }
        source.step()
    }
}

/// Points of a patch, one a lane; those that fill up the last pack have no area.
struct PatchPointPack {
    position: [Lanes; 3],
    normal: [Lanes; 3],
    pressure: Lanes,
    area: Lanes,
    pressure_slope: Lanes,
}

impl PatchPointPack {
    #[inline(always)]
    fn of(points: &[PatchPoint], reference: DVec3) -> Self {
        let none =
            PatchPoint { position: reference, normal: DVec3::ZERO, pressure: 0.0, area: 0.0, pressure_slope: 0.0 };
        let p: [PatchPoint; 4] = match points.first_chunk() {
            Some(all) => *all,
            None => std::array::from_fn(|i| points.get(i).copied().unwrap_or(none)),
        };
        let lanes = |f: fn(&PatchPoint) -> f64| Lanes([f(&p[0]), f(&p[1]), f(&p[2]), f(&p[3])]);
        Self {
            position: [lanes(|p| p.position.x), lanes(|p| p.position.y), lanes(|p| p.position.z)],
            normal: [lanes(|p| p.normal.x), lanes(|p| p.normal.y), lanes(|p| p.normal.z)],
            pressure: lanes(|p| p.pressure),
            area: lanes(|p| p.area),
            pressure_slope: lanes(|p| p.pressure_slope),
        }
    }
}

impl Source<'_> {
    #[inline(always)]
    fn step(&self) -> PatchStep {
        let Self { patch, shear, relative } = *self;
        let ThetaStep { dt, theta } = relative.theta_step;
        let surfaces = relative.after.law;
        let (implicit_dt, explicit_dt) = (theta * dt, (1.0 - theta) * dt);
        let growth = patch.slope_growth();
        let mut step = PatchStep {
            implicit_dt,
            damping: surfaces.damping,
            slope_growth: growth * implicit_dt * implicit_dt,
            explicit_shear: [DVec3::ZERO; 2],
            shear_per_speed: (implicit_dt + patch.settling_time(&relative.after)) / surfaces.slip_length,
        };
        if surfaces.friction > 0.0 {
            let [offset, turn] = shear.about_reference(patch);
            step.explicit_shear = [
                (offset + explicit_dt * relative.before[0]) / surfaces.slip_length,
                (turn + explicit_dt * relative.before[1]) / surfaces.slip_length,
            ];
        }
        step
    }

    #[inline(always)]
    fn point(&self) -> impl Fn(&PatchPointPack, &mut PointPack) {
        let Self { patch, relative, .. } = *self;
        let ThetaStep { dt, theta } = relative.theta_step;
        let approach = &relative.after;
        let surfaces = approach.law;
        let (implicit_dt, explicit_dt) = (theta * dt, (1.0 - theta) * dt);
        let reference = every(patch.reference);
        let (before, after) = (relative.before.map(every), [approach.velocity, approach.spin].map(every));
        let [implicit_dt, back, damping] = [implicit_dt, -explicit_dt / implicit_dt, surfaces.damping].map(Lanes::all);
        let friction_dt = Lanes::all(dt * surfaces.friction);
        move |points: &PatchPointPack, pack: &mut PointPack| {
            let n = points.normal;
            let arm = three(|k| points.position[k] - reference[k]);
            let parting = |[velocity, spin]: [[Lanes; 3]; 2]| {
                let turned = cross(spin, arm);
                dot(three(|k| velocity[k] + turned[k]), n)
            };
            let is = parting(after);
            // If the patch was found at the start of the step, linearise at the parting speed that cancels the explicit
            // displacement: −(1−θ)/θ times the old speed.
            let linearised_at = if relative.moved { is } else { back * parting(before) };
            let weight = implicit_dt * points.area;
            pack.arm = arm;
            pack.normal = n;
            pack.bias = weight * (points.pressure + implicit_dt * points.pressure_slope * linearised_at);
            pack.weight = weight;
            pack.pressure_slope = points.pressure_slope;
            pack.linearised_at = linearised_at;
            // Friction is fully implicit: its limit uses the whole dt, and no part is applied at the start.
            let normal_damping = normal_damping(damping, is, points.pressure);
            pack.friction_limit = friction_limit(friction_dt * points.area, points.pressure, normal_damping);
        }
    }
}

/// Points of one patch over a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoints<'a> {
    /// Data shared by all.
    pub step: PatchStep,
    /// The rest, in lanes.
    pub packs: &'a [PointPack],
}

impl PointPack {
    /// Number of packs for the points of a patch.
    pub fn needed(patch: &Patch) -> usize {
        patch.points.len().div_ceil(4)
    }
}

impl PatchStep {
    /// Data of a patch over a step; its points fill `packs`.
    pub fn of(patch: &Patch, shear: &ShearState, relative: &StepRelativeMotion, packs: &mut [PointPack]) -> Self {
        widest(Fill { source: Source { patch, shear, relative }, packs })
    }
}

/// So many random ones: pressed and parted, stuck and sliding, of about this `bias`, and a slope of at most
/// `impulse_slope`.
#[cfg(test)]
pub(super) fn random_packs(
    random: &mut crate::math::Random,
    count: usize,
    [bias, impulse_slope]: [f64; 2],
) -> Vec<PointPack> {
    let mut packs = vec![PointPack::default(); count.div_ceil(4)];
    for n in 0..count {
        let (pack, lane) = (&mut packs[n / 4], n % 4);
        let (arm, normal) = (0.1 * random.vector(), random.vector().normalize());
        for k in 0..3 {
            pack.arm[k].0[lane] = arm[k];
            pack.normal[k].0[lane] = normal[k];
        }
        pack.bias.0[lane] = bias * (2.0 * random.unit() - 0.5);
        pack.weight.0[lane] = 1.0;
        pack.pressure_slope.0[lane] = impulse_slope * random.unit();
        pack.linearised_at.0[lane] = random.unit() - 0.5;
        pack.friction_limit.0[lane] = bias * random.unit();
    }
    packs
}
