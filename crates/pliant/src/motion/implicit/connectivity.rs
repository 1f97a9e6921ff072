//! Which links are connected, by contacts and joints.

use crate::math::UnionFind;
use crate::state::Sim;

/// For every active dynamic link that touches or joins something: one link of its island.
pub(super) fn groups(sim: Sim, active: &[bool]) -> Vec<Option<usize>> {
    let count = sim.model.link_count();
    let joins = |i: usize| active[i] && sim.model.is_dynamic(i);
    let mut sets = UnionFind::new(count);
    let mut touched = vec![false; count];
    for c in sim.contacts() {
        let [a, b] = sim.links_of(&c.pair);
        (touched[a], touched[b]) = (true, true);
        if joins(a) && joins(b) {
            sets.union(a, b);
        }
    }
    for (_, joint) in sim.standing_joints() {
        joint.links.iter().flatten().for_each(|i| touched[*i] = true);
        if let [Some(a), Some(b)] = joint.links
            && joins(a)
            && joins(b)
        {
            sets.union(a, b);
        }
    }
    (0..count).map(|i| (touched[i] && joins(i)).then(|| sets.find(i))).collect()
}

/// These links, and all dynamic ones they touch or are joined to.
pub(super) fn with_neighbours(sim: Sim, some: &[bool]) -> Vec<bool> {
    let mut all = some.to_vec();
    for c in sim.contacts() {
        let [a, b] = sim.links_of(&c.pair);
        all[a] |= some[b] && sim.model.is_dynamic(a);
        all[b] |= some[a] && sim.model.is_dynamic(b);
    }
    for [a, b] in joined_pairs(sim, true) {
        all[a] |= some[b];
        all[b] |= some[a];
    }
    spread_over_joints(sim, &mut all);
    all
}

/// Pairs of dynamic links that a joint holds together; with `springs` or by frames alone.
fn joined_pairs<'a>(sim: Sim<'a>, springs: bool) -> impl Iterator<Item = [usize; 2]> + use<'a> {
    let joints = sim.standing_joints().filter(move |(_, j)| springs || j.holds_frames());
    joints.filter_map(move |(_, j)| match j.links {
        [Some(a), Some(b)] if sim.model.is_dynamic(a) && sim.model.is_dynamic(b) => Some([a, b]),
        _ => None,
    })
}

/// Links that joints hold together.
pub(super) fn joint_sets(sim: Sim) -> UnionFind {
    let mut sets = UnionFind::new(sim.model.link_count());
    joined_pairs(sim, false).for_each(|[a, b]| sets.union(a, b));
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

/// Of each link, whether any joint or spring holds it.
pub(super) fn is_joined(sim: Sim) -> Vec<bool> {
    let mut joined = vec![false; sim.model.link_count()];
    sim.standing_joints().for_each(|(_, j)| j.links.iter().flatten().for_each(|i| joined[*i] = true));
    joined
}

/// Number of frame joints at each link.
pub(super) fn joint_counts(sim: Sim) -> Vec<usize> {
    let mut counts = vec![0; sim.model.link_count()];
    let joints = sim.standing_joints().filter(|(_, j)| j.holds_frames());
    joints.flat_map(|(_, j)| j.links).flatten().for_each(|i| counts[i] += 1);
    counts
}
