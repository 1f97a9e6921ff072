//! The model: bodies, links and joints in the order of their names, and settings. No step changes it.

use crate::bodies::{Base, Body, BodyError, Joint, Link, LinkState, NewBody};
use crate::contact::Quality;
use crate::math::DVec3;
use crate::model::{MANY_BODIES, MotionSettings, Scheme};
use std::sync::Arc;

/// Everything about a simulation that no step changes.
#[derive(Clone, Debug)]
pub struct Model {
    bodies: Vec<Body>,
    /// Of each link.
    bases: Vec<Arc<dyn Base>>,
    /// Body of each link.
    owners: Vec<usize>,
    joints: Vec<Joint>,
    /// Bodies whose joints keep them from touching each other: smaller index first, sorted.
    excluded: Vec<[usize; 2]>,
    /// Whether forces move each link.
    dynamic: Vec<bool>,
    dynamic_count: usize,
    /// Whether that of every dynamic link is known.
    inertia_known: bool,
    /// m/s².
    pub gravity: DVec3,
    /// How time is stepped.
    pub settings: MotionSettings,
    /// How carefully contacts are integrated.
    pub quality: Quality,
}

/// `items` in the order of their names, and the new place of each. Two of one name are refused.
pub(crate) fn sorted_by_name<T>(items: Vec<T>, name: impl Fn(&T) -> &str) -> Result<(Vec<T>, Vec<usize>), BodyError> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|i, j| name(&items[*i]).cmp(name(&items[*j])));
    if let Some(pair) = order.windows(2).find(|w| name(&items[w[0]]) == name(&items[w[1]])) {
        return Err(BodyError::SameName(name(&items[pair[0]]).to_owned()));
    }
    let mut places = vec![0; items.len()];
    order.iter().enumerate().for_each(|(place, i)| places[*i] = place);
    let mut slots: Vec<Option<T>> = items.into_iter().map(Some).collect();
    let sorted = order.iter().filter_map(|i| slots[*i].take()).collect();
    Ok((sorted, places))
}

impl Model {
    /// Model of `bodies`, which are sorted by name, and the states they start with. There are no joints yet.
    pub(crate) fn new(bodies: Vec<NewBody>, settings: MotionSettings) -> (Self, Vec<LinkState>) {
        let (mut model, mut starts) = (Self::empty(settings), Vec::new());
        for NewBody { name, base, start, layers, rest_volume } in bodies {
            let link = model.bases.len();
            model.owners.push(model.bodies.len());
            model.dynamic.push(base.mass().is_some());
            model.dynamic_count += usize::from(base.mass().is_some());
            model.inertia_known &= base.mass().is_none() || base.inertia(&start).is_some();
            model.bases.push(base);
            starts.push(start);
            model.bodies.push(Body { name, links: link..link + 1, layers, rest_volume });
        }
        (model, starts)
    }

    fn empty(settings: MotionSettings) -> Self {
        Self {
            bodies: Vec::new(),
            bases: Vec::new(),
            owners: Vec::new(),
            joints: Vec::new(),
            excluded: Vec::new(),
            dynamic: Vec::new(),
            dynamic_count: 0,
            inertia_known: true,
            gravity: crate::model::Scene::default().gravity,
            settings,
            quality: Quality::within(crate::model::CONTACT_TOLERANCE),
        }
    }

    /// Takes `joints`, which are sorted by name, instead of those it has.
    pub(crate) fn set_joints(&mut self, joints: Vec<Joint>, starts: &[LinkState]) -> Result<(), BodyError> {
        let links: Vec<Link> = (0..starts.len()).map(|i| self.link(i, &starts[i])).collect();
        joints.iter().try_for_each(|j| j.check(&links))?;
        if let (Some(joint), false) = (joints.first(), self.inertia_known) {
            let what = "worlds with joints are stepped implicitly, for which the inertia of every base must be known";
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

    /// The bodies as they would be put in again, for a world to be built anew with others.
    pub(crate) fn taken_apart(&self, links: &[LinkState]) -> Vec<NewBody> {
        let one = |body: &Body| NewBody {
            name: body.name.clone(),
            base: self.bases[body.links.start].clone(),
            start: links[body.links.start],
            layers: body.layers.clone(),
            rest_volume: body.rest_volume,
        };
        self.bodies.iter().map(one).collect()
    }

    /// In the order of names.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// In the order of names.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Number of links of all bodies together.
    pub fn link_count(&self) -> usize {
        self.bases.len()
    }

    /// Body that link `i` belongs to.
    pub fn owner(&self, i: usize) -> usize {
        self.owners[i]
    }

    /// Link `i` in `state`.
    pub fn link<'a>(&'a self, i: usize, state: &'a LinkState) -> Link<'a> {
        Link { base: &*self.bases[i], state }
    }

    /// Law of link `i`.
    pub fn base(&self, i: usize) -> &dyn Base {
        &*self.bases[i]
    }

    /// The link of body `i`.
    pub fn link_of(&self, body: usize) -> usize {
        self.bodies[body].links.start
    }

    /// Whether forces move link `i`.
    pub fn is_dynamic(&self, i: usize) -> bool {
        self.dynamic[i]
    }

    /// Whether a joint keeps two bodies from touching each other.
    pub fn is_excluded(&self, i: usize, j: usize) -> bool {
        self.excluded.binary_search(&[i.min(j), i.max(j)]).is_ok()
    }

    /// Whether steps are implicit: as the settings say, unless the inertia of some base is not known; always with joints.
    pub fn is_implicit(&self) -> bool {
        let wanted = match self.settings.scheme {
            Scheme::Explicit => false,
            Scheme::Implicit => true,
            Scheme::Auto => self.dynamic_count > MANY_BODIES,
        };
        !self.joints.is_empty() || wanted && self.inertia_known
    }

    /// The longest step the settings allow, s.
    pub fn longest_step(&self) -> f64 {
        if self.is_implicit() { self.settings.implicit_step } else { self.settings.largest_step }
    }
}
