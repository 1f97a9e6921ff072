//! Bytes of headers and frames: the only place that knows their layout.

use super::SceneText;
use crate::contact::{ShearState, WarmStart};
use crate::math::DVec3;
use crate::world::{FrictionState, LayerPair, PairLedger, PairSeed, Snapshot, Warning, WarningKind};

/// No text file begins like this, and a transfer that changes line ends shows.
pub const MAGIC: [u8; 8] = *b"\x89PLIANT\n";
/// Grows whenever old readers would misread a file.
pub const VERSION: u32 = 7;
/// Magic, version, length and checksum.
pub const HEADER_PREFIX: usize = 20;
/// Length and two checksums.
pub const FRAME_PREFIX: usize = 16;

/// What a cache says about itself.
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

    /// Of what follows the prefix.
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

/// How long a frame is and how to recognise it.
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

/// A frame's bytes. `warnings` are those raised since the last; the snapshot's own are the sum of all so far.
pub fn encode_frame(snapshot: &Snapshot, warnings: &[Warning]) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_count(&mut bytes, warnings.len());
    for warning in warnings {
        put_number(&mut bytes, warning.time);
        put_count(&mut bytes, warning.bodies.0);
        put_count(&mut bytes, warning.bodies.1);
        bytes.push(match warning.kind {
            WarningKind::BottomedOut => 0,
            WarningKind::OverlapTooDeep => 1,
            WarningKind::BulgeCutOff => 2,
            WarningKind::VolumeNotKept => 3,
            WarningKind::Undecided => 4,
            WarningKind::EnergyNotKept => 5,
            WarningKind::StartsInside => 6,
            WarningKind::BothUnbounded => 7,
            WarningKind::JointBroke => 8,
            WarningKind::JointGaveWay => 9,
        });
        if warning.kind == WarningKind::Undecided {
            put_number(&mut bytes, warning.size.unwrap_or(0.0));
        }
    }
    put_count(&mut bytes, snapshot.bases.len());
    snapshot.bases.iter().for_each(|x| put_number(&mut bytes, *x));
    put_count(&mut bytes, snapshot.grips.len());
    for FrictionState { touch, at, stick, load } in &snapshot.grips {
        put_touch(&mut bytes, touch);
        let numbers = [at.to_array(), stick.offset.to_array()];
        numbers.as_flattened().iter().chain([&stick.turn, load]).for_each(|x| put_number(&mut bytes, *x));
    }
    put_count(&mut bytes, snapshot.hints.len());
    for PairSeed { touch, memory } in &snapshot.hints {
        put_touch(&mut bytes, touch);
        memory.center.to_array().iter().for_each(|x| put_number(&mut bytes, *x));
        put_count(&mut bytes, memory.level.map_or(0, |level| level + 1));
    }
    put_count(&mut bytes, snapshot.books.len());
    for PairLedger { touch, work, exchanged, whole } in &snapshot.books {
        put_touch(&mut bytes, touch);
        put_number(&mut bytes, *work);
        put_number(&mut bytes, *exchanged);
        bytes.push(u8::from(*whole));
    }
    put_count(&mut bytes, snapshot.still.len());
    snapshot.still.iter().for_each(|x| put_number(&mut bytes, *x));
    put_count(&mut bytes, snapshot.broken.len());
    snapshot.broken.iter().for_each(|i| put_count(&mut bytes, *i));
    put_number(&mut bytes, snapshot.dissipated);
    put_number(&mut bytes, snapshot.sheared);
    put_number(&mut bytes, snapshot.owed);
    bytes
}

fn put_touch(bytes: &mut Vec<u8>, touch: &LayerPair) {
    for i in [touch.a.0, touch.a.1, touch.b.0, touch.b.1] {
        put_count(bytes, i);
    }
}

/// The warnings a frame begins with.
pub fn decode_warnings(frame: &[u8]) -> Option<Vec<Warning>> {
    Bytes(frame).warnings()
}

/// What [`encode_frame`] was given, but for the snapshot's time and its earlier warnings.
pub fn decode_frame(frame: &[u8]) -> Option<(Snapshot, Vec<Warning>)> {
    let mut rest = Bytes(frame);
    let warnings = rest.warnings()?;
    let bases = rest.list(8, Bytes::number)?;
    let grips = rest.list(60, Bytes::grip)?;
    let hints = rest.list(29, Bytes::hint)?;
    let books = rest.list(21, Bytes::book)?;
    let still = rest.list(8, Bytes::number)?;
    let broken = rest.list(1, Bytes::count)?;
    let [dissipated, sheared, owed] = [rest.number()?, rest.number()?, rest.number()?];
    let energies = Snapshot { dissipated, sheared, owed, ..Snapshot::default() };
    let snapshot = Snapshot { bases, grips, hints, books, still, broken, ..energies };
    rest.0.is_empty().then_some((snapshot, warnings))
}

fn put_number(bytes: &mut Vec<u8>, x: f64) {
    bytes.extend(x.to_le_bytes());
}

/// LEB128: seven bits a byte, the lowest first.
fn put_count(bytes: &mut Vec<u8>, mut n: usize) {
    while n >= 0x80 {
        bytes.push(n as u8 | 0x80);
        n >>= 7;
    }
    bytes.push(n as u8);
}

/// Bytes not read yet. Every reader answers `None` when they run out or make no sense.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*head)
    }

    /// Only numbers that are numbers: no state of a world holds others.
    fn number(&mut self) -> Option<f64> {
        self.array().map(f64::from_le_bytes).filter(|x| x.is_finite())
    }

    fn count(&mut self) -> Option<usize> {
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
    fn list<T>(&mut self, least: usize, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.count().filter(|n| *n <= self.0.len() / least)?;
        (0..count).map(|_| item(self)).collect()
    }

    fn warnings(&mut self) -> Option<Vec<Warning>> {
        self.list(11, |rest| {
            let (time, bodies) = (rest.number()?, (rest.count()?, rest.count()?));
            let kind = match rest.array()? {
                [0] => WarningKind::BottomedOut,
                [1] => WarningKind::OverlapTooDeep,
                [2] => WarningKind::BulgeCutOff,
                [3] => WarningKind::VolumeNotKept,
                [4] => WarningKind::Undecided,
                [5] => WarningKind::EnergyNotKept,
                [6] => WarningKind::StartsInside,
                [7] => WarningKind::BothUnbounded,
                [8] => WarningKind::JointBroke,
                [9] => WarningKind::JointGaveWay,
                _ => return None,
            };
            let size = if kind == WarningKind::Undecided { Some(rest.number()?) } else { None };
            Some(Warning { time, bodies, kind, size })
        })
    }

    fn vector(&mut self) -> Option<DVec3> {
        Some(DVec3::new(self.number()?, self.number()?, self.number()?))
    }

    fn touch(&mut self) -> Option<LayerPair> {
        Some(LayerPair { a: (self.count()?, self.count()?), b: (self.count()?, self.count()?) })
    }

    fn book(&mut self) -> Option<PairLedger> {
        let (touch, work, exchanged) = (self.touch()?, self.number()?, self.number()?);
        let whole = match self.array()? {
            [0] => false,
            [1] => true,
            _ => return None,
        };
        Some(PairLedger { touch, work, exchanged, whole })
    }

    fn hint(&mut self) -> Option<PairSeed> {
        let (touch, center) = (self.touch()?, self.vector()?);
        Some(PairSeed { touch, memory: WarmStart { center, level: self.count()?.checked_sub(1) } })
    }

    fn grip(&mut self) -> Option<FrictionState> {
        let touch = self.touch()?;
        let (at, offset) = (self.vector()?, self.vector()?);
        Some(FrictionState { touch, at, stick: ShearState { offset, turn: self.number()? }, load: self.number()? })
    }
}
