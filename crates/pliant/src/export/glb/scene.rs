//! What the arrays mean: nodes, meshes, materials, and what moves.

use super::file::{File, Role};
use super::{Body, Take};
use crate::export::ExportError;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Turns z up into y up: a quarter about x, backwards.
const Y_UP_FROM_Z_UP: [f64; 4] = [-std::f64::consts::FRAC_1_SQRT_2, 0.0, 0.0, std::f64::consts::FRAC_1_SQRT_2];

/// The description, as it grows.
struct Scene<'a> {
    times: &'a [f32],
    frames: &'a [usize],
    nodes: Vec<Value>,
    meshes: Vec<Value>,
    channels: Vec<Value>,
    samplers: Vec<Value>,
    /// Bodies that change at the same moments share their keys.
    known: BTreeMap<Keys, usize>,
}

/// What keys of an animation depend on.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Keys {
    /// The first moment, and the shapes from there on.
    Shapes(usize, Vec<usize>),
    /// The first moment, and the one after the last.
    Shown(usize, usize),
}

/// Describes `bodies` at moments of these times and frames; keys are added to `file`.
pub fn describe(
    bodies: &[Body],
    (times, frames): (&[f32], &[usize]),
    file: &mut File,
) -> Result<Map<String, Value>, ExportError> {
    let (nodes, meshes, channels, samplers) = (vec![Value::Null], Vec::new(), Vec::new(), Vec::new());
    let mut scene = Scene { times, frames, nodes, meshes, channels, samplers, known: BTreeMap::new() };
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

impl Scene<'_> {
    /// A node with the mesh, or with a node below it for each take.
    fn body(&mut self, body: &Body, material: usize, file: &mut File) -> Result<(), ExportError> {
        let own = self.nodes.len();
        let mut node = json!({ "name": body.name, "translation": body.middle });
        if let [take] = &body.takes[..]
            && take.shown.len() == self.times.len()
        {
            node["mesh"] = self.mesh(take, &body.name, material).into();
            self.nodes.push(node);
            return self.morph(take, own, file);
        }
        node["children"] = (own + 1..=own + body.takes.len()).collect();
        self.nodes.push(node);
        for take in &body.takes {
            let name = format!("{} {:04}", body.name, self.frames[take.first]);
            let mesh = self.mesh(take, &name, material);
            let scale = if take.first == 0 { [1.0; 3] } else { [0.0; 3] };
            let node = self.nodes.len();
            self.nodes.push(json!({ "name": name, "mesh": mesh, "scale": scale }));
            self.show(take, node, file)?;
            self.morph(take, node, file)?;
        }
        Ok(())
    }

    /// Adds the mesh of a take; which.
    fn mesh(&mut self, take: &Take, name: &str, material: usize) -> usize {
        let mut primitive = json!({ "attributes": take.attributes, "indices": take.indices, "material": material });
        let mut mesh = json!({ "name": name });
        if !take.targets.is_empty() {
            primitive["targets"] = take.targets.iter().map(|(target, _)| target.clone()).collect();
            // Only a note of the standard names it, but Blender calls shape keys so.
            let names: Vec<_> = take.targets.iter().map(|(_, frame)| format!("frame {frame:04}")).collect();
            mesh["extras"] = json!({ "targetNames": names });
        }
        mesh["primitives"] = json!([primitive]);
        self.meshes.push(mesh);
        self.meshes.len() - 1
    }

    /// Animates the weights of a take's shapes.
    fn morph(&mut self, take: &Take, node: usize, file: &mut File) -> Result<(), ExportError> {
        if take.targets.is_empty() {
            return Ok(());
        }
        let keys = Keys::Shapes(take.first, take.shown.clone());
        if !self.known.contains_key(&keys) {
            let times = &self.times[take.first..][..take.shown.len()];
            let shapes = 1..=take.targets.len();
            let weights: Vec<_> =
                take.shown.iter().flat_map(|shown| shapes.clone().map(move |s| [f32::from(s == *shown)])).collect();
            let output = file.floats(&weights, Role::Keys)?;
            self.sampler(keys.clone(), (times, output, "LINEAR"), file)?;
        }
        self.channel(&keys, node, "weights");
        Ok(())
    }

    /// Animates the scale of a take's node: 1 during the take, 0 else.
    fn show(&mut self, take: &Take, node: usize, file: &mut File) -> Result<(), ExportError> {
        let (first, end) = (take.first, take.first + take.shown.len());
        let keys = Keys::Shown(first, end);
        if !self.known.contains_key(&keys) {
            let changes = [(first > 0).then_some((0, 0.0)), Some((first, 1.0)), Some((end, 0.0))];
            // What ends with the animation need not be hidden.
            let changes = changes.into_iter().flatten().filter(|(at, _)| *at < self.times.len());
            let (times, scales): (Vec<_>, Vec<_>) = changes.map(|(at, scale)| (self.times[at], [scale; 3])).unzip();
            let output = file.floats(&scales, Role::Keys)?;
            self.sampler(keys.clone(), (&times, output, "STEP"), file)?;
        }
        self.channel(&keys, node, "scale");
        Ok(())
    }

    fn sampler(
        &mut self,
        keys: Keys,
        (times, output, interpolation): (&[f32], usize, &str),
        file: &mut File,
    ) -> Result<(), ExportError> {
        let input = file.floats(&times.iter().map(|t| [*t]).collect::<Vec<_>>(), Role::Keys)?;
        self.known.insert(keys, self.samplers.len());
        self.samplers.push(json!({ "input": input, "output": output, "interpolation": interpolation }));
        Ok(())
    }

    fn channel(&mut self, keys: &Keys, node: usize, path: &str) {
        let sampler = self.known[keys];
        self.channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
    }
}

fn material_of(body: &Body) -> Value {
    let [r, g, b] = body.color;
    json!({
        "name": body.name,
        "pbrMetallicRoughness": { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.5 },
    })
}
