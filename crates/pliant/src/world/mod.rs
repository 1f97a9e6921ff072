//! The world: bodies and joints, their state, and steps of time.
//!
//! ```text
//! World { model, state, derived, scratch }
//!   World::advance_to → motion steps → State at a later time
//!   World::snapshot / restore        a whole State
//!   World::deformed, contacts, energy functions of model and state
//! ```
//!
//! *Promised*: the same bits for any number of threads, any order of bodies in the scene, and after resuming from a
//! snapshot. For that, everything is in the order of names, and at the end of every advance by explicit steps contacts are
//! found from positions alone, without the warm starts that make the search fast in between.

mod advance;
mod build;
mod edit;
mod energy;
mod applied_wrenches;
#[cfg(test)]
mod tests;
mod visible;

pub use advance::{AdvanceError, Cancel};
pub use energy::Energy;
pub(crate) use visible::ContactInterface;

use crate::bodies::{Body, BodyId, Joint, JointCoordinates, Link, LinkState, PerLink};
use crate::contact::{Pair, Quality};
use crate::math::{Aabb, DVec3, Frame};
use crate::model::{MotionSettings, SchemeChoice};
use crate::motion::{self, LinearizedContacts, Scratch, StepStats, Stepper};
use crate::state::{Contact, Derived, LayerPair, Model, Sim, State, StateError, Warning};

/// A simulation: bodies, joints, and their state at [`World::time`].
///
/// Bodies are numbered in the order of their names, and methods take such an index. Adding or removing a body renumbers those
/// whose names follow; a [`BodyId`] stays, and [`World::index_of`] tells its index now. So does a name
/// ([`World::body_index`]).
///
/// A world from a scene file is in the README. A world made in code:
///
/// ```
/// use pliant::bodies::{AppliedWrench, NewBody};
/// use pliant::fields::skeleton::{HalfSpace, Point};
/// use pliant::fields::{Element, Kernel};
/// use pliant::math::{DVec3, Frame};
/// use pliant::model::{BodySpec, MotionSettings, MotionSpec};
/// use pliant::{Cancel, World};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // A kernel of isovalue 1 around a skeleton: the surface is 10 cm away, the field ends at 20 cm.
/// let kernel = Kernel::linear(1.0, 0.1, 0.2)?;
/// let ball = |name: &str, height: f64| BodySpec {
///     placement: Frame::at(DVec3::Z * height),
///     ..BodySpec::soft(name, vec![Element::new(Point { at: DVec3::ZERO }.into(), kernel.clone())])
/// };
/// let below = HalfSpace::new(DVec3::Z * -0.1, DVec3::Z)?;
/// let floor = BodySpec {
///     motion: MotionSpec::Fixed,
///     ..BodySpec::rigid("floor", vec![Element::new(below.into(), kernel.clone())])
/// };
/// let bodies = vec![NewBody::new(&ball("ball", 0.15))?, NewBody::new(&floor)?];
/// let mut world = World::from_bodies(bodies, MotionSettings::default())?;
///
/// // Falls 5 cm in 0.1 s, and presses on the floor.
/// world.advance_to(0.12)?;
/// let [contact] = world.contacts() else { panic!("one contact") };
/// assert!(contact.forces.on_a.force.z > 0.0);
///
/// // A second ball: indices change, handles stay.
/// let lower = world.body("ball").unwrap().id;
/// let upper = world.add_body(NewBody::new(&ball("a ball above", 0.6))?)?;
/// assert_eq!((world.index_of(upper), world.index_of(lower)), (Some(0), Some(1)));
/// world.set_applied_wrench(world.index_of(upper).unwrap(), AppliedWrench { force: DVec3::X * 5.0, torque: DVec3::ZERO });
///
/// // Steps can be cancelled from another thread, and undone.
/// let before = world.snapshot();
/// world.advance_to_or_cancel(0.2, &Cancel::default())?;
/// world.restore(&before)?;
/// assert_eq!(world.time(), 0.12);
/// println!("{:.3} J, {} warnings", world.energy().total(), world.warnings().len());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct World {
    /// Bodies, joints and settings: constant during steps.
    model: Model,
    /// Everything a step changes.
    state: State,
    /// Contacts and candidate pairs, computed from model and state.
    derived: Derived,
    /// Buffers of a step, and counts of its work.
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

    /// Body of this name.
    pub fn body(&self, name: &str) -> Option<&Body> {
        self.body_index(name).map(|i| &self.bodies()[i])
    }

    /// Index of the body of a handle; none if it was removed.
    pub fn index_of(&self, id: BodyId) -> Option<usize> {
        self.model.index_of(id)
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

    /// World box around the rest shape of body `i`.
    pub fn bounds(&self, body: usize) -> Aabb {
        self.bodies()[body].bounds(&self.frame(body))
    }

    /// Frames at both ends of joint `i`, world.
    pub fn joint_ends(&self, i: usize) -> [Frame; 2] {
        self.sim().joint_ends(i)
    }

    /// Coordinates of joint `i` now: the angle of a hinge, the travel of a slider, and by how much constraints are violated.
    pub fn joint_coordinates(&self, i: usize) -> JointCoordinates {
        self.joints()[i].coordinates(&self.joint_ends(i))
    }

    /// Whether body `i` sleeps: it has come to rest and is not stepped.
    pub fn is_asleep(&self, body: usize) -> bool {
        self.state.is_asleep(self.model.link_of(body))
    }

    /// Time since the start, s.
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Contacts of this moment, in the order of pairs.
    pub fn contacts(&self) -> &[Contact] {
        &self.derived.contacts
    }

    /// Fields and materials of two layers where they are now, for contact queries.
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

    /// The scheme of the next step, and why.
    pub fn scheme_choice(&self) -> SchemeChoice {
        self.model.scheme_choice()
    }

    /// Settings of the time integration, to be changed between steps.
    pub fn settings_mut(&mut self) -> &mut MotionSettings {
        &mut self.model.settings
    }

    /// Accuracy of the search for contacts and of their integrals.
    pub fn quality(&self) -> &Quality {
        &self.model.quality
    }

    /// Changes the accuracy of contacts, from the next search on.
    pub fn set_quality(&mut self, quality: Quality) {
        self.model.quality = quality;
    }

    /// Copy of the state, for [`World::restore`].
    pub fn snapshot(&self) -> State {
        self.state.clone()
    }

    /// The state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Restores `state`, a snapshot of a world of the same bodies and joints. A state that no such world can have is refused,
    /// and the world is left as it was.
    pub fn restore(&mut self, state: &State) -> Result<(), StateError> {
        state.check(&self.model)?;
        self.state = state.clone();
        let seeds = (!state.seeds.is_empty()).then(|| state.seeds.clone());
        let ledger = self.state.ledger.clone();
        self.derived.find(&self.model, &mut self.state, seeds);
        motion::warn_bottomed_out(&self.model, &mut self.state, &self.derived);
        self.update_forces();
        self.state.ledger = ledger;
        self.open_pair_ledgers();
        Ok(())
    }

    /// Initial state with these links; [`State::check`] tells whether they are links of this world.
    pub(crate) fn state_with_links(&self, links: PerLink<LinkState>) -> State {
        State::new(&self.model, links)
    }

    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    pub(crate) fn sim(&self) -> Sim<'_> {
        Sim { model: &self.model, state: &self.state, derived: &self.derived }
    }

    /// The simulation to be stepped, and the buffers for it.
    fn stepper(&mut self) -> (Stepper<'_>, &mut LinearizedContacts) {
        let Self { model, state, derived, scratch: Scratch { linearized, stats } } = self;
        (Stepper { model, state, derived, stats }, linearized)
    }

    /// Finds every patch from positions alone.
    fn find_contacts(&mut self) {
        self.derived.find(&self.model, &mut self.state, None);
        motion::warn_bottomed_out(&self.model, &mut self.state, &self.derived);
        let most = &mut self.scratch.stats.max_contacts;
        *most = (*most).max(self.derived.contacts.len());
        self.update_forces();
    }

    fn update_forces(&mut self) {
        motion::update_forces(&self.model, &self.state, &mut self.derived);
    }
}
