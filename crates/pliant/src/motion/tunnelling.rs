//! Tunnelling: warnings of bodies that went deeper than their layers carry, or through each other.
//!
//! *The idea* ([G93] §3.3 has a bounded force): a layer carries a finite load, and a hard enough impact passes it. It is
//! detected where a contact surface reaches a skeleton, where a contact's normal reverses within a step, and where two bodies
//! that approached have parted without turning back.
//!
//! [G93]: https://doi.org/10.1145/166117.166157

use super::changes::{PairChange, most_loaded, pair_changes};
use super::stepper::Stepper;
use crate::bodies::LinkId;
use crate::contact::{self, Approach, Trajectory};
use crate::math::{DVec3, Frame};
use crate::state::{Contact, Derived, LayerPair, Model, Sim, State, StepMotion, Warning, WarningKind};

/// Warns where a contact surface has reached a skeleton, unless neither body is dynamic: those are as deep as the scene puts
/// them.
pub(crate) fn warn_bottomed_out(model: &Model, state: &mut State, derived: &Derived) {
    let sim = Sim { model, state, derived };
    let one = |c: &Contact| sim.is_dynamic(&c.pair).then(|| sim.pair(&c.pair).bottomed_out(&c.patch));
    let bottoms = sim.map_contacts(one);
    let mut found = Vec::new();
    for (c, (bottom_a, bottom_b)) in sim.contacts().iter().zip(bottoms).filter_map(|(c, b)| Some((c, b?))) {
        let (a, b) = (c.pair.a.body, c.pair.b.body);
        found.extend(bottom_a.then_some((a, b)));
        found.extend(bottom_b.then_some((b, a)));
    }
    for bodies in found {
        raise(state, bodies, WarningKind::BottomedOut);
    }
}

/// Warns of pairs that went through each other in a step, whose contacts were `before`.
pub(super) fn warn_passed_through(stepper: &mut Stepper, before: &[Contact], motion: &StepMotion) {
    let sim = stepper.sim();
    let changes = pair_changes(before, sim.contacts()).filter(|c| sim.is_dynamic(&c.pair));
    let passed: Vec<LayerPair> = changes.filter(|c| has_tunnelled(sim, c, motion)).map(|c| c.pair).collect();
    for pair in passed {
        raise(stepper.state, (pair.a.body, pair.b.body), WarningKind::PassedThrough);
    }
}

/// Whether the normal of a pair's contact has reversed, or the pair has no contact any more though it did not part, or
/// has one though it did not approach. Only whoever moved by a good part of a thickness, or is that deep, can have passed.
fn has_tunnelled(sim: Sim, change: &PairChange, motion: &StepMotion) -> bool {
    let PairChange { pair, before, now } = change;
    let [a, b] = sim.links_of(pair);
    let thickness = || sim.pair(pair).min_thickness();
    let Some(patch) = most_loaded(before) else {
        return most_loaded(now).is_some_and(|patch| {
            let shift = |i: LinkId| motion.displacement(sim, i, patch.center_of_pressure).shift;
            (shift(b) - shift(a)).dot(patch.mean_normal()) > 0.5 * thickness()
        });
    };
    let (p, normal) = (patch.center_of_pressure, patch.mean_normal());
    let turned = || now.iter().all(|c| c.patch.mean_normal().dot(normal) < 0.0);
    if !now.is_empty() && (before.len() != 1 || now.len() != 1 || !turned()) {
        return false;
    }
    let shift = |i: LinkId| motion.displacement(sim, i, position_at_end(sim, i, motion, p)).shift;
    let approach = (shift(a) - shift(b)).dot(normal);
    let overlap = patch.overlap + approach;
    if now.is_empty() {
        return contact::is_enclosed(&sim.pair(pair)) || approach > 0.0 && overlap > thickness();
    }
    overlap > 0.5 * thickness()
}

/// Position at the end of a step of the material of link `i` that was at `p` at its start.
fn position_at_end(sim: Sim, i: LinkId, motion: &StepMotion, p: DVec3) -> DVec3 {
    sim.link(i).world_from_link().point(motion.frames[i].inverse().point(p))
}

/// Warns of pairs that touched during a step that could not be retried, and touch neither before nor after it. Links
/// are taken to have moved straight.
pub(super) fn warn_missed(stepper: &mut Stepper, before: &[Contact], motion: &StepMotion) {
    let sim = stepper.sim();
    let touch = |contacts: &[Contact], pair| Derived::touch(contacts, pair);
    let missed: Vec<(usize, usize)> = sim.derived.pairs.filter_map(sim.model, |i, j| {
        let apart = !touch(before, (i, j)) && !touch(sim.contacts(), (i, j));
        (apart && touched_on_the_way(sim, (i, j), motion)).then_some((i, j))
    });
    for bodies in missed {
        raise(stepper.state, bodies, WarningKind::PassedThrough);
    }
}

/// Whether two bodies that moved straight touched on the way.
fn touched_on_the_way(sim: Sim, (i, j): (usize, usize), motion: &StepMotion) -> bool {
    let path = |body: usize| {
        let link = sim.model.link_of(body);
        let (from, to) = (motion.frames[link], sim.link(link).world_from_link());
        let lever = sim.body(body).lever(&sim.link(link), &sim.derived.pairs.now[body], 0.0);
        let turning = if from.rotation == to.rotation { 0.0 } else { from.rotation.angle_between(to.rotation) * lever };
        let at = move |t: f64| Frame {
            rotation: from.rotation.slerp(to.rotation, t),
            translation: from.translation.lerp(to.translation, t),
        };
        (to.translation - from.translation, turning, at)
    };
    let ((shift, turning, at_i), (other_shift, other_turning, at_j)) = (path(i), path(j));
    // Over the whole step, as time goes from 0 to 1.
    let closing = (shift - other_shift).length() + turning + other_turning;
    if !(closing > contact::STRIDE * sim.thinner_thickness(i, j) && closing.is_finite()) {
        return false;
    }
    let a = Trajectory { layers: &sim.body(i).coat, at: &at_i };
    let b = Trajectory { layers: &sim.body(j).coat, at: &at_j };
    contact::first_touch([&a, &b], &Approach { closing, until: 1.0, known: &|_, _| None }).time.is_some_and(|t| t < 1.0)
}

/// Warns of bodies that start one inside the other: they share no surface, and nothing would part them. And of two
/// unbounded bodies, between which no contact is found.
pub(crate) fn warn_starting_overlaps(model: &Model, state: &mut State, derived: &Derived) {
    let sim = Sim { model, state, derived };
    let touch = |&(i, j): &(usize, usize)| Derived::touch(sim.contacts(), (i, j));
    let inside = |&(i, j): &(usize, usize)| contact::is_enclosed(&sim.pair(&LayerPair::skins(i, j)));
    let dynamic = |i: usize| model.is_dynamic(model.link_of(i));
    let near = derived.pairs.overlapping(sim.configuration(), true, |i, j| dynamic(i) || dynamic(j));
    let mut found: Vec<((usize, usize), WarningKind)> = Vec::new();
    for (i, j) in near.into_iter().filter(|pair| !touch(pair) && inside(pair)) {
        let inner_first = sim.body(i).rest_volume <= sim.body(j).rest_volume;
        found.push((if inner_first { (i, j) } else { (j, i) }, WarningKind::StartsInside));
    }
    let unbounded: Vec<usize> =
        (0..model.bodies().len()).filter(|i| !sim.body(*i).bounds(&sim.frame(*i)).is_finite()).collect();
    let fixed = |i: usize| model.motion_law(model.link_of(i)).is_fixed();
    let rigid = |i: usize| sim.body(i).coat[0].rigid;
    for (n, &i) in unbounded.iter().enumerate() {
        // One warning a body is enough.
        let mut others = unbounded[n + 1..].iter().copied();
        let other = others.find(|&j| !(fixed(i) && fixed(j) || rigid(i) && rigid(j)));
        found.extend(other.map(|j| ((i, j), WarningKind::BothUnbounded)));
    }
    for (bodies, kind) in found {
        raise(state, bodies, kind);
    }
}

fn raise(state: &mut State, bodies: (usize, usize), kind: WarningKind) {
    state.warnings.raise(Warning { time: state.time, bodies, kind, size: None });
}
