//! `pliant inspect --plot`: figures of a cache.

use super::{Folder, Said, pliant};
use roxmltree::{Document, Node};

/// Two soft balls with names that XML does not like, pressed together at the start; far below them, one alone.
fn recorded(test: &str, duration: f64, apart: f64) -> Folder {
    let folder = Folder::new(test);
    let ball = |name: &str, x: f64, y: f64| {
        format!(
            "[[body]]\nname = '{name}'\nposition = [{x}, {y}, 0]\nskeleton = [{{ thickness = 0.1, point = {{}} }}]\n"
        )
    };
    let bodies = [ball("a<b>", 0.0, 0.0), ball("c&\"d\"", apart, 0.0), ball("alone", 0.0, 9.0)].concat();
    let head = format!("title = \"Tick & <tock>\"\nduration = {duration}\nframe_rate = 60\ngravity = [0, 0, 0]\n");
    folder.write("s.toml", head + &bodies);
    let said = pliant(&folder, &["run", "s.toml", "-o", "c.pliant"]);
    assert_eq!(said.code, 0, "{}", said.err);
    folder
}

fn plot(folder: &Folder, out: &str, more: &[&str]) -> Said {
    pliant(folder, &[&["inspect", "c.pliant", "--plot", out], more].concat())
}

fn written(folder: &Folder, more: &[&str]) -> String {
    let said = plot(folder, "f.svg", more);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    std::fs::read_to_string(folder.0.join("f.svg")).unwrap()
}

fn panel<'a>(document: &'a Document, id: &str) -> Node<'a, 'a> {
    document.descendants().find(|n| n.attribute("id") == Some(id)).unwrap_or_else(|| panic!("no panel {id}"))
}

fn texts<'a>(node: Node<'a, 'a>) -> Vec<&'a str> {
    node.descendants().filter(|n| n.has_tag_name("text")).filter_map(|n| n.text()).collect()
}

/// Ends of the curves of a panel: dashed and whole lines of a curve's width.
fn curves(panel: Node) -> usize {
    let is_curve = |n: &Node| n.attribute("stroke-width") == Some("1.4");
    panel.descendants().filter(is_curve).filter(|n| n.attribute("points").unwrap().split(' ').count() > 2).count()
}

#[test]
fn a_figure_has_four_panels_with_the_names_of_bodies_and_pairs() {
    let folder = recorded("plot-svg", 0.1, 0.19);
    let said = plot(&folder, "f.svg", &[]);
    assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (0, "f.svg: 7 frames\n", ""));
    let text = std::fs::read_to_string(folder.0.join("f.svg")).unwrap();
    let document = Document::parse(&text).expect("well-formed");
    assert!(texts(document.root()).contains(&"Tick & <tock>"));
    assert!(texts(document.root()).contains(&"time (s)"));
    for (id, label, names) in [
        ("energy", "energy (", &["kinetic", "potential above its least", "elastic", "dissipated", "total"][..]),
        ("volume", "volume (% of rest)", &["a<b>", "c&\"d\"", "alone"]),
        ("force", "contact force (", &["a<b> – c&\"d\""]),
        ("area", "contact area (cm²)", &["a<b> – c&\"d\""]),
    ] {
        let panel = panel(&document, id);
        let texts = texts(panel);
        assert!(texts.iter().any(|t| t.starts_with(label)), "{id}: {texts:?}");
        assert!(names.iter().all(|name| texts.contains(name)), "{id}: {texts:?}");
        assert_eq!(curves(panel), names.len(), "{id}");
    }
    assert_eq!(written(&folder, &[]), text, "the same bytes every time");
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 3, "nothing else is left");
}

#[test]
fn a_figure_in_pixels_needs_nothing_installed() {
    let folder = recorded("plot-png", 0.05, 0.19);
    let said = plot(&folder, "f.PNG", &[]);
    assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (0, "f.PNG: 4 frames\n", ""));
    let picture = pliant_media::read_png(folder.0.join("f.PNG")).unwrap();
    // 7.5 in across at 300 to the inch; what the SVG says at 96.
    let svg = written(&folder, &[]);
    let height: f64 = Document::parse(&svg).unwrap().root_element().attribute("height").unwrap().parse().unwrap();
    assert_eq!(picture.size(), (2250, (height * 300.0 / 96.0).round() as u32));
    let dark = |x: u32, y: u32, w: u32, h: u32| {
        let at = |x: u32, y: u32| picture.pixels()[(y * picture.width() + x) as usize];
        (y..y + h).flat_map(|y| (x..x + w).map(move |x| (x, y))).filter(|&(x, y)| at(x, y) == [0x22; 3]).count()
    };
    assert_eq!(picture.pixels()[0], [255; 3]);
    assert!(dark(206, 20, 500, 60) > 300, "the title");
    assert!(dark(20, 100, 100, 400) > 300, "the energy's label, upright");
}

#[test]
fn one_frame_or_no_contact_still_gives_a_figure() {
    let folder = recorded("plot-few", 0.05, 0.5);
    let text = written(&folder, &[]);
    let document = Document::parse(&text).unwrap();
    for id in ["force", "area"] {
        assert!(texts(panel(&document, id)).contains(&"no contacts"), "{id}");
        assert_eq!(curves(panel(&document, id)), 0);
    }
    let text = written(&folder, &["--frames", "2"]);
    let document = Document::parse(&text).unwrap();
    let dots = |id: &str| panel(&document, id).descendants().filter(|n| n.has_tag_name("circle")).count();
    assert_eq!((dots("energy"), dots("volume"), dots("force")), (5, 3, 0));
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
}

#[test]
fn frames_limit_the_time_shown() {
    let folder = recorded("plot-frames", 0.2, 0.19);
    let said = plot(&folder, "f.svg", &["--frames", "6..=9"]);
    assert_eq!((said.code, said.out.as_str()), (0, "f.svg: 4 frames\n"));
    // Frames 6 to 9 at 60 a second: from 0.10 to 0.15 s.
    let text = std::fs::read_to_string(folder.0.join("f.svg")).unwrap();
    let document = Document::parse(&text).unwrap();
    let all = texts(document.root_element());
    assert!(["0.10", "0.15"].iter().all(|t| all.contains(t)) && !all.contains(&"0.20"), "{all:?}");
}

#[test]
fn wrong_places_are_refused_with_a_remedy_before_the_work() {
    let folder = recorded("plot-wrong", 0.05, 0.19);
    std::fs::create_dir(folder.0.join("d.png")).unwrap();
    std::fs::copy(folder.0.join("c.pliant"), folder.0.join("c.svg")).unwrap();
    let before = std::fs::read(folder.0.join("c.svg")).unwrap();
    for (args, words) in [
        (&["c.pliant", "--plot", "f.pdf"][..], "f.pdf: end the name in .svg or .png"),
        (&["c.pliant", "--plot", "f"], "end the name in .svg or .png"),
        (&["c.pliant", "--plot", "none/f.svg"], "there is no folder none; make it first"),
        (&["c.pliant", "--plot", "none/f.png"], "there is no folder none; make it first"),
        (&["c.pliant", "--plot", "s.toml/f.svg"], "s.toml is not a folder"),
        (&["c.pliant", "--plot", "d.png"], "not a regular file"),
        (&["c.svg", "--plot", "c.svg"], "is the cache itself"),
        (&["c.pliant", "--plot", "f.svg", "--json"], "cannot be used with"),
        (&["c.pliant", "--plot", "f.svg", "--frames", "7.."], "frames 0 to 3"),
        (&["s.toml", "--plot", "f.svg"], "not a cache"),
    ] {
        let said = pliant(&folder, &[&["inspect"], args].concat());
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{args:?}: {}", said.err);
        assert!(said.err.contains(words), "{args:?}: {}", said.err);
    }
    assert_eq!(std::fs::read(folder.0.join("c.svg")).unwrap(), before);
    let mut left: Vec<_> = std::fs::read_dir(&folder.0).unwrap().map(|e| e.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["c.pliant", "c.svg", "d.png", "s.toml"]);
}
