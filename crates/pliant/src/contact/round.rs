//! Pairs that look the same from all around: a ball against a ball or a plane.
//!
//! *The idea*: such a pair has an axis, and what is found in one half-plane that ends at it holds in every other. There, a
//! field is its curve of a distance, the border is where two circles meet, and a point of the contact surface takes a few
//! numbers. *Not promised*: overlaps that reach a skeleton, or curves with kinks that a rule does not settle on; those are
//! left to stars and tiles.

use super::pair::{Pair, Side, SurfaceKind};
use super::patch::{FoundPatches, Layout, Method, Patch, PatchPoint, SHALLOW, Wrench};
use super::star::{LEVELS, SURROUNDINGS};
use super::{Quality, Resolution};
use crate::fields::Kernel;
use crate::math::{DVec3, gauss_radial, radial_check};

/// Points of a patch: each of Gauss's `nodes` along the radius has a ring of them. Those of every `turns`th ring lie in the
/// same of the `angular` directions.
#[derive(Clone, Copy)]
struct Rule {
    level: usize,
    nodes: usize,
    angular: usize,
    turns: usize,
}

/// Twelve points: as exact along the radius as four in every direction, and three around are enough for what is linear
/// and square in the place.
const TWELVE: Rule = Rule { level: 0, nodes: 4, angular: 6, turns: 2 };

/// It is taken where it knows the force to this part, if no more is asked for.
const SURE: f64 = 1e-4;

/// Overlaps less deep than this part of the thickness do not count, as those of other pairs.
const NO_DEPTH: f64 = 1e-12;

/// Newton's steps at most.
const STEPS: usize = 25;

/// A point of the half-plane, or a vector there: along the axis, into a, and away from it.
#[derive(Clone, Copy, Debug)]
struct Flat {
    x: f64,
    r: f64,
}

/// What a field is the same around.
enum Middle {
    /// Its place, and the radius of its skeleton.
    Ball(DVec3, f64),
    /// A point of it, and the direction out of it.
    Plane(DVec3, DVec3),
}

/// A skeleton as the half-plane sees it: its distance is measured from a point of the axis, or along it.
#[derive(Clone, Copy)]
enum Form {
    Ball { at: f64, radius: f64 },
    Plane { at: f64, outward: f64 },
}

/// One side in the half-plane.
struct Half<'a> {
    form: Form,
    kernel: &'a Kernel,
    stiffness: f64,
}

/// Both pressures and their gradients.
struct Look {
    pressures: [f64; 2],
    gradients: [Flat; 2],
}

/// A point of the contact surface.
struct Met {
    at: Flat,
    look: Look,
}

struct Plane<'a> {
    halves: [Half<'a>; 2],
    kind: SurfaceKind,
    /// Where both surfaces meet.
    rim: Flat,
    /// Where the contact surface meets the axis.
    middle: f64,
    /// Slope of the contact surface at the rim.
    slope: f64,
    /// How near a root must come, metres.
    near: f64,
}

fn middle<'a>(side: &Side<'a>) -> Option<(Middle, &'a Kernel)> {
    let field = &side.field;
    let element = field.shape.only().filter(|e| e.strength == 1.0)?;
    let kernel = element.kernel()?;
    let place = |p: DVec3| field.world_from_body.point(p);
    let ball = element.as_sphere().map(|s| Middle::Ball(place(s.center), s.radius));
    let plane = || element.as_plane().map(|p| Middle::Plane(place(p.point), field.world_from_body.vector(p.normal)));
    let middle = ball.or_else(plane)?;
    (kernel.iso() == field.shape.iso()).then_some((middle, kernel))
}

impl Half<'_> {
    /// How far its surface lies from the middle of its ball, or its plane.
    fn reach(&self) -> f64 {
        let Form::Ball { radius, .. } = self.form else { return self.kernel.thickness() };
        radius + self.kernel.thickness()
    }

    /// Where its surface meets the axis, on the side of the other, which is in the direction of `sign`.
    fn surface(&self, sign: f64) -> f64 {
        match self.form {
            Form::Ball { at, .. } => at + sign * self.reach(),
            Form::Plane { at, outward } => at + outward * self.reach(),
        }
    }

    #[inline]
    fn look(&self, p: Flat) -> (f64, Flat) {
        let (distance, direction) = match self.form {
            Form::Ball { at, radius } => {
                let x = p.x - at;
                let length = (x * x + p.r * p.r).sqrt();
                let by = 1.0 / length.max(f64::MIN_POSITIVE);
                (length - radius, Flat { x: x * by, r: p.r * by })
            }
            Form::Plane { at, outward } => (outward * (p.x - at), Flat { x: outward, r: 0.0 }),
        };
        let (value, slope) = self.kernel.value_and_slope(distance);
        let k = self.stiffness * slope;
        (self.stiffness * (value - self.kernel.iso()), Flat { x: k * direction.x, r: k * direction.r })
    }
}

impl Flat {
    fn length(self) -> f64 {
        (self.x * self.x + self.r * self.r).sqrt()
    }
}

impl Look {
    /// See [`super::Probe::surface`].
    #[inline]
    fn surface(&self, kind: SurfaceKind) -> (f64, Flat) {
        let ([p, q], [g, h]) = (self.pressures, self.gradients);
        match kind {
            SurfaceKind::Shared => (p - q, Flat { x: g.x - h.x, r: g.r - h.r }),
            SurfaceKind::RigidA => (p, g),
            SurfaceKind::RigidB => (-q, Flat { x: -h.x, r: -h.r }),
        }
    }

    /// See [`super::Probe::contact_pressures`].
    fn contact(&self, kind: SurfaceKind) -> [f64; 2] {
        let [p, q] = self.pressures;
        match kind {
            SurfaceKind::Shared => [p, q],
            SurfaceKind::RigidA => [q, q],
            SurfaceKind::RigidB => [p, p],
        }
    }

    /// See [`super::Probe::approach_rate`].
    fn rate(&self, kind: SurfaceKind) -> f64 {
        let [a, b] = self.gradients.map(Flat::length);
        match kind {
            SurfaceKind::Shared => a * b / (a + b).max(f64::MIN_POSITIVE),
            SurfaceKind::RigidA => b,
            SurfaceKind::RigidB => a,
        }
    }
}

impl Plane<'_> {
    fn look(&self, p: Flat) -> Look {
        let ((pa, ga), (pb, gb)) = (self.halves[0].look(p), self.halves[1].look(p));
        Look { pressures: [pa, pb], gradients: [ga, gb] }
    }

    /// The contact surface at this distance from the axis, by Newton along it.
    fn lift(&self, from: Flat) -> Option<Met> {
        let mut at = from;
        for _ in 0..STEPS {
            let mut look = self.look(at);
            let (u, g) = look.surface(self.kind);
            let step = -u / g.x;
            at.x += step;
            if step.abs() <= self.near {
                for (p, g) in look.pressures.iter_mut().zip(look.gradients) {
                    *p += g.x * step;
                }
                return Some(Met { at, look });
            }
        }
        None
    }

    /// The point at a part of the way to the rim; none where nothing presses.
    fn at(&self, x: f64) -> Option<Met> {
        // The cubic from the middle, where the surface is level, to the rim, where its slope is known.
        let (rise, bend) = (self.rim.x - self.middle, self.slope * self.rim.r);
        let guess = self.middle + x * x * ((3.0 - 2.0 * x) * rise + (x - 1.0) * bend);
        let met = self.lift(Flat { x: guess, r: x * self.rim.r })?;
        (met.look.contact(self.kind)[0] > 0.0).then_some(met)
    }

    /// How wrong Gauss's rule may be, against the load: as of a star, by what passing over a node changes.
    fn error(&self, nodes: usize) -> Option<f64> {
        let rule = gauss_radial(nodes);
        let (middle, second) = radial_check(nodes);
        let pressure = |met: Met| met.look.contact(self.kind)[0];
        let (mut load, mut change) = (0.0, -middle * pressure(self.lift(Flat { x: self.middle, r: 0.0 })?));
        for ((x, w), v) in rule.nodes.iter().zip(&rule.weights).zip(second) {
            let p = pressure(self.at(*x)?);
            load += w * p;
            change += (w - v) * p;
        }
        Some(0.5 * (change / load).abs())
    }
}

/// The patch of a pair that looks the same all around; none if it does not, or if it takes a closer look.
pub(super) fn find(pair: &Pair, quality: &Quality) -> Option<FoundPatches> {
    let Resolution::Tolerance(tolerance) = quality.resolution else { return None };
    let (a, b) = (middle(&pair.a)?, middle(&pair.b)?);
    let ball = |at: f64, radius: f64| Form::Ball { at, radius };
    let plane = |from: DVec3, point: DVec3, normal: DVec3, outward: f64| {
        // Axes point into a, and so against the normal of a.
        Form::Plane { at: outward * (point - from).dot(normal), outward }
    };
    let (origin, axis, forms) = match (a.0, b.0) {
        (Middle::Ball(p, r), Middle::Ball(q, s)) => {
            let axis = (p - q).try_normalize()?;
            (q, axis, [ball((p - q).dot(axis), r), ball(0.0, s)])
        }
        (Middle::Ball(p, r), Middle::Plane(q, n)) => (p, n, [ball(0.0, r), plane(p, q, n, 1.0)]),
        (Middle::Plane(p, n), Middle::Ball(q, s)) => (q, -n, [plane(q, p, n, -1.0), ball(0.0, s)]),
        _ => return None,
    };
    let halves = [
        Half { form: forms[0], kernel: a.1, stiffness: pair.a.stiffness },
        Half { form: forms[1], kernel: b.1, stiffness: pair.b.stiffness },
    ];
    let overlap = halves[1].surface(1.0) - halves[0].surface(-1.0);
    let thickness = pair.least_thickness();
    if overlap <= NO_DEPTH * thickness {
        return Some(FoundPatches::default());
    }
    let seen = Plane::new(halves, pair.kind(), overlap, quality)?;
    if overlap >= SHALLOW * thickness {
        return None;
    }
    let patch = seen.patch((origin, axis), overlap, quality, tolerance)?;
    Some(FoundPatches { patches: vec![patch], unresolved: 0.0 })
}

/// Where two circles around points of the axis meet, or one and a line across it, that overlap by `overlap`.
fn rim(halves: &[Half; 2], overlap: f64) -> Flat {
    let (p, q) = (halves[0].reach(), halves[1].reach());
    match [halves[0].form, halves[1].form] {
        [Form::Ball { at: a, .. }, Form::Ball { at: b, .. }] => {
            let apart = a - b;
            // What of a's radius lies beyond the circle's plane, without taking near numbers from each other.
            let cap = overlap * (q + apart - p) / (2.0 * apart);
            Flat { x: a - (p - cap), r: (cap * (2.0 * p - cap)).max(0.0).sqrt() }
        }
        [Form::Ball { .. }, _] => {
            Flat { x: halves[1].surface(1.0), r: (overlap * (2.0 * p - overlap)).max(0.0).sqrt() }
        }
        _ => Flat { x: halves[0].surface(-1.0), r: (overlap * (2.0 * q - overlap)).max(0.0).sqrt() },
    }
}

impl<'a> Plane<'a> {
    /// None where the border does not lie between both middles, or roots are not found.
    fn new(halves: [Half<'a>; 2], kind: SurfaceKind, overlap: f64, quality: &Quality) -> Option<Self> {
        let rim = rim(&halves, overlap);
        let near = quality.root_tolerance() * 2.0 * rim.r;
        let mut seen = Self { halves, kind, rim, middle: rim.x, slope: 0.0, near };
        let edge = seen.look(rim);
        let facing = edge.gradients[0].x > 0.0 && edge.gradients[1].x < 0.0;
        let (_, g) = edge.surface(kind);
        if !facing || rim.r == 0.0 {
            return None;
        }
        seen.slope = -g.r / g.x;
        seen.middle = seen.lift(Flat { x: rim.x - 0.5 * seen.slope * rim.r, r: 0.0 })?.at.x;
        Some(seen)
    }

    /// The patch by the coarsest rule that will do.
    fn patch(&self, place: (DVec3, DVec3), overlap: f64, quality: &Quality, tolerance: f64) -> Option<Patch> {
        let (mut rule, mut error) = (TWELVE, f64::INFINITY);
        if tolerance >= SURE {
            error = self.error(rule.nodes)?;
        }
        let mut finer = LEVELS.iter().enumerate().skip(1);
        while error > if rule.level == 0 { SURE } else { tolerance } {
            let (level, &(nodes, angular)) = finer.next()?;
            rule = Rule { level, nodes, angular, turns: 1 };
            error = self.error(nodes)?;
        }
        let mut patch = self.integrate(place, rule, overlap)?;
        patch.error = error;
        patch.resolved_to = SURROUNDINGS * 4.0 / quality.cells_across.max(1) as f64 * self.rim.r;
        Some(patch)
    }

    fn integrate(&self, (origin, axis): (DVec3, DVec3), rule: Rule, overlap: f64) -> Option<Patch> {
        let kind = self.kind;
        let Rule { level, nodes, angular, turns } = rule;
        let (e1, e2) = axis.any_orthonormal_pair();
        let mut border: Vec<DVec3> =
            (0..angular).map(|j| turn(j, angular)).map(|(cos, sin)| cos * e1 + sin * e2).collect();
        let place = |p: Flat, out: DVec3| origin + p.x * axis + p.r * out;
        let gauss = gauss_radial(nodes);
        let measure = std::f64::consts::TAU * self.rim.r * self.rim.r;
        let blank = PatchPoint { position: origin, normal: axis, pressure: 0.0, area: 0.0, rate: 0.0 };
        let radial = nodes / turns;
        let mut points = vec![blank; radial * angular];
        let (mut force, mut area, mut load, mut stiffness, mut centred) = ([0.0; 2], 0.0, 0.0, 0.0, 0.0);
        for (i, (x, w)) in gauss.nodes.iter().zip(&gauss.weights).enumerate() {
            let Met { at, look } = self.at(*x)?;
            let (_, g) = look.surface(kind);
            let [p, q] = look.contact(kind).map(|p| p.max(0.0));
            let slope = g.length();
            let normal = Flat { x: -g.x / slope, r: -g.r / slope };
            let ring = measure * w;
            let whole = ring * slope / g.x.abs();
            let rate = look.rate(kind);
            force[0] += p * ring;
            force[1] += q * ring;
            area += whole;
            load += p * whole;
            stiffness += whole * rate;
            centred += p * whole * at.x;
            let piece = whole * turns as f64 / angular as f64;
            for (j, out) in border.iter().enumerate().skip(i % turns).step_by(turns) {
                points[j * radial + i / turns] = PatchPoint {
                    position: place(at, *out),
                    normal: normal.x * axis + normal.r * *out,
                    pressure: p,
                    area: piece,
                    rate,
                };
            }
        }
        border.iter_mut().for_each(|out| *out = place(self.rim, *out));
        let middle = Flat { x: self.middle, r: 0.0 };
        let reference = place(middle, DVec3::ZERO);
        Some(Patch {
            points,
            border,
            reference,
            on_a: Wrench { force: force[0] * axis, moment: DVec3::ZERO },
            on_b: Wrench { force: -force[1] * axis, moment: DVec3::ZERO },
            area,
            load,
            stiffness,
            overlap,
            center_of_pressure: origin + centred / load.max(f64::MIN_POSITIVE) * axis,
            max_pressure: self.look(middle).contact(kind)[0],
            deepest: reference,
            method: Method::Star,
            error: 0.0,
            resolved_to: 0.0,
            layout: Layout::Star { radial },
            level: Some(level.max(1)),
        })
    }
}

/// Cosine and sine of the `j`th of `count` equal turns.
fn turn(j: usize, count: usize) -> (f64, f64) {
    if count == TWELVE.angular {
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

    /// A star of many points knows nothing of axes.
    #[test]
    fn round_patches_are_those_that_stars_find() {
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
                let gap = second.vector(-bodies[0].elements()[0].core_point(DVec3::ZERO).unwrap());
                let second = Frame { translation: DVec3::X * (0.01 + reach + 0.1 - depth) + gap, ..second };
                let side = |shape, at, stiffness, rigid| Side { field: Posed::rigid(shape, at), stiffness, rigid };
                let a = side(first, turned, 1e5, rigid == 1);
                let b = side(&bodies[0], turned * second, 3e5, rigid == 2);
                let pair = if swapped { Pair { a: b, b: a } } else { Pair { a, b } };
                for (quality, tolerance) in [(Quality::within(1e-3), 1e-4), (Quality::within(1e-7), 1e-7)] {
                    let found = find(&pair, &quality).expect("it is round");
                    let (got, want) = (&found.patches[0], &Patch::find(&pair, &fine)[0]);
                    let what = format!("{i}, {depth}, {rigid}, {swapped}, {tolerance}: {got:?}");
                    let near = |p: DVec3, q: DVec3, by: f64| p.distance(q) <= by;
                    assert!(near(got.on_a.force, want.on_a.force, tolerance * want.load), "{what}");
                    assert!(near(got.on_b.force, want.on_b.force, tolerance * want.load), "{what}");
                    assert!((got.overlap / depth - 1.0).abs() < 1e-9, "{what}");
                    assert!((got.area / want.area - 1.0).abs() < 10.0 * tolerance, "{what}");
                    assert!((got.stiffness / want.stiffness - 1.0).abs() < 10.0 * tolerance, "{what}");
                    assert!(near(got.center_of_pressure, want.center_of_pressure, 1e-4 * want.area.sqrt()), "{what}");
                    let sum: DVec3 = got.points.iter().map(|p| -p.area * p.pressure * p.normal).sum();
                    assert!(near(sum, got.on_a.force, 1e-9 * want.load), "{what}");
                    assert!(
                        got.border.iter().all(|p| pair.probe(*p).depth().abs() < 1e-6 * got.max_pressure),
                        "{what}"
                    );
                }
            }
        }
    }
}
