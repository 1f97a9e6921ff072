//! Legends over rendered pictures: colour scales and line styles.

use super::drawing::{Anchor, CanvasPoint, Color, Label, Mark, Stroke};
use super::pixels::paint_over;
use crate::numbers::{short, with_unit};
use crate::views::round_step;
use pliant::render::{CutPlane, diverging, heat, tint};
use pliant_media::{MediaError, Picture};

/// Steps of a colour scale. Smaller: steps show. Larger: slower with no visible gain.
const STEPS: usize = 64;
/// Height and width of the scale, its distance from the right edge, and the font size, relative to the picture's height.
const HEIGHT: f64 = 0.4;
const WIDTH: f64 = 0.03;
const FROM_RIGHT: f64 = 0.24;
const FONT_SIZE: f64 = 0.034;

const INK: Color = [25, 25, 25];

/// `picture` with a scale of pressures up to `largest`, Pa.
pub fn with_pressures(picture: &Picture, largest: f64) -> Result<Picture, MediaError> {
    let mut legend = Legend::new(picture, FROM_RIGHT);
    let labels = [0.0, 0.5, 1.0].map(|part| (part, with_unit(part * largest, "Pa")));
    legend.scale(0.5 * (1.0 + HEIGHT), HEIGHT, heat, labels);
    paint_over(picture, &legend.marks)
}

/// `picture` with a scale of displacements inwards and outwards, m.
pub fn with_displacements(picture: &Picture, pressed: f64, swollen: f64) -> Result<Picture, MediaError> {
    let mut legend = Legend::new(picture, FROM_RIGHT);
    let labels = [
        (0.0, format!("{} in", with_unit(pressed, "m"))),
        (0.5, "at rest".to_owned()),
        (1.0, format!("{} out", with_unit(swollen, "m"))),
    ];
    legend.scale(0.5 * (1.0 + HEIGHT), HEIGHT, |part| diverging(2.0 * part - 1.0), labels);
    paint_over(picture, &legend.marks)
}

/// Layout of the legend of a cut: distance from the right edge, lower end and height of the scale, position of the first
/// line sample, distance between lines, and length of a sample.
const LINES_FROM_RIGHT: f64 = 0.42;
const LINES_SCALE: (f64, f64) = (0.40, 0.28);
const LINES_FROM: f64 = 0.52;
const SPACING: f64 = 0.065;
const SAMPLE: f64 = 0.07;

/// `picture` of a cut with a legend of its tints and lines, and a scale bar; tints begin at `iso`.
pub fn with_lines(picture: &Picture, cut: &CutPlane, iso: f64) -> Result<Picture, MediaError> {
    let mut legend = Legend::new(picture, LINES_FROM_RIGHT);
    let grey = |part: f64| [0.95 + (0.12 - 0.95) * tint(part); 3];
    let end = |part: f64| (part, short(iso + part * cut.most));
    legend.scale(LINES_SCALE.0, LINES_SCALE.1, grey, [end(0.0), end(1.0)]);
    legend.text("field".to_owned(), 0.0, LINES_SCALE.0 - LINES_SCALE.1 - 0.05);
    let wide = (legend.down / 360.0).max(1.0);
    let ink = |width: f64, level: u8, dashes: &'static [f64]| Stroke { width: width * wide, color: [level; 3], dashes };
    let [inside, outside] = cut.steps;
    let is_same = (inside / outside - 1.0).abs() < 1e-9;
    let step = |step: f64, of: &str| (format!("every {}{of}", short(step)), ink(0.8, 110, &[]));
    let dashes: &'static [f64] = if wide > 1.5 { &[8.0, 8.0] } else { &[4.0, 4.0] };
    let mut lines = vec![
        ("contact".to_owned(), ink(4.4, 28, &[])),
        ("surface".to_owned(), ink(1.8, 40, &[])),
        ("at rest".to_owned(), ink(1.1, 90, dashes)),
        step(inside, if is_same { "" } else { " inside" }),
    ];
    if !is_same {
        lines.push(step(outside, " outside"));
    }
    let last = LINES_FROM + SPACING * (lines.len() as f64 + 0.6);
    for (i, (text, stroke)) in lines.into_iter().enumerate() {
        let y = LINES_FROM + SPACING * i as f64;
        legend.line(SAMPLE, y, stroke);
        legend.text(text, SAMPLE + 0.02, y);
    }
    // The scale bar.
    let length = round_step(0.12 * cut.height);
    let long = length / cut.height;
    legend.line(long, last, ink(1.8, 40, &[]));
    legend.text(with_unit(length, "m"), long + 0.02, last);
    paint_over(picture, &legend.marks)
}

/// Marks at the right of a picture. Lengths are relative to its height.
struct Legend {
    marks: Vec<Mark>,
    left: f64,
    down: f64,
}

impl Legend {
    fn new(picture: &Picture, from_right: f64) -> Self {
        let (across, down) = picture.size();
        let (across, down) = (f64::from(across), f64::from(down));
        Self { marks: Vec::new(), left: across - from_right * down, down }
    }

    fn at(&self, x: f64, y: f64) -> CanvasPoint {
        [self.left + x * self.down, y * self.down]
    }

    /// A colour scale from `bottom` upwards, `height` high, with labels.
    fn scale(
        &mut self,
        bottom: f64,
        height: f64,
        color: impl Fn(f64) -> [f64; 3],
        labels: impl IntoIterator<Item = (f64, String)>,
    ) {
        let part = |i: usize| i as f64 / STEPS as f64;
        for i in 0..STEPS {
            let color = color(0.5 * (part(i) + part(i + 1))).map(|v| (255.0 * v.clamp(0.0, 1.0).powf(1.0 / 2.2)) as u8);
            let stroke = Stroke { width: WIDTH * self.down, color, dashes: &[] };
            let [from, mut to] = [i, i + 1].map(|i| self.at(0.5 * WIDTH, bottom - part(i) * height));
            // Overlaps the next step, so that no gap shows.
            to[1] -= 0.5;
            self.marks.push(Mark::Line(vec![from, to], stroke));
        }
        for (part, text) in labels {
            self.text(text, 1.5 * WIDTH, bottom - part * height);
        }
    }

    /// A horizontal line from the left edge.
    fn line(&mut self, length: f64, y: f64, stroke: Stroke) {
        self.marks.push(Mark::Line(vec![self.at(0.0, y), self.at(length, y)], stroke));
    }

    fn text(&mut self, text: String, x: f64, y: f64) {
        let at = self.at(x, y + 0.35 * FONT_SIZE);
        let size = FONT_SIZE * self.down;
        self.marks.push(Mark::Text(Label { text, at, size, anchor: Anchor::Start, vertical: false, color: INK }));
    }
}
