//! How long the next step may be: what contacts, and bodies about to touch, ask for.

use super::World;
use crate::motion::Limits;

/// How far two bodies whose boxes meet may move against each other in one step, as a fraction of the thinner thickness.
/// Larger: a step lands deep in a contact that nothing has slowed yet, and energy is lost. Smaller: short steps.
const FIRST_TOUCH: f64 = 0.03;
/// A shear spring only has to hold, not to keep energy: its steps may be four times as long.
const SHEAR_EASE: f64 = 1.0 / 16.0;
/// Halvings of the way to a tilted ground. Fewer: steps towards it are a little shorter than they need be.
const HALVINGS: usize = 8;

impl World {
    /// What the next step must respect.
    pub(super) fn limits(&mut self) -> Limits {
        let mut frequency_sq = vec![0.0; self.bodies.len()];
        let mut rate = vec![0.0; self.bodies.len()];
        for c in &self.contacts {
            let normal = c.patch.mean_normal();
            let across = normal.any_orthonormal_vector();
            for i in [c.touch.a.0, c.touch.b.0] {
                let base = &self.bodies[i].base;
                let along = base.mobility(c.patch.center_of_pressure, normal);
                let sideways = base.mobility(c.patch.center_of_pressure, across);
                frequency_sq[i] += (c.patch.stiffness * along).max(SHEAR_EASE * c.answer.shear_stiffness * sideways);
                rate[i] += c.answer.drag * along.max(sideways);
            }
        }
        // Two bodies that push each other share the fastest motion: their rates add.
        let (mut fastest, mut damping) = (0.0f64, 0.0f64);
        for c in &self.contacts {
            let (a, b) = (c.touch.a.0, c.touch.b.0);
            fastest = fastest.max(frequency_sq[a] + frequency_sq[b]);
            damping = damping.max(rate[a] + rate[b]);
        }
        self.look_ahead();
        let unseen = self.may_meet().map(|(i, j)| self.time_until_pressed(i, j)).fold(f64::INFINITY, f64::min);
        Limits { frequency_sq: fastest, damping_rate: damping, unseen }
    }

    /// How long until two bodies near each other could have met and pressed in noticeably, s.
    fn time_until_pressed(&self, i: usize, j: usize) -> f64 {
        let step = self.settings.largest_step;
        let thickness = |i: usize| self.bodies[i].layers[0].shape.least_thickness();
        let (p, q) = (&self.near.now[i], &self.near.now[j]);
        // A ground that turns is the faster the farther out: what counts is where the other may be.
        let speed = |i: usize, other: usize| match self.near.ahead[i].1 {
            f64::INFINITY => self.bodies[i].top_speed(&self.near.ahead[other].0, step),
            speed => speed,
        };
        let closing = speed(i, j) + speed(j, i);
        let mut apart = (p.min - q.max).max(q.min - p.max).max_element().max(0.0);
        if apart == 0.0 && p.is_finite() != q.is_finite() && !self.can_meet(i, j, 0.0) {
            let mut most = closing * step;
            if !self.can_meet(i, j, most) {
                return f64::INFINITY;
            }
            for _ in 0..HALVINGS {
                let middle = 0.5 * (apart + most);
                if self.can_meet(i, j, middle) { most = middle } else { apart = middle }
            }
        }
        (apart + FIRST_TOUCH * thickness(i).min(thickness(j))) / closing
    }
}
