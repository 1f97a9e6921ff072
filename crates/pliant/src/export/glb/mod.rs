//! Binary glTF 2.0, animated.
//!
//! *The idea*: a body's frames are cut into *clips* over which its faces stay the same. A clip is one mesh: the first
//! frame is its base, each further shape a morph target, and linear weights show every frame as it was, to a rounding of
//! `f32`, and blends between them. A body whose faces never change is one clip, hence one object. Where faces change, the next clip is another
//! object, and scales keyed 0 and 1 in steps show one at a time: the way the standard itself names for hiding things,
//! which Blender, three.js and others play without extensions. A frame like the one before adds nothing.
//!
//! Not a sequence of files: an animator would have to import each. Nodes stand at the middle of the body's first frame,
//! so that a hidden clip shrinks to a point inside the body, and `f32` positions are as fine as the body is small, wherever
//! it is. Readers that know no animation see the first frame.
//!
//! Velocity is three attributes of one number: importers of Blender up to 5.0 fail, on some days, at files whose own
//! attributes have more than one type (KhronosGroup/glTF-Blender-IO#2658). Elements are `f32` for that reason, too, and
//! because the standard allows no `u32` there; they count to 2²⁴.
//!
//! *Not promised*: `_PRESSURE`, `_VELOCITY_X` and so on and `_ELEMENT` are those of the first frame of a clip, as nothing
//! in glTF animates them; write PLY for all. Like positions they are in the body's frame, z up. Quads are cut.

mod clip;
mod file;
mod scene;

use super::error::ExportError;
use super::frame::{MeshFrame, MeshModel};
use crate::surface::Mesh;
use clip::{AnimatedBody, Clip, OpenClip, Packed};
use file::{File, Role};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Greatest number of shapes of one clip. More: graphics in browsers, which keep a layer for each, promise no more, and weights grow with
/// the square. Fewer: more objects.
const MAX_SHAPES: usize = 256;

/// Position and normal, and five numbers of our own, of four bytes each.
const VERTEX_BYTES: usize = 4 * (3 + 3 + 5);

/// An animation being written.
#[derive(Debug)]
pub struct Glb {
    file: File,
    begin: f64,
    /// Time of each frame since the first, s.
    times: Vec<f32>,
    /// Number of each frame.
    frames: Vec<usize>,
    bodies: Vec<AnimatedBody>,
    /// Index in `bodies`, by name.
    known: BTreeMap<String, usize>,
}

impl Glb {
    /// Begins the file that will be at `path`.
    pub fn begin(path: &Path) -> Result<Self, ExportError> {
        let file = File::begin(path)?;
        Ok(Self { file, begin: 0.0, times: Vec::new(), frames: Vec::new(), bodies: Vec::new(), known: BTreeMap::new() })
    }

    /// Adds a frame.
    pub fn add(&mut self, mesh_frame: &MeshFrame) -> Result<(), ExportError> {
        let MeshFrame { frame, time, .. } = *mesh_frame;
        if self.times.is_empty() {
            self.begin = time;
        }
        let since = (time - self.begin) as f32;
        // Times may grow and still be one `f32`.
        if self.times.last().is_some_and(|last| since <= *last) {
            return Err(ExportError::OutOfOrder { path: self.file.path().to_owned(), frame, time });
        }
        // Checked before anything is added, so that a file of the frames before can still be finished.
        let bytes = |mesh: &Mesh| {
            let (vertices, triangles) = (mesh.positions.len(), mesh.triangles.len() + 2 * mesh.quads.len());
            (VERTEX_BYTES * vertices + 12 * triangles) as u64
        };
        self.file.has_room_for(mesh_frame.models.iter().map(|m| bytes(&m.mesh)).sum())?;
        self.times.push(since);
        self.frames.push(frame);
        mesh_frame.models.iter().try_for_each(|model| self.add_model(model))
    }

    fn add_model(&mut self, model: &MeshModel) -> Result<(), ExportError> {
        let (mesh_frame, mesh) = (self.times.len() - 1, &model.mesh);
        let at = *self.known.entry(model.name.clone()).or_insert(self.bodies.len());
        if at == self.bodies.len() {
            let middle = mesh.bounds().center().as_vec3().to_array();
            self.bodies.push(AnimatedBody {
                name: model.name.clone(),
                color: model.color,
                middle,
                clips: Vec::new(),
                open: None,
            });
        }
        let body = &mut self.bodies[at];
        let shape = Packed::of(mesh, body.middle);
        if let (Some(clip), Some(open)) = (body.clips.last_mut(), &mut body.open)
            && clip.first + clip.shown.len() == mesh_frame
            && open.base.positions.len() == shape.positions.len()
            && open.triangles == mesh.triangles
            && open.quads == mesh.quads
        {
            if shape == open.last {
                clip.shown.push(clip.shown[clip.shown.len() - 1]);
                return Ok(());
            }
            if clip.targets.len() + 1 < MAX_SHAPES {
                let change = shape.minus(&open.base);
                let target = json!({
                    "POSITION": self.file.floats(&change.positions, Role::Vertices)?,
                    "NORMAL": self.file.floats(&change.normals, Role::Vertices)?,
                });
                clip.targets.push((target, self.frames[mesh_frame]));
                clip.shown.push(clip.targets.len());
                open.last = shape;
                return Ok(());
            }
        }
        let clip = Clip {
            first: mesh_frame,
            shown: vec![0],
            attributes: attributes(&mut self.file, mesh, &shape)?,
            indices: self.file.indices(&mesh.all_triangles().collect::<Vec<_>>())?,
            targets: Vec::new(),
        };
        body.clips.push(clip);
        let (triangles, quads) = (mesh.triangles.clone(), mesh.quads.clone());
        body.open = Some(OpenClip { triangles, quads, base: shape.clone(), last: shape });
        Ok(())
    }

    /// Writes the file.
    pub fn finish(self) -> Result<(), ExportError> {
        let mut file = self.file;
        let scene = scene::describe(&self.bodies, &self.times, &self.frames, &mut file)?;
        file.finish(scene)
    }
}

/// Writes the attributes of the vertices of a clip's base.
fn attributes(file: &mut File, mesh: &Mesh, shape: &Packed) -> Result<Value, ExportError> {
    let mut attributes = json!({
        "POSITION": file.floats(&shape.positions, Role::Vertices)?,
        "NORMAL": file.floats(&shape.normals, Role::Vertices)?,
    });
    let pressure = mesh.pressure.iter().map(|p| [*p as f32]).collect();
    let element = mesh.element.iter().map(|e| [*e as f32]).collect();
    let [x, y, z] = [0, 1, 2].map(|k| mesh.velocity.iter().map(|v| [v[k] as f32]).collect());
    let scalars: [(&str, Vec<[f32; 1]>); 5] =
        [("_PRESSURE", pressure), ("_VELOCITY_X", x), ("_VELOCITY_Y", y), ("_VELOCITY_Z", z), ("_ELEMENT", element)];
    for (name, values) in scalars {
        attributes[name] = file.floats(&values, Role::Vertices)?.into();
    }
    Ok(attributes)
}
