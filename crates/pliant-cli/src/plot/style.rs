//! Line styles: colours that colour-blind readers can tell apart, and dashes for prints in grey.

use super::drawing::{Color, Stroke};

/// Colour of text and axes.
pub const INK: Color = [0x22, 0x22, 0x22];
/// Colour of grid lines.
pub const GRID: Color = [0xdd, 0xdd, 0xdd];
/// Colour of unnamed series and of notes.
pub const FAINT: Color = [0x80, 0x80, 0x80];

/// Width of a curve. Smaller: colours are lost in print. Larger: dashes and neighbouring curves merge.
const WIDTH: f64 = 1.4;

/// Number of series with a style of their own. Larger: styles cannot be told apart.
pub const MAX_STYLES: usize = 8;

/// Okabe and Ito's palette, "Color Universal Design" (2008), the most different first; its yellow is darkened to be
/// seen on white.
const COLORS: [Color; MAX_STYLES] = [
    [0x00, 0x72, 0xb2],
    [0xd5, 0x5e, 0x00],
    [0x00, 0x9e, 0x73],
    [0xcc, 0x79, 0xa7],
    [0x00, 0x00, 0x00],
    [0xe6, 0x9f, 0x00],
    [0x56, 0xb4, 0xe9],
    [0xa8, 0x9c, 0x00],
];
const DASHES: [&[f64]; MAX_STYLES] = [
    &[],
    &[6.0, 2.0],
    &[2.0, 1.5],
    &[7.0, 2.0, 1.5, 2.0],
    &[1.2, 1.8],
    &[11.0, 2.5],
    &[7.0, 1.5, 1.5, 1.5, 1.5, 1.5],
    &[4.0, 1.5, 4.0, 4.0],
];

/// Style of the `nth` series.
pub fn curve(nth: usize) -> Stroke {
    Stroke { width: WIDTH, color: COLORS[nth % MAX_STYLES], dashes: DASHES[nth % MAX_STYLES] }
}

/// Style of a total: solid black.
pub fn total() -> Stroke {
    Stroke { width: WIDTH, color: [0; 3], dashes: &[] }
}

/// Style of the series beyond [`MAX_STYLES`].
pub fn others() -> Stroke {
    Stroke { width: 0.7, color: FAINT, dashes: &[] }
}

/// Style of axes ([`INK`]) and grid lines ([`GRID`]).
pub fn rule(color: Color) -> Stroke {
    Stroke { width: if color == GRID { 0.5 } else { 0.8 }, color, dashes: &[] }
}
