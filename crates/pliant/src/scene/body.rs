//! Reading a body: its material, motion and placement.

use super::error::{Problems, nearest};
use super::node::{Fields, Node, Span, Value};
use super::repeat::{self, Repeat};
use super::skeleton::{Form, SkeletonSpec};
use super::walk::short;
use super::{build, forms, resolve};
use crate::fields::{Element, Shape, Source};
use crate::math::{DQuat, DVec3, Frame};
use crate::model::{BodySpec, Interpolation, Key, Keys, Material, MotionSpec, Response};
use std::collections::BTreeMap;

/// Materials of the scene, as read so far: defaults depend on the body that uses them.
pub(super) type Named<'a> = BTreeMap<&'a str, &'a Fields>;

/// A body before it is repeated.
pub(super) struct Made {
    pub(super) spec: BodySpec,
    pub(super) repeat: Option<Repeat>,
    /// Points in its skeletons: what a copy costs.
    pub(super) size: usize,
}

/// A body, or none if too much of it is wrong.
pub(super) fn read(
    fields: &Fields,
    span: &Span,
    (named, isovalue): (&Named, f64),
    problems: &mut Problems,
) -> Option<Made> {
    let response = match fields.choice("response") {
        Some(&"rigid") => Response::Rigid,
        _ => Response::Soft,
    };
    let material = material(fields, named, response, problems);
    let motion = motion(fields, problems);
    let placement = placement(fields, motion.as_ref(), problems);
    let (velocity, angular_velocity) =
        (fields.vector_or("velocity", DVec3::ZERO), fields.vector_or("angular_velocity", DVec3::ZERO));
    if let Some(motion) = &motion {
        check_velocities(fields, motion, problems);
    }
    let mut specs = Vec::new();
    let mut parts = |key| elements(fields, key, (isovalue, &material), &mut specs, problems);
    let (elements, core) = (parts("skeleton"), parts("core"));
    let dynamic = matches!(motion, Some(MotionSpec::Rigid { .. } | MotionSpec::Point { .. }));
    if dynamic && specs.iter().any(|s| matches!(s.form, Form::HalfSpace { .. })) {
        let at = fields.span_of("skeleton", span);
        problems
            .add(&at, "a half_space is infinite and has no mass, so forces cannot move it")
            .help("write motion = \"fixed\" (or keyed) for this body, or use a box");
    }
    for (key, parts) in [("skeleton", &elements), ("core", &core)] {
        if parts.as_ref().is_some_and(|parts| may_be_empty(parts) && Shape::is_nothing(parts, isovalue)) {
            let at = fields.get(key).map_or(span, |node| &node.span);
            problems
                .add(at, format!("the field of this {key} nowhere reaches the isovalue, so nothing is solid"))
                .help("raise the strength, or lengthen what is convolved");
        }
    }
    let repeat = match fields.get("repeat") {
        Some(Node { span, value: Value::Table(table) }) => Some(repeat::read(table, span, problems)?),
        _ => None,
    };
    let name = fields.text("name")?.clone();
    let size = specs.iter().map(|s| s.form.size()).sum();
    let motion = motion?;
    let spec = BodySpec {
        name,
        material,
        response,
        motion,
        placement,
        velocity,
        angular_velocity,
        elements: elements?,
        core: core.unwrap_or_default(),
    };
    Some(Made { spec, repeat, size })
}

/// Whether the solid needs to be looked for: a distance surface of full strength always has one.
fn may_be_empty(elements: &[Element]) -> bool {
    let full = |e: &Element| e.strength >= 1.0 && matches!(e.source, Source::Distance(..));
    !elements.is_empty() && !elements.iter().any(full)
}

fn material(fields: &Fields, named: &Named, response: Response, problems: &mut Problems) -> Material {
    match fields.get("material") {
        Some(Node { value: Value::Table(table), .. }) => resolve::material(table, response, problems),
        Some(Node { span, value: Value::Text(name) }) => match named.get(name.as_str()) {
            Some(table) => resolve::material(table, response, problems),
            None => {
                let message = format!("material \"{}\" is not defined", short(name));
                let remedy = problems.add(span, message);
                match nearest(name, named.keys().copied()) {
                    Some(near) => remedy.did_you_mean(Some(near)),
                    None => remedy.help(format!("add a table [materials.{}]", short(name))),
                };
                Material::of(response)
            }
        },
        _ => Material::of(response),
    }
}

fn elements(
    fields: &Fields,
    key: &'static str,
    (isovalue, material): (f64, &Material),
    specs: &mut Vec<SkeletonSpec>,
    problems: &mut Problems,
) -> Option<Vec<Element>> {
    let mut elements = Vec::new();
    // A core is rigid, whatever surrounds it.
    let stiffness = if key == "core" { Material::RIGID.stiffness } else { material.stiffness };
    for (span, table) in fields.tables(key)? {
        let Some(spec) = forms::skeleton(table, span, (isovalue, stiffness), problems) else { continue };
        match build::element(&spec) {
            Ok(element) => elements.push(element),
            Err(error) => drop(problems.add(span, error.to_string())),
        }
        specs.push(spec);
    }
    Some(elements)
}

fn motion(fields: &Fields, problems: &mut Problems) -> Option<MotionSpec> {
    let Some(node) = fields.get("motion") else { return Some(MotionSpec::default()) };
    let Value::Table(table) = &node.value else {
        return match *fields.choice("motion")? {
            "point" => Some(MotionSpec::Point { mass: None }),
            "fixed" => Some(MotionSpec::Fixed),
            _ => Some(MotionSpec::Rigid { mass: None }),
        };
    };
    let (kind, _) = table.chosen()?;
    let inner = table.fields(kind)?;
    match kind {
        "point" => Some(MotionSpec::Point { mass: inner.number("mass").copied() }),
        "rigid" => Some(MotionSpec::Rigid { mass: inner.number("mass").copied() }),
        "fixed" => Some(MotionSpec::Fixed),
        _ => keys(inner, problems).map(MotionSpec::Keyed),
    }
}

fn keys(fields: &Fields, problems: &mut Problems) -> Option<Keys> {
    let interpolation = match fields.choice("interpolation") {
        Some(&"linear") => Interpolation::Linear,
        _ => Interpolation::Smooth,
    };
    let mut keys: Vec<Key> = Vec::new();
    for (span, table) in fields.tables("keys")? {
        let before = keys.last().copied();
        let turned = table.get("orientation").and_then(|node| orientation(node, problems));
        let rotation = turned.unwrap_or_else(|| before.map_or(DQuat::IDENTITY, |k| k.placement.rotation));
        let (Some(&time), Some(&translation)) = (table.number("time"), table.vector("position")) else { continue };
        if let Some(before) = before.filter(|k| k.time >= time) {
            let message = format!("key at {time} s follows one at {} s", before.time);
            problems.add(&table.span_of("time", span), message).help("times must increase from key to key");
        }
        keys.push(Key { time, placement: Frame { rotation, translation } });
    }
    (!keys.is_empty()).then_some(Keys { keys, interpolation })
}

fn placement(fields: &Fields, motion: Option<&MotionSpec>, problems: &mut Problems) -> Frame {
    let rotation = fields.get("orientation").and_then(|node| orientation(node, problems)).unwrap_or(DQuat::IDENTITY);
    let translation = fields.vector_or("position", DVec3::ZERO);
    let Some(MotionSpec::Keyed(keys)) = motion else { return Frame { rotation, translation } };
    for key in ["position", "orientation"] {
        if let Some(node) = fields.get(key) {
            let message = format!("{key} is given by the keys of a keyed body");
            problems.add(&node.span, message).help(format!("remove it, or put it into the keys' {key}"));
        }
    }
    keys.keys[0].placement
}

fn check_velocities(fields: &Fields, motion: &MotionSpec, problems: &mut Problems) {
    let (keeps, why) = match motion {
        MotionSpec::Rigid { .. } => return,
        MotionSpec::Point { .. } => (["angular_velocity"].as_slice(), "a point mass does not turn"),
        MotionSpec::Fixed => (["velocity", "angular_velocity"].as_slice(), "a fixed body does not move"),
        MotionSpec::Keyed(_) => (["velocity", "angular_velocity"].as_slice(), "keys give a keyed body its velocity"),
    };
    for &key in keeps {
        if fields.vector_or(key, DVec3::ZERO) != DVec3::ZERO
            && let Some(node) = fields.get(key)
        {
            problems.add(&node.span, why).help(format!("remove {key}, or choose rigid motion"));
        }
    }
}

fn orientation(node: &Node, problems: &mut Problems) -> Option<DQuat> {
    let Value::Table(fields) = &node.value else { return None };
    let (axis, angle) = (fields.get("axis"), fields.get("angle"));
    if let Some(q) = fields.get("quaternion") {
        if axis.or(angle).is_some() {
            problems.add(&node.span, "an orientation has a quaternion or an axis with an angle").help("remove one");
            return None;
        }
        let [x, y, z, w] = *fields.quaternion("quaternion")?;
        let quaternion = DQuat::from_xyzw(x, y, z, w);
        if quaternion.length() < super::grammar::SMALLEST {
            problems.add(&q.span, "the quaternion is zero").expected("[x, y, z, w], e.g. [0, 0, 0, 1] for no turn");
            return None;
        }
        return Some(quaternion.normalize());
    }
    let (Some(_), Some(&angle)) = (axis, fields.number("angle")) else {
        if !fields.broken {
            problems
                .add(&node.span, "an orientation needs an axis and an angle, or a quaternion")
                .expected("e.g. { axis = [0, 0, 1], angle = \"30 deg\" }");
        }
        return None;
    };
    let axis = direction(fields, "axis", DVec3::Z, problems)?;
    Some(DQuat::from_axis_angle(axis, angle))
}

/// A direction of unit length.
pub(super) fn direction(fields: &Fields, key: &'static str, default: DVec3, problems: &mut Problems) -> Option<DVec3> {
    let Some(node) = fields.get(key) else { return Some(default) };
    let vector = *fields.vector(key)?;
    if vector.length() < super::grammar::SMALLEST {
        problems.add(&node.span, format!("{key} is zero")).expected("a direction, e.g. [0, 0, 1]");
        return None;
    }
    Some(vector.normalize())
}
