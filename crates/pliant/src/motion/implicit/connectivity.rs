//! Connectivity: links that contacts and joints couple.

use crate::bodies::{LinkId, PerLink};
use crate::math::UnionFind;
use crate::state::{Contact, Sim};

/// Disjoint sets of links, each represented by its first.
pub(super) struct LinkSets(UnionFind);

impl LinkSets {
    fn new(sim: Sim) -> Self {
        Self(UnionFind::new(sim.model.link_count()))
    }

    fn union(&mut self, a: LinkId, b: LinkId) {
        self.0.union(a.0, b.0);
    }

    pub fn find(&mut self, i: LinkId) -> LinkId {
        LinkId(self.0.find(i.0))
    }
}

/// Visits the links of every contact, however many one has.
#[inline(always)]
pub(super) fn visit_contacts<'c>(sim: Sim, contacts: impl Iterator<Item = &'c Contact>, mut f: impl FnMut(&[LinkId])) {
    contacts.for_each(|c| f(&sim.links_of(&c.pair)));
}

/// Visits the links of every unbroken joint.
pub(super) fn visit_joints(sim: Sim, mut f: impl FnMut(&[LinkId])) {
    for (_, joint) in sim.unbroken_joints() {
        match joint.links {
            [Some(a), Some(b)] => f(&[a, b]),
            [a, b] => a.or(b).iter().for_each(|i| f(&[*i])),
        }
    }
}

/// For every active dynamic link that touches or joins something: one link of its island.
pub(super) fn groups(sim: Sim, active: &PerLink<bool>) -> PerLink<Option<LinkId>> {
    let joins = |i: LinkId| active[i] && sim.model.is_dynamic(i);
    let mut sets = LinkSets::new(sim);
    let mut touched = sim.model.per_link(false);
    let mut couple = |links: &[LinkId]| {
        links.iter().for_each(|i| touched[*i] = true);
        let mut joining = links.iter().filter(|i| joins(**i));
        if let Some(first) = joining.next() {
            joining.for_each(|other| sets.union(*first, *other));
        }
    };
    visit_contacts(sim, sim.contacts().iter(), &mut couple);
    visit_joints(sim, &mut couple);
    sim.model.links().map(|i| (touched[i] && joins(i)).then(|| sets.find(i))).collect()
}

/// These links, and all dynamic ones they touch or are joined to.
pub(super) fn with_neighbours(sim: Sim, some: &PerLink<bool>) -> PerLink<bool> {
    let mut all = some.clone();
    let mut spread = |links: &[LinkId]| {
        if links.iter().any(|i| some[*i]) {
            links.iter().filter(|i| sim.model.is_dynamic(**i)).for_each(|i| all[*i] = true);
        }
    };
    visit_contacts(sim, sim.contacts().iter(), &mut spread);
    visit_joints(sim, &mut spread);
    spread_over_joints(sim, &mut all);
    all
}

/// Pairs of dynamic links that a constraint joint holds together.
fn joined_pairs<'a>(sim: Sim<'a>) -> impl Iterator<Item = [LinkId; 2]> + use<'a> {
    let joints = sim.unbroken_joints().filter(|(_, j)| j.holds_frames());
    joints.filter_map(move |(_, j)| match j.links {
        [Some(a), Some(b)] if sim.model.is_dynamic(a) && sim.model.is_dynamic(b) => Some([a, b]),
        _ => None,
    })
}

/// Links that joints hold together.
pub(super) fn joint_sets(sim: Sim) -> LinkSets {
    let mut sets = LinkSets::new(sim);
    joined_pairs(sim).for_each(|[a, b]| sets.union(a, b));
    sets
}

/// Gives all links that joints hold together the greatest value of any of them.
pub(super) fn spread_over_joints<T: Copy + PartialOrd>(sim: Sim, values: &mut PerLink<T>) {
    if sim.model.joints().is_empty() {
        return;
    }
    let mut sets = joint_sets(sim);
    let mut most = values.clone();
    for (i, value) in values.iter_enumerated() {
        let first = sets.find(i);
        if *value > most[first] {
            most[first] = *value;
        }
    }
    values.iter_mut_enumerated().for_each(|(i, value)| *value = most[sets.find(i)]);
}

/// Whether any joint or spring holds each link.
pub(super) fn is_joined(sim: Sim) -> PerLink<bool> {
    let mut joined = sim.model.per_link(false);
    sim.unbroken_joints().for_each(|(_, j)| j.links.iter().flatten().for_each(|i| joined[*i] = true));
    joined
}

/// Number of constraint joints at each link.
pub(super) fn joint_counts(sim: Sim) -> PerLink<usize> {
    let mut counts = sim.model.per_link(0);
    let joints = sim.unbroken_joints().filter(|(_, j)| j.holds_frames());
    joints.flat_map(|(_, j)| j.links).flatten().for_each(|i| counts[i] += 1);
    counts
}
