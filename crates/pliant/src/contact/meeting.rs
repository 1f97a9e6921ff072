//! A pair seen from where it meets: both fields brought into one frame, and proofs over its boxes.
//!
//! *The idea*: the last axis of the frame points across the contact, so a thin overlap fits a thin box along the
//! axes, which bounds empty early; and each field keeps only the elements that reach it.

use super::pair::{Kind, Pair, Probe};
use crate::fields::{Cap, Near};
use crate::math::{Aabb, DMat3, DQuat, DVec3, Frame};

/// Two fields in the frame of their contact. Points and boxes are in that frame.
#[derive(Clone, Debug)]
pub(super) struct Meeting<'a> {
    /// Its last axis points from b into a.
    pub world_from_here: Frame,
    /// A box that contains every overlap.
    pub shared: Aabb,
    pub kind: Kind,
    /// Thickness of the thinner side, metres.
    pub thickness: f64,
    near: [Near<'a>; 2],
    stiffness: [f64; 2],
}

/// Rounds of cutting slices off a box. Each tightens what the one before left; more cost more than they save.
const PASSES: usize = 4;

/// Fields of more elements than this are brought over again once the box has shrunk: fewer will reach it.
const MANY: usize = 6;

impl<'a> Meeting<'a> {
    /// `pair` seen from around `place`, with the last axis along `across`. `None`: proved apart.
    pub fn new(pair: &Pair<'a>, place: DVec3, across: DVec3) -> Option<Self> {
        let (e1, e2) = across.any_orthonormal_pair();
        let rotation = DQuat::from_mat3(&DMat3::from_cols(e1, e2, across));
        let world_from_here = Frame { rotation, translation: place };
        let here_from_world = world_from_here.inverse();
        let sides = [&pair.a.field, &pair.b.field];
        let mut shared = pair.overlap_box().moved(&here_from_world);
        for field in sides {
            shared = shared.intersection(&field.shape.solid().moved(&(here_from_world * field.world_from_body)));
        }
        if shared.is_empty() || !shared.is_finite() {
            return None;
        }
        let bring = |within: &Aabb| sides.map(|field| Near::new(field, &world_from_here, within));
        let mut meeting = Self {
            world_from_here,
            shared,
            kind: pair.kind(),
            thickness: pair.least_thickness(),
            near: bring(&shared),
            stiffness: [pair.a.stiffness, pair.b.stiffness],
        };
        meeting.shared = meeting.shrunk(shared)?;
        if sides.iter().any(|f| f.shape.elements().len() > MANY) {
            // Newton steps and borders stray a little past the overlap.
            let around = meeting.shared.grown(0.1 * meeting.shared.size().max_element());
            meeting.near = bring(&around);
        }
        Some(meeting)
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

    /// Whether bounds leave room for an overlap in `cell`. Three proofs of the contrary: one field is below its
    /// isovalue by its bound; or by the plane above it; or a weighted sum of both is, in which the opposing slopes
    /// of two facing surfaces cancel.
    pub fn may_overlap(&self, cell: &Aabb) -> bool {
        let half = 0.5 * cell.size();
        let mut caps = [Cap::default(); 2];
        for (cap, near) in caps.iter_mut().zip(&self.near) {
            let look = near.look(cell);
            if look.upper < near.iso() {
                return false;
            }
            *cap = look.cap;
            cap.value -= near.iso();
            if highest(cap, half) < 0.0 {
                return false;
            }
        }
        let slopes = caps.map(|c| c.gradient.length());
        slopes[0] == 0.0 || slopes[1] == 0.0 || highest(&caps[0].plus(slopes[0] / slopes[1], &caps[1]), half) >= 0.0
    }

    /// The part of `outer` that bounds cannot empty by cutting slices off its six sides.
    fn shrunk(&self, outer: Aabb) -> Option<Aabb> {
        let mut hull = outer;
        if !self.may_overlap(&hull) {
            return None;
        }
        for _ in 0..PASSES {
            let before = hull.size();
            // Across the contact first: a thin box lets the sides be cut close.
            for axis in [2, 0, 1] {
                for upper in [true, false] {
                    for cut in [0.75, 0.375, 0.125] {
                        let depth = cut * (hull.max[axis] - hull.min[axis]);
                        let (mut slice, mut rest) = (hull, hull);
                        if upper {
                            slice.min[axis] = hull.max[axis] - depth;
                            rest.max[axis] = slice.min[axis];
                        } else {
                            slice.max[axis] = hull.min[axis] + depth;
                            rest.min[axis] = slice.max[axis];
                        }
                        if !self.may_overlap(&slice) {
                            hull = rest;
                            break;
                        }
                    }
                }
            }
            if (hull.size() / before).min_element() > 0.9 {
                break;
            }
        }
        Some(hull)
    }
}

/// The greatest value of a cap in a box that reaches `half` from its middle.
fn highest(cap: &Cap, half: DVec3) -> f64 {
    cap.value + cap.gradient.abs().dot(half) + cap.rise
}
