//! Elements: one contribution to a field, a skeleton with its kernel or a convolution, times a strength.

use super::kernel::LaneFormula;
use super::skeleton::{Distance, Nearest, Neighbourhood, NormalLines, Plane, Skeleton, Sphere};
use super::{AffineBound, Convolution, Kernel, Sample};
use crate::math::{Aabb, Cell, DVec3, Frame, Interval, bracketed_root};

/// Where a contribution comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// `F(d(P, s))`: a distance surface.
    Distance(Skeleton, Kernel),
    /// `∫ h(|P − Q|) dQ`: a convolution surface.
    Convolution(Convolution),
}

/// A skeleton's contribution, in the frame of the body.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// The field before scaling.
    pub source: Source,
    /// Multiplies the contribution; 1 unless several skeletons share one place.
    pub strength: f64,
}

/// A point or segment with a kernel whose formula has no branches.
#[derive(Clone, Copy, Debug)]
pub(super) struct SimdElement<'a> {
    /// Both ends; equal for a point.
    pub ends: [DVec3; 2],
    pub formula: LaneFormula,
    pub kernel: &'a Kernel,
    pub strength: f64,
}

impl SimdElement<'_> {
    /// The point, if it is one.
    pub fn point(&self) -> Option<DVec3> {
        (self.ends[0] == self.ends[1]).then_some(self.ends[0])
    }
}

/// Greatest downward curvature of the distance in `cell`, 1/m; none where it has no bound.
fn greatest_downward_curvature(skeleton: &Skeleton, cell: &Cell) -> Option<f64> {
    if skeleton.is_convex() {
        return Some(0.0);
    }
    let near = Neighbourhood { center: cell.center, radius: cell.radius(), min_distance: skeleton.min_distance(cell) };
    let least = skeleton.curvature_range(&near).lo;
    least.is_finite().then(|| (-least).max(0.0))
}

impl Element {
    /// A distance surface of full strength.
    pub fn new(skeleton: Skeleton, kernel: Kernel) -> Self {
        Self { source: Source::Distance(skeleton, kernel), strength: 1.0 }
    }

    /// The skeleton of a distance surface.
    pub fn skeleton(&self) -> Option<&Skeleton> {
        match &self.source {
            Source::Distance(skeleton, _) => Some(skeleton),
            Source::Convolution(_) => None,
        }
    }

    /// The kernel of a distance surface.
    pub fn kernel(&self) -> Option<&Kernel> {
        match &self.source {
            Source::Distance(_, kernel) => Some(kernel),
            Source::Convolution(_) => None,
        }
    }

    /// The skeleton as a sphere, of a distance surface around a point or a ball: a field that is the same in all directions.
    pub fn as_sphere(&self) -> Option<Sphere> {
        self.skeleton()?.as_sphere()
    }

    /// The skeleton as a plane, of a distance surface around a half-space.
    pub fn as_plane(&self) -> Option<Plane> {
        self.skeleton()?.as_plane()
    }

    /// Whether the skeleton has an inside.
    pub fn is_volume(&self) -> bool {
        self.skeleton().is_some_and(Distance::is_volume)
    }

    /// Whether the solid of this element alone is convex: all points within some distance of a convex skeleton.
    pub(super) fn is_convex(&self) -> bool {
        self.strength > 0.0 && self.skeleton().is_some_and(Distance::is_convex)
    }

    /// The element as SIMD lanes evaluate it, where they can.
    pub(super) fn simd_element(&self) -> Option<SimdElement<'_>> {
        let Source::Distance(skeleton, kernel) = &self.source else { return None };
        Some(SimdElement { ends: skeleton.ends()?, formula: kernel.lane_formula()?, kernel, strength: self.strength })
    }

    /// The element in an outer frame, where moving it costs no more than a few numbers; pass `outer_from_inner`.
    pub(super) fn moved(&self, frame: &Frame) -> Option<Self> {
        let Source::Distance(skeleton, kernel) = &self.source else { return None };
        let source = Source::Distance(skeleton.moved(frame)?, kernel.clone());
        Some(Self { source, strength: self.strength })
    }

    /// The isovalue its curve was made for.
    pub fn iso(&self) -> f64 {
        match &self.source {
            Source::Distance(_, kernel) => kernel.iso(),
            Source::Convolution(convolution) => convolution.iso(),
        }
    }

    /// Value and gradient at `p`.
    pub fn sample(&self, p: DVec3) -> Sample {
        match &self.source {
            Source::Distance(skeleton, kernel) => skeleton.hot_contribution(kernel, self.strength, p),
            Source::Convolution(convolution) => {
                let s = convolution.sample(p);
                Sample { value: self.strength * s.value, gradient: self.strength * s.gradient }
            }
        }
    }

    /// A range that contains every value in `cell`.
    pub fn bounds(&self, cell: &Cell) -> Interval {
        let range = match &self.source {
            Source::Distance(skeleton, kernel) => kernel.range(skeleton.distance_range(cell)),
            Source::Convolution(convolution) => convolution.bounds(cell),
        };
        let ends = (self.strength * range.lo, self.strength * range.hi);
        Interval::new(ends.0.min(ends.1), ends.0.max(ends.1))
    }

    /// The upper end of [`Element::bounds`].
    pub fn upper_bound(&self, cell: &Cell) -> f64 {
        match &self.source {
            Source::Distance(skeleton, kernel) if self.strength >= 0.0 => {
                self.strength * kernel.value(skeleton.min_distance(cell))
            }
            _ => self.bounds(cell).hi,
        }
    }

    /// An affine upper bound. A convex distance lies above its tangent, `d ≥ d₀ + n·x`, and kernels decrease: `F(d)` is at most
    /// `F(d₀ + n·x)`, which lies above its own tangent by at most half the greatest `F''` times `(n·x)²`. Where the distance is
    /// curved downward by no more than `h` (inside a ring), it may lie `½ h x²` below that, and `|F'|` times so much is added. The second
    /// derivative of a convolution is at most the sum over its pieces. Elsewhere the bound is a constant.
    pub fn affine_bound(&self, cell: &Cell) -> AffineBound {
        if let Source::Distance(skeleton, kernel) = &self.source
            && self.strength > 0.0
            && let Some(hollow) = greatest_downward_curvature(skeleton, cell)
        {
            let nearest = skeleton.min_distance(cell);
            if nearest >= kernel.radius() {
                return AffineBound::default();
            }
            let Nearest { distance, direction } = skeleton.nearest(cell.center);
            let (value, slope) = kernel.value_and_slope(distance);
            let (value, slope) = (self.strength * value, self.strength * slope);
            let radius = cell.radius();
            // A distance without direction, at the skeleton itself, is above a constant.
            let along = DVec3::from_array(cell.axes.map(|a| a.dot(direction).abs())).dot(cell.half);
            let second = self.strength * kernel.second_derivative_range(distance - along, distance + along).1.max(0.0);
            // The rounding of a sample, so that the bound stays one.
            let slack = 1e-14 * (value.abs() + slope.abs() * (radius + cell.center.abs().max_element()));
            let steepest = if hollow > 0.0 { kernel.greatest_slope(nearest, kernel.radius()) } else { 0.0 };
            let rise = 0.5 * (second * along * along + self.strength * steepest * hollow * radius * radius);
            return AffineBound { value: value + slack, gradient: slope * direction, rise };
        }
        let flat = AffineBound { value: self.upper_bound(cell), ..AffineBound::default() };
        if let Source::Convolution(convolution) = &self.source
            && self.strength > 0.0
            && flat.value > 0.0
        {
            // By the greatest second derivative of the integral; in large cells that is more than it can change.
            let (Sample { value, gradient }, radius) = (self.sample(cell.center), cell.radius());
            let rise =
                0.5 * self.strength * convolution.second_derivative_bounds(cell.center, radius).1 * radius * radius;
            if rise < gradient.length() * radius {
                let slack = 1e-12 * (value.abs() + gradient.length() * radius);
                return AffineBound { value: value + slack, gradient, rise };
            }
        }
        flat
    }

    /// Thickness `t`: how far the surface lies from the skeleton where nothing else contributes.
    pub fn thickness(&self) -> f64 {
        match &self.source {
            Source::Distance(_, kernel) => kernel.thickness(),
            Source::Convolution(convolution) => convolution.thickness(),
        }
    }

    /// `R − t`: how far the contribution reaches beyond its surface.
    pub fn blend(&self) -> f64 {
        match &self.source {
            Source::Distance(_, kernel) => kernel.radius() - kernel.thickness(),
            Source::Convolution(convolution) => convolution.radius() - convolution.thickness(),
        }
    }

    /// A box around the skeleton itself.
    pub(super) fn skeleton_bounds(&self) -> Aabb {
        match &self.source {
            Source::Distance(skeleton, _) => skeleton.bounds(),
            Source::Convolution(convolution) => convolution.influence_bounds().grown(-convolution.radius()),
        }
    }

    /// How far from a distance skeleton the contribution alone still reaches `level`; `None` for convolutions, and
    /// where it never does.
    pub(crate) fn level_radius(&self, level: f64) -> Option<f64> {
        let Source::Distance(_, kernel) = &self.source else { return None };
        if self.strength == 1.0 && level == kernel.iso() {
            return Some(kernel.thickness());
        }
        let excess = |r: f64| self.strength * kernel.value(r) - level;
        bracketed_root(excess, (0.0, kernel.radius()), 1e-12 * kernel.radius()).map(|r| r * (1.0 + 1e-9))
    }

    /// Outside this box the contribution is zero.
    pub fn influence_bounds(&self) -> Aabb {
        match &self.source {
            Source::Distance(skeleton, kernel) => skeleton.bounds().grown(kernel.radius()),
            Source::Convolution(convolution) => convolution.influence_bounds(),
        }
    }

    /// Whether the contribution may be other than zero in `cell`.
    pub(super) fn touches(&self, cell: &Cell) -> bool {
        match &self.source {
            Source::Distance(skeleton, kernel) => skeleton.min_distance(cell) < kernel.radius(),
            Source::Convolution(convolution) => convolution.bounds(cell).hi > 0.0,
        }
    }

    /// Some places on the skeleton, where a lone contribution is great: those nearest to its box's middle and corners.
    pub(super) fn skeleton_samples(&self) -> Vec<DVec3> {
        let (middle, half) = (self.influence_bounds().center(), 0.5 * self.influence_bounds().size());
        let corners = (0..8).map(|i| DVec3::from_array([0, 1, 2].map(|a| if i >> a & 1 == 0 { -1.0 } else { 1.0 })));
        let near = corners.map(|c| middle + c * half).chain([middle]);
        near.filter_map(|p| self.medial_point(p)).collect()
    }

    /// Pieces that a point may have to ask.
    pub(super) fn piece_count(&self) -> usize {
        match &self.source {
            Source::Distance(..) => 1,
            Source::Convolution(convolution) => convolution.piece_count(),
        }
    }

    /// Lines out of the skeleton that fill the space around it, `around` to half a turn at its thickness.
    pub(crate) fn normal_lines(&self, around: usize) -> NormalLines {
        let mut lines = NormalLines::new(self.thickness(), around);
        match &self.source {
            Source::Distance(skeleton, _) => skeleton.normal_lines(&mut lines),
            Source::Convolution(convolution) => lines.polygons(&convolution.polygons()),
        }
        lines
    }

    /// See [`Distance::medial_point`]; a convolution has its skeleton's nearest point.
    pub fn medial_point(&self, p: DVec3) -> Option<DVec3> {
        match &self.source {
            Source::Distance(skeleton, _) => skeleton.medial_point(p),
            Source::Convolution(convolution) => convolution.medial_point(p),
        }
    }
}
