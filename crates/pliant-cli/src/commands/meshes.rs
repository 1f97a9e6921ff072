//! Meshes of a world's bodies for `pliant export`, frame after frame, and what is to be said of them.

use super::render::PALETTE;
use crate::simulate::counted;
use pliant::World;
use pliant::export::Model;
use pliant::math::Aabb;
use pliant::surface::{Pinned, Square, mesh_of, mesh_pinned, pin, pin_quads, pin_square, quads_of};
use std::collections::BTreeSet;

/// Width of a piece of ground against that of all bodies together. Less: bodies that roll leave it. More: other programs
/// show bodies small when they show all.
const FLOOR: f64 = 3.0;

/// Squares along it at most, where the ground is soft. More: it outweighs the bodies that dent it.
const MOST_SQUARES: f64 = 128.0;

/// As pictures have it.
const GROUND: [f32; 3] = [0.50, 0.46, 0.41];

/// How bodies are to be meshed.
#[derive(Clone, Copy)]
pub struct Wanted {
    /// Edge of the grid's cells, metres.
    pub cell: f64,
    /// Quads where they are good.
    pub quads: bool,
    /// A piece of each plane without end.
    pub floor: bool,
    /// The same faces in every frame.
    pub pinned: bool,
}

/// Every body that can be meshed, and its faces if they stay.
pub struct Bodies {
    wanted: Wanted,
    bodies: Vec<(usize, Option<Pinned>)>,
    /// Without bounds, and no piece of them was wanted or can be made.
    left_out: Vec<usize>,
    /// Smaller than the grid's cells in some frame.
    unseen: BTreeSet<usize>,
    /// Vertices that did not find the surface, at most, in one body and frame.
    lost: usize,
    /// Of one frame, the fewest and the most.
    vertices: [usize; 2],
    /// Of all frames.
    faces: [usize; 2],
}

impl Bodies {
    pub fn new(world: &World, wanted: Wanted) -> Self {
        let faces = |i: usize| match () {
            () if !wanted.pinned => None,
            () if wanted.quads => Some(pin_quads(world, i, wanted.cell)),
            () => Some(pin(world, i, wanted.cell)),
        };
        let (mut bodies, mut left_out) = (Vec::new(), Vec::new());
        for i in 0..world.bodies().len() {
            if world.bodies()[i].bounds().is_finite() {
                bodies.push((i, faces(i)));
            } else if let Some(piece) = Some(i).filter(|_| wanted.floor).and_then(|i| floor(world, i, wanted)) {
                bodies.push((i, Some(piece)));
            } else {
                left_out.push(i);
            }
        }
        let (unseen, vertices) = (BTreeSet::new(), [usize::MAX, 0]);
        Self { wanted, bodies, left_out, unseen, lost: 0, vertices, faces: [0; 2] }
    }

    /// As they are now.
    pub fn models(&mut self, world: &World) -> Vec<Model> {
        let mut models = Vec::new();
        for (i, pinned) in &mut self.bodies {
            let mesh = match pinned {
                Some(pinned) => {
                    let (mesh, lost) = mesh_pinned(world, *i, pinned);
                    self.lost = self.lost.max(lost);
                    mesh
                }
                None if self.wanted.quads => quads_of(world, *i, self.wanted.cell),
                None => mesh_of(world, *i, self.wanted.cell),
            };
            if mesh.positions.is_empty() {
                self.unseen.insert(*i);
                continue;
            }
            let body = &world.bodies()[*i];
            let color = PALETTE[*i % PALETTE.len()].map(|c| c as f32);
            let color = if body.bounds().is_finite() { color } else { GROUND };
            models.push(Model { name: body.name.clone(), color, mesh });
        }
        let vertices: usize = models.iter().map(|m| m.mesh.positions.len()).sum();
        self.vertices = [vertices.min(self.vertices[0]), vertices.max(self.vertices[1])];
        for mesh in models.iter().map(|m| &m.mesh) {
            self.faces = [self.faces[0] + mesh.triangles.len(), self.faces[1] + mesh.quads.len()];
        }
        models
    }

    /// How much there is in a frame.
    pub fn sizes(&self) -> String {
        let [least, most] = self.vertices;
        let range = if least == most { least.to_string() } else { format!("{least} to {most}") };
        let [triangles, quads] = self.faces.map(|n| n as f64);
        let kinds = if self.wanted.quads {
            format!(", {:.1} % of faces quads", 100.0 * quads / (triangles + quads).max(1.0))
        } else {
            String::new()
        };
        format!("{}, {range} vertices a frame{kinds}", counted(self.bodies.len() - self.unseen.len(), "body"))
    }

    /// What users would otherwise wonder about.
    pub fn notes(&self, world: &World) -> Vec<String> {
        let names = |all: &mut dyn Iterator<Item = usize>| {
            all.map(|i| format!("\"{}\"", world.bodies()[i].name)).collect::<Vec<_>>().join(", ")
        };
        let mut notes = Vec::new();
        if !self.left_out.is_empty() {
            let what = names(&mut self.left_out.iter().copied());
            let why = if self.wanted.floor { ", and not a plane" } else { "; --floor writes a square of a plane" };
            notes.push(format!("left out {what}: without bounds there is no end to mesh{why}"));
        }
        if !self.unseen.is_empty() {
            let what = names(&mut self.unseen.iter().copied());
            notes.push(format!(
                "left out {what}, in some frames at least: it slips through the grid; lower --resolution"
            ));
        }
        if self.lost > 0 {
            let words = "vertices lost the surface for a while and stayed where they were";
            let remedy = if self.wanted.pinned { "; faces made anew in every frame do not" } else { "" };
            notes.push(format!("{} {words}{remedy}", self.lost));
        }
        notes
    }
}

/// The box around all bodies that have one.
pub fn all_bounds(world: &World) -> Aabb {
    let boxes = world.bodies().iter().map(|b| b.bounds()).filter(Aabb::is_finite);
    boxes.fold(Aabb::EMPTY, |all, b| all.union(&b))
}

/// A square of body `i` under all the others; none unless it is a plane.
fn floor(world: &World, i: usize, wanted: Wanted) -> Option<Pinned> {
    let all = all_bounds(world);
    let width = FLOOR * all.size().max_element();
    // What is rigid stays flat.
    let cells = if world.bodies()[i].layers[0].rigid {
        1
    } else {
        (width / wanted.cell).ceil().clamp(1.0, MOST_SQUARES) as u32
    };
    let piece = pin_square(world, i, Square { middle: all.center(), width, cells })?;
    Some(if wanted.quads { piece } else { piece.triangulated() })
}
