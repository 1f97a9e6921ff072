//! What the user should know, each pair once for each kind.

use super::World;
use crate::contact::{Found, Pair, Quality};

/// Something the user should know.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// When, s.
    pub time: f64,
    /// Between whom: indices into [`World::bodies`].
    pub bodies: (usize, usize),
    /// What.
    pub kind: WarningKind,
    /// How large the place is that it is about, m; only of [`WarningKind::Undecided`].
    pub size: Option<f64>,
}

/// What there is to warn of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WarningKind {
    /// The contact surface has reached the first body's skeleton: its kernel carries no more load.
    BottomedOut,
    /// The bulge the first body should have around the second would cross the surface midway between them and is cut
    /// off there: its height is too large.
    BulgeCutOff,
    /// No bulge of the first body around the second holds the volume pressed away, as its material asks for.
    VolumeNotKept,
    /// Even the shortest step left an overlap deeper than the settings allow.
    OverlapTooDeep,
    /// The search for contacts was given up in a place where neither bounds nor samples tell whether the two touch.
    Undecided,
}

/// Size of the place in which the search behind `found` was given up, metres. A place no larger than the finest cell is
/// no reason to warn: surfaces that just touch leave such places at any quality, and what they may hide is as light as
/// the quality allows.
pub(super) fn undecided(found: &Found, pair: &Pair, quality: &Quality) -> Option<f64> {
    Some(found.unresolved).filter(|size| *size > quality.finest_cell * pair.least_thickness())
}

impl World {
    /// A skeleton on the wrong side of a contact surface is never passed over in silence.
    pub(super) fn look_for_the_bottom(&mut self) {
        let mut found = Vec::new();
        // Where no force moves anything, as deep as it was put is as deep as it was meant.
        for c in self.contacts.iter().filter(|c| self.moves(c.touch.a.0) || self.moves(c.touch.b.0)) {
            let (a, b) = (c.touch.a.0, c.touch.b.0);
            let (bottom_a, bottom_b) = self.pair(&c.touch).bottomed_out(&c.patch);
            if bottom_a {
                found.push((a, b));
            }
            if bottom_b {
                found.push((b, a));
            }
        }
        for pair in found {
            self.warn(pair, WarningKind::BottomedOut, None);
        }
    }

    pub(super) fn warn(&mut self, bodies: (usize, usize), kind: WarningKind, size: Option<f64>) {
        if self.warned.insert((bodies, kind)) {
            self.warnings.push(Warning { time: self.time, bodies, kind, size });
        }
    }
}
