//! `pliant demo`: the main job on a built-in scene.

use crate::args::Demo;
use crate::failure::Failure;
use crate::{output, simulate};
use anyhow::Context;
use pliant::World;
use pliant::record::{Recorder, SceneText};
use pliant::scene::Scene;

/// Soft, unlike balls on a ground and on each other.
const SCENE: &str = include_str!("demo.toml");

/// Simulates the built-in scene and says what came out and where it is.
pub fn run(args: &Demo) -> Result<(), Failure> {
    let folder = &args.output;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let scene_path = folder.join("demo.toml");
    std::fs::write(&scene_path, SCENE).with_context(|| format!("cannot write {}", scene_path.display()))?;
    let scene = Scene::parse(SCENE, "demo.toml").map_err(|error| Failure::Scene(error, SCENE.to_owned()))?;
    simulate::stop_on_interrupt()?;
    let mut world = World::new(&scene).map_err(|error| Failure::Request(format!("demo.toml: {error}")))?;
    let cache = folder.join("demo.pliant");
    let text = SceneText { name: "demo.toml".to_owned(), text: SCENE.to_owned() };
    let mut recorder = Recorder::create(&cache, &text, &scene)?;
    let go_on = format!("go on with: pliant run {} -o {} --resume", scene_path.display(), cache.display());
    let done = simulate::record(&mut recorder, &mut world, &go_on)?;
    recorder.finish()?;
    simulate::summarise(&cache, &world, &done, args.json)?;
    if !args.json {
        let (scene, cache) = (scene_path.display(), cache.display());
        output::print(&format!("\nThe scene is {scene}: change it and run it again.\nNext: pliant inspect {cache}\n"))?;
    }
    Ok(())
}
