//! Reads a body: its material, motion and placement.

use super::choices::{MotionKey, MotionWord};
use super::error::Problems;
use super::material::{self, NamedMaterials};
use super::node::{Fields, Node, SceneValue, TextSpan};
use super::orientation::orientation;
use super::repeat::{self, Repeat};
use super::skeleton::CurveScale;
use super::skeleton_spec::{Form, SkeletonSpec};
use super::{skeleton, skeleton_field, solid_check};
use crate::fields::Element;
use crate::math::{DQuat, DVec3, Frame};
use crate::model::{BodySpec, Key, Keys, Material, MotionSpec};

/// Parts of the scene that all bodies share.
pub(super) struct SceneContext<'a> {
    pub(super) materials: NamedMaterials<'a>,
    pub(super) isovalue: f64,
}

/// A body before it is repeated.
pub(super) struct ReadBody {
    pub(super) spec: BodySpec,
    pub(super) repeat: Option<Repeat>,
    /// Points in its skeletons: the cost of a copy.
    pub(super) size: usize,
}

/// A body, or none if too much of it is wrong.
pub(super) fn read(
    fields: &Fields,
    span: &TextSpan,
    context: &SceneContext,
    problems: &mut Problems,
) -> Option<ReadBody> {
    let response = fields.choice("response").unwrap_or_default();
    let material = material::of_body(fields, &context.materials, response, problems);
    let motion = motion(fields, problems);
    let placement = placement(fields, motion.as_ref(), problems);
    let (velocity, angular_velocity) =
        (fields.vector_or("velocity", DVec3::ZERO), fields.vector_or("angular_velocity", DVec3::ZERO));
    if let Some(motion) = &motion {
        check_velocities(fields, motion, problems);
    }
    let mut specs = Vec::new();
    let isovalue = context.isovalue;
    let skin = CurveScale { isovalue, stiffness: material.stiffness };
    // A core is rigid, whatever surrounds it.
    let bone = CurveScale { isovalue, stiffness: Material::RIGID.stiffness };
    let skeletons = |key| fields.tables(key).map(Vec::as_slice);
    let elements = skeletons("skeleton").map(|tables| elements_of(tables, skin, &mut specs, problems));
    let core = skeletons("core").map(|tables| elements_of(tables, bone, &mut specs, problems));
    let dynamic = matches!(motion, Some(MotionSpec::Rigid { .. } | MotionSpec::Point { .. }));
    if dynamic && specs.iter().any(|s| matches!(s.form, Form::HalfSpace { .. })) {
        let at = fields.span_of("skeleton", span);
        problems
            .add(&at, "a half_space is infinite and has no mass, so forces cannot move it")
            .help("write motion = \"fixed\" (or keyed) for this body, or use a box");
    }
    for (key, parts) in [("skeleton", &elements), ("core", &core)] {
        if parts.as_ref().is_some_and(|parts| solid_check::is_missing(parts, isovalue)) {
            let at = fields.get(key).map_or(span, |node| &node.span);
            problems
                .add(at, format!("the field of this {key} nowhere reaches the isovalue, so nothing is solid"))
                .help("raise the strength, or enlarge the form");
        }
    }
    let repeat = match fields.get("repeat") {
        Some(Node { span, value: SceneValue::Table(table) }) => Some(repeat::read(table, span, problems)?),
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
    Some(ReadBody { spec, repeat, size })
}

/// The elements of a list of skeletons; their descriptions are added to `specs`.
fn elements_of(
    tables: &[(TextSpan, Fields)],
    scale: CurveScale,
    specs: &mut Vec<SkeletonSpec>,
    problems: &mut Problems,
) -> Vec<Element> {
    let mut elements = Vec::new();
    for (span, table) in tables {
        let Some(spec) = skeleton::read(table, span, scale, problems) else { continue };
        match skeleton_field::element(&spec) {
            Ok(element) => elements.push(element),
            Err(error) => drop(problems.add(span, error.to_string())),
        }
        specs.push(spec);
    }
    elements
}

fn motion(fields: &Fields, problems: &mut Problems) -> Option<MotionSpec> {
    let Some(node) = fields.get("motion") else { return Some(MotionSpec::default()) };
    let SceneValue::Table(table) = &node.value else {
        return Some(match fields.choice("motion")? {
            MotionWord::Rigid => MotionSpec::Rigid { mass: None },
            MotionWord::Point => MotionSpec::Point { mass: None },
            MotionWord::Fixed => MotionSpec::Fixed,
        });
    };
    let (key, Node { value: SceneValue::Table(inner), .. }) = table.chosen()? else { return None };
    match key {
        MotionKey::Rigid => Some(MotionSpec::Rigid { mass: inner.number("mass").copied() }),
        MotionKey::Point => Some(MotionSpec::Point { mass: inner.number("mass").copied() }),
        MotionKey::Fixed => Some(MotionSpec::Fixed),
        MotionKey::Keyed => keys(inner, problems).map(MotionSpec::Keyed),
    }
}

fn keys(fields: &Fields, problems: &mut Problems) -> Option<Keys> {
    let interpolation = fields.choice("interpolation").unwrap_or_default();
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
    let (refused, why) = match motion {
        MotionSpec::Rigid { .. } => return,
        MotionSpec::Point { .. } => (["angular_velocity"].as_slice(), "a point mass does not turn"),
        MotionSpec::Fixed => (["velocity", "angular_velocity"].as_slice(), "a fixed body does not move"),
        MotionSpec::Keyed(_) => (["velocity", "angular_velocity"].as_slice(), "keys give a keyed body its velocity"),
    };
    for &key in refused {
        if fields.vector_or(key, DVec3::ZERO) != DVec3::ZERO
            && let Some(node) = fields.get(key)
        {
            problems.add(&node.span, why).help(format!("remove {key}, or choose rigid motion"));
        }
    }
}
