//! Motion: how long a step may be, and when it must be taken back.
//!
//! *The idea* ([G93] §2.3): explicit steps, shortened when an overlap becomes too deep. *What we changed*: the scheme is
//! leapfrog, which keeps energy; steps are chosen from the stiffness of the patches themselves, and from how far
//! bodies near each other may move before one could pass through the other unseen.
//!
//! [G93]: https://doi.org/10.1145/166117.166157

use crate::scene::MotionSettings;

/// What limits the next step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Square of the fastest contact frequency, 1/s².
    pub frequency_sq: f64,
    /// Fastest rate at which damping and friction stop a motion, 1/s.
    pub damping_rate: f64,
    /// Longest time before two bodies near each other could meet and press in noticeably, s.
    pub unseen: f64,
}

/// An explicit damper overshoots when its rate times the step passes one; this keeps well below.
const DAMPING_MARGIN: f64 = 0.4;

/// The longest step that respects `limits`, s.
pub fn longest_step(settings: &MotionSettings, limits: &Limits) -> f64 {
    let period = std::f64::consts::TAU / limits.frequency_sq.sqrt();
    let elastic = settings.step_safety * period;
    let damped = DAMPING_MARGIN / limits.damping_rate;
    settings.largest_step.min(elastic).min(damped).min(limits.unseen).max(settings.smallest_step)
}

/// Splits `remaining` into equal steps not longer than `longest`; the length of one.
pub fn even_step(remaining: f64, longest: f64) -> f64 {
    remaining / (remaining / longest).ceil().max(1.0)
}
