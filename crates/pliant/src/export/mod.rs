//! Export: meshes of bodies as files for other programs.
//!
//! *The idea*: a [`Moment`] holds a [`Model`] of each body; the end of the file's name says the format. [`write()`]
//! takes all moments at once, [`Writer`] one after another, so that a long animation never lies in memory.
//!
//! | | bodies | several moments | carries besides positions | numbers |
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
//! *What is promised*: the same moments give the same bytes. Files are written beside and renamed: whatever fails, no
//! file is left half-written, and finished frames of a sequence are kept. *Not promised*: that a killed process takes
//! the file with it that it was writing (its name ends in `.part`).

mod check;
mod error;
mod glb;
mod obj;
mod ply;
mod stl;

pub use error::{ExportError, ModelFault};

use crate::surface::Mesh;
use pliant_files::{AtomicFile, AtomicFileError};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// A body as other programs will see it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Of the body; the same in every moment, and no other body's.
    pub name: String,
    /// Linear red, green and blue, 0 to 1. That of a body's first moment counts for all.
    pub color: [f32; 3],
    /// Its visible surface.
    pub mesh: Mesh,
}

/// All bodies at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    /// Number of the frame, which numbers files.
    pub frame: usize,
    /// Seconds. Animations begin at 0, whenever their first moment is.
    pub time: f64,
    /// At least one.
    pub models: Vec<Model>,
}

/// What can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// glTF 2.0, binary.
    Glb,
    /// Wavefront OBJ.
    Obj,
    /// Stanford polygons, binary, little-endian.
    Ply,
    /// Stereolithography, binary.
    Stl,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 4] = [Self::Glb, Self::Obj, Self::Ply, Self::Stl];

    /// How names of such files end, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Glb => "glb",
            Self::Obj => "obj",
            Self::Ply => "ply",
            Self::Stl => "stl",
        }
    }

    /// Whether quads stay quads in such files; in others they are cut.
    pub const fn has_quads(self) -> bool {
        matches!(self, Self::Obj | Self::Ply)
    }

    /// The format a file's name asks for.
    pub fn of(path: impl AsRef<Path>) -> Result<Self, ExportError> {
        let path = path.as_ref();
        let end = path.extension().unwrap_or_default();
        let found = Self::ALL.into_iter().find(|f| end.eq_ignore_ascii_case(f.extension()));
        found.ok_or_else(|| ExportError::UnknownFormat(path.to_owned()))
    }
}

/// Writes `moments` to `path`, or to numbered files when there are several and the format holds one; which. All are
/// looked through before anything is written.
pub fn write(path: impl AsRef<Path>, moments: &[Moment]) -> Result<Vec<PathBuf>, ExportError> {
    let path = path.as_ref();
    let mut writer = Writer::begin(path, moments.len())?;
    let mut before = None;
    for moment in moments {
        check::follows(path, before, moment)?;
        check::is_sound(path, moment)?;
        before = Some((moment.frame, moment.time));
    }
    moments.iter().try_for_each(|moment| writer.add_sound(moment))?;
    writer.finish()
}

/// Writes moments one after another. Dropped before [`Writer::finish`], it leaves finished files of a sequence, and of
/// an animation nothing.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    /// How many moments were said to come.
    count: usize,
    /// Frame and time of the last one.
    last: Option<(usize, f64)>,
    added: usize,
    written: Vec<PathBuf>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Glb(Box<glb::Glb>),
    /// With how many of the materials are in the library on disk.
    Obj {
        materials: obj::Materials,
        saved: usize,
    },
    Ply,
    Stl,
}

impl Writer {
    /// Begins to write `count` moments to `path`; numbered if they are several and the format holds one. A path that
    /// cannot be written is refused here, before anyone has waited for meshes.
    pub fn begin(path: impl AsRef<Path>, count: usize) -> Result<Self, ExportError> {
        let path = path.as_ref().to_owned();
        let format = Format::of(&path)?;
        if count == 0 {
            return Err(ExportError::NoMoments(path));
        }
        drop(begin(&path)?);
        let kind = match format {
            Format::Glb => Kind::Glb(Box::new(glb::Glb::begin(&path)?)),
            Format::Obj => Kind::Obj { materials: obj::Materials::default(), saved: 0 },
            Format::Ply => Kind::Ply,
            Format::Stl => Kind::Stl,
        };
        Ok(Self { path, count, last: None, added: 0, written: Vec::new(), kind })
    }

    /// Writes the next moment.
    pub fn add(&mut self, moment: &Moment) -> Result<(), ExportError> {
        check::follows(&self.path, self.last, moment)?;
        check::is_sound(&self.path, moment)?;
        self.add_sound(moment)
    }

    /// Writes a moment that was looked through.
    fn add_sound(&mut self, moment: &Moment) -> Result<(), ExportError> {
        if self.added == self.count {
            return Err(ExportError::TooManyMoments { path: self.path.clone(), count: self.count });
        }
        let path = if self.count == 1 { self.path.clone() } else { numbered(&self.path, moment.frame) };
        let result = match &mut self.kind {
            Kind::Glb(glb) => glb.add(moment),
            Kind::Obj { materials, saved } => {
                let library = self.path.with_extension("mtl");
                materials.learn(&moment.models);
                if *saved < materials.count() {
                    save(&library, |out| materials.write(out))?;
                    if *saved == 0 {
                        self.written.push(library.clone());
                    }
                    *saved = materials.count();
                }
                save(&path, |out| obj::write(out, moment, (materials, &library)))
            }
            Kind::Ply => save(&path, |out| ply::write(out, moment)),
            Kind::Stl => save(&path, |out| stl::write(out, moment)),
        };
        result?;
        if !matches!(self.kind, Kind::Glb(_)) {
            self.written.push(path);
        }
        self.last = Some((moment.frame, moment.time));
        self.added += 1;
        Ok(())
    }

    /// Ends with the moments added so far, be they fewer than was said; the files that were written.
    pub fn finish(mut self) -> Result<Vec<PathBuf>, ExportError> {
        if self.added == 0 {
            return Err(ExportError::NoMoments(self.path));
        }
        if let Kind::Glb(glb) = self.kind {
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
fn signature(moment: &Moment) -> String {
    format!("Pliant {}: frame {}, {} s; metres, z up", env!("CARGO_PKG_VERSION"), moment.frame, moment.time)
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
