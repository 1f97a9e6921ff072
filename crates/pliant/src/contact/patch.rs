//! The contact patch: the surface two bodies share, as a value.

use super::chart::Lifted;
use super::meeting::Meeting;
use super::pair::{Pair, SurfaceKind};
use super::star::Star;
use super::{Quality, find, round, tiles};
use crate::math::{Aabb, DVec3, Frame};

/// A point of the contact surface that carries a piece of its area.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchPoint {
    /// World position, on the surface to root accuracy.
    pub position: DVec3,
    /// Unit normal out of a (into b).
    pub normal: DVec3,
    /// Contact pressure, pascals; none at points of the border.
    pub pressure: f64,
    /// Area this point stands for, square metres.
    pub area: f64,
    /// How fast the pressure grows as the bodies approach, pascals per metre.
    pub rate: f64,
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
    /// Adaptive tiles over a region of any outline.
    Tiles,
}

/// How points follow one another, for polygons.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Layout {
    /// `radial` points for each of the border's directions, from the middle outward.
    Star { radial: usize },
    /// Strips along lines, each standing for a width.
    Tiles { runs: Vec<Run> },
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
    /// `∫ p dA`, newtons: not less than the size of the force, which may cancel.
    pub load: f64,
    /// How fast the force grows as the bodies approach, newtons per metre.
    pub stiffness: f64,
    /// How deep the rest shapes overlap at the deepest point, along its normal, metres.
    pub overlap: f64,
    /// Where the pressure is centred.
    pub center_of_pressure: DVec3,
    /// Greatest pressure found, pascals.
    pub max_pressure: f64,
    /// Where it was found.
    pub deepest: DVec3,
    /// How it was integrated.
    pub method: Method,
    /// Estimated error of the force, as a part of the load.
    pub error: f64,
    /// A second patch beside this one, narrower than this and nearer than this, would have been missed, metres.
    pub resolved_to: f64,
    pub(super) layout: Layout,
    /// Rule to begin with next time.
    pub(super) level: Option<usize>,
}

/// A strip of a tiled patch: points along a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Run {
    pub first: usize,
    pub count: usize,
    pub ends: [DVec3; 2],
    /// From the line to both edges of the strip, along the surface roughly.
    pub to_edges: [DVec3; 2],
}

/// What one patch remembers for the next step: where its middle was and how fine a rule it needed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WarmStart {
    /// A point of the patch, world.
    pub center: DVec3,
    /// Level of the star's rule that was fine enough; none for a patch that no star saw whole.
    pub level: Option<usize>,
}

/// Every patch of a pair, and what is not known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundPatches {
    /// Ordered by place.
    pub patches: Vec<Patch>,
    /// Size of the largest place in which neither bounds nor samples decided whether there is contact, metres;
    /// zero if everything was decided.
    pub unresolved: f64,
}

impl Patch {
    /// Every patch of `pair`, ordered by place.
    pub fn find(pair: &Pair, quality: &Quality) -> Vec<Self> {
        Self::find_again(pair, quality, &[]).patches
    }

    /// [`Patch::find`], helped by what the last step's patches left. The answer depends on `memory` only
    /// within the tolerance asked for.
    pub fn find_again(pair: &Pair, quality: &Quality, memory: &[WarmStart]) -> FoundPatches {
        if let Some(found) = round::find(pair, quality) {
            return found;
        }
        let Some((place, across)) = find::across(pair, memory.first()) else { return FoundPatches::default() };
        let Some(mut meeting) = Meeting::new(pair, place, across) else { return FoundPatches::default() };
        let mut unresolved = 0.0;
        let mut seeds: Vec<(DVec3, Option<usize>)> = Vec::with_capacity(memory.len().max(1));
        if memory.is_empty() {
            let mut seed = find::seed(&meeting);
            if seed.is_none() && meeting.convex {
                let Some(closer) = meeting.closer(pair) else { return FoundPatches::default() };
                meeting = closer;
                seed = find::seed(&meeting);
            }
            if seed.is_none() {
                let Some(p) = find::unexplained(&meeting, quality, &[], &mut unresolved) else {
                    return FoundPatches { unresolved, ..FoundPatches::default() };
                };
                seed = find::onto_surface(&meeting, p, meeting.thickness);
            }
            // An overlap whose surface is not found from here is left to regions.
            seeds.extend(seed.map(|p| (p, None)));
            if let Some(p) = seed
                && let Some(across) = find::askew(&meeting, p)
            {
                let Some(straight) = Meeting::new(pair, meeting.world_from_here.point(p), across) else {
                    return FoundPatches::default();
                };
                meeting = straight;
                seeds[0].0 = DVec3::ZERO;
            }
        } else {
            let here_from_world = meeting.world_from_here.inverse();
            seeds.extend(memory.iter().map(|m| (here_from_world.point(m.center), m.level)));
        }
        let frame = meeting.world_from_here;
        let mut found = find_within(pair, meeting, quality, seeds);
        found.unresolved = found.unresolved.max(unresolved);
        for patch in &mut found.patches {
            patch.move_by(&frame);
            patch.overlap = pair.overlap_at(patch.deepest);
        }
        // By place, not by history, so that a patch's number means the same every time.
        let key = |p: &Self| p.reference.to_array();
        found.patches.sort_by(|p, q| key(p).partial_cmp(&key(q)).unwrap_or(std::cmp::Ordering::Equal));
        found
    }

    /// Whether a tiled patch goes on to the sides of `bounds`.
    fn reaches(&self, bounds: &Aabb) -> bool {
        let Layout::Tiles { runs } = &self.layout else { return false };
        let inner = bounds.grown(-1e-6 * bounds.size().truncate().max_element());
        let beyond =
            |p: DVec3| p.truncate().cmplt(inner.min.truncate()).any() || p.truncate().cmpgt(inner.max.truncate()).any();
        runs.iter().any(|r| r.ends.iter().any(|p| r.to_edges.iter().any(|e| beyond(*p + *e))))
    }

    /// Out of the frame of its meeting into the world.
    fn move_by(&mut self, frame: &Frame) {
        for p in &mut self.points {
            (p.position, p.normal) = (frame.point(p.position), frame.vector(p.normal));
        }
        for p in self.border.iter_mut().chain([&mut self.reference, &mut self.center_of_pressure, &mut self.deepest]) {
            *p = frame.point(*p);
        }
        for wrench in [&mut self.on_a, &mut self.on_b] {
            (wrench.force, wrench.moment) = (frame.vector(wrench.force), frame.vector(wrench.moment));
        }
        if let Layout::Tiles { runs } = &mut self.layout {
            for run in runs {
                run.ends = run.ends.map(|p| frame.point(p));
                run.to_edges = run.to_edges.map(|v| frame.vector(v));
            }
        }
    }

    /// What to remember of this patch.
    pub fn memory(&self) -> WarmStart {
        WarmStart { center: self.reference, level: self.level }
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
            Layout::Tiles { runs } => {
                vertices.clear();
                for run in runs {
                    let inner = self.points[run.first..run.first + run.count].iter().map(|p| p.position);
                    let along: Vec<DVec3> = [run.ends[0]].into_iter().chain(inner).chain([run.ends[1]]).collect();
                    let first = vertices.len();
                    // Lines run either way; faces must not.
                    let [low, high] = run.to_edges;
                    let turned = (high - low).cross(along[along.len() - 1] - along[0]);
                    let wrong = turned.dot(self.points[run.first].normal) < 0.0;
                    let edges = if wrong { [high, low] } else { [low, high] };
                    vertices.extend(along.iter().flat_map(|p| edges.map(|e| *p + e)));
                    for i in 0..along.len() - 1 {
                        let at = first + 2 * i;
                        faces.push(vec![at, at + 1, at + 3, at + 2]);
                    }
                }
            }
        }
        (vertices, faces)
    }
}

/// Overlaps less deep than this part of the thinner side do not reach a skeleton; depths are known to first order.
pub(super) const SHALLOW: f64 = 0.8;

/// Finer than this, kinks cost tiles more points than they gain digits.
const TILED_TO: f64 = 1e-7;

/// Stars from every seed, until it is proved that nothing is left; regions where a star does not do.
fn find_within(pair: &Pair, meeting: Meeting, quality: &Quality, seeds: Vec<(DVec3, Option<usize>)>) -> FoundPatches {
    let mut stars: Vec<Star> = Vec::new();
    for (p, level) in seeds {
        if let Some(p) = find::onto_surface(&meeting, p, meeting.thickness) {
            explain(&meeting, &mut stars, quality, (p, level));
        }
    }
    let mut unresolved = 0.0;
    let mut meeting = meeting;
    // Of convex solids that have not reached each other's skeletons: pressures rise and fall once across the overlap.
    let thickness = meeting.thickness;
    let shallow = |s: &Star| s.patch.overlap < SHALLOW * thickness;
    let done = meeting.convex && stars.len() == 1 && shallow(&stars[0]) && stars[0].outline.holds_convex();
    if !done && meeting.convex {
        let Some(closer) = meeting.closer(pair) else { return FoundPatches::default() };
        meeting = closer;
    }
    // A point of overlap nobody accounts for gets a star of its own.
    while !done && let Some(p) = find::unexplained(&meeting, quality, &stars, &mut unresolved) {
        let onto = find::onto_surface(&meeting, p, meeting.thickness);
        if !onto.is_some_and(|p| explain(&meeting, &mut stars, quality, (p, None))) {
            return by_regions(pair, &meeting, quality);
        }
    }
    // What is behind a star's patch, as deep as that is, was taken for its own.
    let layered = |s: &Star| !shallow(s) && find::is_layered(&meeting, s.patch.reference, 2.0 * s.patch.overlap);
    if stars.iter().any(layered) {
        return by_regions(pair, &meeting, quality);
    }
    let load: f64 = stars.iter().map(|s| s.patch.load).sum();
    let settled = |p: &Patch| p.error * p.load <= quality.acceptable().max(TILED_TO) * load;
    // Tiles of one patch may go on where its star saw no more; beside other patches they would count those again.
    let margins: &[f64] = if stars.len() == 1 { &[0.1, 0.5, 2.0] } else { &[0.1] };
    let settle = |star: Star| {
        if settled(&star.patch) { Some(star.patch) } else { look_closer(pair, &meeting, quality, (star, margins)) }
    };
    let Some(mut patches) = stars.into_iter().map(settle).collect::<Option<Vec<Patch>>>() else {
        return by_regions(pair, &meeting, quality);
    };
    patches.iter_mut().for_each(|p| p.resolved_to = p.resolved_to.max(unresolved));
    FoundPatches { patches, unresolved }
}

/// Kinks of the kernels keep a star from settling; tiles over the same patch look closer just there, in a box that
/// reaches some `margins` farther. `None`: the patch goes on beyond.
fn look_closer(pair: &Pair, meeting: &Meeting, quality: &Quality, (star, margins): (Star, &[f64])) -> Option<Patch> {
    let frame = meeting.world_from_here;
    // Along the mean normal: a patch that curves is then nowhere seen too obliquely.
    let axis = star.patch.on_a.force.try_normalize().unwrap_or(star.outline.chart.axis);
    let (place, across) = (frame.point(star.patch.reference), frame.vector(axis));
    let long = frame.vector(star.outline.chart.across[0]);
    let Some(straight) = Meeting::along(pair, place, across, long) else { return Some(star.patch) };
    let there_from_here = straight.world_from_here.inverse() * frame;
    for margin in margins {
        let region = star.region(&there_from_here, *margin, quality);
        let bounds = region.cells.iter().fold(Aabb::EMPTY, |b, c| b.union(c));
        let patch = match tiles::integrate(&straight, &region, quality) {
            Ok(mut patches) if patches.len() == 1 => patches.remove(0),
            Ok(_) => return None,
            Err(_) => return Some(star.patch),
        };
        match patch {
            // A star may have overlooked a lobe: then the patch reaches the end of the box.
            patch if patch.reaches(&bounds) => {}
            mut patch if patch.error < star.patch.error => {
                patch.move_by(&there_from_here.inverse());
                return Some(Patch { level: star.patch.level, resolved_to: star.patch.resolved_to, ..patch });
            }
            _ => return Some(star.patch),
        }
    }
    None
}

/// Adds the star seen from `p`, unless there is none, or it is one of `stars` already or a part of its patch.
fn explain(meeting: &Meeting, stars: &mut Vec<Star>, quality: &Quality, (p, level): (DVec3, Option<usize>)) -> bool {
    let Some(star) = Star::from_seed(meeting, p, quality, level) else { return false };
    // Two seeds of one patch give the same star twice, perhaps from different middles.
    let apart = |s: &Star| s.outline.is_beyond(star.patch.reference) && star.outline.is_beyond(s.patch.reference);
    let joined = |s: &Star| find::joined(meeting, s.patch.reference, star.patch.reference);
    let new = stars.iter().all(|s| apart(s) && !joined(s));
    if new {
        stars.push(star);
    }
    new
}

/// Every patch, region by region: for overlaps that no star sees whole.
fn by_regions(pair: &Pair, meeting: &Meeting, quality: &Quality) -> FoundPatches {
    let frame = meeting.world_from_here;
    let mut regions = find::regions(meeting, quality);
    // Cells that lie along a narrow overlap fit it; slanted ones it crosses unseen.
    let straight = find::lie(meeting, &regions).and_then(|(place, across, long)| {
        Meeting::close_up(pair, frame.point(place), frame.vector(across), frame.vector(long))
    });
    if let Some(straight) = &straight {
        regions = find::regions(straight, quality);
    }
    let seen_from = straight.as_ref().unwrap_or(meeting);
    let here_from_there = frame.inverse() * seen_from.world_from_here;
    let mut found = FoundPatches::default();
    for region in regions {
        match tiles::integrate(seen_from, &region, quality) {
            Ok(mut patches) => {
                patches.iter_mut().for_each(|p| p.move_by(&here_from_there));
                found.patches.extend(patches);
            }
            Err(unresolved) => found.unresolved = found.unresolved.max(unresolved),
        }
    }
    found
}

/// Sums over a patch as points are added.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    pub points: Vec<PatchPoint>,
    on_a: Wrench,
    on_b: Wrench,
    area: f64,
    stiffness: f64,
    /// To first order: exact is what [`Pair::overlap_at`] finds in the end.
    overlap: f64,
    load: f64,
    load_moment: DVec3,
    max_pressure: f64,
    deepest: DVec3,
}

impl Sum {
    /// Adds a surface point found along `direction`, standing for `measure` across it. Returns the force on a.
    pub fn add(&mut self, kind: SurfaceKind, direction: DVec3, lifted: &Lifted, measure: f64) -> DVec3 {
        let (_, g) = lifted.probe.surface(kind);
        // What b's own deformed field has for a gradient: equal and opposite, computed on its own.
        let g_b = match kind {
            SurfaceKind::Shared => lifted.probe.gradient_b - lifted.probe.gradient_a,
            SurfaceKind::RigidA => -lifted.probe.gradient_a,
            SurfaceKind::RigidB => lifted.probe.gradient_b,
        };
        // A point of the border may lie outside by a root's error.
        let (p_a, p_b) = lifted.probe.contact_pressures(kind);
        let (p_a, p_b) = (p_a.max(0.0), p_b.max(0.0));
        let per_chart = measure / g.dot(direction).abs();
        let (force_a, force_b) = (p_a * per_chart * g, p_b * per_chart * g_b);
        let arm = lifted.position;
        self.on_a.force += force_a;
        self.on_a.moment += arm.cross(force_a);
        self.on_b.force += force_b;
        self.on_b.moment += arm.cross(force_b);
        let slope = g.length();
        let area = slope * per_chart;
        self.area += area;
        self.load += p_a * area;
        self.load_moment += p_a * area * arm;
        let rate = lifted.probe.approach_rate(kind);
        self.stiffness += area * rate;
        self.see(p_a, lifted.position, rate);
        self.points.push(PatchPoint { position: lifted.position, normal: -g / slope, pressure: p_a, area, rate });
        force_a
    }

    /// A pressure seen at a point that carries no area.
    pub fn see(&mut self, pressure: f64, position: DVec3, approach_rate: f64) {
        if pressure > self.max_pressure {
            (self.max_pressure, self.deepest) = (pressure, position);
            self.overlap = pressure / approach_rate;
        }
    }

    /// `∫ p dA`: what errors of the force are measured by, for the force itself may cancel.
    pub fn load(&self) -> f64 {
        self.load
    }

    pub fn area(&self) -> f64 {
        self.area
    }

    /// Where the greatest pressure was seen.
    pub fn deepest(&self) -> Option<DVec3> {
        (self.max_pressure > 0.0).then_some(self.deepest)
    }

    pub fn clear(&mut self) {
        let mut points = std::mem::take(&mut self.points);
        points.clear();
        *self = Self { points, ..Self::default() };
    }

    /// The patch these sums describe, with moments about `reference`.
    pub fn finish(self, reference: DVec3, border: Vec<DVec3>, layout: Layout) -> Patch {
        let method = if matches!(layout, Layout::Star { .. }) { Method::Star } else { Method::Tiles };
        let about = |w: Wrench| Wrench { moment: w.moment - reference.cross(w.force), ..w };
        Patch {
            points: self.points,
            border,
            reference,
            on_a: about(self.on_a),
            on_b: about(self.on_b),
            area: self.area,
            load: self.load,
            stiffness: self.stiffness,
            overlap: self.overlap,
            center_of_pressure: self.load_moment / self.load.max(f64::MIN_POSITIVE),
            max_pressure: self.max_pressure,
            deepest: self.deepest,
            method,
            error: 0.0,
            resolved_to: 0.0,
            layout,
            level: None,
        }
    }
}
