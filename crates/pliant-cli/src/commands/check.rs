//! `pliant check SCENE`: checks a scene and summarises it.

use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::load::{Loaded, load};
use crate::numbers::{short, vector, with_unit};
use crate::output;
use crate::scheme;
use crate::simulate::{counted, left_out};
use pliant::model::{BodySpec, MotionSpec, Response, Scene};
use pliant::scene::{Problem, SceneError};
use serde_json::{Value, json};

/// Bodies listed before the rest is only counted.
const MAX_LISTED: usize = 20;

/// Checks and summarises.
pub fn run(args: &CheckArgs) -> Result<(), Failure> {
    match load(&args.scene) {
        Ok(Loaded { scene, name, .. }) if args.json => {
            let mut lines: String = scene.bodies.iter().map(|b| format!("{}\n", body_json(b))).collect();
            lines += &format!("{}\n", summary_json(&scene, &name));
            output::print(&lines)?;
            Ok(())
        }
        Ok(Loaded { scene, name, .. }) => {
            output::print(&describe(&scene, &name))?;
            Ok(())
        }
        Err(Failure::Scene(error, _)) if args.json => {
            output::print(&problems_json(&error))?;
            Err(Failure::Reported)
        }
        Err(failure) => Err(failure),
    }
}

fn describe(scene: &Scene, name: &str) -> String {
    let mut rows =
        vec![["body", "response", "motion", "skeletons", "stiffness", "position, m"].map(str::to_owned).to_vec()];
    rows.extend(scene.bodies.iter().take(MAX_LISTED).map(|b| {
        let p = b.placement.translation;
        vec![
            b.name.clone(),
            response(b).to_owned(),
            motion(b).to_owned(),
            b.elements.len().to_string(),
            with_unit(b.material.stiffness, "Pa"),
            vector(p, 3),
        ]
    }));
    let count = scene.bodies.len();
    let mut text = format!(
        "{name} is a legal scene: \"{}\", {}, {} ({} s at {} a second)\n\n{}",
        scene.title,
        counted(count, "body"),
        counted(scene.frame_count(), "frame"),
        short(scene.last_frame_time()),
        short(scene.frame_rate),
        output::table(&rows)
    );
    if count > MAX_LISTED {
        text += &format!("  … and {} more\n", count - MAX_LISTED);
    }
    text += &format!("\nsteps are {}\n", scheme::words(scene.scheme_choice()));
    if let Some(words) = left_out(scene) {
        text += &format!("\nnote: {words}\n");
    }
    text
}

fn response(body: &BodySpec) -> &'static str {
    match body.response {
        Response::Soft => "soft",
        Response::Rigid => "rigid",
    }
}

fn motion(body: &BodySpec) -> &'static str {
    match body.motion {
        MotionSpec::Point { .. } => "point",
        MotionSpec::Rigid { .. } => "rigid",
        MotionSpec::Keyed(_) => "keyed",
        MotionSpec::Fixed => "fixed",
    }
}

fn body_json(body: &BodySpec) -> Value {
    json!({
        "kind": "body",
        "name": body.name,
        "response": response(body),
        "motion": motion(body),
        "skeletons": body.elements.len(),
        "stiffness": body.material.stiffness,
        "position": body.placement.translation.to_array(),
    })
}

fn summary_json(scene: &Scene, name: &str) -> Value {
    json!({
        "kind": "summary",
        "ok": true,
        "file": name,
        "title": scene.title,
        "bodies": scene.bodies.len(),
        "frames": scene.frame_count(),
        "duration": scene.duration,
        "last_frame_time": scene.last_frame_time(),
        "note": left_out(scene),
        "frame_rate": scene.frame_rate,
        "scheme": scheme::object(scene.scheme_choice()),
    })
}

fn problems_json(error: &SceneError) -> String {
    let problem = |p: &Problem| {
        let place = p.place.as_ref();
        json!({
            "kind": "problem",
            "file": error.name,
            "line": place.map(|at| at.line),
            "column": place.map(|at| at.column),
            "span": place.map(|at| [at.span.start, at.span.end]),
            "message": p.message,
            "expected": p.expected,
            "help": p.help,
        })
    };
    let mut lines: String = error.problems.iter().map(|p| format!("{}\n", problem(p))).collect();
    let count = error.problems.len() + error.left_out;
    lines += &format!("{}\n", json!({ "kind": "summary", "ok": false, "file": error.name, "problems": count }));
    lines
}
