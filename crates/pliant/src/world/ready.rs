//! Contacts ready to be solved with, kept from look to look: what does not move need not be asked again.

use super::implicit::WORTH_SHARING;
use super::leap::Leap;
use super::{Contact, LayerPair, World};
use crate::bodies::Twist;
use crate::contact::RelativeMotion;
use crate::math::DVec3;
use crate::motion::implicit::{Coupling, Four, Impulse, Law, Passage, Spots};
use rayon::prelude::*;

/// Contacts at certain velocities, in their order.
#[derive(Debug, Default)]
pub(super) struct AllReady {
    pub each: Vec<Ready>,
    /// Spots of all, one after the other as they are read: a thousand balls have megabytes of them. Those of later looks follow;
    /// what follows `used` is room.
    spots: Vec<Four>,
    used: usize,
}

/// A contact at certain velocities.
#[derive(Clone, Debug)]
pub(super) struct Ready {
    touch: LayerPair,
    /// Whether the rest is of this moment.
    known: bool,
    /// What part of its force acts as it will be.
    late: f64,
    /// From each body's centre to the reference point.
    arms: [DVec3; 2],
    /// What each side adds to the velocity of b against a at the reference point, and to its spin.
    sides: [[DVec3; 2]; 2],
    /// On b.
    impulse: Impulse,
    law: Law,
    /// Where its spots are.
    spots: std::ops::Range<usize>,
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
    fn concerns(&self, t: &LayerPair) -> bool {
        self.moved[t.a.0] || self.moved[t.b.0]
    }
}

impl AllReady {
    /// Of another moment from now on.
    pub(super) fn forget(&mut self) {
        self.each.iter_mut().for_each(|r| r.known = false);
        self.used = 0;
    }

    /// The coupling of one that is known between these `movers`.
    pub(super) fn among(&self, ready: &Ready, movers: [Option<usize>; 2]) -> Coupling<'_> {
        ready.among(movers, &self.spots[ready.spots.clone()])
    }
}

impl Ready {
    fn unknown(touch: LayerPair) -> Self {
        Self {
            touch,
            known: false,
            late: 0.0,
            arms: [DVec3::ZERO; 2],
            sides: [[DVec3::ZERO; 2]; 2],
            impulse: Impulse::default(),
            law: Law::default(),
            spots: 0..0,
        }
    }

    /// It, if it is of this moment.
    pub(super) fn known(&self) -> Option<&Self> {
        self.known.then_some(self)
    }

    pub(super) fn late(&self) -> f64 {
        self.late
    }

    /// The coupling of these `movers`; sides that are none of them go on as they do.
    fn among<'a>(&self, movers: [Option<usize>; 2], fours: &'a [Four]) -> Coupling<'a> {
        let mut given = [DVec3::ZERO; 2];
        for (mover, side) in movers.iter().zip(&self.sides) {
            if mover.is_none() {
                (0..2).for_each(|k| given[k] += side[k]);
            }
        }
        Coupling::new(movers, self.arms, given, Spots { law: self.law, fours })
    }

    /// The impulse on side 0 or 1, about its centre.
    pub(super) fn on(&self, side: usize) -> Impulse {
        let (sign, Impulse { linear, angular }) = ([-1.0, 1.0][side], self.impulse);
        Impulse { linear: sign * linear, angular: sign * (self.arms[side].cross(linear) + angular) }
    }
}

impl World {
    /// Makes `all` those of the contacts of this moment. Those that do not concern bodies that have moved stay as they are.
    pub(super) fn make_ready(&self, all: &mut AllReady, asked: &Asked) {
        let AllReady { each, spots, used } = all;
        if !self.contacts.iter().map(|c| c.touch).eq(each.iter().map(|r| r.touch)) {
            self.line_up(each, asked);
        }
        if !each.iter().any(|r| r.known && !asked.concerns(&r.touch)) {
            *used = 0;
        }
        let start = *used;
        let mut open = Vec::with_capacity(each.len());
        for (ready, c) in each.iter_mut().zip(&self.contacts) {
            if ready.known && !asked.concerns(&c.touch) {
                continue;
            }
            ready.known = asked.watched[c.touch.a.0] || asked.watched[c.touch.b.0];
            if ready.known {
                ready.spots = *used..*used + Four::needed(&c.patch);
                *used = ready.spots.end;
                open.push((ready, c));
            }
        }
        spots.resize(spots.len().max(*used), Four::default());
        let mut rest = &mut spots[start..];
        let own = |(ready, c): (_, _)| {
            let ready: &mut Ready = ready;
            let (own, others) = std::mem::take(&mut rest).split_at_mut(ready.spots.len());
            rest = others;
            (ready, c, own)
        };
        let open: Vec<(&mut Ready, &Contact, &mut [Four])> = open.into_iter().map(own).collect();
        let one = |(ready, c, room): (&mut Ready, &Contact, &mut [Four])| self.set_ready(ready, (c, room), asked);
        if open.len() > WORTH_SHARING {
            open.into_par_iter().with_min_len(WORTH_SHARING / 4).for_each(one);
        } else {
            open.into_iter().for_each(one);
        }
    }

    /// As many as there are contacts: those that go on, which are in the order of contacts, and others.
    fn line_up(&self, each: &mut Vec<Ready>, asked: &Asked) {
        let mut kept = std::mem::take(each).into_iter().filter(|r| r.known && !asked.concerns(&r.touch)).peekable();
        each.extend(self.contacts.iter().map(|c| c.touch).map(|touch| {
            let own = if asked.concerns(&touch) { None } else { kept.next_if(|r| r.touch == touch) };
            own.unwrap_or_else(|| Ready::unknown(touch))
        }));
    }

    fn set_ready(&self, ready: &mut Ready, (c, room): (&Contact, &mut [Four]), asked: &Asked) {
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
        let surfaces = self.surfaces(c);
        let approach =
            RelativeMotion { velocity: after[0], spin: after[1], mobility, law: surfaces, implicit_fraction: 1.0 };
        let passage = Passage { after: approach, before, moved: later };
        let share = self.share(c, leap.stride.dt);
        ready.late = share.late;
        ready.law = Law::of(&c.patch, &c.stick, (&passage, share), room);
        // What a step's start says of contacts that move is not what they do; of others it is all there is.
        let said = later || !asked.concerns(&c.touch);
        ready.impulse = if said { ready.among([None; 2], room).impulse_at(after) } else { Impulse::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::ball;
    use super::*;
    use crate::contact::{ContactLaw, Patch, ShearState};
    use crate::math::Random;
    use crate::model::Scene;
    use crate::motion::implicit::Share;

    type Given<'a> = (&'a Patch, &'a ShearState, &'a Passage, Share);

    /// What a patch does at a motion, point by point and without lanes.
    fn plainly((patch, stick, passage, share): Given, [velocity, spin]: [DVec3; 2]) -> [DVec3; 2] {
        let (felt, early) = (share.late * share.dt, (1.0 - share.late) * share.dt);
        let ContactLaw { damping, friction, slip_length } = passage.after.law;
        let power = patch.stiffness * patch.overlap / patch.load;
        let growth = 0.5 * (power - 1.0).clamp(0.0, 1.0) / patch.overlap;
        let shearing = (felt + patch.settling_time(&passage.after)) / slip_length;
        let mut sum = [DVec3::ZERO; 2];
        for p in &patch.points {
            let arm = p.position - patch.reference;
            let parted = |[v, w]: [DVec3; 2]| {
                let v = v + w.cross(arm);
                (v.dot(p.normal), v.reject_from_normalized(p.normal))
            };
            let (was, had_slid) = parted(passage.before);
            let (is, _) = parted([passage.after.velocity, passage.after.spin]);
            let (parting, sliding) = parted([velocity, spin]);
            let found_at = if passage.moved { is } else { -early / felt * was };
            // How much deeper than where the patch was found.
            let deeper = felt * (found_at - parting);
            let grown = growth * p.rate * deeper.max(0.0) * deeper.max(0.0);
            let pressure = (p.pressure + p.rate * deeper + grown - damping * parting).max(0.0);
            let sheared = (stick.at(patch, p, patch.mean_normal()) + early * had_slid) / slip_length;
            let drive = (sheared + shearing * sliding).clamp_length_max(1.0);
            let rubbing = share.dt * p.area * friction * (p.pressure - damping * is).max(0.0) * drive;
            let impulse = felt * p.area * (pressure * p.normal - damping * sliding) - rubbing;
            sum[0] += impulse;
            sum[1] += arm.cross(impulse);
        }
        sum
    }

    #[test]
    fn spots_in_lanes_do_what_points_do() {
        let bodies = vec![ball("a", DVec3::X * -0.09), ball("b", DVec3::X * 0.09)];
        let world = World::new(&Scene { bodies, ..Scene::default() }).unwrap();
        let patch = &world.contacts()[0].patch;
        let mut random = Random(4);
        let mut both = || [random.vector(), random.vector()];
        for (n, moved) in [true, false].into_iter().cycle().take(20).enumerate() {
            let [after, before, [offset, motion], [spin, _]] = [(); 4].map(|()| both());
            let stick = ShearState { offset: 1e-3 * offset, turn: 0.3 };
            let surfaces = ContactLaw { damping: 300.0, friction: 0.6, slip_length: 1e-3 };
            let [velocity, turning] = after;
            let approach =
                RelativeMotion { velocity, spin: turning, mobility: 2.0, law: surfaces, implicit_fraction: 1.0 };
            let passage = Passage { after: approach, before, moved };
            let share = Share { dt: 1.0 / 60.0, late: 0.5 + 0.02 * n as f64 };
            let mut fours = vec![Four::default(); Four::needed(patch)];
            let law = Law::of(patch, &stick, (&passage, share), &mut fours);
            let coupling = Coupling::new([None; 2], [DVec3::ZERO; 2], [DVec3::ZERO; 2], Spots { law, fours: &fours });
            let got = coupling.impulse_at([motion, spin]);
            let wanted = plainly((patch, &stick, &passage, share), [motion, spin]);
            let size = wanted[0].length();
            assert!(size > 0.0 && got.linear.distance(wanted[0]) < 1e-12 * size, "{n}: {got:?}, not {wanted:?}");
            assert!(got.angular.distance(wanted[1]) < 1e-12 * size, "{n}: {got:?}, not {wanted:?}");
        }
    }
}
