//! The contact patch: the surface two bodies share, as a value.
//!
//! *The idea*: quadrature points with area, normal and pressure; sums over them; a border. Polygons for display are made
//! from the same points. *Not promised*: a uniform density of points; a rule has as many as its accuracy requires.

use super::persistent_chart::PersistentChart;
use crate::math::{Aabb, DVec3, Frame};
use std::sync::Arc;

/// A quadrature point of the contact surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchPoint {
    /// World position, on the surface to root accuracy.
    pub position: DVec3,
    /// Unit normal out of a (into b).
    pub normal: DVec3,
    /// Contact pressure, pascals; zero at points of the border.
    pub pressure: f64,
    /// Quadrature weight: area of the surface around the point, square metres.
    pub area: f64,
    /// Growth of the pressure as the bodies approach, pascals per metre.
    pub pressure_slope: f64,
}

/// A force and a moment about [`Patch::reference`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// Newtons.
    pub force: DVec3,
    /// Newton metres, about the patch's reference point.
    pub moment: DVec3,
}

/// Quadrature rule of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Rings about the axis of a ball against a ball or a plane.
    Axisymmetric,
    /// Gauss points on chords from border to border.
    Chords,
    /// Polar quadrature around a middle point from which the whole patch is visible.
    Polar,
    /// Adaptive cells over a region, for a patch of any outline.
    Cells,
}

/// Order of the points, for polygons.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Layout {
    /// `radial` points for each of the border's directions, from the middle outward.
    Polar { radial: usize },
    /// A strip for each chord.
    Chords { strips: Vec<StripLayout> },
    /// A strip for each interval of the patch on a line of a cell.
    Cells { strips: Vec<StripLayout> },
}

/// A strip of a patch: points along a line that stand for a width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StripLayout {
    pub first: usize,
    pub count: usize,
    pub ends: [DVec3; 2],
    /// Offsets from the line to both edges of the strip, about along the surface.
    pub to_edges: [DVec3; 2],
}

/// One connected contact surface of two bodies, integrated.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// Quadrature points, on the surface.
    pub points: Vec<PatchPoint>,
    /// Points of the border, where the pressure reaches zero.
    pub border: Vec<DVec3>,
    /// A point of the patch; moments are about it.
    pub reference: DVec3,
    /// Elastic force on a, from a's field and a's normals.
    pub on_a: Wrench,
    /// Elastic force on b, from b's field and b's normals: opposite to `on_a` up to root accuracy.
    pub on_b: Wrench,
    /// Area, square metres.
    pub area: f64,
    /// `∫ p dA`, newtons: not less than the size of the force, which may cancel.
    pub load: f64,
    /// Growth of the force as the bodies approach, newtons per metre.
    pub stiffness: f64,
    /// Depth of the overlap of the rest shapes at the deepest point, along its normal, metres.
    pub overlap: f64,
    /// Mean position, weighted by pressure.
    pub center_of_pressure: DVec3,
    /// Greatest pressure found, pascals.
    pub max_pressure: f64,
    /// Point of the greatest pressure.
    pub deepest: DVec3,
    /// Quadrature rule.
    pub method: Method,
    /// Estimated error of the force, as a fraction of the load.
    pub error: f64,
    /// The search *resolved* the surroundings to this size, metres: a second patch beside this one that is narrower,
    /// and nearer than this, may have been missed.
    pub resolved_to: f64,
    pub(super) layout: Layout,
    /// Chords of a patch integrated along chords, for the next query.
    pub(super) chart: Option<Arc<PersistentChart>>,
    /// Level of the polar rule to begin with next time.
    pub(super) level: Option<usize>,
}

/// Data from a patch that the next search starts with: its reference point, the level of its rule, its chords.
#[derive(Clone, Debug, PartialEq)]
pub struct WarmStart {
    /// A point of the patch, world.
    pub center: DVec3,
    /// Level of the polar rule that was fine enough; none for a patch that no polar rule covers.
    pub level: Option<usize>,
    /// Chords of a patch that was integrated along chords.
    pub chart: Option<Arc<PersistentChart>>,
}

impl WarmStart {
    /// Whether a search can begin here.
    pub(crate) fn is_usable(&self) -> bool {
        self.center.is_finite() && self.chart.as_ref().is_none_or(|c| c.is_usable())
    }
}

/// Every patch of a pair, and the size of the largest cell in which contact is undecided.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundPatches {
    /// Ordered by place.
    pub patches: Vec<Patch>,
    /// Size of the largest cell in which neither bounds nor samples decided whether there is contact, metres;
    /// zero if all were decided.
    pub undecided: f64,
    /// Samples of both fields taken by the search, where they were counted.
    pub evaluations: u32,
    /// Whether all warm starts had charts that could be integrated along again, without a new search for their patches.
    pub reused_charts: bool,
    /// A lower bound on the distance of bodies that were proved apart, metres; zero where nothing more is known.
    pub gap: f64,
}

impl Wrench {
    /// Adds a force that acts at `arm` from the reference point.
    pub(super) fn add_force(&mut self, arm: DVec3, force: DVec3) {
        self.force += force;
        self.moment += arm.cross(force);
    }
}

impl std::ops::Add for Wrench {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { force: self.force + other.force, moment: self.moment + other.moment }
    }
}

impl std::ops::Sub for Wrench {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { force: self.force - other.force, moment: self.moment - other.moment }
    }
}

impl Patch {
    /// Data for the next search.
    pub fn warm_start(&self) -> WarmStart {
        WarmStart { center: self.reference, level: self.level, chart: self.chart.clone() }
    }

    /// Notes a proof that nothing else overlaps, but for regions up to `undecided` wide; it holds until points of b
    /// have moved by `allowed_motion`.
    pub(super) fn set_proof(&mut self, undecided: f64, allowed_motion: f64) {
        self.resolved_to = self.resolved_to.max(undecided);
        if let Some(chart) = &mut self.chart {
            *chart = Arc::new(chart.with_allowed_motion(if allowed_motion > 0.0 { allowed_motion } else { 0.0 }));
        }
    }

    /// Mean outward normal of a, weighted by pressure.
    pub fn mean_normal(&self) -> DVec3 {
        (-self.on_a.force).normalize_or_zero()
    }

    /// Moment of `wrench` about `p` instead of the reference point.
    pub fn moment_about(&self, wrench: &Wrench, p: DVec3) -> DVec3 {
        wrench.moment + (self.reference - p).cross(wrench.force)
    }

    /// Whether a patch integrated in cells reaches the sides of `bounds`.
    pub(super) fn touches_sides(&self, bounds: &Aabb) -> bool {
        let Layout::Cells { strips } = &self.layout else { return false };
        let inner = bounds.grown(-1e-6 * bounds.size().truncate().max_element());
        let beyond =
            |p: DVec3| p.truncate().cmplt(inner.min.truncate()).any() || p.truncate().cmpgt(inner.max.truncate()).any();
        strips.iter().any(|s| s.ends.iter().any(|p| s.to_edges.iter().any(|e| beyond(*p + *e))))
    }

    /// Transforms positions and vectors by `frame`.
    pub(super) fn transform(&mut self, frame: &Frame) {
        for p in &mut self.points {
            (p.position, p.normal) = (frame.point(p.position), frame.vector(p.normal));
        }
        for p in self.border.iter_mut().chain([&mut self.reference, &mut self.center_of_pressure, &mut self.deepest]) {
            *p = frame.point(*p);
        }
        for wrench in [&mut self.on_a, &mut self.on_b] {
            (wrench.force, wrench.moment) = (frame.vector(wrench.force), frame.vector(wrench.moment));
        }
        if let Layout::Chords { strips } | Layout::Cells { strips } = &mut self.layout {
            for strip in strips {
                strip.ends = strip.ends.map(|p| frame.point(p));
                strip.to_edges = strip.to_edges.map(|v| frame.vector(v));
            }
        }
    }

    /// Vertices and faces for display, made from the quadrature points and the border.
    /// Faces are counterclockwise about the normal out of a.
    pub fn polygons(&self) -> (Vec<DVec3>, Vec<Vec<usize>>) {
        match &self.layout {
            Layout::Polar { radial } => self.polar_polygons(*radial),
            Layout::Chords { strips } | Layout::Cells { strips } => self.strip_polygons(strips),
        }
    }

    fn polar_polygons(&self, radial: usize) -> (Vec<DVec3>, Vec<Vec<usize>>) {
        let (n, angular) = (self.points.len(), self.border.len());
        let mut vertices: Vec<DVec3> = self.points.iter().map(|p| p.position).collect();
        vertices.extend(&self.border);
        vertices.push(self.reference);
        let middle = vertices.len() - 1;
        let ring = |i: usize, j: usize| if i < radial { (j % angular) * radial + i } else { n + j % angular };
        let mut faces = Vec::new();
        for j in 0..angular {
            faces.push(vec![middle, ring(0, j + 1), ring(0, j)]);
            for i in 0..radial {
                faces.push(vec![ring(i, j), ring(i, j + 1), ring(i + 1, j + 1), ring(i + 1, j)]);
            }
        }
        (vertices, faces)
    }

    fn strip_polygons(&self, strips: &[StripLayout]) -> (Vec<DVec3>, Vec<Vec<usize>>) {
        let (mut vertices, mut faces) = (Vec::new(), Vec::new());
        for strip in strips {
            let inner = self.points[strip.first..strip.first + strip.count].iter().map(|p| p.position);
            let along: Vec<DVec3> = [strip.ends[0]].into_iter().chain(inner).chain([strip.ends[1]]).collect();
            let first = vertices.len();
            // Lines run either way; faces must not.
            let [low, high] = strip.to_edges;
            let turned = (high - low).cross(along[along.len() - 1] - along[0]);
            let wrong = turned.dot(self.points[strip.first].normal) < 0.0;
            let edges = if wrong { [high, low] } else { [low, high] };
            vertices.extend(along.iter().flat_map(|p| edges.map(|e| *p + e)));
            for i in 0..along.len() - 1 {
                let at = first + 2 * i;
                faces.push(vec![at, at + 1, at + 3, at + 2]);
            }
        }
        (vertices, faces)
    }
}
