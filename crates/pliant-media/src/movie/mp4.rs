//! H.264 in MP4: encoded by openh264, put into its container by shiguredo_mp4.
//!
//! Samples go to the file at once; only their sizes and durations stay in memory until the tables are written at the
//! end. Offsets have 64 bits where 32 do not suffice.

use super::MoviePlan;
use super::yuv::Yuv;
use crate::error::MediaError;
use crate::picture::Picture;
use openh264::encoder::{
    BitRate, Complexity, Encoder, EncoderConfig, FrameRate, FrameType, IntraFramePeriod, QpRange, RateControlMode,
    TransferCharacteristics, VuiConfig,
};
use openh264::formats::YUVSlices;
use openh264::{OpenH264API, Timestamp};
use pliant_files::{AtomicFile, Signature};
use shiguredo_mp4::bitstream::h264::{
    H264NalUnitType, H264SampleEntryConfig, LengthSize, build_avc1_box, parse_annexb_nal_units,
};
use shiguredo_mp4::boxes::{SampleEntry, UnknownBox};
use shiguredo_mp4::mux::{Mp4FileMuxer, Sample};
use shiguredo_mp4::{BoxSize, BoxType, TrackKind};
use std::fmt;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::num::NonZeroU32;

/// Quantisation parameter of every block in every frame. Smaller: 12 is the encoder's finest, with files a third larger
/// that look the same. Larger: from 18 on, blocks show in smooth shading and brightness jumps at key frames.
const QUANTISER: u8 = 14;

/// Seconds between key frames, at which players can begin. Larger: seeking is slow. Smaller: files are large.
const SECONDS_TO_KEY: f64 = 1.0;

/// Units of time in a second. The usual choice: 24, 25, 30, 50, 60 and 29.97 frames a second are exact.
const TIMESCALE: NonZeroU32 = NonZeroU32::new(90_000).unwrap();

/// Payload of the colour box: primaries of BT.709, transfer of sRGB, matrix of BT.709, limited range.
const COLOURS: &[u8] = b"nclx\x00\x01\x00\x0d\x00\x01\x00";

const SIGNATURE: Signature = Signature { offset: 4, bytes: b"ftypisom" };

pub struct Mp4Writer {
    plan: MoviePlan,
    encoder: Encoder,
    yuv: Yuv,
    file: BufWriter<AtomicFile>,
    muxer: Mp4FileMuxer,
    /// Offset of the next sample in the file.
    end: u64,
    frames: usize,
}

impl fmt::Debug for Mp4Writer {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Mp4Writer").field("plan", &self.plan).field("frames", &self.frames).finish_non_exhaustive()
    }
}

impl Mp4Writer {
    pub fn create(plan: MoviePlan) -> Result<Self, MediaError> {
        let yuv = Yuv::new(plan.size);
        let api = OpenH264API::from_source();
        let encoder = Encoder::with_api_config(api, config(&yuv, plan.frames_per_second)).map_err(refused(&plan, 0))?;
        let muxer = Mp4FileMuxer::new().map_err(refused(&plan, 0))?;
        let file = AtomicFile::create_locked(&plan.path, SIGNATURE).map_err(MediaError::refused(&plan.path))?;
        let (mut file, head) = (BufWriter::new(file), muxer.initial_boxes_bytes());
        file.write_all(head).map_err(io(&plan))?;
        let end = head.len() as u64;
        Ok(Self { plan, encoder, yuv, file, muxer, end, frames: 0 })
    }

    pub fn frames(&self) -> usize {
        self.frames
    }

    pub fn push(&mut self, picture: &Picture) -> Result<(), MediaError> {
        let (frame, plan) = (self.frames, &self.plan);
        self.yuv.convert(picture);
        let (y, u, v) = (&self.yuv.y[..], &self.yuv.u[..], &self.yuv.v[..]);
        let (width, height) = (self.yuv.width, self.yuv.height);
        let source = YUVSlices::new((y, u, v), (width, height), (width, width / 2, width / 2));
        let time = Timestamp::from_millis(plan.time(frame, 1000.0));
        let encoded = self.encoder.encode_at(&source, time).map_err(refused(plan, frame))?;
        let Access { sample_entry, data } = Access::of(&encoded.to_vec()).map_err(refused(plan, frame))?;
        if data.is_empty() {
            return Err(refused(plan, frame)("the H.264 encoder gave nothing for it"));
        }
        let ticks = |frame| plan.time(frame, f64::from(TIMESCALE.get()));
        let sample = Sample {
            track_kind: TrackKind::Video,
            sample_entry,
            keyframe: encoded.frame_type() == FrameType::IDR,
            timescale: TIMESCALE,
            duration: (ticks(frame + 1) - ticks(frame)) as u32,
            composition_time_offset: None,
            data_offset: self.end,
            data_size: data.len(),
        };
        self.muxer.append_sample(&sample).map_err(refused(plan, frame))?;
        self.file.write_all(&data).map_err(io(plan))?;
        self.end += data.len() as u64;
        self.frames += 1;
        Ok(())
    }

    pub fn finish(mut self) -> Result<u64, MediaError> {
        if self.frames == 0 {
            return Err(MediaError::NoFrames(self.plan.path));
        }
        let boxes = self.muxer.finalize().map_err(refused(&self.plan, self.frames - 1))?;
        for (offset, bytes) in boxes.offset_and_bytes_pairs() {
            let written = self.file.seek(SeekFrom::Start(offset)).and_then(|_| self.file.write_all(bytes));
            written.map_err(io(&self.plan))?;
        }
        let file = self.file.into_inner().map_err(|error| error.into_error());
        file.and_then(AtomicFile::commit).map_err(io(&self.plan))
    }
}

/// An access unit: one encoded frame as MP4 holds it.
struct Access {
    /// Decoder parameters, where the stream has any.
    sample_entry: Option<SampleEntry>,
    /// The other NAL units, each after its length in four bytes.
    data: Vec<u8>,
}

impl Access {
    /// From NAL units between start codes, as encoders give them.
    fn of(stream: &[u8]) -> shiguredo_mp4::Result<Self> {
        let (mut sps, mut pps, mut data) = (Vec::new(), Vec::new(), Vec::new());
        for unit in parse_annexb_nal_units(stream)? {
            match unit.nal_unit_type {
                H264NalUnitType::Sps => sps.push(unit.data.to_vec()),
                H264NalUnitType::Pps => pps.push(unit.data.to_vec()),
                _ => {
                    data.extend((unit.data.len() as u32).to_be_bytes());
                    data.extend(unit.data);
                }
            }
        }
        if sps.is_empty() {
            return Ok(Self { sample_entry: None, data });
        }
        let mut entry = build_avc1_box(&sps, &pps, &H264SampleEntryConfig { length_size: LengthSize::FourBytes })?;
        let (box_type, payload) = (BoxType::Normal(*b"colr"), COLOURS.to_vec());
        let box_size = BoxSize::with_payload_size(box_type, payload.len() as u64);
        entry.unknown_boxes.push(UnknownBox { box_type, box_size, payload });
        Ok(Self { sample_entry: Some(SampleEntry::Avc1(entry)), data })
    }
}

/// Constant quantisation: equal quality of all frames, and bytes that depend on neither time nor threads.
fn config(yuv: &Yuv, frames_per_second: f64) -> EncoderConfig {
    let key_period = (frames_per_second * SECONDS_TO_KEY).round().max(1.0) as u32;
    // Determines the level announced to players; no limit, because the quantiser is fixed.
    let bits = (yuv.width * yuv.height) as f64 * frames_per_second / 2.0;
    EncoderConfig::new()
        // Without a buffer size this mode keeps the quantiser; other modes would print warnings about it.
        .rate_control_mode(RateControlMode::Bufferbased)
        .qp(QpRange::new(QUANTISER, QUANTISER))
        .bitrate(BitRate::from_bps(bits.clamp(1e5, 1e8) as u32))
        .max_frame_rate(FrameRate::from_hz(frames_per_second as f32))
        .intra_frame_period(IntraFramePeriod::from_num_frames(key_period))
        .complexity(Complexity::High)
        .vui(VuiConfig::bt709().transfer_characteristics(TransferCharacteristics::Srgb))
        .num_threads(1)
        .skip_frames(false)
        // Features for cameras, which save bits in still backgrounds at the cost of quality.
        .adaptive_quantization(false)
        .background_detection(false)
        .scene_change_detect(false)
}

fn io(plan: &MoviePlan) -> impl FnOnce(std::io::Error) -> MediaError {
    MediaError::io(&plan.path, "write")
}

fn refused<E: fmt::Display>(plan: &MoviePlan, frame: usize) -> impl FnOnce(E) -> MediaError {
    move |what| MediaError::Encoder { path: plan.path.clone(), frame, what: what.to_string() }
}
