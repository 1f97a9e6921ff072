//! `pliant run SCENE -o CACHE`: simulates a scene to a cache.

use crate::args::RunArgs;
use crate::energy::Balance;
use crate::failure::Failure;
use crate::load::{Loaded, load};
use crate::places::are_same_file;
use crate::simulate;
use anyhow::Context;
use pliant::World;
use pliant::record::{Recorder, Resumed, SceneText, Tail, may_be_replaced};
use std::io::Write;

/// Extensions of files that other commands write.
const OTHERS: [&str; 8] = ["png", "gif", "mp4", "svg", "glb", "obj", "ply", "stl"];

/// Simulates, from the start or from the end of an earlier run.
pub fn run(args: &RunArgs) -> Result<(), Failure> {
    if let Some(threads) = args.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build_global().with_context(|| format!("cannot start {threads} threads"))?;
    }
    let cache = &args.output;
    if are_same_file(&args.scene, cache) {
        let words = format!("{} is the scene itself; give the cache another name", cache.display());
        return Err(Failure::Request(words));
    }
    let ending = cache.extension().map(|e| e.to_string_lossy().to_lowercase());
    if ending.is_some_and(|e| OTHERS.contains(&e.as_str())) {
        let words = format!(
            "{} is not where a cache goes: run writes one, e.g. {}, from which render draws pictures and export makes meshes",
            cache.display(),
            cache.with_extension("pliant").display()
        );
        return Err(Failure::Request(words));
    }
    let loaded = load(&args.scene)?;
    if let Some(words) = simulate::left_out(&loaded.scene) {
        note(&words);
    }
    let go_on = simulate::how_to_go_on(&args.scene, cache);
    simulate::stop_on_interrupt(&go_on)?;
    let first = World::new(&loaded.scene).map_err(|error| Failure::Request(format!("{}: {error}", loaded.name)))?;
    let balance = Balance::new(&first);
    let (mut recorder, mut world) = if args.resume && cache.exists() {
        let Resumed { recorder, world, cut } = Recorder::resume(cache, Some(&loaded.text))?;
        say_where_it_resumes(&recorder, &cut);
        (recorder, world)
    } else {
        (begin(args, loaded)?, first)
    };
    let done = simulate::record(&mut recorder, &mut world, balance, &go_on)?;
    recorder.finish()?;
    simulate::summarise(cache, &world, &done, args.json)
}

/// A new cache at a free path, or in place of a cache that may be replaced.
fn begin(args: &RunArgs, loaded: Loaded) -> Result<Recorder, Failure> {
    let cache = &args.output;
    if cache.is_file() {
        let shown = cache.display();
        if !may_be_replaced(cache)? {
            let words =
                format!("{shown} exists already and is no cache, so that it is not replaced; choose another name");
            return Err(Failure::Request(words));
        }
        if !args.force {
            return Err(Failure::Request(format!(
                "{shown} exists already; go on with it with --resume, replace it with --force, or choose another name"
            )));
        }
    }
    let name = args.scene.file_name().map_or("standard input".into(), |name| name.to_string_lossy().into_owned());
    Ok(Recorder::create(cache, &SceneText { name, text: loaded.text }, &loaded.scene)?)
}

fn say_where_it_resumes(recorder: &Recorder, cut: &Tail) {
    let rest = match cut {
        Tail::Clean => String::new(),
        Tail::Torn(bytes) => format!("; {bytes} bytes of a frame that was not finished are dropped"),
        Tail::Damaged(what) => format!("; the next was damaged ({what}) and is computed again with all after it"),
    };
    let (written, count) = (recorder.written(), recorder.frame_count());
    // If standard error is closed, the run goes on.
    let _ = writeln!(std::io::stderr(), "resuming: {written} of {count} frames are whole{rest}");
}

fn note(words: &str) {
    // If standard error is closed, the run goes on.
    let _ = writeln!(std::io::stderr(), "note: {words}");
}
