//! Reads scene files without trusting them: a size limit that also holds for pipes, and text only.

use super::error::SceneError;
use super::limits::LARGEST_FILE;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// The text of the scene file at `path`, which may be a pipe.
pub fn read_file(path: impl AsRef<Path>) -> Result<String, SceneError> {
    let path = path.as_ref();
    let name = path.to_string_lossy();
    let refuse = |error: std::io::Error| {
        let help =
            (error.kind() == ErrorKind::NotFound).then_some("check the path, or make a scene with: pliant new NAME");
        let message = match error.kind() {
            ErrorKind::NotFound => "there is no such file".to_owned(),
            ErrorKind::PermissionDenied => "no permission to read this file".to_owned(),
            _ => format!("cannot be read: {error}"),
        };
        SceneError::whole(&name, message, help)
    };
    let metadata = std::fs::metadata(path).map_err(refuse)?;
    if metadata.is_dir() {
        return Err(SceneError::whole(&name, "this is a directory", Some("give a scene file inside it")));
    }
    if metadata.len() > LARGEST_FILE {
        return Err(too_large(&name));
    }
    read(File::open(path).map_err(refuse)?, &name)
}

/// The text of a scene from any source, such as standard input; stops at the size limit.
pub fn read(source: impl Read, name: &str) -> Result<String, SceneError> {
    let mut bytes = Vec::new();
    if let Err(error) = source.take(LARGEST_FILE + 1).read_to_end(&mut bytes) {
        return Err(SceneError::whole(name, format!("cannot be read: {error}"), None));
    }
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(too_large(name));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|b| **b == b'\n').count() + 1;
        let message = format!("not UTF-8 text: byte {at}, on line {line}");
        SceneError::whole(name, message, Some("save the scene as UTF-8; caches are opened with pliant inspect"))
    })
}

pub(super) fn too_large(name: &str) -> SceneError {
    let message = format!("larger than {} MB, the most a scene may be", LARGEST_FILE >> 20);
    SceneError::whole(name, message, Some("is this a scene? A mesh in it needs fewer triangles"))
}

/// Roughly the memory that parsing `text` takes, from its separators alone; those in strings and comments count too.
///
/// The costs were measured: a table holds a tree node for eleven keys, and every part of a dotted key is a table.
pub(super) fn parsed_size(text: &str) -> usize {
    const TOKEN: usize = 50;
    const VALUE: usize = 150;
    const TABLE: usize = 1600;
    let (mut size, mut dots, mut line_start) = (0usize, 0usize, true);
    for byte in text.bytes() {
        match byte {
            b'.' => dots += 1,
            b'=' => size += VALUE + TABLE * std::mem::take(&mut dots),
            b'{' => size += TABLE,
            b'[' if line_start => size += TABLE,
            b',' | b'[' => size += VALUE,
            b'\n' | b'#' => size += TOKEN,
            _ => {}
        }
        if matches!(byte, b',' | b'[' | b']' | b'\n') {
            // One dot is a number's.
            size += TABLE * std::mem::take(&mut dots).saturating_sub(1);
        }
        line_start = byte == b'\n' || (line_start && byte == b' ');
    }
    size
}
