//! `pliant check`.

use super::{Folder, Said, command, json_lines, pliant};
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;

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

/// Eight balls are few, nine are not; a capsule is no ball; what is asked for is taken.
#[test]
fn the_scheme_is_told_with_its_reason_by_check_and_by_run() {
    let folder = Folder::new("scheme");
    let balls = |count: usize| {
        GOOD.replace("count = 30", &format!("count = {count}")).replace("duration = 1", "duration = 0.02")
    };
    let segment = balls(2).replace("point = {}", "segment = { from = [0, 0, 0], to = [0.1, 0, 0] }");
    let asked = format!("motion.scheme = \"explicit\"\n{segment}");
    let fixed = balls(2).replace("repeat", "motion = \"fixed\"\nrepeat");
    for (text, name, reason) in [
        (balls(8), "explicit", "few_balls"),
        (balls(9), "implicit", "general"),
        (segment, "implicit", "general"),
        (asked, "explicit", "asked"),
        (fixed, "implicit", "nothing_moves"),
    ] {
        folder.write("a.toml", text);
        for command in [&["check", "a.toml"][..], &["run", "a.toml", "-o", "a.pliant", "--force"]] {
            let said = pliant(&folder, &[command, &["--json"]].concat());
            let lines = json_lines(&said.out);
            let scheme = &lines.last().unwrap()["scheme"];
            assert_eq!((&scheme["name"], &scheme["reason"]), (&name.into(), &reason.into()), "{command:?}");
            let said = pliant(&folder, command);
            assert!(said.out.contains(&format!("{name}: ")), "{}", said.out);
        }
    }
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

/// 0.1 frames a second put the second frame at 10 s; of 1.9 s at one a second, frames are at 0 s and at 1 s.
#[test]
fn what_frames_leave_out_of_the_duration_is_told() {
    let folder = Folder::new("left-out");
    let scene = |duration: &str, rate: &str| {
        folder.write("a.toml", GOOD.replace("duration = 1", &format!("duration = {duration}\nframe_rate = {rate}")));
    };
    let told = |frames: &str, words: &str| {
        let said = pliant(&folder, &["check", "a.toml"]);
        assert!(said.code == 0 && said.out.contains(frames) && said.out.contains(words), "{}", said.out);
        let said = pliant(&folder, &["run", "a.toml", "-o", "a.pliant", "--force"]);
        assert!(said.code == 0 && said.err.contains(words), "{}", said.err);
    };
    scene("2", "0.1");
    told("30 bodies, 1 frame (0 s at 0.1 a second)", "only the start is recorded and nothing moves");
    scene("1.9", "1");
    told("30 bodies, 2 frames (1 s at 1 a second)", "the last one is at 1 s, and the 0.9 s after it are not simulated");
    // Thirds are no whole numbers, and yet nothing is left out.
    for (duration, rate) in [("0.1", "30"), ("0.3333333333333333", "3"), ("1.3", "100")] {
        scene(duration, rate);
        let said = pliant(&folder, &["check", "a.toml"]);
        assert!(!said.out.contains("note"), "{}", said.out);
    }
}

#[test]
fn stiffness_is_told_with_a_prefix() {
    let folder = Folder::new("prefix");
    folder.write("a.toml", GOOD.replace("[materials.jelly]", "[materials.jelly]\nstiffness = 2e10"));
    let said = pliant(&folder, &["check", "a.toml"]);
    assert!(said.out.contains("20 GPa"), "{}", said.out);
}

#[test]
fn what_is_no_scene_file_is_refused() {
    let folder = Folder::new("files");
    std::fs::File::create(folder.0.join("huge.toml")).unwrap().set_len(1 << 30).unwrap();
    folder.write("binary.toml", b"\xff\xfe\x00");
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

/// A convolved triangle whose field stays just below the isovalue was called legal, and refused when it was to run.
#[test]
fn a_scene_that_check_calls_legal_runs() {
    let folder = Folder::new("legal-runs");
    for (legs, legal) in [("0.21", false), ("0.3", true)] {
        let skeleton = format!(
            "{{ thickness = 0.1, surface = \"convolution\", triangle = {{ corners = [[0, 0, 0], [{legs}, 0, 0], [0, {legs}, 0]] }} }}"
        );
        let scene = format!("duration = 0.02\n[[body]]\nname = \"sheet\"\nskeleton = [{skeleton}]\n");
        folder.write("sheet.toml", scene);
        let (check, run) =
            (pliant(&folder, &["check", "sheet.toml"]), pliant(&folder, &["run", "sheet.toml", "-o", "sheet.pliant"]));
        let code = if legal { 0 } else { 2 };
        assert_eq!((check.code, run.code), (code, code), "{legs}: {} {}", check.err, run.err);
        assert_eq!(check.err, if legal { "" } else { run.err.as_str() });
        assert_eq!(
            legal,
            !check.err.contains("sheet.toml:4:12: the field of this skeleton nowhere reaches"),
            "{}",
            check.err
        );
    }
}
