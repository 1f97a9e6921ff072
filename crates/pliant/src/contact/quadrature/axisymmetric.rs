//! Axisymmetric pairs: a ball against a ball or a plane.
//!
//! *The idea*: such a pair is the same all around an axis, so that one meridian half-plane suffices. There a field
//! is its kernel of a distance, the border is where two circles meet, and a point of the contact surface takes few
//! operations. *What we changed*: [G93] integrates every pair alike. *Not promised*: overlaps that reach a skeleton, or
//! kernels with creases on which a rule does not settle; those are left to the general rules.
//!
//! [G93]: crate#papers

use super::coverage::near_border;
use super::polar::LEVELS;
use crate::contact::depth::SHALLOW;
use crate::contact::law::{Gradient, Probe, SurfaceKind, pressure};
use crate::contact::pair::{Pair, Side};
use crate::contact::patch::{FoundPatches, Layout, Method, Patch, PatchPoint, Wrench};
use crate::contact::quality::{Quality, Resolution};
use crate::fields::Kernel;
use crate::math::{DVec3, gauss_radial, radial_check};
use std::ops::{Neg, Sub};

/// Points of a patch: a ring of them at each of Gauss's `nodes` along the radius, staggered: every `turns`th ring has the
/// same directions out of `angular`.
#[derive(Clone, Copy)]
struct RingRule {
    level: usize,
    nodes: usize,
    angular: usize,
    turns: usize,
}

/// Twelve points: as exact along the radius as four in every direction, and three around are enough for integrands linear
/// and square in the position.
const TWELVE_POINTS: RingRule = RingRule { level: 0, nodes: 4, angular: 6, turns: 2 };

/// Greatest error of the force with which the twelve points are used, if no smaller one is asked for. Larger: noisy forces.
/// Smaller: more points.
const TWELVE_POINT_ERROR: f64 = 1e-4;

/// Overlaps less deep than this fraction of the thickness do not count, as those of other pairs.
const NO_DEPTH: f64 = 1e-12;

/// Most Newton steps.
const NEWTON_STEPS: usize = 25;

/// A point of the meridian half-plane, or a vector there: along the axis, into a, and away from it.
#[derive(Clone, Copy, Debug)]
struct MeridianVector {
    x: f64,
    r: f64,
}

/// A skeleton with rotational symmetry, in the world.
enum SymmetricSkeleton {
    Ball { center: DVec3, radius: f64 },
    Plane { point: DVec3, normal: DVec3 },
}

/// A skeleton in the half-plane: distance is measured from a point of the axis, or along it.
#[derive(Clone, Copy)]
enum MeridianSkeleton {
    Ball { at: f64, radius: f64 },
    Plane { at: f64, outward: f64 },
}

/// One side in the half-plane.
struct MeridianSide<'a> {
    skeleton: MeridianSkeleton,
    kernel: &'a Kernel,
    /// `K`, pascals.
    stiffness: f64,
}

/// A point of the contact surface.
struct MeridianPoint {
    at: MeridianVector,
    probe: Probe<MeridianVector>,
}

/// A pair in its meridian half-plane.
struct Meridian<'a> {
    sides: [MeridianSide<'a>; 2],
    kind: SurfaceKind,
    /// A point of the axis in the world, and its direction, into a.
    origin: DVec3,
    axis: DVec3,
    /// Depth of the overlap, metres.
    overlap: f64,
    /// Point where both surfaces meet.
    rim: MeridianVector,
    /// Place where the contact surface meets the axis.
    middle: f64,
    /// Slope of the contact surface at the rim.
    slope: f64,
    /// Accuracy of roots, metres.
    root: f64,
}

/// The patch of an axisymmetric pair; none if the pair has no axis, or needs the general rules.
pub(in crate::contact) fn find(pair: &Pair, quality: &Quality) -> Option<FoundPatches> {
    let Resolution::Tolerance(tolerance) = quality.resolution else { return None };
    let (a, kernel_a) = symmetric_skeleton(&pair.a)?;
    let (b, kernel_b) = symmetric_skeleton(&pair.b)?;
    let ball = |at: f64, radius: f64| MeridianSkeleton::Ball { at, radius };
    let plane = |from: DVec3, point: DVec3, normal: DVec3, outward: f64| {
        // Axes point into a, and so against the normal of a.
        MeridianSkeleton::Plane { at: outward * (point - from).dot(normal), outward }
    };
    use SymmetricSkeleton::{Ball, Plane};
    let (origin, axis, skeletons) = match (a, b) {
        (Ball { center: p, radius: r }, Ball { center: q, radius: s }) => {
            let axis = (p - q).try_normalize()?;
            (q, axis, [ball((p - q).dot(axis), r), ball(0.0, s)])
        }
        (Ball { center, radius }, Plane { point, normal }) => {
            (center, normal, [ball(0.0, radius), plane(center, point, normal, 1.0)])
        }
        (Plane { point, normal }, Ball { center, radius }) => {
            (center, -normal, [plane(center, point, normal, -1.0), ball(0.0, radius)])
        }
        (Plane { .. }, Plane { .. }) => return None,
    };
    let sides = [
        MeridianSide { skeleton: skeletons[0], kernel: kernel_a, stiffness: pair.a.stiffness },
        MeridianSide { skeleton: skeletons[1], kernel: kernel_b, stiffness: pair.b.stiffness },
    ];
    let overlap = sides[1].surface(1.0) - sides[0].surface(-1.0);
    let thickness = pair.min_thickness();
    if overlap <= NO_DEPTH * thickness {
        return Some(FoundPatches::default());
    }
    let rim = rim(&sides, overlap);
    let root = quality.root_tolerance() * 2.0 * rim.r;
    let meridian =
        Meridian { sides, kind: pair.kind(), origin, axis, overlap, rim, middle: rim.x, slope: 0.0, root }.solved()?;
    if overlap >= SHALLOW * thickness {
        return None;
    }
    let patch = meridian.patch(quality, tolerance)?;
    Some(FoundPatches { patches: vec![patch], ..FoundPatches::default() })
}

/// The skeleton and kernel of a side that is a ball or a half-space.
fn symmetric_skeleton<'a>(side: &Side<'a>) -> Option<(SymmetricSkeleton, &'a Kernel)> {
    let field = &side.field;
    let element = field.shape.single_element().filter(|e| e.strength == 1.0)?;
    let kernel = element.kernel()?;
    let place = |p: DVec3| field.world_from_body.point(p);
    let symmetric = match (element.as_sphere(), element.as_plane()) {
        (Some(s), _) => SymmetricSkeleton::Ball { center: place(s.center), radius: s.radius },
        (None, Some(p)) => {
            SymmetricSkeleton::Plane { point: place(p.point), normal: field.world_from_body.vector(p.normal) }
        }
        (None, None) => return None,
    };
    (kernel.iso() == field.shape.iso()).then_some((symmetric, kernel))
}

/// Point where two circles around points of the axis meet, or one and a line across it, that overlap by `overlap`.
fn rim(sides: &[MeridianSide; 2], overlap: f64) -> MeridianVector {
    let (p, q) = (sides[0].surface_radius(), sides[1].surface_radius());
    match [sides[0].skeleton, sides[1].skeleton] {
        [MeridianSkeleton::Ball { at: a, .. }, MeridianSkeleton::Ball { at: b, .. }] => {
            let apart = a - b;
            // The part of a's radius beyond the circle's plane, without a difference of near numbers.
            let cap = overlap * (q + apart - p) / (2.0 * apart);
            MeridianVector { x: a - (p - cap), r: (cap * (2.0 * p - cap)).max(0.0).sqrt() }
        }
        [MeridianSkeleton::Ball { .. }, MeridianSkeleton::Plane { .. }] => {
            MeridianVector { x: sides[1].surface(1.0), r: (overlap * (2.0 * p - overlap)).max(0.0).sqrt() }
        }
        [MeridianSkeleton::Plane { .. }, _] => {
            MeridianVector { x: sides[0].surface(-1.0), r: (overlap * (2.0 * q - overlap)).max(0.0).sqrt() }
        }
    }
}

impl Sub for MeridianVector {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, r: self.r - other.r }
    }
}

impl Neg for MeridianVector {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self { x: -self.x, r: -self.r }
    }
}

impl Gradient for MeridianVector {
    #[inline]
    fn size(self) -> f64 {
        (self.x * self.x + self.r * self.r).sqrt()
    }
}

impl MeridianSide<'_> {
    /// Distance of its surface from the centre of its ball, or from its plane.
    fn surface_radius(&self) -> f64 {
        let MeridianSkeleton::Ball { radius, .. } = self.skeleton else { return self.kernel.thickness() };
        radius + self.kernel.thickness()
    }

    /// Place where its surface meets the axis, on the side of the other, which is in the direction of `sign`.
    fn surface(&self, sign: f64) -> f64 {
        match self.skeleton {
            MeridianSkeleton::Ball { at, .. } => at + sign * self.surface_radius(),
            MeridianSkeleton::Plane { at, outward } => at + outward * self.surface_radius(),
        }
    }

    /// Pressure and its gradient.
    #[inline]
    fn pressure(&self, p: MeridianVector) -> (f64, MeridianVector) {
        let (distance, direction) = match self.skeleton {
            MeridianSkeleton::Ball { at, radius } => {
                let x = p.x - at;
                let length = (x * x + p.r * p.r).sqrt();
                let by = 1.0 / length.max(f64::MIN_POSITIVE);
                (length - radius, MeridianVector { x: x * by, r: p.r * by })
            }
            MeridianSkeleton::Plane { at, outward } => (outward * (p.x - at), MeridianVector { x: outward, r: 0.0 }),
        };
        let (value, slope) = self.kernel.value_and_slope(distance);
        let k = self.stiffness * slope;
        let gradient = MeridianVector { x: k * direction.x, r: k * direction.r };
        (pressure(self.stiffness, value, self.kernel.iso()), gradient)
    }
}

impl Meridian<'_> {
    #[inline]
    fn probe(&self, p: MeridianVector) -> Probe<MeridianVector> {
        let ((pressure_a, gradient_a), (pressure_b, gradient_b)) =
            (self.sides[0].pressure(p), self.sides[1].pressure(p));
        Probe { pressure_a, pressure_b, gradient_a, gradient_b }
    }

    /// With slope at the rim and middle found. None where the border does not lie between both middles, or roots are not
    /// found.
    fn solved(mut self) -> Option<Self> {
        let rim = self.rim;
        let edge = self.probe(rim);
        let facing = edge.gradient_a.x > 0.0 && edge.gradient_b.x < 0.0;
        let (_, g) = edge.surface(self.kind);
        if !facing || rim.r == 0.0 {
            return None;
        }
        self.slope = -g.r / g.x;
        self.middle = self.solve_height(MeridianVector { x: rim.x - 0.5 * self.slope * rim.r, r: 0.0 })?.at.x;
        Some(self)
    }

    /// The contact surface at this distance from the axis, by Newton along it.
    fn solve_height(&self, from: MeridianVector) -> Option<MeridianPoint> {
        let mut at = from;
        for _ in 0..NEWTON_STEPS {
            let mut probe = self.probe(at);
            let (u, g) = probe.surface(self.kind);
            let step = -u / g.x;
            at.x += step;
            if step.abs() <= self.root {
                probe.pressure_a += probe.gradient_a.x * step;
                probe.pressure_b += probe.gradient_b.x * step;
                return Some(MeridianPoint { at, probe });
            }
        }
        None
    }

    /// The point at a part `x` of the radius; none where nothing presses.
    fn at(&self, x: f64) -> Option<MeridianPoint> {
        // The cubic from the middle, where the surface is level, to the rim, where its slope is known.
        let (rise, bend) = (self.rim.x - self.middle, self.slope * self.rim.r);
        let guess = self.middle + x * x * ((3.0 - 2.0 * x) * rise + (x - 1.0) * bend);
        let point = self.solve_height(MeridianVector { x: guess, r: x * self.rim.r })?;
        (point.probe.contact_pressures(self.kind).0 > 0.0).then_some(point)
    }

    /// Estimated error of Gauss's rule, against the load: as of the polar rule, by leaving out a node.
    fn error(&self, nodes: usize) -> Option<f64> {
        let rule = gauss_radial(nodes);
        let (middle, second) = radial_check(nodes);
        let pressure = |point: MeridianPoint| point.probe.contact_pressures(self.kind).0;
        let (mut load, mut change) =
            (0.0, -middle * pressure(self.solve_height(MeridianVector { x: self.middle, r: 0.0 })?));
        for ((x, w), v) in rule.nodes.iter().zip(&rule.weights).zip(second) {
            let p = pressure(self.at(*x)?);
            load += w * p;
            change += (w - v) * p;
        }
        Some(0.5 * (change / load).abs())
    }

    /// The patch by the coarsest rule that meets the tolerance.
    fn patch(&self, quality: &Quality, tolerance: f64) -> Option<Patch> {
        let (mut rule, mut error) = (TWELVE_POINTS, f64::INFINITY);
        if tolerance >= TWELVE_POINT_ERROR {
            error = self.error(rule.nodes)?;
        }
        let mut finer = LEVELS.iter().enumerate().skip(1);
        while error > if rule.level == 0 { TWELVE_POINT_ERROR } else { tolerance } {
            let (level, &(nodes, angular)) = finer.next()?;
            rule = RingRule { level, nodes, angular, turns: 1 };
            error = self.error(nodes)?;
        }
        let mut patch = self.integrate(rule)?;
        patch.error = error;
        patch.resolved_to = near_border(quality.cells_across) * self.rim.r;
        Some(patch)
    }

    fn integrate(&self, rule: RingRule) -> Option<Patch> {
        let Self { kind, origin, axis, .. } = *self;
        let RingRule { level, nodes, angular, turns } = rule;
        let (e1, e2) = axis.any_orthonormal_pair();
        let mut border: Vec<DVec3> =
            (0..angular).map(|j| turn(j, angular)).map(|(cos, sin)| cos * e1 + sin * e2).collect();
        let place = |p: MeridianVector, out: DVec3| origin + p.x * axis + p.r * out;
        let gauss = gauss_radial(nodes);
        let measure = std::f64::consts::TAU * self.rim.r * self.rim.r;
        let blank = PatchPoint { position: origin, normal: axis, pressure: 0.0, area: 0.0, pressure_slope: 0.0 };
        let radial = nodes / turns;
        let mut points = vec![blank; radial * angular];
        let (mut force, mut area, mut load, mut stiffness, mut centred) = ([0.0; 2], 0.0, 0.0, 0.0, 0.0);
        for (i, (x, w)) in gauss.nodes.iter().zip(&gauss.weights).enumerate() {
            let MeridianPoint { at, probe } = self.at(*x)?;
            let (_, g) = probe.surface(kind);
            let (p, q) = probe.contact_pressures(kind);
            let [p, q] = [p, q].map(|p| p.max(0.0));
            let slope = g.size();
            let normal = MeridianVector { x: -g.x / slope, r: -g.r / slope };
            let ring = measure * w;
            let whole = ring * slope / g.x.abs();
            let pressure_slope = probe.pressure_slope(kind);
            force[0] += p * ring;
            force[1] += q * ring;
            area += whole;
            load += p * whole;
            stiffness += whole * pressure_slope;
            centred += p * whole * at.x;
            let piece = whole * turns as f64 / angular as f64;
            for (j, out) in border.iter().enumerate().skip(i % turns).step_by(turns) {
                points[j * radial + i / turns] = PatchPoint {
                    position: place(at, *out),
                    normal: normal.x * axis + normal.r * *out,
                    pressure: p,
                    area: piece,
                    pressure_slope,
                };
            }
        }
        border.iter_mut().for_each(|out| *out = place(self.rim, *out));
        let middle = MeridianVector { x: self.middle, r: 0.0 };
        let reference = place(middle, DVec3::ZERO);
        Some(Patch {
            chart: None,
            points,
            border,
            reference,
            on_a: Wrench { force: force[0] * axis, moment: DVec3::ZERO },
            on_b: Wrench { force: -force[1] * axis, moment: DVec3::ZERO },
            area,
            load,
            stiffness,
            overlap: self.overlap,
            center_of_pressure: origin + centred / load.max(f64::MIN_POSITIVE) * axis,
            max_pressure: self.probe(middle).contact_pressures(kind).0,
            deepest: reference,
            method: Method::Axisymmetric,
            error: 0.0,
            resolved_to: 0.0,
            layout: Layout::Polar { radial },
            level: Some(level.max(1)),
        })
    }
}

/// Cosine and sine of the `j`th of `count` equal turns.
fn turn(j: usize, count: usize) -> (f64, f64) {
    if count == TWELVE_POINTS.angular {
        let h = 0.75f64.sqrt();
        return [(1.0, 0.0), (0.5, h), (-0.5, h), (-1.0, 0.0), (-0.5, -h), (0.5, -h)][j];
    }
    let (sin, cos) = (std::f64::consts::TAU * (j as f64 / count as f64)).sin_cos();
    (cos, sin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::skeleton::{Ball, HalfSpace, Point};
    use crate::fields::{Element, Posed, Profile, Shape, Skeleton};
    use crate::math::{DQuat, Frame};

    fn shape(skeleton: Skeleton, profile: Profile) -> Shape {
        Shape::new(vec![Element::new(skeleton, Kernel::new(profile, 1.0, (0.1, 10.0, 0.2)).unwrap())], 1.0)
    }

    /// A polar rule of many points does not use the axis.
    #[test]
    fn axisymmetric_patches_are_those_that_the_polar_rule_finds() {
        let fine = Quality { resolution: Resolution::Fixed { radial: 24, angular: 128 }, ..Quality::default() };
        let point = || Point { at: DVec3::new(0.01, 0.0, 0.0) }.into();
        let bodies = [
            shape(point(), Profile::Linear),
            shape(point(), Profile::NonLinear),
            shape(Ball::new(DVec3::new(0.01, 0.0, 0.0), 0.05).unwrap().into(), Profile::Linear),
            shape(HalfSpace::new(DVec3::new(0.01, 0.0, 0.0), DVec3::X).unwrap().into(), Profile::Linear),
        ];
        let turned = Frame { rotation: DQuat::from_rotation_y(0.4), translation: DVec3::new(0.3, 0.2, 0.1) };
        for (i, first) in bodies.iter().enumerate() {
            for (depth, rigid, swapped) in [(1e-4, 0, false), (0.01, 1, true), (0.03, 2, false), (0.002, 0, true)] {
                let reach = if i == 2 { 0.15 } else { 0.1 };
                let second = Frame { rotation: DQuat::from_rotation_z(1.0), translation: DVec3::ZERO };
                let gap = second.vector(-bodies[0].elements()[0].medial_point(DVec3::ZERO).unwrap());
                let second = Frame { translation: DVec3::X * (0.01 + reach + 0.1 - depth) + gap, ..second };
                let side = |shape, at, stiffness, rigid| Side { field: Posed::rigid(shape, at), stiffness, rigid };
                let a = side(first, turned, 1e5, rigid == 1);
                let b = side(&bodies[0], turned * second, 3e5, rigid == 2);
                let pair = if swapped { Pair { a: b, b: a } } else { Pair { a, b } };
                for (quality, tolerance) in [(Quality::within(1e-3), 1e-4), (Quality::within(1e-7), 1e-7)] {
                    let found = find(&pair, &quality).expect("the pair has an axis");
                    let (got, want) = (&found.patches[0], &Patch::find(&pair, &fine)[0]);
                    let what = format!("{i}, {depth}, {rigid}, {swapped}, {tolerance}: {got:?}");
                    let near = |p: DVec3, q: DVec3, by: f64| p.distance(q) <= by;
                    assert_eq!((got.method, want.method), (Method::Axisymmetric, Method::Polar), "{what}");
                    assert!(near(got.on_a.force, want.on_a.force, tolerance * want.load), "{what}");
                    assert!(near(got.on_b.force, want.on_b.force, tolerance * want.load), "{what}");
                    assert!((got.overlap / depth - 1.0).abs() < 1e-9, "{what}");
                    assert!((got.area / want.area - 1.0).abs() < 10.0 * tolerance, "{what}");
                    assert!((got.stiffness / want.stiffness - 1.0).abs() < 10.0 * tolerance, "{what}");
                    assert!(near(got.center_of_pressure, want.center_of_pressure, 1e-4 * want.area.sqrt()), "{what}");
                    let sum: DVec3 = got.points.iter().map(|p| -p.area * p.pressure * p.normal).sum();
                    assert!(near(sum, got.on_a.force, 1e-9 * want.load), "{what}");
                    assert!(
                        got.border.iter().all(|p| pair.probe(*p).min_pressure().abs() < 1e-6 * got.max_pressure),
                        "{what}"
                    );
                }
            }
        }
    }
}
