//! Derived data: contacts and candidate pairs, kept because they are costly to compute.

use super::contact::{Contact, LayerPair};
use super::pair_cache::PairCache;
use std::sync::Arc;
use std::sync::atomic::{self, AtomicBool};

/// Functions of model and state that are costly: contacts and candidate pairs.
#[derive(Clone, Debug, Default)]
pub struct Derived {
    /// In the order of pairs.
    pub contacts: Vec<Contact>,
    pub(crate) pairs: PairCache,
    /// Contacts between fixed bodies: found once.
    pub(super) fixed: Option<Vec<Contact>>,
    /// Searches for patches so far.
    pub(crate) searches: u64,
    /// Ends a search early, with contacts that must not be used.
    pub(crate) cancel: Option<Arc<AtomicBool>>,
}

impl Derived {
    /// Whether a step is to be abandoned.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(|c| c.load(atomic::Ordering::Relaxed))
    }

    /// Those of `contacts`, which are in order, that are of `pair`.
    pub(crate) fn between<'c>(contacts: &'c [Contact], pair: &LayerPair) -> &'c [Contact] {
        let start = contacts.partition_point(|c| c.pair < *pair);
        let count = contacts[start..].partition_point(|c| c.pair == *pair);
        &contacts[start..start + count]
    }

    /// Whether one of `contacts`, which are in order, is between bodies `i` and `j`, `i < j`.
    pub(crate) fn touch(contacts: &[Contact], (i, j): (usize, usize)) -> bool {
        let first = contacts.partition_point(|c| (c.pair.a.0, c.pair.b.0) < (i, j));
        contacts.get(first).is_some_and(|c| (c.pair.a.0, c.pair.b.0) == (i, j))
    }
}
