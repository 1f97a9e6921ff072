//! The boxes of an MP4 file (ISO/IEC 14496-12 and -15) around one track of H.264.
//!
//! Our own, as the muxers at hand keep the whole movie in memory, write no colours and lose the duration of a single
//! frame. Times are 64 bit and samples may lie beyond 4 GB; each is a chunk.

/// Units of time in a second: the usual one, in which 24, 25, 30, 50, 60 and 29.97 frames a second are exact.
pub const TIMESCALE: u32 = 90_000;

/// Bytes of the head of a box whose size has 64 bits.
pub const LARGE_HEAD: u64 = 16;

/// What the boxes tell of a movie.
#[derive(Debug, Default)]
pub struct Track {
    /// Pixels.
    pub width: u16,
    /// Pixels.
    pub height: u16,
    /// Sequence parameters, without a start code.
    pub sps: Vec<u8>,
    /// Picture parameters, likewise.
    pub pps: Vec<u8>,
    /// In the order they are shown.
    pub samples: Vec<Sample>,
    /// When the movie ends, in [`TIMESCALE`].
    pub end: u64,
}

/// An encoded frame.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// When it is shown, in [`TIMESCALE`].
    pub time: u64,
    /// Where it lies in the file.
    pub offset: u64,
    /// Its length.
    pub bytes: u32,
    /// Whether players can begin here.
    pub is_key: bool,
}

/// How the file begins.
pub fn ftyp() -> Vec<u8> {
    atom(b"ftyp", &[b"isom", &0x200_u32.to_be_bytes(), b"isomiso2avc1mp41"])
}

/// The head of the box of samples, which are `bytes` together.
pub fn mdat_head(bytes: u64) -> Vec<u8> {
    [&1_u32.to_be_bytes()[..], b"mdat", &(LARGE_HEAD + bytes).to_be_bytes()].concat()
}

/// Everything about the samples.
pub fn moov(track: &Track) -> Vec<u8> {
    let end = track.end.to_be_bytes();
    let (scale, made) = (TIMESCALE.to_be_bytes(), [0; 16]);
    let next_track = 2_u32.to_be_bytes();
    let rate_and_volume = [0, 1, 0, 0, 1, 0];
    let mvhd =
        full(b"mvhd", (1, 0), &[&made, &scale, &end, &rate_and_volume, &[0; 10], &upright(), &[0; 24], &next_track]);
    let number = 1_u32.to_be_bytes();
    let size = [track.width, track.height].map(|side| (u32::from(side) << 16).to_be_bytes()).concat();
    let enabled = 3;
    let tkhd = full(b"tkhd", (1, enabled), &[&made, &number, &[0; 4], &end, &[0; 8], &[0; 8], &upright(), &size]);
    let undetermined = [0x55, 0xc4, 0, 0];
    let mdhd = full(b"mdhd", (1, 0), &[&made, &scale, &end, &undetermined]);
    let hdlr = full(b"hdlr", (0, 0), &[&[0; 4], b"vide", &[0; 12], b"video\0"]);
    let here = full(b"url ", (0, 1), &[]);
    let dinf = atom(b"dinf", &[&full(b"dref", (0, 0), &[&1_u32.to_be_bytes(), &here])]);
    let vmhd = full(b"vmhd", (0, 1), &[&[0; 8]]);
    let minf = atom(b"minf", &[&vmhd, &dinf, &stbl(track)]);
    let mdia = atom(b"mdia", &[&mdhd, &hdlr, &minf]);
    atom(b"moov", &[&mvhd, &atom(b"trak", &[&tkhd, &mdia])])
}

/// Where and when samples are.
fn stbl(track: &Track) -> Vec<u8> {
    let samples = &track.samples;
    let stsd = full(b"stsd", (0, 0), &[&1_u32.to_be_bytes(), &avc1(track)]);
    let next = samples.iter().skip(1).map(|s| s.time).chain([track.end]);
    let mut durations: Vec<[u32; 2]> = Vec::new();
    for duration in samples.iter().zip(next).map(|(sample, next)| (next - sample.time) as u32) {
        match durations.last_mut() {
            Some([count, last]) if *last == duration => *count += 1,
            _ => durations.push([1, duration]),
        }
    }
    let stts = table(b"stts", durations.iter().map(|pair| pair.map(u32::to_be_bytes).concat()));
    let keys = samples.iter().zip(1_u32..).filter(|(sample, _)| sample.is_key);
    let stss = table(b"stss", keys.map(|(_, number)| number.to_be_bytes().to_vec()));
    let stsc = table(b"stsc", [[1_u32, 1, 1].map(u32::to_be_bytes).concat()]);
    let sizes = samples.iter().flat_map(|s| s.bytes.to_be_bytes()).collect::<Vec<_>>();
    let stsz = full(b"stsz", (0, 0), &[&[0; 4], &(samples.len() as u32).to_be_bytes(), &sizes]);
    let co64 = table(b"co64", samples.iter().map(|s| s.offset.to_be_bytes().to_vec()));
    atom(b"stbl", &[&stsd, &stts, &stss, &stsc, &stsz, &co64])
}

/// How samples are to be decoded and what their colours mean.
fn avc1(track: &Track) -> Vec<u8> {
    let length = |bytes: &[u8]| (bytes.len() as u16).to_be_bytes();
    let (sps, pps) = (&track.sps, &track.pps);
    // Version, profile and level as the parameters have them, lengths of four bytes, one set of each.
    let head = [&[1], &sps[1..4], &[0xff, 0xe1]].concat();
    let avcc = atom(b"avcC", &[&head, &length(sps), sps, &[1], &length(pps), pps]);
    // Primaries of BT.709, transfer of sRGB, matrix of BT.709, limited range.
    let colr = atom(b"colr", &[b"nclx", &[0, 1, 0, 13, 0, 1, 0]]);
    let size = [track.width, track.height].map(u16::to_be_bytes).concat();
    let dots_per_inch = [0, 72, 0, 0, 0, 72, 0, 0];
    let one_frame = [0, 1];
    let depth = [0, 24, 0xff, 0xff];
    let reference = [0, 0, 0, 0, 0, 0, 0, 1];
    atom(b"avc1", &[&reference, &[0; 16], &size, &dots_per_inch, &[0; 4], &one_frame, &[0; 32], &depth, &avcc, &colr])
}

/// Neither turned nor scaled.
fn upright() -> Vec<u8> {
    [0x10000_u32, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000].map(u32::to_be_bytes).concat()
}

fn atom(kind: &[u8; 4], parts: &[&[u8]]) -> Vec<u8> {
    let body = parts.concat();
    [&(8 + body.len() as u32).to_be_bytes()[..], kind, &body].concat()
}

fn full(kind: &[u8; 4], (version, flags): (u32, u32), parts: &[&[u8]]) -> Vec<u8> {
    let head = (version << 24 | flags).to_be_bytes();
    atom(kind, &[&head, &parts.concat()])
}

fn table(kind: &[u8; 4], entries: impl IntoIterator<Item = Vec<u8>>) -> Vec<u8> {
    let entries: Vec<Vec<u8>> = entries.into_iter().collect();
    full(kind, (0, 0), &[&(entries.len() as u32).to_be_bytes(), &entries.concat()])
}
