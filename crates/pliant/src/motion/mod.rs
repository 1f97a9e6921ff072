//! Motion: how long a step may be, and when it must be taken back.
//!
//! *The idea* ([G93] §2.3): explicit steps, shortened when an overlap becomes too deep. *What we changed*: the scheme is
//! leapfrog, which keeps energy; steps are chosen from the stiffness of the patches themselves, and from how far
//! bodies near each other may move before one could pass through the other unseen. Damping is implicit.
//! [`implicit`] is the other scheme: steps as long as a frame.
//!
//! [G93]: https://doi.org/10.1145/166117.166157

pub mod implicit;

use crate::model::MotionSettings;

/// What limits the next step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Square of the fastest contact frequency, 1/s².
    pub frequency_sq: f64,
    /// Fastest rate at which damping stops a motion, 1/s.
    pub damping_rate: f64,
    /// Fastest rate at which held bodies settle, 1/s.
    pub settling_rate: f64,
    /// Longest time for which a contact's stiffness is what it is now, or grows as a step can follow, s.
    pub pressing: f64,
    /// Longest time before two bodies near each other could meet and press in noticeably, s.
    pub unseen: f64,
}

/// A held body settles by explicit damping, which would never end at twice its rate times a push of half a step. Larger:
/// it swings. Smaller: short steps wherever there is friction.
const SETTLING_MARGIN: f64 = 0.4;
/// Damping is right to this part, times a quarter, where it does not ask for too short steps.
const DAMPING_MARGIN: f64 = 0.4;
/// Implicit damping needs no short steps to be stable, only to be exact: it may shorten them to this part and no more.
/// Smaller: strong damping is slow. Larger: it stops a body in one step where it should take several.
const LEAST_FOR_DAMPING: f64 = 0.2;

/// The longest step that respects `limits`, s.
pub fn longest_step(settings: &MotionSettings, limits: &Limits) -> f64 {
    let period = std::f64::consts::TAU / limits.frequency_sq.sqrt();
    let elastic = settings.step_safety * period;
    let settled = SETTLING_MARGIN / limits.settling_rate;
    let step = settings.largest_step.min(elastic).min(settled).min(limits.pressing).min(limits.unseen);
    let damped = (DAMPING_MARGIN / limits.damping_rate).max(LEAST_FOR_DAMPING * step);
    step.min(damped).max(settings.smallest_step)
}

/// Splits `remaining` into equal steps not longer than `longest`; the length of one.
pub fn even_step(remaining: f64, longest: f64) -> f64 {
    // A frame that rounding has made longer than a step is still one.
    remaining / (remaining / longest * (1.0 - 1e-9)).ceil().max(1.0)
}
