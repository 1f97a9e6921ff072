//! Caches: what is written comes back bit for bit, and nothing hostile gets in. Exported files: what others read is what
//! was given.

mod chunked;
mod exported;
mod hostile;
mod recording;

use pliant::World;
use pliant::model::Scene;
use pliant::record::{Recorder, SceneText};
use std::ops::Range;
use std::path::PathBuf;

/// A fresh folder for one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pliant-files-{test}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
    fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn ball(name: &str, position: &str) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nposition = {position}\nvelocity = [0.3, 0.1, -1.5]\nangular_velocity = [3, 0, 1]\n\
         skeleton = [{{ thickness = 0.1, point = {{}} }}]\n"
    )
}

/// Three balls that meet each other and the ground within a few frames, and a keyed paddle.
fn text(frames: usize) -> SceneText {
    let head = format!("duration = {}\nframe_rate = 60\n", ((frames - 1) as f64 / 60.0).max(1e-6));
    let ground = "[[body]]\nname = \"ground\"\nmotion = \"fixed\"\n\
                  skeleton = [{ thickness = 0.1, half_space = { point = [0, 0, 0], normal = [0, 0, 1] } }]\n";
    let bodies = [ball("b", "[0, 0, 0.11]"), ball("a", "[0.17, 0, 0.12]"), ball("c", "[0.08, 0.15, 0.11]")].concat();
    SceneText { name: "three.toml".to_owned(), text: head + &bodies + ground }
}

fn scene(text: &SceneText) -> Scene {
    Scene::parse(&text.text, &text.name).unwrap()
}

/// Records until `frames` are written.
fn record(recorder: &mut Recorder, world: &mut World, frames: usize) {
    while recorder.written() < frames {
        world.advance_to(recorder.next_time().unwrap()).unwrap();
        recorder.write(world).unwrap();
    }
}

/// The bytes of an uninterrupted run, and the folder they are in.
fn recorded(test: &str, frames: usize) -> (Folder, PathBuf, Vec<u8>) {
    let folder = Folder::new(test);
    let (path, text) = (folder.join("run.pliant"), text(frames));
    let scene = scene(&text);
    let mut recorder = Recorder::create(&path, &text, &scene).unwrap();
    record(&mut recorder, &mut World::new(&scene).unwrap(), frames);
    recorder.finish().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    (folder, path, bytes)
}

/// Where frames begin.
fn header_length(bytes: &[u8]) -> usize {
    20 + u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize
}

/// Where each frame's bytes lie.
fn frames(bytes: &[u8]) -> Vec<Range<usize>> {
    let (mut at, mut frames) = (header_length(bytes), Vec::new());
    while at < bytes.len() {
        let length = u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
        frames.push(at + 16..at + 16 + length);
        at += 16 + length;
    }
    frames
}
