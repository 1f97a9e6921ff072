//! A whole scene: bodies, joints and settings, resolved, in SI units.

use super::{BodySpec, JointSpec, MotionSettings};
use crate::math::DVec3;

/// Everything a simulation starts from. Made by [`Scene::parse`]; may also be built in code.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Title, one line.
    pub title: String,
    /// Simulated time, s. Zero records only the start; very long ones fill the disk.
    pub duration: f64,
    /// Recorded frames a second. The step never exceeds a frame; very high ones fill the disk.
    pub frame_rate: f64,
    /// Acceleration of free fall, m/s².
    pub gravity: DVec3,
    /// Field value `c` of every surface. Kernels in `bodies` must have been made with the same.
    pub isovalue: f64,
    /// Settings of the time integration.
    pub motion: MotionSettings,
    /// Relative error allowed in a contact's force. Too large: forces flicker. Too small: slow.
    pub contact_tolerance: f64,
    /// Bodies; names are unique.
    pub bodies: Vec<BodySpec>,
    /// Joints and springs between the bodies; names are unique.
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
    /// Number of recorded frames: the start, and at most [`MAX_FRAMES`] after it. One where the duration or the frame
    /// rate is zero, negative or NaN.
    pub fn frame_count(&self) -> usize {
        1 + self.frames_after_start()
    }

    /// Time of the last frame, s. Less than `duration` where that is no whole number of frames.
    pub fn last_frame_time(&self) -> f64 {
        match self.frames_after_start() {
            0 => 0.0,
            frames => frames as f64 / self.frame_rate,
        }
    }

    fn frames_after_start(&self) -> usize {
        if !(self.duration > 0.0 && self.frame_rate > 0.0) {
            return 0;
        }
        // The small excess keeps 0.1 s at 30/s, 3.0000000000000004 or 2.9999999999999996, at three frames.
        let frames = self.duration * self.frame_rate * (1.0 + 1e-12) + 1e-9;
        // The conversion saturates.
        (frames.floor() as usize).min(MAX_FRAMES)
    }
}

/// Most frames recorded after the start: a scene file that asks for more is refused. More: a mistyped duration fills the
/// disk. Fewer: long animations must be split.
pub const MAX_FRAMES: usize = 1_000_000;

/// [`Scene::contact_tolerance`] where nothing else is said; a world made in code has it, too.
pub const CONTACT_TOLERANCE: f64 = 1e-3;
