//! A contact between two layers, and the names of pairs.

use crate::contact::{ContactForces, Patch, WarmStart};
use std::cmp::Ordering;
use std::sync::Arc;

/// Two layers of two bodies: indices of bodies, and of their layers. The first body has the smaller index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerPair {
    /// One body and its layer.
    pub a: (usize, usize),
    /// The other.
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
    /// Forces on a; b takes the opposite.
    pub forces: ContactForces,
}

/// Where the next search for a patch of a pair begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairSeed {
    /// Layers in contact.
    pub pair: LayerPair,
    /// Place and quadrature rule of the last patch.
    pub start: WarmStart,
}
