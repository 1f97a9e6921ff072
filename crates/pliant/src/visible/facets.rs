//! Facets: the rest surface of a body, where its colliders change it, as triangles that carry columns.
//!
//! *The idea*: tetrahedra that bounds do not prove idle are bisected until the normal hardly turns in them; where the
//! surface cuts one, it leaves a flat triangle near the surface, with a direction at each corner. Points and directions
//! between the corners are interpolated, so that columns of neighbours meet on one ruled wall: they fill the space around
//! the surface exactly once, and the volume between two places of a column is a cubic. Whether an edge is bisected, and
//! where the surface cuts it, depends on its ends alone, the longest edge first: tetrahedra that share a face cut it alike.
//! *Not promised*: a fold of the surface narrower than [`FINEST`] thicknesses.

use crate::fields::{Field, Posed, Sample};
use crate::math::{Aabb, Cell, DVec3};

/// Least cosine between gradients at the ends of an edge that is not bisected. Larger: more triangles than smooth columns
/// need. Smaller: columns that meet the surface at a slant.
const STEADY: f64 = 0.6;
/// Longest edge, in thicknesses. Larger: a thin part may hide between corners. Smaller: more triangles.
const COARSEST: f64 = 1.0;
/// Shortest edge to be bisected, in thicknesses; at a crease the gradient turns however short it is. Larger: narrow folds
/// are lost. Smaller: creases take all tetrahedra.
const FINEST: f64 = 0.1;
/// Greatest distance of the surface from its facets, as a fraction of a tetrahedron's size. The sagitta of an arc that
/// turns by `acos(STEADY)` is 0.12 of its chord; across a facet it may be more.
const BESIDE: f64 = 0.3;
/// Greatest number of tetrahedra; beyond, the surface counts as too large to measure.
const MAX_TETRAHEDRA: usize = 400_000;

/// A body's field, and the colliders that bound the part of its surface that changes.
pub(super) struct DeformableRegion<'a> {
    pub field: Posed<'a>,
    pub influences: Vec<ColliderInfluence<'a>>,
}

/// Extent of a collider's influence on a body.
pub(super) struct ColliderInfluence<'a> {
    pub field: Posed<'a>,
    /// Level of its field above which it changes the body's surface.
    pub above: f64,
}

/// A triangle near the surface, with the direction out of the body at each corner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facet {
    pub corners: [DVec3; 3],
    pub out: [DVec3; 3],
}

/// A corner of a tetrahedron, and the field there, less the isovalue.
#[derive(Clone, Copy)]
struct TetrahedronCorner {
    at: DVec3,
    field: Sample,
}

impl DeformableRegion<'_> {
    /// Facets near the part of the surface that colliders may change; none if that is unbounded or too large.
    pub fn facets(&self) -> Option<Vec<Facet>> {
        let frame = self.field.world_from_body;
        let near = |r: &ColliderInfluence| {
            r.field.shape.influence_bounds().moved(&(frame.inverse() * r.field.world_from_body))
        };
        let reached = self.influences.iter().fold(Aabb::EMPTY, |b, r| b.union(&near(r)));
        let margin = 0.1 * self.field.shape.min_thickness();
        let within = self.field.shape.solid_bounds().grown(margin).intersection(&reached.grown(margin));
        if within.is_empty() {
            return Some(Vec::new());
        }
        if !within.is_finite() {
            return None;
        }
        let corner = |i: usize| {
            let high = DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64);
            self.corner(frame.point(within.min + high * within.size()))
        };
        // Six paths along the edges of the box, from its least corner to its greatest.
        let paths = [[1, 3], [3, 2], [2, 6], [6, 4], [4, 5], [5, 1]];
        let mut stack: Vec<[TetrahedronCorner; 4]> =
            paths.iter().map(|[a, b]| [corner(0), corner(*a), corner(*b), corner(7)]).collect();
        let (mut facets, mut seen) = (Vec::new(), 0);
        while let Some(tetrahedron) = stack.pop() {
            seen += 1;
            if seen > MAX_TETRAHEDRA {
                return None;
            }
            if self.is_idle(&tetrahedron) {
                continue;
            }
            match self.longest_unsteady(&tetrahedron) {
                Some((a, b)) => {
                    // The same midpoint for every tetrahedron with this edge.
                    let middle = self.corner(0.5 * (tetrahedron[a].at + tetrahedron[b].at));
                    for end in [a, b] {
                        let mut half = tetrahedron;
                        half[end] = middle;
                        stack.push(half);
                    }
                }
                None => self.cut(&tetrahedron, &mut facets),
            }
        }
        Some(facets)
    }

    fn corner(&self, at: DVec3) -> TetrahedronCorner {
        let s = self.field.sample(at);
        TetrahedronCorner { at, field: Sample { value: s.value - self.field.shape.iso(), ..s } }
    }

    /// Whether bounds prove that the tetrahedron contains no surface, or none that a collider changes.
    fn is_idle(&self, tetrahedron: &[TetrahedronCorner; 4]) -> bool {
        let turn = self.field.world_from_body;
        let back = turn.inverse();
        let bounds = Aabb::of_points(tetrahedron.iter().map(|c| back.point(c.at)));
        let cell = Cell::from(bounds).moved(&turn);
        let (range, iso) = (self.field.bounds(&cell), self.field.shape.iso());
        // Columns of a facet inside may meet the surface beside it.
        let near = Cell { half: cell.half + DVec3::splat(BESIDE * bounds.size().max_element()), ..cell };
        let changed = |r: &ColliderInfluence| r.field.upper_bound(&near) > r.above;
        range.hi < iso || range.lo > iso || !self.influences.iter().any(changed)
    }

    /// The longest edge to be bisected; of equal ones the same in every tetrahedron.
    fn longest_unsteady(&self, tetrahedron: &[TetrahedronCorner; 4]) -> Option<(usize, usize)> {
        const EDGES: [(usize, usize); 6] = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        let key = |(a, b): (usize, usize)| {
            let (a, b) = (tetrahedron[a].at, tetrahedron[b].at);
            let middle = 0.5 * (a + b);
            [a.distance_squared(b), middle.x, middle.y, middle.z]
        };
        let unsteady = EDGES.into_iter().filter(|(a, b)| self.is_unsteady(&tetrahedron[*a], &tetrahedron[*b]));
        unsteady.max_by(|e, f| key(*e).partial_cmp(&key(*f)).unwrap_or(std::cmp::Ordering::Equal))
    }

    fn is_unsteady(&self, a: &TetrahedronCorner, b: &TetrahedronCorner) -> bool {
        let length = a.at.distance(b.at);
        let own = self.field.shape.min_thickness();
        if length > COARSEST * own {
            return true;
        }
        let around = Cell::from(Aabb::around(0.5 * (a.at + b.at), 0.5 * length));
        let missed = |r: &ColliderInfluence| {
            length > COARSEST * r.field.shape.min_thickness() && r.field.upper_bound(&around) > r.above
        };
        if self.influences.iter().any(missed) {
            return true;
        }
        let (g, h) = (a.field.gradient, b.field.gradient);
        length > FINEST * own && g.dot(h) < STEADY * g.length() * h.length()
    }

    /// The one or two facets in which the surface cuts a tetrahedron.
    fn cut(&self, tetrahedron: &[TetrahedronCorner; 4], facets: &mut Vec<Facet>) {
        let mut order = [0, 1, 2, 3];
        order.sort_by_key(|i| tetrahedron[*i].field.value < 0.0);
        let [a, b, c, d] = order.map(|i| &tetrahedron[i]);
        let inside = order.iter().filter(|i| tetrahedron[**i].field.value >= 0.0).count();
        let mut add = |seen: &TetrahedronCorner, ends: [(&TetrahedronCorner, &TetrahedronCorner); 3], outward: f64| {
            let mut points = ends.map(|(p, q)| self.crossing(p, q));
            let [p, q, r] = points.map(|(at, _)| at);
            // From a corner inside, the facet is seen from behind.
            if outward * (q - p).cross(r - p).dot(p - seen.at) < 0.0 {
                points.swap(1, 2);
            }
            facets.push(Facet { corners: points.map(|c| c.0), out: points.map(|c| c.1) });
        };
        match inside {
            1 => add(a, [(a, b), (a, c), (a, d)], 1.0),
            3 => add(d, [(a, d), (b, d), (c, d)], -1.0),
            2 => {
                add(a, [(a, c), (a, d), (b, d)], 1.0);
                add(b, [(a, c), (b, d), (b, c)], 1.0);
            }
            _ => {}
        }
    }

    /// Approximate crossing of the surface with the edge from `a`, inside, to `b`, and the direction out of the body there.
    fn crossing(&self, a: &TetrahedronCorner, b: &TetrahedronCorner) -> (DVec3, DVec3) {
        let (mut inner, mut outer) = (*a, *b);
        let between = |inner: &TetrahedronCorner, outer: &TetrahedronCorner| {
            let share = inner.field.value / (inner.field.value - outer.field.value);
            self.corner(inner.at.lerp(outer.at, share))
        };
        let first = between(&inner, &outer);
        if first.field.value >= 0.0 {
            inner = first
        } else {
            outer = first
        }
        let second = between(&inner, &outer);
        let along = (b.at - a.at).normalize_or_zero();
        (second.at, (-second.field.gradient).try_normalize().unwrap_or(along))
    }
}
