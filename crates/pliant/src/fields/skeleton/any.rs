//! Any skeleton by value: the one list of kinds.
//!
//! *The idea*: a new kind is a file that implements [`Distance`], and a line in `kinds!` below. Every method dispatches in
//! one `match`.

use super::distance::{CellAround, Distance, FourNearest, FourRanges, Nearest, Neighbourhood, Plane, Sphere};
use super::normal_lines::NormalLines;
use super::{
    ball::Ball, circle::Circle, cuboid::Cuboid, curve::SmoothCurve, disc::Disc, half_space::HalfSpace,
    mesh::TriangleMesh, patch::BezierPatch, point::Point, polyline::Polyline, segment::Segment, triangle::Triangle,
};
use crate::fields::{Kernel, Sample};
use crate::math::real::FourLanes;
use crate::math::{Aabb, Cell, DVec3, Frame, Interval};

/// The enum of all kinds, conversions into it, and methods that hand each call to the kind.
macro_rules! kinds {
    (
        { $($(#[$doc:meta])* $kind:ident($inner:ty),)* }
        { $($(#[$inline:meta])* fn $name:ident($($argument:ident: $type:ty),*) $(-> $output:ty)?;)* }
    ) => {
        /// Any skeleton, by value.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Skeleton {
            $($(#[$doc])* $kind($inner),)*
        }

        $(impl From<$inner> for Skeleton {
            fn from(s: $inner) -> Self {
                Skeleton::$kind(s)
            }
        })*

        kinds!(@dispatch [$($kind)*] $($(#[$inline])* fn $name($($argument: $type),*) $(-> $output)?;)*);
    };
    (@dispatch $kinds:tt $($(#[$inline:meta])* fn $name:ident $arguments:tt $(-> $output:ty)?;)*) => {
        impl Distance for Skeleton {
            $(kinds!(@method $kinds $(#[$inline])* $name $arguments $($output)?);)*

            #[inline]
            fn moved(&self, frame: &Frame) -> Option<Self> {
                kinds!(@each $kinds self, s => s.moved(frame).map(Self::from))
            }

            #[inline(always)]
            fn nearest_four<T: FourLanes>(&self, points: [T; 3]) -> Option<FourNearest<T>> {
                kinds!(@each $kinds self, s => s.nearest_four(points))
            }

            #[inline(always)]
            fn range_four<T: FourLanes>(&self, cell: &CellAround<T>) -> Option<FourRanges<T>> {
                kinds!(@each $kinds self, s => s.range_four(cell))
            }
        }
    };
    (@method $kinds:tt $(#[$inline:meta])* $name:ident ($($argument:ident: $type:ty),*) $($output:ty)?) => {
        $(#[$inline])*
        fn $name(&self, $($argument: $type),*) $(-> $output)? {
            kinds!(@each $kinds self, s => s.$name($($argument),*))
        }
    };
    (@each [$($kind:ident)*] $self:ident, $s:ident => $body:expr) => {
        match $self {
            $(Skeleton::$kind($s) => $body,)*
        }
    };
}

kinds! {
    {
        /// One place: a ball of radius t.
        Point(Point),
        /// Between two points: a capsule.
        Segment(Segment),
        /// Straight between consecutive points.
        Polyline(Polyline),
        /// Smooth through all its points, open or closed.
        Curve(SmoothCurve),
        /// A flat face between three points.
        Triangle(Triangle),
        /// Triangles with shared vertices; a surface, whether or not it is closed.
        TriangleMesh(TriangleMesh),
        /// A bicubic Bézier patch.
        Patch(BezierPatch),
        /// A flat round plate.
        Disc(Disc),
        /// Its rim alone: a torus.
        Circle(Circle),
        /// A volume: signed distance.
        Ball(Ball),
        /// A volume along the body's axes: signed distance.
        Cuboid(Cuboid),
        /// All that lies below a plane: signed distance, infinite.
        HalfSpace(HalfSpace),
    }
    {
        fn nearest(p: DVec3) -> Nearest;
        fn bounds() -> Aabb;
        #[inline(never)]
        fn contribution(kernel: &Kernel, strength: f64, p: DVec3) -> Sample;
        fn support_point(direction: DVec3) -> DVec3;
        fn lipschitz() -> f64;
        fn distance_range(cell: &Cell) -> Interval;
        fn min_distance(cell: &Cell) -> f64;
        fn is_convex() -> bool;
        fn is_volume() -> bool;
        fn curvature_range(near: &Neighbourhood) -> Interval;
        fn medial_point(p: DVec3) -> Option<DVec3>;
        fn as_sphere() -> Option<Sphere>;
        fn as_plane() -> Option<Plane>;
        fn as_ring() -> Option<Plane>;
        fn creases(found: &mut Vec<Plane>);
        #[inline(always)]
        fn ends() -> Option<[DVec3; 2]>;
        fn normal_lines(lines: &mut NormalLines);
    }
}

impl Skeleton {
    /// [`Distance::contribution`] with points, the most frequent kind with the shortest formula, inlined into the caller.
    #[inline(always)]
    pub(in crate::fields) fn hot_contribution(&self, kernel: &Kernel, strength: f64, p: DVec3) -> Sample {
        if let Self::Point(point) = self {
            point.contribution(kernel, strength, p)
        } else {
            self.contribution(kernel, strength, p)
        }
    }
}
