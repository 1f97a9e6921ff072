//! One tile: lines across a cell, and where they lie in the patch.

use super::chart::{GRAZING, Lifted, pressures};
use super::pair::Probe;
use super::tiles::Tiler;
use crate::math::{Aabb, DVec3, refine_root};

/// Nodes and weights of Lobatto's rule: where the patch is looked for on a line, and where lines lie in a tile. Its first,
/// middle and last nodes make Simpson's rule, by which it is checked: one is blind to kinks the other sees.
pub(super) const LOOKS: [(f64, f64); 5] = [
    (0.0, 0.05),
    (0.172_673_164_646_011_4, 49.0 / 180.0),
    (0.5, 16.0 / 45.0),
    (0.827_326_835_353_988_6, 49.0 / 180.0),
    (1.0, 0.05),
];

/// Simpson's weights for the first, middle and last of [`LOOKS`].
pub(super) const CHECK: [f64; 5] = [1.0 / 6.0, 0.0, 2.0 / 3.0, 0.0, 1.0 / 6.0];

/// Steps towards a peak between two looks. Fewer: narrow strips slip through.
const BETWEEN: usize = 4;

/// Steps in which a line across a cell is looked at for sheets of the surface: two for each width of the cell, so many at
/// least and at most. Fewer: two sheets are taken for one.
const LEVELS: (f64, f64) = (4.0, 24.0);

/// Cosine between the surface's normal and an axis from which the surface is taken for a graph along it.
const STEEP: f64 = 0.3;

/// Steps towards a border before the last is taken: half of them bisections would leave a thousandth.
const ROOTS: usize = 20;

/// Iterations of Newton along a line before brackets take over.
const NEWTON: usize = 8;

/// What of a line lies in the patch: points with their measure along the line.
pub(super) struct Interval {
    pub ends: [DVec3; 2],
    pub at_border: [bool; 2],
    /// It goes from end to end of its line.
    pub whole: bool,
    pub points: Vec<(Lifted, f64)>,
}

impl Interval {
    /// Whether it goes from end to end of its line.
    pub fn is_whole(&self) -> bool {
        self.whole
    }
}

/// A line in a tile's face.
#[derive(Clone, Copy)]
struct Track {
    /// Which of the face's axes it runs along: the first, across the tile's lines, or the second.
    run: usize,
    /// Its place on the other.
    fixed: f64,
}

impl Track {
    fn place(&self, at: f64) -> (f64, f64) {
        if self.run == 0 { (at, self.fixed) } else { (self.fixed, at) }
    }
}

/// A place on a track, and the patch there.
struct Look {
    at: f64,
    /// Positive inside the patch.
    value: f64,
    lifted: Option<Lifted>,
    /// By Lobatto's rule over the track.
    weight: f64,
}

/// A tile being looked at: the face its surface is a graph over, and what was last found.
pub(super) struct View {
    cell: Aabb,
    /// Lines lie side by side along the first axis, run along the second, and the surface is found along the third.
    pub axes: [usize; 3],
    /// Whether `u` grows along the last axis.
    up: bool,
    last: Lifted,
    pub folded: bool,
    /// The line through the middle meets the patch.
    pub is_met: bool,
    pub clipped: bool,
    /// Some line does not meet the surface between the faces.
    pub gone: bool,
    /// How far inside the patch the deepest point seen is, metres; and that point.
    pub deepest: (f64, Lifted),
}

impl Tiler<'_> {
    /// The face that suits the surface in `cell`, and a point to begin from. `None` where there is no slope to follow.
    pub fn view(&self, cell: Aabb) -> Option<View> {
        let kind = self.meeting.kind;
        let (mut start, mut sheets) = self.sheet(&cell, cell.center(), 2);
        let mut probe = self.meeting.probe(start);
        let (_, g) = probe.surface(kind);
        // The axis along which the surface leaves least through the faces, of those it does not run along.
        let steep = g.abs();
        let least = STEEP * g.length();
        let k = (DVec3::select(steep.cmpge(DVec3::splat(least)), steep, DVec3::ZERO) * cell.size()).max_position();
        if k != 2 {
            (start, sheets) = self.sheet(&cell, start, k);
            probe = self.meeting.probe(start);
        }
        let (_, g) = probe.surface(kind);
        // Lines run towards the border, so that they cross it steeply.
        let fall = probe.contact_gradient(kind).reject_from_normalized(g.try_normalize()?).abs();
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let (i, j) = if fall[i] > fall[j] { (j, i) } else { (i, j) };
        let last = Lifted { s: start[k], position: start, probe };
        Some(View {
            cell,
            axes: [i, j, k],
            up: g[k] > 0.0,
            last,
            folded: sheets > 1,
            is_met: sheets > 0,
            clipped: false,
            gone: false,
            deepest: (f64::NEG_INFINITY, last),
        })
    }

    /// Where the line through `p` along `axis` first meets the patch, roughly, or comes nearest to it; and how often it
    /// meets it.
    fn sheet(&self, cell: &Aabb, p: DVec3, axis: usize) -> (DVec3, usize) {
        let (low, length) = (cell.min[axis], cell.max[axis] - cell.min[axis]);
        let at = |z: f64| {
            let mut p = p;
            p[axis] = z;
            p
        };
        let mut best: Option<(f64, f64)> = None;
        let (mut first, mut count) = (None, 0);
        let mut before: Option<(f64, f64, f64)> = None;
        let size = cell.size();
        let width = size[(axis + 1) % 3].min(size[(axis + 2) % 3]);
        let steps = (2.0 * length / width).clamp(LEVELS.0, LEVELS.1).ceil() as usize;
        for i in 0..=steps {
            let z = low + length * i as f64 / steps as f64;
            let probe = self.meeting.probe(at(z));
            let (u, depth) = (probe.surface(self.meeting.kind).0, self.meeting.unscaled(&probe).depth());
            if best.is_none_or(|b| depth > b.0) {
                best = Some((depth, z));
            }
            if let Some((z0, u0, depth0)) = before
                && (u0 > 0.0) != (u > 0.0)
                && depth0.max(depth) > 0.0
            {
                count += 1;
                first = first.or(Some(z0 + u0 / (u0 - u) * (z - z0)));
            }
            before = Some((z, u, depth));
        }
        (at(first.or(best.map(|b| b.1)).unwrap_or(p[axis])), count)
    }

    /// Looks for a second sheet at the deepest point seen.
    pub fn look_across(&self, view: &mut View) {
        view.folded |= self.sheet(&view.cell, view.deepest.1.position, view.axes[2]).1 > 1;
    }

    /// Whether the patch may cross `cell`, by the slopes in its middle.
    pub fn is_near(&self, cell: &Aabb) -> bool {
        let (kind, reach) = (self.meeting.kind, 0.5 * cell.size().length());
        let probe = self.meeting.probe(cell.center());
        let (u, g) = probe.surface(kind);
        u.abs() <= reach * g.length() && self.below_border(&probe) >= -reach
    }

    /// Whether the patch crosses an edge of `cell` along one of some axes, by what is found at the corners.
    pub fn crosses(&self, cell: &Aabb, axes: &[usize]) -> bool {
        let corners: [(f64, f64); 8] = std::array::from_fn(|i| {
            let pick = |axis: usize| if i >> axis & 1 == 0 { cell.min[axis] } else { cell.max[axis] };
            let probe = self.meeting.probe(DVec3::new(pick(0), pick(1), pick(2)));
            (probe.surface(self.meeting.kind).0, probe.contact_pressures(self.meeting.kind).0)
        });
        let crossed = |i: usize, axis: usize| {
            let ((u, p), (v, q)) = (corners[i], corners[i ^ (1 << axis)]);
            (u > 0.0) != (v > 0.0) && p + u / (u - v) * (q - p) > 0.0
        };
        (0..8).any(|i| axes.iter().any(|axis| crossed(i, *axis)))
    }

    /// Places across the tile where the patch's border, or a face of the cell that cuts it, leaves through the ends of
    /// the lines: between them, what lines show changes smoothly from one to the next.
    pub fn breaks(&self, view: &mut View) -> Vec<f64> {
        let [i, j, _] = view.axes;
        let span = (view.cell.min[i], view.cell.max[i]);
        let mut breaks = Vec::new();
        for fixed in [view.cell.min[j], view.cell.max[j]] {
            let track = Track { run: 0, fixed };
            let looks = self.look_along(view, track, span);
            breaks.extend(self.changes(view, track, &looks).into_iter().map(|c| c.0));
        }
        breaks.sort_by(f64::total_cmp);
        breaks
    }

    /// Intervals of the patch on the line at `x`.
    pub fn intervals(&self, view: &mut View, x: f64) -> Vec<Interval> {
        let track = Track { run: 1, fixed: x };
        let j = view.axes[1];
        let looks = self.look_along(view, track, (view.cell.min[j], view.cell.max[j]));
        if looks.iter().all(|l| l.value > 0.0) {
            let points: Vec<(Lifted, f64)> = looks.iter().filter_map(|l| Some((l.lifted?, l.weight))).collect();
            let ends = [points[0].0.position, points[points.len() - 1].0.position];
            return vec![Interval { ends, at_border: [false; 2], whole: true, points }];
        }
        let mut found = Vec::new();
        let mut opened = (looks[0].value > 0.0).then_some((looks[0].at, false));
        for end in self.changes(view, track, &looks).into_iter().chain([(view.cell.max[j], false)]) {
            match opened.take() {
                None => opened = Some(end),
                Some(start) => found.extend(self.fill(view, x, [start, end])),
            }
        }
        found
    }

    /// The patch at a few places along a track, and where it may come in and go out again between two of them.
    fn look_along(&self, view: &mut View, track: Track, (from, to): (f64, f64)) -> Vec<Look> {
        let mut looks: Vec<Look> = Vec::with_capacity(LOOKS.len());
        for (u, w) in LOOKS {
            let look = self.look(view, track, from + u * (to - from), w * (to - from));
            let within = looks.last().and_then(|before| self.look_between(view, track, [before, &look], BETWEEN));
            looks.extend(within);
            looks.push(look);
        }
        looks
    }

    fn look(&self, view: &mut View, track: Track, at: f64, weight: f64) -> Look {
        let (value, lifted) = self.inside(view, track.place(at));
        Look { at, value, lifted, weight }
    }

    /// A look inside the patch between two outside of it, at the peak their slopes lead to.
    fn look_between(&self, view: &mut View, track: Track, [a, b]: [&Look; 2], tries: usize) -> Option<Look> {
        if tries == 0 || a.value > 0.0 || b.value > 0.0 {
            return None;
        }
        let way = b.at - a.at;
        let [(p, up), (q, down)] =
            [self.pressure_along(view, track, a.lifted?), self.pressure_along(view, track, b.lifted?)];
        // The greatest that a hill can be of which these are the slopes.
        let most = (q * up - p * down - up * down * way) / (up - down);
        if !(up > 0.0 && down < 0.0 && most > 0.0) {
            return None;
        }
        let look = self.look(view, track, a.at + way * up / (up - down), 0.0);
        if look.value > 0.0 {
            return Some(look);
        }
        let [left, right] = [[a, &look], [&look, b]];
        self.look_between(view, track, left, tries - 1).or_else(|| self.look_between(view, track, right, tries - 1))
    }

    /// Pressure and how fast it grows along a track, on the surface.
    fn pressure_along(&self, view: &View, track: Track, lifted: Lifted) -> (f64, f64) {
        let (kind, along, k) = (self.meeting.kind, view.axes[track.run], view.axes[2]);
        let (p, slope) = (lifted.probe.contact_gradient(kind), lifted.probe.surface(kind).1);
        (pressures(&lifted, kind).0, p[along] - p[k] * slope[along] / slope[k])
    }

    /// Where a track enters or leaves the patch, and whether by its border.
    fn changes(&self, view: &mut View, track: Track, looks: &[Look]) -> Vec<(f64, bool)> {
        let mut changes = Vec::new();
        for pair in looks.windows(2) {
            let (a, b) = (&pair[0], &pair[1]);
            if (a.value > 0.0) == (b.value > 0.0) {
                continue;
            }
            let (inner, outer) = if a.value > 0.0 { (a, b) } else { (b, a) };
            let cut = if outer.lifted.is_none() { self.cut(view, track, (inner.at, outer.at)) } else { None };
            let change = match cut {
                Some(at) if self.inside(view, track.place(at)).0 > 0.0 => (at, false),
                Some(at) => (self.border(view, track, (inner, at)), true),
                None => (self.border(view, track, (inner, outer.at)), true),
            };
            view.clipped |= !change.1;
            changes.push(change);
        }
        changes
    }

    /// Where, on a track from `from` to `to`, the surface first leaves through a face of the cell.
    fn cut(&self, view: &View, track: Track, (from, to): (f64, f64)) -> Option<f64> {
        let k = view.axes[2];
        let root = |z: f64| {
            let u = |at: f64| self.meeting.probe(view.at(track.place(at), z)).surface(self.meeting.kind).0;
            let (a, b) = (u(from), u(to));
            if (a > 0.0) == (b > 0.0) {
                return None;
            }
            refine_root(u, (from, a), (to, b), self.root * (to - from).abs())
        };
        let roots = [root(view.cell.min[k]), root(view.cell.max[k])];
        roots.into_iter().flatten().min_by(|p, q| (p - from).abs().total_cmp(&(q - from).abs()))
    }

    /// Where the pressure vanishes between `inner`, a place inside the patch, and `outer`, one that is not: Newton along
    /// the surface, kept between both.
    fn border(&self, view: &mut View, track: Track, (start, outer): (&Look, f64)) -> f64 {
        let (mut inner, mut outer, mut at, mut here) = (start.at, outer, start.at, start.lifted);
        // The pressure vanishes at the border, whose place then matters by the square.
        let near = self.root.sqrt() * (outer - inner).abs();
        for _ in 0..ROOTS {
            let newton = here.map(|l| {
                let (p, slope) = self.pressure_along(view, track, l);
                at - p / slope
            });
            let between = |at: &f64| (*at - inner) * (*at - outer) < 0.0;
            let next = newton.filter(between).unwrap_or(0.5 * (inner + outer));
            let done = (next - at).abs() <= near;
            at = next;
            if done || (outer - inner).abs() <= near {
                break;
            }
            let (value, lifted) = self.inside(view, track.place(at));
            here = lifted;
            if value > 0.0 { inner = at } else { outer = at }
        }
        at
    }

    /// Points on one interval, given by its ends and whether they are the patch's.
    fn fill(&self, view: &mut View, x: f64, [(y0, first), (y1, second)]: [(f64, bool); 2]) -> Option<Interval> {
        let place = |u: f64| y0 + u * (y1 - y0);
        let mut points: Vec<(Lifted, f64)> = Vec::with_capacity(LOOKS.len());
        for (u, w) in LOOKS {
            // At a border the pressure is nothing, up to the root's accuracy; within, none means that the patch is not there.
            let (value, lifted) = self.inside(view, (x, place(u)));
            let at_end = u == 0.0 || u == 1.0;
            // Out of reach of both fields there is no surface at all.
            let there = |l: &Lifted| l.probe.surface(self.meeting.kind).1[view.axes[2]] != 0.0;
            points.extend(lifted.filter(|l| (at_end || value > 0.0) && there(l)).map(|l| (l, w * (y1 - y0))));
        }
        let [_, j, k] = view.axes;
        // The ends lie on the surface as its slope at the nearest point tells.
        let end = |lifted: &Lifted, y: f64| {
            let (_, g) = lifted.probe.surface(self.meeting.kind);
            let mut p = lifted.position;
            p[k] -= g[j] / g[k] * (y - p[j]);
            p[j] = y;
            p
        };
        let ends = [end(&points.first()?.0, y0), end(&points.last()?.0, y1)];
        Some(Interval { ends, at_border: [first, second], whole: false, points })
    }

    /// Positive inside the patch at `(x, y)`, negative outside; and the surface point there.
    fn inside(&self, view: &mut View, (x, y): (f64, f64)) -> (f64, Option<Lifted>) {
        let kind = self.meeting.kind;
        let k = view.axes[2];
        let Some(lifted) = self.lift(view, (x, y)) else { return (-self.size, None) };
        let value = self.below_border(&lifted.probe);
        if value > view.deepest.0 {
            view.deepest = (value, lifted);
        }
        if value > 0.0 {
            let (_, g) = lifted.probe.surface(kind);
            view.folded |= g[k].abs() <= GRAZING * g.length() || (g[k] > 0.0) != view.up;
        }
        // Far outside the patch its surface has other sheets, which would lead astray.
        if value > -view.margin() {
            view.last = lifted;
        }
        (if value.is_nan() { -self.size } else { value }, Some(lifted))
    }

    /// The surface on the line through `(x, y)`: Newton from what was last found, or between the faces if that fails.
    fn lift(&self, view: &mut View, (x, y): (f64, f64)) -> Option<Lifted> {
        let (kind, k) = (self.meeting.kind, view.axes[2]);
        let (z0, z1) = (view.cell.min[k], view.cell.max[k]);
        let slack = self.root * self.size;
        let newton = self.follow(view, (x, y));
        if newton.is_some_and(|l| l.s >= z0 - slack && l.s <= z1 + slack) {
            return newton;
        }
        let u = |z: f64| self.meeting.probe(view.at((x, y), z)).surface(kind).0;
        let (low, high) = (u(z0), u(z1));
        if (low > 0.0) == (high > 0.0) {
            // Two sheets hide each other from the faces.
            view.folded |= self.sheet(&view.cell, view.at((x, y), 0.0), k).1 > 0;
            view.gone = true;
            return newton.filter(|l| self.below_border(&l.probe) < -view.margin());
        }
        let z = refine_root(u, (z0, low), (z1, high), slack)?;
        let position = view.at((x, y), z);
        Some(Lifted { s: z, position, probe: self.meeting.probe(position) })
    }

    /// How far inside the patch a surface point is, metres, by the slope of the pressure.
    fn below_border(&self, probe: &Probe) -> f64 {
        let kind = self.meeting.kind;
        probe.contact_pressures(kind).0 / probe.contact_gradient(kind).length()
    }

    /// The sheet last found, continued to the line through `(x, y)`.
    fn follow(&self, view: &View, (x, y): (f64, f64)) -> Option<Lifted> {
        let (kind, [i, j, k]) = (self.meeting.kind, view.axes);
        let (z0, z1) = (view.cell.min[k], view.cell.max[k]);
        let (_, g) = view.last.probe.surface(kind);
        let from = view.last.position;
        let mut z = from[k] - (g[i] * (x - from[i]) + g[j] * (y - from[j])) / g[k];
        for _ in 0..NEWTON {
            if !(z >= z0 - self.size && z <= z1 + self.size) {
                return None;
            }
            let probe = self.meeting.probe(view.at((x, y), z));
            let (u, g) = probe.surface(kind);
            let step = -u / g[k];
            z += step;
            let probe = probe.advanced(step * DVec3::AXES[k]);
            // Far outside the patch nobody needs to know where exactly.
            if step.abs() <= self.root * self.size || self.below_border(&probe) < -(view.margin() + step.abs()) {
                return Some(Lifted { s: z, position: view.at((x, y), z), probe });
            }
        }
        None
    }
}

impl View {
    /// Of the face.
    pub fn diagonal(&self) -> f64 {
        let (size, [i, j, _]) = (self.cell.size(), self.axes);
        size[i].hypot(size[j])
    }

    /// What lies farther outside the patch than this does not touch the tile's own part of it.
    fn margin(&self) -> f64 {
        let size = self.cell.size();
        0.25 * size[self.axes[0]].min(size[self.axes[1]])
    }

    fn at(&self, (x, y): (f64, f64), z: f64) -> DVec3 {
        let [i, j, k] = self.axes;
        let mut p = DVec3::ZERO;
        (p[i], p[j], p[k]) = (x, y, z);
        p
    }
}
