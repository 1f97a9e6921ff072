//! Connectivity: links that contacts and joints couple.

use crate::math::UnionFind;
use crate::state::{Contact, Sim};

/// Visits the links of every contact, however many one has.
#[inline(always)]
pub(super) fn visit_contacts<'c>(sim: Sim, contacts: impl Iterator<Item = &'c Contact>, mut f: impl FnMut(&[usize])) {
    contacts.for_each(|c| f(&sim.links_of(&c.pair)));
}

/// Visits the links of every standing joint.
pub(super) fn visit_joints(sim: Sim, mut f: impl FnMut(&[usize])) {
    for (_, joint) in sim.unbroken_joints() {
        match joint.links {
            [Some(a), Some(b)] => f(&[a, b]),
            [a, b] => a.or(b).iter().for_each(|i| f(&[*i])),
        }
    }
}

/// For every active dynamic link that touches or joins something: one link of its island.
pub(super) fn groups(sim: Sim, active: &[bool]) -> Vec<Option<usize>> {
    let count = sim.model.link_count();
    let joins = |i: usize| active[i] && sim.model.is_dynamic(i);
    let mut sets = UnionFind::new(count);
    let mut touched = vec![false; count];
    let mut couple = |links: &[usize]| {
        links.iter().for_each(|i| touched[*i] = true);
        let mut joining = links.iter().filter(|i| joins(**i));
        if let Some(first) = joining.next() {
            joining.for_each(|other| sets.union(*first, *other));
        }
    };
    visit_contacts(sim, sim.contacts().iter(), &mut couple);
    visit_joints(sim, &mut couple);
    (0..count).map(|i| (touched[i] && joins(i)).then(|| sets.find(i))).collect()
}

/// These links, and all dynamic ones they touch or are joined to.
pub(super) fn with_neighbours(sim: Sim, some: &[bool]) -> Vec<bool> {
    let mut all = some.to_vec();
    let mut spread = |links: &[usize]| {
        if links.iter().any(|i| some[*i]) {
            links.iter().filter(|i| sim.model.is_dynamic(**i)).for_each(|i| all[*i] = true);
        }
    };
    visit_contacts(sim, sim.contacts().iter(), &mut spread);
    visit_joints(sim, &mut spread);
    spread_over_joints(sim, &mut all);
    all
}

/// Pairs of dynamic links that a frame joint holds together.
fn joined_pairs<'a>(sim: Sim<'a>) -> impl Iterator<Item = [usize; 2]> + use<'a> {
    let joints = sim.unbroken_joints().filter(|(_, j)| j.holds_frames());
    joints.filter_map(move |(_, j)| match j.links {
        [Some(a), Some(b)] if sim.model.is_dynamic(a) && sim.model.is_dynamic(b) => Some([a, b]),
        _ => None,
    })
}

/// Links that joints hold together.
pub(super) fn joint_sets(sim: Sim) -> UnionFind {
    let mut sets = UnionFind::new(sim.model.link_count());
    joined_pairs(sim).for_each(|[a, b]| sets.union(a, b));
    sets
}

/// Gives all links that joints hold together the greatest value of any of them.
pub(super) fn spread_over_joints<T: Copy + PartialOrd>(sim: Sim, values: &mut [T]) {
    if sim.model.joints().is_empty() {
        return;
    }
    let mut sets = joint_sets(sim);
    let mut most = values.to_vec();
    for (i, value) in values.iter().enumerate() {
        let first = sets.find(i);
        if *value > most[first] {
            most[first] = *value;
        }
    }
    values.iter_mut().enumerate().for_each(|(i, value)| *value = most[sets.find(i)]);
}

/// Whether any joint or spring holds each link.
pub(super) fn is_joined(sim: Sim) -> Vec<bool> {
    let mut joined = vec![false; sim.model.link_count()];
    sim.unbroken_joints().for_each(|(_, j)| j.links.iter().flatten().for_each(|i| joined[*i] = true));
    joined
}

/// Number of frame joints at each link.
pub(super) fn joint_counts(sim: Sim) -> Vec<usize> {
    let mut counts = vec![0; sim.model.link_count()];
    let joints = sim.unbroken_joints().filter(|(_, j)| j.holds_frames());
    joints.flat_map(|(_, j)| j.links).flatten().for_each(|i| counts[i] += 1);
    counts
}
