//! Broad phase: pairs of bodies near each other, kept from step to step.
//!
//! *The idea*: boxes are grown by a margin (fat AABBs), and the pairs whose grown boxes overlap are listed. While every
//! body stays within its grown box no other pair can touch, so the list is only filtered. The result depends on the
//! present boxes alone, whatever the age of the list: a resumed run finds the same pairs as one that never stopped.

use super::configuration::Configuration;
use super::model::Model;
use super::state::State;
use crate::bodies::Lookahead;
use crate::contact::BoxGrid;
use crate::fields::Field;
use crate::math::{Aabb, Cell, DVec3, Frame};
use rayon::prelude::*;

/// Margin, as a fraction of a body's longest side. Smaller: lists are made more often. Larger: longer lists.
const MARGIN: f64 = 0.1;
/// Margin, in longest steps at a body's present speed. Smaller: fast bodies need a new list in every step. Larger: longer
/// lists.
const STEPS_AHEAD: f64 = 4.0;

/// Pairs of overlapping boxes a world may begin with. More: gigabytes of lists. Fewer: legal heaps are refused; of bodies
/// that only touch, each has a dozen.
pub(crate) const MAX_PAIRS: usize = 10_000_000;

/// Number of pairs from which they are filtered on several threads. Smaller: tasks cost more than their work. Larger: threads
/// stay idle.
const MIN_PARALLEL_PAIRS: usize = 512;

/// Candidate pairs, and the boxes they are valid for.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairCache {
    /// Grown boxes.
    grown: BoxGrid,
    /// Pairs whose grown boxes overlap and of which one can move or deforms visibly, in order.
    pairs: Vec<(usize, usize)>,
    /// Boxes of this configuration.
    pub now: Vec<Aabb>,
    /// Centres and radii of bodies that are balls.
    balls: Vec<Option<(DVec3, f64)>>,
    /// Boxes that bodies can reach in the longest step, and their greatest speeds on the way, m/s.
    pub swept_bounds: Vec<(Aabb, f64)>,
    /// Bounds of the motion: velocity of the centre, and the greatest speed by rotation alone, m/s; of dynamic bodies
    /// of finite size.
    pub motion_bounds: Vec<Option<(DVec3, f64)>>,
}

#[cfg(test)]
impl PairCache {
    /// Boxes for which the list was made.
    pub fn grown(&self) -> &[Aabb] {
        self.grown.boxes()
    }
}

impl PairCache {
    /// Updates the boxes of this configuration, and the list if it is no longer valid for them.
    pub fn update_boxes(&mut self, model: &Model, state: &State) {
        let configuration = Configuration { model, state };
        let frames: Vec<Frame> = (0..model.bodies().len()).map(|i| configuration.frame(i)).collect();
        self.now.clear();
        self.now.extend(model.bodies().iter().zip(&frames).map(|(b, f)| b.bounds(f)));
        self.balls.clear();
        self.balls.extend(model.bodies().iter().zip(&frames).map(|(b, f)| b.ball(f)));
        if !contains(&self.grown, self.now.iter()) {
            self.list_pairs(configuration);
        }
    }

    /// Updates the boxes that bodies can reach in the longest step, and the list if it is no longer valid for them.
    pub fn update_swept_bounds(&mut self, model: &Model, state: &State) {
        let configuration = Configuration { model, state };
        let step = model.longest_step();
        self.swept_bounds.clear();
        self.motion_bounds.clear();
        for (i, body) in model.bodies().iter().enumerate() {
            let (link, now) = (configuration.link_of(i), &self.now[i]);
            let speed = configuration.top_speed(i, now) + configuration.gained_speed(i);
            let swept_bounds = if speed == f64::INFINITY { Aabb::EVERYTHING } else { now.grown(speed * step) };
            self.swept_bounds.push((swept_bounds, speed));
            let turning = || link.motion_law.max_speeds(link.state, state.time, step).1 * body.lever(&link, now, 0.0);
            let drifts = now.is_finite() && link.mass().is_some();
            self.motion_bounds.push(drifts.then(|| (link.twist().linear, turning())));
        }
        if !contains(&self.grown, self.swept_bounds.iter().map(|(b, _)| b)) {
            self.list_pairs(configuration);
        }
    }

    fn list_pairs(&mut self, configuration: Configuration) {
        let step = configuration.model.longest_step();
        let grown = self.now.iter().enumerate().map(|(i, now)| {
            if now.is_finite() {
                let margin = MARGIN * now.size().max_element();
                let speed = configuration.top_speed(i, now) + configuration.gained_speed(i);
                return now.grown(margin + STEPS_AHEAD * step * speed);
            }
            if configuration.link_of(i).motion_law.is_fixed() { *now } else { Aabb::EVERYTHING }
        });
        let grid = BoxGrid::new(grown.collect());
        let mut pairs = grid.pairs(|i, j| is_candidate(configuration.model, i, j));
        pairs.iter_mut().for_each(|pair| *pair = (pair.0.min(pair.1), pair.0.max(pair.1)));
        pairs.sort_unstable();
        (self.grown, self.pairs) = (grid, pairs);
    }

    /// Pairs, of those that `some` selects, whose boxes overlap, in order. Kinematic pairs only if `kinematic`.
    pub fn overlapping(
        &self,
        configuration: Configuration,
        kinematic: bool,
        some: impl Fn(usize, usize) -> bool + Sync,
    ) -> Vec<(usize, usize)> {
        let wanted = |&&(i, j): &&(usize, usize)| {
            some(i, j)
                && (kinematic || one_is_dynamic(configuration.model, i, j))
                && self.can_meet(configuration, (i, j), 0.0)
        };
        if self.pairs.len() > MIN_PARALLEL_PAIRS {
            self.pairs.par_iter().with_min_len(MIN_PARALLEL_PAIRS).filter(wanted).copied().collect()
        } else {
            self.pairs.iter().filter(wanted).copied().collect()
        }
    }

    /// Results of `f` for candidate pairs of which one body is dynamic, in order; on all threads if they are many.
    pub fn filter_map<T: Send>(&self, model: &Model, f: impl Fn(usize, usize) -> Option<T> + Sync + Send) -> Vec<T> {
        let one = |&(i, j): &(usize, usize)| if one_is_dynamic(model, i, j) { f(i, j) } else { None };
        if self.pairs.len() > MIN_PARALLEL_PAIRS {
            self.pairs.par_iter().with_min_len(MIN_PARALLEL_PAIRS).filter_map(one).collect()
        } else {
            self.pairs.iter().filter_map(one).collect()
        }
    }

    /// Pairs whose boxes may overlap in the longest step and of which one body is dynamic, in order.
    pub fn sweeping_pairs<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = (usize, usize)> + 'a {
        let meet =
            self.pairs.iter().copied().filter(|&(i, j)| self.swept_bounds[i].0.overlaps(&self.swept_bounds[j].0));
        meet.filter(move |&(i, j)| one_is_dynamic(model, i, j))
    }

    /// Whether boxes leave open that two bodies share a point if one is moved by less than `by`, m. The box of a tilted
    /// half-space is everything; bounds on its field are used instead.
    pub fn can_meet(&self, configuration: Configuration, (i, j): (usize, usize), by: f64) -> bool {
        let (p, q) = (&self.now[i], &self.now[j]);
        let touches = |i: usize, region: Aabb| {
            let (frame, cell) = (configuration.frame(i), Cell::from(region));
            configuration.body(i).coat.iter().any(|l| l.posed(frame).upper_bound(&cell) >= l.shape.iso())
        };
        let apart = || match (self.balls[i], self.balls[j]) {
            (Some((p, r)), Some((q, s))) => p.distance(q) > (r + s + by) * (1.0 + 1e-12),
            _ => false,
        };
        p.grown(by).overlaps(q)
            && !apart()
            && match (p.is_finite(), q.is_finite()) {
                (false, true) => touches(i, q.grown(by)),
                (true, false) => touches(j, p.grown(by)),
                _ => true,
            }
    }

    /// Bodies other than `i` whose boxes overlap that of `i` grown by `by`, in order.
    pub fn bodies_near(&self, configuration: Configuration, i: usize, by: f64) -> Vec<usize> {
        let region = self.now[i].grown(by);
        let mut found = self.grown.overlapping(&region);
        found.retain(|&j| j != i && self.can_meet(configuration, (i, j), by));
        found.sort_unstable();
        found
    }

    /// Upper bound on the speed at which two bodies approach each other within the longest step, m/s.
    pub fn closing_speed(&self, configuration: Configuration, (i, j): (usize, usize)) -> f64 {
        // A half-space that turns is the faster the farther out: the box of the other body bounds that distance.
        let speed = |i: usize, other: usize| match self.swept_bounds[i].1 {
            f64::INFINITY => configuration.top_speed(i, &self.swept_bounds[other].0),
            speed => speed,
        };
        let relative = || match (self.motion_bounds[i], self.motion_bounds[j]) {
            (Some((v, spinning)), Some((w, turning))) => Some((v - w).length() + spinning + turning),
            _ => None,
        };
        // Two bodies that fall together do not approach; explicit steps bound each body alone.
        let falling_together = if configuration.model.is_implicit() { relative() } else { None };
        falling_together.unwrap_or_else(|| speed(i, j) + speed(j, i))
    }
}

impl Configuration<'_> {
    /// [`Body::top_speed`](crate::bodies::Body::top_speed) of body `i` over the longest step.
    fn top_speed(&self, i: usize, region: &Aabb) -> f64 {
        let span = Lookahead { now: self.state.time, ahead: self.model.longest_step() };
        self.body(i).top_speed(&self.link_of(i), region, span)
    }

    /// Speed that gravity and applied loads can give body `i` within the longest step, m/s.
    fn gained_speed(&self, i: usize) -> f64 {
        let Some(mass) = self.link_of(i).mass() else { return 0.0 };
        let applied = self.state.applied[self.model.link_of(i)].force.length() / mass;
        (self.model.gravity.length() + applied) * self.model.longest_step()
    }
}

/// Whether more than [`MAX_PAIRS`] boxes overlap.
pub(crate) fn is_crowded(configuration: Configuration) -> bool {
    let boxes = configuration.model.bodies().iter().enumerate().map(|(i, b)| b.bounds(&configuration.frame(i)));
    let mut count = 0;
    BoxGrid::new(boxes.collect()).visit_pairs(|i, j| {
        count += usize::from(is_candidate(configuration.model, i, j));
        count <= MAX_PAIRS
    });
    count > MAX_PAIRS
}

fn one_is_dynamic(model: &Model, i: usize, j: usize) -> bool {
    model.is_dynamic(model.link_of(i)) || model.is_dynamic(model.link_of(j))
}

/// Whether two bodies whose boxes overlap are searched for contacts. Two kinematic bodies only deform each other: they are
/// left out if both are rigid. So are bodies whose joint excludes contact.
fn is_candidate(model: &Model, i: usize, j: usize) -> bool {
    let soft = |i: usize| !model.bodies()[i].coat[0].rigid;
    !model.is_excluded(i, j) && (one_is_dynamic(model, i, j) || soft(i) || soft(j))
}

/// Whether each box is within its grown one.
fn contains<'a>(grown: &BoxGrid, boxes: impl ExactSizeIterator<Item = &'a Aabb>) -> bool {
    let within = |(b, outer): (&Aabb, &Aabb)| outer.min.cmple(b.min).all() && b.max.cmple(outer.max).all();
    grown.boxes().len() == boxes.len() && boxes.zip(grown.boxes()).all(within)
}
