//! Wavefront OBJ: text. An object and a material for each body; positions with all their digits, normals as `f32`,
//! quads kept. One library of materials serves all files of a sequence.

use super::frame::{MeshFrame, MeshModel};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;

/// Names of bodies in OBJ files, and their colours. Kept from file to file.
#[derive(Debug, Default)]
pub struct Materials {
    /// Index in `listed`, by the body's own name.
    known: BTreeMap<String, usize>,
    /// Names that are taken.
    taken: BTreeSet<String>,
    /// Name and colour, in order of first appearance.
    listed: Vec<(String, [f32; 3])>,
}

impl Materials {
    /// Adds materials for bodies not seen before.
    pub fn add(&mut self, models: &[MeshModel]) {
        for model in models {
            if !self.known.contains_key(&model.name) {
                let name = self.free(&word(&model.name));
                self.known.insert(model.name.clone(), self.listed.len());
                self.taken.insert(name.clone());
                self.listed.push((name, model.color));
            }
        }
    }

    /// Number of materials.
    pub fn count(&self) -> usize {
        self.listed.len()
    }

    /// `word`, or the first of `word.2`, `word.3` and so on that no other body has.
    fn free(&self, word: &str) -> String {
        let names = std::iter::once(word.to_owned()).chain((2..).map(|n| format!("{word}.{n}")));
        names.into_iter().find(|name| !self.taken.contains(name)).unwrap_or_default()
    }

    /// Writes the material library (MTL).
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        for (name, [r, g, b]) in &self.listed {
            // Illumination 1 is matt.
            writeln!(out, "newmtl {name}\nKd {r} {g} {b}\nillum 1")?;
        }
        Ok(())
    }
}

/// Writes one frame. `materials` must contain its bodies; `library` is the path of the material library.
pub fn write(out: &mut impl Write, mesh_frame: &MeshFrame, materials: &Materials, library: &Path) -> io::Result<()> {
    let library = library.file_name().unwrap_or_default().to_string_lossy().replace(char::is_control, "_");
    writeln!(out, "# {}\nmtllib {library}", mesh_frame.signature())?;
    // Vertices are counted from 1, through all objects of the file.
    let mut first = 1;
    for model in &mesh_frame.models {
        let (name, mesh) = (&materials.listed[materials.known[&model.name]].0, &model.mesh);
        writeln!(out, "o {name}\nusemtl {name}")?;
        for p in &mesh.positions {
            writeln!(out, "v {} {} {}", p.x, p.y, p.z)?;
        }
        for n in mesh.normals.iter().map(|n| n.as_vec3()) {
            writeln!(out, "vn {} {} {}", n.x, n.y, n.z)?;
        }
        for face in mesh.faces() {
            write!(out, "f")?;
            for i in face.iter().map(|i| i + first) {
                write!(out, " {i}//{i}")?;
            }
            writeln!(out)?;
        }
        first += mesh.positions.len() as u32;
    }
    Ok(())
}

/// A name without characters that have a meaning in the format: spaces, `#`, `\`.
fn word(name: &str) -> String {
    let odd = |c: char| c.is_whitespace() || c.is_control() || c == '#' || c == '\\';
    let word = name.replace(odd, "_");
    if word.is_empty() { "_".to_owned() } else { word }
}
