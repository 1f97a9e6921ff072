//! Readers that are not ours: trimesh and pygltflib must find in files what was written to them.

use super::{Folder, moments};
use pliant::export::{self, MeshFrame, MeshModel};
use pliant::math::DVec3;
use serde_json::{Value, json};
use std::process::Command;

/// `readers.py` compares, for one frame and for several, with what is given here.
#[test]
#[ignore = "needs a Python with trimesh, numpy and pygltflib; ./check installs them and runs this"]
fn other_programs_read_what_was_written() {
    let python = std::env::var("PLIANT_READERS_PYTHON");
    let python =
        python.expect("PLIANT_READERS_PYTHON names a Python with trimesh, numpy and pygltflib; ./check sets it");
    let folder = Folder::new("export-readers");
    for (name, count) in [("one", 1), ("several", 5)] {
        let moments = moments(count);
        let mut written = Vec::new();
        for end in ["glb", "obj", "stl"] {
            written.extend(export::write(folder.join(&format!("{name}.{end}")), &moments).unwrap());
        }
        // Of PLY, trimesh reads faces of one kind only.
        let mut cut = moments.clone();
        cut.iter_mut().flat_map(|m| &mut m.models).for_each(|m| m.mesh = m.mesh.triangulated());
        written.extend(export::write(folder.join(&format!("{name}.ply")), &cut).unwrap());
        let expected = json!({
            "moments": moments.iter().map(moment_json).collect::<Vec<_>>(),
            "files": super::file_names(&written),
        });
        std::fs::write(folder.join(&format!("{name}.json")), expected.to_string()).unwrap();
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/files/exported/readers.py");
    let run = Command::new(&python).arg(script).arg(&folder.0).output();
    let run = run.unwrap_or_else(|e| panic!("PLIANT_READERS_PYTHON is {python}, which does not start: {e}"));
    let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "\n{out}{err}");
    println!("{out}");
}

fn moment_json(moment: &MeshFrame) -> Value {
    let models: Vec<_> = moment.models.iter().map(model_json).collect();
    json!({ "frame": moment.frame, "time": moment.time, "models": models })
}

fn model_json(MeshModel { name, color, mesh }: &MeshModel) -> Value {
    let vectors = |v: &[DVec3]| v.iter().map(|v| v.to_array().to_vec()).collect::<Vec<_>>();
    json!({
        "name": name,
        "color": color,
        "positions": vectors(&mesh.positions),
        "normals": vectors(&mesh.normals),
        "velocity": vectors(&mesh.velocity),
        "pressure": mesh.pressure,
        "element": mesh.element,
        "triangles": mesh.triangles,
        "quads": mesh.quads,
        "area": mesh.area(),
        "volume": mesh.volume(),
    })
}
