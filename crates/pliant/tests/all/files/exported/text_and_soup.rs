//! OBJ, PLY and STL, read by hand.

use super::{Folder, moment, moments};
use pliant::export;
use pliant::math::DVec3;

fn number<T: std::str::FromStr>(word: &str) -> T {
    word.parse().unwrap_or_else(|_| panic!("{word:?} is no number"))
}

fn rest<'a>(line: &'a str, start: &str) -> Option<&'a str> {
    line.strip_prefix(start)?.strip_prefix(' ')
}

#[test]
fn an_obj_keeps_every_digit_quads_and_the_names_of_bodies_as_words() {
    let folder = Folder::new("export-obj");
    export::write(folder.join("out.obj"), &moments(2)).unwrap();
    let text = std::fs::read_to_string(folder.join("out.0012.obj")).unwrap();
    let models = moment(1).models;
    assert!(text.starts_with("# Pliant ") && text.contains("metres, z up"));
    assert_eq!(text.lines().filter_map(|l| rest(l, "mtllib")).collect::<Vec<_>>(), ["out.mtl"]);
    let words = ["a_ring", "blob", "block__2"];
    assert_eq!(text.lines().filter_map(|l| rest(l, "o")).collect::<Vec<_>>(), words);
    assert_eq!(text.lines().filter_map(|l| rest(l, "usemtl")).collect::<Vec<_>>(), words);

    let vectors = |start: &str| -> Vec<DVec3> {
        let lines = text.lines().filter_map(|l| rest(l, start));
        lines.map(|l| DVec3::from_slice(&l.split(' ').map(number).collect::<Vec<f64>>())).collect()
    };
    let positions: Vec<_> = models.iter().flat_map(|m| m.mesh.positions.clone()).collect();
    let normals = models.iter().flat_map(|m| m.mesh.normals.clone());
    assert_eq!(vectors("v"), positions);
    assert_eq!(vectors("vn").len(), positions.len());
    assert!(vectors("vn").into_iter().zip(normals).all(|(a, b)| a.distance(b) < 1e-7));

    let corner = |word: &str| -> u32 {
        let (vertex, normal) = word.split_once("//").unwrap();
        assert_eq!(vertex, normal);
        number(vertex)
    };
    let faces: Vec<Vec<u32>> =
        text.lines().filter_map(|l| rest(l, "f")).map(|l| l.split(' ').map(corner).collect()).collect();
    let (mut expected, mut first) = (Vec::new(), 1);
    for mesh in models.iter().map(|m| &m.mesh) {
        expected.extend(mesh.triangles.iter().map(|t| t.map(|i| i + first).to_vec()));
        expected.extend(mesh.quads.iter().map(|q| q.map(|i| i + first).to_vec()));
        first += mesh.positions.len() as u32;
    }
    assert_eq!(faces, expected);

    let library = std::fs::read_to_string(folder.join("out.mtl")).unwrap();
    let start = "newmtl a_ring\nKd 0.8 0.1 0.2\nillum 1\nnewmtl blob\nKd 0.25 0.5 0.75\n";
    assert!(library.starts_with(start), "{library}");
}

#[test]
fn bodies_whose_names_are_the_same_word_stay_apart() {
    let folder = Folder::new("export-words");
    let mut moments = moments(2);
    for moment in &mut moments {
        for (model, name) in moment.models.iter_mut().zip(["a b", "a_b", ""]) {
            model.name = name.to_owned();
        }
    }
    // Whatever order they come in later.
    moments[1].models.reverse();
    export::write(folder.join("out.obj"), &moments).unwrap();
    for (frame, words) in [("0010", ["a_b", "a_b.2", "_"]), ("0012", ["_", "a_b.2", "a_b"])] {
        let text = std::fs::read_to_string(folder.join(&format!("out.{frame}.obj"))).unwrap();
        assert_eq!(text.lines().filter_map(|l| rest(l, "o")).collect::<Vec<_>>(), words);
    }
}

#[test]
fn a_body_that_comes_later_gets_its_colour_too() {
    let folder = Folder::new("export-late");
    let mut moments = moments(2);
    moments[0].models.truncate(1);
    let written = export::write(folder.join("out.obj"), &moments).unwrap();
    assert_eq!(super::file_names(&written), ["out.mtl", "out.0010.obj", "out.0012.obj"]);
    let library = std::fs::read_to_string(folder.join("out.mtl")).unwrap();
    assert_eq!(library.matches("newmtl").count(), 3);
}

#[test]
fn a_ply_comes_back_bit_for_bit() {
    let folder = Folder::new("export-ply");
    export::write(folder.join("out.ply"), &moments(1)).unwrap();
    let bytes = std::fs::read(folder.join("out.ply")).unwrap();
    let end = b"end_header\n";
    let body = bytes.windows(end.len()).position(|w| w == end).unwrap() + end.len();
    let header = std::str::from_utf8(&bytes[..body]).unwrap();
    let models = moment(0).models;
    let vertices: usize = models.iter().map(|m| m.mesh.positions.len()).sum();
    let faces: usize = models.iter().map(|m| m.mesh.triangles.len() + m.mesh.quads.len()).sum();
    let reals: String = ["x", "y", "z", "nx", "ny", "nz", "pressure", "vx", "vy", "vz"]
        .map(|name| format!("property double {name}\n"))
        .concat();
    let version = env!("CARGO_PKG_VERSION");
    let expected = format!(
        "ply\nformat binary_little_endian 1.0\ncomment Pliant {version}: frame 10, 0.4 s; metres, z up\n\
         comment body 0 a ring\ncomment body 1 blob\ncomment body 2 block #2\nelement vertex {vertices}\n{reals}\
         property uint body\nproperty uint element\nelement face {faces}\n\
         property list uchar int vertex_indices\nend_header\n"
    );
    assert_eq!(header, expected);

    let mut rest = &bytes[body..];
    let mut take = |n: usize| {
        let (taken, left) = rest.split_at(n);
        rest = left;
        taken
    };
    for (k, mesh) in models.iter().map(|m| &m.mesh).enumerate() {
        for i in 0..mesh.positions.len() {
            let (p, n, v) = (mesh.positions[i], mesh.normals[i], mesh.velocity[i]);
            for real in [p.x, p.y, p.z, n.x, n.y, n.z, mesh.pressure[i], v.x, v.y, v.z] {
                assert_eq!(take(8), real.to_le_bytes());
            }
            assert_eq!((take(4), take(4)), (&(k as u32).to_le_bytes()[..], &mesh.element[i].to_le_bytes()[..]));
        }
    }
    let mut first = 0;
    for mesh in models.iter().map(|m| &m.mesh) {
        for face in mesh.triangles.iter().map(|t| &t[..]).chain(mesh.quads.iter().map(|q| &q[..])) {
            assert_eq!(take(1), [face.len() as u8]);
            for i in face {
                assert_eq!(take(4), (first + i).to_le_bytes());
            }
        }
        first += mesh.positions.len() as u32;
    }
    assert!(rest.is_empty());
}

#[test]
fn an_stl_holds_all_triangles_with_normals_that_point_outward() {
    let folder = Folder::new("export-stl");
    export::write(folder.join("out.stl"), &moments(1)).unwrap();
    let bytes = std::fs::read(folder.join("out.stl")).unwrap();
    let models = moment(0).models;
    let triangles: Vec<[DVec3; 3]> = models
        .iter()
        .flat_map(|m| m.mesh.all_triangles().map(|t| t.map(|i| m.mesh.positions[i as usize])).collect::<Vec<_>>())
        .collect();
    assert!(bytes.starts_with(b"Pliant "));
    assert_eq!(bytes[80..84], (triangles.len() as u32).to_le_bytes());
    assert_eq!(bytes.len(), 84 + 50 * triangles.len());
    for (record, [a, b, c]) in bytes[84..].chunks_exact(50).zip(triangles) {
        let real = |k: usize| f64::from(f32::from_le_bytes(record[4 * k..][..4].try_into().unwrap()));
        let vector = |k: usize| DVec3::new(real(3 * k), real(3 * k + 1), real(3 * k + 2));
        assert_eq!([vector(1), vector(2), vector(3)], [a, b, c].map(|p| p.as_vec3().as_dvec3()));
        assert!(vector(0).distance((b - a).cross(c - a).normalize()) < 1e-6);
        assert_eq!(record[48..], [0, 0]);
    }
}
