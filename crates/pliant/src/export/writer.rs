//! The writer of frames: one file a frame, or one file for an animation, by the format.

use super::error::ExportError;
use super::format::MeshFormat;
use super::frame::MeshFrame;
use super::output::{begin, numbered, save};
use super::{check, glb, obj, ply, stl};
use std::path::{Path, PathBuf};

impl MeshFormat {
    /// The format with the extension of `path`.
    pub fn of(path: impl AsRef<Path>) -> Result<Self, ExportError> {
        let path = path.as_ref();
        let end = path.extension().unwrap_or_default();
        let found = Self::ALL.into_iter().find(|f| end.eq_ignore_ascii_case(f.extension()));
        found.ok_or_else(|| ExportError::UnknownFormat(path.to_owned()))
    }
}

/// Writes frames to `path`, or to numbered files if there are several and the format holds one; returns the paths of the
/// files written. All frames are checked before anything is written.
pub fn write(path: impl AsRef<Path>, mesh_frames: &[MeshFrame]) -> Result<Vec<PathBuf>, ExportError> {
    let path = path.as_ref();
    let mut writer = MeshWriter::begin(path, mesh_frames.len())?;
    let mut before = None;
    for mesh_frame in mesh_frames {
        check::order(path, before, mesh_frame)?;
        check::contents(path, mesh_frame)?;
        before = Some((mesh_frame.frame, mesh_frame.time));
    }
    mesh_frames.iter().try_for_each(|mesh_frame| writer.add_checked(mesh_frame))?;
    writer.finish()
}

/// Writes frames one after another. Dropped before [`MeshWriter::finish`], it leaves finished files of a sequence, and of
/// an animation nothing.
#[derive(Debug)]
pub struct MeshWriter {
    path: PathBuf,
    /// Number of frames announced.
    count: usize,
    /// Number and time of the last frame.
    last: Option<(usize, f64)>,
    added: usize,
    written: Vec<PathBuf>,
    kind: FileKind,
}

#[derive(Debug)]
enum FileKind {
    Glb(Box<glb::Glb>),
    /// `saved` is the number of materials in the library on disk.
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
        check::order(&self.path, self.last, mesh_frame)?;
        check::contents(&self.path, mesh_frame)?;
        self.add_checked(mesh_frame)
    }

    /// Writes a frame that has been checked.
    fn add_checked(&mut self, mesh_frame: &MeshFrame) -> Result<(), ExportError> {
        if self.added == self.count {
            return Err(ExportError::TooManyFrames { path: self.path.clone(), count: self.count });
        }
        let path = if self.count == 1 { self.path.clone() } else { numbered(&self.path, mesh_frame.frame) };
        let result = match &mut self.kind {
            FileKind::Glb(glb) => glb.add(mesh_frame),
            FileKind::Obj { materials, saved } => {
                let library = self.path.with_extension("mtl");
                materials.add(&mesh_frame.models);
                if *saved < materials.count() {
                    save(&library, |out| materials.write(out))?;
                    if *saved == 0 {
                        self.written.push(library.clone());
                    }
                    *saved = materials.count();
                }
                save(&path, |out| obj::write(out, mesh_frame, materials, &library))
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

    /// Ends with the frames added so far, even if they are fewer than announced; returns the paths of the files written.
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
