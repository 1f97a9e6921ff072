//! Samples of a body's visible surface, along lines from its skeletons.
//!
//! *The idea* ([CD97] §III-D, [G93] §4.1): samples move along lines fixed in the frame of their skeleton. The *territory* of an
//! element is the part of the body where its contribution is the greatest; a sample lies on the boundary of the territory, and is
//! valid where that is the visible surface. Each has a share of the area and of the volume.
//! *What we changed*: the lines are normal to the skeleton ([`NormalLines`]), so that each point of the body lies on one line of one
//! element and volumes add up, whatever the shape; a line that leaves its territory and returns is split into spans, counted in
//! [`Sampled::split`], and integrated over all of them.
//! *Not promised*: parts thinner than the spacing of samples along a line may be missed; polygons of different skeletons do not
//! share vertices.
//!
//! ```text
//! Sampling (lines, last ends) ── of a Deformed ──▶ Sampled (samples, volumes, boxes) ──▶ Mesh, one piece a skeleton
//! ```
//!
//! [CD97]: https://doi.org/10.1109/2945.582343
//! [G93]: https://doi.org/10.1145/166117.166157

#[cfg(test)]
mod tests;

use super::mesh::Mesh;
use crate::fields::skeleton::{NormalLine, NormalLines};
use crate::fields::{Element, Field, Shape};
use crate::math::{Aabb, DVec3, bracketed_root};
use crate::visible::Deformed;
use rayon::prelude::*;
use std::ops::Range;

/// A point on the boundary of a territory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceSample {
    /// Position in the world, metres.
    pub position: DVec3,
    /// Unit outward normal of the visible surface; of an invalid sample, the direction of its line.
    pub normal: DVec3,
    /// Its share of the visible surface, m².
    pub area: f64,
    /// Share of the volume along its line, m³.
    pub volume: f64,
    /// Whether it is on the visible surface, and not between two territories.
    pub valid: bool,
    /// Index of the element its line belongs to.
    pub element: usize,
}

/// The part of a body that belongs to one element.
#[derive(Clone, Debug, PartialEq)]
pub struct Territory {
    /// Index of the element.
    pub element: usize,
    /// Volume, m³.
    pub volume: f64,
    /// Area of its part of the visible surface, m².
    pub area: f64,
    /// Box around its samples.
    pub bounds: Aabb,
}

/// The samples of a body.
#[derive(Clone, Debug, Default)]
pub struct Sampled {
    /// The outermost sample of each line; those of one element are contiguous.
    pub samples: Vec<SurfaceSample>,
    /// Territories of the bounded elements.
    pub territories: Vec<Territory>,
    /// Number of lines that leave their territory and return: where it is not star-shaped about its skeleton.
    pub split: usize,
    quads: Vec<[u32; 4]>,
}

/// The lines along which a body is sampled, with the ends found last as warm starts.
#[derive(Clone, Debug)]
pub struct Sampling {
    element_lines: Vec<ElementLines>,
    /// Steps along each line.
    steps: usize,
}

/// The lines of one element.
#[derive(Clone, Debug)]
struct ElementLines {
    element: usize,
    lines: NormalLines,
    /// Upper bound of the length of a line in its territory, metres.
    length: f64,
    /// Other elements whose influence overlaps its own.
    rivals: Vec<usize>,
    /// End of each line, if it has a single span.
    last: Vec<Option<f64>>,
}

/// Default number of samples to half a turn: volumes are then within a thousandth.
pub const DEFAULT_FINENESS: usize = 32;

/// Steps along a line, for each sample to half a turn.
const STEPS: usize = 1;
/// Distance from its last end within which the end of a line is searched first, as a fraction of its length.
const NEARBY: f64 = 0.03;
/// Tolerance of an end, as a fraction of the line's length.
const TOLERANCE: f64 = 1e-12;

/// Membership of a point of a line in the line's territory.
#[derive(Clone, Copy, PartialEq)]
enum Membership {
    Inside,
    /// Outside the body.
    Outside,
    /// In the territory of another element.
    Foreign,
    /// Nearer to another point of the same skeleton, so on another of its lines.
    OtherLine,
}

/// A part of a line within its territory.
#[derive(Clone, Copy)]
struct LineSpan {
    from: f64,
    to: f64,
    /// Whether its ends are on the visible surface.
    surface: [bool; 2],
}

impl Sampling {
    /// For a body of `shape`, with `fineness` samples to half a turn around each skeleton ([`DEFAULT_FINENESS`]).
    pub fn new(shape: &Shape, fineness: usize) -> Self {
        let fineness = fineness.max(6);
        let elements = shape.elements();
        let lines_of = |(element, e): (usize, &Element)| {
            let lines = e.normal_lines(fineness);
            let rivals = shape.elements_within(&e.influence_bounds()).into_iter().filter(|&j| j != element).collect();
            let length = match e.kernel() {
                Some(kernel) if e.is_volume() => lines.inner_length + kernel.radius(),
                _ => e.thickness() + e.blend(),
            };
            let last = vec![None; lines.lines.len()];
            ElementLines { element, lines, length, rivals, last }
        };
        Self { element_lines: elements.iter().enumerate().map(lines_of).collect(), steps: (STEPS * fineness).max(16) }
    }

    /// Samples `body`, which must have the shape given to [`Sampling::new`]. The search on each line starts at its last end.
    pub fn sample(&mut self, body: &Deformed) -> Sampled {
        let mut all = Sampled::default();
        let steps = self.steps;
        for lines_of in &mut self.element_lines {
            let ElementLines { element, lines, length, rivals, last } = lines_of;
            let sampler = LineSampler { body, element: *element, rivals, length: *length, steps };
            let spans: Vec<Vec<LineSpan>> =
                lines.lines.par_iter().zip(last.par_iter()).map(|(line, last)| sampler.spans(line, *last)).collect();
            let first = all.samples.len() as u32;
            let (mut volume, mut area, mut bounds) = (0.0, 0.0, Aabb::EMPTY);
            for (i, (line, parts)) in lines.lines.iter().zip(&spans).enumerate() {
                let sample = sampler.sample(line, parts);
                volume += sample.volume;
                area += sample.area;
                bounds = bounds.union(&Aabb { min: sample.position, max: sample.position });
                all.split += usize::from(parts.len() > 1);
                last[i] = if let [only] = parts[..] { Some(only.to) } else { None };
                all.samples.push(sample);
            }
            all.quads.extend(lines.quads.iter().map(|q| q.map(|i| i + first)));
            if !lines.lines.is_empty() {
                all.territories.push(Territory { element: *element, volume, area, bounds });
            }
        }
        all
    }
}

/// Sampling of the lines of one element.
struct LineSampler<'a> {
    body: &'a Deformed<'a>,
    element: usize,
    rivals: &'a [usize],
    length: f64,
    steps: usize,
}

impl LineSampler<'_> {
    fn membership(&self, line: &NormalLine, r: f64) -> Membership {
        let shape = self.body.field.shape;
        let p = line.at(r);
        let own = &shape.elements()[self.element];
        if !own.is_volume()
            && own.medial_point(p).is_some_and(|closest_point| closest_point.distance(p) < r * (1.0 - 1e-7))
        {
            return Membership::OtherLine;
        }
        if self.excess(p) < 0.0 {
            return Membership::Outside;
        }
        let value = own.sample(p).value;
        let exceeds = |&j: &usize| {
            let other = shape.elements()[j].sample(p).value;
            other > value || (other == value && j < self.element)
        };
        if self.rivals.iter().any(exceeds) { Membership::Foreign } else { Membership::Inside }
    }

    /// Excess of the deformed field over the isovalue at a point in the body's frame.
    fn excess(&self, p: DVec3) -> f64 {
        let field = &self.body.field;
        self.body.value(field.world_from_body.point(p)) - field.shape.iso()
    }

    /// Spans of `line` within its territory.
    fn spans(&self, line: &NormalLine, last: Option<f64>) -> Vec<LineSpan> {
        if let Some(end) = last {
            let (near, far) = (end * (1.0 - NEARBY), end * (1.0 + NEARBY));
            if end > 0.0 && self.membership(line, near) == Membership::Inside {
                let beyond = self.membership(line, far);
                if beyond != Membership::Inside {
                    let (to, surface) = self.end(line, near..far, beyond);
                    return vec![LineSpan { from: 0.0, to, surface: [false, surface] }];
                }
            }
        }
        let mut parts: Vec<LineSpan> = Vec::new();
        let at = |i: usize| self.length * i as f64 / self.steps as f64;
        // Many lines meet on the skeleton itself, so the first point is just off it.
        let mut here = (1e-6 * self.length, self.membership(line, 1e-6 * self.length));
        let mut open = (here.1 == Membership::Inside).then_some((0.0, false));
        for i in 1..=self.steps {
            let next = (at(i), self.membership(line, at(i)));
            match (here.1 == Membership::Inside, next.1 == Membership::Inside) {
                (true, false) => {
                    let (to, surface) = self.end(line, here.0..next.0, next.1);
                    let (from, starts) = open.take().unwrap_or((0.0, false));
                    parts.push(LineSpan { from, to, surface: [starts, surface] });
                }
                (false, true) => open = Some(self.end(line, next.0..here.0, here.1)),
                _ => {}
            }
            here = next;
        }
        if let Some((from, starts)) = open {
            parts.push(LineSpan { from, to: self.length, surface: [starts, false] });
        }
        parts
    }

    /// End of the territory between a point inside, the start of `bracket`, and one that is not, with membership `beyond`; and
    /// whether it is on the visible surface.
    fn end(&self, line: &NormalLine, bracket: Range<f64>, beyond: Membership) -> (f64, bool) {
        let Range { start: inside, end: outside } = bracket;
        if beyond == Membership::Outside {
            let root = bracketed_root(|r| self.excess(line.at(r)), (inside, outside), TOLERANCE * self.length);
            // On the visible surface, if the territory reaches up to it.
            if let Some(r) = root {
                let short = r + (inside - outside).signum() * 1e-9 * self.length;
                if self.membership(line, short) == Membership::Inside {
                    return (r, true);
                }
            }
        }
        let (mut near, mut far) = (inside, outside);
        while (far - near).abs() > 1e-9 * self.length {
            let middle = 0.5 * (near + far);
            if self.membership(line, middle) == Membership::Inside { near = middle } else { far = middle }
        }
        (near, false)
    }

    /// The sample of a line, from its spans.
    fn sample(&self, line: &NormalLine, parts: &[LineSpan]) -> SurfaceSample {
        let frame = self.body.field.world_from_body;
        let volume = parts.iter().map(|s| line.volume(s.to) - line.volume(s.from)).sum();
        let ends = parts.iter().flat_map(|s| [(s.from, s.surface[0]), (s.to, s.surface[1])]);
        let (to, valid) = parts.last().map_or((0.0, false), |s| (s.to, s.surface[1]));
        // A line that ends at another territory may still have a share of the surface beyond.
        let beyond = if valid { None } else { self.exit(line, to) };
        let area = ends.filter(|e| e.1).map(|e| e.0).chain(beyond).map(|r| self.area(line, r)).sum();
        let normal = if valid { frame.vector(self.normal(line.at(to))) } else { frame.vector(line.direction) };
        SurfaceSample { position: frame.point(line.at(to)), normal, area, volume, valid, element: self.element }
    }

    /// Outward normal of the visible surface at a point, both in the body's frame.
    fn normal(&self, p: DVec3) -> DVec3 {
        let frame = self.body.field.world_from_body;
        frame.inverse().vector(-self.body.sample(frame.point(p)).gradient.normalize_or_zero())
    }

    /// Exit from the body of a line that ended at `from`, at another territory.
    fn exit(&self, line: &NormalLine, from: f64) -> Option<f64> {
        let step = self.length / self.steps as f64;
        let mut here = from;
        for _ in 0..self.steps {
            let next = here + step;
            match self.membership(line, next) {
                Membership::OtherLine => return None,
                Membership::Outside => {
                    return bracketed_root(|r| self.excess(line.at(r)), (here, next), TOLERANCE * self.length);
                }
                _ => here = next,
            }
        }
        None
    }

    /// Share of the surface of a line that leaves the body at `r`: its cross-section on the surface, clipped to the territory by the
    /// distance of the nearest boundary.
    fn area(&self, line: &NormalLine, r: f64) -> f64 {
        let p = line.at(r);
        let normal = self.normal(p);
        let slant = normal.dot(line.direction).abs();
        if slant < 1e-6 {
            return 0.0;
        }
        let whole = line.section(r) / slant;
        let elements = self.body.field.shape.elements();
        let own = elements[self.element].sample(p);
        let covered = |&j: &usize| {
            let other = elements[j].sample(p);
            let ahead = own.value - other.value;
            let rate = (own.gradient - other.gradient).reject_from(normal).length() * whole.sqrt();
            let tie = if j < self.element { 0.0 } else { 1.0 };
            if rate > 0.0 {
                (0.5 + ahead / rate).clamp(0.0, 1.0)
            } else if ahead == 0.0 {
                tie
            } else {
                f64::from(u8::from(ahead > 0.0))
            }
        };
        whole * self.rivals.iter().map(covered).fold(1.0, f64::min)
    }
}

impl Sampled {
    /// Volume of all territories, m³.
    pub fn volume(&self) -> f64 {
        self.territories.iter().map(|t| t.volume).sum()
    }

    /// Area of the visible surface, m².
    pub fn area(&self) -> f64 {
        self.territories.iter().map(|t| t.area).sum()
    }

    /// Box around the valid samples.
    pub fn bounds(&self) -> Aabb {
        Aabb::of_points(self.samples.iter().filter(|s| s.valid).map(|s| s.position))
    }

    /// Quads between neighbouring samples, one open mesh a skeleton; they intersect where territories meet. For fast previews;
    /// [`mesh_of`](super::mesh_of) makes a closed surface.
    pub fn mesh(&self) -> Mesh {
        let seen = |q: &&[u32; 4]| q.iter().any(|i| self.samples[*i as usize].valid);
        Mesh {
            positions: self.samples.iter().map(|s| s.position).collect(),
            normals: self.samples.iter().map(|s| s.normal).collect(),
            quads: self.quads.iter().filter(seen).copied().collect(),
            pressure: vec![0.0; self.samples.len()],
            velocity: vec![DVec3::ZERO; self.samples.len()],
            element: self.samples.iter().map(|s| s.element as u32).collect(),
            triangles: Vec::new(),
        }
    }
}
