//! What a point of a contact does over a step, as a function of how it moves; four of them at a time.

use crate::contact::{Approach, Patch, PatchPoint, Stick};
use crate::math::DVec3;
use crate::math::lanes::{Lanes, Pass, widest};

/// A point of a contact. Velocities are those of b against a, impulses those on b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    /// From the coupling's reference point.
    pub arm: DVec3,
    /// Unit, out of a.
    pub normal: DVec3,
    /// Normal impulse if nothing moves, N s.
    pub push: f64,
    /// By how much it falls with the speed of parting, N s per m/s.
    pub hardness: f64,
    /// Speed of parting at which all this was found, m/s.
    pub found_at: f64,
    /// Bodies that approach faster than that touch on a growing area, which adds so much times the square of the
    /// difference, N s per (m/s)².
    pub growth: f64,
    /// Tangential damping, N s per m/s.
    pub drag: f64,
    /// The greatest impulse of friction, N s.
    pub grip: f64,
    /// How far it is sheared at the start, along the surface, as a part of what it takes to slide.
    pub sheared: DVec3,
    /// By how much sliding adds to that, per m/s.
    pub shearing: f64,
}

/// Spots taken together, one a lane. Those that fill up the last four do nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Four {
    arm: [Lanes; 3],
    normal: [Lanes; 3],
    push: Lanes,
    hardness: Lanes,
    found_at: Lanes,
    growth: Lanes,
    drag: Lanes,
    grip: Lanes,
    sheared: [Lanes; 3],
    shearing: Lanes,
}

/// Impulses, and how they fall with velocity: `normal` along the normal, `along` along the surface, less `slip` in the
/// direction `drive` there.
pub(super) struct Reply {
    pub impulse: [Lanes; 3],
    normal: Lanes,
    along: Lanes,
    pub slip: Lanes,
    drive: [Lanes; 3],
}

impl Four {
    /// Of the next four of `spots`.
    fn of(spots: &mut impl Iterator<Item = Spot>) -> Self {
        let mut four = Self::default();
        for (lane, s) in spots.take(4).enumerate() {
            for k in 0..3 {
                four.arm[k].0[lane] = s.arm[k];
                four.normal[k].0[lane] = s.normal[k];
                four.sheared[k].0[lane] = s.sheared[k];
            }
            four.push.0[lane] = s.push;
            four.hardness.0[lane] = s.hardness;
            four.found_at.0[lane] = s.found_at;
            four.growth.0[lane] = s.growth;
            four.drag.0[lane] = s.drag;
            four.grip.0[lane] = s.grip;
            four.shearing.0[lane] = s.shearing;
        }
        four
    }

    #[inline(always)]
    pub(super) fn reply(&self, velocity: [Lanes; 3], spin: [Lanes; 3]) -> Reply {
        let n = self.normal;
        let turned = cross(spin, self.arm);
        let v = [velocity[0] + turned[0], velocity[1] + turned[1], velocity[2] + turned[2]];
        let parting = dot(v, n);
        let sliding = [v[0] - parting * n[0], v[1] - parting * n[1], v[2] - parting * n[2]];
        let faster = (self.found_at - parting).or_more(Lanes::ZERO);
        let more = self.growth * faster;
        let push = self.push - self.hardness * parting + more * faster;
        let normal = (self.hardness + more + more).where_above(push, 0.0);
        let push = push.or_more(Lanes::ZERO);
        let drive = three(|k| self.sheared[k] + self.shearing * sliding[k]);
        let length = dot(drive, drive).sqrt();
        let share = Lanes::all(1.0) / length.or_more(Lanes::all(1.0));
        let hold = self.grip * share;
        let slip = hold * self.shearing;
        Reply {
            impulse: three(|k| push * n[k] - self.drag * sliding[k] - hold * drive[k]),
            normal,
            along: self.drag + slip,
            slip: slip.where_above(length, 1.0),
            drive: three(|k| drive[k] * share),
        }
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

    /// Adds how impulses fall with velocity, the upper half row by row: `D` at the point itself, `arm × D` for moments, and
    /// that once more for turning.
    #[inline(always)]
    pub(super) fn add_slope(&self, reply: &Reply, sum: &mut [Lanes; 21]) {
        let (n, t) = (self.normal, reply.drive);
        let (kn, st) = (three(|i| (reply.normal - reply.along) * n[i]), three(|i| reply.slip * t[i]));
        let d = |i: usize, j: usize| kn[i] * n[j] - st[i] * t[j];
        let (xy, xz, yz) = (d(0, 1), d(0, 2), d(1, 2));
        let own = [reply.along + d(0, 0), reply.along + d(1, 1), reply.along + d(2, 2)];
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

/// How a contact's force acts over a step: a part of it as it was, the rest as it will be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Seconds.
    pub dt: f64,
    /// `θ`, from ½ to 1: what part acts as it will be.
    pub late: f64,
}

/// `(ω dt)²` at which a contact is half-way from keeping energy to losing it. Larger: stiff contacts ring, and may gain
/// energy. Smaller: soft ones bounce less than they should.
const UNRESOLVED: f64 = 9.0;

impl Share {
    /// Of a contact whose frequency squared is `omega_sq`. What a step follows keeps its energy (θ = ½, the trapezoidal
    /// rule), what is too fast for it comes to rest (θ = 1, implicit Euler).
    pub fn of(omega_sq: f64, dt: f64) -> Self {
        let s = omega_sq * dt * dt;
        Self { dt, late: 0.5 + 0.5 * (s / (s + UNRESOLVED)) }
    }
}

/// How bodies move against each other at a patch over a step.
#[derive(Clone, Copy, Debug)]
pub struct Passage {
    /// After it, as far as known.
    pub after: Approach,
    /// Velocity at the reference point before it, and spin.
    pub before: [DVec3; 2],
    /// Whether the patch was found where the step ends, or where it starts.
    pub moved: bool,
}

/// What is the same for all spots of a patch over a step.
#[derive(Clone, Copy)]
struct Common<'a> {
    patch: &'a Patch,
    stick: &'a Stick,
    passage: &'a Passage,
    share: Share,
}

/// [`Spots::fill`] in lanes.
struct Fill<'a> {
    common: Common<'a>,
    fours: &'a mut Vec<Four>,
}

impl Pass for Fill<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { common, fours } = self;
        let spot = common.spot();
        fours.resize(common.patch.points.len().div_ceil(4), Four::default());
        // A loop: what `extend` calls would be compiled without lanes.
        for (four, points) in fours.iter_mut().zip(common.patch.points.chunks(4)) {
            *four = spot(&Place::of(points, common.patch.reference));
        }
    }
}

/// Points of a patch, one a lane; those that fill up the last four have no area.
struct Place {
    position: [Lanes; 3],
    normal: [Lanes; 3],
    pressure: Lanes,
    area: Lanes,
    rate: Lanes,
}

impl Place {
    #[inline(always)]
    fn of(points: &[PatchPoint], reference: DVec3) -> Self {
        let none = PatchPoint { position: reference, normal: DVec3::ZERO, pressure: 0.0, area: 0.0, rate: 0.0 };
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
            rate: lanes(|p| p.rate),
        }
    }
}

impl Common<'_> {
    #[inline(always)]
    fn spot(&self) -> impl Fn(&Place) -> Four {
        let Self { patch, stick, passage, share: Share { dt, late } } = *self;
        let approach = &passage.after;
        let surfaces = approach.surfaces;
        let axis = patch.mean_normal();
        let (felt, early) = (late * dt, (1.0 - late) * dt);
        let shearing = (felt + patch.settling_time(approach)) / surfaces.slip_length;
        // Loads go with a power of the depth `d`: `F ~ dⁿ`, n = 2 for balls and 1 for flat ends, whose area cannot grow.
        let power = patch.stiffness * patch.overlap / patch.load.max(f64::MIN_POSITIVE);
        let growth = 0.5 * (power - 1.0).clamp(0.0, 1.0) / patch.overlap.max(f64::MIN_POSITIVE);
        let (reference, center) = (every(patch.reference), every(patch.center_of_pressure));
        let (offset, turn, axis) = (every(stick.offset), Lanes::all(stick.turn), every(axis));
        let (before, after) = (passage.before.map(every), [approach.velocity, approach.spin].map(every));
        let [felt_by, early_by, damping] = [felt, early, surfaces.damping].map(Lanes::all);
        move |place: &Place| {
            let n = place.normal;
            let arm = three(|k| place.position[k] - reference[k]);
            let at = |[velocity, spin]: [[Lanes; 3]; 2]| {
                let turned = cross(spin, arm);
                three(|k| velocity[k] + turned[k])
            };
            let (was, is) = (at(before), at(after));
            let (was_parting, parting) = (dot(was, n), dot(is, n));
            // Where the step starts is where a velocity would bring it that undoes what is gone by the old one.
            let found_at = if passage.moved { parting } else { Lanes::all(-early / felt) * was_parting };
            let pressed = (place.pressure - damping * parting).or_more(Lanes::ZERO);
            let mut sheared = [Lanes::ZERO; 3];
            if surfaces.friction > 0.0 {
                let way = three(|k| place.position[k] - center[k]);
                let turned = cross(axis, way);
                let shear = three(|k| offset[k] + turn * turned[k]);
                let across = dot(shear, n);
                let length = Lanes::all(surfaces.slip_length);
                sheared = three(|k| {
                    let sliding = was[k] - was_parting * n[k];
                    ((shear[k] - across * n[k]) + early_by * sliding) / length
                });
            }
            let weight = felt_by * place.area;
            let softness = felt_by * place.rate;
            Four {
                arm,
                normal: n,
                push: weight * (place.pressure + softness * found_at),
                hardness: weight * (softness + damping),
                found_at,
                growth: weight * Lanes::all(growth) * place.rate * felt_by * felt_by,
                drag: weight * damping,
                // What friction holds it must hold now: it is never taken as it was.
                grip: Lanes::all(dt) * place.area * Lanes::all(surfaces.friction) * pressed,
                sheared,
                shearing: Lanes::all(shearing),
            }
        }
    }
}

/// The spots of a patch over a step, in lanes. Room for them is kept when they are filled again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spots(Vec<Four>);

impl Spots {
    /// Makes them those of a patch over a step.
    pub fn fill(&mut self, patch: &Patch, stick: &Stick, passage: &Passage, share: Share) {
        widest(Fill { common: Common { patch, stick, passage, share }, fours: &mut self.0 });
    }

    #[inline(always)]
    pub(super) fn fours(&self) -> &[Four] {
        &self.0
    }
}

impl FromIterator<Spot> for Spots {
    fn from_iter<I: IntoIterator<Item = Spot>>(spots: I) -> Self {
        let mut spots = spots.into_iter().peekable();
        Self(std::iter::from_fn(|| spots.peek().is_some().then_some(()).map(|()| Four::of(&mut spots))).collect())
    }
}
