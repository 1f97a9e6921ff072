//! What a contact does over a step, as a function of how its bodies move against each other.

use super::block::Block;
use crate::contact::{Approach, Patch, PatchPoint, Stick};
use crate::math::DVec3;

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
#[derive(Clone, Debug, Default, PartialEq)]
struct Four {
    arm: [[f64; 4]; 3],
    normal: [[f64; 4]; 3],
    push: [f64; 4],
    hardness: [f64; 4],
    found_at: [f64; 4],
    growth: [f64; 4],
    drag: [f64; 4],
    grip: [f64; 4],
    sheared: [[f64; 4]; 3],
    shearing: [f64; 4],
}

/// Impulses, and how they fall with velocity: `normal` along the normal, `along` along the surface, less `slip` in the
/// direction `drive` there.
struct Reply {
    impulse: [[f64; 4]; 3],
    normal: [f64; 4],
    along: [f64; 4],
    slip: [f64; 4],
    drive: [[f64; 4]; 3],
}

impl Four {
    fn of(spots: &[Spot]) -> Self {
        let mut four = Self::default();
        for (lane, spot) in spots.iter().enumerate() {
            for axis in 0..3 {
                four.arm[axis][lane] = spot.arm[axis];
                four.normal[axis][lane] = spot.normal[axis];
                four.sheared[axis][lane] = spot.sheared[axis];
            }
            four.push[lane] = spot.push;
            four.hardness[lane] = spot.hardness;
            four.found_at[lane] = spot.found_at;
            four.growth[lane] = spot.growth;
            four.drag[lane] = spot.drag;
            four.grip[lane] = spot.grip;
            four.shearing[lane] = spot.shearing;
        }
        four
    }

    #[inline(always)]
    fn reply(&self, velocity: [f64; 3], spin: [f64; 3]) -> Reply {
        let mut reply =
            Reply { impulse: [[0.0; 4]; 3], normal: [0.0; 4], along: [0.0; 4], slip: [0.0; 4], drive: [[0.0; 4]; 3] };
        for i in 0..4 {
            let (arm, n) = ([0, 1, 2].map(|k| self.arm[k][i]), [0, 1, 2].map(|k| self.normal[k][i]));
            let turned = cross(spin, arm);
            let v = [velocity[0] + turned[0], velocity[1] + turned[1], velocity[2] + turned[2]];
            let parting = v[0] * n[0] + v[1] * n[1] + v[2] * n[2];
            let sliding = [v[0] - parting * n[0], v[1] - parting * n[1], v[2] - parting * n[2]];
            let faster = (self.found_at[i] - parting).max(0.0);
            let push = self.push[i] - self.hardness[i] * parting + self.growth[i] * faster * faster;
            let harder = self.hardness[i] + 2.0 * self.growth[i] * faster;
            reply.normal[i] = if push > 0.0 { harder } else { 0.0 };
            let push = push.max(0.0);
            let drive = [0, 1, 2].map(|k| self.sheared[k][i] + self.shearing[i] * sliding[k]);
            let length = (drive[0] * drive[0] + drive[1] * drive[1] + drive[2] * drive[2]).sqrt();
            let most = length.max(1.0);
            let hold = self.grip[i] / most;
            reply.along[i] = self.drag[i] + hold * self.shearing[i];
            reply.slip[i] = if length > 1.0 { hold * self.shearing[i] } else { 0.0 };
            for k in 0..3 {
                reply.impulse[k][i] = push * n[k] - self.drag[i] * sliding[k] - hold * drive[k];
                reply.drive[k][i] = drive[k] / most;
            }
        }
        reply
    }

    /// Adds impulses to `sum`.
    #[inline(always)]
    fn add(&self, impulse: &[[f64; 4]; 3], sum: &mut [[f64; 4]; 6]) {
        for i in 0..4 {
            let (arm, force) = ([0, 1, 2].map(|k| self.arm[k][i]), [0, 1, 2].map(|k| impulse[k][i]));
            let moment = cross(arm, force);
            for k in 0..3 {
                sum[k][i] += force[k];
                sum[k + 3][i] += moment[k];
            }
        }
    }

    /// Adds how impulses fall with velocity, the upper half row by row.
    #[inline(always)]
    fn add_slope(&self, reply: &Reply, sum: &mut [[f64; 4]; 21]) {
        for i in 0..4 {
            let (arm, n) = ([0, 1, 2].map(|k| self.arm[k][i]), [0, 1, 2].map(|k| self.normal[k][i]));
            let drive = [0, 1, 2].map(|k| reply.drive[k][i]);
            let point = point(reply.along[i], arm);
            let (m, s) = (cross(arm, n), cross(arm, drive));
            let w = [n[0], n[1], n[2], m[0], m[1], m[2]];
            let t = [drive[0], drive[1], drive[2], s[0], s[1], s[2]];
            let (k, slip) = (reply.normal[i] - reply.along[i], reply.slip[i]);
            let mut at = 0;
            for row in 0..6 {
                for column in row..6 {
                    sum[at][i] += point[at] + k * w[row] * w[column] - slip * t[row] * t[column];
                    at += 1;
                }
            }
        }
    }
}

#[inline(always)]
fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// What `k` in all directions at a point means for motion and turning: the upper half, row by row.
#[inline(always)]
fn point(k: f64, [x, y, z]: [f64; 3]) -> [f64; 21] {
    let (kx, ky, kz) = (k * x, k * y, k * z);
    let (xx, yy, zz) = (kx * x, ky * y, kz * z);
    #[rustfmt::skip]
    let rows = [
        k, 0.0, 0.0, 0.0, kz, -ky,
        k, 0.0, -kz, 0.0, kx,
        k, ky, -kx, 0.0,
        yy + zz, -kx * y, -kx * z,
        xx + zz, -ky * z,
        xx + yy,
    ];
    rows
}

/// The spots of one patch, between two bodies of which one at least is a mover of the island.
#[derive(Clone, Debug, PartialEq)]
pub struct Coupling {
    /// Which movers; none for what no force moves.
    pub movers: [Option<usize>; 2],
    /// From each one's centre to the reference point.
    pub arms: [DVec3; 2],
    /// What sides that no force moves add to the velocity of b against a at the reference point, and to its spin.
    pub given: [DVec3; 2],
    spots: Vec<Four>,
}

/// The spots of a patch over a step of `dt` seconds. `approach` is how its bodies moved over the step, and `moved` whether
/// the patch was found where that brought them or where they set out.
pub fn spots(patch: &Patch, stick: &Stick, approach: &Approach, (dt, moved): (f64, bool)) -> Vec<Spot> {
    let surfaces = &approach.surfaces;
    let normal = patch.mean_normal();
    let shearing = (dt + patch.settling_time(approach)) / surfaces.slip_length;
    // Loads go with a power of the depth `d`: `F ~ dⁿ`, n = 2 for balls and 1 for flat ends, whose area cannot grow.
    let power = patch.stiffness * patch.overlap / patch.load.max(f64::MIN_POSITIVE);
    let growth = 0.5 * (power - 1.0).clamp(0.0, 1.0) / patch.overlap.max(f64::MIN_POSITIVE);
    let spot = |point: &PatchPoint| {
        let arm = point.position - patch.reference;
        let parting = (approach.velocity + approach.spin.cross(arm)).dot(point.normal);
        let found_at = if moved { parting } else { 0.0 };
        let all = dt * point.area;
        let pressed = (point.pressure - surfaces.damping * parting).max(0.0);
        let sheared = if surfaces.friction > 0.0 {
            patch.shear_at(point, stick, normal) / surfaces.slip_length
        } else {
            DVec3::ZERO
        };
        Spot {
            arm,
            normal: point.normal,
            push: all * (point.pressure + dt * point.rate * found_at),
            hardness: all * (dt * point.rate + surfaces.damping),
            found_at,
            growth: all * growth * point.rate * dt * dt,
            drag: all * surfaces.damping,
            grip: all * surfaces.friction * pressed,
            sheared,
            shearing,
        }
    };
    patch.points.iter().map(spot).collect()
}

/// An impulse and its moment, about the reference point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Impulse {
    pub linear: DVec3,
    pub angular: DVec3,
}

impl Coupling {
    /// Of these spots, between these `movers`, at `arms` from them; see the fields.
    pub fn new(movers: [Option<usize>; 2], arms: [DVec3; 2], given: [DVec3; 2], spots: &[Spot]) -> Self {
        Self { movers, arms, given, spots: spots.chunks(4).map(Four::of).collect() }
    }

    /// The impulse on b where b moves against a with this velocity at the reference point and this spin.
    #[inline(always)]
    pub(super) fn impulse(&self, [velocity, spin]: [DVec3; 2]) -> Impulse {
        let mut sum = [[0.0; 4]; 6];
        for four in &self.spots {
            four.add(&four.reply(velocity.to_array(), spin.to_array()).impulse, &mut sum);
        }
        Impulse::of(&sum)
    }

    /// [`Coupling::impulse`], and by how much it falls with velocity and spin.
    #[inline(always)]
    pub(super) fn impulse_and_slope(&self, [velocity, spin]: [DVec3; 2]) -> (Impulse, Block) {
        let (mut sum, mut slope) = ([[0.0; 4]; 6], [[0.0; 4]; 21]);
        for four in &self.spots {
            let reply = four.reply(velocity.to_array(), spin.to_array());
            four.add(&reply.impulse, &mut sum);
            four.add_slope(&reply, &mut slope);
        }
        (Impulse::of(&sum), Block::from_half(&slope.map(all)))
    }
}

#[inline(always)]
fn all(lanes: [f64; 4]) -> f64 {
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}

impl Impulse {
    #[inline(always)]
    fn of(sum: &[[f64; 4]; 6]) -> Self {
        let [x, y, z, u, v, w] = sum.map(all);
        Self { linear: DVec3::new(x, y, z), angular: DVec3::new(u, v, w) }
    }
}
