//! Broad phase: pairs of bodies near each other, kept from step to step.
//!
//! *The idea*: boxes are grown by a margin, and the pairs whose grown boxes meet are listed. While every body stays
//! within its grown box no other pair can meet, so the list is only gone through. The result depends on the present
//! boxes alone, whenever the list was made: a resumed run finds the same pairs as one that never stopped.

use super::model::Model;
use super::state::State;
use crate::bodies::Body;
use crate::contact::BoxGrid;
use crate::fields::Field;
use crate::math::{Aabb, Cell, DVec3, Frame};
use rayon::prelude::*;

/// Margin, as a fraction of a body's longest side. Smaller: lists are made more often. Larger: longer lists.
const MARGIN: f64 = 0.1;
/// Margin, in longest steps at a body's present speed: fast bodies must not make a list for every step.
const STEPS_AHEAD: f64 = 4.0;

/// Pairs of overlapping boxes a world may begin with. More: gigabytes of lists. Fewer: legal heaps are refused; of bodies
/// that only touch, each has a dozen.
pub(crate) const MOST_PAIRS: usize = 10_000_000;

/// Pairs that are worth a task of their own.
const PAIRS_WORTH_SHARING: usize = 512;

/// The list, and the boxes it holds for.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairCache {
    /// Of the grown boxes.
    grown: BoxGrid,
    /// Pairs whose grown boxes meet and of which one can move or be seen to deform, in order.
    pairs: Vec<(usize, usize)>,
    /// Boxes of this moment.
    pub now: Vec<Aabb>,
    /// Middles and radii of bodies that are balls.
    balls: Vec<Option<(DVec3, f64)>>,
    /// Boxes that bodies may reach in the longest step, and their greatest speeds on the way.
    pub reach: Vec<(Aabb, f64)>,
    /// Of dynamic bodies of finite size: velocity of the centre, and a speed that turning alone never exceeds, m/s.
    pub drift: Vec<Option<(DVec3, f64)>>,
}

#[cfg(test)]
impl PairCache {
    /// The boxes the list was made for.
    pub fn grown(&self) -> &[Aabb] {
        self.grown.boxes()
    }
}

impl PairCache {
    /// Takes the boxes of this moment.
    pub fn update_boxes(&mut self, model: &Model, state: &State) {
        let frames: Vec<Frame> = (0..model.bodies().len()).map(|i| frame(model, state, i)).collect();
        self.now.clear();
        self.now.extend(model.bodies().iter().zip(&frames).map(|(b, f)| b.bounds(f)));
        self.balls.clear();
        self.balls.extend(model.bodies().iter().zip(&frames).map(|(b, f)| b.ball(f)));
        if !holds(&self.grown, self.now.iter()) {
            self.list_pairs(model, state);
        }
    }

    /// Takes the boxes bodies may reach in the longest step.
    pub fn update_reach(&mut self, model: &Model, state: &State) {
        let step = model.longest_step();
        self.reach.clear();
        self.drift.clear();
        for (i, body) in model.bodies().iter().enumerate() {
            let (link, now) = (model.link_of(i), &self.now[i]);
            let link = model.link(link, &state.links[link]);
            let speed = body.top_speed(&link, now, (state.time, step)) + gained_speed(model, state, body);
            let reach = if speed == f64::INFINITY { Aabb::EVERYTHING } else { now.grown(speed * step) };
            self.reach.push((reach, speed));
            let turning = || link.base.max_speeds(link.state, state.time, step).1 * body.lever(&link, now, 0.0);
            let drifts = now.is_finite() && link.mass().is_some();
            self.drift.push(drifts.then(|| (link.twist().linear, turning())));
        }
        if !holds(&self.grown, self.reach.iter().map(|(b, _)| b)) {
            self.list_pairs(model, state);
        }
    }

    fn list_pairs(&mut self, model: &Model, state: &State) {
        let step = model.longest_step();
        let grown = model.bodies().iter().zip(&self.now).enumerate().map(|(i, (body, now))| {
            let link = model.link_of(i);
            let link = model.link(link, &state.links[link]);
            if now.is_finite() {
                let margin = MARGIN * now.size().max_element();
                let speed = body.top_speed(&link, now, (state.time, step)) + gained_speed(model, state, body);
                return now.grown(margin + STEPS_AHEAD * step * speed);
            }
            if link.base.is_fixed() { *now } else { Aabb::EVERYTHING }
        });
        let grid = BoxGrid::new(grown.collect());
        let mut pairs = grid.pairs(|i, j| counts(model, i, j));
        pairs.iter_mut().for_each(|pair| *pair = (pair.0.min(pair.1), pair.0.max(pair.1)));
        pairs.sort_unstable();
        (self.grown, self.pairs) = (grid, pairs);
    }

    /// Those of `some` pairs whose boxes overlap, in order. Those that no force moves only if `kinematic`.
    pub fn overlapping(
        &self,
        (model, state): (&Model, &State),
        kinematic: bool,
        some: impl Fn(usize, usize) -> bool + Sync,
    ) -> Vec<(usize, usize)> {
        let wanted = |&&(i, j): &&(usize, usize)| {
            some(i, j) && (kinematic || one_is_dynamic(model, i, j)) && self.can_meet((model, state), (i, j), 0.0)
        };
        if self.pairs.len() > PAIRS_WORTH_SHARING {
            self.pairs.par_iter().with_min_len(PAIRS_WORTH_SHARING).filter(wanted).copied().collect()
        } else {
            self.pairs.iter().filter(wanted).copied().collect()
        }
    }

    /// Results of `f` for pairs near each other of which a force moves one, in order; on all threads if they are many.
    pub fn filter_map<T: Send>(&self, model: &Model, f: impl Fn(usize, usize) -> Option<T> + Sync + Send) -> Vec<T> {
        let one = |&(i, j): &(usize, usize)| if one_is_dynamic(model, i, j) { f(i, j) } else { None };
        if self.pairs.len() > PAIRS_WORTH_SHARING {
            self.pairs.par_iter().with_min_len(PAIRS_WORTH_SHARING).filter_map(one).collect()
        } else {
            self.pairs.iter().filter_map(one).collect()
        }
    }

    /// Pairs whose boxes may overlap in the longest step and of which a force moves one, in order.
    pub fn within_reach<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = (usize, usize)> + 'a {
        let meet = self.pairs.iter().copied().filter(|&(i, j)| self.reach[i].0.overlaps(&self.reach[j].0));
        meet.filter(move |&(i, j)| one_is_dynamic(model, i, j))
    }

    /// Whether two bodies can share a point if one is moved by less than `by`, as far as boxes tell. The box of a tilted
    /// ground is everything: there, bounds on its field tell.
    pub fn can_meet(&self, (model, state): (&Model, &State), (i, j): (usize, usize), by: f64) -> bool {
        let (p, q) = (&self.now[i], &self.now[j]);
        let reaches = |i: usize, region: Aabb| {
            let (body, frame) = (&model.bodies()[i], frame(model, state, i));
            let cell = Cell::from(region);
            (0..body.layers.len()).any(|k| body.placed(k, frame).upper_bound(&cell) >= body.layers[k].shape.iso())
        };
        let apart = || match (self.balls[i], self.balls[j]) {
            (Some((p, r)), Some((q, s))) => p.distance(q) > (r + s + by) * (1.0 + 1e-12),
            _ => false,
        };
        p.grown(by).overlaps(q)
            && !apart()
            && match (p.is_finite(), q.is_finite()) {
                (false, true) => reaches(i, q.grown(by)),
                (true, false) => reaches(j, p.grown(by)),
                _ => true,
            }
    }

    /// Bodies other than `i` whose boxes overlap that of `i` grown by `by`, in order.
    pub fn around(&self, at: (&Model, &State), i: usize, by: f64) -> Vec<usize> {
        let region = self.now[i].grown(by);
        let mut found = self.grown.overlapping(&region);
        found.retain(|&j| j != i && self.can_meet(at, (i, j), by));
        found.sort_unstable();
        found
    }

    /// A speed at which two bodies never approach faster within the longest step, m/s.
    pub fn closing_speed(&self, (model, state): (&Model, &State), (i, j): (usize, usize)) -> f64 {
        // A ground that turns is the faster the farther out: what counts is where the other may be.
        let speed = |i: usize, other: usize| match self.reach[i].1 {
            f64::INFINITY => {
                let link = model.link_of(i);
                let link = model.link(link, &state.links[link]);
                let ahead = (state.time, model.longest_step());
                model.bodies()[i].top_speed(&link, &self.reach[other].0, ahead)
            }
            speed => speed,
        };
        let relative = || match (self.drift[i], self.drift[j]) {
            (Some((v, spinning)), Some((w, turning))) => Some((v - w).length() + spinning + turning),
            _ => None,
        };
        // Two bodies that fall together do not approach; explicit steps look at each alone.
        let falling_together = if model.is_implicit() { relative() } else { None };
        falling_together.unwrap_or_else(|| speed(i, j) + speed(j, i))
    }
}

/// Whether more than [`MOST_PAIRS`] boxes overlap.
pub(crate) fn is_crowded(model: &Model, state: &State) -> bool {
    let boxes = model.bodies().iter().enumerate().map(|(i, b)| b.bounds(&frame(model, state, i)));
    let mut count = 0;
    BoxGrid::new(boxes.collect()).visit_pairs(|i, j| {
        count += usize::from(counts(model, i, j));
        count <= MOST_PAIRS
    });
    count > MOST_PAIRS
}

fn frame(model: &Model, state: &State, body: usize) -> Frame {
    let link = model.link_of(body);
    model.link(link, &state.links[link]).world_from_link()
}

fn one_is_dynamic(model: &Model, i: usize, j: usize) -> bool {
    model.is_dynamic(model.link_of(i)) || model.is_dynamic(model.link_of(j))
}

/// Whether two bodies whose boxes overlap are searched for contacts. Two that no force moves only deform each other: they
/// are left out if both are rigid. So are those that a joint keeps from touching.
fn counts(model: &Model, i: usize, j: usize) -> bool {
    let soft = |i: usize| !model.bodies()[i].layers[0].rigid;
    !model.is_excluded(i, j) && (one_is_dynamic(model, i, j) || soft(i) || soft(j))
}

/// Speed that gravity and applied loads can give a body within the longest step, m/s.
fn gained_speed(model: &Model, state: &State, body: &Body) -> f64 {
    let link = body.links.start;
    match model.base(link).mass() {
        Some(mass) => {
            let applied = state.applied[link].force.length() / mass;
            (model.gravity.length() + applied) * model.longest_step()
        }
        None => 0.0,
    }
}

/// Whether each box is within its grown one.
fn holds<'a>(grown: &BoxGrid, boxes: impl ExactSizeIterator<Item = &'a Aabb>) -> bool {
    let within = |(b, outer): (&Aabb, &Aabb)| outer.min.cmple(b.min).all() && b.max.cmple(outer.max).all();
    grown.boxes().len() == boxes.len() && boxes.zip(grown.boxes()).all(within)
}
