//! Many rays at once through a body of point skeletons.
//!
//! *The idea*: neighbouring rays pass the same few points. A cone around them tells which, and in what order; rays then go
//! side by side in SIMD lanes, each with the proved steps of [`TaylorBound::safe`](super::TaylorBound::safe), against the
//! points that reach the slice of the cone they are in. On a ray the distance to a point is `r² = b² + (t − t₀)²`, so `b²` and `t₀`
//! are all that is kept.
//! *Promised*: what `Seen::first` promises. *Not in lanes*: other skeletons, curves that need a table or a logarithm,
//! points of negative strength, and curves of several kinds in one body; [`PointField::new`] says so.

use super::Posed;
use super::kernel::LaneFormula;
use super::kernel_formulas::{Coefficients, KernelFormula, Linear, Metaball, NonLinear};
use crate::math::DVec3;
use crate::math::lanes::{Pass, widest};
use crate::math::real::FourLanes;

/// Rays side by side: two AVX2 registers of each number, so that one's operations hide the other's latency.
pub(crate) const RAYS: usize = 8;

/// Thickness of a slice over the mean radius of influence. Less: points are sorted in and out more often. More: steps ask
/// points that do not reach them.
const SLICE_THICKNESS: f64 = 0.5;

/// Height of a peak above the isovalue that may be missed, as a fraction of it; the same as in `render/instance.rs`.
const MISSED_PEAK: f64 = 1e-10;

/// Allowance for rounding in the test that leaves a point out, as a fraction of the distances it is made of.
const ROUNDING_MARGIN: f64 = 1e-12;

/// Rays from one place that keep close together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RayCone {
    /// Where all begin.
    pub from: DVec3,
    /// Unit.
    pub axis: DVec3,
    /// No ray's unit vector is farther from the axis.
    pub spread: f64,
}

/// A point whose influence a cone may cross.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RayCandidate {
    ball: u32,
    /// Where its influence begins and ends on the rays, metres.
    start: f64,
    end: f64,
    /// Greatest value on any ray.
    most: f64,
}

/// Rays from one place, and their nearest hits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RayPacket {
    pub from: DVec3,
    /// Unit.
    pub along: [[f64; RAYS]; 3],
    /// Distance to the nearest hit so far, or the distance beyond which nothing is looked for.
    pub nearest: [f64; RAYS],
    /// Gradient at the hit, inward.
    pub gradient: [[f64; RAYS]; 3],
    /// 1 where the body tested last was hit, else 0.
    pub hit_mask: [f64; RAYS],
}

/// A body of point skeletons, in the world.
#[derive(Clone, Debug)]
pub(crate) struct PointField {
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
    /// Greatest second derivative of the kernel.
    second: f64,
    coefficients: Coefficients,
}

/// Buffers kept from packet to packet.
#[derive(Clone, Debug, Default)]
pub(crate) struct RayScratch {
    /// For every candidate: where each ray is nearest to it, the square of that distance, and the greatest second
    /// derivative of its contribution on the ray.
    passed: Vec<[[f64; RAYS]; 3]>,
    active: Vec<u32>,
}

impl PointField {
    /// `field`, if it is of this kind.
    pub fn new(field: &Posed) -> Option<Self> {
        let mut all = Vec::new();
        let mut kinds = Vec::new();
        for (i, element) in field.shape.elements().iter().enumerate() {
            let simd = element.simd_element()?;
            kinds.push(simd.formula);
            let at = field.link_of(i).world_from_link.point(simd.point()?).to_array();
            let (kernel, radius, strength) = (simd.kernel, simd.kernel.radius(), simd.strength);
            let second = kernel.second_derivative_range(0.0, radius).1.max(0.0);
            all.push(Ball { at, radius, strength, second, coefficients: *kernel.coefficients() });
        }
        let kind = *kinds.first()?;
        let alike = kinds.iter().all(|k| *k == kind) && all.iter().all(|b| b.strength >= 0.0);
        let slice = SLICE_THICKNESS * all.iter().map(|b| b.radius).sum::<f64>() / all.len() as f64;
        alike.then_some(Self { all, kind, iso: field.shape.iso(), slice })
    }

    /// Points whose influence `cone` may cross, of all or of those `among` a wider cone's, in the order in which it begins.
    pub fn candidates(&self, cone: &RayCone, among: Option<&[RayCandidate]>, out: &mut Vec<RayCandidate>) {
        out.clear();
        match among {
            Some(candidates) => candidates.iter().for_each(|f| out.extend(self.candidate(cone, f.ball))),
            None => (0..self.all.len() as u32).for_each(|i| out.extend(self.candidate(cone, i))),
        }
        out.sort_unstable_by(|a, b| a.start.total_cmp(&b.start));
    }

    #[inline]
    fn candidate(&self, cone: &RayCone, number: u32) -> Option<RayCandidate> {
        let ball = &self.all[number as usize];
        let v = DVec3::from_array(ball.at) - cone.from;
        let middle = v.dot(cone.axis);
        let length = v.length();
        let slack = ROUNDING_MARGIN * (length + cone.from.abs().max_element());
        let off = (v - middle * cone.axis).length();
        // A ray turned by `spread` passes nearer by at most that part of the distance, and is nearest to the point where
        // its cosine says.
        let least = (off - cone.spread * length * (1.0 + cone.spread) - slack).max(0.0);
        let half_sq = ball.radius * ball.radius - least * least;
        if half_sq <= 0.0 {
            return None;
        }
        let around = half_sq.sqrt() + cone.spread * (off + cone.spread * length) + slack;
        let (start, end) = (middle - around, middle + around);
        let most = ball.strength * self.value(ball, least * least);
        (end > 0.0).then_some(RayCandidate { ball: number, start, end, most })
    }

    fn value(&self, ball: &Ball, r_sq: f64) -> f64 {
        match self.kind {
            LaneFormula::Linear => Linear::at_sq(&ball.coefficients, r_sq).0,
            LaneFormula::NonLinear => NonLinear::at_sq(&ball.coefficients, r_sq).0,
            LaneFormula::Metaball => Metaball::at_sq(&ball.coefficients, r_sq).0,
        }
    }

    /// The first hit of every ray before its `nearest`.
    pub fn first(&self, candidates: &[RayCandidate], packet: &mut RayPacket, scratch: &mut RayScratch) {
        widest(First { balls: self, candidates, packet, scratch });
    }
}

struct First<'a> {
    balls: &'a PointField,
    candidates: &'a [RayCandidate],
    packet: &'a mut RayPacket,
    scratch: &'a mut RayScratch,
}

impl Pass for First<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: FourLanes>(mut self) {
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
    fn search<L: KernelFormula>(&mut self) {
        self.packet.hit_mask = [0.0; RAYS];
        self.scratch.passed.clear();
        self.scratch.active.clear();
        let farthest = self.packet.nearest.iter().fold(0.0f64, |a, b| a.max(*b));
        let mut at: Rays = [0.0; RAYS];
        let mut next = 0;
        let mut from = self.candidates.first().map_or(0.0, |f| f.start.max(0.0));
        while from < farthest {
            let to = from + self.balls.slice;
            let most = self.enter(from, to, &mut next);
            if self.scratch.active.is_empty() {
                let Some(f) = self.candidates.get(next) else { return };
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

    /// Makes the points that reach the slice from `from` to `to` active; their greatest values, summed.
    #[inline(always)]
    fn enter(&mut self, from: f64, to: f64, next: &mut usize) -> f64 {
        let active = &mut self.scratch.active;
        let mut kept = 0;
        let mut most = 0.0;
        for k in 0..active.len() {
            let candidate = &self.candidates[active[k] as usize];
            if candidate.end > from {
                active[kept] = active[k];
                kept += 1;
                most += candidate.most;
            }
        }
        active.truncate(kept);
        while let Some(candidate) = self.candidates.get(*next) {
            if candidate.start >= to {
                break;
            }
            let passed = Self::pass(&self.balls.all[candidate.ball as usize], self.packet, self.balls.kind);
            self.scratch.passed.push(passed);
            if candidate.end > from {
                active.push(*next as u32);
                most += candidate.most;
            }
            *next += 1;
        }
        most
    }

    /// How the rays pass a point.
    #[inline(always)]
    fn pass(ball: &Ball, packet: &RayPacket, kind: LaneFormula) -> [Rays; 3] {
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
            // On the ray a metaball is (part − s²/R²)³, whose second derivative is part² of that of (1 − s²/R²)³.
            let share = if part > 0.0 { 1.0 } else { 0.0 };
            let share = if kind == LaneFormula::Metaball { part * part } else { share };
            passed[0][i] = t;
            passed[1][i] = off_sq;
            passed[2][i] = ball.strength * ball.second * share;
        }
        passed
    }

    /// Value and slope of all rays.
    #[inline(always)]
    fn along<L: KernelFormula>(&self, at: &Rays) -> (Rays, Rays) {
        let (mut value, mut slope) = ([0.0; RAYS], [0.0; RAYS]);
        for &k in &self.scratch.active {
            let ball = &self.balls.all[self.candidates[k as usize].ball as usize];
            let passed = &self.scratch.passed[k as usize];
            for i in 0..RAYS {
                let s = at[i] - passed[0][i];
                let (v, slope_by_r) = L::at_sq(&ball.coefficients, passed[1][i] + s * s);
                value[i] += ball.strength * v;
                slope[i] += (ball.strength * slope_by_r) * s;
            }
        }
        (value, slope)
    }

    /// Steps within a slice; whether all rays are done.
    #[inline(always)]
    fn slice<L: KernelFormula>(&mut self, at: &mut Rays, to: f64) -> bool {
        let iso = self.balls.iso;
        let level = iso * (1.0 + MISSED_PEAK);
        let mut second: Rays = [0.0; RAYS];
        for &k in &self.scratch.active {
            for i in 0..RAYS {
                second[i] += self.scratch.passed[k as usize][2][i];
            }
        }
        // Where each ray stops; before it begins, for those that are done.
        let mut stop: Rays = [0.0; RAYS];
        let mut new: Rays = [0.0; RAYS];
        for i in 0..RAYS {
            let end = if to < self.packet.nearest[i] { to } else { self.packet.nearest[i] };
            stop[i] = if self.packet.hit_mask[i] > 0.0 { -1.0 } else { end };
        }
        loop {
            let (value, slope) = self.along::<L>(at);
            let mut going: Rays = [0.0; RAYS];
            for i in 0..RAYS {
                let inside = if value[i] >= iso && at[i] < stop[i] { 1.0 } else { 0.0 };
                new[i] += inside;
                stop[i] = if inside > 0.0 { -1.0 } else { stop[i] };
                let below = level - value[i];
                let by = slope[i] + (slope[i] * slope[i] + 2.0 * second[i] * below).sqrt();
                let step = 2.0 * below / by;
                // Where nothing contributes ahead, to the end.
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
            left += if self.packet.hit_mask[i] > 0.0 || at[i] >= self.packet.nearest[i] { 0.0 } else { 1.0 };
        }
        left == 0.0
    }

    /// The last step of Newton, and the gradient, of rays that met something.
    #[inline(always)]
    fn record<L: KernelFormula>(&mut self, at: &Rays, new: &Rays) {
        let (value, slope) = self.along::<L>(at);
        let mut root: Rays = *at;
        for i in 0..RAYS {
            let step = (value[i] - self.balls.iso) / slope[i];
            // Where the slope vanishes, at a graze or a start inside, the step is not small and the root stays where it was found.
            root[i] = if step > 0.0 && step < 1e-6 * at[i] { at[i] - step } else { at[i] };
        }
        let packet = &mut *self.packet;
        let mut sum = [[0.0; RAYS]; 3];
        for &k in &self.scratch.active {
            let ball = &self.balls.all[self.candidates[k as usize].ball as usize];
            let [x, y, z] = [ball.at[0] - packet.from.x, ball.at[1] - packet.from.y, ball.at[2] - packet.from.z];
            let passed = &self.scratch.passed[k as usize];
            for i in 0..RAYS {
                let s = root[i] - passed[0][i];
                let by_r = ball.strength * L::at_sq(&ball.coefficients, passed[1][i] + s * s).1;
                sum[0][i] += by_r * (root[i] * packet.along[0][i] - x);
                sum[1][i] += by_r * (root[i] * packet.along[1][i] - y);
                sum[2][i] += by_r * (root[i] * packet.along[2][i] - z);
            }
        }
        for i in 0..RAYS {
            let is_new = new[i] > 0.0;
            packet.hit_mask[i] = if is_new { 1.0 } else { packet.hit_mask[i] };
            packet.nearest[i] = if is_new { root[i] } else { packet.nearest[i] };
            for axis in 0..3 {
                packet.gradient[axis][i] = if is_new { sum[axis][i] } else { packet.gradient[axis][i] };
            }
        }
    }
}
