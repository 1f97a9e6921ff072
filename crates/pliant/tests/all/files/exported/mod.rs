//! Meshes for other programs: read back by hand, and by programs that are not ours.

mod glb;
mod readers;
mod refusals;
mod text_and_soup;

use super::Folder;
use crate::shapes::{Torus, cube};
use pliant::export::{self, MeshFrame, MeshModel, MeshWriter};
use pliant::math::DVec3;
use std::path::{Path, PathBuf};

/// `count` frames of three bodies: a ring that moves and bends but keeps its faces, a blob whose faces change every
/// other frame, and a block that rests. Frames are every second one, from 10; names are awkward on purpose.
fn moments(count: usize) -> Vec<MeshFrame> {
    (0..count).map(moment).collect()
}

fn moment(k: usize) -> MeshFrame {
    let s = k as f64;
    let mut ring = Torus { ring: 0.3, tube: 0.1, around: 12, across: 6 }.mesh(DVec3::new(1.0, 2.0, 3.0 - 0.2 * s));
    for p in &mut ring.positions {
        p.z += 0.1 * s * p.x * p.x;
    }
    // Some of its faces are triangles.
    let last = ring.quads.pop().unwrap();
    ring.triangles = vec![[last[0], last[1], last[2]], [last[0], last[2], last[3]]];
    let blob = Torus { ring: 0.2, tube: 0.15, around: 7 + k / 2, across: 5 }.mesh(DVec3::new(-1.0, 0.1 * s, 0.5));
    let block = cube(DVec3::new(0.0, 0.0, -0.5), 1.0);
    let model = |name: &str, color, mesh| MeshModel { name: name.to_owned(), color, mesh };
    MeshFrame {
        frame: 10 + 2 * k,
        time: 0.4 + 0.08 * s,
        models: vec![
            model("a ring", [0.8, 0.1, 0.2], ring),
            model("blob", [0.25, 0.5, 0.75], blob),
            model("block\n#2", [0.5, 0.5, 0.5], block),
        ],
    }
}

/// What a folder holds, by name.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = entries.collect();
    names.sort();
    names
}

fn file_names(paths: &[PathBuf]) -> Vec<&str> {
    paths.iter().map(|p| p.file_name().unwrap().to_str().unwrap()).collect()
}

#[test]
fn one_moment_keeps_the_name_and_several_are_numbered_by_frame() {
    let folder = Folder::new("export-names");
    let sequence = ["out.0010", "out.0012", "out.0014"];
    for end in ["glb", "obj", "ply", "stl"] {
        let path = folder.join(&format!("out.{end}"));
        let written = export::write(&path, &moments(1)).unwrap();
        let library = (end == "obj").then_some("out.mtl");
        let expected: Vec<_> = library.into_iter().map(str::to_owned).chain([format!("out.{end}")]).collect();
        assert_eq!(file_names(&written), expected);
        std::fs::remove_file(&path).unwrap();

        let written = export::write(&path, &moments(3)).unwrap();
        let numbered = sequence.map(|name| format!("{name}.{end}"));
        let expected = if end == "glb" { vec!["out.glb".to_owned()] } else { numbered.to_vec() };
        let expected: Vec<_> = library.into_iter().map(str::to_owned).chain(expected).collect();
        assert_eq!(file_names(&written), expected);
        let mut sorted = expected.clone();
        sorted.sort();
        assert_eq!(names(&folder.0), sorted);
        for path in written {
            std::fs::remove_file(path).unwrap();
        }
    }
}

#[test]
fn the_same_moments_give_the_same_bytes_at_once_or_one_by_one() {
    let (a, b) = (Folder::new("export-at-once"), Folder::new("export-one-by-one"));
    for name in ["out.glb", "out.obj", "out.ply", "out.stl"] {
        export::write(a.join(name), &moments(4)).unwrap();
        let mut writer = MeshWriter::begin(b.join(name), 4).unwrap();
        for moment in moments(4) {
            writer.add(&moment).unwrap();
        }
        writer.finish().unwrap();
    }
    assert_eq!(names(&a.0), names(&b.0));
    assert_eq!(names(&a.0).len(), 1 + 5 + 4 + 4);
    for name in names(&a.0) {
        assert!(std::fs::read(a.join(&name)).unwrap() == std::fs::read(b.join(&name)).unwrap(), "{name}");
    }
}
