//! `pliant render CACHE -o OUT`: pictures and movies, traced from the implicit surfaces.

use super::inspect::open;
use crate::args::{Render, Shown};
use crate::failure::Failure;
use crate::frames::Frames;
use crate::output;
use crate::progress::Work;
use crate::simulate::counted;
use crate::views::{Found, Look};
use pliant::World;
use pliant::bodies::Layer;
use pliant::fields::Field;
use pliant::math::DVec3;
use pliant::record::Cache;
use pliant::render::{Camera, Light, Motion, Seen, Settings, Stage, cut, paint};
use pliant_media::{self as media, MediaError, MovieFormat, Picture};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;

/// Bodies' colours, in turn; what is unbounded is ground.
pub const PALETTE: [[f64; 3]; 8] = [
    [0.78, 0.16, 0.11],
    [0.09, 0.33, 0.70],
    [0.90, 0.60, 0.08],
    [0.12, 0.50, 0.26],
    [0.50, 0.17, 0.56],
    [0.84, 0.40, 0.30],
    [0.14, 0.55, 0.60],
    [0.75, 0.72, 0.62],
];
const GROUND: [f64; 3] = [0.50, 0.46, 0.41];

/// How dull bodies and the ground are.
const ROUGHNESS: f64 = 0.35;
const GROUND_ROUGHNESS: f64 = 0.95;

/// Frames looked at to choose where the camera stands. It does not move.
const FRAMED: usize = 16;

/// Draws what was asked for, and says where it is.
pub fn run(args: &Render) -> Result<(), Failure> {
    let is_still = args.output.extension().is_some_and(|e| e.eq_ignore_ascii_case("png"));
    if !is_still {
        let unknown = |_| format!("{}: end the name in .png, .gif or .mp4", args.output.display());
        MovieFormat::of(&args.output).map_err(unknown).map_err(Failure::Request)?.check_size(args.size)?;
    }
    if args.cut.is_some() && args.shown() != Shown::Cut {
        let words = "--cut shows a cut; leave out --view, or write --view cut";
        return Err(Failure::Request(words.to_owned()));
    }
    let cache = open(&args.cache, |whole| Frames::reach_past(args.frames.as_ref(), whole))?;
    let mut frames = Frames::of(args.frames.as_ref(), cache.frame_count())?;
    if frames.is_empty() {
        return Err(Failure::Request(format!("{} has no whole frame to draw", args.cache.display())));
    }
    if is_still && args.frames.is_none() {
        frames.start = frames.end - 1;
    }
    let mut world = cache.world()?;
    let shown = shown(&world, &args.only)?;
    let found = survey(&cache, &mut world, (&frames, &shown), args.shown())?;
    let aspect = f64::from(args.size.0) / f64::from(args.size.1);
    let mut camera = Camera::framing_from(&found.bounds(), aspect, DVec3::from_array(args.from));
    camera.lens = args.aperture;
    if let Some(focus) = args.focus {
        camera.at = camera.from + focus * (camera.at - camera.from).normalize_or_zero();
    }
    let look = Look::new(args, &found)?;
    let mut drawing = Drawing { cache: &cache, world, camera, look, shown, hiding: BTreeSet::new(), args };
    let chosen: Vec<usize> = frames.step_by(args.every as usize).collect();
    let mut work = Work::new(chosen.len());
    let make = if is_still { stills } else { movie };
    let written = make(&mut drawing, &chosen, &mut work)?;
    work.clear();
    if args.quiet {
        return Ok(());
    }
    let many = if is_still && chosen.len() > 1 { ", this is the last" } else { "" };
    let names: Vec<&str> = drawing.hiding.iter().map(|i| drawing.world.bodies()[*i].name.as_str()).collect();
    let without = match names.len() {
        0 => String::new(),
        _ => format!(", without {}: the camera stands in there; --from looks from elsewhere", names.join(", ")),
    };
    let count = counted(chosen.len(), "frame");
    output::print(&format!("{}: {count}{many}{without}\n", written.display())).map_err(Failure::from)
}

struct Drawing<'a> {
    cache: &'a Cache,
    world: World,
    camera: Camera,
    look: Look,
    /// Which bodies.
    shown: Vec<usize>,
    /// Those of them left out of some frame.
    hiding: BTreeSet<usize>,
    args: &'a Render,
}

impl Drawing<'_> {
    fn draw(&mut self, frame: usize) -> Result<Picture, Failure> {
        self.cache.show(&mut self.world, frame)?;
        let hiding: Vec<usize> = self.shown.iter().copied().filter(|i| self.hides(*i)).collect();
        self.hiding.extend(&hiding);
        let seen = |i: usize| {
            let bounded = self.world.bodies()[i].bounds().is_finite();
            let (color, roughness) =
                if bounded { (PALETTE[i % PALETTE.len()], ROUGHNESS) } else { (GROUND, GROUND_ROUGHNESS) };
            let base = &self.world.bodies()[i].base;
            let twist = base.twist();
            let mut seen = Seen::new(self.world.deformed(i), color, roughness);
            let Layer { stiffness, rigid, .. } = self.world.bodies()[i].layers[0];
            seen.stiffness = if rigid { 0.0 } else { stiffness };
            seen.motion = Motion { center: base.center(), velocity: twist.linear, spin: twist.angular };
            seen
        };
        let stage = Stage { bodies: self.shown.iter().copied().filter(|i| !hiding.contains(i)).map(seen).collect() };
        let image = match self.look {
            Look::Cut(ref plane, _) => cut(&stage, plane, self.args.size),
            Look::Traced(view) => {
                let shutter = self.args.shutter / self.cache.scene().frame_rate;
                let settings = Settings { size: self.args.size, samples: self.args.samples, view, shutter };
                paint(&stage, &self.camera, &Light::default(), &settings)
            }
        };
        Ok(self.look.with_legend(Picture::new(image.width, image.height, image.to_srgb())?)?)
    }

    /// Whether a body without end, not asked for by name, holds the camera, which then would see nothing else.
    fn hides(&self, i: usize) -> bool {
        let body = &self.world.bodies()[i];
        let holds = |layer: usize| body.placed(layer).value(self.camera.from) >= body.layers[layer].shape.iso();
        let traced = matches!(self.look, Look::Traced(_));
        traced && self.args.only.is_empty() && !body.bounds().is_finite() && (0..body.layers.len()).any(holds)
    }
}

/// The bodies asked for by name; all if none is.
fn shown(world: &World, only: &[String]) -> Result<Vec<usize>, Failure> {
    if only.is_empty() {
        return Ok((0..world.bodies().len()).collect());
    }
    let find = |name: &String| {
        world.bodies().iter().position(|b| b.name == *name).ok_or_else(|| {
            let known: Vec<&str> = world.bodies().iter().take(12).map(|b| b.name.as_str()).collect();
            let more = if world.bodies().len() > known.len() { ", …" } else { "" };
            Failure::Request(format!("no body is named \"{name}\"; there are {}{more}", known.join(", ")))
        })
    };
    only.iter().map(find).collect()
}

/// What some of the frames have in them, of the bodies shown.
fn survey(
    cache: &Cache,
    world: &mut World,
    (frames, shown): (&Range<usize>, &[usize]),
    view: Shown,
) -> Result<Found, Failure> {
    let mut found = Found::default();
    let step = frames.len().div_ceil(FRAMED).max(1);
    for frame in frames.clone().step_by(step).chain([frames.end - 1]) {
        cache.show(world, frame)?;
        found.add(world, shown, view);
    }
    Ok(found)
}

/// One picture, or one a frame with its number before the ending.
fn stills(drawing: &mut Drawing, frames: &[usize], work: &mut Work) -> Result<PathBuf, Failure> {
    let path = &drawing.args.output;
    let single = frames.len() == 1;
    let mut last = path.clone();
    for &frame in frames {
        last = if single { path.clone() } else { path.with_extension(format!("{frame:04}.png")) };
        media::write_png(&last, &drawing.draw(frame)?)?;
        work.step();
    }
    Ok(last)
}

/// Frames go into a folder beside the movie until all are there, so that an interrupted one goes on.
fn movie(drawing: &mut Drawing, frames: &[usize], work: &mut Work) -> Result<PathBuf, Failure> {
    let path = &drawing.args.output;
    let rate = drawing.cache.scene().frame_rate / f64::from(drawing.args.every);
    let key = key(drawing);
    let opened = if drawing.args.force {
        media::FrameFolder::open_or_empty(path, key)
    } else {
        media::FrameFolder::open(path, key)
    };
    let kept = opened?;
    for &frame in frames {
        if !kept.has(frame) {
            kept.put(frame, &drawing.draw(frame)?)?;
        }
        work.step();
    }
    kept.into_movie(frames.iter().copied(), rate, |_| {})?;
    Ok(path.clone())
}

/// What makes frames of one request differ from another's.
fn key(drawing: &Drawing) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    let Render { size, samples, only, shutter, .. } = drawing.args;
    (size, samples, only, shutter.to_bits(), &drawing.cache.scene_text().text).hash(&mut hasher);
    format!("{:?} {:?}", drawing.camera, drawing.look).hash(&mut hasher);
    hasher.finish()
}

impl From<MediaError> for Failure {
    fn from(error: MediaError) -> Self {
        let words = error.to_string();
        match error {
            MediaError::Io { source, .. } if !crate::places::is_wrong_place(source.kind()) => {
                Self::Work(anyhow::anyhow!(words))
            }
            MediaError::Encoder { .. } => Self::Work(anyhow::anyhow!(words)),
            _ => Self::Request(words),
        }
    }
}
