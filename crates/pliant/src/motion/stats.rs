//! Counts of steps and iterations, and times by phase.

use std::time::Duration;

/// Work done since a world was made. Counts are the same on every machine and for any number of threads; times are not.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepStats {
    /// Steps kept.
    pub steps: u64,
    /// Steps rejected, and tried again shorter.
    pub rejected: u64,
    /// Outer iterations of implicit steps: searches for contacts where links came to.
    pub iterations: u64,
    /// Newton iterations inside them, of all islands.
    pub newton_iterations: u64,
    /// Greatest number of contacts at once.
    pub max_contacts: usize,
    /// Time in the search for contacts.
    pub contact_time: Duration,
    /// Time in the solution of islands and joints.
    pub solve_time: Duration,
    /// Time of whole steps.
    pub total_time: Duration,
}

impl StepStats {
    /// Time of steps that went neither into contacts nor into solving.
    pub fn other_time(&self) -> Duration {
        self.total_time.saturating_sub(self.contact_time + self.solve_time)
    }
}

/// Measures time where there is a clock; in a browser there is none.
pub(super) struct Stopwatch(#[cfg(not(target_arch = "wasm32"))] std::time::Instant);

impl Stopwatch {
    pub fn start() -> Self {
        Self(
            #[cfg(not(target_arch = "wasm32"))]
            std::time::Instant::now(),
        )
    }

    pub fn stop(self, total: &mut Duration) {
        #[cfg(not(target_arch = "wasm32"))]
        {
            *total += self.0.elapsed();
        }
        #[cfg(target_arch = "wasm32")]
        let _ = total;
    }
}
