//! `pliant inspect` and `probe`.

use super::{Folder, Said, command, json_lines, pliant};
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;

const BALL: &str = "[[body]]\nname = \"ball\"\nposition = [0, 0, 0.095]\nmotion = { point = { mass = 1 } }\n\
                    skeleton = [{ thickness = 0.1, point = {} }]\n";
const CUBE: &str = "[[body]]\nname = \"cube\"\nposition = [0.16, 0.05, 0.15]\nangular_velocity = [1, 2, 3]\n\
                    skeleton = [{ thickness = 0.05, segment = { from = [0, 0, 0], to = [0.05, 0, 0] } }]\n";
const GROUND: &str = "[[body]]\nname = \"ground\"\nresponse = \"rigid\"\nmotion = \"fixed\"\n\
                      skeleton = [{ thickness = 0.1, half_space = { point = [0, 0, 0], normal = [0, 0, 1] } }]\n";

fn recorded(folder: &Folder, name: &str, bodies: &[&str]) -> String {
    let (scene, cache) = (format!("{name}.toml"), format!("{name}.pliant"));
    folder.write(&scene, format!("duration = 0.05\nframe_rate = 60\n{}", bodies.concat()));
    let said = pliant(folder, &["run", &scene, "-o", &cache]);
    assert_eq!(said.code, 0, "{}", said.err);
    cache
}

fn frames(folder: &Folder, cache: &str) -> Vec<Value> {
    let said = pliant(folder, &["inspect", cache, "--json"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    json_lines(&said.out)
}

#[test]
fn every_frame_says_what_the_contract_lists() {
    let folder = Folder::new("inspect");
    let cache = recorded(&folder, "a", &[BALL, GROUND]);
    let frames = frames(&folder, &cache);
    assert_eq!(frames.len(), 4);
    let first = &frames[0];
    assert_eq!((&first["frame"], &first["time"]), (&0.into(), &0.0.into()));
    assert_eq!(frames[3]["time"], 3.0 / 60.0);
    for key in ["name", "position", "orientation", "velocity", "angular_velocity", "volume"] {
        assert!(first["bodies"][0].get(key).is_some(), "{key}");
    }
    for key in ["a", "b", "area", "force", "torque", "max_pressure", "overlap", "penetration", "energy"] {
        assert!(first["contacts"][0].get(key).is_some(), "{key}");
    }
    for key in ["kinetic", "potential", "elastic", "dissipated", "total", "balance"] {
        assert!(first["energy"][key].is_f64(), "{key}");
    }
    // A soft ball 5 mm into a rigid plane: the patch is a disc of radius² t² − (t − δ)², the greatest pressure K δ/t.
    let contact = &first["contacts"][0];
    assert_eq!((contact["a"].as_str(), contact["b"].as_str()), (Some("ball"), Some("ground")));
    let number = |v: &Value| v.as_f64().unwrap();
    assert!((number(&contact["area"]) / (std::f64::consts::PI * (0.01 - 0.095f64.powi(2))) - 1.0).abs() < 1e-6);
    assert!((number(&contact["max_pressure"]) / 5000.0 - 1.0).abs() < 1e-6, "{contact}");
    assert!((number(&contact["overlap"]) - 0.005).abs() < 1e-8);
    assert!(number(&contact["penetration"]).abs() < 1e-9);
    // U = (π K/3t)(t δ³ − δ⁴/2) to better than the 1e-3 that scenes ask for, and all the energy stored is this contact's.
    let energy = std::f64::consts::PI * 1e6 / 3.0 * (0.1 * 0.005f64.powi(3) - 0.5 * 0.005f64.powi(4));
    assert!((number(&contact["energy"]) / energy - 1.0).abs() < 1e-4, "{contact}");
    assert!((number(&first["energy"]["elastic"]) / energy - 1.0).abs() < 1e-4);
    assert!(number(&contact["force"][2]) > 0.0, "the ground pushes a, the ball, up");
    assert!(first["bodies"][1]["volume"].is_null(), "a half-space has no volume");
}

#[test]
fn permuted_bodies_give_the_same_numbers() {
    let folder = Folder::new("permuted");
    let one = frames(&folder, &recorded(&folder, "one", &[BALL, CUBE, GROUND]));
    let two = frames(&folder, &recorded(&folder, "two", &[GROUND, CUBE, BALL]));
    assert!(!one[3]["contacts"].as_array().unwrap().is_empty());
    for (a, b) in one.iter().zip(&two) {
        let by_name = |frame: &Value| {
            let mut bodies: Vec<String> = frame["bodies"].as_array().unwrap().iter().map(Value::to_string).collect();
            bodies.sort();
            bodies
        };
        assert_eq!(by_name(a), by_name(b));
        assert_eq!(a["contacts"], b["contacts"]);
    }
}

#[test]
fn frames_can_be_chosen() {
    let folder = Folder::new("frames");
    let cache = recorded(&folder, "a", &[BALL, GROUND]);
    let chosen = |frames: &str| pliant(&folder, &["inspect", &cache, "--json", "--frames", frames]);
    let numbers = |said: Said| json_lines(&said.out).iter().map(|f| f["frame"].as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!(numbers(chosen("1..3")), [1, 2]);
    assert_eq!(numbers(chosen("1..=3")), [1, 2, 3]);
    assert_eq!(numbers(chosen("2..")), [2, 3]);
    assert_eq!(numbers(chosen("2")), [2]);
    assert_eq!(chosen("3..200").err, "error: the cache has frames 0 to 3; 3..200 asks for others\n");
    for wrong in ["4", "1..9", "3..1", "x", "-1", "-1..2"] {
        let said = chosen(wrong);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{wrong}");
        assert!(said.err.contains("frame") && !said.err.contains("tip:"), "{}", said.err);
    }
    let said = pliant(&folder, &["inspect", &cache]);
    assert_eq!(said.out.lines().count(), 8, "{}", said.out);
    let said = pliant(&folder, &["inspect", &cache, "--frames", "3"]);
    for words in ["orientation x y z w", "force on a", "torque on a", "penetration, mm", "energy: kinetic", "in total"]
    {
        assert!(said.out.contains(words), "{words}: {}", said.out);
    }
    assert!(said.out.contains("unbounded") && !said.out.contains("-0.00000"), "{}", said.out);
}

#[test]
fn what_is_no_cache_is_refused() {
    let folder = Folder::new("no-cache");
    folder.write("a.toml", "duration = 1");
    for (path, words) in [("none", "no such file"), ("a.toml", "not a cache"), (".", "not a regular file")] {
        for args in [&["inspect", path][..], &["probe", path, "--frame", "0", "--points", "-"]] {
            let said = pliant(&folder, args);
            assert_eq!((said.code, said.out.as_str()), (2, ""), "{path}");
            assert!(said.err.contains(words), "{}", said.err);
        }
    }
}

fn probe(folder: &Folder, cache: &str, points: &str) -> Said {
    let mut child = command(&folder.0, &["probe", cache, "--frame", "0", "--points", "-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(points.as_bytes()).unwrap();
    child.wait_with_output().unwrap().into()
}

#[test]
fn fields_are_probed_at_rest_and_deformed() {
    let folder = Folder::new("probe");
    let cache = recorded(&folder, "a", &[BALL, GROUND]);
    let said = probe(&folder, &cache, "# a comment\n0 0 0.195\n\n0, 0, 0   # where the ball meets the ground\n");
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let lines = json_lines(&said.out);
    assert_eq!(lines.len(), 2);
    let number = |v: &Value| v.as_f64().unwrap();
    // On the surface, on top: the isovalue, falling outward.
    let ball = &lines[0]["bodies"][0];
    assert_eq!(ball["name"], "ball");
    assert!((number(&ball["rest"]["value"]) - 1.0).abs() < 1e-9);
    assert!(number(&ball["rest"]["gradient"][2]) < 0.0);
    // On the plane the rest field is 5 mm inside; the deformed one is exactly at the surface.
    let ball = &lines[1]["bodies"][0];
    assert!(number(&ball["rest"]["value"]) > 1.04);
    assert!((number(&ball["deformed"]["value"]) - 1.0).abs() < 1e-9);
}

#[test]
fn bad_points_are_named() {
    let folder = Folder::new("points");
    let cache = recorded(&folder, "a", &[BALL, GROUND]);
    let said = probe(&folder, &cache, "0 0 1\n1 2\nx y z\n1 2 3 4\n0 0 inf\n");
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    for line in [2, 3, 4, 5] {
        assert!(said.err.contains(&format!("standard input:{line}:")), "{}", said.err);
    }
    let said = pliant(&folder, &["probe", &cache, "--frame", "9", "--points", "a.toml"]);
    assert_eq!(said.code, 2);
    let said = pliant(&folder, &["probe", &cache, "--frame", "9", "--points", "/dev/null"]);
    assert!(said.code == 2 && said.err.contains("there is no frame 9"), "{}", said.err);
    let said = pliant(&folder, &["probe", &cache, "--frame", "-1", "--points", "none"]);
    assert!(said.code == 2 && said.err.contains("is no frame number; the first is 0"), "{}", said.err);
    let said = pliant(&folder, &["probe", &cache, "--frame", "0", "--points", "none"]);
    assert!(said.code == 2 && said.err.contains("no such file"), "{}", said.err);
}

#[test]
fn probed_numbers_of_any_size_fit_the_line() {
    let folder = Folder::new("sizes");
    let cache = recorded(&folder, "a", &[BALL, GROUND]);
    folder.write("points", "1e200 0 -1e-9\n");
    let said = pliant(&folder, &["probe", &cache, "--frame", "0", "--points", "points"]);
    assert_eq!((said.code, said.out.lines().count()), (0, 5), "{}", said.err);
    assert!(said.out.lines().all(|line| line.chars().count() < 120) && !said.out.contains("-0.000000"), "{}", said.out);
}

#[test]
fn too_many_points_are_refused_at_once() {
    let folder = Folder::new("many-points");
    let cache = recorded(&folder, "a", &[BALL, GROUND]);
    folder.write("points", "0 0 0\n".repeat(4_000_001));
    let said = pliant(&folder, &["probe", &cache, "--frame", "0", "--points", "points"]);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    assert!(said.err.contains("more than 4000000 points"), "{}", said.err);
}
