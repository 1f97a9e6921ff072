//! `pliant inspect CACHE`: recorded and derived quantities.

use crate::args::InspectArgs;
use crate::energy::Balance;
use crate::failure::Failure;
use crate::frames::Frames;
use crate::numbers::{fixed, short, vector, with_unit};
use crate::output;
use crate::plot::{self, FigureFile, History};
use crate::program::{self, quoted};
use crate::progress::Work;
use crate::simulate::{counted, warning_json, warning_line};
use pliant::record::{Cache, RecordedFrame, Tail};
use pliant::{Contact, World};
use serde_json::{Value, json};
use std::io::Write;
use std::ops::Range;
use std::path::Path;

/// Shows frames as JSON, as a figure, one in detail, or all as a table.
pub fn run(args: &InspectArgs) -> Result<(), Failure> {
    let place = args.plot.as_ref().map(|path| FigureFile::new(path, &args.cache)).transpose()?;
    let cache = open(&args.cache, |whole| Frames::reach_past(args.frames.as_ref(), whole))?;
    let frames = Frames::of(args.frames.as_ref(), cache.frame_count())?;
    if let Some(place) = place {
        return figure(&cache, frames, &place);
    }
    let mut world = cache.world()?;
    let balance = Balance::new(&world);
    if args.json {
        for i in frames {
            let frame = cache.show(&mut world, i)?;
            output::print(&format!("{}\n", frame_json(&world, &frame, &balance)))?;
        }
        return Ok(());
    }
    output::print(&describe(&cache, &args.cache))?;
    if frames.len() == 1 {
        let frame = cache.show(&mut world, frames.start)?;
        output::print(&detail(&world, &frame, &balance))?;
    } else {
        list(&cache, &mut world, frames, &balance)?;
    }
    Ok(())
}

/// Opens a cache, and notes if it is incomplete: left by a killed run, being written, or damaged after the frames needed. Fails if
/// it is damaged and `reach_past` its number of whole frames.
pub fn open(path: &Path, reach_past: impl Fn(usize) -> bool) -> Result<Cache, Failure> {
    let cache = Cache::open_damaged(path)?;
    let (count, expected) = (cache.frame_count(), cache.expected_frames());
    let rest = match (cache.damage(), cache.tail()) {
        (Some(damage), _) if reach_past(count) => {
            let whole =
                if count > 0 { format!("; the whole ones are shown with --frames ..{count}") } else { String::new() };
            return Err(Failure::Request(format!("{damage}{whole}")));
        }
        (Some(damage), _) => damage.to_string(),
        (None, _) if count == expected => return Ok(cache),
        (None, tail) => {
            let torn = match tail {
                Tail::Torn(bytes) => format!(", then {bytes} bytes of one that was not finished"),
                _ => String::new(),
            };
            let (shown, program, cache) = (path.display(), program::name(), quoted(path));
            let remedy = format!("compute the rest with: {program} run SCENE -o {cache} --resume");
            format!("{shown} holds {} of {expected}{torn}; {remedy}", counted(count, "whole frame"))
        }
    };
    // If standard error is closed, the whole frames are shown all the same.
    let _ = writeln!(std::io::stderr(), "note: {rest}");
    Ok(cache)
}

/// Draws a figure, and prints its path.
fn figure(cache: &Cache, frames: Range<usize>, place: &FigureFile) -> Result<(), Failure> {
    if frames.is_empty() {
        return Err(Failure::Request("the cache has no whole frame to plot".to_owned()));
    }
    let (shown, measured) = plot::chosen(&frames);
    let mut work = Work::new(shown.len());
    let history = History::read(cache, &frames, || work.step())?;
    work.clear();
    place.write(&plot::draw(&history))?;
    let all = counted(frames.len(), "frame");
    let chosen = if shown.len() < frames.len() { format!("{} of {all}", shown.len()) } else { all };
    let volumes = if measured.len() < shown.len() { format!(", volumes in {}", measured.len()) } else { String::new() };
    output::print(&format!("{}: {chosen}{volumes}\n", place.path().display()))?;
    Ok(())
}

fn describe(cache: &Cache, path: &Path) -> String {
    let (scene, count) = (cache.scene(), cache.frame_count());
    format!(
        "{}: \"{}\" from {}, {}, {} at {} a second, {} bytes a frame, made by Pliant {}\n\n",
        path.display(),
        scene.title,
        cache.scene_text().name,
        counted(scene.bodies.len(), "body"),
        counted(count, "frame"),
        short(scene.frame_rate),
        cache.frame_bytes() / count.max(1) as u64,
        cache.engine()
    )
}

/// A row for each frame: the deepest overlap and the highest pressure of all contacts, and the energies.
fn list(cache: &Cache, world: &mut World, frames: Range<usize>, balance: &Balance) -> Result<(), Failure> {
    const WIDTHS: [usize; 12] = [5, 10, 8, 11, 11, 12, 12, 12, 12, 13, 12, 12];
    let places = ["frame", "time", "contacts", "overlap", "pressure"];
    let energies = ["kinetic", "potential", "elastic", "dissipated", "stepping lost", "put in", "total"];
    let mut out = output::buffered();
    out.write_all(output::row(&[&places[..], &energies[..]].concat(), &WIDTHS).as_bytes())?;
    let mut warnings = String::new();
    for i in frames {
        let frame = cache.show(world, i)?;
        let most = |f: fn(&Contact) -> f64| world.contacts().iter().map(f).fold(0.0, f64::max);
        let e = world.energy();
        let mut row = vec![i.to_string(), format!("{} s", fixed(frame.state.time, 4))];
        row.push(world.contacts().len().to_string());
        row.push(format!("{} mm", short(1e3 * most(|c| c.patch.overlap))));
        row.push(with_unit(most(|c| c.patch.max_pressure), "Pa"));
        // The total is the sum of all before, less what was put in; and no "-0".
        let (stepping, put_in) = (0.0 - e.integrator.total(), e.external.total());
        let energies = [e.kinetic, e.potential, e.elastic, e.dissipated.total(), stepping, put_in, e.total()];
        row.extend(energies.map(|x| format!("{} J", short(x))));
        out.write_all(output::row(&row, &WIDTHS).as_bytes())?;
        frame.warnings.iter().for_each(|w| warnings += &format!("  warning: {}\n", warning_line(world, w)));
    }
    write!(out, "  energy in total: {}\n{warnings}", balance.words(&world.energy()))?;
    out.flush()?;
    Ok(())
}

/// One frame, body by body and contact by contact.
fn detail(world: &World, frame: &RecordedFrame, balance: &Balance) -> String {
    let head = ["body", "position, m", "orientation x y z w", "velocity, m/s", "spin, rad/s", "volume, l"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(world.bodies().iter().enumerate().map(|(i, b)| {
        let (place, twist) = (world.frame(i), world.link(i).twist());
        vec![
            b.name.clone(),
            vector(place.translation, 5),
            place.rotation.to_array().map(|x| fixed(x, 5)).join(" "),
            vector(twist.linear, 5),
            vector(twist.angular, 5),
            volume_words(volume(world, i)),
        ]
    }));
    let mut text = format!("frame {}, {} s\n\n{}", frame.index, short(frame.state.time), output::table(&rows));
    let head = ["a", "b", "area, cm²", "force on a, N", "torque on a, N m", "pressure"];
    let head = [&head[..], &["overlap, mm", "penetration, mm", "energy, J"]].concat();
    let mut rows = vec![head.into_iter().map(str::to_owned).collect::<Vec<_>>()];
    rows.extend(world.contacts().iter().map(|c| {
        let a = &world.bodies()[c.pair.a.body];
        vec![
            a.name.clone(),
            world.bodies()[c.pair.b.body].name.clone(),
            fixed(1e4 * c.patch.area, 4),
            vector(c.forces.on_a.force, 5),
            vector(c.patch.moment_about(&c.forces.on_a, world.link(c.pair.a.body).center()), 5),
            with_unit(c.patch.max_pressure, "Pa"),
            fixed(1e3 * c.patch.overlap, 4),
            fixed(1e3 * world.penetration(c), 6),
            short(energy(world, c)),
        ]
    }));
    if world.contacts().is_empty() {
        text += "\n  no contacts\n\n";
    } else {
        let legend = "overlap: of the rest shapes; penetration: of the visible shapes; torque: about \
                      a's centre of mass";
        text += &format!("\n{}  {legend}\n\n", output::table(&rows));
    }
    let e = world.energy();
    text += &format!("  energy: {}\n  dissipated: {}\n", Balance::kinds(&e), Balance::dissipated(&e));
    Balance::external(&e).iter().for_each(|words| text += &format!("  put in: {words}\n"));
    text += &format!("  integrator: {}\n  in total: {}\n", Balance::integrator(&e), balance.words(&e));
    frame.warnings.iter().for_each(|w| text += &format!("  warning: {}\n", warning_line(world, w)));
    text
}

/// Energy stored at one patch, J.
fn energy(world: &World, c: &Contact) -> f64 {
    c.patch.energy(&world.pair(&c.pair))
}

/// Deformed volume, m³; none for an unbounded body.
fn volume(world: &World, i: usize) -> f64 {
    let rest = world.bodies()[i].rest_volume;
    if rest.is_infinite() { rest } else { world.volume(i) }
}

/// A volume in litres, or the reason why there is none.
fn volume_words(volume: f64) -> String {
    match volume {
        v if v.is_nan() => "unknown".to_owned(),
        v if v.is_infinite() => "unbounded".to_owned(),
        v => fixed(1e3 * v, 5),
    }
}

fn frame_json(world: &World, frame: &RecordedFrame, balance: &Balance) -> Value {
    json!({
        "kind": "frame",
        "frame": frame.index,
        "time": frame.state.time,
        "bodies": (0..world.bodies().len()).map(|i| body_json(world, i)).collect::<Vec<_>>(),
        "contacts": world.contacts().iter().map(|c| contact_json(world, c)).collect::<Vec<_>>(),
        "warnings": frame.warnings.iter().map(|w| warning_json(world, w)).collect::<Vec<_>>(),
        "energy": balance.json(&world.energy()),
    })
}

fn body_json(world: &World, i: usize) -> Value {
    let body = &world.bodies()[i];
    let (frame, twist) = (world.frame(i), world.link(i).twist());
    json!({
        "name": body.name,
        "position": frame.translation.to_array(),
        "orientation": frame.rotation.to_array(),
        "center": world.link(i).center().to_array(),
        "velocity": twist.linear.to_array(),
        "angular_velocity": twist.angular.to_array(),
        "volume": volume(world, i),
    })
}

fn contact_json(world: &World, c: &Contact) -> Value {
    let (a, b) = (&world.bodies()[c.pair.a.body], &world.bodies()[c.pair.b.body]);
    json!({
        "a": a.name,
        "b": b.name,
        "layers": [c.pair.a.layer, c.pair.b.layer],
        "area": c.patch.area,
        "center": c.patch.center_of_pressure.to_array(),
        "force": c.forces.on_a.force.to_array(),
        "torque": c.patch.moment_about(&c.forces.on_a, world.link(c.pair.a.body).center()).to_array(),
        "max_pressure": c.patch.max_pressure,
        "overlap": c.patch.overlap,
        "penetration": world.penetration(c),
        "energy": energy(world, c),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_volume_that_was_not_measured_is_not_called_unbounded() {
        assert_eq!([f64::NAN, f64::INFINITY, 0.001].map(volume_words), ["unknown", "unbounded", "1.00000"]);
        assert!([f64::NAN, f64::INFINITY].map(Value::from).iter().all(Value::is_null));
    }
}
