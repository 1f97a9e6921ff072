//! What cannot be written is refused with a remedy, and leaves nothing behind.

use super::{Folder, moments, names};
use pliant::export::{self, ExportError, MeshFormat, MeshFrame, MeshModel, MeshWriter, ModelFault};
use pliant::math::DVec3;
use std::path::Path;

const FORMATS: [&str; 4] = ["out.glb", "out.obj", "out.ply", "out.stl"];

/// What is said about `frames`, without the folder.
fn said(folder: &Folder, name: &str, moments: &[MeshFrame]) -> String {
    let error = export::write(folder.join(name), moments).unwrap_err();
    error.to_string().replace(&format!("{}/", folder.0.display()), "")
}

#[test]
fn the_end_of_a_name_says_the_format_in_any_case() {
    assert_eq!(MeshFormat::of("a/b.GLB").unwrap(), MeshFormat::Glb);
    assert_eq!(MeshFormat::of("a.b.ply").unwrap(), MeshFormat::Ply);
    let folder = Folder::new("export-unknown");
    let remedy = "end it in .glb, .obj, .ply or .stl";
    for name in ["out.usd", "out", "glb", ".obj"] {
        let said = said(&folder, name, &moments(1));
        assert_eq!(said, format!("cannot tell from the name {name} what to write; {remedy}"));
    }
    assert!(names(&folder.0).is_empty());
}

#[test]
fn places_that_cannot_be_written_are_told_before_anyone_waits() {
    let folder = Folder::new("export-places");
    std::fs::write(folder.join("file"), "").unwrap();
    std::fs::create_dir(folder.join("folder.obj")).unwrap();
    let said =
        |path: &Path| MeshWriter::begin(path, 2).unwrap_err().to_string().replace(folder.0.to_str().unwrap(), "…");
    for name in FORMATS {
        let there = said(&folder.join("nowhere").join(name));
        assert_eq!(there, format!("cannot write …/nowhere/{name}: there is no folder …/nowhere; make it first"));
        let there = said(&folder.join("file").join(name));
        assert_eq!(there, format!("cannot write …/file/{name}: …/file is not a folder; check the path"));
    }
    assert_eq!(said(&folder.join("folder.obj")), "…/folder.obj is not a regular file; give the name of a file");
    assert_eq!(names(&folder.0), ["file", "folder.obj"]);
}

#[test]
fn nothing_to_write_is_told() {
    let folder = Folder::new("export-nothing");
    for name in FORMATS {
        assert_eq!(said(&folder, name, &[]), format!("{name}: there are no frames to write; give at least one"));
        let empty = MeshFrame { models: Vec::new(), ..moments(1).remove(0) };
        let remedy = "choose frames and bodies that are there";
        assert_eq!(said(&folder, name, &[empty]), format!("{name}: frame 10 has no bodies to write; {remedy}"));
        let unused = MeshWriter::begin(folder.join(name), 3).unwrap();
        assert!(matches!(unused.finish(), Err(ExportError::NoFrames(_))));
    }
    assert!(names(&folder.0).is_empty());
}

/// The fault found in the second frame when `harm` is done to its second body.
fn fault(folder: &Folder, name: &str, harm: impl Fn(&mut MeshModel)) -> ModelFault {
    let mut moments = moments(2);
    harm(&mut moments[1].models[1]);
    match export::write(folder.join(name), &moments) {
        Err(ExportError::MeshModel { frame: 12, body, fault, .. }) if body == "blob" => fault,
        other => panic!("{other:?}"),
    }
}

#[test]
fn bodies_that_make_no_sense_are_refused_by_every_format_and_nothing_is_left() {
    let folder = Folder::new("export-faults");
    for name in FORMATS {
        let fault = |harm: fn(&mut MeshModel)| fault(&folder, name, harm);
        let nowhere = |harm| match fault(harm) {
            ModelFault::NotFinite { what, vertex, .. } => (what, vertex),
            other => panic!("{other:?}"),
        };
        assert_eq!(nowhere(|m| m.mesh.positions[3].y = f64::NAN), ("position", 3));
        assert_eq!(nowhere(|m| m.mesh.normals[4].z = f64::INFINITY), ("normal", 4));
        assert_eq!(nowhere(|m| m.mesh.pressure[0] = f64::NAN), ("pressure", 0));
        // As f32 it would be infinite.
        assert_eq!(nowhere(|m| m.mesh.velocity[5] = DVec3::splat(-1e39)), ("velocity", 5));
        let short = fault(|m| m.mesh.element.truncate(34));
        assert_eq!(short, ModelFault::Uneven { what: "element", count: 34, positions: 35 });
        assert_eq!(fault(|m| m.mesh.quads.clear()), ModelFault::NoFaces);
        let beyond = fault(|m| m.mesh.quads[2][1] = 35);
        assert_eq!(beyond, ModelFault::NoSuchVertex { face: 2, index: 35, positions: 35 });
        assert_eq!(fault(|m| m.color[0] = 1.5), ModelFault::Color([1.5, 0.5, 0.75]));
        assert!(matches!(fault(|m| m.color[0] = f32::NAN), ModelFault::Color(_)));
    }
    assert!(names(&folder.0).is_empty());
}

#[test]
fn refusals_name_the_place_and_the_remedy() {
    let folder = Folder::new("export-said");
    let mut nowhere = moments(1);
    nowhere[0].models[1].mesh.positions[3].y = f64::NAN;
    assert_eq!(
        said(&folder, "out.glb", &nowhere),
        "out.glb: body \"blob\" in frame 10: position of vertex 3 is NaN; files hold finite numbers, up to 1e30; look \
         where the motion or the mesh went wrong"
    );
    let mut twins = moments(1);
    twins[0].models[1].name = "a ring".to_owned();
    assert_eq!(
        said(&folder, "out.ply", &twins),
        "out.ply: two bodies are called \"a ring\" in frame 10; give each its own name"
    );
    let remedy = "does not come after the one before it; give frames in order of time, each once";
    let mut back = moments(2);
    back.swap(0, 1);
    assert_eq!(said(&folder, "out.stl", &back), format!("out.stl: frame 10 at 0.4 s {remedy}"));
    let mut at_once = moments(2);
    at_once[1].time = at_once[0].time;
    assert_eq!(said(&folder, "out.glb", &at_once), format!("out.glb: frame 12 at 0.4 s {remedy}"));
    assert!(names(&folder.0).is_empty());
}

/// Times that differ by less than an `f32` can tell would be two keys at one time.
#[test]
fn moments_too_near_in_time_for_an_animation_are_refused() {
    let folder = Folder::new("export-near");
    let mut near = moments(3);
    near[1].time = near[0].time + 1000.0;
    near[2].time = near[1].time + 1e-9;
    assert!(matches!(export::write(folder.join("out.glb"), &near), Err(ExportError::OutOfOrder { frame: 14, .. })));
    assert!(names(&folder.0).is_empty());
    assert!(export::write(folder.join("out.ply"), &near).is_ok());
}

#[test]
fn what_fails_half_way_keeps_what_was_there_and_what_is_finished() {
    let folder = Folder::new("export-half-way");
    std::fs::write(folder.join("out.glb"), "older").unwrap();
    let mut moments = moments(2);
    moments[1].models[0].mesh.positions[0].x = f64::NAN;
    for (name, left) in [("out.glb", vec!["out.glb"]), ("out.ply", vec!["out.0010.ply", "out.glb"])] {
        let mut writer = MeshWriter::begin(folder.join(name), 2).unwrap();
        writer.add(&moments[0]).unwrap();
        assert!(writer.add(&moments[1]).is_err());
        drop(writer);
        assert_eq!(names(&folder.0), left);
    }
    assert_eq!(std::fs::read_to_string(folder.join("out.glb")).unwrap(), "older");
}

#[test]
fn files_of_others_beside_are_left_alone() {
    let folder = Folder::new("export-beside");
    let (other, more) = (folder.join("out.stl.part"), folder.join("out.stl.2.part"));
    std::fs::write(&other, "not ours").unwrap();
    std::fs::write(&more, "nor this").unwrap();
    export::write(folder.join("out.stl"), &moments(1)).unwrap();
    assert_eq!(names(&folder.0), ["out.stl", "out.stl.2.part", "out.stl.part"]);
    assert_eq!(std::fs::read_to_string(other).unwrap(), "not ours");
}

#[test]
fn more_moments_than_were_announced_are_refused_and_fewer_are_not() {
    let folder = Folder::new("export-announced");
    let moments = moments(2);
    let mut writer = MeshWriter::begin(folder.join("out.ply"), 1).unwrap();
    writer.add(&moments[0]).unwrap();
    assert!(matches!(writer.add(&moments[1]), Err(ExportError::TooManyFrames { count: 1, .. })));
    assert_eq!(writer.finish().unwrap(), [folder.join("out.ply")]);
    let mut writer = MeshWriter::begin(folder.join("out.glb"), 10).unwrap();
    moments.iter().for_each(|m| writer.add(m).unwrap());
    assert_eq!(writer.finish().unwrap(), [folder.join("out.glb")]);
}
