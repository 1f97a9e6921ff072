//! Many rays at once through a body of point skeletons.
//!
//! *The idea*: neighbouring rays pass the same few points. A beam around them tells which, and in what order; rays then go
//! side by side in SIMD lanes, each with the proved steps of [`Jet::safe`](super::Jet::safe), against the points that
//! reach the slice of the beam they are in. On a ray the distance to a point is `r² = b² + (t − t₀)²`, so `b²` and `t₀`
//! are all that is kept.
//! *Promised*: what `Seen::first` promises. *Not in lanes*: other skeletons, curves that need a table or a logarithm,
//! points that take away, and curves of several kinds in one body; [`Balls::new`] says so.

use super::Posed;
use super::kernel::LaneFormula;
use super::law::{Coefficients, Law, Linear, Metaball, NonLinear};
use crate::math::DVec3;
use crate::math::lanes::{Pass, widest};

/// Rays side by side: two AVX2 registers of each number, so that one's operations hide the other's latency.
pub(crate) const RAYS: usize = 8;

/// Thickness of a slice over the mean radius of influence. Less: points are sorted in and out more often. More: steps ask
/// points that do not reach them.
const SLICE: f64 = 0.5;

/// See `render::hit`.
const UNSEEN: f64 = 1e-10;

/// Room for rounding in what says that a point does not matter, as a part of the distances it is made of.
const MARGIN: f64 = 1e-12;

/// Rays from one place that keep close together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beam {
    /// Where all begin.
    pub from: DVec3,
    /// Unit.
    pub axis: DVec3,
    /// No ray's unit vector is farther from the axis.
    pub spread: f64,
}

/// A point that a beam may feel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Felt {
    ball: u32,
    /// It is not felt before, nor after, metres.
    start: f64,
    end: f64,
    /// It gives no ray more.
    most: f64,
}

/// Rays from one place, and what they met.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet {
    pub from: DVec3,
    /// Unit.
    pub along: [[f64; RAYS]; 3],
    /// How far it is to what was met, or to where nothing is looked for.
    pub nearest: [f64; RAYS],
    /// The gradient of what was met, inward.
    pub gradient: [[f64; RAYS]; 3],
    /// Whether the body asked last was met: 1, else 0.
    pub met: [f64; RAYS],
}

/// A body of point skeletons, in the world.
#[derive(Clone, Debug)]
pub(crate) struct Balls {
    all: Vec<Ball>,
    kind: LaneFormula,
    iso: f64,
    slice: f64,
}

#[derive(Clone, Copy, Debug)]
struct Ball {
    at: [f64; 3],
    radius: f64,
    strength: f64,
    /// Greatest second derivative of the curve.
    bend: f64,
    law: Coefficients,
}

/// Room to work in, kept from packet to packet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Room {
    /// For every point felt: where each ray is nearest to it, how near squared, and how its part may bend.
    passed: Vec<[[f64; RAYS]; 3]>,
    active: Vec<u32>,
}

impl Balls {
    /// `field`, if it is of this kind.
    pub fn new(field: &Posed) -> Option<Self> {
        let mut all = Vec::new();
        let mut kinds = Vec::new();
        for (i, element) in field.shape.elements().iter().enumerate() {
            let stem = element.stem()?;
            kinds.push(stem.formula);
            let at = field.link_of(i).world_from_link.point(stem.point()?).to_array();
            let (kernel, radius, strength) = (stem.kernel, stem.kernel.radius(), stem.strength);
            let bend = kernel.bends(0.0, radius).1.max(0.0);
            all.push(Ball { at, radius, strength, bend, law: *kernel.coefficients() });
        }
        let kind = *kinds.first()?;
        let alike = kinds.iter().all(|k| *k == kind) && all.iter().all(|b| b.strength >= 0.0);
        let slice = SLICE * all.iter().map(|b| b.radius).sum::<f64>() / all.len() as f64;
        alike.then_some(Self { all, kind, iso: field.shape.iso(), slice })
    }

    /// What of all, or of `among` a wider beam's, may be felt in `beam`, in the order in which it begins.
    pub fn felt(&self, beam: &Beam, among: Option<&[Felt]>, out: &mut Vec<Felt>) {
        out.clear();
        match among {
            Some(felt) => felt.iter().for_each(|f| out.extend(self.feels(beam, f.ball))),
            None => (0..self.all.len() as u32).for_each(|i| out.extend(self.feels(beam, i))),
        }
        out.sort_unstable_by(|a, b| a.start.total_cmp(&b.start));
    }

    #[inline]
    fn feels(&self, beam: &Beam, number: u32) -> Option<Felt> {
        let ball = &self.all[number as usize];
        let v = DVec3::from_array(ball.at) - beam.from;
        let middle = v.dot(beam.axis);
        let length = v.length();
        let slack = MARGIN * (length + beam.from.abs().max_element());
        let off = (v - middle * beam.axis).length();
        // A ray turned by `spread` passes nearer by at most that part of the distance, and is nearest to the point where
        // its cosine says.
        let least = (off - beam.spread * length * (1.0 + beam.spread) - slack).max(0.0);
        let half_sq = ball.radius * ball.radius - least * least;
        if half_sq <= 0.0 {
            return None;
        }
        let around = half_sq.sqrt() + beam.spread * (off + beam.spread * length) + slack;
        let (start, end) = (middle - around, middle + around);
        let most = ball.strength * self.value(ball, least * least);
        (end > 0.0).then_some(Felt { ball: number, start, end, most })
    }

    fn value(&self, ball: &Ball, r_sq: f64) -> f64 {
        match self.kind {
            LaneFormula::Linear => Linear::at_sq(&ball.law, r_sq).0,
            LaneFormula::NonLinear => NonLinear::at_sq(&ball.law, r_sq).0,
            LaneFormula::Metaball => Metaball::at_sq(&ball.law, r_sq).0,
        }
    }

    /// The first hit of every ray before its `nearest`.
    pub fn first(&self, felt: &[Felt], packet: &mut Packet, room: &mut Room) {
        widest(First { balls: self, felt, packet, room });
    }
}

struct First<'a> {
    balls: &'a Balls,
    felt: &'a [Felt],
    packet: &'a mut Packet,
    room: &'a mut Room,
}

impl Pass for First<'_> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        match self.balls.kind {
            LaneFormula::Linear => self.search::<Linear>(),
            LaneFormula::NonLinear => self.search::<NonLinear>(),
            LaneFormula::Metaball => self.search::<Metaball>(),
        }
    }
}

type Rays = [f64; RAYS];

#[allow(clippy::needless_range_loop)] // lanes
impl First<'_> {
    #[inline(always)]
    fn search<L: Law>(&mut self) {
        self.packet.met = [0.0; RAYS];
        self.room.passed.clear();
        self.room.active.clear();
        let farthest = self.packet.nearest.iter().fold(0.0f64, |a, b| a.max(*b));
        let mut at: Rays = [0.0; RAYS];
        let mut next = 0;
        let mut from = self.felt.first().map_or(0.0, |f| f.start.max(0.0));
        while from < farthest {
            let to = from + self.balls.slice;
            let most = self.enter(from, to, &mut next);
            if self.room.active.is_empty() {
                let Some(f) = self.felt.get(next) else { return };
                from = f.start;
                continue;
            }
            if most >= self.balls.iso {
                for i in 0..RAYS {
                    at[i] = if at[i] > from { at[i] } else { from };
                }
                if self.slice::<L>(&mut at, to) {
                    return;
                }
            }
            from = to;
        }
    }

    /// Points that reach the slice from `from` to `to`; what all can give together.
    #[inline(always)]
    fn enter(&mut self, from: f64, to: f64, next: &mut usize) -> f64 {
        let active = &mut self.room.active;
        let mut kept = 0;
        let mut most = 0.0;
        for k in 0..active.len() {
            let felt = &self.felt[active[k] as usize];
            if felt.end > from {
                active[kept] = active[k];
                kept += 1;
                most += felt.most;
            }
        }
        active.truncate(kept);
        while let Some(felt) = self.felt.get(*next) {
            if felt.start >= to {
                break;
            }
            let passed = Self::pass(&self.balls.all[felt.ball as usize], self.packet, self.balls.kind);
            self.room.passed.push(passed);
            if felt.end > from {
                active.push(*next as u32);
                most += felt.most;
            }
            *next += 1;
        }
        most
    }

    /// How the rays pass a point.
    #[inline(always)]
    fn pass(ball: &Ball, packet: &Packet, kind: LaneFormula) -> [Rays; 3] {
        let [x, y, z] = [ball.at[0] - packet.from.x, ball.at[1] - packet.from.y, ball.at[2] - packet.from.z];
        let by_radius_sq = 1.0 / (ball.radius * ball.radius);
        let mut passed = [[0.0; RAYS]; 3];
        for i in 0..RAYS {
            let [dx, dy, dz] = [packet.along[0][i], packet.along[1][i], packet.along[2][i]];
            let t = x * dx + y * dy + z * dz;
            let (px, py, pz) = (x - t * dx, y - t * dy, z - t * dz);
            let off_sq = px * px + py * py + pz * pz;
            let part = 1.0 - off_sq * by_radius_sq;
            let part = if part > 0.0 { part } else { 0.0 };
            // On the ray a metaball is (part − s²/R²)³, which bends by part² of what (1 − s²/R²)³ does.
            let bends = if part > 0.0 { 1.0 } else { 0.0 };
            let bends = if kind == LaneFormula::Metaball { part * part } else { bends };
            passed[0][i] = t;
            passed[1][i] = off_sq;
            passed[2][i] = ball.strength * ball.bend * bends;
        }
        passed
    }

    /// Value and slope of all rays.
    #[inline(always)]
    fn along<L: Law>(&self, at: &Rays) -> (Rays, Rays) {
        let (mut value, mut slope) = ([0.0; RAYS], [0.0; RAYS]);
        for &k in &self.room.active {
            let ball = &self.balls.all[self.felt[k as usize].ball as usize];
            let passed = &self.room.passed[k as usize];
            for i in 0..RAYS {
                let s = at[i] - passed[0][i];
                let (v, slope_by_r) = L::at_sq(&ball.law, passed[1][i] + s * s);
                value[i] += ball.strength * v;
                slope[i] += (ball.strength * slope_by_r) * s;
            }
        }
        (value, slope)
    }

    /// Steps within a slice; whether all rays are done.
    #[inline(always)]
    fn slice<L: Law>(&mut self, at: &mut Rays, to: f64) -> bool {
        let iso = self.balls.iso;
        let level = iso * (1.0 + UNSEEN);
        let mut bend: Rays = [0.0; RAYS];
        for &k in &self.room.active {
            for i in 0..RAYS {
                bend[i] += self.room.passed[k as usize][2][i];
            }
        }
        // Where each ray stops; before it begins, for those that are done.
        let mut stop: Rays = [0.0; RAYS];
        let mut new: Rays = [0.0; RAYS];
        for i in 0..RAYS {
            let end = if to < self.packet.nearest[i] { to } else { self.packet.nearest[i] };
            stop[i] = if self.packet.met[i] > 0.0 { -1.0 } else { end };
        }
        loop {
            let (value, slope) = self.along::<L>(at);
            let mut going: Rays = [0.0; RAYS];
            for i in 0..RAYS {
                let inside = if value[i] >= iso && at[i] < stop[i] { 1.0 } else { 0.0 };
                new[i] += inside;
                stop[i] = if inside > 0.0 { -1.0 } else { stop[i] };
                let room = level - value[i];
                let by = slope[i] + (slope[i] * slope[i] + 2.0 * bend[i] * room).sqrt();
                let step = 2.0 * room / by;
                // Where nothing is felt ahead, to the end.
                let ahead = at[i] + if by > 0.0 { step } else { f64::INFINITY };
                let least = at[i] + 4.0 * f64::EPSILON * at[i];
                let ahead = if ahead > least { ahead } else { least };
                let ahead = if ahead < stop[i] { ahead } else { stop[i] };
                let goes = at[i] < stop[i];
                at[i] = if goes { ahead } else { at[i] };
                going[i] = if at[i] < stop[i] { 1.0 } else { 0.0 };
            }
            if going.iter().sum::<f64>() == 0.0 {
                break;
            }
        }
        if new.iter().sum::<f64>() > 0.0 {
            self.record::<L>(at, &new);
        }
        let mut left = 0.0;
        for i in 0..RAYS {
            left += if self.packet.met[i] > 0.0 || at[i] >= self.packet.nearest[i] { 0.0 } else { 1.0 };
        }
        left == 0.0
    }

    /// The last step of Newton, and the gradient, of rays that met something.
    #[inline(always)]
    fn record<L: Law>(&mut self, at: &Rays, new: &Rays) {
        let (value, slope) = self.along::<L>(at);
        let mut root: Rays = *at;
        for i in 0..RAYS {
            let step = (value[i] - self.balls.iso) / slope[i];
            // Flat where a ray only grazes the surface, or begins inside: there it is where it is.
            root[i] = if step > 0.0 && step < 1e-6 * at[i] { at[i] - step } else { at[i] };
        }
        let packet = &mut *self.packet;
        let mut sum = [[0.0; RAYS]; 3];
        for &k in &self.room.active {
            let ball = &self.balls.all[self.felt[k as usize].ball as usize];
            let [x, y, z] = [ball.at[0] - packet.from.x, ball.at[1] - packet.from.y, ball.at[2] - packet.from.z];
            let passed = &self.room.passed[k as usize];
            for i in 0..RAYS {
                let s = root[i] - passed[0][i];
                let by_r = ball.strength * L::at_sq(&ball.law, passed[1][i] + s * s).1;
                sum[0][i] += by_r * (root[i] * packet.along[0][i] - x);
                sum[1][i] += by_r * (root[i] * packet.along[1][i] - y);
                sum[2][i] += by_r * (root[i] * packet.along[2][i] - z);
            }
        }
        for i in 0..RAYS {
            let is_new = new[i] > 0.0;
            packet.met[i] = if is_new { 1.0 } else { packet.met[i] };
            packet.nearest[i] = if is_new { root[i] } else { packet.nearest[i] };
            for axis in 0..3 {
                packet.gradient[axis][i] = if is_new { sum[axis][i] } else { packet.gradient[axis][i] };
            }
        }
    }
}
