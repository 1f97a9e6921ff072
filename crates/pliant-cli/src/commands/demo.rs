//! `pliant demo`: the main job on a built-in scene, to a cache and a movie.

use super::render;
use crate::args::{DemoArgs, RenderArgs};
use crate::energy::Balance;
use crate::failure::Failure;
use crate::places::{cannot_make_folder, cannot_write};
use crate::program::{self, quoted};
use crate::{output, simulate};
use pliant::World;
use pliant::model::Scene;
use pliant::record::{Recorder, SceneText};
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Soft, unlike balls on a ground and on each other.
const SCENE: &str = include_str!("demo.toml");

/// The movie: pixels across and down, step of frames, and rays a pixel. More: takes longer than anyone waits.
const SIZE: (u32, u32) = (480, 270);
const EVERY: u32 = 2;
const SAMPLES: u32 = 8;

/// Simulates the built-in scene, and prints a summary and the paths of the files.
pub fn run(args: &DemoArgs) -> Result<(), Failure> {
    let folder = &args.output;
    std::fs::create_dir_all(folder).map_err(|error| cannot_make_folder(folder, &error))?;
    let (scene_path, cache) = (folder.join("demo.toml"), folder.join("demo.pliant"));
    let again = format!("{} run {} -o {} --force", program::name(), quoted(&scene_path), quoted(&cache));
    write(&scene_path, &again)?;
    let scene = Scene::parse(SCENE, "demo.toml").map_err(|error| Failure::Scene(error, SCENE.to_owned()))?;
    let go_on = simulate::how_to_go_on(&scene_path, &cache);
    simulate::stop_on_interrupt(&go_on)?;
    let mut world = World::new(&scene).map_err(|error| Failure::Request(format!("demo.toml: {error}")))?;
    let balance = Balance::new(&world);
    let text = SceneText { name: "demo.toml".to_owned(), text: SCENE.to_owned() };
    let mut recorder = Recorder::create(&cache, &text, &scene)?;
    let done = simulate::record(&mut recorder, &mut world, balance, &go_on)?;
    recorder.finish()?;
    simulate::summarise(&cache, &world, &done, args.json)?;
    if !args.no_movie {
        movie(&cache, folder.join("demo.mp4"), args.json)?;
    }
    if !args.json {
        let inspect = format!("{} inspect {}", program::name(), quoted(&cache));
        output::print(&format!(
            "\nThe scene is {}. Change it, and run it again:\n  {again}\n\
             What is in the cache, frame by frame, and in one of them:\n  {inspect}\n  {inspect} --frames 60\n",
            scene_path.display()
        ))?;
    }
    Ok(())
}

/// Draws every other frame.
fn movie(cache: &Path, to: PathBuf, quiet: bool) -> Result<(), Failure> {
    if !quiet {
        output::print("\nDrawing the movie, which takes a minute or two\n")?;
    }
    let asked = RenderArgs::new(cache.to_owned(), to);
    render::run(&RenderArgs { every: EVERY, size: SIZE, samples: SAMPLES, shutter: 0.5, quiet, ..asked })
}

/// Writes the scene if there is none yet. A scene changed by the user is never overwritten.
fn write(path: &Path, again: &str) -> Result<(), Failure> {
    match File::create_new(path) {
        Ok(mut file) => file.write_all(SCENE.as_bytes()).map_err(|error| cannot_write(path, &error)),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            if std::fs::read(path).is_ok_and(|text| text == SCENE.as_bytes()) {
                return Ok(());
            }
            Err(Failure::Request(format!(
                "{} is not the built-in scene any more and is left as it is; run it with:\n  {again}\n\
                 or have the demo in another folder:\n  {} demo -o OTHER",
                path.display(),
                program::name()
            )))
        }
        Err(error) => Err(cannot_write(path, &error)),
    }
}
