//! Export: meshes of bodies as files for other programs.
//!
//! *The idea*: a [`MeshFrame`] holds a [`MeshModel`] of each body; the end of the file's name says the format. [`write()`]
//! takes all frames at once, [`MeshWriter`] one after another, so that a long animation never lies in memory.
//!
//! | | bodies | several frames | carries besides positions | numbers |
//! |---|---|---|---|---|
//! | `.glb` | a node and a mesh each | one file, animated | normals, colours, `_PRESSURE`, `_VELOCITY_X` `_Y` `_Z`, `_ELEMENT` | `f32` |
//! | `.ply` | property `body`, names in comments | a file each | normals, pressure, velocity, element, quads | `f64` |
//! | `.obj` | an object each | a file each, one `.mtl` | normals, colours, quads | decimal, all digits |
//! | `.stl` | one soup of triangles, names are lost | a file each | nothing | `f32` |
//!
//! Files of a sequence are numbered by frame: `out.0012.obj`. Lengths are metres and z is up; glTF wants y up, so its
//! root node is turned, and readers that follow the format show the same world. Others ask which way is up: Blender's
//! importers of OBJ, PLY and STL have a setting for it.
//!
//! *What is promised*: the same frames give the same bytes. Files are written beside and renamed: whatever fails, no
//! file is left half-written, and finished frames of a sequence are kept. *Not promised*: that a killed process takes
//! the file with it that it was writing (its name ends in `.part`).

mod check;
mod error;
mod format;
mod frame;
mod glb;
mod obj;
mod ply;
mod stl;

pub use error::{ExportError, ModelFault};
pub use format::MeshFormat;
pub use frame::{MeshFrame, MeshModel};

use pliant_files::{AtomicFile, AtomicFileError};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

impl MeshFormat {
    /// The format a file's name asks for.
    pub fn of(path: impl AsRef<Path>) -> Result<Self, ExportError> {
        let path = path.as_ref();
        let end = path.extension().unwrap_or_default();
        let found = Self::ALL.into_iter().find(|f| end.eq_ignore_ascii_case(f.extension()));
        found.ok_or_else(|| ExportError::UnknownFormat(path.to_owned()))
    }
}

/// Writes `frames` to `path`, or to numbered files when there are several and the format holds one; which. All are
/// looked through before anything is written.
pub fn write(path: impl AsRef<Path>, mesh_frames: &[MeshFrame]) -> Result<Vec<PathBuf>, ExportError> {
    let path = path.as_ref();
    let mut writer = MeshWriter::begin(path, mesh_frames.len())?;
    let mut before = None;
    for mesh_frame in mesh_frames {
        check::follows(path, before, mesh_frame)?;
        check::is_sound(path, mesh_frame)?;
        before = Some((mesh_frame.frame, mesh_frame.time));
    }
    mesh_frames.iter().try_for_each(|mesh_frame| writer.add_sound(mesh_frame))?;
    writer.finish()
}

/// Writes frames one after another. Dropped before [`MeshWriter::finish`], it leaves finished files of a sequence, and of
/// an animation nothing.
#[derive(Debug)]
pub struct MeshWriter {
    path: PathBuf,
    /// How many frames were said to come.
    count: usize,
    /// Frame and time of the last one.
    last: Option<(usize, f64)>,
    added: usize,
    written: Vec<PathBuf>,
    kind: FileKind,
}

#[derive(Debug)]
enum FileKind {
    Glb(Box<glb::Glb>),
    /// With how many of the materials are in the library on disk.
    Obj {
        materials: obj::Materials,
        saved: usize,
    },
    Ply,
    Stl,
}

impl MeshWriter {
    /// Begins to write `count` frames to `path`; numbered if they are several and the format holds one. A path that
    /// cannot be written is refused here, before anyone has waited for meshes.
    pub fn begin(path: impl AsRef<Path>, count: usize) -> Result<Self, ExportError> {
        let path = path.as_ref().to_owned();
        let format = MeshFormat::of(&path)?;
        if count == 0 {
            return Err(ExportError::NoFrames(path));
        }
        drop(begin(&path)?);
        let kind = match format {
            MeshFormat::Glb => FileKind::Glb(Box::new(glb::Glb::begin(&path)?)),
            MeshFormat::Obj => FileKind::Obj { materials: obj::Materials::default(), saved: 0 },
            MeshFormat::Ply => FileKind::Ply,
            MeshFormat::Stl => FileKind::Stl,
        };
        Ok(Self { path, count, last: None, added: 0, written: Vec::new(), kind })
    }

    /// Writes the next frame.
    pub fn add(&mut self, mesh_frame: &MeshFrame) -> Result<(), ExportError> {
        check::follows(&self.path, self.last, mesh_frame)?;
        check::is_sound(&self.path, mesh_frame)?;
        self.add_sound(mesh_frame)
    }

    /// Writes a frame that was looked through.
    fn add_sound(&mut self, mesh_frame: &MeshFrame) -> Result<(), ExportError> {
        if self.added == self.count {
            return Err(ExportError::TooManyFrames { path: self.path.clone(), count: self.count });
        }
        let path = if self.count == 1 { self.path.clone() } else { numbered(&self.path, mesh_frame.frame) };
        let result = match &mut self.kind {
            FileKind::Glb(glb) => glb.add(mesh_frame),
            FileKind::Obj { materials, saved } => {
                let library = self.path.with_extension("mtl");
                materials.learn(&mesh_frame.models);
                if *saved < materials.count() {
                    save(&library, |out| materials.write(out))?;
                    if *saved == 0 {
                        self.written.push(library.clone());
                    }
                    *saved = materials.count();
                }
                save(&path, |out| obj::write(out, mesh_frame, (materials, &library)))
            }
            FileKind::Ply => save(&path, |out| ply::write(out, mesh_frame)),
            FileKind::Stl => save(&path, |out| stl::write(out, mesh_frame)),
        };
        result?;
        if !matches!(self.kind, FileKind::Glb(_)) {
            self.written.push(path);
        }
        self.last = Some((mesh_frame.frame, mesh_frame.time));
        self.added += 1;
        Ok(())
    }

    /// Ends with the frames added so far, be they fewer than was said; the files that were written.
    pub fn finish(mut self) -> Result<Vec<PathBuf>, ExportError> {
        if self.added == 0 {
            return Err(ExportError::NoFrames(self.path));
        }
        if let FileKind::Glb(glb) = self.kind {
            glb.finish()?;
            self.written.push(self.path);
        }
        Ok(self.written)
    }
}

/// A file being written beside its place.
type Part = BufWriter<AtomicFile>;

fn begin(path: &Path) -> Result<Part, ExportError> {
    let refused = |why: AtomicFileError| match why {
        AtomicFileError::Io(error) => ExportError::io(path)(error),
        AtomicFileError::NotAFile | AtomicFileError::Busy | AtomicFileError::InTheWay(_) => {
            ExportError::NotAFile(path.to_owned())
        }
    };
    AtomicFile::create(path).map(BufWriter::new).map_err(refused)
}

/// Writes a file beside and renames it.
fn save(path: &Path, write: impl FnOnce(&mut Part) -> io::Result<()>) -> Result<(), ExportError> {
    let mut part = begin(path)?;
    let written = write(&mut part).and_then(|()| part.into_inner().map_err(|error| error.into_error()));
    written.and_then(AtomicFile::commit).map_err(ExportError::io(path))?;
    Ok(())
}

/// `out.obj` of frame 12 is `out.0012.obj`.
fn numbered(path: &Path, frame: usize) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!(".{frame:04}."));
    name.push(path.extension().unwrap_or_default());
    path.with_file_name(name)
}

/// What files say about themselves.
fn signature(mesh_frame: &MeshFrame) -> String {
    format!("Pliant {}: frame {}, {} s; metres, z up", env!("CARGO_PKG_VERSION"), mesh_frame.frame, mesh_frame.time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_before_the_extension_however_many_dots_a_name_has() {
        assert_eq!(numbered(Path::new("a/out.obj"), 12), Path::new("a/out.0012.obj"));
        assert_eq!(numbered(Path::new("a.b/v1.2.PLY"), 12345), Path::new("a.b/v1.2.12345.PLY"));
    }
}
