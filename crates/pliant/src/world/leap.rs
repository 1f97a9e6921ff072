//! What an implicit step starts from, and what is gone when it has ended.

use super::fair::Act;
use super::step::Stride;
use super::{Contact, World};
use crate::bodies::{Body, Twist};
use crate::math::{DMat3, DVec3};
use crate::motion::implicit::{Impulse, Share};

/// What a step starts from.
pub(super) struct Leap {
    pub stride: Stride,
    pub inertias: Vec<DMat3>,
    pub before: Vec<Twist>,
    /// Velocities if nothing touched.
    pub free: Vec<Twist>,
    /// Where each body's state begins among those of all.
    pub offsets: Vec<usize>,
    /// Joules.
    mechanical: f64,
    /// Of each body: what part of its way it goes at its velocity after the step.
    pub lates: Vec<f64>,
    /// What contacts do as they are, which is in `free`.
    pub early: Vec<Act>,
}

impl World {
    /// Body `i` goes a greater part of its way at its velocity after the step: if it tumbles, that is another free spin.
    pub(super) fn turn_later(&mut self, bases: &[f64], leap: &mut Leap, (i, late): (usize, f64)) {
        if leap.before[i].angular != DVec3::ZERO && is_uneven(&leap.inertias[i]) {
            let base = &mut self.bodies[i].base;
            let mut here = Vec::new();
            base.save(&mut here);
            base.restore(&bases[leap.offsets[i]..]);
            let spin = |late: f64| base.after((1.0 - late) * leap.stride.dt, self.time).1.angular;
            leap.free[i].angular += spin(late) - spin(leap.lates[i]);
            base.restore(&here);
        }
        leap.lates[i] = late;
    }

    /// What bodies had of motion, gravity and shape before a step, and were given by keys during it, and have no more.
    pub(super) fn book_losses(&mut self, leap: &Leap) {
        let after = self.mechanical();
        let mut given = 0.0;
        for c in &self.contacts {
            for (i, sign) in [(c.touch.a.0, -1.0), (c.touch.b.0, 1.0)] {
                if !self.moves(i) {
                    let (shift, turn) = self.way(i, &leap.stride, c.patch.reference);
                    given += sign * (c.answer.on_a.force.dot(shift) + c.answer.on_a.moment.dot(turn));
                }
            }
        }
        // What contacts store is known about; what was put down as lost and came back is not lost again.
        let lost = leap.mechanical + given - after - self.owed;
        self.dissipated += lost.max(0.0);
        self.owed = (-lost).max(0.0);
    }

    /// Energy of motion, in gravity and in contacts, joules; the last about.
    fn mechanical(&self) -> f64 {
        let of =
            |b: &Body| b.base.mass().map_or(0.0, |m| b.base.kinetic_energy() - m * self.gravity.dot(b.base.center()));
        let stored = self.contacts.iter().map(|c| c.answer.elastic_energy).sum::<f64>();
        self.by_name.iter().map(|i| of(&self.bodies[*i])).sum::<f64>() + stored + self.stored_in_ties()
    }

    pub(super) fn leap(&self, dt: f64) -> Leap {
        let before: Vec<Twist> = self.bodies.iter().map(|b| b.base.twist()).collect();
        let inertias: Vec<DMat3> = self.bodies.iter().map(|b| b.base.inertia().unwrap_or_default()).collect();
        let inverse = |m: &DMat3| if *m == DMat3::ZERO { DMat3::ZERO } else { m.inverse() };
        let inverses: Vec<DMat3> = inertias.iter().map(inverse).collect();
        let mut free = before.clone();
        let parts: Vec<[f64; 3]> = self.of_contacts(|c| {
            let late = self.share(c, dt).late;
            let early = (1.0 - late) * dt;
            [late, self.held(c, early), self.slowed(c, early)]
        });
        let lates = self.lates(dt, &vec![true; self.bodies.len()], |i, _| parts[i][0]);
        for i in (0..free.len()).filter(|i| self.moves(*i)) {
            free[i].linear += dt * self.gravity;
            // What tumbles keeps its angular momentum, not its spin.
            if before[i].angular != DVec3::ZERO && is_uneven(&inertias[i]) {
                let way = (1.0 - lates[i]) * dt;
                free[i].angular = self.bodies[i].base.after(way, self.time + way).1.angular;
            }
        }
        let mut early = Vec::with_capacity(self.contacts.len());
        for (c, [_, held, slowed]) in self.contacts.iter().zip(parts) {
            let parts = [(held, c.answer.elastic), (slowed, c.answer.damping)];
            let impulses = [(c.touch.a.0, 1.0), (c.touch.b.0, -1.0)].map(|(i, sign)| {
                let mut sum = Impulse::default();
                for (part, wrench) in &parts {
                    let load = self.load(c, i, sign, wrench);
                    sum += Impulse { linear: *part * load.force, angular: *part * load.torque };
                }
                if let Some(mass) = self.bodies[i].base.mass() {
                    free[i].linear += sum.linear / mass;
                    free[i].angular += inverses[i] * sum.angular;
                }
                sum
            });
            early.push(Act { touch: c.touch, impulses });
        }
        for (i, impulse) in self.early_pulls(dt) {
            if let Some(mass) = self.bodies[i].base.mass() {
                free[i].linear += impulse.force / mass;
                free[i].angular += inverses[i] * impulse.torque;
            }
        }
        let mut offsets = vec![0];
        let mut sum = 0;
        for body in &self.bodies {
            sum += body.base.state_len();
            offsets.push(sum);
        }
        Leap {
            stride: Stride { dt, frames: self.bodies.iter().map(|b| b.base.world_from_body()).collect() },
            inertias,
            mechanical: self.mechanical(),
            lates,
            before,
            free,
            offsets,
            early,
        }
    }

    /// For how much of `part`, s, a contact's force may act as it is: it gives no more than it holds. One that parts within the
    /// step would, for its force ends long before the step does. An impulse `J` along the normal gives `J (v + ½ J w)`.
    fn held(&self, c: &Contact, part: f64) -> f64 {
        let (p, normal) = (c.patch.center_of_pressure, c.patch.mean_normal());
        let velocity = |i: usize| self.bodies[i].base.velocity_at(p);
        let mobility = |i: usize| self.bodies[i].base.mobility(p, normal);
        let (a, b) = (c.touch.a.0, c.touch.b.0);
        let (v, w) = ((velocity(b) - velocity(a)).dot(normal), mobility(a) + mobility(b));
        let impulse = part * c.answer.elastic.force.length();
        if impulse * (v + 0.5 * impulse * w) <= 0.0 {
            return part;
        }
        let most = ((v * v + 2.0 * c.answer.elastic_energy * w).sqrt() - v) / w;
        part * (most / impulse).min(1.0)
    }

    /// For how much of `part`, s, a contact's damping may act as it is: it stops bodies and does not throw them back.
    fn slowed(&self, c: &Contact, part: f64) -> f64 {
        let Some(along) = c.answer.damping.force.try_normalize() else { return part };
        let p = c.patch.center_of_pressure;
        let (a, b) = (&self.bodies[c.touch.a.0].base, &self.bodies[c.touch.b.0].base);
        let speed = (b.velocity_at(p) - a.velocity_at(p)).length();
        let change = part * c.answer.damping.force.length() * (a.mobility(p, along) + b.mobility(p, along));
        if change <= speed { part } else { part * speed / change }
    }

    /// How a contact's force acts over a step.
    pub(super) fn share(&self, c: &Contact, dt: f64) -> Share {
        let (p, normal) = (c.patch.center_of_pressure, c.patch.mean_normal());
        let mobility = |i: usize| self.bodies[i].base.mobility(p, normal);
        let mobility = mobility(c.touch.a.0) + mobility(c.touch.b.0);
        Share::of(c.patch.stiffness * mobility, self.surfaces(c).damping * c.patch.area * mobility, dt)
    }

    /// Of each of `some` bodies: what part of its way it goes at its velocity after the step. That of its stiffest contact,
    /// of which `late` tells, or spring.
    pub(super) fn lates(&self, dt: f64, some: &[bool], late: impl Fn(usize, &Contact) -> f64) -> Vec<f64> {
        let mut lates = vec![0.5f64; self.bodies.len()];
        let concerned = |(_, c): &(usize, &Contact)| some[c.touch.a.0] || some[c.touch.b.0];
        for (n, c) in self.contacts.iter().enumerate().filter(concerned) {
            let late = late(n, c);
            for i in [c.touch.a.0, c.touch.b.0] {
                lates[i] = lates[i].max(late);
            }
        }
        for joint in self.standing().filter(|t| t.bodies.iter().flatten().any(|i| some[*i])) {
            let late = self.latest(joint, dt);
            joint.bodies.iter().flatten().for_each(|i| lates[*i] = lates[*i].max(late));
        }
        self.spread_over_joints(&mut lates);
        lates
    }
}

/// Whether a body with this inertia may tumble.
fn is_uneven(inertia: &DMat3) -> bool {
    let even = DMat3::from_diagonal(DVec3::splat(inertia.x_axis.x));
    !inertia.abs_diff_eq(even, 1e-9 * inertia.x_axis.x)
}
