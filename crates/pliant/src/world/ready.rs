//! Contacts ready to be solved with, kept from look to look: what does not move need not be asked again. Nor is room for
//! them asked for again: a thousand balls have megabytes of spots.

use super::implicit::WORTH_SHARING;
use super::leap::Leap;
use super::{Contact, Touch, World};
use crate::bodies::Twist;
use crate::contact::Approach;
use crate::math::DVec3;
use crate::motion::implicit::{Coupling, Impulse, Passage, Spots};
use rayon::prelude::*;

/// A contact at certain velocities.
#[derive(Debug)]
pub(super) struct Ready {
    touch: Touch,
    /// Whether the rest is of this moment, or only room.
    known: bool,
    /// What part of its force acts as it will be.
    late: f64,
    /// From each body's centre to the reference point.
    arms: [DVec3; 2],
    /// What each side adds to the velocity of b against a at the reference point, and to its spin.
    sides: [[DVec3; 2]; 2],
    /// On b.
    impulse: Impulse,
    spots: Spots,
}

/// What contacts are asked for.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub leap: &'a Leap,
    pub velocities: &'a [Twist],
    /// Whether bodies have come to where the step ends.
    pub later: bool,
    /// Bodies that have moved since contacts were made ready last.
    pub moved: &'a [bool],
    /// Bodies whose contacts are wanted.
    pub watched: &'a [bool],
}

impl Asked<'_> {
    fn concerns(&self, t: &Touch) -> bool {
        self.moved[t.a.0] || self.moved[t.b.0]
    }
}

impl Ready {
    fn room(touch: Touch) -> Self {
        Self {
            touch,
            known: false,
            late: 0.0,
            arms: [DVec3::ZERO; 2],
            sides: [[DVec3::ZERO; 2]; 2],
            impulse: Impulse::default(),
            spots: Spots::default(),
        }
    }

    /// Of another moment from now on; the room stays.
    pub(super) fn forget(&mut self) {
        self.known = false;
    }

    /// It, if it is of this moment.
    pub(super) fn known(&self) -> Option<&Self> {
        self.known.then_some(self)
    }

    pub(super) fn late(&self) -> f64 {
        self.late
    }

    /// The coupling of these `movers`; sides that are none of them go on as they do.
    pub(super) fn among(&self, movers: [Option<usize>; 2]) -> Coupling<'_> {
        let mut given = [DVec3::ZERO; 2];
        for (mover, side) in movers.iter().zip(&self.sides) {
            if mover.is_none() {
                (0..2).for_each(|k| given[k] += side[k]);
            }
        }
        Coupling::new(movers, self.arms, given, &self.spots)
    }

    /// The impulse on side 0 or 1, about its centre.
    pub(super) fn on(&self, side: usize) -> Impulse {
        let (sign, Impulse { linear, angular }) = ([-1.0, 1.0][side], self.impulse);
        Impulse { linear: sign * linear, angular: sign * (self.arms[side].cross(linear) + angular) }
    }
}

impl World {
    /// Makes `all` those of the contacts of this moment. Those that do not concern bodies that have moved stay as they are.
    pub(super) fn make_ready(&self, all: &mut Vec<Ready>, asked: &Asked) {
        if !self.contacts.iter().map(|c| c.touch).eq(all.iter().map(|r| r.touch)) {
            self.make_room(all, asked);
        }
        let wanted = |c: &Contact| asked.watched[c.touch.a.0] || asked.watched[c.touch.b.0];
        let one = |(ready, c): (&mut Ready, &Contact)| {
            if ready.known && !asked.concerns(&c.touch) {
                return;
            }
            ready.known = wanted(c);
            if ready.known {
                self.set_ready(ready, c, asked);
            }
        };
        if self.contacts.len() > WORTH_SHARING {
            all.par_iter_mut().zip(&self.contacts).with_min_len(WORTH_SHARING / 4).for_each(one);
        } else {
            all.iter_mut().zip(&self.contacts).for_each(one);
        }
    }

    /// As many as there are contacts: those that go on, which are in the order of contacts, or room for others.
    fn make_room(&self, all: &mut Vec<Ready>, asked: &Asked) {
        let (kept, mut spare): (Vec<Ready>, Vec<Ready>) =
            all.drain(..).partition(|r| r.known && !asked.concerns(&r.touch));
        let mut kept = kept.into_iter().peekable();
        for touch in self.contacts.iter().map(|c| c.touch) {
            let own = if asked.concerns(&touch) { None } else { kept.next_if(|r| r.touch == touch) };
            all.push(own.unwrap_or_else(|| match spare.pop() {
                Some(room) => Ready { touch, known: false, ..room },
                None => Ready::room(touch),
            }));
        }
    }

    fn set_ready(&self, ready: &mut Ready, c: &Contact, asked: &Asked) {
        let Asked { leap, velocities, later, .. } = *asked;
        let p = c.patch.reference;
        let bodies = [c.touch.a.0, c.touch.b.0];
        ready.arms = bodies.map(|i| p - self.bodies[i].base.center());
        let [mut after, mut before] = [[DVec3::ZERO; 2]; 2];
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let (i, arm) = (bodies[side], ready.arms[side]);
            let motion = |twist: &Twist| [twist.linear + twist.angular.cross(arm), twist.angular];
            let (was, is) = if self.moves(i) {
                (motion(&leap.before[i]), motion(&velocities[i]))
            } else {
                // As fast as it was on the way.
                let (shift, turn) = self.way(i, &leap.stride, p);
                let own = [shift / leap.stride.dt, turn / leap.stride.dt];
                (own, own)
            };
            for k in 0..2 {
                before[k] += sign * was[k];
                after[k] += sign * is[k];
                ready.sides[side][k] = sign * is[k];
            }
        }
        let across = c.patch.mean_normal().any_orthonormal_vector();
        let mobility = bodies.iter().map(|i| self.bodies[*i].base.mobility(p, across)).sum();
        let approach = Approach { velocity: after[0], spin: after[1], mobility, surfaces: self.surfaces(c), ease: 1.0 };
        let passage = Passage { after: approach, before, moved: later };
        let share = self.share(c, leap.stride.dt);
        ready.late = share.late;
        ready.spots.fill(&c.patch, &c.stick, &passage, share);
        // What a step's start says of contacts that move is not what they do; of others it is all there is.
        let said = later || !asked.concerns(&c.touch);
        ready.impulse = if said { ready.among([None; 2]).impulse_at(after) } else { Impulse::default() };
    }
}
