//! A contact between two layers, and the indices of pairs.

use crate::contact::{ContactForces, Patch, WarmStart};
use std::cmp::Ordering;
use std::sync::Arc;

/// Two layers of two bodies, each as index of the body and index of its layer. The body of `a` has the smaller index.
///
/// Indices are those of [`World::bodies`](crate::World::bodies) now; adding or removing bodies renumbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerPair {
    /// Body and layer of side a.
    pub a: (usize, usize),
    /// Body and layer of side b.
    pub b: (usize, usize),
}

/// By bodies, then by layers.
impl Ord for LayerPair {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |p: &Self| (p.a.0, p.b.0, p.a.1, p.b.1);
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairSeed {
    /// Layers in contact.
    pub pair: LayerPair,
    /// Position and quadrature rule of the last patch.
    pub start: WarmStart,
}
