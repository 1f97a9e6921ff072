//! A whole scene: bodies, joints and settings, resolved, in SI units.

use super::{BodySpec, JointSpec, MotionSettings};
use crate::math::DVec3;

/// Everything a simulation starts from. Made by [`Scene::parse`]; may also be built in code.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// A line for people.
    pub title: String,
    /// Simulated time, s. Zero records only the start; very long ones fill the disk.
    pub duration: f64,
    /// Recorded frames a second. The step never exceeds a frame; very high ones fill the disk.
    pub frame_rate: f64,
    /// Acceleration of free fall, m/s².
    pub gravity: DVec3,
    /// Field value `c` of every surface. Kernels in `bodies` must have been made with the same.
    pub isovalue: f64,
    /// How time is stepped.
    pub motion: MotionSettings,
    /// Relative error allowed in a contact's force. Too large: forces flicker. Too small: slow.
    pub contact_tolerance: f64,
    /// The bodies, names all different.
    pub bodies: Vec<BodySpec>,
    /// What joints them together.
    pub joints: Vec<JointSpec>,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            title: "Untitled".to_owned(),
            duration: 1.0,
            frame_rate: 60.0,
            gravity: DVec3::new(0.0, 0.0, -9.81),
            isovalue: 1.0,
            motion: MotionSettings::default(),
            contact_tolerance: CONTACT_TOLERANCE,
            bodies: Vec::new(),
            joints: Vec::new(),
        }
    }
}

impl Scene {
    /// Frames recorded, the start included.
    pub fn frame_count(&self) -> usize {
        // The small excess keeps 0.1 s at 30/s, 3.0000000000000004 or 2.9999999999999996, at three steps.
        (self.duration * self.frame_rate * (1.0 + 1e-12) + 1e-9).floor() as usize + 1
    }

    /// When the last frame is, s. Less than `duration` where that is no whole number of frames.
    pub fn last_frame_time(&self) -> f64 {
        (self.frame_count() - 1) as f64 / self.frame_rate
    }
}

/// [`Scene::contact_tolerance`] where nothing else is said; a world made in code has it, too.
pub const CONTACT_TOLERANCE: f64 = 1e-3;
