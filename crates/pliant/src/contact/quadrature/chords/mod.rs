//! Chord quadrature: Gauss points on chords across a patch, for the thousands of queries of a simulation.
//!
//! *The idea*: a patch is a height field over a plane; chords of that plane, parallel or through a pivot, cross it from
//! border to border. The pressure vanishes at the border, so with both ends of every chord found by Newton's method few
//! Gauss points suffice, and chords are cut where a skeleton has creases (faces of a box, ends of a segment). The chords
//! are kept with the patch ([`PersistentChart`]) and move with both bodies, so that the next query starts from them: it
//! costs point evaluations, not a search. The number of chords and points is chosen when a patch is set up and again when
//! it has changed.
//!
//! ```text
//! chart        chords in a plane; samples of both pressures on them
//! newton       ends of chords, ends of the patch, heights
//! layout       places and weights: panels between creases
//! outline      the border of a patch, chord by chord
//! integrate    points and sums of one rule
//! rule_choice  the coarsest rule that meets the tolerance, and the patch by it
//! setup        charts around seeds, along rings, and from the last query
//! coverage     the part of space in which every overlap belongs to the patch
//! ```
//!
//! *Not promised*: several intervals on a chord, or several branches over the plane; that is detected (an end is not
//! found) and left to other rules. Holes are integrated across, if the finest rules agree on them. The error of the
//! ends of a patch is in no estimate, for all rules share them.

mod chart;
mod coverage;
mod integrate;
mod layout;
mod line_patch;
mod lines;
mod newton;
mod outline;
mod setup;
mod rule_choice;
#[cfg(test)]
mod tests;

pub(in crate::contact) use coverage::ChordCoverage;
pub(in crate::contact) use setup::{from_chart, from_seed};
