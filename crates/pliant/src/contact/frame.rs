//! The contact frame: both fields of a pair in one frame, and the box around their overlaps.
//!
//! *The idea*: the last axis of the frame points across the contact, so a thin overlap fits a thin axis-aligned box, of which
//! bounds prove large parts empty; and each field keeps only the elements that reach that box. *Not promised*: that a box
//! which bounds do not empty contains an overlap.

use super::law::{Probe, SurfaceKind, pressure_sample};
use super::pair::Pair;
use crate::fields::skeleton::Plane;
use crate::fields::{CulledField, Field, FourPoints};
use crate::math::{Aabb, DMat3, DQuat, DVec3, Frame};
use std::rc::Rc;

/// Both fields of a pair in one frame whose last axis is across the contact, each culled to the elements near it, and
/// the box that contains every overlap. Points and boxes are in that frame.
#[derive(Clone, Debug)]
pub(super) struct ContactFrame<'a> {
    /// Its last axis points from b into a.
    pub world_from_contact: Frame,
    /// A box that contains every overlap.
    pub overlap_bounds: Aabb,
    pub kind: SurfaceKind,
    /// Thickness of the thinner side, metres.
    pub thickness: f64,
    /// Both solids are convex, and so is their overlap.
    pub convex: bool,
    pub(super) near: [CulledField<'a>; 2],
    /// `K` of both sides, pascals.
    stiffness: [f64; 2],
    /// The contact frame as fixed to each body.
    pub body_from_contact: [Frame; 2],
    /// Planes at which distances have creases, of bodies of few elements.
    creases: Vec<Plane>,
    /// Motion of b that the frame has room for: its box contains every overlap there can be then.
    pub allowed_motion: AllowedMotion,
    /// Samples of both fields so far, with those of culled frames.
    evaluations: Rc<std::cell::Cell<u32>>,
}

/// A lower bound on the distance of two solids that have no contact frame, metres: they are apart, or without bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Gap(pub f64);

/// A motion of b against a: about the origin of the contact frame, by `shift` there and as much more at each `radius` from it.
#[derive(Clone, Copy, Debug)]
pub(super) struct AllowedMotion {
    /// Metres.
    pub shift: f64,
    /// Metres.
    pub radius: f64,
}

impl AllowedMotion {
    pub const NONE: Self = Self { shift: 0.0, radius: f64::INFINITY };

    /// Of points of `cell`, at most, metres.
    pub fn of(&self, cell: &Aabb) -> f64 {
        self.shift * (1.0 + cell.farthest_from(DVec3::ZERO) / self.radius)
    }
}

/// Passes of cutting slices off a box. More: cost without gain. Fewer: larger boxes to search.
const SHRINK_PASSES: usize = 6;

/// Part of a box that is cut off a side at first, and the least worth trying. Larger: fewer slices are proved empty.
/// Smaller: more proofs.
const FIRST_CUT: f64 = 0.35;
const MIN_CUT: f64 = 0.08;

/// Fields of more elements than this are culled again once the box has shrunk. Larger: probes of large bodies stay slow.
/// Smaller: small ones are culled twice for nothing.
const CULL_AGAIN_ABOVE: usize = 6;

impl<'a> ContactFrame<'a> {
    /// A frame at `near`, or at the middle of the box both solids share, with its last axis along the gradients there, and with
    /// room for `allowed_motion`.
    pub fn near(pair: &Pair<'a>, near: Option<DVec3>, allowed_motion: AllowedMotion) -> Result<Self, Gap> {
        let (place, across) = initial_axis(pair, near)?;
        Self::new(pair, place, across, allowed_motion)
    }

    /// A frame at `place` with its last axis along `across`.
    pub fn new(pair: &Pair<'a>, place: DVec3, across: DVec3, allowed_motion: AllowedMotion) -> Result<Self, Gap> {
        let frame = Self::unshrunk(pair, axes_along(place, across, across.any_orthonormal_vector()), allowed_motion)?;
        // Of convex solids the first patch usually covers the overlap; shrinking the box can wait.
        if frame.convex { Ok(frame) } else { frame.shrunk(pair) }
    }

    /// [`ContactFrame::new`] with the first axis along `long`, so that a long patch fits a narrow box; without room for motion.
    pub fn aligned(pair: &Pair<'a>, place: DVec3, across: DVec3, long: DVec3) -> Result<Self, Gap> {
        let frame = Self::unshrunk(pair, axes_along(place, across, long), AllowedMotion::NONE)?;
        if frame.convex { Ok(frame) } else { frame.shrunk(pair) }
    }

    /// The frame given, with an overlap box from the boxes of both solids alone.
    pub fn unshrunk(pair: &Pair<'a>, world_from_contact: Frame, allowed_motion: AllowedMotion) -> Result<Self, Gap> {
        let contact_from_world = world_from_contact.inverse();
        let sides = [&pair.a.field, &pair.b.field];
        let (a, b) = (&pair.a.field, &pair.b.field);
        // Overlaps that there can be when points of b have moved by `motion`.
        let bounds = |motion: f64| {
            let in_world = a.solid_bounds().intersection(&b.solid_bounds().grown(motion));
            if in_world.is_empty() || !in_world.is_finite() {
                return in_world;
            }
            let here = in_world.moved(&contact_from_world).intersection(&a.solid_in(&contact_from_world));
            here.intersection(&b.solid_in(&contact_from_world).grown(motion))
        };
        let least = bounds(allowed_motion.shift);
        if least.is_empty() || !least.is_finite() {
            return Err(Gap(if least.is_empty() { allowed_motion.shift } else { 0.0 }));
        }
        // Points of the layer added may move a little farther.
        let overlap_bounds = bounds(1.1 * allowed_motion.of(&least));
        let around = overlap_bounds.grown(allowed_motion.of(&overlap_bounds));
        let near = sides.map(|field| CulledField::new(field, &world_from_contact, &around));
        Ok(Self {
            world_from_contact,
            overlap_bounds,
            kind: pair.kind(),
            thickness: pair.min_thickness(),
            convex: sides.iter().all(|f| f.shape.is_convex()),
            stiffness: [pair.a.stiffness, pair.b.stiffness],
            body_from_contact: sides.map(|f| f.world_from_body.inverse() * world_from_contact),
            creases: near.iter().flat_map(CulledField::creases).collect(),
            near,
            allowed_motion,
            evaluations: Rc::default(),
        })
    }

    /// [`ContactFrame::aligned`] with the overlap box shrunk, convex or not.
    pub fn aligned_shrunk(pair: &Pair<'a>, place: DVec3, across: DVec3, long: DVec3) -> Result<Self, Gap> {
        let frame = Self::aligned(pair, place, across, long)?;
        if frame.convex { frame.shrunk(pair) } else { Ok(frame) }
    }

    /// The same frame with the overlap box shrunk by bounds.
    pub fn shrunk(mut self, pair: &Pair<'a>) -> Result<Self, Gap> {
        self.overlap_bounds = self.shrink(self.overlap_bounds).ok_or(Gap(self.allowed_motion.shift))?;
        let sides = [&pair.a.field, &pair.b.field];
        if sides.iter().any(|f| f.shape.elements().len() > CULL_AGAIN_ABOVE) {
            // Newton steps and borders stray a little past the overlap.
            let around = self.overlap_bounds.grown(
                (0.1 * self.overlap_bounds.size().max_element()).max(self.allowed_motion.of(&self.overlap_bounds)),
            );
            self.near = sides.map(|field| CulledField::new(field, &self.world_from_contact, &around));
        }
        Ok(self)
    }

    /// The same frame with `within` for its box, and only the elements that reach it.
    pub fn culled(&self, pair: &Pair<'a>, within: &Aabb) -> Self {
        let around = within.grown(self.allowed_motion.of(within));
        let near = [&pair.a.field, &pair.b.field].map(|f| CulledField::new(f, &self.world_from_contact, &around));
        let creases = near.iter().flat_map(CulledField::creases).collect();
        Self { overlap_bounds: *within, near, creases, evaluations: self.evaluations.clone(), ..*self }
    }

    /// Whether all elements here are points and segments.
    pub fn has_simple_elements(&self) -> bool {
        self.near.iter().all(CulledField::is_simple)
    }

    /// Elements of the side that has more of them here.
    pub fn element_count(&self) -> usize {
        self.near.iter().map(CulledField::element_count).fold(0, usize::max)
    }

    /// Planes at which the distances of few elements have creases.
    pub fn creases(&self) -> &[Plane] {
        &self.creases
    }

    /// Middles and axes of rings among the elements.
    pub fn rings(&self) -> Vec<Plane> {
        self.near.iter().flat_map(CulledField::rings).collect()
    }

    /// Samples of both fields so far.
    pub fn evaluations(&self) -> u32 {
        self.evaluations.get()
    }

    /// Both pressures at `p`.
    pub fn probe(&self, p: DVec3) -> Probe {
        let [a, b] = &self.near;
        let [ka, kb] = self.stiffness;
        self.evaluations.set(self.evaluations.get() + 1);
        Probe::of(pressure_sample(ka, &a.sample(p), a.iso()), pressure_sample(kb, &b.sample(p), b.iso()))
    }

    /// Both pressures at four points, of which the first `used` count.
    pub fn probe_four(&self, points: &[DVec3; 4], used: usize) -> [Probe; 4] {
        let [a, b] = &self.near;
        let [ka, kb] = self.stiffness;
        self.evaluations.set(self.evaluations.get() + used as u32);
        let lanes: FourPoints = std::array::from_fn(|axis| points.map(|p| p[axis]));
        let (at_a, at_b) = (a.sample_four(&lanes), b.sample_four(&lanes));
        std::array::from_fn(|j| {
            Probe::of(pressure_sample(ka, &at_a.sample(j), a.iso()), pressure_sample(kb, &at_b.sample(j), b.iso()))
        })
    }

    /// Both pressures divided by their stiffness: comparable when one side is stiff.
    pub fn divided_by_stiffness(&self, probe: &Probe) -> Probe {
        let [ka, kb] = self.stiffness;
        Probe {
            pressure_a: probe.pressure_a / ka,
            pressure_b: probe.pressure_b / kb,
            gradient_a: probe.gradient_a / ka,
            gradient_b: probe.gradient_b / kb,
        }
    }

    /// The part of `outer` that is left when slices that bounds prove empty are cut off its sides.
    fn shrink(&self, outer: Aabb) -> Option<Aabb> {
        let mut left = self.possible_overlap(&outer, self.allowed_motion)?;
        // A slice that could be cut off lets the next be thicker; one that could not, thinner.
        let mut cuts = [[FIRST_CUT; 2]; 3];
        for _ in 0..SHRINK_PASSES {
            // Across the contact first: a thin box lets the sides be cut close.
            for axis in [2, 0, 1] {
                for upper in [0, 1] {
                    let cut = &mut cuts[axis][upper];
                    if *cut < MIN_CUT {
                        continue;
                    }
                    let (mut slice, mut rest) = (left, left);
                    let depth = *cut * (left.max[axis] - left.min[axis]);
                    if upper == 1 {
                        slice.min[axis] = left.max[axis] - depth;
                        rest.max[axis] = slice.min[axis];
                    } else {
                        slice.max[axis] = left.min[axis] + depth;
                        rest.min[axis] = slice.max[axis];
                    }
                    if self.possible_overlap(&slice, self.allowed_motion).is_some() {
                        *cut *= 0.3;
                    } else {
                        left = rest;
                        *cut = (1.5 * *cut).min(0.6);
                    }
                }
            }
            if cuts.as_flattened().iter().all(|c| *c < MIN_CUT) {
                break;
            }
            left = self.possible_overlap(&left, self.allowed_motion)?;
        }
        Some(left)
    }
}

/// A frame at `place` with its last axis along `across` and its first near `long`.
fn axes_along(place: DVec3, across: DVec3, long: DVec3) -> Frame {
    let e1 = long.reject_from_normalized(across).try_normalize().unwrap_or(across.any_orthonormal_vector());
    let e2 = across.cross(e1);
    Frame { rotation: DQuat::from_mat3(&DMat3::from_cols(e1, e2, across)), translation: place }
}

/// Origin of a contact frame for `pair`, and the direction from b into a there.
pub(super) fn initial_axis(pair: &Pair, near: Option<DVec3>) -> Result<(DVec3, DVec3), Gap> {
    let overlap_bounds = pair.overlap_bounds();
    if overlap_bounds.is_empty() || !overlap_bounds.is_finite() {
        return Err(Gap((overlap_bounds.min - overlap_bounds.max).max_element().max(0.0)));
    }
    let place = near.unwrap_or_else(|| overlap_bounds.center());
    let inward = |i: usize| [&pair.a, &pair.b][i].field.sample(place).gradient.normalize_or_zero();
    let n = match pair.kind() {
        SurfaceKind::EqualPressure => inward(0) - inward(1),
        SurfaceKind::RigidA => inward(0),
        SurfaceKind::RigidB => -inward(1),
    };
    Ok((place, n.try_normalize().unwrap_or(DVec3::Z)))
}
