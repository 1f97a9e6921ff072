//! `pliant probe CACHE --frame N --points FILE`: fields at points.

use super::inspect::say_if_unfinished;
use crate::args::Probe;
use crate::failure::Failure;
use crate::output;
use pliant::World;
use pliant::bodies::Body;
use pliant::contact::Deformed;
use pliant::fields::{Field, Sample};
use pliant::math::DVec3;
use pliant::record::Cache;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// Largest file of points, bytes: some ten million points. A larger one is refused before it fills the memory.
const LARGEST_POINTS: u64 = 512 << 20;
/// Bad lines named before the rest is only counted.
const MOST_BAD_LINES: usize = 10;

/// Prints value and gradient of every body at every point.
pub fn run(args: &Probe) -> Result<(), Failure> {
    let cache = Cache::open(&args.cache)?;
    say_if_unfinished(&cache, &args.cache);
    let points = points(&args.points)?;
    let world = cache.world_at(args.frame)?;
    // Fields are made once: a bulge that keeps volume is solved for when they are.
    let deformed: Vec<Deformed> = (0..world.bodies().len()).map(|i| world.deformed(i)).collect();
    if args.json {
        for p in points {
            output::print(&format!("{}\n", point_json(&world, &deformed, p)))?;
        }
        return Ok(());
    }
    let mut rows = vec![["point", "body", "field", "value", "gradient"].map(str::to_owned).to_vec()];
    for p in points {
        for (body, deformed) in world.bodies().iter().zip(&deformed) {
            for (field, s) in [("rest", body.placed(0).sample(p)), ("deformed", deformed.sample(p))] {
                let vector = |v: DVec3| v.to_array().map(|x| format!("{x:.6}")).join(" ");
                rows.push(vec![
                    vector(p),
                    body.name.clone(),
                    field.to_owned(),
                    format!("{:.9}", s.value),
                    vector(s.gradient),
                ]);
            }
        }
    }
    output::print(&output::table(&rows))?;
    Ok(())
}

fn point_json(world: &World, deformed: &[Deformed], p: DVec3) -> Value {
    let sample = |s: Sample| json!({ "value": s.value, "gradient": s.gradient.to_array() });
    let body = |(body, deformed): (&Body, &Deformed)| {
        json!({
            "name": body.name,
            "isovalue": body.layers[0].shape.iso(),
            "rest": sample(body.placed(0).sample(p)),
            "deformed": sample(deformed.sample(p)),
        })
    };
    let bodies: Vec<Value> = world.bodies().iter().zip(deformed).map(body).collect();
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
        _ => Failure::Work(anyhow::Error::from(error).context(format!("cannot read {name}"))),
    })?;
    let mut points = Vec::new();
    let mut bad = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        match point(line) {
            _ if line.is_empty() => {}
            Some(p) => points.push(p),
            None => bad.push((i + 1, line)),
        }
    }
    if bad.is_empty() {
        return Ok(points);
    }
    let shown = |(n, line): &(usize, &str)| format!("{name}:{n}: \"{}\"", line.chars().take(60).collect::<String>());
    let mut lines: Vec<String> = bad.iter().take(MOST_BAD_LINES).map(shown).collect();
    if bad.len() > MOST_BAD_LINES {
        lines.push(format!("… and {} more", bad.len() - MOST_BAD_LINES));
    }
    Err(Failure::Request(format!("these lines are not three numbers \"x y z\":\n{}", lines.join("\n"))))
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
        return Err(std::io::Error::new(ErrorKind::FileTooLarge, "larger than 512 MB"));
    }
    Ok(text)
}
