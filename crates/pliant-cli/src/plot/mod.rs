//! Figures: energy, volumes, contact forces and contact areas over time, as `pliant inspect --plot` writes them.
//!
//! *The idea*: a [`History`] is read from a cache; [`draw`] lays it out once, as a list of marks; these are written as
//! SVG, with text in the reader's sans-serif font, or painted as PNG with an embedded font. That font has the metrics of
//! Arial and Helvetica, so that both look the same, and nothing needs to be installed.
//!
//! *Not promised*: right-to-left or joined scripts; characters other than Latin, Greek and Cyrillic are boxes in a PNG.

mod axis;
mod drawing;
mod figure;
mod figure_file;
mod font;
mod history;
mod legend;
mod pixels;
mod style;
mod svg;

pub use figure::draw;
pub use figure_file::FigureFile;
pub use history::{History, chosen};
pub use legend::{with_displacements, with_lines, with_pressures};
