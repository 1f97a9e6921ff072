//! The JSON of a glTF file: nodes, meshes, materials and animations.

use super::clip::{AnimatedBody, Clip};
use super::file::{File, Role};
use crate::export::error::ExportError;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Turns z up into y up: a quarter about x, backwards.
const Y_UP_FROM_Z_UP: [f64; 4] = [-std::f64::consts::FRAC_1_SQRT_2, 0.0, 0.0, std::f64::consts::FRAC_1_SQRT_2];

/// The description, as it grows.
struct Description<'a> {
    times: &'a [f32],
    frames: &'a [usize],
    nodes: Vec<Value>,
    meshes: Vec<Value>,
    channels: Vec<Value>,
    samplers: Vec<Value>,
    /// Index in `samplers`.
    known: BTreeMap<SamplerKey, usize>,
}

/// Identity of an animation sampler: bodies that change at the same frames share one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum SamplerKey {
    /// The first frame, and the shapes from there on.
    Shapes(usize, Vec<usize>),
    /// The first frame, and the one after the last.
    Shown(usize, usize),
}

/// Keys of an animation.
struct Sampler<'a> {
    /// Times of the keys, s.
    times: &'a [f32],
    /// Accessor of the values.
    output: usize,
    /// glTF's name for it.
    interpolation: &'a str,
}

/// Describes `bodies` at frames of these times and numbers; keys are added to `file`.
pub fn describe(
    bodies: &[AnimatedBody],
    times: &[f32],
    frames: &[usize],
    file: &mut File,
) -> Result<Map<String, Value>, ExportError> {
    let (nodes, meshes, channels, samplers) = (vec![Value::Null], Vec::new(), Vec::new(), Vec::new());
    let mut scene = Description { times, frames, nodes, meshes, channels, samplers, known: BTreeMap::new() };
    let mut children = Vec::new();
    for (material, body) in bodies.iter().enumerate() {
        children.push(scene.nodes.len());
        scene.body(body, material, file)?;
    }
    scene.nodes[0] = json!({ "name": "z up", "rotation": Y_UP_FROM_Z_UP, "children": children });

    let mut json = Map::new();
    let mut put = |key: &str, value: Value| json.insert(key.to_owned(), value);
    put("asset", json!({ "version": "2.0", "generator": concat!("Pliant ", env!("CARGO_PKG_VERSION")) }));
    put("scene", 0.into());
    put("scenes", json!([{ "nodes": [0] }]));
    put("nodes", scene.nodes.into());
    put("meshes", scene.meshes.into());
    put("materials", bodies.iter().map(material_of).collect());
    if !scene.channels.is_empty() {
        let (channels, samplers) = (scene.channels, scene.samplers);
        put("animations", json!([{ "name": "motion", "channels": channels, "samplers": samplers }]));
    }
    Ok(json)
}

impl Description<'_> {
    /// A node with the mesh, or with a node below it for each clip.
    fn body(&mut self, body: &AnimatedBody, material: usize, file: &mut File) -> Result<(), ExportError> {
        let own = self.nodes.len();
        let mut node = json!({ "name": body.name, "translation": body.middle });
        if let [clip] = &body.clips[..]
            && clip.shown.len() == self.times.len()
        {
            node["mesh"] = self.mesh(clip, &body.name, material).into();
            self.nodes.push(node);
            return self.morph(clip, own, file);
        }
        node["children"] = (own + 1..=own + body.clips.len()).collect();
        self.nodes.push(node);
        for clip in &body.clips {
            let name = format!("{} {:04}", body.name, self.frames[clip.first]);
            let mesh = self.mesh(clip, &name, material);
            let scale = if clip.first == 0 { [1.0; 3] } else { [0.0; 3] };
            let node = self.nodes.len();
            self.nodes.push(json!({ "name": name, "mesh": mesh, "scale": scale }));
            self.show(clip, node, file)?;
            self.morph(clip, node, file)?;
        }
        Ok(())
    }

    /// Adds the mesh of a clip; its index.
    fn mesh(&mut self, clip: &Clip, name: &str, material: usize) -> usize {
        let mut primitive = json!({ "attributes": clip.attributes, "indices": clip.indices, "material": material });
        let mut mesh = json!({ "name": name });
        if !clip.targets.is_empty() {
            primitive["targets"] = clip.targets.iter().map(|(target, _)| target.clone()).collect();
            // Only a note of the standard names it, but Blender calls shape keys so.
            let names: Vec<_> = clip.targets.iter().map(|(_, frame)| format!("frame {frame:04}")).collect();
            mesh["extras"] = json!({ "targetNames": names });
        }
        mesh["primitives"] = json!([primitive]);
        self.meshes.push(mesh);
        self.meshes.len() - 1
    }

    /// Animates the weights of a clip's shapes.
    fn morph(&mut self, clip: &Clip, node: usize, file: &mut File) -> Result<(), ExportError> {
        if clip.targets.is_empty() {
            return Ok(());
        }
        let keys = SamplerKey::Shapes(clip.first, clip.shown.clone());
        if !self.known.contains_key(&keys) {
            let times = &self.times[clip.first..][..clip.shown.len()];
            let shapes = 1..=clip.targets.len();
            let weights: Vec<_> =
                clip.shown.iter().flat_map(|shown| shapes.clone().map(move |s| [f32::from(s == *shown)])).collect();
            let output = file.floats(&weights, Role::Keys)?;
            self.sampler(keys.clone(), Sampler { times, output, interpolation: "LINEAR" }, file)?;
        }
        self.channel(&keys, node, "weights");
        Ok(())
    }

    /// Animates the scale of a clip's node: 1 during the clip, 0 else.
    fn show(&mut self, clip: &Clip, node: usize, file: &mut File) -> Result<(), ExportError> {
        let (first, end) = (clip.first, clip.first + clip.shown.len());
        let keys = SamplerKey::Shown(first, end);
        if !self.known.contains_key(&keys) {
            let changes = [(first > 0).then_some((0, 0.0)), Some((first, 1.0)), Some((end, 0.0))];
            // A clip that ends with the animation need not be hidden.
            let changes = changes.into_iter().flatten().filter(|(at, _)| *at < self.times.len());
            let (times, scales): (Vec<_>, Vec<_>) = changes.map(|(at, scale)| (self.times[at], [scale; 3])).unzip();
            let output = file.floats(&scales, Role::Keys)?;
            self.sampler(keys.clone(), Sampler { times: &times, output, interpolation: "STEP" }, file)?;
        }
        self.channel(&keys, node, "scale");
        Ok(())
    }

    fn sampler(
        &mut self,
        keys: SamplerKey,
        Sampler { times, output, interpolation }: Sampler<'_>,
        file: &mut File,
    ) -> Result<(), ExportError> {
        let input = file.floats(&times.iter().map(|t| [*t]).collect::<Vec<_>>(), Role::Keys)?;
        self.known.insert(keys, self.samplers.len());
        self.samplers.push(json!({ "input": input, "output": output, "interpolation": interpolation }));
        Ok(())
    }

    fn channel(&mut self, keys: &SamplerKey, node: usize, path: &str) {
        let sampler = self.known[keys];
        self.channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
    }
}

fn material_of(body: &AnimatedBody) -> Value {
    let [r, g, b] = body.color;
    json!({
        "name": body.name,
        "pbrMetallicRoughness": { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.5 },
    })
}
