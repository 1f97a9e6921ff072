//! Pictures and movies through the public API: files are read back, and none is left incomplete.

mod failures;
mod folders;
mod gifs;
mod mp4_file;
mod mp4s;
mod pictures;

use pliant_media::{Movie, Picture};
use std::path::{Path, PathBuf};

/// A fresh folder for one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pliant-media-{test}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
    fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
    /// File names, sorted.
    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn paint(width: u32, height: u32, colour: impl Fn(u32, u32) -> [u8; 3]) -> Picture {
    let rgb = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).flat_map(|(x, y)| colour(x, y));
    Picture::new(width, height, rgb.collect()).unwrap()
}

/// A smooth background in thousands of colours, and a shaded ball that moves over it from left to right.
fn ball(width: u32, height: u32, frame: usize) -> Picture {
    let (w, h) = (f64::from(width), f64::from(height));
    let (radius, middle) = (0.3 * h, (0.2 * w + 0.02 * w * frame as f64, 0.5 * h));
    paint(width, height, |x, y| {
        let (x, y) = (f64::from(x) + 0.5, f64::from(y) + 0.5);
        let (dx, dy) = ((x - middle.0) / radius, (y - middle.1) / radius);
        let light = 0.3 + 0.7 * (0.8 * (1.0 - dx * dx - dy * dy).max(0.0).sqrt() - 0.4 * dx - 0.4 * dy).max(0.0);
        match dx * dx + dy * dy < 1.0 {
            true => [230.0, 90.0, 40.0].map(|level| (level * light) as u8),
            false => [90.0 + 60.0 * x / w, 110.0 + 80.0 * y / h, 200.0 - 50.0 * (x / w) * (y / h)].map(|l| l as u8),
        }
    })
}

/// Writes the pictures; the bytes of the file.
fn movie(path: &Path, frames_per_second: f64, pictures: &[Picture]) -> Vec<u8> {
    let mut movie = Movie::create(path, pictures[0].size(), frames_per_second).unwrap();
    for picture in pictures {
        movie.push(picture).unwrap();
    }
    assert_eq!(movie.frames(), pictures.len());
    let length = movie.finish().unwrap();
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(bytes.len() as u64, length);
    bytes
}

#[test]
fn the_same_pictures_give_the_same_bytes() {
    let folder = Folder::new("determinism");
    let pictures: Vec<Picture> = (0..12).map(|frame| ball(97, 61, frame)).collect();
    for name in ["a.gif", "a.mp4"] {
        assert_eq!(movie(&folder.join(name), 30.0, &pictures), movie(&folder.join(name), 30.0, &pictures));
    }
}
