//! Making a world from a scene or from bodies made in code.

use super::World;
use crate::bodies::{BodyError, Joint, LinkId, NewBody};
use crate::contact::Quality;
use crate::model::{BodySpec, JointSpec, MotionSettings, Scene};
use crate::motion::{self, Scratch};
use crate::state::{Derived, MAX_PAIRS, Model, State, is_crowded, sorted_by_name};

/// Refusal of a joint with an index out of range.
pub(super) const NO_SUCH_BODY: &str = "it joins a body that is not there";

impl World {
    /// World of a scene, at time zero, with its first contacts found.
    pub fn new(scene: &Scene) -> Result<Self, BodyError> {
        let mut known = Vec::new();
        let new = |b: &BodySpec| NewBody::from_spec(b, scene.isovalue, &mut known);
        let bodies: Vec<NewBody> = scene.bodies.iter().map(new).collect::<Result<_, _>>()?;
        let count = bodies.len();
        let (bodies, places) = sorted_by_name(bodies, |b| &b.name)?;
        if let Some(joint) = scene.joints.iter().find(|j| j.a.into_iter().chain([j.b]).any(|i| i >= count)) {
            return Err(BodyError::Joint { name: joint.name.clone(), what: NO_SUCH_BODY });
        }
        let mut world = Self::without_contacts(bodies, scene.motion)?;
        let frame = |link: LinkId| world.sim().link(link).world_from_link();
        let new = |j: &JointSpec| Joint::new(j, |body| world.model.link_of(places[body]), frame);
        let joints = scene.joints.iter().map(new).collect();
        world.model.gravity = scene.gravity;
        world.model.quality = Quality::within(scene.contact_tolerance);
        world.start(joints)?;
        Ok(world)
    }

    /// World of bodies made in code, perhaps on motion laws of one's own ([`MotionLaw`](crate::bodies::MotionLaw) is an
    /// open trait), at time zero. Gravity is the Earth's, and the accuracy of contacts is the default of a scene.
    pub fn from_bodies(bodies: Vec<NewBody>, settings: MotionSettings) -> Result<Self, BodyError> {
        let (bodies, _) = sorted_by_name(bodies, |b| &b.name)?;
        let mut world = Self::without_contacts(bodies, settings)?;
        world.start(Vec::new())?;
        Ok(world)
    }

    /// World of `bodies`, which are sorted by name, without joints; contacts are not found yet.
    pub(super) fn without_contacts(bodies: Vec<NewBody>, settings: MotionSettings) -> Result<Self, BodyError> {
        bodies.iter().try_for_each(NewBody::check)?;
        let (model, starts) = Model::new(bodies, settings);
        let state = State::new(&model, starts);
        Ok(Self { model, state, derived: Derived::default(), scratch: Scratch::default() })
    }

    /// Adds joints, and finds the first contacts.
    fn start(&mut self, joints: Vec<Joint>) -> Result<(), BodyError> {
        let (joints, _) = sorted_by_name(joints, |j| &j.name)?;
        self.model.set_joints(joints, &self.state.links)?;
        self.state = State::new(&self.model, std::mem::take(&mut self.state.links));
        if is_crowded(self.sim().configuration()) {
            return Err(BodyError::Crowded(MAX_PAIRS));
        }
        self.find_contacts();
        self.open_pair_ledgers();
        motion::warn_starting_overlaps(&self.model, &mut self.state, &self.derived);
        Ok(())
    }

    /// Opens ledgers of pairs in contact that have none, with the energy they store.
    pub(super) fn open_pair_ledgers(&mut self) {
        let known: Vec<_> = self.state.ledger.pairs.iter().map(|b| b.pair).collect();
        let mut pairs: Vec<_> = self.sim().dynamic_pairs().collect();
        pairs.dedup();
        let fresh: Vec<_> = pairs.iter().filter(|p| known.binary_search(p).is_err()).copied().collect();
        let stored: Vec<f64> = fresh.iter().map(|p| self.stored_between(p)).collect();
        self.state.ledger.update_pairs(pairs.into_iter(), false);
        for (pair, stored) in fresh.into_iter().zip(stored) {
            self.state.ledger.of_pair(pair).initial = stored;
        }
    }
}
