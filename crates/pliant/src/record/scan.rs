//! Scanning a cache: its header, the positions of whole frames, and the state of the rest.

use super::RecordError;
use super::format::{FRAME_PREFIX, HEADER_PREFIX, Header, MAGIC, Prefix, VERSION};
use super::state_codec::decode_warnings;
use crate::scene::LARGEST_FILE;
use crate::state::Warning;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

/// Bytes after the last whole frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tail {
    /// None.
    Clean,
    /// A part of a frame, this many bytes, that was being written when the run was killed.
    Torn(u64),
    /// Bytes that were changed, or never were a frame; with the reason.
    Damaged(String),
}

/// Position of a frame in the file.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// First byte of its prefix.
    pub byte: u64,
    pub prefix: Prefix,
    /// Number of warnings up to and with this frame.
    pub warnings: usize,
}

/// Result of a scan.
#[derive(Debug)]
pub struct Scan {
    pub header: Header,
    pub places: Vec<Place>,
    pub warnings: Vec<Warning>,
    /// Byte after the last whole frame.
    pub end: u64,
    pub tail: Tail,
}

/// Whether the file at `path` begins like a cache, or is empty: only such a file may be replaced by one.
pub fn may_be_replaced(path: &Path) -> Result<bool, RecordError> {
    let mut start = Vec::new();
    let file = open(path, false)?.0;
    file.take(MAGIC.len() as u64).read_to_end(&mut start).map_err(RecordError::io(path, "read"))?;
    Ok(MAGIC.starts_with(&start))
}

/// Opens a regular file; also its length.
pub fn open(path: &Path, write: bool) -> Result<(File, u64), RecordError> {
    // Before opening: opening a pipe waits for a writer.
    let doing = if write { "write" } else { "read" };
    let metadata = std::fs::metadata(path).map_err(RecordError::io(path, doing))?;
    if !metadata.is_file() {
        return Err(RecordError::NotAFile(path.to_owned()));
    }
    let file = File::options().read(true).write(write).open(path).map_err(RecordError::io(path, doing))?;
    Ok((file, metadata.len()))
}

/// Checks every byte of `file` against its checksums.
pub fn scan(file: &File, length: u64, path: &Path) -> Result<Scan, RecordError> {
    // Up to the length seen first: a run may be adding to the file.
    let mut source = BufReader::with_capacity(1 << 16, file.take(length));
    let header = header(&mut source, length, path)?;
    let end = HEADER_PREFIX as u64 + header.1;
    let mut scan = Scan { header: header.0, places: Vec::new(), warnings: Vec::new(), end, tail: Tail::Clean };
    let mut frame = Vec::new();
    while scan.end < length && scan.tail == Tail::Clean {
        let left = length - scan.end;
        match next(&mut source, left, &scan, &mut frame).map_err(RecordError::io(path, "read"))? {
            Ok((prefix, warnings)) => {
                scan.warnings.extend(warnings);
                scan.places.push(Place { byte: scan.end, prefix, warnings: scan.warnings.len() });
                scan.end += FRAME_PREFIX as u64 + prefix.length;
            }
            Err(tail) => scan.tail = tail,
        }
    }
    Ok(scan)
}

/// The header and its length after the prefix.
fn header(source: &mut impl Read, length: u64, path: &Path) -> Result<(Header, u64), RecordError> {
    let damaged = |what: &str| RecordError::DamagedHeader { path: path.to_owned(), what: what.to_owned() };
    let mut prefix = Vec::new();
    source.by_ref().take(HEADER_PREFIX as u64).read_to_end(&mut prefix).map_err(RecordError::io(path, "read"))?;
    if prefix.is_empty() {
        return Err(damaged("the file is empty"));
    }
    if !MAGIC.starts_with(&prefix[..prefix.len().min(MAGIC.len())]) {
        return Err(RecordError::NotACache(path.to_owned()));
    }
    let word = |at: usize| prefix.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    let (Some(found), Some(body_length), Some(crc)) = (word(8), word(12), word(16)) else {
        return Err(damaged("it is cut off"));
    };
    if found != VERSION {
        return Err(RecordError::OtherFormat { path: path.to_owned(), found, known: VERSION });
    }
    let body_length = u64::from(body_length);
    if body_length > length - HEADER_PREFIX as u64 {
        return Err(damaged("it is cut off"));
    }
    // The longest scene, and room for names.
    if body_length > LARGEST_FILE + (1 << 16) {
        return Err(damaged("it is longer than any scene may be"));
    }
    let mut body = Vec::with_capacity(body_length as usize);
    source.by_ref().take(body_length).read_to_end(&mut body).map_err(RecordError::io(path, "read"))?;
    if crc32fast::hash(&body) != crc {
        return Err(damaged("its checksum does not match"));
    }
    let header = Header::decode(&body).ok_or_else(|| damaged("its contents cannot be read"))?;
    Ok((header, body_length))
}

/// A frame and its warnings, or the state of the rest.
type Next = Result<(Prefix, Vec<Warning>), Tail>;

/// The next frame into `frame`; `left` bytes are left.
fn next(source: &mut impl Read, left: u64, scan: &Scan, frame: &mut Vec<u8>) -> std::io::Result<Next> {
    let damaged = |what: &str| Ok(Err(Tail::Damaged(what.to_owned())));
    if scan.places.len() == scan.header.frame_count {
        return damaged("the run ended before it, and more bytes follow");
    }
    let mut bytes = [0; FRAME_PREFIX];
    if left < bytes.len() as u64 {
        return Ok(Err(Tail::Torn(left)));
    }
    source.read_exact(&mut bytes)?;
    let Some(prefix) = Prefix::decode(&bytes, scan.places.len()) else {
        // A power cut may leave a file that was made longer but never written.
        let unwritten = bytes == [0; FRAME_PREFIX] && only_zeros(source)?;
        return if unwritten { Ok(Err(Tail::Torn(left))) } else { damaged("its length is not what was written") };
    };
    if prefix.length > left - bytes.len() as u64 {
        return Ok(Err(Tail::Torn(left)));
    }
    frame.clear();
    source.by_ref().take(prefix.length).read_to_end(frame)?;
    if Prefix::of(frame) != prefix {
        return damaged("its checksum does not match");
    }
    match decode_warnings(frame) {
        Some(warnings) => Ok(Ok((prefix, warnings))),
        None => damaged("its chunks cannot be read"),
    }
}

fn only_zeros(source: &mut impl Read) -> std::io::Result<bool> {
    let mut block = [0; 4096];
    loop {
        match source.read(&mut block)? {
            0 => return Ok(true),
            n if block[..n].iter().any(|b| *b != 0) => return Ok(false),
            _ => {}
        }
    }
}
