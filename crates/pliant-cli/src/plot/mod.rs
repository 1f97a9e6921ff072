//! Figures: energy, volumes, contact forces and contact areas over time, as `pliant inspect --plot` writes them.
//!
//! *The idea*: a [`History`] is read from a cache; [`figure::draw`] lays it out once, as strokes and words on a
//! [`Sheet`]; the sheet is written as SVG, with real text in the reader's own sans-serif, or painted as PNG with a font
//! of ours. That font has the widths of Arial and Helvetica, so that both look the same, and nothing is to be installed.
//!
//! *Not promised*: scripts that are written from right to left or joined; characters other than Latin, Greek and Cyrillic
//! are boxes in a PNG.

mod axis;
mod figure;
mod font;
mod history;
mod legend;
mod pixels;
mod place;
mod sheet;
mod style;
mod svg;

pub use figure::draw;
pub use history::{History, chosen};
pub use legend::{with_lines, with_pressures, with_ways};
pub use place::Place;
pub use sheet::Sheet;
