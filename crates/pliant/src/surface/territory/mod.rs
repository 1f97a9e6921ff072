//! Samples of a body's visible surface, sent out by its skeletons.
//!
//! *The idea* ([CD97] §III-D, [G93] §4.1): each skeleton sends samples along directions fixed in its own frame. The
//! *territory* of a skeleton is where the body is and where its own contribution exceeds all others'; a sample goes to the
//! territory's border, and is valid where that is the visible surface. Each stands for a piece of area and of volume.
//! *What we changed*: directions are the lines at right angles to the skeleton ([`NormalLines`]), so that each point of the body
//! lies on one line of one skeleton and volumes add up, whatever its form; a line that leaves its territory and comes
//! back is followed in pieces, counted in [`Sampled::split`], and measured right.
//! *Not promised*: what is thinner than a look along a line may be passed over; polygons of different skeletons do not
//! share vertices.
//!
//! ```text
//! Sampling (lines, where each ended) ── of a Deformed ──▶ Sampled (samples, volumes, boxes) ──▶ Mesh, in pieces
//! ```
//!
//! [CD97]: https://doi.org/10.1109/2945.582343
//! [G93]: https://doi.org/10.1145/166117.166157

#[cfg(test)]
mod tests;

use super::Mesh;
use crate::fields::skeleton::{NormalLine, NormalLines};
use crate::fields::{Element, Field, Shape};
use crate::math::{Aabb, DVec3, bracketed_root};
use crate::visible::Deformed;
use rayon::prelude::*;

/// A place on a territory's border.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceSample {
    /// World.
    pub position: DVec3,
    /// Unit, outward, of the visible surface; of a sample that is not valid, along its line.
    pub normal: DVec3,
    /// What it stands for, square metres; nothing unless valid.
    pub area: f64,
    /// What its line stands for, cubic metres.
    pub volume: f64,
    /// Whether it is on the visible surface, not between two skeletons' territories.
    pub valid: bool,
    /// Which of the body's elements sent it.
    pub element: usize,
}

/// One skeleton's part of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Territory {
    /// Which of the body's elements.
    pub element: usize,
    /// Cubic metres.
    pub volume: f64,
    /// Of its part of the visible surface, square metres.
    pub area: f64,
    /// Around its samples.
    pub bounds: Aabb,
}

/// A body, sampled.
#[derive(Clone, Debug, Default)]
pub struct Sampled {
    /// The last of each line; those of one element stand together.
    pub samples: Vec<SurfaceSample>,
    /// One for each element that is bounded.
    pub territories: Vec<Territory>,
    /// Lines that left their territory and came back: it is not star-shaped as seen from its skeleton.
    pub split: usize,
    quads: Vec<[u32; 4]>,
}

/// Where samples of a body go, and how far they went last.
#[derive(Clone, Debug)]
pub struct Sampling {
    element_lines: Vec<ElementLines>,
    looks: usize,
}

/// The lines of one element.
#[derive(Clone, Debug)]
struct ElementLines {
    element: usize,
    lines: NormalLines,
    /// No territory goes farther along a line, metres.
    reach: f64,
    /// Other elements that may exceed it somewhere.
    rivals: Vec<usize>,
    /// Where each line ended, if it ended once.
    last: Vec<Option<f64>>,
}

/// Samples to half a turn unless something else is asked for: volumes within a thousandth.
pub const USUAL_FINENESS: usize = 32;

/// Looks along a line for each sample to half a turn.
const LOOKS: usize = 1;
/// A line's end is looked for this far from where it was, as a part of it, before the whole line is.
const NEARBY: f64 = 0.03;
/// How near an end is found, as a part of the line's reach.
const EXACT: f64 = 1e-12;

/// What is true at a place on a line.
#[derive(Clone, Copy, PartialEq)]
enum Membership {
    Inside,
    /// Not in the body.
    Outside,
    /// In the body, but another element's.
    Foreign,
    /// Nearer to another place of the same skeleton.
    Elsewhere,
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
    /// For a body of `shape`, with `fineness` samples to half a turn around each skeleton ([`USUAL_FINENESS`]).
    pub fn new(shape: &Shape, fineness: usize) -> Self {
        let fineness = fineness.max(6);
        let elements = shape.elements();
        let lines_of = |(element, e): (usize, &Element)| {
            let lines = e.normal_lines(fineness);
            let rivals = shape.elements_within(&e.influence()).into_iter().filter(|&j| j != element).collect();
            let reach = match e.kernel() {
                Some(kernel) if e.is_volume() => lines.inner_length + kernel.radius(),
                _ => e.thickness() + e.blend(),
            };
            let last = vec![None; lines.lines.len()];
            ElementLines { element, lines, reach, rivals, last }
        };
        Self { element_lines: elements.iter().enumerate().map(lines_of).collect(), looks: (LOOKS * fineness).max(16) }
    }

    /// Samples `body`, which has the shape this was made for. Lines start from where they ended last.
    pub fn sample(&mut self, body: &Deformed) -> Sampled {
        let mut all = Sampled::default();
        let looks = self.looks;
        for lines_of in &mut self.element_lines {
            let ElementLines { element, lines, reach, rivals, last } = lines_of;
            let asked = LineQuery { body, element: *element, rivals, reach: *reach, looks };
            let spans: Vec<Vec<LineSpan>> =
                lines.lines.par_iter().zip(last.par_iter()).map(|(line, last)| asked.along(line, *last)).collect();
            let first = all.samples.len() as u32;
            let (mut volume, mut area, mut bounds) = (0.0, 0.0, Aabb::EMPTY);
            for (i, (line, parts)) in lines.lines.iter().zip(&spans).enumerate() {
                let sample = asked.sample(line, parts);
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

/// What is asked of the lines of one element.
struct LineQuery<'a> {
    body: &'a Deformed<'a>,
    element: usize,
    rivals: &'a [usize],
    reach: f64,
    looks: usize,
}

impl LineQuery<'_> {
    fn place(&self, line: &NormalLine, r: f64) -> Membership {
        let shape = self.body.field.shape;
        let p = line.at(r);
        let own = &shape.elements()[self.element];
        // Another place of the same skeleton is nearer: another of its lines leads here.
        if !own.is_volume() && own.core_point(p).is_some_and(|foot| foot.distance(p) < r * (1.0 - 1e-7)) {
            return Membership::Elsewhere;
        }
        if self.excess(p) < 0.0 {
            return Membership::Outside;
        }
        let value = own.sample(p).value;
        let beaten = |&j: &usize| {
            let other = shape.elements()[j].sample(p).value;
            other > value || (other == value && j < self.element)
        };
        if self.rivals.iter().any(beaten) { Membership::Foreign } else { Membership::Inside }
    }

    /// How far the deformed field is above the isovalue at a place of the body.
    fn excess(&self, p: DVec3) -> f64 {
        let field = &self.body.field;
        self.body.value(field.world_from_body.point(p)) - field.shape.iso()
    }

    /// Where `line` is within its territory.
    fn along(&self, line: &NormalLine, last: Option<f64>) -> Vec<LineSpan> {
        if let Some(end) = last {
            let (near, far) = (end * (1.0 - NEARBY), end * (1.0 + NEARBY));
            if end > 0.0 && self.place(line, near) == Membership::Inside {
                let beyond = self.place(line, far);
                if beyond != Membership::Inside {
                    let (to, surface) = self.end(line, (near, far), beyond);
                    return vec![LineSpan { from: 0.0, to, surface: [false, surface] }];
                }
            }
        }
        let mut parts: Vec<LineSpan> = Vec::new();
        let at = |i: usize| self.reach * i as f64 / self.looks as f64;
        // On the skeleton itself many lines meet: a hair beyond it they have parted.
        let mut here = (1e-6 * self.reach, self.place(line, 1e-6 * self.reach));
        let mut open = (here.1 == Membership::Inside).then_some((0.0, false));
        for i in 1..=self.looks {
            let next = (at(i), self.place(line, at(i)));
            match (here.1 == Membership::Inside, next.1 == Membership::Inside) {
                (true, false) => {
                    let (to, surface) = self.end(line, (here.0, next.0), next.1);
                    let (from, starts) = open.take().unwrap_or((0.0, false));
                    parts.push(LineSpan { from, to, surface: [starts, surface] });
                }
                (false, true) => open = Some(self.end(line, (next.0, here.0), here.1)),
                _ => {}
            }
            here = next;
        }
        if let Some((from, starts)) = open {
            parts.push(LineSpan { from, to: self.reach, surface: [starts, false] });
        }
        parts
    }

    /// Where the territory ends between `inside` and a place that is `beyond` it, and whether on the visible surface.
    fn end(&self, line: &NormalLine, (inside, outside): (f64, f64), beyond: Membership) -> (f64, bool) {
        if beyond == Membership::Outside {
            let root = bracketed_root(|r| self.excess(line.at(r)), (inside, outside), EXACT * self.reach);
            // On the surface, if everything up to it is its own.
            if let Some(r) = root {
                let short = r + (inside - outside).signum() * 1e-9 * self.reach;
                if self.place(line, short) == Membership::Inside {
                    return (r, true);
                }
            }
        }
        let (mut near, mut far) = (inside, outside);
        while (far - near).abs() > 1e-9 * self.reach {
            let middle = 0.5 * (near + far);
            if self.place(line, middle) == Membership::Inside { near = middle } else { far = middle }
        }
        (near, false)
    }

    /// What a line has seen.
    fn sample(&self, line: &NormalLine, parts: &[LineSpan]) -> SurfaceSample {
        let frame = self.body.field.world_from_body;
        let volume = parts.iter().map(|s| line.volume(s.to) - line.volume(s.from)).sum();
        let ends = parts.iter().flat_map(|s| [(s.from, s.surface[0]), (s.to, s.surface[1])]);
        let (to, valid) = parts.last().map_or((0.0, false), |s| (s.to, s.surface[1]));
        // A line that ends just inside another's territory still stands for a part of the surface.
        let beyond = if valid { None } else { self.exit(line, to) };
        let area = ends.filter(|e| e.1).map(|e| e.0).chain(beyond).map(|r| self.area(line, r)).sum();
        let normal = if valid { frame.vector(self.normal(line.at(to))) } else { frame.vector(line.direction) };
        SurfaceSample { position: frame.point(line.at(to)), normal, area, volume, valid, element: self.element }
    }

    /// Outward normal of the visible surface at a place of the body, in its frame.
    fn normal(&self, p: DVec3) -> DVec3 {
        let frame = self.body.field.world_from_body;
        frame.inverse().vector(-self.body.sample(frame.point(p)).gradient.normalize_or_zero())
    }

    /// Where a line that ended at `from` in another's territory leaves the body.
    fn exit(&self, line: &NormalLine, from: f64) -> Option<f64> {
        let step = self.reach / self.looks as f64;
        let mut here = from;
        for _ in 0..self.looks {
            let next = here + step;
            match self.place(line, next) {
                Membership::Elsewhere => return None,
                Membership::Outside => {
                    return bracketed_root(|r| self.excess(line.at(r)), (here, next), EXACT * self.reach);
                }
                _ => here = next,
            }
        }
        None
    }

    /// The piece of surface a line stands for where it leaves the body at `r`: as much of it as is its own element's, by
    /// how far the border is on the surface.
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
    /// Of all territories, cubic metres.
    pub fn volume(&self) -> f64 {
        self.territories.iter().map(|t| t.volume).sum()
    }

    /// Of the visible surface, square metres.
    pub fn area(&self) -> f64 {
        self.territories.iter().map(|t| t.area).sum()
    }

    /// Around the visible surface, as far as samples tell.
    pub fn bounds(&self) -> Aabb {
        Aabb::of_points(self.samples.iter().filter(|s| s.valid).map(|s| s.position))
    }

    /// Polygons between neighbours, skeleton by skeleton, at no further cost: pieces that reach into each other where
    /// territories meet. For looking at while something moves; [`mesh_of`](super::mesh_of) makes one closed surface.
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
