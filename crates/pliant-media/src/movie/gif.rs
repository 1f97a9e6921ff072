//! Animated GIF.
//!
//! *The idea*: a pixel that has not changed is not touched again, so that nothing flickers and files stay small; the
//! colours are chosen anew only when those at hand no longer do.

use super::Plan;
use super::palette::{Palette, sampled};
use crate::error::MediaError;
use crate::picture::Picture;
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use pliant_files::Beside;
use std::fmt;
use std::io::{BufWriter, Error};

/// The unit of time of the format is 1/100 s.
const PER_SECOND: f64 = 100.0;

/// Browsers show frames of less for a tenth of a second.
const LEAST_DELAY: u64 = 2;

/// Levels by which a channel may be off before its pixel is drawn again. More would leave trails, none would draw
/// rounding.
const KEPT_LEVELS: u8 = 2;

/// A palette is given up when its error has grown by this factor and by about three levels.
const WORSE: f64 = 1.5;
const NOTICED_SQ: f64 = 9.0;

/// Pixels looked at to see whether a palette still does.
const SAMPLE: usize = 4096;

pub struct GifWriter {
    plan: Plan,
    /// Before the first frame, whose palette is the movie's.
    file: Option<BufWriter<Beside>>,
    canvas: Option<Canvas>,
    pushed: usize,
}

/// What is on the screen, and the frame that comes next into the file.
struct Canvas {
    encoder: Encoder<BufWriter<Beside>>,
    palette: Palette,
    is_global: bool,
    /// Mean squared error of the palette when it was made.
    error_sq: f64,
    /// For each pixel the colour that was asked for when it was last drawn.
    wanted: Vec<[u8; 3]>,
    /// Its delay is known only when the next one comes.
    next: Frame<'static>,
    /// When that one is shown, in 1/100 s.
    time: u64,
}

/// The part of a picture that changes.
#[derive(Clone, Copy)]
struct Part {
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
    pub fn create(plan: Plan) -> Result<Self, MediaError> {
        let file = BufWriter::new(Beside::locked(&plan.path, b"GIF89a").map_err(MediaError::refused(&plan.path))?);
        Ok(Self { plan, file: Some(file), canvas: None, pushed: 0 })
    }

    pub fn frames(&self) -> usize {
        self.pushed
    }

    /// Frames too close to the one before to be shown are left out.
    pub fn push(&mut self, picture: &Picture) -> Result<(), MediaError> {
        let (frame, time) = (self.pushed, self.plan.time(self.pushed, PER_SECOND));
        let pushed = match (&mut self.canvas, self.file.take()) {
            (Some(canvas), _) if time < canvas.time + LEAST_DELAY => Ok(()),
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
        let end = self.plan.time(self.pushed, PER_SECOND).max(canvas.time + LEAST_DELAY);
        let file = canvas.finish(end).map_err(|error| refused(&self.plan, self.pushed, error))?;
        let kept = file.into_inner().map_err(|error| error.into_error()).and_then(Beside::keep);
        kept.map_err(MediaError::io(&self.plan.path, "write"))
    }
}

impl Canvas {
    fn new(file: BufWriter<Beside>, first: &Picture) -> Result<Self, EncodingError> {
        let pixels = first.pixels();
        let palette = Palette::of(pixels, &[]);
        let (width, height) = (first.width() as u16, first.height() as u16);
        let mut encoder = Encoder::new(file, width, height, &table(&palette))?;
        encoder.set_repeat(Repeat::Infinite)?;
        let sample: Vec<[u8; 3]> = sampled(pixels, SAMPLE).copied().collect();
        let error_sq = palette.error_sq(&sample);
        let draw = |(at, colour): (usize, &[u8; 3])| {
            palette.mix(*colour, at % first.width() as usize, at / first.width() as usize)
        };
        let buffer: Vec<u8> = pixels.iter().enumerate().map(draw).collect();
        let next = Frame { width, height, buffer: buffer.into(), dispose: DisposalMethod::Keep, ..Frame::default() };
        Ok(Self { encoder, palette, is_global: true, error_sq, wanted: pixels.to_vec(), next, time: 0 })
    }

    fn push(&mut self, picture: &Picture, time: u64) -> Result<(), EncodingError> {
        self.write_next(time)?;
        let (width, pixels) = (picture.width() as usize, picture.pixels());
        let changes = |at: usize| (0..3).any(|i| pixels[at][i].abs_diff(self.wanted[at][i]) > KEPT_LEVELS);
        let changed: Vec<usize> = (0..pixels.len()).filter(|at| changes(*at)).collect();
        self.choose_colours(picture, &changed);
        let part = Part::around(&changed, width);
        let kept = self.palette.len() as u8;
        let mut buffer = vec![kept; part.width * part.height];
        for at in changed {
            let (x, y) = (at % width, at / width);
            buffer[(y - part.top) * part.width + x - part.left] = self.palette.mix(pixels[at], x, y);
            self.wanted[at] = pixels[at];
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

    /// A new palette, if the present one is too poor for the pixels that changed.
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

    /// The frame that waits is shown until `time`.
    fn write_next(&mut self, time: u64) -> Result<(), EncodingError> {
        self.next.delay = (time - self.time).min(u64::from(u16::MAX)) as u16;
        self.encoder.write_frame(&self.next)
    }

    fn finish(mut self, end: u64) -> Result<BufWriter<Beside>, EncodingError> {
        self.write_next(end)?;
        self.encoder.into_inner()
    }
}

impl Part {
    /// The least part that holds the pixels `changed`; one pixel if there are none, as a frame must have some.
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

/// The colours, and one more that stands for "as before".
fn table(palette: &Palette) -> Vec<u8> {
    [palette.rgb(), &[0; 3]].concat()
}

fn refused(plan: &Plan, frame: usize, error: EncodingError) -> MediaError {
    match error {
        EncodingError::Io(error) => MediaError::io(&plan.path, "write")(error),
        error => MediaError::Encoder { path: plan.path.clone(), frame, what: Error::other(error).to_string() },
    }
}
