//! `pliant export CACHE -o OUT`: meshes of visible bodies for other programs.

use super::inspect::open;
use super::render::PALETTE;
use crate::args::Export;
use crate::failure::Failure;
use crate::frames::Frames;
use crate::output;
use crate::places::is_wrong_place;
use crate::progress::Work;
use crate::simulate::counted;
use pliant::World;
use pliant::export::{ExportError, Format, Model, Moment, Writer};
use pliant::math::Aabb;
use pliant::surface::{Pinned, mesh_of, mesh_pinned, pin};
use std::io::Write;

/// Cells along the longest side of all bodies together, unless a size is given.
const ACROSS: f64 = 128.0;

/// More would fill the memory: the finest cell against all bodies.
const MOST_ACROSS: f64 = 4096.0;

/// Writes what was asked for, and says where it is.
pub fn run(args: &Export) -> Result<(), Failure> {
    Format::of(&args.output)?;
    let cache = open(&args.cache, |whole| Frames::reach_past(args.frames.as_ref(), whole))?;
    let mut frames = Frames::of(args.frames.as_ref(), cache.frame_count())?;
    if frames.is_empty() {
        return Err(Failure::Request(format!("{} has no whole frame to export", args.cache.display())));
    }
    if args.frames.is_none() {
        frames.start = frames.end - 1;
    }
    let mut world = cache.world()?;
    cache.show(&mut world, frames.start)?;
    let cell = cell(&world, args.resolution)?;
    // Vertex animation needs the same faces in every frame.
    let animated = Format::of(&args.output)? == Format::Glb && frames.len() > 1 && !args.remesh;
    let mut bodies = Bodies::new(&world, cell, animated);
    let mut writer = Writer::begin(&args.output, frames.len())?;
    let mut work = Work::new(frames.len());
    let mut vertices = 0;
    for frame in frames.clone() {
        let shown = cache.show(&mut world, frame)?;
        let models = bodies.models(&world);
        vertices += models.iter().map(|m| m.mesh.positions.len()).sum::<usize>();
        writer.add(&Moment { frame, time: shown.snapshot.time, models })?;
        work.step();
    }
    let written = writer.finish()?;
    work.clear();
    let last = written.last().map_or_else(|| args.output.display().to_string(), |p| p.display().to_string());
    if bodies.lost > 0 {
        let words = "vertices lost the surface for a while and stayed where they were; --remesh makes faces anew";
        // Nobody may be listening; the file is what was asked for.
        let _ = writeln!(std::io::stderr(), "note: {} {words}", bodies.lost);
    }
    let frames = counted(frames.len(), "frame");
    output::print(&format!("{last}: {frames}, {vertices} vertices, cells of {:.3} mm\n", 1e3 * cell))?;
    Ok(())
}

/// Every bounded body, and its faces if they stay.
struct Bodies {
    bodies: Vec<(usize, Option<Pinned>)>,
    cell: f64,
    /// Vertices that did not find the surface, at most, in one body and frame.
    lost: usize,
}

impl Bodies {
    fn new(world: &World, cell: f64, animated: bool) -> Self {
        let bounded = (0..world.bodies().len()).filter(|i| world.bodies()[*i].bounds().is_finite());
        Self { bodies: bounded.map(|i| (i, animated.then(|| pin(world, i, cell)))).collect(), cell, lost: 0 }
    }

    fn models(&mut self, world: &World) -> Vec<Model> {
        let mut models = Vec::new();
        for (i, pinned) in &mut self.bodies {
            let mesh = match pinned {
                Some(pinned) => {
                    let (mesh, lost) = mesh_pinned(world, *i, pinned);
                    self.lost = self.lost.max(lost);
                    mesh
                }
                None => mesh_of(world, *i, self.cell),
            };
            let color = PALETTE[*i % PALETTE.len()].map(|c| c as f32);
            models.push(Model { name: world.bodies()[*i].name.clone(), color, mesh });
        }
        models.retain(|m| !m.mesh.positions.is_empty());
        models
    }
}

/// Edge of the grid's cells, metres.
fn cell(world: &World, asked: Option<f64>) -> Result<f64, Failure> {
    let boxes = world.bodies().iter().map(|b| b.bounds()).filter(Aabb::is_finite);
    let size = boxes.fold(Aabb::EMPTY, |all, b| all.union(&b)).size().max_element();
    if size.is_nan() || size <= 0.0 {
        let words = "no body of this scene has bounds, so there is nothing to mesh";
        return Err(Failure::Request(words.to_owned()));
    }
    match asked {
        None => Ok(size / ACROSS),
        Some(cell) if size / cell > MOST_ACROSS => {
            let least = size / MOST_ACROSS;
            Err(Failure::Request(format!(
                "--resolution {cell} is too fine for bodies {size:.3} m wide; at least {least:.6}"
            )))
        }
        Some(cell) => Ok(cell),
    }
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        let words = error.to_string();
        match error {
            ExportError::Io { source, .. } if !is_wrong_place(source.kind()) => Self::Work(anyhow::anyhow!(words)),
            _ => Self::Request(words),
        }
    }
}
