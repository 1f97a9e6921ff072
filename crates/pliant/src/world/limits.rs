//! How long the next step may be: what contacts, and bodies about to touch, ask for.

use super::{Contact, World, step};
use crate::motion::Limits;

/// How far two bodies whose boxes meet may move against each other in one step, as a fraction of the thinner thickness.
/// Larger: a step lands deep in a contact that nothing has slowed yet, and energy is lost. Smaller: short steps.
const FIRST_TOUCH: f64 = 0.03;
/// A shear spring only has to hold, not to keep energy: its steps may be four times as long.
const SHEAR_EASE: f64 = 1.0 / 16.0;
/// Halvings of the way to a tilted ground. Fewer: steps towards it are a little shorter than they need be.
const HALVINGS: usize = 8;

/// A step into a contact may deepen it by this part, however steeply its force grows.
const DEEPER: f64 = 0.3;
/// A step out of a contact may use this part of what is left of the overlap.
const SHALLOWER: f64 = 0.7;

impl World {
    /// What the next step must respect.
    pub(super) fn limits(&mut self) -> Limits {
        let mut frequency_sq = vec![0.0; self.bodies.len()];
        let mut rates = vec![(0.0, 0.0); self.bodies.len()];
        let mut pressing = f64::INFINITY;
        for c in &self.contacts {
            let normal = c.patch.mean_normal();
            let across = normal.any_orthonormal_vector();
            let mut mobility = 0.0;
            for i in [c.touch.a.0, c.touch.b.0] {
                let base = &self.bodies[i].base;
                let along = base.mobility(c.patch.center_of_pressure, normal);
                let sideways = base.mobility(c.patch.center_of_pressure, across);
                frequency_sq[i] += (c.patch.stiffness * along).max(SHEAR_EASE * c.answer.shear_stiffness * sideways);
                rates[i].0 += c.answer.drag * along.max(sideways);
                rates[i].1 += c.answer.settling * along.max(sideways);
                mobility += along;
            }
            pressing = pressing.min(self.time_of_pressing(c, mobility));
        }
        // Two bodies that push each other share the fastest motion: their rates add.
        let (mut fastest, mut damping, mut settling) = (0.0f64, 0.0f64, 0.0f64);
        for c in &self.contacts {
            let (a, b) = (c.touch.a.0, c.touch.b.0);
            fastest = fastest.max(frequency_sq[a] + frequency_sq[b]);
            damping = damping.max(rates[a].0 + rates[b].0);
            settling = settling.max(rates[a].1 + rates[b].1);
        }
        self.look_ahead();
        let until = |pair: (usize, usize)| self.time_until_pressed(pair, FIRST_TOUCH);
        let unseen = self.may_meet().map(until).fold(f64::INFINITY, f64::min);
        Limits { frequency_sq: fastest, damping_rate: damping, settling_rate: settling, pressing, unseen }
    }

    /// How long a step can follow the force of a contact that deepens or parts, s. A ball's stiffness `k` goes with its
    /// depth `d`: over a way `x` it changes by `k x/d`, and a step is off by `x³ k/12d` joules. One that may part is off
    /// by up to `x² k/6`.
    fn time_of_pressing(&self, c: &Contact, mobility: f64) -> f64 {
        let (p, normal, depth) = (c.patch.center_of_pressure, c.patch.mean_normal(), c.patch.overlap);
        let velocity = |i: usize| self.bodies[i].base.velocity_at(p);
        let parting = (velocity(c.touch.b.0) - velocity(c.touch.a.0)).dot(normal);
        let speed = parting.abs();
        if mobility == 0.0 || speed == 0.0 {
            return f64::INFINITY;
        }
        let energy = 0.5 * speed * speed / mobility + c.patch.load * depth / 3.0;
        let way = if parting < 0.0 {
            let follows = (6.0 * step::PRESS_ERROR * energy * depth / c.patch.stiffness).cbrt();
            follows.max(DEEPER * depth)
        } else {
            let follows = (3.0 * step::TOUCH_ERROR * energy / c.patch.stiffness).sqrt();
            follows.max(SHALLOWER * depth)
        };
        way / speed
    }

    /// The greatest speed at which two bodies of finite size can approach, if both fall freely; none if one has no end, or
    /// follows keys.
    fn relative_speed(&self, i: usize, j: usize) -> Option<f64> {
        if !self.is_implicit() {
            return None;
        }
        let ((v, spinning), (w, turning)) = (self.near.drift[i]?, self.near.drift[j]?);
        Some((v - w).length() + spinning + turning)
    }

    /// A speed at which two bodies never come nearer to each other within the longest step, m/s.
    pub(super) fn closing_speed(&self, i: usize, j: usize) -> f64 {
        // A ground that turns is the faster the farther out: what counts is where the other may be.
        let speed = |i: usize, other: usize| match self.near.ahead[i].1 {
            f64::INFINITY => self.bodies[i].top_speed(&self.near.ahead[other].0, self.longest()),
            speed => speed,
        };
        self.relative_speed(i, j).unwrap_or_else(|| speed(i, j) + speed(j, i))
    }

    /// How long until two bodies near each other could have met and come `part` of the thinner one's thickness in, s.
    fn time_until_pressed(&self, (i, j): (usize, usize), part: f64) -> f64 {
        let step = self.longest();
        let thickness = |i: usize| self.bodies[i].layers[0].shape.least_thickness();
        let (p, q) = (&self.near.now[i], &self.near.now[j]);
        let closing = self.closing_speed(i, j);
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
        (apart + part * thickness(i).min(thickness(j))) / closing
    }
}
