//! The command line.

use crate::frames::{self, Frames};
use clap::{Args as Arguments, Parser, Subcommand};
use pliant::render::{Camera, Overlay};
use std::path::PathBuf;

/// Animate soft bodies given by implicit surfaces.
#[derive(Debug, Parser)]
#[command(name = "pliant", version, max_term_width = 100)]
pub struct Args {
    /// The command; an overview without one.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// One variant a file in `commands/`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a built-in scene and draw a movie of it
    Demo(DemoArgs),
    /// Write a small commented scene to start from
    New(NewArgs),
    /// Check a scene and show what is in it
    Check(CheckArgs),
    /// Print the JSON Schema of the scene format, for editors
    Schema,
    /// Simulate a scene to a cache
    Run(RunArgs),
    /// Show what is in a cache: bodies, contacts, warnings, energy
    Inspect(InspectArgs),
    /// Draw frames of a cache: a picture or a movie
    Render(RenderArgs),
    /// Write meshes of the visible bodies for other programs
    Export(ExportArgs),
    /// Evaluate the fields of a frame at given points
    Probe(ProbeArgs),
    /// Measure the engine against closed forms and laws on this machine
    Verify(VerifyArgs),
}

/// Arguments of `pliant new`.
#[derive(Arguments, Debug)]
pub struct NewArgs {
    /// The scene is written to NAME.toml; an existing file is never overwritten
    pub name: PathBuf,
}

/// Arguments of `pliant verify`.
#[derive(Arguments, Debug)]
pub struct VerifyArgs {
    /// Print one JSON object a line for each law
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `pliant check`.
#[derive(Arguments, Debug)]
pub struct CheckArgs {
    /// A scene file, or - for standard input
    pub scene: PathBuf,
    /// Print one JSON object a line: the problems, or the bodies and a summary
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `pliant demo`.
#[derive(Arguments, Debug)]
pub struct DemoArgs {
    /// Folder for the results; the cache of an earlier demo is replaced, a scene you changed never
    #[arg(short, long, value_name = "DIR", default_value = "pliant-demo")]
    pub output: PathBuf,
    /// Only simulate: leave out the movie, which takes most of the time
    #[arg(long)]
    pub no_movie: bool,
    /// Print the summary as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `pliant run`.
#[derive(Arguments, Debug)]
pub struct RunArgs {
    /// A scene file, or - for standard input
    pub scene: PathBuf,
    /// The cache to write, usually with the ending .pliant
    #[arg(short, long, value_name = "CACHE")]
    pub output: PathBuf,
    /// Go on after the last whole frame of CACHE; begin if there is no such file
    #[arg(long, conflicts_with = "force")]
    pub resume: bool,
    /// Replace CACHE if it exists; a file that is no cache is never replaced
    #[arg(long)]
    pub force: bool,
    /// Threads to use; all that the machine has unless given. Results are the same for any number
    #[arg(long, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    pub threads: Option<usize>,
    /// Print the summary as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `pliant inspect`.
#[derive(Arguments, Debug)]
pub struct InspectArgs {
    /// A cache made by pliant run
    pub cache: PathBuf,
    /// Print one JSON object a frame, in SI units: orientation is a quaternion x y z w, position is where the
    /// body's own origin is, center its centre of mass, force and torque (about a's centre of mass) act on a;
    /// the volume of a body that is unbounded, or pressed too hard to be measured, is null
    #[arg(long)]
    pub json: bool,
    /// Write a figure instead: energy, volumes, contact forces and contact areas over time, by the ending of OUT as .svg
    /// or .png. One that exists is replaced
    #[arg(long, value_name = "OUT", conflicts_with = "json")]
    pub plot: Option<PathBuf>,
    /// Frames to show, the first is 0: 12, 10..20 (without 20), 10..=20, 10.. or ..20. One alone is shown body by body
    #[arg(long, alias = "frame", value_name = "A..B", allow_hyphen_values = true)]
    pub frames: Option<Frames>,
}

/// Arguments of `pliant render`.
#[derive(Arguments, Debug)]
pub struct RenderArgs {
    /// A cache made by pliant run
    pub cache: PathBuf,
    /// Output file: a picture (.png; several frames are numbered) or a movie (.gif, .mp4). One that exists is replaced
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// Frames to draw, the first is 0: 12, 10..20 (without 20), 10..=20, 10.. or ..20. The last for a picture, all for a
    /// movie, unless given
    #[arg(long, alias = "frame", value_name = "A..B", allow_hyphen_values = true)]
    pub frames: Option<Frames>,
    /// Only every Nth of them: a movie is then as fast, with fewer pictures
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value = "1")]
    pub every: u32,
    /// Pixels across and down
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "640x360")]
    pub size: (u32, u32),
    /// Rays a pixel at most, fewer where they agree: 4 is grainy and quick, 64 smooth
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536), default_value = "16")]
    pub samples: u32,
    /// Direction from the bodies to the camera. 0,0,-1 looks from below
    #[arg(long, value_name = "X,Y,Z", value_parser = direction, default_value = "0.55,-1,0.42", allow_hyphen_values = true)]
    pub from: [f64; 3],
    /// Only these bodies, as if the others were not there; surfaces that touch come to light
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Show contact pressure in colours instead of light: the same as --view pressure
    #[arg(long, conflicts_with = "view")]
    pub pressure: bool,
    /// Quantity to show; light unless given
    #[arg(long, value_enum, value_name = "VIEW")]
    pub view: Option<Shown>,
    /// Show a cut along this plane: x=0.1, y=0 or z=-0.2, metres. --view cut alone takes the upright plane that shows most of
    /// the largest contact, or the middle of the bodies if nothing touches
    #[arg(long, value_name = "PLANE", value_parser = plane, conflicts_with = "pressure", allow_hyphen_values = true)]
    pub cut: Option<AxisPlane>,
    /// Draw over the picture, any of: forces (an arrow for each contact force, with its scale on standard error), borders (of
    /// contact surfaces), joints (by their kind), springs (blue pushes, red pulls). None unless given; broken ones never.
    /// Parts behind a surface shine through
    #[arg(long, value_name = "WHAT,WHAT", value_delimiter = ',')]
    pub show: Vec<Overlay>,
    /// Motion blur: time the shutter is open, as a fraction of the time between frames
    #[arg(long, value_name = "PART", value_parser = part, default_value = "0", allow_hyphen_values = true)]
    pub shutter: f64,
    /// Depth of field: radius of the lens, metres
    #[arg(long, value_name = "M", value_parser = length, default_value = "0", allow_hyphen_values = true)]
    pub aperture: f64,
    /// Distance from the camera to the plane of focus, metres; to the middle of all bodies unless given
    #[arg(long, value_name = "M", value_parser = length, allow_hyphen_values = true)]
    pub focus: Option<f64>,
    /// Forget the finished frames of an interrupted movie that was made differently
    #[arg(long)]
    pub force: bool,
    /// Say nothing when it is done
    #[arg(long)]
    pub quiet: bool,
}

impl RenderArgs {
    /// Default arguments for `cache` and `out`.
    pub fn new(cache: PathBuf, output: PathBuf) -> Self {
        Self {
            cache,
            output,
            frames: None,
            every: 1,
            size: (640, 360),
            samples: 16,
            from: Camera::USUAL.to_array(),
            only: Vec::new(),
            pressure: false,
            view: None,
            cut: None,
            show: Vec::new(),
            shutter: 0.0,
            aperture: 0.0,
            focus: None,
            force: true,
            quiet: false,
        }
    }

    /// The view, from either option that sets it.
    pub fn shown(&self) -> Shown {
        match self.view {
            _ if self.pressure => Shown::Pressure,
            Some(view) => view,
            None if self.cut.is_some() => Shown::Cut,
            None => Shown::Light,
        }
    }
}

/// Quantity shown by a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Shown {
    /// Bodies as they would look
    Light,
    /// Contact pressure in colours
    Pressure,
    /// Displacement of surfaces from rest: pressed in blue, swollen red, rest shapes like glass
    Deformation,
    /// Fields in a plane: lines of equal values, rest shapes as broken lines, contacts as thick ones
    Cut,
    /// Samples of the surface in the colours of their skeletons; those inside, between two territories, in grey
    Samples,
    /// Distance: near bright, far dark
    Depth,
    /// Directions as colours
    Normals,
}

/// A plane across an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisPlane {
    /// 0 for x, 1 for y, 2 for z.
    pub axis: usize,
    /// Coordinate along the axis, metres.
    pub at: f64,
}

/// Arguments of `pliant export`.
#[derive(Arguments, Debug)]
pub struct ExportArgs {
    /// A cache made by pliant run
    pub cache: PathBuf,
    /// Output file, by its ending: .glb (one file, animated), .ply, .obj or .stl (a numbered file a frame if there are
    /// several). Unbounded bodies, such as the ground, are left out but for --floor
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// Frames to write, the first is 0: 12, 10..20 (without 20), 10..=20, 10.. or ..20. The last unless given
    #[arg(long, alias = "frame", value_name = "A..B", allow_hyphen_values = true)]
    pub frames: Option<Frames>,
    /// Edge of the mesh's cells, metres; a 128th of all bodies' width unless given
    #[arg(long, value_name = "R", value_parser = resolution, allow_hyphen_values = true)]
    pub resolution: Option<f64>,
    /// Quads wherever two triangles make a good one, and faces of more even shape; .obj and .ply hold them
    #[arg(long)]
    pub quads: bool,
    /// A square of every ground plane, three times as wide as all bodies together
    #[arg(long)]
    pub floor: bool,
    /// The same polygons in every frame: those at rest follow the body. An animated .glb has them anyway
    #[arg(long, conflicts_with = "remesh")]
    pub pinned: bool,
    /// Polygons made anew in every frame of an animated .glb
    #[arg(long)]
    pub remesh: bool,
}

/// Arguments of `pliant probe`.
#[derive(Arguments, Debug)]
pub struct ProbeArgs {
    /// A cache made by pliant run
    pub cache: PathBuf,
    /// Frame to evaluate, the first is 0
    #[arg(long, alias = "frames", value_name = "N", value_parser = frames::number, allow_hyphen_values = true)]
    pub frame: usize,
    /// Points, one "x y z" a line, in metres; # begins a comment; - for standard input
    #[arg(long, value_name = "FILE")]
    pub points: PathBuf,
    /// Print one JSON object a point
    #[arg(long)]
    pub json: bool,
}

fn resolution(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(cell) if cell.is_finite() && cell > 0.0 => Ok(cell),
        _ => Err("expected a length in metres, more than 0: 0.005".to_owned()),
    }
}

fn length(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(length) if length.is_finite() && length >= 0.0 => Ok(length),
        _ => Err("expected a length in metres, not below 0: 0.02".to_owned()),
    }
}

fn direction(text: &str) -> Result<[f64; 3], String> {
    let numbers: Option<Vec<f64>> =
        text.split(',').map(|n| n.trim().parse().ok().filter(|x: &f64| x.is_finite())).collect();
    match numbers.as_deref() {
        Some([x, y, z]) if [*x, *y, *z] != [0.0; 3] => Ok([*x, *y, *z]),
        _ => Err("expected three numbers, not all 0, with commas between them: 0.5,-1,0.4".to_owned()),
    }
}

fn plane(text: &str) -> Result<AxisPlane, String> {
    let told = text.split_once('=').and_then(|(axis, at)| {
        let axis = ["x", "y", "z"].iter().position(|name| *name == axis.trim())?;
        let at = at.trim().parse().ok().filter(|at: &f64| at.is_finite())?;
        Some(AxisPlane { axis, at })
    });
    told.ok_or_else(|| "expected x=, y= or z= and a number of metres: y=0.1".to_owned())
}

fn part(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(part) if (0.0..=10.0).contains(&part) => Ok(part),
        _ => Err("expected a part of the time between frames, from 0 to 10: 0.5".to_owned()),
    }
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let numbers = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    match numbers {
        Some((0, _) | (_, 0)) => Err("a picture of no pixels cannot be drawn; write 640x360".to_owned()),
        Some((w, h)) if w > MAX_PIXELS || h > MAX_PIXELS => Err(format!("at most {MAX_PIXELS} pixels a side")),
        Some(size) => Ok(size),
        None => Err("expected two whole numbers with an x between them: 640x360".to_owned()),
    }
}

/// Greatest side of a picture, pixels: the limit of the file formats.
const MAX_PIXELS: u32 = 16384;

/// Greatest number of threads: more only wait for each other, and take seconds to start.
const MAX_THREADS: usize = 256;

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("at least 1 thread is needed; leave it out to use all that the machine has".to_owned()),
        Ok(n) if n > MAX_THREADS => {
            Err(format!("at most {MAX_THREADS} threads; more than the machine has do not help"))
        }
        Ok(n) => Ok(n),
        Err(_) => Err(format!("expected a whole number from 1 to {MAX_THREADS}")),
    }
}
