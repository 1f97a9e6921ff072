//! Saving a world and going back (or on) to what was saved.

use super::{FrictionState, PairLedger, PairSeed, Warning, World};
use crate::bodies::{Body, Joint};
use crate::math::DVec3;

/// Everything a run needs to go on exactly as it would have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Seconds.
    pub time: f64,
    /// What the bases saved, body after body.
    pub bases: Vec<f64>,
    /// Friction's memory, patch by patch, in any order.
    pub grips: Vec<FrictionState>,
    /// What the search for patches was helped by, in the order of names; none if by nothing.
    pub hints: Vec<PairSeed>,
    /// For how many seconds each body has been slow, or -1 if it sleeps; none if all have just moved.
    pub still: Vec<f64>,
    /// Which joints are broken, in order.
    pub broken: Vec<usize>,
    /// Joules lost so far.
    pub dissipated: f64,
    /// Joules friction's shear has taken and may give back.
    pub sheared: f64,
    /// Joules that were called dissipated and were not, which is set against what is lost next.
    pub owed: f64,
    /// What each pair that touches has taken and given, in any order.
    pub books: Vec<PairLedger>,
    /// Warnings so far; what was warned of once is not repeated.
    pub warnings: Vec<Warning>,
}

/// Why a world refuses a [`Snapshot`]; it is left as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// From another scene, or cut off.
    #[error("the snapshot holds {found} numbers, the bodies of this world take {expected}")]
    OtherLength {
        /// Numbers in [`Snapshot::bases`].
        found: usize,
        /// Numbers the bodies save.
        expected: usize,
    },
    /// No motion leads to such a state.
    #[error("the snapshot puts body \"{0}\" where nothing can be (not a number, too far away, or not a rotation)")]
    Impossible(String),
    /// Times and energies are numbers, and warnings are about bodies of this world.
    #[error("the snapshot's {0} makes no sense")]
    Senseless(&'static str),
}

/// No body of a snapshot is farther away (m) or faster (m/s, rad/s): squares of differences must stay exact enough
/// for searches to end. Smaller: legal worlds could not be resumed.
const FARTHEST: f64 = 1e15;

impl Snapshot {
    /// Whether all but the bases, of which only their owners know, makes sense for `count` bodies.
    fn check(&self, count: usize) -> Result<(), SnapshotError> {
        let booked = self.books.iter().flat_map(|b| [b.work, b.exchanged]);
        let mut energies = booked.chain([self.dissipated, self.sheared, self.owed]);
        if !(self.time >= 0.0 && self.time.is_finite() && energies.all(f64::is_finite)) {
            return Err(SnapshotError::Senseless("time or energy"));
        }
        if !(self.still.is_empty() || self.still.len() == count && self.still.iter().all(|s| *s >= 0.0 || *s == -1.0)) {
            return Err(SnapshotError::Senseless("list of sleepers"));
        }
        if !self.grips.iter().all(FrictionState::is_finite) {
            return Err(SnapshotError::Senseless("shear"));
        }
        if !self.hints.iter().all(|h| h.memory.center.is_finite() && h.touch.a.0.max(h.touch.b.0) < count) {
            return Err(SnapshotError::Senseless("places of contacts"));
        }
        if self.warnings.iter().any(|w| {
            w.bodies.0.max(w.bodies.1) >= count || !w.time.is_finite() || w.size.is_some_and(|s| !s.is_finite())
        }) {
            return Err(SnapshotError::Senseless("warning"));
        }
        Ok(())
    }
}

impl World {
    /// Everything that changes, to go on from later.
    pub fn snapshot(&self) -> Snapshot {
        let mut bases = Vec::new();
        self.bodies.iter().for_each(|b| b.base.save(&mut bases));
        Snapshot {
            time: self.time,
            bases,
            grips: self.grips(),
            hints: self.hints.clone(),
            still: if self.still.iter().all(|s| *s == 0.0) { Vec::new() } else { self.still.clone() },
            broken: (0..self.joints.len()).filter(|i| self.joints[*i].broken).collect(),
            dissipated: self.dissipated,
            sheared: self.sheared,
            owed: self.owed,
            books: self.books.clone(),
            warnings: self.warnings.clone(),
        }
    }

    /// Whether [`World::restore`] would take `snapshot`, which this world has just made.
    pub(crate) fn would_take(&self, snapshot: &Snapshot) -> bool {
        snapshot.check(self.bodies.len()).is_ok() && self.bodies.iter().all(is_possible)
    }

    /// Goes back (or on) to `snapshot`, which a world of the same scene made. One that none can have made is refused.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        let expected = self.bodies.iter().map(|b| b.base.state_len()).sum();
        let (found, count) = (snapshot.bases.len(), self.bodies.len());
        if found != expected {
            return Err(SnapshotError::OtherLength { found, expected });
        }
        snapshot.check(count)?;
        if snapshot.broken.last().is_some_and(|i| *i >= self.joints.len()) || !snapshot.broken.is_sorted() {
            return Err(SnapshotError::Senseless("list of broken joints"));
        }
        let before = self.snapshot();
        self.set_bases(&snapshot.bases);
        let wrong = self.bodies.iter().find(|b| !is_possible(b)).map(|b| b.name.clone());
        if let Some(name) = wrong {
            self.set_bases(&before.bases);
            return Err(SnapshotError::Impossible(name));
        }
        self.set(snapshot);
        Ok(())
    }

    pub(super) fn set_bases(&mut self, bases: &[f64]) {
        let mut rest = bases;
        for body in &mut self.bodies {
            rest = &rest[body.base.restore(rest)..];
        }
    }

    /// [`World::restore`] for snapshots known to be sound.
    pub(super) fn set(&mut self, snapshot: &Snapshot) {
        self.set_bases(&snapshot.bases);
        self.time = snapshot.time;
        self.still.fill(0.0);
        self.slept_under = self.gravity;
        self.still.iter_mut().zip(&snapshot.still).for_each(|(s, saved)| *s = *saved);
        self.joints.iter_mut().enumerate().for_each(|(i, t)| t.broken = snapshot.broken.binary_search(&i).is_ok());
        self.joint_counts = Joint::joint_counts(&self.joints, self.bodies.len());
        self.dissipated = snapshot.dissipated;
        (self.sheared, self.owed) = (snapshot.sheared, snapshot.owed);
        self.warnings.clone_from(&snapshot.warnings);
        self.warned = self.warnings.iter().map(|w| (w.bodies, w.kind)).collect();
        let hints = (!snapshot.hints.is_empty()).then(|| snapshot.hints.clone());
        self.find_contacts(hints, snapshot.grips.clone());
        self.look_for_the_bottom();
        self.answer(0.0);
        self.books.clear();
        self.open_books(false);
        for book in &mut self.books {
            if let Some(saved) = snapshot.books.iter().find(|b| b.touch == book.touch) {
                *book = *saved;
            }
        }
    }
}

/// Whether a body is somewhere and moves at some speed.
fn is_possible(body: &Body) -> bool {
    let (frame, twist) = (body.base.world_from_body(), body.base.twist());
    let small = |v: DVec3| v.abs().max_element() <= FARTHEST;
    let all = [frame.translation, body.base.center(), twist.linear, twist.angular];
    frame.rotation.is_normalized() && all.into_iter().all(|v| v.is_finite() && small(v))
}
