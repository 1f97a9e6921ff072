//! A pair seen from where it meets: both fields brought into one frame, and proofs over its boxes.
//!
//! *The idea*: the last axis of the frame points across the contact, so a thin overlap fits a thin box along the
//! axes, which bounds empty early; and each field keeps only the elements that reach it.

use super::pair::{Pair, Probe, SurfaceKind};
use crate::fields::{AffineBound, CulledField};
use crate::math::{Aabb, DMat3, DQuat, DVec3, Frame};

/// Two fields in the frame of their contact. Points and boxes are in that frame.
#[derive(Clone, Debug)]
pub(super) struct Meeting<'a> {
    /// Its last axis points from b into a.
    pub world_from_here: Frame,
    /// A box that contains every overlap.
    pub shared: Aabb,
    pub kind: SurfaceKind,
    /// Thickness of the thinner side, metres.
    pub thickness: f64,
    /// Both solids are convex, and so is their overlap.
    pub convex: bool,
    near: [CulledField<'a>; 2],
    stiffness: [f64; 2],
}

/// Rounds of cutting slices off a box. Each tightens what the one before left; more cost more than they save.
const PASSES: usize = 6;

/// How much of a box is cut off a side at first, and the least worth trying.
const FIRST_CUT: f64 = 0.35;
const LEAST_CUT: f64 = 0.08;

/// Fields of more elements than this are brought over again once the box has shrunk: fewer will reach it.
const MANY: usize = 6;

/// A field that exceeds its isovalue by no more than this part of it does not count as overlap. Smaller: rounding decides
/// whether two faces laid exactly upon each other touch, and no cell of them is ever proved empty. Larger: light touches
/// are lost.
const NO_DEPTH: f64 = 1e-12;

impl<'a> Meeting<'a> {
    /// `pair` seen from around `place`, with the last axis along `across`. `None`: proved apart.
    pub fn new(pair: &Pair<'a>, place: DVec3, across: DVec3) -> Option<Self> {
        Self::along(pair, place, across, across.any_orthonormal_vector())
    }

    /// [`Meeting::new`] with the first axis along `long`, so that a long patch fits a narrow box.
    pub fn along(pair: &Pair<'a>, place: DVec3, across: DVec3, long: DVec3) -> Option<Self> {
        let e1 = long.reject_from_normalized(across).try_normalize().unwrap_or(across.any_orthonormal_vector());
        let e2 = across.cross(e1);
        let rotation = DQuat::from_mat3(&DMat3::from_cols(e1, e2, across));
        let world_from_here = Frame { rotation, translation: place };
        let here_from_world = world_from_here.inverse();
        let sides = [&pair.a.field, &pair.b.field];
        let mut shared = pair.overlap_box().moved(&here_from_world);
        for field in sides {
            shared = shared.intersection(&field.solid_in(&here_from_world));
        }
        if shared.is_empty() || !shared.is_finite() {
            return None;
        }
        let meeting = Self {
            world_from_here,
            shared,
            kind: pair.kind(),
            thickness: pair.least_thickness(),
            convex: sides.iter().all(|f| f.shape.is_convex()),
            near: sides.map(|field| CulledField::new(field, &world_from_here, &shared)),
            stiffness: [pair.a.stiffness, pair.b.stiffness],
        };
        // Of convex solids the first star usually explains all; a closer look can wait.
        if meeting.convex { Some(meeting) } else { meeting.closer(pair) }
    }

    /// [`Meeting::along`] with the shared box made small, convex or not. `None`: proved apart.
    pub fn close_up(pair: &Pair<'a>, place: DVec3, across: DVec3, long: DVec3) -> Option<Self> {
        let meeting = Self::along(pair, place, across, long)?;
        if meeting.convex { meeting.closer(pair) } else { Some(meeting) }
    }

    /// With the shared box made small by bounds. `None`: proved apart.
    pub fn closer(mut self, pair: &Pair<'a>) -> Option<Self> {
        self.shared = self.shrunk(self.shared)?;
        let sides = [&pair.a.field, &pair.b.field];
        if sides.iter().any(|f| f.shape.elements().len() > MANY) {
            // Newton steps and borders stray a little past the overlap.
            let around = self.shared.grown(0.1 * self.shared.size().max_element());
            self.near = sides.map(|field| CulledField::new(field, &self.world_from_here, &around));
        }
        Some(self)
    }

    /// Both pressures at `p`.
    pub fn probe(&self, p: DVec3) -> Probe {
        let [a, b] = &self.near;
        let [ka, kb] = self.stiffness;
        let (sa, sb) = (a.sample(p), b.sample(p));
        Probe {
            pressure_a: ka * (sa.value - a.iso()),
            pressure_b: kb * (sb.value - b.iso()),
            gradient_a: ka * sa.gradient,
            gradient_b: kb * sb.gradient,
        }
    }

    /// Field excesses instead of pressures: comparable when one side is stiff.
    pub fn unscaled(&self, probe: &Probe) -> Probe {
        let [ka, kb] = self.stiffness;
        Probe {
            pressure_a: probe.pressure_a / ka,
            pressure_b: probe.pressure_b / kb,
            gradient_a: probe.gradient_a / ka,
            gradient_b: probe.gradient_b / kb,
        }
    }

    /// Whether bounds leave room for an overlap in `cell`.
    pub fn may_overlap(&self, cell: &Aabb) -> bool {
        self.room(cell).is_some()
    }

    /// The part of `cell` in which bounds leave room for an overlap, cut along the axes. Three things bound it: each
    /// field's greatest value; the plane above each; and the plane above a weighted sum of both, in which the opposing
    /// slopes of two facing surfaces cancel.
    pub fn room(&self, cell: &Aabb) -> Option<Aabb> {
        let mut caps = [AffineBound::default(); 2];
        let mut left = *cell;
        for (cap, near) in caps.iter_mut().zip(&self.near) {
            let bounds = near.upper_bounds(cell);
            let least = (1.0 + NO_DEPTH) * near.iso();
            if bounds.value < least {
                return None;
            }
            *cap = bounds.affine;
            cap.value -= least;
            left = under(cap, cell, left)?;
        }
        let (a, b) = (caps[0].gradient.length(), caps[1].gradient.length());
        if a > 0.0 && b > 0.0 {
            left = under(&caps[0].plus(a / b, &caps[1]), cell, left)?;
        }
        Some(left)
    }

    /// The part of `outer` that bounds cannot empty by cutting slices off its sides.
    fn shrunk(&self, outer: Aabb) -> Option<Aabb> {
        let mut hull = self.room(&outer)?;
        // A slice that could be cut off lets the next be thicker; one that could not, thinner.
        let mut cuts = [[FIRST_CUT; 2]; 3];
        for _ in 0..PASSES {
            // Across the contact first: a thin box lets the sides be cut close.
            for axis in [2, 0, 1] {
                for upper in [0, 1] {
                    let cut = &mut cuts[axis][upper];
                    if *cut < LEAST_CUT {
                        continue;
                    }
                    let (mut slice, mut rest) = (hull, hull);
                    let depth = *cut * (hull.max[axis] - hull.min[axis]);
                    if upper == 1 {
                        slice.min[axis] = hull.max[axis] - depth;
                        rest.max[axis] = slice.min[axis];
                    } else {
                        slice.max[axis] = hull.min[axis] + depth;
                        rest.min[axis] = slice.max[axis];
                    }
                    if self.may_overlap(&slice) {
                        *cut *= 0.3;
                    } else {
                        hull = rest;
                        *cut = (1.5 * *cut).min(0.6);
                    }
                }
            }
            if cuts.as_flattened().iter().all(|c| *c < LEAST_CUT) {
                break;
            }
            hull = self.room(&hull)?;
        }
        Some(hull)
    }
}

/// The part of `left` in which a cap over `cell` is not negative, cut along the axes.
fn under(cap: &AffineBound, cell: &Aabb, mut left: Aabb) -> Option<Aabb> {
    let (middle, half, g) = (cell.center(), 0.5 * cell.size(), cap.gradient);
    let most = cap.value + g.abs().dot(half) + cap.rise;
    if most < 0.0 {
        return None;
    }
    for axis in 0..3 {
        // Where the plane has fallen by all it can spare from the corner it is highest in.
        let far = middle[axis] + half[axis].copysign(g[axis]) - most / g[axis];
        if g[axis] > 0.0 {
            left.min[axis] = left.min[axis].max(far);
        } else if g[axis] < 0.0 {
            left.max[axis] = left.max[axis].min(far);
        }
    }
    (!left.is_empty()).then_some(left)
}
