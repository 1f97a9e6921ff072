//! Quadrature over contact patches: one file a rule.
//!
//! | rule | for | points |
//! |---|---|---|
//! | `axisymmetric` | a ball against a ball or a plane | rings about the axis, from one half-plane; 12 while stepping |
//! | `chords` | most patches while stepping; chords move with both bodies | Gauss along chords from border to border, cut at creases |
//! | `polar` | patches wholly visible from a middle point (star-shaped) | Gauss along the radius, equal angles around |
//! | `cells` | patches of any outline, and creases | adaptive cells, Lobatto along lines across each |
//! | `tetrahedra` | cells in which the surface is no graph | flat pieces, second order |
//!
//! `covered_patch` is a patch, by chords or polar, with its coverage: the part of space in which every overlap belongs to it.
//! `chart` finds surface points along the lines of a polar chart, `polar_border` the border of a polar patch, `coverage` its
//! coverage; `height_field` and `lines` are the surface over one face of a cell, `cell` the rule in one cell, `error_sum`
//! the error of all cells; `sum` adds points up. Every rule estimates its error.

pub(super) mod axisymmetric;
mod cell;
pub(super) mod cells;
pub(super) mod chords;
mod chart;
mod coverage;
pub(super) mod covered_patch;
mod error_sum;
mod height_field;
mod lines;
mod polar;
mod polar_border;
mod sum;
#[cfg(test)]
mod tests;
mod tetrahedra;
