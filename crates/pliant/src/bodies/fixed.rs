//! The fixed motion law: a link that never moves.

use super::{AppliedWrench, LinkState, MotionLaw, Twist};
use crate::math::{DVec3, Frame};

/// A law that never moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixed;

impl MotionLaw for Fixed {
    fn state_at(&self, world_from_link: Frame, _: Twist) -> LinkState {
        LinkState::at_rest(world_from_link)
    }
    fn is_fixed(&self) -> bool {
        true
    }
    fn world_from_link(&self, state: &LinkState) -> Frame {
        state.frame()
    }
    fn twist(&self, _: &LinkState) -> Twist {
        Twist::default()
    }
    fn mass(&self) -> Option<f64> {
        None
    }
    fn inverse_effective_mass(&self, _: &LinkState, _: DVec3, _: DVec3) -> f64 {
        0.0
    }
    fn apply(&self, _: &mut LinkState, _: &AppliedWrench, _: f64) {}
    fn advance(&self, _: &mut LinkState, _: f64, _: f64) {}
    fn kinetic_energy(&self, _: &LinkState) -> f64 {
        0.0
    }
}
