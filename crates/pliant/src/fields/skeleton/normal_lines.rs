//! Normal lines of a skeleton, which fill the space around it.
//!
//! *The idea*: every point of space lies on one line normal to a skeleton, through its closest point on it (of a
//! volume: on a line from its centre). Such lines form sheets `x(u, v, r) = o(u, v) + r ω(u, v)`, and the volume
//! between neighbours has the density `J(r) = |∂x/∂u, ∂x/∂v, ω|`, a quadratic polynomial `j₀ + j₁ r + j₂ r²`. So one
//! formula weighs lines from points, curves and faces alike. Sheets are sampled up to their edges, where the next one
//! begins, so that their polygons leave no cracks. This file has the sheets that several kinds share; each kind adds
//! its own ([`Distance::normal_lines`](super::Distance::normal_lines)).

use crate::math::DVec3;
use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

/// A normal line of a skeleton, in the skeleton's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalLine {
    /// Its closest point on the skeleton, or the centre of a volume.
    pub origin: DVec3,
    /// Unit vector.
    pub direction: DVec3,
    /// `j₀, j₁, j₂`, times the quadrature weight of the line.
    spread: [f64; 3],
}

impl NormalLine {
    /// The point `r` metres from the origin.
    pub fn at(&self, r: f64) -> DVec3 {
        self.origin + r * self.direction
    }

    /// The line's share of the volume between its origin and `r`, cubic metres.
    pub fn volume(&self, r: f64) -> f64 {
        let [a, b, c] = self.spread;
        r * (a + r * (b / 2.0 + r * c / 3.0))
    }

    /// The line's share of the area across it at `r`, square metres.
    pub fn section(&self, r: f64) -> f64 {
        let [a, b, c] = self.spread;
        (a + r * (b + r * c)).max(0.0)
    }
}

/// The normal lines of one skeleton.
#[derive(Clone, Debug, Default)]
pub struct NormalLines {
    /// The lines, sheet by sheet.
    pub lines: Vec<NormalLine>,
    /// Polygons between neighbours, counter-clockwise seen from outside.
    pub quads: Vec<[u32; 4]>,
    /// Greatest length of a line within the volume of the skeleton, metres; zero for curves and surfaces.
    pub inner_length: f64,
    /// Distance of neighbouring lines at `thickness`, metres.
    spacing: f64,
    thickness: f64,
}

/// Step of the finite differences along a sheet.
const STEP: f64 = 1e-5;
/// Least number of intervals of a sheet: fewer have no end corrections.
const MIN_INTERVALS: usize = 6;

/// Weight of node `i` of `n + 1` on an interval of length 1: the trapezoid's with Gregory's corrections at the ends.
fn gregory(i: usize, n: usize) -> f64 {
    let ends = [3.0 / 8.0, 7.0 / 6.0, 23.0 / 24.0];
    ends.get(i.min(n - i)).copied().unwrap_or(1.0) / n as f64
}

impl NormalLines {
    /// No lines yet; `around` of them will be spaced over half a turn at the distance `thickness` from the skeleton.
    pub fn new(thickness: f64, around: usize) -> Self {
        Self { spacing: PI * thickness / around as f64, thickness, ..Self::default() }
    }

    /// Distance from the skeleton for which lines are spaced, metres.
    pub(super) fn thickness(&self) -> f64 {
        self.thickness
    }

    /// Lines of a volume start at its centre, from which it reaches `inner_length`; `extra` is added to the distance at which they
    /// are spaced.
    pub(super) fn start_at_center(&mut self, inner_length: f64, extra: f64) {
        self.inner_length = inner_length;
        self.thickness += extra;
    }

    /// Adds lines of segments or triangles, given by their corners.
    pub(crate) fn polygons(&mut self, polygons: &[Vec<DVec3>]) {
        if polygons.iter().any(|p| p.len() > 2) { self.triangles(polygons) } else { self.segments(polygons) }
    }

    /// Number of intervals along a curve of `length` at the surface.
    pub(super) fn count(&self, length: f64) -> usize {
        ((length / self.spacing).ceil() as usize).clamp(MIN_INTERVALS, 4096)
    }

    /// Adds a sheet: lines `(o, ω)` for `u` and `v` from 0 to 1, in `intervals` along each. If it `wraps`, v = 1 coincides with v = 0.
    pub(super) fn sheet(&mut self, intervals: (usize, usize), wraps: bool, line: impl Fn(f64, f64) -> (DVec3, DVec3)) {
        let (across, along) = intervals;
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
                // Lines diverge from the skeleton: the first coefficient that is not negligible gives their orientation.
                let t = self.thickness;
                let sizes = [parts[0], t * parts[1], t * t * parts[2]];
                let most = sizes.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
                let sign = sizes.iter().find(|x| x.abs() > 1e-6 * most).map_or(1.0, |x| x.signum());
                outward += sign * most;
                let weight = gregory(i, across) * if wraps { 1.0 / along as f64 } else { gregory(j, along) };
                self.lines.push(NormalLine { origin, direction, spread: parts.map(|p| sign * weight * p) });
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

    /// Adds lines in all directions from a point.
    pub(super) fn sphere(&mut self, center: DVec3) {
        self.lune(center, DVec3::Z, DVec3::X, TAU);
    }

    /// Adds lines from `center` in a wedge about `axis`, from the half-plane of `from` through `angle`.
    pub(super) fn lune(&mut self, center: DVec3, axis: DVec3, from: DVec3, angle: f64) {
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

    /// Adds lines around the segment from `a` to `b`, from the unit vector `from` normal to it through `angle`.
    pub(super) fn tube(&mut self, a: DVec3, b: DVec3, from: DVec3, angle: f64) {
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

    /// Adds lines in the half sphere of directions around the unit vector `out`.
    pub(super) fn half_sphere(&mut self, center: DVec3, out: DVec3) {
        let axis = out.any_orthonormal_vector();
        // A quarter turn before `out` to a quarter turn after it.
        self.lune(center, axis, out.cross(axis), PI);
    }

    /// Adds lines of segments in any order: tubes, wedges where two meet, half spheres at free ends, and spheres where more meet,
    /// whose lines have no length except beyond the segments.
    pub(super) fn segments(&mut self, segments: &[Vec<DVec3>]) {
        // Directions of the segments that leave each point.
        let mut ways: BTreeMap<Bits, (DVec3, Vec<DVec3>)> = BTreeMap::new();
        for s in segments.iter().filter(|s| s[0] != s[1]) {
            let way = (s[1] - s[0]).normalize();
            self.tube(s[0], s[1], way.any_orthonormal_vector(), TAU);
            for (p, way) in [(s[0], way), (s[1], -way)] {
                ways.entry(bits(p)).or_insert((p, Vec::new())).1.push(way);
            }
        }
        for (p, ways) in ways.values() {
            match ways[..] {
                [only] => self.half_sphere(*p, -only),
                [one, other] => self.bend(*p, -one, other),
                _ => self.lune(*p, DVec3::Z, DVec3::X, TAU),
            }
        }
    }

    /// Adds lines in the wedge between the end of one tube and the beginning of the next.
    fn bend(&mut self, at: DVec3, before: DVec3, after: DVec3) {
        let angle = before.dot(after).clamp(-1.0, 1.0).acos();
        match before.cross(after).try_normalize() {
            Some(axis) => self.lune(at, axis, before.cross(axis), angle),
            None if angle > 1.0 => self.half_sphere(at, before),
            None => {}
        }
    }

    /// Adds lines on both sides of a flat face.
    pub(super) fn face(&mut self, [a, b, c]: [DVec3; 3]) {
        let Some(normal) = (b - a).cross(c - a).try_normalize() else { return };
        let counts = (self.count(a.distance(b).max(a.distance(c))), self.count(b.distance(c)));
        for side in [normal, -normal] {
            self.sheet(counts, false, |u, v| (a + u * (b.lerp(c, v) - a), side));
        }
    }

    /// Adds lines of triangles that may share edges and corners: faces, arcs around edges where there is no face, and spheres at
    /// corners, whose lines have no length except beyond the faces.
    pub(super) fn triangles(&mut self, triangles: &[Vec<DVec3>]) {
        // Opposite corners, by the ends of an edge.
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
            // The mean direction away from all faces, if there is one.
            let Some(out) = (-inward.iter().sum::<DVec3>()).try_normalize() else { continue };
            let half = inward.iter().map(|n| PI / 2.0 - (PI - out.dot(*n).clamp(-1.0, 1.0).acos())).fold(PI, f64::min);
            if half > 0.0 {
                let side = way.cross(out);
                self.tube(a, b, half.cos() * out - half.sin() * side, 2.0 * half);
            }
        }
        for corner in corners.values() {
            self.lune(*corner, DVec3::Z, DVec3::X, TAU);
        }
    }
}

/// Bits of a point, as a key.
type Bits = [u64; 3];

fn bits(p: DVec3) -> Bits {
    p.to_array().map(f64::to_bits)
}

/// Unit tangent of a curve, by differences.
pub(super) fn tangent(place: impl Fn(f64) -> DVec3, u: f64) -> DVec3 {
    (place(u + STEP) - place(u - STEP)).normalize_or_zero()
}
