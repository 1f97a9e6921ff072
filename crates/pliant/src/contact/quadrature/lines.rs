//! Lines across the face of a cell, and the intervals of the patch on them.
//!
//! *The idea*: a line is sampled at the nodes of Lobatto's rule; between samples inside and outside of the patch the border
//! is a bracketed root, and between two outside a narrow strip is searched for where slopes allow one. Intervals then carry
//! Lobatto points of their own. *Not promised*: a strip so narrow that slopes at the samples do not show it.

use super::chart::SurfacePoint;
use super::height_field::{HeightField, Integrand};
use crate::math::{DVec3, refine_root};

/// Nodes and weights of Lobatto's rule: samples on a line, and lines in a cell. Its first, middle and last nodes make
/// [`SIMPSON`]'s rule, which checks it: each detects creases that the other misses.
pub(super) const LOBATTO: [(f64, f64); 5] = [
    (0.0, 0.05),
    (0.172_673_164_646_011_4, 49.0 / 180.0),
    (0.5, 16.0 / 45.0),
    (0.827_326_835_353_988_6, 49.0 / 180.0),
    (1.0, 0.05),
];

/// Simpson's weights at the nodes of [`LOBATTO`].
pub(super) const SIMPSON: [f64; 5] = [1.0 / 6.0, 0.0, 2.0 / 3.0, 0.0, 1.0 / 6.0];

/// Steps towards a peak between two samples. Fewer: narrow strips are missed.
const PEAK_STEPS: usize = 4;

/// Most steps towards a border: were half of them bisections, a thousandth would be left.
const ROOT_STEPS: usize = 20;

/// An interval of the patch on a line: points with their measure along the line.
pub(super) struct LineInterval {
    pub ends: [DVec3; 2],
    /// Which ends are the patch's own, rather than the cell's.
    pub at_border: [bool; 2],
    /// It goes from end to end of its line.
    pub whole: bool,
    pub points: Vec<(SurfacePoint, f64)>,
}

/// A line in a face.
#[derive(Clone, Copy)]
struct FaceLine {
    /// Which of the face's axes it runs along: the first, across the cell's lines, or the second.
    run: usize,
    /// Its place on the other.
    fixed: f64,
}

impl FaceLine {
    fn place(&self, at: f64) -> (f64, f64) {
        if self.run == 0 { (at, self.fixed) } else { (self.fixed, at) }
    }
}

/// A place on a line, and the patch there.
struct LineSample {
    at: f64,
    /// Positive inside the patch.
    value: f64,
    on_surface: Option<SurfacePoint>,
    /// By Lobatto's rule over the line.
    weight: f64,
}

impl Integrand<'_> {
    /// Places across the cell where the patch's border, or a face of the cell that cuts it, leaves through the ends of
    /// the lines: between them, integrals along lines are smooth.
    pub fn breaks(&self, field: &mut HeightField) -> Vec<f64> {
        let [i, j, _] = field.axes;
        let (from, to) = (field.cell.min[i], field.cell.max[i]);
        let mut breaks = Vec::new();
        for fixed in [field.cell.min[j], field.cell.max[j]] {
            let line = FaceLine { run: 0, fixed };
            let samples = self.sample_along(field, line, from, to);
            breaks.extend(self.crossings(field, line, &samples).into_iter().map(|c| c.0));
        }
        breaks.sort_by(f64::total_cmp);
        breaks
    }

    /// Intervals of the patch on the line at `x`.
    pub fn intervals(&self, field: &mut HeightField, x: f64) -> Vec<LineInterval> {
        let line = FaceLine { run: 1, fixed: x };
        let j = field.axes[1];
        let samples = self.sample_along(field, line, field.cell.min[j], field.cell.max[j]);
        if self.prefer_tetrahedra && field.is_multivalued {
            return Vec::new();
        }
        if samples.iter().all(|l| l.value > 0.0) {
            let points: Vec<(SurfacePoint, f64)> =
                samples.iter().filter_map(|l| Some((l.on_surface?, l.weight))).collect();
            let ends = [points[0].0.position, points[points.len() - 1].0.position];
            return vec![LineInterval { ends, at_border: [false; 2], whole: true, points }];
        }
        let mut found = Vec::new();
        let mut opened = (samples[0].value > 0.0).then_some((samples[0].at, false));
        for end in self.crossings(field, line, &samples).into_iter().chain([(field.cell.max[j], false)]) {
            match opened.take() {
                None => opened = Some(end),
                Some(start) => found.extend(self.place_points(field, x, [start, end])),
            }
        }
        found
    }

    /// Samples along a line, and one where the patch may come in and go out again between two of them.
    fn sample_along(&self, field: &mut HeightField, line: FaceLine, from: f64, to: f64) -> Vec<LineSample> {
        let mut samples: Vec<LineSample> = Vec::with_capacity(LOBATTO.len());
        for (u, w) in LOBATTO {
            if self.prefer_tetrahedra && field.is_multivalued {
                break;
            }
            let sample = self.sample(field, line, from + u * (to - from), w * (to - from));
            let within =
                samples.last().and_then(|before| self.peak_between(field, line, [before, &sample], PEAK_STEPS));
            samples.extend(within);
            samples.push(sample);
        }
        samples
    }

    fn sample(&self, field: &mut HeightField, line: FaceLine, at: f64, weight: f64) -> LineSample {
        let (value, on_surface) = self.inside(field, line.place(at));
        LineSample { at, value, on_surface, weight }
    }

    /// A sample inside the patch between two outside of it, at the peak their slopes lead to.
    fn peak_between(
        &self,
        field: &mut HeightField,
        line: FaceLine,
        [a, b]: [&LineSample; 2],
        tries: usize,
    ) -> Option<LineSample> {
        if tries == 0 || a.value > 0.0 || b.value > 0.0 {
            return None;
        }
        let width = b.at - a.at;
        let [(p, up), (q, down)] =
            [self.pressure_along(field, line, a.on_surface?), self.pressure_along(field, line, b.on_surface?)];
        // The greatest that a hill can be of which these are the slopes.
        let most = (q * up - p * down - up * down * width) / (up - down);
        if !(up > 0.0 && down < 0.0 && most > 0.0) {
            return None;
        }
        let sample = self.sample(field, line, a.at + width * up / (up - down), 0.0);
        if sample.value > 0.0 {
            return Some(sample);
        }
        let [left, right] = [[a, &sample], [&sample, b]];
        self.peak_between(field, line, left, tries - 1).or_else(|| self.peak_between(field, line, right, tries - 1))
    }

    /// Pressure and its slope along a line, on the surface.
    fn pressure_along(&self, field: &HeightField, line: FaceLine, on_surface: SurfacePoint) -> (f64, f64) {
        let (kind, along, k) = (self.frame.kind, field.axes[line.run], field.axes[2]);
        let (p, slope) = (on_surface.probe.contact_gradient(kind), on_surface.probe.surface(kind).1);
        (on_surface.pressures(kind).0, p[along] - p[k] * slope[along] / slope[k])
    }

    /// Places where a line enters or leaves the patch, and whether through its border.
    fn crossings(&self, field: &mut HeightField, line: FaceLine, samples: &[LineSample]) -> Vec<(f64, bool)> {
        let mut changes = Vec::new();
        for pair in samples.windows(2) {
            let (a, b) = (&pair[0], &pair[1]);
            if (a.value > 0.0) == (b.value > 0.0) {
                continue;
            }
            let (inner, outer) = if a.value > 0.0 { (a, b) } else { (b, a) };
            let cut =
                if outer.on_surface.is_none() { self.exit_through_face(field, line, inner.at, outer.at) } else { None };
            let change = match cut {
                Some(at) if self.inside(field, line.place(at)).0 > 0.0 => (at, false),
                Some(at) => (self.border(field, line, inner, at), true),
                None => (self.border(field, line, inner, outer.at), true),
            };
            field.clipped |= !change.1;
            changes.push(change);
        }
        changes
    }

    /// Place, on a line from `from` to `to`, where the surface first leaves through a face of the cell.
    fn exit_through_face(&self, field: &HeightField, line: FaceLine, from: f64, to: f64) -> Option<f64> {
        let k = field.axes[2];
        let root = |z: f64| {
            let u = |at: f64| self.frame.probe(field.position(line.place(at), z)).surface(self.frame.kind).0;
            let (a, b) = (u(from), u(to));
            if (a > 0.0) == (b > 0.0) {
                return None;
            }
            refine_root(u, (from, a), (to, b), self.root * (to - from).abs())
        };
        let roots = [root(field.cell.min[k]), root(field.cell.max[k])];
        roots.into_iter().flatten().min_by(|p, q| (p - from).abs().total_cmp(&(q - from).abs()))
    }

    /// Place where the pressure vanishes between `start`, inside the patch, and `outer`, outside: Newton along the surface,
    /// kept between both.
    fn border(&self, field: &mut HeightField, line: FaceLine, start: &LineSample, outer: f64) -> f64 {
        let (mut inner, mut outer, mut at, mut here) = (start.at, outer, start.at, start.on_surface);
        // The pressure vanishes at the border, so that an error of its position enters squared.
        let near = self.root.sqrt() * (outer - inner).abs();
        for _ in 0..ROOT_STEPS {
            let newton = here.map(|l| {
                let (p, slope) = self.pressure_along(field, line, l);
                at - p / slope
            });
            let between = |at: &f64| (*at - inner) * (*at - outer) < 0.0;
            let next = newton.filter(between).unwrap_or(0.5 * (inner + outer));
            let done = (next - at).abs() <= near;
            at = next;
            if done || (outer - inner).abs() <= near {
                break;
            }
            let (value, on_surface) = self.inside(field, line.place(at));
            here = on_surface;
            if value > 0.0 { inner = at } else { outer = at }
        }
        at
    }

    /// Points on one interval of the line at `x`, given by its ends and whether they are the patch's.
    fn place_points(
        &self,
        field: &mut HeightField,
        x: f64,
        [(y0, first), (y1, second)]: [(f64, bool); 2],
    ) -> Option<LineInterval> {
        let place = |u: f64| y0 + u * (y1 - y0);
        let mut points: Vec<(SurfacePoint, f64)> = Vec::with_capacity(LOBATTO.len());
        for (u, w) in LOBATTO {
            // At a border the pressure is zero up to the root's accuracy; within, none means that the patch is not there.
            let (value, on_surface) = self.inside(field, (x, place(u)));
            let at_end = u == 0.0 || u == 1.0;
            // Out of reach of both fields there is no surface at all.
            let there = |l: &SurfacePoint| l.probe.surface(self.frame.kind).1[field.axes[2]] != 0.0;
            points.extend(on_surface.filter(|l| (at_end || value > 0.0) && there(l)).map(|l| (l, w * (y1 - y0))));
        }
        let [_, j, k] = field.axes;
        // The ends lie on the surface, continued from the nearest point by its slope.
        let end = |on_surface: &SurfacePoint, y: f64| {
            let (_, g) = on_surface.probe.surface(self.frame.kind);
            let mut p = on_surface.position;
            p[k] -= g[j] / g[k] * (y - p[j]);
            p[j] = y;
            p
        };
        let ends = [end(&points.first()?.0, y0), end(&points.last()?.0, y1)];
        Some(LineInterval { ends, at_border: [first, second], whole: false, points })
    }
}
