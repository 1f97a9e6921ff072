//! Contacts of a pair before and after a step, side by side.

use crate::contact::Patch;
use crate::state::{Contact, LayerPair};

/// Contacts of one pair, of which there is at least one.
#[derive(Clone, Copy)]
pub(super) struct PairChange<'c> {
    pub pair: LayerPair,
    pub before: &'c [Contact],
    pub now: &'c [Contact],
}

/// The pairs of two lists of contacts, in order; both lists are in the order of pairs.
pub(super) fn pair_changes<'c>(
    mut before: &'c [Contact],
    mut now: &'c [Contact],
) -> impl Iterator<Item = PairChange<'c>> {
    std::iter::from_fn(move || {
        let pair = match (before.first(), now.first()) {
            (Some(p), Some(q)) => p.pair.min(q.pair),
            (p, q) => p.or(q)?.pair,
        };
        Some(PairChange { pair, before: take_pair(&mut before, pair), now: take_pair(&mut now, pair) })
    })
}

/// Takes the contacts of `pair`, if they come first, off `contacts`.
fn take_pair<'c>(contacts: &mut &'c [Contact], pair: LayerPair) -> &'c [Contact] {
    let count = contacts.iter().take_while(|c| c.pair == pair).count();
    let (own, others) = contacts.split_at(count);
    *contacts = others;
    own
}

/// The patch with the greatest load.
pub(super) fn most_loaded(contacts: &[Contact]) -> Option<&Patch> {
    let most_loaded = contacts.iter().max_by(|p, q| p.patch.load.total_cmp(&q.patch.load));
    most_loaded.map(|c| &*c.patch)
}
