//! `pliant render CACHE -o OUT`: pictures and movies, traced from the implicit surfaces.

use super::inspect::open;
use crate::args::{RenderArgs, Shown};
use crate::failure::Failure;
use crate::frames::Frames;
use crate::numbers::with_unit;
use crate::output;
use crate::progress::Work;
use crate::simulate::counted;
use crate::views::{FrameSurvey, ScaledView};
use pliant::World;
use pliant::bodies::{Joint, JointAction};
use pliant::math::DVec3;
use pliant::record::Cache;
use pliant::render::{
    Camera, ForceScale, Light, Overlay, OverlayScales, RenderScene, RenderSettings, overlays_of, paint, paint_cut,
};
use pliant_media::{self as media, MediaError, MovieFormat, Picture};
use std::collections::BTreeSet;
use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;

/// Frames surveyed to place the camera, which does not move, and to choose scales.
const FRAMED: usize = 16;

/// Draws the frames, and prints the paths.
pub fn run(args: &RenderArgs) -> Result<(), Failure> {
    let is_still = args.output.extension().is_some_and(|e| e.eq_ignore_ascii_case("png"));
    if !is_still {
        let unknown = |_| format!("{}: end the name in .png, .gif or .mp4", args.output.display());
        MovieFormat::of(&args.output).map_err(unknown).map_err(Failure::Request)?.check_size(args.size)?;
    }
    if args.cut.is_some() && args.shown() != Shown::Cut {
        let words = "--cut shows a cut; leave out --view, or write --view cut";
        return Err(Failure::Request(words.to_owned()));
    }
    if !args.show.is_empty() && matches!(args.shown(), Shown::Cut | Shown::Depth | Shown::Normals) {
        let words = "--show draws over light, pressure, deformation and samples; leave it out, or take another --view";
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
    let world = cache.world()?;
    let shown = shown(&world, &args.only)?;
    let found = survey(&cache, &frames, &shown, args.shown())?;
    let aspect = f64::from(args.size.0) / f64::from(args.size.1);
    let mut camera = Camera::framing_from(&found.bounds(), aspect, DVec3::from_array(args.from));
    camera.lens = args.aperture;
    if let Some(focus) = args.focus {
        camera.at = camera.from + focus * (camera.at - camera.from).normalize_or_zero();
    }
    let view = ScaledView::new(args, &found)?;
    let scales = found.overlays;
    let mut drawing = Drawing { cache: &cache, world, camera, view, scales, shown, hiding: BTreeSet::new(), args };
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
    for note in notes(&drawing) {
        // If standard error is closed, the picture is written all the same.
        let _ = writeln!(std::io::stderr(), "note: {note}");
    }
    let count = counted(chosen.len(), "frame");
    output::print(&format!("{}: {count}{many}{without}\n", written.display())).map_err(Failure::from)
}

struct Drawing<'a> {
    cache: &'a Cache,
    world: World,
    camera: Camera,
    view: ScaledView,
    scales: OverlayScales,
    /// Indices of the bodies drawn.
    shown: Vec<usize>,
    /// Bodies left out of some frame, because the camera stands in them.
    hiding: BTreeSet<usize>,
    args: &'a RenderArgs,
}

impl Drawing<'_> {
    fn draw(&mut self, frame: usize) -> Result<Picture, Failure> {
        self.cache.show(&mut self.world, frame)?;
        let mut scene = RenderScene::of_bodies(&self.world, self.shown.iter().copied());
        if self.args.only.is_empty() && matches!(self.view, ScaledView::Traced(_)) {
            self.hiding.extend(scene.remove_enclosing(self.camera.from));
        }
        scene.overlays = overlays_of(&self.world, &self.shown, &self.args.show, &self.scales);
        let image = match self.view {
            ScaledView::Cut(ref plane, _) => paint_cut(&scene, plane, self.args.size),
            ScaledView::Traced(view) => {
                let shutter = self.args.shutter / self.cache.scene().frame_rate;
                let settings = RenderSettings { size: self.args.size, samples: self.args.samples, view, shutter };
                paint(&scene, &self.camera, &Light::default(), &settings)
            }
        };
        Ok(self.view.with_legend(Picture::new(image.width, image.height, image.to_srgb())?)?)
    }
}

/// Indices of the bodies with the given names; all if there are none.
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

/// Extremes of some of the frames, of the bodies `shown`.
fn survey(cache: &Cache, frames: &Range<usize>, shown: &[usize], view: Shown) -> Result<FrameSurvey, Failure> {
    let mut world = cache.world()?;
    let mut found = FrameSurvey::default();
    let step = frames.len().div_ceil(FRAMED).max(1);
    for frame in frames.clone().step_by(step).chain([frames.end - 1]) {
        cache.show(&mut world, frame)?;
        found.add(&world, shown, view);
    }
    Ok(found)
}

/// Scales of overlays, and overlays of which there is nothing to draw.
fn notes(drawing: &Drawing) -> Vec<String> {
    let OverlayScales { force, tension, .. } = drawing.scales;
    let is_spring = |joint: &Joint| matches!(joint.action, JointAction::Spring { .. });
    let has = |overlay: &Overlay| {
        drawing.world.joints().iter().any(|joint| is_spring(joint) == (*overlay == Overlay::Springs))
    };
    let note = |overlay: &Overlay| match (overlay, drawing.scales.force_scale()) {
        (Overlay::Forces, Some(ForceScale { newtons, metres })) => {
            let (newtons, metres) = (with_unit(newtons, "N"), with_unit(metres, "m"));
            Some(format!("force arrows: {newtons} are {metres} long; the greatest force is {}", with_unit(force, "N")))
        }
        (Overlay::Forces, None) => Some("no forces to show: nothing touches in the frames looked at".to_owned()),
        (Overlay::Springs, _) if tension > 0.0 => {
            let most = with_unit(tension, "N");
            Some(format!("springs: red pulls, blue pushes, grey is slack; full colour at {most}"))
        }
        (Overlay::Springs | Overlay::Joints, _) if !has(overlay) => {
            Some(format!("no {} to show: the scene has none", overlay.name()))
        }
        (Overlay::Springs | Overlay::Joints | Overlay::Borders, _) => None,
    };
    drawing.args.show.iter().filter_map(note).collect()
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

/// Writes a movie. Its frames are kept in a folder beside it until all are there, so that an interrupted job can continue.
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

/// A hash of everything on which the pixels of a request depend.
fn key(drawing: &Drawing) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    let RenderArgs { size, samples, only, shutter, show, .. } = drawing.args;
    (size, samples, only, shutter.to_bits(), &drawing.cache.scene_text().text).hash(&mut hasher);
    if !show.is_empty() {
        format!("{show:?} {:?}", drawing.scales).hash(&mut hasher);
    }
    format!("{:?} {:?}", drawing.camera, drawing.view).hash(&mut hasher);
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
