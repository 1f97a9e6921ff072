//! Making a world, and changing its bodies and joints between steps.

use super::World;
use crate::bodies::{Body, BodyError, Joint, LinkState, MassProperties, NewBody};
use crate::contact::Quality;
use crate::fields::Shape;
use crate::math::Frame;
use crate::model::{BodySpec, JointSpec, MotionSettings, Scene};
use crate::motion::{self, Scratch};
use crate::state::{Derived, MOST_PAIRS, Model, Sim, SleepState, State, sorted_by_name};
use std::collections::BTreeMap;
use std::sync::Arc;

impl World {
    /// The world a scene describes, at time zero, with its first contacts found.
    pub fn new(scene: &Scene) -> Result<Self, BodyError> {
        let mut known: Vec<(Arc<Shape>, MassProperties)> = Vec::new();
        let new = |b: &BodySpec| NewBody::from_spec(b, scene.isovalue, &mut known);
        let bodies: Vec<NewBody> = scene.bodies.iter().map(new).collect::<Result<_, _>>()?;
        let count = bodies.len();
        let (bodies, places) = sorted_by_name(bodies, |b| &b.name)?;
        if let Some(joint) = scene.joints.iter().find(|j| j.a.into_iter().chain([j.b]).any(|i| i >= count)) {
            let what = "it joins a body that is not there";
            return Err(BodyError::Joint { name: joint.name.clone(), what });
        }
        let frame = |i: usize| bodies[i].base.world_from_link(&bodies[i].start);
        let new = |j: &JointSpec| Joint::new(j, |i| places[i], frame);
        let joints = scene.joints.iter().map(new).collect();
        let mut world = Self::empty(bodies, scene.motion)?;
        world.model.gravity = scene.gravity;
        world.model.quality = Quality::within(scene.contact_tolerance);
        world.start(joints)?;
        Ok(world)
    }

    /// A world of bodies made in code, perhaps on bases of one's own ([`crate::bodies::Base`] is an open trait), at time
    /// zero. Gravity is the Earth's and contacts are found as exactly as those of a scene that says nothing.
    pub fn from_bodies(bodies: Vec<NewBody>, settings: MotionSettings) -> Result<Self, BodyError> {
        let (bodies, _) = sorted_by_name(bodies, |b| &b.name)?;
        let mut world = Self::empty(bodies, settings)?;
        world.start(Vec::new())?;
        Ok(world)
    }

    /// `bodies` are sorted by name.
    fn empty(bodies: Vec<NewBody>, settings: MotionSettings) -> Result<Self, BodyError> {
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
        if crate::state::is_crowded(&self.model, &self.state) {
            return Err(BodyError::Crowded(MOST_PAIRS));
        }
        self.find_contacts();
        self.open_accounts();
        motion::warn_starting_overlaps(&self.model, &mut self.state, &self.derived);
        Ok(())
    }

    /// Opens accounts of pairs that touch already, with the energy they hold.
    pub(super) fn open_accounts(&mut self) {
        let sim = Sim { model: &self.model, state: &self.state, derived: &self.derived };
        let known: Vec<_> = self.state.ledger.pairs.iter().map(|b| b.pair).collect();
        let mut pairs: Vec<_> = sim.dynamic_pairs().collect();
        pairs.dedup();
        let fresh: Vec<_> = pairs.iter().filter(|p| known.binary_search(p).is_err()).copied().collect();
        let stored: Vec<f64> = fresh.iter().map(|p| self.stored_between(p)).collect();
        self.state.ledger.follow(pairs.into_iter(), false);
        for (pair, stored) in fresh.into_iter().zip(stored) {
            self.state.ledger.account(pair).initial = stored;
        }
    }

    /// Adds a body where its start says, between two steps. All others go on as they do; indices of bodies whose names
    /// follow grow by one.
    pub fn add_body(&mut self, body: NewBody) -> Result<(), BodyError> {
        let mut bodies = self.model.taken_apart(&self.state.links);
        bodies.push(body);
        self.rebuild(bodies, self.model.joints().to_vec())
    }

    /// Removes a body and all joints that hold it; whether there was one of this name.
    pub fn remove_body(&mut self, name: &str) -> bool {
        let Some(gone) = self.body_index(name) else { return false };
        let link = self.model.link_of(gone);
        let mut bodies = self.model.taken_apart(&self.state.links);
        bodies.remove(gone);
        let joints = self.model.joints().iter().filter(|j| !j.links.contains(&Some(link))).cloned().collect();
        // Fewer of what was legal is legal.
        self.rebuild(bodies, joints).is_ok()
    }

    /// Adds a spring or joint, for bodies where they are now; of `spec`, bodies are indices into [`World::bodies`].
    pub fn add_joint(&mut self, spec: &JointSpec) -> Result<(), BodyError> {
        let count = self.bodies().len();
        if spec.a.into_iter().chain([spec.b]).any(|i| i >= count) {
            return Err(BodyError::Joint { name: spec.name.clone(), what: "it joins a body that is not there" });
        }
        let frame = |link: usize| self.sim().link(link).world_from_link();
        let joint = Joint::new(spec, |body| self.model.link_of(body), frame);
        let mut joints = self.model.joints().to_vec();
        joints.push(joint);
        self.rebuild(self.model.taken_apart(&self.state.links), joints)
    }

    /// Removes a spring or joint; whether there was one of this name.
    pub fn remove_joint(&mut self, name: &str) -> bool {
        let joints: Vec<Joint> = self.model.joints().iter().filter(|j| j.name != name).cloned().collect();
        let there = joints.len() < self.model.joints().len();
        there && self.rebuild(self.model.taken_apart(&self.state.links), joints).is_ok()
    }

    /// Takes these bodies and joints instead of those it has. The state of bodies, joints and pairs that stay is kept, by
    /// name. On an error nothing has changed.
    fn rebuild(&mut self, bodies: Vec<NewBody>, joints: Vec<Joint>) -> Result<(), BodyError> {
        let (bodies, _) = sorted_by_name(bodies, |b| &b.name)?;
        let (joints, _) = sorted_by_name(joints, |j| &j.name)?;
        let mut new = Self::empty(bodies, self.model.settings)?;
        (new.model.gravity, new.model.quality) = (self.model.gravity, self.model.quality);
        let old_names: BTreeMap<&str, usize> =
            self.bodies().iter().enumerate().map(|(i, b)| (b.name.as_str(), i)).collect();
        let moved: Vec<Option<usize>> = old_names.keys().map(|name| new.body_index(name)).collect();
        let link = |old: usize| moved[self.model.owner(old)].map(|body| new.model.link_of(body));
        let renumbered = |mut j: Joint| {
            // Of a joint in code, links are those of before, too.
            j.links = j.links.map(|l| l.and_then(link));
            j
        };
        let links: Vec<LinkState> = new.state.links.clone();
        let joints: Vec<Joint> = joints.into_iter().map(renumbered).collect();
        new.model.set_joints(joints, &links)?;
        let mut state = State::new(&new.model, links);
        (state.time, state.sleep_gravity) = (self.state.time, self.state.sleep_gravity);
        state.ledger = self.state.ledger.clone();
        for (old, new_body) in moved.iter().enumerate() {
            let Some(body) = new_body else { continue };
            let (from, to) = (self.model.link_of(old), new.model.link_of(*body));
            state.applied[to] = self.state.applied[from];
            // Whatever held a sleeper up may be gone.
            state.sleep[to] = match self.state.sleep[from] {
                SleepState::Asleep => SleepState::Awake(0.0),
                awake => awake,
            };
        }
        for (i, joint) in new.model.joints().iter().enumerate() {
            let before = self.model.joints().iter().position(|j| j.name == joint.name);
            state.broken[i] = before.is_some_and(|n| self.state.broken[n]);
        }
        let pair = |p: &crate::state::LayerPair| {
            let (a, b) = (moved[p.a.0]?, moved[p.b.0]?);
            Some(crate::state::LayerPair { a: (a, p.a.1), b: (b, p.b.1) })
        };
        state.friction = self
            .state
            .friction
            .iter()
            .filter_map(|f| Some(crate::state::FrictionState { pair: pair(&f.pair)?, ..*f }))
            .collect();
        state.ledger.pairs = self
            .state
            .ledger
            .pairs
            .iter()
            .filter_map(|l| Some(crate::state::PairLedger { pair: pair(&l.pair)?, ..*l }))
            .collect();
        let warned = |w: &crate::state::Warning| {
            Some(crate::state::Warning { bodies: (moved[w.bodies.0]?, moved[w.bodies.1]?), ..w.clone() })
        };
        state.warnings = self.state.warnings.list().iter().filter_map(warned).collect();
        if crate::state::is_crowded(&new.model, &state) {
            return Err(BodyError::Crowded(MOST_PAIRS));
        }
        new.state = state;
        new.scratch = self.scratch.clone();
        new.find_contacts();
        new.open_accounts();
        *self = new;
        Ok(())
    }
}

/// A frame of a body by its name, for code that builds joints.
impl World {
    /// Body of this name.
    pub fn body(&self, name: &str) -> Option<&Body> {
        self.body_index(name).map(|i| &self.bodies()[i])
    }

    /// Frame of the body of this name.
    pub fn frame_of(&self, name: &str) -> Option<Frame> {
        self.body_index(name).map(|i| self.frame(i))
    }
}
