//! The container: arrays one after another, a description in JSON, and both in one file.

use crate::export::error::ExportError;
use crate::export::output::{Part, begin, save};
use serde_json::{Map, Value, json};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

/// glTF's numbers for types and uses.
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

/// The file and chunk heads: magic, version, length; length and kind of the JSON; of the arrays.
const HEADS: u64 = 12 + 8 + 8;

/// Use of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A value for each vertex.
    Vertices,
    /// Keys of an animation.
    Keys,
}

/// A file being written. Arrays go to a file of their own, because the JSON that describes them all comes first.
#[derive(Debug)]
pub struct File {
    path: PathBuf,
    arrays: Part,
    length: u64,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl File {
    /// Begins the file that will be at `path`.
    pub fn begin(path: &Path) -> Result<Self, ExportError> {
        let mut beside = path.as_os_str().to_owned();
        beside.push(".arrays");
        let arrays = begin(Path::new(&beside))?;
        Ok(Self { path: path.to_owned(), arrays, length: 0, views: Vec::new(), accessors: Vec::new() })
    }

    /// Path of the finished file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Fails if the file would grow too large with so many bytes of arrays more.
    pub fn has_room_for(&self, bytes: u64) -> Result<(), ExportError> {
        let total = HEADS + self.length + bytes;
        if total > u64::from(u32::MAX) { Err(ExportError::TooLarge(self.path.clone())) } else { Ok(()) }
    }

    /// Adds vectors of `N` numbers, with their extents; the index of the accessor.
    pub fn floats<const N: usize>(&mut self, values: &[[f32; N]], role: Role) -> Result<usize, ExportError> {
        let (mut min, mut max) = ([f32::INFINITY; N], [f32::NEG_INFINITY; N]);
        for value in values {
            for (k, x) in value.iter().enumerate() {
                (min[k], max[k]) = (min[k].min(*x), max[k].max(*x));
            }
        }
        let target = (role == Role::Vertices).then_some(ARRAY_BUFFER);
        let kind = if N == 1 { "SCALAR" } else { "VEC3" };
        self.array(values.as_flattened().iter().map(|x| x.to_le_bytes()), target)?;
        // Printed with all digits of the `f32` they are: readers compare them with the array.
        Ok(self.accessor(json!({
            "componentType": FLOAT, "count": values.len(), "type": kind, "min": min.to_vec(), "max": max.to_vec(),
        })))
    }

    /// Adds indices of vertices; the index of the accessor.
    pub fn indices(&mut self, triangles: &[[u32; 3]]) -> Result<usize, ExportError> {
        self.array(triangles.as_flattened().iter().map(|i| i.to_le_bytes()), Some(ELEMENT_ARRAY_BUFFER))?;
        Ok(self.accessor(json!({ "componentType": UNSIGNED_INT, "count": 3 * triangles.len(), "type": "SCALAR" })))
    }

    /// Every number has four bytes, so that every array begins where it should.
    fn array(&mut self, words: impl ExactSizeIterator<Item = [u8; 4]>, target: Option<u32>) -> Result<(), ExportError> {
        let bytes = 4 * words.len() as u64;
        let mut view = json!({ "buffer": 0, "byteOffset": self.length, "byteLength": bytes });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.views.push(view);
        self.length += bytes;
        words.into_iter().try_for_each(|word| self.arrays.write_all(&word)).map_err(ExportError::io(&self.path))
    }

    /// Describes the last array.
    fn accessor(&mut self, mut accessor: Value) -> usize {
        accessor["bufferView"] = (self.views.len() - 1).into();
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Writes the file at its path: `json`, completed by the list of arrays, and the arrays.
    pub fn finish(mut self, mut json: Map<String, Value>) -> Result<(), ExportError> {
        json.insert("buffers".to_owned(), json!([{ "byteLength": self.length }]));
        json.insert("bufferViews".to_owned(), self.views.into());
        json.insert("accessors".to_owned(), self.accessors.into());
        let mut text = Value::from(json).to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let total = HEADS + text.len() as u64 + self.length;
        let Ok(total) = u32::try_from(total) else { return Err(ExportError::TooLarge(self.path)) };
        save(&self.path, |out| {
            out.write_all(b"glTF")?;
            for word in [2, total, text.len() as u32] {
                out.write_all(&u32::to_le_bytes(word))?;
            }
            out.write_all(b"JSON")?;
            out.write_all(&text)?;
            out.write_all(&(self.length as u32).to_le_bytes())?;
            out.write_all(b"BIN\0")?;
            // Flushes the buffer.
            self.arrays.rewind()?;
            if io::copy(self.arrays.get_mut(), out)? == self.length {
                return Ok(());
            }
            Err(io::Error::new(io::ErrorKind::WriteZero, "an earlier write failed; write it again from the beginning"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nobody writes four gigabytes in a test; it is asked before they are.
    #[test]
    fn what_a_glb_cannot_count_is_told() {
        let path = std::env::temp_dir().join(format!("pliant-glb-room-{}.glb", std::process::id()));
        let mut file = File::begin(&path).unwrap();
        file.length = u64::from(u32::MAX) - HEADS - 100;
        assert!(file.has_room_for(100).is_ok());
        let said = file.has_room_for(104).unwrap_err().to_string();
        assert!(said.contains("larger than the 4 GiB a .glb can be; write fewer frames"), "{said}");
        // Nor does it claim to be whole when it is not.
        assert!(matches!(file.finish(Map::new()), Err(ExportError::TooLarge(_) | ExportError::Io { .. })));
        assert!(!path.exists());
    }
}
