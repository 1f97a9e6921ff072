//! `pliant inspect CACHE`: what was recorded, and what follows from it.

use crate::args::Inspect;
use crate::failure::Failure;
use crate::frames::Frames;
use crate::output;
use crate::simulate::{counted, energy_json, warning_json, warning_line};
use pliant::record::{Cache, Frame, Tail};
use pliant::{Contact, World};
use serde_json::{Value, json};
use std::io::Write;
use std::ops::Range;
use std::path::Path;

/// Shows frames as JSON, one in detail, or all as a table.
pub fn run(args: &Inspect) -> Result<(), Failure> {
    let cache = Cache::open(&args.cache)?;
    say_if_unfinished(&cache, &args.cache);
    let frames = Frames::of(args.frames.as_ref(), cache.frame_count())?;
    let mut world = cache.world()?;
    if args.json {
        for i in frames {
            let frame = cache.show(&mut world, i)?;
            output::print(&format!("{}\n", frame_json(&world, &frame)))?;
        }
        return Ok(());
    }
    output::print(&describe(&cache, &args.cache))?;
    if frames.len() == 1 {
        let frame = cache.show(&mut world, frames.start)?;
        output::print(&detail(&world, &frame))?;
    } else {
        list(&cache, &mut world, frames)?;
    }
    Ok(())
}

/// A killed run, or one still going: what there is can be used.
pub fn say_if_unfinished(cache: &Cache, path: &Path) {
    let (count, expected) = (cache.frame_count(), cache.expected_frames());
    if count == expected {
        return;
    }
    let torn = match cache.tail() {
        Tail::Torn(bytes) => format!(", then {bytes} bytes of one that was not finished"),
        _ => String::new(),
    };
    // Nobody may be listening; the frames there are can still be shown.
    let _ = writeln!(
        std::io::stderr(),
        "note: {} holds {count} whole frames of {expected}{torn}; compute the rest with: pliant run SCENE -o {} --resume",
        path.display(),
        path.display()
    );
}

fn describe(cache: &Cache, path: &Path) -> String {
    let (scene, count) = (cache.scene(), cache.frame_count());
    format!(
        "{}: \"{}\" from {}, {}, {} at {} a second, {} bytes a frame, made by Pliant {}\n\n",
        path.display(),
        scene.title,
        cache.scene_text().name,
        if scene.bodies.len() == 1 { "1 body".to_owned() } else { format!("{} bodies", scene.bodies.len()) },
        counted(count, "frame"),
        scene.frame_rate,
        cache.frame_bytes() / count.max(1) as u64,
        cache.engine()
    )
}

/// A row a frame.
fn list(cache: &Cache, world: &mut World, frames: Range<usize>) -> Result<(), Failure> {
    let head = ["frame", "time", "contacts", "overlap", "pressure", "kinetic", "potential", "elastic", "dissipated"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    let mut warnings = String::new();
    for i in frames {
        let frame = cache.show(world, i)?;
        let most = |f: fn(&Contact) -> f64| world.contacts().iter().map(f).fold(0.0, f64::max);
        let e = world.energy();
        let mut row = vec![i.to_string(), format!("{:.4} s", frame.snapshot.time), world.contacts().len().to_string()];
        row.push(format!("{:.3} mm", 1e3 * most(|c| c.patch.overlap)));
        row.push(format!("{:.3} kPa", 1e-3 * most(|c| c.patch.max_pressure)));
        row.extend([e.kinetic, e.potential, e.elastic, e.dissipated].map(|x| format!("{x:.5} J")));
        rows.push(row);
        frame.warnings.iter().for_each(|w| warnings += &format!("  warning: {}\n", warning_line(world, w)));
    }
    output::print(&(output::table(&rows) + &warnings))?;
    Ok(())
}

/// One frame, body by body and contact by contact.
fn detail(world: &World, frame: &Frame) -> String {
    let vector = |v: [f64; 3]| v.map(|x| format!("{x:.5}")).join(" ");
    let mut rows =
        vec![["body", "position, m", "velocity, m/s", "spin, rad/s", "volume, l"].map(str::to_owned).to_vec()];
    rows.extend(world.bodies().iter().enumerate().map(|(i, b)| {
        let twist = b.base.twist();
        let place = b.base.world_from_body().translation;
        let [place, linear, angular] = [place, twist.linear, twist.angular].map(|v| vector(v.into()));
        let volume = Some(world.volume(i)).filter(|v| v.is_finite());
        let volume = volume.map_or("unbounded".to_owned(), |v| format!("{:.5}", 1e3 * v));
        vec![b.name.clone(), place, linear, angular, volume]
    }));
    let mut text = format!("frame {}, {} s\n\n{}", frame.index, frame.snapshot.time, output::table(&rows));
    let head = ["a", "b", "area, cm²", "force on a, N", "pressure, kPa", "overlap, mm", "left, mm"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(world.contacts().iter().map(|c| {
        vec![
            world.bodies()[c.touch.a.0].name.clone(),
            world.bodies()[c.touch.b.0].name.clone(),
            format!("{:.4}", 1e4 * c.patch.area),
            vector(c.answer.on_a.force.into()),
            format!("{:.4}", 1e-3 * c.patch.max_pressure),
            format!("{:.4}", 1e3 * c.patch.overlap),
            format!("{:.6}", 1e3 * world.penetration(c)),
        ]
    }));
    text += &format!("\n{}\n", output::table(&rows));
    let e = world.energy();
    text += &format!(
        "  energy: kinetic {:.6} J, potential {:.6} J, elastic {:.6} J, dissipated {:.6} J\n",
        e.kinetic, e.potential, e.elastic, e.dissipated
    );
    frame.warnings.iter().for_each(|w| text += &format!("  warning: {}\n", warning_line(world, w)));
    text
}

fn frame_json(world: &World, frame: &Frame) -> Value {
    json!({
        "kind": "frame",
        "frame": frame.index,
        "time": frame.snapshot.time,
        "bodies": (0..world.bodies().len()).map(|i| body_json(world, i)).collect::<Vec<_>>(),
        "contacts": world.contacts().iter().map(|c| contact_json(world, c)).collect::<Vec<_>>(),
        "warnings": frame.warnings.iter().map(|w| warning_json(world, w)).collect::<Vec<_>>(),
        "energy": energy_json(&world.energy()),
    })
}

fn body_json(world: &World, i: usize) -> Value {
    let body = &world.bodies()[i];
    let (frame, twist) = (body.base.world_from_body(), body.base.twist());
    json!({
        "name": body.name,
        "position": frame.translation.to_array(),
        "orientation": frame.rotation.to_array(),
        "center": body.base.center().to_array(),
        "velocity": twist.linear.to_array(),
        "angular_velocity": twist.angular.to_array(),
        "volume": world.volume(i),
    })
}

fn contact_json(world: &World, c: &Contact) -> Value {
    let (a, b) = (&world.bodies()[c.touch.a.0], &world.bodies()[c.touch.b.0]);
    json!({
        "a": a.name,
        "b": b.name,
        "layers": [c.touch.a.1, c.touch.b.1],
        "area": c.patch.area,
        "center": c.patch.center_of_pressure.to_array(),
        "force": c.answer.on_a.force.to_array(),
        "torque": c.patch.moment_about(&c.answer.on_a, a.base.center()).to_array(),
        "max_pressure": c.patch.max_pressure,
        "overlap": c.patch.overlap,
        "penetration": world.penetration(c),
    })
}
