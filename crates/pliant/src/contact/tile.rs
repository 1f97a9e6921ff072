//! One tile: lines across a cell, and where they lie in the patch.

use super::chart::{GRAZING, Lifted, pressures};
use super::pair::Probe;
use super::tiles::Tiler;
use crate::math::{Aabb, DVec3, gauss, refine_root};

/// Points on an interval that ends within its tile.
const POINTS: usize = 3;

/// Places on a line where the patch is looked for, and the weights of Lobatto's rule, by which these are all an
/// interval needs that fills its tile.
const LOOKS: [(f64, f64); 4] =
    [(0.0, 1.0 / 12.0), (0.276_393_202_250_021, 5.0 / 12.0), (0.723_606_797_749_979, 5.0 / 12.0), (1.0, 1.0 / 12.0)];

/// Places at which a line across a cell is looked at for sheets of the surface. Fewer: two sheets are taken for one.
const LEVELS: usize = 7;

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
    pub points: Vec<(Lifted, f64)>,
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
    pub clipped: bool,
    /// How far inside the patch the deepest point seen is, metres, and the slope of the pressure there.
    pub deepest: (f64, f64),
    /// A place between two sheets.
    pub between: Option<f64>,
}

impl Tiler<'_> {
    /// The face that suits the surface in `cell`, and a point to begin from. `None` where there is no slope to follow.
    pub fn view(&self, cell: Aabb) -> Option<View> {
        let kind = self.meeting.kind;
        let (mut start, mut between) = self.sheet(&cell, cell.center(), 2);
        let mut probe = self.meeting.probe(start);
        let (_, g) = probe.surface(kind);
        // The axis along which the surface leaves least through the faces, of those it does not run along.
        let steep = g.abs();
        let least = STEEP * g.length();
        let k = (DVec3::select(steep.cmpge(DVec3::splat(least)), steep, DVec3::ZERO) * cell.size()).max_position();
        if k != 2 {
            (start, between) = self.sheet(&cell, start, k);
            probe = self.meeting.probe(start);
        }
        let (_, g) = probe.surface(kind);
        // Lines run towards the border, so that they cross it steeply.
        let fall = probe.contact_gradient(kind).reject_from_normalized(g.try_normalize()?).abs();
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let (i, j) = if fall[i] > fall[j] { (j, i) } else { (i, j) };
        let last = Lifted { s: start[k], position: start, probe };
        let folded = between.is_some();
        Some(View {
            cell,
            axes: [i, j, k],
            up: g[k] > 0.0,
            last,
            folded,
            clipped: false,
            deepest: (f64::NEG_INFINITY, 0.0),
            between,
        })
    }

    /// Where the line through `p` along `axis` meets the patch, roughly, or comes nearest to it; and a place between
    /// if it meets it twice.
    fn sheet(&self, cell: &Aabb, p: DVec3, axis: usize) -> (DVec3, Option<f64>) {
        let (low, length) = (cell.min[axis], cell.max[axis] - cell.min[axis]);
        let at = |z: f64| {
            let mut p = p;
            p[axis] = z;
            p
        };
        let mut best: Option<(f64, f64)> = None;
        let mut sheets: Vec<f64> = Vec::new();
        let mut before: Option<(f64, f64, f64)> = None;
        let mut gap = (f64::INFINITY, low);
        let mut between = None;
        for i in 0..LEVELS {
            let z = low + length * i as f64 / (LEVELS - 1) as f64;
            let probe = self.meeting.probe(at(z));
            let (u, depth) = (probe.surface(self.meeting.kind).0, self.meeting.unscaled(&probe).depth());
            if best.is_none_or(|b| depth > b.0) {
                best = Some((depth, z));
            }
            if let Some((z0, u0, depth0)) = before
                && (u0 > 0.0) != (u > 0.0)
            {
                let share = u0 / (u0 - u);
                if depth0.max(depth) > 0.0 {
                    if !sheets.is_empty() && between.is_none() {
                        between = Some(gap.1);
                    }
                    sheets.push(z0 + share * (z - z0));
                    gap = (f64::INFINITY, z);
                }
            }
            if depth < gap.0 && z > low && i + 1 < LEVELS {
                gap = (depth, z);
            }
            before = Some((z, u, depth));
        }
        let z = sheets.first().copied().or(best.map(|b| b.1)).unwrap_or(p[axis]);
        (at(z), between)
    }

    /// Intervals of the patch on the line at `x`.
    pub fn intervals(&self, view: &mut View, x: f64) -> Vec<Interval> {
        let j = view.axes[1];
        let (mut y0, mut length) = (view.cell.min[j], view.cell.max[j] - view.cell.min[j]);
        let look = |view: &mut View, y0: f64, length: f64| {
            LOOKS.map(|(u, w)| {
                let (value, lifted) = self.inside(view, x, y0 + u * length);
                (y0 + u * length, value, lifted, w * length)
            })
        };
        let mut looks = look(view, y0, length);
        if looks.iter().any(|l| l.2.is_none()) {
            // The surface leaves through a face: look only where it is between both.
            let Some(within) = self.within_faces(view, x) else { return Vec::new() };
            if within != (y0, length) {
                view.clipped = true;
                (y0, length) = within;
                looks = look(view, y0, length);
            }
        }
        if let [Some(a), Some(b), Some(c), Some(d)] = looks.map(|l| l.2)
            && looks.iter().all(|l| l.1 > 0.0)
        {
            let points = [a, b, c, d].into_iter().zip(looks.map(|l| l.3)).collect();
            return vec![Interval { ends: [a.position, d.position], at_border: [false; 2], points }];
        }
        let mut found = Vec::new();
        let mut opened = (looks[0].1 > 0.0).then_some((y0, false));
        for pair in looks.windows(2) {
            let ((a, fa), (b, fb)) = ((pair[0].0, pair[0].1), (pair[1].0, pair[1].1));
            if (fa > 0.0) == (fb > 0.0) {
                continue;
            }
            let (inner, outer) = if fa > 0.0 { (&pair[0], b) } else { (&pair[1], a) };
            let end = self.border(view, x, (inner.0, inner.2, outer));
            match opened.take() {
                None => opened = Some((end, true)),
                Some(start) => found.extend(self.fill(view, x, [start, (end, true)])),
            }
        }
        if let Some(start) = opened {
            found.extend(self.fill(view, x, [start, (y0 + length, false)]));
        }
        found
    }

    /// The part of the line at `x` over which the surface lies between the cell's faces: where it begins and how long
    /// it is. A surface that leaves through a face is followed beyond it.
    fn within_faces(&self, view: &View, x: f64) -> Option<(f64, f64)> {
        let [_, j, k] = view.axes;
        let (y0, y1) = (view.cell.min[j], view.cell.max[j]);
        let (z0, z1) = (view.cell.min[k], view.cell.max[k]);
        let height = |y: f64| self.follow(view, x, y).map(|l| l.s);
        let (Some(a), Some(b)) = (height(y0), height(y1)) else { return Some((y0, y1 - y0)) };
        let (mut from, mut to) = (y0, y1);
        for (face, sign) in [(z0, 1.0), (z1, -1.0)] {
            let (fa, fb) = (sign * (a - face), sign * (b - face));
            if fa <= 0.0 && fb <= 0.0 {
                return None;
            }
            if (fa > 0.0) == (fb > 0.0) {
                continue;
            }
            let beyond = |y: f64| height(y).map_or(-1.0, |z| sign * (z - face));
            let end = refine_root(beyond, (y0, fa), (y1, fb), self.root * (y1 - y0))?;
            if fa > 0.0 { to = to.min(end) } else { from = from.max(end) }
        }
        (to > from).then_some((from, to - from))
    }

    /// Where the pressure vanishes between `inner`, a place inside the patch, and `outer`, one that is not: Newton along
    /// the surface, kept between both.
    fn border(&self, view: &mut View, x: f64, (inner, start, outer): (f64, Option<Lifted>, f64)) -> f64 {
        let (kind, [_, j, k]) = (self.meeting.kind, view.axes);
        let (mut inner, mut outer, mut y, mut here) = (inner, outer, inner, start);
        // The pressure vanishes at the border, whose place then matters by the square.
        let near = self.root.sqrt() * (outer - inner).abs();
        for _ in 0..ROOTS {
            let newton = here.map(|l| {
                let (p, slope) = (l.probe.contact_gradient(kind), l.probe.surface(kind).1);
                y - pressures(&l, kind).0 / (p[j] - p[k] * slope[j] / slope[k])
            });
            let between = |y: &f64| (*y - inner) * (*y - outer) < 0.0;
            let next = newton.filter(between).unwrap_or(0.5 * (inner + outer));
            let done = (next - y).abs() <= near;
            y = next;
            if done || (outer - inner).abs() <= near {
                break;
            }
            let (value, lifted) = self.inside(view, x, y);
            here = lifted;
            if value > 0.0 { inner = y } else { outer = y }
        }
        y
    }

    /// Gauss points on one interval, given by its ends and whether they are the patch's.
    fn fill(&self, view: &mut View, x: f64, [(y0, first), (y1, second)]: [(f64, bool); 2]) -> Option<Interval> {
        let rule = gauss(POINTS);
        let mut points = Vec::with_capacity(POINTS);
        for (u, w) in rule.nodes.iter().zip(&rule.weights) {
            let (value, lifted) = self.inside(view, x, y0 + u * (y1 - y0));
            if let Some(lifted) = lifted.filter(|_| value > 0.0) {
                points.push((lifted, w * (y1 - y0)));
            }
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
        Some(Interval { ends, at_border: [first, second], points })
    }

    /// Positive inside the patch at `(x, y)`, negative outside; and the surface point there.
    fn inside(&self, view: &mut View, x: f64, y: f64) -> (f64, Option<Lifted>) {
        let kind = self.meeting.kind;
        let k = view.axes[2];
        let Some(lifted) = self.lift(view, x, y) else { return (-self.size, None) };
        let value = self.below_border(&lifted.probe);
        if value > view.deepest.0 {
            view.deepest = (value, lifted.probe.contact_gradient(kind).length());
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
    fn lift(&self, view: &View, x: f64, y: f64) -> Option<Lifted> {
        let (kind, k) = (self.meeting.kind, view.axes[2]);
        let (z0, z1) = (view.cell.min[k], view.cell.max[k]);
        let slack = self.root * self.size;
        let newton = self.follow(view, x, y);
        let known = |l: &Lifted| self.below_border(&l.probe) < -view.margin();
        if newton.is_some_and(|l| (l.s >= z0 - slack && l.s <= z1 + slack) || known(&l)) {
            return newton;
        }
        let u = |z: f64| self.meeting.probe(view.at(x, y, z)).surface(kind).0;
        let (low, high) = (u(z0), u(z1));
        if (low > 0.0) == (high > 0.0) {
            return None;
        }
        let z = refine_root(u, (z0, low), (z1, high), slack)?;
        let position = view.at(x, y, z);
        Some(Lifted { s: z, position, probe: self.meeting.probe(position) })
    }

    /// How far inside the patch a surface point is, metres, by the slope of the pressure.
    fn below_border(&self, probe: &Probe) -> f64 {
        let kind = self.meeting.kind;
        probe.contact_pressures(kind).0 / probe.contact_gradient(kind).length()
    }

    /// The sheet last found, continued to the line through `(x, y)`.
    fn follow(&self, view: &View, x: f64, y: f64) -> Option<Lifted> {
        let (kind, [i, j, k]) = (self.meeting.kind, view.axes);
        let (z0, z1) = (view.cell.min[k], view.cell.max[k]);
        let (_, g) = view.last.probe.surface(kind);
        let from = view.last.position;
        let mut z = from[k] - (g[i] * (x - from[i]) + g[j] * (y - from[j])) / g[k];
        for _ in 0..NEWTON {
            if !(z >= z0 - self.size && z <= z1 + self.size) {
                return None;
            }
            let probe = self.meeting.probe(view.at(x, y, z));
            let (u, g) = probe.surface(kind);
            let step = -u / g[k];
            z += step;
            let probe = probe.advanced(step * DVec3::AXES[k]);
            // Far outside the patch nobody needs to know where exactly.
            if step.abs() <= self.root * self.size || self.below_border(&probe) < -(view.margin() + step.abs()) {
                return Some(Lifted { s: z, position: view.at(x, y, z), probe });
            }
        }
        None
    }
}

impl View {
    /// What lies farther outside the patch than this does not touch the tile's own part of it.
    fn margin(&self) -> f64 {
        let size = self.cell.size();
        0.25 * size[self.axes[0]].min(size[self.axes[1]])
    }

    fn at(&self, x: f64, y: f64, z: f64) -> DVec3 {
        let [i, j, k] = self.axes;
        let mut p = DVec3::ZERO;
        (p[i], p[j], p[k]) = (x, y, z);
        p
    }
}
