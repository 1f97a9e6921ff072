//! Colours that everyone can tell apart, and dashes for those who print in grey.

use super::sheet::{Color, Stroke};

/// As dark as text.
pub const INK: Color = [0x22, 0x22, 0x22];
/// Of lines behind the data.
pub const GRID: Color = [0xdd, 0xdd, 0xdd];
/// Of what is summed up or left out.
pub const FAINT: Color = [0x80, 0x80, 0x80];

/// Width of a curve. Less: colours are lost in print. More: dashes and near curves run together.
const WIDTH: f64 = 1.4;

/// Curves that are told apart; more of them nobody does.
pub const MOST: usize = 8;

/// Okabe and Ito's palette, "Color Universal Design" (2008), the most different first; its yellow, which white paper
/// swallows, is darkened.
const COLORS: [Color; MOST] = [
    [0x00, 0x72, 0xb2],
    [0xd5, 0x5e, 0x00],
    [0x00, 0x9e, 0x73],
    [0xcc, 0x79, 0xa7],
    [0x00, 0x00, 0x00],
    [0xe6, 0x9f, 0x00],
    [0x56, 0xb4, 0xe9],
    [0xa8, 0x9c, 0x00],
];
const DASHES: [&[f64]; MOST] = [
    &[],
    &[6.0, 2.0],
    &[2.0, 1.5],
    &[7.0, 2.0, 1.5, 2.0],
    &[1.2, 1.8],
    &[11.0, 2.5],
    &[7.0, 1.5, 1.5, 1.5, 1.5, 1.5],
    &[4.0, 1.5, 4.0, 4.0],
];

/// Of the `nth` curve.
pub fn curve(nth: usize) -> Stroke {
    Stroke { width: WIDTH, color: COLORS[nth % MOST], dashes: DASHES[nth % MOST] }
}

/// Of a sum that stands for all: black and whole.
pub fn total() -> Stroke {
    Stroke { width: WIDTH, color: [0; 3], dashes: &[] }
}

/// Of the curves that were too many.
pub fn others() -> Stroke {
    Stroke { width: 0.7, color: FAINT, dashes: &[] }
}

/// Of axes (`INK`) and the grid.
pub fn rule(color: Color) -> Stroke {
    Stroke { width: if color == GRID { 0.5 } else { 0.8 }, color, dashes: &[] }
}
