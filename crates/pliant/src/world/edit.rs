//! Adding and removing bodies and joints between steps.

use super::World;
use super::build::NO_SUCH_BODY;
use crate::bodies::{BodyError, BodyId, Joint, LinkId, NewBody};
use crate::model::JointSpec;
use crate::state::{FrictionState, LayerIndex, LayerPair, MAX_PAIRS, PairLedger, SleepState, State, Warning};
use crate::state::{is_crowded, sorted_by_name};

impl World {
    /// Adds a body where its start says, between two steps. The others go on undisturbed, but indices of bodies whose names
    /// follow grow by one: keep [`BodyId`]s, not indices.
    pub fn add_body(&mut self, body: NewBody) -> Result<BodyId, BodyError> {
        let name = body.name.clone();
        let mut bodies = self.model.to_new_bodies(&self.state.links);
        bodies.push(body);
        self.rebuild(bodies, self.model.joints().to_vec())?;
        Ok(self.body(&name).expect("the body was added").id)
    }

    /// Removes a body and all its joints; false if no body has this name.
    pub fn remove_body(&mut self, name: &str) -> bool {
        let Some(gone) = self.body_index(name) else { return false };
        let link = self.model.link_of(gone);
        let mut bodies = self.model.to_new_bodies(&self.state.links);
        bodies.remove(gone);
        let joints = self.model.joints().iter().filter(|j| !j.links.contains(&Some(link))).cloned().collect();
        // A legal world without one of its bodies is legal.
        self.rebuild(bodies, joints).is_ok()
    }

    /// Adds a spring or joint between bodies where they are now. Bodies in `spec` are indices into [`World::bodies`].
    pub fn add_joint(&mut self, spec: &JointSpec) -> Result<(), BodyError> {
        let count = self.bodies().len();
        if spec.a.into_iter().chain([spec.b]).any(|i| i >= count) {
            return Err(BodyError::Joint { name: spec.name.clone(), what: NO_SUCH_BODY });
        }
        let frame = |link: LinkId| self.sim().link(link).world_from_link();
        let joint = Joint::new(spec, |body| self.model.link_of(body), frame);
        let mut joints = self.model.joints().to_vec();
        joints.push(joint);
        self.rebuild(self.model.to_new_bodies(&self.state.links), joints)
    }

    /// Removes a spring or joint; false if none has this name.
    pub fn remove_joint(&mut self, name: &str) -> bool {
        let joints: Vec<Joint> = self.model.joints().iter().filter(|j| j.name != name).cloned().collect();
        let there = joints.len() < self.model.joints().len();
        there && self.rebuild(self.model.to_new_bodies(&self.state.links), joints).is_ok()
    }

    /// Replaces all bodies and joints; links of `joints` have their present indices. The state of bodies, joints and pairs
    /// that stay is kept, by name. On an error nothing has changed.
    fn rebuild(&mut self, bodies: Vec<NewBody>, joints: Vec<Joint>) -> Result<(), BodyError> {
        let (bodies, _) = sorted_by_name(bodies, |b| &b.name)?;
        let (joints, _) = sorted_by_name(joints, |j| &j.name)?;
        let mut new = Self::without_contacts(bodies, self.model.settings)?;
        (new.model.gravity, new.model.quality) = (self.model.gravity, self.model.quality);
        let moved = Renumbering(self.bodies().iter().map(|body| new.body_index(&body.name)).collect());
        new.model.keep_ids(&self.model, &moved.0);
        let link = |old: LinkId| moved.0[self.model.owner(old)].map(|body| new.model.link_of(body));
        let renumbered = |mut j: Joint| {
            j.links = j.links.map(|l| l.and_then(link));
            j
        };
        let joints: Vec<Joint> = joints.into_iter().map(renumbered).collect();
        new.model.set_joints(joints, &new.state.links)?;
        new.state = self.renumbered_state(&new, &moved);
        if is_crowded(new.sim().configuration()) {
            return Err(BodyError::Crowded(MAX_PAIRS));
        }
        new.scratch = self.scratch.clone();
        new.find_contacts();
        new.open_pair_ledgers();
        *self = new;
        Ok(())
    }

    /// The state of this world for the bodies and joints of `new`.
    fn renumbered_state(&self, new: &Self, moved: &Renumbering) -> State {
        let mut state = State::new(&new.model, new.state.links.clone());
        (state.time, state.sleep_gravity) = (self.state.time, self.state.sleep_gravity);
        for (old, body) in moved.0.iter().enumerate() {
            let Some(body) = body else { continue };
            let (from, to) = (self.model.link_of(old), new.model.link_of(*body));
            state.applied[to] = self.state.applied[from];
            // The support of a sleeper may be gone.
            state.sleep[to] = match self.state.sleep[from] {
                SleepState::Asleep => SleepState::Awake(0.0),
                awake => awake,
            };
        }
        for (i, joint) in new.model.joints().iter().enumerate() {
            let before = self.model.joints().iter().position(|j| j.name == joint.name);
            state.broken[i] = before.is_some_and(|n| self.state.broken[n]);
        }
        let friction = |f: &FrictionState| Some(FrictionState { pair: moved.pair(&f.pair)?, ..*f });
        state.friction = self.state.friction.iter().filter_map(friction).collect();
        state.ledger = self.state.ledger.clone();
        let entry = |l: &PairLedger| Some(PairLedger { pair: moved.pair(&l.pair)?, ..*l });
        state.ledger.pairs = self.state.ledger.pairs.iter().filter_map(entry).collect();
        let warning = |w: &Warning| Some(Warning { bodies: moved.bodies(w.bodies)?, ..w.clone() });
        state.warnings = self.state.warnings.list().iter().filter_map(warning).collect();
        state
    }
}

/// New index of each body; none for a body that is removed.
struct Renumbering(Vec<Option<usize>>);

impl Renumbering {
    fn bodies(&self, (i, j): (usize, usize)) -> Option<(usize, usize)> {
        Some((self.0[i]?, self.0[j]?))
    }

    fn pair(&self, pair: &LayerPair) -> Option<LayerPair> {
        let (a, b) = self.bodies(pair.bodies())?;
        Some(LayerPair { a: LayerIndex { body: a, ..pair.a }, b: LayerIndex { body: b, ..pair.b } })
    }
}
