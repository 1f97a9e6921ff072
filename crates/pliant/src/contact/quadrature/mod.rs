//! Quadrature over contact patches: one file a rule.
//!
//! | rule | for | points |
//! |---|---|---|
//! | `axisymmetric` | a ball against a ball or a plane | rings about the axis, from one half-plane; 12 while stepping |
//! | `chords` | most patches while stepping: carried along by both bodies | Gauss along chords from border to border, cut at creases |
//! | `polar` | patches visible whole from a middle point | Gauss along the radius, equal angles around |
//! | `cells` | patches of any outline, and kinks | adaptive cells, Lobatto along lines across each |
//! | `tetrahedra` | cells in which the surface is no graph | flat pieces, second order |
//!
//! `covered` is a patch with the part of space it accounts for, whatever its rule. `chart` finds surface points along pencils of lines, `rims` the border of a polar patch, `coverage` the part of space it
//! accounts for; `height_field` and `lines` are the surface over one face of a cell, `cell` the rule in one cell, `error_sum` the
//! error of all; `sum` adds points up. Every rule gives an estimate of its error.

pub(super) mod axisymmetric;
mod cell;
pub(super) mod cells;
pub(super) mod chords;
mod chart;
mod coverage;
pub(super) mod covered;
mod error_sum;
mod height_field;
mod lines;
mod polar;
mod rims;
mod sum;
#[cfg(test)]
mod tests;
mod tetrahedra;
