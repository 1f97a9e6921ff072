//! `pliant check`.

use super::{Folder, Said, command, json_lines, pliant};
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

const GOOD: &str = "duration = 1\n[materials.jelly]\n[[body]]\nname = \"ball\"\nmaterial = \"jelly\"\n\
                    repeat = { count = 30, spacing = 1 }\nskeleton = [{ thickness = 0.1, point = {} }]\n";

#[test]
fn a_legal_scene_is_summed_up() {
    let folder = Folder::new("good");
    folder.write("good.toml", GOOD);
    let said = pliant(&folder, &["check", "good.toml"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert!(said.out.contains("30 bodies, 61 frames") && said.out.contains("… and 10 more"), "{}", said.out);
    let said = pliant(&folder, &["check", "good.toml", "--json"]);
    let lines = json_lines(&said.out);
    assert_eq!((said.code, lines.len()), (0, 31));
    assert_eq!(lines[2]["name"], "ball-2");
    assert_eq!((&lines[30]["ok"], &lines[30]["frames"]), (&Value::Bool(true), &61.into()));
}

#[test]
fn mistakes_are_reported_with_their_places_and_end_with_two() {
    let folder = Folder::new("bad");
    folder.write("bad.toml", GOOD.replace("= \"jelly\"", "= \"jely\"").replace("0.1", "\"3 kg\""));
    let said = pliant(&folder, &["check", "bad.toml"]);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    let lines: Vec<_> = said.err.lines().collect();
    assert_eq!(
        lines,
        [
            "bad.toml:5:12: material \"jely\" is not defined; did you mean \"jelly\"?",
            "bad.toml:7:27: thickness is \"3 kg\", a mass; expected a length, e.g. \"3 cm\"",
        ]
    );
    let said = pliant(&folder, &["check", "bad.toml", "--json"]);
    let lines = json_lines(&said.out);
    assert_eq!((said.code, said.err.as_str(), lines.len()), (2, "", 3));
    assert_eq!((&lines[0]["line"], &lines[0]["column"]), (&5.into(), &12.into()));
    assert_eq!(lines[1]["expected"], "a length, e.g. \"3 cm\"");
    assert_eq!(lines[2]["problems"], 2);
}

#[test]
fn every_shipped_scene_is_legal() {
    let folder = Folder::new("shipped");
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    // Scenes are data of their own; a checkout without them has none to be wrong.
    for entry in std::fs::read_dir(scenes).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "toml") {
            let said = pliant(&folder, &["check", path.to_str().unwrap()]);
            assert_eq!((said.code, said.err.as_str()), (0, ""));
        }
    }
}

#[test]
fn what_is_no_scene_file_is_refused_at_once() {
    let folder = Folder::new("files");
    std::fs::File::create(folder.0.join("huge.toml")).unwrap().set_len(1 << 30).unwrap();
    folder.write("binary.toml", b"\xff\xfe\x00");
    let start = Instant::now();
    for (file, words) in [
        ("huge.toml", "larger than 16 MB"),
        ("none.toml", "no such file"),
        (".", "a directory"),
        ("binary.toml", "not UTF-8"),
    ] {
        let said = pliant(&folder, &["check", file]);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{file}");
        assert!(said.err.contains(words), "{file}: {}", said.err);
        let said = pliant(&folder, &["check", file, "--json"]);
        assert_eq!((said.code, json_lines(&said.out).len()), (2, 2), "{file}");
    }
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn scenes_may_come_through_a_pipe_up_to_the_limit() {
    let folder = Folder::new("stdin");
    let send = |text: &[u8], times: usize| -> Said {
        let mut child = command(&folder.0, &["check", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        for _ in 0..times {
            // The command may stop reading before we stop writing: that is the point.
            if stdin.write_all(text).is_err() {
                break;
            }
        }
        drop(stdin);
        child.wait_with_output().unwrap().into()
    };
    assert_eq!(send(GOOD.as_bytes(), 1).code, 0);
    let said = send(&[b'#'; 1 << 20], 1024);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("standard input: larger than 16 MB"), "{}", said.err);
}
