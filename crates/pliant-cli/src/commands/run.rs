//! `pliant run SCENE -o CACHE`: simulates a scene to a cache.

use crate::args::Run;
use crate::failure::Failure;
use crate::load::load;
use crate::simulate;
use anyhow::Context;
use pliant::World;
use pliant::record::{Recorder, Resumed, SceneText, Tail};
use std::io::Write;
use std::path::Path;

/// Simulates, from the start or from where an earlier run ended.
pub fn run(args: &Run) -> Result<(), Failure> {
    if let Some(threads) = args.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get());
        pool.build_global().with_context(|| format!("cannot start {threads} threads"))?;
    }
    let cache = &args.output;
    let loaded = load(&args.scene)?;
    simulate::stop_on_interrupt()?;
    let (mut recorder, mut world) = if args.resume && cache.exists() {
        let Resumed { recorder, world, cut } = Recorder::resume(cache, Some(&loaded.text))?;
        say_where_it_resumes(&recorder, &cut);
        (recorder, world)
    } else {
        if cache.is_file() && !args.force {
            return Err(Failure::Request(format!(
                "{} exists already; go on with it with --resume, replace it with --force, or choose another name",
                cache.display()
            )));
        }
        let name = args.scene.file_name().map_or("standard input".into(), |name| name.to_string_lossy().into_owned());
        let world = World::new(&loaded.scene).map_err(|error| Failure::Request(format!("{}: {error}", loaded.name)))?;
        (Recorder::create(cache, &SceneText { name, text: loaded.text }, &loaded.scene)?, world)
    };
    let go_on = how_to_go_on(&args.scene, cache);
    let done = simulate::record(&mut recorder, &mut world, &go_on)?;
    recorder.finish()?;
    simulate::summarise(cache, &world, &done, args.json)
}

fn how_to_go_on(scene: &Path, cache: &Path) -> String {
    format!("go on with: pliant run {} -o {} --resume", scene.display(), cache.display())
}

fn say_where_it_resumes(recorder: &Recorder, cut: &Tail) {
    let rest = match cut {
        Tail::Clean => String::new(),
        Tail::Torn(bytes) => format!("; {bytes} bytes of a frame that was not finished are dropped"),
        Tail::Damaged(what) => format!("; the next was damaged ({what}) and is computed again with all after it"),
    };
    // Nobody may be listening; the run is what was asked for.
    let (written, count) = (recorder.written(), recorder.frame_count());
    let _ = writeln!(std::io::stderr(), "resuming: {written} of {count} frames are whole{rest}");
}
