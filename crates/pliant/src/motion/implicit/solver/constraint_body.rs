//! Ends of a constraint: the bodies it acts on, and its Jacobian with respect to each.

use super::impulse::Impulse;
use super::mat6::{Mat6, Vec6, vec6};
use crate::math::DVec3;
use smallvec::SmallVec;

/// One body a constraint acts on.
///
/// The motion of a constraint is `w = w₀ + Σ J v` over its bodies, where `v` is the velocity of a body and `J` is
/// `weight` times the transport of its motion to the reference point. By duality the body takes `Jᵀ` times the
/// constraint's impulse, and the Hessian's block of two bodies is `Jᵀ S J′` with the impulse slope `S` in `w`. The
/// three methods are all that knows `J`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstraintBody {
    /// Index in the island.
    pub body: usize,
    /// From the body's centre to the constraint's reference point.
    pub arm: DVec3,
    /// Weight of the body's motion: −1 for the only body of side a, 1 for that of side b, parts of it where several
    /// bodies make up a side.
    pub weight: f64,
}

/// Ends of a constraint, each of another body; two of them take no allocation.
pub type ConstraintBodies = SmallVec<[ConstraintBody; 2]>;

impl ConstraintBody {
    /// Ends of a constraint between two sides, of those that are bodies of the island.
    pub fn of_sides(bodies: [Option<usize>; 2], arms: [DVec3; 2]) -> ConstraintBodies {
        let sides = bodies.into_iter().zip(arms).zip([-1.0, 1.0]);
        sides.filter_map(|((body, arm), weight)| Some(ConstraintBody { body: body?, arm, weight })).collect()
    }

    /// `J v`: velocity at the reference point and spin.
    #[inline(always)]
    pub fn motion(&self, [linear, angular]: [DVec3; 2]) -> [DVec3; 2] {
        [self.weight * (linear + angular.cross(self.arm)), self.weight * angular]
    }

    /// `Jᵀ p`: impulse on the body about its centre; on one that does not turn, without its moment.
    #[inline(always)]
    pub(super) fn impulse(&self, p: &Impulse, turns: bool) -> Vec6 {
        let moment = self.arm.cross(p.linear) + p.angular;
        vec6(self.weight * p.linear, if turns { self.weight * moment } else { DVec3::ZERO })
    }

    /// Adds `Jᵀ S J′`, where `J′` is that of `other`, to a block of the Hessian; of bodies that do not turn only the motion.
    #[inline(always)]
    pub(super) fn add_block(&self, other: &Self, impulse_slope: &Mat6, turns: [bool; 2], to: &mut Mat6) {
        let mut block = impulse_slope.transported(self.arm, other.arm);
        for (turns, columns) in turns.into_iter().zip([false, true]) {
            if !turns {
                block.without_turning(columns);
            }
        }
        // Constants where a side is one body, as in most constraints: no product is computed.
        match self.weight * other.weight {
            1.0 => to.add(&block, 1.0),
            -1.0 => to.add(&block, -1.0),
            weight => to.add(&block, weight),
        }
    }
}
