//! Meshes of a world's bodies for `pliant export`, frame by frame, with counts and notes.

use crate::simulate::counted;
use pliant::World;
use pliant::export::MeshModel;
use pliant::math::Aabb;
use pliant::render::{GROUND_COLOR, body_color};
use pliant::surface::{
    MeshError, Square, TrackedMesh, mesh_of, mesh_tracked, quads_of, track, track_quads, track_square,
};
use std::collections::BTreeSet;

/// Width of a square of ground over that of all bodies together. Less: rolling bodies leave it. More: bodies look small in programs
/// that frame everything.
const FLOOR: f64 = 3.0;

/// Greatest number of quads along it, where the ground is soft. More: it has more faces than the bodies on it.
const MAX_SQUARES: f64 = 128.0;

/// Settings of meshes.
#[derive(Clone, Copy)]
pub struct MeshSettings {
    /// Edge of the grid's cells, metres.
    pub cell: f64,
    /// Whether triangles are joined to quads.
    pub quads: bool,
    /// Whether unbounded planes are meshed as squares.
    pub floor: bool,
    /// Whether faces are the same in every frame.
    pub tracked: bool,
}

/// The bodies to mesh, with their tracked meshes, and counts over all frames.
pub struct Bodies {
    settings: MeshSettings,
    bodies: Vec<(usize, Option<TrackedMesh>)>,
    /// Unbounded bodies that were left out.
    left_out: Vec<usize>,
    /// Bodies smaller than the grid's cells in some frame.
    unseen: BTreeSet<usize>,
    /// Greatest number of vertices of one body and frame that lost the surface.
    lost: usize,
    /// Least and greatest number in one frame.
    vertices: [usize; 2],
    /// Total over all frames.
    faces: [usize; 2],
}

impl Bodies {
    pub fn new(world: &World, settings: MeshSettings) -> Result<Self, MeshError> {
        let tracked = |i: usize| match (settings.tracked, settings.quads) {
            (false, _) => Ok(None),
            (true, true) => track_quads(world, i, settings.cell).map(Some),
            (true, false) => track(world, i, settings.cell).map(Some),
        };
        let (mut bodies, mut left_out) = (Vec::new(), Vec::new());
        for i in 0..world.bodies().len() {
            if world.bounds(i).is_finite() {
                bodies.push((i, tracked(i)?));
            } else if let Some(piece) = Some(i).filter(|_| settings.floor).and_then(|i| floor(world, i, settings)) {
                bodies.push((i, Some(piece)));
            } else {
                left_out.push(i);
            }
        }
        let (unseen, vertices) = (BTreeSet::new(), [usize::MAX, 0]);
        Ok(Self { settings, bodies, left_out, unseen, lost: 0, vertices, faces: [0; 2] })
    }

    /// Meshes of the present state of the world.
    pub fn models(&mut self, world: &World) -> Result<Vec<MeshModel>, MeshError> {
        let mut models = Vec::new();
        for (i, tracked) in &mut self.bodies {
            let mesh = match tracked {
                Some(tracked) => {
                    let (mesh, lost) = mesh_tracked(world, *i, tracked);
                    self.lost = self.lost.max(lost);
                    mesh
                }
                None if self.settings.quads => quads_of(world, *i, self.settings.cell)?,
                None => mesh_of(world, *i, self.settings.cell)?,
            };
            if mesh.positions.is_empty() {
                self.unseen.insert(*i);
                continue;
            }
            let body = &world.bodies()[*i];
            // The default colours of pictures.
            let color = if world.bounds(*i).is_finite() { body_color(*i) } else { GROUND_COLOR };
            models.push(MeshModel { name: body.name.clone(), color: color.map(|c| c as f32), mesh });
        }
        let vertices: usize = models.iter().map(|m| m.mesh.positions.len()).sum();
        self.vertices = [vertices.min(self.vertices[0]), vertices.max(self.vertices[1])];
        for mesh in models.iter().map(|m| &m.mesh) {
            self.faces = [self.faces[0] + mesh.triangles.len(), self.faces[1] + mesh.quads.len()];
        }
        Ok(models)
    }

    /// Numbers of vertices and faces in a frame, in words.
    pub fn sizes(&self) -> String {
        let [least, most] = self.vertices;
        let range = if least == most { least.to_string() } else { format!("{least} to {most}") };
        let [triangles, quads] = self.faces.map(|n| n as f64);
        let kinds = if self.settings.quads {
            format!(", {:.1} % of faces quads", 100.0 * quads / (triangles + quads).max(1.0))
        } else {
            String::new()
        };
        format!("{}, {range} vertices a frame{kinds}", counted(self.bodies.len() - self.unseen.len(), "body"))
    }

    /// Notes for the user about bodies that are missing or incomplete.
    pub fn notes(&self, world: &World) -> Vec<String> {
        let names = |all: &mut dyn Iterator<Item = usize>| {
            all.map(|i| format!("\"{}\"", world.bodies()[i].name)).collect::<Vec<_>>().join(", ")
        };
        let mut notes = Vec::new();
        if !self.left_out.is_empty() {
            let what = names(&mut self.left_out.iter().copied());
            let why = if self.settings.floor { ", and not a plane" } else { "; --floor writes a square of a plane" };
            notes.push(format!("left out {what}: unbounded, so there is no end to mesh{why}"));
        }
        if !self.unseen.is_empty() {
            let what = names(&mut self.unseen.iter().copied());
            notes.push(format!(
                "left out {what}, in some frames at least: it slips through the grid; lower --resolution"
            ));
        }
        if self.lost > 0 {
            let words = "vertices lost the surface for a while and stayed where they were";
            let remedy = if self.settings.tracked { "; faces made anew in every frame do not" } else { "" };
            notes.push(format!("{} {words}{remedy}", self.lost));
        }
        notes
    }
}

/// The box around all bodies that have one.
pub fn all_bounds(world: &World) -> Aabb {
    let boxes = (0..world.bodies().len()).map(|i| world.bounds(i)).filter(Aabb::is_finite);
    boxes.fold(Aabb::EMPTY, |all, b| all.union(&b))
}

/// A square of body `i` under all the others; none unless it is a plane.
fn floor(world: &World, i: usize, settings: MeshSettings) -> Option<TrackedMesh> {
    let all = all_bounds(world);
    let width = FLOOR * all.size().max_element();
    // A rigid plane stays flat.
    let cells =
        if world.bodies()[i].coat[0].rigid { 1 } else { (width / settings.cell).ceil().clamp(1.0, MAX_SQUARES) as u32 };
    let piece = track_square(world, i, Square { middle: all.center(), width, cells })?;
    Some(if settings.quads { piece } else { piece.triangulated() })
}
