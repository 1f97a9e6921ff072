//! A patch and its coverage, the part of space in which every overlap belongs to it, for chords and polar rules.

use super::chords::{self, ChordCoverage};
use super::coverage::PolarCoverage;
use super::polar::PolarPatch;
use crate::contact::boxes::Region;
use crate::contact::frame::ContactFrame;
use crate::contact::patch::Patch;
use crate::contact::persistent_chart::PersistentChart;
use crate::contact::quality::Quality;
use crate::math::{Aabb, Cell, DVec3, Frame};

/// A patch around a seed, and its coverage.
pub(in crate::contact) struct CoveredPatch {
    pub patch: Patch,
    coverage: Coverage,
}

enum Coverage {
    Polar(PolarCoverage),
    Chords(ChordCoverage),
}

impl CoveredPatch {
    /// The patch around `seed`, a point of the contact surface: along chords where the quality allows, else by a polar rule.
    /// `level` is a polar rule known to be fine enough.
    pub fn from_seed(frame: &ContactFrame, quality: &Quality, seed: DVec3, level: Option<usize>) -> Option<Self> {
        if quality.allows_chords()
            && let Some((patch, coverage)) = chords::from_seed(frame, quality, seed)
        {
            return Some(Self { patch, coverage: Coverage::Chords(coverage) });
        }
        let PolarPatch { patch, coverage } = PolarPatch::from_seed(frame, quality, seed, level)?;
        Some(Self { patch, coverage: Coverage::Polar(coverage) })
    }

    /// The patch along the chords of `chart`, now at `here_from_chart`. `None`: the patch needs a new search.
    pub fn from_chart(
        frame: &ContactFrame,
        quality: &Quality,
        chart: &PersistentChart,
        here_from_chart: &Frame,
    ) -> Option<Self> {
        let (patch, coverage) = chords::from_chart(frame, quality, chart, here_from_chart)?;
        Some(Self { patch, coverage: Coverage::Chords(coverage) })
    }

    /// Whether any overlap in `cell` belongs to this patch: it lies inside the border, or is small and near it.
    pub fn covers(&self, cell: &Cell) -> bool {
        match &self.coverage {
            Coverage::Polar(polar) => polar.covers(cell),
            Coverage::Chords(chords) => chords.covers(cell),
        }
    }

    /// Whether an overlap at `p` cannot belong to this patch: `p` lies clearly outside its border.
    pub fn is_outside(&self, p: DVec3) -> bool {
        match &self.coverage {
            Coverage::Polar(polar) => polar.is_outside(p),
            Coverage::Chords(chords) => chords.is_outside(p),
        }
    }

    /// A box that holds the middle of every cell that this patch covers, and every point that is not beyond it.
    pub fn bounds(&self) -> Aabb {
        match &self.coverage {
            Coverage::Polar(polar) => polar.bounds(),
            Coverage::Chords(chords) => chords.bounds(),
        }
    }

    /// A box around the middle that is covered.
    pub fn covered_box(&self) -> Option<Aabb> {
        match &self.coverage {
            Coverage::Polar(polar) => polar.covered_box(),
            Coverage::Chords(chords) => chords.covered_box(),
        }
    }

    /// Whether a convex overlap must lie within this border or near it.
    pub fn contains_convex_overlap(&self) -> bool {
        match &self.coverage {
            Coverage::Polar(polar) => polar.contains_convex_overlap(),
            Coverage::Chords(chords) => chords.contains_convex_overlap(),
        }
    }

    /// Axis of its chart, unit: into a.
    pub fn axis(&self) -> DVec3 {
        match &self.coverage {
            Coverage::Polar(polar) => polar.axis(),
            Coverage::Chords(chords) => chords.axis(),
        }
    }

    /// The direction across the axis in which the patch is longest.
    pub fn long_direction(&self) -> DVec3 {
        match &self.coverage {
            Coverage::Polar(polar) => polar.long_direction(),
            Coverage::Chords(chords) => chords.long_direction(),
        }
    }

    /// Cells around the patch, enlarged by `margin` of its width, in a frame aligned with it.
    pub fn region(&self, there_from_here: &Frame, margin: f64, quality: &Quality) -> Region {
        let points = self.patch.points.iter().map(|p| p.position).chain(self.patch.border.iter().copied());
        let bounds = Aabb::of_points(points.map(|p| there_from_here.point(p)));
        let size = bounds.size();
        let width = size.truncate().max_element();
        let margin = DVec3::new(margin * width, margin * width, 2.0 * self.patch.overlap + 2.5 * margin * width);
        let bounds = Aabb { min: bounds.min - margin, max: bounds.max + 1.01 * margin };
        let counts = (quality.cells_across as f64 * size / width).ceil().max(DVec3::ONE).min(DVec3::splat(64.0));
        let edge = bounds.size() / counts.with_z(1.0);
        let mut cells = Vec::new();
        for i in 0..counts.x as usize {
            for j in 0..counts.y as usize {
                let min = bounds.min + edge * DVec3::new(i as f64, j as f64, 0.0);
                cells.push(Aabb { min, max: min + edge });
            }
        }
        Region { cells, cell_size: edge.truncate().max_element() }
    }
}
