//! The shipped scenes, through the command: legal, shown, run.

use super::{Folder, json_lines, pliant};
use std::path::{Path, PathBuf};

/// The scenes that are promised; a test that finds none would prove nothing.
const SHIPPED: [&str; 23] = [
    "chain",
    "clover-on-stairs",
    "curves",
    "equilibrium",
    "funnel",
    "hundred-balls",
    "hundred-boxes",
    "hundred-capsules",
    "hundred-clovers",
    "hundred-mixed",
    "hundred-pairs",
    "hundred-rings",
    "pool",
    "press",
    "simply-implicit",
    "skeletons",
    "slope",
    "spring-net",
    "stiff-on-soft",
    "three-solids",
    "tower-of-ten",
    "two-balls",
    "wrecking-ball",
];

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(format!("{name}.toml"))
}

/// A copy of a shipped scene that ends after `frames` frames.
fn shortened(folder: &Folder, name: &str, frames: usize) -> String {
    let text = std::fs::read_to_string(path(name)).unwrap();
    let line = |key: &str| text.lines().find(|line| line.starts_with(key)).unwrap_or_else(|| panic!("no {key}"));
    let rate: f64 = line("frame_rate").split(['=', '#']).nth(1).unwrap().trim().parse().unwrap();
    let duration = format!("duration = {}", (frames - 1) as f64 / rate);
    let file = format!("{name}.toml");
    folder.write(&file, text.replace(line("duration"), &duration));
    file
}

#[test]
fn every_scene_is_listed_here_and_legal() {
    let folder = Folder::new("shipped");
    let mut found: Vec<String> = std::fs::read_dir(path("pool").parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    found.sort();
    assert_eq!(found, SHIPPED);
    for name in SHIPPED {
        let said = pliant(&folder, &["check", path(name).to_str().unwrap()]);
        assert_eq!((said.code, said.err.as_str()), (0, ""));
        assert!(!said.out.contains("note"), "{}", said.out);
    }
}

#[test]
fn every_scene_is_described_in_the_readme() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap();
    for name in SHIPPED {
        assert!(readme.contains(&format!("`{name}`")), "{name}");
    }
}

/// The first and every other scene; the second and every other.
#[test]
fn every_scene_runs() {
    runs(SHIPPED.iter().step_by(2), "runs");
}

#[test]
fn every_other_scene_runs_too() {
    runs(SHIPPED.iter().skip(1).step_by(2), "runs-too");
}

fn runs<'a>(scenes: impl Iterator<Item = &'a &'a str>, folder: &str) {
    let folder = Folder::new(folder);
    for name in scenes {
        let scene = shortened(&folder, name, 3);
        let said = pliant(&folder, &["run", &scene, "-o", "run.pliant", "--force", "--json"]);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{name}");
        let summary = &json_lines(&said.out)[0];
        assert_eq!(summary["frames"], 3, "{name}");
        assert!(summary["energy"]["total"].is_f64(), "{name}");
        let said = pliant(&folder, &["inspect", "run.pliant", "--frames", "2"]);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{name}");
    }
}

/// Three bodies of 13 numbers, 7 contacts at rest of 60 bytes and the charts of their patches of about 110, an energy and 16
/// bytes around: 312 + 420 + 770 + 8 + 16 and a few counts.
#[test]
fn a_frame_of_the_equilibrium_takes_less_than_two_kilobytes() {
    let folder = Folder::new("kilobytes");
    let scene = shortened(&folder, "equilibrium", 7);
    let said = pliant(&folder, &["run", &scene, "-o", "run.pliant", "--json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let summary = &json_lines(&said.out)[0];
    let (bytes, frames) = (summary["frame_bytes"].as_u64().unwrap(), summary["frames"].as_u64().unwrap());
    assert!(summary["contacts"].as_u64().unwrap() >= 5, "four feet and a ball at least: {summary}");
    assert!(frames == 7 && bytes / frames <= 1700, "{bytes} bytes in {frames} frames");
}
