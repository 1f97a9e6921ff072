//! The search for contacts: from the state, and again where links have moved.
//!
//! *The idea*: each pair of layers whose boxes overlap is searched, starting from its last patches ([`State::seeds`]).
//! Contacts are in the order of pairs, and [`State::friction`] has one entry for each, in the same order. Patches are
//! shared, so that a copy of the contacts at the start of a step costs nothing.

use super::configuration::Configuration;
use super::contact::{Contact, LayerIndex, LayerPair, PairWarmStart};
use super::derived::Derived;
use super::friction_state::{FrictionState, inherited_shear};
use super::model::Model;
use super::sim::Sim;
use super::state::State;
use super::warning::{Warning, WarningKind};
use crate::bodies::PerLink;
use crate::contact::{self, ContactForces, FoundPatches, Pair, Patch, Quality, Separation, WarmStart};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Patches of one pair.
struct PairResult<'f> {
    pair: LayerPair,
    found: FoundPatches,
    /// Size of the region that the search left undecided, m.
    undecided: Option<f64>,
    /// A patch was integrated much less exactly than asked for.
    coarse: bool,
    /// Friction of the pair's patches before the search.
    before: &'f [FrictionState],
}

/// Links moved since the last search, and friction at the start of the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MovedLinks<'a> {
    /// Whether each link has moved.
    pub moved: &'a PerLink<bool>,
    /// In the order of pairs.
    pub friction_before: &'a [FrictionState],
}

/// Pairs to be searched and the friction of their patches, both in order.
struct Search<'p, 'f> {
    pairs: &'p [LayerPair],
    before: &'f [FrictionState],
}

/// Number of pairs from which the search runs on several threads. Smaller: tasks cost more than the search. Larger: threads
/// stay idle.
const MIN_PARALLEL_PAIRS: usize = 16;

/// Gap, in finest cells of a search, from which two layers are known to be apart. Smaller: more warnings depend on where a
/// simulation was resumed. Larger: more searches.
const MIN_GAP: f64 = 4.0;

impl Derived {
    /// Finds every patch. A search starts from the `seeds` of its pair, which are in the order of pairs; without seeds,
    /// from positions alone. Explicit steps, which pass seeds, leave out pairs of two kinematic bodies: their contacts
    /// move nothing.
    pub(crate) fn find(&mut self, model: &Model, state: &mut State, seeds: Option<Vec<PairWarmStart>>) {
        self.pairs.update_boxes(model, state);
        if self.fixed.is_none() {
            self.fixed = Some(self.find_fixed(model, state));
        }
        let sim = Sim { model, state, derived: self };
        let kinematic = seeds.is_none() || model.is_implicit();
        let pairs = layer_pairs(sim, kinematic, |i, j| !is_fixed_pair(model, i, j));
        self.separations.retain(|pair, _| pairs.binary_search(pair).is_ok());
        let mut before = std::mem::take(&mut state.friction);
        before.sort_by_key(|f| f.pair);
        state.seeds = seeds.unwrap_or_default();
        let found = self.search(model, state, Search { pairs: &pairs, before: &before });
        self.contacts.clear();
        self.splice(state, found, |_| true);
        if let Some(fixed) = self.fixed.as_ref().filter(|f| !f.is_empty()) {
            self.contacts.extend(fixed.iter().cloned());
            state.friction.extend(fixed.iter().map(|c| FrictionState::new(c.pair, &c.patch, Default::default())));
            // Stable: patches of one pair stay in order.
            self.contacts.sort_by_key(|c| c.pair);
            state.friction.sort_by_key(|f| f.pair);
        }
    }

    /// Finds the patches of moved links again, none of which is fixed, starting from the present ones; the others stay.
    /// Friction is inherited from the start of the step.
    pub(crate) fn update(&mut self, model: &Model, state: &mut State, links: MovedLinks) {
        let MovedLinks { moved, friction_before: before } = links;
        self.pairs.update_boxes(model, state);
        let concerns = |p: &LayerPair| moved[model.link_of(p.a.body)] || moved[model.link_of(p.b.body)];
        let sim = Sim { model, state, derived: self };
        let link = |i: usize| model.link_of(i);
        let pairs = layer_pairs(sim, true, |i, j| moved[link(i)] || moved[link(j)]);
        let mut own = Vec::with_capacity(self.contacts.len());
        own.extend(self.contacts.iter().filter(|c| concerns(&c.pair)).map(seed));
        let mut kept = std::mem::replace(&mut state.seeds, own);
        kept.retain(|s| !concerns(&s.pair));
        let found = self.search(model, state, Search { pairs: &pairs, before });
        if !kept.is_empty() {
            state.seeds = merged(std::mem::take(&mut state.seeds), kept, |s| s.pair);
        }
        self.splice(state, found, concerns);
    }

    /// Seeds of the next search: the patches of this moment.
    pub(crate) fn seeds(&self, model: &Model) -> Vec<PairWarmStart> {
        self.contacts.iter().filter(|c| !is_fixed(model, &c.pair)).map(seed).collect()
    }

    fn find_fixed(&mut self, model: &Model, state: &mut State) -> Vec<Contact> {
        let fixed = self.pairs.overlapping(Configuration { model, state }, true, |i, j| is_fixed_pair(model, i, j));
        let pairs: Vec<LayerPair> = fixed.into_iter().flat_map(|pair| layers(model, pair)).collect();
        let found = self.search(model, state, Search { pairs: &pairs, before: &[] });
        let all = found.into_iter().flat_map(|r| r.found.patches.into_iter().map(move |p| (r.pair, p)));
        all.map(|(pair, patch)| Contact { pair, patch: Arc::new(patch), forces: ContactForces::default() }).collect()
    }

    /// Searches pairs from the seeds of `state`.
    fn search<'f>(&mut self, model: &Model, state: &State, search: Search<'_, 'f>) -> Vec<PairResult<'f>> {
        let Search { pairs, before } = search;
        let sim = Sim { model, state, derived: self };
        let starts: Vec<WarmStart> = state.seeds.iter().map(|s| s.start.clone()).collect();
        let ranges = ranges(pairs, |at| state.seeds.get(at).map(|s| s.pair));
        let held = ranges_of(pairs, before);
        let search = |((pair, known), held): ((&LayerPair, &Range<usize>), &Range<usize>)| {
            let layers = sim.pair(pair);
            let quality = &model.quality;
            // An abandoned search finds nothing: its step is not kept.
            let is_apart = || known.is_empty() && self.is_still_apart(pair, &layers, quality);
            let found = if self.is_cancelled() || is_apart() {
                FoundPatches::default()
            } else {
                Patch::find_warm(&layers, quality, &starts[known.clone()])
            };
            let undecided = undecided(&found, &layers, quality);
            let coarse = found.patches.iter().any(|p| contact::is_coarse(p, &layers, quality));
            PairResult { pair: *pair, found, undecided, coarse, before: &before[held.clone()] }
        };
        let results: Vec<PairResult> = if pairs.len() < MIN_PARALLEL_PAIRS {
            pairs.iter().zip(&ranges).zip(&held).map(search).collect()
        } else {
            let all = pairs.par_iter().zip(&ranges).zip(&held);
            all.with_min_len(MIN_PARALLEL_PAIRS / 2).map(search).collect()
        };
        let separation = |r: &PairResult| Some((r.pair, Separation::new(&sim.pair(&r.pair), r.found.gap)?));
        let separations: Vec<_> = results.iter().filter_map(separation).collect();
        self.keep_separations(model.bodies().len(), separations);
        results
    }

    /// Whether two layers are known to be apart. A search might leave more undecided, and warn of it.
    fn is_still_apart(&self, pair: &LayerPair, layers: &Pair, quality: &Quality) -> bool {
        let least = MIN_GAP * quality.finest_cell * layers.min_thickness();
        self.separation(pair).is_some_and(|s| s.gap_at(layers) > least)
    }

    /// Replaces the contacts of pairs that are `concerned` by those `found`. All are in the order of pairs.
    fn splice(&mut self, state: &mut State, found: Vec<PairResult>, concerned: impl Fn(&LayerPair) -> bool) {
        self.contacts.retain(|c| !concerned(&c.pair));
        state.friction.retain(|f| !concerned(&f.pair));
        let count = self.contacts.len() + found.iter().map(|r| r.found.patches.len()).sum::<usize>();
        let kept = std::mem::replace(&mut self.contacts, Vec::with_capacity(count));
        let kept_friction = std::mem::replace(&mut state.friction, Vec::with_capacity(count));
        let mut found = found.into_iter().peekable();
        for (contact, friction) in kept.into_iter().zip(kept_friction) {
            while let Some(result) = found.next_if(|f| f.pair < contact.pair) {
                self.append(state, result);
            }
            self.contacts.push(contact);
            state.friction.push(friction);
        }
        found.for_each(|result| self.append(state, result));
    }

    /// Appends the patches of one pair to the contacts, and warns if its search left a region undecided or its forces are
    /// coarse.
    fn append(&mut self, state: &mut State, result: PairResult) {
        let PairResult { pair, found, undecided, coarse, before } = result;
        let count = found.patches.len();
        for patch in found.patches {
            state.friction.push(FrictionState::new(pair, &patch, inherited_shear(&patch, count, before)));
            self.contacts.push(Contact { pair, patch: Arc::new(patch), forces: ContactForces::default() });
        }
        let (time, bodies) = (state.time, pair.bodies());
        if coarse {
            state.warnings.raise(Warning { time, bodies, kind: WarningKind::CoarseContact, size: None });
        }
        if undecided.is_some() {
            state.warnings.raise(Warning { time, bodies, kind: WarningKind::Undecided, size: undecided });
        }
    }
}

/// Size of the region that the search for `found` left undecided, m. None for a region no larger than the finest
/// cell: surfaces that just touch leave such regions at any quality, and a contact hidden there is as light as the quality
/// allows. None for a body inside another: the two share no surface, which is known.
fn undecided(found: &FoundPatches, pair: &Pair, quality: &Quality) -> Option<f64> {
    let large = |size: &f64| *size > quality.finest_cell * pair.min_thickness();
    let inside = || found.patches.is_empty() && contact::is_enclosed(pair);
    Some(found.undecided).filter(|size| large(size) && !inside())
}

fn seed(c: &Contact) -> PairWarmStart {
    PairWarmStart { pair: c.pair, start: c.patch.warm_start() }
}

/// Pairs of layers whose bodies may touch, in order, of the body pairs that `some` selects. Kinematic pairs only if
/// `kinematic`.
fn layer_pairs(sim: Sim, kinematic: bool, some: impl Fn(usize, usize) -> bool + Sync) -> Vec<LayerPair> {
    let model = sim.model;
    let bodies = sim.derived.pairs.overlapping(sim.configuration(), kinematic, some);
    bodies.into_iter().flat_map(|pair| layers(model, pair)).collect()
}

fn layers(model: &Model, (i, j): (usize, usize)) -> impl Iterator<Item = LayerPair> {
    let count = |i: usize| model.bodies()[i].coat.len();
    let (m, n) = (count(i), count(j));
    let at = |body: usize, layer: usize| LayerIndex { body, layer };
    (0..m).flat_map(move |a| (0..n).map(move |b| LayerPair { a: at(i, a), b: at(j, b) }))
}

fn is_fixed_pair(model: &Model, i: usize, j: usize) -> bool {
    let fixed = |i: usize| model.motion_law(model.link_of(i)).is_fixed();
    fixed(i) && fixed(j)
}

fn is_fixed(model: &Model, pair: &LayerPair) -> bool {
    is_fixed_pair(model, pair.a.body, pair.b.body)
}

/// Range of the items of each of `pairs`; items are in the order of pairs.
fn ranges(pairs: &[LayerPair], pair_at: impl Fn(usize) -> Option<LayerPair>) -> Vec<Range<usize>> {
    let mut at = 0;
    let range = |pair: &LayerPair| {
        while pair_at(at).is_some_and(|p| p < *pair) {
            at += 1;
        }
        let start = at;
        while pair_at(at).is_some_and(|p| p == *pair) {
            at += 1;
        }
        start..at
    };
    pairs.iter().map(range).collect()
}

fn ranges_of(pairs: &[LayerPair], friction: &[FrictionState]) -> Vec<Range<usize>> {
    ranges(pairs, |at| friction.get(at).map(|f| f.pair))
}

/// Merges two lists, both in the order of `key`; no key is in both.
fn merged<T>(a: Vec<T>, b: Vec<T>, key: impl Fn(&T) -> LayerPair) -> Vec<T> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let mut b = b.into_iter().peekable();
    for item in a {
        let own = key(&item);
        all.extend(std::iter::from_fn(|| b.next_if(|other| key(other) < own)));
        all.push(item);
    }
    all.extend(b);
    all
}
