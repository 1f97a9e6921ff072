//! Animated GIF.
//!
//! *The idea*: unchanged pixels are not drawn again, so that nothing flickers and files stay small; the palette is
//! replaced only when its error on the changed pixels has grown.

use super::MoviePlan;
use super::palette::{Palette, sampled};
use crate::error::MediaError;
use crate::picture::Picture;
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use pliant_files::{AtomicFile, Signature};
use std::fmt;
use std::io::{BufWriter, Error};

const SIGNATURE: Signature = Signature { offset: 0, bytes: b"GIF89a" };

/// Units of time in a second, fixed by the format.
const PER_SECOND: f64 = 100.0;

/// Shortest delay, 1/100 s. Smaller: browsers show such frames for a tenth of a second.
const MIN_DELAY: u64 = 2;

/// Difference of a channel, in levels, up to which a pixel counts as unchanged. Larger: moving bodies leave trails.
/// Smaller: rounding is drawn.
const KEPT_LEVELS: u8 = 2;

/// A palette is replaced when its mean squared error exceeds `WORSE` times the initial one plus `NOTICED_SQ`, which is
/// three levels. Larger: banding. Smaller: a palette in every frame.
const WORSE: f64 = 1.5;
const NOTICED_SQ: f64 = 9.0;

/// Pixels sampled to estimate the error of a palette.
const SAMPLE: usize = 4096;

pub struct GifWriter {
    plan: MoviePlan,
    /// Present until the first frame, which provides the global palette.
    file: Option<BufWriter<AtomicFile>>,
    canvas: Option<Canvas>,
    pushed: usize,
}

/// Colours on the screen, and the next frame of the file.
struct Canvas {
    encoder: Encoder<BufWriter<AtomicFile>>,
    palette: Palette,
    is_global: bool,
    /// Mean squared error of the palette when it was chosen.
    error_sq: f64,
    /// Source colour of each pixel when it was last drawn.
    drawn: Vec<[u8; 3]>,
    /// Written when the frame after it arrives, which determines its delay.
    next: Frame<'static>,
    /// Time at which `next` is shown, 1/100 s.
    time: u64,
}

/// The bounding rectangle of changed pixels.
#[derive(Clone, Copy)]
struct ChangedRect {
    left: usize,
    top: usize,
    width: usize,
    height: usize,
}

impl fmt::Debug for GifWriter {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("GifWriter").field("plan", &self.plan).field("pushed", &self.pushed).finish_non_exhaustive()
    }
}

impl GifWriter {
    pub fn create(plan: MoviePlan) -> Result<Self, MediaError> {
        let file =
            BufWriter::new(AtomicFile::create_locked(&plan.path, SIGNATURE).map_err(MediaError::refused(&plan.path))?);
        Ok(Self { plan, file: Some(file), canvas: None, pushed: 0 })
    }

    pub fn frames(&self) -> usize {
        self.pushed
    }

    /// Adds a frame, or drops it if it follows the previous one too closely to be shown.
    pub fn push(&mut self, picture: &Picture) -> Result<(), MediaError> {
        let (frame, time) = (self.pushed, self.plan.time(self.pushed, PER_SECOND));
        let pushed = match (&mut self.canvas, self.file.take()) {
            (Some(canvas), _) if time < canvas.time + MIN_DELAY => Ok(()),
            (Some(canvas), _) => canvas.push(picture, time),
            (None, Some(file)) => Canvas::new(file, picture).map(|canvas| self.canvas = Some(canvas)),
            (None, None) => Err(EncodingError::WriterNotFound),
        };
        pushed.map_err(|error| refused(&self.plan, frame, error))?;
        self.pushed += 1;
        Ok(())
    }

    pub fn finish(self) -> Result<u64, MediaError> {
        let Some(canvas) = self.canvas else { return Err(MediaError::NoFrames(self.plan.path)) };
        let end = self.plan.time(self.pushed, PER_SECOND).max(canvas.time + MIN_DELAY);
        let file = canvas.finish(end).map_err(|error| refused(&self.plan, self.pushed, error))?;
        let kept = file.into_inner().map_err(|error| error.into_error()).and_then(AtomicFile::commit);
        kept.map_err(MediaError::io(&self.plan.path, "write"))
    }
}

impl Canvas {
    fn new(file: BufWriter<AtomicFile>, first: &Picture) -> Result<Self, EncodingError> {
        let pixels = first.pixels();
        let palette = Palette::of(pixels, &[]);
        let (width, height) = (first.width() as u16, first.height() as u16);
        let mut encoder = Encoder::new(file, width, height, &table(&palette))?;
        encoder.set_repeat(Repeat::Infinite)?;
        let sample: Vec<[u8; 3]> = sampled(pixels, SAMPLE).copied().collect();
        let error_sq = palette.error_sq(&sample);
        let draw = |(at, colour): (usize, &[u8; 3])| {
            palette.dither(*colour, at % first.width() as usize, at / first.width() as usize)
        };
        let buffer: Vec<u8> = pixels.iter().enumerate().map(draw).collect();
        let next = Frame { width, height, buffer: buffer.into(), dispose: DisposalMethod::Keep, ..Frame::default() };
        Ok(Self { encoder, palette, is_global: true, error_sq, drawn: pixels.to_vec(), next, time: 0 })
    }

    fn push(&mut self, picture: &Picture, time: u64) -> Result<(), EncodingError> {
        self.write_next(time)?;
        let (width, pixels) = (picture.width() as usize, picture.pixels());
        let changes = |at: usize| (0..3).any(|i| pixels[at][i].abs_diff(self.drawn[at][i]) > KEPT_LEVELS);
        let changed: Vec<usize> = (0..pixels.len()).filter(|at| changes(*at)).collect();
        self.choose_colours(picture, &changed);
        let part = ChangedRect::around(&changed, width);
        let kept = self.palette.len() as u8;
        let mut buffer = vec![kept; part.width * part.height];
        for at in changed {
            let (x, y) = (at % width, at / width);
            buffer[(y - part.top) * part.width + x - part.left] = self.palette.dither(pixels[at], x, y);
            self.drawn[at] = pixels[at];
        }
        self.next = Frame {
            left: part.left as u16,
            top: part.top as u16,
            width: part.width as u16,
            height: part.height as u16,
            buffer: buffer.into(),
            transparent: Some(kept),
            dispose: DisposalMethod::Keep,
            palette: (!self.is_global).then(|| table(&self.palette)),
            ..Frame::default()
        };
        self.time = time;
        Ok(())
    }

    /// Replaces the palette if its error on the changed pixels is too large.
    fn choose_colours(&mut self, picture: &Picture, changed: &[usize]) {
        let sample: Vec<[u8; 3]> = sampled(changed, SAMPLE).map(|at| picture.pixels()[*at]).collect();
        if self.palette.error_sq(&sample) <= WORSE * self.error_sq + NOTICED_SQ {
            return;
        }
        let some: Vec<[u8; 3]> = changed.iter().map(|at| picture.pixels()[*at]).collect();
        self.palette = Palette::of(picture.pixels(), &some);
        self.error_sq = self.palette.error_sq(&sample);
        self.is_global = false;
    }

    /// Writes the pending frame, shown until `time`.
    fn write_next(&mut self, time: u64) -> Result<(), EncodingError> {
        self.next.delay = (time - self.time).min(u64::from(u16::MAX)) as u16;
        self.encoder.write_frame(&self.next)
    }

    fn finish(mut self, end: u64) -> Result<BufWriter<AtomicFile>, EncodingError> {
        self.write_next(end)?;
        self.encoder.into_inner()
    }
}

impl ChangedRect {
    /// The least rectangle that holds the pixels `changed`; one pixel if there are none, because a frame cannot be empty.
    fn around(changed: &[usize], width: usize) -> Self {
        let (Some(first), Some(last)) = (changed.first(), changed.last()) else {
            return Self { left: 0, top: 0, width: 1, height: 1 };
        };
        let columns = changed.iter().map(|at| at % width);
        let (left, right) = columns.fold((width, 0), |(left, right), x| (left.min(x), right.max(x)));
        let (top, bottom) = (first / width, last / width);
        Self { left, top, width: right - left + 1, height: bottom - top + 1 }
    }
}

/// The colours, and one more for transparent (unchanged) pixels.
fn table(palette: &Palette) -> Vec<u8> {
    [palette.rgb(), &[0; 3]].concat()
}

fn refused(plan: &MoviePlan, frame: usize, error: EncodingError) -> MediaError {
    match error {
        EncodingError::Io(error) => MediaError::io(&plan.path, "write")(error),
        error => MediaError::Encoder { path: plan.path.clone(), frame, what: Error::other(error).to_string() },
    }
}
