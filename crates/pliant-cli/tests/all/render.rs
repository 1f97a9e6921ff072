//! `pliant render` and `pliant export`: pictures, movies and meshes of a cache.

use crate::{Folder, pliant};

const SCENE: &str = "duration = 0.1\nframe_rate = 20\n[materials.m]\nstiffness = \"50 kPa\"\n\
                     [[body]]\nname = \"a\"\nmaterial = \"m\"\n[[body.skeleton]]\nthickness = 0.1\npoint = {}\n\
                     [[body]]\nname = \"b\"\nmaterial = \"m\"\nposition = [0.13, 0.02, 0.05]\n\
                     [[body.skeleton]]\nthickness = 0.08\npoint = {}\n";

fn cached(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("s.toml", SCENE);
    let said = pliant(&folder, &["run", "s.toml", "-o", "c.pliant"]);
    assert_eq!(said.code, 0, "{}", said.err);
    folder
}

#[test]
fn a_picture_and_a_movie_are_drawn_and_nothing_else_is_left() {
    let folder = cached("render");
    let quick = |out: &str| pliant(&folder, &["render", "c.pliant", "-o", out, "--size", "48x32", "--samples", "1"]);
    for out in ["p.png", "m.gif", "m.mp4"] {
        let said = quick(out);
        assert_eq!(said.code, 0, "{}", said.err);
        assert!(folder.0.join(out).metadata().unwrap().len() > 100);
    }
    let mut left: Vec<_> = std::fs::read_dir(&folder.0).unwrap().map(|e| e.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["c.pliant", "m.gif", "m.mp4", "p.png", "s.toml"]);
    let bytes = std::fs::read(folder.0.join("p.png")).unwrap();
    assert_eq!(quick("p.png").code, 0);
    assert_eq!(std::fs::read(folder.0.join("p.png")).unwrap(), bytes, "the same pixels every time");
}

/// The same frames with forces and borders, as a picture and as a movie; the scale of arrows is said.
#[test]
fn overlays_are_drawn_where_asked_for_and_their_scale_is_said() {
    let folder = cached("render-show");
    let draw = |out: &str, more: &[&str]| {
        let args = ["render", "c.pliant", "-o", out, "--size", "96x64", "--samples", "1"];
        pliant(&folder, &[&args[..], more].concat())
    };
    let bytes = |out: &str| std::fs::read(folder.0.join(out)).unwrap();
    let shows: [&[&str]; 4] =
        [&[], &["--show", "forces"], &["--show", "borders"], &["--show", "borders,forces", "--view", "pressure"]];
    let mut seen: Vec<Vec<u8>> = Vec::new();
    for (i, more) in shows.iter().enumerate() {
        // The balls touch at the start, and have parted at the end.
        let said = draw("p.png", &[more, &["--frames", "0"][..]].concat());
        assert_eq!(said.code, 0, "{}", said.err);
        let scale = said.err.contains("note: force arrows: ") && said.err.contains(" long; the greatest force is ");
        assert_eq!(scale, i % 2 == 1, "{more:?}: {}", said.err);
        seen.push(bytes("p.png"));
    }
    assert!((0..4).all(|i| (0..i).all(|j| seen[i] != seen[j])));
    assert_eq!(draw("plain.gif", &[]).code, 0);
    assert_eq!(draw("shown.gif", &["--show", "forces"]).code, 0);
    assert_ne!(bytes("plain.gif"), bytes("shown.gif"));
    let said = draw("p.png", &["--show", "springs,joints", "--frames", "0"]);
    assert_eq!((said.code, bytes("p.png") == seen[0]), (0, true));
    assert!(said.err.contains("no springs to show") && said.err.contains("no joints to show"), "{}", said.err);
}

/// The wall's plane is at x = 0.2; the usual camera stands beyond it, as far from the ball as that is wide several times.
#[test]
fn a_wall_the_camera_stands_in_is_left_out_and_named() {
    let folder = Folder::new("render-wall");
    let scene = "duration = 0.01\nframe_rate = 100\ngravity = [0, 0, 0]\n[[body]]\nname = \"ball\"\n\
                 skeleton = [{ thickness = 0.1, point = {} }]\n[[body]]\nname = \"wall\"\nresponse = \"rigid\"\n\
                 motion = \"fixed\"\n[[body.skeleton]]\nthickness = 0.1\n\
                 half_space = { point = [0.2, 0, 0], normal = [-1, 0, 0] }\n";
    folder.write("s.toml", scene);
    assert_eq!(pliant(&folder, &["run", "s.toml", "-o", "c.pliant"]).code, 0);
    let draw = |out: &str, more: &[&str]| {
        let args = ["render", "c.pliant", "-o", out, "--size", "48x32", "--samples", "1"];
        let said = pliant(&folder, &[&args[..], more].concat());
        assert_eq!(said.code, 0, "{}", said.err);
        (said.out, std::fs::read(folder.0.join(out)).unwrap())
    };
    let (said, within) = draw("a.png", &["--from", "1,0,0.5"]);
    assert!(said.contains("without wall: the camera stands in there"), "{said}");
    let (_, alone) = draw("b.png", &["--from", "1,0,0.5", "--only", "ball"]);
    assert!(within == alone, "the ball is seen as if the wall were not there");
    let (said, _) = draw("c.png", &["--from", "-1,0,0.5"]);
    assert!(!said.contains("without"), "{said}");
}

#[test]
fn distance_directions_and_blurs_are_drawn() {
    let folder = cached("render-views");
    let ways: [&[&str]; 15] = [
        &["--view", "light"],
        &["--view", "depth"],
        &["--view", "normals"],
        &["--view", "pressure"],
        &["--view", "pressure", "--only", "b"],
        &["--view", "deformation"],
        &["--view", "samples"],
        &["--view", "cut"],
        &["--view", "cut", "--cut", "z=0.02"],
        &["--cut", "x=-0.01"],
        &["--only", "a"],
        &["--from", "0,0,-1"],
        &["--from", "-1,0,1"],
        &["--shutter", "1", "--samples", "4"],
        &["--aperture", "0.02", "--focus", "0.5", "--samples", "4"],
    ];
    let mut seen: Vec<Vec<u8>> = Vec::new();
    for way in ways {
        let args = ["render", "c.pliant", "-o", "p.png", "--size", "48x32", "--frames", "1"];
        let said = pliant(&folder, &[&args[..], way].concat());
        assert_eq!(said.code, 0, "{way:?}: {}", said.err);
        seen.push(std::fs::read(folder.0.join("p.png")).unwrap());
    }
    for (i, picture) in seen.iter().enumerate() {
        assert!(seen[..i].iter().all(|other| other != picture), "{:?} shows what another does", ways[i]);
    }
}

#[test]
fn meshes_are_written_in_every_format() {
    let folder = cached("export");
    for (out, frames) in [("m.glb", "0..2"), ("m.ply", "1"), ("m.obj", "1"), ("m.stl", "1")] {
        let said = pliant(&folder, &["export", "c.pliant", "-o", out, "--frames", frames, "--resolution", "0.01"]);
        assert_eq!(said.code, 0, "{}", said.err);
        assert!(said.out.contains("vertices"), "{}", said.out);
        assert!(folder.0.join(out).exists());
    }
}

/// What `m.glb` says of its meshes.
fn meshes_of_glb(folder: &Folder) -> Vec<serde_json::Value> {
    let bytes = std::fs::read(folder.0.join("m.glb")).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    json["meshes"].as_array().unwrap().clone()
}

#[test]
fn quads_and_a_piece_of_the_ground_are_written_when_asked_for() {
    let folder = Folder::new("export-quads");
    let ground = "[[body]]\nname = \"ground\"\nmaterial = \"m\"\nmotion = \"fixed\"\n[[body.skeleton]]\nthickness = 0.1\n\
                  half_space = { point = [0, 0, -0.1], normal = [0, 0, 1] }\n";
    folder.write("s.toml", format!("{SCENE}{ground}"));
    assert_eq!(pliant(&folder, &["run", "s.toml", "-o", "c.pliant"]).code, 0);
    let export = |out: &str, more: &[&str]| {
        let args = ["export", "c.pliant", "-o", out, "--resolution", "0.02"];
        pliant(&folder, &[&args[..], more].concat())
    };
    let said = export("m.obj", &["--quads", "--frame", "1"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.err.contains("left out \"ground\"") && said.err.contains("--floor"), "{}", said.err);
    assert!(said.out.contains("2 bodies") && said.out.contains("% of faces quads"), "{}", said.out);
    let text = std::fs::read_to_string(folder.0.join("m.obj")).unwrap();
    let corners = |n: usize| text.lines().filter(|l| l.starts_with("f ") && l.split(' ').count() == n + 1).count();
    assert!(corners(4) > 5 * corners(3), "{} quads, {} triangles", corners(4), corners(3));

    // As an animation the ground keeps its faces, too.
    let said = export("m.glb", &["--floor", "--frames", "0..3"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert!(said.out.contains("3 frames, 3 bodies"), "{}", said.out);
    assert_eq!(meshes_of_glb(&folder).len(), 3);

    for out in ["m.stl", "m.glb"] {
        let said = export(out, &["--quads"]);
        assert_eq!(said.code, 2);
        assert!(said.err.contains("holds triangles only; leave out --quads, or write .obj or .ply"), "{}", said.err);
    }
}

/// Every other frame, as fast as all of them.
#[test]
fn a_movie_of_every_other_frame_lasts_as_long() {
    let folder = cached("render-every");
    let gif = |out: &str, every: &str| {
        let args = ["render", "c.pliant", "-o", out, "--size", "16x16", "--samples", "1", "--every", every];
        assert!(pliant(&folder, &args).out.contains(if every == "1" { "3 frames" } else { "2 frames" }));
        let bytes = std::fs::read(folder.0.join(out)).unwrap();
        // A graphic control extension says how many hundredths of a second its picture is shown.
        let shown = bytes.windows(6).find(|w| w[..3] == [0x21, 0xf9, 4]).unwrap();
        u16::from_le_bytes([shown[4], shown[5]])
    };
    assert_eq!((gif("all.gif", "1"), gif("half.gif", "2")), (5, 10));
}

/// Bodies that deform keep their faces: a node and a mesh each, animated by its shapes.
#[test]
fn an_animated_file_keeps_its_faces_unless_they_are_made_anew() {
    let folder = cached("export-pinned");
    let nodes = |extra: &[&str]| {
        let args = ["export", "c.pliant", "-o", "m.glb", "--frames", "0..3", "--resolution", "0.01"];
        let said = pliant(&folder, &[&args[..], extra].concat());
        assert_eq!((said.code, said.err.as_str()), (0, ""));
        let meshes = meshes_of_glb(&folder);
        (meshes.len(), meshes.iter().filter(|m| m["primitives"][0]["targets"].is_array()).count())
    };
    assert_eq!(nodes(&[]), (2, 2));
    let (meshes, _) = nodes(&["--remesh"]);
    assert!(meshes > 2, "{meshes} meshes for frames whose faces differ");
}

#[test]
fn wrong_requests_are_refused_with_a_remedy() {
    let folder = cached("render-wrong");
    for (args, word) in [
        (["render", "c.pliant", "-o", "p.bmp", "--size", "48x32"], ".png, .gif or .mp4"),
        (["render", "c.pliant", "-o", "p.png", "--size", "0x32"], "640x360"),
        (["render", "c.pliant", "-o", "p.png", "--frames", "7..9"], "frames 0 to"),
        (["render", "c.pliant", "-o", "p.png", "--view", "sound"], "depth"),
        (["render", "c.pliant", "-o", "p.png", "--only", "c"], "there are a, b"),
        (["render", "c.pliant", "-o", "p.png", "--cut", "w=1"], "y=0.1"),
        (["render", "c.pliant", "-o", "p.png", "--cut", "x=nan"], "y=0.1"),
        (["render", "c.pliant", "-o", "p.png", "--cut", "y=5"], "the bodies lie from y=-0.10"),
        (["render", "c.pliant", "--cut=y=0", "-o", "p.png", "--view=light"], "--view cut"),
        (["render", "c.pliant", "-o", "p.png", "--show", "arrows"], "there are forces, borders, joints and springs"),
        (["render", "c.pliant", "-o", "p.png", "--show=forces", "--view=depth"], "take another --view"),
        (["render", "c.pliant", "-o", "p.png", "--show=forces", "--cut=y=0"], "take another --view"),
        (["render", "c.pliant", "-o", "p.png", "--every", "0"], "1.."),
        (["render", "c.pliant", "-o", "p.png", "--from", "0,0,0"], "three numbers"),
        (["render", "c.pliant", "-o", "p.png", "--shutter", "-1"], "0 to 10"),
        (["render", "c.pliant", "-o", "p.png", "--aperture", "nan"], "metres"),
        (["render", "c.pliant", "-o", "none/p.png", "--size", "48x32"], "none"),
        (["export", "c.pliant", "-o", "m.fbx", "--frames", "0"], ".glb"),
        (["export", "c.pliant", "-o", "m.ply", "--resolution", "1e-9"], "too fine"),
        (["export", "c.pliant", "-o", "m.ply", "--resolution", "-1"], "metres"),
    ] {
        let said = pliant(&folder, &args);
        assert_eq!(said.code, 2, "{args:?}: {}", said.err);
        assert!(said.err.contains(word), "{args:?}: {}", said.err);
    }
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 2, "nothing is left behind");
}
