//! The search driver: from a pair to its patches.

use super::branches::{has_branch_behind, on_one_branch};
use super::local_culling::LocalCulling;
use super::orientation::frame_across;
use super::patch_set::PatchSet;
use super::proximity::{Proximity, proximity};
use super::regions::{Orientation, orientation, regions};
use super::uncovered::OverlapSearch;
use crate::contact::ascent::onto_surface;
use crate::contact::boxes::{Region, bisect};
use crate::contact::depth::SHALLOW;
use crate::contact::frame::{AllowedMotion, ContactFrame, Gap};
use crate::contact::pair::Pair;
use crate::contact::patch::{FoundPatches, Patch, WarmStart};
use crate::contact::persistent_chart::PersistentChart;
use crate::contact::quadrature::covered_patch::CoveredPatch;
use crate::contact::quadrature::{axisymmetric, cells, cells::WorkBudget};
use crate::contact::quality::Quality;
use crate::math::{Aabb, DVec3, Frame};
use std::cell::Cell;

/// Least tolerance of adaptive cells. Smaller: creases of the kernels cost more points than they gain digits.
const CELL_TOLERANCE: f64 = 1e-7;

/// Margins around a polar patch, as fractions of its width, within which adaptive cells may find more of it; only the
/// first beside other patches, which would be counted again.
const MARGINS: [f64; 3] = [0.1, 0.5, 2.0];

/// Cells across a region at most where the work of a query is bounded.
const BOUNDED_ACROSS: usize = 4;

/// Samples of overlaps that reach no skeleton against [`Quality::max_samples`]. Their surfaces have no hairpins, so
/// that few need them. Fewer: light touches of faces and edges are inexact. More: such touches take long.
const FOR_SHALLOW: u32 = 5;

/// Motion that a proof allows for at most, as a fraction of the thickness. Smaller: proofs are made again sooner.
/// Larger: they take more cells.
const ALLOWED_THICKNESS: f64 = 0.03;

/// Distance from the patch, as a fraction of the thickness, at which proofs allow for twice the motion, by a turn. Smaller:
/// more cells far from the patch. Larger: bodies that turn are proved apart again sooner.
const ALLOWED_RADIUS: f64 = 2.0;

/// A point to begin with, in the contact frame.
struct Seed {
    point: DVec3,
    /// Level of the polar rule to begin with.
    level: Option<usize>,
}

impl Patch {
    /// Every patch of `pair`, ordered by place.
    pub fn find(pair: &Pair, quality: &Quality) -> Vec<Self> {
        Self::find_warm(pair, quality, &[]).patches
    }

    /// [`Patch::find`] from the last step's patches. The answer depends on `warm` only within the tolerance asked for.
    pub fn find_warm(pair: &Pair, quality: &Quality, warm: &[WarmStart]) -> FoundPatches {
        if let Some(found) = axisymmetric::find(pair, quality) {
            return found;
        }
        let search = Search { pair, quality, samples: Cell::new(0) };
        search.with_charts(warm).unwrap_or_else(|| search.run(warm))
    }
}

/// A search between the two sides of a pair.
struct Search<'a> {
    pair: &'a Pair<'a>,
    quality: &'a Quality,
    /// Samples taken by adaptive cells so far.
    samples: Cell<u32>,
}

impl<'a> Search<'a> {
    /// The patches of before along the chords of the last query, which have moved with both bodies. `None`: they are to
    /// be found anew.
    fn with_charts(&self, warm: &[WarmStart]) -> Option<FoundPatches> {
        if warm.is_empty() || !self.quality.allows_chords() {
            return None;
        }
        let world_from_body = [self.pair.a.field.world_from_body, self.pair.b.field.world_from_body];
        let charts = warm.iter().map(|w| w.chart.as_deref()).collect::<Option<Vec<_>>>()?;
        let charts: Vec<_> = charts.into_iter().map(|c| (c, c.world_from_chart(world_from_body))).collect();
        let allowed_motion = if charts.len() == 1 { self.allowed_motion() } else { AllowedMotion::NONE };
        let mut frame = ContactFrame::unshrunk(self.pair, frame_across(self.pair, &charts), allowed_motion).ok()?;
        let contact_from_world = frame.world_from_contact.inverse();
        let (mut patches, many) = (PatchSet::default(), charts.len() > 1);
        let mut all_reused = true;
        for (chart, world_from_chart) in &charts {
            let here_from_chart = contact_from_world * *world_from_chart;
            let shallow = |p: &CoveredPatch| p.patch.overlap < SHALLOW * frame.thickness;
            let new =
                LocalCulling { pair: self.pair, frame: &frame, quality: self.quality }.reused(chart, &here_from_chart);
            match new.filter(|new| shallow(new) && patches.patches_around(new).all(|p| are_apart(p, new))) {
                Some(new) => patches.push(new),
                // One of many is left to the search below.
                None if many => all_reused = false,
                None => return None,
            }
        }
        if patches.len() == 0 {
            return None;
        }
        let mut undecided = 0.0;
        let first_holds = || patches.iter().next().is_some_and(CoveredPatch::contains_convex_overlap);
        // Of a patch that has lost a lobe, the lobe was covered when that was proved.
        let next = patches.iter().next().and_then(|p| p.patch.chart.as_deref());
        let before = charts[0].0;
        let mut left = before.allowed_motion - before.motion_since(world_from_body, allowed_motion.radius);
        let is_kept = |next: &PersistentChart| left > 0.0 && before.keeps_extents(next);
        let keeps_proof = allowed_motion.shift > 0.0 && next.is_some_and(is_kept);
        let is_proved = all_reused && (keeps_proof || frame.convex && !many && first_holds());
        if !is_proved {
            frame = frame.shrunk(self.pair).ok()?;
            let mut search = OverlapSearch::new(self.pair, &frame, self.quality, &patches);
            while let Some(p) = search.next_uncovered(&patches) {
                let point = onto_surface(&frame, p, frame.thickness)?;
                if !self.add_patch(&frame, &mut patches, Seed { point, level: None }) {
                    return None;
                }
            }
            undecided = search.undecided_size();
            left = if patches.len() == 1 { search.allowed_shift(&patches) } else { 0.0 };
        }
        let fine = |p: &CoveredPatch| {
            p.patch.error <= self.quality.acceptable() && p.patch.overlap < SHALLOW * frame.thickness
        };
        if !patches.iter().all(fine) {
            return None;
        }
        let mut patches: Vec<Patch> = patches.into_patches().into_iter().map(|p| p.patch).collect();
        patches.iter_mut().for_each(|p| p.set_proof(undecided, left));
        let evaluations = frame.evaluations();
        let found = FoundPatches { patches, undecided, evaluations, reused_charts: all_reused, gap: 0.0 };
        Some(self.in_world(found, &frame.world_from_contact))
    }

    /// Motion that proofs of a pair with one patch allow for at most: none where no chart could keep them, or where a body moves
    /// in parts.
    fn allowed_motion(&self) -> AllowedMotion {
        let is_rigid = self.pair.a.field.is_rigid() && self.pair.b.field.is_rigid();
        if !self.quality.allows_chords() || !is_rigid {
            return AllowedMotion::NONE;
        }
        let thickness = self.pair.min_thickness();
        AllowedMotion { shift: ALLOWED_THICKNESS * thickness, radius: ALLOWED_RADIUS * thickness }
    }

    fn run(&self, warm: &[WarmStart]) -> FoundPatches {
        let (frame, seeds) = match warm.first() {
            None => match self.first_seed() {
                Ok(start) => start,
                Err(apart) => return apart,
            },
            Some(first) => {
                let Ok(frame) = ContactFrame::near(self.pair, Some(first.center), self.allowed_motion()) else {
                    return FoundPatches::default();
                };
                let contact_from_world = frame.world_from_contact.inverse();
                let seed = |w: &WarmStart| Seed { point: contact_from_world.point(w.center), level: w.level };
                (frame, warm.iter().map(seed).collect())
            }
        };
        let world_from_contact = frame.world_from_contact;
        let found = self.around_seeds(frame, seeds);
        self.in_world(found, &world_from_contact)
    }

    /// A point of the contact surface, and a frame there. Of an overlap whose surface is not found there is no seed: it is
    /// left to regions.
    fn first_seed(&self) -> Result<(ContactFrame<'a>, Vec<Seed>), FoundPatches> {
        match proximity(self.pair, self.quality) {
            Proximity::Apart { gap: Gap(gap), undecided } => Err(FoundPatches { undecided, gap, ..Default::default() }),
            Proximity::Overlap(_, None) => {
                let frame = ContactFrame::near(self.pair, None, self.allowed_motion());
                Ok((frame.map_err(|_| FoundPatches::default())?, Vec::new()))
            }
            Proximity::Overlap(frame, Some(p)) => {
                let place = frame.world_from_contact.point(p);
                let normal = frame.probe(p).surface(frame.kind).1.try_normalize().unwrap_or(DVec3::Z);
                let across = frame.world_from_contact.vector(normal);
                let straight = ContactFrame::new(self.pair, place, across, self.allowed_motion());
                let seed = Seed { point: DVec3::ZERO, level: None };
                Ok((straight.map_err(|_| FoundPatches::default())?, vec![seed]))
            }
        }
    }

    /// Patches of a contact frame in the world, in order.
    fn in_world(&self, mut found: FoundPatches, world_from_contact: &Frame) -> FoundPatches {
        for patch in &mut found.patches {
            patch.transform(world_from_contact);
            patch.overlap = self.pair.overlap_at(patch.deepest);
        }
        // By place, not by history, so that a patch's number means the same every time.
        let key = |p: &Patch| p.reference.to_array();
        found.patches.sort_by(|p, q| key(p).partial_cmp(&key(q)).unwrap_or(std::cmp::Ordering::Equal));
        found
    }

    /// Polar patches from every seed, until it is proved that nothing else overlaps; regions where a polar rule does not do.
    fn around_seeds(&self, mut frame: ContactFrame<'a>, seeds: Vec<Seed>) -> FoundPatches {
        let quality = self.quality;
        let mut polar = PatchSet::default();
        let mut allowed_motion = 0.0;
        for Seed { point, level } in seeds {
            if let Some(point) = onto_surface(&frame, point, frame.thickness) {
                self.add_patch(&frame, &mut polar, Seed { point, level });
            }
        }
        let mut undecided = 0.0;
        // Of convex solids that have not reached each other's skeletons: pressures rise and fall once across the overlap.
        let thickness = frame.thickness;
        let shallow = |p: &CoveredPatch| p.patch.overlap < SHALLOW * thickness;
        let holds = |p: &CoveredPatch| shallow(p) && p.contains_convex_overlap();
        let done = frame.convex && polar.len() == 1 && polar.iter().all(holds);
        if !done && frame.convex {
            let Ok(shrunk) = frame.shrunk(self.pair) else { return FoundPatches::default() };
            frame = shrunk;
        }
        // An uncovered overlap gets a polar patch of its own.
        if !done {
            let mut search = OverlapSearch::new(self.pair, &frame, quality, &polar);
            while let Some(p) = search.next_uncovered(&polar) {
                let onto = onto_surface(&frame, p, frame.thickness);
                if !onto.is_some_and(|point| self.add_patch(&frame, &mut polar, Seed { point, level: None })) {
                    return self.integrate_regions(&frame);
                }
            }
            (undecided, allowed_motion) = (search.undecided_size(), search.allowed_shift(&polar));
            // Motions are measured at the origin of its chart.
            let is_near = |c: &PersistentChart| {
                let here_from_chart = frame.body_from_contact[0].inverse() * c.body_from_chart[0];
                here_from_chart.translation.length() <= frame.allowed_motion.radius
            };
            let kept = |p: &CoveredPatch| p.patch.chart.as_deref().is_some_and(is_near);
            allowed_motion = if polar.len() == 1 && polar.iter().all(kept) { allowed_motion } else { 0.0 };
        }
        // A patch behind another, as deep as that is, counted as covered by it.
        let layered =
            |p: &CoveredPatch| !shallow(p) && has_branch_behind(&frame, p.patch.reference, 2.0 * p.patch.overlap);
        if polar.iter().any(layered) {
            return self.integrate_regions(&frame);
        }
        let load: f64 = polar.iter().map(|p| p.patch.load).sum();
        let settled = |p: &Patch| p.error * p.load <= quality.acceptable().max(CELL_TOLERANCE) * load;
        let margins = if polar.len() == 1 { &MARGINS[..] } else { &MARGINS[..1] };
        let settle = |p: CoveredPatch| {
            if settled(&p.patch) { Some(p.patch) } else { self.integrate_cells(&frame, p, margins) }
        };
        let polar = polar.into_patches();
        let Some(mut patches) = polar.into_iter().map(settle).collect::<Option<Vec<Patch>>>() else {
            return self.integrate_regions(&frame);
        };
        patches.iter_mut().for_each(|p| p.set_proof(undecided, allowed_motion));
        let evaluations = frame.evaluations() + self.samples.get();
        FoundPatches { patches, undecided, evaluations, reused_charts: false, gap: 0.0 }
    }

    /// Adds the polar patch around `seed` to `found`, unless there is none, or it is one of `found` already or a part of it.
    fn add_patch(&self, frame: &ContactFrame<'a>, found: &mut PatchSet, seed: Seed) -> bool {
        let place = LocalCulling { pair: self.pair, frame, quality: self.quality };
        let Some(new) = place.patch_around(seed.point, seed.level) else { return false };
        // Two seeds of one patch give it twice, perhaps from different middles.
        let other =
            |p: &CoveredPatch| are_apart(p, &new) && !on_one_branch(frame, p.patch.reference, new.patch.reference);
        let is_new = found.patches_around(&new).all(other);
        if is_new {
            found.push(new);
        }
        is_new
    }

    /// Adaptive cells over a polar patch that creases of the kernels keep from converging, in a box that reaches one of
    /// some `margins` farther. `None`: the patch extends beyond.
    fn integrate_cells(&self, frame: &ContactFrame, polar: CoveredPatch, margins: &[f64]) -> Option<Patch> {
        let world_from_contact = frame.world_from_contact;
        // Along the mean normal: a patch that curves is then nowhere seen too obliquely.
        let axis = polar.patch.on_a.force.try_normalize().unwrap_or(polar.axis());
        let (place, across) = (world_from_contact.point(polar.patch.reference), world_from_contact.vector(axis));
        let long = world_from_contact.vector(polar.long_direction());
        let Ok(straight) = ContactFrame::aligned(self.pair, place, across, long) else { return Some(polar.patch) };
        let there_from_here = straight.world_from_contact.inverse() * world_from_contact;
        let deep = polar.patch.overlap >= SHALLOW * frame.thickness;
        for margin in margins {
            let region = polar.region(&there_from_here, *margin, self.quality);
            let bounds = region.cells.iter().fold(Aabb::EMPTY, |b, c| b.union(c));
            let patch = match self.integrate(&straight, &region, self.budget(deep, 1.0)) {
                Ok(mut patches) if patches.len() == 1 => patches.remove(0),
                Ok(_) => return None,
                Err(_) => return Some(polar.patch),
            };
            match patch {
                // The polar rule may have missed a lobe: then the patch reaches the end of the box.
                patch if patch.touches_sides(&bounds) => {}
                mut patch if patch.error < polar.patch.error => {
                    patch.transform(&there_from_here.inverse());
                    return Some(Patch { level: polar.patch.level, resolved_to: polar.patch.resolved_to, ..patch });
                }
                _ => return Some(polar.patch),
            }
        }
        None
    }

    /// A part of the samples that are left, for bodies that reach each other's skeletons or not.
    fn budget(&self, deep: bool, part: f64) -> WorkBudget {
        let most = self.quality.max_samples;
        if !self.quality.bounds_work() {
            return WorkBudget { samples: most, deep: false };
        }
        let most = if deep { most } else { most.saturating_mul(FOR_SHALLOW) };
        let left = most.saturating_sub(self.samples.get());
        WorkBudget { samples: (part * f64::from(left)) as u32, deep }
    }

    /// Adaptive cells over `region`.
    fn integrate(&self, frame: &ContactFrame, region: &Region, budget: WorkBudget) -> Result<Vec<Patch>, f64> {
        let before = frame.evaluations();
        let patches = cells::integrate(frame, region, self.quality, budget);
        self.samples.set(self.samples.get() + frame.evaluations() - before);
        patches
    }

    /// Every patch, region by region: for overlaps that no polar patch covers whole.
    fn integrate_regions(&self, frame: &ContactFrame) -> FoundPatches {
        let world_from_contact = frame.world_from_contact;
        // Cells that are fewer at first leave more samples for the worst of them.
        let most = if self.quality.bounds_work() { BOUNDED_ACROSS } else { usize::MAX };
        let quality = Quality { cells_across: self.quality.cells_across.min(most), ..*self.quality };
        let mut found_regions = regions(frame, &quality);
        // Cells that lie along a narrow overlap fit it; slanted ones it crosses unseen.
        let straight = orientation(frame, &found_regions).and_then(|Orientation { place, normal, long }| {
            let [normal, long] = [normal, long].map(|v| world_from_contact.vector(v));
            ContactFrame::aligned_shrunk(self.pair, world_from_contact.point(place), normal, long).ok()
        });
        if let Some(straight) = &straight {
            found_regions = regions(straight, &quality);
        }
        let seen_from = straight.as_ref().unwrap_or(frame);
        let here_from_there = world_from_contact.inverse() * seen_from.world_from_contact;
        let mut found = FoundPatches::default();
        let (deep, count) = (is_deep(seen_from, &found_regions), found_regions.len());
        for (i, region) in found_regions.into_iter().enumerate() {
            match self.integrate(seen_from, &region, self.budget(deep, 1.0 / (count - i) as f64)) {
                Ok(mut patches) => {
                    patches.iter_mut().for_each(|p| p.transform(&here_from_there));
                    found.patches.extend(patches);
                }
                Err(undecided) => found.undecided = found.undecided.max(undecided),
            }
        }
        found.evaluations = frame.evaluations() + straight.as_ref().map_or(0, ContactFrame::evaluations);
        found
    }
}

/// Whether the middle of each patch lies clearly outside the other.
fn are_apart(p: &CoveredPatch, q: &CoveredPatch) -> bool {
    p.is_outside(q.patch.reference) && q.is_outside(p.patch.reference)
}

/// Whether an overlap reaches a skeleton, as far as the middles of all eighths of its cells show.
fn is_deep(frame: &ContactFrame, regions: &[Region]) -> bool {
    // Midway between both surfaces each is as far as half the overlap; middles of eighths lie beside the deepest point.
    let least = 0.4 * SHALLOW * frame.thickness;
    let deep = |cell: &Aabb| {
        let probe = frame.probe(cell.center());
        let within = |pressure: f64, gradient: DVec3| pressure > least * gradient.length();
        within(probe.pressure_a, probe.gradient_a) && within(probe.pressure_b, probe.gradient_b)
    };
    let mut eighths = Vec::with_capacity(8);
    regions.iter().flat_map(|r| &r.cells).any(|cell| {
        eighths.clear();
        bisect(cell, [true; 3], &mut eighths);
        eighths.iter().any(deep)
    })
}
