//! What a contact does over a step, as a function of how its bodies move against each other.

use super::block::{Block, Six, six};
use super::row::Row;
use crate::contact::{Approach, Patch, PatchPoint, Stick};
use crate::math::DVec3;
use crate::math::lanes::{Lanes, Pass, widest};
use std::sync::Arc;

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
struct Four {
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
struct Reply {
    impulse: [Lanes; 3],
    normal: Lanes,
    along: Lanes,
    slip: Lanes,
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
    fn reply(&self, velocity: [Lanes; 3], spin: [Lanes; 3]) -> Reply {
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
    fn add(&self, impulse: [Lanes; 3], sum: &mut [Lanes; 6]) {
        let moment = cross(self.arm, impulse);
        for k in 0..3 {
            sum[k] = sum[k] + impulse[k];
            sum[k + 3] = sum[k + 3] + moment[k];
        }
    }

    /// Adds how impulses fall with velocity, the upper half row by row: `D` at the point itself, `arm × D` for moments, and
    /// that once more for turning.
    #[inline(always)]
    fn add_slope(&self, reply: &Reply, sum: &mut [Lanes; 21]) {
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
fn every(v: DVec3) -> [Lanes; 3] {
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

/// The spots of one patch, or the rows of one tie, between two bodies of which one at least is a mover of the island.
#[derive(Clone, Debug, PartialEq)]
pub struct Coupling {
    /// Which movers; none for what no force moves.
    pub movers: [Option<usize>; 2],
    /// From each one's centre to the reference point.
    pub arms: [DVec3; 2],
    /// What sides that no force moves add to the velocity of b against a at the reference point, and to its spin.
    pub given: [DVec3; 2],
    spots: Arc<[Four]>,
    /// Of a tie.
    pub rows: Arc<[Row]>,
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

/// The spots of a patch over a step.
pub fn spots(
    patch: &Patch,
    stick: &Stick,
    passage: &Passage,
    Share { dt, late }: Share,
) -> impl ExactSizeIterator<Item = Spot> {
    let approach = &passage.after;
    let surfaces = &approach.surfaces;
    let normal = patch.mean_normal();
    let (felt, early) = (late * dt, (1.0 - late) * dt);
    let shearing = (felt + patch.settling_time(approach)) / surfaces.slip_length;
    // Loads go with a power of the depth `d`: `F ~ dⁿ`, n = 2 for balls and 1 for flat ends, whose area cannot grow.
    let power = patch.stiffness * patch.overlap / patch.load.max(f64::MIN_POSITIVE);
    let growth = 0.5 * (power - 1.0).clamp(0.0, 1.0) / patch.overlap.max(f64::MIN_POSITIVE);
    let spot = move |point: &PatchPoint| {
        let arm = point.position - patch.reference;
        let at = |[velocity, spin]: [DVec3; 2]| velocity + spin.cross(arm);
        let (was, is) = (at(passage.before), at([approach.velocity, approach.spin]));
        let parting = is.dot(point.normal);
        // Where the step starts is where a velocity would bring it that undoes what is gone by the old one.
        let found_at = if passage.moved { parting } else { -early / felt * was.dot(point.normal) };
        let pressed = (point.pressure - surfaces.damping * parting).max(0.0);
        let sheared = if surfaces.friction > 0.0 {
            let sliding = was - was.dot(point.normal) * point.normal;
            (patch.shear_at(point, stick, normal) + early * sliding) / surfaces.slip_length
        } else {
            DVec3::ZERO
        };
        Spot {
            arm,
            normal: point.normal,
            push: felt * point.area * (point.pressure + felt * point.rate * found_at),
            hardness: felt * point.area * (felt * point.rate + surfaces.damping),
            found_at,
            growth: felt * point.area * growth * point.rate * felt * felt,
            drag: felt * point.area * surfaces.damping,
            // What friction holds it must hold now: it is never taken as it was.
            grip: dt * point.area * surfaces.friction * pressed,
            sheared,
            shearing,
        }
    };
    patch.points.iter().map(spot)
}

/// [`Coupling::impulse`] in lanes.
struct One<'a> {
    coupling: &'a Coupling,
    motion: [DVec3; 2],
}

impl Pass for One<'_> {
    type Output = Impulse;
    #[inline(always)]
    fn run(self) -> Impulse {
        self.coupling.impulse(self.motion)
    }
}

/// An impulse and its moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Impulse {
    /// N s.
    pub linear: DVec3,
    /// N m s.
    pub angular: DVec3,
}

impl std::ops::AddAssign for Impulse {
    fn add_assign(&mut self, other: Self) {
        self.linear += other.linear;
        self.angular += other.angular;
    }
}

impl Coupling {
    /// Of these spots, between these `movers`, at `arms` from them; see the fields.
    pub fn new(
        movers: [Option<usize>; 2],
        arms: [DVec3; 2],
        given: [DVec3; 2],
        mut spots: impl ExactSizeIterator<Item = Spot>,
    ) -> Self {
        // Of a known length: one allocation.
        let spots = (0..spots.len().div_ceil(4)).map(|_| Four::of(&mut spots)).collect();
        Self { movers, arms, given, spots, rows: Arc::default() }
    }

    /// Of these rows.
    pub fn of_rows(movers: [Option<usize>; 2], arms: [DVec3; 2], given: [DVec3; 2], rows: Vec<Row>) -> Self {
        Self { movers, arms, given, spots: Arc::default(), rows: rows.into() }
    }

    /// Adds what its rows do to an impulse, and to the slope if there is one.
    #[inline(always)]
    fn add_rows(&self, motion: [DVec3; 2], impulse: &mut Impulse, mut slope: Option<&mut Block>) {
        let motion: Six = six(motion[0], motion[1]);
        for row in self.rows.iter() {
            let (push, hardness) = row.reply(&motion);
            impulse.linear += push * DVec3::from_slice(&row.along[..3]);
            impulse.angular += push * DVec3::from_slice(&row.along[3..]);
            if let Some(slope) = &mut slope {
                for i in 0..6 {
                    (0..6).for_each(|j| slope.0[i][j] += hardness * row.along[i] * row.along[j]);
                }
            }
        }
    }

    /// The same between other `movers`; the spots are shared.
    pub fn between(&self, movers: [Option<usize>; 2], given: [DVec3; 2]) -> Self {
        Self { movers, given, ..self.clone() }
    }

    /// The impulse on b at a motion of b against a, for whoever has only one to ask.
    pub fn impulse_at(&self, motion: [DVec3; 2]) -> Impulse {
        widest(One { coupling: self, motion })
    }

    /// The impulse on b where b moves against a with this velocity at the reference point and this spin.
    #[inline(always)]
    pub(super) fn impulse(&self, motion: [DVec3; 2]) -> Impulse {
        let (velocity, spin) = (every(motion[0]), every(motion[1]));
        let mut sum = [Lanes::ZERO; 6];
        for four in self.spots.iter() {
            four.add(four.reply(velocity, spin).impulse, &mut sum);
        }
        let mut impulse = Impulse::of(sum);
        self.add_rows(motion, &mut impulse, None);
        impulse
    }

    /// [`Coupling::impulse`], and by how much it falls with velocity and spin. Where a spot slides, friction does not grow with
    /// speed; taken as if it did, by this part, steps are shorter and surer.
    #[inline(always)]
    pub(super) fn impulse_and_slope(&self, motion: [DVec3; 2], surer: f64) -> (Impulse, Block) {
        let slipping = Lanes::all(1.0 - surer);
        let (velocity, spin) = (every(motion[0]), every(motion[1]));
        let (mut sum, mut slope) = ([Lanes::ZERO; 6], [Lanes::ZERO; 21]);
        for four in self.spots.iter() {
            let mut reply = four.reply(velocity, spin);
            reply.slip = reply.slip * slipping;
            four.add(reply.impulse, &mut sum);
            four.add_slope(&reply, &mut slope);
        }
        let mut half = [0.0; 21];
        for i in 0..21 {
            half[i] = slope[i].sum();
        }
        let (mut impulse, mut slope) = (Impulse::of(sum), Block::from_half(&half));
        self.add_rows(motion, &mut impulse, Some(&mut slope));
        (impulse, slope)
    }
}

impl Impulse {
    #[inline(always)]
    fn of(sum: [Lanes; 6]) -> Self {
        let at = |i: usize| sum[i].sum();
        Self { linear: DVec3::new(at(0), at(1), at(2)), angular: DVec3::new(at(3), at(4), at(5)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    /// Five spots, so that a lane is left over, of all kinds: pressed and parted, stuck and sliding.
    fn coupling(random: &mut Random) -> Coupling {
        let spots: Vec<Spot> = (0..5)
            .map(|_| {
                let normal = random.vector().normalize();
                Spot {
                    arm: random.vector(),
                    normal,
                    push: 2.0 * random.unit() - 0.5,
                    hardness: random.unit(),
                    found_at: random.unit() - 0.5,
                    growth: random.unit(),
                    drag: 0.3 * random.unit(),
                    grip: random.unit(),
                    sheared: random.vector().reject_from_normalized(normal),
                    shearing: random.unit(),
                }
            })
            .collect();
        Coupling::new([Some(0), Some(1)], [random.vector(), random.vector()], [DVec3::ZERO; 2], spots.into_iter())
    }

    /// By central differences; kinks are where the random motions are not.
    #[test]
    fn slopes_are_the_derivatives_of_impulses() {
        let mut random = Random(8);
        for _ in 0..50 {
            let c = coupling(&mut random);
            let motion = [random.vector(), random.vector()];
            let (_, slope) = c.impulse_and_slope(motion, 0.0);
            for column in 0..6 {
                let at = |by: f64| {
                    let mut m = motion;
                    m[column / 3][column % 3] += by;
                    let Impulse { linear, angular } = c.impulse(m);
                    [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
                };
                let (low, high) = (at(-1e-6), at(1e-6));
                for row in 0..6 {
                    let rate = -(high[row] - low[row]) / 2e-6;
                    assert!((rate - slope.0[row][column]).abs() < 1e-6, "{rate} {}", slope.0[row][column]);
                }
            }
        }
    }
}
