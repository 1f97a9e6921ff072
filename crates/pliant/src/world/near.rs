//! Which bodies are near each other, remembered from step to step.
//!
//! *The idea*: boxes are grown by a margin, and the pairs whose grown boxes meet are listed. While every body stays
//! within its grown box no other pair can meet, so the list is only gone through. What comes out depends on the present
//! boxes alone, whenever the list was made: a resumed run finds the same pairs as one that never stopped.

use super::World;
use crate::bodies::Body;
use crate::contact::BoxGrid;
use crate::fields::Field;
use crate::math::{Aabb, Cell, DVec3};
use rayon::prelude::*;

/// Margin, as a fraction of a body's longest side. Smaller: lists are made more often. Larger: longer lists.
const MARGIN: f64 = 0.1;
/// Margin, in longest steps at a body's present speed: fast bodies must not make a list for every step.
const STEPS_AHEAD: f64 = 4.0;

/// Pairs of overlapping boxes a world may begin with. More: gigabytes of lists. Fewer: legal heaps are refused; of bodies
/// that only touch, each has a dozen.
pub(super) const MOST_PAIRS: usize = 10_000_000;

/// Pairs that are worth a task of their own.
const WORTH_SHARING: usize = 512;

/// The list, and the boxes it holds for.
#[derive(Debug, Default)]
pub(super) struct Near {
    /// Of the grown boxes.
    grown: BoxGrid,
    /// Pairs whose grown boxes meet and of which one can move or be seen to deform; by name.
    pairs: Vec<(usize, usize)>,
    /// Boxes of this moment.
    pub now: Vec<Aabb>,
    /// Of those that are round: middles and radii.
    balls: Vec<Option<(DVec3, f64)>>,
    /// Where bodies may get in the longest step, and how fast they are on the way.
    pub ahead: Vec<(Aabb, f64)>,
    /// Of those of finite size that forces move: velocity of the centre, and a speed that turning alone never exceeds, m/s.
    pub drift: Vec<Option<(DVec3, f64)>>,
}

#[cfg(test)]
impl Near {
    /// The boxes the list was made for.
    pub fn grown(&self) -> &[Aabb] {
        self.grown.boxes()
    }
}

impl World {
    /// Takes the boxes of this moment; after this, [`World::meeting`] and [`World::around`] know where bodies are.
    pub(super) fn look_around(&mut self) {
        self.near.now.clear();
        self.near.now.extend(self.bodies.iter().map(Body::bounds));
        self.near.balls.clear();
        self.near.balls.extend(self.bodies.iter().map(Body::ball));
        let Near { grown, now, .. } = &self.near;
        if !holds(grown, now.iter()) {
            self.list_pairs();
        }
    }

    /// Takes the boxes bodies may reach in the longest step; after this, [`World::may_meet`] knows them.
    pub(super) fn look_ahead(&mut self) {
        let step = self.longest();
        self.near.ahead.clear();
        for (body, now) in self.bodies.iter().zip(&self.near.now) {
            let speed = body.top_speed(now, step) + self.falls_by(body);
            let turns = speed == f64::INFINITY;
            self.near.ahead.push((if turns { Aabb::EVERYTHING } else { now.grown(speed * step) }, speed));
        }
        let drift = |(body, now): (&Body, &Aabb)| {
            let turning = || body.base.max_speeds(step).1 * body.reach(now, 0.0);
            (now.is_finite() && body.base.mass().is_some()).then(|| (body.base.twist().linear, turning()))
        };
        self.near.drift.clear();
        self.near.drift.extend(self.bodies.iter().zip(&self.near.now).map(drift));
        let Near { grown, ahead, .. } = &self.near;
        if !holds(grown, ahead.iter().map(|(b, _)| b)) {
            self.list_pairs();
        }
    }

    /// Whether more than [`MOST_PAIRS`] boxes overlap.
    pub(super) fn is_crowded(&self) -> bool {
        let mut count = 0;
        BoxGrid::new(self.bodies.iter().map(Body::bounds).collect()).visit_pairs(|i, j| {
            count += usize::from(self.counts(i, j));
            count <= MOST_PAIRS
        });
        count > MOST_PAIRS
    }

    /// Whether two bodies whose boxes overlap are to be looked at. Two that no force moves change nothing on the way: they
    /// are looked at only to be seen, and not even then if both stand still for ever or both are rigid. Nor are those that
    /// a joint keeps from touching.
    fn counts(&self, i: usize, j: usize) -> bool {
        let soft = |i: usize| !self.bodies[i].layers[0].rigid;
        let fixed = |i: usize| self.bodies[i].base.is_fixed();
        let joined = self.apart.binary_search(&[i.min(j), i.max(j)]).is_ok();
        !joined && (self.moves(i) || self.moves(j) || (!(fixed(i) && fixed(j)) && (soft(i) || soft(j))))
    }

    fn list_pairs(&mut self) {
        let step = self.longest();
        let grown = self.bodies.iter().zip(&self.near.now).map(|(body, now)| {
            if now.is_finite() {
                let margin = MARGIN * now.size().max_element();
                return now.grown(margin + STEPS_AHEAD * step * (body.top_speed(now, step) + self.falls_by(body)));
            }
            if body.base.is_fixed() { *now } else { Aabb::EVERYTHING }
        });
        let grid = BoxGrid::new(grown.collect());
        let mut pairs = grid.pairs(|i, j| self.counts(i, j));
        for pair in &mut pairs {
            if self.rank[pair.0] > self.rank[pair.1] {
                *pair = (pair.1, pair.0);
            }
        }
        pairs.sort_unstable_by_key(|&(i, j)| (self.rank[i], self.rank[j]));
        (self.near.grown, self.near.pairs) = (grid, pairs);
    }

    /// The longest step the settings allow, s.
    pub(super) fn longest(&self) -> f64 {
        if self.is_implicit() { self.settings.implicit_step } else { self.settings.largest_step }
    }

    /// How much faster gravity can make a body within the longest step, m/s.
    fn falls_by(&self, body: &Body) -> f64 {
        if body.base.mass().is_some() { self.gravity.length() * self.longest() } else { 0.0 }
    }

    /// Whether forces move body `i`.
    pub(super) fn moves(&self, i: usize) -> bool {
        self.forced[i]
    }

    /// Those of `some` pairs whose boxes overlap, by name. Those that no force moves only if `on_show`.
    pub(super) fn meeting(&self, on_show: bool, some: impl Fn(usize, usize) -> bool + Sync) -> Vec<(usize, usize)> {
        let wanted = |&&(i, j): &&(usize, usize)| {
            some(i, j) && (on_show || self.moves(i) || self.moves(j)) && self.can_meet(i, j, 0.0)
        };
        if self.near.pairs.len() > WORTH_SHARING {
            self.near.pairs.par_iter().with_min_len(WORTH_SHARING).filter(wanted).copied().collect()
        } else {
            self.near.pairs.iter().filter(wanted).copied().collect()
        }
    }

    /// Something of pairs near each other of which a force moves one, where there is anything to be said; by name. Worked out
    /// on all threads if they are many.
    pub(super) fn of_pairs<T: Send>(&self, what: impl Fn(usize, usize) -> Option<T> + Sync + Send) -> Vec<T> {
        let one = |&(i, j): &(usize, usize)| if self.moves(i) || self.moves(j) { what(i, j) } else { None };
        if self.near.pairs.len() > WORTH_SHARING {
            self.near.pairs.par_iter().with_min_len(WORTH_SHARING).filter_map(one).collect()
        } else {
            self.near.pairs.iter().filter_map(one).collect()
        }
    }

    /// Pairs whose boxes may overlap in the longest step and of which a force moves one, by name.
    pub(super) fn may_meet(&self) -> impl Iterator<Item = (usize, usize)> {
        let ahead = &self.near.ahead;
        let meet = self.near.pairs.iter().copied().filter(|&(i, j)| ahead[i].0.overlaps(&ahead[j].0));
        meet.filter(move |&(i, j)| self.moves(i) || self.moves(j))
    }

    /// Whether bodies `i` and `j` can share a point if one is moved by less than `by`, as far as boxes tell. The box of a
    /// tilted ground is everything: there, bounds on its field tell.
    pub(super) fn can_meet(&self, i: usize, j: usize, by: f64) -> bool {
        let (p, q) = (&self.near.now[i], &self.near.now[j]);
        let reaches = |i: usize, region: Aabb| {
            let body = &self.bodies[i];
            let cell = Cell::from(region);
            (0..body.layers.len()).any(|k| body.placed(k).upper_bound(&cell) >= body.layers[k].shape.iso())
        };
        let apart = || match (self.near.balls[i], self.near.balls[j]) {
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

    /// Bodies other than `i` whose boxes overlap that of `i` grown by `reach`, by name.
    pub(super) fn around(&self, i: usize, reach: f64) -> Vec<usize> {
        let region = self.near.now[i].grown(reach);
        let mut found = self.near.grown.overlapping(&region);
        found.retain(|&j| j != i && self.can_meet(i, j, reach));
        found.sort_unstable_by_key(|&j| self.rank[j]);
        found
    }
}

/// Whether each box is within its grown one.
fn holds<'a>(grown: &BoxGrid, boxes: impl ExactSizeIterator<Item = &'a Aabb>) -> bool {
    let within = |(b, outer): (&Aabb, &Aabb)| outer.min.cmple(b.min).all() && b.max.cmple(outer.max).all();
    grown.boxes().len() == boxes.len() && boxes.zip(grown.boxes()).all(within)
}
