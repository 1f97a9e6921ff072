//! What colours mean, beside a picture of pressures.

use super::pixels::paint_over;
use super::sheet::{Anchor, Color, Mark, Stroke, Words};
use crate::numbers::with_unit;
use pliant::render::heat;
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
pub fn with_scale(picture: &Picture, most: f64) -> Result<Picture, MediaError> {
    let (across, down) = picture.size();
    let (across, down) = (f64::from(across), f64::from(down));
    let (left, bottom) = (across - ASIDE * down, 0.5 * down * (1.0 + HEIGHT));
    let level = |part: f64| bottom - part * HEIGHT * down;
    let mut marks = Vec::new();
    for i in 0..STEPS {
        let part = |i: usize| i as f64 / STEPS as f64;
        let color = heat(0.5 * (part(i) + part(i + 1))).map(|v| (255.0 * v.clamp(0.0, 1.0).powf(1.0 / 2.2)) as u8);
        let middle = left + 0.5 * WIDTH * down;
        let stroke = Stroke { width: WIDTH * down, color, dashes: &[] };
        // A little over the next, so that no gap shows.
        marks.push(Mark::Line(vec![[middle, level(part(i))], [middle, level(part(i + 1)) - 0.5]], stroke));
    }
    let mut words = |text: String, y: f64| {
        let at = [left + 1.5 * WIDTH * down, y + 0.35 * LETTERS * down];
        marks.push(Mark::Words(Words {
            text,
            at,
            size: LETTERS * down,
            anchor: Anchor::Start,
            upright: false,
            color: INK,
        }));
    };
    for part in [0.0, 0.5, 1.0] {
        words(with_unit(part * most, "Pa"), level(part));
    }
    paint_over(picture, &marks)
}
