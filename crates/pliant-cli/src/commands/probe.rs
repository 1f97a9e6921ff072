//! `pliant probe CACHE --frame N --points FILE`: fields at points.

use super::inspect::open;
use crate::args::ProbeArgs;
use crate::failure::Failure;
use crate::numbers::{fixed, vector};
use crate::output;
use pliant::World;
use pliant::bodies::Body;
use pliant::fields::{Field, Sample};
use pliant::math::DVec3;
use pliant::visible::Deformed;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

/// Largest file of points, bytes. A larger one is refused before it fills the memory.
const LARGEST_POINTS: u64 = 256 << 20;
/// Greatest number of points: all are read before the first is evaluated, so that a bad line is reported at once.
const MAX_POINTS: usize = 4_000_000;
/// Bad lines named before the rest is only counted.
const MAX_BAD_LINES: usize = 10;

/// Prints value and gradient of every body at every point.
pub fn run(args: &ProbeArgs) -> Result<(), Failure> {
    let cache = open(&args.cache, |whole| args.frame >= whole)?;
    let points = points(&args.points)?;
    let world = cache.world_at(args.frame)?;
    // Fields are made once: a bulge that keeps volume is solved for when they are.
    let deformed: Vec<Deformed> = (0..world.bodies().len()).map(|i| world.deformed(i)).collect();
    let mut out = output::buffered();
    if args.json {
        for p in points {
            writeln!(out, "{}", point_json(&world, &deformed, p))?;
        }
        out.flush()?;
        return Ok(());
    }
    let longest_name = world.bodies().iter().map(|b| b.name.chars().count()).max().unwrap_or(0);
    let widths = [29, longest_name.max(4), 8, 14, 0];
    out.write_all(output::row(&["point", "body", "field", "value", "gradient"], &widths).as_bytes())?;
    for p in points {
        for (i, (body, deformed)) in world.bodies().iter().zip(&deformed).enumerate() {
            for (field, s) in [("rest", world.rest_field(i, 0).sample(p)), ("deformed", deformed.sample(p))] {
                let (point, value, gradient) = (vector(p, 6), fixed(s.value, 9), vector(s.gradient, 6));
                out.write_all(output::row(&[&point, &body.name, field, &value, &gradient], &widths).as_bytes())?;
            }
        }
    }
    out.flush()?;
    Ok(())
}

fn point_json(world: &World, deformed: &[Deformed], p: DVec3) -> Value {
    let sample = |s: Sample| json!({ "value": s.value, "gradient": s.gradient.to_array() });
    let body = |(i, (body, deformed)): (usize, (&Body, &Deformed))| {
        json!({
            "name": body.name,
            "isovalue": body.coat[0].shape.iso(),
            "rest": sample(world.rest_field(i, 0).sample(p)),
            "deformed": sample(deformed.sample(p)),
        })
    };
    let bodies: Vec<Value> = world.bodies().iter().zip(deformed).enumerate().map(body).collect();
    json!({ "kind": "point", "point": p.to_array(), "bodies": bodies })
}

/// The points in a file; every bad line is named.
fn points(path: &Path) -> Result<Vec<DVec3>, Failure> {
    let (text, name) = if path == Path::new("-") {
        (read(std::io::stdin().lock()), "standard input".to_owned())
    } else {
        (File::open(path).and_then(read), path.display().to_string())
    };
    let text = text.map_err(|error| match error.kind() {
        ErrorKind::NotFound => Failure::Request(format!("{name}: there is no such file; give a file of points")),
        ErrorKind::InvalidData | ErrorKind::FileTooLarge | ErrorKind::IsADirectory => {
            Failure::Request(format!("{name}: {error}; expected one \"x y z\" a line"))
        }
        ErrorKind::PermissionDenied => Failure::Request(format!("{name}: no permission to read this file")),
        _ => Failure::Work(anyhow::Error::from(error).context(format!("cannot read {name}"))),
    })?;
    let (mut points, mut bad, mut bad_count) = (Vec::new(), Vec::new(), 0);
    for (i, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        match point(line) {
            _ if line.is_empty() => {}
            Some(_) if points.len() == MAX_POINTS => {
                let words = format!("{name}: more than {MAX_POINTS} points; give them in parts");
                return Err(Failure::Request(words));
            }
            Some(p) => points.push(p),
            None => {
                bad_count += 1;
                if bad.len() < MAX_BAD_LINES {
                    bad.push(format!("{name}:{}: \"{}\"", i + 1, line.chars().take(60).collect::<String>()));
                }
            }
        }
    }
    if bad_count == 0 {
        return Ok(points);
    }
    if bad_count > bad.len() {
        bad.push(format!("… and {} more", bad_count - bad.len()));
    }
    Err(Failure::Request(format!("these lines are not three numbers \"x y z\":\n{}", bad.join("\n"))))
}

/// Three finite numbers, apart by spaces or commas.
fn point(line: &str) -> Option<DVec3> {
    let numbers: Option<Vec<f64>> = line
        .split(|c: char| c == ',' || c.is_whitespace())
        .filter(|word| !word.is_empty())
        .map(|word| word.parse().ok().filter(|x: &f64| x.is_finite()))
        .collect();
    <[f64; 3]>::try_from(numbers?).ok().map(DVec3::from)
}

fn read(source: impl Read) -> std::io::Result<String> {
    let mut text = String::new();
    let read = source.take(LARGEST_POINTS + 1).read_to_string(&mut text)? as u64;
    if read > LARGEST_POINTS {
        return Err(std::io::Error::new(ErrorKind::FileTooLarge, "larger than 256 MB"));
    }
    Ok(text)
}
