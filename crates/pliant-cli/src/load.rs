//! Scenes from files and pipes.

use crate::failure::Failure;
use pliant::model::Scene;
use pliant::scene;
use std::path::Path;

/// A valid scene, its text, and its name in messages.
pub struct Loaded {
    /// The scene.
    pub scene: Scene,
    /// The text of the file.
    pub text: String,
    /// The path as given.
    pub name: String,
}

/// The scene at `path`, or from standard input for `-`.
pub fn load(path: &Path) -> Result<Loaded, Failure> {
    let (text, name) = if path == Path::new("-") {
        (scene::read(std::io::stdin().lock(), "standard input"), "standard input".to_owned())
    } else {
        (scene::read_file(path), path.display().to_string())
    };
    let text = text.map_err(|error| Failure::Scene(error, String::new()))?;
    match Scene::parse(&text, &name) {
        Ok(scene) => Ok(Loaded { scene, text, name }),
        Err(error) => Err(Failure::Scene(error, text)),
    }
}
