//! What no force can move: bodies that stand, and bodies that follow keyframes.

use super::{Base, Load, Twist};
use crate::math::{DQuat, DVec3, Frame};

/// Never moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixed(pub Frame);

impl Base for Fixed {
    fn is_fixed(&self) -> bool {
        true
    }
    fn world_from_body(&self) -> Frame {
        self.0
    }
    fn center(&self) -> DVec3 {
        self.0.translation
    }
    fn twist(&self) -> Twist {
        Twist::default()
    }
    fn mass(&self) -> Option<f64> {
        None
    }
    fn mobility(&self, _: DVec3, _: DVec3) -> f64 {
        0.0
    }
    fn push(&mut self, _: &Load, _: f64) {}
    fn move_on(&mut self, _: f64, _: f64) {}
    fn kinetic_energy(&self) -> f64 {
        0.0
    }
    fn save(&self, _: &mut Vec<f64>) {}
    fn restore(&mut self, _: &[f64]) -> usize {
        0
    }
}

/// Follows a path given as a placement at every time; velocities are its differences.
pub struct Keyed {
    path: Box<dyn Fn(f64) -> Frame + Send + Sync>,
    time: f64,
}

/// Half the time over which a keyed body's velocity is measured, seconds. Shorter: rounding shows.
/// Longer: corners of the path are felt before they come.
const KEY_DIFFERENCE: f64 = 1e-5;

impl Keyed {
    /// A body that is at `path(time)`.
    pub fn new(path: impl Fn(f64) -> Frame + Send + Sync + 'static) -> Self {
        Self { path: Box::new(path), time: 0.0 }
    }
}

impl std::fmt::Debug for Keyed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keyed").field("time", &self.time).finish_non_exhaustive()
    }
}

impl Base for Keyed {
    fn world_from_body(&self) -> Frame {
        (self.path)(self.time)
    }
    fn center(&self) -> DVec3 {
        self.world_from_body().translation
    }
    fn twist(&self) -> Twist {
        let (before, after) = ((self.path)(self.time - KEY_DIFFERENCE), (self.path)(self.time + KEY_DIFFERENCE));
        let mut turn: DQuat = after.rotation * before.rotation.conjugate();
        if turn.w < 0.0 {
            turn = -turn;
        }
        Twist {
            linear: (after.translation - before.translation) / (2.0 * KEY_DIFFERENCE),
            angular: turn.to_scaled_axis() / (2.0 * KEY_DIFFERENCE),
        }
    }
    fn mass(&self) -> Option<f64> {
        None
    }
    fn mobility(&self, _: DVec3, _: DVec3) -> f64 {
        0.0
    }
    fn push(&mut self, _: &Load, _: f64) {}
    fn move_on(&mut self, _: f64, time: f64) {
        self.time = time;
    }
    fn kinetic_energy(&self) -> f64 {
        0.0
    }
    fn save(&self, state: &mut Vec<f64>) {
        state.push(self.time);
    }
    fn restore(&mut self, state: &[f64]) -> usize {
        self.time = state[0];
        1
    }
}
