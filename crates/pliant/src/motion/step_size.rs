//! Length of explicit steps, from contacts and from bodies about to touch.

use super::explicit::{IMPACT_ENERGY_TOLERANCE, SUSTAINED_ENERGY_TOLERANCE};
use crate::contact;
use crate::model::MotionSettings;
use crate::state::{Contact, Derived, LayerPair, Model, Sim, State};

/// Distance two bodies whose boxes meet may move against each other in one step, as a fraction of the thinner thickness.
/// Larger: a step ends deep in a contact without any force before, and energy is lost. Smaller: short steps.
const FIRST_TOUCH_DEPTH: f64 = 0.03;
/// Weight of a shear spring's `ω²`: it need not keep energy, so its steps may be four times as long.
const SHEAR_WEIGHT: f64 = 1.0 / 16.0;
/// Bisections of the distance to a tilted ground. Fewer: steps towards it are a little shorter than they need be.
const BISECTIONS: usize = 8;
/// A step into a contact may deepen it by this fraction, however steeply its force grows.
const MAX_DEEPENING: f64 = 0.3;
/// A step out of a contact may undo this fraction of the overlap.
const MAX_PARTING: f64 = 0.7;

/// Limit of `settling_rate × dt`. The explicit damping of a held body, in impulses of ½dt, diverges from `rate × ½dt = 2` on.
/// Larger: it oscillates. Smaller: short steps wherever there is friction.
const SETTLING_MARGIN: f64 = 0.4;
/// Limit of `damping_rate × dt`: the relative error of damping is a quarter of it. It yields to [`MIN_DAMPED_STEP`].
const DAMPING_MARGIN: f64 = 0.4;
/// Implicit damping is stable for any `damping_rate × dt`: for accuracy it shortens a step to this fraction at most.
/// Smaller: strong damping is slow. Larger: it stops a body in one step where it should take several.
const MIN_DAMPED_STEP: f64 = 0.2;

/// Limits of the next step.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Limits {
    /// Square of the fastest contact frequency, 1/s².
    frequency_sq: f64,
    /// Fastest rate at which damping stops a motion, 1/s.
    damping_rate: f64,
    /// Fastest rate at which held bodies settle, 1/s.
    settling_rate: f64,
    /// Longest step over which the stiffness of each contact changes so little that a step can follow its force, s.
    pressing: f64,
    /// Longest time before two bodies near each other could meet and press in noticeably, s.
    first_touch: f64,
}

impl Limits {
    /// The longest step within them, s.
    fn longest(&self, settings: &MotionSettings) -> f64 {
        let period = std::f64::consts::TAU / self.frequency_sq.sqrt();
        let elastic = settings.step_safety * period;
        let settled = SETTLING_MARGIN / self.settling_rate;
        let step = settings.largest_step.min(elastic).min(settled).min(self.pressing).min(self.first_touch);
        let damped = (DAMPING_MARGIN / self.damping_rate).max(MIN_DAMPED_STEP * step);
        step.min(damped).max(settings.smallest_step)
    }
}

/// Splits `remaining` into equal steps not longer than `longest`; the length of one.
pub(super) fn even_step(remaining: f64, longest: f64) -> f64 {
    // A frame that rounding has made longer than a step is still one.
    remaining / (remaining / longest * (1.0 - 1e-9)).ceil().max(1.0)
}

/// The longest explicit step from this state, s.
pub(super) fn longest_explicit_step(model: &Model, state: &State, derived: &mut Derived) -> f64 {
    derived.pairs.update_swept_bounds(model, state);
    limits(Sim { model, state, derived }).longest(&model.settings)
}

/// Time before two bodies near each other could meet and press in noticeably, s.
#[cfg(test)]
pub(crate) fn first_touch_limit(model: &Model, state: &State, derived: &mut Derived) -> f64 {
    derived.pairs.update_swept_bounds(model, state);
    limits(Sim { model, state, derived }).first_touch
}

fn limits(sim: Sim) -> Limits {
    let mut frequency_sq = sim.model.per_link(0.0);
    let mut rates = sim.model.per_link((0.0, 0.0));
    let mut pressing = f64::INFINITY;
    for c in sim.contacts() {
        let normal = c.patch.mean_normal();
        let across = normal.any_orthonormal_vector();
        let mut inverse_effective_mass = 0.0;
        for i in sim.links_of(&c.pair) {
            let link = sim.link(i);
            let along = link.inverse_effective_mass(c.patch.center_of_pressure, normal);
            let sideways = link.inverse_effective_mass(c.patch.center_of_pressure, across);
            frequency_sq[i] += (c.patch.stiffness * along).max(SHEAR_WEIGHT * c.forces.shear_stiffness * sideways);
            rates[i].0 += c.forces.contact_damping * along.max(sideways);
            rates[i].1 += c.forces.friction_damping * along.max(sideways);
            inverse_effective_mass += along;
        }
        pressing = pressing.min(time_of_pressing(sim, c, inverse_effective_mass));
    }
    // Two bodies that push each other share the fastest motion: their rates add.
    let (mut fastest, mut damping, mut settling) = (0.0f64, 0.0f64, 0.0f64);
    for c in sim.contacts() {
        let [a, b] = sim.links_of(&c.pair);
        fastest = fastest.max(frequency_sq[a] + frequency_sq[b]);
        damping = damping.max(rates[a].0 + rates[b].0);
        settling = settling.max(rates[a].1 + rates[b].1);
    }
    let until = |pair: (usize, usize)| time_until_pressed(sim, pair);
    let first_touch = sim.derived.pairs.sweeping_pairs(sim.model).map(until).fold(f64::INFINITY, f64::min);
    Limits { frequency_sq: fastest, damping_rate: damping, settling_rate: settling, pressing, first_touch }
}

/// Time for which a step can follow the force of a contact that deepens or parts, s. A ball's stiffness `k` goes with its
/// depth `d`: over a distance `x` it changes by `k x/d`, and a step is off by `x³ k/12d` joules. One that may part is off
/// by up to `x² k/6`.
fn time_of_pressing(sim: Sim, c: &Contact, inverse_effective_mass: f64) -> f64 {
    let (p, normal, depth) = (c.patch.center_of_pressure, c.patch.mean_normal(), c.patch.overlap);
    let [a, b] = sim.links_of(&c.pair);
    let parting = (sim.link(b).velocity_at(p) - sim.link(a).velocity_at(p)).dot(normal);
    let speed = parting.abs();
    if inverse_effective_mass == 0.0 || speed == 0.0 {
        return f64::INFINITY;
    }
    let energy = 0.5 * speed * speed / inverse_effective_mass + c.patch.load * depth / 3.0;
    let distance = if parting < 0.0 {
        let follows = (6.0 * SUSTAINED_ENERGY_TOLERANCE * energy * depth / c.patch.stiffness).cbrt();
        follows.max(MAX_DEEPENING * depth)
    } else {
        let follows = (3.0 * IMPACT_ENERGY_TOLERANCE * energy / c.patch.stiffness).sqrt();
        follows.max(MAX_PARTING * depth)
    };
    distance / speed
}

/// Time until two bodies near each other could have met and come [`FIRST_TOUCH_DEPTH`] of the thinner one's thickness in, s.
fn time_until_pressed(sim: Sim, (i, j): (usize, usize)) -> f64 {
    let step = sim.model.longest_step();
    let pairs = &sim.derived.pairs;
    let thickness = |i: usize| sim.body(i).coat[0].shape.min_thickness();
    let (p, q) = (&pairs.now[i], &pairs.now[j]);
    let closing = pairs.closing_speed(sim.configuration(), (i, j));
    let mut apart = (p.min - q.max).max(q.min - p.max).max_element().max(0.0);
    // One inside the other shares no surface with it that could be missed.
    if apart == 0.0 && !Derived::touch(sim.contacts(), (i, j)) {
        let skins = LayerPair::skins(i, j);
        if contact::is_enclosed(&sim.pair(&skins)) {
            return f64::INFINITY;
        }
    }
    if apart == 0.0 && p.is_finite() != q.is_finite() && !pairs.can_meet(sim.configuration(), (i, j), 0.0) {
        let mut most = closing * step;
        if !pairs.can_meet(sim.configuration(), (i, j), most) {
            return f64::INFINITY;
        }
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (apart + most);
            if pairs.can_meet(sim.configuration(), (i, j), middle) { most = middle } else { apart = middle }
        }
    }
    (apart + FIRST_TOUCH_DEPTH * thickness(i).min(thickness(j))) / closing
}
