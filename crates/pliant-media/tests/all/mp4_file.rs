//! A reader of MP4 files with one track, written from the standard: it shares no code with the muxer.

use openh264::decoder::Decoder;
use openh264::formats::YUVSource;

/// Of a file with one track.
pub struct Mp4<'a> {
    bytes: &'a [u8],
}

/// Brightness and colour of a decoded frame.
pub struct Decoded {
    pub width: usize,
    pub height: usize,
    pub y: Vec<u8>,
    pub u: Vec<u8>,
    pub v: Vec<u8>,
}

/// A frame as the tables have it.
pub struct Sample<'a> {
    pub data: &'a [u8],
    pub duration: u32,
    pub is_key: bool,
}

const TABLES: [&str; 5] = ["moov", "trak", "mdia", "minf", "stbl"];

impl<'a> Mp4<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        let kinds: Vec<&str> = boxes(bytes).map(|(kind, _)| kind).filter(|kind| *kind != "free").collect();
        assert_eq!(kinds, ["ftyp", "mdat", "moov"]);
        Self { bytes }
    }

    /// The content of the box at `path`.
    pub fn at(&self, path: &[&str]) -> &'a [u8] {
        path.iter().fold(self.bytes, |inside, kind| child(inside, kind))
    }

    pub fn table(&self, kind: &str) -> &'a [u8] {
        child(self.at(&TABLES), kind)
    }

    /// The content of the only sample entry, which begins with 78 bytes.
    pub fn entry(&self) -> &'a [u8] {
        let stsd = self.table("stsd");
        assert_eq!(u32_at(stsd, 4), 1);
        child(&stsd[8..], "avc1")
    }

    pub fn size(&self) -> (u16, u16) {
        (u16_at(self.entry(), 24), u16_at(self.entry(), 26))
    }

    /// Timescale and duration of the media.
    pub fn media_time(&self) -> (u32, u64) {
        times(self.at(&["moov", "trak", "mdia", "mdhd"]))
    }

    /// Timescale and duration of the movie, and duration of the track in that timescale.
    pub fn durations(&self) -> (u32, u64, u64) {
        let ((scale, duration), tkhd) = (times(self.at(&["moov", "mvhd"])), self.at(&["moov", "trak", "tkhd"]));
        let of_track = if tkhd[0] == 1 { u64_at(tkhd, 28) } else { u32_at(tkhd, 20).into() };
        (scale, duration, of_track)
    }

    /// Offsets of chunks in the file, in 32 or 64 bits.
    fn chunks(&self) -> Vec<usize> {
        let stbl = self.at(&TABLES);
        match boxes(stbl).find(|(kind, _)| *kind == "co64") {
            Some((_, co64)) => rows::<2>(co64).map(|[high, low]| (high as usize) << 32 | low as usize).collect(),
            None => rows::<1>(child(stbl, "stco")).map(|[offset]| offset as usize).collect(),
        }
    }

    pub fn samples(&self) -> Vec<Sample<'a>> {
        let (stsz, chunks) = (self.table("stsz"), self.chunks());
        assert_eq!(u32_at(stsz, 4), 0, "each sample has a size of its own");
        let sizes = (0..u32_at(stsz, 8) as usize).map(|i| u32_at(stsz, 12 + 4 * i) as usize);
        let runs = rows::<2>(self.table("stts"));
        let mut durations = runs.flat_map(|[count, duration]| vec![duration; count as usize]);
        // Without a table of key frames all are.
        let keys = boxes(self.at(&TABLES)).find(|(kind, _)| *kind == "stss");
        let keys: Option<Vec<u32>> = keys.map(|(_, stss)| rows::<1>(stss).map(|[number]| number).collect());
        // First chunk from which on a number of samples a chunk holds.
        let per_chunk: Vec<[u32; 3]> = rows(self.table("stsc")).collect();
        let in_chunk = |chunk: usize| per_chunk.iter().rev().find(|row| row[0] as usize <= chunk + 1).unwrap()[1];
        let (mut chunk, mut taken, mut offset) = (0, 0, chunks[0]);
        let mut samples = Vec::new();
        for size in sizes {
            if taken == in_chunk(chunk) {
                (chunk, taken, offset) = (chunk + 1, 0, chunks[chunk + 1]);
            }
            let (data, number) = (&self.bytes[offset..offset + size], samples.len() as u32 + 1);
            let is_key = keys.as_ref().is_none_or(|keys| keys.contains(&number));
            samples.push(Sample { data, duration: durations.next().unwrap(), is_key });
            (taken, offset) = (taken + 1, offset + size);
        }
        assert_eq!((durations.next(), chunk + 1, taken), (None, chunks.len(), in_chunk(chunk)));
        samples
    }

    /// Sequence and picture parameters.
    pub fn parameters(&self) -> (&'a [u8], &'a [u8]) {
        let avcc = child(&self.entry()[78..], "avcC");
        assert_eq!((avcc[0], avcc[4] & 3, avcc[5] & 31), (1, 3, 1));
        let (sps, rest) = avcc[8..].split_at(usize::from(u16_at(avcc, 6)));
        assert_eq!((&avcc[1..4], rest[0]), (&sps[1..4], 1), "profile and level");
        (sps, &rest[3..3 + usize::from(u16_at(rest, 1))])
    }

    pub fn decode(&self) -> Vec<Decoded> {
        let mut decoder = Decoder::new().unwrap();
        let (sps, pps) = self.parameters();
        let start = [0, 0, 0, 1];
        assert!(decoder.decode(&[&start, sps, &start, pps].concat()).unwrap().is_none());
        let mut frames = Vec::new();
        for sample in self.samples() {
            let (mut rest, mut stream) = (sample.data, Vec::new());
            while !rest.is_empty() {
                let (unit, after) = rest[4..].split_at(u32_at(rest, 0) as usize);
                stream.extend([&start, unit].concat());
                rest = after;
            }
            let yuv = decoder.decode(&stream).unwrap().expect("a frame for each sample");
            let ((width, height), (across, half, _)) = (yuv.dimensions(), yuv.strides());
            let plane = |bytes: &[u8], stride: usize, width: usize, height: usize| {
                (0..height).flat_map(|row| bytes[row * stride..][..width].to_vec()).collect()
            };
            frames.push(Decoded {
                width,
                height,
                y: plane(yuv.y(), across, width, height),
                u: plane(yuv.u(), half, width / 2, height / 2),
                v: plane(yuv.v(), half, width / 2, height / 2),
            });
        }
        frames
    }
}

impl Decoded {
    /// Mean red, green and blue over columns `x` and rows `y`, both even, by the inverse of BT.709 in limited range.
    pub fn mean(&self, x: std::ops::Range<usize>, y: std::ops::Range<usize>) -> [f64; 3] {
        let mean = |plane: &[u8], scale: usize| {
            let (columns, rows) = (x.start / scale..x.end / scale, y.start / scale..y.end / scale);
            let count = (columns.len() * rows.len()) as f64;
            let row = |row: usize| columns.clone().map(move |x| (row, x));
            rows.flat_map(row).map(|(y, x)| f64::from(plane[y * self.width / scale + x])).sum::<f64>() / count
        };
        let y_ = (mean(&self.y, 1) - 16.0) / 219.0;
        let (pb, pr) = ((mean(&self.u, 2) - 128.0) / 224.0, (mean(&self.v, 2) - 128.0) / 224.0);
        let (red, blue) = (y_ + 2.0 * (1.0 - 0.2126) * pr, y_ + 2.0 * (1.0 - 0.0722) * pb);
        [red, (y_ - 0.2126 * red - 0.0722 * blue) / 0.7152, blue].map(|level| 255.0 * level)
    }
}

/// Primaries, transfer, matrix and whether the range is full, as the sequence parameters say (H.264, 7.3.2.1.1, E.1.1).
pub fn colours_of(sps: &[u8]) -> (u32, u32, u32, bool) {
    let mut bits = Bits { bytes: sps, at: 8 * 4 };
    assert_eq!(sps[1], 66, "baseline, whose parameters have no more than these");
    bits.golomb();
    bits.golomb();
    if bits.golomb() == 0 {
        bits.golomb();
    }
    bits.golomb();
    bits.take(1);
    bits.golomb();
    bits.golomb();
    assert_eq!(bits.take(1), 1, "frames, not fields");
    bits.take(1);
    if bits.take(1) == 1 {
        let _cropping = [(); 4].map(|()| bits.golomb());
    }
    assert_eq!(bits.take(1), 1, "usability information");
    if bits.take(1) == 1 && bits.take(8) == 255 {
        bits.take(32);
    }
    if bits.take(1) == 1 {
        bits.take(1);
    }
    assert_eq!(bits.take(1), 1, "kind of video signal");
    bits.take(3);
    let is_full = bits.take(1) == 1;
    assert_eq!(bits.take(1), 1, "colours");
    (bits.take(8), bits.take(8), bits.take(8), is_full)
}

struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn take(&mut self, count: usize) -> u32 {
        (0..count).fold(0, |value, _| {
            let bit = self.bytes[self.at / 8] >> (7 - self.at % 8) & 1;
            self.at += 1;
            value << 1 | u32::from(bit)
        })
    }
    fn golomb(&mut self) -> u32 {
        let mut zeros = 0;
        while self.take(1) == 0 {
            zeros += 1;
        }
        (1 << zeros) - 1 + self.take(zeros)
    }
}

/// Kind and content of each box.
fn boxes(mut bytes: &[u8]) -> impl Iterator<Item = (&str, &[u8])> {
    std::iter::from_fn(move || {
        let kind = std::str::from_utf8(bytes.get(4..8)?).unwrap();
        let (head, size) = match u32_at(bytes, 0) {
            1 => (16, u64_at(bytes, 8) as usize),
            size => (8, size as usize),
        };
        let content = &bytes[head..size];
        bytes = &bytes[size..];
        Some((kind, content))
    })
}

fn child<'a>(bytes: &'a [u8], kind: &str) -> &'a [u8] {
    boxes(bytes).find(|(found, _)| *found == kind).unwrap_or_else(|| panic!("no box {kind}")).1
}

pub fn child_of_entry<'a>(mp4: &Mp4<'a>, kind: &str) -> &'a [u8] {
    child(&mp4.entry()[78..], kind)
}

/// Timescale and duration in a header of version 0 or 1.
fn times(header: &[u8]) -> (u32, u64) {
    match header[0] {
        1 => (u32_at(header, 20), u64_at(header, 24)),
        _ => (u32_at(header, 12), u32_at(header, 16).into()),
    }
}

/// Rows of a table of `N` numbers each.
fn rows<const N: usize>(table: &[u8]) -> impl Iterator<Item = [u32; N]> {
    (0..u32_at(table, 4) as usize).map(|row| std::array::from_fn(|i| u32_at(table, 8 + 4 * (row * N + i))))
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes(bytes[at..at + 2].try_into().unwrap())
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_be_bytes(bytes[at..at + 8].try_into().unwrap())
}
