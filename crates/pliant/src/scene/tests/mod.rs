//! Scenes that must be read right, and scenes that must be refused well.

mod format;
mod hostile;
mod refusals;
mod joints;
mod values;

use super::{Problem, Scene};

/// Every key of the format.
const EVERYTHING: &str = include_str!("everything.toml");

/// A small scene with places to put mistakes: `top` before the tables, `body` and `skeleton` in theirs.
fn scene(top: &str, body: &str, skeleton: &str) -> String {
    format!(
        "duration = 1\n{top}\n[materials.jelly]\n[[body]]\nname = \"ball\"\n{body}\n\
         [[body.skeleton]]\n{skeleton}\nthickness = 0.1\npoint = {{}}\n"
    )
}

/// The problems of a scene, without forms this version has no field for yet.
fn problems(text: &str) -> Vec<Problem> {
    Scene::parse(text, "test.toml").err().map_or_else(Vec::new, |e| e.problems)
}
