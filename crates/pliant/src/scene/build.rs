//! From the description of a skeleton to the field it makes: the only place where the two meet.

use super::skeleton::{Form, SkeletonSpec, Surface};
use crate::fields::skeleton::Point;
use crate::fields::{Element, KernelError, Skeleton, Source};

/// Why a description makes no field.
#[derive(Debug, thiserror::Error)]
pub(super) enum BuildError {
    /// The form has no such field in this version.
    #[error("this version of Pliant has no {surface} surface for a {form}")]
    NotYet { form: &'static str, surface: &'static str },
    /// Refused by the field itself.
    #[error(transparent)]
    Field(#[from] KernelError),
}

/// The field of one skeleton.
pub(super) fn element(spec: &SkeletonSpec) -> Result<Element, BuildError> {
    let source = match &spec.surface {
        Surface::Distance(kernel) => Source::Distance(skeleton(&spec.form)?, kernel.clone()),
        Surface::Convolution { .. } => {
            return Err(BuildError::NotYet { form: spec.form.name(), surface: "convolution" });
        }
    };
    Ok(Element { source, strength: spec.strength })
}

/// AFTER THE MERGE of fields/skeleton: one arm a form. A half-space's plane is the body's surface,
/// so its skeleton is the plane moved by −t along the normal (`spec.surface.thickness()`).
fn skeleton(form: &Form) -> Result<Skeleton, BuildError> {
    match form {
        Form::Point { at } => Ok(Skeleton::Point(Point { at: *at })),
        other => Err(BuildError::NotYet { form: other.name(), surface: "distance" }),
    }
}
