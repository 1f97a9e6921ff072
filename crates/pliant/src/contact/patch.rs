//! The contact patch: the surface two bodies share, as a value.

use super::chart::{Chart, Lifted, Line};
use super::pair::{Kind, Pair};
use super::star::Star;
use super::{Quality, find, scan};
use crate::math::DVec3;

/// A point of the contact surface that carries a piece of its area.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchPoint {
    /// World position, on the surface to root accuracy.
    pub position: DVec3,
    /// Unit normal out of a (into b).
    pub normal: DVec3,
    /// Contact pressure, pascals.
    pub pressure: f64,
    /// Area this point stands for, square metres.
    pub area: f64,
}

/// A force and a moment about [`Patch::reference`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// Newtons.
    pub force: DVec3,
    /// Newton metres, about the patch's reference point.
    pub moment: DVec3,
}

/// How a patch was integrated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Polar rule around a middle point from which the whole patch is seen.
    Star,
    /// Adaptive lines across a region of any outline.
    Scan,
}

/// How points follow one another, for polygons.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Layout {
    /// `radial` points for each of the border's directions, from the middle outward.
    Star { radial: usize },
    /// Runs of points along lines: (line number, first point, count). Each run has two border points.
    Scan { runs: Vec<(usize, usize, usize)> },
}

/// The exact contact surface of two bodies in one place, integrated.
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
    /// How fast the force grows as the bodies approach, newtons per metre.
    pub stiffness: f64,
    /// How deep the rest shapes overlap at the deepest point, metres, to first order.
    pub overlap: f64,
    /// Where the pressure is centred.
    pub center_of_pressure: DVec3,
    /// Greatest pressure found, pascals.
    pub max_pressure: f64,
    /// Where it was found.
    pub deepest: DVec3,
    /// How it was integrated.
    pub method: Method,
    /// Estimated relative error of the force.
    pub error: f64,
    /// A second patch beside this one, narrower than this and nearer than this, would have been missed, metres.
    pub resolved_to: f64,
    pub(super) layout: Layout,
    /// Rule the star ended with, for a warm start.
    pub(super) level: Option<usize>,
    /// Area and error when that rule was chosen.
    pub(super) measured: (f64, f64),
}

/// What one patch remembers for the next step: where its middle was and how fine a rule it needed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory {
    /// A point of the patch, world.
    pub center: DVec3,
    /// Level of the star's rule that was fine enough; none for a patch that no star saw whole.
    pub level: Option<usize>,
    /// Area and estimated error when that was found out.
    pub measured: (f64, f64),
}

/// A patch whose area has changed by more than this since its rule was chosen has it chosen anew.
const OUTGROWN: f64 = 0.25;

impl Patch {
    /// Every patch of `pair`, ordered by place.
    pub fn find(pair: &Pair, quality: &Quality) -> Vec<Self> {
        Self::find_again(pair, quality, &[])
    }

    /// [`Patch::find`], helped by what the last step's patches left. The answer depends on `memory` only
    /// within the tolerance asked for.
    pub fn find_again(pair: &Pair, quality: &Quality, memory: &[Memory]) -> Vec<Self> {
        let mut seeds: Vec<(DVec3, Option<&Memory>)> = memory.iter().map(|m| (m.center, Some(m))).collect();
        if seeds.is_empty() {
            seeds.extend(find::middle(pair).map(|p| (p, None)));
        }
        let mut stars: Vec<Star> = Vec::new();
        let explain = |stars: &mut Vec<Star>, (p, known): (DVec3, Option<&Memory>)| {
            let again = known.filter(|m| m.level.is_some()).and_then(|m| {
                let mut star = Star::from_seed(pair, p, quality, m.level)?;
                (star.patch.measured, star.patch.error) = (m.measured, m.measured.1);
                ((star.patch.area / m.measured.0 - 1.0).abs() <= OUTGROWN).then_some(star)
            });
            let Some(star) = again.or_else(|| Star::from_seed(pair, p, quality, None)) else { return false };
            // Two seeds of one patch give the same star twice, perhaps from different middles.
            let apart =
                |s: &Star| s.outline.is_beyond(star.patch.reference) && star.outline.is_beyond(s.patch.reference);
            let new = stars.iter().all(apart);
            if new {
                stars.push(star);
            }
            new
        };
        for (p, known) in seeds {
            if let Some(p) = find::onto_surface(pair, p, pair.least_thickness()) {
                explain(&mut stars, (p, known));
            }
        }
        // Until bounds prove that nothing is left: a point of overlap nobody accounts for gets a star of its own.
        let mut unresolved = 0.0;
        while let Some(p) = find::unexplained(pair, quality, &stars, &mut unresolved) {
            let onto = find::onto_surface(pair, p, pair.least_thickness());
            if !onto.is_some_and(|p| explain(&mut stars, (p, None))) {
                return Self::by_regions(pair, quality);
            }
        }
        let mut patches: Vec<Self> = stars.into_iter().map(|s| s.patch).collect();
        patches.iter_mut().for_each(|p| p.resolved_to = p.resolved_to.max(unresolved));
        in_order(patches)
    }

    /// Every patch, region by region: for overlaps that no star sees whole.
    fn by_regions(pair: &Pair, quality: &Quality) -> Vec<Self> {
        let mut patches = Vec::new();
        let regions = find::regions(pair, quality);
        let alone = regions.len() == 1;
        for region in regions {
            let Some(seed) = region.seed(pair) else { continue };
            let star = Star::from_seed(pair, seed, quality, None);
            match star.filter(|s| region.cells().all(|cell| s.outline.covers(&cell))) {
                Some(star) => patches.push(star.patch),
                None => patches.extend(scan::integrate(pair, (&region, alone), quality, seed)),
            }
        }
        in_order(patches)
    }

    /// What to remember of this patch.
    pub fn memory(&self) -> Memory {
        Memory { center: self.reference, level: self.level, measured: self.measured }
    }

    /// Moment of `wrench` about `p` instead of the reference point.
    pub fn moment_about(&self, wrench: &Wrench, p: DVec3) -> DVec3 {
        wrench.moment + (self.reference - p).cross(wrench.force)
    }

    /// Vertices and faces for display, made from the quadrature points and the border.
    /// Faces are counted round the normal out of a.
    pub fn polygons(&self) -> (Vec<DVec3>, Vec<Vec<usize>>) {
        let n = self.points.len();
        let mut vertices: Vec<DVec3> = self.points.iter().map(|p| p.position).collect();
        vertices.extend(&self.border);
        vertices.push(self.reference);
        let middle = vertices.len() - 1;
        let mut faces = Vec::new();
        match &self.layout {
            Layout::Star { radial } => {
                let (radial, angular) = (*radial, self.border.len());
                let ring = |i: usize, j: usize| if i < radial { (j % angular) * radial + i } else { n + j % angular };
                for j in 0..angular {
                    faces.push(vec![middle, ring(0, j + 1), ring(0, j)]);
                    for i in 0..radial {
                        faces.push(vec![ring(i, j), ring(i, j + 1), ring(i + 1, j + 1), ring(i + 1, j)]);
                    }
                }
            }
            Layout::Scan { runs } => {
                vertices.pop();
                // Run r: its first border point, its points, its last border point.
                let at = |r: usize, i: usize| {
                    let (_, first, count) = runs[r];
                    if i == 0 {
                        n + 2 * r
                    } else if i <= count {
                        first + i - 1
                    } else {
                        n + 2 * r + 1
                    }
                };
                for (r, q) in neighbours(runs, &vertices, n) {
                    let steps = runs[r].2.min(runs[q].2) + 1;
                    for i in 0..steps {
                        faces.push(vec![at(r, i), at(r, i + 1), at(q, i + 1), at(q, i)]);
                    }
                }
            }
        }
        (vertices, faces)
    }
}

/// By place, not by history, so that a patch's number means the same every time.
fn in_order(mut patches: Vec<Patch>) -> Vec<Patch> {
    let key = |p: &Patch| p.reference.to_array();
    patches.sort_by(|p, q| key(p).partial_cmp(&key(q)).unwrap_or(std::cmp::Ordering::Equal));
    patches
}

/// Pairs of runs on consecutive lines that lie side by side.
fn neighbours(runs: &[(usize, usize, usize)], vertices: &[DVec3], n: usize) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for r in 0..runs.len() {
        for q in r + 1..runs.len() {
            if runs[q].0 > runs[r].0 + 1 {
                break;
            }
            let ends = |r: usize| (vertices[n + 2 * r], vertices[n + 2 * r + 1]);
            let ((a0, a1), (b0, b1)) = (ends(r), ends(q));
            let along = (a1 - a0).normalize_or_zero();
            let overlap = (a1 - a0).length().min((b1 - a0).dot(along)) - (b0 - a0).dot(along).max(0.0);
            if runs[q].0 == runs[r].0 + 1 && overlap > 0.0 {
                pairs.push((r, q));
            }
        }
    }
    pairs
}

/// Sums over a patch as points are added.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    pub points: Vec<PatchPoint>,
    on_a: Wrench,
    on_b: Wrench,
    area: f64,
    stiffness: f64,
    overlap: f64,
    load: f64,
    load_moment: DVec3,
    max_pressure: f64,
    deepest: DVec3,
}

impl Sum {
    /// Adds a surface point standing for `measure` of the chart (`sector` times the rule's weights).
    pub fn add(&mut self, kind: Kind, chart: &Chart, line: &Line, lifted: &Lifted, measure: f64) {
        let (_, g) = lifted.probe.surface(kind);
        // What b's own deformed field has for a gradient: equal and opposite, computed on its own.
        let g_b = match kind {
            Kind::Shared => lifted.probe.gradient_b - lifted.probe.gradient_a,
            Kind::RigidA => -lifted.probe.gradient_a,
            Kind::RigidB => lifted.probe.gradient_b,
        };
        let (p_a, p_b) = lifted.probe.contact_pressures(kind);
        let per_chart = measure / g.dot(line.direction).abs();
        let (force_a, force_b) = (p_a * per_chart * g, p_b * per_chart * g_b);
        let arm = lifted.position - chart.center;
        self.on_a.force += force_a;
        self.on_a.moment += arm.cross(force_a);
        self.on_b.force += force_b;
        self.on_b.moment += arm.cross(force_b);
        let slope = g.length();
        let area = slope * per_chart;
        self.area += area;
        self.load += p_a * area;
        self.load_moment += p_a * area * arm;
        self.stiffness += area * lifted.probe.approach_rate(kind);
        self.see(p_a, lifted.position, lifted.probe.approach_rate(kind));
        self.points.push(PatchPoint { position: lifted.position, normal: -g / slope, pressure: p_a, area });
    }

    /// A pressure seen at a point that carries no area.
    pub fn see(&mut self, pressure: f64, position: DVec3, approach_rate: f64) {
        if pressure > self.max_pressure {
            (self.max_pressure, self.deepest) = (pressure, position);
            self.overlap = pressure / approach_rate;
        }
    }

    pub fn force(&self) -> DVec3 {
        self.on_a.force
    }

    pub fn area(&self) -> f64 {
        self.area
    }

    pub fn clear(&mut self) {
        let mut points = std::mem::take(&mut self.points);
        points.clear();
        *self = Self { points, ..Self::default() };
    }

    /// The patch these sums describe.
    pub fn finish(self, chart: &Chart, border: Vec<DVec3>, layout: Layout) -> Patch {
        let method = if matches!(layout, Layout::Star { .. }) { Method::Star } else { Method::Scan };
        Patch {
            points: self.points,
            border,
            reference: chart.center,
            on_a: self.on_a,
            on_b: self.on_b,
            area: self.area,
            stiffness: self.stiffness,
            overlap: self.overlap,
            center_of_pressure: chart.center + self.load_moment / self.load.max(f64::MIN_POSITIVE),
            max_pressure: self.max_pressure,
            deepest: self.deepest,
            method,
            error: 0.0,
            resolved_to: 0.0,
            layout,
            level: None,
            measured: (self.area, 0.0),
        }
    }
}
