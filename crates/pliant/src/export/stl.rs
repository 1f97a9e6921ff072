//! Binary STL: triangles with their own normals, and nothing else. Names, colours, values and the assignment of
//! triangles to bodies are lost.

use super::frame::MeshFrame;
use crate::math::DVec3;
use std::io::{self, Write};

/// Bytes before the count of triangles.
const HEADER: usize = 80;

/// Writes one frame.
pub fn write(out: &mut impl Write, mesh_frame: &MeshFrame) -> io::Result<()> {
    // It must not begin with "solid", as text files do.
    let mut header = mesh_frame.signature().into_bytes();
    header.resize(HEADER, 0);
    out.write_all(&header)?;
    let triangles = || mesh_frame.models.iter().flat_map(|m| m.mesh.all_triangles().map(|t| (&m.mesh, t)));
    out.write_all(&(triangles().count() as u32).to_le_bytes())?;
    for (mesh, triangle) in triangles() {
        let [a, b, c] = triangle.map(|i| mesh.positions[i as usize]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        for v in [normal, a, b, c] {
            out.write_all(&bytes(v))?;
        }
        // Attributes that nobody agreed on.
        out.write_all(&[0; 2])?;
    }
    Ok(())
}

fn bytes(v: DVec3) -> [u8; 12] {
    let mut bytes = [0; 12];
    for (bytes, x) in bytes.chunks_exact_mut(4).zip(v.as_vec3().to_array()) {
        bytes.copy_from_slice(&x.to_le_bytes());
    }
    bytes
}
