//! Skeletons as a scene describes them: plain data, checked, before fields are made of them.

use super::choices::FormKey;
use crate::fields::{Kernel, KernelParameters};
use crate::math::DVec3;

/// One contribution to a body's field.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SkeletonSpec {
    /// Geometry the distance is measured to, in the body's frame.
    pub(super) form: Form,
    /// The field around it.
    pub(super) field: FieldSpec,
    /// Multiplies the contribution.
    pub(super) strength: f64,
}

/// The field around a form.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum FieldSpec {
    /// A curve of the distance.
    Distance(Kernel),
    /// An integral along the form; only for segments, polylines, triangles and meshes.
    Convolution {
        /// Isovalue c.
        iso: f64,
        /// Without a stiffness, it is left to the convolution.
        size: KernelParameters,
    },
}

/// A geometric form. Lengths in metres, normals of unit length, nothing degenerate: reading a scene checks it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Form {
    Point {
        at: DVec3,
    },
    Segment {
        from: DVec3,
        to: DVec3,
    },
    /// Straight between consecutive points.
    Polyline {
        points: Vec<DVec3>,
    },
    /// Smooth through all points.
    Curve {
        points: Vec<DVec3>,
        closed: bool,
    },
    Triangle {
        corners: [DVec3; 3],
    },
    Mesh {
        vertices: Vec<DVec3>,
        triangles: Vec<[u32; 3]>,
    },
    /// Control points of a bicubic Bézier patch.
    Patch {
        points: Box<[[DVec3; 4]; 4]>,
    },
    Disc {
        center: DVec3,
        normal: DVec3,
        radius: f64,
    },
    Circle {
        center: DVec3,
        normal: DVec3,
        radius: f64,
    },
    Ball {
        center: DVec3,
        radius: f64,
    },
    Box {
        center: DVec3,
        half_size: DVec3,
    },
    /// The plane is the **surface** of the body; the skeleton lies a thickness below it.
    HalfSpace {
        point: DVec3,
        normal: DVec3,
    },
}

impl Form {
    /// The key that names this form in a scene.
    pub(super) fn key(&self) -> FormKey {
        match self {
            Self::Point { .. } => FormKey::Point,
            Self::Segment { .. } => FormKey::Segment,
            Self::Polyline { .. } => FormKey::Polyline,
            Self::Curve { .. } => FormKey::Curve,
            Self::Triangle { .. } => FormKey::Triangle,
            Self::Mesh { .. } => FormKey::Mesh,
            Self::Patch { .. } => FormKey::Patch,
            Self::Disc { .. } => FormKey::Disc,
            Self::Circle { .. } => FormKey::Circle,
            Self::Ball { .. } => FormKey::Ball,
            Self::Box { .. } => FormKey::Box,
            Self::HalfSpace { .. } => FormKey::HalfSpace,
        }
    }

    /// Number of points that describe the form: the cost of a copy.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Polyline { points } | Self::Curve { points, .. } => points.len(),
            Self::Mesh { vertices, triangles } => vertices.len() + triangles.len(),
            Self::Patch { .. } => 16,
            Self::Point { .. } | Self::Segment { .. } | Self::Triangle { .. } | Self::Disc { .. } => 1,
            Self::Circle { .. } | Self::Ball { .. } | Self::Box { .. } | Self::HalfSpace { .. } => 1,
        }
    }
}
