//! H.264 in MP4.

use super::Plan;
use super::boxes::{LARGE_HEAD, Sample, TIMESCALE, Track, ftyp, mdat_head, moov};
use super::yuv::Yuv;
use crate::error::MediaError;
use crate::picture::Picture;
use openh264::encoder::{
    BitRate, Complexity, Encoder, EncoderConfig, FrameRate, FrameType, IntraFramePeriod, QpRange, RateControlMode,
    TransferCharacteristics, VuiConfig,
};
use openh264::formats::YUVSlices;
use openh264::{OpenH264API, Timestamp};
use pliant_files::Beside;
use std::fmt;
use std::io::{BufWriter, Seek, SeekFrom, Write};

/// Quantisation of every block, the same in all frames. 12 is the encoder's finest, with files a third larger that
/// look the same; from 18 on, blocks show in smooth shading and it jumps a little at every key frame.
const QUANTISER: u8 = 14;

/// Seconds between frames at which players can begin. Longer ones make jumping about slow, shorter ones large files.
const SECONDS_TO_KEY: f64 = 1.0;

/// Kinds of NAL unit, by their low five bits.
const SPS: u8 = 7;
const PPS: u8 = 8;

/// Samples go to the file at once; what is known of them is written at the end.
pub struct Mp4Writer {
    plan: Plan,
    encoder: Encoder,
    yuv: Yuv,
    file: BufWriter<Beside>,
    /// Where the next sample begins.
    end: u64,
    track: Track,
}

impl fmt::Debug for Mp4Writer {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Mp4Writer").field("plan", &self.plan).field("track", &self.track).finish_non_exhaustive()
    }
}

impl Mp4Writer {
    pub fn create(plan: Plan) -> Result<Self, MediaError> {
        let yuv = Yuv::new(plan.size);
        let api = OpenH264API::from_source();
        let encoder = Encoder::with_api_config(api, config(&yuv, plan.frames_per_second)).map_err(refused(&plan, 0))?;
        let head = ftyp();
        let mut file = BufWriter::new(Beside::locked(&plan.path, &head).map_err(MediaError::refused(&plan.path))?);
        file.write_all(&head).and_then(|()| file.write_all(&mdat_head(0))).map_err(io(&plan))?;
        let end = head.len() as u64 + LARGE_HEAD;
        let track = Track { width: yuv.width as u16, height: yuv.height as u16, ..Track::default() };
        Ok(Self { plan, encoder, yuv, file, end, track })
    }

    pub fn frames(&self) -> usize {
        self.track.samples.len()
    }

    pub fn push(&mut self, picture: &Picture) -> Result<(), MediaError> {
        let (frame, plan) = (self.track.samples.len(), &self.plan);
        self.yuv.convert(picture);
        let (y, u, v) = (&self.yuv.y[..], &self.yuv.u[..], &self.yuv.v[..]);
        let (width, height) = (self.yuv.width, self.yuv.height);
        let source = YUVSlices::new((y, u, v), (width, height), (width, width / 2, width / 2));
        let time = Timestamp::from_millis(plan.time(frame, 1000.0));
        let encoded = self.encoder.encode_at(&source, time).map_err(refused(plan, frame))?;
        let mut bytes = Vec::new();
        let layers = (0..encoded.num_layers()).filter_map(|i| encoded.layer(i));
        for layer in layers {
            for unit in (0..layer.nal_count()).filter_map(|i| layer.nal_unit(i)) {
                let unit = without_start_code(unit);
                match unit.first().map(|kind| kind & 31) {
                    Some(SPS) => self.track.sps = unit.to_vec(),
                    Some(PPS) => self.track.pps = unit.to_vec(),
                    _ => {
                        bytes.extend((unit.len() as u32).to_be_bytes());
                        bytes.extend(unit);
                    }
                }
            }
        }
        if bytes.is_empty() || self.track.sps.len() < 4 || self.track.pps.is_empty() {
            return Err(refused(plan, frame)("the H.264 encoder gave nothing for it"));
        }
        self.file.write_all(&bytes).map_err(io(plan))?;
        let is_key = encoded.frame_type() == FrameType::IDR;
        let (offset, time) = (self.end, plan.time(frame, f64::from(TIMESCALE)));
        self.track.samples.push(Sample { time, offset, bytes: bytes.len() as u32, is_key });
        self.end += bytes.len() as u64;
        Ok(())
    }

    pub fn finish(mut self) -> Result<u64, MediaError> {
        let frames = self.track.samples.len();
        if frames == 0 {
            return Err(MediaError::NoFrames(self.plan.path));
        }
        self.track.end = self.plan.time(frames, f64::from(TIMESCALE));
        let head = ftyp().len() as u64;
        let samples = self.end - head - LARGE_HEAD;
        let write = (|| {
            self.file.write_all(&moov(&self.track))?;
            self.file.seek(SeekFrom::Start(head))?;
            self.file.write_all(&mdat_head(samples))
        })();
        write.map_err(io(&self.plan))?;
        self.file.into_inner().map_err(|error| error.into_error()).and_then(Beside::keep).map_err(io(&self.plan))
    }
}

/// A fixed quantiser: every frame as good as the next, and no dependence on time or threads.
fn config(yuv: &Yuv, frames_per_second: f64) -> EncoderConfig {
    let key_period = (frames_per_second * SECONDS_TO_KEY).round().max(1.0) as u32;
    // Not a limit, as the quantiser is fixed: players are told a level by it.
    let bits = (yuv.width * yuv.height) as f64 * frames_per_second / 2.0;
    EncoderConfig::new()
        // Without a buffer to watch, it keeps to the quantiser; the other modes would complain of that on the terminal.
        .rate_control_mode(RateControlMode::Bufferbased)
        .qp(QpRange::new(QUANTISER, QUANTISER))
        .bitrate(BitRate::from_bps(bits.clamp(1e5, 1e8) as u32))
        .max_frame_rate(FrameRate::from_hz(frames_per_second as f32))
        .intra_frame_period(IntraFramePeriod::from_num_frames(key_period))
        .complexity(Complexity::High)
        .vui(VuiConfig::bt709().transfer_characteristics(TransferCharacteristics::Srgb))
        .num_threads(1)
        .skip_frames(false)
        // Made for cameras: they would trade still backgrounds for bits.
        .adaptive_quantization(false)
        .background_detection(false)
        .scene_change_detect(false)
}

fn without_start_code(unit: &[u8]) -> &[u8] {
    let zeros = unit.iter().take_while(|byte| **byte == 0).count();
    unit.get(zeros + 1..).unwrap_or_default()
}

fn io(plan: &Plan) -> impl FnOnce(std::io::Error) -> MediaError {
    MediaError::io(&plan.path, "write")
}

fn refused<E: fmt::Display>(plan: &Plan, frame: usize) -> impl FnOnce(E) -> MediaError {
    move |what| MediaError::Encoder { path: plan.path.clone(), frame, what: what.to_string() }
}
