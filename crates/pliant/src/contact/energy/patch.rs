//! Elastic energy of one patch: `U = ∫ min(p_a, p_b) dV` over the overlap around it.
//!
//! *The idea*: the patch divides its overlap. On b's side a's pressure is the lesser and falls to zero, on a's side b's.
//! So lines go through the points of the patch's own rule, and the lesser pressure is integrated along each until it
//! vanishes. Against a rigid body the patch is that body's surface: the overlap is all on its inner side, under the
//! other's pressure. Lines follow the normals as far as those are a linear function of place: parallel for a flat patch,
//! through a centre or an axis for a round one; creases of the surface do not spread them.
//! [`Patch::elastic_foundation_energy`] is the estimate by a linear pressure along each line, for every step.
//! *Not promised*: a patch that was not found whole; an overlap that overhangs the border, so that lines through it miss
//! the patch. That begins where the thinner body is in by more than about half its width, and then is about one percent.

use crate::contact::law::SurfaceKind;
use crate::contact::pair::Pair;
use crate::contact::patch::{Patch, PatchPoint};
use crate::math::{DMat3, DVec3, gauss, refine_root};

/// Gauss points on a panel of a line. More: no gain, pressures are nearly polynomials. Fewer: curved kernels lose digits.
const POINTS: usize = 5;

/// Most panels of a line. A pressure that falls steadily needs one or two.
const PANELS: usize = 40;

/// Longest panel, as a fraction of the thinner body's thickness. Larger: a gap beyond the overlap may be skipped.
/// Smaller: more panels.
const LONGEST_PANEL: f64 = 0.5;

/// A pressure of this fraction of the patch's counts as zero: the rest of the energy goes with its square.
const ZERO_PRESSURE: f64 = 1e-4;

/// Accuracy of a line's end, as a fraction of a panel. At most ends the pressure vanishes, and errors are squared.
const END_ACCURACY: f64 = 1e-6;

/// Distance from the patch at which the side of a line is probed, as a fraction of a panel: on the patch it is
/// undefined.
const PROBE_OFFSET: f64 = 1e-3;

/// Least spread of a patch along its normal, as a fraction of all its spread. Smaller: rounding bends the lines of flat
/// patches. Larger: those of round ones are bent too little.
const MIN_NORMAL_SPREAD: f64 = 1e-3;

impl Patch {
    /// Joules stored in the overlap around this patch of `pair`, integrated along lines. Two patches share evenly the
    /// overlap between them; all patches of a pair together hold [`elastic_energy`](super::elastic_energy).
    pub fn energy(&self, pair: &Pair) -> f64 {
        let lines = NormalLines::along(&self.points);
        self.points.iter().map(|p| p.area * lines.through(p, pair)).sum()
    }

    /// Estimate of [`Patch::energy`] without a probe, joules: `½ p²/slope` per area behind each point, which is exact
    /// for flat patches between linear kernels; at most half of load times depth, for loads grow with depth.
    pub fn elastic_foundation_energy(&self) -> f64 {
        let column = |p: &PatchPoint| 0.5 * p.area * p.pressure * p.pressure / p.pressure_slope.max(f64::MIN_POSITIVE);
        self.points.iter().map(column).sum::<f64>().min(0.5 * self.load * self.overlap)
    }
}

/// Lines across a patch: the one through `p` has the direction `normal + bend (p − center)`.
struct NormalLines {
    center: DVec3,
    normal: DVec3,
    bend: DMat3,
}

impl NormalLines {
    /// Least-squares fit of the normals, weighted by area.
    fn along(points: &[PatchPoint]) -> Self {
        let area: f64 = points.iter().map(|p| p.area).sum();
        let mean = |of: fn(&PatchPoint) -> DVec3| points.iter().map(|p| p.area * of(p)).sum::<DVec3>() / area;
        let (center, normal) = (mean(|p| p.position), mean(|p| p.normal));
        let (mut turn, mut spread) = (DMat3::ZERO, DMat3::ZERO);
        for p in points {
            let arm = p.position - center;
            turn += p.area * outer(p.normal - normal, arm);
            spread += p.area * outer(arm, arm);
        }
        let least = MIN_NORMAL_SPREAD * (spread.x_axis.x + spread.y_axis.y + spread.z_axis.z);
        let inverse = (spread + DMat3::from_diagonal(DVec3::splat(least))).inverse();
        Self { center, normal, bend: if inverse.is_finite() { turn * inverse } else { DMat3::ZERO } }
    }

    /// `∫ min(p_a, p_b)` along the line through `p`, per area of the patch.
    fn through(&self, p: &PatchPoint, pair: &Pair) -> f64 {
        let direction = self.normal + self.bend * (p.position - self.center);
        let longest = LONGEST_PANEL * pair.min_thickness() / direction.length();
        if !longest.is_finite() {
            return 0.0;
        }
        let ray = |into_b: bool| {
            let sign = if into_b == (direction.dot(p.normal) > 0.0) { 1.0 } else { -1.0 };
            // Volume swept by a piece of the patch that is carried along the lines.
            let (e, f) = p.normal.any_orthonormal_pair();
            let (de, df) = (sign * self.bend * e, sign * self.bend * f);
            let swept = [e.cross(f), e.cross(df) + de.cross(f), de.cross(df)].map(|v| v.dot(direction));
            EnergyRay { pair, into_b, start: p.position, direction: sign * direction, longest, swept }.energy()
        };
        match pair.kind() {
            SurfaceKind::EqualPressure => ray(true) + ray(false),
            SurfaceKind::RigidA => ray(false),
            SurfaceKind::RigidB => ray(true),
        }
    }
}

/// `v wᵀ`.
fn outer(v: DVec3, w: DVec3) -> DMat3 {
    DMat3::from_cols(w.x * v, w.y * v, w.z * v)
}

/// The part of a line on one side of the patch.
struct EnergyRay<'a> {
    pair: &'a Pair<'a>,
    into_b: bool,
    start: DVec3,
    direction: DVec3,
    /// Longest panel, in units of `direction`.
    longest: f64,
    /// Volume per area of the patch and step along the ray: coefficients of a quadratic, up to its sign.
    swept: [f64; 3],
}

/// Pressure at a place on a ray.
struct RaySample {
    s: f64,
    /// The lesser pressure, and its slope along the ray.
    pressure: f64,
    slope: f64,
    /// Positive while it is the lesser.
    side: f64,
}

impl EnergyRay<'_> {
    fn sample(&self, s: f64) -> RaySample {
        let probe = self.pair.probe(self.start + s * self.direction);
        let (u, _) = probe.surface(self.pair.kind());
        let (pressure, gradient, side) = match self.into_b {
            true => (probe.pressure_a, probe.gradient_a, -u),
            false => (probe.pressure_b, probe.gradient_b, u),
        };
        RaySample { s, pressure, slope: gradient.dot(self.direction), side }
    }

    /// `∫ p dV` until the pressure vanishes or the ray meets the contact surface again: the energy between two branches
    /// of it is half each one's.
    fn energy(&self) -> f64 {
        let (mut here, mut sum) = (self.sample(0.0), 0.0);
        let vanished = ZERO_PRESSURE * here.pressure;
        for _ in 0..PANELS {
            let fall = -here.pressure / here.slope;
            let there = self.sample(here.s + if fall > 0.0 { fall.min(self.longest) } else { self.longest });
            if there.pressure <= 0.0 || there.side < 0.0 {
                let (end, again) = self.end(&here, &there);
                sum += self.panel(here.s, end);
                return if again { 0.5 * sum } else { sum };
            }
            sum += self.panel(here.s, there.s);
            here = there;
            if here.pressure < vanished {
                break;
            }
        }
        sum
    }

    /// End of the overlap between two places, and whether the ray meets the contact surface again there.
    fn end(&self, here: &RaySample, there: &RaySample) -> (f64, bool) {
        let (s, next) = (here.s, there.s);
        let tolerance = END_ACCURACY * (next - s);
        let (mut end, mut pressure, mut again) = (next, there.pressure, false);
        if there.side < 0.0 {
            let from = if s == 0.0 { PROBE_OFFSET * next } else { s };
            let root =
                refine_root(|x| self.sample(x).side, (from, self.sample(from).side), (next, there.side), tolerance);
            end = root.unwrap_or(s);
            (pressure, again) = (self.sample(end).pressure, true);
        }
        if pressure <= 0.0 {
            let root = refine_root(|x| self.sample(x).pressure, (s, here.pressure), (end, pressure), tolerance);
            (end, again) = (root.unwrap_or(s), false);
        }
        (end, again)
    }

    /// `∫ p dV` between two places.
    fn panel(&self, from: f64, to: f64) -> f64 {
        let rule = gauss(POINTS);
        let [v0, v1, v2] = self.swept;
        let at = |x: f64| {
            let s = from + x * (to - from);
            self.sample(s).pressure.max(0.0) * (v0 + s * (v1 + s * v2)).abs()
        };
        (to - from) * rule.nodes.iter().zip(&rule.weights).map(|(x, w)| w * at(*x)).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::super::pair::elastic_energy;
    use super::*;
    use crate::contact::pair::Side;
    use crate::contact::quality::Quality;
    use crate::fields::skeleton::{Circle, Cuboid, HalfSpace, Point, Segment};
    use crate::fields::{Element, Kernel, Posed, Profile, Shape, Skeleton};
    use crate::math::{DQuat, Frame};
    use std::f64::consts::PI;

    /// Thickness, metres, and slope of a's pressure, pascals per metre.
    const T: f64 = 0.1;
    const SLOPE: f64 = K / T;
    const K: f64 = 1e5;

    fn body(parts: &[(Skeleton, Profile, f64)]) -> Shape {
        let kernel = |profile: &Profile, t: f64| Kernel::new(profile.clone(), 1.0, (t, 1.0 / t, 2.0 * t)).unwrap();
        Shape::new(parts.iter().map(|(s, p, t)| Element::new(s.clone(), kernel(p, *t))).collect(), 1.0)
    }

    fn point(at: DVec3) -> Skeleton {
        Point { at }.into()
    }

    fn ball(t: f64) -> Shape {
        body(&[(point(DVec3::ZERO), Profile::Linear, t)])
    }

    /// The half-space below z = 0.
    fn ground() -> Shape {
        body(&[(HalfSpace::new(-T * DVec3::Z, DVec3::Z).unwrap().into(), Profile::Linear, T)])
    }

    fn pair<'a>((a, at_a): (&'a Shape, Frame), (b, at_b): (&'a Shape, Frame), ratio: f64) -> Pair<'a> {
        let side = |shape, at, stiffness| Side { field: Posed::rigid(shape, at), stiffness, rigid: false };
        Pair { a: side(a, at_a, K), b: side(b, at_b, ratio * K) }
    }

    /// Energy of each patch of a pair.
    fn energies(pair: &Pair) -> Vec<f64> {
        Patch::find(pair, &Quality::default()).iter().map(|p| p.energy(pair)).collect()
    }

    /// The expected energy is at least as exact as the patches' forces, 1e-5.
    fn expect(what: &str, pair: &Pair, count: usize, expected: f64) {
        let parts = energies(pair);
        let got: f64 = parts.iter().sum();
        assert_eq!(parts.len(), count, "{what}");
        assert!((got / expected - 1.0).abs() < 2e-5, "{what}: {got} J, not {expected}: {:e}", got / expected - 1.0);
    }

    /// A linear ball `depth` below a plane is pushed out by `(π κ/3) δ² (3T − 2δ)`; the work of that from where it touches.
    fn half_lens(depth: f64) -> f64 {
        PI * SLOPE / 3.0 * (T * depth.powi(3) - 0.5 * depth.powi(4))
    }

    #[test]
    fn equal_balls_and_a_ball_on_a_rigid_plane_hold_the_closed_form() {
        let (ball, ground) = (ball(T), ground());
        for part in [0.01, 0.05, 0.2, 0.5] {
            let depth = part * T;
            let apart = Frame::at(2.0 * (T - depth) * DVec3::Z);
            let balls = pair((&ball, Frame::IDENTITY), (&ball, apart), 1.0);
            expect(&format!("balls, {part}"), &balls, 1, 2.0 * half_lens(depth));
            let mut plane = pair((&ball, Frame::at((T - depth) * DVec3::Z)), (&ground, Frame::IDENTITY), 1.0);
            plane.b.rigid = true;
            expect(&format!("on a rigid plane, {part}"), &plane, 1, half_lens(depth));
            let turned = Pair { a: plane.b, b: plane.a };
            expect(&format!("a rigid plane below, {part}"), &turned, 1, half_lens(depth));
        }
    }

    /// Soft, along rays from the ball's middle at height h: with `c` the cosine to straight down the plane's pressure is
    /// `κ_b (r c − h)`, and the ball's `κ (T − r)` is less beyond `r = (κ T + κ_b h)/(κ + κ_b c)`. What is left is one
    /// smooth integral over `c`. Rigid, by slices: `κ_b ∫ π (2 T y − y²)(δ − y) dy = π κ_b (T δ³/3 − δ⁴/12)`.
    #[test]
    fn a_ball_on_a_soft_plane_holds_what_slices_and_rays_say() {
        let (ball, ground, ratio) = (ball(T), ground(), 2.5);
        for part in [0.01, 0.05, 0.2, 0.5] {
            let h = (1.0 - part) * T;
            let mut both = pair((&ball, Frame::at(h * DVec3::Z)), (&ground, Frame::IDENTITY), ratio);
            let rays = |x: f64| {
                let c = h / T + x * (1.0 - h / T);
                let split = (T + ratio * h) / (1.0 + ratio * c);
                let plane = |r: f64| ratio * SLOPE * (c * r.powi(4) / 4.0 - h * r.powi(3) / 3.0);
                let ball = |r: f64| SLOPE * (T * r.powi(3) / 3.0 - r.powi(4) / 4.0);
                2.0 * PI * (1.0 - h / T) * (plane(split) - plane(h / c) + ball(T) - ball(split))
            };
            let rule = gauss(64);
            let soft: f64 = rule.nodes.iter().zip(&rule.weights).map(|(x, w)| w * rays(*x)).sum();
            expect(&format!("on a soft plane, {part}"), &both, 1, soft);
            both.a.rigid = true;
            let depth = T - h;
            let rigid = PI * ratio * SLOPE * (T * depth.powi(3) / 3.0 - depth.powi(4) / 12.0);
            expect(&format!("rigid on a soft plane, {part}"), &both, 1, rigid);
        }
    }

    #[test]
    fn patches_of_blended_bodies_hold_the_work_of_drawing_them_apart() {
        let bar = Segment::new(DVec3::new(-0.05, 0.02, 0.0), DVec3::new(0.04, -0.03, 0.03)).unwrap();
        let lumps = body(&[
            (bar.into(), Profile::Linear, 0.06),
            (point(DVec3::new(0.05, 0.05, 0.01)), Profile::NonLinear, 0.05),
            (point(DVec3::new(-0.06, -0.04, -0.02)), Profile::NonLinear, 0.055),
            (point(DVec3::new(0.0, 0.0, -0.06)), Profile::NonLinear, 0.05),
        ]);
        let at = |z: f64| Frame { rotation: DQuat::from_rotation_x(0.4), translation: DVec3::new(0.02, 0.01, z) };
        for z in [0.17, 0.15] {
            for rigid in [false, true] {
                let mut both = pair((&lumps, Frame::IDENTITY), (&lumps, at(z)), 2.5);
                both.b.rigid = rigid;
                let whole = elastic_energy(&both, &Quality::default());
                expect(&format!("lumps, {z}, rigid: {rigid}"), &both, 1, whole);
            }
        }
        // Two lumps far enough apart to touch the ground on their own, one deeper than the other.
        let ground = ground();
        let two = body(&[-0.15, 0.15].map(|x| (point(x * DVec3::X), Profile::Linear, T)));
        let at = Frame { rotation: DQuat::from_rotation_y(0.01), translation: 0.09 * DVec3::Z };
        let both = pair((&two, at), (&ground, Frame::IDENTITY), 2.5);
        expect("two lumps", &both, 2, elastic_energy(&both, &Quality::default()));
    }

    /// A rigid slab of half-thickness w through the middle of a ball: each face's patch has half of what lies between the
    /// two. Lines across them reach `r² = T² − w² + z²` at height z (not what overhangs: the ball is widest in the
    /// middle), so that is `½ ∫ 2π κ [T r²/2 − r³/3] dz` from `r = |z|` on.
    #[test]
    fn what_lies_between_two_faces_is_half_each_ones() {
        let (w, skin) = (0.02, 0.01);
        let slab = Cuboid::new(DVec3::ZERO, DVec3::new(0.3, 0.3, w - skin)).unwrap();
        let (ball, slab) = (ball(T), body(&[(slab.into(), Profile::Linear, skin)]));
        let mut both = pair((&ball, Frame::IDENTITY), (&slab, Frame::IDENTITY), 1.0);
        both.b.rigid = true;
        let inside = |r: f64| 2.0 * PI * SLOPE * (T * r * r / 2.0 - r * r * r / 3.0);
        let level = |z: f64| inside((T * T - w * w + z * z).sqrt()) - inside(z);
        let rule = gauss(16);
        let expected: f64 = rule.nodes.iter().zip(&rule.weights).map(|(x, v)| v * w * level(x * w)).sum();
        let parts = energies(&both);
        assert_eq!(parts.len(), 2, "a patch on each face");
        // Cells are refined for the force, to which the border adds nothing; to this energy it does.
        assert!(parts.iter().all(|u| (u / expected - 1.0).abs() < 5e-4), "{parts:?} J, not {expected} each");
    }

    /// A ball in a ring touches it all round: the normals of the band cancel. By rings about the axis, above the middle and
    /// below, `U = 2 ∫∫ min(p_a, p_b) 2πρ dρ dz`.
    #[test]
    fn a_patch_all_round_a_body_holds_what_rings_about_its_axis_say() {
        const N: usize = 1000;
        let (radius, thin, r) = (0.11, 0.035, 0.077);
        let circle = Circle::new(DVec3::ZERO, DVec3::Z, radius).unwrap();
        let (ring, ball) = (body(&[(circle.into(), Profile::Linear, thin)]), ball(r));
        let both = pair((&ring, Frame::IDENTITY), (&ball, Frame::IDENTITY), 1.0);
        // Both surfaces cross 9.9 mm up.
        let (inner, wide, high) = (radius - thin, (r + thin - radius) / N as f64, 0.01 / N as f64);
        let around = |i: usize| {
            let (rho, z) = (inner + wide * ((i % N) as f64 + 0.5), high * ((i / N) as f64 + 0.5));
            2.0 * PI * rho * both.probe(DVec3::new(rho, 0.0, z)).min_pressure().max(0.0)
        };
        let expected = 2.0 * wide * high * (0..N * N).map(around).sum::<f64>();
        // Adaptive cells lie differently about each orientation, and err differently. The patch claims an error of the force;
        // that of the energy is about as large.
        for tilt in [0.0, 0.6] {
            let at = Frame { rotation: DQuat::from_rotation_x(tilt), translation: DVec3::ZERO };
            let both = pair((&ring, at), (&ball, at), 1.0);
            let patches = Patch::find(&both, &Quality::default());
            let got: f64 = patches.iter().map(|p| p.energy(&both)).sum();
            let (off, claimed) = ((got / expected - 1.0).abs(), patches[0].error);
            assert!(off < 2.0 * claimed && claimed < 1e-3, "{got} J, not {expected}: {off:e}, {claimed:e} claimed");
        }
    }
}
