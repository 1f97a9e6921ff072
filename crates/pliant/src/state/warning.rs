//! Warnings to the user: each pair of bodies once for each kind.
//!
//! To add a kind: a variant and its place at the end of `ALL` here, and its words in `pliant-cli/src/simulate.rs`.

use std::collections::BTreeSet;
use std::sync::Arc;

/// A warning about one body or two.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// Simulated time, s.
    pub time: f64,
    /// Indices of two bodies; the same index twice for a warning about one.
    pub bodies: (usize, usize),
    /// Kind of warning.
    pub kind: WarningKind,
    /// Size of the undecided region, m; only of [`WarningKind::Undecided`].
    pub size: Option<f64>,
}

/// Kinds of warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WarningKind {
    /// The contact surface has reached the first body's skeleton: its kernel carries no more load.
    BottomedOut,
    /// The bulge of the first body around the second would cross the surface midway between them and is cut off there: its
    /// height is too large.
    BulgeCutOff,
    /// No bulge of the first body around the second holds the volume pressed away, though its material keeps volume.
    VolumeNotKept,
    /// Even the shortest step left an overlap deeper than the settings allow.
    OverlapTooDeep,
    /// The search for contacts left a region undecided: neither bounds nor samples tell whether the two touch there.
    Undecided,
    /// A contact gained or lost more than a hundredth of the energy it transferred: even the shortest step could not resolve
    /// its force, or the overlap is so deep that the force has no potential.
    EnergyNotKept,
    /// At the start the first body is inside the second: they share no surface, so no force pushes them apart.
    StartsInside,
    /// A spring or joint between the two, or between the first and the world, broke under its load.
    JointBroke,
    /// A joint between the two, or between the first and the world, is pulled apart: other constraints contradict it.
    JointGaveWay,
    /// Both bodies are unbounded: no contact between them is found, and neither deforms the other.
    BothUnbounded,
    /// The two passed through each other: faster than the shortest step can follow, or harder than their layers can carry.
    PassedThrough,
    /// A step was accepted before its forces and velocities agreed: the work of one step is bounded.
    NotConverged,
    /// The contact force was integrated less exactly than asked for: the work of one search is bounded, and one body is
    /// pushed past the skeleton of the other.
    CoarseContact,
}

impl WarningKind {
    /// All kinds; the position of a kind is its number in files. New kinds are added at the end.
    pub const ALL: [Self; 13] = [
        Self::BottomedOut,
        Self::OverlapTooDeep,
        Self::BulgeCutOff,
        Self::VolumeNotKept,
        Self::Undecided,
        Self::EnergyNotKept,
        Self::StartsInside,
        Self::BothUnbounded,
        Self::JointBroke,
        Self::JointGaveWay,
        Self::PassedThrough,
        Self::NotConverged,
        Self::CoarseContact,
    ];
}

/// Warnings so far. Shared until one is added: a state is copied for every step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Warnings(Arc<Raised>);

#[derive(Clone, Debug, Default, PartialEq)]
struct Raised {
    list: Vec<Warning>,
    known: BTreeSet<((usize, usize), WarningKind)>,
}

impl Warnings {
    /// In the order in which they were raised.
    pub fn list(&self) -> &[Warning] {
        &self.0.list
    }

    /// Whether `kind` was raised for `bodies`.
    pub fn contains(&self, bodies: (usize, usize), kind: WarningKind) -> bool {
        self.0.known.contains(&(bodies, kind))
    }

    /// Adds `warning`, unless it was raised for the same bodies before.
    pub(crate) fn raise(&mut self, warning: Warning) {
        if !self.contains(warning.bodies, warning.kind) {
            let raised = Arc::make_mut(&mut self.0);
            raised.known.insert((warning.bodies, warning.kind));
            raised.list.push(warning);
        }
    }
}

impl FromIterator<Warning> for Warnings {
    fn from_iter<T: IntoIterator<Item = Warning>>(warnings: T) -> Self {
        let mut all = Self::default();
        warnings.into_iter().for_each(|w| all.raise(w));
        all
    }
}
