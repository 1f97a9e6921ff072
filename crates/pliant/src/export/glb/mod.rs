//! Binary glTF 2.0, animated.
//!
//! *The idea*: a body's moments are cut into *takes* over which its faces stay the same. A take is one mesh: the first
//! moment is its base, each further shape a morph target, and linear weights show every moment as it was, to a rounding of
//! `f32`, and blends between them. A body whose faces never change is one take, hence one object. Where faces change, the next take is another
//! object, and scales keyed 0 and 1 in steps show one at a time: the way the standard itself names for hiding things,
//! which Blender, three.js and others play without extensions. A moment like the one before adds nothing.
//!
//! Not a sequence of files: an animator would have to import each. Nodes stand at the middle of the body's first moment,
//! so that a hidden take shrinks to a point inside the body, and `f32` positions are as fine as the body is small, wherever
//! it is. Readers that know no animation see the first moment.
//!
//! Velocity is three attributes of one number: importers of Blender up to 5.0 fail, on some days, at files whose own
//! attributes have more than one type (KhronosGroup/glTF-Blender-IO#2658). Elements are `f32` for that reason, too, and
//! because the standard allows no `u32` there; they count to 2²⁴.
//!
//! *Not promised*: `_PRESSURE`, `_VELOCITY_X` and so on and `_ELEMENT` are those of the first moment of a take, as nothing
//! in glTF animates them; write PLY for all. Like positions they are in the body's frame, z up. Quads are cut.

mod file;
mod scene;

use super::{ExportError, Model, Moment};
use crate::math::DVec3;
use crate::surface::Mesh;
use file::{File, Role};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Shapes of one take. More: graphics in browsers, which keep a layer for each, promise no more, and weights grow with
/// the square. Fewer: more objects.
const MOST_SHAPES: usize = 256;

/// Position and normal, and five numbers of our own, of four bytes each.
const VERTEX_BYTES: usize = 4 * (3 + 3 + 5);

/// An animation being written.
#[derive(Debug)]
pub struct Glb {
    file: File,
    begin: f64,
    /// Of each moment, since the first, s.
    times: Vec<f32>,
    /// Number of each moment's frame.
    frames: Vec<usize>,
    bodies: Vec<Body>,
    /// By name: which of `bodies`.
    known: BTreeMap<String, usize>,
}

#[derive(Debug)]
struct Body {
    name: String,
    color: [f32; 3],
    /// Where its node stands.
    middle: [f32; 3],
    takes: Vec<Take>,
    /// What the last take must be compared with.
    open: Option<Open>,
}

/// Moments over which a body keeps its faces.
#[derive(Debug)]
struct Take {
    /// Its first moment.
    first: usize,
    /// Which shape each moment shows; 0 is the base.
    shown: Vec<usize>,
    /// Accessors by what they hold, of the base.
    attributes: Value,
    indices: usize,
    /// Accessors of each further shape, and its frame's number.
    targets: Vec<(Value, usize)>,
}

/// The end of a take that may go on.
#[derive(Debug)]
struct Open {
    triangles: Vec<[u32; 3]>,
    quads: Vec<[u32; 4]>,
    base: Packed,
    last: Packed,
}

/// A shape in the body's frame.
#[derive(Clone, Debug, PartialEq)]
struct Packed {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
}

impl Packed {
    fn of(mesh: &Mesh, middle: [f32; 3]) -> Self {
        let middle = DVec3::from_array(middle.map(f64::from));
        let positions = mesh.positions.iter().map(|p| (*p - middle).as_vec3().to_array()).collect();
        Self { positions, normals: mesh.normals.iter().map(|n| n.as_vec3().to_array()).collect() }
    }

    /// What to add to `base` to get this.
    fn minus(&self, base: &Self) -> Self {
        let minus = |a: &[[f32; 3]], b: &[[f32; 3]]| {
            a.iter().zip(b).map(|(a, b)| std::array::from_fn(|k| a[k] - b[k])).collect()
        };
        Self { positions: minus(&self.positions, &base.positions), normals: minus(&self.normals, &base.normals) }
    }
}

impl Glb {
    /// Begins the file that will be at `path`.
    pub fn begin(path: &Path) -> Result<Self, ExportError> {
        let file = File::begin(path)?;
        Ok(Self { file, begin: 0.0, times: Vec::new(), frames: Vec::new(), bodies: Vec::new(), known: BTreeMap::new() })
    }

    /// Adds a moment.
    pub fn add(&mut self, moment: &Moment) -> Result<(), ExportError> {
        let Moment { frame, time, .. } = *moment;
        if self.times.is_empty() {
            self.begin = time;
        }
        let since = (time - self.begin) as f32;
        // Times may grow and still be one `f32`.
        if self.times.last().is_some_and(|last| since <= *last) {
            return Err(ExportError::OutOfOrder { path: self.file.path().to_owned(), frame, time });
        }
        // Asked before anything is added, so that what came before can still be finished.
        let most = |mesh: &Mesh| {
            let (vertices, triangles) = (mesh.positions.len(), mesh.triangles.len() + 2 * mesh.quads.len());
            (VERTEX_BYTES * vertices + 12 * triangles) as u64
        };
        self.file.has_room_for(moment.models.iter().map(|m| most(&m.mesh)).sum())?;
        self.times.push(since);
        self.frames.push(frame);
        moment.models.iter().try_for_each(|model| self.add_model(model))
    }

    fn add_model(&mut self, model: &Model) -> Result<(), ExportError> {
        let (moment, mesh) = (self.times.len() - 1, &model.mesh);
        let at = *self.known.entry(model.name.clone()).or_insert(self.bodies.len());
        if at == self.bodies.len() {
            let middle = mesh.bounds().center().as_vec3().to_array();
            self.bodies.push(Body {
                name: model.name.clone(),
                color: model.color,
                middle,
                takes: Vec::new(),
                open: None,
            });
        }
        let body = &mut self.bodies[at];
        let shape = Packed::of(mesh, body.middle);
        if let (Some(take), Some(open)) = (body.takes.last_mut(), &mut body.open)
            && take.first + take.shown.len() == moment
            && open.base.positions.len() == shape.positions.len()
            && open.triangles == mesh.triangles
            && open.quads == mesh.quads
        {
            if shape == open.last {
                take.shown.push(take.shown[take.shown.len() - 1]);
                return Ok(());
            }
            if take.targets.len() + 1 < MOST_SHAPES {
                let change = shape.minus(&open.base);
                let target = json!({
                    "POSITION": self.file.floats(&change.positions, Role::Vertices)?,
                    "NORMAL": self.file.floats(&change.normals, Role::Vertices)?,
                });
                take.targets.push((target, self.frames[moment]));
                take.shown.push(take.targets.len());
                open.last = shape;
                return Ok(());
            }
        }
        let take = Take {
            first: moment,
            shown: vec![0],
            attributes: attributes(&mut self.file, mesh, &shape)?,
            indices: self.file.indices(&mesh.all_triangles().collect::<Vec<_>>())?,
            targets: Vec::new(),
        };
        body.takes.push(take);
        let (triangles, quads) = (mesh.triangles.clone(), mesh.quads.clone());
        body.open = Some(Open { triangles, quads, base: shape.clone(), last: shape });
        Ok(())
    }

    /// Writes the file.
    pub fn finish(self) -> Result<(), ExportError> {
        let mut file = self.file;
        let scene = scene::describe(&self.bodies, (&self.times, &self.frames), &mut file)?;
        file.finish(scene)
    }
}

/// Writes what the vertices of a take's base carry.
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
