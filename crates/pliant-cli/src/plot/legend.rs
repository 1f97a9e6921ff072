//! What colours and lines mean, beside a picture.

use super::pixels::paint_over;
use super::sheet::{Anchor, Color, Mark, Point, Stroke, Words};
use crate::numbers::{short, with_unit};
use crate::views::round_step;
use pliant::render::{CutPlane, diverging, heat, tint};
use pliant_media::{MediaError, Picture};

/// Steps of the scale: more than anyone can tell apart.
const STEPS: usize = 64;
/// The scale's height and width, its distance from the right, and the size of letters, as parts of the picture's height.
const HEIGHT: f64 = 0.4;
const WIDTH: f64 = 0.03;
const ASIDE: f64 = 0.24;
const LETTERS: f64 = 0.034;

const INK: Color = [25, 25, 25];

/// `picture` with a scale of pressures up to `most` pascals.
pub fn with_pressures(picture: &Picture, most: f64) -> Result<Picture, MediaError> {
    let mut key = Key::new(picture, ASIDE);
    let labels = [0.0, 0.5, 1.0].map(|part| (part, with_unit(part * most, "Pa")));
    key.scale((0.5 * (1.0 + HEIGHT), HEIGHT), heat, labels);
    paint_over(picture, &key.marks)
}

/// `picture` with a scale of ways in and out, metres.
pub fn with_ways(picture: &Picture, (pressed, swollen): (f64, f64)) -> Result<Picture, MediaError> {
    let mut key = Key::new(picture, ASIDE);
    let labels = [
        (0.0, format!("{} in", with_unit(pressed, "m"))),
        (0.5, "at rest".to_owned()),
        (1.0, format!("{} out", with_unit(swollen, "m"))),
    ];
    key.scale((0.5 * (1.0 + HEIGHT), HEIGHT), |part| diverging(2.0 * part - 1.0), labels);
    paint_over(picture, &key.marks)
}

/// Of the legend of a cut: its distance from the right, the lower end of its scale and that's height, from where its lines
/// go down, from one to the next, and their length.
const LINES_ASIDE: f64 = 0.42;
const LINES_SCALE: (f64, f64) = (0.40, 0.28);
const LINES_FROM: f64 = 0.52;
const NEXT: f64 = 0.065;
const LONG: f64 = 0.07;

/// `picture` of a cut with what its tints and lines mean, and how long a length is; tints begin at `iso`.
pub fn with_lines(picture: &Picture, cut: &CutPlane, iso: f64) -> Result<Picture, MediaError> {
    let mut key = Key::new(picture, LINES_ASIDE);
    let grey = |part: f64| [0.95 + (0.12 - 0.95) * tint(part); 3];
    let end = |part: f64| (part, short(iso + part * cut.most));
    key.scale(LINES_SCALE, grey, [end(0.0), end(1.0)]);
    key.words("field".to_owned(), 0.0, LINES_SCALE.0 - LINES_SCALE.1 - 0.05);
    let wide = (key.down / 360.0).max(1.0);
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
    let last = LINES_FROM + NEXT * (lines.len() as f64 + 0.6);
    for (i, (text, stroke)) in lines.into_iter().enumerate() {
        let y = LINES_FROM + NEXT * i as f64;
        key.line((0.0, LONG, y), stroke);
        key.words(text, LONG + 0.02, y);
    }
    // A length: as long as fits over the words.
    let length = round_step(0.12 * cut.height);
    let long = length / cut.height;
    key.line((0.0, long, last), ink(1.8, 40, &[]));
    key.words(with_unit(length, "m"), long + 0.02, last);
    paint_over(picture, &key.marks)
}

/// Marks at the right of a picture. Lengths are parts of its height.
struct Key {
    marks: Vec<Mark>,
    left: f64,
    down: f64,
}

impl Key {
    fn new(picture: &Picture, aside: f64) -> Self {
        let (across, down) = picture.size();
        let (across, down) = (f64::from(across), f64::from(down));
        Self { marks: Vec::new(), left: across - aside * down, down }
    }

    fn at(&self, x: f64, y: f64) -> Point {
        [self.left + x * self.down, y * self.down]
    }

    /// Colours from `bottom` on, `height` high, with words beside some.
    fn scale(
        &mut self,
        (bottom, height): (f64, f64),
        color: impl Fn(f64) -> [f64; 3],
        labels: impl IntoIterator<Item = (f64, String)>,
    ) {
        let part = |i: usize| i as f64 / STEPS as f64;
        for i in 0..STEPS {
            let color = color(0.5 * (part(i) + part(i + 1))).map(|v| (255.0 * v.clamp(0.0, 1.0).powf(1.0 / 2.2)) as u8);
            let stroke = Stroke { width: WIDTH * self.down, color, dashes: &[] };
            let [from, mut to] = [i, i + 1].map(|i| self.at(0.5 * WIDTH, bottom - part(i) * height));
            // A little over the next, so that no gap shows.
            to[1] -= 0.5;
            self.marks.push(Mark::Line(vec![from, to], stroke));
        }
        for (part, text) in labels {
            self.words(text, 1.5 * WIDTH, bottom - part * height);
        }
    }

    fn line(&mut self, (from, to, y): (f64, f64, f64), stroke: Stroke) {
        self.marks.push(Mark::Line(vec![self.at(from, y), self.at(to, y)], stroke));
    }

    fn words(&mut self, text: String, x: f64, y: f64) {
        let at = self.at(x, y + 0.35 * LETTERS);
        let size = LETTERS * self.down;
        self.marks.push(Mark::Words(Words { text, at, size, anchor: Anchor::Start, upright: false, color: INK }));
    }
}
