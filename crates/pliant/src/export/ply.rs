//! Binary PLY: the format that loses nothing. All bodies share one list of vertices, with body and element as properties;
//! names of bodies are in comments. Numbers are `f64`; triangles stay triangles and quads quads.
//!
//! *Not promised*: that every reader takes both in one file. Blender does; trimesh reads faces of one kind only, so cut
//! quads for it ([`Mesh::triangulated`](crate::surface::Mesh::triangulated)).

use super::frame::MeshFrame;
use std::io::{self, Write};

/// Properties of a vertex before `body` and `element`.
const REALS: [&str; 10] = ["x", "y", "z", "nx", "ny", "nz", "pressure", "vx", "vy", "vz"];

/// Writes one frame.
pub fn write(out: &mut impl Write, mesh_frame: &MeshFrame) -> io::Result<()> {
    let vertices: usize = mesh_frame.models.iter().map(|m| m.mesh.positions.len()).sum();
    let faces: usize = mesh_frame.models.iter().map(|m| m.mesh.triangles.len() + m.mesh.quads.len()).sum();
    writeln!(out, "ply\nformat binary_little_endian 1.0\ncomment {}", mesh_frame.signature())?;
    for (body, model) in mesh_frame.models.iter().enumerate() {
        writeln!(out, "comment body {body} {}", model.name.replace(char::is_control, " "))?;
    }
    writeln!(out, "element vertex {vertices}")?;
    for name in REALS {
        writeln!(out, "property double {name}")?;
    }
    // Not every reader knows unsigned indices; the bits are the same as long as there are few.
    let index = if i32::try_from(vertices).is_ok() { "int" } else { "uint" };
    writeln!(out, "property uint body\nproperty uint element")?;
    writeln!(out, "element face {faces}\nproperty list uchar {index} vertex_indices\nend_header")?;

    for (body, model) in mesh_frame.models.iter().enumerate() {
        let mesh = &model.mesh;
        for i in 0..mesh.positions.len() {
            let (p, n, v) = (mesh.positions[i], mesh.normals[i], mesh.velocity[i]);
            for real in [p.x, p.y, p.z, n.x, n.y, n.z, mesh.pressure[i], v.x, v.y, v.z] {
                out.write_all(&real.to_le_bytes())?;
            }
            out.write_all(&(body as u32).to_le_bytes())?;
            out.write_all(&mesh.element[i].to_le_bytes())?;
        }
    }
    let mut first = 0;
    for model in &mesh_frame.models {
        for face in model.mesh.faces() {
            out.write_all(&[face.len() as u8])?;
            for i in face {
                out.write_all(&(first + i).to_le_bytes())?;
            }
        }
        first += model.mesh.positions.len() as u32;
    }
    Ok(())
}
