//! Derived data: contacts and candidate pairs, kept because they are costly to compute.

use super::contact::{Contact, LayerPair};
use super::pair_cache::PairCache;
use crate::contact::Separation;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{self, AtomicBool};

/// Kept gaps for each body before all are forgotten. Fewer: more searches. More: bodies that were near once take memory.
const SEPARATIONS_PER_BODY: usize = 32;

/// Contacts and candidate pairs: functions of model and state. Kept gaps save searches; no contact depends on them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Derived {
    /// Contacts, in the order of pairs.
    pub contacts: Vec<Contact>,
    /// Candidate pairs of the broad phase.
    pub pairs: PairCache,
    /// Contacts between fixed bodies, found once.
    pub(super) fixed: Option<Vec<Contact>>,
    /// Pairs of layers proved apart by a search, the last few of each body.
    pub(super) separations: BTreeMap<LayerPair, Separation>,
    /// Flag that ends a search early; its contacts must not be used.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl Derived {
    /// Whether the step is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(|c| c.load(atomic::Ordering::Relaxed))
    }

    /// Keeps gaps that were proved, of a world of `bodies`; beyond some number all are forgotten.
    pub fn keep_separations(&mut self, bodies: usize, new: impl IntoIterator<Item = (LayerPair, Separation)>) {
        if self.separations.len() > SEPARATIONS_PER_BODY * (bodies + 1) {
            self.separations.clear();
        }
        self.separations.extend(new);
    }

    /// The gap proved between the layers of a pair.
    pub fn separation(&self, pair: &LayerPair) -> Option<Separation> {
        self.separations.get(pair).copied()
    }

    /// Contacts of `pair`; `contacts` are in order.
    pub fn contacts_between<'c>(contacts: &'c [Contact], pair: &LayerPair) -> &'c [Contact] {
        let start = contacts.partition_point(|c| c.pair < *pair);
        let count = contacts[start..].partition_point(|c| c.pair == *pair);
        &contacts[start..start + count]
    }

    /// Whether bodies `i < j` are in contact; `contacts` are in order.
    pub fn touch(contacts: &[Contact], (i, j): (usize, usize)) -> bool {
        let first = contacts.partition_point(|c| c.pair.bodies() < (i, j));
        contacts.get(first).is_some_and(|c| c.pair.bodies() == (i, j))
    }
}
