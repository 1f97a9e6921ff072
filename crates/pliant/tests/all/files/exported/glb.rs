//! GLB, read by hand: its parts fit, and played it shows what was given.

use super::{Folder, moment, moments};
use pliant::export::{self, MeshFrame};
use pliant::math::DVec3;
use serde_json::Value;
use std::path::Path;

/// A file and its arrays.
struct Glb {
    json: Value,
    arrays: Vec<u8>,
}

impl Glb {
    fn read(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap();
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!((&bytes[..4], word(4), word(8)), (&b"glTF"[..], 2, bytes.len()));
        let (json, end) = (word(12), 20 + word(12));
        assert_eq!((&bytes[16..20], json % 4), (&b"JSON"[..], 0));
        let arrays = bytes[end + 8..].to_vec();
        assert_eq!((word(end), &bytes[end + 4..end + 8]), (arrays.len(), &b"BIN\0"[..]));
        let json: Value = serde_json::from_slice(&bytes[20..end]).unwrap();
        assert_eq!(json["buffers"][0]["byteLength"], arrays.len());
        Self { json, arrays }
    }

    fn list(&self, key: &str) -> &[Value] {
        self.json[key].as_array().map_or(&[], |list| list)
    }

    /// The bytes of an accessor, four each.
    fn words(&self, accessor: &Value) -> Vec<[u8; 4]> {
        let view = &self.json["bufferViews"][index(&accessor["bufferView"])];
        let bytes = &self.arrays[index(&view["byteOffset"])..][..index(&view["byteLength"])];
        bytes.chunks_exact(4).map(|w| w.try_into().unwrap()).collect()
    }

    fn floats<const N: usize>(&self, accessor: &Value) -> Vec<[f32; N]> {
        let accessor = &self.json["accessors"][index(accessor)];
        let words = self.words(accessor);
        assert_eq!((index(&accessor["componentType"]), index(&accessor["count"]) * N), (5126, words.len()));
        words.chunks_exact(N).map(|c| std::array::from_fn(|k| f32::from_le_bytes(c[k]))).collect()
    }

    fn vectors(&self, accessor: &Value) -> Vec<DVec3> {
        self.floats::<3>(accessor).into_iter().map(|v| DVec3::from_array(v.map(f64::from))).collect()
    }

    /// What the animation makes of `path` of a node at `time`: the numbers of the key before or at it.
    fn key(&self, node: usize, path: &str, time: f32) -> Option<Vec<f32>> {
        let animation = &self.json["animations"][0];
        let channels = animation["channels"].as_array()?;
        let channel = channels.iter().find(|c| index(&c["target"]["node"]) == node && c["target"]["path"] == path)?;
        let sampler = &animation["samplers"][index(&channel["sampler"])];
        let interpolation = if path == "scale" { "STEP" } else { "LINEAR" };
        assert_eq!(sampler["interpolation"], interpolation);
        let times = self.floats::<1>(&sampler["input"]);
        let at = times.iter().rposition(|t| t[0] <= time)?;
        let output = self.words(&self.json["accessors"][index(&sampler["output"])]);
        let width = output.len() / times.len();
        Some(output[at * width..][..width].iter().map(|w| f32::from_le_bytes(*w)).collect())
    }

    /// The shape a node shows at `time`, z up, if it shows any; without `time`, as it is before it is played.
    fn shape(&self, node: usize, time: Option<f32>) -> Option<Shape> {
        let json = &self.json["nodes"][node];
        let mesh = &self.json["meshes"][index(json.get("mesh")?)];
        let still = json["scale"][0].as_f64().unwrap_or(1.0) as f32;
        let scale = time.and_then(|t| self.key(node, "scale", t)).map_or(still, |s| s[0]);
        assert!(scale == 0.0 || scale == 1.0);
        if scale == 0.0 {
            return None;
        }
        let primitive = &mesh["primitives"][0];
        let [mut positions, mut normals] = ["POSITION", "NORMAL"].map(|a| self.vectors(&primitive["attributes"][a]));
        let weights = time.and_then(|t| self.key(node, "weights", t)).unwrap_or_default();
        for (weight, target) in weights.iter().zip(primitive["targets"].as_array().into_iter().flatten()) {
            for (sum, name) in [(&mut positions, "POSITION"), (&mut normals, "NORMAL")] {
                let change = self.vectors(&target[name]);
                sum.iter_mut().zip(change).for_each(|(p, d)| *p += f64::from(*weight) * d);
            }
        }
        let indices = self.words(&self.json["accessors"][index(&primitive["indices"])]);
        let triangles = indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]].map(u32::from_le_bytes)).collect();
        Some(Shape { positions, normals, triangles, attributes: primitive["attributes"].clone() })
    }
}

struct Shape {
    positions: Vec<DVec3>,
    normals: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    attributes: Value,
}

fn index(value: &Value) -> usize {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no index")) as usize
}

fn exported(test: &str, moments: &[MeshFrame]) -> Glb {
    let folder = Folder::new(test);
    let path = folder.join("out.glb");
    export::write(&path, moments).unwrap();
    Glb::read(&path)
}

/// Every body's shape when the file is played to `time`.
fn assert_shows(glb: &Glb, moment: &MeshFrame, time: Option<f32>) {
    let root = &glb.json["nodes"][index(&glb.json["scenes"][0]["nodes"][0])];
    for (child, model) in root["children"].as_array().unwrap().iter().zip(&moment.models) {
        let node = &glb.json["nodes"][index(child)];
        assert_eq!(node["name"], model.name);
        let middle: Vec<f64> = node["translation"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        let below = node["children"].as_array().cloned().unwrap_or_default();
        let shown: Vec<_> = std::iter::once(child).chain(&below).filter_map(|n| glb.shape(index(n), time)).collect();
        assert_eq!(shown.len(), 1, "{} at {time:?}", model.name);
        let (shape, mesh) = (&shown[0], &model.mesh);
        let there = shape.positions.iter().map(|p| *p + DVec3::from_slice(&middle));
        // Bodies go less than 4 m from where they began: two roundings to f32 of half 2⁻²³ × 4 m each.
        assert!(there.zip(&mesh.positions).all(|(a, b)| a.distance(*b) < 1e-6), "{}", model.name);
        assert!(shape.normals.iter().zip(&mesh.normals).all(|(a, b)| a.distance(*b) < 1e-6));
        assert_eq!(shape.triangles.len(), mesh.triangles.len() + 2 * mesh.quads.len());
    }
}

#[test]
fn one_moment_is_a_node_and_a_mesh_for_each_body() {
    let glb = exported("export-glb-one", &moments(1));
    let models = moment(0).models;
    assert_eq!((glb.list("nodes").len(), glb.list("meshes").len(), glb.list("materials").len()), (4, 3, 3));
    assert!(glb.json.get("animations").is_none());
    assert_shows(&glb, &moment(0), None);
    for (model, node) in models.iter().zip(1..) {
        let (shape, mesh) = (glb.shape(node, None).unwrap(), &model.mesh);
        assert_eq!(shape.triangles, mesh.all_triangles().collect::<Vec<_>>());
        let attribute = |name: &str| &shape.attributes[name];
        let pressure: Vec<_> = mesh.pressure.iter().map(|p| [*p as f32]).collect();
        assert_eq!(glb.floats::<1>(attribute("_PRESSURE")), pressure);
        assert_eq!(
            glb.floats::<1>(attribute("_ELEMENT")),
            mesh.element.iter().map(|e| [*e as f32]).collect::<Vec<_>>()
        );
        for (k, axis) in ["X", "Y", "Z"].into_iter().enumerate() {
            let velocity: Vec<_> = mesh.velocity.iter().map(|v| [v[k] as f32]).collect();
            assert_eq!(glb.floats::<1>(attribute(&format!("_VELOCITY_{axis}"))), velocity);
        }
        let color = &glb.json["materials"][node - 1]["pbrMetallicRoughness"]["baseColorFactor"];
        assert_eq!(color[1].as_f64().unwrap() as f32, model.color[1]);
    }
}

/// glTF's y is up and its z comes towards us; ours goes there by a quarter turn about x.
#[test]
fn the_root_turns_z_up_into_y_up() {
    let glb = exported("export-glb-up", &moments(1));
    let turn: Vec<f64> =
        glb.json["nodes"][0]["rotation"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    let turn = pliant::math::DQuat::from_slice(&turn);
    assert!((turn * DVec3::Z).distance(DVec3::Y) < 1e-15 && (turn * DVec3::X).distance(DVec3::X) < 1e-15);
}

#[test]
fn played_it_shows_every_moment_and_at_rest_the_first() {
    let moments = moments(6);
    let glb = exported("export-glb-play", &moments);
    assert_shows(&glb, &moments[0], None);
    for moment in &moments {
        assert_shows(&glb, moment, Some((moment.time - moments[0].time) as f32));
    }
    // The ring keeps its faces, the blob changes them twice, the block never moves.
    let counts: Vec<_> =
        glb.list("meshes").iter().map(|m| m["primitives"][0]["targets"].as_array().map_or(0, Vec::len)).collect();
    assert_eq!(counts, [5, 1, 1, 1, 0]);
    let names: Vec<_> = glb.list("nodes").iter().map(|n| n["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["z up", "a ring", "blob", "blob 0010", "blob 0014", "blob 0018", "block\n#2"]);
    assert_eq!(glb.json["meshes"][0]["extras"]["targetNames"][4], "frame 0020");
}

#[test]
fn a_body_that_is_not_always_there_is_hidden_when_it_is_not() {
    let mut moments = moments(5);
    for k in [0, 3] {
        moments[k].models.pop();
    }
    let glb = exported("export-glb-gone", &moments);
    for moment in &moments {
        let time = (moment.time - moments[0].time) as f32;
        assert_shows(&glb, moment, Some(time));
        let block = glb.list("nodes").iter().position(|n| n["name"] == "block\n#2").unwrap();
        let shown = glb.json["nodes"][block]["children"].as_array().unwrap();
        let shown = shown.iter().filter(|n| glb.shape(index(n), Some(time)).is_some()).count();
        assert_eq!(shown, usize::from(moment.models.len() == 3));
    }
}

/// Browsers promise room for 256 shapes of one mesh: a longer run is two.
#[test]
fn a_long_animation_goes_on_in_a_second_mesh() {
    let moments: Vec<MeshFrame> =
        (0..300).map(|k| MeshFrame { models: vec![moment(k).models.remove(0)], ..moment(k) }).collect();
    let glb = exported("export-glb-long", &moments);
    let counts: Vec<_> =
        glb.list("meshes").iter().map(|m| m["primitives"][0]["targets"].as_array().unwrap().len()).collect();
    assert_eq!(counts, [255, 43]);
    for k in [0, 1, 254, 255, 256, 257, 299] {
        let time = (moments[k].time - moments[0].time) as f32;
        let shown: Vec<_> = (0..glb.list("nodes").len()).filter_map(|n| glb.shape(n, Some(time))).collect();
        assert_eq!(shown.len(), 1);
        // It starts around (1, 2, 3) and goes less than 64 m: a few roundings to f32, of 4e-6 m at most each.
        let error = shown[0].positions[0] + DVec3::new(1.0, 2.0, 3.0) - moments[k].models[0].mesh.positions[0];
        assert!(error.length() < 2e-5, "moment {k}: {error}");
    }
}

#[test]
fn extents_are_exactly_those_of_the_arrays() {
    let glb = exported("export-glb-extents", &moments(6));
    for (i, accessor) in glb.list("accessors").iter().enumerate().filter(|(_, a)| a["componentType"] == 5126) {
        let extent = |name: &str| -> Vec<f32> {
            accessor[name].as_array().unwrap().iter().map(|x| x.as_f64().unwrap() as f32).collect()
        };
        let values: Vec<Vec<f32>> = match accessor["type"].as_str().unwrap() {
            "SCALAR" => glb.floats::<1>(&i.into()).iter().map(|v| v.to_vec()).collect(),
            "VEC3" => glb.floats::<3>(&i.into()).iter().map(|v| v.to_vec()).collect(),
            other => panic!("{other}"),
        };
        for k in 0..values[0].len() {
            let column = || values.iter().map(|v| v[k]);
            assert_eq!(extent("min")[k], column().fold(f32::INFINITY, f32::min));
            assert_eq!(extent("max")[k], column().fold(f32::NEG_INFINITY, f32::max));
        }
    }
}
