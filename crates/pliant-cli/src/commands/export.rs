//! `pliant export CACHE -o OUT`: meshes of visible bodies for other programs.

use super::inspect::open;
use super::meshes::{Bodies, MeshSettings, all_bounds};
use crate::args::ExportArgs;
use crate::failure::Failure;
use crate::frames::Frames;
use crate::output;
use crate::places::is_wrong_place;
use crate::progress::Work;
use crate::simulate::counted;
use pliant::World;
use pliant::export::{ExportError, MeshFormat, MeshFrame, MeshWriter};
use pliant::surface::MeshError;
use std::io::Write;

/// Cells along the longest side of all bodies together, unless a size is given.
const ACROSS: f64 = 128.0;

/// Greatest ratio of the bodies' size to a cell: more would fill the memory.
const MAX_ACROSS: f64 = 4096.0;

/// Writes the meshes, and prints the paths.
pub fn run(args: &ExportArgs) -> Result<(), Failure> {
    let format = MeshFormat::of(&args.output)?;
    if args.quads && !format.has_quads() {
        let words = format!("a .{} holds triangles only; leave out --quads, or write .obj or .ply", format.extension());
        return Err(Failure::Request(words));
    }
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
    let tracked = args.pinned || format == MeshFormat::Glb && frames.len() > 1 && !args.remesh;
    let mut bodies = Bodies::new(&world, MeshSettings { cell, quads: args.quads, floor: args.floor, tracked })?;
    let mut writer = MeshWriter::begin(&args.output, frames.len())?;
    let mut work = Work::new(frames.len());
    for frame in frames.clone() {
        let shown = cache.show(&mut world, frame)?;
        let models = bodies.models(&world)?;
        writer.add(&MeshFrame { frame, time: shown.state.time, models })?;
        work.step();
    }
    let written = writer.finish()?;
    work.clear();
    for note in bodies.notes(&world) {
        // If standard error is closed, the file is written all the same.
        let _ = writeln!(std::io::stderr(), "note: {note}");
    }
    let last = written.last().map_or_else(|| args.output.display().to_string(), |p| p.display().to_string());
    let frames = counted(frames.len(), "frame");
    output::print(&format!("{last}: {frames}, {}, cells of {:.3} mm\n", bodies.sizes(), 1e3 * cell))?;
    Ok(())
}

/// Edge of the grid's cells, metres.
fn cell(world: &World, asked: Option<f64>) -> Result<f64, Failure> {
    let size = all_bounds(world).size().max_element();
    if size.is_nan() || size <= 0.0 {
        let words = "every body of this scene is unbounded, so there is nothing to mesh";
        return Err(Failure::Request(words.to_owned()));
    }
    match asked {
        None => Ok(size / ACROSS),
        Some(cell) if size / cell > MAX_ACROSS => {
            let least = size / MAX_ACROSS;
            Err(Failure::Request(format!(
                "--resolution {cell} is too fine for bodies {size:.3} m wide; at least {least:.6}"
            )))
        }
        Some(cell) => Ok(cell),
    }
}

impl From<MeshError> for Failure {
    fn from(error: MeshError) -> Self {
        Self::Request(format!("--resolution: {error}"))
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
