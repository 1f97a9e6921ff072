//! Reads a skeleton: its form and the field around it.

use super::choices::{FieldMethod, FormKey, KernelWord, Words};
use super::error::Problems;
use super::grammar::show;
use super::node::{Fields, Node, SceneValue, TextSpan};
use super::orientation::direction;
use super::skeleton_spec::{FieldSpec, Form, SkeletonSpec};
use crate::fields::{Curve, Kernel, KernelError, KernelParameters, Profile};
use crate::math::DVec3;
use std::sync::Arc;

/// Scales of a field curve.
#[derive(Clone, Copy)]
pub(super) struct CurveScale {
    /// Isovalue c of the scene.
    pub(super) isovalue: f64,
    /// K of the material, Pa, by which drawn pressures are divided.
    pub(super) stiffness: f64,
}

/// A skeleton, or none if its form or curve is wrong.
pub(super) fn read(
    fields: &Fields,
    span: &TextSpan,
    scale: CurveScale,
    problems: &mut Problems,
) -> Option<SkeletonSpec> {
    let form = fields.chosen().and_then(|(key, node)| form(key, node, problems));
    let field = match fields.choice("surface").unwrap_or(FieldMethod::Distance) {
        FieldMethod::Distance => distance_field(fields, span, scale, problems),
        FieldMethod::Convolution => convolution_field(fields, span, scale.isovalue, problems),
    };
    Some(SkeletonSpec { form: form?, field: field?, strength: fields.number_or("strength", 1.0) })
}

fn distance_field(fields: &Fields, span: &TextSpan, scale: CurveScale, problems: &mut Problems) -> Option<FieldSpec> {
    let (t, c) = (*fields.number("thickness")?, scale.isovalue);
    let profile = profile(fields, scale.stiffness, problems)?;
    if let Some((form, _)) = fields.chosen::<FormKey>()
        && form.is_solid()
        && profile == Profile::Metaball
    {
        let message = format!("a metaball kernel ends at its skeleton, and a {} goes on inside", form.word());
        problems
            .add(&fields.span_of("kernel", span), message)
            .expected("\"linear\", \"non-linear\", \"hardening\", or a drawn curve");
        return None;
    }
    let own_stiffness = matches!(profile, Profile::Measured(_) | Profile::Metaball);
    if own_stiffness && let Some(node) = fields.get("stiffness") {
        problems.add(&node.span, "a metaball or drawn kernel has its own stiffness").help("remove stiffness");
        return None;
    }
    let given_k = fields.number("stiffness").copied();
    let given_radius = fields.number("radius").copied();
    let radius = given_radius.unwrap_or_else(|| {
        // Without a radius, the slope decides how far the field can reach; the kernel knows a drawn curve's slope.
        match Kernel::new(profile.clone(), c, KernelParameters { thickness: t, slope: given_k, radius: 2.0 * t }) {
            Err(KernelError::TooSteep { largest_radius, .. }) => largest_radius,
            // Other errors are reported by the kernel below.
            Ok(_) | Err(_) => 2.0 * t,
        }
    });
    let k = given_k.unwrap_or_else(|| (c / t).min(3.0 * c / (radius - t).max(f64::MIN_POSITIVE)));
    match Kernel::new(profile, c, KernelParameters { thickness: t, slope: Some(k), radius }) {
        Ok(kernel) => Some(FieldSpec::Distance(kernel)),
        Err(error) => {
            kernel_problem(fields, span, error, problems);
            None
        }
    }
}

fn convolution_field(fields: &Fields, span: &TextSpan, iso: f64, problems: &mut Problems) -> Option<FieldSpec> {
    if let Some((form, _)) = fields.chosen::<FormKey>()
        && !form.has_convolution()
    {
        problems
            .add(&fields.span_of("surface", span), format!("a {} has no convolution surface", form.word()))
            .expected("\"distance\", or the form segment, polyline, triangle or mesh");
        return None;
    }
    if let Some(node) = fields.get("kernel") {
        problems.add(&node.span, "a convolution surface has its own kernel").help("remove kernel");
    }
    let thickness = *fields.number("thickness")?;
    let radius = fields.number_or("radius", 2.0 * thickness);
    let size = KernelParameters { thickness, slope: fields.number("stiffness").copied(), radius };
    // The kernel checks t < R only; the convolution itself checks its slope.
    if let Err(error) = Kernel::new(Profile::Linear, iso, KernelParameters { slope: Some(f64::MIN_POSITIVE), ..size }) {
        kernel_problem(fields, span, error, problems);
        return None;
    }
    Some(FieldSpec::Convolution { iso, size })
}

fn profile(fields: &Fields, material_stiffness: f64, problems: &mut Problems) -> Option<Profile> {
    let Some(node) = fields.get("kernel") else { return Some(Profile::Linear) };
    let SceneValue::Table(table) = &node.value else {
        return Some(match fields.choice("kernel")? {
            KernelWord::Linear => Profile::Linear,
            KernelWord::NonLinear => Profile::NonLinear,
            KernelWord::Hardening => Profile::Hardening,
            KernelWord::Metaball => Profile::Metaball,
        });
    };
    let rows: Vec<_> = table.rows("drawn")?.iter().map(|&(depth, p)| (depth, p / material_stiffness)).collect();
    match Curve::new(&rows) {
        Ok(curve) => Some(Profile::Measured(Arc::new(curve))),
        Err(error) => {
            problems.add(&node.span, error.to_string()).expected("rows from [0, 0] on, depth and pressure increasing");
            None
        }
    }
}

fn kernel_problem(fields: &Fields, span: &TextSpan, error: KernelError, problems: &mut Problems) {
    match error {
        KernelError::RadiusWithinThickness { radius, thickness } => {
            let message = format!("radius {} m must exceed the thickness {} m", show(radius), show(thickness));
            let help = format!("twice the thickness is usual: {} m", show(2.0 * thickness));
            problems.add(&fields.span_of("radius", span), message).help(help);
        }
        KernelError::TooSteep { slope, largest_slope, largest_radius } => {
            let key = if fields.get("stiffness").is_some() { "stiffness" } else { "radius" };
            let message = format!(
                "the field falls too steeply for its radius and would dip below zero: \
                 stiffness {} /m times (radius - thickness) must not exceed 3 times the isovalue",
                show(slope)
            );
            let help = format!(
                "the largest stiffness for this radius is {}, the largest radius for this stiffness is {} m",
                show(rounded_down(largest_slope)),
                show(rounded_down(largest_radius))
            );
            problems.add(&fields.span_of(key, span), message).help(help);
        }
        other => drop(problems.add(span, other.to_string())),
    }
}

/// Few digits, but never more than `x`: a user who copies the value must not be refused again.
fn rounded_down(x: f64) -> f64 {
    let scale = 10f64.powi(5 - x.log10().floor() as i32);
    // The kernel leaves 1e-12 of room for rounding, so that 9.999999999999999 may be called 10.
    let rounded = (x * (1.0 + 1e-13) * scale).floor() / scale;
    if rounded.is_finite() && rounded > 0.0 { rounded } else { x }
}

fn form(key: FormKey, node: &Node, problems: &mut Problems) -> Option<Form> {
    let SceneValue::Table(f) = &node.value else { return None };
    let span = &node.span;
    let center = || f.vector_or("center", DVec3::ZERO);
    let radius = || f.number("radius").copied();
    match key {
        FormKey::Point => Some(Form::Point { at: f.vector_or("at", DVec3::ZERO) }),
        FormKey::Segment => {
            let (from, to) = (*f.vector("from")?, *f.vector("to")?);
            distinct(&[from, to], span, key, problems)?;
            Some(Form::Segment { from, to })
        }
        FormKey::Polyline => {
            let points = f.points("points")?.clone();
            distinct(&points, span, key, problems)?;
            Some(Form::Polyline { points })
        }
        FormKey::Curve => {
            let points = f.points("points")?.clone();
            distinct(&points, span, key, problems)?;
            Some(Form::Curve { points, closed: f.flag("closed").copied().unwrap_or(false) })
        }
        FormKey::Triangle => {
            let corners: [DVec3; 3] = f.points("corners")?.as_slice().try_into().ok()?;
            if flat(corners) {
                problems.add(span, "the corners of the triangle lie on one line").help("use a segment instead");
                return None;
            }
            Some(Form::Triangle { corners })
        }
        FormKey::Mesh => mesh(f, span, problems),
        FormKey::Patch => {
            let points = f.points("points")?;
            let rows = std::array::from_fn(|i| std::array::from_fn(|j| points[4 * i + j]));
            Some(Form::Patch { points: Box::new(rows) })
        }
        FormKey::Disc => Some(Form::Disc {
            center: center(),
            normal: direction(f, "normal", DVec3::Z, problems)?,
            radius: radius()?,
        }),
        FormKey::Circle => Some(Form::Circle {
            center: center(),
            normal: direction(f, "normal", DVec3::Z, problems)?,
            radius: radius()?,
        }),
        FormKey::Ball => Some(Form::Ball { center: center(), radius: radius()? }),
        FormKey::Box => {
            let half_size = *f.vector("half_size")?;
            if half_size.min_element() <= 0.0 {
                let at = f.span_of("half_size", span);
                problems
                    .add(&at, "half_size must be greater than zero along every axis")
                    .help("use a patch for sheets");
                return None;
            }
            Some(Form::Box { center: center(), half_size })
        }
        FormKey::HalfSpace => {
            let normal = direction(f, "normal", DVec3::Z, problems)?;
            Some(Form::HalfSpace { point: f.vector_or("point", DVec3::ZERO), normal })
        }
    }
}

fn distinct(points: &[DVec3], span: &TextSpan, form: FormKey, problems: &mut Problems) -> Option<()> {
    let i = points.windows(2).position(|pair| pair[0].distance(pair[1]) < super::grammar::SMALLEST);
    let Some(i) = i else { return Some(()) };
    let message = format!("points {} and {} of the {} are the same", i + 1, i + 2, form.word());
    problems.add(span, message).help("remove one of them; a single position is a point");
    None
}

/// Whether a triangle has no area worth the name, next to its longest edge.
fn flat([a, b, c]: [DVec3; 3]) -> bool {
    let longest_sq = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
    (b - a).cross(c - a).length() <= 1e-12 * longest_sq
}

fn mesh(fields: &Fields, span: &TextSpan, problems: &mut Problems) -> Option<Form> {
    let (vertices, triangles) = (fields.points("vertices")?, fields.triangles("triangles")?);
    if triangles.is_empty() {
        problems.add(&fields.span_of("triangles", span), "the mesh has no triangles").help("add at least one");
        return None;
    }
    let mut legal = true;
    for (i, (at, corners)) in triangles.iter().enumerate() {
        if let Some(wrong) = corners.iter().find(|v| **v as usize >= vertices.len()) {
            let message = format!("triangle {i} uses vertex {wrong}, but the mesh has {} vertices", vertices.len());
            problems.add(at, message).help(format!("indices run from 0 to {}", vertices.len() - 1));
            legal = false;
        } else if flat(corners.map(|v| vertices[v as usize])) {
            problems.add(at, format!("triangle {i} has no area")).help("remove it");
            legal = false;
        }
    }
    let triangles = triangles.iter().map(|(_, corners)| *corners).collect();
    legal.then(|| Form::Mesh { vertices: vertices.clone(), triangles })
}
