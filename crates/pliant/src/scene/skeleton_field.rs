//! From the description of a skeleton to its field: the only place where the two meet.

use super::choices::Words;
use super::skeleton_spec::{FieldSpec, Form, SkeletonSpec};
use crate::fields::skeleton::{
    Ball, BezierPatch, Circle, Cuboid, Disc, HalfSpace, Point, Polyline, Segment, SkeletonError, SmoothCurve, Triangle,
    TriangleMesh,
};
use crate::fields::{Convolution, ConvolutionError, Element, KernelParameters, Skeleton, Source};

/// Reason why a description makes no field.
#[derive(Debug, thiserror::Error)]
pub(super) enum BuildError {
    /// The form is not made of segments or triangles.
    #[error("a {0} has no convolution surface")]
    NoConvolution(&'static str),
    /// Refused by the skeleton itself.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
    /// Refused by the convolution.
    #[error(transparent)]
    Convolution(#[from] ConvolutionError),
}

/// The field of one skeleton.
pub(super) fn element(spec: &SkeletonSpec) -> Result<Element, BuildError> {
    let source = match &spec.field {
        FieldSpec::Distance(kernel) => Source::Distance(skeleton(&spec.form, kernel.thickness())?, kernel.clone()),
        FieldSpec::Convolution { iso, size } => Source::Convolution(convolution(&spec.form, *iso, *size)?),
    };
    Ok(Element { source, strength: spec.strength })
}

/// The integral along a form.
fn convolution(form: &Form, iso: f64, size: KernelParameters) -> Result<Convolution, BuildError> {
    Ok(match form {
        Form::Segment { from, to } => Convolution::segments(&[(*from, *to)], iso, size)?,
        Form::Polyline { points } => {
            let pieces: Vec<_> = points.windows(2).map(|pair| (pair[0], pair[1])).collect();
            Convolution::segments(&pieces, iso, size)?
        }
        Form::Triangle { corners } => Convolution::triangles(&[*corners], iso, size)?,
        Form::Mesh { vertices, triangles } => {
            let pieces: Vec<_> = triangles.iter().map(|t| t.map(|v| vertices[v as usize])).collect();
            Convolution::triangles(&pieces, iso, size)?
        }
        Form::Point { .. } | Form::Curve { .. } | Form::Patch { .. } | Form::Disc { .. } => {
            return Err(BuildError::NoConvolution(form.key().word()));
        }
        Form::Circle { .. } | Form::Ball { .. } | Form::Box { .. } | Form::HalfSpace { .. } => {
            return Err(BuildError::NoConvolution(form.key().word()));
        }
    })
}

/// The geometry that distances are measured to; `thickness` moves the plane of a half-space from the surface down to its skeleton.
fn skeleton(form: &Form, thickness: f64) -> Result<Skeleton, SkeletonError> {
    Ok(match form {
        Form::Point { at } => Skeleton::Point(Point { at: *at }),
        Form::Segment { from, to } => Skeleton::Segment(Segment::new(*from, *to)?),
        Form::Polyline { points } => Skeleton::Polyline(Polyline::new(points.as_slice())?),
        Form::Curve { points, closed } => Skeleton::Curve(SmoothCurve::new(points.as_slice(), *closed)?),
        Form::Triangle { corners: [a, b, c] } => Skeleton::Triangle(Triangle::new(*a, *b, *c)?),
        Form::Mesh { vertices, triangles } => {
            Skeleton::TriangleMesh(TriangleMesh::new(vertices.as_slice(), triangles.as_slice())?)
        }
        Form::Patch { points } => Skeleton::Patch(BezierPatch::new(**points)?),
        Form::Disc { center, normal, radius } => Skeleton::Disc(Disc::new(*center, *normal, *radius)?),
        Form::Circle { center, normal, radius } => Skeleton::Circle(Circle::new(*center, *normal, *radius)?),
        Form::Ball { center, radius } => Skeleton::Ball(Ball::new(*center, *radius)?),
        Form::Box { center, half_size } => Skeleton::Cuboid(Cuboid::new(*center, *half_size)?),
        Form::HalfSpace { point, normal } => {
            Skeleton::HalfSpace(HalfSpace::new(*point - thickness * *normal, *normal)?)
        }
    })
}
