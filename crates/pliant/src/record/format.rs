//! Bytes of headers and prefixes, numbers and counts.

use super::SceneText;

/// No text file begins like this, and a transfer that changes line ends shows.
pub const MAGIC: [u8; 8] = *b"\x89PLIANT\n";
/// Grows whenever old readers would misread a file.
pub const VERSION: u32 = 8;
/// Magic, version, length and checksum.
pub const HEADER_PREFIX: usize = 20;
/// Length and two checksums.
pub const FRAME_PREFIX: usize = 16;

/// Header of a cache.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    pub engine: String,
    pub scene: SceneText,
    pub frame_count: usize,
    pub frame_rate: f64,
}

impl Header {
    pub fn encode(&self) -> Vec<u8> {
        let mut body = Vec::new();
        for text in [&self.engine, &self.scene.name, &self.scene.text] {
            put_count(&mut body, text.len());
            body.extend(text.as_bytes());
        }
        put_count(&mut body, self.frame_count);
        put_number(&mut body, self.frame_rate);
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        // Scenes are limited to far less than 4 GB.
        bytes.extend((body.len() as u32).to_le_bytes());
        bytes.extend(crc32fast::hash(&body).to_le_bytes());
        bytes.extend(body);
        bytes
    }

    /// Decodes the bytes after the prefix.
    pub fn decode(body: &[u8]) -> Option<Self> {
        let mut rest = Bytes(body);
        let (engine, name, text) = (rest.text()?, rest.text()?, rest.text()?);
        let header = Self {
            engine,
            scene: SceneText { name, text },
            frame_count: rest.count()?,
            frame_rate: rest.number().filter(|r| *r > 0.0)?,
        };
        rest.0.is_empty().then_some(header)
    }
}

/// Length and checksum of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix {
    pub length: u64,
    pub crc: u32,
}

impl Prefix {
    pub fn of(frame: &[u8]) -> Self {
        Self { length: frame.len() as u64, crc: crc32fast::hash(frame) }
    }

    /// A checksum of its own, so that a changed length is not taken for a cut-off file.
    pub fn encode(&self, index: usize) -> [u8; FRAME_PREFIX] {
        let mut bytes = [0; FRAME_PREFIX];
        bytes[..8].copy_from_slice(&self.length.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.crc.to_le_bytes());
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&(index as u64).to_le_bytes());
        hasher.update(&bytes[..12]);
        bytes[12..].copy_from_slice(&hasher.finalize().to_le_bytes());
        bytes
    }

    /// `None` if these bytes do not begin frame `index`.
    pub fn decode(bytes: &[u8; FRAME_PREFIX], index: usize) -> Option<Self> {
        let mut rest = Bytes(bytes);
        let prefix = Self { length: u64::from_le_bytes(rest.array()?), crc: u32::from_le_bytes(rest.array()?) };
        (prefix.encode(index) == *bytes).then_some(prefix)
    }
}

pub fn put_number(bytes: &mut Vec<u8>, x: f64) {
    bytes.extend(x.to_le_bytes());
}

/// LEB128: seven bits a byte, the lowest first.
pub fn put_count(bytes: &mut Vec<u8>, mut n: usize) {
    while n >= 0x80 {
        bytes.push(n as u8 | 0x80);
        n >>= 7;
    }
    bytes.push(n as u8);
}

/// Bytes not read yet. Every reader answers `None` when they run out or make no sense.
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    pub fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*head)
    }

    /// Only numbers that are numbers: no state of a world holds others.
    pub fn number(&mut self) -> Option<f64> {
        self.array().map(f64::from_le_bytes).filter(|x| x.is_finite())
    }

    pub fn count(&mut self) -> Option<usize> {
        let mut n = 0u64;
        for shift in (0..63).step_by(7) {
            let [byte] = self.array()?;
            n |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return usize::try_from(n).ok();
            }
        }
        None
    }

    fn text(&mut self) -> Option<String> {
        let length = self.count()?;
        let (head, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        std::str::from_utf8(head).ok().map(str::to_owned)
    }

    /// A counted list of things at least `least` bytes long: nothing is allocated for a count the bytes cannot hold.
    pub fn list<T>(&mut self, least: usize, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.count().filter(|n| *n <= self.0.len() / least)?;
        (0..count).map(|_| item(self)).collect()
    }
}
