//! The state: everything that a step changes, as one value.

use super::contact::{LayerIndex, LayerPair, PairWarmStart};
use super::friction_state::FrictionState;
use super::ledger::Ledger;
use super::model::Model;
use super::warning::{Warning, Warnings};
use crate::bodies::{AppliedWrench, LinkId, LinkState, PerLink};
use crate::math::DVec3;

/// Whether a link sleeps, or for how long it has been slow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SleepState {
    /// Slow for so many seconds.
    Awake(f64),
    /// Not stepped until something touches or pulls it.
    Asleep,
}

/// Everything a step changes. A world restored from it goes on with the same bits.
///
/// To add state of a link, joint or pair: a field here, its initial value in `State::new`, its check in `State::check`, and
/// its chunk in `record/state_codec.rs`. Bodies added or removed between steps renumber it in `world/edit.rs`.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Time since the start, s.
    pub time: f64,
    /// Placement and motion of every link, in the order of names.
    pub links: PerLink<LinkState>,
    /// Load applied from code to every link, about its centre; acts until it is changed.
    pub applied: PerLink<AppliedWrench>,
    /// Shear of every patch, in the order of contacts.
    pub friction: Vec<FrictionState>,
    /// Warm starts of the last search for patches, in the order of pairs; empty if it searched from positions alone.
    pub seeds: Vec<PairWarmStart>,
    /// Sleep of every link.
    pub sleep: PerLink<SleepState>,
    /// Gravity when links fell asleep: they wake when it changes.
    pub sleep_gravity: DVec3,
    /// Whether each joint is broken.
    pub broken: Vec<bool>,
    /// Energy recorded so far.
    pub ledger: Ledger,
    /// Warnings raised so far; none is repeated.
    pub warnings: Warnings,
}

/// Refusal of a [`State`] by a world, which is left as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// From another world, or incomplete.
    #[error("the state holds {found} {what}, this world {expected}")]
    OtherLength {
        /// Items counted.
        what: &'static str,
        /// Number in the state.
        found: usize,
        /// Number in the world.
        expected: usize,
    },
    /// The placement or velocity of a body is not finite, too large, or not a rotation.
    #[error(
        "the state of body \"{0}\" is not finite, too far away or too fast, or its rotation is not a unit quaternion"
    )]
    Impossible(String),
    /// Not finite, out of order, or of bodies that do not exist.
    #[error("the state's {0} is not finite or out of range")]
    OutOfRange(&'static str),
}

/// Farthest position (m) and greatest speed (m/s, rad/s) of a link. Larger: rounding of squared differences keeps searches
/// from ending. Smaller: legal worlds cannot be resumed.
const FARTHEST: f64 = 1e15;

impl State {
    /// State at time zero of a model whose links start as `links`.
    pub(crate) fn new(model: &Model, links: PerLink<LinkState>) -> Self {
        Self {
            time: 0.0,
            applied: PerLink::filled(AppliedWrench::default(), links.len()),
            sleep: PerLink::filled(SleepState::Awake(0.0), links.len()),
            links,
            friction: Vec::new(),
            seeds: Vec::new(),
            sleep_gravity: model.gravity,
            broken: vec![false; model.joints().len()],
            ledger: Ledger::default(),
            warnings: Warnings::default(),
        }
    }

    /// Refuses a state that no world of `model` can have.
    pub(crate) fn check(&self, model: &Model) -> Result<(), StateError> {
        let (links, joints, bodies) = (model.link_count(), model.joints().len(), model.bodies().len());
        let lengths = [
            ("links", self.links.len(), links),
            ("loads", self.applied.len(), links),
            ("sleep states", self.sleep.len(), links),
            ("joints", self.broken.len(), joints),
        ];
        if let Some((what, found, expected)) = lengths.into_iter().find(|(_, found, expected)| found != expected) {
            return Err(StateError::OtherLength { what, found, expected });
        }
        if let Some(i) = model.links().find(|i| !is_possible(model, *i, &self.links[*i])) {
            return Err(StateError::Impossible(model.bodies()[model.owner(i)].name.clone()));
        }
        let exists = |at: &LayerIndex| at.body < bodies && at.layer < model.bodies()[at.body].coat.len();
        let pairs = |mut all: Box<dyn Iterator<Item = LayerPair> + '_>| all.all(|p| exists(&p.a) && exists(&p.b));
        let warned = |w: &Warning| {
            w.time.is_finite() && w.bodies.0 < bodies && w.bodies.1 < bodies && w.size.is_none_or(f64::is_finite)
        };
        let rested = |r: &SleepState| {
            matches!(r, SleepState::Asleep) || matches!(r, SleepState::Awake(t) if *t >= 0.0 && t.is_finite())
        };
        let checks = [
            (self.time >= 0.0 && self.time.is_finite(), "time"),
            (self.applied.iter().all(|l| l.force.is_finite() && l.torque.is_finite()), "applied load"),
            (self.sleep.iter().all(rested) && self.sleep_gravity.is_finite(), "sleep"),
            (self.friction.iter().all(FrictionState::is_finite), "friction"),
            (pairs(Box::new(self.friction.iter().map(|f| f.pair))), "friction"),
            (self.seeds.iter().all(|s| s.start.is_usable()), "warm start"),
            (
                pairs(Box::new(self.seeds.iter().map(|s| s.pair))) && self.seeds.is_sorted_by_key(|s| s.pair),
                "warm start",
            ),
            (self.ledger.is_finite(), "energy ledger"),
            (pairs(Box::new(self.ledger.pairs.iter().map(|l| l.pair))), "energy ledger"),
            (self.warnings.list().iter().all(warned), "list of warnings"),
        ];
        checks.into_iter().find(|(holds, _)| !holds).map_or(Ok(()), |(_, what)| Err(StateError::OutOfRange(what)))
    }

    /// Whether link `i` sleeps.
    pub fn is_asleep(&self, i: LinkId) -> bool {
        self.sleep[i] == SleepState::Asleep
    }
}

/// Whether placement and velocity of link `i` are finite and in range.
fn is_possible(model: &Model, i: LinkId, state: &LinkState) -> bool {
    let link = model.link(i, state);
    let (frame, twist) = (link.world_from_link(), link.twist());
    let small = |v: DVec3| v.abs().max_element() <= FARTHEST;
    let all = [frame.translation, state.position, twist.linear, twist.angular];
    frame.rotation.is_normalized() && all.into_iter().all(|v| v.is_finite() && small(v))
}
