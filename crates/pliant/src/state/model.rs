//! The model: bodies, links and joints in the order of their names, and settings. No step changes it.

use crate::bodies::{Body, BodyError, BodyId, Joint, Layer, Link, LinkId, LinkState, MotionLaw, NewBody, PerLink};
use crate::contact::Quality;
use crate::math::DVec3;
use crate::model::{MotionSettings, SchemeChoice, SchemeFacts, is_simple_layer};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Everything about a simulation that no step changes.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    bodies: Vec<Body>,
    /// Indices of bodies by their handles.
    indices: BTreeMap<BodyId, usize>,
    /// Handle of the next body that is added.
    next_id: u64,
    /// Law of each link.
    motion_laws: PerLink<Arc<dyn MotionLaw>>,
    /// Body of each link.
    owners: PerLink<usize>,
    joints: Vec<Joint>,
    /// Pairs of bodies whose joint excludes contact: smaller index first, sorted.
    excluded: Vec<[usize; 2]>,
    /// Whether each link is dynamic: moved by forces.
    dynamic: PerLink<bool>,
    dynamic_count: usize,
    /// Whether all bodies moved by forces are balls, and all others single convex skeletons.
    only_balls_move: bool,
    /// Whether the inertia of every dynamic link is known.
    inertia_known: bool,
    /// Acceleration of free fall, m/s².
    pub gravity: DVec3,
    /// Settings of the time integration.
    pub settings: MotionSettings,
    /// Accuracy of the search for contacts and of their integrals.
    pub quality: Quality,
}

/// `items` in the order of their names, and the new index of each. A name used twice is refused.
pub(crate) fn sorted_by_name<T>(items: Vec<T>, name: impl Fn(&T) -> &str) -> Result<(Vec<T>, Vec<usize>), BodyError> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|i, j| name(&items[*i]).cmp(name(&items[*j])));
    if let Some(pair) = order.windows(2).find(|w| name(&items[w[0]]) == name(&items[w[1]])) {
        return Err(BodyError::SameName(name(&items[pair[0]]).to_owned()));
    }
    let mut places = vec![0; items.len()];
    order.iter().enumerate().for_each(|(place, i)| places[*i] = place);
    let mut slots: Vec<Option<T>> = items.into_iter().map(Some).collect();
    let mut sorted = Vec::with_capacity(order.len());
    sorted.extend(order.iter().filter_map(|i| slots[*i].take()));
    Ok((sorted, places))
}

impl Model {
    /// Model of `bodies`, which are sorted by name, without joints; and the states their links start with.
    pub fn new(bodies: Vec<NewBody>, settings: MotionSettings) -> (Self, PerLink<LinkState>) {
        let (mut model, mut starts) = (Self::empty(settings), PerLink::default());
        for NewBody { name, motion_law, start, coat, rest_volume } in bodies {
            model.owners.push(model.bodies.len());
            model.dynamic.push(motion_law.mass().is_some());
            model.dynamic_count += usize::from(motion_law.mass().is_some());
            let simple = |layer: &Layer| is_simple_layer(layer.shape.elements(), motion_law.mass().is_some());
            model.only_balls_move &= coat.iter().all(simple);
            model.inertia_known &= motion_law.mass().is_none() || motion_law.inertia(&start).is_some();
            let link = model.motion_laws.push(motion_law);
            starts.push(start);
            let id = BodyId(model.next_id);
            model.next_id += 1;
            model.bodies.push(Body { id, name, links: link..LinkId(link.0 + 1), coat, rest_volume });
        }
        model.index_bodies();
        (model, starts)
    }

    /// Takes over the handles of `old`, whose body `i` is body `moved[i]` here, if it is still there. Bodies that `old` does
    /// not have get handles that no body of `old` ever had.
    pub fn keep_ids(&mut self, old: &Self, moved: &[Option<usize>]) {
        self.bodies.iter_mut().enumerate().for_each(|(i, body)| body.id = BodyId(old.next_id + i as u64));
        self.next_id = old.next_id + self.bodies.len() as u64;
        for (before, now) in old.bodies.iter().zip(moved) {
            now.iter().for_each(|i| self.bodies[*i].id = before.id);
        }
        self.index_bodies();
    }

    fn index_bodies(&mut self) {
        self.indices = self.bodies.iter().enumerate().map(|(i, body)| (body.id, i)).collect();
    }

    /// Index of the body of a handle; none if it was removed.
    pub fn index_of(&self, id: BodyId) -> Option<usize> {
        self.indices.get(&id).copied()
    }

    fn empty(settings: MotionSettings) -> Self {
        Self {
            bodies: Vec::new(),
            indices: BTreeMap::new(),
            next_id: 0,
            motion_laws: PerLink::default(),
            owners: PerLink::default(),
            joints: Vec::new(),
            excluded: Vec::new(),
            dynamic: PerLink::default(),
            dynamic_count: 0,
            only_balls_move: true,
            inertia_known: true,
            gravity: crate::model::Scene::default().gravity,
            settings,
            quality: Quality::within(crate::model::CONTACT_TOLERANCE),
        }
    }

    /// Replaces all joints by `joints`, which are sorted by name.
    pub fn set_joints(&mut self, joints: Vec<Joint>, starts: &PerLink<LinkState>) -> Result<(), BodyError> {
        let links: PerLink<Link> = starts.iter_enumerated().map(|(i, start)| self.link(i, start)).collect();
        joints.iter().try_for_each(|j| j.check(&links))?;
        if let (Some(joint), false) = (joints.first(), self.inertia_known) {
            let what =
                "worlds with joints are stepped implicitly, for which the inertia of every motion law must be known";
            return Err(BodyError::Joint { name: joint.name.clone(), what });
        }
        let pair = |j: &Joint| match j.links {
            [Some(a), Some(b)] if !j.collide => Some([a.min(b), a.max(b)].map(|i| self.owners[i])),
            _ => None,
        };
        let mut excluded: Vec<[usize; 2]> = joints.iter().filter_map(pair).collect();
        excluded.sort_unstable();
        excluded.dedup();
        (self.joints, self.excluded) = (joints, excluded);
        Ok(())
    }

    /// All bodies with their present link states, to build another model from.
    pub fn to_new_bodies(&self, links: &PerLink<LinkState>) -> Vec<NewBody> {
        let one = |body: &Body| NewBody {
            name: body.name.clone(),
            motion_law: self.motion_laws[body.links.start].clone(),
            start: links[body.links.start],
            coat: body.coat.clone(),
            rest_volume: body.rest_volume,
        };
        self.bodies.iter().map(one).collect()
    }

    /// Bodies, in the order of names.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Joints, in the order of names.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Number of links of all bodies together.
    pub fn link_count(&self) -> usize {
        self.motion_laws.len()
    }

    /// All links.
    pub fn links(&self) -> impl ExactSizeIterator<Item = LinkId> + use<> {
        LinkId::first(self.link_count())
    }

    /// `value` for each link.
    pub fn per_link<T: Clone>(&self, value: T) -> PerLink<T> {
        PerLink::filled(value, self.link_count())
    }

    /// Body that link `i` belongs to.
    pub fn owner(&self, i: LinkId) -> usize {
        self.owners[i]
    }

    /// Link `i` in `state`.
    pub fn link<'a>(&'a self, i: LinkId, state: &'a LinkState) -> Link<'a> {
        Link { motion_law: &*self.motion_laws[i], state }
    }

    /// Law of link `i`.
    pub fn motion_law(&self, i: LinkId) -> &dyn MotionLaw {
        &*self.motion_laws[i]
    }

    /// The link of a body.
    pub fn link_of(&self, body: usize) -> LinkId {
        self.bodies[body].links.start
    }

    /// Whether link `i` is dynamic: moved by forces.
    pub fn is_dynamic(&self, i: LinkId) -> bool {
        self.dynamic[i]
    }

    /// Whether a joint excludes contact between two bodies.
    pub fn is_excluded(&self, i: usize, j: usize) -> bool {
        self.excluded.binary_search(&[i.min(j), i.max(j)]).is_ok()
    }

    /// Whether steps are implicit: as the settings say, but never if the inertia of a motion law is unknown, and always
    /// with joints.
    pub fn is_implicit(&self) -> bool {
        self.scheme_choice().implicit
    }

    /// The scheme of the next step, and why.
    pub fn scheme_choice(&self) -> SchemeChoice {
        let facts = SchemeFacts {
            has_joints: !self.joints.is_empty(),
            inertia_known: self.inertia_known,
            dynamic_count: self.dynamic_count,
            only_balls_move: self.only_balls_move,
        };
        SchemeChoice::new(self.settings.scheme, facts)
    }

    /// The longest step the settings allow, s.
    pub fn longest_step(&self) -> f64 {
        if self.is_implicit() { self.settings.implicit_step } else { self.settings.largest_step }
    }
}
