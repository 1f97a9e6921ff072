//! Patches found so far, by place: a cell asks only those around it.

use crate::contact::quadrature::covered_patch::CoveredPatch;
use crate::math::{Aabb, Cell, DVec3};

/// Patches of a pair, in the order found.
#[derive(Default)]
pub(in crate::contact) struct PatchSet {
    all: Vec<CoveredPatch>,
    /// See [`CoveredPatch::bounds`].
    boxes: Vec<Aabb>,
}

/// The patches around a box, of those that a set had at some time; those added since are asked as well.
#[derive(Default)]
pub(super) struct PatchesNear {
    numbers: Vec<u32>,
    /// Patches that the set had.
    of: usize,
}

impl PatchesNear {
    /// Number of patches around the box.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }
}

impl PatchSet {
    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn iter(&self) -> std::slice::Iter<'_, CoveredPatch> {
        self.all.iter()
    }

    pub fn into_patches(self) -> Vec<CoveredPatch> {
        self.all
    }

    pub fn push(&mut self, patch: CoveredPatch) {
        self.boxes.push(patch.bounds());
        self.all.push(patch);
    }

    /// Patches of `near`, and patches added since, whose boxes meet `around`.
    pub(super) fn patches_near(&self, near: &PatchesNear, around: &Aabb) -> PatchesNear {
        let meets = |i: &u32| self.boxes[*i as usize].overlaps(around);
        PatchesNear { numbers: self.candidates(near).filter(meets).collect(), of: self.all.len() }
    }

    fn candidates<'s>(&self, near: &'s PatchesNear) -> impl Iterator<Item = u32> + 's {
        near.numbers.iter().copied().chain(near.of as u32..self.all.len() as u32)
    }

    /// Whether `is` holds for a patch of `near` whose box contains `p`.
    fn any_at(&self, near: &PatchesNear, p: DVec3, is: impl Fn(&CoveredPatch) -> bool) -> bool {
        self.candidates(near).any(|i| self.boxes[i as usize].contains(p) && is(&self.all[i as usize]))
    }

    /// Whether any overlap in `cell` belongs to a patch of `near`.
    pub(super) fn covers(&self, near: &PatchesNear, cell: &Aabb) -> bool {
        let here = Cell::from(*cell);
        self.any_at(near, here.center, |p| p.covers(&here))
    }

    /// Whether an overlap at `p` cannot belong to any patch of `near`.
    pub(super) fn all_beyond(&self, near: &PatchesNear, p: DVec3) -> bool {
        !self.any_at(near, p, |patch| !patch.is_outside(p))
    }

    /// Whether `cell` is known to overlap, for the middle of a patch of `near` lies in it.
    pub(super) fn has_middle_in(&self, near: &PatchesNear, cell: &Aabb) -> bool {
        self.candidates(near).any(|i| cell.contains(self.all[i as usize].patch.reference))
    }

    /// Patches whose boxes meet that of `patch`.
    pub fn patches_around<'s>(&'s self, patch: &CoveredPatch) -> impl Iterator<Item = &'s CoveredPatch> {
        let bounds = patch.bounds();
        self.boxes.iter().zip(&self.all).filter(move |(b, _)| b.overlaps(&bounds)).map(|(_, p)| p)
    }
}
