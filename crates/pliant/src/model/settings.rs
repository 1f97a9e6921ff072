//! Settings of the time integration.

/// Integration scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// Whichever finishes sooner: explicit where forces move a few balls and nothing else, implicit otherwise. See
    /// [`SchemeReason`](super::SchemeReason).
    #[default]
    Auto,
    /// Short steps that keep energy.
    Explicit,
    /// Long steps that are stable however stiff bodies are, and lose energy.
    Implicit,
}

/// Settings of the time integration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionSettings {
    /// Explicit or implicit.
    pub scheme: Scheme,
    /// Whether bodies that have come to rest sleep until something wakes them; implicit steps only. On: slow creep stops.
    /// Off: heaps at rest cost as much as moving ones.
    pub sleep: bool,
    /// Longest implicit step, s. Too long: impacts are soft and lose height. Too short: slow.
    pub implicit_step: f64,
    /// Longest explicit step, s. Too long: fast bodies pass through thin ones. Too short: slow.
    pub largest_step: f64,
    /// Shortest step, s. Too long: hard impacts fail. Too short: they take very long.
    pub smallest_step: f64,
    /// Step as a fraction of the fastest contact's period. Too large: contacts gain energy. Too small: slow.
    pub step_safety: f64,
    /// Overlap, as a fraction of the smaller thickness, beyond which a step is rejected.
    /// Too large: bodies may pass through each other. Too small: soft bodies never get squeezed.
    pub largest_overlap: f64,
}

impl Default for MotionSettings {
    fn default() -> Self {
        Self {
            scheme: Scheme::Auto,
            sleep: true,
            implicit_step: 1.0 / 60.0,
            largest_step: 5e-4,
            smallest_step: 1e-7,
            step_safety: 0.02,
            largest_overlap: 0.5,
        }
    }
}
