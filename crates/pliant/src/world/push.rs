//! What contacts do to bodies over a part of a step, and where its energy goes.

use super::implicit::WORTH_SHARING;
use super::step::Stride;
use super::{Contact, LayerPair, World};
use crate::bodies::{Load, Twist};
use crate::contact::{ContactLaw, RelativeMotion, ShearStep, Wrench};
use crate::math::DVec3;
use rayon::prelude::*;

impl World {
    /// Gravity and contacts, for `dt`. Damping comes last and is implicit: under a steady force it lets bodies move
    /// exactly as fast as it should.
    pub(super) fn push(&mut self, dt: f64) {
        let before = self.twists();
        self.kick(dt, true, |c| c.answer.elastic + c.answer.friction());
        if self.contacts.iter().any(|c| c.answer.drag > 0.0) {
            for (i, ease) in self.eases(dt).into_iter().enumerate() {
                let c = &self.contacts[i];
                let damping = c.patch.damping(&RelativeMotion { implicit_fraction: ease, ..self.approach(c, None) });
                let answer = &mut self.contacts[i].answer;
                answer.on_a = answer.on_a - answer.damping + damping;
                answer.damping = damping;
            }
            self.kick(dt, false, |c| c.answer.damping);
        }
        self.book(&self.works(&before, dt, |c| c.answer.elastic));
        let taken = -self.works(&before, dt, |c| c.answer.dissipative()).iter().sum::<f64>();
        // What friction's shear can hold it may give back; the rest is lost for ever. Whatever it gave beyond that would
        // show as losses that go down.
        let held: f64 = self.contacts.iter().map(|c| c.answer.shear_energy).sum();
        let all = self.sheared + taken;
        self.sheared = all.clamp(0.0, held.max(0.0));
        self.dissipated += all - self.sheared;
    }

    /// Velocities of bodies that touch something.
    fn twists(&self) -> Vec<(Twist, Twist)> {
        let twist = |i: usize| self.bodies[i].base.twist();
        self.contacts.iter().map(|c| (twist(c.touch.a.0), twist(c.touch.b.0))).collect()
    }

    /// What a part of each contact's force did to its bodies in the last push, joules. An impulse works at the mean of the
    /// velocities before and after it.
    fn works(&self, before: &[(Twist, Twist)], dt: f64, part: impl Fn(&Contact) -> Wrench) -> Vec<f64> {
        let work = |(c, before): (&Contact, &(Twist, Twist))| {
            let wrench = part(c);
            let one = |i: usize, sign: f64, before: &Twist| {
                let (load, after) = (self.load(c, i, sign, &wrench), self.bodies[i].base.twist());
                load.force.dot(before.linear + after.linear) + load.torque.dot(before.angular + after.angular)
            };
            0.5 * dt * (one(c.touch.a.0, 1.0, &before.0) + one(c.touch.b.0, -1.0, &before.1))
        };
        self.contacts.iter().zip(before).map(work).collect()
    }

    /// `wrench` of a contact, as body `i` feels it.
    pub(super) fn load(&self, c: &Contact, i: usize, sign: f64, wrench: &Wrench) -> Load {
        let arm = c.patch.reference - self.bodies[i].base.center();
        let force = sign * wrench.force;
        Load { force, torque: sign * wrench.moment + arm.cross(force) }
    }

    /// Adds the impulse of a part of each contact's force over `dt`, and perhaps of gravity.
    fn kick(&mut self, dt: f64, falling: bool, part: impl Fn(&Contact) -> Wrench) {
        let mut loads = Vec::with_capacity(2 * self.contacts.len());
        for c in &self.contacts {
            let wrench = part(c);
            for (i, sign) in [(c.touch.a.0, 1.0), (c.touch.b.0, -1.0)] {
                loads.push((self.rank[i], self.load(c, i, sign, &wrench)));
            }
        }
        // Stable: the loads of one body stay in the order of contacts.
        loads.sort_by_key(|l| l.0);
        let mut rest = loads.as_slice();
        for &i in &self.by_name {
            let (own, others) = rest.split_at(rest.iter().take_while(|l| l.0 == self.rank[i]).count());
            rest = others;
            let body = &mut self.bodies[i];
            let Some(mass) = body.base.mass() else { continue };
            let mut load = Load::default();
            own.iter().for_each(|l| load += l.1);
            if falling {
                load.force += mass * self.gravity;
            }
            body.base.push(&load, dt);
        }
    }

    /// What part of each contact's damping acts over `dt`: all that slows the same bodies shares one implicit step.
    fn eases(&self, dt: f64) -> Vec<f64> {
        let mut rates = vec![0.0; self.bodies.len()];
        for c in &self.contacts {
            let damping = self.surfaces(c).damping;
            if damping == 0.0 {
                continue;
            }
            let normal = c.patch.mean_normal();
            let across = normal.any_orthonormal_vector();
            for i in [c.touch.a.0, c.touch.b.0] {
                let mobility = |n: DVec3| self.bodies[i].base.mobility(c.patch.center_of_pressure, n);
                rates[i] += damping * c.patch.area * mobility(normal).max(mobility(across));
            }
        }
        self.contacts.iter().map(|c| 1.0 / (1.0 + dt * (rates[c.touch.a.0] + rates[c.touch.b.0]))).collect()
    }

    pub(super) fn surfaces(&self, c: &Contact) -> ContactLaw {
        ContactLaw::between(&self.bodies[c.touch.a.0], &self.bodies[c.touch.b.0])
    }

    /// Motion of b against a around a contact's patch. Bodies that no force moves are as fast as they were on the way
    /// during `stride`: the others are known at its middle, too.
    pub(super) fn approach(&self, c: &Contact, stride: Option<&Stride>) -> RelativeMotion {
        let (a, b) = (c.touch.a.0, c.touch.b.0);
        let p = c.patch.reference;
        let across = c.patch.mean_normal().any_orthonormal_vector();
        let motion = |i: usize| match stride {
            Some(stride) if !self.moves(i) => {
                let (shift, turn) = self.way(i, stride, p);
                (shift / stride.dt, turn / stride.dt)
            }
            _ => (self.bodies[i].base.velocity_at(p), self.bodies[i].base.twist().angular),
        };
        let (of_a, of_b) = (motion(a), motion(b));
        let mobility = |i: usize| self.bodies[i].base.mobility(p, across);
        RelativeMotion {
            velocity: of_b.0 - of_a.0,
            spin: of_b.1 - of_a.1,
            mobility: mobility(a) + mobility(b),
            law: self.surfaces(c),
            implicit_fraction: 1.0,
        }
    }

    /// How far the material of body `i` now at `p` came during `stride`, and how far it turned.
    pub(super) fn way(&self, i: usize, stride: &Stride, p: DVec3) -> (DVec3, DVec3) {
        let (before, now) = (stride.frames[i], self.bodies[i].base.world_from_body());
        if before == now {
            return (DVec3::ZERO, DVec3::ZERO);
        }
        let turn = now.rotation * before.rotation.conjugate();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        (p - before.point(now.inverse().point(p)), turn.to_scaled_axis())
    }

    /// Shears friction by what happened during `stride`.
    pub(super) fn shear(&mut self, stride: &Stride) {
        let sticks = self.of_contacts(|c| {
            let surfaces = self.surfaces(c);
            if surfaces.friction == 0.0 {
                return c.stick;
            }
            let p = c.patch.center_of_pressure;
            let (a, b) = (self.way(c.touch.a.0, stride, p), self.way(c.touch.b.0, stride, p));
            let slip = ShearStep { shift: b.0 - a.0, turn: b.1 - a.1, common_turn: 0.5 * (a.1 + b.1) };
            c.stick.after(&c.patch, &slip, &surfaces)
        });
        self.contacts.iter_mut().zip(sticks).for_each(|(c, stick)| c.stick = stick);
    }

    /// Forces of every contact at the present velocities and shears, for a push of `dt` to come.
    pub(super) fn answer(&mut self, dt: f64) {
        self.answer_after(dt, None);
    }

    /// Something of each contact, in their order; worked out on all threads if they are many.
    pub(super) fn of_contacts<T: Send>(&self, what: impl Fn(&Contact) -> T + Sync + Send) -> Vec<T> {
        if self.contacts.len() > WORTH_SHARING {
            self.contacts.par_iter().with_min_len(WORTH_SHARING).map(what).collect()
        } else {
            self.contacts.iter().map(what).collect()
        }
    }

    /// Forces of some contacts at the present velocities and shears.
    pub(super) fn answer_of(&mut self, some: impl Fn(&LayerPair) -> bool + Sync + Send) {
        let respond = |c: &Contact| some(&c.touch).then(|| c.patch.forces(&c.stick, &self.approach(c, None)));
        let answers = self.of_contacts(respond);
        let new = self.contacts.iter_mut().zip(answers).filter_map(|(c, a)| Some((c, a?)));
        new.for_each(|(c, answer)| c.answer = answer);
    }

    /// [`World::answer`], of bodies that are in the middle of `stride`.
    pub(super) fn answer_after(&mut self, dt: f64, stride: Option<&Stride>) {
        let eases = self.eases(dt);
        for (i, ease) in eases.into_iter().enumerate() {
            let c = &self.contacts[i];
            let approach = RelativeMotion { implicit_fraction: ease, ..self.approach(c, stride) };
            self.contacts[i].answer = c.patch.forces(&c.stick, &approach);
        }
    }
}
