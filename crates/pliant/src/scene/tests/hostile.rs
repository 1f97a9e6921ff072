//! Files that are no scenes: none panics, hangs or fills the memory.

use super::{EVERYTHING, scene};
use crate::math::Random;
use crate::scene::{LARGEST_FILE, MAX_PROBLEMS, Scene, read, read_file};

fn refusal(text: &str) -> String {
    Scene::parse(text, "hostile.toml").expect_err("must be refused").to_string()
}

#[test]
fn nesting_without_end_is_refused_not_followed() {
    let deep = 2_000_000;
    for text in [
        format!("a = {}", "[".repeat(100_000)),
        format!("a = {}1{}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("a = {}", "{b=".repeat(100_000)),
        format!("{}a = 1", "a.".repeat(deep)),
        format!("[{}a]", "a.".repeat(deep)),
        format!("[[{}a]]", "a.".repeat(deep)),
    ] {
        assert!(!refusal(&text).is_empty());
    }
}

#[test]
fn a_million_mistakes_are_counted_not_kept() {
    let many = (0..300_000).map(|i| format!("k{i} = 1\n")).collect::<String>();
    let error = Scene::parse(&many, "t").unwrap_err();
    assert_eq!(error.problems.len(), MAX_PROBLEMS);
    assert!(error.left_out > 290_000, "{}", error.left_out);
    // Quadratic behaviour would take hours here.
    for junk in ["=\n", "[\n", "\"\n", "a\n", "a=1\n", "]", "{", "'", "#\n", "\\", "\u{0}", ",", "a=[\n"] {
        refusal(&junk.repeat((LARGEST_FILE as usize) / 4 / junk.len()));
        refusal(&junk.repeat(100_000 / junk.len()));
    }
}

#[test]
fn too_many_values_or_points_are_refused() {
    let dotted = (0..600_000).map(|i| format!("a.b{i:x}.c.d.e.f.g.h=1\n")).collect::<String>();
    for text in [format!("a = [{}]", "1,".repeat(8_000_000)), "[[a]]\nb=1\n".repeat(1_000_000), dotted] {
        assert!(refusal(&text).contains("too many keys and values"));
    }
    let vertices = "[0,0,1],".repeat(1000);
    let body = "motion=\"fixed\"\nrepeat = { count = 5000, spacing = 1 }";
    let text = scene("", body, "").replace(
        "point = {}",
        &format!("mesh = {{ vertices = [{vertices}[1,0,0],[0,1,0]], triangles = [[0,1000,1001]] }}"),
    );
    assert!(refusal(&text).contains("skeletons of all bodies have more than"), "{}", refusal(&text));
}

/// Points times copies exceed 2⁶⁴, after a body that has a point already.
#[test]
fn points_of_copies_are_counted_without_overflow() {
    let line: String = (0..20_000).map(|i| format!("[{i}, 0, 0],")).collect();
    let repeated = format!(
        "[[body]]\nname = \"many\"\nmotion = \"fixed\"\nrepeat = {{ count = [100000, 100000, 100000], spacing = 1 }}\n\
         skeleton = [{{ thickness = 0.1, polyline = {{ points = [{line}] }} }}]\n"
    );
    assert!(refusal(&(scene("", "", "") + &repeated)).contains("more than 100000 bodies"));
}

/// A sheet of 2 × 100 × `rows` triangles a centimetre long, convolved.
fn convolved_sheet(rows: usize, strength: f64) -> String {
    let vertices: String = (0..=rows)
        .flat_map(|i| (0..=100).map(move |j| format!("[{},{},0],", 0.01 * i as f64, 0.01 * j as f64)))
        .collect();
    let corners = |i: usize, j: usize| (101 * i + j, 101 * (i + 1) + j);
    let triangles: String = (0..rows)
        .flat_map(|i| (0..100).map(move |j| corners(i, j)))
        .map(|(a, b)| format!("[{a},{b},{}],[{b},{},{}],", a + 1, b + 1, a + 1))
        .collect();
    let skeleton = format!("surface = \"convolution\"\nradius = 0.3\nstrength = {strength}");
    scene("", "", &skeleton)
        .replace("point = {}", &format!("mesh = {{ vertices = [{vertices}], triangles = [{triangles}] }}"))
}

#[test]
fn a_mesh_of_many_triangles_is_checked() {
    assert!(Scene::parse(&convolved_sheet(100, 1.0), "t").is_ok());
    assert!(refusal(&convolved_sheet(100, 0.1)).contains("nowhere reaches the isovalue"));
}

#[test]
fn files_are_refused_before_they_are_read() {
    let folder = std::env::temp_dir().join(format!("pliant-scene-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let sparse = folder.join("sparse.toml");
    std::fs::File::create(&sparse).unwrap().set_len(1 << 30).unwrap();
    let message = Scene::load(&sparse).unwrap_err().to_string();
    assert!(message.contains("larger than 16 MB"), "{message}");
    assert!(read_file(&folder).unwrap_err().to_string().contains("this is a directory"));
    assert!(read_file(folder.join("none.toml")).unwrap_err().to_string().contains("no such file"));
    let binary = folder.join("binary.toml");
    std::fs::write(&binary, b"title = \"a\"\n\xff\xfe").unwrap();
    let message = read_file(&binary).unwrap_err().to_string();
    assert!(message.contains("not UTF-8 text: byte 12, on line 2"), "{message}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_pipe_without_end_is_cut_off() {
    assert!(read(std::io::repeat(b'#'), "-").unwrap_err().to_string().contains("larger than 16 MB"));
}

#[test]
fn random_changes_to_scenes_never_panic() {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let mut random = move |below: usize| random.below(below);
    let small = scene("", "repeat = { count = [2, 2, 1], spacing = 1 }", "kernel = \"hardening\"");
    let pieces = ["[", "]", "{", "}", "=", "\"", "nan", "-1", "1e308", "0", "\n", ".", "[[body]]", "é", "9", "= 1\n"];
    for round in 0..6000 {
        let mut bytes = if round % 3 == 0 { EVERYTHING.as_bytes().to_vec() } else { small.as_bytes().to_vec() };
        for _ in 0..=random(4) {
            let at = random(bytes.len());
            match if bytes.len() < 2 { 3 } else { random(5) } {
                0 => bytes[at] = random(256) as u8,
                1 => drop(bytes.remove(at)),
                2 => bytes.truncate(at.max(1)),
                3 => drop(bytes.splice(at..at, pieces[random(pieces.len())].bytes())),
                _ => {
                    let end = (at + random(40)).min(bytes.len());
                    let part = bytes[at..end].to_vec();
                    let to = random(bytes.len());
                    bytes.splice(to..to, part);
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        if let Err(error) = Scene::parse(&text, "mutated.toml") {
            assert!(!error.problems.is_empty() && !error.to_string().is_empty());
            for place in error.problems.iter().filter_map(|p| p.place.as_ref()) {
                assert!(text.get(place.span.clone()).is_some(), "{place:?}");
            }
        }
    }
}
