//! What the user should know, each pair once for each kind.

use super::{Contact, LayerPair, World};
use crate::contact::{self, FoundPatches, Pair, Quality};

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
    /// A contact made or lost more than a hundredth of the energy it passed on: even the shortest step could not follow
    /// its force, or the two overlap so deeply that the force is no longer that of one potential.
    EnergyNotKept,
    /// At the start the first body is inside the second: they share no surface, so nothing pushes them apart.
    StartsInside,
    /// A spring or joint between the two, or between the first and the world, was pulled beyond its force, and is gone.
    JointBroke,
    /// A joint between the two, or between the first and the world, is pulled apart: what else holds or drives its bodies
    /// contradicts it.
    JointGaveWay,
    /// Neither body has bounds: no contact between them is found, and neither is seen to be pressed by the other.
    BothUnbounded,
}

/// Size of the place in which the search behind `found` was given up, metres. A place no larger than the finest cell is
/// no reason to warn: surfaces that just touch leave such places at any quality, and what they may hide is as light as
/// the quality allows. Nor is a body inside another: that they share no surface is known.
pub(super) fn undecided(found: &FoundPatches, pair: &Pair, quality: &Quality) -> Option<f64> {
    let large = |size: &f64| *size > quality.finest_cell * pair.least_thickness();
    let inside = || found.patches.is_empty() && contact::is_enclosed(pair);
    Some(found.unresolved).filter(|size| large(size) && !inside())
}

impl World {
    /// A skeleton on the wrong side of a contact surface is never passed over in silence.
    pub(super) fn look_for_the_bottom(&mut self) {
        let mut found = Vec::new();
        // Where no force moves anything, as deep as it was put is as deep as it was meant.
        let moves = |c: &Contact| self.moves(c.touch.a.0) || self.moves(c.touch.b.0);
        let bottoms = self.of_contacts(|c| moves(c).then(|| self.pair(&c.touch).bottomed_out(&c.patch)));
        for (c, (bottom_a, bottom_b)) in self.contacts.iter().zip(bottoms).filter_map(|(c, b)| Some((c, b?))) {
            let (a, b) = (c.touch.a.0, c.touch.b.0);
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

    /// Bodies that start one inside the other share no surface, and nothing would part them; nor do two without bounds.
    pub(super) fn look_for_hidden_bodies(&mut self) {
        let apart = |&(i, j): &(usize, usize)| {
            let layers = |i: usize| 0..self.bodies[i].layers.len();
            let mut touches = layers(i).flat_map(|a| layers(j).map(move |b| LayerPair { a: (i, a), b: (j, b) }));
            !touches.any(|t| !self.between(&self.contacts, &t).is_empty())
        };
        let skins = |&(i, j): &(usize, usize)| contact::is_enclosed(&self.pair(&LayerPair { a: (i, 0), b: (j, 0) }));
        let meeting = self.meeting(true, |i, j| self.moves(i) || self.moves(j));
        let is_enclosed: Vec<_> = meeting.into_iter().filter(|pair| apart(pair) && skins(pair)).collect();
        for (i, j) in is_enclosed {
            let inner_first = self.bodies[i].rest_volume <= self.bodies[j].rest_volume;
            self.warn(if inner_first { (i, j) } else { (j, i) }, WarningKind::StartsInside, None);
        }
        let unbounded = |i: &usize| !self.bodies[*i].bounds().is_finite();
        let unbounded: Vec<usize> = self.by_name.iter().copied().filter(unbounded).collect();
        let fixed = |i: usize| self.bodies[i].base.is_fixed();
        let rigid = |i: usize| self.bodies[i].layers[0].rigid;
        // One other is enough to be told of.
        let never_meet = |(n, &i): (usize, &usize)| {
            let mut others = unbounded[n + 1..].iter().copied();
            others.find(|&j| !(fixed(i) && fixed(j) || rigid(i) && rigid(j))).map(|j| (i, j))
        };
        let pairs: Vec<_> = unbounded.iter().enumerate().filter_map(never_meet).collect();
        for pair in pairs {
            self.warn(pair, WarningKind::BothUnbounded, None);
        }
    }

    pub(super) fn warn(&mut self, bodies: (usize, usize), kind: WarningKind, size: Option<f64>) {
        if self.warned.insert((bodies, kind)) {
            self.warnings.push(Warning { time: self.time, bodies, kind, size });
        }
    }

    /// Takes back all but the first `count` warnings, which a step raised that was not kept.
    pub(super) fn unwarn(&mut self, count: usize) {
        for w in self.warnings.drain(count..) {
            self.warned.remove(&(w.bodies, w.kind));
        }
    }
}
