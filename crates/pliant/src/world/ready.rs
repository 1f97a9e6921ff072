//! Contacts ready to be solved with, kept from look to look: what does not move need not be asked again.

use super::implicit::WORTH_SHARING;
use super::leap::Leap;
use super::{Contact, Touch, World};
use crate::bodies::Twist;
use crate::contact::Approach;
use crate::math::DVec3;
use crate::motion::implicit::{Coupling, Impulse, Passage, spots};
use rayon::prelude::*;

/// A contact at certain velocities.
pub(super) struct Ready {
    touch: Touch,
    /// Of no movers yet.
    coupling: Coupling,
    /// What each side adds to the velocity of b against a at the reference point, and to its spin.
    sides: [[DVec3; 2]; 2],
    /// On b.
    impulse: Impulse,
}

impl Ready {
    /// The coupling of these `movers`; sides that are none of them go on as they do.
    pub(super) fn among(&self, movers: [Option<usize>; 2]) -> Coupling {
        let mut given = [DVec3::ZERO; 2];
        for (mover, side) in movers.iter().zip(&self.sides) {
            if mover.is_none() {
                (0..2).for_each(|k| given[k] += side[k]);
            }
        }
        self.coupling.between(movers, given)
    }

    /// The impulse on side 0 or 1, about its centre.
    pub(super) fn on(&self, side: usize) -> Impulse {
        let (sign, Impulse { linear, angular }) = ([-1.0, 1.0][side], self.impulse);
        Impulse { linear: sign * linear, angular: sign * (self.coupling.arms[side].cross(linear) + angular) }
    }
}

impl World {
    /// All contacts of `watched` bodies at these velocities; those that do not concern bodies that have `moved` since are as
    /// they were in `old`.
    pub(super) fn ready(
        &self,
        old: Vec<Option<Ready>>,
        (moved, watched): (&[bool], &[bool]),
        (leap, velocities, later): (&Leap, &[Twist], bool),
    ) -> Vec<Option<Ready>> {
        let concerns = |t: &Touch| moved[t.a.0] || moved[t.b.0];
        let wanted = |c: &Contact| watched[c.touch.a.0] || watched[c.touch.b.0];
        // Both in the order of contacts.
        let mut kept = old.into_iter().flatten().filter(|r| !concerns(&r.touch)).peekable();
        let mut next = |c: &Contact| if concerns(&c.touch) { None } else { kept.next_if(|r| r.touch == c.touch) };
        let mut all: Vec<Option<Ready>> = self.contacts.iter().map(&mut next).collect();
        let missing = self.contacts.iter().zip(&all).filter(|(c, r)| r.is_none() && wanted(c));
        let anew: Vec<&Contact> = missing.map(|(c, _)| c).collect();
        // What a step's start says of contacts that move is not what they do; of others it is all there is.
        let known = |c: &Contact| later || !concerns(&c.touch);
        let make = |c: &&Contact| self.make_ready(c, velocities, (leap, later, known(c)));
        let made: Vec<Ready> = if anew.len() > WORTH_SHARING {
            anew.par_iter().with_min_len(WORTH_SHARING / 4).map(make).collect()
        } else {
            anew.iter().map(make).collect()
        };
        let mut made = made.into_iter();
        let gaps = self.contacts.iter().zip(&mut all).filter(|(c, r)| r.is_none() && wanted(c));
        gaps.for_each(|(_, ready)| *ready = made.next());
        all
    }

    fn make_ready(&self, c: &Contact, velocities: &[Twist], (leap, later, known): (&Leap, bool, bool)) -> Ready {
        let p = c.patch.reference;
        let bodies = [c.touch.a.0, c.touch.b.0];
        let arms = bodies.map(|i| p - self.bodies[i].base.center());
        let mut sides = [[DVec3::ZERO; 2]; 2];
        let [mut after, mut before] = [[DVec3::ZERO; 2]; 2];
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let i = bodies[side];
            let motion = |twist: &Twist| [twist.linear + twist.angular.cross(arms[side]), twist.angular];
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
                sides[side][k] = sign * is[k];
            }
        }
        let across = c.patch.mean_normal().any_orthonormal_vector();
        let mobility = bodies.iter().map(|i| self.bodies[*i].base.mobility(p, across)).sum();
        let approach = Approach { velocity: after[0], spin: after[1], mobility, surfaces: self.surfaces(c), ease: 1.0 };
        let passage = Passage { after: approach, before, moved: later };
        let spots = spots(&c.patch, &c.stick, &passage, self.share(c, leap.stride.dt));
        let coupling = Coupling::new([None; 2], arms, [DVec3::ZERO; 2], spots);
        let impulse = if known { coupling.impulse_at(after) } else { Impulse::default() };
        Ready { touch: c.touch, coupling, sides, impulse }
    }
}
