//! From well-formed values to the model: defaults, names, and the rules between keys.

use super::body::{self, SceneContext};
use super::error::Problems;
use super::joints::{self, Copies, CopyGrid};
use super::limits::{MAX_BODIES, MAX_POINTS};
use super::material::{self, NamedMaterials};
use super::node::{Fields, TextSpan};
use crate::model::{CONTACT_TOLERANCE, MAX_FRAMES, MotionSettings, Response, Scene, Scheme};
use std::collections::HashMap;

/// The scene, as far as it could be read; complete if `problems` stays empty.
pub(super) fn scene(fields: &Fields, span: &TextSpan, problems: &mut Problems) -> Scene {
    let default = Scene::default();
    let mut scene = Scene {
        title: fields.text("title").cloned().unwrap_or(default.title),
        duration: fields.number_or("duration", default.duration),
        frame_rate: fields.number_or("frame_rate", default.frame_rate),
        gravity: fields.vector_or("gravity", default.gravity),
        isovalue: fields.number_or("isovalue", default.isovalue),
        motion: fields.fields("motion").map(|f| steps(f, problems)).unwrap_or_default(),
        contact_tolerance: fields
            .fields("quality")
            .map_or(CONTACT_TOLERANCE, |q| q.number_or("contact_tolerance", CONTACT_TOLERANCE)),
        bodies: Vec::new(),
        joints: Vec::new(),
    };
    if scene.duration * scene.frame_rate > MAX_FRAMES as f64 {
        let message =
            format!("{} s at {} frames a second exceed {MAX_FRAMES} frames", scene.duration, scene.frame_rate);
        problems.add(&fields.span_of("duration", span), message).help("lower duration or frame_rate");
    }
    let no_materials = Vec::new();
    let named = fields.named("materials").unwrap_or(&no_materials);
    for (_, material_fields) in named {
        // Read even if no body uses it, so that its mistakes are found.
        material::read(material_fields, Response::Soft, problems);
    }
    let materials: NamedMaterials = named.iter().map(|(name, f)| (name.as_str(), f)).collect();
    let context = SceneContext { materials, isovalue: scene.isovalue };
    let copies = bodies(fields, &context, &mut scene, problems);
    joints::read(fields, &copies, &mut scene, problems);
    if scene.motion.scheme == Scheme::Explicit && !scene.joints.is_empty() {
        let at = fields.fields("motion").map_or(span.clone(), |m| m.span_of("scheme", span));
        problems.add(&at, "explicit steps cannot follow joints and springs").help("write \"implicit\", or \"auto\"");
    }
    scene
}

fn steps(fields: &Fields, problems: &mut Problems) -> MotionSettings {
    let default = MotionSettings::default();
    let steps = MotionSettings {
        scheme: fields.choice("scheme").unwrap_or(default.scheme),
        sleep: fields.flag("sleep").copied().unwrap_or(default.sleep),
        implicit_step: fields.number_or("implicit_step", default.implicit_step),
        largest_step: fields.number_or("largest_step", default.largest_step),
        smallest_step: fields.number_or("smallest_step", default.smallest_step),
        step_safety: fields.number_or("step_safety", default.step_safety),
        largest_overlap: fields.number_or("largest_overlap", default.largest_overlap),
    };
    if !fields.broken
        && steps.smallest_step > steps.largest_step
        && let Some(node) = fields.get("smallest_step").or(fields.get("largest_step"))
    {
        let message =
            format!("smallest_step {} s is longer than largest_step {} s", steps.smallest_step, steps.largest_step);
        problems.add(&node.span, message).help("lower smallest_step or raise largest_step");
    }
    steps
}

/// Reads the bodies; returns the indices of the copies of repeated ones.
fn bodies(fields: &Fields, context: &SceneContext, scene: &mut Scene, problems: &mut Problems) -> Copies {
    let mut copies_of = Copies::new();
    let Some(tables) = fields.tables("body") else { return copies_of };
    let mut first_uses: HashMap<String, TextSpan> = HashMap::new();
    let mut points = 0usize;
    for (span, table) in tables {
        let Some(made) = body::read(table, span, context, problems) else {
            problems.add_if_none(span, "this body cannot be read");
            continue;
        };
        let copies = made.repeat.as_ref().map_or(1, |r| r.total());
        points = made.size.saturating_mul(copies).saturating_add(points);
        let at = table.span_of(if made.repeat.is_some() { "repeat" } else { "name" }, span);
        if scene.bodies.len() + copies > MAX_BODIES {
            let message = format!("the scene has more than {MAX_BODIES} bodies");
            problems.add(&at, message).help("lower the count, or simulate in parts");
            return copies_of;
        }
        if points > MAX_POINTS {
            let message = format!("the skeletons of all bodies have more than {MAX_POINTS} points");
            problems.add(&at, message).help("use coarser skeletons or fewer copies");
            return copies_of;
        }
        let name_span = table.span_of("name", span);
        if let Some(repeat) = &made.repeat {
            copies_of.insert(made.spec.name.clone(), CopyGrid { first: scene.bodies.len(), counts: repeat.counts });
        }
        for spec in super::repeat::copies(made.spec, made.repeat) {
            if first_uses.insert(spec.name.clone(), name_span.clone()).is_some() {
                let message = format!("two bodies are named \"{}\"", spec.name);
                problems.add(&name_span, message).help("give each body a name of its own");
                break;
            }
            scene.bodies.push(spec);
        }
    }
    copies_of
}
