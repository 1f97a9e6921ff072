//! A contact between two layers, and the indices of pairs.

use crate::contact::{ContactForces, Patch, WarmStart};
use std::cmp::Ordering;
use std::sync::Arc;

/// A layer of a body, by indices. Those of bodies are of [`World::bodies`](crate::World::bodies) now: adding or removing
/// bodies renumbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerIndex {
    /// Index of the body.
    pub body: usize,
    /// Index of the layer in the body's coat; 0 is the skin.
    pub layer: usize,
}

impl LayerIndex {
    /// The skin of a body.
    pub fn skin(body: usize) -> Self {
        Self { body, layer: 0 }
    }
}

/// Layers of two bodies. The body of `a` has the smaller index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerPair {
    /// Side a.
    pub a: LayerIndex,
    /// Side b.
    pub b: LayerIndex,
}

impl LayerPair {
    /// Skins of bodies `i < j`.
    pub(crate) fn skins(i: usize, j: usize) -> Self {
        Self { a: LayerIndex::skin(i), b: LayerIndex::skin(j) }
    }

    /// Indices of both bodies.
    pub fn bodies(&self) -> (usize, usize) {
        (self.a.body, self.b.body)
    }
}

/// By bodies, then by layers.
impl Ord for LayerPair {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |p: &Self| (p.a.body, p.b.body, p.a.layer, p.b.layer);
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for LayerPair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A patch between two bodies and its forces.
#[derive(Clone, Debug)]
pub struct Contact {
    /// Layers in contact.
    pub pair: LayerPair,
    /// Contact surface and pressure.
    pub patch: Arc<Patch>,
    /// Forces on a; those on b are opposite.
    pub forces: ContactForces,
}

/// Warm start of the next search for a patch of a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct PairWarmStart {
    /// Layers in contact.
    pub pair: LayerPair,
    /// Position and quadrature rule of the last patch.
    pub start: WarmStart,
}
