//! One patch of bodies of many elements: set up with only the elements near it.
//!
//! *The idea*: a patch is set up by hundreds of samples in a small box. Of many elements those that reach it are culled once,
//! and the patch is kept if it lies within. *Not promised*: that a guessed box holds the patch; then all elements are asked.

use crate::contact::frame::ContactFrame;
use crate::contact::pair::Pair;
use crate::contact::patch::Patch;
use crate::contact::persistent_chart::{ChordFamily, PersistentChart};
use crate::contact::quadrature::covered_patch::CoveredPatch;
use crate::contact::quality::Quality;
use crate::math::{Aabb, DVec3, Frame};

/// Elements of a side from which they are culled. Fewer: culling costs more than it saves.
const MANY: usize = 8;

/// Half the box around a seed, in widths of a patch of a ball this thick and as deep.
const WIDTHS: f64 = 1.5;

/// Room around a reused chart, as a fraction of its size. Smaller: patches that grow are integrated twice.
const ROOM: f64 = 0.4;

/// Room that must be left around a patch, as a fraction of its size.
const MIN_ROOM: f64 = 0.05;

/// Sets up one patch with only the elements near it.
pub(super) struct LocalCulling<'f, 'a> {
    pub pair: &'f Pair<'a>,
    pub frame: &'f ContactFrame<'a>,
    pub quality: &'f Quality,
}

impl LocalCulling<'_, '_> {
    /// The patch around `seed`: see [`CoveredPatch::from_seed`].
    pub fn patch_around(&self, seed: DVec3, level: Option<usize>) -> Option<CoveredPatch> {
        let set_up = |frame: &ContactFrame| CoveredPatch::from_seed(frame, self.quality, seed, level);
        self.within(|| Aabb::around(seed, self.extent_estimate(seed)), set_up)
    }

    /// The patch on chords of the last query, which have moved with both bodies: see [`CoveredPatch::from_chart`].
    pub fn reused(&self, chart: &PersistentChart, here_from_chart: &Frame) -> Option<CoveredPatch> {
        let set_up = |frame: &ContactFrame| CoveredPatch::from_chart(frame, self.quality, chart, here_from_chart);
        self.within(|| chart_box(chart).moved(here_from_chart), set_up)
    }

    /// Result of `set_up` with the elements around a box, if it lies in the box; else with all elements.
    fn within(
        &self,
        around: impl FnOnce() -> Aabb,
        set_up: impl Fn(&ContactFrame) -> Option<CoveredPatch>,
    ) -> Option<CoveredPatch> {
        if self.frame.element_count() > MANY {
            let around = around();
            let close = self.frame.culled(self.pair, &around);
            if close.element_count() < self.frame.element_count()
                && let Some(found) = set_up(&close)
                && lies_in(&found.patch, &around)
            {
                return Some(found);
            }
        }
        set_up(self.frame)
    }

    /// Upper estimate of the extent of a patch from `seed`, metres.
    fn extent_estimate(&self, seed: DVec3) -> f64 {
        let (probe, kind, thickness) = (self.frame.probe(seed), self.frame.kind, self.frame.thickness);
        let overlap = probe.contact_pressures(kind).0 / probe.pressure_slope(kind);
        // A seed near the border tells little of the depth.
        (WIDTHS * 2.0 * (2.0 * overlap.max(0.0) * thickness).sqrt()).max(2.0 * thickness)
    }
}

/// Whether a patch lies in a box, with room around it.
fn lies_in(patch: &Patch, around: &Aabb) -> bool {
    let bounds = Aabb::of_points(patch.points.iter().map(|p| p.position).chain(patch.border.iter().copied()));
    let bounds = bounds.grown(MIN_ROOM * bounds.size().max_element());
    around.contains(bounds.min) && around.contains(bounds.max)
}

/// A box around the patch of a chart, in the chart's frame.
fn chart_box(chart: &PersistentChart) -> Aabb {
    let [low, high] = chart.middle;
    let flat = match chart.family {
        ChordFamily::Parallel | ChordFamily::Lines => {
            let ends = chart.ends.map(|[s, t]| DVec3::new(s, t, 0.0));
            let middle = [low, high].map(|s| DVec3::new(s, chart.ends[0][1], 0.0));
            Aabb::of_points(ends.into_iter().chain(middle))
        }
        ChordFamily::Rays => Aabb::of_points([DVec3::new(-high, -high, 0.0), DVec3::new(high, high, 0.0)]),
    };
    flat.grown(ROOM * flat.size().max_element())
}
