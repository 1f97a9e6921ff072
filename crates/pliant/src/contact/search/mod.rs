//! Search for patches: where two bodies overlap, with proof that nothing else does.
//!
//! *The idea*: a seed (from the last step, or by ascent) becomes a polar patch; cells outside it are bisected until each is
//! covered by a patch or proved empty by bounds; an uncovered overlap becomes another seed. Overlaps that no polar
//! patch covers whole are gathered into regions of cells and integrated adaptively.
//!
//! | file | holds |
//! |---|---|
//! | `find` | the driver: `Patch::find`, `Patch::find_warm` |
//! | `local_culling` | one patch of bodies of many elements, with those around it |
//! | `uncovered` | an overlap that no patch covers, or the proof that there is none |
//! | `orientation` | the frame in which several reused patches are looked at |
//! | `patch_set` | patches found so far, by place |
//! | `regions` | connected cells that may hold an overlap, and how they lie |
//! | `branches` | whether two points belong to one patch; whether there is another branch behind one |
//!
//! *What we changed*: [G93] and [CD97] sample surfaces; here bounds decide that there is no contact. *Not promised*: a patch
//! narrower than [`Patch::resolved_to`](super::Patch::resolved_to) beside a found one; the value says how narrow.
//!
//! [G93]: crate#papers
//! [CD97]: crate#papers

mod local_culling;
#[cfg(test)]
mod deep;
mod find;
#[cfg(test)]
mod many_patches;
mod orientation;
mod patch_set;
pub(super) mod proximity;
pub(super) mod regions;
mod branches;
#[cfg(test)]
mod tests;
pub(super) mod uncovered;
