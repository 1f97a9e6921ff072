//! The world: a model, its state, and steps of time.
//!
//! ```text
//! World { model, state, derived, scratch }
//!   World::advance_to → motion steps → State at a later time
//!   World::snapshot / restore        a State, whole
//!   World::deformed, contacts, energy functions of model and state
//! ```
//!
//! *What we promise*: the same bits for any number of threads, any order of bodies in the scene, and after resuming from a
//! snapshot. For that, everything is in the order of names, and at the end of every advance by explicit steps contacts are
//! found from positions alone, without the warm starts that make finding them fast in between.

mod advance;
mod build;
mod energy;
mod external;
#[cfg(test)]
mod tests;
mod visible;

pub use advance::{AdvanceError, Cancel};
pub use energy::Energy;
pub(crate) use visible::Shared;

use crate::bodies::{Body, Joint, Link, LinkState};
use crate::contact::{Pair, Quality};
use crate::math::{Aabb, DVec3, Frame};
use crate::model::MotionSettings;
use crate::motion::{self, ContactRows, Scratch, StepStats, Stepper};
use crate::state::{Contact, Derived, LayerPair, Model, Sim, State, StateError, Warning};

/// Bodies, joints and time.
#[derive(Clone, Debug)]
pub struct World {
    /// What no step changes.
    model: Model,
    /// What a step changes.
    state: State,
    /// Contacts and candidate pairs, from both.
    derived: Derived,
    /// Room for steps, and counts of their work.
    scratch: Scratch,
}

impl World {
    /// Bodies, in the order of their names.
    pub fn bodies(&self) -> &[Body] {
        self.model.bodies()
    }

    /// Index of the body of this name.
    pub fn body_index(&self, name: &str) -> Option<usize> {
        self.bodies().binary_search_by(|b| b.name.as_str().cmp(name)).ok()
    }

    /// Springs and joints, in the order of their names.
    pub fn joints(&self) -> &[Joint] {
        self.model.joints()
    }

    /// Whether joint `i` is broken.
    pub fn is_broken(&self, i: usize) -> bool {
        self.state.broken[i]
    }

    /// Placement and motion of body `i`.
    pub fn link(&self, body: usize) -> Link<'_> {
        self.sim().link(self.model.link_of(body))
    }

    /// Frame of body `i`: world from body.
    pub fn frame(&self, body: usize) -> Frame {
        self.link(body).world_from_link()
    }

    /// A world box around the rest shape of body `i`.
    pub fn bounds(&self, body: usize) -> Aabb {
        self.bodies()[body].bounds(&self.frame(body))
    }

    /// Ends of joint `i` in the world.
    pub fn joint_ends(&self, i: usize) -> [Frame; 2] {
        self.sim().joint_ends(i)
    }

    /// Whether body `i` has come to rest and is left alone.
    pub fn is_asleep(&self, body: usize) -> bool {
        self.state.is_asleep(self.model.link_of(body))
    }

    /// Seconds since the start.
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Patches of this moment, in the order of pairs.
    pub fn contacts(&self) -> &[Contact] {
        &self.derived.contacts
    }

    /// Two layers as contact sees them, where they are now.
    pub fn pair(&self, pair: &LayerPair) -> Pair<'_> {
        self.sim().pair(pair)
    }

    /// Warnings so far, each pair once for each kind.
    pub fn warnings(&self) -> &[Warning] {
        self.state.warnings.list()
    }

    /// Counts of the work done by steps since the world was made.
    pub fn stats(&self) -> &StepStats {
        &self.scratch.stats
    }

    /// Acceleration of free fall, m/s².
    pub fn gravity(&self) -> DVec3 {
        self.model.gravity
    }

    /// Changes the acceleration of free fall; sleepers wake.
    pub fn set_gravity(&mut self, gravity: DVec3) {
        self.model.gravity = gravity;
    }

    /// Settings of the time integration.
    pub fn settings(&self) -> &MotionSettings {
        &self.model.settings
    }

    /// Settings of the time integration, to be changed between steps.
    pub fn settings_mut(&mut self) -> &mut MotionSettings {
        &mut self.model.settings
    }

    /// How carefully contacts are integrated.
    pub fn quality(&self) -> &Quality {
        &self.model.quality
    }

    /// Changes how carefully contacts are integrated, from the next search on.
    pub fn set_quality(&mut self, quality: Quality) {
        self.model.quality = quality;
    }

    /// The state: everything needed to come back to this moment, or to go on from it.
    pub fn snapshot(&self) -> State {
        self.state.clone()
    }

    /// The state, for reading.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Goes to `state`, which a world of the same bodies and joints made. One that none can have made is refused.
    pub fn restore(&mut self, state: &State) -> Result<(), StateError> {
        state.check(&self.model)?;
        self.state = state.clone();
        let seeds = (!state.seeds.is_empty()).then(|| state.seeds.clone());
        let ledger = self.state.ledger.clone();
        self.derived.find(&self.model, &mut self.state, seeds);
        motion::warn_bottomed_out(&self.model, &mut self.state, &self.derived);
        self.update_forces();
        self.state.ledger = ledger;
        self.open_accounts();
        Ok(())
    }

    /// A state with these links, in which nothing has happened yet.
    pub(crate) fn state_with_links(&self, links: Vec<LinkState>) -> State {
        let mut state = State::new(&self.model, links);
        // Numbers of another world are told by `State::check`.
        state.rest_gravity = self.model.gravity;
        state
    }

    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    pub(crate) fn sim(&self) -> Sim<'_> {
        Sim { model: &self.model, state: &self.state, derived: &self.derived }
    }

    /// The simulation to be stepped, and the room for it.
    fn stepper(&mut self) -> (Stepper<'_>, &mut ContactRows) {
        let Self { model, state, derived, scratch: Scratch { rows, stats } } = self;
        (Stepper { model, state, derived, stats }, rows)
    }

    /// Finds every patch from positions alone.
    fn find_contacts(&mut self) {
        self.derived.find(&self.model, &mut self.state, None);
        motion::warn_bottomed_out(&self.model, &mut self.state, &self.derived);
        let most = &mut self.scratch.stats.most_contacts;
        *most = (*most).max(self.derived.contacts.len());
        self.update_forces();
    }

    fn update_forces(&mut self) {
        motion::update_forces(&self.model, &self.state, &mut self.derived);
    }
}
