//! Lines out of a skeleton that fill the space around it.
//!
//! *The idea*: every point of space lies on one line that leaves a skeleton at right angles from the point's foot (from
//! the centre of a volume, in any direction). Such lines come in sheets `x(u, v, r) = o(u, v) + r ω(u, v)`, and the volume
//! between neighbours grows as `J(r) = |∂x/∂u, ∂x/∂v, ω|`, a polynomial of degree two: `j₀ + j₁ r + j₂ r²`. So one
//! formula weighs points, lines and faces alike. Sheets are sampled up to their edges, where the next one goes on, so that
//! their polygons leave no cracks.

use crate::fields::skeleton::{Circle, Cuboid, Disc, Polyline, SmoothCurve, SurfacePatch, Triangle, TriangleMesh};
use crate::fields::{Element, Skeleton, Source};
use crate::math::DVec3;
use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

/// A line out of a skeleton, in the body's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SampleLine {
    pub origin: DVec3,
    pub direction: DVec3,
    /// `j₀, j₁, j₂`, times what the line stands for in `u` and `v`.
    spread: [f64; 3],
}

impl SampleLine {
    pub fn at(&self, r: f64) -> DVec3 {
        self.origin + r * self.direction
    }

    /// What the line stands for between its origin and `r`, cubic metres.
    pub fn volume(&self, r: f64) -> f64 {
        let [a, b, c] = self.spread;
        r * (a + r * (b / 2.0 + r * c / 3.0))
    }

    /// What it stands for across itself at `r`, square metres.
    pub fn section(&self, r: f64) -> f64 {
        let [a, b, c] = self.spread;
        (a + r * (b + r * c)).max(0.0)
    }
}

/// All lines out of one skeleton.
#[derive(Clone, Debug, Default)]
pub(super) struct SampleLines {
    pub lines: Vec<SampleLine>,
    /// Between neighbours, counter-clockwise seen from outside.
    pub quads: Vec<[u32; 4]>,
    /// How fine: distance of neighbours at the thickness, metres.
    spacing: f64,
    thickness: f64,
}

/// Step of the differences that tell how lines part.
const STEP: f64 = 1e-5;
/// Fewest intervals of a sheet: fewer have no end corrections.
const FEWEST: usize = 6;

/// Weight of node `i` of `n + 1` on an interval of length 1: the trapezoid's with Gregory's corrections at the ends.
fn gregory(i: usize, n: usize) -> f64 {
    let ends = [3.0 / 8.0, 7.0 / 6.0, 23.0 / 24.0];
    ends.get(i.min(n - i)).copied().unwrap_or(1.0) / n as f64
}

impl SampleLines {
    /// Of the skeleton of `element`, `around` to half a turn at its thickness. None for what has no bounds.
    pub fn of(element: &Element, around: usize) -> Self {
        let thickness = element.thickness();
        let mut lines = Self { spacing: PI * thickness / around as f64, thickness, ..Self::default() };
        match &element.source {
            Source::Distance(skeleton, _) => lines.skeleton(skeleton),
            Source::Convolution(convolution) => match convolution.polygons() {
                polygons if polygons.iter().any(|p| p.len() > 2) => lines.soup(&polygons),
                polygons => lines.segments(&polygons),
            },
        }
        lines
    }

    fn skeleton(&mut self, skeleton: &Skeleton) {
        match skeleton {
            Skeleton::Point(p) => self.sphere(p.at, 0.0),
            Skeleton::Ball(b) => self.sphere(b.center(), b.radius()),
            Skeleton::Segment(s) => self.segments(&[vec![s.a(), s.b()]]),
            Skeleton::Polyline(p) => self.polyline(p),
            Skeleton::Curve(c) => self.curve(c),
            Skeleton::Triangle(t) => self.triangle(t),
            Skeleton::TriangleMesh(m) => self.mesh(m),
            Skeleton::Patch(p) => self.patch(p),
            Skeleton::Disc(d) => self.disc(d),
            Skeleton::Circle(c) => self.circle(c),
            Skeleton::Cuboid(c) => self.cuboid(c),
            Skeleton::HalfSpace(_) => {}
        }
    }

    /// Intervals for a way of `length` at the surface.
    fn count(&self, length: f64) -> usize {
        ((length / self.spacing).ceil() as usize).clamp(FEWEST, 4096)
    }

    /// Lines `(o, ω)` for `u` and `v` from 0 to 1, in so many intervals each. If it `wraps`, v = 1 is v = 0 again.
    fn sheet(&mut self, (across, along): (usize, usize), wraps: bool, line: impl Fn(f64, f64) -> (DVec3, DVec3)) {
        let first = self.lines.len() as u32;
        let columns = if wraps { along } else { along + 1 };
        let mut outward = 0.0;
        for i in 0..=across {
            for j in 0..columns {
                let (u, v) = (i as f64 / across as f64, j as f64 / along as f64);
                let (origin, direction) = line(u, v);
                let rate = |du: f64, dv: f64| {
                    let (next, last) = (line(u + du, v + dv), line(u - du, v - dv));
                    ((next.0 - last.0) / (2.0 * STEP), (next.1 - last.1) / (2.0 * STEP))
                };
                let ((o_u, w_u), (o_v, w_v)) = (rate(STEP, 0.0), rate(0.0, STEP));
                let volume = |a: DVec3, b: DVec3| a.cross(b).dot(direction);
                let parts = [volume(o_u, o_v), volume(o_u, w_v) + volume(w_u, o_v), volume(w_u, w_v)];
                // Lines part as they leave the skeleton: the first power that counts says which way round they go.
                let t = self.thickness;
                let sizes = [parts[0], t * parts[1], t * t * parts[2]];
                let most = sizes.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
                let sign = sizes.iter().find(|x| x.abs() > 1e-6 * most).map_or(1.0, |x| x.signum());
                outward += sign * most;
                let weight = gregory(i, across) * if wraps { 1.0 / along as f64 } else { gregory(j, along) };
                self.lines.push(SampleLine { origin, direction, spread: parts.map(|p| sign * weight * p) });
            }
        }
        let at = |i: usize, j: usize| first + (i * columns + j % columns) as u32;
        for i in 0..across {
            for j in 0..along {
                let quad = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                self.quads.push(if outward < 0.0 { [quad[3], quad[2], quad[1], quad[0]] } else { quad });
            }
        }
    }

    /// All directions around a point; `extra` is how much farther the surface is than the thickness.
    fn sphere(&mut self, center: DVec3, extra: f64) {
        self.thickness += extra;
        self.lune(center, (DVec3::Z, DVec3::X), TAU);
    }

    /// Directions from `center` in a wedge about `axis`, from the half-plane of `from` through `angle`.
    fn lune(&mut self, center: DVec3, (axis, from): (DVec3, DVec3), angle: f64) {
        if angle <= 1e-9 {
            return;
        }
        let (side, wraps) = (axis.cross(from), angle >= TAU);
        let counts = (self.count(PI * self.thickness), self.count(angle * self.thickness));
        self.sheet(counts, wraps, |u, v| {
            let ((s, c), (sin, cos)) = ((PI * u).sin_cos(), (angle * v).sin_cos());
            (center, s * (cos * from + sin * side) + c * axis)
        });
    }

    /// Around the segment from `a` to `b`, from the unit vector `from` across it through `angle`.
    fn tube(&mut self, (a, b): (DVec3, DVec3), from: DVec3, angle: f64) {
        if angle <= 1e-9 {
            return;
        }
        let side = (b - a).normalize().cross(from);
        let counts = (self.count(a.distance(b)), self.count(angle * self.thickness));
        self.sheet(counts, angle >= TAU, |u, v| {
            let (sin, cos) = (angle * v).sin_cos();
            (a.lerp(b, u), cos * from + sin * side)
        });
    }

    /// Half a sphere that faces along the unit vector `out`.
    fn half_sphere(&mut self, center: DVec3, out: DVec3) {
        let axis = out.any_orthonormal_vector();
        // A quarter turn before `out` to a quarter turn after it.
        self.lune(center, (axis, out.cross(axis)), PI);
    }

    fn polyline(&mut self, line: &Polyline) {
        self.segments(&line.points().windows(2).map(|p| p.to_vec()).collect::<Vec<_>>());
    }

    /// Segments in any order: tubes, wedges where two meet, half spheres at free ends, and spheres where more meet, of
    /// which all but what is beyond the segments ends at once.
    fn segments(&mut self, segments: &[Vec<DVec3>]) {
        // From each place, which ways segments go.
        let mut ways: BTreeMap<Bits, (DVec3, Vec<DVec3>)> = BTreeMap::new();
        for s in segments.iter().filter(|s| s[0] != s[1]) {
            let way = (s[1] - s[0]).normalize();
            self.tube((s[0], s[1]), way.any_orthonormal_vector(), TAU);
            for (p, way) in [(s[0], way), (s[1], -way)] {
                ways.entry(bits(p)).or_insert((p, Vec::new())).1.push(way);
            }
        }
        for (p, ways) in ways.values() {
            match ways[..] {
                [only] => self.half_sphere(*p, -only),
                [one, other] => self.bend(*p, -one, other),
                _ => self.lune(*p, (DVec3::Z, DVec3::X), TAU),
            }
        }
    }

    /// What is beyond the end of one tube and before the beginning of the next.
    fn bend(&mut self, at: DVec3, before: DVec3, after: DVec3) {
        let angle = before.dot(after).clamp(-1.0, 1.0).acos();
        match before.cross(after).try_normalize() {
            Some(axis) => self.lune(at, (axis, before.cross(axis)), angle),
            None if angle > 1.0 => self.half_sphere(at, before),
            None => {}
        }
    }

    fn curve(&mut self, curve: &SmoothCurve) {
        for piece in curve.pieces() {
            // Cut, so that no part turns far from the direction its frame is made for.
            for part in 0..4 {
                let place = |u: f64| bezier(piece, (f64::from(part) + u) / 4.0);
                let across = tangent(place, 0.5).any_orthonormal_vector();
                let length: f64 =
                    (0..8).map(|i| place(f64::from(i) / 8.0).distance(place(f64::from(i + 1) / 8.0))).sum();
                let counts = (self.count(length), self.count(TAU * self.thickness));
                self.sheet(counts, true, |u, v| {
                    let way = tangent(place, u);
                    let from = across.reject_from_normalized(way).normalize_or_zero();
                    let (sin, cos) = (TAU * v).sin_cos();
                    (place(u), cos * from + sin * way.cross(from))
                });
            }
        }
        if let (false, Some(first), Some(last)) = (curve.closed(), curve.pieces().first(), curve.pieces().last()) {
            self.half_sphere(first[0], -tangent(|u| bezier(first, u), 0.0));
            self.half_sphere(last[3], tangent(|u| bezier(last, u), 1.0));
        }
    }

    /// Both sides of a flat face.
    fn face(&mut self, [a, b, c]: [DVec3; 3]) {
        let Some(normal) = (b - a).cross(c - a).try_normalize() else { return };
        let counts = (self.count(a.distance(b).max(a.distance(c))), self.count(b.distance(c)));
        for side in [normal, -normal] {
            self.sheet(counts, false, |u, v| (a + u * (b.lerp(c, v) - a), side));
        }
    }

    fn triangle(&mut self, triangle: &Triangle) {
        let corners = triangle.corners();
        self.face(corners);
        let normal = triangle.normal();
        for i in 0..3 {
            let (a, b, c) = (corners[i], corners[(i + 1) % 3], corners[(i + 2) % 3]);
            self.tube((a, b), if (b - a).cross(normal).dot(c - a) > 0.0 { -normal } else { normal }, PI);
            // Behind both edges that meet in a.
            let (to_b, to_c) = ((b - a).normalize(), (c - a).normalize());
            let inner = to_b.dot(to_c).clamp(-1.0, 1.0).acos();
            let axis = to_b.cross(to_c).normalize();
            self.lune(a, (axis, axis.cross(to_c)), PI - inner);
        }
    }

    fn mesh(&mut self, mesh: &TriangleMesh) {
        let at = |t: &[u32; 3]| t.map(|i| mesh.vertices()[i as usize]).to_vec();
        self.soup(&mesh.triangles().iter().map(at).collect::<Vec<_>>());
    }

    /// Triangles that may share edges and corners: faces, arcs around edges where no face is, and spheres at corners, of
    /// which all but what is beyond the faces ends at once.
    fn soup(&mut self, triangles: &[Vec<DVec3>]) {
        // By ends: which corners lie across.
        let mut edges: BTreeMap<[Bits; 2], ([DVec3; 2], Vec<DVec3>)> = BTreeMap::new();
        let mut corners: BTreeMap<Bits, DVec3> = BTreeMap::new();
        for t in triangles {
            self.face([t[0], t[1], t[2]]);
            for i in 0..3 {
                let (a, b, c) = (t[i], t[(i + 1) % 3], t[(i + 2) % 3]);
                let (low, high) = if bits(a) <= bits(b) { (a, b) } else { (b, a) };
                edges.entry([bits(low), bits(high)]).or_insert(([low, high], Vec::new())).1.push(c);
                corners.insert(bits(a), a);
            }
        }
        for &([a, b], ref across) in edges.values() {
            let Some(way) = (b - a).try_normalize() else { continue };
            let inward: Vec<DVec3> =
                across.iter().filter_map(|c| (*c - a).reject_from_normalized(way).try_normalize()).collect();
            // The middle of what is behind all faces, if anything is.
            let Some(out) = (-inward.iter().sum::<DVec3>()).try_normalize() else { continue };
            let half = inward.iter().map(|n| PI / 2.0 - (PI - out.dot(*n).clamp(-1.0, 1.0).acos())).fold(PI, f64::min);
            if half > 0.0 {
                let side = way.cross(out);
                self.tube((a, b), half.cos() * out - half.sin() * side, 2.0 * half);
            }
        }
        for corner in corners.values() {
            self.lune(*corner, (DVec3::Z, DVec3::X), TAU);
        }
    }

    fn patch(&mut self, patch: &SurfacePatch) {
        let rate = |u: f64, v: f64| {
            let h = 1e-6;
            let (a, b) = (patch.point(u + h, v) - patch.point(u - h, v), patch.point(u, v + h) - patch.point(u, v - h));
            (a / (2.0 * h), b / (2.0 * h))
        };
        let normal = |u: f64, v: f64| {
            let (a, b) = rate(u, v);
            a.cross(b).normalize_or_zero()
        };
        let length = |p: &dyn Fn(f64) -> DVec3| -> f64 {
            (0..16).map(|i| p(f64::from(i) / 16.0).distance(p(f64::from(i + 1) / 16.0))).sum()
        };
        let counts = (self.count(length(&|u| patch.point(u, 0.5))), self.count(length(&|v| patch.point(0.5, v))));
        for side in [1.0, -1.0] {
            self.sheet(counts, false, |u, v| (patch.point(u, v), side * normal(u, v)));
        }
        // Half a turn around each edge, from one side over the outside to the other.
        for edge in 0..4 {
            let place = |s: f64| match edge {
                0 => (s, 0.0),
                1 => (1.0, s),
                2 => (1.0 - s, 1.0),
                _ => (0.0, 1.0 - s),
            };
            let counts =
                (self.count(length(&|s| patch.point(place(s).0, place(s).1))), self.count(PI * self.thickness));
            let outward = |s: f64| {
                let (u, v) = place(s);
                let (a, b) = rate(u, v);
                let way = [a, b, -a, -b][edge].normalize_or_zero();
                (way.cross(normal(u, v)), normal(u, v))
            };
            self.sheet(counts, false, |s, w| {
                let ((out, n), (sin, cos)) = (outward(s), (PI * w).sin_cos());
                (patch.point(place(s).0, place(s).1), cos * n + sin * out)
            });
            // Beyond both edges that meet in this one's beginning.
            let (u, v) = place(0.0);
            let (a, b) = rate(u, v);
            let before = [-b, a, b, -a][edge].normalize_or_zero();
            let from = before.cross(normal(u, v));
            let angle = from.dot(outward(0.0).0).clamp(-1.0, 1.0).acos();
            if from.cross(outward(0.0).0).dot(normal(u, v)) > 0.0 {
                self.lune(patch.point(u, v), (normal(u, v), from), angle);
            }
        }
    }

    fn disc(&mut self, disc: &Disc) {
        let (c, n, radius) = (disc.center(), disc.normal(), disc.radius());
        let x = n.any_orthonormal_vector();
        let y = n.cross(x);
        let out = |v: f64| (TAU * v).cos() * x + (TAU * v).sin() * y;
        let around = self.count(TAU * (radius + self.thickness));
        let counts = (self.count(radius), around);
        for side in [n, -n] {
            self.sheet(counts, true, |u, v| (c + radius * u * out(v), side));
        }
        let counts = (self.count(PI * self.thickness), around);
        self.sheet(counts, true, |u, v| {
            let (sin, cos) = (PI * u).sin_cos();
            (c + radius * out(v), cos * n + sin * out(v))
        });
    }

    fn circle(&mut self, circle: &Circle) {
        let (c, n, radius) = (circle.center(), circle.normal(), circle.radius());
        let x = n.any_orthonormal_vector();
        let y = n.cross(x);
        let out = |v: f64| (TAU * v).cos() * x + (TAU * v).sin() * y;
        let around = self.count(TAU * (radius + self.thickness));
        // In two halves: the outer one, and the inner one, which ends on the axis.
        for start in [0.0, PI] {
            let counts = (self.count(PI * self.thickness), around);
            self.sheet(counts, true, |u, v| {
                let (sin, cos) = (start + PI * u).sin_cos();
                (c + radius * out(v), cos * n + sin * out(v))
            });
        }
    }

    /// From the centre through each of six sides.
    fn cuboid(&mut self, cuboid: &Cuboid) {
        let (center, half) = (cuboid.center(), cuboid.half_size());
        self.thickness += half.max_element();
        for axis in 0..3 {
            let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
            let counts = (self.count(2.0 * half[a]), self.count(2.0 * half[b]));
            for sign in [1.0, -1.0] {
                self.sheet(counts, false, |u, v| {
                    let mut p = DVec3::ZERO;
                    (p[axis], p[a], p[b]) = (sign * half[axis], (2.0 * u - 1.0) * half[a], (2.0 * v - 1.0) * half[b]);
                    (center, p.normalize())
                });
            }
        }
    }
}

/// A place as a key: equal only to itself.
type Bits = [u64; 3];

fn bits(p: DVec3) -> Bits {
    p.to_array().map(f64::to_bits)
}

fn bezier(p: &[DVec3; 4], t: f64) -> DVec3 {
    let s = 1.0 - t;
    s * s * s * p[0] + 3.0 * s * s * t * p[1] + 3.0 * s * t * t * p[2] + t * t * t * p[3]
}

fn tangent(place: impl Fn(f64) -> DVec3, u: f64) -> DVec3 {
    (place(u + STEP) - place(u - STEP)).normalize_or_zero()
}
